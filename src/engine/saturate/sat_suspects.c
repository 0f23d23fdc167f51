#include "engine/saturate/sat_suspects.h"

#include "base/radix.h"

#include <string.h>

/* An access among those to the same key, in the order that is tried. */
struct entry {
    uint32_t unit, source, access;
};

ESSE_VEC(writer_vec, uint32_t)

struct grouping {
    const struct sat_units *units;
    struct entry *at;
    uint32_t *first; /* by key */
};

static void group(struct grouping *g, const struct sat_order *order)
{
    const struct sat_units *units = g->units;
    uint32_t *first = esse_arena_alloc(units->arena, units->history->keys + 2u, sizeof *first);
    for (uint32_t a = 0; a < units->accesses; a++)
        first[units->access[a].key + 2] += units->access[a].source != SAT_NOTHING;
    for (uint32_t key = 0; key < units->history->keys; key++)
        first[key + 2] += first[key + 1];
    g->first = first;
    g->at = esse_arena_grow(units->arena, NULL,
                            (first[units->history->keys + 1] + (size_t)1) * sizeof *g->at);
    for (uint32_t place = 0; place < units->count; place++) {
        uint32_t unit = sat_unit_at(order, place), end = sat_end(units, unit);
        for (uint32_t a = sat_first(units, unit); a < end; a++) {
            struct sat_access access = units->access[a];
            if (access.source != SAT_NOTHING)
                g->at[first[access.key + 1]++] = (struct entry){ unit, access.source, a };
        }
    }
}

/* The writers passed over, newest first, up to the one that was read. */
static void suspect(struct sat_suspect_vec *suspects, struct esse_arena *arena,
                    const struct writer_vec *writers, const struct entry *read, bool each)
{
    size_t from = suspects->count;
    for (size_t i = writers->count; i-- > 0 && writers->at[i] != read->source;) {
        if (!each && suspects->count - from == SAT_FEW) {
            suspects->count = from;
            sat_suspect_vec_push(suspects, arena,
                                 (struct sat_suspect){ read->unit, read->access, SAT_MANY });
            return;
        }
        sat_suspect_vec_push(suspects, arena,
                             (struct sat_suspect){ read->unit, read->access, writers->at[i] });
    }
}

/* Walks a key in the order: a read of the newest write so far passes over nothing. */
static void walk_key(struct sat_suspect_vec *suspects, const struct grouping *g, uint32_t key,
                     struct writer_vec *writers, bool each)
{
    writers->count = 0;
    for (uint32_t i = g->first[key]; i < g->first[key + 1]; i++) {
        const struct entry *entry = &g->at[i];
        uint32_t newest = writers->count ? writers->at[writers->count - 1] : SAT_INITIAL;
        if (entry->source == SAT_WRITES) {
            if (newest != entry->unit)
                writer_vec_push(writers, g->units->arena, entry->unit);
        } else if (entry->source != newest) {
            suspect(suspects, g->units->arena, writers, entry, each);
        }
    }
}

static void sort_by_reader(struct sat_suspect_vec *suspects, const struct sat_order *order,
                           struct esse_arena *arena)
{
    struct esse_pair *pairs = esse_arena_grow(arena, NULL, (suspects->count + 1) * sizeof *pairs);
    struct sat_suspect *sorted =
        esse_arena_grow(arena, NULL, (suspects->count + 1) * sizeof *sorted);
    for (size_t i = 0; i < suspects->count; i++)
        pairs[i] = (struct esse_pair){ sat_rank(order, suspects->at[i].reader), (uint32_t)i };
    esse_radix_sort(pairs, suspects->count, arena);
    for (size_t i = 0; i < suspects->count; i++)
        sorted[i] = suspects->at[pairs[i].id];
    if (suspects->count)
        memcpy(suspects->at, sorted, suspects->count * sizeof *sorted);
    esse_arena_drop(arena, sorted);
    esse_arena_drop(arena, pairs);
}

bool sat_suspects_find(struct sat_suspect_vec *suspects, const struct sat_units *units,
                       const struct sat_order *order, bool each, struct esse_budget *budget)
{
    struct grouping g = { .units = units };
    struct writer_vec writers = { 0 };
    bool ok = true;
    group(&g, order);
    esse_budget_phase(budget, "looking for stale reads", units->history->keys);
    for (uint32_t key = 0; key < units->history->keys && ok; key++) {
        walk_key(suspects, &g, key, &writers, each);
        ok = esse_budget_poll(budget, key);
    }
    esse_arena_drop(units->arena, g.at);
    writer_vec_drop(&writers, units->arena);
    sort_by_reader(suspects, order, units->arena);
    return ok;
}
