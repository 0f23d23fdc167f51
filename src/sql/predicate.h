#ifndef ESSE_SQL_PREDICATE_H
#define ESSE_SQL_PREDICATE_H

#include "esse/esse.h"

/*
 * The predicates of one history: SQL texts of WHERE clauses, each compiled once, that say for a
 * row whether it matches.  The language and what values mean: docs/design/sql.md.
 *
 * Life: new -> get, eval in any order.  All of it lives in the arena; the history must outlive it.
 * A cache belongs to one thread at a time.
 *
 * Cost: get of a new text some 40 microseconds, of a known one a look-up; the first text that names
 * a column walks the history's values once if there are objects among them.  eval O(size of the
 * text), about 100 nanoseconds for what people write.
 */
struct esse_predicates;
struct esse_predicate;

enum esse_truth { ESSE_TRUTH_FALSE, ESSE_TRUTH_TRUE, ESSE_TRUTH_UNKNOWN };

struct esse_predicates *esse_predicates_new(struct esse_arena *arena,
                                            const struct esse_history *history);

/* The same for a history that is still being read: a column that no row has may yet come, and is
 * NULL until then. */
struct esse_predicates *esse_predicates_open(struct esse_arena *arena,
                                             const struct esse_history *history);

/* The predicate of a text, a string of the history.  NULL and 'err' filled, ESSE_EINPUT, if it is
 * not SQL, not of the language, or names a column that no row has. */
const struct esse_predicate *esse_predicates_get(struct esse_predicates *predicates,
                                                 esse_value text, struct esse_error *err);

/* Its number among those of its cache, from 0 on in the order in which they were compiled. */
uint32_t esse_predicate_number(const struct esse_predicate *predicate);

/*
 * What the predicate says of the row that 'key' names.  An absent row (nil) matches nothing: do not
 * ask.  False and 'err' filled, ESSE_EINPUT, if it has no answer: division by zero, a result of too
 * many digits, types that do not go together.
 */
bool esse_predicate_eval(const struct esse_predicate *predicate, esse_value key, esse_value row,
                         enum esse_truth *truth, struct esse_error *err);

/* The same for a row that may be absent, as a yes or no: is it selected? */
bool esse_predicate_selects(const struct esse_predicate *predicate, esse_value key, esse_value row,
                            bool *selects, struct esse_error *err);

#endif
