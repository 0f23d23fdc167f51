#include "sql/bounds.h"

#include "sql/sql_expr.h"

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
    const struct sql_column named = { (enum sql_column_kind)column.kind, column.member };
    const struct sql_datum datum = sql_datum_of(values, sql_column_of(values, named, key, row));
    return place_of(&datum);
}

/* ---- bounds ---- */

/* A selected row has made every part of an AND true, so each part bounds it. */
static void add(struct collected *all, const struct sql_column *column, enum esse_place_kind kind,
                uint64_t low, uint64_t high)
{
    const struct esse_column named = { column->kind, column->member };
    for (unsigned i = 0; i < all->count; i++) {
        struct esse_bounds *known = &all->at[i];
        if (!esse_column_eq(known->column, named))
            continue;
        if (known->kind == kind) {
            known->low = low > known->low ? low : known->low;
            known->high = high < known->high ? high : known->high;
        }
        return;
    }
    if (all->count < COLUMNS)
        all->at[all->count++] = (struct esse_bounds){ named, kind, low, high };
}

static bool is_bounding(struct esse_place place)
{
    return place.kind == ESSE_PLACE_NUMBER || place.kind == ESSE_PLACE_TEXT;
}

/* Neighbours share places, so what is below a constant may still have its place. */
static void collect_compare(struct collected *all, const struct sql_expr *expr)
{
    const struct sql_expr *left = expr->args[0], *right = expr->args[1];
    unsigned accepts = expr->is.accepts;
    if (left->kind == SQL_CONSTANT) {
        const struct sql_expr *other = left;
        left = right;
        right = other;
        accepts = (accepts & SQL_EQUAL) | (accepts & SQL_BELOW ? SQL_ABOVE : 0u) |
                  (accepts & SQL_ABOVE ? SQL_BELOW : 0u);
    }
    if (left->kind != SQL_COLUMN || right->kind != SQL_CONSTANT)
        return;
    const struct esse_place place = place_of(right->is.constant);
    if (is_bounding(place))
        add(all, &left->is.column, place.kind, accepts & SQL_BELOW ? 0 : place.at,
            accepts & SQL_ABOVE ? UINT64_MAX : place.at);
}

static void collect_in(struct collected *all, const struct sql_expr *expr)
{
    enum esse_place_kind kind = ESSE_PLACE_NULL;
    uint64_t low = UINT64_MAX, high = 0;
    if (expr->args[0]->kind != SQL_COLUMN)
        return;
    for (uint32_t i = 1; i < expr->count; i++) {
        if (expr->args[i]->kind != SQL_CONSTANT)
            return;
        const struct esse_place place = place_of(expr->args[i]->is.constant);
        if (place.kind == ESSE_PLACE_NULL)
            continue;
        if (!is_bounding(place) || (kind != ESSE_PLACE_NULL && kind != place.kind))
            return;
        kind = place.kind;
        low = place.at < low ? place.at : low;
        high = place.at > high ? place.at : high;
    }
    if (kind != ESSE_PLACE_NULL)
        add(all, &expr->args[0]->is.column, kind, low, high);
}

static void collect(struct collected *all, const struct sql_expr *expr)
{
    if (expr->kind == SQL_COMPARE)
        collect_compare(all, expr);
    if (expr->kind == SQL_IN)
        collect_in(all, expr);
    for (uint32_t i = 0; expr->kind == SQL_AND && i < expr->count; i++)
        collect(all, expr->args[i]);
}

/* Of several columns the one with the shortest interval. */
bool esse_predicate_bounds(const struct esse_predicate *predicate, struct esse_bounds *bounds)
{
    struct collected all = { .count = 0 };
    uint64_t shortest = UINT64_MAX;
    bool found = false;
    collect(&all, predicate->condition);
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
