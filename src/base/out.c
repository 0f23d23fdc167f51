#include "base/out.h"

#include "base/arena.h"
#include "base/put.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

enum { FILE_BUFFER = 256 << 10 };

void esse_out_init_fd(struct esse_out *out, struct esse_arena *arena, int fd)
{
    *out = (struct esse_out){ .arena = arena, .fd = fd, .room = FILE_BUFFER };
    out->buffer = esse_arena_grow(arena, NULL, out->room);
}

void esse_out_init_memory(struct esse_out *out, struct esse_arena *arena)
{
    *out = (struct esse_out){ .arena = arena, .fd = -1 };
}

static void flush(struct esse_out *out)
{
    size_t done = 0;
    while (!out->failed && done < out->count) {
        ssize_t got = write(out->fd, out->buffer + done, out->count - done);
        if (got >= 0)
            done += (size_t)got;
        else if (errno != EINTR)
            out->failed = errno;
    }
    out->count = 0;
}

void esse_out_grow(struct esse_out *out, size_t bytes)
{
    if (out->fd >= 0)
        flush(out);
    if (out->room - out->count < bytes) {
        size_t room = out->room * 2 > 256 ? out->room * 2 : 256;
        out->room = room - out->count < bytes ? out->count + bytes : room;
        out->buffer = esse_arena_grow(out->arena, out->buffer, out->room);
    }
}

void esse_out_i64(struct esse_out *out, int64_t value)
{
    esse_out_upto(out, esse_put_i64(esse_out_room(out, ESSE_PUT_I64_ROOM), value));
}

void esse_out_i64s(struct esse_out *out, const int64_t *numbers, size_t count)
{
    enum { AT_ONCE = 256 };
    for (size_t from = 0; from < count; from += AT_ONCE) {
        const size_t end = count - from < AT_ONCE ? count : from + AT_ONCE;
        char *at = esse_out_room(out, AT_ONCE * (1 + ESSE_PUT_I64_ROOM));
        for (size_t i = from; i < end; i++) {
            if (i)
                *at++ = ',';
            at = esse_put_i64(at, numbers[i]);
        }
        esse_out_upto(out, at);
    }
}

void esse_out_f(struct esse_out *out, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    assert(length >= 0);
    vsnprintf(esse_out_room(out, (size_t)length + 1), (size_t)length + 1, format, again);
    out->count += (size_t)length;
    va_end(again);
}

void esse_out_json(struct esse_out *out, const char *text, size_t length)
{
    static const char escape[32] = {
        ['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'
    };
    esse_out_char(out, '"');
    size_t from = 0;
    for (size_t at = 0; at < length; at++) {
        unsigned char c = (unsigned char)text[at];
        if (c >= 0x20 && c != '"' && c != '\\')
            continue;
        esse_out_bytes(out, text + from, at - from);
        from = at + 1;
        if (c >= 0x20)
            esse_out_f(out, "\\%c", c);
        else if (escape[c])
            esse_out_f(out, "\\%c", escape[c]);
        else
            esse_out_f(out, "\\u%04x", c);
    }
    esse_out_bytes(out, text + from, length - from);
    esse_out_char(out, '"');
}

bool esse_out_finish(struct esse_out *out, struct esse_error *err)
{
    if (out->fd >= 0)
        flush(out);
    if (out->failed)
        return esse_fail(err, ESSE_EIO, "cannot write: %s", strerror(out->failed));
    return true;
}

const char *esse_out_memory(struct esse_out *out)
{
    assert(out->fd < 0);
    *esse_out_room(out, 1) = '\0';
    return out->buffer;
}
