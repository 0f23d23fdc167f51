#ifndef ESSE_BASE_ARENA_H
#define ESSE_BASE_ARENA_H

#include "esse/esse.h"

/*
 * Memory with one lifetime.  Small things are cut from chunks and have no free.  Arrays that grow
 * are blocks: they move with realloc, which for large ones moves pages, not bytes, so a column of
 * ten million entries costs what it holds and no second copy while it grows.
 *
 * Running out of memory abandons what the guard is around (guard.h), and aborts where there is
 * none.
 *
 * Cost: alloc O(1); grow amortised O(1) per byte; free O(chunks + blocks).
 */

/* 'count' things of 'size' bytes, zeroed. */
void *esse_arena_alloc(struct esse_arena *arena, size_t count, size_t size);

/* A copy of 'length' bytes and a terminating zero. */
char *esse_arena_text(struct esse_arena *arena, const char *text, size_t length);

/* A text made as by printf. */
char *esse_arena_format(struct esse_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Makes or resizes a block; 'block' is NULL or came from here.  New bytes are not zeroed. */
void *esse_arena_grow(struct esse_arena *arena, void *block, size_t bytes);

/* A block of 'count' things of the type 'of', or of the type of the expression 'of', such as
 * '*rows': as it comes, all zero, or all 0xff, which is an id that names nothing. */
#define esse_arena_array(arena, count, of)                                                         \
    ((__typeof__(of) *)esse_arena_block(arena, count, sizeof(of)))
#define esse_arena_zeros(arena, count, of)                                                         \
    ((__typeof__(of) *)esse_arena_filled(arena, count, sizeof(of), 0))
#define esse_arena_none(arena, count, of)                                                          \
    ((__typeof__(of) *)esse_arena_filled(arena, count, sizeof(of), 0xff))
void *esse_arena_block(struct esse_arena *arena, size_t count, size_t size);
void *esse_arena_filled(struct esse_arena *arena, size_t count, size_t size, int byte);

/* Gives a block back early.  NULL is fine. */
void esse_arena_drop(struct esse_arena *arena, void *block);

/* Everything in it is gone, and its room is used again: a scratch arena is emptied over and over.
 * O(bytes that were used). */
void esse_arena_clear(struct esse_arena *arena);

/* Everything in 'other' lives as long as what is in 'arena' from now on; 'other' itself is gone. */
void esse_arena_adopt(struct esse_arena *arena, struct esse_arena *other);

/* Bytes held by all arenas of the process. */
uint64_t esse_arena_in_use(void);

#endif
