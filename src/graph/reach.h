#ifndef ESSE_GRAPH_REACH_H
#define ESSE_GRAPH_REACH_H

#include "base/budget.h"
#include "base/vec.h"
#include "graph/csr.h"

/*
 * Which node leads to which in a graph without cycles that edges are added to.  A question is O(1),
 * and there is never a matrix, because the closure is kept compact along paths that the graph has:
 *
 *   chains   Nodes are divided into chains, such as sessions, whose nodes lead from one to the
 *            next.  Of every chain a node keeps the first place that it leads to.
 *   windows  The graph has a long path, the backbone, such as moments of real time.  A node that
 *            leads to a place of it leads to everything after that.  So a node keeps the first
 *            place that it leads to, the last one that leads to it, and a bit only for those nodes
 *            that neither are before it nor after it by the backbone: those that overlap it in
 *            time.
 *
 *     chains or windows -> (leads | add)* -> free
 *
 * Cost: with C chains 4 C bytes a node, made in O(edges C); with windows of W nodes W / 8 bytes and
 * 40 a node, made in O(edges W / 64), where W counts all that begin between the first and the last
 * that overlap.  Then 8 bytes an edge.  Adding an edge takes C, or W / 64, steps for each edge into
 * a node that leads to more by it.
 */
struct esse_reach;

#define ESSE_REACH_NONE UINT32_MAX

/* What the graph is: it must stay as long as edges are added.  'order' is topological, and needed
 * only at first. */
struct esse_reach_graph {
    const struct esse_csr *csr;
    const uint32_t *order;
    struct esse_budget *budget; /* or NULL */
};

/* 'chain', which must stay, is by node, below 'chains', or ESSE_REACH_NONE for nodes to which the
 * way is never asked. NULL if it took more than 'most' bytes, or the budget is spent. */
struct esse_reach *esse_reach_chains(const struct esse_reach_graph *graph, const uint32_t *chain,
                                     uint32_t chains, size_t most);

/* The backbone is the nodes backbone .. backbone + length - 1, each with an edge to the next.  The
 * way to nodes from 'asked' on is never asked, if they are not of the backbone.  NULL as above. */
struct esse_reach *esse_reach_windows(const struct esse_reach_graph *graph, uint32_t backbone,
                                      uint32_t length, uint32_t asked, size_t most);

void esse_reach_free(struct esse_reach *reach); /* NULL is fine */

/* Is there a path from a to b?  Always, if they are the same. */
bool esse_reach_leads(const struct esse_reach *reach, esse_node a, esse_node b);

/* Adds an edge; false, and nothing is changed, if it would close a cycle. */
bool esse_reach_add(struct esse_reach *reach, esse_node from, esse_node to);

/*
 * What changed since this was emptied (count = 0), by the caller: 2 * node if the node leads to
 * more, 2 * node + 1 if more leads to it.  Every pair that is connected now and was not before has
 * its first node there as the one or its second as the other.  Entries may repeat.
 */
struct esse_u32_vec *esse_reach_changed(struct esse_reach *reach);

/* Does it have the invariants of reach_state.h?  O(what making it takes): for asserts and tests. */
bool esse_reach_valid(const struct esse_reach *reach);

/* Memory that the table takes, for reports. */
size_t esse_reach_bytes(const struct esse_reach *reach);

#endif
