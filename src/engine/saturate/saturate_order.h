#ifndef ESSE_ENGINE_SATURATE_SATURATE_ORDER_H
#define ESSE_ENGINE_SATURATE_SATURATE_ORDER_H

#include "engine/saturate/saturate_units.h"
#include "graph/csr.h"

/*
 * A commit order to try: a total order of the units that contains session order (if the level
 * does), reads-from, what is known of the version order, and the forced edges found so far.
 *
 * Cost: O(accesses + forced edges).  The order of the history itself costs no memory.
 */
struct saturate_forced {
    uint32_t from,
        to;        /* the writer that is visible, and the one that was read or SATURATE_INITIAL */
    uint32_t read; /* the access that read from 'to' */
};
ESSE_VEC(saturate_forced_vec, struct saturate_forced)

struct saturate_order {
    uint32_t *unit; /* by place; NULL: the order of the history */
};

static inline uint32_t saturate_unit_at(const struct saturate_order *order, uint32_t place)
{
    return order->unit ? order->unit[place] : place;
}

/* All edges that an order must contain, as a graph.  Drop it when done. */
void saturate_graph_build(struct esse_csr *csr, const struct saturate_units *units, bool sessions,
                          const struct saturate_forced_vec *forced);

/* False if there is a cycle, or the budget is spent. */
bool saturate_order_find(struct saturate_order *order, const struct saturate_units *units,
                         bool sessions, const struct saturate_forced_vec *forced,
                         struct esse_budget *budget);
void saturate_order_drop(struct saturate_order *order, const struct saturate_units *units);

/* The accesses that installed two neighbouring versions of a key, as positions: calls 'visit' for
 * each pair whose order is known. */
void saturate_each_known(const struct saturate_units *units,
                         void (*visit)(void *context, uint32_t key, uint32_t at, uint32_t next),
                         void *context);

/* The unit of the access at a position. */
static inline uint32_t saturate_unit_of(const struct saturate_units *units, key_access_id at)
{
    const struct esse_key_access *key_access = versions_key_access(units->versions, at);
    return units->single ? key_access->access : key_access->txn;
}

#endif
