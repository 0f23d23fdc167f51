#include "engine/dsg/dsg_ranges.h"

#include <string.h>

static void group_versions(struct dsg_ranges *ranges)
{
    const struct versions *versions = ranges->versions;
    struct esse_arena *arena = versions->arena;
    const size_t room = versions->history->txns + (size_t)2;
    uint32_t *first = esse_arena_zeros(arena, room, *first);
    ranges->place = esse_arena_array(arena, versions->count + (size_t)1, *ranges->place);
    for (version_id v = { 0 }; v.ix < versions->count; v.ix++) {
        const uint32_t txn = version_txn(versions, v);
        ranges->place[v.ix] =
            txn == ESSE_NO_TXN ? (esse_place){ ESSE_NO_PLACE } : versions->snapshots->place[txn];
        if (txn != ESSE_NO_TXN)
            first[txn + 2]++;
    }
    for (size_t t = 2; t < room; t++)
        first[t] += first[t - 1];
    ranges->installed = esse_arena_array(arena, versions->count + (size_t)1, version_id);
    for (version_id v = { 0 }; v.ix < versions->count; v.ix++)
        if (versions->write[v.ix].ix != ESSE_NO_KEY_ACCESS)
            ranges->installed[first[version_txn(versions, v) + 1]++] = v;
    ranges->installed_first = first;
}

void dsg_ranges_open(struct dsg_ranges *ranges, const struct versions *versions, uint32_t near)
{
    const struct esse_history *history = versions->history;
    struct esse_arena *arena = versions->arena;
    *ranges = (struct dsg_ranges){ .versions = versions, .near = near };
    ranges->placed = esse_arena_array(arena, history->keys + (size_t)1, uint8_t);
    ranges->key = esse_arena_array(arena, versions->count + (size_t)1, uint32_t);
    for (uint32_t key = 0; key < history->keys; key++) {
        ranges->placed[key] =
            dsg_is_ordered(versions, key) &&
            versions_placed(versions, versions->first[key], versions->first[key + 1]);
        for (version_id v = versions->first[key]; v.ix < versions->first[key + 1].ix; v.ix++)
            ranges->key[v.ix] = key;
    }
    group_versions(ranges);
}

version_id dsg_ranges_seen(const struct dsg_ranges *ranges, const struct esse_snapshot *snapshot,
                           uint32_t key)
{
    const version_id *first = &ranges->versions->first[key];
    const version_id middle = { first[0].ix + (first[1].ix - first[0].ix) / 2 };
    return ranges->placed[key] ? versions_at(ranges->versions, snapshot, first[0], first[1], middle)
                               : (version_id){ NO_VERSION };
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
    const uint32_t txns = ranges->versions->history->txns;
    ranges->count = reads->count;
    ranges->reads = reads->at;
    ranges->read_first =
        esse_arena_alloc(ranges->versions->arena, txns + (size_t)2, sizeof(uint32_t));
    for (size_t i = 0; i < reads->count; i++)
        ranges->read_first[reads->at[i].txn + 1]++;
    for (uint32_t t = 0; t < txns; t++)
        ranges->read_first[t + 1] += ranges->read_first[t];
}
