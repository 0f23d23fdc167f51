#ifndef ESSE_ENGINE_DSG_DSG_GRAPH_H
#define ESSE_ENGINE_DSG_DSG_GRAPH_H

#include "engine/known/versions.h"
#include "graph/scc.h"

/*
 * The dependency graph of a history for a choice of edges, as compressed rows.
 *
 * Nodes are the transactions, then auxiliary nodes that keep the graph linear: for a key with
 * several unordered versions, one node between its last ordered version and all of them; for real
 * time, a chain of time nodes, each after the ends before it and before the starts after it.
 *
 * In a doubled graph (for snapshot isolation) transaction t is two nodes, its snapshot 2t and its
 * commit 2t + 1.  ww, wr, session order and real time lead from a commit to a snapshot, rw from a
 * snapshot to a commit; so a cycle is exactly a cycle of (ww ∪ wr) ; rw?.
 */
#define DSG_ANTI ((1u << ESSE_DEP_RW) | (1u << ESSE_DEP_RWP))
#define DSG_DATA ((1u << ESSE_DEP_WW) | (1u << ESSE_DEP_WR) | (1u << ESSE_DEP_WRP) | DSG_ANTI)

static inline bool dsg_is_anti(unsigned dep)
{
    return (DSG_ANTI >> dep) & 1;
}

/* Real time as a chain: the time node after which a transaction starts and before which it
 * ended. */
struct dsg_time {
    uint32_t time_nodes;
    uint32_t *starts_after, *ends_before; /* by transaction, or ESSE_NO_NODE */
};

void dsg_time_find(struct dsg_time *time, const struct versions *versions);

/* Builds the graph of the deps in 'mask'.  Drop csr when done. */
void dsg_graph_build(struct esse_csr *csr, const struct versions *versions,
                     const struct dsg_time *time, unsigned mask, bool doubled);

/* The next transaction of the same session that counts, or ESSE_NO_TXN.  O(gap). */
uint32_t dsg_next_in_session(const struct versions *versions, uint32_t txn);

#endif
