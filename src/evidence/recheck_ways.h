#ifndef ESSE_EVIDENCE_RECHECK_WAYS_H
#define ESSE_EVIDENCE_RECHECK_WAYS_H

#include "history/history.h"
#include "level/level.h"

/*
 * Rechecks a verdict that depends on which operation appended which element of a list: part of the
 * kernel of recheck.h.  What holds must hold in the history of its one way, and what is violated in
 * those of all ways there are, in the order of history/appends.h.
 *
 * Cost: that of the recheck in every way.
 */
bool esse_recheck_ways(const struct esse_history *history, const struct esse_level *level,
                       const struct esse_verdict *verdict, unsigned threads,
                       struct esse_error *err);

#endif
