#include "sql/range.h"

#include "sql/sql_expr.h"

static bool same_column(struct esse_range *range, struct esse_column column, bool *known)
{
    if (!*known)
        range->column = column;
    *known = true;
    return esse_column_eq(range->column, column);
}

/* "column accepts number": cuts the range down to that. */
static bool narrow(struct esse_range *range, unsigned accepts, int64_t number)
{
    int64_t low = INT64_MIN, high = INT64_MAX;
    if (!(accepts & SQL_EQUAL) && number == (accepts == SQL_BELOW ? INT64_MIN : INT64_MAX))
        low = INT64_MAX, high = INT64_MIN; /* nothing is less than the least */
    else if (accepts == SQL_BELOW || accepts == (SQL_BELOW | SQL_EQUAL))
        high = accepts & SQL_EQUAL ? number : number - 1;
    else if (accepts == SQL_ABOVE || accepts == (SQL_ABOVE | SQL_EQUAL))
        low = accepts & SQL_EQUAL ? number : number + 1;
    else if (accepts == SQL_EQUAL)
        low = high = number;
    else
        return false;
    range->low = low > range->low ? low : range->low;
    range->high = high < range->high ? high : range->high;
    return true;
}

static bool take_comparison(struct esse_range *range, const struct sql_expr *expr, bool *known)
{
    const struct sql_expr *left = expr->args[0], *right = expr->args[1];
    unsigned accepts = expr->is.accepts;
    if (left->kind == SQL_CONSTANT) {
        const struct sql_expr *swapped = left;
        left = right;
        right = swapped;
        accepts = sql_turned(accepts);
    }
    return left->kind == SQL_COLUMN && right->kind == SQL_CONSTANT &&
           right->is.constant->type == SQL_INTEGER && same_column(range, left->is.column, known) &&
           narrow(range, accepts, right->is.constant->is.number);
}

static bool take(struct esse_range *range, const struct sql_expr *expr, bool *known)
{
    if (expr->kind == SQL_COMPARE)
        return take_comparison(range, expr, known);
    if (expr->kind != SQL_AND)
        return false;
    for (uint32_t i = 0; i < expr->count; i++)
        if (!take(range, expr->args[i], known))
            return false;
    return true;
}

/* A statement about one table only is more than a range. */
bool sql_find_range(const struct sql_select *select, struct esse_range *range)
{
    bool known = false;
    *range = (struct esse_range){ .low = INT64_MIN, .high = INT64_MAX };
    return select->tables == 1 && select->table[0].kind == SQL_EVERY_KEY && !select->output_count &&
           !select->has_limit && select->side[0] && take(range, select->side[0], &known) && known;
}

bool esse_predicate_range(const struct esse_predicate *predicate, struct esse_range *range)
{
    *range = predicate->range;
    return predicate->is_range;
}

enum esse_column_value esse_column_value(const struct esse_values *values,
                                         struct esse_column column, esse_value key, esse_value row,
                                         int64_t *number)
{
    if (esse_value_eq(row, ESSE_NIL))
        return ESSE_COLUMN_NULL;
    const esse_value value = sql_column_of(values, column, key, row);
    if (esse_value_as_int(values, value, number))
        return ESSE_COLUMN_INTEGER;
    return sql_datum_of(values, value).type == SQL_NULL ? ESSE_COLUMN_NULL : ESSE_COLUMN_OTHER;
}
