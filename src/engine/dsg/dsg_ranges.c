#include "engine/dsg/dsg_ranges.h"

#include "base/radix.h"

#include <string.h>

/* ---- places ---- */

static bool is_placed(const struct dsg_ranges *ranges, uint32_t key)
{
    const struct versions *versions = ranges->versions;
    uint32_t next = 0; /* the first place that is free */
    if (!dsg_is_ordered(versions, key))
        return false;
    for (uint32_t v = versions->first[key] + 1; v < versions->first[key + 1]; v++) {
        const uint32_t place = dsg_version_place(ranges, v);
        if (place == ESSE_NO_PLACE || place < next)
            return false;
        next = place + 1;
    }
    return true;
}

static void group_versions(struct dsg_ranges *ranges)
{
    const struct versions *versions = ranges->versions;
    struct esse_arena *arena = versions->arena;
    const size_t room = versions->history->txns + (size_t)2;
    uint32_t *first = esse_arena_grow(arena, NULL, room * sizeof *first);
    memset(first, 0, room * sizeof *first);
    for (uint32_t v = 0; v < versions->count; v++)
        if (versions->write[v] != ESSE_NO_TOUCH)
            first[version_txn(versions, v) + 2]++;
    for (size_t t = 2; t < room; t++)
        first[t] += first[t - 1];
    ranges->installed =
        esse_arena_grow(arena, NULL, (versions->count + (size_t)1) * sizeof(uint32_t));
    for (uint32_t v = 0; v < versions->count; v++)
        if (versions->write[v] != ESSE_NO_TOUCH)
            ranges->installed[first[version_txn(versions, v) + 1]++] = v;
    ranges->installed_first = first;
}

void dsg_ranges_open(struct dsg_ranges *ranges, const struct versions *versions)
{
    const struct esse_history *history = versions->history;
    struct esse_arena *arena = versions->arena;
    *ranges = (struct dsg_ranges){ .versions = versions };
    esse_snapshots_find(&ranges->snapshots, arena, history);
    ranges->placed = esse_arena_grow(arena, NULL, history->keys + (size_t)1);
    ranges->key = esse_arena_grow(arena, NULL, (versions->count + (size_t)1) * sizeof(uint32_t));
    for (uint32_t key = 0; key < history->keys; key++) {
        ranges->placed[key] = is_placed(ranges, key);
        for (uint32_t v = versions->first[key]; v < versions->first[key + 1]; v++)
            ranges->key[v] = key;
    }
    group_versions(ranges);
}

uint32_t dsg_ranges_seen(const struct dsg_ranges *ranges, const struct esse_snapshot *snapshot,
                         uint32_t key)
{
    const struct versions *versions = ranges->versions;
    uint32_t low = versions->first[key], high = versions->first[key + 1];
    if (!ranges->placed[key])
        return NO_VERSION;
    while (high - low > 1) { /* 'low' was committed before */
        const uint32_t middle = low + (high - low) / 2;
        if (dsg_version_place(ranges, middle) < snapshot->before)
            low = middle;
        else
            high = middle;
    }
    while (low > versions->first[key] && !snapshot->is_prefix &&
           !esse_snapshot_sees(&ranges->snapshots, snapshot, version_txn(versions, low)))
        low--;
    return low;
}

bool dsg_ranges_all_placed(const struct dsg_ranges *ranges)
{
    for (uint32_t key = 0; key < ranges->versions->history->keys; key++)
        if (!ranges->placed[key])
            return false;
    return true;
}

void dsg_ranges_close(struct dsg_ranges *ranges, const struct dsg_range_read_vec *reads)
{
    struct esse_arena *arena = ranges->versions->arena;
    const uint32_t txns = ranges->versions->history->txns;
    const size_t count = ranges->count = reads->count;
    struct esse_pair *pairs = esse_arena_grow(arena, NULL, (count + 1) * sizeof *pairs);
    ranges->reads = esse_arena_grow(arena, NULL, (count + 1) * sizeof *ranges->reads);
    ranges->read_first = esse_arena_alloc(arena, txns + (size_t)2, sizeof(uint32_t));
    for (size_t i = 0; i < count; i++) {
        pairs[i] = (struct esse_pair){ reads->at[i].op, (uint32_t)i };
        ranges->read_first[reads->at[i].txn + 1]++;
    }
    esse_radix_sort(pairs, count, arena);
    for (size_t i = 0; i < count; i++)
        ranges->reads[i] = reads->at[pairs[i].id];
    for (uint32_t t = 0; t < txns; t++)
        ranges->read_first[t + 1] += ranges->read_first[t];
    esse_arena_drop(arena, pairs);
}
