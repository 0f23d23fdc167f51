#ifndef ESSE_SQL_RANGE_H
#define ESSE_SQL_RANGE_H

#include "history/history.h"
#include "sql/predicate.h"

/*
 * Predicates that say no more and no less than that a column is an integer between two others, such
 * as "v >= 3 AND v < 9", "v = 4" or "v BETWEEN 1 AND 5": what an index over a column can answer.
 *
 * Cost: O(size of the text) and O(columns of a row).
 */
struct esse_column {
    uint8_t kind;      /* of sql_expr.h */
    esse_value member; /* the name that objects have for it, or ESSE_NONE */
};

struct esse_range {
    struct esse_column column;
    int64_t low, high; /* both included; low > high if nothing matches */
};

static inline bool esse_column_eq(struct esse_column a, struct esse_column b)
{
    return a.kind == b.kind && esse_value_eq(a.member, b.member);
}

/* False if the predicate says something else, or nothing about a column. */
bool esse_predicate_range(const struct esse_predicate *predicate, struct esse_range *range);

/* What a row has in a column.  A row that is absent has NULL, which is in no range; where a row has
 * what is neither, an index is no good. */
enum esse_column_value { ESSE_COLUMN_NULL, ESSE_COLUMN_INTEGER, ESSE_COLUMN_OTHER };
enum esse_column_value esse_column_value(const struct esse_history *history,
                                         struct esse_column column, esse_value key, esse_value row,
                                         int64_t *number);

#endif
