#ifndef ESSE_FORMATS_DEFLATE_H
#define ESSE_FORMATS_DEFLATE_H

#include <stddef.h>

struct esse_arena;

/* The bytes in zlib's format (RFC 1950), in the arena.  O(length). */
unsigned char *esse_deflate(struct esse_arena *arena, const void *bytes, size_t length,
                            size_t *count);

#endif
