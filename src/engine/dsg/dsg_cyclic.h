#ifndef ESSE_ENGINE_DSG_DSG_CYCLIC_H
#define ESSE_ENGINE_DSG_DSG_CYCLIC_H

#include "engine/known/versions.h"
#include "graph/scc.h"

/*
 * The graph of versions that assumptions draw, and what is wrong with it: a version that would have
 * to come before itself.  The initial version comes before all others of its key.
 *
 * Cost: O(versions + edges).
 */
ESSE_VEC(version_edge_vec, struct version_edge)

struct version_graph {
    struct version_edge_vec edges;
    uint32_t nodes; /* the versions, and after them those that were not installed */
};

void dsg_version_components(struct esse_scc *scc, struct esse_arena *arena,
                            const struct versions *versions, const struct version_graph *graph);

/* Tells a shortest cycle of every component with several versions, as cyclic-versions; false if
 * there is none. */
bool dsg_tell_cyclic(const struct versions *versions, struct known *known,
                     const struct version_graph *graph);

#endif
