#ifndef ESSE_BASE_BIT_TREE_H
#define ESSE_BASE_BIT_TREE_H

#include "base/arena.h"

#include <string.h>

/*
 * A set of numbers below a limit, in order: bits, and above each 64 words of bits a word that says
 * which of them are not empty.
 *
 * Cost: add, remove and next O(log of the limit to the base 64); a bit for each number.
 */
enum { ESSE_BIT_LEVELS = 6 }; /* enough for 32-bit numbers */

struct esse_bit_tree {
    uint64_t *level[ESSE_BIT_LEVELS]; /* the bits themselves first */
    unsigned levels;
    uint32_t limit;
};
#define ESSE_NO_BIT UINT32_MAX

static inline void esse_bit_tree_init(struct esse_bit_tree *tree, struct esse_arena *arena,
                                      uint32_t limit)
{
    size_t words = limit;
    *tree = (struct esse_bit_tree){ .limit = limit };
    do {
        words = words / 64 + 1;
        tree->level[tree->levels] = esse_arena_array(arena, words, uint64_t);
        memset(tree->level[tree->levels++], 0, words * sizeof(uint64_t));
    } while (words > 1);
}

static inline void esse_bit_tree_add(struct esse_bit_tree *tree, uint32_t number)
{
    for (unsigned i = 0; i < tree->levels; i++, number >>= 6)
        tree->level[i][number >> 6] |= UINT64_C(1) << (number & 63);
}

static inline void esse_bit_tree_remove(struct esse_bit_tree *tree, uint32_t number)
{
    for (unsigned i = 0; i < tree->levels; i++, number >>= 6) {
        tree->level[i][number >> 6] &= ~(UINT64_C(1) << (number & 63));
        if (tree->level[i][number >> 6])
            return;
    }
}

/* The least number in the set that is not less than this one, or ESSE_NO_BIT. */
static inline uint32_t esse_bit_tree_next(const struct esse_bit_tree *tree, uint32_t number)
{
    if (number >= tree->limit)
        return ESSE_NO_BIT;
    for (unsigned i = 0; i < tree->levels; i++) {
        uint64_t word = tree->level[i][number >> 6] & (~UINT64_C(0) << (number & 63));
        if (word) {
            number = (number & ~63u) | (uint32_t)__builtin_ctzll(word);
            while (i-- > 0)
                number = number << 6 | (uint32_t)__builtin_ctzll(tree->level[i][number]);
            return number;
        }
        number = (number >> 6) + 1; /* the words to the right; one more than there are is empty */
    }
    return ESSE_NO_BIT;
}

#endif
