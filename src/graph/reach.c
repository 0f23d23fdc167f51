#include "graph/reach_state.h"

#include <string.h>

/* What chains and windows have in common.  Both are made from the last node to the first, a node's
 * row from those of its successors (Purdom 1970), and mended from an added edge backwards, as long
 * as rows grow (Italiano 1986). */

static bool take(struct esse_reach *reach, esse_node a, esse_node b)
{
    return reach->bits ? reach_windows_take(reach, a, b) : reach_chains_take(reach, a, b);
}

/* ---- making ---- */

struct esse_reach *reach_open(const struct esse_reach_graph *graph)
{
    ESSE_SEAM(esse_csr_valid(graph->csr, graph->csr->nodes));
    struct esse_arena *arena = esse_arena_new();
    struct esse_reach *reach = esse_arena_alloc(arena, 1, sizeof *reach);
    *reach = (struct esse_reach){ .arena = arena, .csr = graph->csr };
    esse_csr_turn(&reach->back, arena, graph->csr);
    reach->out = esse_arena_none(arena, graph->csr->nodes + (size_t)1, uint32_t);
    reach->in = esse_arena_none(arena, graph->csr->nodes + (size_t)1, uint32_t);
    return reach;
}

struct esse_reach *reach_fill(struct esse_reach *reach, const struct esse_reach_graph *graph)
{
    const struct esse_csr *csr = graph->csr;
    uint32_t left = csr->nodes;
    for (; left > 0 && esse_budget_poll(graph->budget, csr->nodes - left); left--) {
        const esse_node node = { graph->order[left - 1] };
        for (uint32_t e = csr->first[node.ix]; e < csr->first[node.ix + 1]; e++)
            take(reach, node, (esse_node){ csr->to[e] });
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

bool esse_reach_leads(const struct esse_reach *reach, esse_node a, esse_node b)
{
    ESSE_HOT_ASSERT(a.ix < reach->csr->nodes);
    ESSE_HOT_ASSERT(b.ix < reach->csr->nodes);
    if (a.ix == b.ix)
        return true;
    if (reach->bits)
        return reach_windows_lead(reach, a, b);
    return reach->firsts[(size_t)a.ix * reach->chains + reach->chain[b.ix]] <= reach->place[b.ix];
}

struct esse_u32_vec *esse_reach_changed(struct esse_reach *reach)
{
    return &reach->changed;
}

size_t esse_reach_bytes(const struct esse_reach *reach)
{
    return reach->bytes;
}

/* ---- adding ---- */

static void link_edge(struct esse_reach *reach, esse_node from, esse_node to)
{
    const uint32_t at = (uint32_t)reach->links.count;
    reach_links_push(&reach->links, reach->arena, (struct reach_link){ to, reach->out[from.ix] });
    reach_links_push(&reach->links, reach->arena, (struct reach_link){ from, reach->in[to.ix] });
    reach->out[from.ix] = at;
    reach->in[to.ix] = at + 1;
}

/* If a leads to more because of b, the nodes that lead to a are looked at too. */
static void take_later(struct esse_reach *reach, esse_node a, esse_node b)
{
    if (!take(reach, a, b))
        return;
    esse_u32_vec_push(&reach->changed, reach->arena, 2 * a.ix);
    esse_u32_vec_push(&reach->work, reach->arena, a.ix);
}

bool esse_reach_add(struct esse_reach *reach, esse_node from, esse_node to)
{
    const struct esse_csr *back = &reach->back;
    assert(from.ix < back->nodes);
    assert(to.ix < back->nodes);
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
        const esse_node node = { reach->work.at[--reach->work.count] };
        for (uint32_t e = back->first[node.ix]; e < back->first[node.ix + 1]; e++)
            take_later(reach, (esse_node){ back->to[e] }, node);
        for (uint32_t l = reach->in [node.ix]; l != NONE; l = reach->links.at[l].next)
            take_later(reach, reach->links.at[l].node, node);
    }
    return true;
}
