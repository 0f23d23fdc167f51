#include "base/base64.h"
#include "binlog_file.h"
#include "collect/recover/feeds.h"
#include "collect/recover/pgoutput.h"
#include "collect/recover/recover_text.h"
#include "collect/recover/test_decoding.h"

#include "recorded.h"

/* What tests/recorded/record does, as all the decoders must tell it. */
static const char story[] =
    "{put esse_r(k=1 v=11)put esse_r(k=0 v=12)}\n"
    "{put esse_r(k=1 v=13)put esse_r(k=1 v=14)put esse_r(k=1 v=-15)}\n"
    "{delete esse_r(k=1)}\n"
    "{put esse_r(k=1 v=16)put other(k=1 v=1)}\n"
    "{put esse_l(k=5 v=\"21\")}\n"
    "{put esse_l(k=5 v=\"21,22\")put esse_l(k=5 v=\"21,22,23\")}\n"
    "{put wide(id=1 a=-3 name=\"it's \\\"so\\\"\" note=null flag=true)"
    "put wide(id=2 a=null name=\"\" note=\"x\" flag=false)}\n"
    "{put wide(id=1 a=-3 name=\"it's \\\"so\\\"\" note=\"long ...5000\" flag=true)}\n"
    "{put wide(id=1 a=7 name=\"it's \\\"so\\\"\" note=%s flag=true)}\n"
    "{delete wide(%s)put esse_r(k=0 v=17)}\n";

/* ---- PostgreSQL ---- */

static bool feed_pgoutput(struct esse_pgoutput *decoder, const char *text, size_t length,
                          struct esse_error *err)
{
    unsigned char bytes[65536];
    struct esse_span line;
    bool ok = true;
    for (const char *at = text, *end = text + length; ok && recorded_line(&at, end, &line);)
        ok = esse_pgoutput_message(decoder, bytes, recorded_hex(line.at, line.length, bytes), err);
    return ok;
}

TEST(test_pgoutput__tells_what_happened)
{
    struct esse_arena *arena = esse_arena_new();
    struct recorded_sink *sink = recorded_sink_new(arena);
    struct esse_error err;
    size_t length;
    char *text = recorded_file(arena, "pgoutput.hex", &length), want[2000];
    CHECK(feed_pgoutput(esse_pgoutput_new(arena, &sink->sink), text, length, &err));
    snprintf(want, sizeof want, story, "?", "id=2 a=null name=\"\" note=\"x\" flag=false");
    strcat(want, "{truncate other()}\n");
    /* A delete has the key alone where the replica identity is the key; nulls stand for the rest.
     */
    char *gone = strstr(want, "delete esse_r(k=1)");
    assert_non_null(gone);
    memmove(gone + 24, gone + 17, strlen(gone + 17) + 1);
    memcpy(gone, "delete esse_r(k=1 v=null", 24);
    CHECK_TEXT(esse_out_memory(&sink->out), want);
    esse_arena_free(arena);
}

TEST(test_test_decoding__tells_what_happened)
{
    struct esse_arena *arena = esse_arena_new();
    struct recorded_sink *sink = recorded_sink_new(arena);
    struct esse_test_decoding *decoder = esse_test_decoding_new(arena, &sink->sink);
    struct esse_error err;
    struct esse_span line;
    size_t length;
    char *text = recorded_file(arena, "test_decoding.txt", &length), want[2000];
    for (const char *at = text, *end = text + length; recorded_line(&at, end, &line);)
        CHECK(esse_test_decoding_line(decoder, line.at, line.length, &err));
    snprintf(want, sizeof want, story, "?", "id=2 name=\"\" note=\"x\" flag=false");
    strcat(want, "{truncate other()}\n");
    CHECK_TEXT(esse_out_memory(&sink->out), want);
    esse_arena_free(arena);
}

TEST(test_pgoutput__has_old_rows_and_ids)
{
    struct esse_arena *arena = esse_arena_new();
    struct recorded_sink *sink = recorded_sink_new(arena);
    struct esse_error err;
    size_t length;
    sink->with_old = sink->with_ids = true;
    char *text = recorded_file(arena, "pgoutput.hex", &length);
    CHECK(feed_pgoutput(esse_pgoutput_new(arena, &sink->sink), text, length, &err));
    assert_non_null(strstr(esse_out_memory(&sink->out), "note=\"long ...5000\" flag=true -> "));
    CHECK_TEXT(strncmp(esse_out_memory(&sink->out), "726{", 4) ? "" : "726{", "726{");
    esse_arena_free(arena);
}

/* ---- MariaDB ---- */

static unsigned char *binlog(struct esse_arena *arena, const char *name, size_t *length)
{
    char *text = recorded_file(arena, name, length);
    unsigned char *bytes = esse_arena_alloc(arena, *length, 1);
    *length = recorded_hex(text, *length, bytes);
    return bytes;
}

static void replace(char *text, const char *from, const char *to)
{
    const size_t a = strlen(from), b = strlen(to);
    for (char *at = text; (at = strstr(at, from)); at += b) {
        memmove(at + b, at + a, strlen(at + a) + 1);
        memcpy(at, to, b);
    }
}

TEST(test_binlog__tells_what_happened)
{
    for (unsigned full = 0; full < 2; full++) {
        struct esse_arena *arena = esse_arena_new();
        struct recorded_sink *sink = recorded_sink_new(arena);
        struct esse_error err;
        size_t length;
        char want[2000];
        unsigned char *bytes =
            binlog(arena, full ? "binlog-full.hex" : "binlog-minimal.hex", &length);
        CHECK(binlog_file(esse_binlog_new(arena, &sink->sink), bytes, length, &err));
        snprintf(want, sizeof want, story, "\"long ...5000\"",
                 "id=2 a=null name=\"\" note=\"x\" flag=false");
        /* Booleans are small integers, and deletes have the whole row before. */
        replace(want, "flag=true", "flag=1");
        replace(want, "flag=false", "flag=0");
        replace(want, "delete esse_r(k=1)", "delete esse_r(k=1 v=-15)");
        if (!full) {
            const char *names[][2] = { { "(k=", "(@1=" },    { " v=", " @2=" },
                                       { "(id=", "(@1=" },   { " a=", " @2=" },
                                       { " name=", " @3=" }, { " note=", " @4=" },
                                       { " flag=", " @5=" } };
            for (size_t i = 0; i < sizeof names / sizeof *names; i++)
                replace(want, names[i][0], names[i][1]);
        }
        CHECK_TEXT(esse_out_memory(&sink->out), want);
        esse_arena_free(arena);
    }
}

/* ---- feeds ---- */

static struct esse_span span(const char *text)
{
    return (struct esse_span){ text, strlen(text) };
}

TEST(test_feeds__etcd_watch_and_range)
{
    struct esse_arena *arena = esse_arena_new();
    struct recorded_sink *sink = recorded_sink_new(arena);
    struct esse_error err;
    struct esse_span line;
    size_t length;
    int64_t revision = 0;
    sink->with_ids = true;
    char *text = recorded_file(arena, "etcd-watch.jsonl", &length);
    for (const char *at = text, *end = text + length; recorded_line(&at, end, &line);)
        CHECK(esse_etcd_feed(&sink->sink, line, &revision, &err));
    CHECK_TEXT(esse_out_memory(&sink->out), "2{put (k=1 v=11)}\n3{put (k=1 v=12)}\n"
                                            "3{put (k=2 v=13)}\n4{delete (k=2 v=null)}\n"
                                            "5{put (k=1 v=\"\")}\n");
    CHECK_EQ(revision, 5);
    text = recorded_file(arena, "etcd-range.json", &length);
    sink->out.count = 0;
    CHECK(esse_etcd_feed(&sink->sink, (struct esse_span){ text, length }, &revision, &err));
    CHECK_TEXT(esse_out_memory(&sink->out), "5{put (k=1 v=\"\")}\n");
    CHECK(!esse_etcd_feed(&sink->sink, span("{\"header\":{}}"), &revision, &err));
    CHECK(!esse_etcd_feed(&sink->sink,
                          span("{\"result\":{\"header\":{\"revision\":\"9\"},\"canceled\":true,"
                               "\"compact_revision\":\"7\"}}"),
                          &revision, &err));
    assert_non_null(strstr(err.text, "compacted"));
    esse_arena_free(arena);
}

/* By hand, after the documentation of changefeed messages: no server is at hand. */
TEST(test_feeds__cockroach_messages)
{
    static const char *const keys[] = { "k" };
    static const struct esse_cockroach_rows rows = { { "esse_r", 6 }, keys, 1 };
    const struct esse_span none = { "", 0 };
    struct esse_arena *arena = esse_arena_new();
    struct recorded_sink *sink = recorded_sink_new(arena);
    struct esse_error err;
    struct esse_stamp resolved = { 0 };
    sink->with_ids = true;
    CHECK(esse_cockroach_feed(&sink->sink, &rows, none,
                              span("{\"after\": {\"k\": 1, \"v\": 11}, \"key\": [1], \"updated\": "
                                   "\"1700000000000000000.0000000001\"}"),
                              &resolved, &err));
    CHECK(esse_cockroach_feed(&sink->sink, &rows, none,
                              span("{\"after\": null, \"key\": [1], \"updated\": "
                                   "\"1700000000000000002.0000000000\"}"),
                              &resolved, &err));
    CHECK(esse_cockroach_feed(&sink->sink, &rows, span("[2]"),
                              span("{\"after\": null, \"updated\": \"1700000000000000002.5\"}"),
                              &resolved, &err));
    CHECK_EQ(resolved.high, 0);
    CHECK(esse_cockroach_feed(&sink->sink, &rows, none,
                              span("{\"resolved\":\"1700000000000000003.0000000007\"}"), &resolved,
                              &err));
    CHECK_EQ(resolved.high, 1700000000000000003);
    CHECK_EQ(resolved.low, 7);
    CHECK_TEXT(esse_out_memory(&sink->out),
               "\"1700000000000000000.0000000001\"{put esse_r(k=1 v=11)}\n"
               "\"1700000000000000002.0000000000\"{delete esse_r(k=1)}\n"
               "\"1700000000000000002.5\"{delete esse_r(k=2)}\n");
    CHECK(!esse_cockroach_feed(&sink->sink, &rows, span("[2"),
                               span("{\"after\": null, \"updated\": \"1.0\"}"), &resolved, &err));
    static const char *const bad[] = { "{}",
                                       "[]",
                                       "{\"after\":{},\"updated\":1}",
                                       "{\"after\":7,\"updated\":\"1.0\"}",
                                       "{\"after\":null,\"updated\":\"1.0\"}",
                                       "{\"after\":null,\"key\":[1,2],\"updated\":\"1.0\"}",
                                       "{\"after\":{},\"updated\":\"1.\"}",
                                       "{\"resolved\":\"x\"}",
                                       "{\"resolved\":\"1.0\"} {",
                                       "" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK(!esse_cockroach_feed(&sink->sink, &rows, none, span(bad[i]), &resolved, &err));
    esse_arena_free(arena);
}

/* By hand, after docs/tidb_http_api.md of TiDB. */
TEST(test_feeds__tidb_versions)
{
    struct esse_arena *arena = esse_arena_new();
    struct recorded_sink *sink = recorded_sink_new(arena);
    struct esse_error err;
    sink->with_ids = true;
    static const char *const old =
        "{\"info\":{\"writes\":[{\"commit_ts\":405179368526053380,\"short_value\":\"CAICAkE=\","
        "\"start_ts\":405179368526053377}]}}";
    static const char *const later =
        "{\"key\":\"7480\",\"region_id\":4,\"value\":{\"info\":{\"writes\":["
        "{\"type\":1,\"start_ts\":\"30\",\"commit_ts\":\"31\"},"
        "{\"type\":3,\"start_ts\":25,\"commit_ts\":25},"
        "{\"type\":2,\"start_ts\":22,\"commit_ts\":24},"
        "{\"type\":0,\"start_ts\":20,\"commit_ts\":21,\"short_value\":\"\"}],"
        "\"values\":[]}}}";
    CHECK(esse_tidb_feed(&sink->sink, "esse_r", "k", esse_value_small(1), span(old), &err));
    CHECK(esse_tidb_feed(&sink->sink, "esse_r", "k", esse_value_small(2), span(later), &err));
    CHECK_TEXT(esse_out_memory(&sink->out), "405179368526053377{put esse_r(k=1 v=?)}\n"
                                            "20{put esse_r(k=2 v=?)}\n"
                                            "30{delete esse_r(k=2 v=?)}\n");
    CHECK(!esse_tidb_feed(&sink->sink, "t", "k", ESSE_NIL, span("{\"info\":1}"), &err));
    CHECK(!esse_tidb_feed(&sink->sink, "t", "k", ESSE_NIL, span("{\"info\":{\"writes\":[{}]}}"),
                          &err));
    esse_arena_free(arena);
}

/* ---- what is malformed ---- */

/* Every message cut off at every byte, and with every byte changed: refused or understood, and no
 * byte outside of it is touched (the sanitizers look). */
static void damage_pgoutput(const char *text, size_t length, unsigned seed)
{
    struct esse_span line;
    struct esse_rng rng = { seed };
    for (const char *at = text, *end = text + length; recorded_line(&at, end, &line);) {
        struct esse_arena *arena = esse_arena_new();
        struct recorded_sink *sink = recorded_sink_new(arena);
        struct esse_pgoutput *decoder = esse_pgoutput_new(arena, &sink->sink);
        struct esse_error err = { 0 };
        unsigned char *bytes = malloc(line.length);
        size_t count = recorded_hex(line.at, line.length, bytes);
        const char *first = text;
        for (struct esse_span before; first < line.at && recorded_line(&first, end, &before);) {
            unsigned char *message = malloc(before.length);
            CHECK(esse_pgoutput_message(decoder, message,
                                        recorded_hex(before.at, before.length, message), &err));
            free(message);
        }
        count = 1 + esse_rng_below(&rng, (uint32_t)count);
        bytes = realloc(bytes, count);
        if (esse_rng_below(&rng, 4))
            bytes[esse_rng_below(&rng, (uint32_t)count)] = (unsigned char)esse_rng_below(&rng, 256);
        if (!esse_pgoutput_message(decoder, bytes, count, &err))
            CHECK(!strncmp(err.text, "byte ", 5));
        free(bytes);
        esse_arena_free(arena);
    }
}

TEST(test_pgoutput__refuses_what_is_damaged)
{
    struct esse_arena *arena = esse_arena_new();
    size_t length;
    char *text = recorded_file(arena, "pgoutput.hex", &length);
    for (unsigned seed = 1 + test_first(30), after = seed + test_rounds(30); seed < after; seed++)
        damage_pgoutput(text, length, seed);
    esse_arena_free(arena);
}

TEST(test_binlog__refuses_what_is_damaged)
{
    struct esse_arena *kept = esse_arena_new();
    size_t length;
    unsigned refused = 0;
    const unsigned rounds = test_rounds(2000);
    unsigned char *whole = binlog(kept, "binlog-full.hex", &length);
    for (unsigned seed = 1; seed <= rounds; seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct recorded_sink *sink = recorded_sink_new(arena);
        struct esse_rng rng = { seed };
        struct esse_error err = { 0 };
        const size_t count = seed % 2 ? length : esse_rng_below(&rng, (uint32_t)length);
        unsigned char *bytes = malloc(count + 1);
        memcpy(bytes, whole, count);
        for (unsigned i = 0; count && i < 4; i++)
            bytes[esse_rng_below(&rng, (uint32_t)count)] = (unsigned char)esse_rng_below(&rng, 256);
        if (!binlog_file(esse_binlog_new(arena, &sink->sink), bytes, count, &err)) {
            refused++;
            CHECK(!strncmp(err.text, "byte ", 5));
        }
        free(bytes);
        esse_arena_free(arena);
    }
    CHECK(refused > rounds / 2);
    esse_arena_free(kept);
}

TEST(test_test_decoding__refuses_what_is_malformed)
{
    static const char *const bad[][2] = {
        { "COMMIT 5", "byte 0: expected BEGIN" },
        { "table public.t: INSERT: k[int]:1", "byte 6: expected BEGIN" },
        { "BEGIN", "byte 0: expected BEGIN" },
        { "BEGIN x", "byte 6: expected a transaction's id of 32 bits" },
        { "BEGIN 99999999999999999999", "byte 17: expected a transaction's id of 32 bits" },
        { "BEGIN 1\ntable t", "byte 7: expected a table's name and ':'" },
        { "BEGIN 1\ntable p.t: X", "byte 9: expected INSERT, UPDATE, DELETE or TRUNCATE of one "
                                   "table" },
        { "BEGIN 1\ntable p.t: INSERT: k", "byte 20: expected a column's name and '['" },
        { "BEGIN 1\ntable p.t: INSERT: k[int", "byte 23: expected ']:' after a column's type" },
        { "BEGIN 1\ntable p.t: INSERT: k[int]:", "byte 26: expected a value" },
        { "BEGIN 1\ntable p.t: INSERT: k[text]:'a", "byte 29: expected \"'\"" },
        { "BEGIN 1\ntable p.t: UPDATE: old-key: k[int]:1", "byte 36: expected 'new-tuple:'" },
        { "BEGIN 1\ntable p.t: DELETE: (no-tuple-data)",
          "byte 34: expected the key of a changed row; the table needs a replica identity" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct esse_arena *arena = esse_arena_new();
        struct recorded_sink *sink = recorded_sink_new(arena);
        struct esse_test_decoding *decoder = esse_test_decoding_new(arena, &sink->sink);
        struct esse_error err = { 0 };
        struct esse_span line;
        bool ok = true;
        for (const char *at = bad[i][0], *end = at + strlen(at); recorded_line(&at, end, &line);)
            ok = ok && esse_test_decoding_line(decoder, line.at, line.length, &err);
        CHECK(!ok);
        CHECK_TEXT(err.text, bad[i][1]);
        esse_arena_free(arena);
    }
}

TEST(test_pg_frame__data_keepalive_and_status)
{
    struct esse_pg_frame frame;
    struct esse_error err;
    unsigned char data[26] = { 'w', 0, 0, 0, 0, 0, 0, 1, 2, [25] = 'B' };
    unsigned char alive[18] = { 'k', [8] = 9, [17] = 1 };
    unsigned char status[ESSE_PG_STATUS_BYTES];
    CHECK(esse_pg_frame_read(data, sizeof data, &frame, &err));
    CHECK(frame.is_data && !frame.wants_reply);
    CHECK_EQ(frame.position, 258);
    CHECK_EQ(frame.length, 1);
    CHECK(esse_pg_frame_read(alive, sizeof alive, &frame, &err));
    CHECK(!frame.is_data && frame.wants_reply);
    CHECK_EQ(frame.position, 9);
    CHECK(!esse_pg_frame_read(alive, sizeof alive - 1, &frame, &err));
    CHECK(!esse_pg_frame_read("x", 1, &frame, &err));
    CHECK(!esse_pg_frame_read("", 0, &frame, &err));
    esse_pg_status_write(status, 0x0102030405060708);
    CHECK_EQ(status[0], 'r');
    CHECK_EQ(status[1], 1);
    CHECK_EQ(status[16], 8);
    CHECK_EQ(status[24], 8);
}

TEST(test_base64__there_and_back)
{
    static const char *const bad[] = { "A",    "AA=",  "AB==",     "A===",
                                       "====", "AA=A", "AA==AAAA", "A*==" };
    unsigned char bytes[16], back[16];
    char text[32];
    size_t count;
    struct esse_rng rng = { 7 };
    for (size_t length = 0; length <= sizeof bytes - 1; length++) {
        for (size_t i = 0; i < length; i++)
            bytes[i] = (unsigned char)esse_rng_below(&rng, 256);
        esse_base64_encode(bytes, length, text);
        CHECK(esse_base64_decode(text, ESSE_BASE64_ROOM(length), back, &count));
        CHECK_EQ(count, length);
        CHECK(!memcmp(bytes, back, length));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK(!esse_base64_decode(bad[i], strlen(bad[i]), back, &count));
}

/* ---- numbers that are texts ---- */

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
}

TEST(test_values__digits)
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
    esse_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pgoutput__tells_what_happened),
        cmocka_unit_test(test_test_decoding__tells_what_happened),
        cmocka_unit_test(test_pgoutput__has_old_rows_and_ids),
        cmocka_unit_test(test_binlog__tells_what_happened),
        cmocka_unit_test(test_feeds__etcd_watch_and_range),
        cmocka_unit_test(test_feeds__cockroach_messages),
        cmocka_unit_test(test_feeds__tidb_versions),
        cmocka_unit_test(test_pgoutput__refuses_what_is_damaged),
        cmocka_unit_test(test_binlog__refuses_what_is_damaged),
        cmocka_unit_test(test_test_decoding__refuses_what_is_malformed),
        cmocka_unit_test(test_pg_frame__data_keepalive_and_status),
        cmocka_unit_test(test_base64__there_and_back),
        cmocka_unit_test(test_stamps__hybrid_clocks),
        cmocka_unit_test(test_values__digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
