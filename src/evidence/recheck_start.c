#include "evidence/recheck_start.h"

#include "base/error.h"
#include "evidence/recheck_cycle.h"
#include "evidence/start_points.h"
#include "level/level.h"

/* What each type is made of. */
static const struct {
    enum esse_anomaly_id type;
    unsigned first; /* a bit for each dependency that it can be */
    enum esse_dep against;
} types[] = {
    { ESSE_ANOMALY_GSIA, 1u << ESSE_DEP_WW | 1u << ESSE_DEP_WR | 1u << ESSE_DEP_WRP,
      ESSE_DEP_OVERLAP },
    { ESSE_ANOMALY_GSIB, 1u << ESSE_DEP_RW | 1u << ESSE_DEP_RWP, ESSE_DEP_START },
    { ESSE_ANOMALY_SNAPSHOT_MISMATCH_PROCESS, 1u << ESSE_DEP_PROCESS, ESSE_DEP_OVERLAP },
    { ESSE_ANOMALY_SNAPSHOT_MISMATCH_REALTIME, 1u << ESSE_DEP_REALTIME, ESSE_DEP_OVERLAP },
};

static bool is_of_type(const struct esse_anomaly *anomaly)
{
    bool fits = false;
    for (size_t i = 0; anomaly->edge_count == 2 && i < sizeof types / sizeof *types; i++)
        fits |= anomaly->type == types[i].type && types[i].first >> anomaly->edges[0].dep & 1 &&
                anomaly->edges[1].dep == types[i].against;
    return fits;
}

/* Both edges are between the same two, so that the second one goes against the first. */
static bool is_against(struct esse_arena *arena, const struct esse_history *history,
                       const struct esse_anomaly *anomaly)
{
    const struct esse_edge *first = &anomaly->edges[0], *against = &anomaly->edges[1];
    const uint32_t from = against->from.ix, to = against->to.ix;
    struct esse_start_points points;
    if (first->to.ix != from || first->from.ix != to || from >= history->txns ||
        to >= history->txns || !esse_start_points_find(&points, arena, history) ||
        points.start[from] == ESSE_NO_POINT || points.start[to] == ESSE_NO_POINT)
        return false;
    return against->dep == ESSE_DEP_START ? esse_starts_after(&points, from, to)
                                          : !esse_starts_after(&points, to, from);
}

bool esse_recheck_start(const struct esse_history *history, const struct esse_anomaly *anomaly,
                        struct esse_error *err)
{
    struct esse_arena *arena = esse_arena_new();
    const bool ok = is_of_type(anomaly) && is_against(arena, history, anomaly) &&
                    esse_recheck_edge(history, &anomaly->edges[0]);
    esse_arena_free(arena);
    return ok ||
           esse_fail(err, ESSE_EBUG, "the timestamps do not go against a dependency as %s says",
                     esse_anomaly_name(anomaly->type));
}
