#ifndef ESSE_BASE_CLOCK_H
#define ESSE_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* The one clock: it never goes back, and is the same for all threads.  Its beginning means nothing,
 * only differences do. */
static inline int64_t esse_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline double esse_clock_seconds(void)
{
    return (double)esse_clock_ns() * 1e-9;
}

/* The same clock as of the last tick of the kernel, some milliseconds ago: for what is asked at
 * every line of an input. */
static inline double esse_clock_coarse_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

#endif
