#ifndef ESSE_EVIDENCE_PROVED_H
#define ESSE_EVIDENCE_PROVED_H

#include "history/history.h"
#include "level/level.h"

/*
 * The orders that this kernel has found to prove a level of one history, so that none is replayed
 * twice in one check; and the history key by key, which is made once for all anomalies.  Part of
 * the trusted kernel.
 *
 * Only the kernel notes an order here (proved_note.h), after it replayed it or held it against its
 * axiom.  An engine carries the list from one call of the kernel to the next, and cannot add to it;
 * what comes from a file is rechecked with none, NULL, and so replayed always.
 *
 * The list is bound to its history, which must live as long: of another history nothing is noted
 * and nothing is found.  It keeps orders of its own, so that one that was changed since is another
 * one.
 *
 * Cost: to compare or to copy the order; 4 bytes for each event of an order, 16 for each access.
 */
struct esse_arena;
struct esse_proved;

struct esse_proved *esse_proved_new(struct esse_arena *arena, const struct esse_history *history);

bool esse_proved_has(const struct esse_proved *proved, const struct esse_history *history,
                     const struct esse_level *level, const struct esse_order *order);

#endif
