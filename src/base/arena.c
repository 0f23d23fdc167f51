#include "base/arena.h"

#include "base/guard.h"

#include <assert.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    FIRST_CHUNK = 16 << 10,
    LARGEST_CHUNK = 1 << 20,
    LARGE_PAGE = 2 << 20,
    LARGE_BLOCK = 4 * LARGE_PAGE,
};

struct chunk {
    struct chunk *next;
    size_t bytes;
    max_align_t data[];
};

/* Blocks form a ring through the arena, so that any of them can leave it in O(1). */
struct link {
    struct link *prev, *next;
};

struct block {
    struct link link; /* first: a link of the ring is its block */
    size_t bytes;
    max_align_t data[];
};

struct esse_arena {
    struct esse_guarded guarded; /* first */
    struct link ring;            /* the head */
    struct chunk *chunks;
    char *at, *end;
    size_t next_chunk;
};

static _Atomic uint64_t in_use;

static void *or_give_up(void *memory)
{
    if (!memory)
        esse_guard_too_large();
    return memory;
}

struct esse_arena *esse_arena_new(void)
{
    struct esse_arena *arena = or_give_up(calloc(1, sizeof *arena));
    arena->ring.prev = arena->ring.next = &arena->ring;
    arena->next_chunk = FIRST_CHUNK;
    esse_guarded_add(&arena->guarded);
    return arena;
}

void esse_arena_free(struct esse_arena *arena)
{
    if (!arena)
        return;
    esse_guarded_remove(&arena->guarded);
    uint64_t bytes = 0;
    for (struct link *link = arena->ring.next, *next; link != &arena->ring; link = next) {
        next = link->next;
        bytes += ((struct block *)link)->bytes;
        free(link);
    }
    for (struct chunk *chunk = arena->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        bytes += chunk->bytes;
        free(chunk);
    }
    free(arena);
    atomic_fetch_sub_explicit(&in_use, bytes, memory_order_relaxed);
}

static void add_chunk(struct esse_arena *arena, size_t at_least)
{
    size_t bytes = arena->next_chunk > at_least ? arena->next_chunk : at_least;
    esse_guard_ask(bytes);
    struct chunk *chunk = or_give_up(calloc(1, sizeof *chunk + bytes));
    chunk->next = arena->chunks;
    chunk->bytes = bytes;
    arena->chunks = chunk;
    arena->at = (char *)chunk->data;
    arena->end = arena->at + bytes;
    if (arena->next_chunk < LARGEST_CHUNK)
        arena->next_chunk *= 2;
    atomic_fetch_add_explicit(&in_use, bytes, memory_order_relaxed);
}

static size_t bytes_of(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2)
        or_give_up(NULL);
    return bytes;
}

void *esse_arena_alloc(struct esse_arena *arena, size_t count, size_t size)
{
    size_t bytes = bytes_of(count, size);
    bytes = (bytes + _Alignof(max_align_t) - 1) & ~(_Alignof(max_align_t) - 1);
    if ((size_t)(arena->end - arena->at) < bytes || !arena->at)
        add_chunk(arena, bytes);
    void *memory = arena->at;
    arena->at += bytes;
    return memory;
}

char *esse_arena_text(struct esse_arena *arena, const char *text, size_t length)
{
    char *copy = esse_arena_alloc(arena, length + 1, 1);
    memcpy(copy, text, length);
    return copy;
}

char *esse_arena_format(struct esse_arena *arena, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    assert(length >= 0);
    char *text = esse_arena_alloc(arena, (size_t)length + 1, 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

static struct block *block_of(void *data)
{
    return (struct block *)((char *)data - offsetof(struct block, data));
}

/* A large column costs the kernel as much to hand out, page by page, as us to fill it; in large
 * pages it does not.  Only whole ones, so that nothing is held that was not asked for. */
static void use_large_pages(void *memory, size_t bytes)
{
    uintptr_t begin = ((uintptr_t)memory + LARGE_PAGE - 1) & ~(uintptr_t)(LARGE_PAGE - 1);
    uintptr_t end = ((uintptr_t)memory + bytes) & ~(uintptr_t)(LARGE_PAGE - 1);
    if (begin < end)
        madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}

void *esse_arena_grow(struct esse_arena *arena, void *data, size_t bytes)
{
    struct block *block = data ? block_of(data) : NULL;
    size_t before = block ? block->bytes : 0;
    if (bytes > SIZE_MAX / 2)
        or_give_up(NULL);
    if (bytes > before)
        esse_guard_ask(bytes - before);
    struct block *grown = or_give_up(realloc(block, sizeof *grown + bytes));
    if (!block && bytes >= LARGE_BLOCK)
        use_large_pages(grown, sizeof *grown + bytes);
    if (!block) {
        grown->link.prev = &arena->ring;
        grown->link.next = arena->ring.next;
    }
    grown->link.prev->next = &grown->link;
    grown->link.next->prev = &grown->link;
    grown->bytes = bytes;
    atomic_fetch_add_explicit(&in_use, (uint64_t)bytes - before, memory_order_relaxed);
    return grown->data;
}

void *esse_arena_block(struct esse_arena *arena, size_t count, size_t size)
{
    return esse_arena_grow(arena, NULL, bytes_of(count, size));
}

void *esse_arena_filled(struct esse_arena *arena, size_t count, size_t size, int byte)
{
    return memset(esse_arena_block(arena, count, size), byte, count * size);
}

void esse_arena_drop(struct esse_arena *arena, void *data)
{
    (void)arena;
    if (!data)
        return;
    struct block *block = block_of(data);
    block->link.prev->next = block->link.next;
    block->link.next->prev = block->link.prev;
    atomic_fetch_sub_explicit(&in_use, block->bytes, memory_order_relaxed);
    free(block);
}

/* Small things must be zero when they are had: the newest chunk stays, as far as it was used
 * cleaned. */
void esse_arena_clear(struct esse_arena *arena)
{
    uint64_t bytes = 0;
    for (struct link *link = arena->ring.next, *next; link != &arena->ring; link = next) {
        next = link->next;
        bytes += ((struct block *)link)->bytes;
        free(link);
    }
    arena->ring.prev = arena->ring.next = &arena->ring;
    if (arena->chunks) {
        for (struct chunk *chunk = arena->chunks->next, *next; chunk; chunk = next) {
            next = chunk->next;
            bytes += chunk->bytes;
            free(chunk);
        }
        arena->chunks->next = NULL;
        memset(arena->chunks->data, 0, (size_t)(arena->at - (char *)arena->chunks->data));
        arena->at = (char *)arena->chunks->data;
    }
    atomic_fetch_sub_explicit(&in_use, bytes, memory_order_relaxed);
}

void esse_arena_adopt(struct esse_arena *arena, struct esse_arena *other)
{
    struct chunk **last = &arena->chunks;
    while (*last)
        last = &(*last)->next;
    *last = other->chunks;
    if (other->ring.next != &other->ring) {
        other->ring.next->prev = &arena->ring;
        other->ring.prev->next = arena->ring.next;
        arena->ring.next->prev = other->ring.prev;
        arena->ring.next = other->ring.next;
    }
    esse_guarded_remove(&other->guarded);
    free(other);
}

uint64_t esse_arena_in_use(void)
{
    return atomic_load_explicit(&in_use, memory_order_relaxed);
}
