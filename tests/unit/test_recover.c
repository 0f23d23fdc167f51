#include "collect/recover.h"
#include "collect/recover_binlog.h"
#include "collect/recover_pgoutput.h"
#include "collect/recover_snapshot.h"

#include "recorded.h"

/* ---- a sink that writes a certificate down ---- */

struct written {
    struct esse_sink sink;
    struct esse_out out;
};

static bool write_versions(struct esse_sink *sink, esse_value key,
                           const struct esse_version_ref *versions, size_t count,
                           struct esse_error *err)
{
    struct written *w = (struct written *)sink;
    (void)err;
    esse_value_put_json_name(&w->out, sink->values, key);
    esse_out_text(&w->out, ":");
    for (size_t i = 0; i < count; i++) {
        esse_out_text(&w->out, i ? "," : "");
        esse_value_put_json(&w->out, sink->values,
                            versions[i].txn.word ? versions[i].txn : versions[i].value);
    }
    esse_out_text(&w->out, "\n");
    return true;
}

static bool write_order(struct esse_sink *sink, const esse_value *names, size_t count,
                        struct esse_error *err)
{
    struct written *w = (struct written *)sink;
    (void)err;
    esse_out_text(&w->out, "order:");
    for (size_t i = 0; i < count; i++) {
        esse_out_text(&w->out, i ? "," : "");
        esse_value_put_json(&w->out, sink->values, names[i]);
    }
    esse_out_text(&w->out, "\n");
    return true;
}

static bool write_certificate(struct esse_sink *sink,
                              const struct esse_certificate_record *certificate,
                              struct esse_error *err)
{
    struct written *w = (struct written *)sink;
    (void)err;
    esse_out_f(&w->out, "%s%s\n", esse_certificate_names[certificate->kind],
               certificate->complete ? " complete" : "");
    return true;
}

static const struct esse_certificate_record kind = { ESSE_CERTIFICATE_COMMIT_ORDER, true };

static struct written *written_new(struct esse_arena *arena, struct esse_values *values)
{
    struct written *w = esse_arena_alloc(arena, 1, sizeof *w);
    w->sink = (struct esse_sink){ .values = values,
                                  .version_order = write_versions,
                                  .order = write_order,
                                  .certificate = write_certificate };
    esse_out_init_memory(&w->out, arena);
    return w;
}

/* ---- recorded streams ---- */

static const struct esse_table_rule rules[] = {
    { "esse_r", "k", "v", "", false },
    { "esse_l", "k", "v", "l/", true },
    { "wide", "id", NULL, "wide/", false },
};

/* A transaction of the history: it wrote 'value' to 'key' (append if the key is a list's). */
static void see(struct esse_recovery *recovery, struct esse_values *values, const char *name,
                int64_t xid, const char *key, int64_t value, enum esse_status status)
{
    const struct esse_op_record op = {
        .kind = key[0] == 'l' ? ESSE_OP_APPEND : ESSE_OP_WRITE,
        .key = esse_value_string(values, key, strlen(key)),
        .value = esse_value_small(value),
    };
    struct esse_txn_record txn = esse_txn_record_empty();
    txn.name = esse_value_string(values, name, strlen(name));
    txn.xid = xid;
    txn.status = status;
    txn.ops = &op;
    txn.op_count = 1;
    esse_recovery_see(recovery, &txn);
}

static void replay_pgoutput(struct esse_arena *arena, struct esse_change_sink *sink)
{
    size_t length;
    unsigned char bytes[65536];
    struct esse_span line;
    struct esse_error err;
    struct esse_pgoutput *decoder = esse_pgoutput_new(arena, sink);
    const char *text = recorded_file(arena, "pgoutput.hex", &length), *end = text + length;
    while (recorded_line(&text, end, &line))
        CHECK(
            esse_pgoutput_message(decoder, bytes, recorded_hex(line.at, line.length, bytes), &err));
}

TEST(test_recover__names_by_xid)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_values *values = esse_values_new(arena);
    struct esse_recovery *recovery = esse_recovery_new(arena, values);
    struct written *w = written_new(arena, values);
    struct esse_recovery_counts counts;
    struct esse_error err;
    replay_pgoutput(arena, esse_recovery_rows(arena, values, recovery, rules, 3));
    see(recovery, values, "a", 726, "0", 12, ESSE_COMMITTED);
    see(recovery, values, "b", 727, "1", -15, ESSE_COMMITTED);
    see(recovery, values, "never", 728, "0", 99, ESSE_ABORTED);
    see(recovery, values, "gone", 729, "1", 0, ESSE_UNKNOWN_OUTCOME);
    see(recovery, values, "c", 730, "1", 16, ESSE_COMMITTED);
    see(recovery, values, "l1", 731, "l/5", 21, ESSE_COMMITTED);
    see(recovery, values, "l2", 732, "l/5", 23, ESSE_COMMITTED);
    see(recovery, values, "w1", 733, "wide/1", 0, ESSE_COMMITTED);
    see(recovery, values, "last", 736, "0", 17, ESSE_COMMITTED);
    CHECK(esse_recovery_emit(recovery, kind, &w->sink, &counts, &err));
    CHECK_TEXT(esse_out_memory(&w->out), "\"1\":\"a\",\"b\",\"gone\",\"c\"\n"
                                         "\"0\":\"a\",\"last\"\n"
                                         "\"l/5\":21,22,23\n"
                                         "\"wide/1\":\"w1\"\n"
                                         "\"wide/2\":\"w1\",\"last\"\n"
                                         "order:\"a\",\"b\",\"gone\",\"c\",\"l1\",\"l2\",\"w1\","
                                         "\"last\"\ncommit-order\n");
    CHECK_EQ(counts.transactions, 8);
    CHECK_EQ(counts.versions, 12);
    CHECK_EQ(counts.superseded, 2);
    CHECK_EQ(counts.foreign, 2); /* 734 and 735 of wide/1 */
    esse_arena_free(arena);
}

TEST(test_recover__names_by_what_was_written)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_values *values = esse_values_new(arena);
    struct esse_recovery *recovery = esse_recovery_new(arena, values);
    struct written *w = written_new(arena, values);
    struct esse_recovery_counts counts;
    struct esse_error err;
    size_t length;
    char *text = recorded_file(arena, "binlog-full.hex", &length);
    unsigned char *bytes = esse_arena_alloc(arena, length, 1);
    struct esse_change_sink *sink = esse_recovery_rows(arena, values, recovery, rules, 2);
    see(recovery, values, "last", ESSE_NO_TIME, "0", 17, ESSE_COMMITTED);
    see(recovery, values, "a", ESSE_NO_TIME, "0", 12, ESSE_COMMITTED);
    see(recovery, values, "a", ESSE_NO_TIME, "1", 11, ESSE_COMMITTED);
    see(recovery, values, "c", ESSE_NO_TIME, "1", 16, ESSE_COMMITTED);
    see(recovery, values, "twice", ESSE_NO_TIME, "1", -15, ESSE_COMMITTED);
    see(recovery, values, "thrice", ESSE_NO_TIME, "1", -15, ESSE_COMMITTED);
    CHECK(esse_binlog_file(esse_binlog_new(arena, sink), bytes, recorded_hex(text, length, bytes),
                           &err));
    CHECK(esse_recovery_emit(recovery, kind, &w->sink, &counts, &err));
    CHECK_TEXT(esse_out_memory(&w->out), "\"1\":\"a\",\"c\"\n\"0\":\"a\",\"last\"\n"
                                         "order:\"a\",\"c\",\"last\"\ncommit-order\n");
    CHECK_EQ(counts.foreign, 2 + 3); /* -15 is two's, the delete nobody's; three items */
    esse_arena_free(arena);
}

TEST(test_recover__a_truncate_is_an_error)
{
    static const struct esse_table_rule other[] = { { "other", "k", "v", "", false } };
    struct esse_arena *arena = esse_arena_new();
    struct esse_values *values = esse_values_new(arena);
    struct esse_recovery *recovery = esse_recovery_new(arena, values);
    struct esse_change_sink *sink = esse_recovery_rows(arena, values, recovery, other, 1);
    struct esse_error err;
    const struct esse_change_txn txn = { esse_value_small(1), { 1, 0 } };
    const struct esse_change change = { .kind = ESSE_CHANGE_TRUNCATE, .table = { "other", 5 } };
    const struct esse_change keyless = { .kind = ESSE_CHANGE_PUT, .table = { "other", 5 } };
    CHECK(sink->begin(sink, &txn, &err));
    CHECK(!sink->change(sink, &change, &err));
    assert_non_null(strstr(err.text, "truncates table 'other'"));
    CHECK(!sink->change(sink, &keyless, &err));
    assert_non_null(strstr(err.text, "no column 'k'"));
    esse_arena_free(arena);
}

TEST(test_recover__a_list_that_lost_items)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_values *values = esse_values_new(arena);
    struct esse_recovery *recovery = esse_recovery_new(arena, values);
    struct written *w = written_new(arena, values);
    struct esse_recovery_counts counts;
    struct esse_error err;
    const esse_value key = esse_value_string(values, "l", 1);
    const esse_value lists[][3] = { { esse_value_small(1), esse_value_small(2) },
                                    { esse_value_small(1), esse_value_small(3) },
                                    { { 0 } },
                                    { esse_value_small(4) } };
    const size_t counted[] = { 2, 2, 0, 1 };
    for (size_t i = 0; i < 4; i++) {
        const struct esse_change_txn txn = { esse_value_small((int64_t)i), { i, 0 } };
        esse_recovery_begin(recovery, &txn);
        esse_recovery_install_list(recovery, key, lists[i], counted[i]);
    }
    for (int64_t value = 1; value <= 4; value++)
        see(recovery, values, "t", ESSE_NO_TIME, "l", value, ESSE_COMMITTED);
    CHECK(esse_recovery_emit(recovery, kind, &w->sink, &counts, &err));
    CHECK_TEXT(esse_out_memory(&w->out), "\"l\":1,2,3,4\norder:\"t\"\ncommit-order complete\n");
    esse_arena_free(arena);
}

/* ---- random streams against a sequence of commits ---- */

enum { TXNS = 20, KEYS = 4, WRITES = 3 };

struct commit {
    unsigned stamp; /* ascending, with gaps */
    unsigned count, key[WRITES];
    bool sent[WRITES];
};

/* What 'seen' must say: the last write of the last commit up to 'stamp' that wrote the key. */
static int64_t last_value(const struct commit *commits, unsigned key, unsigned stamp)
{
    int64_t value = -1;
    for (unsigned t = 0; t < TXNS && commits[t].stamp <= stamp; t++)
        for (unsigned i = 0; i < commits[t].count; i++)
            if (commits[t].key[i] == key)
                value = (int64_t)t * WRITES + i;
    return value;
}

static void draw_commits(struct commit *commits, struct esse_rng *rng)
{
    unsigned stamp = 0;
    for (unsigned t = 0; t < TXNS; t++) {
        stamp += 1 + esse_rng_below(rng, 3);
        commits[t] = (struct commit){ .stamp = stamp, .count = 1 + esse_rng_below(rng, WRITES) };
        for (unsigned i = 0; i < commits[t].count; i++)
            commits[t].key[i] = esse_rng_below(rng, KEYS);
    }
}

/* Transactions in any order and some twice, the writes of one in their order: a feed. */
static void send_feed(struct esse_recovery *recovery, const struct commit *commits,
                      struct esse_rng *rng, bool shuffled)
{
    unsigned order[2 * TXNS];
    for (unsigned i = 0; i < TXNS; i++)
        order[i] = i;
    for (unsigned i = TXNS; shuffled && i-- > 1;) {
        const unsigned j = esse_rng_below(rng, i + 1), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
    for (unsigned i = 0; i < TXNS; i++) {
        const unsigned t = order[i];
        const struct esse_change_txn txn = { esse_value_small(t), { 7, commits[t].stamp } };
        for (unsigned again = 0; again < 1 + esse_rng_below(rng, 2); again++) {
            esse_recovery_begin(recovery, &txn);
            for (unsigned w = 0; w < commits[t].count; w++)
                esse_recovery_install(recovery, esse_value_small(commits[t].key[w]),
                                      esse_value_small((int64_t)t * WRITES + w));
        }
    }
}

static void check_seen(struct esse_recovery *recovery, const struct commit *commits)
{
    for (unsigned stamp = 0; stamp <= commits[TXNS - 1].stamp + 1; stamp++) {
        const struct esse_stamp at = { 7, stamp };
        const struct esse_view view = esse_stamp_view(&at);
        for (unsigned key = 0; key < KEYS + 1; key++) {
            esse_value value = ESSE_NONE, id = ESSE_NONE;
            const int64_t want = last_value(commits, key, stamp);
            CHECK(esse_recovery_seen(recovery, esse_value_small(key), &view, &value, &id) ==
                  (want >= 0));
            if (want >= 0) {
                CHECK(esse_value_eq(value, esse_value_small(want)));
                CHECK(esse_value_eq(id, esse_value_small(want / WRITES)));
            }
        }
    }
}

static void expect_certificate(struct esse_out *out, const struct commit *commits, unsigned key)
{
    bool some = false;
    for (unsigned t = 0; t < TXNS; t++)
        for (unsigned i = 0; i < commits[t].count; i++)
            if (commits[t].key[i] == key) {
                esse_out_f(out, some ? ",%u" : "\"%u\":%u", some ? t : key, t);
                some = true;
                break;
            }
    if (some)
        esse_out_text(out, "\n");
}

TEST(test_recover__agrees_with_the_commits)
{
    for (unsigned seed = 1; seed <= test_rounds(200); seed++) {
        struct esse_rng rng = { seed };
        struct esse_arena *arena = esse_arena_new();
        struct esse_values *values = esse_values_new(arena);
        struct esse_recovery *recovery = esse_recovery_new(arena, values);
        struct commit commits[TXNS];
        struct esse_recovery_counts counts;
        struct esse_error err;
        draw_commits(commits, &rng);
        send_feed(recovery, commits, &rng, seed % 2);
        for (unsigned t = 0; t < TXNS; t++) {
            struct esse_txn_record txn = esse_txn_record_empty();
            txn.name = esse_value_small(t);
            txn.xid = t;
            esse_recovery_see(recovery, &txn);
        }
        check_seen(recovery, commits);
        struct written *w = written_new(arena, values);
        CHECK(esse_recovery_emit(recovery, kind, &w->sink, &counts, &err));
        CHECK_EQ(counts.transactions, TXNS);
        CHECK_EQ(counts.foreign, 0);
        for (unsigned key = 0; key < KEYS; key++) {
            struct esse_out out;
            esse_out_init_memory(&out, arena);
            expect_certificate(&out, commits, key);
            assert_non_null(strstr(esse_out_memory(&w->out), esse_out_memory(&out)));
        }
        assert_non_null(strstr(esse_out_memory(&w->out),
                               "order:0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19\n"));
        esse_arena_free(arena);
    }
}

/* ---- snapshots and timestamps ---- */

static struct esse_span span(const char *text)
{
    return (struct esse_span){ text, strlen(text) };
}

/* Streams know 32 bits of an xid; snapshots all. */
TEST(test_snapshot__completes_short_xids)
{
    struct esse_arena *arena = esse_arena_new();
    static const char text[] = "8589934590:8589934594:8589934591";
    struct esse_values *values = esse_values_new(arena);
    struct esse_pg_snapshot snapshot;
    CHECK(esse_pg_snapshot_parse(&snapshot, values, esse_value_string(values, text, strlen(text))));
    const struct esse_view view = esse_pg_snapshot_view(&snapshot);
    static const struct {
        int64_t xid;
        bool seen;
    } cases[] = { { 4294967293, true },  { 4294967294, true }, { 4294967295, false },
                  { 0, true },           { 1, true },          { 2, false },
                  { 8589934591, false }, { 8589934593, true } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct esse_change_txn txn = { esse_value_small(cases[i].xid), { 0 } };
        CHECK_EQ(view.sees(view.context, &txn), cases[i].seen);
    }
    esse_arena_free(arena);
}

TEST(test_stamps__hybrid_clocks)
{
    struct esse_stamp stamp;
    struct esse_error err;
    CHECK(esse_hlc_parse(span("1700000000000000000.0000000012"), &stamp, &err));
    CHECK(stamp.high == 1700000000000000000 && stamp.low == 12);
    CHECK(esse_hlc_parse(span("17"), &stamp, &err) && stamp.high == 17 && stamp.low == 0);
    CHECK(esse_hlc_parse(span("17.5?"), &stamp, &err) && stamp.low == 5);
    static const char *const bad[] = { "", ".1", "17.", "17.1.1", "17 ", "-1", "1e9", "17??" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK(!esse_hlc_parse(span(bad[i]), &stamp, &err));
    struct esse_arena *arena = esse_arena_new();
    const struct esse_stamp stamps[] = { { 5, 1 }, { 4, 9 }, { 5, 1 }, { 5, 0 }, { 6, 0 } };
    int64_t ranks[5];
    esse_stamp_ranks(arena, stamps, 5, ranks);
    CHECK(ranks[0] == 3 && ranks[1] == 1 && ranks[2] == 3 && ranks[3] == 2 && ranks[4] == 4);
    esse_arena_free(arena);
}

TEST(test_values__digits_and_lists)
{
    static const char *const texts[] = { "",
                                         "-",
                                         "00",
                                         "-0",
                                         "01",
                                         "9223372036854775808",
                                         "-9223372036854775809",
                                         "99999999999999999999",
                                         "1x" };
    struct esse_arena *arena = esse_arena_new();
    struct esse_values *values = esse_values_new(arena);
    int64_t number;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        CHECK(!esse_value_as_int(values, esse_value_of_digits(values, texts[i], strlen(texts[i])),
                                 &number));
    static const int64_t numbers[] = { 0, 7, -7, INT64_MAX, INT64_MIN };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char text[32];
        snprintf(text, sizeof text, "%lld", (long long)numbers[i]);
        CHECK(esse_value_as_int(values, esse_value_of_digits(values, text, strlen(text)), &number));
        CHECK(number == numbers[i]);
    }
    esse_value items[4];
    CHECK_EQ(esse_list_items(values, span(""), items, 4), 0);
    CHECK_EQ(esse_list_items(values, span("1,-2,33"), items, 2), 3);
    CHECK(esse_value_eq(items[1], esse_value_small(-2)));
    CHECK_EQ(esse_list_items(values, span("1,"), items, 4), 2);
    esse_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recover__names_by_xid),
        cmocka_unit_test(test_recover__names_by_what_was_written),
        cmocka_unit_test(test_recover__a_truncate_is_an_error),
        cmocka_unit_test(test_recover__a_list_that_lost_items),
        cmocka_unit_test(test_recover__agrees_with_the_commits),
        cmocka_unit_test(test_snapshot__completes_short_xids),
        cmocka_unit_test(test_stamps__hybrid_clocks),
        cmocka_unit_test(test_values__digits_and_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
