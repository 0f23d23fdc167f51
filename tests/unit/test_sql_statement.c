#include "sql_rows.h"

/* ---- a table of cases ---- */

/* Two tables and a key that is of none. */
static const char rows_json[] =
    "{\"a/1\":{\"n\":3,\"s\":\"x\",\"d\":\"2024-01-05\",\"b\":1},"
    "\"a/2\":{\"n\":null,\"s\":\"ab\",\"d\":\"2023-12-31\",\"b\":2},"
    "\"a/3\":{\"n\":-7,\"s\":null,\"d\":null,\"b\":2},"
    "\"a/4\":{\"n\":3,\"s\":\"b\",\"d\":\"2024-01-04\",\"b\":null},"
    "\"b/1\":{\"id\":1,\"w\":10},\"b/2\":{\"id\":2,\"w\":20},\"b/3\":{\"id\":3,\"w\":30},"
    "\"plain\":9223372036854775807,\"other\":9223372036854775807,\"gone\":null}";

static const struct {
    const char *text, *answer;
} cases[] = {
    /* tables */
    { "SELECT * FROM a", "a/1 a/2 a/3 a/4" },
    { "select k from A", "a/1 a/2 a/3 a/4" },
    { "SELECT * FROM nowhere", "plain other" },
    { "SELECT * FROM a WHERE k > 'a/2'", "a/3 a/4" },
    { " SELECT x.n FROM a x WHERE x.n = 3;", "a/1 a/4" },
    { "SELECT a.* FROM a WHERE a.n IS NULL", "a/2" },
    { "n = 3", "a/1 a/4" },
    /* aggregates */
    { "SELECT count(*) FROM a", "4" },
    { "SELECT count(n), count(*) FROM a", "3, 4" },
    { "SELECT sum(n), min(n), max(n) FROM a", "-1, -7, 3" },
    { "SELECT sum(n), min(s), count(n), count(*) FROM a WHERE n > 100", "nil, nil, 0, 0" },
    { "SELECT min(s), max(s) FROM a", "\"ab\", \"x\"" },
    { "SELECT min(d::date), max(d) FROM a", "2023-12-31, \"2024-01-05\"" },
    { "SELECT max(n::text), min(n::text) FROM a", "\"3\", \"-7\"" },
    { "SELECT sum(v) FROM nowhere", "18446744073709551614" },
    { "SELECT sum(n * 2 + 0.5) FROM a", "-0.5" },
    { "SELECT min(n + b) FROM a", "-5" },
    { "SELECT count(*) FROM a LIMIT 5", "4" },
    { "SELECT count(*) FROM a LIMIT 0", "nothing" },
    { "SELECT count(*) FROM a OFFSET 1", "nothing" },
    /* order and limit */
    { "SELECT * FROM a ORDER BY n", "a/1 a/2 a/3 a/4" }, /* all of them: no need to sort */
    { "SELECT * FROM a ORDER BY n LIMIT 2", "a/3 a/1" },
    { "SELECT * FROM a ORDER BY n LIMIT 3 OFFSET 1", "a/1 a/4 a/2" },
    { "SELECT * FROM a ORDER BY n DESC LIMIT 2", "a/2 a/1" },
    { "SELECT * FROM a ORDER BY n DESC NULLS LAST LIMIT 2", "a/1 a/4" },
    { "SELECT * FROM a ORDER BY n NULLS FIRST LIMIT 1", "a/2" },
    { "SELECT * FROM a ORDER BY n DESC NULLS LAST, s LIMIT 1", "a/4" },
    { "SELECT * FROM a ORDER BY b NULLS FIRST, n DESC LIMIT 3", "a/4 a/1 a/2" },
    { "SELECT s, n FROM a ORDER BY 2, 1 DESC LIMIT 2", "a/3 a/1" },
    { "SELECT b AS n, n AS b FROM a ORDER BY n, b DESC LIMIT 2", "a/1 a/2" },
    { "SELECT n AS m FROM a ORDER BY m LIMIT 1", "a/3" },
    { "SELECT * FROM a ORDER BY -n LIMIT 1", "a/1" },
    { "SELECT * FROM a ORDER BY n::text LIMIT 1", "a/3" },
    { "SELECT * FROM a ORDER BY d::date LIMIT 2", "a/2 a/4" },
    { "SELECT * FROM a LIMIT 2 OFFSET 3", "a/4" },
    { "SELECT * FROM a OFFSET 9", "" },
    { "SELECT * FROM a LIMIT 0", "" },
    { "SELECT * FROM a LIMIT ALL OFFSET 2", "a/3 a/4" },
    { "SELECT * FROM a ORDER BY k DESC FETCH FIRST 2 ROWS ONLY", "a/4 a/3" },
    /* joins */
    { "SELECT * FROM a JOIN b ON a.b = b.id", "a/1 a/2 a/3 b/1 b/2" },
    { "SELECT count(*), sum(b.w) FROM a JOIN b ON a.b = b.id", "3, 50" },
    { "SELECT count(*) FROM a, b WHERE b.id = a.b AND a.n = 3", "1" },
    { "SELECT * FROM a x INNER JOIN b y ON x.b = y.id WHERE x.n < y.w AND y.w > 10", "a/3 b/2" },
    { "SELECT * FROM a x JOIN a y ON x.n = y.n WHERE x.k < y.k", "a/1 a/4" },
    { "SELECT count(*) FROM a x JOIN a y ON x.n = y.n", "5" },
    { "SELECT count(*) FROM a JOIN b ON a.b = b.id WHERE FALSE", "0" },
    { "SELECT * FROM a JOIN b ON a.b = b.id ORDER BY b.w", "a/1 a/2 a/3 b/1 b/2" },
    { "SELECT max(x.s) FROM a x JOIN nowhere y ON x.n = y.v", "nil" },
};

TEST(test_statement__answers)
{
    struct sql_rows rows = sql_rows_new(rows_json);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *answer = sql_rows_show(&rows, cases[i].text);
        if (strcmp(answer, cases[i].answer) != 0)
            fail_msg("%s\n  is       %s\n  expected %s", cases[i].text, answer, cases[i].answer);
    }
    sql_rows_free(&rows);
}

/* ---- refusals ---- */

static const struct {
    const char *text, *message;
} refusals[] = {
    { "SELECT n FROM a GROUP BY n", ", byte 17: GROUP BY is not supported" },
    { "SELECT DISTINCT n FROM a", ", byte 8: DISTINCT is not supported" },
    { "SELECT n FROM a UNION SELECT n FROM a", ", byte 17: UNION, INTERSECT or EXCEPT" },
    { "WITH t AS (SELECT 1) SELECT * FROM t", ", byte 1: WITH is not supported" },
    { "SELECT count(*) FROM a HAVING TRUE", ", byte 24: HAVING is not supported" },
    { "SELECT * FROM a WINDOW w AS ()", ", byte 17: WINDOW is not supported" },
    { "SELECT n FROM a FOR UPDATE", ", byte 17: FOR UPDATE or FOR SHARE is not supported" },
    { "SELECT n INTO b FROM a", ", byte 10: INTO is not supported" },
    { "SELECT count(*) OVER () FROM a", ", byte 8: a window function is not supported" },
    { "SELECT count(DISTINCT n) FROM a", ", byte 8: DISTINCT in an aggregate" },
    { "SELECT count(*) FILTER (WHERE n > 1) FROM a", ", byte 8: FILTER is not supported" },
    { "SELECT avg(n) FROM a",
      ", byte 8: the function avg() is not supported, expected count, sum, min or max" },
    { "SELECT sum(*) FROM a", ", byte 8: sum() takes one argument" },
    { "SELECT count(n, s) FROM a", ", byte 8: count() takes one argument" },
    { "SELECT count() FROM a", "count() takes one argument" },
    { "SELECT 1 + count(*) FROM a", ", byte 12: the function count() is not supported" },
    { "SELECT n, count(*) FROM a", ", byte 11: an aggregate beside what is none" },
    { "SELECT * FROM a WHERE count(*) > 1", ", byte 23: the function count()" },
    { "SELECT (SELECT 1) FROM a", ", byte 8: a sub-select" },
    { "SELECT * FROM a WHERE n IN (SELECT 1)", ", byte 25: a sub-select" },
    { "SELECT * FROM (SELECT * FROM a) x", ", byte 16: a sub-select in FROM" },
    { "SELECT * FROM generate_series(1, 2)", "a function in FROM is not supported" },
    { "SELECT * FROM a LEFT JOIN b ON a.b = b.id", ", byte 17: an outer join is not supported" },
    { "SELECT * FROM a FULL JOIN b ON a.b = b.id", "an outer join is not supported" },
    { "SELECT * FROM a NATURAL JOIN b", ", byte 17: NATURAL JOIN is not supported" },
    { "SELECT * FROM a JOIN b USING (k)", ", byte 24: JOIN with USING is not supported" },
    { "SELECT * FROM a JOIN b ON a.b < b.id", "a join needs the equality of a column of each" },
    { "SELECT * FROM a CROSS JOIN b", "a join needs the equality" },
    { "SELECT * FROM a, b, a c", ", byte 21: a join of more than 2 tables" },
    { "SELECT * FROM a JOIN a ON a.n = a.n", ", byte 22: the table 'a' is named twice" },
    { "SELECT n FROM a JOIN b ON a.b = b.id",
      ", byte 8: the column 'n' needs the name of its table" },
    { "SELECT * FROM a JOIN b ON a.b = b.id LIMIT 1", ", byte 38: LIMIT and OFFSET of a join" },
    { "SELECT c.n FROM a", ", byte 8: there is no table 'c' in FROM" },
    { "SELECT a.n FROM a x", "there is no table 'a' in FROM" },
    { "SELECT nothing FROM a", ", byte 8: there is no column 'nothing'" },
    { "SELECT * FROM s.a", ", byte 15: a schema's name" },
    { "SELECT * FROM ONLY a", "ONLY is not supported" },
    { "SELECT * FROM a x(y)", "names of columns" },
    { "SELECT 1", "a SELECT without FROM" },
    { "SELECT FROM a", "a SELECT of nothing" },
    { "SELECT * FROM a; SELECT 1", "expected one statement" },
    { "SELECT * FROM a ORDER BY n USING <", "ORDER BY USING" },
    { "SELECT * FROM a ORDER BY 1", ", byte 26: ORDER BY a number is not supported with SELECT *" },
    { "SELECT n FROM a ORDER BY 2", ", byte 26: ORDER BY 2: the result has 1 columns" },
    { "SELECT n FROM a ORDER BY 'x'", ", byte 26: ORDER BY a constant" },
    { "SELECT n, s AS n FROM a ORDER BY n", "two columns of the result have that name" },
    { "SELECT count(*) FROM a ORDER BY n", ", byte 24: ORDER BY of aggregates" },
    { "SELECT * FROM a LIMIT 1 + 1", ", byte 17: LIMIT of anything but a number" },
    { "SELECT * FROM a LIMIT -1", "LIMIT" },
    { "SELECT * FROM a OFFSET 1.5", ", byte 24: OFFSET must be an integer" },
    { "SELECT * FROM a FETCH FIRST 2 ROWS WITH TIES", "WITH TIES" },
    { "SELECT * FROM", ", byte 14: syntax error" },
    { "SELECT sum(s) FROM a", ", byte 8: sum() of text is not supported" },
    { "SELECT min(n = 3) FROM a", ", byte 8: min() of a boolean is not supported" },
    { "SELECT max(v) FROM nowhere WHERE v / 0 = 1", ", byte 36: division by zero (key plain)" },
    { "SELECT * FROM a x JOIN a y ON x.n = y.s", "cannot compare an integer with text" },
};

TEST(test_statement__refuses_by_name_and_place)
{
    struct sql_rows rows = sql_rows_new(rows_json);
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const char *answer = sql_rows_show(&rows, refusals[i].text);
        if (!strstr(answer, refusals[i].message) || strncmp(answer, "predicate \"", 11) != 0)
            fail_msg("%s\n  is       %s\n  expected %s", refusals[i].text, answer,
                     refusals[i].message);
    }
    sql_rows_free(&rows);
}

/* ---- what may be returned ---- */

/* All sets of rows against every order of the rows that ORDER BY allows. */
enum { ROWS = 6 };

static bool is_returned_by(const int *values, const uint32_t *order, bool sorted, unsigned set,
                           uint32_t limit, uint32_t offset)
{
    unsigned returned = 0;
    for (uint32_t i = 0; sorted && i + 1 < ROWS; i++)
        if (values[order[i]] > values[order[i + 1]])
            return false;
    for (uint32_t i = offset; i < ROWS && i < offset + limit; i++)
        returned |= 1u << order[i];
    return returned == set;
}

static bool is_possible(const int *values, uint32_t *order, uint32_t from, bool sorted,
                        unsigned set, uint32_t limit, uint32_t offset)
{
    if (from == ROWS)
        return is_returned_by(values, order, sorted, set, limit, offset);
    for (uint32_t i = from; i < ROWS; i++) {
        const uint32_t swapped = order[i];
        order[i] = order[from];
        order[from] = swapped;
        bool yes = is_possible(values, order, from + 1, sorted, set, limit, offset);
        order[from] = order[i];
        order[i] = swapped;
        if (yes)
            return true;
    }
    return false;
}

TEST(test_statement__limit_may_choose_among_equals)
{
    for (unsigned seed = test_first(12), after = seed + test_rounds(12); seed < after; seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_rng rng = { seed };
        struct esse_out json;
        struct esse_error err;
        int values[ROWS];
        esse_out_init_memory(&json, arena);
        for (uint32_t i = 0; i < ROWS; i++) {
            values[i] = (int)esse_rng_below(&rng, 3);
            esse_out_f(&json, "%s\"r%u\":%d", i ? "," : "{", i, values[i]);
        }
        esse_out_text(&json, "}");
        struct sql_rows rows = sql_rows_new(esse_out_memory(&json));
        const uint32_t limit = esse_rng_below(&rng, 5), offset = esse_rng_below(&rng, 4);
        const bool sorted = esse_rng_below(&rng, 4);
        const struct esse_predicate *statement =
            sql_rows_get(&rows,
                         esse_arena_format(arena, "SELECT * FROM t %s LIMIT %u OFFSET %u",
                                           sorted ? "ORDER BY v" : "", limit, offset),
                         &err);
        struct esse_answer *answer = sql_rows_answer(&rows, statement, &err);
        CHECK(answer && !esse_statement_is_exact(statement));
        for (unsigned set = 0; set < 1 << ROWS; set++) {
            struct esse_keyed_row tags[ROWS];
            uint32_t count = 0, order[ROWS] = { 0, 1, 2, 3, 4, 5 }, odd;
            bool missing;
            for (uint32_t i = ROWS; i-- > 0;)
                if (set & 1u << i)
                    tags[count++].key.ix = i;
            const bool may_be = esse_answer_may_be(answer, tags, count, &odd, &missing);
            CHECK_EQ(may_be, is_possible(values, order, 0, sorted, set, limit, offset));
            CHECK(may_be || missing != (set >> odd & 1));
        }
        sql_rows_free(&rows);
        esse_arena_free(arena);
    }
}

TEST(test_statement__a_row_from_elsewhere_is_too_much)
{
    struct sql_rows rows = sql_rows_new(rows_json);
    struct esse_error err;
    const struct esse_predicate *statement = sql_rows_get(&rows, "SELECT * FROM a", &err);
    struct esse_answer *answer = sql_rows_answer(&rows, statement, &err);
    const struct esse_keyed_row tags[] = {
        { .key = { 3 } }, { .key = { 7 } }, { .key = { 2 } }, { .key = { 0 } }, { .key = { 1 } }
    };
    uint32_t odd;
    bool missing;
    CHECK(!esse_answer_may_be(answer, tags, 5, &odd, &missing));
    CHECK(odd == 7 && !missing);
    CHECK(!esse_answer_may_be(answer, tags + 2, 3, &odd, &missing));
    CHECK(odd == 3 && missing);
    sql_rows_free(&rows);
}

/* ---- results ---- */

TEST(test_statement__results_compare_as_sql_does)
{
    static const struct {
        const char *text, *result;
        bool same;
    } results[] = {
        { "SELECT count(*) FROM a", "4", true },
        { "SELECT count(*) FROM a", "\"4\"", true },
        { "SELECT count(*) FROM a", "3", false },
        { "SELECT count(*) FROM a", "null", false },
        { "SELECT count(*) FROM a", "4,4", false },
        { "SELECT count(*) FROM a", "", false },
        { "SELECT count(*) FROM a LIMIT 0", "", true },
        { "SELECT sum(v) FROM nowhere", "\"18446744073709551614\"", true },
        { "SELECT sum(v) FROM nowhere", "\"18446744073709551613\"", false },
        { "SELECT sum(n * 0.5), max(d::date) FROM a", "\"-0.50\",\"2024-01-05\"", true },
        { "SELECT sum(n * 0.5), max(d::date) FROM a", "\"-0.50\",\"2024-01-06\"", false },
        { "SELECT max(s), min(n) FROM a", "\"x\",-7", true },
        { "SELECT max(s) FROM a", "true", false },
        { "SELECT max(s) FROM a WHERE n = 0", "null", true },
        { "SELECT max(n) FROM a", "\"three\"", false },
    };
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        struct esse_error err = { 0 };
        struct sql_rows rows = { .arena = esse_arena_new() };
        rows.history = load_text(
            rows.arena, "native",
            esse_arena_format(rows.arena,
                              "{\"init\":%s}\n{\"session\":0,\"ops\":[{\"p\":\"%s\",\"result\":"
                              "[%s]}]}\n",
                              rows_json, results[i].text, results[i].result));
        rows.predicates = esse_predicates_new(rows.arena, rows.history);
        const struct esse_predicate_op *op = &rows.history->predicates[0];
        struct esse_answer *answer =
            sql_rows_answer(&rows, sql_rows_get(&rows, results[i].text, &err), &err);
        CHECK(answer);
        if (esse_answer_is(answer, esse_history_result(rows.history, op), op->result_count) !=
            results[i].same)
            fail_msg("%s: [%s]", results[i].text, results[i].result);
        sql_rows_free(&rows);
    }
}

/* Clients fill numbers into a text: what was parsed for one must not answer for another. */
TEST(test_statement__texts_of_one_shape_have_their_own_numbers)
{
    struct sql_rows rows = sql_rows_new(rows_json);
    CHECK_TEXT(sql_rows_show(&rows, "SELECT count(*) FROM a WHERE n > 2"), "2");
    CHECK_TEXT(sql_rows_show(&rows, "SELECT count(*) FROM a WHERE n > -8"), "3");
    CHECK_TEXT(sql_rows_show(&rows, "SELECT count(*) FROM a WHERE n > 22"), "0");
    CHECK_TEXT(sql_rows_show(&rows, "SELECT sum(n + 1) FROM a WHERE n > 2"), "8");
    CHECK_TEXT(sql_rows_show(&rows, "SELECT sum(n + 10) FROM a WHERE n > 0"), "26");
    CHECK_TEXT(sql_rows_show(&rows, "SELECT n FROM a ORDER BY n + 1 LIMIT 1"), "a/3");
    CHECK_TEXT(sql_rows_show(&rows, "SELECT n FROM a ORDER BY n + 1 LIMIT 2"), "a/3 a/1");
    CHECK_TEXT(sql_rows_show(&rows, "SELECT n FROM a LIMIT 1 OFFSET 2"), "a/3");
    CHECK_TEXT(sql_rows_show(&rows, "SELECT n FROM a LIMIT 2 OFFSET 1"), "a/2 a/3");
    CHECK_TEXT(sql_rows_show(&rows, "SELECT n, b FROM a ORDER BY 1 LIMIT 1"), "a/3");
    CHECK_TEXT(sql_rows_show(&rows, "SELECT n, b FROM a ORDER BY 2 LIMIT 1"), "a/1");
    sql_rows_free(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statement__answers),
        cmocka_unit_test(test_statement__refuses_by_name_and_place),
        cmocka_unit_test(test_statement__limit_may_choose_among_equals),
        cmocka_unit_test(test_statement__a_row_from_elsewhere_is_too_much),
        cmocka_unit_test(test_statement__results_compare_as_sql_does),
        cmocka_unit_test(test_statement__texts_of_one_shape_have_their_own_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
