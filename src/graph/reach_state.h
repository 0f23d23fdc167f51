#ifndef ESSE_GRAPH_REACH_STATE_H
#define ESSE_GRAPH_REACH_STATE_H

#include "graph/reach.h"

/* What the parts of reach.h share; no other file includes this. */

#define NONE ESSE_REACH_NONE

struct reach_link {
    esse_node node; /* the other end */
    uint32_t next;  /* the next link of the same node, or NONE */
};

ESSE_VEC(reach_links, struct reach_link)

/* A row of bits: those of the columns from 64 * first on. */
struct reach_row {
    size_t at;
    uint32_t first, words;
};

/*
 * Invariants between two calls:
 *
 *   1) 'back' has the edges of 'csr' turned round.
 *   2) 'links' has two entries for an added edge; the lists from 'out' are of the even ones, those
 *      from 'in' of the odd ones, and each leads from later to earlier entries.
 *   3) 'work' is empty.
 *   4) chains: a node of a chain has a place in it, and leads to itself first of all of its chain.
 *   5) chains: along an edge a -> b, a leads to each chain as early as b does.
 *   6) windows: begin and end of a backbone's node are 1 + its place, and it has neither column nor
 *      bits; of the others those below 'asked' have a column.
 *   7) windows: along an edge a -> b, end[a] <= end[b] and begin[a] <= begin[b]; and the row of a
 *      has, as far as it has room, b's column and the bits of b's row.
 */
struct esse_reach {
    struct esse_arena *arena;
    const struct esse_csr *csr;
    struct esse_csr back;     /* the same edges, turned round */
    struct reach_links links; /* added edges: to and from, in turn */
    uint32_t *out, *in;       /* by node: the first of its links */
    struct esse_u32_vec changed, work;
    size_t bytes;

    /* chains */
    uint32_t chains;
    const uint32_t *chain;
    uint32_t *place;  /* by node: in its chain */
    uint32_t *firsts; /* by node and chain: the first place that it leads to, or NONE */

    /* windows: 'bits' is not null */
    uint32_t backbone, backbone_end, asked;
    uint32_t *begin, *end;  /* by node: 1 + the last place of the backbone that leads to it, and the
                             * first that it leads to; 0, and NONE, without */
    uint32_t *column;       /* by node, or NONE */
    struct reach_row *rows; /* by node */
    uint64_t *bits;
};

/* The node a leads to everything that b leads to, and to b.  Is that new? */
bool reach_chains_take(struct esse_reach *reach, esse_node a, esse_node b);
bool reach_windows_take(struct esse_reach *reach, esse_node a, esse_node b);
bool reach_windows_lead(const struct esse_reach *reach, esse_node a, esse_node b);
/* An edge was added: what leads to 'from' by the backbone leads to whatever 'to' leads to. */
void reach_windows_begin(struct esse_reach *reach, esse_node from, esse_node to);

/* What both begin with, in an arena of its own. */
struct esse_reach *reach_open(const struct esse_reach_graph *graph);
/* Fills the table from the last node to the first; NULL, and all is given back, if the budget is
 * spent. */
struct esse_reach *reach_fill(struct esse_reach *reach, const struct esse_reach_graph *graph);

static inline bool reach_is_backbone(const struct esse_reach *reach, esse_node node)
{
    return node.ix - reach->backbone < reach->backbone_end - reach->backbone;
}

#endif
