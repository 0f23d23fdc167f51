#ifndef ESSE_HISTORY_SUPPOSE_H
#define ESSE_HISTORY_SUPPOSE_H

#include "history/history.h"

/*
 * The history as it is if certain transactions of unknown outcome committed, and others did not.
 * One that committed is committed from then on; it has no end, since the time is unknown.  One that
 * did not is aborted, and its operations are reads of unknown values: it explains nothing.
 *
 * The numbers of transactions, operations and keys stay.  The rest is shared with 'history'.
 * NULL if one of them does not exist or its outcome is known.
 *
 * Cost: O(operations + transactions); 13 bytes an operation.
 */
const struct esse_history *esse_history_suppose(struct esse_arena *arena,
                                                const struct esse_history *history,
                                                const struct esse_supposition *supposed,
                                                uint32_t count);

#endif
