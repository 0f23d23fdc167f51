#include "engine/polygraph/poly_local.h"
#include "engine/polygraph/poly_layout.h"

#include <string.h>

enum {
    MOST_ROUNDS = 30,    /* of inference in a region */
    READS_OF_A_PATH = 8, /* a region is so many times as wide as reads are late */
    LEAST_WIDTH = 2048,  /* of a region, in transactions */
    MOST_WIDTH = 32768,
    MOST_REGIONS = 4, /* of a width */
};

/* The refutation of fewest rounds so far; rounds is 0 if there is none. */
struct best {
    uint32_t rounds;
    const struct poly_candidate *cycle; /* NULL: all that was forced has one */
    struct poly_range range;
    struct poly_inferred_vec forced;
};

/* How much later than its version was written a read is, on average, in ranks. */
static uint64_t measure_lateness(const struct poly_local *l)
{
    const struct poly *poly = l->poly;
    uint64_t sum = 0, count = 0;
    for (version_id v = { 0 }; v.ix < poly->versions->count; v.ix++) {
        const uint32_t writer = version_txn(poly->versions, v);
        const uint32_t *first = &poly->reads->reader_first[v.ix];
        for (uint32_t i = first[0]; writer != ESSE_NO_TXN && i < first[1]; i++) {
            const uint32_t reader =
                versions_key_access(poly->versions, poly->reads->reader[i])->txn;
            const bool is_later = l->rank[reader] > l->rank[writer];
            sum += is_later ? l->rank[reader] - l->rank[writer] : 0;
            count += is_later;
        }
    }
    return count ? sum / count : 0;
}

/* What forces an order is a path of some reads. */
static uint32_t estimate_width(const struct poly_local *l)
{
    const uint64_t width = READS_OF_A_PATH * measure_lateness(l);
    return width < LEAST_WIDTH ? LEAST_WIDTH : width > MOST_WIDTH ? MOST_WIDTH : (uint32_t)width;
}

static void keep(struct poly_local *l, struct best *best, uint32_t rounds, struct poly_range range,
                 const struct poly_candidate *cycle)
{
    best->rounds = rounds;
    best->cycle = cycle;
    best->range = range;
    best->forced.count = 0;
    for (size_t i = 0; i < l->forced.count; i++)
        poly_inferred_vec_push(&best->forced, l->arena, l->forced.at[i]);
}

/* Regions of a width around the shortest cycles, until one is refuted in one round. */
static void try_regions(struct poly_local *l, struct poly_region *region, uint32_t width,
                        struct best *best)
{
    struct poly_range range = { 1, 0 };
    for (size_t i = 0, tried = 0; i < l->candidates.count && tried < MOST_REGIONS; i++) {
        const version_id version = { l->orders.at[l->candidates.at[i].first] };
        const uint32_t middle = l->rank[version_txn(l->poly->versions, version)];
        if (range.low <= middle + width / 4 && range.high >= middle + width / 4)
            continue; /* the last region had it */
        range =
            (struct poly_range){ middle > width / 2 ? middle - width / 2 : 0, middle + width / 2 };
        const struct poly_candidate *cycle;
        const uint32_t most = best->rounds ? best->rounds - 1 : MOST_ROUNDS;
        const uint32_t rounds = poly_region_settle(l, region, range, most, &cycle);
        if (rounds)
            keep(l, best, rounds, range, cycle);
        poly_region_leave(l, region);
        l->regions++;
        tried++;
        if (best->rounds == 1 || !esse_budget_poll(l->poly->budget, i))
            return;
    }
}

/* The orders go into the graph: those of the cycle, or all. */
static void take(struct poly_local *l, const struct best *best)
{
    struct poly *poly = l->poly;
    for (size_t i = 0; i < best->forced.count; i++) {
        poly_inferred_vec_push(&poly->inferred, poly->graph_arena, best->forced.at[i]);
        if (!best->cycle)
            poly_inferred_vec_push(&poly->covers, poly->graph_arena, best->forced.at[i]);
    }
    for (uint32_t i = 0; best->cycle && i < best->cycle->count; i++) {
        const version_id a = { l->orders.at[best->cycle->first + i] };
        poly_inferred_vec_push(&poly->covers, poly->graph_arena,
                               (struct poly_inferred){ .a = a, .b = l->next[a.ix] });
    }
    poly_known_draw(poly, &poly->known, true);
    poly->near = poly->layout->rank;
    poly->near_low = best->range.low;
    poly->near_high = best->range.high;
}

static bool refute(struct poly_local *l)
{
    const uint32_t txns = l->poly->versions->history->txns;
    struct poly_region *region = poly_region_new(l);
    struct best best = { 0 };
    for (uint32_t width = estimate_width(l); !best.rounds && width <= MOST_WIDTH; width *= 2) {
        try_regions(l, region, width, &best);
        if (width > txns || esse_budget_spent(l->poly->budget))
            break;
    }
    if (best.rounds)
        take(l, &best);
    return best.rounds > 0;
}

void poly_local_prepare(struct poly_local *l)
{
    const struct poly *poly = l->poly;
    const uint32_t txns = poly->versions->history->txns;
    const size_t versions = poly->versions->count + (size_t)1;
    l->at_rank = esse_arena_array(l->arena, txns + (size_t)1, *l->at_rank);
    for (uint32_t txn = 0; txn < txns; txn++)
        l->at_rank[l->rank[txn]] = txn;
    poly_group_versions(poly, l->arena, &l->installed, &l->read);
    l->next = esse_arena_array(l->arena, versions, *l->next);
    l->later = esse_arena_array(l->arena, versions, *l->later);
    memset(l->later, 0xff, versions * sizeof *l->later);
    poly_guess_make(l);
}

static void tell(const struct poly_local *l, double started)
{
    struct esse_phase *phase = poly_phase(l->poly, "local refutation", started);
    phase->counts[0].what = "cycles of the guess";
    phase->counts[0].count = l->candidates.count;
    phase->counts[1].what = "regions";
    phase->counts[1].count = l->regions;
    phase->counts[2].what = "rounds";
    phase->counts[2].count = l->rounds;
}

bool poly_refute_locally(struct poly *poly)
{
    assert(!poly->time); /* a chain of time nodes would be a node of every region */
    assert(poly->level->cycle > ESSE_CYCLE_ONE_RW);
    struct poly_local l = { .poly = poly, .arena = esse_arena_new(), .rank = poly->layout->rank };
    const double started = esse_clock_seconds();
    esse_budget_phase(poly->budget, "looking for a local refutation", 0);
    poly_local_prepare(&l);
    const bool refuted = poly_guess_cycles(&l) && refute(&l);
    tell(&l, started);
    esse_arena_free(l.arena);
    ESSE_SEAM(poly_valid(poly));
    return refuted;
}
