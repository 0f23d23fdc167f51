#ifndef ESSE_REPORT_REPORT_OPS_H
#define ESSE_REPORT_REPORT_OPS_H

#include "report/report_cycle.h"

/*
 * An operation of an anomaly in at most 'most' columns.  "…" stands for what is left out, and is
 * never the key; of a row first the columns that say nothing: those that are the same in all that
 * the anomaly's transactions saw and wrote of the key, and in no predicate that a reason names.
 *
 * Cost: O(operations of the anomaly's transactions) for one that does not fit.
 */
const char *esse_shown_op_fit(struct esse_arena *arena, const struct esse_history *history,
                              const struct esse_anomaly *anomaly, uint32_t op, size_t most);

/* The statement that made 'op', as its author wrote it; NULL if it is not known, or if the
 * operation shows the same text itself. */
const char *esse_shown_written(struct esse_arena *arena, const struct esse_history *history,
                               uint32_t op, size_t most);

/* Did the statement that made the operation 'before', of the same transaction, make 'op' next? */
bool esse_shown_goes_on(const struct esse_history *history, uint32_t before, uint32_t op);

#endif
