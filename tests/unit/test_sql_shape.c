#include "sql_random.h"

/*
 * Texts that differ in their integers share one parsed tree: a text must answer the same, and be
 * refused in the same words, whether or not one of its shape was parsed before.
 */

/* Other integers in the place of those of a text, now and then with more digits. */
static const char *with_other_numbers(struct esse_arena *arena, struct esse_rng *rng,
                                      const char *text)
{
    struct esse_out out;
    esse_out_init_memory(&out, arena);
    while (*text) {
        const bool is_word = (*text >= 'a' && *text <= 'z') || *text == '\'' || *text == '_';
        if (*text >= '0' && *text <= '9') {
            text += strspn(text, "0123456789");
            esse_out_f(&out, "%u", esse_rng_below(rng, esse_rng_below(rng, 4) ? 12 : 100000));
        } else if (is_word) { /* digits in names stay */
            const size_t length = 1 + strspn(text + 1, "abcdefghijklmnopqrstuvwxyz_0123456789");
            esse_out_f(&out, "%.*s", (int)length, text);
            text += length;
        } else {
            esse_out_char(&out, *text++);
        }
    }
    return esse_out_memory(&out);
}

static void compare(struct sql_rows *shared, const char *text)
{
    struct sql_rows alone = *shared;
    alone.predicates = esse_predicates_new(shared->arena, shared->history);
    for (uint32_t at = 0; at < shared->history->init_count; at++) {
        struct esse_error err = { 0 }, other = { 0 };
        const char got = sql_rows_ask(shared, text, at, &err);
        const char expected = sql_rows_ask(&alone, text, at, &other);
        if (got != expected || (got == 'e' && strcmp(err.text, other.text) != 0))
            fail_msg("%s, row %u: %c %s, and by itself %c %s", text, at, got, err.text, expected,
                     other.text);
    }
}

TEST(sql_shape__random_predicates_are_the_same_with_other_numbers)
{
    struct esse_rng rng = { 8 };
    for (unsigned round = 0; round < test_rounds(60); round++) {
        struct table table;
        random_table(&table, "", &rng, round & 1);
        struct sql_rows rows = sql_rows_new(table.json);
        for (int i = 0; i < 20; i++) {
            const char *text = random_predicate(rows.arena, &rng, round & 1);
            for (int again = 0; again < 4; again++) {
                compare(&rows, text);
                text = with_other_numbers(rows.arena, &rng, text);
            }
        }
        sql_rows_free(&rows);
    }
}

/* Where a number is not simply a constant: signs, exponents, names, comments, LIMIT. */
TEST(sql_shape__numbers_that_are_no_constants_are_no_shape)
{
    static const char *const forms[] = {
        "v >= %u AND v < %u",
        "v = -%u OR v = - %u",
        "v - %u > %u",
        "v -%u = %u",
        "v %% %u = %u",
        "v IN (%u, %u)",
        "v > %u.%u",
        "v < %ue%u",
        "v BETWEEN -%u AND %u",
        "NOT v*%u < %u",
        "v%u = %u",
        "v = %u --%u",
        "v = %u /*%u*/",
        "(v) + %u != %u",
        "v < %u AND k%u=1",
        "v/%u=%u",
        "SELECT * FROM t WHERE v < %u AND v > -%u",
        "v = +%u - -%u",
        "v <%u %u",
        "SELECT * FROM t WHERE v < %u ORDER BY v LIMIT %u",
        "v = 0x%u OR v=%u",
    };
    struct esse_rng rng = { 2 };
    struct sql_rows rows = sql_rows_new("{\"x\":0,\"y\":3,\"z\":-3,\"t/1\":7,\"a\":12}");
    for (unsigned round = 0; round < test_rounds(40); round++)
        for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
            compare(&rows, esse_arena_format(rows.arena, forms[f], /* NOLINT */
                                             esse_rng_below(&rng, 15), esse_rng_below(&rng, 15)));
    sql_rows_free(&rows);
}

TEST(sql_shape__a_zero_is_no_witness_of_its_sign)
{
    static const char *const pairs[][2] = { { "v = +0", "v = +3" },
                                            { "v = - -0", "v = - -3" },
                                            { "(- v) - 0 = 0", "(- v) - 5 = -8" } };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct esse_error err = { 0 };
        struct sql_rows rows = sql_row_new("3");
        CHECK_EQ(sql_rows_ask(&rows, pairs[i][0], 0, &err), 'f');
        CHECK_EQ(sql_rows_ask(&rows, pairs[i][1], 0, &err), 't');
        sql_rows_free(&rows);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sql_shape__random_predicates_are_the_same_with_other_numbers),
        cmocka_unit_test(sql_shape__a_zero_is_no_witness_of_its_sign),
        cmocka_unit_test(sql_shape__numbers_that_are_no_constants_are_no_shape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
