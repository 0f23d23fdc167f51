#ifndef ESSE_EVIDENCE_RECHECK_START_H
#define ESSE_EVIDENCE_RECHECK_START_H

#include "history/history.h"

/*
 * Rechecks an anomaly about start dependencies (start_points.h): two edges between two
 * transactions, the first as in any cycle (recheck_cycle.h), and against it one of these, which
 * follow from the timestamps alone:
 *
 *   start     'to' started when 'from' had committed: against an rw or rwp, GSIb
 *   overlap   'from' started when 'to' had not committed: against a ww, wr or wrp, GSIa; against
 *             session order or real time, snapshot-mismatch-process and -realtime
 *
 * Cost: O(operations), and a sort of the transactions.
 */
bool esse_recheck_start(const struct esse_history *history, const struct esse_anomaly *anomaly,
                        struct esse_error *err);

#endif
