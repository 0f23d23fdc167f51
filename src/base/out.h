#ifndef ESSE_BASE_OUT_H
#define ESSE_BASE_OUT_H

#include "base/error.h"

#include <string.h>

/*
 * Buffered output to a file descriptor or to memory.  A failed write is remembered, later output
 * is dropped, and esse_out_finish says so; so writers need not look at every call.
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

void esse_out_grow(struct esse_out *out, size_t bytes);

/* Makes sure that 'bytes' more fit; returns where they go.  For put.h, and then esse_out_upto(). */
static inline char *esse_out_room(struct esse_out *out, size_t bytes)
{
    if (out->room - out->count < bytes)
        esse_out_grow(out, bytes);
    return out->buffer + out->count;
}

/* What was put there, up to 'end', is output now. */
static inline void esse_out_upto(struct esse_out *out, const char *end)
{
    out->count = (size_t)(end - out->buffer);
}

static inline void esse_out_char(struct esse_out *out, char c)
{
    *esse_out_room(out, 1) = c;
    out->count++;
}

/* Here, so that the bytes of a literal become a few moves. */
static inline void esse_out_bytes(struct esse_out *out, const char *bytes, size_t length)
{
    if (!length)
        return;
    memcpy(esse_out_room(out, length), bytes, length);
    out->count += length;
}

static inline void esse_out_text(struct esse_out *out, const char *text)
{
    esse_out_bytes(out, text, strlen(text));
}

void esse_out_i64(struct esse_out *out, int64_t value);
/* With commas between them; several times as fast as one by one. */
void esse_out_i64s(struct esse_out *out, const int64_t *numbers, size_t count);
void esse_out_f(struct esse_out *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A JSON string with its quotes.  The bytes are UTF-8 and stay as they are; quotes, backslashes
 * and control characters are escaped. */
void esse_out_json(struct esse_out *out, const char *text, size_t length);

static inline void esse_out_json_text(struct esse_out *out, const char *text)
{
    esse_out_json(out, text, strlen(text));
}

/* ,"NAME":"TEXT" */
static inline void esse_out_json_member(struct esse_out *out, const char *name, const char *text)
{
    esse_out_f(out, ",\"%s\":", name);
    esse_out_json_text(out, text);
}

/* Writes out what is left.  False, with 'err' filled, if any write failed. */
bool esse_out_finish(struct esse_out *out, struct esse_error *err);

/* What was written to memory, terminated by a zero that does not count. */
const char *esse_out_memory(struct esse_out *out);

#endif
