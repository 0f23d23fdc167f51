#ifndef ESSE_BASE_OUT_H
#define ESSE_BASE_OUT_H

#include "base/error.h"

#include <string.h>

/*
 * Buffered output to a file descriptor or to memory.  A failed write is remembered, later output
 * is dropped, and esse_out_finish tells; so writers need not look at every call.
 *
 * Life: init_fd | init_memory -> put* -> finish.  The buffer lives in the arena.
 */
struct esse_out {
    struct esse_arena *arena;
    char *buffer;
    size_t count, room;
    int fd;     /* -1: memory */
    int failed; /* errno of the first failed write */
};

void esse_out_init_fd(struct esse_out *out, struct esse_arena *arena, int fd);
void esse_out_init_memory(struct esse_out *out, struct esse_arena *arena);

/* Makes sure that 'bytes' more fit; returns where they go. */
char *esse_out_room(struct esse_out *out, size_t bytes);

static inline void esse_out_char(struct esse_out *out, char c)
{
    if (out->count == out->room)
        esse_out_room(out, 1);
    out->buffer[out->count++] = c;
}

void esse_out_bytes(struct esse_out *out, const char *bytes, size_t length);

static inline void esse_out_text(struct esse_out *out, const char *text)
{
    esse_out_bytes(out, text, strlen(text));
}

void esse_out_i64(struct esse_out *out, int64_t value);
void esse_out_f(struct esse_out *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A JSON string with its quotes.  The bytes are UTF-8 and stay as they are; quotes, backslashes
 * and control characters are escaped. */
void esse_out_json(struct esse_out *out, const char *text, size_t length);

/* Writes out what is left.  False, with 'err' filled, if any write failed. */
bool esse_out_finish(struct esse_out *out, struct esse_error *err);

/* What was written to memory, terminated by a zero that does not count. */
const char *esse_out_memory(struct esse_out *out);

#endif
