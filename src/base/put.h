#ifndef ESSE_BASE_PUT_H
#define ESSE_BASE_PUT_H

#include "base/digits.h"

/*
 * Short texts at a pointer, where there is room for them: what esse_out_room() gave, say.  Every
 * function returns the end of what it has put.
 *
 * For lines that are put by the million.  Bytes that are put into an esse_out may, for all that the
 * compiler knows, change its members, so every piece loads and stores them again; a pointer of the
 * caller's own stays in a register, and one number is put while the digits of the next are made.
 */

enum { ESSE_PUT_I64_ROOM = 1 + ESSE_DIGITS_ROOM }; /* that the next one may overwrite */

static inline char *esse_put_text(char *to, const char *text)
{
    const size_t length = strlen(text);
    memcpy(to, text, length);
    return to + length;
}

static inline char *esse_put_i64(char *to, int64_t number)
{
    if (number < 0)
        *to++ = '-';
    return to + esse_digits_put(to, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
}

/*
 * Times of one clock, one after the other: for a tenth of a second, if they are nanoseconds, they
 * have all but their last eight digits in common, and those are kept as text.  That takes 4 ns
 * where esse_put_i64() takes 10.  A zeroed struct is ready for use.
 */
struct esse_put_times {
    uint64_t high; /* a time without its last eight digits */
    size_t length;
    char text[16];
};

static inline char *esse_put_time(struct esse_put_times *times, char *to, int64_t time)
{
    const int64_t part = 100000000;
    if (time < part)
        return esse_put_i64(to, time);
    const uint64_t high = (uint64_t)(time / part);
    if (high != times->high) {
        times->high = high;
        times->length = esse_digits_put(times->text, high);
    }
    memcpy(to, times->text, sizeof times->text);
    to += times->length;
    return to + esse_digits_put_eight(to, (uint32_t)(time % part), false);
}

#endif
