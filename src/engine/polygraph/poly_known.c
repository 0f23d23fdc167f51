#include "engine/polygraph/poly_state.h"

#include "base/radix.h"

#include <string.h>

/* The graph of what needs no choice. */

struct drawing {
    struct poly *poly;
    struct esse_csr *csr;
    bool counting;
};

static void draw(struct drawing *d, uint32_t from, uint32_t to)
{
    if (d->counting)
        esse_csr_count(d->csr, from);
    else
        esse_csr_add(d->csr, from, to);
}

static void draw_txns(struct drawing *d, uint32_t from, uint32_t to, enum esse_dep dep)
{
    if (from == to || from == ESSE_NO_TXN || to == ESSE_NO_TXN ||
        (d->poly->level->cycle <= ESSE_CYCLE_ONE_RW && dsg_is_anti(dep)))
        return;
    draw(d, poly_leaves(d->poly, from, dep), poly_enters(d->poly, to, dep));
}

/* ---- keys ---- */

static void draw_to_loose(struct drawing *d, uint32_t key, uint32_t txn, enum esse_dep dep)
{
    const struct versions *versions = d->poly->versions;
    for (uint32_t v = versions->loose[key]; v < versions->first[key + 1]; v++)
        draw_txns(d, txn, version_txn(versions, v), dep);
}

/* A reader of a version that everything loose follows comes before all of that. */
static void draw_reader(struct drawing *d, uint32_t key, uint32_t version, uint32_t at)
{
    const struct versions *versions = d->poly->versions;
    const uint32_t txn = versions_touch(versions, at)->txn;
    draw_txns(d, version_txn(versions, version), txn, ESSE_DEP_WR);
    if (version + 1 < versions->loose[key])
        draw_txns(d, txn, version_txn(versions, version + 1), ESSE_DEP_RW);
    if (is_loose(versions, key, version) || !precedes_loose(versions, key, version))
        return;
    if (d->poly->key_helper[key] == NO_NODE || versions_writes_loose(versions, key, at))
        draw_to_loose(d, key, txn, ESSE_DEP_RW);
    else
        draw(d, poly_leaves(d->poly, txn, ESSE_DEP_RW), d->poly->key_helper[key]);
}

static void draw_version(struct drawing *d, uint32_t key, uint32_t version)
{
    const struct poly_reads *reads = d->poly->reads;
    const struct versions *versions = d->poly->versions;
    const uint32_t writer = version_txn(versions, version);
    if (version + 1 < versions->loose[key])
        draw_txns(d, writer, version_txn(versions, version + 1), ESSE_DEP_WW);
    if (!is_loose(versions, key, version) && precedes_loose(versions, key, version))
        draw_to_loose(d, key, writer, ESSE_DEP_WW);
    for (uint32_t i = reads->reader_first[version]; i < reads->reader_first[version + 1]; i++)
        draw_reader(d, key, version, reads->reader[i]);
}

static void draw_key(struct drawing *d, uint32_t key)
{
    const struct versions *versions = d->poly->versions;
    const uint32_t helper = d->poly->key_helper[key];
    for (uint32_t v = versions->first[key]; v < versions->first[key + 1]; v++)
        draw_version(d, key, v);
    for (uint32_t v = versions->loose[key]; helper != NO_NODE && v < versions->first[key + 1]; v++)
        draw(d, helper, poly_enters(d->poly, version_txn(versions, v), ESSE_DEP_RW));
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
        if (time->ends_before[txn] != NO_NODE)
            draw(d, poly_leaves(poly, txn, ESSE_DEP_REALTIME),
                 poly->moments_at + time->ends_before[txn]);
        if (time->starts_after[txn] != NO_NODE &&
            (poly->level->needs_real_time || !(poly->withheld[txn] & POLY_TIME)))
            draw(d, poly->moments_at + time->starts_after[txn],
                 poly_enters(poly, txn, ESSE_DEP_REALTIME));
    }
    for (uint32_t m = 1; m < time->moments; m++)
        draw(d, poly->moments_at + m - 1, poly->moments_at + m);
}

/* ---- all ---- */

void poly_order_edges(const struct poly *poly, uint32_t a, uint32_t b,
                      void (*edge)(void *context, uint32_t from, uint32_t to), void *context)
{
    const struct versions *versions = poly->versions;
    const struct poly_reads *reads = poly->reads;
    assert(reads->version_key[a] == reads->version_key[b]);
    const uint32_t from = version_txn(versions, a), to = version_txn(versions, b);
    assert(to != ESSE_NO_TXN); /* nothing comes before the initial version */
    if (from != ESSE_NO_TXN && from != to)
        edge(context, poly_leaves(poly, from, ESSE_DEP_WW), poly_enters(poly, to, ESSE_DEP_WW));
    for (uint32_t i = reads->reader_first[a];
         poly->level->cycle > ESSE_CYCLE_ONE_RW && i < reads->reader_first[a + 1]; i++) {
        const uint32_t reader = versions_touch(versions, reads->reader[i])->txn;
        if (reader != to)
            edge(context, poly_leaves(poly, reader, ESSE_DEP_RW),
                 poly_enters(poly, to, ESSE_DEP_RW));
    }
}

static void draw_edge(void *context, uint32_t from, uint32_t to)
{
    draw(context, from, to);
}

static void draw_all(struct drawing *d, bool inferred)
{
    const struct poly *poly = d->poly;
    for (uint32_t txn = 0; poly_is_doubled(poly) && txn < poly->versions->history->txns; txn++)
        draw(d, 2 * txn, 2 * txn + 1);
    for (uint32_t key = 0; key < poly->versions->history->keys; key++)
        draw_key(d, key);
    if (poly->sessions)
        draw_sessions(d);
    if (poly->time)
        draw_time(d);
    for (size_t i = 0; inferred && i < poly->covers.count; i++)
        poly_order_edges(poly, poly->covers.at[i].a, poly->covers.at[i].b, draw_edge, d);
}

/* The version that everything loose follows. */
static uint32_t base_of_loose(const struct versions *versions, uint32_t key)
{
    assert(versions->loose[key] > versions->first[key]);
    return versions->gaps[key] ? versions->first[key] : versions->loose[key] - 1;
}

/* By key: the reads that may be of what everything loose follows. */
static uint32_t *count_open(const struct poly *poly)
{
    const struct poly_reads *reads = poly->reads;
    const size_t bytes = (poly->versions->history->keys + (size_t)1) * sizeof(uint32_t);
    uint32_t *count = memset(esse_arena_grow(poly->graph_arena, NULL, bytes), 0, bytes);
    for (size_t o = 0; o < reads->open.count; o++) {
        const struct poly_open *open = &reads->open.at[o];
        const uint32_t base = base_of_loose(poly->versions, open->key);
        for (uint32_t i = 0; i < open->count; i++)
            count[open->key] += reads->sources.at[open->first + i] == base;
    }
    return count;
}

/* A helper pays where many readers meet many loose versions. */
static void number_nodes(struct poly *poly)
{
    const struct versions *versions = poly->versions;
    const struct esse_history *history = versions->history;
    uint32_t *open = count_open(poly);
    poly->moments_at = history->txns * (poly_is_doubled(poly) ? 2u : 1u);
    poly->helpers_at = poly->moments_at + (poly->time ? poly->time_line->moments : 0);
    poly->nodes = poly->helpers_at;
    poly->key_helper = esse_arena_grow(poly->graph_arena, NULL,
                                       (history->keys + (size_t)1) * sizeof *poly->key_helper);
    for (uint32_t key = 0; key < history->keys; key++) {
        uint64_t loose = versions->first[key + 1] - versions->loose[key];
        const uint32_t *first = &poly->reads->reader_first[base_of_loose(versions, key)];
        uint64_t readers = (uint64_t)first[1] - first[0] + open[key];
        bool pays = poly->level->cycle > ESSE_CYCLE_ONE_RW && loose * readers > loose + readers;
        poly->key_helper[key] = pays ? poly->nodes++ : NO_NODE;
    }
    esse_arena_drop(poly->graph_arena, open);
}

void poly_known_draw(struct poly *poly, struct esse_csr *csr, bool inferred)
{
    struct drawing d = { poly, csr, true };
    assert(poly->nodes >= poly->helpers_at);
    assert(poly->helpers_at >= poly->moments_at);
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

/* How many reads would be of a later transaction, if the recording were the order? */
static uint64_t count_backward(const struct poly *poly, const uint32_t *rank)
{
    const struct versions *versions = poly->versions;
    uint64_t count = 0;
    for (uint32_t v = 0; v < versions->count; v++) {
        uint32_t writer = version_txn(versions, v);
        for (uint32_t i = poly->reads->reader_first[v];
             writer != ESSE_NO_TXN && i < poly->reads->reader_first[v + 1]; i++) {
            uint32_t reader = versions_touch(versions, poly->reads->reader[i])->txn;
            count += rank ? rank[writer] > rank[reader] : writer > reader;
        }
    }
    return count;
}

/* The sessions side by side, as if all had run from the beginning to the end. */
static uint64_t place_in_session(const struct esse_history *history, uint32_t txn)
{
    const uint32_t *first = &history->session_first[history->txn_session[txn]];
    return ((uint64_t)esse_history_position(history, (esse_txn){ txn }) << 32) /
           (first[1] - first[0]);
}

static uint32_t *rank_by(const struct poly *poly, bool by_time)
{
    const struct esse_history *history = poly->versions->history;
    struct esse_pair *pairs =
        esse_arena_grow(poly->arena, NULL, (history->txns + (size_t)1) * sizeof *pairs);
    uint32_t *rank = esse_arena_grow(poly->arena, NULL, (history->txns + (size_t)1) * sizeof *rank);
    for (uint32_t txn = 0; txn < history->txns; txn++) {
        int64_t end = by_time ? history->txn_time[txn].end : 0;
        pairs[txn] =
            (struct esse_pair){ by_time ? esse_radix_key(end) : place_in_session(history, txn),
                                txn };
    }
    esse_radix_sort(pairs, history->txns, poly->arena);
    for (uint32_t i = 0; i < history->txns; i++)
        rank[pairs[i].id] = i;
    esse_arena_drop(poly->arena, pairs);
    return rank;
}

/* Times if there are any; else the recording or the place in the session, whichever has fewer reads
 * of what comes later. */
static uint32_t *rank_txns(const struct poly *poly)
{
    const struct esse_history *history = poly->versions->history;
    const bool blind = poly->ablate & ESSE_ABLATE_ESTIMATE;
    if (history->txn_time && !blind)
        return rank_by(poly, true);
    uint32_t *rank = rank_by(poly, false);
    if (blind || count_backward(poly, NULL) <= count_backward(poly, rank))
        for (uint32_t txn = 0; txn < history->txns; txn++)
            rank[txn] = txn;
    return rank;
}

/* Without a schedule the helpers come as soon as they can. */
static void place_by_rank(const struct poly *poly, const uint32_t *rank, uint32_t *place)
{
    for (uint32_t node = 0; node < poly->nodes; node++) {
        uint32_t txn = poly_txn(poly, node);
        place[node] = txn == ESSE_NO_TXN ? 0 : rank[txn] + 1;
    }
}

uint32_t *poly_estimate(struct poly *poly, bool mends)
{
    const double started = esse_clock_seconds();
    uint32_t *rank = rank_txns(poly);
    uint32_t *place = esse_arena_grow(poly->arena, NULL, (poly->nodes + (size_t)1) * sizeof *place);
    if (poly->ablate & ESSE_ABLATE_SCHEDULE)
        place_by_rank(poly, rank, place);
    else
        poly_schedule(poly, rank, place);
    struct esse_phase *phase = poly_phase(poly, "first order", started);
    phase->counts[0].what = "transactions";
    phase->counts[0].count = poly->versions->history->txns;
    phase->counts[1].what = "deadlocks broken";
    phase->counts[1].count = poly->waited;
    if (mends && poly->waited && poly_mend(poly, place, rank))
        place_by_rank(poly, rank, place);
    esse_arena_drop(poly->arena, rank);
    return place;
}
