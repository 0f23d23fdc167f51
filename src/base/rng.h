#ifndef ESSE_BASE_RNG_H
#define ESSE_BASE_RNG_H

#include <stdint.h>

/* A small deterministic generator (SplitMix64).  Seed 0 is as good as any other. */
struct esse_rng {
    uint64_t state;
};

static inline uint64_t esse_rng_next(struct esse_rng *rng)
{
    uint64_t z = (rng->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Uniform in [0, bound), bound > 0; the bias of 2^-32 does not matter here. */
static inline uint32_t esse_rng_below(struct esse_rng *rng, uint32_t bound)
{
    return (uint32_t)(((esse_rng_next(rng) >> 32) * bound) >> 32);
}

/* Uniform in [0, 1). */
static inline double esse_rng_unit(struct esse_rng *rng)
{
    return (double)(esse_rng_next(rng) >> 11) * 0x1p-53;
}

#endif
