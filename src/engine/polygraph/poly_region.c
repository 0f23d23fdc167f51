#include "engine/polygraph/poly_local.h"

#include "graph/topo.h"

#include <string.h>

/*
 * What is forced among the transactions of a region, by the rules of poly_prune.c: a before b if
 * there is a path from the writer of a to that of b, or to a reader of b.  Only orders that the
 * guess has are asked for, and of each version only the nearest later one; that is few questions,
 * and a matrix of bits answers them.  Each order that is found adds edges for the next round.
 */

enum { FAR_VERSIONS = 8 }; /* how far a version is compared with later ones of its key */

struct poly_region {
    uint32_t *at;                 /* by node: its number in the region and 1; 0: it is not in it */
    struct esse_u32_vec nodes;    /* by number */
    struct esse_u32_vec versions; /* that these transactions installed, and that have a next one */
    struct esse_csr graph;        /* over numbers */
    uint32_t *order;              /* of numbers, topological */
    uint64_t *leads;              /* by number: a row of bits, those that it leads to */
    uint32_t *low;                /* by number: the first word of its row; those before are 0 */
    size_t words;                 /* of a row */
};

struct poly_region *poly_region_new(struct poly_local *l)
{
    struct poly_region *region = esse_arena_alloc(l->arena, 1, sizeof *region);
    region->at = esse_arena_alloc(l->arena, l->poly->nodes + (size_t)1, sizeof *region->at);
    return region;
}

/* ---- going in and out ---- */

static void add_node(struct poly_local *l, struct poly_region *r, esse_node node)
{
    esse_u32_vec_push(&r->nodes, l->arena, node.ix);
    r->at[node.ix] = (uint32_t)r->nodes.count;
}

static void add_txn(struct poly_local *l, struct poly_region *r, uint32_t txn)
{
    const struct poly *poly = l->poly;
    if (!poly->versions->in[txn])
        return;
    add_node(l, r, poly_commit(poly, txn));
    if (poly_is_doubled(poly))
        add_node(l, r, poly_leaves(poly, txn, ESSE_DEP_RW));
    for (uint32_t i = l->installed.first[txn]; i < l->installed.first[txn + 1]; i++)
        if (l->next[l->installed.to[i]].ix != NO_VERSION)
            esse_u32_vec_push(&r->versions, l->arena, l->installed.to[i]);
}

void poly_region_enter(struct poly_local *l, struct poly_region *r, struct poly_range range)
{
    const uint32_t txns = l->poly->versions->history->txns;
    for (uint32_t rank = range.low; rank <= range.high && rank < txns; rank++)
        add_txn(l, r, l->at_rank[rank]);
    const size_t count = r->nodes.count;
    r->words = (count + 63) / 64;
    r->leads = esse_arena_grow(l->arena, r->leads, (count * r->words + 1) * sizeof *r->leads);
    r->order = esse_arena_grow(l->arena, r->order, (count + 1) * sizeof *r->order);
    r->low = esse_arena_grow(l->arena, r->low, (count + 1) * sizeof *r->low);
}

void poly_region_leave(struct poly_local *l, struct poly_region *region)
{
    for (size_t i = 0; i < region->nodes.count; i++)
        region->at[region->nodes.at[i]] = 0;
    region->nodes.count = region->versions.count = 0;
    for (size_t i = 0; i < l->forced.count; i++)
        l->later[l->forced.at[i].a.ix].ix = NO_VERSION;
    l->forced.count = 0;
}

/* ---- its graph ---- */

struct drawing {
    struct poly_region *region;
    bool counting;
};

static void draw(void *context, uint32_t from, uint32_t to)
{
    struct drawing *d = context;
    struct poly_region *r = d->region;
    if (!r->at[from] || !r->at[to])
        return;
    if (d->counting)
        esse_csr_count(&r->graph, r->at[from] - 1);
    else
        esse_csr_add(&r->graph, r->at[from] - 1, r->at[to] - 1);
}

/* Auxiliary nodes are no nodes of a region: what leads to one leads to all that it leads to. */
static void draw_known(const struct poly *poly, struct drawing *d, uint32_t node)
{
    for (uint32_t e = poly->known.first[node]; e < poly->known.first[node + 1]; e++) {
        const uint32_t to = poly->known.to[e];
        draw(d, node, to);
        for (uint32_t f = poly->known.first[to];
             to >= poly->aux_nodes_at && f < poly->known.first[to + 1]; f++)
            draw(d, node, poly->known.to[f]);
    }
}

static void draw_region(struct poly_local *l, struct poly_region *r)
{
    struct drawing d = { r, true };
    esse_csr_init(&r->graph, l->arena, (uint32_t)r->nodes.count);
    for (int pass = 0; pass < 2; pass++) {
        d.counting = pass == 0;
        for (size_t i = 0; i < r->nodes.count; i++)
            draw_known(l->poly, &d, r->nodes.at[i]);
        for (size_t i = 0; i < l->forced.count; i++)
            poly_order_edges(l->poly, l->forced.at[i].a, l->forced.at[i].b, draw, &d);
        pass ? esse_csr_finish(&r->graph) : esse_csr_start(&r->graph);
    }
}

/* Successors by ascending number, which is rank: what the nearest lead to needs no edge. */
static void sort_successors(struct poly_local *l, struct poly_region *r)
{
    struct esse_csr turned;
    esse_csr_turn(&turned, l->arena, &r->graph);
    esse_csr_drop(&r->graph);
    esse_csr_turn(&r->graph, l->arena, &turned);
    esse_csr_drop(&turned);
}

static bool has_bit(const struct poly_region *r, uint32_t number, uint32_t column)
{
    return column / 64 >= r->low[number] &&
           r->leads[number * r->words + column / 64] >> column % 64 & 1;
}

static void join_row(struct poly_region *r, uint32_t number, uint32_t other)
{
    uint64_t *row = r->leads + number * r->words;
    const uint64_t *more = r->leads + other * r->words;
    const uint32_t low = r->low[other];
    if (low < r->low[number]) {
        memset(row + low, 0, (r->low[number] - low) * sizeof *row);
        r->low[number] = low;
    }
    for (size_t w = low; w < r->words; w++)
        row[w] |= more[w];
}

static void fill_row(struct poly_region *r, uint32_t number)
{
    uint64_t *row = r->leads + number * r->words;
    r->low[number] = number / 64;
    memset(row + number / 64, 0, (r->words - number / 64) * sizeof *row);
    row[number / 64] |= (uint64_t)1 << number % 64;
    for (uint32_t e = r->graph.first[number]; e < r->graph.first[number + 1]; e++)
        if (!has_bit(r, number, r->graph.to[e]))
            join_row(r, number, r->graph.to[e]);
}

static enum poly_closed close_drawn(struct poly_local *l, struct poly_region *r)
{
    const uint32_t count = r->graph.nodes;
    if (esse_topo_order(&r->graph, r->order, l->arena, l->poly->budget) < count)
        return esse_budget_spent(l->poly->budget) ? POLY_STOPPED : POLY_CYCLIC;
    sort_successors(l, r);
    for (uint32_t i = count; i-- > 0;) {
        fill_row(r, r->order[i]);
        if (!esse_budget_poll(l->poly->budget, count - i))
            return POLY_STOPPED;
    }
    return POLY_CLOSED;
}

enum poly_closed poly_region_close(struct poly_local *l, struct poly_region *region)
{
    draw_region(l, region);
    const enum poly_closed closed = close_drawn(l, region);
    esse_csr_drop(&region->graph);
    l->rounds++;
    return closed;
}

/* ---- asking ---- */

static bool leads(const struct poly_region *r, esse_node from, esse_node to)
{
    return r->at[from.ix] && r->at[to.ix] && has_bit(r, r->at[from.ix] - 1, r->at[to.ix] - 1);
}

bool poly_region_forces(const struct poly_local *l, const struct poly_region *r, version_id a,
                        version_id b)
{
    const struct poly *poly = l->poly;
    const struct versions *versions = poly->versions;
    const uint32_t from = version_txn(versions, a), to = version_txn(versions, b);
    const uint32_t *first = &poly->reads->reader_first[b.ix];
    bool found =
        from != to && leads(r, poly_enters(poly, from, ESSE_DEP_WW), poly_commit(poly, to));
    for (uint32_t i = first[0]; from != to && !found && i < first[1]; i++) {
        const uint32_t reader = versions_key_access(versions, poly->reads->reader[i])->txn;
        found = reader != from &&
                leads(r, poly_commit(poly, from), poly_leaves(poly, reader, ESSE_DEP_RW));
    }
    return found;
}

/* The nearest version that must come after 'a', if it is nearer than the one that is known. */
static void ask(struct poly_local *l, const struct poly_region *r, version_id a, uint32_t began,
                uint32_t round)
{
    version_id b = l->next[a.ix];
    for (int i = 0; i < FAR_VERSIONS && b.ix != NO_VERSION && b.ix != l->later[a.ix].ix;
         i++, b = l->next[b.ix])
        if (poly_region_forces(l, r, a, b)) {
            l->later[a.ix] = b;
            poly_inferred_vec_push(&l->forced, l->arena,
                                   (struct poly_inferred){ a, b, began, round });
            return;
        }
}

static bool is_refuted(const struct poly_local *l, const struct poly_candidate *c)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (l->later[l->orders.at[c->first + i]].ix != l->next[l->orders.at[c->first + i]].ix)
            return false;
    return true;
}

/* The shortest cycle all of whose orders are forced, or NULL. */
static const struct poly_candidate *find_refuted(const struct poly_local *l)
{
    for (size_t i = 0; i < l->candidates.count; i++)
        if (is_refuted(l, &l->candidates.at[i]))
            return &l->candidates.at[i];
    return NULL;
}

uint32_t poly_region_settle(struct poly_local *l, struct poly_region *region,
                            struct poly_range range, uint32_t rounds,
                            const struct poly_candidate **cycle)
{
    poly_region_enter(l, region, range);
    *cycle = NULL;
    for (uint32_t round = 1; round <= rounds; round++) {
        const size_t began = l->forced.count;
        const enum poly_closed closed = poly_region_close(l, region);
        if (closed != POLY_CLOSED)
            return closed == POLY_CYCLIC ? round : 0;
        for (size_t i = 0; i < region->versions.count; i++)
            ask(l, region, (version_id){ region->versions.at[i] }, (uint32_t)began, round);
        *cycle = find_refuted(l);
        if (*cycle || l->forced.count == began)
            return *cycle ? round : 0;
    }
    return 0;
}
