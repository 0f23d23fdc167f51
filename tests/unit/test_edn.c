#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formats/edn.h"
#include "history/value_edn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads one form and prints it again; on failure gives "LINE:COLUMN: text". */
static const char *read_bytes(struct esse_arena *arena, const char *bytes, size_t length)
{
    struct esse_source source;
    struct esse_error err = { 0 };
    struct esse_edn edn;
    struct esse_out out;
    esse_value value;
    esse_source_memory(&source, arena, bytes, length);
    struct esse_values *values = esse_values_new(arena);
    esse_edn_init(&edn, &source, values, &err);
    esse_edn_start(&edn);
    esse_out_init_memory(&out, arena);
    struct esse_edn skipping = edn;
    struct esse_error skip_err = { 0 };
    skipping.err = &skip_err;
    bool ok = esse_edn_value(&edn, &value), skipped = esse_edn_skip(&skipping);
    assert_false(edn.hungry);
    assert_true(!ok || (skipped && skipping.at == edn.at)); /* skipping sees the same form */
    if (ok)
        esse_value_put_edn(&out, values, value);
    else
        esse_out_f(&out, "%d:%d: %s", (int)err.line, (int)err.column, err.text);
    return esse_out_memory(&out);
}

static void reads(const char *text, const char *expected)
{
    struct esse_arena *arena = esse_arena_new();
    assert_string_equal(read_bytes(arena, text, strlen(text)), expected);
    /* What was printed reads as itself. */
    assert_string_equal(read_bytes(arena, expected, strlen(expected)), expected);
    esse_arena_free(arena);
}

static void fails(const char *text, const char *expected)
{
    struct esse_arena *arena = esse_arena_new();
    assert_string_equal(read_bytes(arena, text, strlen(text)), expected);
    esse_arena_free(arena);
}

static void test_edn__integers_are_exact_to_64_bits(void **state)
{
    (void)state;
    reads("9223372036854775807", "9223372036854775807");
    reads("-9223372036854775808", "-9223372036854775808");
    reads("1152921504606846975", "1152921504606846975");
    reads("1152921504606846976", "1152921504606846976");
    reads("-1152921504606846977", "-1152921504606846977");
    reads("9223372036854775808", "9223372036854775808");
    reads("-9223372036854775809", "-9223372036854775809");
    reads("123456789012345678901234567890N", "123456789012345678901234567890");
    reads("[0 -0 +7 12N -3N 12345678 123456789 99999999999999999 100000000000000000]",
          "[0 0 7 12 -3 12345678 123456789 99999999999999999 100000000000000000]");
}

static void test_edn__integers_have_the_kind_int_only_if_they_fit(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum esse_value_kind kind;
    } cases[] = { { "9223372036854775807", ESSE_KIND_INT },
                  { "9223372036854775808", ESSE_KIND_NUMBER },
                  { "-9223372036854775808", ESSE_KIND_INT },
                  { "-9223372036854775809", ESSE_KIND_NUMBER },
                  { "0x7fffffffffffffff", ESSE_KIND_INT },
                  { "0x8000000000000000", ESSE_KIND_NUMBER },
                  { "6/3", ESSE_KIND_INT },
                  { "1.0", ESSE_KIND_NUMBER },
                  { "1M", ESSE_KIND_NUMBER } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_source source;
        struct esse_error err = { 0 };
        struct esse_edn edn;
        esse_value value;
        esse_source_memory(&source, arena, cases[i].text, strlen(cases[i].text));
        struct esse_values *values = esse_values_new(arena);
        esse_edn_init(&edn, &source, values, &err);
        assert_true(esse_edn_value(&edn, &value));
        assert_int_equal(esse_value_kind(values, value), cases[i].kind);
        esse_arena_free(arena);
    }
}

static void test_edn__integers_may_have_a_radix(void **state)
{
    (void)state;
    reads("[0x1F 017 2r101 36rZZ -0xff 0x10N 00]", "[31 15 5 1295 -255 16 0]");
    reads("0xffffffffffffffffffffffffffffffff", "340282366920938463463374607431768211455");
    reads("-36rzzzzzzzzzzzzzzzzzzzz", "-13367494538843734067838845976575");
    fails("08", "1:1: found 08, expected an octal number, because it starts with 0");
    fails("0x", "1:1: found 0x, expected digits");
    fails("1r0", "1:1: found 1r0, expected a radix from 2 to 36");
    fails("37rz", "1:1: found 37rz, expected a radix from 2 to 36");
    fails("3r4", "1:1: found 3r4, expected digits of that radix");
}

static void test_edn__equal_numbers_of_a_kind_are_one_value(void **state)
{
    (void)state;
    reads("[1.5 1.50 15e-1 0.15E1]", "[1.5 1.5 1.5 1.5]");
    reads("[1e3 1000.0 1. 1e22 -1e22]", "[1000.0 1000.0 1.0 1e+22 -1e+22]");
    reads("[0.0 -0.0 0e5 1e999 -1e999]", "[0.0 0.0 0.0 ##Inf ##-Inf]");
    reads("[0.1 0.30000000000000004 5e-324]", "[0.1 0.30000000000000004 4.94065645841247e-324]");
    reads("[##Inf ##-Inf ##NaN]", "[##Inf ##-Inf ##NaN]");
    reads("[2/4 -6/8 +1/3 0/7 4/2]", "[1/2 -3/4 1/3 0 2]");
    reads("[1.50M 1.5M 15e-1M 100M 1e2M 0.0M 1M 0.05M]", "[1.5M 1.5M 1.5M 1E2M 1E2M 0M 1M 5E-2M]");
    fails("1/0", "1:1: found 1/0, expected a ratio whose denominator is not 0");
    fails("1.5.5", "1:1: found 1.5.5, expected a number");
    fails("1e", "1:1: found 1e, expected digits after the exponent's 'e'");
    fails("1abc", "1:1: found 1abc, expected a number");
}

static void test_edn__strings_have_the_escapes_of_clojure(void **state)
{
    (void)state;
    reads("\"a\\tb\\n\\\"\\\\\\r\\b\\f\"", "\"a\\tb\\n\\\"\\\\\\r\\b\\f\"");
    reads("\"\\u00e9 \\101 \\0 \\u0041\"", "\"é A \\u0000 A\"");
    reads("\"\\ud83d\\ude00\"", "\"\xf0\x9f\x98\x80\"");
    reads("\"two\nlines\"", "\"two\\nlines\"");
    reads("[\"short\" \"longer than a word\" \"\"]", "[\"short\" \"longer than a word\" \"\"]");
    fails("[1 \"\\q\"]",
          "1:5: bad escape in a string, expected one of \\n \\r \\t \\b \\f \\\" \\\\ "
          "\\uXXXX or octal digits");
    fails("\"\\ud83d\"",
          "1:2: bad escape in a string, expected one of \\n \\r \\t \\b \\f \\\" \\\\ "
          "\\uXXXX or octal digits");
    fails("\"\\400\"", "1:2: bad escape in a string, expected one of \\n \\r \\t \\b \\f \\\" \\\\ "
                       "\\uXXXX or octal digits");
    fails("[\n \"abc", "2:6: found end of file, expected the '\"' that ends the string; the string "
                       "began at 2:2");
}

static void test_edn__characters_have_one_text_each(void **state)
{
    (void)state;
    reads("[\\a \\newline \\u0041 \\o101 \\space \\( \\\\ \\é \\u00e9 \\u0001 \\,]",
          "[\\a \\newline \\A \\A \\space \\( \\\\ \\é \\é \\u0001 \\,]");
    fails("\\foo", "1:1: found \\foo, expected a character such as \\a, \\newline or \\u0041");
    fails("\\ud800", "1:1: found \\ud800, expected a character such as \\a, \\newline or \\u0041");
}

static void test_edn__names_and_constants(void **state)
{
    (void)state;
    reads("[nil true false :k :ns/name sym a/b + - .x nilly :longer-than-a-word]",
          "[nil true false :k :ns/name sym a/b + - .x nilly :longer-than-a-word]");
    fails("[: ]", "1:2: found :, expected a keyword with a name");
    fails("::x", "1:1: found ::x, expected a keyword with a name");
    fails("@x", "1:1: found '@', expected a value");
    fails("x@y", "1:2: found '@', expected a character that EDN allows here");
}

static void test_edn__compounds_of_all_kinds(void **state)
{
    (void)state;
    reads("(1 [2 (3)] {:b 1, :a [2]} #{3 1 2})", "[1 [2 [3]] {:a [2], :b 1} #{1 2 3}]");
    reads("#inst \"2020-01-01\"", "#inst \"2020-01-01\"");
    reads("#jepsen.history.Op{:a 1}", "#jepsen.history.Op {:a 1}");
    reads("#:ns{:a 1 :_/b 2 :c/d 3 \"s\" 4}", "{\"s\" 4, :b 2, :c/d 3, :ns/a 1}");
    fails("{:a 1 :b}", "1:9: found '}', expected a value for the map's last key; the map began at "
                       "1:1");
    fails("{:a 1 :a 2}", "1:1: the map has key :a twice");
    fails("#{1 1}", "1:2: the set has an element twice");
    fails("[1 2}", "1:5: found '}', expected a value or ']'; the vector began at 1:1");
    fails("#{1 (2", "1:7: found end of file, expected a value or ')'; the list began at 1:5");
    fails("#(x)", "1:2: found '(', expected a tag, '{', '_' or ':' after '#'");
    fails("##Foo", "1:1: found ##Foo, expected ##Inf, ##-Inf or ##NaN");
}

static void test_edn__what_lies_between_forms_is_passed_over(void **state)
{
    (void)state;
    reads("[1,,2 ; three ]\n #_ 3 4 #_ #_ 5 6 7 ^{:m 1} 8 ^:m ^n 9]", "[1 2 4 7 8 9]");
    reads(" , ; c\n\t#_[() [\\)]] 5", "5");
}

static void test_edn__discards_must_be_well_formed(void **state)
{
    (void)state;
    fails("#_ [1 } 2", "1:7: found '}', expected a value or ']'; the vector began at 1:4");
    fails("[1 #_]", "1:6: found ']', expected a value; the vector began at 1:1");
}

static void test_edn__invalid_utf8_is_an_error_everywhere(void **state)
{
    (void)state;
    fails("\"a\x80\"", "1:3: found byte 0x80, expected UTF-8");
    fails("\"\xed\xa0\x80\"", "1:2: found byte 0xed, expected UTF-8");
    fails("ab\xff", "1:3: found byte 0xff, expected UTF-8");
    fails(":k\xc3", "1:3: found byte 0xc3, expected UTF-8");
    fails("; \xf8\n1", "1:3: found byte 0xf8, expected UTF-8");
    fails("\\\xc0\x80", "1:2: found byte 0xc0, expected UTF-8");
    reads("\"\xf0\x9f\x98\x80\"", "\"\xf0\x9f\x98\x80\"");
}

static void test_edn__zero_bytes_are_no_end(void **state)
{
    (void)state;
    struct esse_arena *arena = esse_arena_new();
    assert_string_equal(read_bytes(arena, "[1 \0 2]", 7),
                        "1:4: found byte 0x00, expected a value or ']'; the vector began at 1:1");
    assert_string_equal(read_bytes(arena, "\"a\0b\"", 5),
                        "1:3: found byte 0x00, expected the '\"' that ends the string; the string "
                        "began at 1:1");
    esse_arena_free(arena);
}

/* 'count' times 'open', then 'middle', then 'count' times 'close'. */
static char *nested(const char *open, size_t count, const char *middle, const char *close)
{
    char *text = malloc(count * (strlen(open) + strlen(close)) + strlen(middle) + 1), *to = text;
    for (size_t i = 0; i < count; i++)
        to = stpcpy(to, open);
    to = stpcpy(to, middle);
    for (size_t i = 0; i < count; i++)
        to = stpcpy(to, close);
    return text;
}

static void test_edn__nesting_has_a_limit(void **state)
{
    (void)state;
    static const char *const opens[] = { "[", "#{", "{1 ", "#a ", "#_ ", "^", "(" };
    static const char *const closes[] = { "]", "}", "}", "", "", "", ")" };
    for (int i = 0; i < 7; i++) {
        struct esse_arena *arena = esse_arena_new();
        char *text = nested(opens[i], 1000000, "1 1", closes[i]);
        assert_non_null(strstr(read_bytes(arena, text, strlen(text)), "nested more than 64 deep"));
        free(text);
        esse_arena_free(arena);
    }
    char *text = nested("[", 64, "1", "]");
    reads(text, text);
    free(text);
}

static void test_edn__a_gigantic_token_takes_linear_time(void **state)
{
    (void)state;
    const size_t size = 8 << 20;
    static const char *const ends[] = { "", "\"", "M", ".5" };
    static const char *const starts[] = { ":", "\"", "1", "1" };
    for (int i = 0; i < 4; i++) {
        struct esse_arena *arena = esse_arena_new();
        char *text = malloc(size + 8), *to = stpcpy(text, starts[i]);
        memset(to, '7', size);
        strcpy(to + size, ends[i]);
        assert_true(strlen(read_bytes(arena, text, strlen(text))) > 3);
        free(text);
        esse_arena_free(arena);
    }
    char *longest = nested("z", 256, "", "");
    char *radix = malloc(300);
    snprintf(radix, 300, "36r%s", longest);
    struct esse_arena *small = esse_arena_new();
    assert_int_equal(strlen(read_bytes(small, radix, strlen(radix))), 399); /* 256 log10(36) */
    esse_arena_free(small);
    free(longest);
    free(radix);
    char *digits = nested("f", 1000, "", "");
    char *text = malloc(1100);
    snprintf(text, 1100, "0x%s", digits);
    struct esse_arena *arena = esse_arena_new();
    assert_non_null(strstr(read_bytes(arena, text, strlen(text)), "at most 256 digits"));
    esse_arena_free(arena);
    free(digits);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edn__integers_are_exact_to_64_bits),
        cmocka_unit_test(test_edn__integers_have_the_kind_int_only_if_they_fit),
        cmocka_unit_test(test_edn__integers_may_have_a_radix),
        cmocka_unit_test(test_edn__equal_numbers_of_a_kind_are_one_value),
        cmocka_unit_test(test_edn__strings_have_the_escapes_of_clojure),
        cmocka_unit_test(test_edn__characters_have_one_text_each),
        cmocka_unit_test(test_edn__names_and_constants),
        cmocka_unit_test(test_edn__compounds_of_all_kinds),
        cmocka_unit_test(test_edn__what_lies_between_forms_is_passed_over),
        cmocka_unit_test(test_edn__discards_must_be_well_formed),
        cmocka_unit_test(test_edn__invalid_utf8_is_an_error_everywhere),
        cmocka_unit_test(test_edn__zero_bytes_are_no_end),
        cmocka_unit_test(test_edn__nesting_has_a_limit),
        cmocka_unit_test(test_edn__a_gigantic_token_takes_linear_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
