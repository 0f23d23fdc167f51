#include "base/index.h"

#include <assert.h>
#include <string.h>

static void place(struct esse_index *index, struct esse_slot slot)
{
    uint32_t at = slot.hash & index->mask;
    while (index->slots[at].id_plus_1)
        at = (at + 1) & index->mask;
    index->slots[at] = slot;
}

static void grow(struct esse_index *index, struct esse_arena *arena)
{
    struct esse_slot *old = index->slots;
    size_t old_room = old ? (size_t)index->mask + 1 : 0, room = old ? old_room * 2 : 16;
    assert(room <= (size_t)1 << 32);
    index->slots = esse_arena_zeros(arena, room, *old);
    index->mask = (uint32_t)(room - 1);
    for (size_t i = 0; i < old_room; i++)
        if (old[i].id_plus_1)
            place(index, old[i]);
    esse_arena_drop(arena, old);
}

void esse_index_add(struct esse_index *index, struct esse_arena *arena, uint32_t hash, uint32_t id)
{
    if (!index->slots || index->count >= (index->mask / 3 + 1) * 2 - 1)
        grow(index, arena);
    place(index, (struct esse_slot){ hash, id + 1 });
    index->count++;
}

void esse_index_drop(struct esse_index *index, struct esse_arena *arena)
{
    esse_arena_drop(arena, index->slots);
    *index = (struct esse_index){ 0 };
}

void esse_index_clear(struct esse_index *index)
{
    if (index->count)
        memset(index->slots, 0, ((size_t)index->mask + 1) * sizeof *index->slots);
    index->count = 0;
}
