#include "formats/ahead.h"

#include "base/threads.h"

#include <string.h>

enum { BLOCK_ROOM = 1 << 20, BLOCKS = 2 };

struct block {
    char *bytes;
    size_t count, taken;
    bool is_last; /* nothing follows: the end, or a failure */
};

struct esse_ahead {
    struct esse_arena *arena;
    esse_ahead_reader *reader;
    void *context;
    pthread_t thread;
    struct esse_handover handover;
    struct block blocks[BLOCKS];
    bool failed; /* after the last block, with this error */
    struct esse_error error;
};

static void fill(struct esse_ahead *ahead, struct block *block)
{
    bool ok = true;
    size_t got = 1;
    block->count = block->taken = 0;
    while (ok && got > 0 && block->count < BLOCK_ROOM) {
        ok = ahead->reader(ahead->context, block->bytes + block->count, BLOCK_ROOM - block->count,
                           &got, &ahead->error);
        block->count += got;
    }
    ahead->failed = !ok;
    block->is_last = !ok || got == 0;
}

static void *read_on(void *context)
{
    struct esse_ahead *ahead = context;
    bool is_last = false;
    for (unsigned slot; !is_last && esse_handover_free(&ahead->handover, &slot);) {
        fill(ahead, &ahead->blocks[slot]);
        is_last = ahead->blocks[slot].is_last; /* soon the taker's */
        esse_handover_give(&ahead->handover);
    }
    return NULL;
}

static void drop(struct esse_ahead *ahead)
{
    for (unsigned i = 0; i < BLOCKS; i++)
        esse_arena_drop(ahead->arena, ahead->blocks[i].bytes);
    esse_handover_release(&ahead->handover);
}

struct esse_ahead *esse_ahead_start(struct esse_arena *arena, esse_ahead_reader *reader,
                                    void *context)
{
    struct esse_ahead *ahead = esse_arena_alloc(arena, 1, sizeof *ahead);
    ahead->arena = arena;
    ahead->reader = reader;
    ahead->context = context;
    for (unsigned i = 0; i < BLOCKS; i++)
        ahead->blocks[i].bytes = esse_arena_grow(arena, NULL, BLOCK_ROOM);
    esse_handover_init(&ahead->handover, BLOCKS);
    if (esse_thread_start(&ahead->thread, read_on, ahead))
        return ahead;
    drop(ahead);
    return NULL;
}

bool esse_ahead_read(struct esse_ahead *ahead, char *to, size_t room, size_t *got,
                     struct esse_error *err)
{
    struct block *block = &ahead->blocks[esse_handover_take(&ahead->handover)];
    const size_t left = block->count - block->taken;
    *got = left < room ? left : room;
    if (!left) { /* only the last one is ever empty here */
        if (ahead->failed)
            *err = ahead->error;
        return !ahead->failed;
    }
    memcpy(to, block->bytes + block->taken, *got);
    block->taken += *got;
    if (block->taken == block->count && !block->is_last)
        esse_handover_return(&ahead->handover);
    return true;
}

void esse_ahead_close(struct esse_ahead *ahead)
{
    esse_handover_close(&ahead->handover);
    pthread_join(ahead->thread, NULL);
    drop(ahead);
}
