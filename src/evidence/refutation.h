#ifndef ESSE_EVIDENCE_REFUTATION_H
#define ESSE_EVIDENCE_REFUTATION_H

#include "evidence/claim.h"

/*
 * That a level cannot be had whatever is chosen: which of two versions came first, and which
 * version was read where several could be.  Every clause of the refutation must be true of every
 * choice that satisfies the level, and the last one is empty:
 *
 *   cycle     the edges follow from the history and from the literals' being false, and form a
 *             cycle that the level forbids (recheck_cycle.h)
 *   sources   the literals name every version that a read can have returned, or that a predicate
 *             which did not return the key can have seen
 *   both      the definition of a choice that stands for two literals
 *   follows   unit propagation from the clauses before it (rup.h)
 *
 * An anomaly of this kind is called LEVEL-no-order.
 *
 * Cost: for every edge that of recheck_edge.h; the propagation is that of the solver's proof.
 */
bool refutation_holds(struct claim *claim);

#endif
