#include "engine/polygraph/poly_prune.h"

#include "graph/topo.h"

#include <string.h>

/*
 * What the graph forces about the order of versions, to a fixpoint:
 *
 *   a before b   if b before a would close a cycle: there is a path from a to b;
 *   b before a   if some reader r of a comes after b: were a before b, r would precede b.
 *
 * Each such order adds edges (of writers, and from readers to who overwrites), and these add paths.
 */

/* ---- squares ---- */

static uint32_t members(const struct poly *poly, uint32_t key)
{
    return poly->versions->first[key + 1] - poly->versions->first[key] - 1;
}

static uint32_t row_words(const struct poly *poly, uint32_t key)
{
    return (members(poly, key) + 63) / 64;
}

static size_t row_at(const struct pruning *p, uint32_t key, uint32_t version)
{
    uint32_t row = version - p->poly->versions->first[key] - 1;
    return p->square[key] + (size_t)row * row_words(p->poly, key);
}

static bool is_in(const uint64_t *row, uint32_t column)
{
    return row[column / 64] >> column % 64 & 1;
}

static void set_less(struct pruning *p, uint32_t key, uint32_t a, uint32_t b)
{
    const uint32_t first = p->poly->versions->first[key] + 1;
    p->less[row_at(p, key, a) + (b - first) / 64] |= (uint64_t)1 << (b - first) % 64;
    p->more[row_at(p, key, b) + (a - first) / 64] |= (uint64_t)1 << (a - first) % 64;
}

/* The next version of the key, from 'v' on, that may come before or after 'version'; NO_VERSION if
 * there is none.  Of two orders only one is looked for: were the other to follow as well, the edges
 * of what was found first would close a cycle. */
static uint32_t next_open(const struct pruning *p, uint32_t key, uint32_t version, uint32_t v)
{
    const uint32_t first = p->poly->versions->first[key] + 1, count = members(p->poly, key);
    const size_t row = row_at(p, key, version);
    uint32_t column = v - first;
    while (column < count) {
        const uint64_t ordered = p->less[row + column / 64] | p->more[row + column / 64];
        const uint64_t open = ~ordered >> column % 64;
        if (open) {
            column += (uint32_t)__builtin_ctzll(open);
            break;
        }
        column = (column / 64 + 1) * 64;
    }
    if (column < count && first + column == version)
        return next_open(p, key, version, version + 1);
    return column < count ? first + column : NO_VERSION;
}

static void add_edge(void *context, uint32_t from, uint32_t to)
{
    struct pruning *p = context;
    p->is_refuted |= !esse_reach_add(p->closure, from, to);
}

/* The edges of what is found say the same of what is known to come after b. */
static void add_order(struct pruning *p, uint32_t key, uint32_t a, uint32_t b)
{
    const uint64_t *row = p->less + row_at(p, key, a), *later = p->less + row_at(p, key, b);
    const uint32_t first = p->poly->versions->first[key] + 1;
    poly_order_edges(p->poly, a, b, add_edge, p);
    for (uint32_t w = 0; !p->is_refuted && w < row_words(p->poly, key); w++)
        for (uint64_t added = later[w] & ~row[w]; added; added &= added - 1)
            set_less(p, key, a, first + 64 * w + (uint32_t)__builtin_ctzll(added));
}

/* With a closure everything may rest on what was found before it: every order is a round. */
static void find_less(struct pruning *p, uint32_t key, uint32_t a, uint32_t b)
{
    struct poly *poly = p->poly;
    const uint32_t round = (uint32_t)(p->closure ? poly->inferred.count : p->rounds);
    set_less(p, key, a, b);
    p->found = true;
    poly_inferred_vec_push(&poly->inferred, poly->graph_arena,
                           (struct poly_inferred){ a, b, round });
    if (p->closure)
        add_order(p, key, a, b);
}

/* ---- asking ---- */

static bool leads(const struct pruning *p, uint32_t from, uint32_t to)
{
    if (p->closure)
        return esse_reach_leads(p->closure, from, to);
    const uint32_t bit = p->place[from] - p->begin;
    return p->block[(size_t)to * POLY_BLOCK_WORDS + bit / 64] >> bit % 64 & 1;
}

/* Does the writer of 'a' lead to that of 'b'?  True if that settles their order. */
static bool ask_writers(struct pruning *p, uint32_t key, uint32_t a, uint32_t b)
{
    const struct poly *poly = p->poly;
    const uint32_t from = version_txn(poly->versions, a), to = version_txn(poly->versions, b);
    const bool found =
        from != to && leads(p, poly_enters(poly, from, DSG_WW), poly_commit(poly, to));
    if (found)
        find_less(p, key, a, b);
    return found;
}

/* Does the writer of 'b' lead to this reader of 'a'? */
static bool ask_reader(struct pruning *p, uint32_t key, uint32_t b, uint32_t a, uint32_t reader)
{
    const struct poly *poly = p->poly;
    const uint32_t writer = version_txn(poly->versions, b);
    const bool found = reader != writer && version_txn(poly->versions, a) != writer &&
                       leads(p, poly_commit(poly, writer), poly_leaves(poly, reader, DSG_RW));
    if (found)
        find_less(p, key, b, a);
    return found;
}

static void ask_readers(struct pruning *p, uint32_t key, uint32_t b, uint32_t a)
{
    const struct poly_reads *reads = p->poly->reads;
    const uint32_t *first = &reads->reader_first[a];
    for (uint32_t i = first[0]; i < first[1]; i++)
        if (ask_reader(p, key, b, a, versions_touch(p->poly->versions, reads->reader[i])->txn))
            break;
}

/* What is asked of a pair of versions of a key, one of which is the node's. */
typedef void ask_pair(struct pruning *p, uint32_t key, uint32_t version, uint32_t other,
                      uint32_t node);

static void ask_pairs(struct pruning *p, uint32_t version, uint32_t node, ask_pair *ask)
{
    const struct versions *versions = p->poly->versions;
    const uint32_t key = p->poly->reads->version_key[version], first = versions->first[key];
    if (version == first || !poly_is_open_key(versions, key))
        return;
    for (uint32_t v = first + 1; (v = next_open(p, key, version, v)) != NO_VERSION; v++)
        ask(p, key, version, v, node);
}

static void ask_from_writer(struct pruning *p, uint32_t key, uint32_t version, uint32_t other,
                            uint32_t node)
{
    const uint32_t txn = poly_txn(p->poly, node);
    if (node == poly_enters(p->poly, txn, DSG_WW) && ask_writers(p, key, version, other))
        return;
    if (node == poly_commit(p->poly, txn))
        ask_readers(p, key, version, other);
}

void poly_ask_from(struct pruning *p, uint32_t node)
{
    const uint32_t txn = poly_txn(p->poly, node);
    if (txn == ESSE_NO_TXN)
        return;
    for (uint32_t i = p->installed.first[txn]; i < p->installed.first[txn + 1]; i++)
        ask_pairs(p, p->installed.to[i], node, ask_from_writer);
}

static void ask_to_writer(struct pruning *p, uint32_t key, uint32_t version, uint32_t other,
                          uint32_t node)
{
    if (node == poly_commit(p->poly, poly_txn(p->poly, node)))
        ask_writers(p, key, other, version);
}

static void ask_to_reader(struct pruning *p, uint32_t key, uint32_t version, uint32_t other,
                          uint32_t node)
{
    const uint32_t txn = poly_txn(p->poly, node);
    if (node == poly_leaves(p->poly, txn, DSG_RW))
        ask_reader(p, key, other, version, txn);
}

void poly_ask_to(struct pruning *p, uint32_t node)
{
    const uint32_t txn = poly_txn(p->poly, node);
    if (txn == ESSE_NO_TXN)
        return;
    for (uint32_t i = p->installed.first[txn]; i < p->installed.first[txn + 1]; i++)
        ask_pairs(p, p->installed.to[i], node, ask_to_writer);
    for (uint32_t i = p->read.first[txn]; i < p->read.first[txn + 1]; i++)
        ask_pairs(p, p->read.to[i], node, ask_to_reader);
}

/* Only versions that stand for themselves have choices. */
uint32_t poly_next_choice(const struct pruning *p, uint32_t version, uint32_t v)
{
    const struct poly *poly = p->poly;
    const struct versions *versions = poly->versions;
    const uint32_t key = poly->reads->version_key[version], first = versions->first[key];
    if (!poly_is_open_key(versions, key) || version == first ||
        poly_stands_for(poly, version) != version)
        return NO_VERSION;
    for (v = v > first ? v : first + 1; (v = next_open(p, key, version, v)) != NO_VERSION; v++)
        if (version_txn(versions, v) != version_txn(versions, version) &&
            poly_stands_for(poly, v) == v)
            return v;
    return NO_VERSION;
}

/* ---- the edges ---- */

/* Of what is later than 'a', what is not later than anything else that is: the rest follows. */
static void cover(struct pruning *p, uint32_t key, uint32_t a, uint64_t *later)
{
    struct poly *poly = p->poly;
    const uint32_t first = poly->versions->first[key] + 1, words = row_words(poly, key);
    const uint64_t *row = p->less + row_at(p, key, a);
    memset(later, 0, words * sizeof *later);
    for (uint32_t column = 0; column < members(poly, key); column++)
        for (uint32_t w = 0; is_in(row, column) && !is_in(later, column) && w < words; w++)
            later[w] |= p->less[row_at(p, key, first + column) + w];
    for (uint32_t column = 0; column < members(poly, key); column++)
        if (is_in(row, column) && !is_in(later, column))
            poly_inferred_vec_push(&poly->covers, poly->graph_arena,
                                   (struct poly_inferred){ .a = a, .b = first + column });
}

void poly_draw_covers(struct pruning *p)
{
    struct poly *poly = p->poly;
    const struct versions *versions = poly->versions;
    uint64_t *later = NULL;
    poly->covers.count = 0;
    for (uint32_t key = 0; key < versions->history->keys; key++) {
        if (!poly_is_open_key(versions, key))
            continue;
        later =
            esse_arena_grow(p->arena, later, (row_words(poly, key) + (size_t)1) * sizeof *later);
        for (uint32_t a = versions->first[key] + 1; a < versions->first[key + 1]; a++)
            cover(p, key, a, later);
    }
    esse_arena_drop(p->arena, later);
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

static void tell(struct pruning *p, double started)
{
    struct poly *poly = p->poly;
    uint64_t orders = 0;
    for (size_t w = 0; w < p->words; w++)
        orders += (uint64_t)__builtin_popcountll(p->less[w]);
    struct esse_phase *phase = poly_phase(poly, "pruning", started);
    phase->counts[0].what = p->closure ? "nodes asked" : "rounds";
    phase->counts[0].count = p->rounds;
    phase->counts[1].what = "orders of two versions inferred";
    phase->counts[1].count = orders;
    phase->counts[2].what = "edges";
    phase->counts[2].count = esse_csr_edges(&poly->known);
}

static void prune(struct pruning *p)
{
    struct poly *poly = p->poly;
    double started = esse_clock_seconds();
    p->order = esse_arena_grow(p->arena, NULL, (poly->known.nodes + (size_t)1) * sizeof *p->order);
    /* A cycle of what is known is a refutation; the theory will tell it. */
    if (esse_topo_order(&poly->known, p->order, p->arena, poly->budget) < poly->known.nodes)
        return;
    poly_group_versions(poly, p->arena, &p->installed, &p->read);
    p->closure = poly->ablate & ESSE_ABLATE_CLOSURE ? NULL : poly_closure_find(p);
    started = p->closure ? esse_clock_seconds() : started;
    const bool done = p->closure ? poly_prune_by_closure(p) : poly_prune_by_blocks(p);
    tell(p, started);
    if (done && !p->is_refuted && !(poly->ablate & ESSE_ABLATE_SMALL_CYCLES))
        poly_small_find(p);
    esse_reach_free(p->closure);
}

enum { SQUARES_MOST = 32 << 20 }; /* words, twice: then pruning would cost more than it saves */

bool poly_prune(struct poly *poly)
{
    struct pruning p = { .poly = poly, .arena = esse_arena_new() };
    esse_budget_phase(poly->budget, "pruning", 0);
    p.words = measure_squares(&p);
    if (p.words < SQUARES_MOST) {
        p.less = esse_arena_alloc(p.arena, p.words + 1, sizeof *p.less);
        p.more = esse_arena_alloc(p.arena, p.words + 1, sizeof *p.more);
        prune(&p);
    }
    esse_arena_free(p.arena);
    return !esse_budget_spent(poly->budget);
}
