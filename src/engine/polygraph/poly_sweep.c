#include "base/guard.h"
#include "engine/polygraph/poly_local.h"

#include <string.h>

/*
 * What is forced among transactions that are near one another in an order that is nearly right: by
 * the rules of poly_prune.c, window after window, half of each in the next one.  Which of two
 * versions far from one another comes first hardly ever is in doubt, so it is not asked for;
 * what was written close together is asked for both ways.
 *
 * What follows in a window follows in the whole (docs/design/polygraph.md, "Why a part may accuse
 * the whole"), so the orders that are found may be inferred.
 *
 * Cost: O(transactions * width * rounds), of bits for the paths and of pairs of versions of a key.
 */
enum {
    VERSIONS_OF_A_WINDOW = 32, /* a window is so many times as wide as versions are old */
    LEAST_WINDOW = 256,        /* transactions */
    MOST_WINDOW = 2048,
    WINDOW_ROUNDS = 40,
};

struct sweep {
    struct poly_local l;
    struct poly_region *region;
    struct esse_pair *versions; /* of the window, by key and rank: the key, the version */
    uint32_t count;
    uint64_t *less;        /* by version of the window: those of its key that come after it */
    size_t words;          /* of a row */
    struct esse_csr later; /* from versions to those that earlier sweeps found to come after them */
    uint32_t *number;      /* by version: which of its key in the window, and 1 */
    uint32_t windows;
    bool is_refuted;
};

/* ---- the versions of a window ---- */

static uint64_t *row_of(const struct sweep *s, uint32_t at)
{
    return s->less + at * s->words;
}

static void set_bit(uint64_t *row, uint32_t bit)
{
    row[bit / 64] |= (uint64_t)1 << bit % 64;
}

static bool has_bit(const uint64_t *row, uint32_t bit)
{
    return row[bit / 64] >> bit % 64 & 1;
}

static void add_versions(struct sweep *s, uint32_t txn)
{
    const struct poly *poly = s->l.poly;
    for (uint32_t i = s->l.installed.first[txn]; i < s->l.installed.first[txn + 1]; i++) {
        const version_id version = { s->l.installed.to[i] };
        const uint32_t key = poly->reads->version_key[version.ix];
        if (is_unordered(poly->versions, key, version) && poly_is_open_key(poly->versions, key))
            s->versions[s->count++] = (struct esse_pair){ key, version.ix };
    }
}

static uint32_t end_of_key(const struct sweep *s, uint32_t begin)
{
    uint32_t end = begin;
    while (end < s->count && s->versions[end].key == s->versions[begin].key)
        end++;
    return end;
}

static uint32_t count_versions(const struct sweep *s, struct poly_range range)
{
    uint32_t count = 0;
    for (uint32_t rank = range.low; rank <= range.high; rank++) {
        const uint32_t txn = s->l.at_rank[rank];
        count += s->l.installed.first[txn + 1] - s->l.installed.first[txn];
    }
    return count;
}

static void list_versions(struct sweep *s, struct poly_range range)
{
    const uint32_t room = count_versions(s, range);
    s->versions =
        esse_arena_grow(s->l.arena, s->versions, (room + (size_t)1) * sizeof *s->versions);
    s->count = 0;
    for (uint32_t rank = range.low; rank <= range.high; rank++)
        add_versions(s, s->l.at_rank[rank]);
    esse_radix_sort(s->versions, s->count, s->l.arena); /* stable: by rank within a key */
    uint32_t most = 0;
    for (uint32_t begin = 0, end; begin < s->count; begin = end) {
        end = end_of_key(s, begin);
        most = end - begin > most ? end - begin : most;
        for (uint32_t at = begin; at < end; at++)
            s->number[s->versions[at].id] = at - begin + 1;
    }
    s->words = most / 64 + 1;
    const size_t bytes = (s->count + (size_t)1) * s->words * sizeof *s->less;
    s->less = memset(esse_arena_grow(s->l.arena, s->less, bytes), 0, bytes);
}

/* ---- what was found before ---- */

static void group_found(struct sweep *s)
{
    const struct poly *poly = s->l.poly;
    esse_csr_init(&s->later, s->l.arena, poly->versions->count);
    for (size_t i = 0; i < poly->inferred.count; i++)
        esse_csr_count(&s->later, poly->inferred.at[i].a.ix);
    esse_csr_start(&s->later);
    for (size_t i = 0; i < poly->inferred.count; i++)
        esse_csr_add(&s->later, poly->inferred.at[i].a.ix, poly->inferred.at[i].b.ix);
    esse_csr_finish(&s->later);
}

/* By earlier sweeps: they are in the graph. */
static void mark_found(struct sweep *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        const uint32_t a = s->versions[i].id;
        for (uint32_t e = s->later.first[a]; e < s->later.first[a + 1]; e++)
            if (s->number[s->later.to[e]])
                set_bit(row_of(s, i), s->number[s->later.to[e]] - 1);
    }
}

/* By the windows before this one. */
static void take_found(struct sweep *s, size_t from)
{
    struct poly *poly = s->l.poly;
    uint32_t *at = esse_arena_array(s->l.arena, poly->versions->count + (size_t)1, *at);
    for (uint32_t i = 0; i < s->count; i++)
        at[s->versions[i].id] = i;
    for (size_t i = from; i < poly->inferred.count; i++) {
        const struct poly_inferred *found = &poly->inferred.at[i];
        if (!s->number[found->a.ix] || !s->number[found->b.ix])
            continue;
        poly_inferred_vec_push(&s->l.forced, s->l.arena, *found);
        set_bit(row_of(s, at[found->a.ix]), s->number[found->b.ix] - 1);
    }
    esse_arena_drop(s->l.arena, at);
}

/* ---- asking ---- */

static void join_rows(const struct sweep *s, uint32_t begin, uint32_t a, uint32_t b)
{
    uint64_t *row = row_of(s, a);
    const uint64_t *later = row_of(s, b);
    set_bit(row, b - begin);
    for (size_t w = 0; w < s->words; w++)
        row[w] |= later[w];
}

/* What follows from orders that were found for others since. */
static void renew_row(const struct sweep *s, uint32_t begin, uint32_t a)
{
    uint64_t *row = row_of(s, a), *renewed = row_of(s, s->count);
    memset(renewed, 0, s->words * sizeof *renewed);
    for (size_t w = 0; w < s->words; w++)
        for (uint64_t open; (open = row[w] & ~renewed[w]);) {
            const uint32_t b = (uint32_t)(64 * w) + (uint32_t)__builtin_ctzll(open);
            const uint64_t *later = row_of(s, begin + b);
            set_bit(renewed, b);
            for (size_t v = 0; v < s->words; v++)
                renewed[v] |= later[v];
        }
    memcpy(row, renewed, s->words * sizeof *row);
}

static void ask_pair(struct sweep *s, uint32_t begin, uint32_t a, uint32_t b, size_t began,
                     uint32_t round)
{
    struct poly *poly = s->l.poly;
    const version_id first = { s->versions[a].id }, second = { s->versions[b].id };
    if (has_bit(row_of(s, a), b - begin) || has_bit(row_of(s, b), a - begin) ||
        !poly_region_forces(&s->l, s->region, first, second))
        return;
    const struct poly_inferred order = { first, second, (uint32_t)began, round };
    join_rows(s, begin, a, b);
    poly_inferred_vec_push(&poly->inferred, poly->graph_arena, order);
    poly_inferred_vec_push(&s->l.forced, s->l.arena, order);
}

/* Those of higher rank, from the last to the first, and of each the nearest first: the rest
 * follows.  Then those of lower rank, of which few are left. */
static void ask_key(struct sweep *s, uint32_t begin, uint32_t end, size_t began, uint32_t round)
{
    for (uint32_t a = end; a-- > begin;) {
        renew_row(s, begin, a);
        for (uint32_t b = a + 1; b < end; b++)
            ask_pair(s, begin, a, b, began, round);
        esse_guard_poll();
    }
    for (uint32_t a = begin; a < end; a++) {
        for (uint32_t b = a; b-- > begin;)
            ask_pair(s, begin, a, b, began, round);
        esse_guard_poll();
    }
}

/* ---- windows ---- */

/* False if the budget is spent. */
static bool settle(struct sweep *s)
{
    struct poly *poly = s->l.poly;
    for (uint32_t round = 1; round <= WINDOW_ROUNDS; round++) {
        const size_t began = poly->inferred.count;
        const enum poly_closed closed = poly_region_close(&s->l, s->region);
        s->is_refuted |= closed == POLY_CYCLIC;
        if (closed != POLY_CLOSED)
            return closed == POLY_CYCLIC;
        for (uint32_t begin = 0, end; begin < s->count; begin = end) {
            end = end_of_key(s, begin);
            ask_key(s, begin, end, began, round);
        }
        if (poly->inferred.count == began)
            break;
    }
    return true;
}

static bool sweep_window(struct sweep *s, struct poly_range range, size_t from)
{
    poly_region_enter(&s->l, s->region, range);
    list_versions(s, range);
    mark_found(s);
    take_found(s, from);
    const bool goes_on = settle(s);
    for (uint32_t i = 0; i < s->count; i++)
        s->number[s->versions[i].id] = 0;
    poly_region_leave(&s->l, s->region);
    s->windows++;
    return goes_on;
}

/* By how old the versions of keys are when they are overwritten. */
static uint32_t window_width(const struct poly *poly)
{
    const uint64_t txns = poly->versions->history->txns;
    const uint64_t keys = poly->versions->history->keys;
    const uint64_t age = txns * keys / (poly->versions->count - keys + 1);
    const uint64_t width = VERSIONS_OF_A_WINDOW * age;
    return width < LEAST_WINDOW  ? LEAST_WINDOW
           : width > MOST_WINDOW ? MOST_WINDOW
                                 : (uint32_t)width;
}

static void sweep_all(struct sweep *s)
{
    const struct poly *poly = s->l.poly;
    const uint32_t txns = poly->versions->history->txns, width = window_width(poly);
    size_t before = poly->inferred.count, last = before;
    for (uint32_t low = 0; low < txns && !s->is_refuted; low += width / 2) {
        const uint32_t high = low + width < txns ? low + width - 1 : txns - 1;
        const size_t from = before;
        before = last;
        last = poly->inferred.count;
        if (!sweep_window(s, (struct poly_range){ low, high }, from) || high == txns - 1)
            return;
    }
}

static void tell(const struct sweep *s, double started)
{
    struct esse_phase *phase = poly_phase(s->l.poly, "sweeping", started);
    phase->counts[0].what = "windows";
    phase->counts[0].count = s->windows;
    phase->counts[1].what = "rounds";
    phase->counts[1].count = s->l.rounds;
    phase->counts[2].what = "orders of two versions inferred";
    phase->counts[2].count = s->l.poly->inferred.count;
}

bool poly_sweep(struct poly *poly, const uint32_t *rank)
{
    struct sweep s = { .l = { .poly = poly, .arena = esse_arena_new(), .rank = rank } };
    const double started = esse_clock_seconds();
    esse_budget_phase(poly->budget, "sweeping", 0);
    assert(!poly->time); /* a chain of time nodes would be a node of every window */
    assert(poly->level->cycle > ESSE_CYCLE_ONE_RW);
    poly_local_prepare(&s.l);
    s.region = poly_region_new(&s.l);
    s.number = esse_arena_alloc(s.l.arena, poly->versions->count + (size_t)1, sizeof *s.number);
    group_found(&s);
    sweep_all(&s);
    poly->covers.count = 0;
    for (size_t i = 0; i < poly->inferred.count; i++)
        poly_inferred_vec_push(&poly->covers, poly->graph_arena, poly->inferred.at[i]);
    if (poly->known.first != poly->base.first)
        esse_csr_drop(&poly->known);
    poly_known_draw(poly, &poly->known, true);
    tell(&s, started);
    esse_arena_free(s.l.arena);
    ESSE_SEAM(poly_valid(poly));
    return !esse_budget_spent(poly->budget);
}
