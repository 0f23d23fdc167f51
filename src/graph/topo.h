#ifndef ESSE_GRAPH_TOPO_H
#define ESSE_GRAPH_TOPO_H

#include "base/budget.h"
#include "graph/csr.h"

/*
 * A topological order, first come first served (Kahn 1962): the nodes that nothing precedes in the
 * order of their numbers, then those that become free, in that order.  So paths advance side by
 * side, which is what sessions that ran at the same time look like.
 *
 * 'order' has room for all nodes.  Returns how many could be ordered: all, unless there is a
 * cycle, or the budget is spent.  Cost: O(nodes + edges); 4 bytes a node while it works.
 */
uint32_t esse_topo_order(const struct esse_csr *csr, uint32_t *order, struct esse_arena *arena,
                         struct esse_budget *budget);

/*
 * A short cycle: the shortest one through any of some nodes of the smallest component that has one.
 * Fills 'cycle' (room for all nodes) with its nodes in order and returns their number; 0 if there
 * is none.  Cost: O(nodes + edges), with a factor of at most 64.
 */
uint32_t esse_topo_cycle(const struct esse_csr *csr, uint32_t *cycle, struct esse_arena *arena);

#endif
