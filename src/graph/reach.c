#include "graph/reach_state.h"

#include <string.h>

#define NONE ESSE_REACH_NONE

/* What chains and windows have in common.  Both are made from the last node to the first, a node's
 * row from those of its successors (Purdom 1970), and mended from an added edge backwards, as long
 * as rows grow (Italiano 1986). */

static bool take(struct esse_reach *reach, uint32_t a, uint32_t b)
{
    return reach->bits ? reach_windows_take(reach, a, b) : reach_chains_take(reach, a, b);
}

/* ---- making ---- */

static void turn_round(struct esse_csr *back, const struct esse_csr *csr, struct esse_arena *arena)
{
    esse_csr_init(back, arena, csr->nodes);
    for (uint32_t e = 0; e < esse_csr_edges(csr); e++)
        esse_csr_count(back, csr->to[e]);
    esse_csr_start(back);
    for (uint32_t node = 0; node < csr->nodes; node++)
        for (uint32_t e = csr->first[node]; e < csr->first[node + 1]; e++)
            esse_csr_add(back, csr->to[e], node);
    esse_csr_finish(back);
}

struct esse_reach *reach_open(const struct esse_reach_graph *graph)
{
    ESSE_SEAM(esse_csr_valid(graph->csr, graph->csr->nodes));
    struct esse_arena *arena = esse_arena_new();
    struct esse_reach *reach = esse_arena_alloc(arena, 1, sizeof *reach);
    const size_t bytes = (graph->csr->nodes + (size_t)1) * sizeof *reach->out;
    *reach = (struct esse_reach){ .arena = arena, .csr = graph->csr };
    turn_round(&reach->back, graph->csr, arena);
    reach->out = memset(esse_arena_grow(arena, NULL, bytes), 0xff, bytes);
    reach->in = memset(esse_arena_grow(arena, NULL, bytes), 0xff, bytes);
    return reach;
}

struct esse_reach *reach_fill(struct esse_reach *reach, const struct esse_reach_graph *graph)
{
    const struct esse_csr *csr = graph->csr;
    uint32_t left = csr->nodes;
    for (; left > 0 && esse_budget_poll(graph->budget, csr->nodes - left); left--) {
        const uint32_t node = graph->order[left - 1];
        for (uint32_t e = csr->first[node]; e < csr->first[node + 1]; e++)
            take(reach, node, csr->to[e]);
    }
    ESSE_SEAM(left || esse_reach_valid(reach));
    if (!left)
        return reach;
    esse_reach_free(reach);
    return NULL;
}

void esse_reach_free(struct esse_reach *reach)
{
    if (reach)
        esse_arena_free(reach->arena);
}

/* ---- asking ---- */

bool esse_reach_leads(const struct esse_reach *reach, uint32_t a, uint32_t b)
{
    ESSE_HOT_ASSERT(a < reach->csr->nodes);
    ESSE_HOT_ASSERT(b < reach->csr->nodes);
    if (a == b)
        return true;
    if (reach->bits)
        return reach_windows_lead(reach, a, b);
    return reach->firsts[(size_t)a * reach->chains + reach->chain[b]] <= reach->place[b];
}

struct esse_reach_changes *esse_reach_changed(struct esse_reach *reach)
{
    return &reach->changed;
}

size_t esse_reach_bytes(const struct esse_reach *reach)
{
    return reach->bytes;
}

/* ---- adding ---- */

static void link_edge(struct esse_reach *reach, uint32_t from, uint32_t to)
{
    const uint32_t at = (uint32_t)reach->links.count;
    reach_links_push(&reach->links, reach->arena, (struct reach_link){ to, reach->out[from] });
    reach_links_push(&reach->links, reach->arena, (struct reach_link){ from, reach->in[to] });
    reach->out[from] = at;
    reach->in[to] = at + 1;
}

/* If a leads to more because of b, the nodes that lead to a are looked at too. */
static void take_later(struct esse_reach *reach, uint32_t a, uint32_t b)
{
    if (!take(reach, a, b))
        return;
    esse_reach_changes_push(&reach->changed, reach->arena, 2 * a);
    esse_reach_changes_push(&reach->work, reach->arena, a);
}

bool esse_reach_add(struct esse_reach *reach, uint32_t from, uint32_t to)
{
    const struct esse_csr *back = &reach->back;
    assert(from < back->nodes);
    assert(to < back->nodes);
    assert(!reach->work.count);
    if (esse_reach_leads(reach, to, from))
        return false;
    if (esse_reach_leads(reach, from, to))
        return true;
    link_edge(reach, from, to);
    if (reach->bits)
        reach_windows_begin(reach, from, to);
    take_later(reach, from, to);
    while (reach->work.count) {
        const uint32_t node = reach->work.at[--reach->work.count];
        for (uint32_t e = back->first[node]; e < back->first[node + 1]; e++)
            take_later(reach, back->to[e], node);
        for (uint32_t l = reach->in[node]; l != NONE; l = reach->links.at[l].next)
            take_later(reach, reach->links.at[l].node, node);
    }
    return true;
}
