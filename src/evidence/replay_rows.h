#ifndef ESSE_EVIDENCE_REPLAY_ROWS_H
#define ESSE_EVIDENCE_REPLAY_ROWS_H

#include "base/error.h"
#include "base/sorted.h"
#include "base/vec.h"
#include "sql/statement.h"

/*
 * Predicates, and statements, over the rows of a store: which of them does one select?  All of the
 * kernel asks here.  Private to evidence/.
 *
 * A column that some predicate bounds gets an index when it is asked for first.  A predicate then
 * looks only at the rows in its interval; one that bounds no column looks at all of them.  The
 * indexes are of the newest state.  For an older one the rows in the interval are looked at as they
 * were then, and so are all that were written since: a row in neither was not in the interval.
 *
 * Cost: O(log rows) and an evaluation for each row in the interval; for older states also one for
 * each write since.  O(keys) for predicates that bound nothing, and once for every index.
 */
struct replay_state;

/* What is known of a text. */
enum { REPLAY_TABLES = 2 };
struct replay_plan {
    const struct esse_predicate *predicate; /* NULL: it has an error */
    bool has_bounds;                        /* in every table that it names: */
    struct esse_bounds bounds[REPLAY_TABLES];
    struct esse_answer *answer; /* NULL until it is needed */
};
ESSE_VEC(replay_plan_vec, struct replay_plan)

/* The rows by their place in a column; those that have NULL there are not in it. */
struct replay_index {
    struct esse_column column;
    struct esse_sorted rows;
    uint32_t of_kind[ESSE_PLACE_OTHER + 1]; /* how many there are: most columns have one kind */
};

struct replay_rows {
    struct esse_arena *arena;           /* of all that follows */
    struct esse_predicates *predicates; /* NULL without any */
    struct replay_plan_vec plans;       /* by the number of the predicate */
    struct replay_plan broken;          /* of every text that has an error */
    struct replay_index *indexes;
    uint32_t index_count;
    uint32_t round;                   /* of marks on keys */
    const struct esse_answer *answer; /* the last that was asked for */
    uint32_t error_op;
    struct esse_error error; /* the first predicate that has no answer; ESSE_OK if all have */
};

void replay_rows_init(struct replay_state *state, struct esse_arena *arena);

/* Does a predicate operation select the row of a key, with this value?  Unknown if its predicate
 * has no answer. */
enum esse_truth replay_rows_ask(struct replay_state *state, uint32_t op, uint32_t key,
                                esse_value value);

/* The same, and no if there is no answer. */
static inline bool replay_rows_select(struct replay_state *state, uint32_t op, uint32_t key,
                                      esse_value value)
{
    return replay_rows_ask(state, op, key, value) == ESSE_TRUTH_TRUE;
}

/* Does a row that a predicate operation did not return say anything: are those that it returned all
 * that it selects? */
bool replay_rows_tell_all(struct replay_state *state, uint32_t op);

/* Is what a predicate operation of the transaction returned, rows and result, what it selects?  On
 * the newest state, with what the transaction wrote in it; or after 'snapshot' commits, with what
 * it wrote before the operation. */
bool replay_rows_newest(struct replay_state *state, uint32_t op);
bool replay_rows_at(struct replay_state *state, uint32_t txn, uint32_t op, uint32_t snapshot);

/* The same on the newest state of what shows only as a whole: the result, and the rows of a join or
 * with LIMIT.  Unless the state has all rows, those that an OFFSET left out are not known. */
bool replay_rows_whole(struct replay_state *state, uint32_t op, bool has_all);

/* Is it a join; and if it is, does the newest row of a key go together with one of the other table?
 */
bool replay_rows_is_join(struct replay_state *state, uint32_t op);
bool replay_rows_are_joined(struct replay_state *state, uint32_t op, uint32_t key);

/* The row of a key changes: for the indexes.  nil: there is none. */
void replay_rows_change(struct replay_state *state, uint32_t key, esse_value from, esse_value to);

#endif
