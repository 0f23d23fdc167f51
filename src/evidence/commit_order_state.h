#ifndef ESSE_EVIDENCE_COMMIT_ORDER_STATE_H
#define ESSE_EVIDENCE_COMMIT_ORDER_STATE_H

#include "evidence/replay_rules.h"
#include "history/by_key.h"

/* What the walk along a commit order and its predicates share.  Private to evidence/. */

/* A row that a predicate left out, and whose version it saw of it: 0 is the initial one. */
struct co_left_out {
    uint32_t key, commit;
};
ESSE_VEC(co_left_out_vec, struct co_left_out)

struct co_predicates {
    const struct replay *replay;
    struct esse_by_key by_key;
    struct replay_state store; /* which knows what predicates mean */
    uint32_t txn, op;          /* the operation at hand */
    struct co_left_out_vec left_out;
};

/* Is there nothing to choose about what the predicates of a transaction saw, or does the order say
 * what they saw?  Finds 'left_out'. */
bool co_explains(struct co_predicates *p, uint32_t txn);

/* The version that an order names for a read of the key, or for a predicate that left it out; NULL
 * if it names none.  An order has its sources by operation and key.  O(log sources). */
const struct esse_read_source *co_named(const struct esse_order *order, uint32_t op, esse_key key);

#endif
