#include "engine/dsg/dsg_shorten.h"

#include <assert.h>
#include <string.h>

static bool is_inferred(const struct versions *versions, const struct dsg_edge *edge)
{
    return versions_edge(versions, versions->of[edge->from_at.ix], versions->of[edge->to_at.ix]) !=
           NULL;
}

/* rw or ww, and then ww, along the versions of one key? */
static bool is_along_versions(const struct versions *versions, const struct dsg_edge *edge,
                              const struct dsg_edge *next)
{
    if ((edge->dep != ESSE_DEP_RW && edge->dep != ESSE_DEP_WW) || next->dep != ESSE_DEP_WW ||
        edge->key != next->key)
        return false;
    const version_id to = versions->of[edge->to_at.ix], from = versions->of[next->from_at.ix];
    return to.ix != NO_VERSION && from.ix != NO_VERSION && from.ix >= to.ix &&
           versions->of[edge->from_at.ix].ix != NO_VERSION && !is_inferred(versions, edge) &&
           !is_inferred(versions, next);
}

bool dsg_can_join(const struct dsg_component *component, const struct dsg_edge *edge,
                  const struct dsg_edge *next)
{
    if (edge->from == next->to)
        return false;
    return edge->dep == ESSE_DEP_PROCESS || edge->dep == ESSE_DEP_REALTIME
               ? next->dep == edge->dep
               : is_along_versions(component->versions, edge, next);
}

const struct dsg_edge *dsg_join(const struct dsg_component *component, const struct dsg_edge *edge,
                                const struct dsg_edge *next)
{
    struct dsg_edge *joined = esse_arena_alloc(component->arena, 1, sizeof *joined);
    *joined = *edge;
    joined->to = next->to;
    joined->to_at = next->to_at;
    return joined;
}

/* Would the join bring two rw together, in a cycle that is named for having none so? */
static bool changes_type(const struct dsg_shape *shape, const struct dsg_edge *edge,
                         const struct dsg_edge *after)
{
    return shape->anti == DSG_ANTI_NOT_ADJACENT && dsg_is_anti(edge->dep) &&
           dsg_is_anti(after->dep);
}

/* Joins the edge at 'at' with the one after it, if it can be; the last one's next is the first. */
static bool join_at(const struct dsg_component *component, const struct dsg_shape *shape,
                    const struct dsg_edge **cycle, uint32_t *length, uint32_t at)
{
    assert(at < *length);
    const uint32_t next = (at + 1) % *length, after = (at + 2) % *length;
    if (*length <= 2 || !dsg_can_join(component, cycle[at], cycle[next]) ||
        changes_type(shape, cycle[at], cycle[after]))
        return false;
    cycle[at] = dsg_join(component, cycle[at], cycle[next]);
    memmove(&cycle[next], &cycle[next + 1], (*length - next - 1) * sizeof(const struct dsg_edge *));
    --*length;
    return true;
}

uint32_t dsg_shorten(const struct dsg_component *component, const struct dsg_shape *shape,
                     const struct dsg_edge **cycle, uint32_t length)
{
    for (uint32_t at = 0; at < length;)
        if (!join_at(component, shape, cycle, &length, at))
            at++;
    return length;
}
