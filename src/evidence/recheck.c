#include "evidence/recheck.h"

#include "base/error.h"
#include "base/guard.h"
#include "evidence/proved_note.h"
#include "evidence/recheck_cycle.h"
#include "evidence/recheck_mismatch.h"
#include "evidence/recheck_steps.h"
#include "evidence/refutation.h"
#include "evidence/replay.h"
#include "evidence/supposed.h"
#include "history/appends.h"
#include "history/start_points.h"
#include "history/suppose.h"

#include <string.h>

/* ---- anomalies ---- */

/* An order that does not replay is asked of the history alone. */
bool esse_recheck_anomaly(const struct esse_history *history, const struct esse_anomaly *anomaly,
                          struct esse_proved *proved, struct esse_error *err)
{
    const enum esse_shown_by by = esse_anomaly_shown_by(anomaly->type);
    struct esse_arena *arena = esse_arena_new();
    struct claim claim;
    const struct esse_history *world =
        !anomaly->supposed_count
            ? history
            : esse_history_suppose(arena, history, anomaly->supposed, anomaly->supposed_count);
    bool ok = world; /* else it supposes an outcome that is known */
    esse_guard_poll();
    if (ok && by == ESSE_SHOWN_BY_ORDER && !anomaly->edge_count) {
        ok = esse_recheck_mismatch(world, anomaly, err);
    } else if (ok) {
        claim_open(&claim, arena, world, anomaly, proved_by_key(proved, world));
        ok = by == ESSE_SHOWN_BY_REFUTATION                             ? refutation_holds(&claim)
             : by == ESSE_SHOWN_BY_STEPS || by == ESSE_SHOWN_BY_NOTHING ? steps_show(&claim)
                                                                        : cycle_is_anomaly(&claim);
    }
    esse_arena_free(arena);
    return ok || esse_fail(err, ESSE_EBUG, "the evidence for %s does not follow from the history",
                           esse_anomaly_name(anomaly->type));
}

/* ---- orders ---- */

bool esse_recheck_is_enough(const struct esse_level *proved, const struct esse_level *level,
                            const struct esse_verdict *verdict)
{
    bool enough =
        level == &esse_level_none ? verdict->named_count > 0 : esse_level_implies(proved, level);
    for (uint32_t i = 0; i < verdict->named_count; i++)
        enough &= esse_level_forbids(proved, esse_anomaly_get(verdict->named[i]));
    return enough;
}

bool esse_recheck_order(const struct esse_history *history, const struct esse_level *level,
                        const struct esse_order *order, struct esse_proved *proved,
                        struct esse_error *err)
{
    return esse_proved_has(proved, history, level, order) ||
           esse_replay(history, level, order, proved, err);
}

/* Where a certificate gives start and commit points, snapshots are at these and nowhere else. */
static bool keeps_points(const struct esse_history *history, const struct esse_level *level,
                         const struct esse_order *order)
{
    struct esse_start_points points;
    if (!level->has_points || !esse_may_have_points(history))
        return true;
    struct esse_arena *arena = esse_arena_new();
    bool ok = true;
    if (esse_start_points_find(&points, arena, history)) {
        uint32_t last = 0;
        ok = order->has_starts;
        for (uint32_t i = 0; ok && i < order->count; i++) {
            const uint32_t event = order->events[i], txn = event >> 1;
            const uint32_t point = txn >= history->txns ? ESSE_NO_POINT
                                   : event & 1          ? points.commit[txn]
                                                        : points.start[txn];
            ok = point == ESSE_NO_POINT || point >= last;
            last = point == ESSE_NO_POINT ? last : point;
        }
    }
    esse_arena_free(arena);
    return ok;
}

static bool recheck_order(const struct esse_history *history, const struct esse_level *level,
                          const struct esse_verdict *verdict, struct esse_proved *proved,
                          struct esse_error *err)
{
    const struct esse_order *order = &verdict->order;
    const struct esse_level *strongest = order->proves ? esse_level_get(order->proves) : NULL;
    if (strongest && history->lost_count &&
        esse_level_forbids(level, esse_anomaly_get(ESSE_ANOMALY_LOST_COMMIT)))
        return esse_fail(err, ESSE_EBUG, "'%s holds', and commits were lost",
                         esse_level_name(verdict->level));
    if (!strongest || !esse_recheck_is_enough(strongest, level, verdict))
        return esse_fail(err, ESSE_EBUG, "'%s holds' came without evidence",
                         esse_level_name(verdict->level));
    if (!keeps_points(history, level, order))
        return esse_fail(err, ESSE_EBUG, "the order does not prove %s at the points given",
                         esse_level_name(verdict->level));
    return esse_recheck_order(history, strongest, order, proved, err);
}

/* ---- verdicts ---- */

unsigned esse_anomaly_assumes(const struct esse_anomaly *anomaly)
{
    unsigned bases = 0;
    for (uint32_t i = 0; i < anomaly->edge_count; i++)
        bases |= 1u << anomaly->edges[i].basis;
    for (uint32_t i = 0; i < anomaly->step_count; i++)
        bases |= 1u << anomaly->steps[i].basis;
    return bases & ~(1u << ESSE_BASIS_NONE | 1u << ESSE_BASIS_INITIAL_STATE);
}

/* An anomaly that shows without any order is one whatever the certificate says. */
static bool rests_on_certificate(const struct esse_anomaly *anomaly)
{
    return anomaly->edge_count || anomaly->refutation || anomaly->order_by ||
           anomaly->type == ESSE_ANOMALY_RESULT_SET_MISMATCH;
}

enum esse_certificate_kind esse_recheck_certificate(const struct esse_history *history,
                                                    const struct esse_verdict *verdict)
{
    enum esse_certificate_kind given = history->certificate.kind;
    bool rests = verdict->outcome == ESSE_HOLDS, alone = false;
    for (uint32_t i = 0; i < verdict->anomaly_count; i++) {
        const struct esse_anomaly *anomaly = &verdict->anomalies[i];
        rests |= rests_on_certificate(anomaly);
        alone |= !rests_on_certificate(anomaly) && !anomaly->supposed_count;
        if (given == ESSE_CERTIFICATE_NONE)
            given = (enum esse_certificate_kind)anomaly->order_by;
    }
    return rests && !alone ? given : ESSE_CERTIFICATE_NONE;
}

/* Is it an anomaly that the level forbids, or one that the verdict says to count anyhow? */
static bool is_counted(const struct esse_level *level, const struct esse_verdict *verdict,
                       enum esse_anomaly_id id)
{
    if (id == ESSE_ANOMALY_NONE)
        return false;
    const struct esse_anomaly_type *type = esse_anomaly_get(id);
    bool counted = esse_level_forbids(level, type);
    for (uint32_t i = 0; !counted && i < verdict->named_count; i++)
        counted = esse_anomaly_implies(type, esse_anomaly_get(verdict->named[i]));
    return counted;
}

static bool recheck_anomalies(const struct esse_history *history, const struct esse_level *level,
                              const struct esse_verdict *verdict, struct esse_proved *proved,
                              struct esse_error *err)
{
    if (!verdict->anomaly_count)
        return esse_fail(err, ESSE_EBUG, "'%s violated' came without evidence",
                         esse_level_name(verdict->level));
    if (!esse_supposed_covers(verdict->anomalies, verdict->anomaly_count))
        return esse_fail(err, ESSE_EBUG, "'%s violated' came without evidence for all outcomes",
                         esse_level_name(verdict->level));
    for (uint32_t i = 0; i < verdict->anomaly_count; i++) {
        const struct esse_anomaly *anomaly = &verdict->anomalies[i];
        const char *name = esse_anomaly_name(anomaly->type);
        if (!is_counted(level, verdict, anomaly->type))
            return esse_fail(err, ESSE_EBUG, "%s does not rule out %s", name,
                             esse_level_name(verdict->level));
        if (esse_anomaly_assumes(anomaly) & ~verdict->assumed)
            return esse_fail(err, ESSE_EBUG,
                             "%s rests on an assumption that the verdict does not state", name);
        if (!esse_recheck_anomaly(history, anomaly, proved, err))
            return false;
    }
    return true;
}

/* What holds must have its one way, and what is violated all ways there are, in their order.  What
 * is shown of such a verdict is what its first way has. */
static bool has_ways(const struct esse_appends *elements, const struct esse_verdict *verdict)
{
    const struct esse_way *ways = verdict->ways;
    const uint32_t count = verdict->way_count;
    if (!elements->count ||
        (verdict->anomaly_count && (verdict->anomalies != ways[0].anomalies ||
                                    verdict->anomaly_count != ways[0].anomaly_count)))
        return false;
    if (verdict->outcome == ESSE_HOLDS)
        return count == 1 && esse_way_is_one(elements, ways[0].by, ways[0].count);
    uint32_t *way = esse_arena_alloc(elements->arena, elements->places + (size_t)1, sizeof *way);
    bool ok = elements->ways == count;
    esse_way_first(elements, way);
    for (uint32_t i = 0; ok && i < count; i++)
        ok = ways[i].count == elements->places &&
             memcmp(ways[i].by, way, elements->places * sizeof *way) == 0 &&
             esse_way_next(elements, way) == (i + 1 < count);
    return ok;
}

/* It depends on which operation appended which element: the verdict in the history of each way. */
static bool recheck_ways(const struct esse_history *history, const struct esse_level *level,
                         const struct esse_verdict *verdict, struct esse_error *err)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_appends elements;
    esse_appends_find(&elements, arena, history);
    bool ok = has_ways(&elements, verdict) ||
              esse_fail(err, ESSE_EBUG,
                        "the ways in which elements of lists were appended are not those of the "
                        "history");
    for (uint32_t i = 0; ok && i < verdict->way_count; i++) {
        struct esse_arena *scratch = esse_arena_new();
        struct esse_verdict plain = *verdict;
        plain.way_count = 0;
        plain.anomalies = verdict->ways[i].anomalies;
        plain.anomaly_count = verdict->ways[i].anomaly_count;
        ok = esse_recheck_verdict(esse_way_history(scratch, &elements, verdict->ways[i].by), level,
                                  &plain, NULL, err);
        esse_arena_free(scratch);
    }
    esse_arena_free(arena);
    return ok;
}

bool esse_recheck_verdict(const struct esse_history *history, const struct esse_level *level,
                          const struct esse_verdict *verdict, struct esse_proved *proved,
                          struct esse_error *err)
{
    if (verdict->outcome == ESSE_UNKNOWN)
        return true;
    /* It must own up to the certificate that it was found under, and to no other. */
    if (verdict->certificate != esse_recheck_certificate(history, verdict))
        return esse_fail(err, ESSE_EBUG, "'%s' does not state the history's certificate",
                         esse_level_name(verdict->level));
    return verdict->way_count ? recheck_ways(history, level, verdict, err)
           : verdict->outcome == ESSE_HOLDS
               ? recheck_order(history, level, verdict, proved, err)
               : recheck_anomalies(history, level, verdict, proved, err);
}
