#include "engine/polygraph/poly_state.h"

/*
 * After pruning, cycles lead over edges that were inferred.  In a refutation each of them rests on
 * the literal "a before b"; and that literal is the only one of a clause whose cycle shows why the
 * other order was impossible, by edges that were known or inferred in earlier rounds.  So the
 * clauses of a refutation are made whole from the last round to the first.
 *
 * Cost: O(nodes + edges) for every inferred order that the refutation needs.
 */

enum { BUCKETS = 256, ORDER_COST = 8 };

struct reconstruction {
    struct poly *poly;
    struct esse_arena *arena;
    struct esse_csr later;        /* from versions to what was inferred of them, by number */
    struct esse_csr installed;    /* from transactions to their versions */
    struct esse_csr read;         /* and to those that they read */
    struct esse_u32_vec wanted;   /* inferred orders whose clauses are to be made */
    uint8_t *is_wanted;           /* by inferred order */
    struct esse_guarded_edge *by; /* by node: how a search came to it */
    uint32_t *seen;               /* by node: in which search */
    uint32_t *rest;               /* by node: the inferred order that the edge rests on, or NONE */
    uint32_t *distance;           /* by node, in that search */
    uint32_t searches;
    struct esse_u32_vec bucket[BUCKETS]; /* nodes that wait, by distance */
    size_t waiting;
    struct esse_u32_vec lits; /* of the clause at hand */
    struct poly_edge_vec edges;
};

#define NONE UINT32_MAX

/* ---- what was inferred ---- */

/* Read-atomic goes over several transactions of a session in one step. */
static bool is_known(const struct poly *poly, uint32_t from, uint32_t to)
{
    const uint32_t *session = poly->versions->history->txn_session;
    if (poly->level->cycle == ESSE_CYCLE_RW_AND_ONE_READ && from < to && to < poly->time_nodes_at &&
        session[from] == session[to])
        return true;
    for (uint32_t e = poly->base.first[from]; e < poly->base.first[from + 1]; e++)
        if (poly->base.to[e] == to)
            return true;
    return false;
}

/* The literal that an inferred order is, and its clause if that is still to be made. */
static esse_lit want(struct reconstruction *r, uint32_t inferred)
{
    const struct poly_inferred *order = &r->poly->inferred.at[inferred];
    if (!r->is_wanted[inferred]) {
        r->is_wanted[inferred] = 1;
        esse_u32_vec_push(&r->wanted, r->arena, inferred);
    }
    return poly_order(r->poly, order->a, order->b);
}

/* An order "version before something of 'to'", inferred before 'round'; NONE if there is none. */
static uint32_t find_later(const struct reconstruction *r, uint32_t version, uint32_t to,
                           uint32_t round)
{
    for (uint32_t i = r->later.first[version]; i < r->later.first[version + 1]; i++) {
        const struct poly_inferred *order = &r->poly->inferred.at[r->later.to[i]];
        if (order->round < round && version_txn(r->poly->versions, order->b) == to)
            return r->later.to[i];
    }
    return NONE;
}

/* The inferred order that an edge between two nodes rests on. */
static uint32_t find_basis(const struct reconstruction *r, esse_node from, esse_node to)
{
    const struct poly *poly = r->poly;
    const uint32_t a = poly_txn(poly, from), b = poly_txn(poly, to);
    uint32_t found = NONE;
    for (uint32_t i = r->installed.first[a];
         found == NONE && from.ix == poly_commit(poly, a).ix && i < r->installed.first[a + 1]; i++)
        found = find_later(r, r->installed.to[i], b, UINT32_MAX);
    for (uint32_t i = r->read.first[a];
         found == NONE && from.ix == poly_leaves(poly, a, ESSE_DEP_RW).ix &&
         i < r->read.first[a + 1];
         i++)
        found = find_later(r, r->read.to[i], b, UINT32_MAX);
    return found;
}

/* ---- paths ---- */

/* The path that needs the fewest edges to be shown is looked for: one for an edge that is known,
 * more for one that rests on an order with a path of its own.  Nodes at the same distance stand in
 * one bucket (Dial, 1969). */
static uint32_t cost_of(const struct reconstruction *r, uint32_t rest)
{
    if (rest == NONE)
        return 1;
    const uint32_t depth = r->poly->inferred.at[rest].depth;
    return 1 + ORDER_COST * (depth < BUCKETS / ORDER_COST - 1 ? depth : BUCKETS / ORDER_COST - 2);
}

static bool is_near(const struct poly *poly, esse_node node)
{
    const uint32_t txn = poly_txn(poly, node);
    return !poly->near || txn == ESSE_NO_TXN ||
           (poly->near[txn] >= poly->near_low && poly->near[txn] <= poly->near_high);
}

static void come(struct reconstruction *r, esse_node from, esse_node to, uint32_t rest)
{
    const uint32_t distance = r->distance[from.ix] + cost_of(r, rest);
    if ((r->seen[to.ix] == r->searches && r->distance[to.ix] <= distance) || !is_near(r->poly, to))
        return;
    r->seen[to.ix] = r->searches;
    r->distance[to.ix] = distance;
    r->by[to.ix] = (struct esse_guarded_edge){ from.ix, to.ix, ESSE_LIT_NONE };
    r->rest[to.ix] = rest;
    esse_u32_vec_push(&r->bucket[distance % BUCKETS], r->arena, to.ix);
    r->waiting++;
}

static void go_later(struct reconstruction *r, esse_node node, uint32_t version, uint32_t round,
                     enum esse_dep dep)
{
    for (uint32_t i = r->later.first[version]; i < r->later.first[version + 1]; i++) {
        const struct poly_inferred *order = &r->poly->inferred.at[r->later.to[i]];
        uint32_t to = version_txn(r->poly->versions, order->b);
        if (order->round < round && to != poly_txn(r->poly, node))
            come(r, node, poly_enters(r->poly, to, dep), r->later.to[i]);
    }
}

static void go_on(struct reconstruction *r, esse_node node, uint32_t round)
{
    const struct poly *poly = r->poly;
    const uint32_t txn = poly_txn(poly, node);
    for (uint32_t e = poly->base.first[node.ix]; e < poly->base.first[node.ix + 1]; e++)
        come(r, node, (esse_node){ poly->base.to[e] }, NONE);
    if (txn == ESSE_NO_TXN)
        return;
    for (uint32_t i = r->installed.first[txn];
         node.ix == poly_commit(poly, txn).ix && i < r->installed.first[txn + 1]; i++)
        go_later(r, node, r->installed.to[i], round, ESSE_DEP_WW);
    if (poly->level->cycle <= ESSE_CYCLE_ONE_RW ||
        node.ix != poly_leaves(poly, txn, ESSE_DEP_RW).ix)
        return;
    for (uint32_t i = r->read.first[txn]; i < r->read.first[txn + 1]; i++)
        go_later(r, node, r->read.to[i], round, ESSE_DEP_RW);
}

/* The nodes of a bucket; false when 'to' is among them: no shorter way leads to it. */
static bool empty_bucket(struct reconstruction *r, uint32_t distance, esse_node to, uint32_t round)
{
    struct esse_u32_vec *bucket = &r->bucket[distance % BUCKETS];
    bool goes_on = true;
    for (size_t i = 0; i < bucket->count; i++, r->waiting--) {
        const esse_node node = { bucket->at[i] };
        if (r->distance[node.ix] != distance) /* there was a shorter way */
            continue;
        goes_on &= node.ix != to.ix;
        if (goes_on)
            go_on(r, node, round);
    }
    bucket->count = 0;
    return goes_on;
}

static void forget_buckets(struct reconstruction *r)
{
    for (uint32_t i = 0; i < BUCKETS; i++)
        r->bucket[i].count = 0;
    r->waiting = 0;
}

static bool find_path(struct reconstruction *r, esse_node from, esse_node to, uint32_t round)
{
    r->searches++;
    r->seen[from.ix] = r->searches;
    r->distance[from.ix] = 0;
    go_on(r, from, round);
    uint32_t distance = 1;
    while (r->waiting && empty_bucket(r, distance, to, round))
        distance++;
    forget_buckets(r);
    return from.ix == to.ix || (r->seen[to.ix] == r->searches);
}

/* ---- clauses ---- */

static void rest_on(struct reconstruction *r, uint32_t inferred, struct esse_guarded_edge *edge)
{
    edge->guard = want(r, inferred);
    esse_u32_vec_push(&r->lits, r->arena, esse_lit_not(edge->guard));
}

/* The path that was found, after the edges that there are. */
static void add_path(struct reconstruction *r, esse_node from, esse_node to)
{
    const size_t begin = r->edges.count;
    for (esse_node at = to; at.ix != from.ix; at.ix = r->by[at.ix].from) {
        struct esse_guarded_edge edge = r->by[at.ix];
        if (r->rest[at.ix] != NONE)
            rest_on(r, r->rest[at.ix], &edge);
        poly_edge_vec_push(&r->edges, r->arena, edge);
    }
    for (size_t i = begin, j = r->edges.count; i + 1 < j; i++) {
        struct esse_guarded_edge held = r->edges.at[i];
        r->edges.at[i] = r->edges.at[--j];
        r->edges.at[j] = held;
    }
}

/* The path that was found, and the edge that would close it. */
static void close_cycle(struct reconstruction *r, esse_node from, esse_node to, esse_lit guard)
{
    r->edges.count = 0;
    add_path(r, from, to);
    poly_edge_vec_push(&r->edges, r->arena, (struct esse_guarded_edge){ to.ix, from.ix, guard });
}

static bool close_by_reader(struct reconstruction *r, const struct poly_inferred *order,
                            esse_lit not_so)
{
    const struct poly *poly = r->poly;
    const uint32_t writer = version_txn(poly->versions, order->a);
    const uint32_t *first = &poly->reads->reader_first[order->b.ix];
    for (uint32_t i = first[0]; i < first[1]; i++) {
        uint32_t reader = versions_key_access(poly->versions, poly->reads->reader[i])->txn;
        esse_node from = poly_commit(poly, writer), to = poly_leaves(poly, reader, ESSE_DEP_RW);
        if (reader == writer || !find_path(r, from, to, order->round))
            continue;
        close_cycle(r, from, to, not_so);
        return true;
    }
    return false;
}

/* Why a comes before b: the opposite would close a cycle. */
static void make_clause(struct reconstruction *r, uint32_t inferred)
{
    struct poly *poly = r->poly;
    const struct poly_inferred order = poly->inferred.at[inferred];
    const esse_lit so = poly_order(poly, order.a, order.b);
    const esse_node from = poly_enters(poly, version_txn(poly->versions, order.a), ESSE_DEP_WW);
    const esse_node to = poly_commit(poly, version_txn(poly->versions, order.b));
    r->lits.count = 0;
    esse_u32_vec_push(&r->lits, r->arena, so);
    if (find_path(r, from, to, order.round))
        close_cycle(r, from, to, esse_lit_not(so));
    else
        close_by_reader(r, &order, esse_lit_not(so));
    poly_keep_cycle(poly,
                    &(struct esse_theory_clause){ r->lits.at, r->edges.at, (uint32_t)r->lits.count,
                                                  (uint32_t)r->edges.count });
}

static void reconstruct_edge(struct reconstruction *r, struct esse_guarded_edge *edge)
{
    if (edge->guard != ESSE_LIT_NONE || is_known(r->poly, edge->from, edge->to))
        return;
    const uint32_t basis = find_basis(r, (esse_node){ edge->from }, (esse_node){ edge->to });
    if (basis != NONE)
        rest_on(r, basis, edge);
}

/* A cycle of the theory's, or a small one: its inferred edges get their literals, and where
 * edges do not meet comes a path. */
static void reconstruct_clause(struct reconstruction *r, struct poly_clause *clause)
{
    struct poly_proof *proof = &r->poly->proof;
    r->lits.count = r->edges.count = 0;
    for (uint32_t i = 0; i < clause->lit_count; i++)
        esse_u32_vec_push(&r->lits, r->arena, proof->lits.at[clause->lits + i]);
    for (uint32_t i = 0; i < clause->edge_count; i++) {
        struct esse_guarded_edge edge = proof->edges.at[clause->edges + i];
        const esse_node next = {
            proof->edges.at[clause->edges + (i + 1) % clause->edge_count].from
        };
        reconstruct_edge(r, &edge);
        poly_edge_vec_push(&r->edges, r->arena, edge);
        if (edge.to != next.ix && find_path(r, (esse_node){ edge.to }, next, UINT32_MAX))
            add_path(r, (esse_node){ edge.to }, next);
    }
    clause->lits = (uint32_t)proof->lits.count;
    clause->lit_count = (uint32_t)r->lits.count;
    clause->edges = (uint32_t)proof->edges.count;
    clause->edge_count = (uint32_t)r->edges.count;
    for (size_t i = 0; i < r->lits.count; i++)
        esse_u32_vec_push(&proof->lits, r->poly->arena, r->lits.at[i]);
    for (size_t i = 0; i < r->edges.count; i++)
        poly_edge_vec_push(&proof->edges, r->poly->arena, r->edges.at[i]);
}

/* ---- all ---- */

static void group(struct reconstruction *r)
{
    const struct poly *poly = r->poly;
    const struct versions *versions = poly->versions;
    esse_csr_init(&r->later, r->arena, versions->count);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < poly->inferred.count; i++)
            pass ? esse_csr_add(&r->later, poly->inferred.at[i].a.ix, i)
                 : esse_csr_count(&r->later, poly->inferred.at[i].a.ix);
        pass ? esse_csr_finish(&r->later) : esse_csr_start(&r->later);
    }
    poly_group_versions(poly, r->arena, &r->installed, &r->read);
}

void poly_reconstruct_proof(struct poly *poly)
{
    if (!poly->inferred.count && !poly->small.count)
        return;
    struct reconstruction r = { .poly = poly, .arena = esse_arena_new() };
    const size_t nodes = poly->nodes + (size_t)1;
    group(&r);
    r.is_wanted = esse_arena_alloc(r.arena, poly->inferred.count + 1, 1);
    r.by = esse_arena_array(r.arena, nodes, *r.by);
    r.rest = esse_arena_array(r.arena, nodes, *r.rest);
    r.seen = esse_arena_alloc(r.arena, nodes, sizeof *r.seen);
    r.distance = esse_arena_grow(r.arena, NULL, nodes * sizeof *r.distance);
    for (size_t i = 0; i < poly->proof.clauses.count; i++)
        if (poly->proof.clauses.at[i].kind == ESSE_CLAUSE_CYCLE)
            reconstruct_clause(&r, &poly->proof.clauses.at[i]);
    for (size_t i = 0; i < r.wanted.count; i++)
        make_clause(&r, r.wanted.at[i]);
    esse_arena_free(r.arena);
    ESSE_SEAM(poly_valid(poly));
}
