#include "evidence/recheck.h"

#include "base/error.h"
#include "base/guard.h"
#include "evidence/assumption.h"
#include "evidence/commit_order.h"
#include "evidence/proved_note.h"
#include "evidence/recheck_cycle.h"
#include "evidence/recheck_forced.h"
#include "evidence/recheck_mismatch.h"
#include "evidence/recheck_start.h"
#include "evidence/recheck_steps.h"
#include "evidence/recheck_ways.h"
#include "evidence/refutation.h"
#include "evidence/replay.h"
#include "evidence/start_points.h"
#include "evidence/supposed.h"
#include "history/suppose.h"

#include <string.h>

static bool recheck_supposed(const struct esse_history *history, const struct esse_anomaly *anomaly,
                             struct esse_error *err)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_anomaly plain = *anomaly;
    const struct esse_history *world =
        esse_history_suppose(arena, history, anomaly->supposed, anomaly->supposed_count);
    plain.supposed_count = 0;
    const bool ok = world ? esse_recheck_anomaly(world, &plain, err)
                          : esse_fail(err, ESSE_EBUG, "%s supposes an outcome that is known",
                                      esse_anomaly_name(anomaly->type));
    esse_arena_free(arena);
    return ok;
}

bool esse_recheck_anomaly(const struct esse_history *history, const struct esse_anomaly *anomaly,
                          struct esse_error *err)
{
    if (anomaly->supposed_count)
        return recheck_supposed(history, anomaly, err);
    esse_guard_poll();
    switch (esse_anomaly_shown_by(anomaly->type)) {
    case ESSE_SHOWN_BY_CYCLE:
        return esse_recheck_cycle(history, anomaly, err);
    case ESSE_SHOWN_BY_FORCED_CYCLE:
        return esse_recheck_forced(history, anomaly, err);
    case ESSE_SHOWN_BY_REFUTATION:
        return esse_recheck_refutation(history, anomaly, err);
    case ESSE_SHOWN_BY_ORDER:
        return anomaly->edge_count ? esse_recheck_start(history, anomaly, err)
                                   : esse_recheck_mismatch(history, anomaly, err);
    case ESSE_SHOWN_BY_POINTS:
        return esse_recheck_start(history, anomaly, err);
    case ESSE_SHOWN_BY_STEPS:
    case ESSE_SHOWN_BY_NOTHING:
        break;
    }
    return esse_recheck_steps(history, anomaly, err);
}

bool esse_recheck_is_enough(const struct esse_level *proved, const struct esse_level *level,
                            const struct esse_verdict *verdict)
{
    bool enough =
        level == &esse_level_none ? verdict->named_count > 0 : esse_level_implies(proved, level);
    for (uint32_t i = 0; i < verdict->named_count; i++) {
        const struct esse_anomaly_type *type = esse_anomaly_find(verdict->named[i]);
        enough &= type && esse_level_forbids(proved, type);
    }
    return enough;
}

/* Where both know the level, the axiom is asked first: it is faster, but needs the writer of what
 * was read. */
bool esse_recheck_order(const struct esse_history *history, const struct esse_level *level,
                        const struct esse_order *order, struct esse_proved *proved,
                        unsigned threads, struct esse_error *err)
{
    if (esse_proved_has(proved, history, level, order))
        return true;
    const bool replayed = esse_replay_proves(level, order->has_starts);
    if ((!replayed || esse_commit_order_proves(level, order->of_accesses)) &&
        esse_commit_order_check(history, level, order, threads, err)) {
        proved_note(proved, history, level, order);
        return true;
    }
    return replayed && esse_replay(history, level, order, proved, err);
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
                          unsigned threads, struct esse_error *err)
{
    const struct esse_order *order = &verdict->order;
    const struct esse_level *strongest = order->proves ? esse_level_get(order->proves) : NULL;
    if (strongest && history->lost_count &&
        esse_level_forbids(level, esse_anomaly_get(ESSE_ANOMALY_LOST_COMMIT)))
        return esse_fail(err, ESSE_EBUG, "'%s holds', and commits were lost", verdict->level);
    if (!strongest || !esse_recheck_is_enough(strongest, level, verdict))
        return esse_fail(err, ESSE_EBUG, "'%s holds' came without evidence", verdict->level);
    if (!keeps_points(history, level, order))
        return esse_fail(err, ESSE_EBUG, "the order does not prove %s at the points given",
                         verdict->level);
    return esse_recheck_order(history, strongest, order, proved, threads, err);
}

/* Does the verdict own up to everything that the anomaly assumes? */
static bool is_stated(const struct esse_verdict *verdict, const struct esse_anomaly *anomaly)
{
    for (const struct esse_assumption_words *at = esse_assumptions; at->name; at++) {
        bool stated = !esse_anomaly_assumes(anomaly, at->name);
        for (uint32_t i = 0; i < verdict->assumed_count; i++)
            stated |= strcmp(verdict->assumed[i], at->name) == 0;
        if (!stated)
            return false;
    }
    return true;
}

/* An anomaly that shows without any order is one whatever the certificate says. */
static bool rests_on_certificate(const struct esse_anomaly *anomaly)
{
    return anomaly->edge_count || anomaly->refutation || anomaly->order_by ||
           anomaly->type == ESSE_ANOMALY_RESULT_SET_MISMATCH;
}

const char *esse_recheck_certificate(const struct esse_history *history,
                                     const struct esse_verdict *verdict)
{
    const char *given = history->certificate.kind == ESSE_CERTIFICATE_NONE
                            ? NULL
                            : esse_certificate_names[history->certificate.kind];
    bool rests = verdict->outcome == ESSE_HOLDS, alone = false;
    for (uint32_t i = 0; i < verdict->anomaly_count; i++) {
        const struct esse_anomaly *anomaly = &verdict->anomalies[i];
        rests |= rests_on_certificate(anomaly);
        alone |= !rests_on_certificate(anomaly) && !anomaly->supposed_count;
        if (!given && anomaly->order_by != ESSE_ORDER_BY_NONE)
            given = esse_order_by_name(anomaly->order_by);
    }
    return rests && !alone ? given : NULL;
}

/* Does the verdict own up to the certificate that it was found under, and to no other? */
static bool states_certificate(const struct esse_history *history,
                               const struct esse_verdict *verdict)
{
    const char *needed = esse_recheck_certificate(history, verdict);
    return needed ? verdict->certificate && strcmp(verdict->certificate, needed) == 0
                  : !verdict->certificate;
}

/* Is it an anomaly that the level forbids, or one that the verdict says to count anyhow? */
static bool is_counted(const struct esse_level *level, const struct esse_verdict *verdict,
                       enum esse_anomaly_id id)
{
    if (id == ESSE_ANOMALY_NONE)
        return false;
    const struct esse_anomaly_type *type = esse_anomaly_get(id);
    bool counted = esse_level_forbids(level, type);
    for (uint32_t i = 0; !counted && i < verdict->named_count; i++) {
        const struct esse_anomaly_type *named = esse_anomaly_find(verdict->named[i]);
        counted = named && esse_anomaly_implies(type, named);
    }
    return counted;
}

bool esse_recheck_verdict(const struct esse_history *history, const struct esse_level *level,
                          const struct esse_verdict *verdict, struct esse_proved *proved,
                          unsigned threads, struct esse_error *err)
{
    if (verdict->outcome == ESSE_UNKNOWN)
        return true;
    if (!states_certificate(history, verdict))
        return esse_fail(err, ESSE_EBUG, "'%s' does not state the history's certificate",
                         verdict->level);
    if (verdict->way_count)
        return esse_recheck_ways(history, level, verdict, threads, err);
    if (verdict->outcome == ESSE_HOLDS)
        return recheck_order(history, level, verdict, proved, threads, err);
    if (!verdict->anomaly_count)
        return esse_fail(err, ESSE_EBUG, "'%s violated' came without evidence", verdict->level);
    if (!esse_supposed_covers(verdict->anomalies, verdict->anomaly_count))
        return esse_fail(err, ESSE_EBUG, "'%s violated' came without evidence for all outcomes",
                         verdict->level);
    for (uint32_t i = 0; i < verdict->anomaly_count; i++) {
        const struct esse_anomaly *anomaly = &verdict->anomalies[i];
        const char *name = esse_anomaly_name(anomaly->type);
        if (!is_counted(level, verdict, anomaly->type))
            return esse_fail(err, ESSE_EBUG, "%s does not rule out %s", name, verdict->level);
        if (!is_stated(verdict, anomaly))
            return esse_fail(err, ESSE_EBUG,
                             "%s rests on an assumption that the verdict does not state", name);
        if (!esse_recheck_anomaly(history, anomaly, err))
            return false;
    }
    return true;
}
