#include "engine/polygraph/poly_state.h"

#include "graph/topo.h"

#include <string.h>

/*
 * What the graph forces about the order of versions, to a fixpoint:
 *
 *   a before b   if b before a would close a cycle: there is a path from a to b;
 *   b before a   if some reader r of a comes after b: were a before b, r would precede b.
 *
 * Each such order adds edges (of writers, and from readers to who overwrites), and these add paths.
 * Paths are found for many sources at once, a block of the topological order at a time, a bit a
 * source: O(edges * nodes / 64) a round, and never more than a block's bits a node at hand.
 */

enum { BLOCK_WORDS = 16, BLOCK = 64 * BLOCK_WORDS };

struct pruning {
    struct poly *poly;
    struct esse_arena *arena;
    struct esse_csr installed; /* from transactions to their versions */
    struct esse_csr read;      /* and to those that they read */
    uint64_t *less;            /* by key, a square of bits: version i comes before version j */
    size_t *square;            /* by key: where its square begins, in words */
    uint32_t *order, *place;   /* of the nodes */
    uint64_t *reach;           /* by node: the sources of the block that lead to it */
    uint32_t round;
    bool found;
};

/* ---- squares ---- */

static uint32_t members(const struct poly *poly, uint32_t key)
{
    return poly->versions->first[key + 1] - poly->versions->first[key] - 1;
}

static uint32_t row_words(const struct poly *poly, uint32_t key)
{
    return (members(poly, key) + 63) / 64;
}

static uint64_t *row_of(const struct pruning *p, uint32_t key, uint32_t version)
{
    uint32_t row = version - p->poly->versions->first[key] - 1;
    return p->less + p->square[key] + (size_t)row * row_words(p->poly, key);
}

static bool is_less(const struct pruning *p, uint32_t key, uint32_t a, uint32_t b)
{
    uint32_t column = b - p->poly->versions->first[key] - 1;
    return row_of(p, key, a)[column / 64] >> column % 64 & 1;
}

static void find_less(struct pruning *p, uint32_t key, uint32_t a, uint32_t b)
{
    uint32_t column = b - p->poly->versions->first[key] - 1;
    row_of(p, key, a)[column / 64] |= (uint64_t)1 << column % 64;
    p->found = true;
    poly_inferred_vec_push(&p->poly->inferred, p->poly->graph_arena,
                           (struct poly_inferred){ a, b, p->round });
}

/* ---- one block ---- */

static bool leads(const struct pruning *p, uint32_t bit, uint32_t to)
{
    return p->reach[(size_t)to * BLOCK_WORDS + bit / 64] >> bit % 64 & 1;
}

static void spread(struct pruning *p, uint32_t begin)
{
    const struct esse_csr *csr = &p->poly->known;
    memset(p->reach, 0, (size_t)csr->nodes * BLOCK_WORDS * sizeof *p->reach);
    for (uint32_t i = begin; i < csr->nodes; i++) {
        const uint32_t node = p->order[i];
        uint64_t *row = p->reach + (size_t)node * BLOCK_WORDS;
        if (i - begin < BLOCK)
            row[(i - begin) / 64] |= (uint64_t)1 << (i - begin) % 64;
        for (uint32_t e = csr->first[node]; e < csr->first[node + 1]; e++) {
            uint64_t *to = p->reach + (size_t)csr->to[e] * BLOCK_WORDS;
            for (int w = 0; w < BLOCK_WORDS; w++)
                to[w] |= row[w];
        }
    }
}

/* The source is where the writer of 'a' is entered: whoever it leads to wrote later. */
static void ask_later(struct pruning *p, uint32_t bit, uint32_t a)
{
    const struct versions *versions = p->poly->versions;
    const uint32_t key = p->poly->reads->version_key[a], writer = version_txn(versions, a);
    for (uint32_t b = versions->first[key] + 1; b < versions->first[key + 1]; b++)
        if (!is_less(p, key, a, b) && version_txn(versions, b) != writer &&
            leads(p, bit, poly_commit(p->poly, version_txn(versions, b))))
            find_less(p, key, a, b);
}

/* The source is the commit of the writer of 'b': whoever it leads to read something later. */
static void ask_readers(struct pruning *p, uint32_t bit, uint32_t b)
{
    const struct poly_reads *reads = p->poly->reads;
    const struct versions *versions = p->poly->versions;
    const uint32_t key = reads->version_key[b], writer = version_txn(versions, b);
    for (uint32_t a = versions->first[key] + 1; a < versions->first[key + 1]; a++) {
        if (a == b || is_less(p, key, b, a) || version_txn(versions, a) == writer)
            continue;
        for (uint32_t i = reads->reader_first[a]; i < reads->reader_first[a + 1]; i++) {
            uint32_t reader = versions_touch(versions, reads->reader[i])->txn;
            if (reader == writer || !leads(p, bit, poly_leaves(p->poly, reader, DSG_RW)))
                continue;
            find_less(p, key, b, a);
            break;
        }
    }
}

static void ask_source(struct pruning *p, uint32_t node, uint32_t bit)
{
    const struct poly *poly = p->poly;
    const uint32_t txn = poly_txn(poly, node);
    if (txn == ESSE_NO_TXN)
        return;
    for (uint32_t i = p->installed.first[txn]; i < p->installed.first[txn + 1]; i++) {
        const uint32_t version = p->installed.to[i];
        if (!poly_is_open_key(poly->versions, poly->reads->version_key[version]))
            continue;
        if (node == poly_enters(poly, txn, DSG_WW))
            ask_later(p, bit, version);
        if (node == poly_commit(poly, txn))
            ask_readers(p, bit, version);
    }
}

static bool ask_all(struct pruning *p)
{
    const uint32_t nodes = p->poly->known.nodes;
    for (uint32_t begin = 0; begin < nodes; begin += BLOCK) {
        if (p->poly->budget && !esse_budget_check_now(p->poly->budget))
            return false;
        spread(p, begin);
        for (uint32_t i = begin; i < nodes && i - begin < BLOCK; i++)
            ask_source(p, p->order[i], i - begin);
    }
    return true;
}

/* ---- the edges ---- */

/* Of what is later than 'a', what is not later than anything else that is: the rest follows. */
static void cover(struct pruning *p, uint32_t key, uint32_t a)
{
    struct poly *poly = p->poly;
    const struct versions *versions = poly->versions;
    for (uint32_t b = versions->first[key] + 1; b < versions->first[key + 1]; b++) {
        if (!is_less(p, key, a, b))
            continue;
        bool between = false;
        for (uint32_t c = versions->first[key] + 1; !between && c < versions->first[key + 1]; c++)
            between = c != a && c != b && is_less(p, key, a, c) && is_less(p, key, c, b);
        if (!between)
            poly_inferred_vec_push(&poly->covers, poly->graph_arena,
                                   (struct poly_inferred){ a, b, p->round });
    }
}

static void draw_covers(struct pruning *p)
{
    struct poly *poly = p->poly;
    const struct versions *versions = poly->versions;
    poly->covers.count = 0;
    for (uint32_t key = 0; key < versions->history->keys; key++)
        for (uint32_t a = versions->first[key] + 1;
             poly_is_open_key(versions, key) && a < versions->first[key + 1]; a++)
            cover(p, key, a);
    if (poly->known.first != poly->base.first)
        esse_csr_drop(&poly->known);
    poly_known_draw(poly, &poly->known, true);
}

/* ---- all ---- */

static size_t measure_squares(struct pruning *p)
{
    const struct versions *versions = p->poly->versions;
    size_t words = 0;
    p->square =
        esse_arena_grow(p->arena, NULL, (versions->history->keys + (size_t)1) * sizeof *p->square);
    for (uint32_t key = 0; key < versions->history->keys; key++) {
        p->square[key] = words;
        if (poly_is_open_key(versions, key))
            words += (size_t)members(p->poly, key) * row_words(p->poly, key);
    }
    return words;
}

enum { SQUARES_MOST = 64 << 20 }; /* words: then pruning would cost more than it saves */

bool poly_prune(struct poly *poly)
{
    const double started = esse_clock_seconds();
    struct pruning p = { .poly = poly, .arena = esse_arena_new() };
    esse_budget_phase(poly->budget, "pruning", 0);
    const size_t nodes = poly->base.nodes + (size_t)1, words = measure_squares(&p);
    bool ok = words < SQUARES_MOST;
    if (ok) {
        poly_group_versions(poly, p.arena, &p.installed, &p.read);
        p.less = esse_arena_alloc(p.arena, words + 1, sizeof *p.less);
        p.order = esse_arena_grow(p.arena, NULL, nodes * sizeof *p.order);
        p.reach = esse_arena_grow(p.arena, NULL, nodes * BLOCK_WORDS * sizeof *p.reach);
    }
    for (p.found = true; ok && p.found; p.round++) {
        p.found = false;
        /* A cycle of what was inferred is a refutation; the theory will tell it. */
        if (esse_topo_order(&poly->known, p.order, p.arena, poly->budget) < poly->known.nodes)
            break;
        ok = ask_all(&p);
        if (ok && p.found)
            draw_covers(&p);
    }
    struct esse_phase *phase = poly_phase(poly, "pruning", started);
    phase->counts[0].what = "rounds";
    phase->counts[0].count = p.round;
    phase->counts[1].what = "orders of two versions inferred";
    phase->counts[1].count = poly->inferred.count;
    phase->counts[2].what = "edges";
    phase->counts[2].count = esse_csr_edges(&poly->known);
    esse_arena_free(p.arena);
    return !esse_budget_spent(poly->budget);
}
