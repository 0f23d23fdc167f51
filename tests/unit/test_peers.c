#include "formats/directory.h"
#include "formats/save.h"
#include "generate/gen.h"
#include "load_text.h"

#include <sys/stat.h>
#include <unistd.h>

/* The research formats: plume, awdit, dbcop, cobra. */

/* ---- help ---- */

static char folder[] = "/tmp/esse-test-peers-XXXXXX";

static const char *in_folder(struct esse_arena *arena, const char *name)
{
    return esse_arena_format(arena, "%s/%s", folder, name);
}

static void remove_tree(const char *path)
{
    char command[256];
    snprintf(command, sizeof command, "rm -rf '%s'", path);
    CHECK_EQ(system(command), 0);
}

static bool save_as(struct esse_arena *arena, const char *format,
                    const struct esse_history *history, const char *path, bool lossy,
                    struct esse_error *err)
{
    struct esse_save save;
    if (!esse_save_open(&save, arena, esse_format_find(format), history->values, path, lossy, err))
        return false;
    if (esse_history_emit(history, save.sink, err))
        return esse_save_commit(&save, err);
    esse_save_discard(&save);
    return false;
}

static struct esse_history *load_path(struct esse_arena *arena, const char *path)
{
    struct esse_history *history;
    struct esse_error err;
    if (!esse_history_load(arena, path, NULL, &history, &err))
        fail_msg("%s: %s", path, err.text);
    return history;
}

/* Saved in a format and loaded again, recognised by its bytes. */
static struct esse_history *through(struct esse_arena *arena, const char *format,
                                    const struct esse_history *history)
{
    const char *path = in_folder(arena, "through");
    struct esse_error err;
    if (!save_as(arena, format, history, path, false, &err))
        fail_msg("cannot save as %s: %s", format, err.text);
    struct esse_history *again = load_path(arena, path);
    CHECK_TEXT(again->format, format);
    remove_tree(path);
    return again;
}

/* A line, with null for 0. */
static void put_with_null(struct esse_out *out, const char *line)
{
    static const char zero[] = "\"v\":0}";
    for (; *line != '\n'; line++) {
        if (strncmp(line, zero, sizeof zero - 1) == 0) {
            esse_out_text(out, "\"v\":null}");
            line += sizeof zero - 2;
        } else {
            esse_out_char(out, *line);
        }
    }
    esse_out_char(out, '\n');
}

/* The history's native text, one session after the other, without the ids of transactions; 0 is
 * null: the generator never writes it, and so it stands for the initial version. */
static const char *by_session(struct esse_arena *arena, const struct esse_history *history)
{
    struct esse_out *out = esse_arena_alloc(arena, 1, sizeof *out);
    const char *text = strchr(write_text(arena, "native", history), '\n') + 1;
    esse_out_init_memory(out, arena);
    for (int session = 0; session < 16; session++) {
        char head[32];
        snprintf(head, sizeof head, "{\"session\":%d,", session);
        for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
            if (strncmp(line, head, strlen(head)) != 0)
                continue;
            const char *rest = line + strlen(head);
            if (strncmp(rest, "\"txn\":", 6) == 0)
                rest = strchr(rest, ',') + 1;
            esse_out_text(out, head);
            put_with_null(out, rest);
        }
    }
    return esse_out_memory(out);
}

/* A register history that every one of the formats can hold. */
static struct esse_history *generate(struct esse_arena *arena, uint64_t seed, uint32_t txns)
{
    struct esse_rng rng = { seed };
    struct esse_out out;
    struct esse_error err;
    struct esse_gen_options options = esse_gen_defaults("rw-register");
    options.txns = txns;
    options.work.ops = 1 + esse_rng_below(&rng, 5);
    options.work.keys = 1 + esse_rng_below(&rng, 12);
    options.work.sessions = 1 + esse_rng_below(&rng, 5);
    options.work.seed = esse_rng_next(&rng);
    options.has_times = false;
    options.has_header = false;
    options.drop_aborted = true;
    esse_out_init_memory(&out, arena);
    struct esse_sink *sink =
        esse_format_find("native")->writer(arena, esse_values_new(arena), &out, false);
    if (!esse_gen_run(&options, sink, NULL, &err))
        fail_msg("%s", err.text);
    return load_text(arena, "native", esse_out_memory(&out));
}

static const char *native_of(struct esse_arena *arena, const char *format, const char *text)
{
    return write_text(arena, "native", load_text(arena, format, text));
}

/* ---- Plume ---- */

TEST(test_plume__lines_become_transactions)
{
    struct esse_arena *arena = esse_arena_new();
    CHECK_JSON(
        arena,
        native_of(arena, "plume",
                  "w(1,5,0,10)\nr(2,0,0,10)\n\nr(1,5,1,11)\r\nr(-3,-4,-7,12)\n"
                  "w(1,9223372036854775807,0,-9223372036854775808)"),
        "{'esse':'history','version':1}\n"
        "{'init':{'2':0}}\n"
        "{'session':0,'txn':'10','ops':[{'w':'1','v':5},{'r':'2','v':0}]}\n"
        "{'session':1,'txn':'11','ops':[{'r':'1','v':5}]}\n"
        "{'session':-7,'txn':'12','ops':[{'r':'-3','v':-4}]}\n"
        "{'session':0,'txn':'-9223372036854775808','ops':[{'w':'1','v':9223372036854775807}]}\n");
    esse_arena_free(arena);
}

TEST(test_plume__sessions_may_be_interleaved_line_by_line)
{
    struct esse_arena *arena = esse_arena_new();
    CHECK_JSON(arena,
               native_of(arena, "plume",
                         "w(1,1,0,1)\nw(2,1,1,2)\nw(1,2,0,1)\nw(3,1,1,3)\nr(2,1,1,3)\nr(1,2,0,1)\n"
                         "r(3,1,0,4)\n"),
               "{'esse':'history','version':1}\n"
               "{'session':0,'txn':'1','ops':[{'w':'1','v':1},{'w':'1','v':2},"
               "{'r':'1','v':2}]}\n"
               "{'session':1,'txn':'2','ops':[{'w':'2','v':1}]}\n"
               "{'session':1,'txn':'3','ops':[{'w':'3','v':1},{'r':'2','v':1}]}\n"
               "{'session':0,'txn':'4','ops':[{'r':'3','v':1}]}\n");
    esse_arena_free(arena);
}

TEST(test_plume__minus_one_is_an_aborted_operation)
{
    struct esse_arena *arena = esse_arena_new();
    const char *text = "w(1,1,0,1)\nw(1,7,0,-1)\nr(1,0,0,-1)\nr(1,1,0,2)\n";
    struct esse_history *history = load_text(arena, "plume", text);
    CHECK_JSON(arena, write_text(arena, "native", history),
               "{'esse':'history','version':1}\n"
               "{'session':0,'txn':'1','ops':[{'w':'1','v':1}]}\n"
               "{'session':0,'status':'aborted','ops':[{'w':'1','v':7}]}\n"
               "{'session':0,'status':'aborted','ops':[{'r':'1','v':0}]}\n"
               "{'session':0,'txn':'2','ops':[{'r':'1','v':1}]}\n");
    CHECK_TEXT(write_text(arena, "plume", history), text);
    CHECK_EQ(history->txn_line[1], 2);
    CHECK_EQ(history->txn_line[3], 4);
    esse_arena_free(arena);
}

/* Key 1 has a 0 that was written, key 2 one that an aborted transaction wrote, key 3 none. */
TEST(test_plume__zero_is_the_initial_version_only_where_nobody_wrote_it)
{
    struct esse_arena *arena = esse_arena_new();
    const char *text = "r(1,0,0,1)\nr(2,0,0,1)\nr(3,0,0,1)\nw(1,0,1,2)\nw(2,0,1,-1)\n";
    struct esse_history *history = load_text(arena, "plume", text);
    CHECK_JSON(arena, write_text(arena, "native", history),
               "{'esse':'history','version':1}\n"
               "{'init':{'2':0,'3':0}}\n"
               "{'session':0,'txn':'1','ops':[{'r':'1','v':0},{'r':'2','v':0},"
               "{'r':'3','v':0}]}\n"
               "{'session':1,'txn':'2','ops':[{'w':'1','v':0}]}\n"
               "{'session':1,'status':'aborted','ops':[{'w':'2','v':0}]}\n");
    CHECK_TEXT(write_text(arena, "plume", history), text);
    esse_arena_free(arena);
}

/* More operations than are held back, and a session that is only continued at the end. */
TEST(test_plume__what_waits_too_long_is_overtaken_and_not_lost)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_out out;
    esse_out_init_memory(&out, arena);
    for (int session = 0; session < 3; session++)
        for (int i = 0; i < 9000; i++)
            esse_out_f(&out, "w(%d,%d,%d,%d)\n", session, i + 1, session, session * 9000 + i / 3);
    esse_out_text(&out, "r(0,9000,0,2999)\n");
    struct esse_history *history = load_text(arena, "plume", esse_out_memory(&out));
    CHECK_EQ(history->txns, 9000);
    CHECK_EQ(history->ops, 27001);
    for (uint32_t s = 0; s < 3; s++) {
        CHECK_EQ(history->session_first[s + 1] - history->session_first[s], 3000);
        for (uint32_t i = 0; i < 3000; i++) {
            uint32_t txn = history->session_txn[history->session_first[s] + i], op;
            CHECK_EQ(history->txn_name[txn].word, esse_value_small(s * 9000 + i).word);
            op = history->txn_op[txn];
            CHECK_EQ(history->op_value[op].word, esse_value_small(i * 3 + 1).word);
            CHECK_EQ(history->txn_op[txn + 1] - op, s == 0 && i == 2999 ? 4 : 3);
        }
    }
    esse_arena_free(arena);
}

/* A session that pauses while others go on keeps its place: the lines may be in commit order. */
TEST(test_plume__a_session_that_pauses_is_not_overtaken)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_out out;
    esse_out_init_memory(&out, arena);
    esse_out_text(&out, "w(1,1,0,0)\n");
    for (int i = 1; i <= 6000; i++)
        esse_out_f(&out, "w(%d,%d,%d,%d)\n", i % 7 + 2, i, 1 + i % 3, i);
    esse_out_text(&out, "w(1,2,0,6001)\n");
    const struct esse_history *history = load_text(arena, "plume", esse_out_memory(&out));
    CHECK_EQ(history->txns, 6002);
    CHECK_EQ(history->txn_session[0], 0);
    CHECK_EQ(esse_history_position(history, (esse_txn){ 6001 }), 1);
    CHECK_EQ(history->txn_session[6001], 0);
    esse_arena_free(arena);
}

TEST(test_plume__names_that_are_used_twice_are_refused)
{
    struct esse_arena *arena = esse_arena_new();
    const char *text = "w(1,1,0,1)\nw(1,2,0,2)\nw(1,3,0,1)\nw(1,4,0,3)\n";
    struct esse_error err;
    assert_null(load_bytes(arena, "plume", text, strlen(text), &err));
    CHECK_EQ(err.line, 3);
    assert_non_null(strstr(err.text, "was used before, on line 1"));
    esse_arena_free(arena);
}

/* ---- AWDIT ---- */

TEST(test_awdit__dashes_end_transactions_and_equals_signs_sessions)
{
    struct esse_arena *arena = esse_arena_new();
    CHECK_JSON(
        arena,
        native_of(arena, "awdit", "w 0 0\nw\t1 0\n=====\nr 0 0\r\n---\n\nw 0 1\n==\n=\nr 0 1"),
        "{'esse':'history','version':1}\n"
        "{'session':0,'ops':[{'w':'0','v':0},{'w':'1','v':0}]}\n"
        "{'session':1,'ops':[{'r':'0','v':0}]}\n"
        "{'session':1,'ops':[{'w':'0','v':1}]}\n"
        "{'session':2,'ops':[{'r':'0','v':1}]}\n");
    esse_arena_free(arena);
}

/* ---- DBCop ---- */

static void put_le(struct esse_out *out, uint64_t number)
{
    for (int i = 0; i < 8; i++)
        esse_out_char(out, (char)(number >> (8 * i) & 0xff));
}

static void put_event(struct esse_out *out, bool write, uint64_t key, uint64_t value, bool good)
{
    esse_out_char(out, write);
    put_le(out, key);
    put_le(out, value);
    esse_out_char(out, good);
}

/* Made by hand. */
static void put_dbcop(struct esse_out *out, uint64_t id)
{
    static const char *const texts[] = { "", "2024-01-01T00:00:00+01:00", "2024-01-01T00:00:01Z" };
    for (uint64_t i = 0; i < 5; i++)
        put_le(out, i ? i : id);
    for (int i = 0; i < 3; i++) {
        put_le(out, strlen(texts[i]));
        esse_out_text(out, texts[i]);
    }
    put_le(out, 2); /* sessions */
    put_le(out, 2); /* transactions */
    put_le(out, 2); /* events */
    put_event(out, true, 1, 5, true);
    put_event(out, true, 1, 6, false);
    esse_out_char(out, 1);
    put_le(out, 1);
    put_event(out, true, UINT64_MAX, 7, true);
    esse_out_char(out, 0);
    put_le(out, 1);
    put_le(out, 2);
    put_event(out, false, 1, 0, true);
    put_event(out, true, 2, 0, true);
    esse_out_char(out, 1);
}

TEST(test_dbcop__bytes_become_transactions)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_out out;
    struct esse_error err;
    esse_out_init_memory(&out, arena);
    put_dbcop(&out, 10);
    struct esse_history *history = load_bytes(arena, "dbcop", out.buffer, out.count, &err);
    assert_non_null(history);
    CHECK_JSON(arena, write_text(arena, "native", history),
               "{'esse':'history','version':1}\n"
               "{'init':{'1':0}}\n"
               "{'session':0,'ops':[{'w':'1','v':5}]}\n"
               "{'session':0,'status':'aborted','ops':[{'w':'-1','v':7}]}\n"
               "{'session':1,'ops':[{'r':'1','v':0},{'w':'2','v':0}]}\n");
    CHECK_EQ(history->warning_count, 1);
    CHECK_EQ(history->warnings[0].count, 1);
    esse_arena_free(arena);
}

/* 35 is '#', with which EDN may begin; 10 is white space, and 123 a brace. */
TEST(test_dbcop__files_are_recognised_whatever_their_first_byte_is)
{
    for (uint64_t id = 0; id < 256; id++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_out out;
        struct esse_source source;
        esse_out_init_memory(&out, arena);
        put_dbcop(&out, id);
        esse_source_memory(&source, arena, out.buffer, out.count);
        CHECK(esse_format_sniff(&source) == esse_format_find("dbcop"));
        esse_source_close(&source);
        esse_arena_free(arena);
    }
}

/* Every beginning of a file is refused, with a byte, and so is one that goes on. */
TEST(test_dbcop__files_that_are_cut_off_are_refused)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_out out;
    struct esse_error err;
    esse_out_init_memory(&out, arena);
    put_dbcop(&out, 10);
    for (size_t length = 0; length < out.count; length++) {
        assert_null(load_bytes(arena, "dbcop", out.buffer, length, &err));
        CHECK_EQ(err.code, ESSE_EINPUT);
        unsigned at;
        CHECK_EQ(sscanf(err.text, "byte %u: the file ends within", &at), 1);
        CHECK_EQ(at, length);
    }
    esse_out_char(&out, 0);
    assert_null(load_bytes(arena, "dbcop", out.buffer, out.count, &err));
    assert_non_null(strstr(err.text, "expected the end of the file"));
    esse_arena_free(arena);
}

/* ---- Cobra ---- */

static void put_be(struct esse_out *out, char letter, size_t count, const int64_t *numbers)
{
    esse_out_char(out, letter);
    for (size_t i = 0; i < count; i++)
        for (int shift = 56; shift >= 0; shift -= 8)
            esse_out_char(out, (char)((uint64_t)numbers[i] >> shift & 0xff));
}

#define PUT_BE(out, letter, ...)                                                                   \
    put_be(out, letter, sizeof((int64_t[]){ __VA_ARGS__ }) / 8, (int64_t[]){ __VA_ARGS__ })

static void put_cobra(struct esse_out *out)
{
    PUT_BE(out, 'S', 7);
    PUT_BE(out, 'W', 100, -5, 1234);
    PUT_BE(out, 'R', 0xbebeebee, 0xdeadbeef, 6, 0);
    PUT_BE(out, 'R', 0xdeadbeef, 3, 6, 0);
    PUT_BE(out, 'C', 7);
    PUT_BE(out, 'S', 8);
    PUT_BE(out, 'W', 101, 6, 1);
    PUT_BE(out, 'S', 9);
    PUT_BE(out, 'R', 7, 100, -5, 1234);
    PUT_BE(out, 'C', 9);
}

TEST(test_cobra__records_become_transactions)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_out out;
    struct esse_error err;
    esse_out_init_memory(&out, arena);
    put_cobra(&out);
    struct esse_history *history = load_bytes(arena, "cobra", out.buffer, out.count, &err);
    assert_non_null(history);
    CHECK_JSON(arena, write_text(arena, "native", history),
               "{'esse':'history','version':1}\n"
               "{'session':'memory','txn':'7','ops':[{'w':'-5','v':100},{'r':'6','v':null},"
               "{'r':'6','v':3}]}\n"
               "{'session':'memory','txn':'8','status':'aborted','ops':[{'w':'6','v':101}]}\n"
               "{'session':'memory','txn':'9','ops':[{'r':'-5','v':100}]}\n");
    esse_arena_free(arena);
}

/* Ids are counted by every client for itself: transaction and write id together name a version. */
TEST(test_cobra__a_version_is_named_by_its_transaction_and_its_write_id)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_out out;
    struct esse_error err;
    esse_out_init_memory(&out, arena);
    PUT_BE(&out, 'S', 1);
    PUT_BE(&out, 'W', 5, 7, 1);
    PUT_BE(&out, 'W', 5, 8, 1);
    PUT_BE(&out, 'C', 1);
    PUT_BE(&out, 'S', 2);
    PUT_BE(&out, 'R', 3, 5, 7, 1);
    PUT_BE(&out, 'R', 1, 5, 8, 1);
    PUT_BE(&out, 'C', 2);
    PUT_BE(&out, 'S', 3);
    PUT_BE(&out, 'W', 5, 7, 1);
    PUT_BE(&out, 'C', 3);
    struct esse_history *history = load_bytes(arena, "cobra", out.buffer, out.count, &err);
    assert_non_null(history);
    CHECK_JSON(arena, write_text(arena, "native", history),
               "{'esse':'history','version':1}\n"
               "{'session':'memory','txn':'1','ops':[{'w':'7','v':5},{'w':'8','v':5}]}\n"
               "{'session':'memory','txn':'2','ops':[{'r':'7','v':'5 of 3'},{'r':'8','v':5}]}\n"
               "{'session':'memory','txn':'3','ops':[{'w':'7','v':'5 of 3'}]}\n");
    esse_arena_free(arena);
}

enum { NO_ID = 0xabddefee };

TEST(test_cobra__where_clients_kept_no_ids_the_value_names_the_version)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_out out;
    struct esse_error err;
    esse_out_init_memory(&out, arena);
    PUT_BE(&out, 'S', 1);
    PUT_BE(&out, 'W', NO_ID, 7, 10);
    PUT_BE(&out, 'R', NO_ID, NO_ID, 7, 11);
    PUT_BE(&out, 'R', 0xbebeebee, 0xbebeebee, 8, 99);
    PUT_BE(&out, 'C', 1);
    PUT_BE(&out, 'S', 2);
    PUT_BE(&out, 'W', NO_ID, 7, 11);
    PUT_BE(&out, 'W', NO_ID, 7, 10);
    PUT_BE(&out, 'C', 2);
    struct esse_history *history = load_bytes(arena, "cobra", out.buffer, out.count, &err);
    assert_non_null(history);
    CHECK_JSON(arena, write_text(arena, "native", history),
               "{'esse':'history','version':1}\n"
               "{'session':'memory','txn':'1','ops':[{'w':'7','v':10},{'r':'7','v':11},"
               "{'r':'8','v':null}]}\n"
               "{'session':'memory','txn':'2','ops':[{'w':'7','v':11},{'w':'7','v':10}]}\n");
    PUT_BE(&out, 'S', 3);
    PUT_BE(&out, 'R', 2, NO_ID, 7, 10);
    assert_null(load_bytes(arena, "cobra", out.buffer, out.count, &err));
    assert_non_null(strstr(err.text, "that names a writer; expected 0xabddefee"));
    esse_arena_free(arena);
}

/* Two writers of one value, or a value that as an id would mean something else. */
TEST(test_cobra__values_that_cannot_be_ids_are_written_without_ids)
{
    static const char *const texts[] = {
        "w(1,5,0,1)\nw(1,5,1,2)\nr(1,5,1,3)\n",
        "w(1,3735928559,0,1)\nr(1,3735928559,1,2)\n",
        "w(1,2883448814,0,1)\nr(1,2883448814,1,2)\nr(1,6,1,3)\nr(2,0,1,4)\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_history *history = load_text(arena, "plume", texts[i]);
        CHECK_TEXT(by_session(arena, through(arena, "cobra", history)), by_session(arena, history));
        esse_arena_free(arena);
    }
}

/* Between two records a log may end, and what was open then did not commit; nowhere else. */
TEST(test_cobra__a_log_that_is_cut_off_is_refused_unless_between_records)
{
    static const size_t ends[] = { 0, 9, 34, 67, 100, 109, 118, 143, 152, 185, 194 };
    struct esse_arena *arena = esse_arena_new();
    struct esse_out out;
    struct esse_error err;
    size_t next = 0;
    esse_out_init_memory(&out, arena);
    put_cobra(&out);
    CHECK_EQ(out.count, 194);
    for (size_t length = 0; length <= out.count; length++) {
        const bool ok = load_bytes(arena, "cobra", out.buffer, length, &err) != NULL;
        CHECK_EQ(ok, length == ends[next]);
        next += ok;
        if (!ok)
            assert_non_null(strstr(err.text, "the file ends within a record"));
    }
    esse_arena_free(arena);
}

/* Reads name the transaction that wrote, even where that is written later. */
TEST(test_cobra__reads_name_their_writer)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_error err;
    struct esse_out expected;
    const char *path = in_folder(arena, "writers");
    struct esse_history *history =
        load_text(arena, "plume", "r(1,5,0,70)\nr(1,0,0,70)\nr(1,6,0,70)\nw(1,5,1,71)\n");
    CHECK(save_as(arena, "cobra", history, path, false, &err));
    esse_out_init_memory(&expected, arena);
    PUT_BE(&expected, 'S', 70);
    PUT_BE(&expected, 'R', 71, 5, 1, 5);
    PUT_BE(&expected, 'R', 0xbebeebee, 0xbebeebee, 1, 0);
    PUT_BE(&expected, 'R', 0xdeadbeef, 6, 1, 6);
    PUT_BE(&expected, 'C', 70);
    FILE *file = fopen(esse_arena_format(arena, "%s/T0.log", path), "rb");
    char bytes[256];
    assert_non_null(file);
    CHECK_EQ(fread(bytes, 1, sizeof bytes, file), expected.count);
    fclose(file);
    assert_memory_equal(bytes, expected.buffer, expected.count);
    remove_tree(path);
    esse_arena_free(arena);
}

TEST(test_cobra__a_directory_appears_whole_or_not_at_all)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_error err;
    struct esse_directory found;
    const char *path = in_folder(arena, "logs");
    struct esse_history *good = load_text(arena, "plume", "w(1,5,10,70)\nr(1,5,2,71)\n");
    struct esse_history *bad = load_text(arena, "native", "{'session':0,'ops':[{'d':'1'}]}");
    CHECK(!save_as(arena, "cobra", bad, path, false, &err));
    assert_non_null(strstr(err.text, "cannot hold deletes"));
    CHECK_EQ(access(path, F_OK), -1);
    CHECK_EQ(mkdir(path, 0777), 0); /* an empty directory may be there */
    CHECK(save_as(arena, "cobra", good, path, false, &err));
    CHECK(esse_directory_list(&found, arena, path, NULL, &err));
    CHECK_EQ(found.count, 2);
    CHECK_TEXT(found.names[0], "T2.log"); /* numbers are numbers */
    CHECK_TEXT(found.names[1], "T10.log");
    CHECK(!save_as(arena, "cobra", good, path, false, &err)); /* but nothing is overwritten */
    CHECK_EQ(err.code, ESSE_EIO);
    CHECK(esse_directory_list(&found, arena, folder, NULL, &err) == false);
    CHECK(!save_as(arena, "cobra", good, "-", false, &err));
    remove_tree(path);
    esse_arena_free(arena);
}

/* ---- all that can be written ---- */

static const char *const written[] = { "plume", "dbcop", "cobra" };

/* DBCop's sessions have no names: 0, 1, 2 ... is all that it can hold. */
static bool is_numbered(const struct esse_history *history)
{
    for (uint32_t s = 0; s < history->sessions; s++)
        if (history->session_name[s].word >= esse_value_small(history->sessions).word)
            return false;
    return true;
}

TEST(test_peers__what_was_written_is_read_again)
{
    for (unsigned seed = test_first(60), after = seed + test_rounds(60); seed < after; seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_history *history = generate(arena, seed, 1 + seed % 50);
        const char *text = by_session(arena, history);
        for (size_t f = 0; f < 3; f++)
            if (strcmp(written[f], "dbcop") != 0 || is_numbered(history))
                CHECK_TEXT(by_session(arena, through(arena, written[f], history)), text);
        esse_arena_free(arena);
    }
}

/* Ids and the order of transactions too, where the file is text and small. */
TEST(test_plume__what_was_written_is_written_again_byte_for_byte)
{
    for (unsigned seed = test_first(100), after = seed + test_rounds(100); seed < after; seed++) {
        struct esse_arena *arena = esse_arena_new();
        const char *text = write_text(arena, "plume", generate(arena, seed * 31, 1 + seed));
        struct esse_history *history = load_text(arena, "plume", text);
        CHECK_TEXT(write_text(arena, "plume", history), text);
        const char *native = write_text(arena, "native", history);
        struct esse_history *again = load_text(arena, "native", native);
        CHECK_TEXT(write_text(arena, "plume", again), text);
        esse_arena_free(arena);
    }
}

/* Larger than a window, so that lines and records lie across its end. */
TEST(test_peers__large_files_are_read_as_small_ones)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = generate(arena, 4, 60000);
    const char *text = by_session(arena, history);
    for (size_t f = 0; f < 3; f++)
        CHECK_TEXT(by_session(arena, through(arena, written[f], history)), text);
    esse_arena_free(arena);
}

static void damage(struct esse_arena *arena, const char *format, const struct esse_out *good,
                   struct esse_rng *rng)
{
    char *bytes = esse_arena_text(arena, good->buffer, good->count);
    struct esse_error err;
    bytes[esse_rng_below(rng, (uint32_t)good->count)] = (char)esse_rng_below(rng, 256);
    const size_t length = good->count - esse_rng_below(rng, 3);
    if (!load_bytes(arena, format, bytes, length, &err))
        CHECK(*err.text && (err.code == ESSE_EINPUT));
}

/* One changed byte, the end cut off: refused with a reason, or read; never anything else. */
TEST(test_peers__damage_is_refused_or_read)
{
    for (unsigned seed = test_first(400), after = seed + test_rounds(400); seed < after; seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_rng rng = { seed };
        struct esse_out plume, dbcop, cobra;
        esse_out_init_memory(&plume, arena);
        esse_out_init_memory(&dbcop, arena);
        esse_out_init_memory(&cobra, arena);
        esse_out_text(&plume, write_text(arena, "plume", generate(arena, seed, 5)));
        put_dbcop(&dbcop, 10);
        put_cobra(&cobra);
        damage(arena, "plume", &plume, &rng);
        damage(arena, "dbcop", &dbcop, &rng);
        damage(arena, "cobra", &cobra, &rng);
        esse_arena_free(arena);
    }
}

/* ---- what they cannot hold ---- */

TEST(test_peers__what_cannot_be_held_is_an_error_that_names_it)
{
    static const struct {
        const char *formats, *native, *what;
    } cases[] = {
        { "plume dbcop cobra", "{'session':0,'ops':[{'a':'1','v':1}]}", "lists" },
        { "plume dbcop cobra", "{'session':0,'ops':[{'p':'TRUE','rows':{}}]}",
          "predicate operations" },
        { "plume dbcop cobra", "{'session':0,'ops':[{'d':'1'}]}", "deletes" },
        { "dbcop",
          "{'session':0,'ops':[{'w':'1','v':0}]}\n"
          "{'session':0,'ops':[{'r':'1','v':0}]}",
          "a read of the value 0" },
        { "plume dbcop", "{'session':0,'ops':[{'r':'1','v':0}]}", "a read of the value 0" },
        { "plume dbcop", "{'session':0,'ops':[{'r':'1','v':null},{'w':'1','v':0}]}",
          "the value 0 written to a key whose initial version is read" },
        { "plume cobra",
          "{'init':{'1':0}}\n"
          "{'session':0,'ops':[{'r':'1','v':0},{'w':'1','v':0}]}",
          "an initial value that is written too" },
        { "plume dbcop cobra",
          "{'init':{'1':0}}\n"
          "{'session':0,'ops':[{'r':'1','v':null}]}",
          "reads of nothing from a key that has an initial value" },
        { "plume dbcop cobra", "{'session':0,'ops':[{'w':'1','v':'x'}]}",
          "values that are not integers" },
        { "plume dbcop cobra", "{'session':0,'ops':[{'w':'x','v':1}]}",
          "keys that are not integers" },
        { "plume dbcop cobra", "{'session':'s','ops':[{'w':'1','v':1}]}",
          "sessions that are not integers" },
        { "dbcop", "{'session':1,'ops':[{'w':'1','v':1}]}", "not numbered 0, 1, 2" },
        { "dbcop", "{'session':0,'txn':'5','ops':[]}", "transaction ids" },
        { "plume cobra", "{'session':0,'txn':'t','ops':[{'w':'1','v':1}]}",
          "ids that are not integers" },
        { "plume cobra",
          "{'session':0,'txn':'5','ops':[{'w':'1','v':1}]}\n"
          "{'session':0,'ops':[{'w':'1','v':2}]}",
          "the ids of some transactions only" },
        { "plume cobra",
          "{'session':0,'ops':[{'w':'1','v':1}]}\n"
          "{'session':0,'txn':'5','ops':[{'w':'1','v':2}]}",
          "the ids of some transactions only" },
        { "plume", "{'session':0,'txn':'-1','ops':[{'w':'1','v':1}]}", "id -1" },
        { "plume", "{'session':0,'ops':[]}", "transactions without operations" },
        { "plume", "{'session':0,'status':'aborted','ops':[{'w':'1','v':1},{'w':'1','v':2}]}",
          "belong together" },
        { "plume dbcop cobra", "{'session':0,'status':'unknown','ops':[{'w':'1','v':1}]}",
          "unknown outcome" },
        { "plume dbcop cobra", "{'session':0,'status':'aborted','ops':[{'r':'1'}]}",
          "reads whose result is not known" },
        { "plume dbcop cobra", "{'session':0,'start':1,'end':2,'ops':[{'w':'1','v':1}]}",
          "client times" },
        { "plume dbcop cobra", "{'session':0,'commit_ts':1,'ops':[{'w':'1','v':1}]}",
          "server timestamps" },
        { "plume dbcop cobra", "{'session':0,'ops':[{'w':'1','v':1,'t':[1,2]}]}",
          "the interval of an operation" },
        { "plume dbcop", "{'init':{'1':5}}", "initial values other than 0" },
        { "plume dbcop cobra", "{'version_order':{'1':[]}}", "version orders" },
        { "plume dbcop cobra", "{'order':[]}", "a serialization order" },
        { "plume dbcop cobra", "{'esse':'history','version':1,'in_version_order':true}",
          "that the versions are in the order of the file" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t f = 0; f < 3; f++) {
            if (!strstr(cases[i].formats, written[f]))
                continue;
            struct esse_arena *arena = esse_arena_new();
            struct esse_error err = { 0 };
            const char *path = in_folder(arena, "lost");
            struct esse_history *history = load_text(arena, "native", cases[i].native);
            if (save_as(arena, written[f], history, path, false, &err))
                fail_msg("%s as %s was written", cases[i].native, written[f]);
            if (!strstr(err.text, cases[i].what))
                fail_msg("'%s' does not speak of '%s'", err.text, cases[i].what);
            CHECK_EQ(access(path, F_OK), -1);
            if (!save_as(arena, written[f], history, path, true, &err))
                fail_msg("%s as %s, lossy: %s", cases[i].native, written[f], err.text);
            remove_tree(path);
            esse_arena_free(arena);
        }
    }
}

TEST(test_peers__lossy_drops_what_it_must_and_no_more)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_error err;
    struct esse_out out;
    struct esse_history *history =
        load_text(arena, "native",
                  "{'init':{'x':5}}\n"
                  "{'session':'s','txn':'a','start':1,'end':2,'ops':[{'r':'x','v':5},"
                  "{'w':'x','v':6},{'a':'l','v':1}]}\n"
                  "{'session':7,'status':'unknown','ops':[{'r':'x'},{'w':'y','v':0}]}\n"
                  "{'session':7,'status':'aborted','ops':[{'w':'8','v':1},{'w':'8','v':2}]}\n");
    esse_out_init_memory(&out, arena);
    struct esse_sink *sink = esse_format_find("plume")->writer(arena, history->values, &out, true);
    CHECK(esse_history_emit(history, sink, &err));
    CHECK_TEXT(esse_out_memory(&out), "r(4611686018427387904,0,4611686018427387904,1)\n"
                                      "w(4611686018427387904,6,4611686018427387904,1)\n"
                                      "w(4611686018427387905,0,7,2)\n"
                                      "w(8,1,7,-1)\nw(8,2,7,-1)\n");
    esse_arena_free(arena);
}

/* ---- recognising ---- */

TEST(test_peers__files_are_recognised_by_their_bytes)
{
    static const struct {
        const char *text, *format;
    } cases[] = {
        { "r(1,2,3,4)\n", "plume" },
        { "\n\n  w(-1,2,3,4)\n", "plume" },
        { "w 1 2\n", "awdit" },
        { "r 1 2", "awdit" },
        { "S01234567W", "cobra" },
        { "S01234567", "cobra" },
        { "{'session':0}", "native" },
        { "{:type :ok}", "jepsen-edn" },
        { "[{'type':'ok'}]", "elle-json" },
        { "Some words of text", NULL },
        { "right (or wrong)", NULL },
        { "write it down", NULL },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_source source;
        esse_source_memory(&source, arena, json(arena, cases[i].text), strlen(cases[i].text));
        const struct esse_format *format = esse_format_sniff(&source);
        CHECK_TEXT(format ? format->name : "none", cases[i].format ? cases[i].format : "none");
        esse_source_close(&source);
        esse_arena_free(arena);
    }
}

/* A directory's errors name the file in it. */
TEST(test_peers__errors_in_a_directory_name_the_file)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_error err;
    struct esse_history *history;
    const char *path = in_folder(arena, "damaged");
    CHECK_EQ(mkdir(path, 0777), 0);
    CHECK(!esse_history_load(arena, path, NULL, &history, &err));
    CHECK_TEXT(err.text, "a directory without a history; expected history.jsonl, history.edn, "
                         "*.log (Cobra) or history.bincode (DBCop)");
    FILE *file = fopen(esse_arena_format(arena, "%s/T3.log", path), "wb");
    assert_non_null(file);
    fputs("S12345678X", file);
    fclose(file);
    CHECK(!esse_history_load(arena, path, NULL, &history, &err));
    CHECK_TEXT(err.text, "T3.log: byte 9: found 'X', expected a record: S, W, R or C");
    struct esse_load_options native = { .format = "native" };
    CHECK(!esse_history_load(arena, path, &native, &history, &err));
    CHECK_TEXT(err.text, "a directory; expected a file in the format native");
    remove_tree(path);
    esse_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plume__lines_become_transactions),
        cmocka_unit_test(test_plume__sessions_may_be_interleaved_line_by_line),
        cmocka_unit_test(test_plume__minus_one_is_an_aborted_operation),
        cmocka_unit_test(test_plume__zero_is_the_initial_version_only_where_nobody_wrote_it),
        cmocka_unit_test(test_plume__what_waits_too_long_is_overtaken_and_not_lost),
        cmocka_unit_test(test_plume__a_session_that_pauses_is_not_overtaken),
        cmocka_unit_test(test_plume__names_that_are_used_twice_are_refused),
        cmocka_unit_test(test_plume__what_was_written_is_written_again_byte_for_byte),
        cmocka_unit_test(test_awdit__dashes_end_transactions_and_equals_signs_sessions),
        cmocka_unit_test(test_dbcop__bytes_become_transactions),
        cmocka_unit_test(test_dbcop__files_are_recognised_whatever_their_first_byte_is),
        cmocka_unit_test(test_dbcop__files_that_are_cut_off_are_refused),
        cmocka_unit_test(test_cobra__records_become_transactions),
        cmocka_unit_test(test_cobra__a_version_is_named_by_its_transaction_and_its_write_id),
        cmocka_unit_test(test_cobra__where_clients_kept_no_ids_the_value_names_the_version),
        cmocka_unit_test(test_cobra__values_that_cannot_be_ids_are_written_without_ids),
        cmocka_unit_test(test_cobra__a_log_that_is_cut_off_is_refused_unless_between_records),
        cmocka_unit_test(test_cobra__reads_name_their_writer),
        cmocka_unit_test(test_cobra__a_directory_appears_whole_or_not_at_all),
        cmocka_unit_test(test_peers__what_was_written_is_read_again),
        cmocka_unit_test(test_peers__large_files_are_read_as_small_ones),
        cmocka_unit_test(test_peers__damage_is_refused_or_read),
        cmocka_unit_test(test_peers__what_cannot_be_held_is_an_error_that_names_it),
        cmocka_unit_test(test_peers__lossy_drops_what_it_must_and_no_more),
        cmocka_unit_test(test_peers__files_are_recognised_by_their_bytes),
        cmocka_unit_test(test_peers__errors_in_a_directory_name_the_file),
    };
    if (!mkdtemp(folder))
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove_tree(folder);
    return failed;
}
