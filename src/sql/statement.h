#ifndef ESSE_SQL_STATEMENT_H
#define ESSE_SQL_STATEMENT_H

#include "sql/bounds.h"

#include <stddef.h>

struct esse_keyed_row;
struct esse_out;

/*
 * Whole SELECTs: esse_predicates_get compiles them as it does conditions, and a condition is the
 * SELECT * of all rows that meet it.  What of SELECT is understood: docs/design/sql.md.
 *
 * esse_predicate_selects says of a row whether the statement ranges over it: whether it is of the
 * table, and meets WHERE; for a join, of either table, and meets what is said of that table alone.
 * The version dependencies of a statement are those of these rows.
 */

/* How many tables it names: 1, or 2 for a join. */
unsigned esse_statement_tables(const struct esse_predicate *predicate);

/* Does it return aggregates, one value a column, and not rows? */
bool esse_statement_is_aggregate(const struct esse_predicate *predicate);

/* Is every row that it selects among its rows, so that one that is not there does not match?  Not
 * if it has a LIMIT or OFFSET, or is a join, where rows without partners are left out. */
bool esse_statement_is_exact(const struct esse_predicate *predicate);

/* Does it have an OFFSET, so that rows before those that it returns may be there? */
bool esse_statement_skips(const struct esse_predicate *predicate);

/* The bounds of what it selects of a table: 0, or 1 of a join; false if it bounds no column.
 * Comparisons with constants, BETWEEN and IN do, under any AND, OR, NOT and IS. */
bool esse_statement_bounds(const struct esse_predicate *predicate, unsigned table,
                           struct esse_bounds *bounds);

/* Is a key of the table? */
bool esse_statement_has_key(const struct esse_predicate *predicate, unsigned table, esse_value key);

/*
 * What a statement answers about a state: rows that the caller brings one by one.
 *
 * Life: new -> begin -> add* -> end -> what it returned; begin again.  Rows may be brought in any
 * order, and more than it ranges over; a row that the bounds exclude need not be.  An answer lives
 * in its arena and uses its memory again; it belongs to one thread at a time.
 *
 * Cost: add as esse_predicate_selects; end O(rows it ranges over), with LIMIT and ORDER BY O(n log
 * n) of them, for a join and the pairs of equal join columns.
 */
struct esse_answer;

struct esse_answer *esse_answer_new(struct esse_arena *arena,
                                    const struct esse_predicate *predicate);
void esse_answer_begin(struct esse_answer *answer);

/* 'row' may be absent (nil).  'tag' is the caller's name for it, the key's number say: one row, one
 * tag. */
bool esse_answer_add(struct esse_answer *answer, esse_value key, esse_value row, uint32_t tag,
                     struct esse_error *err);
bool esse_answer_end(struct esse_answer *answer, struct esse_error *err);

/* Are these rows, whose keys are tags and there once each, what it may return?  Where rows compare
 * as equal to ORDER BY, LIMIT may take any of them.  If not, 'odd' is the tag of a row that is
 * missing or too much, and 'missing' which of the two; there may be others. */
bool esse_answer_may_be(struct esse_answer *answer, const struct esse_keyed_row *rows,
                        uint32_t count, uint32_t *odd, bool *missing);

/* Is this the result of its aggregates?  A string may stand for a number or a date. */
bool esse_answer_is(const struct esse_answer *answer, const esse_value *result, uint32_t count);

/*
 * The pairs of a join, instead of its result: for a caller that brings several versions of a row.
 * After 'pair' its end finds the tags of every two rows that go together, one of either table, and
 * no aggregate is computed.
 */
struct esse_answer_pair {
    uint32_t left, right;
};
void esse_answer_pair(struct esse_answer *answer);
const struct esse_answer_pair *esse_answer_pairs(const struct esse_answer *answer, uint32_t *count);

/* "3, nil": the result of its aggregates. */
void esse_answer_show(struct esse_out *out, const struct esse_answer *answer);

#endif
