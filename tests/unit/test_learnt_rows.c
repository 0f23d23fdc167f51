#include "binlog_file.h"
#include "collect/recover/learnt.h"
#include "collect/recover/learnt_rows.h"
#include "collect/recover/pgoutput.h"
#include "collect/recover/test_decoding.h"
#include "formats/native.h"

#include "recorded.h"

/* From a log to a certificate: what a decoder sends becomes versions and commits. */

static const struct esse_table tables[] = { { .name = "r" }, { .name = "l", .is_list = true } };
static const struct esse_schema schema = { .tables = tables, .count = 2, .sessions = 1 };

static const char *emit(struct esse_arena *arena, struct esse_learnt *learnt)
{
    struct esse_out *out = esse_arena_alloc(arena, 1, sizeof *out);
    struct esse_error err = { 0 };
    esse_out_init_memory(out, arena);
    struct esse_sink *sink = esse_native_writer(arena, esse_values_new(arena), out, false);
    CHECK(esse_learnt_emit(learnt, "commit-order", sink, &err));
    return esse_out_memory(out);
}

/* ---- recorded streams ---- */

/* Server's ids from 'first' on are transactions 0/0, 0/1 ... of the history. */
static void name_from(struct esse_learnt *learnt, int64_t first, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        const struct esse_named named = { first + (int64_t)i, 0, i, i == 3 };
        esse_learnt_names(learnt, &named, 1);
    }
}

static void feed_pgoutput(struct esse_arena *arena, struct esse_change_sink *sink)
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

static void feed_test_decoding(struct esse_arena *arena, struct esse_change_sink *sink)
{
    size_t length;
    struct esse_span line;
    struct esse_error err;
    struct esse_test_decoding *decoder = esse_test_decoding_new(arena, sink);
    const char *text = recorded_file(arena, "test_decoding.txt", &length), *end = text + length;
    while (recorded_line(&text, end, &line))
        CHECK(esse_test_decoding_line(decoder, line.at, line.length, &err));
}

/* Columns have names in one, numbers in the other. */
static void feed_binlog(struct esse_arena *arena, struct esse_change_sink *sink, const char *name)
{
    size_t length;
    struct esse_error err;
    char *text = recorded_file(arena, name, &length);
    unsigned char *bytes = esse_arena_alloc(arena, length, 1);
    CHECK(
        binlog_file(esse_binlog_new(arena, sink), bytes, recorded_hex(text, length, bytes), &err));
}

static void feed_full_binlog(struct esse_arena *arena, struct esse_change_sink *sink)
{
    feed_binlog(arena, sink, "binlog-full.hex");
}

static void feed_minimal_binlog(struct esse_arena *arena, struct esse_change_sink *sink)
{
    feed_binlog(arena, sink, "binlog-minimal.hex");
}

/* All logs of tests/recorded/record's story.  The client of 0/3, which deleted r/1, was not given
 * that it committed; the log knows. */
TEST(test_learnt_rows__recorded_logs_become_the_same_certificate)
{
    static const struct {
        void (*feed)(struct esse_arena *arena, struct esse_change_sink *sink);
        int64_t first;     /* the server's id of 0/0 */
        const char *order; /* an aborted transaction has a xid, but no place in a binary log */
    } cases[] = {
        { feed_pgoutput, 726, "'0/0','0/1'" },
        { feed_test_decoding, 726, "'0/0','0/1'" },
        { feed_full_binlog, 6, "'0/1','0/2'" },
        { feed_minimal_binlog, 6, "'0/1','0/2'" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_learnt *learnt = esse_learnt_new(arena, &schema);
        struct esse_learnt_rows *rows = esse_learnt_rows_new(arena, &schema);
        esse_learnt_rows_to(rows, learnt);
        cases[i].feed(arena, esse_learnt_rows_sink(rows));
        name_from(learnt, cases[i].first, 12);
        const char *want = esse_arena_format(arena,
                                             "{'version_order':{'r/0':[12,17]}}\n"
                                             "{'version_order':{'r/1':[11,-15,{'txn':'0/3'},16]}}\n"
                                             "{'version_order':{'l/5':[21,22,23]}}\n"
                                             "{'order':[%s,'0/3','0/4','0/5','0/6','0/10']}\n"
                                             "{'certificate':'commit-order','complete':true}\n",
                                             cases[i].order);
        CHECK_JSON(arena, emit(arena, learnt), want);
        esse_arena_free(arena);
    }
}

/* ---- random logs ---- */

enum { ROWS = 3, TXNS = 20, WRITES = 4 };

struct log {
    struct esse_learnt_rows *rows;
    struct esse_learnt *expected;
    struct esse_rng rng;
    int64_t base, drawn;
    char lists[ROWS][400];
};

static void send(struct log *log, enum esse_change_kind kind, const char *table, int64_t row,
                 esse_value value)
{
    struct esse_change_sink *sink = esse_learnt_rows_sink(log->rows);
    struct esse_error err;
    const bool has_names = esse_rng_below(&log->rng, 2);
    const struct esse_cell cells[] = {
        { { has_names ? "k" : "@1", has_names ? 1 : 2 }, esse_value_int(sink->values, row) },
        { { has_names ? "v" : "@2", has_names ? 1 : 2 }, value },
    };
    const struct esse_change change = { .kind = kind,
                                        .table = { table, strlen(table) },
                                        .cells = cells,
                                        .count = kind == ESSE_CHANGE_PUT ? 2 : 1 };
    CHECK(sink->change(sink, &change, &err));
}

/* A register's last write is sent when the transaction has ended, a list's items one by one. */
static void send_write(struct log *log, int64_t *last, int64_t xid, bool commits)
{
    struct esse_values *values = esse_learnt_rows_sink(log->rows)->values;
    const int64_t row = esse_rng_below(&log->rng, ROWS);
    char before[400], *list = log->lists[row];
    log->drawn++;
    switch (esse_rng_below(&log->rng, 4)) {
    case 0: /* not ours */
        send(log, ESSE_CHANGE_PUT, "esse_x", row, esse_value_int(values, log->drawn));
        break;
    case 1:
        strcpy(before, list);
        sprintf(list + strlen(list), "%s%lld", *list ? "," : "", (long long)log->drawn);
        send(log, ESSE_CHANGE_PUT, "esse_l", row, esse_value_string(values, list, strlen(list)));
        if (commits)
            esse_learnt_version(log->expected, 1, row, log->drawn, xid);
        else
            strcpy(list, before);
        last[ROWS] = 1;
        break;
    case 2:
        send(log, ESSE_CHANGE_DELETE, "esse_r", row, ESSE_NONE);
        last[row] = ESSE_ABSENT;
        break;
    default:
        send(log, ESSE_CHANGE_PUT, "esse_r", row, esse_value_int(values, log->drawn));
        last[row] = log->drawn;
        break;
    }
}

/* 'last' is by row, 0 for a row that was not written; behind them, whether a list was. */
static void send_txn(struct log *log, unsigned number)
{
    struct esse_change_sink *sink = esse_learnt_rows_sink(log->rows);
    struct esse_error err;
    const int64_t xid = log->base + number;
    const struct esse_change_txn txn = { esse_value_int(sink->values, xid & UINT32_MAX),
                                         { number, 0 } };
    const bool commits = esse_rng_below(&log->rng, 5) > 0;
    int64_t last[ROWS + 1] = { 0 };
    CHECK(sink->begin(sink, &txn, &err));
    for (uint64_t writes = esse_rng_below(&log->rng, WRITES + 1); writes > 0; writes--)
        send_write(log, last, xid, commits);
    send(log, ESSE_CHANGE_PUT, "esse_mark", 1, esse_value_int(sink->values, number + 1));
    if (!commits)
        return; /* the stream broke off, and begins again with another */
    CHECK(sink->commit(sink, &err));
    CHECK_EQ(esse_learnt_rows_mark(log->rows), number + 1);
    bool has_written = last[ROWS];
    for (int64_t row = 0; row < ROWS; row++) {
        if (last[row])
            esse_learnt_version(log->expected, 0, row, last[row], xid);
        has_written |= last[row] != 0;
    }
    if (has_written)
        esse_learnt_commit(log->expected, xid);
}

/* Ids in a stream have 32 bits; what they are completed from may be about to overflow those. */
TEST(test_learnt_rows__agrees_with_the_commits)
{
    for (unsigned seed = 1 + test_first(300), after = seed + test_rounds(300); seed < after;
         seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_learnt *got = esse_learnt_new(arena, &schema);
        struct log log = { .rows = esse_learnt_rows_new(arena, &schema),
                           .expected = esse_learnt_new(arena, &schema),
                           .rng = { seed },
                           .base = ((int64_t)(seed % 5) << 32) - 10 };
        log.base = log.base < 0 ? 1 : log.base;
        esse_learnt_rows_base(log.rows, log.base);
        esse_learnt_rows_to(log.rows, got);
        for (unsigned number = 0; number < TXNS; number++)
            send_txn(&log, number);
        name_from(log.expected, log.base, TXNS);
        name_from(got, log.base, TXNS);
        CHECK_TEXT(emit(arena, got), emit(arena, log.expected));
        esse_arena_free(arena);
    }
}

/* Of GTIDs the sequence number is the id.  One of 64 bits does not fit: its version has no id. */
TEST(test_learnt_rows__gtids)
{
    static const char *const ids[] = { "0-1-17", "0-1-9223372036854775807",
                                       "0-1-18446744073709551615" };
    struct esse_arena *arena = esse_arena_new();
    struct esse_learnt *learnt = esse_learnt_new(arena, &schema);
    struct log log = { .rows = esse_learnt_rows_new(arena, &schema), .rng = { 1 } };
    struct esse_change_sink *sink = esse_learnt_rows_sink(log.rows);
    struct esse_error err;
    uint64_t commits;
    esse_learnt_rows_to(log.rows, learnt);
    for (size_t i = 0; i < 3; i++) {
        const struct esse_change_txn txn = {
            esse_value_string(sink->values, ids[i], strlen(ids[i])), { i, 0 }
        };
        CHECK(sink->begin(sink, &txn, &err));
        send(&log, ESSE_CHANGE_PUT, "esse_r", 0, esse_value_small((int64_t)i));
        CHECK(sink->commit(sink, &err));
    }
    CHECK_EQ(esse_learnt_count(learnt, &commits), 3);
    CHECK_EQ(commits, 2);
    name_from(learnt, 17, 1);
    name_from(learnt, INT64_MAX, 1);
    assert_non_null(strstr(emit(arena, learnt), json(arena, "{'order':['0/0','0/0']}")));
    esse_arena_free(arena);
}

TEST(test_learnt_rows__what_has_no_key_is_an_error)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_change_sink *sink = esse_learnt_rows_sink(esse_learnt_rows_new(arena, &schema));
    struct esse_error err;
    const struct esse_change_txn txn = { esse_value_small(1), { 1, 0 } };
    const struct esse_change truncate = { .kind = ESSE_CHANGE_TRUNCATE, .table = { "esse_r", 6 } };
    const struct esse_change keyless = { .kind = ESSE_CHANGE_PUT, .table = { "esse_l", 6 } };
    const struct esse_change foreign = { .kind = ESSE_CHANGE_TRUNCATE, .table = { "other", 5 } };
    CHECK(sink->begin(sink, &txn, &err));
    CHECK(sink->change(sink, &foreign, &err));
    CHECK(!sink->change(sink, &truncate, &err));
    assert_non_null(strstr(err.text, "without a key"));
    CHECK(!sink->change(sink, &keyless, &err));
    esse_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_learnt_rows__recorded_logs_become_the_same_certificate),
        cmocka_unit_test(test_learnt_rows__agrees_with_the_commits),
        cmocka_unit_test(test_learnt_rows__gtids),
        cmocka_unit_test(test_learnt_rows__what_has_no_key_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
