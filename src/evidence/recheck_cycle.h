#ifndef ESSE_EVIDENCE_RECHECK_CYCLE_H
#define ESSE_EVIDENCE_RECHECK_CYCLE_H

#include "history/history.h"
#include "level/level.h"

/*
 * Rechecks an anomaly that is a cycle: every edge follows from the operations that it names, the
 * edges close, all transactions count as committed, and the cycle is of the type that it claims.
 *
 *   wr        'to' read (for lists: last of all) what 'from' wrote, and nobody else wrote that
 *   ww        a committed read shows the value of 'from' and not, or only after it, that of 'to';
 *             or a version order that was given has them in this order
 *   rw        'from' read a state without what 'to' wrote: a list without the element, the initial
 *             state, or a version that a version order has before it
 *             ww and rw may also follow from an assumption (recheck_versions.h)
 *   process   'from' comes before 'to' in their session
 *   realtime  'from' is committed and had ended before 'to' started
 *
 * Cost: O(operations) an edge.
 */
bool esse_recheck_cycle(const struct esse_history *history, const struct esse_anomaly *anomaly,
                        struct esse_error *err);

/* One such edge by itself, the same between operations that may be of one transaction, and whether
 * a transaction counts as committed. */
bool esse_recheck_edge(const struct esse_history *history, const struct esse_edge *edge);
bool esse_recheck_op_edge(const struct esse_history *history, const struct esse_edge *edge);
bool esse_recheck_counts(const struct esse_history *history, uint32_t txn);

/* Does a version order that was given, or the workload's convention, have the version that 'first'
 * wrote of the key before that of 'second'? */
bool esse_recheck_is_ordered(const struct esse_history *history, esse_key key, esse_op first,
                             esse_op second);

/* The type of a cycle by its dependencies. */
enum esse_anomaly_id esse_cycle_type(const struct esse_edge *edges, uint32_t count);

#endif
