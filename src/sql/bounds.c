#include "sql/bounds.h"

#include "base/checked.h"
#include "sql/sql_expr.h"
#include "sql/statement.h"

enum { COLUMNS = 4 }; /* of one predicate that are looked at */

struct collected {
    struct esse_bounds at[COLUMNS];
    unsigned count;
};

/* ---- places ---- */

static uint64_t place_of_number(int64_t number)
{
    return (uint64_t)number ^ (uint64_t)1 << 63;
}

/* The integer at or below; those beyond 64 bits share the ends. */
static uint64_t place_of_decimal(struct sql_decimal decimal)
{
    sql_wide scale = 1;
    for (int i = 0; i < decimal.scale; i++)
        scale *= 10;
    sql_wide whole = decimal.digits / scale;
    whole -= decimal.digits < 0 && whole * scale != decimal.digits;
    return place_of_number(whole < INT64_MIN   ? INT64_MIN
                           : whole > INT64_MAX ? INT64_MAX
                                               : (int64_t)whole);
}

static uint64_t place_of_text(struct esse_span text)
{
    uint64_t place = 0;
    for (size_t i = 0; i < 8; i++)
        place = place << 8 | (i < text.length ? (unsigned char)text.at[i] : 0u);
    return place;
}

static struct esse_place place_of(const struct sql_datum *datum)
{
    switch (datum->type) {
    case SQL_NULL:
        return (struct esse_place){ ESSE_PLACE_NULL, 0 };
    case SQL_INTEGER:
        return (struct esse_place){ ESSE_PLACE_NUMBER, place_of_number(datum->is.number) };
    case SQL_DECIMAL:
        return (struct esse_place){ ESSE_PLACE_NUMBER, place_of_decimal(datum->is.decimal) };
    case SQL_TEXT:
    case SQL_LITERAL:
        return (struct esse_place){ ESSE_PLACE_TEXT, place_of_text(sql_datum_text(datum)) };
    default:
        return (struct esse_place){ ESSE_PLACE_OTHER, 0 };
    }
}

struct esse_place esse_column_place(const struct esse_values *values, struct esse_column column,
                                    esse_value key, esse_value row)
{
    ESSE_HOT_ASSERT(!esse_value_eq(row, ESSE_NIL));
    const esse_value value = sql_column_of(values, column, key, row);
    int64_t number;
    if (esse_value_as_int(values, value, &number))
        return (struct esse_place){ ESSE_PLACE_NUMBER, place_of_number(number) };
    const struct sql_datum datum = sql_datum_of(values, value);
    return place_of(&datum);
}

/* ---- bounds ---- */

/*
 * The bounds of what makes an expression true, or false: NOT exchanges the two.  Neither is what
 * makes it unknown, so a column that is bounded is not NULL.
 */
static struct collected find(const struct sql_expr *expr, bool truth);

static bool is_same(const struct esse_bounds *a, const struct esse_bounds *b)
{
    return a->kind == b->kind && esse_column_eq(a->column, b->column);
}

/* Rows within both: each bounds them.  Of a column that is bounded as two kinds one must do. */
static struct collected intersect(struct collected a, const struct collected *b)
{
    for (unsigned i = 0; i < b->count; i++) {
        const struct esse_bounds *one = &b->at[i];
        unsigned at = 0;
        while (at < a.count && !esse_column_eq(a.at[at].column, one->column))
            at++;
        if (at == a.count && at < COLUMNS)
            a.at[a.count++] = *one;
        if (at == COLUMNS || !is_same(&a.at[at], one))
            continue;
        a.at[at].low = one->low > a.at[at].low ? one->low : a.at[at].low;
        a.at[at].high = one->high < a.at[at].high ? one->high : a.at[at].high;
    }
    return a;
}

/* Rows within either: only what both bound is bounded. */
static struct collected enclose(const struct collected *a, const struct collected *b)
{
    struct collected all = { .count = 0 };
    for (unsigned i = 0; i < a->count; i++) {
        for (unsigned j = 0; j < b->count; j++) {
            struct esse_bounds one = a->at[i];
            if (!is_same(&one, &b->at[j]))
                continue;
            one.low = b->at[j].low < one.low ? b->at[j].low : one.low;
            one.high = b->at[j].high > one.high ? b->at[j].high : one.high;
            assert(all.count < COLUMNS);
            all.at[all.count++] = one;
        }
    }
    return all;
}

/* Neighbours share places, so what is below a constant may still have its place.  '<>' bounds
 * nothing, but the type. */
static struct collected find_constant(const struct sql_expr *column,
                                      const struct sql_expr *constant, unsigned accepts)
{
    struct collected all = { .count = 0 };
    if (column->kind != SQL_COLUMN || constant->kind != SQL_CONSTANT)
        return all;
    const struct esse_place place = place_of(constant->is.constant);
    if (place.kind != ESSE_PLACE_NUMBER && place.kind != ESSE_PLACE_TEXT)
        return all;
    all.at[all.count++] =
        (struct esse_bounds){ column->is.column, place.kind, accepts & SQL_BELOW ? 0 : place.at,
                              accepts & SQL_ABOVE ? UINT64_MAX : place.at };
    return all;
}

static struct collected find_compare(const struct sql_expr *expr, bool truth)
{
    const unsigned every = SQL_BELOW | SQL_EQUAL | SQL_ABOVE;
    const unsigned accepts = truth ? expr->is.accepts : every & ~expr->is.accepts;
    return expr->args[0]->kind == SQL_COLUMN
               ? find_constant(expr->args[0], expr->args[1], accepts)
               : find_constant(expr->args[1], expr->args[0], sql_turned(accepts));
}

/* NULL is in no list. */
static struct collected find_in(const struct sql_expr *expr, bool truth)
{
    struct collected all = { .count = 0 };
    bool first = true;
    for (uint32_t i = 1; truth && i < expr->count; i++) {
        const struct sql_expr *item = expr->args[i];
        if (item->kind == SQL_CONSTANT && item->is.constant->type == SQL_NULL)
            continue;
        const struct collected one = find_constant(expr->args[0], item, SQL_EQUAL);
        all = first ? one : enclose(&all, &one);
        first = false;
    }
    return all;
}

/* AND is true, and OR false, if all arguments are; otherwise some argument must be. */
static struct collected find_logic(const struct sql_expr *expr, bool truth)
{
    const bool every = (expr->kind == SQL_AND) == truth;
    struct collected all = find(expr->args[0], truth);
    for (uint32_t i = 1; i < expr->count; i++) {
        const struct collected one = find(expr->args[i], truth);
        all = every ? intersect(all, &one) : enclose(&all, &one);
    }
    return all;
}

static struct collected find(const struct sql_expr *expr, bool truth)
{
    switch (expr->kind) {
    case SQL_COMPARE:
        return find_compare(expr, truth);
    case SQL_IN:
        return find_in(expr, truth);
    case SQL_AND:
    case SQL_OR:
        return find_logic(expr, truth);
    case SQL_NOT:
        return find(expr->args[0], !truth);
    case SQL_IS_TRUTH:
        /* What is not true may be unknown, and then the row can be anything. */
        if (truth && expr->is.truth != ESSE_TRUTH_UNKNOWN)
            return find(expr->args[0], expr->is.truth == ESSE_TRUTH_TRUE);
        break;
    default:
        break;
    }
    return (struct collected){ .count = 0 };
}

/* Of several columns the one with the shortest interval. */
bool esse_statement_bounds(const struct esse_predicate *predicate, unsigned table,
                           struct esse_bounds *bounds)
{
    assert(table < predicate->select->tables);
    const struct sql_expr *condition = predicate->select->side[table];
    const struct collected all =
        condition ? find(condition, true) : (struct collected){ .count = 0 };
    uint64_t shortest = UINT64_MAX;
    bool found = false;
    for (unsigned i = 0; i < all.count; i++) {
        const struct esse_bounds *one = &all.at[i];
        const uint64_t length = one->low > one->high ? 0 : one->high - one->low;
        if (length < shortest) {
            shortest = length;
            *bounds = *one;
            found = true;
        }
    }
    return found;
}
