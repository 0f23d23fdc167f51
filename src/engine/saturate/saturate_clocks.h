#ifndef ESSE_ENGINE_SATURATE_SATURATE_CLOCKS_H
#define ESSE_ENGINE_SATURATE_SATURATE_CLOCKS_H

#include "engine/saturate/saturate_axiom.h"

/*
 * What is visible to each unit, as a vector clock: clock[s] is one more than the newest unit of
 * session s that is, or 0.  The units are visited in an order; a clock is kept only while a later
 * unit may build on it.
 *
 * Cost: O(sessions) for each unit and each edge; 4 bytes a session for every clock that is kept.
 */
struct saturate_clocks {
    const struct saturate_units *units;
    enum esse_phi phi; /* ESSE_PHI_CAUSAL or ESSE_PHI_PIPED */
    uint32_t sessions;
    uint32_t *left; /* by unit: how many will still build on its clock */
    uint32_t *row;  /* by unit: where its clock is, if it is kept */
    struct saturate_rows *rows;
};

void saturate_clocks_open(struct saturate_clocks *clocks, const struct saturate_units *units,
                          enum esse_phi phi);

/* The clock of the next unit in the order; good until the next call.  Say when all is done that is
 * to be done with the clocks of those that it read from. */
const uint32_t *saturate_clocks_next(struct saturate_clocks *clocks, uint32_t unit);
void saturate_clocks_done(struct saturate_clocks *clocks, uint32_t unit);

/* That of an earlier unit, or NULL if it is not kept; good as long. */
const uint32_t *saturate_clocks_of(struct saturate_clocks *clocks, uint32_t unit);
void saturate_clocks_close(struct saturate_clocks *clocks);

/* The clock of a unit that is looked at soon. */
static inline void saturate_clocks_fetch(const struct saturate_clocks *clocks, uint32_t unit)
{
    __builtin_prefetch(&clocks->row[unit]);
    __builtin_prefetch(&clocks->left[unit]);
}

#endif
