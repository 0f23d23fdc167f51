#ifndef ESSE_EXPLORE_TRAIL_H
#define ESSE_EXPLORE_TRAIL_H

#include "base/arena.h"

/*
 * Memory for what a search goes back over: bytes are taken at the top and given back in reverse
 * order, all that was taken since a mark at once.  What was taken does not move.
 *
 * Cost: a comparison and an addition; it keeps the most that was ever needed.
 */
struct esse_trail_chunk {
    char *bytes;
    size_t room;
};

struct esse_trail {
    struct esse_arena *arena;
    struct esse_trail_chunk *chunks;
    uint32_t chunk, chunk_count, chunk_room;
    size_t used; /* of the chunk */
};

struct esse_trail_mark {
    uint32_t chunk;
    size_t used;
};

void esse_trail_init(struct esse_trail *trail, struct esse_arena *arena);
void *esse_trail_take_elsewhere(struct esse_trail *trail, size_t bytes);

static inline void *esse_trail_take(struct esse_trail *trail, size_t bytes)
{
    const size_t rounded = (bytes + 7) & ~(size_t)7;
    const struct esse_trail_chunk *chunk = &trail->chunks[trail->chunk];
    if (chunk->room - trail->used < rounded)
        return esse_trail_take_elsewhere(trail, rounded);
    void *at = chunk->bytes + trail->used;
    trail->used += rounded;
    return at;
}

static inline struct esse_trail_mark esse_trail_top(const struct esse_trail *trail)
{
    return (struct esse_trail_mark){ trail->chunk, trail->used };
}

static inline void esse_trail_back(struct esse_trail *trail, struct esse_trail_mark mark)
{
    trail->chunk = mark.chunk;
    trail->used = mark.used;
}

#endif
