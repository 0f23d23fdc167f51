#include "engine/propagate.h"

#include "evidence/recheck.h"
#include "history/start_points.h"

/* Is the level held against start and commit points that a certificate tells, and 'from' was not?
 * A serial order says nothing about points. */
static bool asks_for_points(const struct propagation *f, size_t at, size_t from)
{
    return f->levels[at]->has_points && !f->levels[from]->has_points &&
           esse_may_have_points(f->history);
}

/* Does the order that proved 'from' prove this level too? */
static bool is_proved(const struct propagation *f, size_t at, const struct esse_verdict *from)
{
    return from->outcome == ESSE_HOLDS && !asks_for_points(f, at, (size_t)(from - f->verdicts)) &&
           esse_recheck_is_enough(esse_level_get(from->order.proves), f->levels[at],
                                  &f->verdicts[at]);
}

static bool all_count(const struct propagation *f, size_t at, const struct esse_anomaly *anomalies,
                      uint32_t count)
{
    bool counts = count > 0;
    for (uint32_t i = 0; counts && i < count; i++) {
        const struct esse_anomaly_type *type = esse_anomaly_get(anomalies[i].type);
        counts =
            !f->except[type->id] && (f->named[type->id] || esse_level_forbids(f->levels[at], type));
    }
    return counts;
}

/* Do all the anomalies that rule 'from' out count against this level too? */
static bool is_ruled_out(const struct propagation *f, size_t at, const struct esse_verdict *from)
{
    bool counts =
        from->outcome == ESSE_VIOLATED && all_count(f, at, from->anomalies, from->anomaly_count);
    for (uint32_t i = 0; counts && i < from->way_count; i++)
        counts = all_count(f, at, from->ways[i].anomalies, from->ways[i].anomaly_count);
    return counts;
}

void propagate_take(struct esse_verdict *verdict, const struct esse_verdict *from)
{
    verdict->outcome = from->outcome;
    verdict->evidence = from->evidence;
    verdict->reason = (struct esse_reason){ 0 };
    verdict->order = from->order;
    verdict->anomalies = from->anomalies;
    verdict->anomaly_count = from->anomaly_count;
    verdict->anomalies_seen = from->anomalies_seen;
    verdict->certificate = from->certificate;
    verdict->engine = from->engine;
    verdict->plan = from->plan;
}

bool propagate_decided(const struct propagation *f, size_t at)
{
    struct esse_verdict *verdict = &f->verdicts[at];
    for (size_t i = 0; verdict->outcome == ESSE_UNKNOWN && i < f->count; i++)
        if (is_proved(f, at, &f->verdicts[i]) || is_ruled_out(f, at, &f->verdicts[i])) {
            propagate_take(verdict, &f->verdicts[i]);
            verdict->plan = "it follows from the verdict on another level";
        }
    return verdict->outcome != ESSE_UNKNOWN;
}

bool propagate_in_job(struct esse_job *job, size_t at)
{
    const struct propagation f = { .history = job->history,
                                   .levels = job->levels,
                                   .verdicts = job->verdicts,
                                   .count = job->level_count,
                                   .named = job->named,
                                   .except = job->except };
    return propagate_decided(&f, at);
}
