#ifndef ESSE_EVIDENCE_TRUTHS_H
#define ESSE_EVIDENCE_TRUTHS_H

#include "history/access.h"

#include <string.h>

/*
 * Small truths about one history, of which the rules of the kernel are made.  Private to evidence/.
 * Transactions, operations and keys must exist, except where a function asks that itself.
 *
 * Cost: O(operations of the transaction); truth_writers O(operations).
 */

static inline bool truth_is_anti(const struct esse_edge *edge)
{
    return edge->dep == ESSE_DEP_RW || edge->dep == ESSE_DEP_RWP;
}

/* Are there such a transaction and such an operation in it? */
static inline bool truth_is_op_of(const struct esse_history *history, esse_op op, esse_txn txn)
{
    return txn.ix < history->txns && op.ix >= history->txn_op[txn.ix] &&
           op.ix < history->txn_op[txn.ix + 1];
}

static inline bool truth_writes(const struct esse_history *history, uint32_t op, esse_key key)
{
    esse_value ignored;
    return esse_op_write_of(history, op, key, &ignored);
}

/* Does its transaction write the key before the operation, or after it? */
bool truth_wrote_before(const struct esse_history *history, uint32_t op, esse_key key);
bool truth_writes_after(const struct esse_history *history, uint32_t op, esse_key key);

/* Does the first come before the second in their session; had it committed and ended when the
 * second started? */
bool truth_is_in_session(const struct esse_history *history, uint32_t first, uint32_t second);
bool truth_is_in_time(const struct esse_history *history, uint32_t first, uint32_t second);

/* The operations that write a value to a key: how many there are, how many of transactions that did
 * not abort, of 'own', and of those that write the key again later; and the first of the first two,
 * or ESSE_NO_OP. */
struct truth_writers {
    uint32_t all, kept, own, not_final;
    uint32_t first, first_kept;
};
struct truth_writers truth_writers(const struct esse_history *history, esse_key key,
                                   esse_value value, uint32_t own);

#endif
