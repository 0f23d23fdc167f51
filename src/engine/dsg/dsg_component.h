#ifndef ESSE_ENGINE_DSG_DSG_COMPONENT_H
#define ESSE_ENGINE_DSG_DSG_COMPONENT_H

#include "engine/dsg/dsg_graph.h"

/*
 * A strongly connected component taken out of the graph, with every edge between its members:
 * what it depends on, and by which operations.  Members are numbered 0 .. count).
 *
 * Cost: O(operations of the members), and O(members * concurrency) edges for real time.
 */
struct dsg_edge {
    uint32_t from, to; /* members */
    uint32_t key, from_op, to_op;
    uint8_t dep; /* enum dsg_dep */
};

ESSE_VEC(dsg_edge_vec, struct dsg_edge)

struct dsg_component {
    struct esse_arena *arena;
    const struct dsg_versions *versions;
    const uint32_t *members; /* transactions, ascending */
    uint32_t count;
    const uint32_t *number; /* by transaction: its number here, or NO_NODE */
    struct dsg_edge *edges; /* grouped by 'from' */
    uint32_t *first;        /* edges of member m: edges[first[m] .. first[m + 1]) */
    uint32_t edge_count;
};

/* 'number' must have the members' numbers and NO_NODE for all others. */
void dsg_component_open(struct dsg_component *component, struct esse_arena *arena,
                        const struct dsg_versions *versions, const uint32_t *members,
                        uint32_t count, const uint32_t *number);

#endif
