#ifndef ESSE_ENGINE_SATURATE_SATURATE_TRACE_H
#define ESSE_ENGINE_SATURATE_SATURATE_TRACE_H

#include "engine/saturate/saturate_units.h"

/*
 * Units that are transactions, straight from the history: for registers whose values are numbers,
 * each written once.  A table by number says who wrote it; so nothing is grouped by key, and in a
 * file that stands by session the places in the table that are looked at move along with it.
 *
 * 1) What is traced is the same as what saturate_units_make would lay out.
 * 2) The scan would find nothing in such a history: every read that was not of an own write is of
 *    the initial version or of the last write of another transaction that committed, reads of one
 *    key in one transaction agree with each other and with its writes, and no version is updated by
 *    two transactions.
 *
 * Where that is not so nothing is traced, and mostly that shows soon.
 *
 * Cost: O(operations), the second of two passes shared by the threads; 8 bytes an operation for
 * the units, 8 for every number up to the greatest, which are no more than four an operation, and
 * 16 a transaction.
 */
struct saturate_traced {
    struct sources sources;   /* of these two only what units need: which transactions count, */
    struct versions versions; /* and that nothing is known of versions */
    struct saturate_units units;
};

/* False if it cannot be traced, or the budget is spent; then 'arena' may hold something all the
 * same. */
bool saturate_trace(struct saturate_traced *traced, struct esse_arena *arena,
                    const struct esse_history *history, unsigned threads,
                    struct esse_budget *budget);

#endif
