#ifndef ESSE_GRAPH_CSR_H
#define ESSE_GRAPH_CSR_H

#include "base/arena.h"
#include "base/checked.h"
#include "base/guard.h"

/*
 * A directed graph as compressed rows: the targets of node v are to[first[v] .. first[v + 1]).
 * It is built in two passes over the same edges, so that nothing is sorted and nothing is stored
 * twice; both are polls of the guard, if there is one:
 *
 *     init -> count* -> start -> add* -> finish -> read
 *
 * More than four thousand million edges count as having no memory for them (guard.h).
 *
 * A finished graph has these invariants:
 *
 *   1) first[0] is 0, and first never falls up to first[nodes].
 *   2) first[nodes + 1] is first[nodes]: every edge that was counted was added, and no other.
 *   3) Targets are nodes; or, where rows lead to other things than nodes, numbers of these.
 *
 * Cost: O(1) an edge and pass; 4 bytes a node and 4 bytes an edge.
 */
typedef struct {
    uint32_t ix;
} esse_node;
#define ESSE_NO_NODE UINT32_MAX

struct esse_csr {
    struct esse_arena *arena;
    uint32_t nodes;
    uint32_t *first, *to;
};

void esse_csr_init(struct esse_csr *csr, struct esse_arena *arena, uint32_t nodes);

static inline void esse_csr_count(struct esse_csr *csr, uint32_t from)
{
    ESSE_HOT_ASSERT(from < csr->nodes);
    esse_guard_poll();
    csr->first[from + 2]++;
}

void esse_csr_start(struct esse_csr *csr);

static inline void esse_csr_add(struct esse_csr *csr, uint32_t from, uint32_t to)
{
    ESSE_HOT_ASSERT(from < csr->nodes);
    esse_guard_poll();
    csr->to[csr->first[from + 1]++] = to;
}

/* Must be called when every counted edge was added. */
void esse_csr_finish(struct esse_csr *csr);

/* Does a finished graph have its invariants, with targets below 'targets'?  O(nodes + edges). */
bool esse_csr_valid(const struct esse_csr *csr, uint32_t targets);

static inline uint32_t esse_csr_edges(const struct esse_csr *csr)
{
    return csr->first[csr->nodes];
}

/* The same edges, turned round. */
void esse_csr_turn(struct esse_csr *turned, struct esse_arena *arena, const struct esse_csr *csr);

void esse_csr_drop(struct esse_csr *csr);

#endif
