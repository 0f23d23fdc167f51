#ifndef ESSE_ENGINE_DSG_DSG_PREDICATES_H
#define ESSE_ENGINE_DSG_DSG_PREDICATES_H

#include "engine/dsg/dsg_graph.h"

/*
 * The dependencies of predicate operations.  A version changes the matches of a predicate if it
 * matches and the version before it does not, or the reverse.  An operation that looked at version
 * v of a key depends on whoever made the last such change at or before v, and whoever makes the
 * next one after v depends on it; the other changes follow along the key's versions.
 *
 * Which version was looked at: what the version set says; else what was returned; else, for a key
 * that was left out, the only version that does not match, if there is but one.  After an own
 * write of the key it is that write, and says nothing about others.  Only keys whose versions are
 * all in order count.
 *
 * Cost: O(versions) for each distinct predicate, O(keys * log versions) for each operation.
 */
struct dsg_predicate_edge {
    uint32_t from, to; /* transactions */
    uint32_t key;
    uint32_t op;    /* the predicate operation */
    uint32_t write; /* the access that changes the matches */
    uint8_t dep;    /* DSG_WRP or DSG_RWP */
};
ESSE_VEC(dsg_predicate_edge_vec, struct dsg_predicate_edge)

/* False if the budget is spent, or 'err' says what is wrong with a predicate. */
bool dsg_predicates_find(struct dsg_predicate_edge_vec *edges, const struct versions *versions,
                         struct esse_budget *budget, struct esse_error *err);

#endif
