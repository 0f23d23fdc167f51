#ifndef ESSE_ENGINE_SATURATE_SAT_PATH_H
#define ESSE_ENGINE_SATURATE_SAT_PATH_H

#include "engine/saturate/sat_axiom.h"

/*
 * How a writer is visible to a reader: the steps of session order and reads-from that lead from the
 * one to the other as φ demands.
 *
 * Cost: O(accesses of those in between).
 */
enum sat_step_kind { SAT_STEP_SO, SAT_STEP_WR };

struct sat_step {
    enum sat_step_kind kind;
    uint32_t from, to; /* units */
    uint32_t read;     /* for WR: the access of 'to' */
};
ESSE_VEC(sat_step_vec, struct sat_step)

/* False if there is no such path, which is then a bug of the caller. */
bool sat_path_find(struct sat_step_vec *path, enum esse_phi phi, const struct sat_units *units,
                   const struct sat_forced *forced);

#endif
