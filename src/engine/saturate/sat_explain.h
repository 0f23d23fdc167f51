#ifndef ESSE_ENGINE_SATURATE_SAT_EXPLAIN_H
#define ESSE_ENGINE_SATURATE_SAT_EXPLAIN_H

#include "engine/saturate/sat_axiom.h"

/*
 * Puts what refutes an axiom into words and operations, and keeps it with the scan's anomalies:
 * a cycle of units, or a forced edge to the initial version.
 *
 * Cost: O(accesses) for each forced edge that it tells.
 */
struct sat_refutation {
    const struct esse_level *level;
    enum esse_phi phi; /* of the level, or of a part of it */
    const struct sat_units *units;
    const struct sat_forced_vec *forced;
    const uint32_t *cycle; /* units */
    uint32_t length;       /* 0: the last forced edge leads to the initial version */
};

void sat_explain(struct scan *scan, const struct sat_refutation *refutation);

#endif
