#ifndef TESTS_UNIT_BINLOG_FILE_H
#define TESTS_UNIT_BINLOG_FILE_H

#include "collect/recover/binlog.h"
#include "collect/recover/bytes.h"

/* A whole file of events, with its four bytes of magic.  One that ends within an event, as a file
 * does that is still written, is an error at its offset. */
static inline bool binlog_file(struct esse_binlog *decoder, const void *bytes, size_t length,
                               struct esse_error *err)
{
    enum { HEADER_BYTES = 19 };
    static const unsigned char magic[] = { 0xfe, 'b', 'i', 'n' };
    struct esse_bytes b = esse_bytes_over(bytes, length, 0, err);
    const unsigned char *found = esse_bytes_take(&b, sizeof magic, "the magic");
    if (found && memcmp(found, magic, sizeof magic) != 0) {
        b.at = b.start;
        return esse_bytes_fail(&b, "this is no binary log");
    }
    while (b.ok && esse_bytes_left(&b)) {
        struct esse_bytes header = b;
        esse_bytes_take(&header, 4 + 1 + 4, "an event's header");
        const uint64_t size = esse_bytes_le(&header, 4, "an event's header");
        b.ok = header.ok;
        if (b.ok && size < HEADER_BYTES)
            return esse_bytes_fail(&b, "found an event of %llu bytes", (unsigned long long)size);
        const uint64_t offset = (uint64_t)(b.at - b.start);
        const unsigned char *event = b.ok ? esse_bytes_take(&b, size, "an event") : NULL;
        if (!event || !esse_binlog_event(decoder, event, (size_t)size, offset, err))
            return false;
    }
    return b.ok;
}

#endif
