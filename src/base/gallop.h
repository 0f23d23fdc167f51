#ifndef ESSE_BASE_GALLOP_H
#define ESSE_BASE_GALLOP_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The first number of [low .. high) for which 'is_before', an expression about 'middle', is false;
 * 'high' if it is true for all.  It must be true up to some number and false from there on.
 * The answer is in 'low'; both bounds are variables, and are changed.
 */
#define ESSE_BISECT(low, high, middle, is_before)                                                  \
    while ((low) < (high)) {                                                                       \
        const __typeof__(low) middle = (low) + ((high) - (low)) / 2;                               \
        if (is_before)                                                                             \
            (low) = middle + 1;                                                                    \
        else                                                                                       \
            (high) = middle;                                                                       \
    }

/*
 * The first place of [begin .. end) for which 'is_before' is false, 'end' if it is true for all: it
 * must be true up to some place and false from there on.  Looked for from 'near' outwards, so that
 * a caller that asks for places near each other, one after the other, does not touch the same few
 * far ones every time, which are in no cache if there are many.
 *
 * Cost: O(log of the distance from 'near').
 */
static inline uint32_t esse_gallop(uint32_t begin, uint32_t end, uint32_t near,
                                   bool (*is_before)(const void *context, uint32_t at),
                                   const void *context)
{
    /* It is true below 'low', and false from 'high' on. */
    uint32_t low = near < begin ? begin : near > end ? end : near, high = low;
    for (uint32_t step = 1; high < end && is_before(context, high); step *= 2) {
        low = high + 1;
        high = end - high > step ? high + step : end;
    }
    for (uint32_t step = 1; low > begin && !is_before(context, low - 1); step *= 2) {
        high = low - 1;
        low = low - begin > step ? low - step : begin;
    }
    ESSE_BISECT(low, high, middle, is_before(context, middle));
    return low;
}

#endif
