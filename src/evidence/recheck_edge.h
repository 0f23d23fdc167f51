#ifndef ESSE_EVIDENCE_RECHECK_EDGE_H
#define ESSE_EVIDENCE_RECHECK_EDGE_H

#include "evidence/claim.h"

/*
 * An edge follows from the operations that it names, and from what the claim takes for granted.
 * Its transactions count as committed and are two, or its operations are if these are the units.
 *
 *   wr        'to' read (for lists: last of all) what 'from' wrote, and no other transaction wrote
 * that ww        a committed read shows the value of 'from' and not, or only after it, that of
 * 'to'; or a version order that was given has them in this order rw        'from' read a state
 * without what 'to' wrote: a list without the element, the initial state, or a version that a
 * version order has before it ww and rw may also follow from an assumption (recheck_versions.h)
 *   wrp, rwp  the same by a predicate (recheck_phantom.h)
 *   process   'from' comes before 'to' in their session
 *   realtime  'from' is committed and had ended before 'to' started
 *   start     'to' started when 'from' had committed, by the timestamps (start_points.h)
 *   overlap   'from' started when 'to' had not committed
 *   co        the axiom of a level forces it
 *
 * A read that several versions could explain is of the one that its snapshot has, if a certificate
 * tells, but where an axiom is at stake.
 *
 * Cost: O(accesses of the key); by a snapshot, a predicate or timestamps O(accesses).
 */
bool edge_follows(const struct claim *claim, const struct esse_edge *edge);

static inline bool edge_is_anti(const struct esse_edge *edge)
{
    return edge->dep == ESSE_DEP_RW || edge->dep == ESSE_DEP_RWP;
}

/* Does the second begin where the first ends: at the transaction, or at the operation? */
static inline bool edge_meets(const struct claim *claim, const struct esse_edge *first,
                              const struct esse_edge *second)
{
    return claim->is_of_ops ? first->to_op.ix == second->from_op.ix
                            : first->to.ix == second->from.ix;
}

#endif
