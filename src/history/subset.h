#ifndef ESSE_HISTORY_SUBSET_H
#define ESSE_HISTORY_SUBSET_H

#include "history/history.h"

/*
 * A part of a history, as if the rest had never been: the transactions, operations and keys that
 * are kept, with their names, sessions, times, status and extras, the initial values of the keys
 * that are left, and what of the certificates is about them.
 *
 * Nothing in a part speaks of what was left out, so that what is wrong with the part is wrong with
 * the whole (subset_left.h has the rules): a list loses the element; what read something that was
 * left out, or may have, goes too, and so does a write of a register that a later one of its
 * transaction overwrote; of a predicate operation or a SELECT that sees the difference only the
 * rows are left, as reads and writes by themselves.  A value without a write in the whole history
 * stays.  Snapshots that are numbers of commits count those that are left.
 *
 * Names stay what they were: a transaction without one is given the name that reports gave it.
 *
 * Cost: O(operations of the whole + items of the lists kept).
 */
struct esse_selection {
    uint8_t *txns; /* by transaction: kept */
    uint8_t *ops;  /* by operation: kept, if its transaction is */
    uint8_t *keys; /* by key: kept */
    /* Does a predicate operation range over the key if it has this value?  NULL: unknown. */
    bool (*ranges)(void *context, uint32_t op, esse_key key, esse_value value);
    void *context;
};

/* Everything, to take away from. */
struct esse_selection esse_selection_all(struct esse_arena *arena,
                                         const struct esse_history *history);

/* The part, in 'arena', which shares nothing with the whole.  Fails if the builder refuses it. */
bool esse_history_subset(struct esse_arena *arena, const struct esse_history *history,
                         const struct esse_selection *selection, struct esse_history **out,
                         struct esse_error *err);

#endif
