#include "sql/sql_decimal.h"
#include "sql/sql_time.h"
#include "sql_rows.h"

/* ---- a table of cases: a row, a predicate, the answer ---- */

struct sql_case {
    const char *row; /* JSON */
    const char *text;
    char answer; /* t, f, u */
};

static const struct sql_case scalar_cases[] = {
    { "5", "v = 5", 't' },
    { "5", "v <> 5", 'f' },
    { "5", "v != 4", 't' },
    { "5", "v < 6 AND v <= 5 AND v > 4 AND v >= 5", 't' },
    { "5", "TRUE", 't' },
    { "5", "FALSE", 'f' },
    { "5", "NULL", 'u' },
    { "5", "v = NULL", 'u' },
    { "5", "v BETWEEN 1 AND 5", 't' },
    { "5", "v BETWEEN 5 AND 1", 'f' },
    { "5", "v NOT BETWEEN 6 AND 9", 't' },
    { "5", "v BETWEEN NULL AND 4", 'f' },
    { "5", "v BETWEEN NULL AND 6", 'u' },
    { "5", "v IN (1, 5, 7)", 't' },
    { "5", "v IN (1, NULL)", 'u' },
    { "5", "v IN (5, NULL)", 't' },
    { "5", "v NOT IN (1, NULL)", 'u' },
    { "5", "v NOT IN (1, 2)", 't' },
    { "5", "k = 'x'", 't' },
    { "5", "k IN ('a', 'b')", 'f' },
    { "5", "v IS NULL", 'f' },
    { "5", "v IS NOT NULL", 't' },
    { "5", "(v = NULL) IS UNKNOWN", 't' },
    { "5", "(v = NULL) IS NOT UNKNOWN", 'f' },
    { "5", "(v = 5) IS TRUE", 't' },
    { "5", "(v = NULL) IS NOT TRUE", 't' },
    { "5", "(v = 4) IS FALSE", 't' },
    { "5", "(v = NULL) IS NOT FALSE", 't' },
    { "5", "(v = 5) = TRUE", 't' },
    { "5", "NOT v = 5", 'f' },
    { "5", "NOT NULL", 'u' },
    { "5", "NULL AND v = 4", 'f' },
    { "5", "NULL AND v = 5", 'u' },
    { "5", "NULL OR v = 5", 't' },
    { "5", "NULL OR v = 4", 'u' },
    { "5", "v = 5 -- a comment", 't' },
    /* arithmetic */
    { "5", "v % 3 = 2", 't' },
    { "-5", "v % 3 = -2", 't' },
    { "-5", "v / 2 = -2", 't' },
    { "5", "v + 1 * 2 = 7", 't' },
    { "5", "-v = -5", 't' },
    { "5", "- - v = +5", 't' },
    { "5", "v - 7 = -2", 't' },
    { "5", "v * v = 25", 't' },
    { "5", "v + NULL = 5", 'u' },
    { "5", "v = 4 AND 1 / 0 = 1", 'f' },
    { "5", "v = 5 OR 1 / 0 = 1", 't' },
    { "9223372036854775807", "v = 9223372036854775807", 't' },
    { "9223372036854775807", "v - 1 < v", 't' },
    { "-9223372036854775808", "v = -9223372036854775808", 't' },
    { "-9223372036854775808", "v % -1 = 0", 't' },
    { "9223372036854775807", "v < 9223372036854775808", 't' },
    /* decimals */
    { "5", "v < 5.1 AND v > 4.99999999999999999999999999999999999", 't' },
    { "5", "v = 5.00", 't' },
    { "5", "v * 0.1 = 0.5", 't' },
    { "5", "v + 0.25 = 5.25", 't' },
    { "5", "v % 1.5 = 0.5", 't' },
    { "-5", "v % 1.5 = -0.5", 't' },
    { "5", "0.1 + 0.2 = 0.3", 't' },
    { "5", "1e3 = 1000", 't' },
    { "5", "1.5e-3 = 0.0015", 't' },
    { "5", "99999999999999999999999999999999999999 > v", 't' },
    /* literals take the type of what they meet */
    { "5", "v = '5'", 't' },
    { "5", "v < '10'", 't' },
    { "5", "v = ' 5 '", 't' },
    { "5", "v + '1' = 6", 't' },
    { "5", "v < '5.5'", 't' },
    { "true", "v = 'yes'", 't' },
    { "true", "v = 'f'", 'f' },
    { "true", "v", 't' },
    { "false", "v", 'f' },
    { "false", "NOT v AND v < TRUE", 't' },
    { "\"10\"", "v < '9'", 't' },
    /* text */
    { "\"abc\"", "v = 'abc'", 't' },
    { "\"abc\"", "v < 'abd' AND v > 'ab' AND v > 'ABD'", 't' },
    { "\"abc\"", "v LIKE 'a%'", 't' },
    { "\"abc\"", "v LIKE 'a_c'", 't' },
    { "\"abc\"", "v LIKE '%b%'", 't' },
    { "\"abc\"", "v LIKE 'b'", 'f' },
    { "\"abc\"", "v LIKE 'ab'", 'f' },
    { "\"abc\"", "v LIKE '%'", 't' },
    { "\"abc\"", "v LIKE ''", 'f' },
    { "\"\"", "v LIKE ''", 't' },
    { "\"abc\"", "v LIKE NULL", 'u' },
    { "\"abc\"", "v NOT LIKE 'x%'", 't' },
    { "\"abc\"", "v LIKE 'A%'", 'f' },
    { "\"a%c\"", "v LIKE 'a\\%c'", 't' },
    { "\"abc\"", "v LIKE 'a\\%c'", 'f' },
    { "\"a%c\"", "v LIKE 'a#%c' ESCAPE '#'", 't' },
    { "\"a\\\\c\"", "v LIKE 'a\\c' ESCAPE ''", 't' },
    { "\"abcabd\"", "v LIKE '%ab_'", 't' },
    { "\"aXbXc\"", "v LIKE 'a%b%c'", 't' },
    { "\"h\xc3\xa9llo\"", "v LIKE 'h_llo'", 't' },
    { "\"h\xc3\xa9llo\"", "v LIKE 'h__llo'", 'f' },
    { "\"it's\"", "v = 'it''s'", 't' },
    { "\"a\"", "v COLLATE \"C\" < 'b'", 't' },
    /* dates and timestamps */
    { "\"2024-01-05\"", "v >= DATE '2024-01-05'", 't' },
    { "\"2024-01-05 10:00:00\"", "v > DATE '2024-01-05'", 't' },
    { "\"2024-01-05T10:00:00.5\"", "v = TIMESTAMP '2024-01-05 10:00:00.500000'", 't' },
    { "\"2024-02-29\"", "v < DATE '2024-03-01'", 't' },
    { "\"2024-01-05\"", "v < '2024-01-10'", 't' },
    { "\"x\"", "DATE '2024-01-05' = TIMESTAMP '2024-01-05 00:00'", 't' },
    { "\"x\"", "DATE '2024-01-05' < '2024-01-06'", 't' },
    { "\"2024-01-05 23:59:59\"", "v::date = DATE '2024-01-05'", 't' },
    { "\"x\"", "(TIMESTAMP '1969-12-31 23:59:59.25')::text = '1969-12-31 23:59:59.25'", 't' },
    { "\"x\"", "CAST(DATE '0001-01-01' AS text) = '0001-01-01'", 't' },
    /* casts */
    { "5", "v::text = '5'", 't' },
    { "\"7\"", "v::int > 6", 't' },
    { "\"7\"", "CAST(v AS bigint) = 7", 't' },
    { "5", "2.5::int = 3 AND (-2.5)::int = -3 AND 2.4::int = 2", 't' },
    { "true", "v::int = 1", 't' },
    { "true", "v::text = 'true'", 't' },
    { "5", "1.50::text = '1.50' AND (-0.05)::varchar = '-0.05'", 't' },
};

static void check_case(const struct sql_case *sql_case)
{
    struct esse_error err;
    struct sql_rows rows = sql_row_new(sql_case->row);
    char answer = sql_rows_ask(&rows, sql_case->text, 0, &err);
    if (answer != sql_case->answer)
        print_error("%s, %s: '%c', expected '%c' %s\n", sql_case->row, sql_case->text, answer,
                    sql_case->answer, answer == 'e' ? err.text : "");
    CHECK_EQ(answer, sql_case->answer);
    sql_rows_free(&rows);
}

TEST(test_sql__answers_as_postgresql_does)
{
    for (size_t i = 0; i < sizeof scalar_cases / sizeof *scalar_cases; i++)
        check_case(&scalar_cases[i]);
}

TEST(test_sql__a_row_has_its_own_columns_and_the_key)
{
    struct esse_error err;
    struct sql_rows rows =
        sql_rows_new("{\"x\":{\"name\":\"ann\",\"qty\":7,\"a long name\":1},"
                     "\"y\":{\"name\":null,\"note\":\"n\",\"k\":\"own\"},\"z\":3}");
    CHECK_EQ(sql_rows_ask(&rows, "name LIKE 'a%' AND NOT (qty BETWEEN 1 AND 5)", 0, &err), 't');
    CHECK_EQ(sql_rows_ask(&rows, "note IS NULL", 0, &err), 't');
    CHECK_EQ(sql_rows_ask(&rows, "qty > 1", 1, &err), 'u');
    CHECK_EQ(sql_rows_ask(&rows, "name IS NULL AND note = 'n'", 1, &err), 't');
    CHECK_EQ(sql_rows_ask(&rows, "k = 'x'", 0, &err), 't');
    CHECK_EQ(sql_rows_ask(&rows, "k = 'own'", 1, &err), 't');
    CHECK_EQ(sql_rows_ask(&rows, "k = 'z' AND v = 3 AND qty IS NULL", 2, &err), 't');
    CHECK_EQ(sql_rows_ask(&rows, "v IS NULL", 0, &err), 't');
    CHECK_EQ(sql_rows_ask(&rows, "\"a long name\" = 1", 0, &err), 't');
    CHECK_EQ(sql_rows_ask(&rows, "QTY = 7", 0, &err), 't');
    CHECK_EQ(sql_rows_ask(&rows, "\"QTY\" = 7", 0, &err), 'e');
    sql_rows_free(&rows);
    rows = sql_rows_new("{\"x\":{\"a\":1}}");
    CHECK_EQ(sql_rows_ask(&rows, "v = 1", 0, &err), 'e');
    sql_rows_free(&rows);
}

TEST(test_sql__the_header_names_columns_too)
{
    struct esse_error err;
    struct sql_rows rows = { .arena = esse_arena_new() };
    rows.history = load_text(rows.arena, "native",
                             "{\"esse\":\"history\",\"version\":1,\"columns\":[\"k\",\"qty\"]}\n{"
                             "\"init\":{\"x\":{}}}\n");
    rows.predicates = esse_predicates_new(rows.arena, rows.history);
    CHECK_EQ(sql_rows_ask(&rows, "qty IS NULL", 0, &err), 't');
    CHECK_EQ(sql_rows_ask(&rows, "price IS NULL", 0, &err), 'e');
    sql_rows_free(&rows);
}

TEST(test_sql__values_that_only_edn_has)
{
    struct esse_error err;
    struct sql_rows rows = { .arena = esse_arena_new() };
    rows.history =
        load_text(rows.arena, "jepsen-edn",
                  "{:type :invoke, :f :init, :value {1 1.5M, 2 :blue, 3 1/3, 4 [1 2]}, "
                  ":process 0, :index 0}\n"
                  "{:type :ok, :f :init, :value {1 1.5M, 2 :blue, 3 1/3, 4 [1 2]}, "
                  ":process 0, :index 1}\n"
                  "{:type :invoke, :f :txn, :value [[:rp :true nil]], :process 1, "
                  ":index 2}\n"
                  "{:type :ok, :f :txn, :value [[:rp :true {}]], :process 1, :index 3}\n");
    rows.predicates = esse_predicates_new(rows.arena, rows.history);
    CHECK_EQ(sql_rows_ask(&rows, "v = 1.5 AND k = 1", 0, &err), 't');
    CHECK_EQ(sql_rows_ask(&rows, "v = 'blue'", 1, &err), 't');
    CHECK_EQ(sql_rows_ask(&rows, "v IS NOT NULL", 2, &err), 't');
    CHECK_EQ(sql_rows_ask(&rows, "v > 0", 2, &err), 'e');
    CHECK_EQ(sql_rows_ask(&rows, "v IS NULL", 3, &err), 'f');
    CHECK_EQ(sql_rows_ask(&rows, "v = 1", 3, &err), 'e');
    sql_rows_free(&rows);
}

/* ---- what is refused, and in which words ---- */

static const struct refusal {
    const char *row, *text, *message;
} refusals[] = {
    { "1", "v >", "predicate \"v >\", byte 4: syntax error at end of input" },
    { "1", "", "syntax error" },
    { "1", "v = 1)", ", byte 6: syntax error" },
    { "1", "v = 1;", "found ';'" },
    { "1", "v = 1; DELETE FROM t", "found ';'" },
    { "1", "v = 1 ORDER BY v", "found ORDER BY" },
    { "1", "v = 1 GROUP BY v", "found GROUP BY" },
    { "1", "v = 1 LIMIT 1", "found LIMIT" },
    { "1", "v = 1 OFFSET 1", "found OFFSET" },
    { "1", "v = 1 HAVING TRUE", "found HAVING" },
    { "1", "v = 1 FOR UPDATE", "found FOR UPDATE" },
    { "1", "v = 1 UNION SELECT 1", "found UNION" },
    { "1", "v = 1 WINDOW w AS ()", "found WINDOW" },
    { "1", "v = (SELECT 1)", ", byte 5: a sub-select" },
    { "1", "EXISTS (SELECT 1)", "a sub-select" },
    { "1", "abs(v) = 1", ", byte 1: the function abs()" },
    { "1", "count(*) OVER () = 1", "the window function count()" },
    { "1", "v = $1", ", byte 5: the parameter $1" },
    { "1", "v || 'a' = 'b'", ", byte 3: the operator ||" },
    { "1", "v ^ 2 = 1", "the operator ^" },
    { "1", "t.v = 1", "a table's name before the column 'v'" },
    { "1", "t.* = 1", "* is not supported" },
    { "1", "w = 1", "predicate \"w = 1\", byte 1: there is no column 'w'" },
    { "1", "CASE WHEN v = 1 THEN TRUE END", "CASE" },
    { "1", "COALESCE(v, 1) = 1", "COALESCE" },
    { "1", "NULLIF(v, 1) = 1", "NULLIF" },
    { "1", "GREATEST(v, 1) = 1", "GREATEST" },
    { "1", "(v, v) = (1, 1)", "a row of values" },
    { "1", "v = ANY(ARRAY[1])", "ANY" },
    { "1", "v = ARRAY[1]", "an array" },
    { "1", "(ARRAY[1])[1] = v", "a subscript" },
    { "1", "v IS DISTINCT FROM 1", "IS DISTINCT FROM" },
    { "1", "v ILIKE 'a'", "ILIKE" },
    { "1", "v SIMILAR TO 'a'", "SIMILAR TO" },
    { "1", "v BETWEEN SYMMETRIC 2 AND 1", "BETWEEN SYMMETRIC" },
    { "1", "v::numeric = 1", "the type numeric" },
    { "1", "v::int[] = 1", "the type int4[]" },
    { "1", "v::varchar(3) = '1'", "a length or precision of the type varchar" },
    { "1", "TIMESTAMPTZ '2024-01-05' = v", "the type timestamptz" },
    { "1", "CURRENT_DATE = v", "CURRENT_DATE" },
    { "1", "v COLLATE \"de_DE\" = 'a'", "COLLATE \"de_DE\"" },
    { "1", "v = B'1'", "a bit string" },
    { "1", "v / 0 = 1", "predicate \"v / 0 = 1\", byte 3: division by zero (key x)" },
    { "1", "v % 0 = 1", "division by zero" },
    { "1", "v % 0.0 = 1", "division by zero" },
    { "1", "v / 2.0 = 1", "dividing decimals" },
    { "9223372036854775807", "v + 1 > 0", "does not fit 64 bits" },
    { "-9223372036854775808", "v - 1 < 0", "does not fit 64 bits" },
    { "-9223372036854775808", "-v > 0", "does not fit 64 bits" },
    { "-9223372036854775808", "v / -1 > 0", "does not fit 64 bits" },
    { "9223372036854775807", "v * 2 > 0", "does not fit 64 bits" },
    { "1", "v = 123456789012345678901234567890123456789", "more than 38 digits" },
    { "1", "v = '0.000000000000000000000000000000000000001'", "more than 38 digits" },
    { "1", "99999999999999999999 * 99999999999999999999 > 1", "more than 38 digits" },
    { "1", "99999999999999999999999999999999999999 + 1 > 1", "more than 38 digits" },
    { "1", "v = 'a'", "'a' is not a number" },
    { "1", "v = ''", "'' is not a number" },
    { "1", "v = TRUE", "cannot compare an integer with a boolean" },
    { "\"a\"", "v = 1", "cannot compare text with an integer (key x)" },
    { "\"a\"", "v = DATE '2024-01-05'", "'a' is not a date" },
    { "\"a\"", "DATE '2024-02-30' = v", "'2024-02-30' is not a date" },
    { "\"a\"", "DATE '2024-01-05' + 1 = v", "cannot calculate a date + an integer" },
    { "\"a\"", "v + 1 = 2", "cannot calculate text + an integer" },
    { "\"a\"", "v AND TRUE", "expected a boolean, found text" },
    { "1", "v", "expected a boolean, found an integer" },
    { "1", "NOT 'maybe'", "'maybe' is not a boolean" },
    { "1", "v LIKE '1'", "LIKE needs text" },
    { "\"ab\"", "v LIKE 'a\\'", "ends in its escape" },
    { "\"a\"", "v LIKE 'a' ESCAPE 'ab'", "ESCAPE must be" },
    { "\"a\"", "v::int = 1", "'a' is not a number" },
    { "\"1.5\"", "v::int = 1", "must be one" },
    { "3000000000", "v::int = 1", "does not fit 32 bits" },
    { "70000", "v::smallint = 1", "does not fit 16 bits" },
    { "1", "v::date = '2024-01-05'", "cannot cast an integer to a date" },
    { "true", "v::bigint = 1", "cannot cast a boolean to an integer" },
};

TEST(test_sql__refuses_by_name_and_place)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const struct refusal *refusal = &refusals[i];
        struct esse_error err = { 0 };
        struct sql_rows rows = sql_row_new(refusal->row);
        char answer = sql_rows_ask(&rows, refusal->text, 0, &err);
        if (answer != 'e' || !strstr(err.text, refusal->message))
            print_error("%s: '%c' %s\n  expected: %s\n", refusal->text, answer, err.text,
                        refusal->message);
        CHECK_EQ(answer, 'e');
        CHECK_EQ(err.code, ESSE_EINPUT);
        CHECK(strstr(err.text, refusal->message));
        sql_rows_free(&rows);
    }
}

static char ask_repeated(const char *before, const char *part, size_t count, const char *after,
                         struct esse_error *err)
{
    struct sql_rows rows = sql_rows_new("{\"x\":1}");
    struct esse_out out;
    esse_out_init_memory(&out, rows.arena);
    esse_out_text(&out, before);
    while (count--)
        esse_out_text(&out, part);
    esse_out_text(&out, after);
    char answer = sql_rows_ask(&rows, esse_out_memory(&out), 0, err);
    sql_rows_free(&rows);
    return answer;
}

TEST(test_sql__deep_and_long_texts_are_refused_before_they_overflow_a_stack)
{
    struct esse_error err;
    CHECK_EQ(ask_repeated("v = 1", " + 0", 400, "", &err), 't');
    CHECK_EQ(ask_repeated("v = 1", " + 0", 600, "", &err), 'e');
    CHECK(strstr(err.text, "500 levels"));
    CHECK_EQ(ask_repeated("v = 1", "+0", 5000, "", &err), 'e');
    CHECK(strstr(err.text, "1000 operators"));
    CHECK_EQ(ask_repeated("", "NOT ", 3000, "v = 1", &err), 'e');
    CHECK_EQ(ask_repeated("", "NOT ", 9000, "v = 1", &err), 'e');
    CHECK(strstr(err.text, "12 KiB"));
    CHECK_EQ(ask_repeated("", "(SELECT ", 700, "", &err), 'e');
    CHECK_EQ(ask_repeated("v = 1", "[1", 701, "", &err), 'e');
    CHECK(strstr(err.text, "700 brackets"));
    CHECK_EQ(ask_repeated("SELECT 1", " UNION SELECT 1", 800, "", &err), 'e');
    CHECK(strstr(err.text, "UNION"));
    CHECK_EQ(ask_repeated("SELECT * FROM a", " CROSS JOIN a", 900, "", &err), 'e');
    CHECK_EQ(ask_repeated("SELECT * FROM a", " JOIN a", 1700, "", &err), 'e');
    CHECK_EQ(ask_repeated("SELECT * FROM a ORDER BY v", ",v", 6000, "", &err), 't');
    CHECK_EQ(ask_repeated("v IN (0", ", 22", 2900, ", 1)", &err), 't');
    CHECK_EQ(ask_repeated("v = 0", " OR v = 0", 900, " OR v = 1", &err), 't');
}

TEST(test_sql__a_text_is_compiled_once)
{
    struct sql_rows rows = sql_rows_new("{\"x\":1}");
    struct esse_error err;
    esse_value text = esse_value_string(rows.history->values, "v = 1", 5);
    const struct esse_predicate *first = esse_predicates_get(rows.predicates, text, &err);
    CHECK(first != NULL);
    CHECK(first == esse_predicates_get(rows.predicates, text, &err));
    bool selects = true;
    CHECK(esse_predicate_selects(first, text, ESSE_NIL, &selects, &err));
    CHECK(!selects);
    sql_rows_free(&rows);
}

/* ---- decimals and times on their own ---- */

/* Numbers of up to four digits around the point against arithmetic on doubles, which is exact. */
TEST(test_decimal__agrees_with_small_numbers)
{
    struct esse_rng rng = { 7 };
    for (unsigned round = 0; round < test_rounds(20000); round++) {
        static const int units[] = { 1, 10, 100 };
        const int a = (int)esse_rng_below(&rng, 2001) - 1000, s = (int)esse_rng_below(&rng, 3);
        const int b = (int)esse_rng_below(&rng, 2001) - 1000, t = (int)esse_rng_below(&rng, 3);
        const struct sql_decimal x = { a, s }, y = { b, t };
        const int64_t p = a * (100 / units[s]), q = b * (100 / units[t]); /* in hundredths */
        struct sql_decimal result;
        CHECK_EQ(sql_decimal_compare(x, y), (p > q) - (p < q));
        CHECK(sql_decimal_calculate('+', x, y, &result));
        CHECK_EQ(sql_decimal_compare(result, (struct sql_decimal){ p + q, 2 }), 0);
        CHECK(sql_decimal_calculate('-', x, y, &result));
        CHECK_EQ(sql_decimal_compare(result, (struct sql_decimal){ p - q, 2 }), 0);
        CHECK(sql_decimal_calculate('*', x, y, &result));
        CHECK_EQ(sql_decimal_compare(result, (struct sql_decimal){ p * q, 4 }), 0);
        if (q) {
            CHECK(sql_decimal_calculate('%', x, y, &result));
            CHECK_EQ(sql_decimal_compare(result, (struct sql_decimal){ p % q, 2 }), 0);
        }
        char text[SQL_DECIMAL_TEXT];
        size_t length = sql_decimal_show(x, text);
        CHECK(!sql_decimal_parse(text, length, &result));
        CHECK(result.digits == x.digits);
        CHECK_EQ(result.scale, x.scale);
    }
}

TEST(test_decimal__holds_38_digits_and_no_more)
{
    static const char nines[] = "99999999999999999999999999999999999999";
    static const char small[] = "0.00000000000000000000000000000000000001";
    struct sql_decimal big, tiny, result;
    char text[SQL_DECIMAL_TEXT];
    CHECK(!sql_decimal_parse(nines, 38, &big));
    CHECK(!sql_decimal_parse(small, strlen(small), &tiny));
    CHECK_EQ(sql_decimal_compare(big, tiny), 1);
    CHECK_EQ(sql_decimal_compare(tiny, big), -1);
    CHECK(!sql_decimal_calculate('+', big, tiny, &result));
    CHECK(!sql_decimal_calculate('+', big, big, &result));
    CHECK(!sql_decimal_calculate('*', big, big, &result));
    CHECK(!sql_decimal_calculate('*', tiny, tiny, &result));
    CHECK_EQ(sql_decimal_show(big, text), 38);
    CHECK(memcmp(text, nines, 38) == 0);
    CHECK_EQ(sql_decimal_show(tiny, text), strlen(small));
    CHECK(memcmp(text, small, strlen(small)) == 0);
    CHECK(sql_decimal_parse("1e38", 4, &result) != NULL);
    CHECK(!sql_decimal_parse("1e37", 4, &result));
    CHECK(sql_decimal_parse("1e-39", 5, &result) != NULL);
    CHECK(sql_decimal_parse("1e999999999999", 14, &result) != NULL);
    CHECK(!sql_decimal_parse("0e999999999999", 14, &result));
    static const char *const wrong[] = { "",   " ",   "-",   ".",   "1.2.3",
                                         "1e", "1e+", "0x1", "1 2", "NaN" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK(sql_decimal_parse(wrong[i], strlen(wrong[i]), &result) != NULL);
}

TEST(test_time__the_days_of_the_calendar_come_back)
{
    char text[SQL_TIME_TEXT];
    int64_t time, again, first, last;
    CHECK(sql_time_parse("0001-01-01", 10, &first));
    CHECK(sql_time_parse("9999-12-31", 10, &last));
    CHECK_EQ((last - first) / SQL_DAY, 3652058);
    for (time = first; time <= last; time += 37 * SQL_DAY) {
        size_t length = sql_time_show(time, true, text);
        if (length != 10 || !sql_time_parse(text, length, &again) || again != time)
            fail_msg("%.*s", (int)length, text);
    }
    CHECK(sql_time_parse("1970-01-01", 10, &time));
    CHECK_EQ(time, 0);
    static const char *const wrong[] = { "",
                                         "2024-1-5",
                                         "2024-13-01",
                                         "2023-02-29",
                                         "0000-01-01",
                                         "2024-01-05 24:00",
                                         "2024-01-05T",
                                         "2024-01-05 10:00:00.",
                                         "2024-01-05 10:00:00.1234567",
                                         "2024-01-05 10:00+02",
                                         "10:00" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK(!sql_time_parse(wrong[i], strlen(wrong[i]), &time));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sql__answers_as_postgresql_does),
        cmocka_unit_test(test_sql__a_row_has_its_own_columns_and_the_key),
        cmocka_unit_test(test_sql__the_header_names_columns_too),
        cmocka_unit_test(test_sql__values_that_only_edn_has),
        cmocka_unit_test(test_sql__refuses_by_name_and_place),
        cmocka_unit_test(test_sql__deep_and_long_texts_are_refused_before_they_overflow_a_stack),
        cmocka_unit_test(test_sql__a_text_is_compiled_once),
        cmocka_unit_test(test_decimal__agrees_with_small_numbers),
        cmocka_unit_test(test_decimal__holds_38_digits_and_no_more),
        cmocka_unit_test(test_time__the_days_of_the_calendar_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
