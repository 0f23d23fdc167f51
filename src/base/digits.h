#ifndef ESSE_BASE_DIGITS_H
#define ESSE_BASE_DIGITS_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

/*
 * Decimal digits, eight at once.  A loop over them costs a mispredicted branch for nearly every
 * number, because nobody can guess how long the next one is.
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

#endif
