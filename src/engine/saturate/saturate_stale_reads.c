#include "engine/saturate/saturate_stale_reads.h"

#include "base/checked.h"
#include "base/radix.h"

#include <string.h>

/* An access among those to the same key, in the order that is tried. */
struct entry {
    uint32_t unit, source, access;
};

struct grouping {
    const struct saturate_units *units;
    struct entry *at;
    uint32_t *first; /* by key */
};

/* What a worker has and found. */
struct walker {
    struct esse_arena *arena;
    struct saturate_stale_read_vec stale_reads;
    struct esse_u32_vec writers; /* of the key at hand, so far */
};

/* Where the stale reads of a piece of the keys are. */
struct found {
    unsigned worker;
    size_t begin, count;
};

struct walking {
    struct grouping grouping;
    bool each;
    struct esse_worker *workers;
    struct found *found; /* by piece */
};

static void group(struct grouping *g, const struct saturate_order *order)
{
    const struct saturate_units *units = g->units;
    uint32_t *first = esse_arena_alloc(units->arena, units->history->keys + 2u, sizeof *first);
    for (uint32_t unit = 0; unit < units->count; unit++)
        for (uint32_t a = saturate_first(units, unit); saturate_has(units, unit, a); a++)
            first[units->access[a].key + 2] += units->access[a].source != SATURATE_NOTHING;
    for (uint32_t key = 0; key < units->history->keys; key++)
        first[key + 2] += first[key + 1];
    g->first = first;
    g->at = esse_arena_array(units->arena, first[units->history->keys + 1] + (size_t)1, *g->at);
    for (uint32_t place = 0; place < units->count; place++) {
        uint32_t unit = saturate_unit_at(order, place);
        for (uint32_t a = saturate_first(units, unit); saturate_has(units, unit, a); a++) {
            struct saturate_access access = units->access[a];
            if (access.source != SATURATE_NOTHING)
                g->at[first[access.key + 1]++] = (struct entry){ unit, access.source, a };
        }
    }
}

/* The writers passed over, newest first, up to the one that was read. */
static void add_stale_reads(struct walker *walker, const struct entry *read, bool each)
{
    ESSE_HOT_ASSERT(read->source != SATURATE_WRITES);
    struct saturate_stale_read_vec *stale_reads = &walker->stale_reads;
    const struct esse_u32_vec *writers = &walker->writers;
    size_t from = stale_reads->count;
    for (size_t i = writers->count; i-- > 0 && writers->at[i] != read->source;) {
        if (!each && stale_reads->count - from == SATURATE_FEW) {
            stale_reads->count = from;
            saturate_stale_read_vec_push(
                stale_reads, walker->arena,
                (struct saturate_stale_read){ read->unit, read->access, SATURATE_MANY });
            return;
        }
        saturate_stale_read_vec_push(
            stale_reads, walker->arena,
            (struct saturate_stale_read){ read->unit, read->access, writers->at[i] });
    }
}

/* Walks a key in the order: a read of the newest write so far passes over nothing. */
static void walk_key(struct walker *walker, const struct grouping *g, uint32_t key, bool each)
{
    struct esse_u32_vec *writers = &walker->writers;
    writers->count = 0;
    for (uint32_t i = g->first[key]; i < g->first[key + 1]; i++) {
        const struct entry *entry = &g->at[i];
        uint32_t newest = writers->count ? writers->at[writers->count - 1] : SATURATE_INITIAL;
        if (entry->source == SATURATE_WRITES) {
            if (newest != entry->unit)
                esse_u32_vec_push(writers, walker->arena, entry->unit);
        } else if (entry->source != newest) {
            add_stale_reads(walker, entry, each);
        }
    }
}

static bool walk_keys(void *context, const struct esse_piece *piece)
{
    const struct walking *w = context;
    struct walker *walker = w->workers[piece->worker].state;
    walker->arena = w->workers[piece->worker].arena;
    size_t begin = walker->stale_reads.count;
    for (uint32_t key = piece->begin; key < piece->end; key++)
        walk_key(walker, &w->grouping, key, w->each);
    w->found[piece->number] =
        (struct found){ piece->worker, begin, walker->stale_reads.count - begin };
    return true;
}

/* In the order of the keys, whichever thread found them. */
static void gather(struct saturate_stale_read_vec *stale_reads, const struct walking *w,
                   uint32_t pieces)
{
    for (uint32_t i = 0; i < pieces; i++) {
        const struct found *found = &w->found[i];
        const struct walker *walker = w->workers[found->worker].state;
        saturate_stale_read_vec_append(stale_reads, w->grouping.units->arena,
                                       walker->stale_reads.at + found->begin, found->count);
    }
}

static void sort_by_reader(struct saturate_stale_read_vec *stale_reads,
                           const struct saturate_order *order, struct esse_arena *arena)
{
    struct esse_pair *pairs = esse_arena_array(arena, stale_reads->count + 1, *pairs);
    struct saturate_stale_read *sorted = esse_arena_array(arena, stale_reads->count + 1, *sorted);
    for (size_t i = 0; i < stale_reads->count; i++)
        pairs[i] =
            (struct esse_pair){ saturate_rank(order, stale_reads->at[i].reader), (uint32_t)i };
    esse_radix_sort(pairs, stale_reads->count, arena);
    for (size_t i = 0; i < stale_reads->count; i++)
        sorted[i] = stale_reads->at[pairs[i].id];
    if (stale_reads->count)
        memcpy(stale_reads->at, sorted, stale_reads->count * sizeof *sorted);
    esse_arena_drop(arena, sorted);
    esse_arena_drop(arena, pairs);
}

bool saturate_stale_reads_find(struct saturate_stale_read_vec *stale_reads,
                               const struct saturate_units *units,
                               const struct saturate_order *order, bool each,
                               struct esse_budget *budget)
{
    struct esse_arena *arena = units->arena;
    struct walking w = { .grouping = { .units = units }, .each = each };
    const struct esse_loop loop = saturate_loop(units, walk_keys, &w, budget);
    const uint32_t pieces = esse_loop_pieces(&loop);
    group(&w.grouping, order);
    w.workers = esse_workers_new(arena, loop.threads, sizeof(struct walker));
    w.found = esse_arena_alloc(arena, pieces, sizeof *w.found);
    esse_budget_phase(budget, "looking for stale reads", units->history->keys);
    bool ok = esse_loop_run(&loop);
    esse_arena_drop(arena, w.grouping.at);
    gather(stale_reads, &w, pieces);
    esse_workers_free(w.workers, loop.threads);
    sort_by_reader(stale_reads, order, units->arena);
    return ok;
}
