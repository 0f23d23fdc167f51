#ifndef ESSE_ENGINE_SATURATE_SATURATE_STALE_READS_H
#define ESSE_ENGINE_SATURATE_SATURATE_STALE_READS_H

#include "engine/saturate/saturate_axiom.h"

/*
 * The reads that do not return the newest version in an order, each with the writes that it passed
 * over, sorted by the reader's place in the order.
 *
 * Cost: O(accesses + stale reads), of which walking the keys is shared by the threads; 12 bytes an
 * access while it works, 12 a stale read and as many again while they are put together.
 */
#define SATURATE_MANY                                                                              \
    (UINT32_MAX - 3) /* a stale read that stands for more than SATURATE_FEW writers */
enum { SATURATE_FEW = 4 };

struct saturate_stale_read {
    uint32_t reader, read; /* the unit and its access */
    uint32_t writer;       /* the unit that was passed over, or SATURATE_MANY */
};
ESSE_VEC(saturate_stale_read_vec, struct saturate_stale_read)

/* With 'each', every writer is listed, and SATURATE_MANY does not occur.  False if the budget is
 * spent. */
bool saturate_stale_reads_find(struct saturate_stale_read_vec *stale_reads,
                               const struct saturate_units *units,
                               const struct saturate_order *order, bool each,
                               struct esse_budget *budget);

#endif
