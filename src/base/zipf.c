#include "base/zipf.h"

#include <assert.h>

/* Number i is drawn if the coin is below 'keep', 'other' otherwise. */
struct column {
    uint32_t keep, other;
};

struct esse_zipf {
    uint32_t n;
    struct column *columns;
};

enum { FRACTION_BITS = 40 };

/* The square root of a number in [1, 2], by Newton: five rounds reach the last bit. */
static double root(double x)
{
    double y = x;
    for (int round = 0; round < 6; round++)
        y = (y + x / y) / 2;
    return y;
}

/* log2 of x >= 1, bit by bit: squaring doubles the logarithm. */
static double log_two(double x)
{
    double log = 0, bit = 1;
    for (; x >= 2; x /= 2)
        log += 1;
    for (int i = 0; i < FRACTION_BITS; i++) {
        x *= x;
        bit /= 2;
        if (x >= 2) {
            x /= 2;
            log += bit;
        }
    }
    return log;
}

/* 2 to the power of -x, x >= 0. */
static double exp_two(double x)
{
    double power = 1, factor = 2, bit = 1;
    for (; x >= 1; x -= 1)
        power /= 2;
    for (int i = 0; i < FRACTION_BITS; i++) {
        factor = root(factor);
        bit /= 2;
        if (x >= bit) {
            x -= bit;
            power /= factor;
        }
    }
    return power;
}

static void fill_weights(double *weights, uint32_t n, double theta)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        weights[i] = exp_two(theta * log_two((double)i + 1));
        sum += weights[i];
    }
    for (uint32_t i = 0; i < n; i++)
        weights[i] *= (double)n / sum;
}

/* Vose's way to fill the columns: pair one that is too light with one that is too heavy. */
static void fill_columns(struct esse_zipf *zipf, double *weights, uint32_t *stack)
{
    uint32_t light = 0, heavy = zipf->n;
    for (uint32_t i = 0; i < zipf->n; i++) {
        zipf->columns[i] = (struct column){ UINT32_MAX, i };
        if (weights[i] < 1)
            stack[light++] = i;
        else
            stack[--heavy] = i;
    }
    while (light > 0 && heavy < zipf->n) {
        uint32_t small = stack[--light], large = stack[heavy];
        zipf->columns[small] = (struct column){ (uint32_t)(weights[small] * 0x1p32), large };
        weights[large] -= 1 - weights[small];
        if (weights[large] < 1) {
            heavy++;
            stack[light++] = large;
        }
    }
}

struct esse_zipf *esse_zipf_new(struct esse_arena *arena, uint32_t n, double theta)
{
    assert(n > 0);
    struct esse_zipf *zipf = esse_arena_alloc(arena, 1, sizeof *zipf);
    zipf->n = n;
    zipf->columns = esse_arena_array(arena, n, *zipf->columns);
    double *weights = esse_arena_array(arena, n, *weights);
    uint32_t *stack = esse_arena_array(arena, n, *stack);
    fill_weights(weights, n, theta);
    fill_columns(zipf, weights, stack);
    esse_arena_drop(arena, weights);
    esse_arena_drop(arena, stack);
    return zipf;
}

uint32_t esse_zipf_draw(const struct esse_zipf *zipf, struct esse_rng *rng)
{
    uint64_t word = esse_rng_next(rng);
    uint32_t i = (uint32_t)(((word >> 32) * zipf->n) >> 32);
    struct column column = zipf->columns[i];
    return (uint32_t)word < column.keep ? i : column.other;
}
