#ifndef ESSE_BASE_CHECKED_H
#define ESSE_BASE_CHECKED_H

#include <assert.h>

/*
 * Asserts of the builds with ESSE_CHECKED, which are those with sanitizers and the fuzzers, and
 * which the tests run.  Everywhere else a plain assert() stands, and stays in what is shipped.
 *
 *   ESSE_HOT_ASSERT(condition)  in inner loops, where a comparison costs.
 *   ESSE_SEAM(valid)            a whole structure is what its header says: where it was built, and
 *                               where it was changed as a whole.  Costs as much as a walk over it.
 *
 * Other builds compile the condition and never evaluate it.
 */
#ifdef ESSE_CHECKED
#define ESSE_HOT_ASSERT(condition) assert(condition)
#define ESSE_SEAM(valid)           assert(valid)
#else
#define ESSE_HOT_ASSERT(condition) ((void)sizeof((condition) ? 1 : 0))
#define ESSE_SEAM(valid)           ((void)sizeof((valid) ? 1 : 0))
#endif

#endif
