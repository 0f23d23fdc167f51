#include "history/lists.h"
#include "history/values.h"
#include "test.h"

static esse_value text(struct esse_values *values, const char *bytes)
{
    return esse_value_string(values, bytes, strlen(bytes));
}

TEST(test_values__integers_are_exact_to_64_bits)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_values *values = esse_values_new(arena);
    const int64_t edges[] = { 0,
                              1,
                              -1,
                              ESSE_INT_MAX,
                              ESSE_INT_MAX + 1,
                              ESSE_INT_MIN,
                              ESSE_INT_MIN - 1,
                              (INT64_C(1) << 53) + 1,
                              INT64_MAX,
                              INT64_MIN };
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        int64_t back;
        esse_value value = esse_value_int(values, edges[i]);
        CHECK(esse_value_as_int(values, value, &back));
        CHECK(back == edges[i]);
        CHECK(esse_value_eq(value, esse_value_int(values, edges[i])));
    }
    esse_arena_free(arena);
}

TEST(test_values__equal_content_is_one_word)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_values *values = esse_values_new(arena);
    const char *texts[] = { "", "x", "1234567", "12345678", "a much longer text than that" };
    for (size_t i = 0; i < 5; i++) {
        char room[8];
        esse_value value = text(values, texts[i]);
        struct esse_span back = esse_value_text(values, value, room);
        CHECK_EQ(back.length, strlen(texts[i]));
        CHECK(memcmp(back.at, texts[i], back.length) == 0);
        for (size_t j = 0; j < 5; j++)
            CHECK_EQ(esse_value_eq(value, text(values, texts[j])), i == j);
        esse_value keyword = esse_value_keyword(values, texts[i], strlen(texts[i]));
        CHECK(!esse_value_eq(value, keyword));
        CHECK_EQ(esse_value_kind(values, keyword), ESSE_KIND_KEYWORD);
    }
    esse_arena_free(arena);
}

TEST(test_values__maps_and_sets_do_not_depend_on_order)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_values *values = esse_values_new(arena);
    esse_value a = text(values, "a"), b = text(values, "b");
    esse_value one = esse_value_small(1), two = esse_value_small(2);
    esse_value x[] = { a, one, b, two }, y[] = { b, two, a, one };
    CHECK(esse_value_eq(esse_value_compound(values, ESSE_KIND_MAP, x, 4),
                        esse_value_compound(values, ESSE_KIND_MAP, y, 4)));
    esse_value p[] = { two, one, two }, q[] = { one, two };
    CHECK(esse_value_eq(esse_value_compound(values, ESSE_KIND_SET, p, 3),
                        esse_value_compound(values, ESSE_KIND_SET, q, 2)));
    esse_value s[] = { one, two }, t[] = { two, one };
    CHECK(!esse_value_eq(esse_value_compound(values, ESSE_KIND_SEQ, s, 2),
                         esse_value_compound(values, ESSE_KIND_SEQ, t, 2)));
    esse_arena_free(arena);
}

TEST(test_values__a_repeated_map_key_is_found)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_values *values = esse_values_new(arena);
    esse_value a = text(values, "a"), b = text(values, "b"), one = esse_value_small(1);
    esse_value twice[] = { a, one, b, one, a, one }, once[] = { b, one, a, one };
    CHECK(esse_value_eq(esse_value_map_repeats(values, twice, 6), a));
    CHECK(esse_value_eq(esse_value_map_repeats(values, once, 4), ESSE_NONE));
    esse_arena_free(arena);
}

static esse_value random_value(struct esse_values *values, struct esse_rng *rng, int depth)
{
    static const char *const texts[] = { "", "a", "b", "longer than seven", "longer than seven!" };
    esse_value parts[4];
    switch (esse_rng_below(rng, depth ? 7 : 4)) {
    case 0:
        return esse_value_int(values, (int64_t)esse_rng_next(rng) >> esse_rng_below(rng, 64));
    case 1:
        return text(values, texts[esse_rng_below(rng, 5)]);
    case 2:
        return esse_value_keyword(values, "k", esse_rng_below(rng, 2));
    case 3:
        return esse_rng_below(rng, 2) ? ESSE_NIL : ESSE_TRUE;
    default:
        for (int i = 0; i < 4; i++)
            parts[i] = random_value(values, rng, depth - 1);
        return esse_value_compound(values, esse_rng_below(rng, 2) ? ESSE_KIND_SEQ : ESSE_KIND_SET,
                                   parts, esse_rng_below(rng, 5));
    }
}

TEST(test_values__compare_is_a_total_order)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_values *values = esse_values_new(arena);
    struct esse_rng rng = { 3 };
    enum { COUNT = 60 };
    esse_value all[COUNT];
    for (int i = 0; i < COUNT; i++)
        all[i] = random_value(values, &rng, 3);
    for (int i = 0; i < COUNT; i++) {
        for (int j = 0; j < COUNT; j++) {
            int ij = esse_value_compare(values, all[i], all[j]);
            int ji = esse_value_compare(values, all[j], all[i]);
            CHECK_EQ(ij == 0, esse_value_eq(all[i], all[j]));
            CHECK_EQ(ij<0, ji> 0);
            for (int k = 0; ij < 0 && k < COUNT; k++)
                if (esse_value_compare(values, all[j], all[k]) < 0)
                    CHECK(esse_value_compare(values, all[i], all[k]) < 0);
        }
    }
    esse_arena_free(arena);
}

/* Lists against copies: equal words exactly for equal lists, and what went in comes out. */
TEST(test_lists__words_are_equal_exactly_when_lists_are)
{
    enum { KEYS = 2, LISTS = 60, LENGTH = 6 };
    for (unsigned seed = test_first(200), after = seed + test_rounds(200); seed < after; seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_lists *lists = esse_lists_new(arena);
        struct esse_rng rng = { seed };
        esse_value copies[LISTS][LENGTH], words[LISTS];
        uint32_t counts[LISTS], keys[LISTS];
        for (int i = 0; i < LISTS; i++) {
            keys[i] = esse_rng_below(&rng, KEYS);
            counts[i] = esse_rng_below(&rng, LENGTH + 1);
            for (uint32_t n = 0; n < counts[i]; n++) /* mostly the same, so prefixes are common */
                copies[i][n] =
                    esse_value_small(esse_rng_below(&rng, 8) ? n : n + esse_rng_below(&rng, 3));
            words[i] = esse_lists_add(lists, (esse_key){ keys[i] }, copies[i], counts[i]);
        }
        for (int i = 0; i < LISTS; i++) {
            uint32_t count;
            const esse_value *items = esse_lists_items(lists, words[i], &count);
            CHECK_EQ(count, counts[i]);
            CHECK(!count || memcmp(items, copies[i], count * sizeof *items) == 0);
            for (int j = 0; j < i; j++) {
                bool equal = counts[i] == counts[j] &&
                             memcmp(copies[i], copies[j], counts[i] * sizeof **copies) == 0;
                if (keys[i] == keys[j])
                    CHECK_EQ(esse_value_eq(words[i], words[j]), equal);
                else if (counts[i])
                    CHECK(!esse_value_eq(words[i], words[j]));
            }
        }
        esse_arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values__integers_are_exact_to_64_bits),
        cmocka_unit_test(test_values__equal_content_is_one_word),
        cmocka_unit_test(test_values__maps_and_sets_do_not_depend_on_order),
        cmocka_unit_test(test_values__a_repeated_map_key_is_found),
        cmocka_unit_test(test_values__compare_is_a_total_order),
        cmocka_unit_test(test_lists__words_are_equal_exactly_when_lists_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
