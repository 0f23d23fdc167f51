#ifndef ESSE_EVIDENCE_RECHECK_PHANTOM_H
#define ESSE_EVIDENCE_RECHECK_PHANTOM_H

#include "history/history.h"

/*
 * Rechecks a dependency of a predicate operation: "wrp", where it saw a change of what matches
 * that 'from' made, or "rwp", where it did not see one that 'to' made.  The order of the key's
 * versions must be given in full, or be that of the history by the workload's convention.
 *
 * Cost: O(operations + versions of the key).
 */
bool esse_recheck_phantom(const struct esse_history *history, const struct esse_edge *edge);

#endif
