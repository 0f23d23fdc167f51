#ifndef ESSE_HISTORY_RESOLVE_H
#define ESSE_HISTORY_RESOLVE_H

#include "history/history.h"

/*
 * Outcomes that a client did not learn and a certificate shows: a transaction of unknown outcome
 * counts as committed from now on if the serialization order names it, or where there is none if it
 * has a commit_ts among the timestamps of a certificate; and if a version order names a version
 * that it alone can have installed.  What was recorded stays known: esse_txn_recorded().
 *
 * What no order names stays unknown, even if the certificate is to be complete: a read may have
 * seen it, and that would be for an engine to find.
 *
 * For a history that is not shared yet; 'status' is its column.
 * Cost: O(transactions), and O(operations + versions named) if one is of unknown outcome.
 */
void esse_resolve_outcomes(struct esse_history *history, uint8_t *status);

#endif
