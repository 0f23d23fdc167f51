#include "../tests/unit/binlog_file.h"
#include "base/arena.h"
#include "base/error.h"
#include "collect/recover/feeds.h"
#include "collect/recover/learnt.h"
#include "collect/recover/learnt_feed.h"
#include "collect/recover/learnt_rows.h"
#include "collect/recover/pgoutput.h"
#include "collect/recover/test_decoding.h"
#include "formats/native.h"
#include "history/pg_snapshot.h"

#include <string.h>

/* What servers say, in any bytes: the first one chooses the decoder.  Messages of pgoutput have two
 * bytes of length before them, lines of test_decoding an end of line behind.  What is understood
 * becomes a certificate. */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct esse_table tables[] = { { .name = "r" }, { .name = "l", .is_list = true } };
static const struct esse_schema schema = { .tables = tables, .count = 2, .sessions = 1 };

static void feed_pgoutput(struct esse_arena *arena, struct esse_change_sink *sink,
                          const uint8_t *data, size_t size, struct esse_error *err)
{
    struct esse_pgoutput *decoder = esse_pgoutput_new(arena, sink);
    bool ok = true;
    for (size_t at = 0; ok && at + 2 <= size;) {
        size_t length = (size_t)data[at] << 8 | data[at + 1];
        length = length < size - at - 2 ? length : size - at - 2;
        ok = esse_pgoutput_message(decoder, data + at + 2, length, err);
        at += 2 + length;
    }
}

static void feed_lines(struct esse_arena *arena, struct esse_change_sink *sink, const uint8_t *data,
                       size_t size, struct esse_error *err)
{
    struct esse_test_decoding *decoder = esse_test_decoding_new(arena, sink);
    bool ok = true;
    for (size_t at = 0; ok && at < size;) {
        const uint8_t *end = memchr(data + at, '\n', size - at);
        const size_t length = end ? (size_t)(end - data) - at : size - at;
        ok = esse_test_decoding_line(decoder, (const char *)data + at, length, err);
        at += length + 1;
    }
}

static void emit(struct esse_arena *arena, struct esse_learnt *learnt)
{
    struct esse_out out;
    struct esse_error err;
    esse_out_init_memory(&out, arena);
    esse_learnt_emit(learnt, "commit-order",
                     esse_native_writer(arena, esse_values_new(arena), &out, false), &err);
}

/* Logs of whole transactions. */
static void take_log(struct esse_arena *arena, unsigned kind, const uint8_t *data, size_t size)
{
    struct esse_learnt *learnt = esse_learnt_new(arena, &schema);
    struct esse_learnt_rows *rows = esse_learnt_rows_new(arena, &schema);
    struct esse_change_sink *sink = esse_learnt_rows_sink(rows);
    struct esse_error err;
    esse_learnt_rows_to(rows, learnt);
    if (kind == 0)
        feed_pgoutput(arena, sink, data, size, &err);
    else if (kind == 1)
        feed_lines(arena, sink, data, size, &err);
    else
        binlog_file(esse_binlog_new(arena, sink), data, size, &err);
    emit(arena, learnt);
}

/* Feeds of versions. */
static void take_feed(struct esse_arena *arena, unsigned kind, struct esse_span text)
{
    static const char *const keys[] = { "k" };
    static const struct esse_cockroach_rows rows = { { "esse_r", 6 }, keys, 1 };
    struct esse_learnt *learnt = esse_learnt_new(arena, &schema);
    struct esse_learnt_feed *feed = esse_learnt_feed_new(arena, &schema);
    struct esse_change_sink *sink = esse_learnt_feed_sink(feed);
    struct esse_stamp stamp;
    struct esse_error err;
    int64_t revision;
    sink->values = esse_values_new(arena);
    if (kind == 3)
        esse_etcd_feed(sink, text, &revision, &err);
    else if (kind == 4)
        esse_cockroach_feed(sink, &rows, (struct esse_span){ "", 0 }, text, &stamp, &err);
    else
        esse_tidb_feed(sink, "esse_r", "k", esse_value_small(1), text, &err);
    esse_learnt_feed_tell(feed, learnt, true);
    emit(arena, learnt);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    const unsigned kind = *data++ % 7;
    const struct esse_span text = { (const char *)data, --size };
    struct esse_arena *arena = esse_arena_new();
    if (kind < 3) {
        take_log(arena, kind, data, size);
    } else if (kind < 6) {
        take_feed(arena, kind, text);
    } else {
        struct esse_values *values = esse_values_new(arena);
        struct esse_pg_snapshot snapshot;
        esse_pg_snapshot_parse(&snapshot, values, esse_value_string(values, text.at, text.length));
    }
    esse_arena_free(arena);
    return 0;
}
