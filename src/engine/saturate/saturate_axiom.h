#ifndef ESSE_ENGINE_SATURATE_SATURATE_AXIOM_H
#define ESSE_ENGINE_SATURATE_SATURATE_AXIOM_H

#include "engine/engine.h"
#include "engine/saturate/saturate_order.h"

/* Does φ speak of the commit order itself?  Then a broken instance forces nothing. */
static inline bool saturate_asks_order(enum esse_phi phi)
{
    return phi >= ESSE_PHI_PREFIX;
}

/*
 * The instances of the axiom that an order breaks, as forced edges: for each read the visible
 * writers that come after the one it returned.
 *
 * Cost: see docs/design/saturate.md.  False if the budget is spent.
 */
bool saturate_find_broken(enum esse_phi phi, const struct saturate_units *units,
                          const struct saturate_order *order, struct esse_budget *budget,
                          struct saturate_forced_vec *broken);

#endif
