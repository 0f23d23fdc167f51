#ifndef ESSE_ENGINE_SATURATE_SAT_SUSPECTS_H
#define ESSE_ENGINE_SATURATE_SAT_SUSPECTS_H

#include "engine/saturate/sat_axiom.h"

/*
 * The reads that do not return the newest version in an order, each with the writes that it passed
 * over, sorted by the reader's place in the order.
 *
 * Cost: O(accesses + suspects), of which walking the keys is shared by the threads; 12 bytes an
 * access while it works, 12 a suspect and as many again while they are put together.
 */
#define SAT_MANY (UINT32_MAX - 3) /* a suspect that stands for more than SAT_FEW writers */
enum { SAT_FEW = 4 };

struct sat_suspect {
    uint32_t reader, read; /* the unit and its access */
    uint32_t writer;       /* the unit that was passed over, or SAT_MANY */
};
ESSE_VEC(sat_suspect_vec, struct sat_suspect)

/* With 'each', every writer is listed, and SAT_MANY does not occur.  False if the budget is
 * spent. */
bool sat_suspects_find(struct sat_suspect_vec *suspects, const struct sat_units *units,
                       const struct sat_order *order, bool each, struct esse_budget *budget);

#endif
