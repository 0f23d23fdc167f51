#include "base/word_map.h"

#include <assert.h>
#include <string.h>

/* The mask follows the count and not the room, so that small rounds stay in a small, warm part of
 * the slots. */
void esse_word_map_clear(struct esse_word_map *map, struct esse_arena *arena, uint32_t count)
{
    assert(count <= UINT32_C(1) << 30);
    uint32_t slots = 8;
    while (slots / 2 < count)
        slots *= 2;
    map->mask = slots - 1;
    if (slots > map->room) {
        map->slots = esse_arena_grow(arena, map->slots, slots * sizeof *map->slots);
        map->room = slots;
        map->round = UINT32_MAX;
    }
    if (++map->round == 0) {
        memset(map->slots, 0, map->room * sizeof *map->slots);
        map->round = 1;
    }
}

void esse_word_map_drop(struct esse_word_map *map, struct esse_arena *arena)
{
    esse_arena_drop(arena, map->slots);
    *map = (struct esse_word_map){ 0 };
}
