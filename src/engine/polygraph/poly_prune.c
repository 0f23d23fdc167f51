#include "engine/polygraph/poly_prune.h"

#include "graph/topo.h"

/*
 * What the graph forces about the order of versions, to a fixpoint:
 *
 *   a before b   if b before a would close a cycle: there is a path from a to b;
 *   b before a   if some reader r of a comes after b: were a before b, r would precede b.  (Not
 *                where only some paths from b to r are forbidden: causal, read-atomic.)
 *
 * Each such order adds edges (of writers, and from readers to overwriters), and these add paths.
 */

/* ---- finding ---- */

static void add_edge(void *context, uint32_t from, uint32_t to)
{
    struct pruning *p = context;
    p->is_refuted |= !esse_reach_add(p->closure, (esse_node){ from }, (esse_node){ to });
}

void poly_add_order(struct pruning *p, const struct poly_inferred *order)
{
    poly_order_edges(p->poly, order->a, order->b, add_edge, p);
}

static void find_less(struct pruning *p, uint32_t key, version_id a, version_id b)
{
    struct poly *poly = p->poly;
    const size_t round = p->adds ? poly->inferred.count : p->began;
    const struct poly_inferred order = { a, b, (uint32_t)round, (uint32_t)p->rounds };
    poly_set_less(p, key, a, b);
    poly_inferred_vec_push(&poly->inferred, poly->graph_arena, order);
    if (p->adds)
        poly_add_order(p, &order);
}

/* ---- asking ---- */

static bool leads(const struct pruning *p, esse_node from, esse_node to)
{
    if (p->closure)
        return esse_reach_leads(p->closure, from, to);
    const uint32_t bit = p->place[from.ix] - p->begin;
    return p->block[(size_t)to.ix * POLY_BLOCK_WORDS + bit / 64] >> bit % 64 & 1;
}

/* Does the writer of 'a' lead to that of 'b'?  True if that settles their order. */
static bool ask_writers(struct pruning *p, uint32_t key, version_id a, version_id b)
{
    const struct poly *poly = p->poly;
    const uint32_t from = version_txn(poly->versions, a), to = version_txn(poly->versions, b);
    const bool found =
        from != to && leads(p, poly_enters(poly, from, ESSE_DEP_WW), poly_commit(poly, to));
    if (found)
        find_less(p, key, a, b);
    return found;
}

/* Does the writer of 'b' lead to this reader of 'a'? */
static bool ask_reader(struct pruning *p, uint32_t key, version_id b, version_id a, uint32_t reader)
{
    const struct poly *poly = p->poly;
    const uint32_t writer = version_txn(poly->versions, b);
    const bool found = poly->level->cycle >= ESSE_CYCLE_ONE_RW && reader != writer &&
                       version_txn(poly->versions, a) != writer &&
                       leads(p, poly_commit(poly, writer), poly_leaves(poly, reader, ESSE_DEP_RW));
    if (found)
        find_less(p, key, b, a);
    return found;
}

static void ask_readers(struct pruning *p, uint32_t key, version_id b, version_id a)
{
    const struct poly_reads *reads = p->poly->reads;
    const uint32_t *first = &reads->reader_first[a.ix];
    for (uint32_t i = first[0]; i < first[1]; i++)
        if (ask_reader(p, key, b, a, versions_key_access(p->poly->versions, reads->reader[i])->txn))
            break;
}

/* What is asked of a pair of versions of a key, one of which is the node's. */
typedef void ask_pair(struct pruning *p, uint32_t key, uint32_t version, uint32_t other,
                      uint32_t node);

static void ask_pairs(struct pruning *p, version_id version, esse_node node, ask_pair *ask)
{
    const struct versions *versions = p->poly->versions;
    const uint32_t key = p->poly->reads->version_key[version.ix];
    const version_id first = versions->first[key];
    if (version.ix == first.ix || !poly_is_open_key(versions, key))
        return;
    for (version_id v = { first.ix + 1 }; (v = poly_next_open(p, key, version, v)).ix != NO_VERSION;
         v.ix++)
        ask(p, key, version.ix, v.ix, node.ix);
}

static void ask_from_writer(struct pruning *p, uint32_t key, uint32_t version, uint32_t other,
                            uint32_t node)
{
    const uint32_t txn = poly_txn(p->poly, (esse_node){ node });
    if (node == poly_enters(p->poly, txn, ESSE_DEP_WW).ix &&
        ask_writers(p, key, (version_id){ version }, (version_id){ other }))
        return;
    if (node == poly_commit(p->poly, txn).ix)
        ask_readers(p, key, (version_id){ version }, (version_id){ other });
}

void poly_ask_from(struct pruning *p, esse_node node)
{
    const uint32_t txn = poly_txn(p->poly, node);
    if (txn == ESSE_NO_TXN)
        return;
    for (uint32_t i = p->installed.first[txn]; i < p->installed.first[txn + 1]; i++)
        ask_pairs(p, (version_id){ p->installed.to[i] }, node, ask_from_writer);
}

static void ask_to_writer(struct pruning *p, uint32_t key, uint32_t version, uint32_t other,
                          uint32_t node)
{
    if (node == poly_commit(p->poly, poly_txn(p->poly, (esse_node){ node })).ix)
        ask_writers(p, key, (version_id){ other }, (version_id){ version });
}

static void ask_to_reader(struct pruning *p, uint32_t key, uint32_t version, uint32_t other,
                          uint32_t node)
{
    const uint32_t txn = poly_txn(p->poly, (esse_node){ node });
    if (node == poly_leaves(p->poly, txn, ESSE_DEP_RW).ix)
        ask_reader(p, key, (version_id){ other }, (version_id){ version }, txn);
}

void poly_ask_to(struct pruning *p, esse_node node)
{
    const uint32_t txn = poly_txn(p->poly, node);
    if (txn == ESSE_NO_TXN)
        return;
    for (uint32_t i = p->installed.first[txn]; i < p->installed.first[txn + 1]; i++)
        ask_pairs(p, (version_id){ p->installed.to[i] }, node, ask_to_writer);
    for (uint32_t i = p->read.first[txn]; i < p->read.first[txn + 1]; i++)
        ask_pairs(p, (version_id){ p->read.to[i] }, node, ask_to_reader);
}

/* Only versions that stand for themselves have choices. */
version_id poly_next_choice(const struct pruning *p, version_id version, version_id v)
{
    const struct poly *poly = p->poly;
    const struct versions *versions = poly->versions;
    const uint32_t key = poly->reads->version_key[version.ix];
    const version_id first = versions->first[key];
    if (!poly_is_open_key(versions, key) || version.ix == first.ix ||
        poly_stands_for(poly, version).ix != version.ix)
        return (version_id){ NO_VERSION };
    for (v = v.ix > first.ix ? v : (version_id){ first.ix + 1 };
         (v = poly_next_open(p, key, version, v)).ix != NO_VERSION; v.ix++)
        if (version_txn(versions, v) != version_txn(versions, version) &&
            poly_stands_for(poly, v).ix == v.ix)
            return v;
    return (version_id){ NO_VERSION };
}

/* ---- all ---- */

/* With not more orders than one for so many nodes, a closure is sooner mended than made anew. */
enum { FEW = 4 };

static void tell_closure(struct pruning *p)
{
    struct poly *poly = p->poly;
    struct esse_phase *phase = poly_phase(poly, "closure", 0);
    phase->seconds = p->closure_seconds;
    phase->counts[0].what = p->chains ? "chains" : "moments";
    phase->counts[0].count = p->chains ? p->chains : poly->aux_nodes_at - poly->time_nodes_at;
    phase->counts[1].what = "kilobytes";
    phase->counts[1].count = esse_reach_bytes(p->closure) >> 10;
}

static void tell(struct pruning *p, double started)
{
    struct poly *poly = p->poly;
    if (p->closure)
        tell_closure(p);
    struct esse_phase *phase =
        poly_phase(poly, "pruning", started + (p->closure ? p->closure_seconds : 0));
    phase->counts[0].what = "rounds";
    phase->counts[0].count = p->rounds;
    phase->counts[1].what = "orders of two versions inferred";
    phase->counts[1].count = poly_count_less(p);
    phase->counts[2].what = "edges";
    phase->counts[2].count = esse_csr_edges(&poly->known);
    phase->counts[3].what = p->closure ? "nodes asked again" : NULL;
    phase->counts[3].count = p->again;
}

/* A round: what the graph as it is forces.  True if there is to be another one. */
static bool prune_once(struct pruning *p)
{
    struct poly *poly = p->poly;
    /* A cycle is a refutation; the theory will tell it. */
    p->is_refuted =
        esse_topo_order(&poly->known, p->order, p->arena, poly->budget) < poly->known.nodes;
    if (p->is_refuted)
        return false;
    if (!(poly->ablate & ESSE_ABLATE_CLOSURE))
        poly_closure_make(p);
    p->rounds++;
    p->began = poly->inferred.count;
    if (!(p->closure ? poly_ask_closure(p) : poly_ask_blocks(p)))
        return false;
    const size_t found = poly->inferred.count - p->began;
    const bool is_last = p->closure && found <= poly->nodes / FEW;
    if (is_last && !poly_settle(p))
        return false;
    ESSE_SEAM(!p->closure || esse_reach_valid(p->closure)); /* its graph is redrawn now */
    if (found)
        poly_draw_covers(p);
    return found && !is_last;
}

static void prune(struct pruning *p)
{
    struct poly *poly = p->poly;
    const double started = esse_clock_seconds();
    p->order = esse_arena_array(p->arena, poly->known.nodes + (size_t)1, *p->order);
    poly_group_versions(poly, p->arena, &p->installed, &p->read);
    while (prune_once(p))
        continue;
    tell(p, started);
    if (!p->is_refuted && !esse_budget_spent(poly->budget) &&
        !(poly->ablate & ESSE_ABLATE_SMALL_CYCLES))
        poly_small_find(p);
    esse_reach_free(p->closure);
}

bool poly_prune(struct poly *poly)
{
    struct pruning p = { .poly = poly, .arena = esse_arena_new() };
    esse_budget_phase(poly->budget, "pruning", 0);
    if (poly_matrices_make(&p))
        prune(&p);
    esse_arena_free(p.arena);
    ESSE_SEAM(poly_valid(poly));
    return !esse_budget_spent(poly->budget);
}
