#include "sql/bounds.h"

#include "sql/sql_expr.h"

/*
 * The bounds of what makes an expression TRUE, and of what makes it FALSE, which NOT exchanges.
 * Both leave NULL out: a comparison with NULL is neither.
 */

static const struct esse_bounds nowhere_bounded = { .type = ESSE_BOUNDS_NONE };

static struct esse_bounds find(const struct sql_expr *expr, bool truth);

/* ---- intervals ---- */

static bool is_same_column(const struct esse_bounds *a, const struct esse_bounds *b)
{
    return a->type == b->type && a->column == b->column && esse_value_eq(a->member, b->member);
}

/* Is the low end of 'a' above that of 'b'? */
static bool is_higher_low(const struct esse_bounds *a, const struct esse_bounds *b)
{
    if (a->type == ESSE_BOUNDS_INTEGERS)
        return a->low > b->low;
    if (!a->has_low || !b->has_low)
        return a->has_low;
    const int order = sql_text_compare(a->low_text, b->low_text);
    return order > 0 || (!order && !a->with_low);
}

static bool is_lower_high(const struct esse_bounds *a, const struct esse_bounds *b)
{
    if (a->type == ESSE_BOUNDS_INTEGERS)
        return a->high < b->high;
    if (!a->has_high || !b->has_high)
        return a->has_high;
    const int order = sql_text_compare(a->high_text, b->high_text);
    return order < 0 || (!order && !a->with_high);
}

static void take_low(struct esse_bounds *to, const struct esse_bounds *from)
{
    to->low = from->low;
    to->has_low = from->has_low;
    to->with_low = from->with_low;
    to->low_text = from->low_text;
}

static void take_high(struct esse_bounds *to, const struct esse_bounds *from)
{
    to->high = from->high;
    to->has_high = from->has_high;
    to->with_high = from->with_high;
    to->high_text = from->high_text;
}

/* How good it is for a look-up: one value is best, then an interval, then half of the line. */
static int quality(const struct esse_bounds *b)
{
    if (b->type == ESSE_BOUNDS_NONE)
        return 0;
    if (b->type == ESSE_BOUNDS_INTEGERS)
        return b->low >= b->high ? 3 : (b->low > INT64_MIN) + (b->high < INT64_MAX);
    if (b->has_low && b->has_high)
        return sql_text_compare(b->low_text, b->high_text) >= 0 ? 3 : 2;
    return b->has_low + b->has_high;
}

/* Bounds of the rows that are within both: of two columns one must do. */
static struct esse_bounds intersect(struct esse_bounds a, struct esse_bounds b)
{
    if (!is_same_column(&a, &b))
        return quality(&a) >= quality(&b) ? a : b;
    if (is_higher_low(&b, &a))
        take_low(&a, &b);
    if (is_lower_high(&b, &a))
        take_high(&a, &b);
    return a;
}

/* Bounds of the rows that are within either. */
static struct esse_bounds enclose(struct esse_bounds a, struct esse_bounds b)
{
    if (!is_same_column(&a, &b))
        return nowhere_bounded;
    if (is_higher_low(&a, &b))
        take_low(&a, &b);
    if (is_lower_high(&a, &b))
        take_high(&a, &b);
    return a;
}

/* ---- a column and a constant ---- */

static struct esse_bounds bounds_of_column(const struct sql_column *column,
                                           enum esse_bounds_type type)
{
    static const enum esse_bounds_column columns[] = { [SQL_COLUMN_KEY] = ESSE_COLUMN_KEY,
                                                       [SQL_COLUMN_VALUE] = ESSE_COLUMN_VALUE,
                                                       [SQL_COLUMN_MEMBER] = ESSE_COLUMN_MEMBER };
    return (struct esse_bounds){ .type = type,
                                 .column = columns[column->kind],
                                 .member = column->member,
                                 .low = INT64_MIN,
                                 .high = INT64_MAX };
}

/* The integers around a decimal, clipped to 64 bits: nothing beyond them is an integer here. */
static void around(struct sql_decimal decimal, int64_t *below, int64_t *above)
{
    sql_wide unit = 1;
    for (int i = 0; i < decimal.scale; i++)
        unit *= 10;
    const sql_wide floor = decimal.digits / unit - (decimal.digits % unit < 0);
    const sql_wide ceiling = floor + (floor * unit != decimal.digits);
    *below = floor < INT64_MIN ? INT64_MIN : floor > INT64_MAX ? INT64_MAX : (int64_t)floor;
    *above = ceiling < INT64_MIN ? INT64_MIN : ceiling > INT64_MAX ? INT64_MAX : (int64_t)ceiling;
}

static struct esse_bounds bound_integers(const struct sql_column *column,
                                         const struct sql_datum *constant, unsigned accepts)
{
    struct esse_bounds bounds = bounds_of_column(column, ESSE_BOUNDS_INTEGERS);
    int64_t below, above;
    if (constant->type == SQL_DECIMAL) {
        around(constant->is.decimal, &below, &above);
    } else {
        below = above = constant->is.number;
        if (!(accepts & SQL_EQUAL) && below > INT64_MIN && above < INT64_MAX) {
            below--; /* the neighbours are the first that are accepted */
            above++;
        }
    }
    if (!(accepts & SQL_BELOW))
        bounds.low = accepts & SQL_EQUAL ? below : above;
    if (!(accepts & SQL_ABOVE))
        bounds.high = accepts & SQL_EQUAL ? above : below;
    return bounds;
}

static struct esse_bounds bound_texts(const struct sql_column *column,
                                      const struct sql_datum *constant, unsigned accepts)
{
    struct esse_bounds bounds = bounds_of_column(column, ESSE_BOUNDS_TEXTS);
    bounds.has_low = !(accepts & SQL_BELOW);
    bounds.has_high = !(accepts & SQL_ABOVE);
    bounds.with_low = bounds.with_high = accepts & SQL_EQUAL;
    bounds.low_text = bounds.high_text = sql_datum_text(constant);
    return bounds;
}

/* A text may also be read as a number or a date if it meets one; then the column is no text. */
static struct esse_bounds bound_column(const struct sql_expr *column,
                                       const struct sql_expr *constant, unsigned accepts)
{
    if (column->kind != SQL_COLUMN || constant->kind != SQL_CONSTANT ||
        accepts == (SQL_BELOW | SQL_ABOVE))
        return nowhere_bounded;
    switch (constant->is.constant->type) {
    case SQL_INTEGER:
    case SQL_DECIMAL:
        return bound_integers(&column->is.column, constant->is.constant, accepts);
    case SQL_LITERAL:
        return bound_texts(&column->is.column, constant->is.constant, accepts);
    default:
        return nowhere_bounded;
    }
}

static struct esse_bounds bound_comparison(const struct sql_expr *expr, bool truth)
{
    const unsigned all = SQL_BELOW | SQL_EQUAL | SQL_ABOVE;
    const unsigned accepts = truth ? expr->is.accepts : all & ~expr->is.accepts;
    const unsigned turned = (accepts & SQL_EQUAL) | (accepts & SQL_BELOW ? SQL_ABOVE : 0u) |
                            (accepts & SQL_ABOVE ? SQL_BELOW : 0u);
    const struct esse_bounds bounds = bound_column(expr->args[0], expr->args[1], accepts);
    return bounds.type ? bounds : bound_column(expr->args[1], expr->args[0], turned);
}

static struct esse_bounds bound_in(const struct sql_expr *expr, bool truth)
{
    if (!truth)
        return nowhere_bounded;
    struct esse_bounds bounds = bound_column(expr->args[0], expr->args[1], SQL_EQUAL);
    for (uint32_t i = 2; i < expr->count; i++)
        bounds = enclose(bounds, bound_column(expr->args[0], expr->args[i], SQL_EQUAL));
    return bounds;
}

/* ---- logic ---- */

/* AND is true, and OR false, if all arguments are; otherwise some argument must be. */
static struct esse_bounds bound_logic(const struct sql_expr *expr, bool truth)
{
    const bool all = (expr->kind == SQL_AND) == truth;
    struct esse_bounds bounds = find(expr->args[0], truth);
    for (uint32_t i = 1; i < expr->count; i++) {
        const struct esse_bounds one = find(expr->args[i], truth);
        bounds = all ? intersect(bounds, one) : enclose(bounds, one);
    }
    return bounds;
}

static struct esse_bounds find(const struct sql_expr *expr, bool truth)
{
    switch (expr->kind) {
    case SQL_COMPARE:
        return bound_comparison(expr, truth);
    case SQL_IN:
        return bound_in(expr, truth);
    case SQL_AND:
    case SQL_OR:
        return bound_logic(expr, truth);
    case SQL_NOT:
        return find(expr->args[0], !truth);
    case SQL_IS_TRUTH:
        /* What is not true may be unknown, and then nothing is known of the row. */
        if (!truth || expr->is.truth == ESSE_TRUTH_UNKNOWN)
            return nowhere_bounded;
        return find(expr->args[0], expr->is.truth == ESSE_TRUTH_TRUE);
    default:
        return nowhere_bounded;
    }
}

struct esse_bounds esse_predicate_bounds(const struct esse_predicate *predicate)
{
    return find(predicate->condition, true);
}

/* ---- rows ---- */

esse_value esse_bounds_value(const struct esse_bounds *bounds, const struct esse_values *values,
                             esse_value key, esse_value row)
{
    const struct sql_column column = {
        .kind = bounds->column == ESSE_COLUMN_KEY     ? SQL_COLUMN_KEY
                : bounds->column == ESSE_COLUMN_VALUE ? SQL_COLUMN_VALUE
                                                      : SQL_COLUMN_MEMBER,
        .member = bounds->member,
    };
    return sql_column_of(&column, values, key, row);
}

static bool is_within_texts(const struct esse_bounds *bounds, struct esse_span text)
{
    const int low = bounds->has_low ? sql_text_compare(text, bounds->low_text) : 1;
    const int high = bounds->has_high ? sql_text_compare(text, bounds->high_text) : -1;
    return (low > 0 || (!low && bounds->with_low)) && (high < 0 || (!high && bounds->with_high));
}

bool esse_bounds_admit(const struct esse_bounds *bounds, const struct esse_values *values,
                       esse_value key, esse_value row)
{
    if (bounds->type == ESSE_BOUNDS_NONE)
        return true;
    const struct sql_datum datum =
        sql_datum_of(values, esse_bounds_value(bounds, values, key, row));
    if (datum.type == SQL_NULL)
        return false;
    if (bounds->type == ESSE_BOUNDS_INTEGERS)
        return datum.type != SQL_INTEGER ||
               (datum.is.number >= bounds->low && datum.is.number <= bounds->high);
    return datum.type != SQL_TEXT || is_within_texts(bounds, sql_datum_text(&datum));
}
