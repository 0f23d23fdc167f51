#ifndef ESSE_EVIDENCE_RECHECK_PREDICATE_H
#define ESSE_EVIDENCE_RECHECK_PREDICATE_H

#include "history/history.h"

/*
 * What a predicate operation should have returned of one key, decided from the definitions: part of
 * the kernel of recheck.h.  A predicate that cannot be evaluated proves nothing: false.
 *
 * Cost: compiling the predicate; then MISSES_ALL O(operations), the others O(rows + version set +
 * operations of the transaction).
 */

enum esse_predicate_fault {
    /* It left out 'key' although its initial value and every value that a transaction which may
     * have committed wrote to it match. */
    ESSE_PREDICATE_MISSES_ALL,
    /* It left out 'key' although what the transaction itself had written matches. */
    ESSE_PREDICATE_MISSES_OWN,
    /* It returned something else of 'key' than its version set says; a key that the transaction
     * wrote before has the version that it wrote.  Without a version set: it returned a row that
     * does not match. */
    ESSE_PREDICATE_DIFFERS,
    /* What the operation, a statement, returned as a whole is wrong, and no key is asked about: the
     * result of its aggregates or, of a join or with LIMIT, its rows are not what its version set
     * and the transaction's own writes give; without a version set, not what its rows give, or not
     * what the snapshot gives that a certificate says it looked at (then O(operations)). */
    ESSE_PREDICATE_IS_WRONG,
};

/* Has operation 'op' of 'txn' the fault?  No if it has no predicate. */
bool esse_recheck_predicate(enum esse_predicate_fault fault, const struct esse_history *history,
                            uint32_t txn, uint32_t op, esse_key key);

#endif
