#ifndef ESSE_ENGINE_DSG_DSG_RESULTS_H
#define ESSE_ENGINE_DSG_DSG_RESULTS_H

#include "engine/dsg/dsg_ranges.h"

/*
 * What range reads returned against what their snapshots hold: the commits are gone through in
 * their order, and the newest version of every key is kept in an ordered set for each column.  A
 * row that is missing, or is there and should not be, or in another version, is reported as
 * result-set-mismatch.
 *
 * Cost: O(versions + rows) steps of base/bit_tree.h.
 */

/* Takes the column off those that returned something else: NO_RANK.  False if the budget is spent.
 */
bool dsg_results_check(struct known *known, const struct dsg_ranges *ranges,
                       struct dsg_range_read_vec *reads);

/* Tells that an operation should have returned a version of a key and did not, or the reverse: its
 * snapshot has 'seen'. */
void dsg_results_tell(struct known *known, uint32_t txn, uint32_t op, uint32_t key, esse_value seen,
                      bool matches);

#endif
