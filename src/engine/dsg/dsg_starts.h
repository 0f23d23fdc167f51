#ifndef ESSE_ENGINE_DSG_DSG_STARTS_H
#define ESSE_ENGINE_DSG_DSG_STARTS_H

#include "engine/dsg/dsg_graph.h"
#include "history/start_points.h"

/*
 * Start dependencies: where a certificate gives every transaction its start and commit point
 * (history/start_points.h), snapshot isolation is held against these.
 *
 *   GSIa   a ww, wr or wrp without a start dependency
 *   GSIb   a cycle of dependencies and start dependencies with exactly one rw or rwp; where there
 *          is no GSIa, an rw against a start dependency (docs/design/certificates.md)
 *
 * and for the strong levels session order or real time without one: snapshot-mismatch-process and
 * -realtime.  Range reads are not asked about: they see what had committed by the start point.
 *
 * Cost: O(dependencies).
 */

/* Finds the points of all that count; false if some have none. */
bool dsg_points_find(struct esse_start_points *points, const struct versions *versions);

/* Keeps what it finds with the scan's anomalies.  'mask' says whether session order and real time
 * are looked at.  False if the budget is spent. */
bool dsg_starts_find(struct known *known, const struct versions *versions,
                     const struct esse_start_points *points, unsigned mask);

/* The order of the points of all that count, in 'arena'. */
struct esse_order dsg_points_order(struct esse_arena *arena, const struct versions *versions,
                                   const struct esse_start_points *points);

#endif
