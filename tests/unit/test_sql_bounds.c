#include "sql/bounds.h"
#include "sql_random.h"

/* ---- random predicates: whatever is selected is within the bounds ---- */

static struct esse_bounds bounds_of(struct sql_rows *rows, const char *text)
{
    struct esse_error err = { 0 };
    const esse_value word = esse_value_string(rows->history->values, text, strlen(text));
    const struct esse_predicate *predicate = esse_predicates_get(rows->predicates, word, &err);
    if (!predicate)
        fail_msg("%s", err.text);
    return esse_predicate_bounds(predicate);
}

/* Returns how many rows the bounds leave out. */
static unsigned check_rows(struct sql_rows *rows, const char *text)
{
    const struct esse_bounds bounds = bounds_of(rows, text);
    unsigned left_out = 0;
    for (uint32_t at = 0; at < rows->history->init_count; at++) {
        const struct esse_keyed_row *row = &rows->history->init[at];
        const esse_value key = rows->history->key_name[row->key.ix];
        struct esse_error ignored;
        if (esse_bounds_admit(&bounds, rows->history->values, key, row->value))
            continue;
        left_out++;
        if (sql_rows_ask(rows, text, at, &ignored) == 't')
            fail_msg("%s selects row %u, which is out of bounds", text, at);
    }
    return left_out;
}

TEST(test_sql_bounds__what_is_selected_is_within_them)
{
    struct esse_rng rng = { 5 };
    unsigned left_out = 0;
    for (unsigned round = 0; round < test_rounds(400); round++) {
        struct table table;
        random_table(&table, &rng, round & 1);
        struct sql_rows rows = sql_rows_new(table.json);
        for (int i = 0; i < 50; i++)
            left_out += check_rows(&rows, random_predicate(rows.arena, &rng, round & 1));
        sql_rows_free(&rows);
    }
    CHECK(left_out > test_rounds(400) * 10);
}

/* Rows of any kind, in columns of any kind. */
TEST(test_sql_bounds__rows_of_other_types_are_never_left_out_wrongly)
{
    static const char *const values[] = { "null",
                                          "true",
                                          "1",
                                          "-3",
                                          "5",
                                          "\"5\"",
                                          "\"b\"",
                                          "{\"v\":2}",
                                          "{\"k\":\"z\",\"w\":4}",
                                          "{\"w\":\"b\"}",
                                          "{\"w\":null}",
                                          "\"\"" };
    static const char *const columns[] = { "v", "w", "k" };
    static const char *const constants[] = { "1", "2.5", "-2.5", "'5'", "'b'", "'k3'", "NULL" };
    static const char *const operators[] = { "=", "<>", "<", "<=", ">", ">=" };
    struct esse_rng rng = { 6 };
    for (unsigned round = 0; round < test_rounds(300); round++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_out json;
        esse_out_init_memory(&json, arena);
        esse_out_text(&json, "{\"all\":{\"k\":1,\"v\":1,\"w\":1}");
        for (int i = 0; i < 12; i++)
            esse_out_f(&json, ",\"k%d\":%s", i, PICK(&rng, values));
        esse_out_text(&json, "}");
        struct sql_rows rows = sql_rows_new(esse_out_memory(&json));
        for (int i = 0; i < 50; i++) {
            struct esse_out text;
            esse_out_init_memory(&text, arena);
            for (uint32_t part = 0, parts = 1 + esse_rng_below(&rng, 3); part < parts; part++)
                esse_out_f(&text, "%s%s(%s %s %s)",
                           part ? esse_rng_below(&rng, 2) ? " AND " : " OR " : "",
                           esse_rng_below(&rng, 3) ? "" : "NOT ", PICK(&rng, columns),
                           PICK(&rng, operators), PICK(&rng, constants));
            check_rows(&rows, esse_out_memory(&text));
        }
        sql_rows_free(&rows);
        esse_arena_free(arena);
    }
}

/* ---- and they are as narrow as they can be ---- */

static void show(char room[64], const struct esse_bounds *bounds)
{
    static const char columns[] = "kvm";
    char low[24] = "", high[24] = "";
    const char column = columns[bounds->column];
    if (bounds->type == ESSE_BOUNDS_NONE) {
        snprintf(room, 64, "all");
    } else if (bounds->type == ESSE_BOUNDS_INTEGERS) {
        if (bounds->low > INT64_MIN)
            snprintf(low, sizeof low, "%lld", (long long)bounds->low);
        if (bounds->high < INT64_MAX)
            snprintf(high, sizeof high, "%lld", (long long)bounds->high);
        snprintf(room, 64, "%c [%s,%s]", column, low, high);
    } else {
        if (bounds->has_low)
            snprintf(low, sizeof low, "%.*s", (int)bounds->low_text.length, bounds->low_text.at);
        if (bounds->has_high)
            snprintf(high, sizeof high, "%.*s", (int)bounds->high_text.length,
                     bounds->high_text.at);
        snprintf(room, 64, "%c %c'%s','%s'%c", column, bounds->with_low ? '[' : '(', low, high,
                 bounds->with_high ? ']' : ')');
    }
}

TEST(test_sql_bounds__are_narrow)
{
    static const struct {
        const char *text, *bounds;
    } cases[] = {
        { "v = 5", "v [5,5]" },
        { "5 > v", "v [,4]" },
        { "v < 5 AND v >= -2", "v [-2,4]" },
        { "v BETWEEN 2 AND 7", "v [2,7]" },
        { "NOT (v < 2 OR v > 7)", "v [2,7]" },
        { "v NOT BETWEEN 2 AND 7", "v [,]" },
        { "v IN (3, 9, 5)", "v [3,9]" },
        { "v IN (3, w)", "all" },
        { "v NOT IN (3, 9)", "all" },
        { "v < 5 OR v = 9", "v [,9]" },
        { "v = 1 OR v = 9", "v [1,9]" },
        { "v < 5 OR w < 5", "all" },
        { "v < 5 AND w = 4", "m [4,4]" },
        { "v < 5 AND (w = 4 OR w = 5) AND v > 3", "m [4,5]" },
        { "v < 5 AND v > 9", "v [10,4]" },
        { "v < 1.5", "v [,1]" },
        { "v > -1.5", "v [-1,]" },
        { "v = -1.5", "v [-2,-1]" },
        { "v < 9223372036854775808", "v [,]" },
        { "v <> 5", "all" },
        { "NOT (v <> 5)", "v [5,5]" },
        { "(v = 5) IS TRUE", "v [5,5]" },
        { "(v = 5) IS NOT FALSE", "all" },
        { "(v < 5) IS FALSE", "v [5,]" },
        { "v + 1 = 5", "all" },
        { "v IS NULL", "all" },
        { "TRUE", "all" },
        { "k = 'acc1'", "k ['acc1','acc1']" },
        { "k >= 'a' AND k < 'b'", "k ['a','b')" },
        { "k > 'a' AND k >= 'a' AND k <= 'c' AND k < 'c'", "k ('a','c')" },
        { "k > 'a' OR k >= 'a'", "k ['a','')" },
        { "k IN ('b', 'a')", "k ['a','b']" },
        { "v = 5 AND k LIKE 'a%'", "v [5,5]" },
    };
    struct sql_rows rows = sql_rows_new("{\"x\":1,\"y\":{\"w\":1}}");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct esse_bounds bounds = bounds_of(&rows, cases[i].text);
        char shown[64];
        show(shown, &bounds);
        if (strcmp(shown, cases[i].bounds) != 0)
            fail_msg("%s: %s, expected %s", cases[i].text, shown, cases[i].bounds);
    }
    sql_rows_free(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sql_bounds__what_is_selected_is_within_them),
        cmocka_unit_test(test_sql_bounds__rows_of_other_types_are_never_left_out_wrongly),
        cmocka_unit_test(test_sql_bounds__are_narrow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
