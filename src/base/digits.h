#ifndef ESSE_BASE_DIGITS_H
#define ESSE_BASE_DIGITS_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Decimal digits, eight at once.  A loop over them costs a mispredicted branch for nearly every
 * number, because the length of the next one cannot be predicted.
 */

/* The number that eight bytes from 0 to 9 are, the first digit in the lowest byte: added up in
 * pairs, and then all four pairs. */
static inline uint64_t esse_digits_sum(uint64_t word)
{
    word = word * 10 + (word >> 8);
    return ((word & 0x000000ff000000ffu) * 0x000f424000000064u +
            (word >> 16 & 0x000000ff000000ffu) * 0x0000271000000001u) >>
           32;
}

/* What a number is worth with so many digits after it. */
static const uint32_t esse_digits_tens[] = { 1,      10,      100,      1000,     10000,
                                             100000, 1000000, 10000000, 100000000 };

/* How many digits stand at 'at', where eight bytes must be readable: at most eight, and the number
 * that they are, which means nothing if there are none. */
static inline unsigned esse_digits(const char *at, uint64_t *number)
{
    uint64_t word;
    memcpy(&word, at, 8);
    word = le64toh(word) ^ 0x3030303030303030u; /* a digit is now its value */
    /* The top bit of every byte that is not 0 to 9; bytes after the first hit may be wrong. */
    const uint64_t other = ((word + 0x7676767676767676u) | word) & 0x8080808080808080u;
    const unsigned digits = other ? (unsigned)__builtin_ctzll(other) / 8 : 8;
    *number = esse_digits_sum(word << (8 * (8 - digits) & 63)); /* zeros come before them */
    return digits;
}

/* The eight digits of a number below 10^8, the first in the lowest byte: halves of four digits are
 * divided by 100, and then all four pairs by 10, each by a multiplication that is exact for them.
 */
static inline uint64_t esse_digits_of(uint32_t number)
{
    const uint64_t halves = number / 10000 | (uint64_t)(number % 10000) << 32;
    const uint64_t hundreds = halves * 10486 >> 20 & 0x0000007f0000007fu;
    const uint64_t pairs = hundreds | (halves - hundreds * 100) << 16;
    const uint64_t tens = pairs * 103 >> 10 & 0x000f000f000f000fu;
    return tens | (pairs - tens * 10) << 8;
}

/* Puts the digits of a number below 10^8 at 'to', without zeros before it if 'is_first'; how many.
 * Eight bytes are overwritten. */
static inline size_t esse_digits_put_eight(char *to, uint32_t number, bool is_first)
{
    const uint64_t digits = esse_digits_of(number);
    const unsigned zeros = !is_first ? 0 : digits ? (unsigned)__builtin_ctzll(digits) / 8 : 7;
    const uint64_t word = htole64((digits + 0x3030303030303030u) >> 8 * zeros);
    memcpy(to, &word, 8);
    return 8 - zeros;
}

enum { ESSE_DIGITS_ROOM = 24 }; /* that the next one may overwrite */

/* Puts a number at 'to'; how many digits it has. */
static inline size_t esse_digits_put(char *to, uint64_t number)
{
    const uint64_t part = 100000000;
    if (number < part)
        return esse_digits_put_eight(to, (uint32_t)number, true);
    const uint64_t high = number / part;
    size_t count = 0;
    if (high >= part)
        count = esse_digits_put_eight(to, (uint32_t)(high / part), true);
    count += esse_digits_put_eight(to + count, (uint32_t)(high % part), count == 0);
    return count + esse_digits_put_eight(to + count, (uint32_t)(number % part), false);
}

#endif
