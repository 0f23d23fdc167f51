#ifndef ESSE_SQL_BOUNDS_H
#define ESSE_SQL_BOUNDS_H

#include "sql/predicate.h"

struct esse_values;

/*
 * Where the rows that a predicate selects can lie: an interval of one column, for indexes.
 *
 * The values of a column have places: a kind, and a number that grows with the values of that
 * kind.  Neighbours may share a place (decimals their integer, texts their first eight bytes), so
 * an interval of places holds every row that can match and perhaps some more: ask the predicate.
 * A row of another kind than the bounds' must be asked too, unless its column is NULL.
 *
 * Cost: O(size of the text) for bounds, O(columns of the row) for a place.
 */
enum esse_place_kind { ESSE_PLACE_NULL, ESSE_PLACE_NUMBER, ESSE_PLACE_TEXT, ESSE_PLACE_OTHER };

struct esse_place {
    enum esse_place_kind kind;
    uint64_t at;
};

/* A column of rows, as a predicate names it: plain values, equal if all members are. */
struct esse_column {
    uint32_t kind;
    esse_value member;
};

struct esse_bounds {
    struct esse_column column;
    enum esse_place_kind kind; /* NUMBER or TEXT */
    uint64_t low, high;        /* both included; low > high: nothing can match */
};

/* The place of a row that is there (not nil) in a column. */
struct esse_place esse_column_place(const struct esse_values *values, struct esse_column column,
                                    esse_value key, esse_value row);

static inline bool esse_column_eq(struct esse_column a, struct esse_column b)
{
    return a.kind == b.kind && a.member.word == b.member.word;
}

#endif
