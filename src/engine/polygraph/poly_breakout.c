#include "base/guard.h"
#include "base/rng.h"
#include "engine/polygraph/poly_state.h"

#include <stdlib.h>

/*
 * Local search for an order that breaks no reads, which moves one transaction at a time.  Of every
 * rule that is broken one of those concerned is put where it breaks the least; then whatever is
 * still broken weighs more, so that none stays for ever where it is good for most and bad for few
 * (Morris's breakout, 1993).  A rule is an edge that is known, or a read: no other version between
 * its source and its reader.
 *
 * It only guides: if nothing is broken in the end the order is an answer, and if something is, the
 * solver begins near one.
 *
 * Cost: a round is O(edges + reads * versions of their keys), and about a microsecond for each rule
 * that is broken; at most ROUNDS, of which the last STALL brought nothing.  Keys with more versions
 * and readers than CROWD count only through what is known.  24 bytes an edge, 20 a read.
 */
enum { ROUNDS = 20000, STALL = 1000, CROWD = 256, KNOWN_WEIGHT = 8, MOST_WEIGHT = 4096 };

/* Places are numbers below LAST.  A border is a place, and in the low bits by how much it costs
 * more, or less, to be beyond it: one word, which sorts fast. */
#define LAST (UINT32_C(1) << 31)
#define FREE (UINT64_C(1) << 15)
ESSE_VEC(border_vec, uint64_t)

struct known_edge {
    uint32_t from, to, weight;
};
ESSE_VEC(known_edge_vec, struct known_edge)

struct known_read {
    uint32_t key;
    version_id version;
    uint32_t writer, reader, weight; /* writer: ESSE_NO_TXN for the initial version */
};

/* A rule that is broken, and the transactions that could be moved for it; 'source' may be
 * ESSE_NO_TXN. */
struct broken {
    uint32_t source, other, reader;
    uint32_t *weight;
};
ESSE_VEC(broken_vec, struct broken)

struct breakout {
    struct poly *poly;
    struct esse_arena *arena;
    struct esse_rng rng;
    struct esse_csr installed;     /* from transactions to versions */
    struct esse_csr before, after; /* to the edges that lead to it, and from it */
    struct esse_csr read;          /* to its reads */
    struct known_edge_vec edges;
    struct known_read *reads; /* as poly->reads->reader */
    uint32_t read_count;
    uint32_t *writer; /* by version */
    uint32_t *at;     /* by transaction: its place */
    uint8_t *crowded; /* by key */
    struct broken_vec broken;
    struct border_vec borders; /* of the transaction at hand */
    int64_t cost;              /* before the first of them */
};

/* ---- where it costs what ---- */

static uint32_t at_source(const struct breakout *m, const struct known_read *read)
{
    return read->writer == ESSE_NO_TXN ? 0 : m->at[read->writer];
}

static void add_border(struct breakout *m, uint32_t at, int64_t cost)
{
    border_vec_push(&m->borders, m->arena, (uint64_t)at << 16 | (uint64_t)(cost + (int64_t)FREE));
}

static void forbid_before(struct breakout *m, uint32_t at, uint32_t weight)
{
    m->cost += weight;
    add_border(m, at, -(int64_t)weight);
}

static void mind_known(struct breakout *m, uint32_t txn)
{
    for (uint32_t i = m->before.first[txn]; i < m->before.first[txn + 1]; i++) {
        const struct known_edge *edge = &m->edges.at[m->before.to[i]];
        forbid_before(m, m->at[edge->from], edge->weight);
    }
    for (uint32_t i = m->after.first[txn]; i < m->after.first[txn + 1]; i++) {
        const struct known_edge *edge = &m->edges.at[m->after.to[i]];
        add_border(m, m->at[edge->to], edge->weight);
    }
}

/* As its reader: not beyond a version that comes after the source. */
static void mind_read(struct breakout *m, const struct known_read *read)
{
    const version_id *first = m->poly->versions->first;
    const uint32_t source = at_source(m, read);
    for (version_id v = { first[read->key].ix + 1 }; v.ix < first[read->key + 1].ix; v.ix++) {
        const uint32_t at = m->at[m->writer[v.ix]];
        if (v.ix != read->version.ix && m->writer[v.ix] != read->reader && at > source)
            add_border(m, at, read->weight);
    }
}

/* As its source: not before a version that comes before the reader. */
static void mind_reader(struct breakout *m, const struct known_read *read)
{
    const version_id *first = m->poly->versions->first;
    for (version_id v = { first[read->key].ix + 1 }; v.ix < first[read->key + 1].ix; v.ix++) {
        const uint32_t at = m->at[m->writer[v.ix]];
        if (v.ix != read->version.ix && m->writer[v.ix] != read->reader && at < m->at[read->reader])
            forbid_before(m, at, read->weight);
    }
}

/* As the writer of another version: not between the two. */
static void mind_version(struct breakout *m, uint32_t txn, version_id version)
{
    const version_id *first = m->poly->versions->first;
    const uint32_t *reader_first = m->poly->reads->reader_first;
    const uint32_t key = m->poly->reads->version_key[version.ix];
    for (uint32_t i = reader_first[first[key].ix];
         !m->crowded[key] && i < reader_first[first[key + 1].ix]; i++) {
        const struct known_read *read = &m->reads[i];
        const uint32_t source = at_source(m, read), reader = m->at[read->reader];
        if (read->version.ix == version.ix) {
            mind_reader(m, read);
        } else if (read->reader != txn && source < reader) {
            add_border(m, source, read->weight);
            add_border(m, reader, -(int64_t)read->weight);
        }
    }
}

/* ---- placing ---- */

static int by_place(const void *x, const void *y)
{
    const uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return a < b ? -1 : a > b;
}

static void sort_borders(struct border_vec *borders)
{
    if (borders->count > 100) {
        qsort(borders->at, borders->count, sizeof *borders->at, by_place);
        return;
    }
    for (size_t i = 1; i < borders->count; i++) {
        const uint64_t moving = borders->at[i];
        size_t to = i;
        for (; to > 0 && borders->at[to - 1] > moving; to--)
            borders->at[to] = borders->at[to - 1];
        borders->at[to] = moving;
    }
}

/* Where it costs least; of several such stretches chance takes one. */
static void choose_place(struct breakout *m, uint32_t txn)
{
    uint32_t from = 0, best_from = 0, best_to = LAST;
    int64_t least = INT64_MAX, cost = m->cost;
    add_border(m, LAST, 0);
    for (size_t i = 0; i < m->borders.count; i++) {
        const uint32_t to = (uint32_t)(m->borders.at[i] >> 16);
        const int64_t drawn = cost << 16 | (int64_t)(esse_rng_next(&m->rng) >> 48);
        if (to > from + 1 && drawn < least) {
            least = drawn;
            best_from = from;
            best_to = to;
        }
        from = to;
        cost += (int64_t)(m->borders.at[i] & 0xffff) - (int64_t)FREE;
    }
    m->at[txn] = best_from + 1 + esse_rng_below(&m->rng, best_to - best_from - 1);
}

static void place(struct breakout *m, uint32_t txn)
{
    m->borders.count = 0;
    m->cost = 0;
    mind_known(m, txn);
    for (uint32_t i = m->read.first[txn]; i < m->read.first[txn + 1]; i++)
        if (!m->crowded[m->reads[m->read.to[i]].key])
            mind_read(m, &m->reads[m->read.to[i]]);
    for (uint32_t i = m->installed.first[txn]; i < m->installed.first[txn + 1]; i++)
        mind_version(m, txn, (version_id){ m->installed.to[i] });
    sort_borders(&m->borders);
    choose_place(m, txn);
}

/* ---- what is broken ---- */

static void find_passed(struct breakout *m, struct known_read *read)
{
    esse_guard_poll();
    const version_id *first = m->poly->versions->first;
    const uint32_t source = at_source(m, read), reader = m->at[read->reader];
    for (version_id v = { first[read->key].ix + 1 }; v.ix < first[read->key + 1].ix; v.ix++) {
        const uint32_t other = m->writer[v.ix];
        if (m->at[other] > source && m->at[other] < reader && v.ix != read->version.ix &&
            other != read->reader)
            broken_vec_push(&m->broken, m->arena,
                            (struct broken){ read->writer, other, read->reader, &read->weight });
    }
}

static void find_broken(struct breakout *m)
{
    m->broken.count = 0;
    for (size_t i = 0; i < m->edges.count; i++) {
        struct known_edge *edge = &m->edges.at[i];
        if (m->at[edge->from] >= m->at[edge->to])
            broken_vec_push(&m->broken, m->arena,
                            (struct broken){ edge->from, edge->from, edge->to, &edge->weight });
    }
    for (uint32_t i = 0; i < m->read_count; i++)
        if (!m->crowded[m->reads[i].key])
            find_passed(m, &m->reads[i]);
}

static void move_broken(struct breakout *m, uint32_t rounds)
{
    for (size_t i = 0; i < m->broken.count; i++) {
        const struct broken *broken = &m->broken.at[i];
        const uint32_t concerned[] = { broken->source, broken->other, broken->reader };
        const uint32_t txn = concerned[esse_rng_below(&m->rng, 3)];
        if (!esse_budget_poll(m->poly->budget, rounds))
            return;
        place(m, txn == ESSE_NO_TXN ? broken->other : txn);
        *broken->weight += *broken->weight < MOST_WEIGHT;
    }
}

/* ---- all ---- */

static uint32_t nth_place(uint32_t i, uint32_t count)
{
    return (uint32_t)((uint64_t)LAST * (i + UINT64_C(1)) / (count + UINT64_C(2)));
}

/* The places again at equal distances; by transaction: its number. */
static void renumber(struct breakout *m, uint32_t *rank)
{
    const uint32_t txns = m->poly->versions->history->txns;
    struct esse_pair *pairs = esse_arena_array(m->arena, txns + 1u, *pairs);
    for (uint32_t txn = 0; txn < txns; txn++)
        pairs[txn] = (struct esse_pair){ m->at[txn], txn };
    esse_radix_sort(pairs, txns, m->arena);
    for (uint32_t i = 0; i < txns; i++) {
        rank[pairs[i].id] = i;
        m->at[pairs[i].id] = nth_place(i, txns);
    }
    esse_arena_drop(m->arena, pairs);
}

static void list_edges(struct breakout *m)
{
    const struct poly *poly = m->poly;
    for (esse_node node = { 0 }; node.ix < poly->nodes; node.ix++) {
        const uint32_t from = poly_txn(poly, node);
        for (uint32_t e = poly->known.first[node.ix]; e < poly->known.first[node.ix + 1]; e++) {
            const uint32_t to = poly_txn(poly, (esse_node){ poly->known.to[e] });
            if (from != ESSE_NO_TXN && to != ESSE_NO_TXN && from != to)
                known_edge_vec_push(&m->edges, m->arena,
                                    (struct known_edge){ from, to, KNOWN_WEIGHT });
        }
    }
}

static void list_reads(struct breakout *m)
{
    const struct versions *versions = m->poly->versions;
    const struct poly_reads *reads = m->poly->reads;
    m->read_count = reads->reader_first[versions->count];
    m->writer = esse_arena_array(m->arena, versions->count + 1u, *m->writer);
    m->reads = esse_arena_array(m->arena, m->read_count + 1u, *m->reads);
    m->crowded = esse_arena_alloc(m->arena, versions->history->keys + 1u, sizeof *m->crowded);
    for (version_id v = { 0 }; v.ix < versions->count; v.ix++) {
        m->writer[v.ix] = version_txn(versions, v);
        for (uint32_t i = reads->reader_first[v.ix]; i < reads->reader_first[v.ix + 1]; i++)
            m->reads[i] =
                (struct known_read){ reads->version_key[v.ix], v, m->writer[v.ix],
                                     versions_key_access(versions, reads->reader[i])->txn, 1 };
    }
    for (uint32_t key = 0; key < versions->history->keys; key++) {
        const version_id first = versions->first[key], end = versions->first[key + 1];
        m->crowded[key] =
            end.ix - first.ix + reads->reader_first[end.ix] - reads->reader_first[first.ix] > CROWD;
    }
}

/* Edges and reads by those concerned. */
static void group(struct breakout *m, bool counting)
{
    for (uint32_t i = 0; i < m->edges.count; i++) {
        const struct known_edge *edge = &m->edges.at[i];
        counting ? esse_csr_count(&m->after, edge->from) : esse_csr_add(&m->after, edge->from, i);
        counting ? esse_csr_count(&m->before, edge->to) : esse_csr_add(&m->before, edge->to, i);
    }
    for (uint32_t i = 0; i < m->read_count; i++)
        counting ? esse_csr_count(&m->read, m->reads[i].reader)
                 : esse_csr_add(&m->read, m->reads[i].reader, i);
    for (version_id v = { 0 }; v.ix < m->poly->versions->count; v.ix++)
        if (m->writer[v.ix] != ESSE_NO_TXN)
            counting ? esse_csr_count(&m->installed, m->writer[v.ix])
                     : esse_csr_add(&m->installed, m->writer[v.ix], v.ix);
}

static void prepare(struct breakout *m, const uint32_t *first_order)
{
    const struct poly *poly = m->poly;
    const uint32_t txns = poly->versions->history->txns;
    struct esse_csr *const all[] = { &m->before, &m->after, &m->read, &m->installed };
    list_edges(m);
    list_reads(m);
    for (int i = 0; i < 4; i++)
        esse_csr_init(all[i], m->arena, txns);
    group(m, true);
    for (int i = 0; i < 4; i++)
        esse_csr_start(all[i]);
    group(m, false);
    for (int i = 0; i < 4; i++)
        esse_csr_finish(all[i]);
    m->at = esse_arena_array(m->arena, txns + 1u, *m->at);
    for (uint32_t txn = 0; txn < txns; txn++) {
        const uint32_t place = first_order[poly_commit(poly, txn).ix];
        m->at[txn] = nth_place(place < poly->nodes ? place : poly->nodes / 2, poly->nodes);
    }
}

/* Moves until nothing is broken or nothing gets better.  Returns how much was broken in the best
 * order, which is in 'rank'. */
static size_t search(struct breakout *m, uint32_t *rank, uint32_t *rounds)
{
    const uint32_t txns = m->poly->versions->history->txns;
    uint32_t *now = esse_arena_array(m->arena, txns + 1u, *now);
    size_t least = SIZE_MAX;
    uint32_t best = 0;
    for (*rounds = 0; *rounds < ROUNDS && *rounds - best < STALL; ++*rounds) {
        find_broken(m);
        if (m->broken.count < least) {
            least = m->broken.count;
            best = *rounds;
            renumber(m, rank);
        } else if (*rounds % 32 == 0) {
            renumber(m, now);
        }
        if (!least || !esse_budget_poll(m->poly->budget, *rounds))
            break;
        move_broken(m, *rounds);
    }
    return least;
}

bool poly_breakout(struct poly *poly, const uint32_t *first_order, uint32_t *rank)
{
    const double started = esse_clock_seconds();
    struct breakout m = { .poly = poly, .arena = esse_arena_new() };
    uint32_t rounds;
    prepare(&m, first_order);
    esse_budget_phase(poly->budget, "mending the order", 0);
    find_broken(&m);
    const size_t broken = m.broken.count, left = search(&m, rank, &rounds);
    struct esse_phase *phase = poly_phase(poly, "mending", started);
    phase->counts[0].what = "rounds";
    phase->counts[0].count = rounds;
    phase->counts[1].what = "rules broken before";
    phase->counts[1].count = broken;
    phase->counts[2].what = "after";
    phase->counts[2].count = left;
    esse_arena_free(m.arena);
    return left < broken / 2;
}
