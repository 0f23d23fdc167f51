#ifndef ESSE_ENGINE_SATURATE_SATURATE_PATH_H
#define ESSE_ENGINE_SATURATE_SATURATE_PATH_H

#include "engine/saturate/saturate_axiom.h"

/*
 * How a writer is visible to a reader: the steps of session order and reads-from that lead from the
 * one to the other as φ demands.
 *
 * Cost: O(accesses of those in between).
 */
enum saturate_step_kind { SATURATE_STEP_SO, SATURATE_STEP_WR };

struct saturate_step {
    enum saturate_step_kind kind;
    uint32_t from, to; /* units */
    uint32_t read;     /* for WR: the access of 'to' */
};
ESSE_VEC(saturate_step_vec, struct saturate_step)

/* False if there is no such path, which is then a bug of the caller. */
bool saturate_path_find(struct saturate_step_vec *path, enum esse_phi phi,
                        const struct saturate_units *units, const struct saturate_forced *forced);

#endif
