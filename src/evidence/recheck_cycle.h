#ifndef ESSE_EVIDENCE_RECHECK_CYCLE_H
#define ESSE_EVIDENCE_RECHECK_CYCLE_H

#include "evidence/claim.h"

/*
 * A cycle has a shape: its edges follow (recheck_edge.h), each ends where the next begins, and
 * together they are what the anomaly or the level says.
 *
 *   dependencies   of the type that the anomaly has by its name
 *   forced         session order as far as the level counts it, reads-from, known versions and
 *                  edges that the axiom forces; or one of these to the initial version
 *   points         two edges between two transactions: ww, wr or wrp against 'overlap' is GSIa, rw
 *                  or rwp against 'start' GSIb; session order or real time against 'overlap' is
 *                  snapshot-mismatch-process or -realtime
 *   refuted        the level forbids it, whatever its name
 */
bool cycle_is_anomaly(const struct claim *claim);
bool cycle_is_refuted(const struct claim *claim, const struct esse_edge *edges, uint32_t count);

/* The type of a cycle by its dependencies. */
enum esse_anomaly_id esse_cycle_type(const struct esse_edge *edges, uint32_t count);

#endif
