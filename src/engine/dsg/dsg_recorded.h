#ifndef ESSE_ENGINE_DSG_DSG_RECORDED_H
#define ESSE_ENGINE_DSG_DSG_RECORDED_H

#include "engine/engine.h"

/*
 * Orders that owe nothing to a graph: the order that came with the history, if one did (with those
 * that it leaves out after what they saw and what was recorded before them, and readers near there
 * where they read what they read), else the transactions as they were recorded, which is often the
 * order of their commits; and for snapshot isolation, before each commit the latest snapshot at
 * which the transaction reads what it read.  A guess, for histories of which the graph knows too
 * little; replaying it decides.
 *
 * Cost: the serial one O(transactions), and O(operations) for each place that is tried for a
 * reader, at most twice DSG_SNAPSHOTS; with snapshots O(operations) for each snapshot that is
 * tried, at most DSG_SNAPSHOTS for a transaction.
 */
enum { DSG_SNAPSHOTS = 64 };

void dsg_recorded_serial(struct esse_order *order, struct esse_arena *arena,
                         const struct esse_history *history, const uint8_t *in);

/* False if a transaction finds no snapshot, or the budget is spent. */
bool dsg_recorded_snapshots(struct esse_order *order, struct esse_arena *arena,
                            const struct esse_history *history, const uint8_t *in,
                            struct esse_budget *budget);

#endif
