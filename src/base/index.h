#ifndef ESSE_BASE_INDEX_H
#define ESSE_BASE_INDEX_H

#include "base/arena.h"

/*
 * A hash index: from a 32-bit hash to the ids (0, 1, 2 ...) of things that the caller keeps.  The
 * caller compares; the index only narrows down.
 *
 *     struct esse_probe probe = esse_index_probe(&index, hash);
 *     for (uint32_t id; esse_probe_next(&probe, &id);)
 *         if (things[id] is the one)
 *             return id;
 *     esse_index_add(&index, arena, hash, id of the new thing);
 *
 * A zeroed struct is an empty index.  Cost: 8 bytes a slot, filled at most to two thirds;
 * operations O(1) expected.
 */
struct esse_slot {
    uint32_t hash;
    uint32_t id_plus_1; /* 0: free */
};

struct esse_index {
    struct esse_slot *slots;
    uint32_t mask, count;
};

struct esse_probe {
    const struct esse_slot *slots;
    uint32_t mask, at, hash;
};

static inline struct esse_probe esse_index_probe(const struct esse_index *index, uint32_t hash)
{
    return (struct esse_probe){ index->slots, index->mask, hash & index->mask, hash };
}

static inline bool esse_probe_next(struct esse_probe *probe, uint32_t *id)
{
    if (!probe->slots)
        return false;
    for (;;) {
        struct esse_slot slot = probe->slots[probe->at];
        if (!slot.id_plus_1)
            return false;
        probe->at = (probe->at + 1) & probe->mask;
        if (slot.hash == probe->hash) {
            *id = slot.id_plus_1 - 1;
            return true;
        }
    }
}

void esse_index_add(struct esse_index *index, struct esse_arena *arena, uint32_t hash, uint32_t id);
void esse_index_drop(struct esse_index *index, struct esse_arena *arena);
/* Empties it and keeps its room.  O(slots). */
void esse_index_clear(struct esse_index *index);

#endif
