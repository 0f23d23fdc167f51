#ifndef ESSE_BASE_HASH_H
#define ESSE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Hashes are fixed functions without a seed: the order of every table, and so every byte of
 * output, is the same in every run. */

static inline uint64_t esse_hash_mix(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint32_t esse_hash_word(uint64_t word)
{
    return (uint32_t)esse_hash_mix(word ^ 0x9e3779b97f4a7c15u, 0xd6e8feb86659fd93u);
}

/* Of a number and a word: a key and a value, say. */
static inline uint32_t esse_hash_pair(uint32_t number, uint64_t word)
{
    return esse_hash_word(word ^ number * UINT64_C(0x9e3779b97f4a7c15));
}

static inline uint32_t esse_hash_bytes(const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    uint64_t hash = 0xa0761d6478bd642fu ^ length, word;
    for (; length >= 8; at += 8, length -= 8) {
        memcpy(&word, at, 8);
        hash = esse_hash_mix(hash ^ word, 0xe7037ed1a0b428dbu);
    }
    word = 0;
    if (length)
        memcpy(&word, at, length);
    return (uint32_t)esse_hash_mix(hash ^ word, 0x8ebc6af09c88c6e3u);
}

#endif
