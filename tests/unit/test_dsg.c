#include "engine/cycle_words.h"
#include "evidence/recheck.h"
#include "load_text.h"
#include "order_oracle.h"
#include "random_history.h"

static const struct {
    const char *level;
    enum b_rule rule;
    bool so, rt;
} asked[] = {
    { "read-committed", B_COMMITTED, false, false },
    { "strong-session-read-committed", B_COMMITTED, true, false },
    { "strong-read-committed", B_COMMITTED, true, true },
    { "snapshot-isolation", B_SNAPSHOT, false, false },
    { "strong-session-snapshot-isolation", B_SNAPSHOT, true, false },
    { "strong-snapshot-isolation", B_SNAPSHOT, true, true },
    { "serializable", B_SERIAL, false, false },
    { "strong-session-serializable", B_SERIAL, true, false },
    { "strict-serializable", B_SERIAL, true, true },
};
enum { ASKED = sizeof asked / sizeof *asked };

/* ---- the engine against all orders ---- */

struct tally {
    unsigned holds, violated, unknown;
};

static void compare(uint64_t seed, bool lists, struct tally *tally)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = random_history(arena, seed, lists);
    struct b_history b;
    const char *levels[ASKED];
    const struct esse_result *result;
    struct esse_error err;
    for (int i = 0; i < ASKED; i++)
        levels[i] = asked[i].level;
    struct esse_check_options options = { .levels = levels, .level_count = ASKED };
    if (!esse_check(arena, history, &options, &result, &err))
        fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, err.text,
                 write_text(arena, "native", history));
    for (int i = 0; i < ASKED && b_open(&b, history); i++) {
        bool holds = b_holds(&b, asked[i].rule, asked[i].so, asked[i].rt);
        enum esse_outcome outcome = result->verdicts[i].outcome;
        tally->holds += outcome == ESSE_HOLDS;
        tally->violated += outcome == ESSE_VIOLATED;
        tally->unknown += outcome == ESSE_UNKNOWN;
        if ((outcome == ESSE_HOLDS && !holds) || (outcome == ESSE_VIOLATED && holds))
            fail_msg("seed %llu, %s: the engine says %d, all orders say %d (%s)\n%s",
                     (unsigned long long)seed, asked[i].level, outcome, holds,
                     result->anomaly_type_count ? esse_anomaly_name(result->anomaly_types[0])
                                                : "nothing found",
                     write_text(arena, "native", history));
        if (outcome != ESSE_UNKNOWN)
            CHECK(result->verdicts[i].rechecked);
    }
    esse_arena_free(arena);
}

TEST(test_dsg__agrees_with_all_orders_on_lists)
{
    struct tally tally = { 0 };
    for (unsigned seed = test_first(1000), beyond = seed + test_rounds(1000); seed < beyond; seed++)
        compare(seed, true, &tally);
    print_message("lists: %u hold, %u violated, %u unknown\n", tally.holds, tally.violated,
                  tally.unknown);
    CHECK(tally.holds > test_least(100) && tally.violated > test_least(100));
    CHECK(tally.unknown * 20 < tally.holds + tally.violated);
}

TEST(test_dsg__never_contradicts_all_orders_on_registers)
{
    struct tally tally = { 0 };
    for (unsigned seed = test_first(1000), beyond = seed + test_rounds(1000); seed < beyond; seed++)
        compare(seed, false, &tally);
    print_message("registers: %u hold, %u violated, %u unknown\n", tally.holds, tally.violated,
                  tally.unknown);
    CHECK(tally.holds > test_least(100) && tally.violated > test_least(100));
}

/* ---- the shortest explanation ---- */

/* Two edges in a row that could have been shown as one: along the versions of a key, a session, or
 * time. */
static bool is_long_winded(const struct esse_edge *edge, const struct esse_edge *next)
{
    if (edge->dep == ESSE_DEP_PROCESS || edge->dep == ESSE_DEP_REALTIME)
        return next->dep == edge->dep;
    return (edge->dep == ESSE_DEP_RW || edge->dep == ESSE_DEP_WW) && next->dep == ESSE_DEP_WW &&
           edge->key.ix == next->key.ix;
}

TEST(test_dsg__no_cycle_leads_along_versions_that_one_read_missed)
{
    static const char *const levels[] = { "strict-serializable" };
    const struct esse_check_options options = { .levels = levels, .level_count = 1 };
    uint32_t cycles = 0;
    for (unsigned seed = test_first(1500), beyond = seed + test_rounds(1500); seed < beyond;
         seed++) {
        struct esse_arena *arena = esse_arena_new();
        const struct esse_result *result;
        struct esse_error err;
        if (!esse_check(arena, random_history(arena, seed, true), &options, &result, &err))
            fail_msg("seed %u: %s", seed, err.text);
        for (uint32_t a = 0; a < result->verdicts[0].anomaly_count; a++) {
            const struct esse_anomaly *anomaly = &result->verdicts[0].anomalies[a];
            cycles += anomaly->edge_count > 0;
            for (uint32_t i = 0; i < anomaly->edge_count && anomaly->edge_count > 2; i++) {
                const struct esse_edge *next = &anomaly->edges[(i + 1) % anomaly->edge_count];
                const struct esse_edge *after = &anomaly->edges[(i + 2) % anomaly->edge_count];
                if (is_long_winded(&anomaly->edges[i], next) && after->dep != ESSE_DEP_RW)
                    fail_msg("seed %u: %s: %s", seed, esse_anomaly_name(anomaly->type),
                             anomaly->edges[i].why);
            }
        }
        esse_arena_free(arena);
    }
    print_message("%u cycles\n", cycles);
    CHECK(cycles > test_least(100));
}

/* w2 to w16 wrote x in turn; the reader saw y of the last, and x of the first. */
TEST(test_dsg__one_stale_read_is_told_by_two_transactions)
{
    static const char *const levels[] = { "serializable" };
    const struct esse_check_options options = { .levels = levels, .level_count = 1 };
    struct esse_arena *arena = esse_arena_new();
    struct esse_out text;
    const struct esse_result *result;
    struct esse_error err;
    esse_out_init_memory(&text, arena);
    for (int i = 1; i <= 16; i++)
        esse_out_f(&text, "{'session':%d,'txn':'w%d','ops':[{'w':'x','v':%d}%s]}\n", i, i, i,
                   i == 16 ? ",{'w':'y','v':1}" : "");
    esse_out_text(&text, "{'session':0,'txn':'reader','ops':[{'r':'x','v':1},{'r':'y','v':1}]}\n"
                         "{'version_order':{'x':[1");
    for (int i = 2; i <= 16; i++)
        esse_out_f(&text, ",%d", i);
    esse_out_text(&text, "]}}\n");
    if (!esse_check(arena, load_text(arena, "native", esse_out_memory(&text)), &options, &result,
                    &err))
        fail_msg("%s", err.text);
    CHECK_EQ(result->verdicts[0].anomalies[0].edge_count, 2);
    CHECK_TEXT(result->verdicts[0].anomalies[0].description,
               "read skew: reader saw what w16 wrote to y, and not what it wrote to x");
    esse_arena_free(arena);
}

/* ---- what people call it ---- */

#define T(session, ops) "{'session':" #session ",'txn':'t" #session "','ops':[" ops "]}\n"
#define R(key, value)   "{'r':'" #key "','v':" #value "}"
#define W(key, value)   "{'w':'" #key "','v':" #value "}"
#define A(key, value)   "{'a':'" #key "','v':" #value "}"

static const struct {
    const char *history, *words;
} stories[] = {
    { T(1, R(x, null) "," W(x, 1)) T(2, R(x, null) "," W(x, 2)),
      "a lost update: t1 and t2 both wrote x and had read it without what the other wrote" },
    { T(1, R(x, null) "," W(x, 1)) T(2, W(x, 2)) "{'version_order':{'x':[2,1]}}\n",
      "a lost update: t1 wrote x without knowing what t2 had written to it" },
    { T(1, W(x, 1) "," W(y, 1)) T(2, R(x, null) "," R(y, 1)),
      "read skew: t2 saw what t1 wrote to y, and not what it wrote to x" },
    { T(1, W(x, 1)) T(2, R(x, null) "," R(x, 1)),
      "an unrepeatable read: t2 read x both without and with what t1 wrote to it" },
    { T(1, R(x, null) "," W(y, 1)) T(2, R(y, null) "," W(x, 1)),
      "write skew: t1 read x without what t2 wrote to it, and t2 read y without what t1 wrote to "
      "it" },
    { T(1, R(x, null) "," W(x, 1)) T(2, R(x, null) "," R(x, 1) "," W(x, 2)),
      "two committed transactions read the same version of a key and both wrote it, one after it "
      "had read it again" },
    { T(1, R(x, null) "," W(x, 1)) T(2, R(x, null) "," R(x, 1) "," W(x, 2))
          T(3, R(x, null) "," W(x, 3)),
      "two committed transactions read the same version of a key and both wrote it: one update is "
      "lost" },
    { T(1, W(x, 1)) T(2, W(y, 1)) T(3, R(x, 1) "," R(y, null)) T(4, R(x, null) "," R(y, 1)),
      "a long fork: t3 and t4 saw t2 and t1 in opposite orders" },
    { T(1, R(y, null) "," W(x, 1)) T(2, W(y, 1)) T(3, R(x, null) "," R(y, 1)),
      "the read-only anomaly: t3, which writes nothing, saw t2 and not t1, which must come before "
      "t2" },
    /* One read is not an unrepeatable one. */
    { T(1, A(x, 1) "," A(x, 2)) T(2, R(x, [1])) T(3, "{'r':'x','v':[1,2]}"),
      "an intermediate read: t2 saw only a part of what t1 wrote to x" },
    { T(1, W(x, 1) "," W(y, 1))
          T(2, W(x, 2) "," W(y, 2)) "{'version_order':{'x':[1,2],'y':[2,1]}}\n",
      "dirty writes: the version of t1 comes before that of t2 in x, and after it in y" },
    { T(1, W(x, 1) "," R(y, 1)) T(2, R(x, 1) "," W(y, 1)),
      "circular information flow: t2 read what t1 wrote to x, and t1 read what t2 wrote to y" },
    { T(1, W(x, 1) "," R(y, 1)) T(2, W(x, 2) "," W(y, 1)) "{'version_order':{'x':[1,2]}}\n",
      "two transactions each of which must come before the other" },
};

TEST(test_dsg__cycles_are_called_what_people_call_them)
{
    static const char *const levels[] = { "serializable" };
    const struct esse_check_options options = { .levels = levels, .level_count = 1 };
    for (size_t i = 0; i < sizeof stories / sizeof *stories; i++) {
        struct esse_arena *arena = esse_arena_new();
        const struct esse_result *result;
        struct esse_error err;
        bool reported = false;
        if (!esse_check(arena, load_text(arena, "native", stories[i].history), &options, &result,
                        &err))
            fail_msg("%s", err.text);
        for (uint32_t a = 0; a < result->verdicts[0].anomaly_count; a++)
            reported |= strcmp(result->verdicts[0].anomalies[a].description, stories[i].words) == 0;
        if (!reported)
            fail_msg("not reported: %s, but: %s", stories[i].words,
                     result->verdicts[0].anomaly_count
                         ? result->verdicts[0].anomalies[0].description
                         : "nothing");
        esse_arena_free(arena);
    }
}

/* Of the cycle t2 -rw-> t1 -ww-> t2 on x, where t2 read x again. */
TEST(test_dsg__an_update_that_was_seen_is_not_called_lost)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_history *history = load_text(
        arena, "native", T(1, R(x, null) "," W(x, 1)) T(2, R(x, null) "," R(x, 1) "," W(x, 2)));
    const struct esse_edge back = { .from = { 0 },
                                    .to = { 1 },
                                    .dep = ESSE_DEP_WW,
                                    .has_key = true,
                                    .from_op = { 1 },
                                    .to_op = { 4 } };
    const struct esse_edge missed = { .from = { 1 },
                                      .to = { 0 },
                                      .dep = ESSE_DEP_RW,
                                      .has_key = true,
                                      .from_op = { 2 },
                                      .to_op = { 1 } };
    const struct esse_edge missed_too = { .from = { 0 },
                                          .to = { 1 },
                                          .dep = ESSE_DEP_RW,
                                          .has_key = true,
                                          .from_op = { 0 },
                                          .to_op = { 4 } };
    const struct esse_edge overwritten[] = { missed, back }, both[] = { missed, missed_too };
    CHECK_TEXT(esse_cycle_words(arena, history, overwritten, 2),
               "an unrepeatable read: t2 read x at first without what t1 had written to it, then "
               "another version, and then wrote it");
    CHECK_TEXT(
        esse_cycle_words(arena, history, both, 2),
        "an unrepeatable read: t2 and t1 both wrote x and had read it without what the other "
        "wrote, though not only so");
    esse_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dsg__agrees_with_all_orders_on_lists),
        cmocka_unit_test(test_dsg__never_contradicts_all_orders_on_registers),
        cmocka_unit_test(test_dsg__no_cycle_leads_along_versions_that_one_read_missed),
        cmocka_unit_test(test_dsg__one_stale_read_is_told_by_two_transactions),
        cmocka_unit_test(test_dsg__cycles_are_called_what_people_call_them),
        cmocka_unit_test(test_dsg__an_update_that_was_seen_is_not_called_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
