#include "base/arena.h"
#include "base/error.h"
#include "collect/recover.h"
#include "collect/recover_binlog.h"
#include "collect/recover_feeds.h"
#include "collect/recover_pgoutput.h"
#include "collect/recover_snapshot.h"
#include "collect/recover_test_decoding.h"

#include <string.h>

/* What servers say, in any bytes: the first one chooses the decoder.  Messages of pgoutput have two
 * bytes of length before them, lines of test_decoding an end of line behind. */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct esse_table_rule rules[] = {
    { "esse_r", "k", "v", "", false },
    { "esse_l", "k", "v", "l/", true },
    { "wide", "id", NULL, "wide/", false },
    { "", "k", "v", "", false },
};

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const keys[] = { "k" };
    static const struct esse_cockroach_rows rows = { { "esse_r", 6 }, keys, 1 };
    if (!size)
        return 0;
    const unsigned kind = *data++ % 7;
    const struct esse_span text = { (const char *)data, --size };
    struct esse_arena *arena = esse_arena_new();
    struct esse_values *values = esse_values_new(arena);
    struct esse_recovery *recovery = esse_recovery_new(arena, values);
    struct esse_change_sink *sink = esse_recovery_rows(arena, values, recovery, rules, 4);
    struct esse_stamp stamp;
    struct esse_pg_snapshot snapshot;
    struct esse_error err;
    int64_t revision;
    if (kind == 0)
        feed_pgoutput(arena, sink, data, size, &err);
    else if (kind == 1)
        feed_lines(arena, sink, data, size, &err);
    else if (kind == 2)
        esse_binlog_file(esse_binlog_new(arena, sink), data, size, &err);
    else if (kind == 3)
        esse_etcd_feed(sink, text, &revision, &err);
    else if (kind == 4)
        esse_cockroach_feed(sink, &rows, (struct esse_span){ "", 0 }, text, &stamp, &err);
    else if (kind == 5)
        esse_tidb_feed(sink, "esse_r", "k", esse_value_small(1), text, &err);
    else
        esse_pg_snapshot_parse(&snapshot, values, esse_value_string(values, text.at, text.length));
    esse_arena_free(arena);
    return 0;
}
