#include "graph/topo.h"

#include "graph/scc.h"

#include <string.h>

uint32_t esse_topo_order(const struct esse_csr *csr, uint32_t *order, struct esse_arena *arena,
                         struct esse_budget *budget)
{
    uint32_t *waits = esse_arena_zeros(arena, csr->nodes + (size_t)1, *waits);
    uint32_t done = 0, count = 0;
    for (uint32_t e = 0; e < esse_csr_edges(csr); e++)
        waits[csr->to[e]]++;
    for (uint32_t node = 0; node < csr->nodes; node++)
        if (!waits[node])
            order[count++] = node;
    for (; done < count && esse_budget_poll(budget, done); done++)
        for (uint32_t e = csr->first[order[done]]; e < csr->first[order[done] + 1]; e++)
            if (--waits[csr->to[e]] == 0)
                order[count++] = csr->to[e];
    esse_arena_drop(arena, waits);
    return done;
}

/* ---- a short cycle ---- */

enum { STARTS = 64 }; /* nodes that are tried */

struct searching {
    const struct esse_csr *csr;
    const uint32_t *component;
    uint32_t *from, *queue; /* by node: where it was reached from, or ESSE_NO_NODE */
    uint32_t *best;
    uint32_t best_count;
};

static void keep(struct searching *s, uint32_t start, uint32_t last)
{
    uint32_t count = 1;
    for (uint32_t node = last; node != start; node = s->from[node])
        count++;
    if (s->best_count && count >= s->best_count)
        return;
    s->best_count = count;
    for (uint32_t node = last; count-- > 0; node = s->from[node])
        s->best[count] = node;
}

/* Breadth first from 'start' inside its component, until an edge leads back to it. */
static void search_from(struct searching *s, uint32_t start)
{
    uint32_t head = 0, tail = 0;
    bool found = false;
    s->queue[tail++] = start;
    s->from[start] = start;
    while (head < tail && !found) {
        uint32_t node = s->queue[head++];
        for (uint32_t e = s->csr->first[node]; e < s->csr->first[node + 1] && !found; e++) {
            uint32_t to = s->csr->to[e];
            found = to == start;
            if (found)
                keep(s, start, node);
            if (s->component[to] != s->component[start] || s->from[to] != ESSE_NO_NODE)
                continue;
            s->from[to] = node;
            s->queue[tail++] = to;
        }
    }
    for (uint32_t i = 0; i < tail; i++)
        s->from[s->queue[i]] = ESSE_NO_NODE;
}

/* The smallest component of two nodes and more, by number. */
static uint32_t smallest(const struct esse_scc *scc, uint32_t nodes, struct esse_arena *arena)
{
    uint32_t *size = esse_arena_zeros(arena, scc->count + (size_t)1, *size);
    uint32_t best = ESSE_NO_NODE;
    for (uint32_t node = 0; node < nodes; node++)
        size[scc->component[node]]++;
    for (uint32_t c = 0; c < scc->count; c++)
        if (size[c] > 1 && (best == ESSE_NO_NODE || size[c] < size[best]))
            best = c;
    esse_arena_drop(arena, size);
    return best;
}

uint32_t esse_topo_cycle(const struct esse_csr *csr, uint32_t *cycle, struct esse_arena *arena)
{
    struct esse_scc scc;
    struct searching s = { .csr = csr, .best = cycle };
    esse_scc_find(&scc, arena, csr, NULL);
    s.component = scc.component;
    s.from = esse_arena_none(arena, csr->nodes + (size_t)1, *s.from);
    s.queue = esse_arena_array(arena, csr->nodes + (size_t)1, *s.queue);
    uint32_t chosen = smallest(&scc, csr->nodes, arena), tried = 0;
    for (uint32_t node = 0; node < csr->nodes && tried < STARTS && s.best_count != 2; node++)
        if (scc.component[node] == chosen) {
            search_from(&s, node);
            tried++;
        }
    esse_arena_drop(arena, s.from);
    esse_arena_drop(arena, s.queue);
    esse_arena_drop(arena, scc.component);
    return s.best_count;
}
