#ifndef ESSE_ENGINE_DSG_DSG_SEARCH_H
#define ESSE_ENGINE_DSG_DSG_SEARCH_H

#include "engine/dsg/dsg_component.h"

/*
 * A shortest cycle of a given shape inside a component: a breadth-first search in the product of
 * the component with a small automaton that knows how many rw edges there were, whether the last
 * edge was one, and whether the edge that the shape needs has come.  Exact: if there is such a
 * cycle, one is found.
 *
 * A cycle of a shape with rw edges is looked for from one of them on, so "not two in a row" also
 * means the last and the first.
 */
enum dsg_anti { DSG_ANTI_NONE, DSG_ANTI_ONE, DSG_ANTI_NOT_ADJACENT, DSG_ANTI_MANY };

struct dsg_shape {
    enum esse_anomaly_id type;
    unsigned starts; /* bits of enum esse_dep: the first edge */
    unsigned others; /* bits: what else may come beside rw */
    unsigned antis;  /* bits: ESSE_DEP_RW, or ESSE_DEP_RWP too */
    enum dsg_anti anti;
    unsigned needs; /* a bit that must come, or 0 */
};

/* The shapes in the order in which they are looked for; ESSE_ANOMALY_NONE ends them. */
extern const struct dsg_shape dsg_shapes[];

/* Fills 'cycle' (room for one edge a member and automaton state) and returns its length; 0 if
 * there is none, or if the budget is spent. */
uint32_t dsg_search(const struct dsg_component *component, const struct dsg_shape *shape,
                    struct esse_budget *budget, const struct dsg_edge **cycle);

/* How many edges a cycle can have at most. */
static inline size_t dsg_search_room(const struct dsg_component *component)
{
    return (size_t)component->count * 12 + 1;
}

#endif
