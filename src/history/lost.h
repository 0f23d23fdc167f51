#ifndef ESSE_HISTORY_LOST_H
#define ESSE_HISTORY_LOST_H

#include "history/history.h"

/*
 * Transactions that were acknowledged and that the database's own log does not have, as a line
 * 'lost' names them.  All others that committed and write are in the log.
 */

/* By transaction: 1 if it was lost. */
uint8_t *esse_lost_marks(struct esse_arena *arena, const struct esse_history *history);

/*
 * Does anything speak against what 'lost' says?  A lost transaction was recorded as committed, and
 * writes; no order has it, no version order what it wrote; and no transaction in the log read that.
 * Fails with ESSE_EINPUT.  O(size of the history).
 */
bool esse_lost_check(struct esse_arena *arena, const struct esse_history *history,
                     struct esse_error *err);

#endif
