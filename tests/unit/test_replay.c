#include "engine/engine.h"
#include "engine/replay/replay_stream.h"
#include "evidence/recheck.h"
#include "generate/gen.h"
#include "history/given_order.h"
#include "load_text.h"
#include "order_oracle.h"
#include "random_history.h"
#include "replay_oracle.h"

static const struct esse_level *level_of(bool snapshots)
{
    return esse_level_get(snapshots ? ESSE_LEVEL_SNAPSHOT_ISOLATION : ESSE_LEVEL_SERIALIZABLE);
}

static enum esse_order_by by_of(bool snapshots)
{
    return snapshots ? ESSE_ORDER_BY_TIMESTAMPS : ESSE_ORDER_BY_COMMIT_TS;
}

/* ---- orders of tiny histories, right and wrong ---- */

/* The key and the operation in its transaction, as the oracle counts them. */
static bool is_same(const struct esse_history *history, const struct esse_mismatch *mismatch,
                    const struct o_miss *miss)
{
    char name[16], expected[16];
    esse_txn_name(history, mismatch->txn, name, sizeof name);
    snprintf(expected, sizeof expected, "t%d", miss->txn);
    return mismatch->kind == miss->kind && strcmp(name, expected) == 0 &&
           mismatch->op.ix - history->txn_op[mismatch->txn.ix] == (uint32_t)miss->op &&
           esse_value_eq(history->key_name[mismatch->key.ix],
                         esse_value_short(ESSE_TAG_STRING, &"xyz"[miss->key], 1));
}

static void check_frozen(struct esse_arena *arena, const struct o_history *o, bool snapshots,
                         bool holds, const struct o_miss *miss)
{
    const char *text = o_write(arena, o, false);
    const struct esse_history *history = load_text(arena, "native", text);
    struct esse_order order;
    struct esse_mismatch mismatch;
    struct esse_error err = { 0 };
    const struct esse_reason problem = esse_given_order(arena, history, by_of(snapshots), &order);
    if (problem.id)
        fail_msg("reason %d", problem.id);
    const bool ok =
        esse_replay_find(NULL, history, level_of(snapshots), &order, NULL, NULL, &mismatch, &err);
    if (ok != holds || (!ok && !is_same(history, &mismatch, miss)))
        fail_msg("%s%s: replay says %d, kind %d of op %u (%s); the oracle %d, kind %d of t%d op %d",
                 text, snapshots ? "snapshots" : "serial", ok, (int)mismatch.kind, mismatch.op.ix,
                 err.text, holds, (int)miss->kind, miss->txn, miss->op);
}

static struct esse_replay_outcome stream_text(struct esse_arena *arena, const char *text,
                                              const struct esse_level *level, enum esse_order_by by,
                                              struct esse_replay_stream **stream,
                                              struct esse_error *err)
{
    struct esse_source source;
    *stream = esse_replay_stream_new(arena, level, by);
    struct esse_reading reading = { &source, NULL, esse_replay_stream_sink(*stream),
                                    ESSE_WORKLOAD_ANY, ESSE_WORKLOAD_ANY };
    *err = (struct esse_error){ 0 };
    esse_source_memory(&source, arena, json(arena, text), strlen(text));
    esse_format_find("native")->read(&reading, err);
    esse_source_close(&source);
    return esse_replay_stream_outcome(*stream);
}

static void check_stream(struct esse_arena *arena, const struct o_history *o, bool snapshots,
                         bool holds, const struct o_miss *miss)
{
    struct esse_replay_stream *stream;
    struct esse_error err;
    const char *text = o_write(arena, o, true);
    const struct esse_replay_outcome outcome =
        stream_text(arena, text, level_of(snapshots), by_of(snapshots), &stream, &err);
    if ((outcome.outcome == ESSE_HOLDS) != holds || outcome.outcome == ESSE_UNKNOWN ||
        (!holds && !is_same(outcome.history, &outcome.mismatch, miss)))
        fail_msg("%s%s: a stream says %d, kind %d (%s); the oracle %d, kind %d of t%d op %d", text,
                 snapshots ? "snapshots" : "serial", (int)outcome.outcome,
                 (int)outcome.mismatch.kind, err.text, holds, (int)miss->kind, miss->txn, miss->op);
    esse_replay_stream_release(stream);
}

static void check_tiny(bool snapshots)
{
    unsigned held = 0;
    const unsigned rounds = test_rounds(3000);
    for (unsigned seed = 1; seed <= rounds; seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_rng rng = { seed };
        const struct o_history o = o_random(&rng, snapshots);
        struct o_miss miss = { 0 };
        const bool holds = snapshots ? o_is_snapshots(&o, &miss) : o_is_serial(&o, &miss);
        check_frozen(arena, &o, snapshots, holds, &miss);
        check_stream(arena, &o, snapshots, holds, &miss);
        held += holds;
        esse_arena_free(arena);
    }
    CHECK(held > rounds / 10);
    CHECK(held < rounds * 9 / 10);
}

TEST(test_replay__serial_orders_agree_with_running_each_transaction_alone)
{
    check_tiny(false);
}

TEST(test_replay__timestamps_agree_with_snapshots_by_brute_force)
{
    check_tiny(true);
}

/* ---- lists and registers, with any order at all ---- */

TEST(test_replay__any_order_of_lists_and_registers_agrees_with_the_oracle)
{
    const struct esse_level *serializable = esse_level_get(ESSE_LEVEL_SERIALIZABLE);
    unsigned held = 0;
    const unsigned rounds = test_rounds(3000);
    for (unsigned seed = 1; seed <= rounds; seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_rng rng = { seed };
        struct esse_history *history = random_history(arena, seed, seed % 2);
        struct b_history b;
        struct esse_error err;
        history->version_order_count = 0;
        if (b_open(&b, history)) {
            int at[B_TXNS];
            uint32_t events[B_TXNS];
            for (int i = 0; i < b.count; i++)
                at[i] = i;
            for (int i = b.count; i > 1 && seed % 3; i--) { /* a random order, or the recorded */
                const int j = (int)esse_rng_below(&rng, (uint32_t)i), kept = at[j];
                at[j] = at[i - 1];
                at[i - 1] = kept;
            }
            bool expected = true;
            for (int i = 0; i < b.count; i++) {
                events[i] = b.txns[at[i]];
                expected &= b_reads(&b, at, i, events[i]);
            }
            const struct esse_order order = { .events = events, .count = (uint32_t)b.count };
            if (esse_replay(history, serializable, &order, NULL, &err) != expected)
                fail_msg("seed %u: expected %d", seed, expected);
            held += expected;
        }
        esse_arena_free(arena);
    }
    CHECK(held > rounds / 10);
}

/* ---- generated histories ---- */

static struct esse_history *generate(struct esse_arena *arena, struct esse_gen_options options)
{
    struct esse_builder *builder = esse_builder_new(arena);
    struct esse_history *history = NULL;
    struct esse_error err;
    if (!esse_gen_run(&options, esse_builder_sink(builder), NULL, &err) ||
        !esse_builder_freeze(builder, &history, &err))
        fail_msg("%s", err.text);
    return history;
}

static const struct esse_verdict *check_by(struct esse_arena *arena,
                                           const struct esse_history *history, const char *engine,
                                           const char *level, const char *order_by)
{
    const struct esse_check_options options = {
        .levels = &level, .level_count = 1, .engine = engine, .order_by = order_by
    };
    const struct esse_result *result;
    struct esse_error err = { 0 };
    if (!esse_check(arena, history, &options, &result, &err))
        fail_msg("%s", err.text);
    return &result->verdicts[0];
}

static struct esse_gen_options small_options(enum esse_gen_workload workload, unsigned seed)
{
    struct esse_gen_options options = esse_gen_defaults(esse_gen_workload_names[workload]);
    options.txns = 40;
    options.work.keys = 8;
    options.work.ops = 4;
    options.work.sessions = 4;
    options.work.seed = seed;
    options.level = ESSE_STORE_STRICT_SERIALIZABLE;
    options.has_server_times = true;
    options.has_certificate = true;
    options.work.abort_share = 0.1;
    return options;
}

TEST(test_replay__engines_agree_on_clean_histories)
{
    const unsigned rounds = test_rounds(30);
    for (unsigned seed = 1; seed <= rounds; seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_gen_options options =
            small_options((enum esse_gen_workload)(seed % ESSE_GEN_WORKLOADS), seed);
        const struct esse_history *certified = generate(arena, options);
        options.has_certificate = options.has_server_times = false;
        const struct esse_history *bare = generate(arena, options);
        CHECK_EQ(check_by(arena, certified, "replay", "serializable", NULL)->outcome, ESSE_HOLDS);
        CHECK_EQ(check_by(arena, certified, "replay", "strict-serializable", NULL)->outcome,
                 ESSE_HOLDS);
        CHECK_EQ(check_by(arena, certified, NULL, "serializable", "commit_ts")->outcome,
                 ESSE_HOLDS);
        CHECK_EQ(check_by(arena, certified, "dsg", "serializable", NULL)->outcome, ESSE_HOLDS);
        CHECK_EQ(check_by(arena, bare, "polygraph", "serializable", NULL)->outcome, ESSE_HOLDS);
        options.level = ESSE_STORE_SNAPSHOT_ISOLATION;
        options.has_server_times = true;
        const struct esse_history *snapshots = generate(arena, options);
        CHECK_EQ(check_by(arena, snapshots, "replay", "snapshot-isolation", NULL)->outcome,
                 ESSE_HOLDS);
        esse_arena_free(arena);
    }
}

/* ---- evidence ---- */

static const char two[] = "{'session':0,'txn':'a','commit_ts':1,'ops':[{'w':'x','v':1}]}\n"
                          "{'session':1,'txn':'b','commit_ts':2,'ops':[{'w':'y','v':1},{'r':'x',"
                          "'v':null},{'r':'y','v':1}]}\n";

TEST(test_replay__evidence_that_was_changed_is_refused)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_history *history = load_text(arena, "native", two);
    const struct esse_verdict *verdict =
        check_by(arena, history, "replay", "serializable", "commit_ts");
    struct esse_error err;
    CHECK_EQ(verdict->outcome, ESSE_VIOLATED);
    CHECK_EQ(verdict->anomalies[0].type, ESSE_ANOMALY_ORDER_MISMATCH);
    for (int change = 0; change <= 6; change++) {
        struct esse_anomaly anomaly = verdict->anomalies[0];
        struct esse_step steps[2] = { anomaly.steps[0], anomaly.steps[1] };
        anomaly.steps = steps;
        steps[0].op.ix += change == 1;
        steps[0].txn.ix -= change == 2;
        anomaly.key.ix += change == 3;
        anomaly.order_by = change == 4   ? ESSE_ORDER_BY_START_TS
                           : change == 5 ? ESSE_ORDER_BY_NONE
                                         : anomaly.order_by;
        anomaly.type = change == 6 ? ESSE_ANOMALY_SNAPSHOT_MISMATCH : anomaly.type;
        if (esse_recheck_anomaly(history, &anomaly, NULL, &err) != (change == 0))
            fail_msg("change %d", change);
    }
    esse_arena_free(arena);
}

TEST(test_replay__what_has_no_place_and_may_explain_it_leaves_it_open)
{
    struct esse_arena *arena = esse_arena_new();
    const char *text = esse_arena_format(
        arena, "%s{'session':2,'txn':'c','status':'unknown','ops':[{'d':'x'}]}\n", two);
    const struct esse_verdict *verdict =
        check_by(arena, load_text(arena, "native", text), "replay", "serializable", "commit_ts");
    CHECK_EQ(verdict->outcome, ESSE_UNKNOWN);
    CHECK_TEXT(esse_reason_text(arena, verdict),
               "c, whose outcome is not known, has no place in the order");
    esse_arena_free(arena);
}

TEST(test_replay__an_order_that_leaves_out_a_transaction_is_none)
{
    struct esse_arena *arena = esse_arena_new();
    const char *text = esse_arena_format(arena, "%s{'order':['b']}\n", two);
    const struct esse_verdict *verdict =
        check_by(arena, load_text(arena, "native", text), "replay", "serializable", NULL);
    CHECK_EQ(verdict->outcome, ESSE_UNKNOWN);
    CHECK_TEXT(esse_reason_text(arena, verdict), "a is committed and not in the order");
    esse_arena_free(arena);
}

/* ---- memory ---- */

/* Fresh keys that are deleted again, rows that are objects, long names. */
static void send_txn(struct esse_sink *sink, uint32_t number)
{
    char text[64];
    const int length = snprintf(text, sizeof text, "the transaction number %u", number);
    const esse_value name = esse_value_string(sink->values, text, (size_t)length);
    esse_value parts[2] = { esse_value_string(sink->values, "column", 6),
                            esse_value_small((int64_t)number) };
    const esse_value row = esse_value_compound(sink->values, ESSE_KIND_MAP, parts, 2);
    struct esse_error err;
    const struct esse_op_record ops[] = {
        { .kind = ESSE_OP_WRITE, .key = name, .value = row, .begin = ESSE_NO_TIME },
        { .kind = ESSE_OP_WRITE,
          .key = esse_value_small(number % 100),
          .value = row,
          .begin = ESSE_NO_TIME },
        { .kind = ESSE_OP_READ, .key = name, .value = row, .begin = ESSE_NO_TIME },
        { .kind = ESSE_OP_DELETE, .key = name, .begin = ESSE_NO_TIME },
    };
    struct esse_txn_record txn = esse_txn_record_empty();
    txn.session = esse_value_small(number % 7);
    txn.name = name;
    txn.start_ts = txn.commit_ts = (int64_t)number;
    txn.ops = ops;
    txn.op_count = sizeof ops / sizeof *ops;
    if (!sink->txn(sink, &txn, &err))
        fail_msg("%s", err.text);
}

static void check_memory(bool snapshots)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_replay_stream *stream =
        esse_replay_stream_new(arena, level_of(snapshots), by_of(snapshots));
    struct esse_sink *sink = esse_replay_stream_sink(stream);
    uint64_t most[2] = { 0, 0 };
    struct esse_error err;
    for (uint32_t number = 0; number < 1200000; number++) {
        esse_replay_stream_tidy(stream);
        send_txn(sink, number);
        const uint64_t used = esse_arena_in_use();
        uint64_t *half = &most[number >= 600000];
        *half = used > *half ? used : *half;
    }
    CHECK(sink->finish(sink, &err));
    CHECK_EQ(esse_replay_stream_outcome(stream).outcome, ESSE_HOLDS);
    CHECK(most[1] <= most[0] + most[0] / 10);
    esse_replay_stream_release(stream);
    esse_arena_free(arena);
}

TEST(test_replay__a_stream_keeps_no_more_the_longer_it_is)
{
    check_memory(false);
    check_memory(true);
}

/* ---- what was proved once ---- */

TEST(test_proved__only_the_order_that_was_replayed_is_known_again)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_level *serializable = esse_level_get(ESSE_LEVEL_SERIALIZABLE);
    const struct esse_level *snapshots = esse_level_get(ESSE_LEVEL_SNAPSHOT_ISOLATION);
    struct esse_history *history = load_text(arena, "native",
                                             "{\"session\":1,\"ops\":[{\"w\":\"x\",\"v\":1}]}\n"
                                             "{\"session\":2,\"ops\":[{\"r\":\"x\",\"v\":1}]}\n");
    const struct esse_history same = *history;
    struct esse_proved *proved = esse_proved_new(arena, history);
    uint32_t events[] = { 1, 0 };
    const struct esse_order order = { .events = events, .count = 2 };
    struct esse_error err;
    CHECK(!esse_replay(history, serializable, &order, proved, &err));
    CHECK(!esse_proved_has(proved, history, serializable, &order)); /* what fails is not noted */
    events[0] = 0;
    events[1] = 1;
    CHECK(esse_replay(&same, serializable, &order, proved, &err));
    CHECK(!esse_proved_has(proved, &same, serializable, &order)); /* it is of another history */
    CHECK(esse_replay(history, serializable, &order, proved, &err));
    CHECK(esse_proved_has(proved, history, serializable, &order));
    CHECK(!esse_proved_has(NULL, history, serializable, &order));
    CHECK(!esse_proved_has(proved, &same, serializable, &order));
    CHECK(!esse_proved_has(proved, history, snapshots, &order));
    struct esse_order other = order;
    other.count = 1;
    CHECK(!esse_proved_has(proved, history, serializable, &other));
    other = order;
    other.has_starts = true;
    CHECK(!esse_proved_has(proved, history, serializable, &other));
    events[0] = 1; /* in place, as an engine's mistake would be */
    events[1] = 0;
    CHECK(!esse_proved_has(proved, history, serializable, &order));
    CHECK(!esse_recheck_order(history, serializable, &order, proved, &err));
    esse_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replay__serial_orders_agree_with_running_each_transaction_alone),
        cmocka_unit_test(test_replay__timestamps_agree_with_snapshots_by_brute_force),
        cmocka_unit_test(test_replay__any_order_of_lists_and_registers_agrees_with_the_oracle),
        cmocka_unit_test(test_replay__engines_agree_on_clean_histories),
        cmocka_unit_test(test_replay__evidence_that_was_changed_is_refused),
        cmocka_unit_test(test_replay__what_has_no_place_and_may_explain_it_leaves_it_open),
        cmocka_unit_test(test_replay__an_order_that_leaves_out_a_transaction_is_none),
        cmocka_unit_test(test_replay__a_stream_keeps_no_more_the_longer_it_is),
        cmocka_unit_test(test_proved__only_the_order_that_was_replayed_is_known_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
