#ifndef ESSE_GRAPH_SCC_H
#define ESSE_GRAPH_SCC_H

#include "base/budget.h"
#include "graph/csr.h"

/*
 * Strongly connected components, by Tarjan's algorithm in Pearce's form (2016), without recursion.
 *
 * component[v] is the number of v's component.  Components are numbered against the edges: an edge
 * between two of them leads from a higher number to a lower one, so going through the numbers
 * downwards is a topological order.  Nodes are visited from the last to the first, so that among
 * nodes without a path between them that order prefers the lower one.
 *
 * Cost: O(nodes + edges); 4 bytes a node for the answer and 12 while it works.
 */
struct esse_scc {
    uint32_t *component;
    uint32_t count;
};

/* False if the budget is spent. */
bool esse_scc_find(struct esse_scc *scc, struct esse_arena *arena, const struct esse_csr *csr,
                   struct esse_budget *budget);

#endif
