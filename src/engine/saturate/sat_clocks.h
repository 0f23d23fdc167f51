#ifndef ESSE_ENGINE_SATURATE_SAT_CLOCKS_H
#define ESSE_ENGINE_SATURATE_SAT_CLOCKS_H

#include "engine/saturate/sat_axiom.h"

/*
 * What is visible to each unit, as a vector clock: clock[s] is one more than the newest unit of
 * session s that is, or 0.  The units are visited in an order; a clock is kept only while a later
 * unit may build on it.
 *
 * Cost: O(sessions) for each unit and each edge; 4 bytes a session for every clock that is kept.
 */
struct sat_clocks {
    const struct sat_units *units;
    enum esse_phi phi; /* ESSE_PHI_CAUSAL, ESSE_PHI_PIPED or ESSE_PHI_PARALLEL */
    uint32_t sessions;
    uint32_t *left;        /* by unit: how many will still build on its clock */
    uint32_t *row;         /* by unit: where its clock is, if it is kept */
    uint32_t *last_writer; /* by key, for ESSE_PHI_PARALLEL */
    struct sat_rows *rows;
};

void sat_clocks_open(struct sat_clocks *clocks, const struct sat_units *units, enum esse_phi phi);

/* The clock of the next unit in the order; good until the next call. */
const uint32_t *sat_clocks_next(struct sat_clocks *clocks, uint32_t unit);
void sat_clocks_close(struct sat_clocks *clocks);

#endif
