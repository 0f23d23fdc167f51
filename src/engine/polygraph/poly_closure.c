#include "engine/polygraph/poly_prune.h"

#include <string.h>

/*
 * Who leads to whom, kept while edges are added (graph/reach.h).  With real time in the graph its
 * moments are the spine, and only what overlaps is stored; without, or where something lasts so
 * long that all overlap it, the sessions are the chains.
 */

/* ---- the closure ---- */

enum {
    CHAIN_MOST = 256,      /* chains, for one to be made: a kilobyte a node */
    TABLE_MOST = 256 << 20 /* bytes in all */
};

/* Where a session's edge is not in the graph, another chain begins. */
static uint32_t number_chains(const struct poly *poly, uint32_t *chain)
{
    const struct versions *versions = poly->versions;
    const struct esse_history *history = versions->history;
    uint32_t chains = 0;
    memset(chain, 0xff, poly->nodes * sizeof *chain);
    for (uint32_t s = 0; s < history->sessions; s++) {
        bool is_first = true;
        for (uint32_t at = history->session_first[s]; at < history->session_first[s + 1]; at++) {
            const uint32_t txn = history->session_txn[at];
            if (!versions->in[txn])
                continue;
            chains += is_first || !poly_follows_session(poly, txn);
            is_first = false;
            chain[poly_leaves(poly, txn, DSG_RW)] = chain[poly_commit(poly, txn)] = chains - 1;
        }
    }
    return chains;
}

static struct esse_reach *find_chains(struct pruning *p, const struct esse_reach_graph *graph,
                                      uint32_t *chains)
{
    const struct poly *poly = p->poly;
    uint32_t *chain = esse_arena_grow(p->arena, NULL, (poly->nodes + (size_t)1) * sizeof *chain);
    *chains = number_chains(poly, chain);
    return *chains > CHAIN_MOST ? NULL : esse_reach_chains(graph, chain, *chains, TABLE_MOST);
}

struct esse_reach *poly_closure_find(struct pruning *p)
{
    struct poly *poly = p->poly;
    const double started = esse_clock_seconds();
    const struct esse_reach_graph graph = { &poly->known, p->order, poly->budget };
    const uint32_t moments = poly->helpers_at - poly->moments_at;
    const size_t most = (poly->nodes + (size_t)1) * sizeof(uint32_t) * CHAIN_MOST;
    uint32_t chains = 0;
    struct esse_reach *closure = NULL;
    if (moments)
        closure = esse_reach_windows(&graph, poly->moments_at, moments, poly->moments_at,
                                     most < TABLE_MOST ? most : TABLE_MOST);
    if (!closure)
        closure = find_chains(p, &graph, &chains);
    if (!closure)
        return NULL;
    struct esse_phase *phase = poly_phase(poly, "closure", started);
    phase->counts[0].what = chains ? "chains" : "moments";
    phase->counts[0].count = chains ? chains : moments;
    phase->counts[1].what = "kilobytes";
    phase->counts[1].count = esse_reach_bytes(closure) >> 10;
    return closure;
}

/* ---- a fixpoint with it ---- */

/* Nodes to be asked: what they lead to, or who leads to them.  Each is in the ring once. */
struct asking {
    struct pruning *p;
    uint32_t *ring;
    uint8_t *waits; /* by entry */
    uint32_t room, at, count;
};

static void wait_for(struct asking *a, uint32_t entry)
{
    if (a->waits[entry])
        return;
    a->waits[entry] = 1;
    a->ring[(a->at + a->count++) % a->room] = entry;
}

static void ask_next(struct asking *a)
{
    struct pruning *p = a->p;
    struct esse_reach_changes *changed = esse_reach_changed(p->closure);
    const uint32_t entry = a->ring[a->at];
    a->at = (a->at + 1) % a->room;
    a->count--;
    a->waits[entry] = 0;
    if (entry & 1)
        poly_ask_to(p, entry / 2);
    else
        poly_ask_from(p, entry / 2);
    for (size_t i = 0; i < changed->count; i++)
        wait_for(a, changed->at[i]);
    changed->count = 0;
}

bool poly_prune_by_closure(struct pruning *p)
{
    struct poly *poly = p->poly;
    struct asking a = { .p = p, .room = 2 * poly->nodes };
    a.ring = esse_arena_grow(p->arena, NULL, (a.room + (size_t)1) * sizeof *a.ring);
    a.waits = esse_arena_alloc(p->arena, a.room + (size_t)1, 1);
    for (uint32_t i = poly->nodes; i-- > 0;)
        wait_for(&a, 2 * p->order[i]);
    while (a.count && !p->is_refuted) {
        if (!esse_budget_poll(poly->budget, p->rounds))
            return false;
        ask_next(&a);
        p->rounds++;
    }
    if (p->found)
        poly_draw_covers(p);
    return true;
}
