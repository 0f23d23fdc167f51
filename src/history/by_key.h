#ifndef ESSE_HISTORY_BY_KEY_H
#define ESSE_HISTORY_BY_KEY_H

#include "base/gallop.h"
#include "history/access.h"

/*
 * The accesses of a history key by key, and inside a key in the order of the history.  So what one
 * transaction did to a key stands together, in program order, and the question "which transaction
 * wrote what was read?" is answered in the cache on one key after another, never in a table of the
 * whole history.
 *
 * An access is named by its position, from 0 on through all keys.
 *
 * Invariants:
 *
 *   1) The accesses of key k are at[first[k] .. first[k + 1]): first[0] is 0, first never falls,
 *      and first[keys] is 'count'.
 *   2) Inside a key the numbers of the accesses rise.
 *   3) An entry has the key, kind, value and transaction that the history has of its access.
 *   4) op_access and access_op are there exactly with predicates, and are each other's inverse: op
 *      has the accesses op_access[op] .. op_access[op + 1), 'accesses' in all.
 *
 * Cost: O(accesses + keys); 16 bytes an access, and 8 more with predicates.
 */
struct esse_key_access {
    esse_value value;
    uint32_t
        access; /* its number in the order of the history: esse_by_key_op() tells the operation */
    uint32_t txn : 30;
    uint32_t kind : 2; /* enum esse_op_kind: READ, WRITE or APPEND; a delete is a WRITE of nil */
};
#define ESSE_NO_KEY_ACCESS UINT32_MAX

struct esse_by_key {
    struct esse_key_access *at;
    uint32_t *first; /* by key: at[first[k] .. first[k + 1]) */
    uint32_t count;
    uint32_t accesses; /* of the history, which are as many unless only some were picked */
    /* Where operations are several accesses, that is with predicates; NULL otherwise. */
    uint32_t *op_access; /* by operation: its first access */
    uint32_t *access_op; /* by access */
};

/* The operation of an access, and the first access of an operation, by number. */
static inline uint32_t esse_by_key_op(const struct esse_by_key *by_key, uint32_t access)
{
    return by_key->access_op ? by_key->access_op[access] : access;
}

static inline uint32_t esse_by_key_access(const struct esse_by_key *by_key, uint32_t op)
{
    return by_key->op_access ? by_key->op_access[op] : op;
}

void esse_by_key_make(struct esse_by_key *by_key, struct esse_arena *arena,
                      const struct esse_history *history);

/* Only the accesses with the numbers given, ascending.  For histories without predicates.
 * O(accesses picked + keys + log transactions for each). */
void esse_by_key_pick(struct esse_by_key *by_key, struct esse_arena *arena,
                      const struct esse_history *history, const uint32_t *accesses, uint32_t count);
/* Does it have its invariants?  O(accesses + keys). */
bool esse_by_key_valid(const struct esse_by_key *by_key, const struct esse_history *history);

/* Where the accesses of the transaction at 'at' to the same key begin, and end.  O(their number).
 */
static inline uint32_t esse_run_begin(const struct esse_by_key *by_key, uint32_t key, uint32_t at)
{
    while (at > by_key->first[key] && by_key->at[at - 1].txn == by_key->at[at].txn)
        at--;
    return at;
}

/* The end of the run that begins at 'at', or is in its midst there, among accesses of a key that
 * end at 'end'.  For loops over all runs: nothing is loaded twice. */
static inline uint32_t esse_run_end_among(const struct esse_key_access *all, uint32_t at,
                                          uint32_t end)
{
    const uint32_t txn = all[at].txn;
    do
        at++;
    while (at < end && all[at].txn == txn);
    return at;
}

static inline uint32_t esse_run_end(const struct esse_by_key *by_key, uint32_t key, uint32_t at)
{
    return esse_run_end_among(by_key->at, at, by_key->first[key + 1]);
}

/* The accesses of a transaction to a key: [begin .. end).  O(log accesses of the key). */
static inline void esse_run_find(const struct esse_by_key *by_key, uint32_t key, uint32_t txn,
                                 uint32_t *begin, uint32_t *end)
{
    uint32_t low = by_key->first[key], high = by_key->first[key + 1];
    ESSE_BISECT(low, high, middle, by_key->at[middle].txn < txn);
    *begin = *end = low;
    while (*end < by_key->first[key + 1] && by_key->at[*end].txn == txn)
        ++*end;
}

/* Is it the last write of its transaction to the key: the one that installs a version? */
static inline bool esse_is_last_write(const struct esse_by_key *by_key, uint32_t key, uint32_t at)
{
    uint32_t txn = by_key->at[at].txn, end = by_key->first[key + 1];
    for (at++; at < end && by_key->at[at].txn == txn; at++)
        if (by_key->at[at].kind != ESSE_OP_READ)
            return false;
    return true;
}

/* Did its transaction write the key before? */
static inline bool esse_is_after_own_write(const struct esse_by_key *by_key, uint32_t key,
                                           uint32_t at)
{
    uint32_t txn = by_key->at[at].txn;
    while (at-- > by_key->first[key] && by_key->at[at].txn == txn)
        if (by_key->at[at].kind != ESSE_OP_READ)
            return true;
    return false;
}

#endif
