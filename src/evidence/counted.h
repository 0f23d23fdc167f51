#ifndef ESSE_EVIDENCE_COUNTED_H
#define ESSE_EVIDENCE_COUNTED_H

#include "history/history.h"

/*
 * The transactions that count as committed, whatever became of the others: every committed
 * transaction, and every one of unknown outcome of which one that counts must have observed a
 * write, because neither the initial value nor another transaction that did not abort explains the
 * read.  One that may have been observed does not count here: a caller that needs its outcome
 * supposes it.
 *
 * By transaction, in 'arena'.  O(accesses + items of the lists that were read from keys that one of
 * unknown outcome wrote) if there is one of unknown outcome, else O(transactions).
 */
uint8_t *esse_counted(struct esse_arena *arena, const struct esse_history *history);

#endif
