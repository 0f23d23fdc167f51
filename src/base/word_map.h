#ifndef ESSE_BASE_WORD_MAP_H
#define ESSE_BASE_WORD_MAP_H

#include "base/arena.h"
#include "base/hash.h"

/*
 * A map from 64-bit words to numbers that is filled, asked and emptied over and over, once for
 * every key of a history say.  The word is in the slot, so a look-up is one cache miss at most.
 *
 *     esse_word_map_clear(&map, arena, 100);   // room for 100 words
 *     uint32_t *number = esse_word_map_put(&map, word, &fresh);
 *
 * A zeroed struct is an empty map without room.  Cost: 16 bytes a slot, filled at most to a half;
 * clearing is O(1) unless it grows; the others O(1) expected.
 */
struct esse_word_slot {
    uint64_t word;
    uint32_t number;
    uint32_t round; /* in use if it is the map's */
};

struct esse_word_map {
    struct esse_word_slot *slots;
    uint32_t mask, room, round;
};

/* Empties the map and makes room for 'count' words. */
void esse_word_map_clear(struct esse_word_map *map, struct esse_arena *arena, uint32_t count);
void esse_word_map_drop(struct esse_word_map *map, struct esse_arena *arena);

static inline struct esse_word_slot *esse_word_map_slot(const struct esse_word_map *map,
                                                        uint64_t word)
{
    uint32_t at = esse_hash_word(word) & map->mask;
    while (map->slots[at].round == map->round && map->slots[at].word != word)
        at = (at + 1) & map->mask;
    return &map->slots[at];
}

/* The word's number; 'fresh' says that it is new and its number must be set. */
static inline uint32_t *esse_word_map_put(struct esse_word_map *map, uint64_t word, bool *fresh)
{
    struct esse_word_slot *slot = esse_word_map_slot(map, word);
    *fresh = slot->round != map->round;
    slot->word = word;
    slot->round = map->round;
    return &slot->number;
}

/* The word's number, or 'otherwise' if it is not in the map. */
static inline uint32_t esse_word_map_get(const struct esse_word_map *map, uint64_t word,
                                         uint32_t otherwise)
{
    if (!map->slots)
        return otherwise;
    const struct esse_word_slot *slot = esse_word_map_slot(map, word);
    return slot->round == map->round ? slot->number : otherwise;
}

#endif
