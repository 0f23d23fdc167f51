#ifndef ESSE_EVIDENCE_RECHECK_FORCED_H
#define ESSE_EVIDENCE_RECHECK_FORCED_H

#include "history/history.h"
#include "level/level.h"

/*
 * Rechecks that no commit order keeps the axiom of a level: a cycle of session order, reads-from,
 * known versions and edges that the axiom forces, or one forced edge to the initial version.  A
 * forced edge must show the read, both writers, and a path by which φ makes the one visible.
 *
 * Cost: O(operations) for each edge.
 */
bool esse_recheck_forced(const struct esse_history *history, const struct esse_anomaly *anomaly,
                         struct esse_error *err);

#endif
