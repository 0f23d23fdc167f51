#ifndef ESSE_COLLECT_RECOVER_BYTES_H
#define ESSE_COLLECT_RECOVER_BYTES_H

#include "base/error.h"
#include "history/values.h"

#include <string.h>

/*
 * A message from outside, read from the front.  Every length is checked before it is used; once
 * something was missing or wrong the reader stands at the end, everything it returns is zero or
 * empty, and ok is false: so decoders read a whole group of fields and look once.  The error names
 * the offset of the first mistake, from 'base' on.
 */
struct esse_bytes {
    const unsigned char *start, *at, *end;
    uint64_t base; /* offset of 'start' in the stream */
    bool ok;
    struct esse_error *err;
};

static inline struct esse_bytes esse_bytes_over(const void *bytes, size_t length, uint64_t base,
                                                struct esse_error *err)
{
    const unsigned char *at = bytes;
    return (struct esse_bytes){ at, at, at + length, base, true, err };
}

static inline size_t esse_bytes_left(const struct esse_bytes *bytes)
{
    return (size_t)(bytes->end - bytes->at);
}

/* "byte 17: WHAT".  Only the first mistake is reported. */
bool esse_bytes_fail(struct esse_bytes *bytes, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The next 'length' bytes, which are passed over; NULL and failed if there are not as many. */
const unsigned char *esse_bytes_take(struct esse_bytes *bytes, uint64_t length, const char *what);

/* Integers of 'size' bytes, 1 to 8. */
uint64_t esse_bytes_be(struct esse_bytes *bytes, unsigned size, const char *what);
uint64_t esse_bytes_le(struct esse_bytes *bytes, unsigned size, const char *what);

/* Text up to a zero byte, which is passed over. */
struct esse_span esse_bytes_text(struct esse_bytes *bytes, const char *what);

#endif
