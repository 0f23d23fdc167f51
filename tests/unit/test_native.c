#include "formats/native.h"
#include "generate/gen.h"
#include "history/access.h"
#include "history/pg_snapshot.h"
#include "load_portions.h"

#include <unistd.h>

/* A generated history as native text. */
static const char *generate(struct esse_arena *arena, const struct esse_gen_options *options)
{
    struct esse_out *out = esse_arena_alloc(arena, 1, sizeof *out);
    struct esse_error err;
    esse_out_init_memory(out, arena);
    struct esse_sink *sink =
        esse_format_find("native")->writer(arena, esse_values_new(arena), out, false);
    if (!esse_gen_run(options, sink, NULL, &err))
        fail_msg("%s", err.text);
    return esse_out_memory(out);
}

/* Every combination of what a native file can hold, small. */
static struct esse_gen_options random_options(struct esse_rng *rng)
{
    struct esse_gen_options options =
        esse_gen_defaults(esse_gen_workload_names[esse_rng_below(rng, ESSE_GEN_WORKLOADS)]);
    options.txns = 1 + esse_rng_below(rng, 60);
    options.work.ops = 1 + esse_rng_below(rng, 5);
    options.work.keys = 1 + esse_rng_below(rng, 12);
    options.work.sessions = 1 + esse_rng_below(rng, 5);
    options.work.seed = esse_rng_next(rng);
    options.work.abort_share = 0.1;
    options.work.aggregate_share = esse_rng_below(rng, 2) * 0.3;
    options.crash_share = 0.1;
    options.has_times = esse_rng_below(rng, 2);
    options.has_op_times = options.has_times && esse_rng_below(rng, 2);
    options.has_server_times = esse_rng_below(rng, 2);
    options.has_certificate = esse_rng_below(rng, 2);
    options.has_vsets =
        esse_gen_data(options.workload) == ESSE_GEN_PREDICATE && esse_rng_below(rng, 2);
    return options;
}

TEST(test_native__what_was_written_is_written_again_byte_for_byte)
{
    for (unsigned seed = test_first(300), after = seed + test_rounds(300); seed < after; seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_rng rng = { seed };
        struct esse_gen_options options = random_options(&rng);
        const char *text = generate(arena, &options);
        CHECK_TEXT(write_text(arena, "native", load_text(arena, "native", text)), text);
        esse_arena_free(arena);
    }
}

/* A space after every bracket and comma keeps the scanner off its fast paths. */
static char *with_spaces(struct esse_arena *arena, const char *text)
{
    char *spaced = esse_arena_alloc(arena, strlen(text) * 2 + 1, 1), *to = spaced;
    bool in_string = false;
    for (; *text; text++) {
        in_string ^= *text == '"';
        *to++ = *text;
        if (!in_string && strchr("{[,:", *text))
            *to++ = ' ';
    }
    return spaced;
}

TEST(test_native__the_fast_path_reads_what_the_slow_one_reads)
{
    for (unsigned seed = test_first(300), after = seed + test_rounds(300); seed < after; seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_rng rng = { seed * 77 };
        struct esse_gen_options options = random_options(&rng);
        const char *text = generate(arena, &options);
        struct esse_history *slow = load_text(arena, "native", with_spaces(arena, text));
        CHECK_TEXT(write_text(arena, "native", slow), text);
        esse_arena_free(arena);
    }
}

/* One changed byte: refused with a place inside the text, or read; never anything else. */
TEST(test_native__a_damaged_byte_is_refused_or_read)
{
    unsigned refused = 0;
    for (unsigned seed = test_first(3000), after = seed + test_rounds(3000); seed < after; seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_rng rng = { seed % 50 };
        struct esse_gen_options options = random_options(&rng);
        options.txns = 5;
        char *text = (char *)generate(arena, &options);
        struct esse_rng damage = { seed };
        size_t length = strlen(text), at = esse_rng_below(&damage, (uint32_t)length);
        text[at] = (char)esse_rng_below(&damage, 256);
        struct esse_error err;
        if (!load_bytes(arena, "native", text, length, &err)) {
            refused++;
            CHECK_EQ(err.code, ESSE_EINPUT);
            CHECK(err.line >= 1);
            CHECK(err.text[0]);
        }
        esse_arena_free(arena);
    }
    CHECK(refused > 100);
}

TEST(test_native__a_truncated_file_is_refused_or_a_prefix)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_rng rng = { 4 };
    struct esse_gen_options options = random_options(&rng);
    options.has_certificate = false;
    options.txns = 10;
    const char *text = generate(arena, &options);
    for (size_t length = 0; length < strlen(text); length++) {
        struct esse_error err;
        struct esse_history *history = load_bytes(arena, "native", text, length, &err);
        bool between_lines = !length || text[length - 1] == '\n' || text[length] == '\n';
        CHECK_EQ(history != NULL, between_lines);
    }
    esse_arena_free(arena);
}

static const char sample[] = "{'esse':'history','version':1,'db':'postgresql 15.4'}\n"
                             "{'session':0,'txn':'a1','status':'committed','start':100,"
                             "'end':140,'ops':[{'r':'x','v':null},{'w':'x','v':1}]}\n"
                             "\n"
                             "{'session':1,'txn':'b1','ops':[{'r':'x','v':1,'t':[125,130]},"
                             "{'a':'l','v':7},{'r':'l','v':[7]},{'d':'y'}]}\n"
                             "{'session':'s','status':'unknown','ops':[{'r':'x'},{'u':'v < 5',"
                             "'rows':{'x':[1,6]},'vset':{'x':1}}]}\n"
                             "{'init':{'y':0}}\n"
                             "{'version_order':{'x':[1,{'txn':'s/0'}]}}\n"
                             "{'order':['a1','b1']}";

TEST(test_native__the_columns_hold_what_the_lines_say)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *h = load_text(arena, "native", sample);
    CHECK_EQ(h->txns, 3);
    CHECK_EQ(h->ops, 8);
    CHECK_EQ(h->sessions, 3);
    CHECK_EQ(h->keys, 3);
    CHECK_EQ(h->txn_line[1], 4);
    CHECK_EQ(h->txn_time[0].begin, 100);
    CHECK(h->txn_time[1].begin == ESSE_NO_TIME);
    CHECK_EQ(h->op_time[2].end, 130);
    CHECK(h->op_time[0].begin == ESSE_NO_TIME);
    CHECK_EQ(esse_txn_recorded(h, 2), ESSE_UNKNOWN_OUTCOME);
    CHECK_EQ(h->txn_status[2], ESSE_COMMITTED); /* a version order names it */
    CHECK(esse_value_eq(h->op_value[6], ESSE_NONE));
    CHECK_EQ(h->predicates[0].vset_count, 1);
    CHECK_EQ(h->version_orders[0].versions[1].txn.ix, 2);
    CHECK_EQ(h->order_count, 2);
    CHECK_EQ(h->order[1].ix, 1);
    uint32_t count;
    CHECK(esse_value_eq(esse_history_list(h, h->op_value[4], &count)[0], esse_value_small(7)));
    CHECK_EQ(count, 1);
    char name[16];
    esse_txn_name(h, (esse_txn){ 2 }, name, sizeof name);
    CHECK_TEXT(name, "s/0");
    esse_arena_free(arena);
}

static const char certified[] =
    "{'esse':'history','version':1}\n"
    "{'session':0,'txn':'a','commit_ts':4,'xid':731,'ops':[{'w':'t/1','v':5},{'r':'t/1','v':5,"
    "'snapshot':'731:731:'}]}\n"
    "{'session':1,'txn':'b','ops':[{'p':'SELECT sum(v), min(v) FROM t',"
    "'result':['12345678901234567890',null],'snapshot':'731:740:733,735'},"
    "{'p':'SELECT count(*) FROM t','rows':{'t/1':5},'result':[1],'vset':{'t/1':5},'t':[1,2]},"
    "{'p':'SELECT v FROM t','result':[]}]}\n"
    "{'session':1,'txn':'c','xid':0,'ops':[]}\n"
    "{'version_order':{'t/1':[5]}}\n"
    "{'order':['a']}\n"
    "{'certificate':'postgresql-snapshots','complete':true}\n";

TEST(test_native__certificates_results_and_snapshots_are_kept)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *h = load_text(arena, "native", certified);
    CHECK_EQ(h->certificate.kind, ESSE_CERTIFICATE_POSTGRESQL_SNAPSHOTS);
    CHECK(h->certificate.complete);
    CHECK_EQ(h->txn_xid[0], 731);
    CHECK(h->txn_xid[1] == ESSE_NO_TIME);
    CHECK_EQ(h->txn_xid[2], 0);
    CHECK(esse_value_eq(h->op_snapshot[0], ESSE_NONE));
    CHECK(esse_value_eq(h->op_snapshot[3], ESSE_NONE));
    const struct esse_predicate_op *sum = &h->predicates[0], *count = &h->predicates[1];
    CHECK(sum->no_rows && sum->has_result && !count->no_rows && count->has_result);
    CHECK_EQ(sum->result_count, 2);
    CHECK(esse_value_eq(esse_history_result(h, sum)[1], ESSE_NIL));
    CHECK(esse_value_eq(esse_history_result(h, count)[0], esse_value_small(1)));
    CHECK_EQ(count->row_count, 1);
    CHECK(h->predicates[2].has_result && h->predicates[2].result_count == 0);
    CHECK_EQ(esse_access_count(h, 2), 0);
    unsigned has = ESSE_HAS_SNAPSHOTS | ESSE_HAS_XIDS | ESSE_HAS_CERTIFICATE | ESSE_HAS_RESULTS;
    CHECK_EQ(h->has & has, has);
    CHECK_JSON(arena, write_text(arena, "native", h), certified);
    esse_arena_free(arena);
}

TEST(test_native__snapshots_of_postgresql_see_what_is_over)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *h = load_text(arena, "native", certified);
    static const struct {
        const char *text;
        bool good;
    } cases[] = { { "1:2:", true },     { "5:5:", true },
                  { "5:9:5,8", true },  { "5:9:5,9", false },
                  { "5:9:4", false },   { "5:9:7,6", false },
                  { "5:9:6,6", false }, { "5:9:6,", false },
                  { "5:9:,6", false },  { "9:5:", false },
                  { "5:9", false },     { "5:", false },
                  { "", false },        { "5:9:6 ", false },
                  { "-1:9:", false },   { "5:9:6:", false },
                  { "5x:9:6", false },  { "5:9223372036854775807:", true },
                  { ":9:", false },     { "5:99999999999999999999:", false } };
    struct esse_pg_snapshot snapshot;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        esse_value text = esse_value_string(h->values, cases[i].text, strlen(cases[i].text));
        if (esse_pg_snapshot_parse(&snapshot, h->values, text) != cases[i].good)
            fail_msg("'%s'", cases[i].text);
    }
    CHECK(!esse_pg_snapshot_parse(&snapshot, h->values, esse_value_small(5)));
    CHECK(esse_pg_snapshot_parse(&snapshot, h->values, h->op_snapshot[2]));
    static const int64_t seen[] = { 0, 730, 731, 732, 734, 736, 739 };
    static const int64_t unseen[] = { 733, 735, 740, 741 };
    for (size_t i = 0; i < 7; i++)
        CHECK(esse_pg_snapshot_sees(&snapshot, seen[i]));
    for (size_t i = 0; i < 4; i++)
        CHECK(!esse_pg_snapshot_sees(&snapshot, unseen[i]));
    esse_arena_free(arena);
}

TEST(test_native__an_update_reads_and_writes_its_rows)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *h = load_text(arena, "native", sample);
    esse_key x;
    esse_value value;
    CHECK(esse_history_key(h, esse_value_short(ESSE_TAG_STRING, "x", 1), &x));
    CHECK(esse_op_read_of(h, 7, x, &value));
    CHECK(esse_value_eq(value, esse_value_small(1)));
    CHECK(esse_op_write_of(h, 7, x, &value));
    CHECK(esse_value_eq(value, esse_value_small(6)));
    CHECK_EQ(esse_op_txn(h, 7).ix, 2);
    esse_arena_free(arena);
}

TEST(test_native__an_empty_file_is_an_empty_history)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *h = load_text(arena, "native", "");
    CHECK_EQ(h->txns, 0);
    CHECK_EQ(h->ops, 0);
    h = load_text(arena, "native", "\n  \n");
    CHECK_EQ(h->txns, 0);
    esse_arena_free(arena);
}

TEST(test_native__keys_are_numbered_in_the_order_of_appearance)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *h =
        load_text(arena, "native",
                  "{'session':0,'ops':[{'w':'b','v':1},{'w':'a much longer key','v':1},"
                  "{'w':'','v':1},{'w':'b','v':2},{'w':'a much longer key','v':3}]}\n");
    static const uint32_t expected[] = { 0, 1, 2, 0, 1 };
    for (int i = 0; i < 5; i++)
        CHECK_EQ(h->op_key[i], expected[i]);
    esse_arena_free(arena);
}

/* As load_bytes, from a file. */
static struct esse_history *load_file(struct esse_arena *arena, const char *bytes, size_t length,
                                      unsigned threads, struct esse_error *err)
{
    const struct esse_load_options options = { .threads = threads };
    struct esse_history *history = NULL;
    char path[64];
    snprintf(path, sizeof path, "/tmp/esse-test-%d.jsonl", (int)getpid());
    FILE *file = fopen(path, "w");
    fwrite(bytes, 1, length, file);
    fclose(file);
    *err = (struct esse_error){ 0 };
    if (!esse_history_load(arena, path, &options, &history, err))
        history = NULL;
    unlink(path);
    return history;
}

/* Windows are a quarter of a megabyte: lines that cross their ends, and one line longer than a
 * window. */
TEST(test_native__lines_may_cross_windows)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_out text;
    struct esse_error err;
    esse_out_init_memory(&text, arena);
    esse_out_text(&text, "{'esse':'history','version':1}\n");
    for (int txn = 0; txn < 9000; txn++) {
        esse_out_f(&text, "{'session':%d,'ops':[", txn % 7);
        for (int op = 0; op < (txn == 5000 ? 60000 : txn % 23); op++)
            esse_out_f(&text, "%s{'w':'k%d','v':%d}", op ? "," : "", op % 50, txn * 100 + op);
        esse_out_text(&text, "]}\n");
    }
    const char *bytes = json(arena, esse_out_memory(&text));
    CHECK(text.count > 3 << 20);
    for (unsigned threads = 1; threads < 4; threads++) {
        struct esse_history *history = load_file(arena, bytes, text.count, threads, &err);
        CHECK(history);
        CHECK_TEXT(write_text(arena, "native", history), bytes);
        CHECK_EQ(history->txn_line[8999], 9001);
    }
    esse_arena_free(arena);
}

/* A line that is whole is refused where it is wrong, also if the next window might say more. */
TEST(test_native__what_is_wrong_at_the_end_of_a_window_is_refused)
{
    enum { WINDOW = 256 << 10 };
    static const char *const wrong[] = { "{\"session\":\"\xc3", "{\"session\":\"\\u00",
                                         "{\"session\":1" };
    char *text = malloc(2 * WINDOW);
    for (size_t i = 0; i < 3; i++) {
        for (size_t before = 0; before < 12; before++) {
            struct esse_arena *arena = esse_arena_new();
            struct esse_error err;
            const size_t length = strlen(wrong[i]), at = WINDOW - length - before;
            memset(text, '\n', 2 * WINDOW);
            memcpy(text, "{\"init\":{}}", 11);
            memcpy(text + at, wrong[i], length);
            CHECK(!load_file(arena, text, 2 * WINDOW, 1 + before % 2, &err));
            CHECK_EQ(err.code, ESSE_EINPUT);
            CHECK_EQ(err.line, at - 11 + 1);
            CHECK(err.text[0]);
            esse_arena_free(arena);
        }
    }
    free(text);
}

/* Names that end in the same number, in a multiple of every table's size, or in none. */
static void any_name(struct esse_rng *rng, char name[24])
{
    static const char *const before[] = { "", "", "k", "0", "000", "account-" };
    static const char *const after[] = { "", "", "", "x", ",1" };
    unsigned number = esse_rng_below(rng, 400) * (esse_rng_below(rng, 2) ? 1 : 8192);
    snprintf(name, 24, "%s%u%s", before[esse_rng_below(rng, 6)], number,
             after[esse_rng_below(rng, 5)]);
}

TEST(test_native__keys_of_all_kinds_are_told_apart)
{
    enum { OPS = 12000, LENGTH = 24 };
    struct esse_arena *arena = esse_arena_new();
    struct esse_rng rng = { 11 };
    struct esse_out text;
    char(*names)[LENGTH] = esse_arena_alloc(arena, OPS, LENGTH);
    uint32_t *key = esse_arena_alloc(arena, OPS, sizeof *key), keys = 0;
    esse_out_init_memory(&text, arena);
    for (uint32_t i = 0; i < OPS; i++) {
        any_name(&rng, names[keys]);
        while (strcmp(names[key[i]], names[keys]) != 0)
            key[i]++;
        keys += key[i] == keys;
        esse_out_f(&text, "{'session':0,'ops':[{'r':'%s','v':1}]}\n", names[key[i]]);
    }
    CHECK(keys > 4096);
    struct esse_history *h = load_text(arena, "native", esse_out_memory(&text));
    CHECK_EQ(h->keys, keys);
    for (uint32_t i = 0; i < OPS; i++)
        CHECK_EQ(h->op_key[i], key[i]);
    for (uint32_t k = 0; k < keys; k++) {
        char room[8];
        struct esse_span name = esse_value_text(h->values, h->key_name[k], room);
        CHECK(name.length == strlen(names[k]) && memcmp(name.at, names[k], name.length) == 0);
    }
    esse_arena_free(arena);
}

/* Ids that grow, that jump about, that not all have: each is found, and none may come twice. */
TEST(test_native__ids_may_come_in_any_order)
{
    enum { TXNS = 60 };
    for (unsigned seed = test_first(100), after = seed + test_rounds(100); seed < after; seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_rng rng = { seed };
        struct esse_out text;
        struct esse_error err;
        char ids[TXNS][24];
        esse_out_init_memory(&text, arena);
        for (unsigned i = 0; i < TXNS; i++) {
            const char *quote = esse_rng_below(&rng, 9) ? "" : "'";
            snprintf(ids[i], sizeof ids[i], "%s%s%u%s", quote, *quote ? "t" : "",
                     seed % 3 == 1 ? i * 7 % TXNS : i, quote);
            if (seed % 3 == 2 && i % 3 == 0)
                esse_out_text(&text, "{'session':0,'ops':[]}\n");
            else
                esse_out_f(&text, "{'session':0,'txn':%s,'ops':[]}\n", ids[i]);
        }
        const unsigned some = TXNS - 1 - esse_rng_below(&rng, TXNS / 3) * 3;
        esse_out_f(&text, "{'order':[%s,%s]}\n", ids[some], ids[1]);
        struct esse_history *h = load_text(arena, "native", esse_out_memory(&text));
        CHECK_EQ(h->order[0].ix, some);
        CHECK_EQ(h->order[1].ix, 1);

        esse_out_f(&text, "{'session':1,'txn':%s,'ops':[]}\n", ids[some]);
        CHECK(!load_bytes(arena, "native", text.buffer, text.count, &err));
        CHECK_EQ(err.line, TXNS + 2);
        esse_arena_free(arena);
    }
}

/* One string of 8 MB, plain and with escapes: read in time proportional to its length. */
TEST(test_native__a_gigantic_token_is_read)
{
    enum { LENGTH = 8 << 20 };
    for (int escaped = 0; escaped < 2; escaped++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_out text;
        esse_out_init_memory(&text, arena);
        esse_out_text(&text, "{'session':0,'ops':[{'w':'");
        for (int i = 0; i < LENGTH / 2; i++)
            esse_out_text(&text, escaped ? "\\n" : "ab");
        esse_out_text(&text, "','v':1}]}\n");
        struct esse_history *h = load_text(arena, "native", esse_out_memory(&text));
        char room[8];
        CHECK_EQ(esse_value_text(h->values, h->key_name[0], room).length,
                 escaped ? LENGTH / 2 : LENGTH);
        esse_arena_free(arena);
    }
}

/* ---- in several threads ---- */

/* Keys too long for a word, so that every portion makes atoms. */
static const char *with_long_keys(struct esse_arena *arena, const char *text)
{
    struct esse_out *out = esse_arena_alloc(arena, 1, sizeof *out);
    esse_out_init_memory(out, arena);
    while (*text) {
        const bool is_key =
            strncmp(text, "{\"r\":\"", 6) == 0 || strncmp(text, "{\"w\":\"", 6) == 0;
        const size_t length = is_key ? 6 : 1;
        esse_out_bytes(out, text, length);
        esse_out_text(out, is_key ? "key number " : "");
        text += length;
    }
    return esse_out_memory(out);
}

TEST(test_native__two_threads_read_what_one_reads)
{
    static const size_t bytes[] = { 1, 100, 1000, 1 << 20 };
    for (unsigned seed = test_first(300), after = seed + test_rounds(300); seed < after; seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_rng rng = { seed * 13 };
        struct esse_error err;
        struct esse_gen_options options = random_options(&rng);
        const char *text = generate(arena, &options);
        if (seed % 2 && !options.has_certificate)
            text = with_long_keys(arena, text);
        struct esse_history *alone = load_text(arena, "native", text);
        for (size_t i = 0; i < 4; i++) {
            struct esse_history *both =
                load_portions(arena, "native", text, strlen(text), 2 + seed % 2, bytes[i], &err);
            CHECK(both);
            check_same(alone, both);
            CHECK_TEXT(write_text(arena, "native", both), write_text(arena, "native", alone));
        }
        esse_arena_free(arena);
    }
}

/* The reader makes atoms and so does the builder, of ids that are large numbers in quotes. */
TEST(test_native__two_threads_number_atoms_as_one_does)
{
    static const char text[] =
        "{\"esse\":\"history\",\"version\":1,\"db\":\"a long name\",\"isolation\":\"another one\","
        "\"columns\":[\"the first one\",\"b\"]}\r\n"
        "{\"session\":\"4611686018427387904\",\"txn\":\"transaction 1\",\"ops\":["
        "{\"w\":\"the first key\",\"v\":{\"b\":\"a long value\",\"the first "
        "one\":4611686018427387905}},"
        "{\"r\":\"l\",\"v\":[\"item number 1\",2,\"a long value\"]},{\"d\":\"key number 3\"}]}\r\n"
        "{\"session\":4611686018427387905,\"txn\":\"4611686018427387906\",\"ops\":["
        "{\"r\":\"the first key\",\"v\":\"item number 1\",\"t\":[1,2]},"
        "{\"r\":\"l\",\"v\":[\"item number 1\"],\"t\":[2,2]},"
        "{\"u\":\"b = 'a long value'\",\"rows\":{\"the first key\":[{\"b\":\"old value\"},4]},"
        "\"vset\":{\"another key\":\"4611686018427387906\"}}]}\r\n"
        "{\"session\":5,\"xid\":4611686018427387907,\"ops\":["
        "{\"r\":\"the first key\",\"v\":null,\"snapshot\":\"100000:100001:100000\"},"
        "{\"p\":\"SELECT max(b) FROM t\",\"result\":[\"the largest one\",null,3],"
        "\"snapshot\":\"100000:100002:100001\"},"
        "{\"p\":\"SELECT b FROM t\",\"rows\":{\"the first key\":\"some new value\"},\"result\":"
        "[\"another large one\"],\"vset\":{\"key number 9\":\"and this value\"}},"
        "{\"r\":\"l\",\"v\":[\"item number 1\"]}]}\r\n"
        "{\"complete\":true,\"certificate\":\"postgresql-snapshots\"}\r\n"
        "\r\n"
        "{\"init\":{\"the first key\":\"initial value\"}}\r\n"
        "{\"version_order\":{\"the first key\":[\"item number 1\",{\"txn\":\"transaction "
        "1\"}],\"l\":[],"
        "\"the last key\":[\"the last value\",\"a long value\"],\"key number 3\":[\"old value\"]}}"
        "\r\n{\"order\":[\"4611686018427387906\",\"transaction 1\"]}";
    struct esse_arena *arena = esse_arena_new();
    struct esse_error err;
    struct esse_history *alone = load_text(arena, "native", text);
    CHECK(esse_values_atoms(alone->values) > 15);
    for (size_t bytes = 1; bytes < sizeof text; bytes++) {
        struct esse_history *both =
            load_portions(arena, "native", text, sizeof text - 1, 2, bytes, &err);
        CHECK(both);
        check_same(alone, both);
        CHECK_TEXT(write_text(arena, "native", both), write_text(arena, "native", alone));
    }
    esse_arena_free(arena);
}

/* A statement is written once, in the header, and operations of any kind name it by its number. */
TEST(test_native__statements_stay_with_their_operations)
{
    struct esse_arena *arena = esse_arena_new();
    const char *text =
        json(arena, "{'esse':'history','version':1,'columns':['v'],'statements':["
                    "'SELECT v FROM t\\n WHERE v > :least','UPDATE t SET v = :v WHERE id = :id']}\n"
                    "{'session':0,'ops':[{'w':'t/1','v':1}]}\n"
                    "{'session':0,'ops':[{'p':'v > 0','rows':{'t/1':1},'s':1},"
                    "{'r':'t/1','v':1,'t':[5,7],'s':2,'snapshot':3},"
                    "{'w':'t/1','v':2,'s':2},{'d':'t/1'}]}\n");
    static const uint32_t statements[] = { 0, 1, 2, 2, 0 };
    struct esse_error err;
    const struct esse_history *alone = load_text(arena, "native", text);
    CHECK_EQ(alone->header.statement_count, 2);
    assert_memory_equal(alone->op_statement, statements, sizeof statements);
    CHECK_TEXT(write_text(arena, "native", alone), text);
    for (size_t bytes = 1; bytes <= strlen(text); bytes += 40) {
        struct esse_history *both =
            load_portions(arena, "native", text, strlen(text), 2, bytes, &err);
        CHECK(both);
        check_same(alone, both);
        CHECK_TEXT(write_text(arena, "native", both), text);
    }
    CHECK(!load_text(arena, "native", "{'session':0,'ops':[{'d':'x'}]}")->op_statement);
    esse_arena_free(arena);
}

/* Also where both have something to refuse: the first line decides. */
TEST(test_native__two_threads_refuse_in_the_same_words)
{
    unsigned refused = 0;
    for (unsigned seed = test_first(3000), after = seed + test_rounds(3000); seed < after; seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_rng rng = { seed % 50 }, damage = { seed };
        struct esse_gen_options options = random_options(&rng);
        options.txns = 20;
        char *text = (char *)generate(arena, &options);
        const size_t length = strlen(text);
        for (int i = 0; i < 2; i++)
            text[esse_rng_below(&damage, (uint32_t)length)] = (char)esse_rng_below(&damage, 256);
        struct esse_error alone, both;
        const bool read = load_bytes(arena, "native", text, length, &alone);
        const size_t bytes = 1 + esse_rng_below(&damage, 2000);
        CHECK_EQ(load_portions(arena, "native", text, length, 2, bytes, &both) != NULL, read);
        if (!read) {
            refused++;
            check_same_error(&both, &alone);
        }
        esse_arena_free(arena);
    }
    CHECK(refused > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_native__a_gigantic_token_is_read),
        cmocka_unit_test(test_native__what_was_written_is_written_again_byte_for_byte),
        cmocka_unit_test(test_native__the_fast_path_reads_what_the_slow_one_reads),
        cmocka_unit_test(test_native__a_damaged_byte_is_refused_or_read),
        cmocka_unit_test(test_native__a_truncated_file_is_refused_or_a_prefix),
        cmocka_unit_test(test_native__the_columns_hold_what_the_lines_say),
        cmocka_unit_test(test_native__certificates_results_and_snapshots_are_kept),
        cmocka_unit_test(test_native__snapshots_of_postgresql_see_what_is_over),
        cmocka_unit_test(test_native__an_update_reads_and_writes_its_rows),
        cmocka_unit_test(test_native__an_empty_file_is_an_empty_history),
        cmocka_unit_test(test_native__keys_are_numbered_in_the_order_of_appearance),
        cmocka_unit_test(test_native__lines_may_cross_windows),
        cmocka_unit_test(test_native__what_is_wrong_at_the_end_of_a_window_is_refused),
        cmocka_unit_test(test_native__keys_of_all_kinds_are_told_apart),
        cmocka_unit_test(test_native__ids_may_come_in_any_order),
        cmocka_unit_test(test_native__two_threads_read_what_one_reads),
        cmocka_unit_test(test_native__two_threads_number_atoms_as_one_does),
        cmocka_unit_test(test_native__statements_stay_with_their_operations),
        cmocka_unit_test(test_native__two_threads_refuse_in_the_same_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
