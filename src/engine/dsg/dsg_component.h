#ifndef ESSE_ENGINE_DSG_DSG_COMPONENT_H
#define ESSE_ENGINE_DSG_DSG_COMPONENT_H

#include "engine/dsg/dsg_graph.h"

/*
 * The strongly connected components of two transactions and more, taken out of the graph with every
 * edge between their members: what it depends on, and by which accesses.  The members of a
 * component are numbered from 0.
 *
 * Cost: O(accesses) once for all components, and O(members * concurrency) edges for real time.
 */
struct dsg_edge {
    uint32_t from, to; /* members */
    uint32_t key;
    key_access_id from_at,
        to_at;          /* the accesses, or ESSE_NO_KEY_ACCESS for session order and real time */
    uint32_t predicate; /* the predicate operation, for ESSE_DEP_WRP and ESSE_DEP_RWP */
    uint8_t dep;        /* enum esse_dep */
};

struct dsg_component {
    struct esse_arena *arena; /* for the search */
    const struct versions *versions;
    const uint32_t *members; /* transactions, ascending */
    uint32_t count;
    const struct dsg_edge *edges; /* grouped by 'from' */
    const uint32_t *first;        /* edges of member m: edges[first[m] .. first[m + 1]) */
};

struct dsg_components {
    struct dsg_component *at;
    uint32_t count;
    bool whole;  /* every edge was asked for */
    bool is_cut; /* edges of predicate operations were left out: there were too many */
};

/* Unless all of it is wanted, of huge components only those dependencies of predicate operations
 * are taken that are near them in the order of the commits.  Of millions of edges to versions of
 * unknown order, only those are ever taken that are near in the order of the history. */
void dsg_components_find(struct dsg_components *components, struct esse_arena *arena,
                         const struct versions *versions, const struct esse_scc *scc, bool whole);

#endif
