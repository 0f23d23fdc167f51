#ifndef ESSE_EVIDENCE_RECHECK_PREDICATE_H
#define ESSE_EVIDENCE_RECHECK_PREDICATE_H

#include "history/history.h"

/*
 * What a predicate operation should have returned of one key, decided from the definitions: part of
 * the kernel of recheck.h.  A predicate that cannot be evaluated proves nothing: false.
 *
 * Cost: compiling the predicate; then the first O(operations), the second O(rows + version set +
 * operations of the transaction).
 */

/* Operation 'op' of 'txn' left out 'key' although its initial value and every value that a
 * transaction which may have committed wrote to it match. */
bool esse_recheck_predicate_miss(const struct esse_history *history, uint32_t txn, uint32_t op,
                                 esse_key key);

/* Operation 'op' of 'txn' returned something else of 'key' than its version set says; a key that
 * the transaction wrote before has the version that it wrote.  Without a version set: it returned
 * a row that does not match. */
bool esse_recheck_result_set(const struct esse_history *history, uint32_t txn, uint32_t op,
                             esse_key key);

/* What operation 'op' of 'txn', a statement, returned as a whole is wrong: the result of its
 * aggregates or, of a join or with LIMIT, its rows are not what its version set and the
 * transaction's own writes give; without a version set, not what its rows give, or not what the
 * snapshot gives that a certificate says it looked at (then O(operations)). */
bool esse_recheck_result(const struct esse_history *history, uint32_t txn, uint32_t op);

/* Operation 'op' of 'txn' left out 'key' although what the transaction itself had written matches.
 */
bool esse_recheck_own_miss(const struct esse_history *history, uint32_t txn, uint32_t op,
                           esse_key key);

#endif
