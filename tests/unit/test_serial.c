#include "engine/known/serial.h"
#include "evidence/commit_order.h"
#include "evidence/replay.h"
#include "load_text.h"
#include "random_history.h"

/* Longer histories than those of the brute-force tests: windows are small parts of something. */
static struct esse_history *long_history(struct esse_arena *arena, uint64_t seed, bool lists)
{
    struct esse_rng rng = { seed };
    struct esse_builder *builder = esse_builder_new(arena);
    struct esse_history *history = NULL;
    struct esse_error err;
    struct damaging d = { *esse_builder_sink(builder), esse_builder_sink(builder), { seed }, 0 };
    struct esse_gen_options options =
        esse_gen_defaults(lists ? ESSE_GEN_LIST_APPEND : ESSE_GEN_RW_REGISTER);
    options.txns = 20 + esse_rng_below(&rng, 200);
    options.ops = 1 + esse_rng_below(&rng, 6);
    options.keys = 2 + esse_rng_below(&rng, 30);
    options.sessions = 1 + esse_rng_below(&rng, 10);
    options.level = (enum esse_store_level)esse_rng_below(&rng, 5);
    options.seed = esse_rng_next(&rng);
    options.abort_share = esse_rng_below(&rng, 2) * 0.1;
    options.crash_share = esse_rng_below(&rng, 3) ? 0 : 0.05;
    options.has_times = esse_rng_below(&rng, 4) > 0;
    options.by_session = esse_rng_below(&rng, 3) == 0;
    options.has_header = false;
    d.one_in = esse_rng_below(&rng, 2) ? 50 + esse_rng_below(&rng, 400) : UINT32_MAX;
    d.sink.txn = damage_txn;
    if (!esse_gen_run(&options, &d.sink, NULL, &err) ||
        !esse_builder_freeze(builder, &history, &err))
        fail_msg("%s", err.text);
    if (seed % 2)
        history->format = "native"; /* where a value may be written twice */
    return history;
}

static const struct esse_result *check(struct esse_arena *arena, const struct esse_history *history,
                                       const char *level)
{
    const struct esse_check_options options = { .levels = &level, .level_count = 1, .threads = 1 };
    const struct esse_result *result = NULL;
    struct esse_error err;
    if (!esse_check(arena, history, &options, &result, &err))
        fail_msg("%s: %s", level, err.text);
    return result;
}

static const char *const levels[] = { "strict-serializable",
                                      "strong-session-serializable",
                                      "serializable",
                                      "snapshot-isolation",
                                      "strong-session-snapshot-isolation",
                                      "read-committed",
                                      "axiomatic-read-committed",
                                      "read-atomic",
                                      "causal-consistency",
                                      "prefix-consistency",
                                      "causal",
                                      "PRAM",
                                      "monotonic-reads",
                                      "all" };
enum { LEVELS = sizeof levels / sizeof *levels };

/* That a level which was not asked for has no order is reported only by an engine that tried it. */
static uint32_t count_others(const struct esse_result *result)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < result->also_found_count; i++)
        count += esse_anomaly_shown_by(result->also_found[i].type) != ESSE_SHOWN_BY_REFUTATION;
    return count;
}

/* A history that says that version orders are given, if only of no key, is looked at as a whole.
 * What is found by windows must be the same, or more where the whole is undecided. */
static void compare(struct esse_arena *arena, const struct esse_history *history, uint64_t seed,
                    const char *level)
{
    struct esse_history whole = *history;
    whole.has |= ESSE_HAS_VERSION_ORDER;
    const struct esse_result *a = check(arena, history, level), *b = check(arena, &whole, level);
    for (uint32_t i = 0; i < a->verdict_count; i++)
        CHECK(a->verdicts[i].outcome == ESSE_UNKNOWN || !a->verdicts[i].reason);
    for (uint32_t i = 0; i < a->verdict_count; i++)
        if (a->verdicts[i].outcome != b->verdicts[i].outcome &&
            b->verdicts[i].outcome != ESSE_UNKNOWN)
            fail_msg("seed %llu: %s is %d by windows and %d as a whole", (unsigned long long)seed,
                     a->verdicts[i].level, a->verdicts[i].outcome, b->verdicts[i].outcome);
    if (a->anomaly_type_count != b->anomaly_type_count || count_others(a) != count_others(b))
        fail_msg("seed %llu: %s: %u types and %u others by windows, %u and %u as a whole",
                 (unsigned long long)seed, level, a->anomaly_type_count, count_others(a),
                 b->anomaly_type_count, count_others(b));
    for (uint32_t i = 0; i < a->anomaly_type_count; i++)
        CHECK_EQ(a->anomaly_types[i], b->anomaly_types[i]);
}

TEST(test_serial__windows_tell_what_the_whole_tells)
{
    uint32_t plain = 0, picked = 0, sorted = 0;
    for (uint64_t seed = 1; seed <= test_rounds(400); seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_history *history = long_history(arena, seed, seed % 3 == 0);
        struct serial serial;
        struct serial_part part;
        if (serial_find(&serial, arena, history, true, NULL)) {
            plain += !serial.odd.count;
            sorted += serial.sorted != NULL;
            picked += serial.odd.count && serial_pick(&part, arena, history, &serial);
        }
        for (int i = 0; i < LEVELS; i++)
            compare(arena, history, seed, levels[i]);
        esse_arena_free(arena);
    }
    CHECK(plain > test_rounds(400) / 10); /* or else nothing was tested */
    CHECK(picked > test_rounds(400) / 20);
    CHECK(sorted > test_rounds(400) / 20);
}

/* ---- what is done to a window ---- */

static struct serial find(struct esse_arena *arena, const char *text, bool real_time)
{
    struct serial serial;
    CHECK(serial_find(&serial, arena, load_text(arena, "native", text), real_time, NULL));
    return serial;
}

static const char stale[] =
    "{'session':1,'start':1,'end':2,'ops':[{'w':'x','v':1}]}\n"
    "{'session':1,'start':3,'end':5,'ops':[{'w':'x','v':2}]}\n"
    "{'session':2,'start':3,'end':6,'ops':[{'w':'y','v':1}]}\n"
    "{'session':3,'start':4,'end':7,'ops':[{'r':'x','v':1},{'r':'y','v':1}]}\n";

/* The reader and the writer it read from come up to before the one that overwrote it. */
TEST(test_serial__a_stale_reader_is_pulled_up_with_what_it_needs)
{
    struct esse_arena *arena = esse_arena_new();
    struct serial serial = find(arena, stale, true);
    static const uint32_t expected[] = { 0, 2, 3, 1 };
    CHECK_EQ(serial.odd.count, 0);
    CHECK_EQ(serial.order.count, 4);
    for (uint32_t i = 0; i < 4; i++)
        CHECK_EQ(serial.order.events[i], expected[i]);
    esse_arena_free(arena);
}

/* One session after the other: the order of ends takes the place of that of recording. */
TEST(test_serial__files_by_session_are_sorted_by_ends)
{
    struct esse_arena *arena = esse_arena_new();
    struct serial serial = find(arena,
                                "{'session':1,'start':1,'end':2,'ops':[{'w':'x','v':1}]}\n"
                                "{'session':1,'start':5,'end':6,'ops':[{'r':'x','v':2}]}\n"
                                "{'session':2,'start':3,'end':4,'ops':[{'w':'x','v':2}]}\n",
                                true);
    static const uint32_t expected[] = { 0, 2, 1 };
    CHECK(serial.sorted != NULL);
    CHECK_EQ(serial.odd.count, 0);
    CHECK_EQ(serial.order.count, 3);
    for (uint32_t i = 0; i < 3; i++)
        CHECK_EQ(serial.order.events[i], expected[i]);
    esse_arena_free(arena);
}

TEST(test_serial__a_read_from_the_future_waits_for_its_writer)
{
    struct esse_arena *arena = esse_arena_new();
    struct serial serial = find(arena,
                                "{'session':1,'ops':[{'r':'x','v':1}]}\n"
                                "{'session':2,'ops':[{'w':'y','v':1}]}\n"
                                "{'session':3,'ops':[{'w':'x','v':1}]}\n",
                                false);
    static const uint32_t expected[] = { 2, 0, 1 };
    CHECK_EQ(serial.odd.count, 0);
    for (uint32_t i = 0; i < 3; i++)
        CHECK_EQ(serial.order.events[i], expected[i]);
    esse_arena_free(arena);
}

/* Overwritten before it began: in order for levels without a clock. */
TEST(test_serial__real_time_makes_a_window_odd)
{
    static const char text[] = "{'session':1,'start':1,'end':2,'ops':[{'w':'x','v':1}]}\n"
                               "{'session':2,'start':3,'end':4,'ops':[{'w':'x','v':2}]}\n"
                               "{'session':3,'start':5,'end':6,'ops':[{'r':'x','v':1}]}\n";
    struct esse_arena *arena = esse_arena_new();
    CHECK_EQ(find(arena, text, false).odd.count, 0);
    struct serial serial = find(arena, text, true);
    CHECK_EQ(serial.odd.count, 1);
    CHECK_EQ(serial.odd.at[0].begin, 1);
    CHECK_EQ(serial.odd.at[0].end, 3);
    esse_arena_free(arena);
}

/* A read of what no transaction wrote, a cycle, transactions that miss their own write, a read of
 * what is overwritten at once. */
TEST(test_serial__what_has_no_order_is_odd_and_nothing_else)
{
    static const char *const texts[] = {
        "{'session':2,'ops':[{'r':'x','v':7}]}\n",
        "{'session':2,'ops':[{'r':'x','v':1},{'w':'y','v':1}]}\n"
        "{'session':3,'ops':[{'r':'y','v':1},{'w':'x','v':1}]}\n",
        "{'session':2,'ops':[{'w':'x','v':1},{'r':'x','v':null}]}\n",
        "{'session':2,'ops':[{'w':'x','v':1},{'r':'x','v':2}]}\n"
        "{'session':3,'ops':[{'w':'x','v':2}]}\n",
        "{'session':2,'ops':[{'r':'x','v':2}]}\n"
        "{'session':3,'ops':[{'w':'x','v':2},{'w':'x','v':3}]}\n",
    };
    static const uint32_t txns[] = { 1, 2, 1, 2, 2 }, end[] = { 2, 3, 2, 2, 2 };
    for (int i = 0; i < 5; i++) {
        struct esse_arena *arena = esse_arena_new();
        const char *text = esse_arena_format(arena,
                                             "{'session':1,'ops':[{'w':'z','v':1}]}\n"
                                             "%s{'session':1,'ops':[{'r':'z','v':1}]}\n",
                                             texts[i]);
        struct serial serial = find(arena, text, false);
        CHECK_EQ(serial.odd.count, 1);
        CHECK_EQ(serial.odd.at[0].begin, 1);
        CHECK_EQ(serial.odd.at[0].end, end[i]);
        CHECK_EQ(serial.order.count, 2 + txns[i]);
        esse_arena_free(arena);
    }
}

/* Of a list that was appended 1, 2, 3 the last two by one transaction: an older state, one from
 * before a later append, half of what one appended, and other elements than were. */
TEST(test_serial__lists_are_read_as_prefixes)
{
    static const struct {
        const char *list;
        uint32_t odd, place; /* and where the reader comes */
    } reads[] = { { "[1,2,3]", 0, 3 },   { "[1]", 0, 2 },    { "[]", 0, 0 },
                  { "[1,2,3,4]", 0, 4 }, { "[1,2]", 1, 3 },  { "[2,1]", 1, 3 },
                  { "[2,1,3]", 1, 3 },   { "[1,7,3]", 1, 3 } };
    for (size_t i = 0; i < sizeof reads / sizeof *reads; i++) {
        struct esse_arena *arena = esse_arena_new();
        const char *text =
            esse_arena_format(arena,
                              "{'session':1,'ops':[{'a':'x','v':1}]}\n"
                              "{'session':1,'ops':[{'r':'x','v':[1]}]}\n"
                              "{'session':2,'ops':[{'a':'x','v':2},{'a':'x','v':3}]}\n"
                              "{'session':3,'ops':[{'r':'x','v':%s}]}\n"
                              "{'session':4,'ops':[{'a':'x','v':4}]}\n",
                              reads[i].list);
        struct serial serial = find(arena, text, false);
        CHECK_EQ(serial.odd.count, reads[i].odd);
        CHECK_EQ(serial.order.count, 5);
        CHECK_EQ(serial.order.events[reads[i].place], 3);
        esse_arena_free(arena);
    }
}

/* A value written twice, by an aborted transaction too, shows no order. */
TEST(test_serial__what_must_be_written_once_is)
{
    static const char *const values[] = { "1", "296", "40", "39" };
    struct esse_arena *arena = esse_arena_new();
    struct serial serial;
    for (int i = 0; i < 4; i++) {
        const char *text =
            esse_arena_format(arena,
                              "{'session':1,'ops':[{'a':'x','v':40},{'a':'x','v':270}]}\n"
                              "{'session':2,'status':'aborted','ops':[{'a':'x','v':%s}]}\n",
                              values[i]);
        bool fresh = i == 1 || i == 3;
        CHECK_EQ(serial_find(&serial, arena, load_text(arena, "native", text), false, NULL), fresh);
    }
    esse_arena_free(arena);
}

/* ---- what is picked ---- */

/* The first transaction reads its own future; what the second did is in order. */
TEST(test_serial__an_update_of_what_was_seen_is_looked_at_too)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_history *history =
        load_text(arena, "native",
                  "{'session':1,'ops':[{'r':'x','v':1},{'w':'x','v':1}]}\n"
                  "{'session':2,'ops':[{'r':'x','v':1},{'w':'x','v':2}]}\n");
    const struct esse_result *result = check(arena, history, "strict-serializable");
    CHECK_EQ(result->anomaly_type_count, 2);
    CHECK_EQ(result->anomaly_types[0], ESSE_ANOMALY_FUTURE_READ);
    CHECK_EQ(result->anomaly_types[1], ESSE_ANOMALY_LOST_UPDATE);
    esse_arena_free(arena);
}

/* What an unknown transaction read may be part of it, wherever that was recorded. */
TEST(test_serial__nothing_is_picked_where_unknown_outcomes_count)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_history *history =
        load_text(arena, "native",
                  "{'session':1,'ops':[{'r':'x','v':1}]}\n"
                  "{'session':2,'status':'unknown','ops':[{'w':'x','v':1}]}\n");
    struct serial serial;
    struct serial_part part;
    CHECK(serial_find(&serial, arena, history, false, NULL));
    CHECK_EQ(serial.odd.count, 1);
    CHECK(!serial_pick(&part, arena, history, &serial));
    esse_arena_free(arena);
}

/* ---- the walk along a commit order ---- */

/* The recorded order, or the one near it, with some neighbours exchanged. */
static struct esse_order some_order(struct esse_arena *arena, const struct esse_history *history,
                                    struct esse_rng *rng)
{
    struct serial serial;
    uint32_t *events = esse_arena_alloc(arena, history->txns + 1u, sizeof *events), count = 0;
    if (esse_rng_below(rng, 2) && serial_find(&serial, arena, history, false, NULL)) {
        count = serial.order.count;
        memcpy(events, serial.order.events, count * sizeof *events);
    } else {
        for (uint32_t txn = 0; txn < history->txns; txn++)
            if (history->txn_status[txn] == ESSE_COMMITTED)
                events[count++] = txn;
    }
    for (uint32_t swaps = esse_rng_below(rng, 3); count > 1 && swaps > 0; swaps--) {
        uint32_t at = esse_rng_below(rng, count - 1), txn = events[at];
        events[at] = events[at + 1];
        events[at + 1] = txn;
    }
    return (struct esse_order){ .events = events, .count = count };
}

/* What says that a version order is given is checked key by key, also if there is none. */
TEST(test_serial__a_walk_proves_what_the_whole_check_proves)
{
    static const enum esse_level_id axioms[] = { ESSE_LEVEL_AXIOMATIC_READ_COMMITTED,
                                                 ESSE_LEVEL_READ_ATOMIC, ESSE_LEVEL_CAUSAL_CERONE };
    uint32_t proved = 0, refused = 0;
    for (uint64_t seed = 1; seed <= test_rounds(2000); seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_rng rng = { seed };
        struct esse_history *history = long_history(arena, seed, false), whole = *history;
        struct esse_order order = some_order(arena, history, &rng);
        struct esse_error err;
        whole.has |= ESSE_HAS_VERSION_ORDER;
        for (int i = 0; i < 3; i++) {
            const struct esse_level *level = esse_level_get(axioms[i]);
            bool good = esse_commit_order_check(&whole, level, &order, 1, &err);
            if (esse_commit_order_is_plain(history, level, &order, NULL) != good)
                fail_msg("seed %llu, %s: the whole check says %d", (unsigned long long)seed,
                         level->friendly, good);
            proved += good;
            refused += !good;
        }
        esse_arena_free(arena);
    }
    CHECK(proved > test_rounds(300));
    CHECK(refused > test_rounds(300));
}

/* What says that keys may be both written and appended to is replayed read by read. */
TEST(test_serial__to_run_transactions_is_to_replay_them)
{
    uint32_t proved = 0, refused = 0;
    for (uint64_t seed = 1; seed <= test_rounds(2000); seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_rng rng = { seed };
        struct esse_history *history = long_history(arena, seed, seed % 2), whole = *history;
        struct esse_order order = some_order(arena, history, &rng);
        const struct esse_level *level = esse_level_get(ESSE_LEVEL_SERIALIZABLE);
        struct esse_error err;
        whole.has |= ESSE_HAS_APPENDS | ESSE_HAS_WRITES;
        bool good = esse_replay(&whole, level, &order, NULL, &err);
        if (esse_replay(history, level, &order, NULL, &err) != good)
            fail_msg("seed %llu: read by read it is %d", (unsigned long long)seed, good);
        proved += good;
        refused += !good;
        esse_arena_free(arena);
    }
    CHECK(proved > test_rounds(200));
    CHECK(refused > test_rounds(200));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_serial__windows_tell_what_the_whole_tells),
        cmocka_unit_test(test_serial__a_stale_reader_is_pulled_up_with_what_it_needs),
        cmocka_unit_test(test_serial__files_by_session_are_sorted_by_ends),
        cmocka_unit_test(test_serial__a_read_from_the_future_waits_for_its_writer),
        cmocka_unit_test(test_serial__real_time_makes_a_window_odd),
        cmocka_unit_test(test_serial__what_has_no_order_is_odd_and_nothing_else),
        cmocka_unit_test(test_serial__lists_are_read_as_prefixes),
        cmocka_unit_test(test_serial__what_must_be_written_once_is),
        cmocka_unit_test(test_serial__an_update_of_what_was_seen_is_looked_at_too),
        cmocka_unit_test(test_serial__nothing_is_picked_where_unknown_outcomes_count),
        cmocka_unit_test(test_serial__a_walk_proves_what_the_whole_check_proves),
        cmocka_unit_test(test_serial__to_run_transactions_is_to_replay_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
