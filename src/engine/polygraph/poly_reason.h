#ifndef ESSE_ENGINE_POLYGRAPH_POLY_REASON_H
#define ESSE_ENGINE_POLYGRAPH_POLY_REASON_H

#include "engine/polygraph/poly_state.h"

/* Why there is an edge between two transactions: the dependency, and its accesses. */
struct poly_reason {
    uint32_t from, to; /* transactions */
    enum esse_dep dep;
    uint32_t key;
    key_access_id from_at, to_at; /* ESSE_NO_KEY_ACCESS where an operation is given instead */
    uint32_t op;                  /* of an open read, or ESSE_NO_OP */
    bool chosen;                  /* it follows from a choice */
};

/*
 * The reasons for the edges of a cycle, one for each step from a transaction to another; room for
 * clause->edge_count of them.  Returns their number.
 *
 * Cost: O(accesses of the transactions and readers of the versions concerned).
 */
uint32_t poly_reasons(const struct poly *poly, const struct poly_clause *clause,
                      struct poly_reason *reasons);

#endif
