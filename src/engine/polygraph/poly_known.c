#include "engine/polygraph/poly_layout.h"

#include <string.h>

/* The graph of what needs no choice. */

struct drawing {
    struct poly *poly;
    struct esse_csr *csr;
    bool counting;
};

static void draw(struct drawing *d, esse_node from, esse_node to)
{
    if (d->counting)
        esse_csr_count(d->csr, from.ix);
    else
        esse_csr_add(d->csr, from.ix, to.ix);
}

static void draw_txns(struct drawing *d, uint32_t from, uint32_t to, enum esse_dep dep)
{
    if (from == to || from == ESSE_NO_TXN || to == ESSE_NO_TXN ||
        (d->poly->level->cycle <= ESSE_CYCLE_ONE_RW && dsg_is_anti(dep)))
        return;
    draw(d, poly_leaves(d->poly, from, dep), poly_enters(d->poly, to, dep));
}

/* ---- keys ---- */

static void draw_to_unordered(struct drawing *d, uint32_t key, uint32_t txn, enum esse_dep dep)
{
    const struct versions *versions = d->poly->versions;
    for (version_id v = versions->unordered[key]; v.ix < versions->first[key + 1].ix; v.ix++)
        draw_txns(d, txn, version_txn(versions, v), dep);
}

/* A reader of a version that everything unordered follows comes before all of that. */
static void draw_reader(struct drawing *d, uint32_t key, version_id version, key_access_id at)
{
    const struct versions *versions = d->poly->versions;
    const uint32_t txn = versions_key_access(versions, at)->txn;
    draw_txns(d, version_txn(versions, version), txn, ESSE_DEP_WR);
    if (version.ix + 1 < versions->unordered[key].ix)
        draw_txns(d, txn, version_txn(versions, (version_id){ version.ix + 1 }), ESSE_DEP_RW);
    if (is_unordered(versions, key, version) || !precedes_unordered(versions, key, version))
        return;
    if (d->poly->key_aux_node[key].ix == ESSE_NO_NODE ||
        versions_writes_unordered(versions, key, at))
        draw_to_unordered(d, key, txn, ESSE_DEP_RW);
    else
        draw(d, poly_leaves(d->poly, txn, ESSE_DEP_RW), d->poly->key_aux_node[key]);
}

static void draw_version(struct drawing *d, uint32_t key, version_id version)
{
    const struct poly_reads *reads = d->poly->reads;
    const struct versions *versions = d->poly->versions;
    const uint32_t writer = version_txn(versions, version);
    if (version.ix + 1 < versions->unordered[key].ix)
        draw_txns(d, writer, version_txn(versions, (version_id){ version.ix + 1 }), ESSE_DEP_WW);
    if (!is_unordered(versions, key, version) && precedes_unordered(versions, key, version))
        draw_to_unordered(d, key, writer, ESSE_DEP_WW);
    for (uint32_t i = reads->reader_first[version.ix]; i < reads->reader_first[version.ix + 1]; i++)
        draw_reader(d, key, version, reads->reader[i]);
}

static void draw_key(struct drawing *d, uint32_t key)
{
    const struct versions *versions = d->poly->versions;
    const esse_node aux_node = d->poly->key_aux_node[key];
    for (version_id v = versions->first[key]; v.ix < versions->first[key + 1].ix; v.ix++)
        draw_version(d, key, v);
    for (version_id v = versions->unordered[key];
         aux_node.ix != ESSE_NO_NODE && v.ix < versions->first[key + 1].ix; v.ix++)
        draw(d, aux_node, poly_enters(d->poly, version_txn(versions, v), ESSE_DEP_RW));
}

/* ---- sessions and time ---- */

static void draw_sessions(struct drawing *d)
{
    const struct versions *versions = d->poly->versions;
    const struct esse_history *history = versions->history;
    for (uint32_t s = 0; s < history->sessions; s++) {
        uint32_t before = ESSE_NO_TXN;
        for (uint32_t at = history->session_first[s]; at < history->session_first[s + 1]; at++) {
            uint32_t txn = history->session_txn[at];
            if (!versions->in[txn])
                continue;
            if (poly_follows_session(d->poly, txn))
                draw_txns(d, before, txn, ESSE_DEP_PROCESS);
            before = txn;
        }
    }
}

static void draw_time(struct drawing *d)
{
    const struct poly *poly = d->poly;
    const struct dsg_time *time = poly->time_line;
    for (uint32_t txn = 0; txn < poly->versions->history->txns; txn++) {
        if (time->ends_before[txn] != ESSE_NO_NODE)
            draw(d, poly_leaves(poly, txn, ESSE_DEP_REALTIME),
                 (esse_node){ poly->time_nodes_at + time->ends_before[txn] });
        if (time->starts_after[txn] != ESSE_NO_NODE &&
            (poly->level->needs_real_time || !(poly->retracted[txn] & POLY_TIME)))
            draw(d, (esse_node){ poly->time_nodes_at + time->starts_after[txn] },
                 poly_enters(poly, txn, ESSE_DEP_REALTIME));
    }
    for (uint32_t m = 1; m < time->time_nodes; m++)
        draw(d, (esse_node){ poly->time_nodes_at + m - 1 }, (esse_node){ poly->time_nodes_at + m });
}

/* ---- all ---- */

void poly_order_edges(const struct poly *poly, version_id a, version_id b,
                      void (*edge)(void *context, uint32_t from, uint32_t to), void *context)
{
    const struct versions *versions = poly->versions;
    const struct poly_reads *reads = poly->reads;
    assert(reads->version_key[a.ix] == reads->version_key[b.ix]);
    const uint32_t from = version_txn(versions, a), to = version_txn(versions, b);
    assert(to != ESSE_NO_TXN); /* nothing comes before the initial version */
    if (from != ESSE_NO_TXN && from != to)
        edge(context, poly_leaves(poly, from, ESSE_DEP_WW).ix,
             poly_enters(poly, to, ESSE_DEP_WW).ix);
    for (uint32_t i = reads->reader_first[a.ix];
         poly->level->cycle > ESSE_CYCLE_ONE_RW && i < reads->reader_first[a.ix + 1]; i++) {
        const uint32_t reader = versions_key_access(versions, reads->reader[i])->txn;
        if (reader != to)
            edge(context, poly_leaves(poly, reader, ESSE_DEP_RW).ix,
                 poly_enters(poly, to, ESSE_DEP_RW).ix);
    }
}

static void draw_edge(void *context, uint32_t from, uint32_t to)
{
    draw(context, (esse_node){ from }, (esse_node){ to });
}

static void draw_all(struct drawing *d, bool inferred)
{
    const struct poly *poly = d->poly;
    for (uint32_t txn = 0; poly_is_doubled(poly) && txn < poly->versions->history->txns; txn++)
        draw(d, (esse_node){ 2 * txn }, (esse_node){ 2 * txn + 1 });
    for (uint32_t key = 0; key < poly->versions->history->keys; key++)
        draw_key(d, key);
    if (poly->sessions)
        draw_sessions(d);
    if (poly->time)
        draw_time(d);
    for (size_t i = 0; inferred && i < poly->covers.count; i++)
        poly_order_edges(poly, poly->covers.at[i].a, poly->covers.at[i].b, draw_edge, d);
}

/* The version that everything unordered follows. */
static version_id base_of_unordered(const struct versions *versions, uint32_t key)
{
    assert(versions->unordered[key].ix > versions->first[key].ix);
    return versions->gaps[key] ? versions->first[key]
                               : (version_id){ versions->unordered[key].ix - 1 };
}

/* By key: the reads that may be of what everything unordered follows. */
static uint32_t *count_open(const struct poly *poly)
{
    const struct poly_reads *reads = poly->reads;
    const size_t keys = poly->versions->history->keys + (size_t)1;
    uint32_t *count = esse_arena_zeros(poly->graph_arena, keys, *count);
    for (size_t o = 0; o < reads->open.count; o++) {
        const struct poly_open *open = &reads->open.at[o];
        const version_id base = base_of_unordered(poly->versions, open->key);
        for (uint32_t i = 0; i < open->count; i++)
            count[open->key] += reads->sources.at[open->first + i] == base.ix;
    }
    return count;
}

/* An auxiliary node pays where many readers meet many unordered versions. */
static void number_nodes(struct poly *poly)
{
    const struct versions *versions = poly->versions;
    const struct esse_history *history = versions->history;
    uint32_t *open = count_open(poly);
    poly->time_nodes_at = history->txns * (poly_is_doubled(poly) ? 2u : 1u);
    poly->aux_nodes_at = poly->time_nodes_at + (poly->time ? poly->time_line->time_nodes : 0);
    poly->nodes = poly->aux_nodes_at;
    poly->key_aux_node =
        esse_arena_array(poly->graph_arena, history->keys + (size_t)1, *poly->key_aux_node);
    for (uint32_t key = 0; key < history->keys; key++) {
        uint64_t unordered = versions->first[key + 1].ix - versions->unordered[key].ix;
        const uint32_t *first = &poly->reads->reader_first[base_of_unordered(versions, key).ix];
        uint64_t readers = (uint64_t)first[1] - first[0] + open[key];
        bool pays =
            poly->level->cycle > ESSE_CYCLE_ONE_RW && unordered * readers > unordered + readers;
        poly->key_aux_node[key].ix = pays ? poly->nodes++ : ESSE_NO_NODE;
    }
    esse_arena_drop(poly->graph_arena, open);
}

void poly_known_draw(struct poly *poly, struct esse_csr *csr, bool inferred)
{
    struct drawing d = { poly, csr, true };
    assert(poly->nodes >= poly->aux_nodes_at);
    assert(poly->aux_nodes_at >= poly->time_nodes_at);
    esse_csr_init(csr, poly->graph_arena, poly->nodes);
    draw_all(&d, inferred);
    esse_csr_start(csr);
    d.counting = false;
    draw_all(&d, inferred);
    esse_csr_finish(csr);
}

void poly_known_build(struct poly *poly)
{
    const double started = esse_clock_seconds();
    number_nodes(poly);
    poly_known_draw(poly, &poly->base, false);
    poly->known = poly->base;
    struct esse_phase *phase = poly_phase(poly, "known", started);
    phase->counts[0].what = "nodes";
    phase->counts[0].count = poly->nodes;
    phase->counts[1].what = "edges";
    phase->counts[1].count = esse_csr_edges(&poly->base);
    phase->counts[2].what = "reads of several possible versions";
    phase->counts[2].count = poly->reads->open.count;
    ESSE_SEAM(poly_valid(poly));
}

/* ---- an estimate of the order ---- */

/* Without a schedule the auxiliary nodes come as soon as they can. */
static void place_by_rank(const struct poly *poly, const uint32_t *rank, uint32_t *place)
{
    for (esse_node node = { 0 }; node.ix < poly->nodes; node.ix++) {
        uint32_t txn = poly_txn(poly, node);
        place[node.ix] = txn == ESSE_NO_TXN ? 0 : rank[txn] + 1;
    }
}

/* By what there is to go by: a layout alone, or something that was recorded. */
static void place_first(struct poly *poly, uint32_t *place)
{
    const struct poly_layout *layout = poly->layout;
    if (poly->ablate & ESSE_ABLATE_SCHEDULE) {
        place_by_rank(poly, layout->rank, place);
    } else if (layout->at) {
        const size_t room = poly->versions->history->txns + (size_t)1;
        uint32_t *rank = esse_arena_array(poly->arena, room, *rank);
        poly_run_on_demand(poly, layout->rank, rank);
        place_by_rank(poly, rank, place);
        esse_arena_drop(poly->arena, rank);
    } else {
        poly_schedule(poly, layout->rank, place);
    }
}

uint32_t *poly_estimate(struct poly *poly, bool searches)
{
    const double started = esse_clock_seconds();
    uint32_t *place = esse_arena_array(poly->arena, poly->nodes + (size_t)1, *place);
    place_first(poly, place);
    struct esse_phase *phase = poly_phase(poly, "first order", started);
    phase->counts[0].what = "transactions";
    phase->counts[0].count = poly->versions->history->txns;
    phase->counts[1].what = "deadlocks broken";
    phase->counts[1].count = poly->waited;
    if (!searches || !poly->waited)
        return place;
    uint32_t *rank =
        esse_arena_array(poly->arena, poly->versions->history->txns + (size_t)1, *rank);
    if (poly_breakout(poly, place, rank))
        place_by_rank(poly, rank, place);
    esse_arena_drop(poly->arena, rank);
    return place;
}

uint32_t *poly_place_near(struct poly *poly)
{
    uint32_t *place = esse_arena_array(poly->arena, poly->nodes + (size_t)1, *place);
    place_by_rank(poly, poly->near, place);
    return place;
}
