#ifndef ESSE_SQL_BOUNDS_H
#define ESSE_SQL_BOUNDS_H

#include "history/values.h"
#include "sql/predicate.h"

/*
 * Where the rows that a predicate selects can be, for looking them up in an index: one column, and
 * an interval of integers or of texts (in the order of their bytes).  What a predicate says beyond
 * that, it has to be asked.
 *
 *     every row that is selected and whose column is of the bounds' type is within the bounds;
 *     no row whose column is NULL is selected;
 *     of rows whose column is anything else (a decimal, a text where integers are bounded) the
 *     bounds say nothing: ask the predicate about each.
 *
 * Nothing follows from the bounds about the rows inside.  low above high: none can be.
 *
 * Cost: O(size of the predicate's text) to find them.
 */
enum esse_bounds_type {
    ESSE_BOUNDS_NONE, /* the whole table */
    ESSE_BOUNDS_INTEGERS,
    ESSE_BOUNDS_TEXTS,
};

enum esse_bounds_column {
    ESSE_COLUMN_KEY,    /* the key's name; but an object's own member 'k' comes first */
    ESSE_COLUMN_VALUE,  /* the row itself; but an object's own member 'v' comes first */
    ESSE_COLUMN_MEMBER, /* an object's member */
};

struct esse_bounds {
    enum esse_bounds_type type;
    enum esse_bounds_column column;
    esse_value member; /* its name; ESSE_NONE if no object has a 'k' or 'v' of its own */

    int64_t low, high; /* integers: both inclusive; INT64_MIN and INT64_MAX if open */

    bool has_low, has_high; /* texts */
    bool with_low, with_high;
    struct esse_span low_text, high_text; /* the predicate's */
};

struct esse_bounds esse_predicate_bounds(const struct esse_predicate *predicate);

/* The value that a row, which is there, has in the bounded column; nil: NULL. */
esse_value esse_bounds_value(const struct esse_bounds *bounds, const struct esse_values *values,
                             esse_value key, esse_value row);

/* May the row be selected?  False only if the bounds rule it out. */
bool esse_bounds_admit(const struct esse_bounds *bounds, const struct esse_values *values,
                       esse_value key, esse_value row);

#endif
