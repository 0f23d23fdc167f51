#include "explore/trail.h"

enum { CHUNK = 64 << 10 };

static void add_chunk(struct esse_trail *trail, size_t room)
{
    if (trail->chunk_count == trail->chunk_room) {
        trail->chunk_room = trail->chunk_room ? trail->chunk_room * 2 : 8;
        trail->chunks =
            esse_arena_grow(trail->arena, trail->chunks, trail->chunk_room * sizeof *trail->chunks);
    }
    trail->chunks[trail->chunk_count++] =
        (struct esse_trail_chunk){ esse_arena_block(trail->arena, room, 1), room };
}

void esse_trail_init(struct esse_trail *trail, struct esse_arena *arena)
{
    *trail = (struct esse_trail){ .arena = arena };
    add_chunk(trail, CHUNK);
}

/* In a chunk further up that is large enough; those between stay empty until the way back. */
void *esse_trail_take_elsewhere(struct esse_trail *trail, size_t bytes)
{
    do
        if (++trail->chunk == trail->chunk_count)
            add_chunk(trail, bytes > CHUNK ? 2 * bytes : CHUNK);
    while (trail->chunks[trail->chunk].room < bytes);
    trail->used = bytes;
    return trail->chunks[trail->chunk].bytes;
}
