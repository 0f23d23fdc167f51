#ifndef ESSE_HISTORY_SHOW_TIME_H
#define ESSE_HISTORY_SHOW_TIME_H

#include "base/out.h"

#include <stdint.h>

/*
 * Recorded times as people read them, beside the numbers.  A history does not say what its clock
 * counts; Jepsen's and Esse's own count nanoseconds.  Numbers of less than a millisecond are left
 * alone: they may count anything.
 */

/* " (117.528 to 117.607 ms)", " (2026-11-17 05:59:12.123456 to 05:59:12.323456 UTC)", or nothing.
 * Either may be ESSE_NO_TIME. */
void esse_show_interval(struct esse_out *out, int64_t begin, int64_t end);

/* ", 79.2 us later", or nothing. */
void esse_show_later(struct esse_out *out, int64_t first, int64_t second);

#endif
