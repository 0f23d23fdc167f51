#include "appends_oracle.h"
#include "evidence/recheck.h"
#include "load_text.h"
#include "predicate_random.h"
#include "random_history.h"

/* Of all levels at once: the verdicts follow from each other as the levels do, everything that is
 * reported of one history agrees, and what follows has evidence like everything else. */

static const char *const engines[] = { NULL, "dsg", "saturate", "polygraph", "serial" };

static struct esse_history *random_of_any_kind(struct esse_arena *arena, unsigned seed)
{
    struct esse_rng rng = { seed };
    struct p_history h;
    struct l_history lists;
    if (seed % 4 == 3) { /* with elements that were appended several times */
        l_random(&lists, &rng);
        return load_text(arena, "native", l_text(arena, &lists, NULL));
    }
    if (seed % 4)
        return random_history(arena, seed, seed % 4 == 1);
    p_random_history(&h, &rng, 5);
    if (seed % 8)
        p_damage(&h, &rng);
    h.has_sessions = esse_rng_below(&rng, 2);
    for (int t = 0; t < h.count; t++)
        h.txns[t].session = (int)esse_rng_below(&rng, 2);
    return load_text(arena, "native", p_write(arena, &h));
}

static const struct esse_verdict *verdict_on(const struct esse_result *result,
                                             const struct esse_level *level)
{
    for (uint32_t i = 0; i < result->verdict_count; i++)
        if (result->verdicts[i].level == level->id)
            return &result->verdicts[i];
    fail_msg("%s has no verdict", level->friendly);
    return NULL;
}

/* Does everything that rules 'below' out count against 'above', which implies it?  What is about
 * start and commit points does not. */
static bool carries(const struct esse_verdict *below, const struct esse_level *above)
{
    for (uint32_t i = 0; i < below->anomaly_count; i++)
        if (!esse_level_forbids(above, esse_anomaly_get(below->anomalies[i].type)))
            return false;
    return true;
}

static void check_pair(const struct esse_verdict *a, const struct esse_verdict *b, const char *text)
{
    const struct esse_level *above = esse_level_get(a->level), *below = esse_level_get(b->level);
    if (!esse_level_implies(above, below))
        return;
    if (a->outcome == ESSE_HOLDS && b->outcome != ESSE_HOLDS)
        fail_msg("%s holds, and %s, which follows, is %d\n%s", above->friendly, below->friendly,
                 b->outcome, text);
    if (b->outcome == ESSE_VIOLATED && a->outcome != ESSE_VIOLATED && carries(b, above))
        fail_msg("%s is violated, and %s, which implies it, is %d\n%s", below->friendly,
                 above->friendly, a->outcome, text);
}

static void check_names(const struct esse_result *result, const char *const *names, uint32_t count,
                        enum esse_outcome outcome, const char *text)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct esse_level *level = esse_level_find(names[i]);
        assert_string_equal(names[i], level->friendly);
        if (verdict_on(result, level)->outcome != outcome)
            fail_msg("%s is named, and its verdict is %d\n%s", names[i],
                     verdict_on(result, level)->outcome, text);
    }
}

static void check_result(const struct esse_history *history, const struct esse_result *result,
                         const char *text)
{
    struct esse_error err;
    for (uint32_t i = 0; i < result->verdict_count; i++) {
        const struct esse_verdict *verdict = &result->verdicts[i];
        if (!esse_recheck_verdict(history, esse_level_get(verdict->level), verdict, NULL, &err))
            fail_msg("%s: %s\n%s", esse_level_name(verdict->level), err.text, text);
        for (uint32_t j = 0; j < result->verdict_count; j++)
            check_pair(verdict, &result->verdicts[j], text);
    }
    check_names(result, result->not_levels, result->not_count, ESSE_VIOLATED, text);
    check_names(result, result->also_not, result->also_not_count, ESSE_VIOLATED, text);
    check_names(result, result->strongest, result->strongest_count, ESSE_HOLDS, text);
}

TEST(test_propagate__verdicts_on_all_levels_agree)
{
    for (unsigned seed = 1 + test_first(1500), after = seed + test_rounds(1500); seed < after;
         seed++) {
        struct esse_arena *arena = esse_arena_new();
        const struct esse_history *history = random_of_any_kind(arena, seed);
        const char *text = write_text(arena, "native", history);
        const char *all = "all";
        const struct esse_result *result;
        struct esse_error err;
        const struct esse_check_options options = { .levels = &all,
                                                    .level_count = 1,
                                                    .engine = engines[seed / 8 % 5] };
        if (!esse_check(arena, history, &options, &result, &err))
            fail_msg("seed %u: %s\n%s", seed, err.text, text);
        check_result(history, result, text);
        esse_arena_free(arena);
    }
}

/* The order in which levels are asked for changes nothing: what rules out a level of sessions says
 * nothing about one without. */
TEST(test_propagate__a_cycle_of_sessions_rules_out_no_plain_level)
{
    static const char *const levels[] = { "parallel-snapshot-isolation", "prefix",
                                          "snapshot-isolation", "serializable" };
    struct esse_arena *arena = esse_arena_new();
    const struct esse_history *history = load_text(arena, "native",
                                                   "{'session':0,'ops':[{'r':'x','v':1}]}\n"
                                                   "{'session':0,'ops':[{'r':'x','v':null}]}\n"
                                                   "{'session':1,'ops':[{'w':'x','v':1}]}\n");
    for (size_t e = 0; e < sizeof engines / sizeof *engines; e++) {
        const struct esse_result *result;
        struct esse_error err;
        const struct esse_check_options options = { .levels = levels,
                                                    .level_count = 4,
                                                    .engine = engines[e] };
        CHECK(esse_check(arena, history, &options, &result, &err));
        for (int i = 2; i < 4; i++)
            CHECK(result->verdicts[i].outcome != ESSE_VIOLATED);
        for (uint32_t i = 0; i < result->also_not_count; i++)
            CHECK(strcmp(result->also_not[i], "serializable") != 0);
    }
    esse_arena_free(arena);
}

TEST(test_propagate__a_level_is_told_by_one_name)
{
    const char *level = "strong-serializable";
    struct esse_arena *arena = esse_arena_new();
    const struct esse_history *history =
        load_text(arena, "native", "{'session':0,'ops':[{'r':'x','v':1}]}\n");
    const struct esse_result *result;
    struct esse_error err;
    const struct esse_check_options options = { .levels = &level, .level_count = 1 };
    CHECK(esse_check(arena, history, &options, &result, &err));
    CHECK_EQ(result->verdicts[0].level, ESSE_LEVEL_STRICT_SERIALIZABLE);
    for (uint32_t i = 0; i < result->also_not_count; i++)
        CHECK(strcmp(result->also_not[i], "strong-serializable") != 0);
    esse_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_propagate__verdicts_on_all_levels_agree),
        cmocka_unit_test(test_propagate__a_cycle_of_sessions_rules_out_no_plain_level),
        cmocka_unit_test(test_propagate__a_level_is_told_by_one_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
