#ifndef ESSE_FORMATS_BINARY_H
#define ESSE_FORMATS_BINARY_H

#include "base/error.h"
#include "formats/source.h"

#include <endian.h>
#include <inttypes.h>
#include <string.h>

/* Numbers of 64 bits at any place, and the checks that there are enough bytes for them. */

static inline int64_t esse_binary_le64(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return (int64_t)le64toh(word);
}

static inline int64_t esse_binary_be64(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return (int64_t)be64toh(word);
}

/* Fails with the offset of 'place' in the file, from 0: "byte 17: ...". */
bool esse_binary_fail(const struct esse_source *source, struct esse_error *err, const char *place,
                      const char *format, ...) __attribute__((format(printf, 4, 5)));

/* At least 'bytes' in the window from source->at; fails if the file ends within 'what'. */
bool esse_binary_fill(struct esse_source *source, size_t bytes, const char *what,
                      struct esse_error *err);

static inline bool esse_binary_need(struct esse_source *source, size_t bytes, const char *what,
                                    struct esse_error *err)
{
    return (size_t)(source->end - source->at) >= bytes ||
           esse_binary_fill(source, bytes, what, err);
}

/* Whether the file ends at source->at; false in 'ok' if it cannot be read. */
bool esse_binary_at_end(struct esse_source *source, bool *ok, struct esse_error *err);

#endif
