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

#endif
