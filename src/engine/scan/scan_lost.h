#ifndef ESSE_ENGINE_SCAN_SCAN_LOST_H
#define ESSE_ENGINE_SCAN_SCAN_LOST_H

#include "history/history.h"

/* The commits that the database lost: SCAN_LOST_KEPT at most are reported, the rest are counted.
 * What is reported is the arena's.  O(lost). */
enum { SCAN_LOST_KEPT = 4 };
uint32_t scan_lost(struct esse_arena *arena, const struct esse_history *history,
                   struct esse_anomaly **anomalies);

#endif
