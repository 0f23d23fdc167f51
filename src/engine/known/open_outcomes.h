#ifndef ESSE_ENGINE_KNOWN_OPEN_OUTCOMES_H
#define ESSE_ENGINE_KNOWN_OPEN_OUTCOMES_H

#include "base/budget.h"
#include "history/history.h"

/*
 * The transactions of unknown outcome on which a verdict may depend: they need not have committed,
 * but what they wrote may explain what another transaction saw.  That is so if another read the
 * value, or an element, or nothing where they deleted; and of every writer if there are predicates.
 * Where a certificate is complete there are none.
 *
 * Those that explain reads come first.  In 'arena'; NULL and none if the budget is spent.
 * O(accesses + items of spines) if there is one of unknown outcome at all.
 */
const uint32_t *open_outcomes(struct esse_arena *arena, const struct esse_history *history,
                              uint32_t *count, struct esse_budget *budget);

#endif
