#ifndef ESSE_ENGINE_SATURATE_SATURATE_EXPLAIN_H
#define ESSE_ENGINE_SATURATE_SATURATE_EXPLAIN_H

#include "engine/saturate/saturate_axiom.h"

/*
 * Puts what refutes an axiom into words and operations, and keeps it with the scan's anomalies:
 * a cycle of units, or a forced edge to the initial version.
 *
 * Cost: O(accesses) for each forced edge that it tells.
 */
struct saturate_refutation {
    const struct esse_level *level;
    enum esse_phi phi; /* of the level, or of a part of it */
    const struct saturate_units *units;
    const struct saturate_forced_vec *forced;
    const uint32_t *cycle; /* units */
    uint32_t length;       /* 0: the last forced edge leads to the initial version */
};

void saturate_explain(struct known *known, const struct saturate_refutation *refutation);

#endif
