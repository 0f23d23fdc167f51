#ifndef ESSE_EVIDENCE_LOOKED_H
#define ESSE_EVIDENCE_LOOKED_H

#include "evidence/replay_state.h"

/*
 * What a predicate operation looked at: a view, which has a version of every key.  It is nil where
 * there is no row, and ESSE_NONE where the version is not known, or a list.  Filled with a view,
 * the store answers what the operation should have returned.  Private to evidence/.
 *
 * Life: open -> views -> fill -> ask the store -> close.
 *
 * Cost: O(keys) each; a snapshot O(operations).
 */
struct looked {
    struct esse_arena *arena;
    const struct esse_history *history;
    const struct esse_predicate_op *returned;
    uint32_t txn, op;
    struct replay_state store;
};

/* False if it is no predicate operation. */
bool looked_open(struct looked *looked, const struct esse_history *history, uint32_t txn,
                 uint32_t op);
void looked_close(struct looked *looked);

/* The version set, and what the transaction had written. */
esse_value *looked_at_set(const struct looked *looked);

/* Nothing but the rows that were returned. */
esse_value *looked_at_rows(const struct looked *looked);

/* The snapshot that a certificate says it looked at, and what the transaction had written; NULL if
 * none does, or there is a version set.  Versions of transactions without a place among the commits
 * are not known.  'is_sure' says that there are none, nor some that may have committed, nor lists.
 */
esse_value *looked_at_snapshot(const struct looked *looked, bool *is_sure);

/* Adds to a view what a transaction wrote before the operation 'end', or that it is not known. */
void looked_add_writes(const struct looked *looked, esse_value *view, uint32_t txn, uint32_t end,
                       bool is_known);

void looked_fill(struct looked *looked, const esse_value *view);

/* Had every predicate that the store was asked about since it was filled an answer? */
static inline bool looked_has_answers(const struct looked *looked)
{
    return looked->store.rows.error.code == ESSE_OK;
}

/* Did it return something else of a key than it does if it looks at this version? */
bool looked_differs(struct looked *looked, esse_key key, esse_value version);

#endif
