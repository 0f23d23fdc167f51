/* Reading in portions: the same columns, or the same error, as one thread reads or finds. */
#include "formats/portions.h"
#include "load_portions.h"
#include "random_gen.h"

#include <unistd.h>
#include <zlib.h>

/* ---- random texts of every format that is read in portions ---- */

static const char *written(struct esse_arena *arena, const char *format,
                           const struct esse_history *history)
{
    struct esse_out *out = esse_arena_alloc(arena, 1, sizeof *out);
    struct esse_error err;
    esse_out_init_memory(out, arena);
    struct esse_sink *sink = esse_format_find(format)->writer(arena, history->values, out, true);
    if (!esse_history_emit(history, sink, &err))
        fail_msg("cannot write as %s: %s", format, err.text);
    return esse_out_memory(out);
}

static const char *generated(struct esse_arena *arena, const char *format, struct esse_rng *rng)
{
    struct esse_gen_options options = random_gen_options(rng);
    struct esse_out out;
    struct esse_error err;
    options.txns = 5 + esse_rng_below(rng, 60);
    options.has_header = esse_rng_below(rng, 2);
    options.crash_share = esse_rng_below(rng, 2) * 0.2;
    options.has_op_times = options.has_times && esse_rng_below(rng, 2);
    if (strcmp(format, "native") != 0) {
        options.certifies = ESSE_CERTIFICATE_NONE;
        options.has_certificate = options.has_vsets = false;
    }
    esse_out_init_memory(&out, arena);
    struct esse_values *values = esse_values_new(arena);
    struct esse_sink *sink = esse_format_find("native")->writer(arena, values, &out, false);
    CHECK(esse_gen_run(&options, sink, NULL, &err));
    const char *text = esse_out_memory(&out);
    return strcmp(format, "native") == 0 ? text
                                         : written(arena, format, load_text(arena, "native", text));
}

/* What stands in 'from' once in a while becomes 'to'. */
static const char *changed(struct esse_arena *arena, struct esse_rng *rng, const char *text,
                           const char *from, const char *to, uint32_t one_in)
{
    struct esse_out *out = esse_arena_alloc(arena, 1, sizeof *out);
    esse_out_init_memory(out, arena);
    for (size_t length = strlen(from); *text;) {
        const bool is_changed = strncmp(text, from, length) == 0 && !esse_rng_below(rng, one_in);
        if (is_changed)
            esse_out_text(out, to);
        else
            esse_out_bytes(out, text, 1);
        text += is_changed ? length : 1;
    }
    return esse_out_memory(out);
}

/* Values beyond a word, forms of several lines, several forms a line, lines of different
 * transactions mixed, empty lines. */
static const char *varied(struct esse_arena *arena, struct esse_rng *rng, const char *format,
                          const char *text)
{
    const uint32_t how = esse_rng_below(rng, 8);
    if (how & 1)
        text = changed(arena, rng, text, "\n", "\r\n\n", 5);
    if (strcmp(format, "native") == 0)
        return how & 2 ? changed(arena, rng, text, "\":\"", "\":\"a long text ", 3) : text;
    if (strcmp(format, "plume") == 0) {
        text = how & 2 ? changed(arena, rng, text, "1,", "1123456789012345678,", 4) : text;
        return how & 4 ? changed(arena, rng, text, "r(", "w(99,99,9,-1)\nr(", 9) : text;
    }
    if (how & 2)
        text = changed(arena, rng, text, "{:", "{:error \"a long {:type\n{:\", :", 4);
    if (how & 4)
        text = changed(arena, rng, text, "\n", esse_rng_below(rng, 2) ? " " : "\n; {:type\n", 30);
    return esse_rng_below(rng, 4) ? text : changed(arena, rng, text, " ", "\n", 40);
}

static const char *const formats[] = { "native", "plume", "jepsen-edn" };

static const char *random_text(struct esse_arena *arena, struct esse_rng *rng, const char *format)
{
    return varied(arena, rng, format, generated(arena, format, rng));
}

static size_t random_bytes(struct esse_rng *rng)
{
    return 1 + esse_rng_below(rng, esse_rng_below(rng, 2) ? 100 : 3000);
}

/* Whether it is read; then both give the same history, and else the same error. */
static bool compare(struct esse_arena *arena, const char *format, const char *text, size_t length,
                    struct esse_rng *rng)
{
    struct esse_error err;
    const struct esse_history *alone = load_bytes(arena, format, text, length, &err);
    for (unsigned threads = 2; threads <= 3; threads++) {
        struct esse_error other;
        const struct esse_history *shared =
            load_portions(arena, format, text, length, threads, random_bytes(rng), &other);
        CHECK_EQ(!alone, !shared);
        if (!alone) {
            check_same_error(&err, &other);
            continue;
        }
        check_same(alone, shared);
        CHECK_TEXT(written(arena, "native", alone), written(arena, "native", shared));
    }
    return alone;
}

TEST(test_portions__give_the_columns_of_one_thread)
{
    unsigned read = 0;
    for (unsigned seed = test_first(600), after = seed + test_rounds(600); seed < after; seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_rng rng = { seed * 17 + 1 };
        const char *format = formats[seed % 3], *text = random_text(arena, &rng, format);
        read += compare(arena, format, text, strlen(text), &rng);
        esse_arena_free(arena);
    }
    CHECK(read > test_least(300));
}

TEST(test_portions__refuse_in_the_words_of_one_thread)
{
    unsigned refused = 0;
    for (unsigned seed = test_first(3000), after = seed + test_rounds(3000); seed < after; seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_rng rng = { seed % 60 * 17 + 1 }, damage = { seed };
        const char *format = formats[seed % 3];
        char *text = (char *)random_text(arena, &rng, format);
        size_t length = strlen(text);
        for (uint32_t i = esse_rng_below(&damage, 4); i < 4; i++)
            text[esse_rng_below(&damage, (uint32_t)length)] = (char)esse_rng_below(&damage, 256);
        length -= esse_rng_below(&damage, 2) * esse_rng_below(&damage, (uint32_t)length);
        refused += !compare(arena, format, text, length, &damage);
        esse_arena_free(arena);
    }
    CHECK(refused > test_least(1000));
}

/* ---- files ---- */

/* Larger than a window, 'bad' of its lines wrong; the file has only the first 'kept' bytes. */
static void put_file(const char *path, const char *how, int bad, off_t kept)
{
    gzFile file = gzopen(path, how);
    for (int line = 0; line < 30000; line++)
        gzprintf(file,
                 "{\"session\":%d,\"txn\":%d,\"ops\":[{\"w\":\"key number %d\",\"v\":%d}]}%s\n",
                 line % 7, line, line * 7919 % 1000, line, line == bad ? "}" : "");
    gzclose(file);
    if (kept)
        CHECK_EQ(truncate(path, kept), 0);
}

static struct esse_history *load_file(struct esse_arena *arena, const char *path, unsigned threads,
                                      bool salvage, struct esse_error *err)
{
    const struct esse_load_options options = { .threads = threads, .salvage = salvage };
    struct esse_history *history;
    *err = (struct esse_error){ 0 };
    return esse_history_load(arena, path, &options, &history, err) ? history : NULL;
}

/* Plain and compressed, whole and cut off, with and without a bad line before the end, which counts
 * first however much is read at a time. */
TEST(test_portions__cut_and_damaged_files_are_read_alike)
{
    char path[] = "/tmp/esse-portions-XXXXXX";
    const int file = mkstemp(path);
    unsigned read = 0;
    CHECK(file >= 0);
    for (unsigned round = 0; round < 24; round++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_error err, other;
        const bool salvage = round % 2, is_plain = round / 2 % 2;
        const int bad = round / 4 % 2 ? 8000 + (int)round * 300 : -1;
        const int cut = (int)(round / 8 % 3) * 60000;
        put_file(path, is_plain ? "wbT" : "wb1", bad, cut ? cut + 3001 : 0);
        const struct esse_history *alone = load_file(arena, path, 1, salvage, &err);
        const struct esse_history *shared = load_file(arena, path, 3, salvage, &other);
        CHECK_EQ(!alone, !shared);
        if (alone)
            check_same(alone, shared);
        else
            check_same_error(&err, &other);
        read += alone != NULL;
        esse_arena_free(arena);
    }
    CHECK(read >= 6 && read < 24);
    close(file);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_portions__give_the_columns_of_one_thread),
        cmocka_unit_test(test_portions__refuse_in_the_words_of_one_thread),
        cmocka_unit_test(test_portions__cut_and_damaged_files_are_read_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
