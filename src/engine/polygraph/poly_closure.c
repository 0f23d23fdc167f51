#include "engine/polygraph/poly_prune.h"

#include <string.h>

/*
 * Which node leads to which, kept while edges are added (graph/reach.h).  With real time in the
 * graph its time nodes are the backbone, and only what overlaps is stored; without, or where
 * something lasts so long that all overlap it, the sessions are the chains.
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
            chain[poly_leaves(poly, txn, ESSE_DEP_RW).ix] = chain[poly_commit(poly, txn).ix] =
                chains - 1;
        }
    }
    return chains;
}

static struct esse_reach *make_chains(struct pruning *p, const struct esse_reach_graph *graph)
{
    const struct poly *poly = p->poly;
    if (!p->chain) {
        p->chain = esse_arena_array(p->arena, poly->nodes + (size_t)1, *p->chain);
        p->chains = number_chains(poly, p->chain);
    }
    return p->chains > CHAIN_MOST ? NULL
                                  : esse_reach_chains(graph, p->chain, p->chains, TABLE_MOST);
}

void poly_closure_make(struct pruning *p)
{
    const struct poly *poly = p->poly;
    const double started = esse_clock_seconds();
    const struct esse_reach_graph graph = { &poly->known, p->order, poly->budget };
    const uint32_t time_nodes = poly->aux_nodes_at - poly->time_nodes_at;
    const size_t most = (poly->nodes + (size_t)1) * sizeof(uint32_t) * CHAIN_MOST;
    esse_reach_free(p->closure);
    p->closure = NULL;
    if (time_nodes)
        p->closure = esse_reach_windows(&graph, poly->time_nodes_at, time_nodes,
                                        poly->time_nodes_at, most < TABLE_MOST ? most : TABLE_MOST);
    if (!p->closure)
        p->closure = make_chains(p, &graph);
    p->closure_seconds += esse_clock_seconds() - started;
}

bool poly_ask_closure(struct pruning *p)
{
    const struct poly *poly = p->poly;
    for (uint32_t i = poly->nodes; i-- > 0;) {
        if (!esse_budget_poll(poly->budget, poly->nodes - i))
            return false;
        poly_ask_from(p, (esse_node){ p->order[i] });
    }
    return true;
}

/* ---- a fixpoint with it ---- */

/* Nodes to be asked: what they lead to, or what leads to them.  Each is in the ring once. */
struct asking {
    struct pruning *p;
    uint32_t *ring;
    uint8_t *waits; /* by entry */
    uint32_t room, at, count;
};

static void wait_for_changed(struct asking *a)
{
    struct esse_u32_vec *changed = esse_reach_changed(a->p->closure);
    for (size_t i = 0; i < changed->count; i++) {
        const uint32_t entry = changed->at[i];
        if (a->waits[entry])
            continue;
        a->waits[entry] = 1;
        a->ring[(a->at + a->count++) % a->room] = entry;
    }
    changed->count = 0;
}

static void ask_next(struct asking *a)
{
    const uint32_t entry = a->ring[a->at];
    a->at = (a->at + 1) % a->room;
    a->count--;
    a->waits[entry] = 0;
    if (entry & 1)
        poly_ask_to(a->p, (esse_node){ entry / 2 });
    else
        poly_ask_from(a->p, (esse_node){ entry / 2 });
    wait_for_changed(a);
}

bool poly_settle(struct pruning *p)
{
    struct poly *poly = p->poly;
    struct asking a = { .p = p, .room = 2 * poly->nodes };
    a.ring = esse_arena_array(p->arena, a.room + (size_t)1, *a.ring);
    a.waits = esse_arena_alloc(p->arena, a.room + (size_t)1, 1);
    p->adds = true;
    for (size_t i = p->began; i < poly->inferred.count; i++)
        poly_add_order(p, &poly->inferred.at[i]);
    for (wait_for_changed(&a); a.count && !p->is_refuted; p->again++) {
        if (!esse_budget_poll(poly->budget, p->again))
            return false;
        ask_next(&a);
    }
    return true;
}
