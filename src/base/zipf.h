#ifndef ESSE_BASE_ZIPF_H
#define ESSE_BASE_ZIPF_H

#include "base/arena.h"
#include "base/rng.h"

/*
 * Draws from 0 .. n - 1 where number i comes up in proportion to 1 / (i + 1)^theta, by Walker's
 * alias method.  theta 0 is uniform.
 *
 * Only IEEE additions, products and quotients are used, no libm: its pow() may differ in the last
 * bit between processors, and then one seed would not give one history.
 *
 * Cost: new O(n), 8 bytes a number; draw O(1), one random word.
 */
struct esse_zipf;

struct esse_zipf *esse_zipf_new(struct esse_arena *arena, uint32_t n, double theta);
uint32_t esse_zipf_draw(const struct esse_zipf *zipf, struct esse_rng *rng);

#endif
