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

/*
 * Is there a world in which exactly those with in[txn] committed?  What one of them read is
 * explained by the initial value, by another one of them, or by nothing that was not aborted.
 * ESSE_NO_TXN if so; else one that could explain a read and is not in it.  All that are committed
 * are in it.
 *
 * O(as above).
 */
uint32_t esse_counted_lacks(const struct esse_history *history, const uint8_t *in);

#endif
