#ifndef ESSE_ENGINE_SHRINK_RANGES_H
#define ESSE_ENGINE_SHRINK_RANGES_H

#include "history/subset.h"

/* Lets a selection know what the predicate operations of its history range over, by their SQL.  In
 * the arena; a predicate that cannot be asked may range over everything. */
void shrink_know_ranges(struct esse_selection *selection, struct esse_arena *arena,
                        const struct esse_history *history);

#endif
