#ifndef ESSE_ENGINE_ENGINE_H
#define ESSE_ENGINE_ENGINE_H

#include "base/budget.h"
#include "evidence/proved.h"
#include "history/history.h"
#include "level/level.h"

/*
 * A decision procedure.  The differential tests hold every engine to this:
 *
 * 1) decides() says whether the engine can both prove and refute 'level' on 'history'.  An engine
 *    that cannot may still be run: to refute only, as scan, or to prove only, as serial.
 * 2) run() fills one verdict a level.  It allocates what it returns in job->arena and keeps no
 *    state between calls.
 * 3) run() polls the budget at least every 10 ms, and then answers UNKNOWN for what is undecided.
 * 4) Equal input and seed give equal verdicts, evidence included.
 * 5) The evidence must satisfy evidence/recheck.h, which sees history and level but no graph,
 *    clause or engine: an engine's bug becomes a failed recheck, never a wrong answer.
 */
struct serial_near; /* known/serial.h */
struct esse_engine;

struct esse_job {
    struct esse_arena *arena;
    const struct esse_history *history;
    const struct esse_level *const *levels;
    size_t level_count;
    struct esse_budget *budget;
    unsigned threads;              /* at least 1; the verdicts do not depend on it */
    struct esse_verdict *verdicts; /* one a level */
    unsigned assume;               /* enum esse_assumption */
    unsigned ablate;               /* enum esse_ablation */
    enum esse_order_by order_by;   /* what the order of transactions is known to be by, or NONE */
    struct esse_proved *proved;    /* what the kernel has proved so far, or NULL */
    struct serial_near *near;      /* orders near the recorded one, as far as they were asked for */
    const struct esse_engine *const
        *next;                     /* a level: the engine that asks for a serial order, or NULL */
    const bool *is_followed;       /* a level: if it stays undecided, another engine decides it */
    bool named[ESSE_ANOMALY_END];  /* types that count whatever the level allows */
    bool except[ESSE_ANOMALY_END]; /* types that do not count at all */
    /* Every anomaly the engine came upon, also those that rule out none of the levels asked. */
    const struct esse_anomaly *found;
    uint32_t found_count;
    /* Input that only now turns out to be bad, such as a predicate that is no SQL: then no verdict
     * counts.  ESSE_OK otherwise. */
    struct esse_error error;
};

/* Does an anomaly of this type make the level violated? */
static inline bool esse_job_counts(const struct esse_job *job, const struct esse_level *level,
                                   const struct esse_anomaly_type *type)
{
    return !job->except[type->id] && (job->named[type->id] || esse_level_forbids(level, type));
}

struct esse_engine {
    const char *name, *summary;
    bool (*decides)(const struct esse_level *level, const struct esse_history *history);
    void (*run)(struct esse_job *job);
    /* The serial level whose order would prove most of what the job asks; NULL: no serial order is
     * worth trying before this engine.  May be NULL itself. */
    const struct esse_level *(*serial_level)(const struct esse_job *job);
};

extern const struct esse_engine *const esse_engines[]; /* null-terminated */

/* What they are and what they cost: docs/design, a page each. */
extern const struct esse_engine esse_engine_scan, esse_engine_replay, esse_engine_serial,
    esse_engine_dsg, esse_engine_saturate, esse_engine_polygraph;

const struct esse_engine *esse_engine_find(const char *name);

/* What the planner looks at beside the history. */
struct esse_planning {
    unsigned assume;
    bool has_order; /* the caller says what the order of the transactions is */
};

enum esse_plan_when {
    ESSE_PLAN_ALWAYS,
    ESSE_PLAN_ASSUMING, /* something is assumed about the order of versions */
    ESSE_PLAN_NEAR, /* nothing is assumed or given about versions, and the engine serial can walk */
    ESSE_PLAN_ORDERED, /* the order of the transactions is known, or certified for the level */
};

/* A row of the planner's table: the first that applies names the engine; where that one cannot
 * decide, the next row gets its turn. */
struct esse_plan {
    unsigned families; /* bits of enum esse_level_family */
    unsigned needs;    /* enum esse_has: the history has all of these */
    const struct esse_engine *engine;
    const char *reason;
    enum esse_plan_when when;
};

/* The first row that applies, or the first after 'after' with another engine; NULL if none. */
const struct esse_plan *esse_plan_find(const struct esse_level *level,
                                       const struct esse_history *history,
                                       const struct esse_planning *planning,
                                       const struct esse_plan *after);

/* The planner's rows, for documentation and tests; NULL engine ends them. */
extern const struct esse_plan esse_plans[];

#endif
