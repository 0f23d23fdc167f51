#include "engine/polygraph/poly_prune.h"

#include <string.h>

/*
 * Pruning where no closure is small enough, because there are neither sessions nor times.  Paths
 * are found for many sources at once, a block of the topological order at a time, a bit a source:
 * O(edges * nodes / 64) a round, and 128 bytes a node.
 */

static void spread(struct pruning *p)
{
    const struct esse_csr *csr = &p->poly->known;
    memset(p->block, 0, (size_t)csr->nodes * POLY_BLOCK_WORDS * sizeof *p->block);
    for (uint32_t i = p->begin; i < csr->nodes; i++) {
        const uint32_t node = p->order[i], bit = i - p->begin;
        uint64_t *row = p->block + (size_t)node * POLY_BLOCK_WORDS;
        if (bit < POLY_BLOCK)
            row[bit / 64] |= (uint64_t)1 << bit % 64;
        for (uint32_t e = csr->first[node]; e < csr->first[node + 1]; e++) {
            uint64_t *to = p->block + (size_t)csr->to[e] * POLY_BLOCK_WORDS;
            for (int w = 0; w < POLY_BLOCK_WORDS; w++)
                to[w] |= row[w];
        }
    }
}

bool poly_ask_blocks(struct pruning *p)
{
    const struct poly *poly = p->poly;
    const uint32_t nodes = poly->known.nodes;
    p->place = esse_arena_grow(p->arena, p->place, (nodes + (size_t)1) * sizeof *p->place);
    p->block = esse_arena_grow(p->arena, p->block,
                               (nodes + (size_t)1) * POLY_BLOCK_WORDS * sizeof *p->block);
    for (uint32_t i = 0; i < nodes; i++)
        p->place[p->order[i]] = i;
    /* From the last to the first: what comes after a version is known before it is asked. */
    for (uint32_t left = (nodes + POLY_BLOCK - 1) / POLY_BLOCK; left > 0; left--) {
        if (poly->budget && !esse_budget_check_now(poly->budget))
            return false;
        p->begin = (left - 1) * POLY_BLOCK;
        spread(p);
        for (uint32_t i = nodes < left * POLY_BLOCK ? nodes : left * POLY_BLOCK; i-- > p->begin;)
            poly_ask_from(p, (esse_node){ p->order[i] });
    }
    return true;
}
