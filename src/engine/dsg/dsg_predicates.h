#ifndef ESSE_ENGINE_DSG_DSG_PREDICATES_H
#define ESSE_ENGINE_DSG_DSG_PREDICATES_H

#include "engine/dsg/dsg_graph.h"

/*
 * The dependencies of predicate operations.  A version changes the matches of a predicate if it
 * matches and the version before it does not, or the reverse.  An operation that looked at version
 * v of a key depends on the transaction that made the last such change at or before v, and the one
 * that makes the next after v depends on it; the other changes follow along the key's versions.
 *
 * Which version was looked at: what the version set says; else what the certificate says of its
 * snapshot; else what was returned; else, for a key that was left out, the only version that does
 * not match, if there is but one.  After an own write of the key it is that write, and says nothing
 * about others.  Only keys whose versions are all in order count.
 *
 * Where a predicate is a range of a column and a certificate tells the snapshot, nothing is written
 * down: see dsg_ranges.h.  Otherwise a predicate sees the versions that match and those that follow
 * (dsg_views.h), and an operation costs O(log versions) for each key of which some version matches.
 */
struct dsg_predicate_edge {
    uint32_t from, to; /* transactions */
    uint32_t key;
    uint32_t op;         /* the predicate operation */
    key_access_id write; /* the access that changes the matches */
    uint8_t dep;         /* ESSE_DEP_WRP or ESSE_DEP_RWP */
};
ESSE_VEC(dsg_predicate_edge_vec, struct dsg_predicate_edge)

/* Fills the predicate_edges and the ranges of 'versions', and tells what was returned against a
 * snapshot.  False if the budget is spent, or the scan's error says what is wrong with a predicate.
 */
bool dsg_predicates_find(struct versions *versions, struct known *known);

#endif
