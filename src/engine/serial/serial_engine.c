#include "engine/engine.h"
#include "engine/known/serial.h"
#include "engine/propagate.h"
#include "evidence/recheck.h"
#include "evidence/replay.h"

/* The undecided levels whose turn it is next in an engine, as a job of their own. */
static struct esse_job job_before(const struct esse_job *job, const struct esse_engine *engine,
                                  struct esse_arena *scratch)
{
    struct esse_job part = *job;
    const struct esse_level **levels = esse_arena_alloc(scratch, job->level_count, sizeof *levels);
    part.levels = levels;
    part.level_count = 0;
    for (size_t i = 0; i < job->level_count; i++)
        if (job->next[i] == engine && job->verdicts[i].outcome == ESSE_UNKNOWN)
            levels[part.level_count++] = job->levels[i];
    return part;
}

static bool is_for(const struct esse_job *job, size_t at, const struct esse_engine *engine,
                   const struct esse_level *proved)
{
    return job->next[at] == engine && job->verdicts[at].outcome == ESSE_UNKNOWN &&
           esse_recheck_is_enough(proved, job->levels[at], &job->verdicts[at]);
}

static bool is_for_any(const struct esse_job *job, const struct esse_engine *engine,
                       const struct esse_level *proved)
{
    bool is_any = false;
    for (size_t i = 0; i < job->level_count; i++)
        is_any |= is_for(job, i, engine, proved);
    return is_any;
}

/* The order as a proof of the levels that would be the engine's next. */
static void prove_before(struct esse_job *job, const struct esse_engine *engine,
                         const struct esse_level *proved)
{
    struct esse_error err;
    const struct serial *near = serial_near_find(job, proved->needs_real_time);
    if (!near || near->odd.count || !is_for_any(job, engine, proved))
        return;
    struct esse_order order = near->order;
    order.proves = proved->id;
    if (!esse_replay(job->history, proved, &order, job->proved, &err))
        return;
    for (size_t i = 0; i < job->level_count; i++)
        if (is_for(job, i, engine, proved)) {
            job->verdicts[i].outcome = ESSE_HOLDS;
            job->verdicts[i].evidence = ESSE_EVIDENCE_ORDER;
            job->verdicts[i].order = order;
        }
}

static void try_before(struct esse_job *job, const struct esse_engine *engine)
{
    struct esse_arena *scratch = esse_arena_new();
    const struct esse_job part = job_before(job, engine, scratch);
    const struct esse_level *proved = part.level_count ? engine->serial_level(&part) : NULL;
    if (proved)
        prove_before(job, engine, proved);
    esse_arena_free(scratch);
    for (size_t i = 0; i < job->level_count; i++)
        propagate_in_job(job, i);
}

/* In the order in which the others run, because what one proof says of other levels counts. */
static void run(struct esse_job *job)
{
    for (size_t e = 0; esse_engines[e]; e++)
        if (esse_engines[e]->serial_level)
            try_before(job, esse_engines[e]);
    for (size_t i = 0; i < job->level_count; i++)
        if (job->verdicts[i].outcome == ESSE_UNKNOWN && esse_budget_spent(job->budget))
            job->verdicts[i].reason = esse_budget_reason(job->budget);
}

static bool decides(const struct esse_level *level, const struct esse_history *history)
{
    (void)level;
    (void)history;
    return false;
}

const struct esse_engine esse_engine_serial = {
    .name = "serial",
    .summary = "a serial order near the recorded one; proves, never refutes",
    .decides = decides,
    .run = run,
};
