#ifndef ESSE_ENGINE_SATURATE_SAT_ORDER_H
#define ESSE_ENGINE_SATURATE_SAT_ORDER_H

#include "engine/saturate/sat_units.h"
#include "graph/csr.h"

/*
 * A commit order to try: a total order of the units that contains session order (if the level
 * does), reads-from, what is known of the version order, and the forced edges found so far.
 *
 * Cost: O(accesses + forced edges).  The order of the history itself costs no memory.
 */
struct sat_forced {
    uint32_t from, to; /* the writer that is visible, and the one that was read or SAT_INITIAL */
    uint32_t read;     /* the access that read from 'to' */
};
ESSE_VEC(sat_forced_vec, struct sat_forced)

struct sat_order {
    uint32_t *unit; /* by place; NULL: the order of the history */
    uint32_t *rank; /* by unit; NULL likewise */
};

static inline uint32_t sat_unit_at(const struct sat_order *order, uint32_t place)
{
    return order->unit ? order->unit[place] : place;
}

static inline uint32_t sat_rank(const struct sat_order *order, uint32_t unit)
{
    return order->rank ? order->rank[unit] : unit;
}

/* All edges that an order must contain, as a graph.  Drop it when done. */
void sat_graph_build(struct esse_csr *csr, const struct sat_units *units, bool sessions,
                     const struct sat_forced_vec *forced);

/* False if there is a cycle, or the budget is spent. */
bool sat_order_find(struct sat_order *order, const struct sat_units *units, bool sessions,
                    const struct sat_forced_vec *forced, struct esse_budget *budget);
void sat_order_drop(struct sat_order *order, const struct sat_units *units);

/* The accesses that installed two neighbouring versions of a key, as positions: calls 'visit' for
 * each pair whose order is known. */
void sat_each_known(const struct sat_units *units,
                    void (*visit)(void *context, uint32_t key, uint32_t at, uint32_t next),
                    void *context);

/* The unit of the access at a position. */
static inline uint32_t sat_unit_of(const struct sat_units *units, uint32_t at)
{
    const struct esse_touch *touch = versions_touch(units->versions, at);
    return units->single ? touch->access : touch->txn;
}

#endif
