#ifndef ESSE_ENGINE_DSG_DSG_SCC_H
#define ESSE_ENGINE_DSG_DSG_SCC_H

#include "engine/dsg/dsg_graph.h"

/*
 * The strongly connected components of a graph that dsg_graph_build made, with the dependencies of
 * predicate operations that are not drawn in it (dsg_ranges.h).  Numbers are as in graph/scc.h.
 *
 * Two depth-first walks, along the edges and against them (Kosaraju, Sharir), because these need to
 * know of an edge only whether it leads to a new node.
 *
 * Cost: as esse_scc_find if all edges are drawn; otherwise O(nodes + edges) and the questions of
 * dsg_ranges.h, and 4 bytes an edge more.
 */
bool dsg_scc_find(struct esse_scc *scc, struct esse_arena *arena, const struct esse_csr *csr,
                  const struct versions *versions, unsigned mask, bool doubled,
                  struct esse_budget *budget);

#endif
