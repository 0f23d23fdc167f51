#ifndef ESSE_SQL_RANGE_H
#define ESSE_SQL_RANGE_H

#include "sql/bounds.h"

/*
 * Predicates that say no more and no less than that a column is an integer between two others, such
 * as "v >= 3 AND v < 9", "v = 4" or "v BETWEEN 1 AND 5".  Where bounds.h narrows down which rows to
 * ask, a range is the answer.
 *
 * Cost: O(1), and O(columns of a row).
 */
struct esse_range {
    struct esse_column column;
    int64_t low, high; /* both included; low > high if nothing matches */
};

/* False if the predicate says something else, or nothing about a column. */
bool esse_predicate_range(const struct esse_predicate *predicate, struct esse_range *range);

/* What a row has in a column.  A row that is absent has NULL, which is in no range; where a row has
 * what is neither, an index is no good. */
enum esse_column_value { ESSE_COLUMN_NULL, ESSE_COLUMN_INTEGER, ESSE_COLUMN_OTHER };
enum esse_column_value esse_column_value(const struct esse_values *values,
                                         struct esse_column column, esse_value key, esse_value row,
                                         int64_t *number);

#endif
