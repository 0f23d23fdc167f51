#include "collect/recover/bytes.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

bool esse_bytes_fail(struct esse_bytes *bytes, const char *format, ...)
{
    if (bytes->ok) {
        char text[sizeof bytes->err->text - 32];
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof text, format, args);
        va_end(args);
        esse_fail(bytes->err, ESSE_EINPUT, "byte %" PRIu64 ": %s",
                  bytes->base + (uint64_t)(bytes->at - bytes->start), text);
    }
    bytes->ok = false;
    bytes->at = bytes->end;
    return false;
}

const unsigned char *esse_bytes_take(struct esse_bytes *bytes, uint64_t length, const char *what)
{
    if (esse_bytes_left(bytes) < length) {
        esse_bytes_fail(bytes, "the message ends within %s", what);
        return NULL;
    }
    const unsigned char *at = bytes->at;
    bytes->at += length;
    return at;
}

uint64_t esse_bytes_be(struct esse_bytes *bytes, unsigned size, const char *what)
{
    const unsigned char *at = esse_bytes_take(bytes, size, what);
    uint64_t number = 0;
    for (unsigned i = 0; at && i < size; i++)
        number = number << 8 | at[i];
    return number;
}

uint64_t esse_bytes_le(struct esse_bytes *bytes, unsigned size, const char *what)
{
    const unsigned char *at = esse_bytes_take(bytes, size, what);
    uint64_t number = 0;
    for (unsigned i = size; at && i-- > 0;)
        number = number << 8 | at[i];
    return number;
}

struct esse_span esse_bytes_text(struct esse_bytes *bytes, const char *what)
{
    const unsigned char *zero = memchr(bytes->at, 0, esse_bytes_left(bytes));
    if (!zero) {
        esse_bytes_fail(bytes, "%s has no end", what);
        return (struct esse_span){ "", 0 };
    }
    const struct esse_span text = { (const char *)bytes->at, (size_t)(zero - bytes->at) };
    bytes->at = zero + 1;
    return text;
}
