#ifndef ESSE_ENGINE_SATURATE_SATURATE_CAUSES_H
#define ESSE_ENGINE_SATURATE_SATURATE_CAUSES_H

#include "engine/saturate/saturate_axiom.h"

/*
 * The forced edges of a φ with clocks, in one walk along an order: at a read, the writers of its
 * key so far are looked at from the newest back to the one that was read, and those that are
 * visible were passed over.  The order breaks these instances of the axiom.
 *
 * Where φ is transitive, the walk goes on back as far as there are writers that the one that was
 * read could not see.  Edges from these are kept by this order and not by every other; with them
 * all forced edges are known, or follow from known ones.
 *
 * Cost: O(accesses + writers looked at), and the clocks; 12 bytes a write.  A read looks at no more
 * writers than a few times the sessions; if there are more, the newest of each session is found by
 * bisection.
 */
struct saturate_causes {
    const struct saturate_order *order;
    bool wants_kept;  /* edges too that the order keeps */
    uint32_t broken;  /* instances that it breaks */
    bool is_complete; /* every order that contains the edges keeps the axiom */
};

/* Adds the edges to 'forced'.  False if the budget is spent. */
bool saturate_causes_find(struct saturate_causes *causes, enum esse_phi phi,
                          const struct saturate_units *units, struct esse_budget *budget,
                          struct saturate_forced_vec *forced);

#endif
