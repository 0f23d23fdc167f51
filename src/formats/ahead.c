#include "formats/ahead.h"

#include "base/threads.h"

#include <string.h>

enum { BLOCK_ROOM = 1 << 20, BLOCKS = 2 };

struct block {
    char *bytes;
    size_t count, taken;
    bool is_last; /* nothing follows: the end, or a failure */
};

/* blocks[first] and those after it, 'full' in number, are the taker's; the others the thread's. */
struct esse_ahead {
    struct esse_arena *arena;
    esse_ahead_reader *reader;
    void *context;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct block blocks[BLOCKS];
    unsigned first, full;
    bool is_closed;
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
    struct block *block;
    do {
        pthread_mutex_lock(&ahead->lock);
        while (ahead->full == BLOCKS && !ahead->is_closed)
            pthread_cond_wait(&ahead->changed, &ahead->lock);
        block = ahead->is_closed ? NULL : &ahead->blocks[(ahead->first + ahead->full) % BLOCKS];
        pthread_mutex_unlock(&ahead->lock);
        if (!block)
            break;
        fill(ahead, block);
        pthread_mutex_lock(&ahead->lock);
        ahead->full++;
        pthread_cond_signal(&ahead->changed);
        pthread_mutex_unlock(&ahead->lock);
    } while (!block->is_last);
    return NULL;
}

static void drop(struct esse_ahead *ahead)
{
    for (unsigned i = 0; i < BLOCKS; i++)
        esse_arena_drop(ahead->arena, ahead->blocks[i].bytes);
    pthread_cond_destroy(&ahead->changed);
    pthread_mutex_destroy(&ahead->lock);
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
    pthread_mutex_init(&ahead->lock, NULL);
    pthread_cond_init(&ahead->changed, NULL);
    if (esse_thread_start(&ahead->thread, read_on, ahead))
        return ahead;
    drop(ahead);
    return NULL;
}

/* The first block that is full. */
static struct block *wait_for_block(struct esse_ahead *ahead)
{
    pthread_mutex_lock(&ahead->lock);
    while (!ahead->full)
        pthread_cond_wait(&ahead->changed, &ahead->lock);
    pthread_mutex_unlock(&ahead->lock);
    return &ahead->blocks[ahead->first];
}

static void give_back(struct esse_ahead *ahead)
{
    pthread_mutex_lock(&ahead->lock);
    ahead->first = (ahead->first + 1) % BLOCKS;
    ahead->full--;
    pthread_cond_signal(&ahead->changed);
    pthread_mutex_unlock(&ahead->lock);
}

bool esse_ahead_read(struct esse_ahead *ahead, char *to, size_t room, size_t *got,
                     struct esse_error *err)
{
    struct block *block = wait_for_block(ahead);
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
        give_back(ahead);
    return true;
}

void esse_ahead_close(struct esse_ahead *ahead)
{
    pthread_mutex_lock(&ahead->lock);
    ahead->is_closed = true;
    pthread_cond_signal(&ahead->changed);
    pthread_mutex_unlock(&ahead->lock);
    pthread_join(ahead->thread, NULL);
    drop(ahead);
}
