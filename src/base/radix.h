#ifndef ESSE_BASE_RADIX_H
#define ESSE_BASE_RADIX_H

#include "base/vec.h"

/* A number and what it belongs to. */
struct esse_pair {
    uint64_t key;
    uint32_t id;
};

ESSE_VEC(esse_pair_vec, struct esse_pair)

/* Sorts pairs by key, equal keys in the order given.  O(count) for each of the key's bytes that
 * differ somewhere; nothing at all if they are sorted. */
void esse_radix_sort(struct esse_pair *pairs, size_t count, struct esse_arena *arena);

/* A signed number as a key that sorts alike. */
static inline uint64_t esse_radix_key(int64_t number)
{
    return (uint64_t)number ^ (uint64_t)1 << 63;
}

#endif
