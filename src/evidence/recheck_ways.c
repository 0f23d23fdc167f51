#include "evidence/recheck_ways.h"

#include "base/error.h"
#include "evidence/recheck.h"
#include "history/appends.h"

#include <string.h>

/* The verdict in the history of one way. */
static bool recheck_way(const struct esse_appends *elements, const struct esse_level *level,
                        const struct esse_verdict *verdict, const struct esse_way *way,
                        unsigned threads, struct esse_error *err)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_verdict plain = *verdict;
    plain.ways = NULL;
    plain.way_count = 0;
    plain.anomalies = way->anomalies;
    plain.anomaly_count = way->anomaly_count;
    bool ok = esse_recheck_verdict(esse_way_history(arena, elements, way->by), level, &plain, NULL,
                                   threads, err);
    esse_arena_free(arena);
    return ok;
}

/* Are these all ways that there are? */
static bool are_all(const struct esse_appends *elements, const struct esse_verdict *verdict)
{
    if (elements->ways != verdict->way_count)
        return false;
    uint32_t *way = esse_arena_alloc(elements->arena, elements->places + (size_t)1, sizeof *way);
    esse_way_first(elements, way);
    for (uint32_t i = 0; i < verdict->way_count; i++) {
        if (verdict->ways[i].count != elements->places ||
            memcmp(verdict->ways[i].by, way, elements->places * sizeof *way) != 0 ||
            esse_way_next(elements, way) == (i + 1 == verdict->way_count))
            return false;
    }
    return true;
}

/* What is shown of a verdict that depends on ways is what its first way has. */
static bool is_plain(const struct esse_verdict *verdict)
{
    return !verdict->anomaly_count || (verdict->anomalies == verdict->ways[0].anomalies &&
                                       verdict->anomaly_count == verdict->ways[0].anomaly_count);
}

static bool follows(const struct esse_appends *elements, const struct esse_level *level,
                    const struct esse_verdict *verdict, unsigned threads, struct esse_error *err)
{
    const bool holds = verdict->outcome == ESSE_HOLDS;
    const struct esse_way *way = verdict->ways;
    if (!elements->count || !is_plain(verdict) ||
        !(holds ? verdict->way_count == 1 && esse_way_is_one(elements, way->by, way->count)
                : are_all(elements, verdict)))
        return esse_fail(err, ESSE_EBUG,
                         "the ways in which elements of lists were appended are not those of the "
                         "history");
    for (uint32_t i = 0; i < verdict->way_count; i++)
        if (!recheck_way(elements, level, verdict, &way[i], threads, err))
            return false;
    return true;
}

bool esse_recheck_ways(const struct esse_history *history, const struct esse_level *level,
                       const struct esse_verdict *verdict, unsigned threads, struct esse_error *err)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_appends elements;
    esse_appends_find(&elements, arena, history);
    bool ok = follows(&elements, level, verdict, threads, err);
    esse_arena_free(arena);
    return ok;
}
