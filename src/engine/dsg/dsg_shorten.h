#ifndef ESSE_ENGINE_DSG_DSG_SHORTEN_H
#define ESSE_ENGINE_DSG_DSG_SHORTEN_H

#include "engine/dsg/dsg_search.h"

/*
 * The graph has edges to the next version, the next transaction of a session, the next in time.
 * But a reader of a version did not see any later one either, and what came before the next came
 * before all that follow.  So edges in a row can be joined, and a cycle that leads along sixteen
 * versions of a key is shown by the one read that missed the last of them.
 *
 * Not joined: what follows from an assumption, of which the evidence must show each step.
 */

/* 'next' begins where 'edge' ends: is there an edge from the one's beginning to the other's end, of
 * the kind of the first? */
bool dsg_can_join(const struct dsg_component *component, const struct dsg_edge *edge,
                  const struct dsg_edge *next);

/* That edge, in the component's arena. */
const struct dsg_edge *dsg_join(const struct dsg_component *component, const struct dsg_edge *edge,
                                const struct dsg_edge *next);

/* Joins what can be joined in a cycle without changing its type.  Returns its length. */
uint32_t dsg_shorten(const struct dsg_component *component, const struct dsg_shape *shape,
                     const struct dsg_edge **cycle, uint32_t length);

#endif
