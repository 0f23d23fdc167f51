#include "base/out.h"

#include "base/arena.h"

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

char *esse_out_room(struct esse_out *out, size_t bytes)
{
    if (out->room - out->count < bytes && out->fd >= 0)
        flush(out);
    if (out->room - out->count < bytes) {
        size_t room = out->room * 2 > 256 ? out->room * 2 : 256;
        out->room = room - out->count < bytes ? out->count + bytes : room;
        out->buffer = esse_arena_grow(out->arena, out->buffer, out->room);
    }
    return out->buffer + out->count;
}

void esse_out_bytes(struct esse_out *out, const char *bytes, size_t length)
{
    if (!length)
        return;
    memcpy(esse_out_room(out, length), bytes, length);
    out->count += length;
}

static const char pairs[] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536"
    "37383940414243444546474849505152535455565758596061626364656667686970717273"
    "7475767778798081828384858687888990919293949596979899";

void esse_out_i64(struct esse_out *out, int64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    for (; rest >= 100; rest /= 100) /* two at a time: a division is most of the cost */
        memcpy(digits + (at -= 2), pairs + 2 * (rest % 100), 2);
    if (rest >= 10)
        memcpy(digits + (at -= 2), pairs + 2 * rest, 2);
    else
        digits[--at] = (char)('0' + rest);
    if (value < 0)
        esse_out_char(out, '-');
    esse_out_bytes(out, digits + at, sizeof digits - at);
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
