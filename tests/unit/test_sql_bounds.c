#include "sql/range.h"
#include "sql/statement.h"
#include "sql_random.h"

/* ---- random predicates: whatever is selected is within the bounds ---- */

static bool bounds_of(struct sql_rows *rows, const char *text, struct esse_bounds *bounds)
{
    struct esse_error err = { 0 };
    const esse_value word = esse_value_string(rows->history->values, text, strlen(text));
    const struct esse_predicate *predicate = esse_predicates_get(rows->predicates, word, &err);
    if (!predicate)
        fail_msg("%s", err.text);
    return esse_statement_bounds(predicate, 0, bounds);
}

/* As bounds.h says: what lies outside, and NULL, need not be asked. */
static bool is_left_out(const struct esse_bounds *bounds, struct esse_place place)
{
    return place.kind == ESSE_PLACE_NULL ||
           (place.kind == bounds->kind && (place.at < bounds->low || place.at > bounds->high));
}

/* Returns how many rows the bounds leave out. */
static unsigned check_rows(struct sql_rows *rows, const char *text)
{
    struct esse_bounds bounds;
    unsigned left_out = 0;
    if (!bounds_of(rows, text, &bounds))
        return 0;
    for (uint32_t at = 0; at < rows->history->init_count; at++) {
        const struct esse_keyed_row *row = &rows->history->init[at];
        const esse_value key = rows->history->key_name[row->key.ix];
        struct esse_error ignored;
        if (esse_value_eq(row->value, ESSE_NIL))
            continue; /* an absent row is not asked about */
        if (!is_left_out(&bounds,
                         esse_column_place(rows->history->values, bounds.column, key, row->value)))
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
        random_table(&table, "", &rng, round & 1);
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

/* ---- ranges: an answer without evaluation is that of evaluation ---- */

static const char *random_range(struct esse_arena *arena, struct esse_rng *rng)
{
    static const char *const columns[] = { "v", "w", "k" };
    static const char *const operators[] = { "=", "<", "<=", ">", ">=" };
    static const char *const numbers[] = {
        "0", "1", "-3", "5", "9223372036854775807", "-9223372036854775807", "4611686018427387904"
    };
    struct esse_out text;
    esse_out_init_memory(&text, arena);
    const char *column = PICK(rng, columns);
    for (uint32_t part = 0, parts = 1 + esse_rng_below(rng, 3); part < parts; part++) {
        const bool turned = esse_rng_below(rng, 3) == 0;
        const char *number = PICK(rng, numbers);
        esse_out_f(&text, "%s%s %s %s", part ? " AND " : "", turned ? number : column,
                   PICK(rng, operators), turned ? column : number);
    }
    return esse_out_memory(&text);
}

/* With a TRUE in it the same condition is no range, and is evaluated. */
TEST(test_sql_range__tells_what_evaluation_tells)
{
    static const char *const json =
        "{\"a\":1,\"b\":5,\"c\":-3,\"d\":9223372036854775807,\"e\":4611686018427387904,"
        "\"f\":\"5\",\"g\":true,\"h\":{\"v\":5,\"w\":0},\"i\":{\"w\":null},"
        "\"j\":{\"k\":1,\"v\":\"x\"},\"l\":{\"w\":-3,\"k\":6}}";
    struct sql_rows rows = sql_rows_new(json);
    struct esse_rng rng = { 7 };
    unsigned matches = 0;
    for (unsigned round = 0; round < test_rounds(2000); round++) {
        const char *text = random_range(rows.arena, &rng);
        const char *whole = esse_arena_format(rows.arena, "%s AND TRUE", text);
        struct esse_error err = { 0 }, ignored = { 0 };
        struct esse_range range;
        CHECK(esse_predicate_range(sql_rows_get(&rows, text, &err), &range));
        CHECK(!esse_predicate_range(sql_rows_get(&rows, whole, &err), &range));
        for (uint32_t at = 0; at < rows.history->init_count; at++) {
            const char shown = sql_rows_ask(&rows, text, at, &ignored);
            if (shown != sql_rows_ask(&rows, whole, at, &ignored))
                fail_msg("%s of row %u: '%c' is wrong", text, at, shown);
            matches += shown == 't';
        }
    }
    CHECK(matches > test_rounds(2000) / 2);
    sql_rows_free(&rows);
}

/* ---- and they are as narrow as they can be ---- */

/* "v [2,7]", "k [ab,b]": open ends are empty. */
static void show(char room[64], const struct sql_rows *rows, const struct esse_bounds *bounds)
{
    char ends[2][24] = { "", "" }, name[8];
    const uint64_t at[] = { bounds->low, bounds->high };
    for (int i = 0; i < 2; i++) {
        if (at[i] == (i ? UINT64_MAX : 0))
            continue;
        if (bounds->kind == ESSE_PLACE_NUMBER)
            snprintf(ends[i], 24, "%lld", (long long)(at[i] ^ (uint64_t)1 << 63));
        for (int byte = 0; bounds->kind == ESSE_PLACE_TEXT && byte < 8; byte++)
            ends[i][byte] = (char)(at[i] >> (56 - 8 * byte));
    }
    /* Only the members of objects have names of their own. */
    struct esse_span member = { "?", 1 };
    if (!esse_value_eq(bounds->column.member, ESSE_NONE))
        member = esse_value_text(rows->history->values, bounds->column.member, name);
    snprintf(room, 64, "%.*s [%s,%s]", (int)member.length, member.at, ends[0], ends[1]);
}

TEST(test_sql_bounds__are_narrow)
{
    static const struct {
        const char *text, *bounds;
    } cases[] = {
        { "v = 5", "v [5,5]" },
        { "5 > v", "v [,5]" },
        { "v < 5 AND v >= -2", "v [-2,5]" },
        { "v BETWEEN 2 AND 7", "v [2,7]" },
        { "NOT (v < 2 OR v > 7)", "v [2,7]" },
        { "v NOT BETWEEN 2 AND 7", "all" },
        { "v IN (3, NULL, 9, 5)", "v [3,9]" },
        { "v IN (3, w)", "all" },
        { "v IN (3, 'a')", "all" },
        { "v NOT IN (3, 9)", "all" },
        { "v < 5 OR v = 9", "v [,9]" },
        { "v = 1 OR v = 9", "v [1,9]" },
        { "v < 5 OR w < 5", "all" },
        { "(v < 5 AND w = 1) OR (w = 3 AND v > 2)", "w [1,3]" },
        { "v < 5 AND w = 4", "w [4,4]" },
        { "v < 5 AND (w = 4 OR w = 5) AND v > 3", "w [4,5]" },
        { "v < 5 AND v > 9", "v [9,5]" },
        { "v < 1.5", "v [,1]" },
        { "v > -1.5", "v [-2,]" },
        { "v <> 5", "all" },
        { "NOT (v <> 5)", "v [5,5]" },
        { "(v = 5) IS TRUE", "v [5,5]" },
        { "(v = 5) IS NOT FALSE", "all" },
        { "(v < 5) IS FALSE", "v [5,]" },
        { "(v < 5) IS UNKNOWN", "all" },
        { "v + 1 = 5", "all" },
        { "v IS NULL", "all" },
        { "v = NULL", "all" },
        { "TRUE", "all" },
        { "k = 'acc1'", "k [acc1,acc1]" },
        { "k >= 'a' AND k < 'b'", "k [a,b]" },
        { "k IN ('b', 'a')", "k [a,b]" },
        { "v = 5 AND k LIKE 'a%'", "v [5,5]" },
    };
    struct sql_rows rows = sql_rows_new("{\"x\":{\"v\":1,\"w\":1,\"k\":1}}");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct esse_bounds bounds;
        char shown[64] = "all";
        if (bounds_of(&rows, cases[i].text, &bounds))
            show(shown, &rows, &bounds);
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
        cmocka_unit_test(test_sql_range__tells_what_evaluation_tells),
        cmocka_unit_test(test_sql_bounds__are_narrow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
