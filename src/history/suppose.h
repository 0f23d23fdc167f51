#ifndef ESSE_HISTORY_SUPPOSE_H
#define ESSE_HISTORY_SUPPOSE_H

#include "history/history.h"

/*
 * The history as it is if certain transactions of unknown outcome committed, and others did not.
 * Who committed is committed from then on; when it did, nobody knows, so it has no end.  Who did
 * not is aborted, and its operations are reads of nobody knows what: it explains nothing.
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
