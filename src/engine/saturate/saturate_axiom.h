#ifndef ESSE_ENGINE_SATURATE_SATURATE_AXIOM_H
#define ESSE_ENGINE_SATURATE_SATURATE_AXIOM_H

#include "engine/engine.h"
#include "engine/saturate/saturate_order.h"

/* Does φ speak of the commit order itself?  Then a broken instance forces nothing. */
static inline bool saturate_asks_order(enum esse_phi phi)
{
    return phi >= ESSE_PHI_PREFIX;
}

/* Is what is visible by φ followed along an order (saturate_causes.h)? */
static inline bool saturate_has_clock(enum esse_phi phi)
{
    return phi == ESSE_PHI_CAUSAL || phi == ESSE_PHI_PIPED;
}

/*
 * The forced edges of a φ without clocks, session by session, before any order: all of them, but
 * for those that follow from others and from session order.
 *
 * Cost: O(accesses); where readers read from several writers also O(accesses of the smaller of the
 * two) for each such pair, which is O(accesses^1.5).  Shared by the threads; 8 bytes a unit and 12
 * a key and thread.  False if the budget is spent.
 */
bool saturate_force(enum esse_phi phi, const struct saturate_units *units,
                    struct esse_budget *budget, struct saturate_forced_vec *forced);

#endif
