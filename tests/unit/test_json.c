#include "formats/json.h"
#include "test.h"

struct scan_case {
    struct esse_arena *arena;
    struct esse_values *values;
    struct esse_source source;
    struct esse_error err;
    struct esse_json json;
};

static void start(struct scan_case *c, const char *text, size_t length)
{
    c->arena = esse_arena_new();
    c->values = esse_values_new(c->arena);
    esse_source_memory(&c->source, c->arena, text, length);
    esse_json_init(&c->json, &c->source, c->values, false, &c->err);
}

static bool scan_value(const char *text, struct esse_error *err)
{
    struct scan_case c;
    esse_value value;
    start(&c, text, strlen(text));
    bool ok = esse_json_value(&c.json, &value) && esse_json_peek(&c.json) == '\0';
    *err = c.err;
    esse_arena_free(c.arena);
    return ok;
}

TEST(test_json__plain_agrees_with_a_byte_loop)
{
    struct esse_rng rng = { 11 };
    for (int round = 0; round < 20000; round++) {
        unsigned char bytes[16];
        for (int i = 0; i < 16; i++)
            bytes[i] = esse_rng_below(&rng, 4) ? (unsigned char)('a' + esse_rng_below(&rng, 26))
                                               : (unsigned char)esse_rng_below(&rng, 256);
        unsigned expected = 0;
        while (expected < 8 && bytes[expected] >= 0x20 && bytes[expected] < 0x80 &&
               bytes[expected] != '"' && bytes[expected] != '\\')
            expected++;
        CHECK_EQ(esse_json_plain((const char *)bytes), expected);
    }
}

TEST(test_json__utf8_is_what_the_standard_allows)
{
    for (uint32_t code = 0; code < 0x110000; code += code < 0x3000 ? 1 : 37) {
        char bytes[8] = { 0 };
        unsigned length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
        static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
        uint32_t rest = code;
        for (unsigned i = length; --i > 0; rest >>= 6)
            bytes[i] = (char)(0x80 | (rest & 0x3f));
        bytes[0] = (char)(lead[length] | rest);
        bool surrogate = code >= 0xd800 && code < 0xe000;
        CHECK_EQ(esse_utf8_length(bytes), surrogate ? 0 : length);
    }
    CHECK_EQ(esse_utf8_length("\xc0\xaf"), 0);
    CHECK_EQ(esse_utf8_length("\xe0\x80\x80"), 0);
    CHECK_EQ(esse_utf8_length("\xf4\x90\x80\x80"), 0);
    CHECK_EQ(esse_utf8_length("\xff"), 0);
}

TEST(test_json__escapes_are_decoded)
{
    struct scan_case c;
    static const char text[] = "\"a\\n\\u00e9\\ud83d\\ude00\\\\\\/\"";
    struct esse_span span;
    start(&c, text, strlen(text));
    CHECK(esse_json_string(&c.json, &span));
    CHECK_EQ(span.length, strlen("a\né😀\\/"));
    CHECK(memcmp(span.at, "a\né😀\\/", span.length) == 0);
    esse_arena_free(c.arena);
}

TEST(test_json__an_escaped_string_is_the_plain_one)
{
    struct scan_case c;
    esse_value a, b;
    static const char text[] = "\"x1\" \"\\u00781\" ";
    start(&c, text, strlen(text));
    CHECK(esse_json_string_value(&c.json, &a));
    CHECK(esse_json_string_value(&c.json, &b));
    CHECK(esse_value_eq(a, b));
    esse_arena_free(c.arena);
}

TEST(test_json__integers_reach_the_64_bit_edges)
{
    static const struct {
        const char *text;
        bool ok;
        int64_t number;
    } cases[] = {
        { "0", true, 0 },
        { "-0", true, 0 },
        { "9007199254740993", true, INT64_C(9007199254740993) },
        { "9223372036854775807", true, INT64_MAX },
        { "-9223372036854775808", true, INT64_MIN },
        { "9223372036854775808", false, 0 },
        { "-9223372036854775809", false, 0 },
        { "99999999999999999999999999", false, 0 },
        { "18446744073709551617", false, 0 },
        { "00", false, 0 },
        { "-", false, 0 },
        { "1.0", false, 0 },
        { "1e2", false, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scan_case c;
        int64_t number = 0;
        start(&c, cases[i].text, strlen(cases[i].text));
        CHECK_EQ(esse_json_int(&c.json, &number), cases[i].ok);
        if (cases[i].ok)
            CHECK(number == cases[i].number);
        esse_arena_free(c.arena);
    }
}

TEST(test_json__integers_of_all_lengths_are_exact)
{
    struct esse_rng rng = { 4 };
    for (int round = 0; round < 20000; round++) {
        struct scan_case c;
        char text[32];
        int64_t read = 0, number = (int64_t)(esse_rng_next(&rng) >> esse_rng_below(&rng, 64));
        snprintf(text, sizeof text, "%lld,", (long long)number);
        start(&c, text, strlen(text));
        CHECK(esse_json_int(&c.json, &read));
        CHECK(read == number);
        CHECK_EQ(*c.json.at, ',');
        esse_arena_free(c.arena);
    }
}

TEST(test_json__the_quick_integer_is_the_slow_one)
{
    struct esse_rng rng = { 9 };
    for (int round = 0; round < 200000; round++) {
        static const char ends[] = ",}] .e";
        char text[32];
        uint64_t number = esse_rng_next(&rng) >> esse_rng_below(&rng, 64);
        snprintf(text, sizeof text, "%s%llu%c      ", esse_rng_below(&rng, 9) ? "" : "0",
                 (unsigned long long)number, ends[esse_rng_below(&rng, 6)]);
        const char *at = text;
        esse_value value = ESSE_NONE;
        size_t digits = strspn(text, "0123456789");
        bool plain = digits < 16 && strchr(",}]", text[digits]) && (text[0] != '0' || digits == 1);
        CHECK_EQ(esse_json_quick_int(&at, &value), plain);
        if (plain) {
            CHECK(esse_value_eq(value, esse_value_small((int64_t)number)));
            CHECK_EQ(at - text, digits);
        }
    }
}

TEST(test_json__malformed_values_are_refused)
{
    static const char *const bad[] = {
        "",     "[1,]", "[1 2]",   "{\"a\"}",  "{a:1}",       "nul",
        "truE", "[",    "{\"a\":", "\"abc",    "\"\\u12g4\"", "\"\\ud800x\"",
        "+1",   "{,}",  "[,1]",    "\"a\nb\"", "]",           "{\"a\":1,\"a\":2}"
    };
    struct esse_error err;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        err.line = 0;
        CHECK(!scan_value(bad[i], &err));
        CHECK_EQ(err.code, ESSE_EINPUT);
    }
}

TEST(test_json__nesting_is_limited_not_crashing)
{
    struct esse_error err;
    enum { DEEP = 100000 };
    char *text = malloc(DEEP + 1);
    memset(text, '[', DEEP);
    text[DEEP] = '\0';
    CHECK(!scan_value(text, &err));
    CHECK(strstr(err.text, "deep"));
    free(text);
}

TEST(test_json__skip_and_value_agree_on_what_is_well_formed)
{
    static const char *const pieces[] = { "{", "}",  "[",    "]",    "\"a\"",    ":", ",",
                                          "1", "-2", "null", "true", "\"b\\n\"", " " };
    struct esse_rng rng = { 5 };
    for (unsigned round = 0; round < test_rounds(20000); round++) {
        char text[200] = "";
        for (uint32_t n = esse_rng_below(&rng, 9) + 1; n > 0; n--)
            strcat(text, pieces[esse_rng_below(&rng, sizeof pieces / sizeof *pieces)]);
        struct scan_case a, b;
        esse_value value;
        start(&a, text, strlen(text));
        start(&b, text, strlen(text));
        bool by_value = esse_json_value(&a.json, &value), by_skip = esse_json_skip(&b.json);
        /* Only a value notices a member that is given twice. */
        if (by_value != by_skip)
            CHECK(by_skip && strstr(a.err.text, "twice"));
        if (by_value && by_skip)
            CHECK_EQ(a.json.at - a.source.window, b.json.at - b.source.window);
        esse_arena_free(a.arena);
        esse_arena_free(b.arena);
    }
}

/* The same text with the window ending at every byte: hungry, never refused. */
TEST(test_json__a_window_may_end_anywhere)
{
    static const char text[] =
        "{\"k\u00e9\":[1,-22,\"\xf0\x9f\x98\x80x\",null,true],\"b\":\"\\ud83d\\ude00\"} ";
    for (size_t length = 0; length < strlen(text); length++) {
        struct scan_case c;
        esse_value value;
        start(&c, text, length);
        c.source.last = false;
        bool ok = esse_json_value(&c.json, &value);
        CHECK_EQ(ok, length + 1 == strlen(text));
        CHECK_EQ(c.json.hungry, !ok);
        esse_arena_free(c.arena);
        start(&c, text, length);
        c.source.last = false;
        ok = esse_json_skip(&c.json);
        CHECK_EQ(c.json.hungry, !ok);
        esse_arena_free(c.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json__plain_agrees_with_a_byte_loop),
        cmocka_unit_test(test_json__utf8_is_what_the_standard_allows),
        cmocka_unit_test(test_json__escapes_are_decoded),
        cmocka_unit_test(test_json__an_escaped_string_is_the_plain_one),
        cmocka_unit_test(test_json__integers_reach_the_64_bit_edges),
        cmocka_unit_test(test_json__integers_of_all_lengths_are_exact),
        cmocka_unit_test(test_json__the_quick_integer_is_the_slow_one),
        cmocka_unit_test(test_json__malformed_values_are_refused),
        cmocka_unit_test(test_json__nesting_is_limited_not_crashing),
        cmocka_unit_test(test_json__a_window_may_end_anywhere),
        cmocka_unit_test(test_json__skip_and_value_agree_on_what_is_well_formed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
