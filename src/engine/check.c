#include "base/error.h"
#include "base/guard.h"
#include "base/threads.h"
#include "engine/check_state.h"
#include "engine/propagate.h"
#include "engine/scan/scan_lost.h"
#include "engine/tested.h"
#include "engine/ways.h"
#include "engine/worlds.h"
#include "evidence/recheck.h"
#include "history/contention.h"
#include "history/forget.h"
#include "history/given_order.h"

#include <stdlib.h>
#include <string.h>

/* esse_check: from the names of levels to verdicts that were rechecked. */

void check_make_room(struct check *check, size_t count)
{
    check->count = count;
    check->levels = esse_arena_alloc(check->arena, count, sizeof *check->levels);
    check->verdicts = esse_arena_alloc(check->arena, count, sizeof *check->verdicts);
    for (size_t i = 0; i < count; i++)
        check->verdicts[i] =
            (struct esse_verdict){ .outcome = ESSE_UNKNOWN,
                                   .named = check->anomalies,
                                   .named_count = (uint32_t)check->options->anomaly_count };
}

/* "all": the whole lattice, strongest first. */
static void take_all_levels(struct check *check)
{
    check_make_room(check, esse_level_count());
    for (size_t i = 0; i < check->count; i++) {
        check->levels[i] = esse_level_at(i);
        check->verdicts[i].level = check->levels[i]->id;
    }
}

/* A level that is asked for by another name is reported by its own. */

static bool find_levels(struct check *check, const struct esse_check_options *options,
                        struct esse_error *err)
{
    static const char *const fallback[] = { "strict-serializable" };
    const char *const *names = options->level_count ? options->levels : fallback;
    if (options->level_count == 1 && strcmp(names[0], "all") == 0) {
        take_all_levels(check);
        return true;
    }
    check_make_room(check, options->level_count ? options->level_count : 1);
    for (size_t i = 0; i < check->count; i++) {
        bool none = check->count == 1 && options->anomaly_count && strcmp(names[i], "none") == 0;
        check->levels[i] = none ? &esse_level_none : esse_level_named(names[i], err);
        if (!check->levels[i])
            return false;
        check->verdicts[i].level = check->levels[i]->id;
    }
    return true;
}

/* ---- from names to anomalies ---- */

static bool find_anomaly(const char *name, const struct esse_anomaly_type **type,
                         struct esse_error *err)
{
    *type = esse_anomaly_find(name);
    const char *near = *type ? NULL : esse_anomaly_suggest(name);
    return *type ||
           esse_fail(err, ESSE_EUSAGE, "unknown anomaly '%s'%s%s%s; 'esse levels' lists them", name,
                     near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static bool find_anomalies(struct check *check, struct esse_error *err)
{
    const struct esse_check_options *options = check->options;
    const struct esse_anomaly_type *type;
    for (size_t i = 0; i < options->anomaly_count; i++) {
        if (!find_anomaly(options->anomalies[i], &type, err))
            return false;
        check->anomalies[i] = type->id;
        for (size_t id = 1; id < ESSE_ANOMALY_END; id++)
            check->named[id] |=
                esse_anomaly_implies(esse_anomaly_get((enum esse_anomaly_id)id), type);
    }
    for (size_t i = 0; i < options->except_count; i++) {
        if (!find_anomaly(options->except[i], &type, err))
            return false;
        if (type->shown_by == ESSE_SHOWN_BY_NOTHING)
            return esse_fail(err, ESSE_EUSAGE,
                             "'%s' stands for several anomalies; name those to leave out",
                             options->except[i]);
        check->except[type->id] = true;
    }
    return true;
}

static bool find_order(const char *name, enum esse_order_by *by, struct esse_error *err)
{
    return !name || (esse_order_by_find(name, by) && *by != ESSE_ORDER_BY_TIMESTAMPS) ||
           esse_fail(err, ESSE_EUSAGE,
                     "unknown order '%s'; transactions are ordered by order, commit_ts or start_ts",
                     name);
}

static bool find_engine(const char *name, struct esse_error *err)
{
    return !name || esse_engine_find(name) ||
           esse_fail(err, ESSE_EUSAGE,
                     "unknown engine '%s'; this build has: scan, replay, serial, saturate, dsg, "
                     "polygraph",
                     name);
}

static void make_plans(struct check *check)
{
    const char *name = check->options->engine;
    struct esse_plan *named = esse_arena_alloc(check->arena, 1, sizeof *named);
    check->is_named = name != NULL;
    *named = (struct esse_plan){ .engine = name ? esse_engine_find(name) : NULL,
                                 .reason = "named by --engine" };
    check->plans = esse_arena_alloc(check->arena, check->count, sizeof *check->plans);
    for (size_t i = 0; i < check->count; i++)
        check->plans[i] =
            name ? named : esse_plan_find(check->levels[i], check->history, &check->planning, NULL);
}

/* ---- running ---- */

static void stop_verdict(struct esse_verdict *verdict, const struct esse_budget *budget)
{
    verdict->outcome = ESSE_UNKNOWN;
    verdict->evidence = ESSE_EVIDENCE_NONE;
    verdict->reason = esse_budget_reason(budget);
}

static bool is_same(const struct esse_anomaly *a, const struct esse_anomaly *b)
{
    bool same =
        a->type == b->type && a->step_count == b->step_count && a->edge_count == b->edge_count;
    for (uint32_t i = 0; same && i < a->step_count; i++)
        same = a->steps[i].op.ix == b->steps[i].op.ix && a->steps[i].txn.ix == b->steps[i].txn.ix;
    for (uint32_t i = 0; same && i < a->edge_count; i++)
        same = a->edges[i].from.ix == b->edges[i].from.ix &&
               a->edges[i].to.ix == b->edges[i].to.ix && a->edges[i].dep == b->edges[i].dep;
    return same;
}

/* Engines begin with the same scan, so they come upon the same things. */
static void keep_found(struct check *check, const struct esse_anomaly *anomaly)
{
    for (size_t i = 0; i < check->found.count; i++)
        if (is_same(&check->found.at[i], anomaly))
            return;
    found_vec_push(&check->found, check->arena, *anomaly);
}

/* An engine that only knows of levels may prove too little where anomalies were named; and a level
 * may be undecided because what rules it out does not count. */
static void settle(const struct check *check, const struct esse_level *level,
                   struct esse_verdict *verdict, const struct esse_job *job)
{
    if (verdict->outcome == ESSE_HOLDS &&
        !esse_recheck_is_enough(esse_level_get(verdict->order.proves), level, verdict)) {
        verdict->outcome = ESSE_UNKNOWN;
        verdict->evidence = ESSE_EVIDENCE_NONE;
        verdict->reason.id = ESSE_REASON_NAMED_ANOMALIES;
    }
    if (verdict->outcome == ESSE_UNKNOWN && !verdict->reason.id && check->is_named)
        verdict->reason.id = ESSE_REASON_NAMED_ENGINE;
    for (uint32_t i = 0; verdict->outcome == ESSE_UNKNOWN && i < job->found_count; i++) {
        const struct esse_anomaly_type *type = esse_anomaly_get(job->found[i].type);
        if (check->except[type->id] && esse_level_forbids(level, type))
            verdict->reason =
                (struct esse_reason){ .id = ESSE_REASON_EXCEPTED, .anomaly = type->id };
    }
}

/* Would another engine decide the level, if the one that it is planned for does not? */
static bool is_followed(const struct check *check, size_t level)
{
    const struct esse_plan *next = check->plans[level];
    while (!check->is_named && next &&
           (next == check->plans[level] ||
            !next->engine->decides(check->levels[level], check->history)))
        next = esse_plan_find(check->levels[level], check->history, &check->planning, next);
    return !check->is_named && next;
}

/* The engine, of those whose turn is still to come, that says what serial order is worth trying. */
static const struct esse_engine *next_engine(const struct check *check, size_t level)
{
    const struct esse_plan *plan = check->is_named ? NULL : check->plans[level];
    do
        plan = esse_plan_find(check->levels[level], check->history, &check->planning, plan);
    while (plan && !plan->engine->serial_level);
    return plan ? plan->engine : NULL;
}

struct running {
    const struct esse_engine *engine;
    struct esse_job *job;
};

static void run_job(void *context)
{
    const struct running *running = context;
    running->engine->run(running->job);
}

/* What an abandoned engine wrote is void. */
static void void_job(struct esse_job *job)
{
    job->found_count = 0;
    for (size_t i = 0; i < job->level_count; i++) {
        struct esse_verdict *verdict = &job->verdicts[i];
        *verdict = (struct esse_verdict){ .level = verdict->level,
                                          .named = verdict->named,
                                          .named_count = verdict->named_count,
                                          .engine = verdict->engine,
                                          .plan = verdict->plan,
                                          .is_engine_named = verdict->is_engine_named };
        stop_verdict(verdict, job->budget);
    }
}

/* Runs an engine once, on all the levels that are planned for it. */
static bool run_engine(struct check *check, const struct esse_engine *engine,
                       struct esse_budget *budget, struct esse_error *err)
{
    size_t count = 0;
    size_t *which = esse_arena_alloc(check->arena, check->count, sizeof *which);
    for (size_t i = 0; i < check->count; i++)
        if (check->plans[i] && check->plans[i]->engine == engine &&
            check->verdicts[i].outcome == ESSE_UNKNOWN)
            which[count++] = i;
    if (!count)
        return true;
    const struct esse_level **levels = esse_arena_alloc(check->arena, count, sizeof *levels);
    struct esse_verdict *verdicts = esse_arena_alloc(check->arena, count, sizeof *verdicts);
    bool *followed = esse_arena_alloc(check->arena, count, sizeof *followed);
    const struct esse_engine **next = esse_arena_alloc(check->arena, count, sizeof *next);
    for (size_t i = 0; i < count; i++) {
        levels[i] = check->levels[which[i]];
        followed[i] = is_followed(check, which[i]);
        next[i] = next_engine(check, which[i]);
        verdicts[i] = (struct esse_verdict){ .level = check->verdicts[which[i]].level,
                                             .outcome = ESSE_UNKNOWN,
                                             .named = check->verdicts[which[i]].named,
                                             .named_count = check->verdicts[which[i]].named_count,
                                             .engine = engine->name,
                                             .plan = check->plans[which[i]]->reason,
                                             .is_engine_named = check->is_named };
    }
    double started = esse_clock_seconds();
    struct esse_job job = { .arena = check->arena,
                            .history = check->history,
                            .levels = levels,
                            .level_count = count,
                            .budget = budget,
                            .threads = check->threads,
                            .verdicts = verdicts,
                            .assume = check->options->assume,
                            .ablate = check->options->ablate,
                            .order_by = check->order_by,
                            .proved = check->proved,
                            .near = check->near,
                            .next = next,
                            .is_followed = followed };
    memcpy(job.named, check->named, sizeof job.named);
    memcpy(job.except, check->except, sizeof job.except);
    if (!esse_guard_run(budget, run_job, &(struct running){ engine, &job }))
        void_job(&job);
    if (job.error.code != ESSE_OK) {
        *err = job.error;
        return false;
    }
    for (uint32_t i = 0; i < job.found_count; i++)
        if (!check->except[job.found[i].type])
            keep_found(check, &job.found[i]);
    for (size_t i = 0; i < count; i++) {
        struct esse_verdict *kept = &check->verdicts[which[i]];
        settle(check, levels[i], &verdicts[i], &job);
        verdicts[i].seconds = kept->seconds + esse_clock_seconds() - started;
        /* Of two that cannot decide, the first had the better reason, if it had one and the last
         * one knows of another than that time ran out. */
        if (!kept->reason.id || verdicts[i].outcome != ESSE_UNKNOWN || esse_budget_spent(budget))
            *kept = verdicts[i];
    }
    return true;
}

/* What follows from the verdicts at hand is decided. */
static void propagate_all(struct check *check)
{
    const struct propagation f = { .history = check->history,
                                   .levels = check->levels,
                                   .verdicts = check->verdicts,
                                   .count = check->count,
                                   .named = check->named,
                                   .except = check->except };
    for (size_t i = 0; i < check->count; i++)
        if (check->levels[i] != &esse_level_none)
            propagate_decided(&f, i);
}

/* Undecided levels go on to the next row of the planner's table.  False if none is left. */
static bool plan_next(struct check *check, struct esse_budget *budget)
{
    bool left = false;
    for (size_t i = 0; i < check->count; i++) {
        const struct esse_plan *plan = check->plans[i];
        bool decided = check->verdicts[i].outcome != ESSE_UNKNOWN || esse_budget_spent(budget);
        if (plan)
            check->plans[i] =
                decided || check->is_named
                    ? NULL
                    : esse_plan_find(check->levels[i], check->history, &check->planning, plan);
        left |= check->plans[i] != NULL;
    }
    return left;
}

/* Commits that the database lost need no engine, and whatever else is wrong then may be due to
 * them: the levels that forbid it are decided. */
static void judge_lost(struct check *check)
{
    const struct esse_anomaly_type *type = esse_anomaly_get(ESSE_ANOMALY_LOST_COMMIT);
    struct esse_anomaly *anomalies;
    if (!check->history->lost_count || check->except[type->id])
        return;
    const uint32_t count = scan_lost(check->arena, check->history, &anomalies);
    for (uint32_t i = 0; i < count; i++)
        keep_found(check, &anomalies[i]);
    for (size_t i = 0; i < check->count; i++) {
        if (!check->named[type->id] && !esse_level_forbids(check->levels[i], type))
            continue;
        check->plans[i] = NULL;
        check->verdicts[i] =
            (struct esse_verdict){ .level = check->verdicts[i].level,
                                   .named = check->verdicts[i].named,
                                   .named_count = check->verdicts[i].named_count,
                                   .outcome = ESSE_VIOLATED,
                                   .engine = "scan",
                                   .plan = "the database's log lacks what was acknowledged",
                                   .evidence = ESSE_EVIDENCE_ANOMALY,
                                   .anomalies = anomalies,
                                   .anomaly_count = count,
                                   .anomalies_seen = check->history->lost_count };
    }
}

/* Where lost commits were to be left out, what an order proves beside them is not the level. */
static void doubt_lost(struct check *check)
{
    const struct esse_anomaly_type *type = esse_anomaly_get(ESSE_ANOMALY_LOST_COMMIT);
    for (size_t i = 0; i < check->count && check->history->lost_count; i++) {
        struct esse_verdict *verdict = &check->verdicts[i];
        if (verdict->outcome != ESSE_HOLDS || !esse_level_forbids(check->levels[i], type))
            continue;
        verdict->outcome = ESSE_UNKNOWN;
        verdict->evidence = ESSE_EVIDENCE_NONE;
        verdict->reason = (struct esse_reason){ .id = ESSE_REASON_EXCEPTED, .anomaly = type->id };
    }
}

bool check_decide(struct check *check, struct esse_budget *budget, struct esse_error *err)
{
    make_plans(check);
    judge_lost(check);
    do {
        for (size_t i = 0; esse_engines[i]; i++) {
            if (!run_engine(check, esse_engines[i], budget, err))
                return false;
            propagate_all(check);
        }
    } while (plan_next(check, budget));
    return true;
}

/* ---- what a verdict rests on ---- */

static void state_assumptions(struct esse_verdict *verdict)
{
    for (uint32_t i = 0; i < verdict->anomaly_count; i++)
        verdict->assumed |= esse_anomaly_assumes(&verdict->anomalies[i]);
    for (uint32_t w = 0; w < verdict->way_count; w++)
        for (uint32_t i = 0; i < verdict->ways[w].anomaly_count; i++)
            verdict->assumed |= esse_anomaly_assumes(&verdict->ways[w].anomalies[i]);
}

/* For a while that is short beside the check itself, and beside what is left of the budget. */
static double time_for_otherwise(const struct check *check, const struct esse_verdict *verdict)
{
    const struct esse_budget *budget = check->options->budget;
    const double wanted = 1 + verdict->seconds;
    if (!budget || (!budget->spent && budget->deadline == 0))
        return wanted;
    const double half = budget->spent ? 0 : (budget->deadline - esse_clock_seconds()) / 2;
    return half < wanted ? half : wanted;
}

/* Violated under the certificate: would another order do?  Asked of the same history without it. */
static void ask_otherwise(struct check *check, const struct esse_level *level,
                          struct esse_verdict *verdict)
{
    if (!verdict->certificate || verdict->outcome != ESSE_VIOLATED || level == &esse_level_none)
        return;
    struct esse_arena *arena = esse_arena_new();
    const struct esse_forgetting all = { .version_share = 0 };
    const char *name = esse_level_name(verdict->level);
    struct esse_budget budget = { .seconds = time_for_otherwise(check, verdict) };
    struct esse_check_options options = { .levels = &name,
                                          .level_count = 1,
                                          .budget = &budget,
                                          .except = check->options->except,
                                          .except_count = check->options->except_count,
                                          .threads = check->threads };
    const struct esse_result *result;
    struct esse_error ignored;
    budget.memory_bytes = check->options->budget ? check->options->budget->memory_bytes : 0;
    verdict->has_otherwise = true;
    verdict->otherwise = ESSE_UNKNOWN;
    if (budget.seconds > 0 && esse_check(arena, esse_history_forget(arena, check->history, &all),
                                         &options, &result, &ignored))
        verdict->otherwise = result->verdicts[0].outcome;
    esse_arena_free(arena);
}

/* ---- rechecking ---- */

struct rechecking {
    const struct check *check;
    size_t at;
    struct esse_error *err;
    bool ok;
};

static void recheck_verdict(void *context)
{
    struct rechecking *r = context;
    const struct check *check = r->check;
    esse_guard_poll();
    r->ok = esse_recheck_verdict(check->history, check->levels[r->at], &check->verdicts[r->at],
                                 check->proved, r->err);
}

static void recheck_found(void *context)
{
    struct rechecking *r = context;
    esse_guard_poll();
    r->ok = esse_recheck_anomaly(r->check->history, &r->check->found.at[r->at], r->check->proved,
                                 r->err);
}

/* Without its evidence: that was not rechecked to the end. */
static void void_verdict(struct check *check, struct esse_verdict *verdict)
{
    verdict->order = (struct esse_order){ 0 };
    verdict->anomaly_count = 0;
    verdict->way_count = 0;
    verdict->anomalies_seen = 0;
    verdict->certificate = ESSE_CERTIFICATE_NONE;
    verdict->has_otherwise = false;
    verdict->assumed = 0;
    stop_verdict(verdict, check->options->budget);
}

/* What there is no time to recheck is not reported. */
static bool recheck(struct check *check, struct esse_error *err)
{
    struct esse_budget *budget = check->options->budget;
    struct rechecking r = { .check = check, .err = err };
    esse_budget_phase(budget, "rechecking", 0);
    for (; r.at < check->count; r.at++) {
        struct esse_verdict *verdict = &check->verdicts[r.at];
        r.ok = true;
        if (!esse_guard_run(budget, recheck_verdict, &r))
            void_verdict(check, verdict);
        else if (!r.ok)
            return false;
        verdict->rechecked = verdict->outcome != ESSE_UNKNOWN;
    }
    /* The others speak too: they rule levels out in 'not'. */
    for (r.at = 0; r.at < check->found.count; r.at++) {
        if (!esse_guard_run(budget, recheck_found, &r))
            check->found.count = r.at;
        else if (!r.ok)
            return false;
    }
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(esse_anomaly_name(*(const enum esse_anomaly_id *)a),
                  esse_anomaly_name(*(const enum esse_anomaly_id *)b));
}

static bool rules_out_any(const struct check *check, const struct esse_anomaly_type *type)
{
    for (size_t i = 0; i < check->count; i++)
        if (esse_level_forbids(check->levels[i], type))
            return true;
    return check->named[type->id];
}

/* The levels that are violated by one anomaly or another, as outcomes are unknown or as it is open
 * which operation appended what. */
static const struct esse_level **violated_in_cases(const struct check *check, size_t *count)
{
    const struct esse_level **levels = esse_arena_alloc(check->arena, check->count, sizeof *levels);
    *count = 0;
    for (size_t i = 0; i < check->count; i++)
        if (check->verdicts[i].outcome == ESSE_VIOLATED && check->levels[i] != &esse_level_none &&
            (check->verdicts[i].anomalies[0].supposed_count || check->verdicts[i].way_count))
            levels[(*count)++] = check->levels[i];
    return levels;
}

/* The types found, each once: those that count against the levels, and what all rule out. */
static void summarise_anomalies(struct check *check, struct esse_result *result)
{
    const struct esse_anomaly_type *present[ESSE_ANOMALY_END];
    enum esse_anomaly_id *types = esse_arena_alloc(check->arena, ESSE_ANOMALY_END, sizeof *types);
    struct found_vec others = { 0 };
    bool seen[ESSE_ANOMALY_END] = { false };
    size_t count = 0;
    for (size_t i = 0; i < check->found.count; i++) {
        const struct esse_anomaly_type *type = esse_anomaly_get(check->found.at[i].type);
        bool counts = rules_out_any(check, type);
        if (!counts)
            found_vec_push(&others, check->arena, check->found.at[i]);
        if (seen[type->id])
            continue;
        seen[type->id] = true;
        present[count++] = type;
        if (counts)
            types[result->anomaly_type_count++] = type->id;
    }
    qsort(types, result->anomaly_type_count, sizeof *types, by_name);
    result->anomaly_types = types;
    result->also_found = others.at;
    result->also_found_count = (uint32_t)others.count;
    size_t violated_count;
    const struct esse_level **violated = violated_in_cases(check, &violated_count);
    esse_level_boundary(check->arena, present, count, violated, violated_count, &result->not_levels,
                        &result->not_count, &result->also_not, &result->also_not_count);
}

/* The levels that hold and that no other level which holds implies. */
static void summarise_strongest(struct check *check, struct esse_result *result)
{
    const char **names = esse_arena_alloc(check->arena, check->count, sizeof *names);
    for (size_t i = 0; i < check->count; i++) {
        bool strongest =
            check->verdicts[i].outcome == ESSE_HOLDS && check->levels[i] != &esse_level_none;
        for (size_t j = 0; strongest && j < check->count; j++)
            if (j != i && check->verdicts[j].outcome == ESSE_HOLDS &&
                esse_level_implies(check->levels[j], check->levels[i]) &&
                (!esse_level_implies(check->levels[i], check->levels[j]) || j < i))
                strongest = false;
        if (strongest)
            names[result->strongest_count++] = check->levels[i]->friendly;
    }
    result->strongest = names;
}

/* By how much a level holds. */
static void count_tested(const struct check *check, struct esse_result *result)
{
    bool holds = false;
    for (size_t i = 0; i < check->count; i++)
        holds |= check->verdicts[i].outcome == ESSE_HOLDS;
    if (holds && !esse_budget_spent(check->options->budget))
        esse_contention_count(check->history, check->options->budget, &result->tested);
}

/* Of so few commits that a level which holds says nothing of the database. */
static void demand_commits(struct check *check, struct esse_result *result)
{
    uint64_t committed = 0;
    for (uint32_t t = 0; t < check->history->txns; t++)
        committed += check->history->txn_status[t] == ESSE_COMMITTED;
    result->too_few_committed = committed < check->options->min_committed;
    for (size_t i = 0; result->too_few_committed && i < check->count; i++)
        esse_verdict_demand_commits(&check->verdicts[i], committed, check->options->min_committed);
}

bool esse_check(struct esse_arena *arena, const struct esse_history *history,
                const struct esse_check_options *options, const struct esse_result **out,
                struct esse_error *err)
{
    /* There is always a budget, so that what is too large for the machine is unknown too. */
    struct esse_budget unlimited = { 0 };
    struct esse_check_options filled = options ? *options : (struct esse_check_options){ 0 };
    if (!filled.budget)
        filled.budget = &unlimited;
    options = &filled;
    *out = NULL;
    struct check check = { .arena = arena,
                           .history = history,
                           .options = options,
                           .threads = esse_thread_count(options->threads),
                           .planning = { options->assume, options->order_by != NULL },
                           .near = esse_arena_alloc(arena, 1, sizeof *check.near),
                           .anomalies = esse_arena_alloc(arena, options->anomaly_count,
                                                         sizeof *check.anomalies),
                           .proved = esse_proved_new(arena, history) };
    if (!find_levels(&check, options, err) || !find_anomalies(&check, err) ||
        !find_order(options->order_by, &check.order_by, err) || !find_engine(options->engine, err))
        return false;
    esse_budget_start(options->budget);
    bool has_ways;
    if (!worlds_begin(&check, options->budget, err) ||
        !check_decide(&check, options->budget, err) || !ways_decide(&check, &has_ways, err) ||
        (!has_ways && !worlds_decide(&check, options->budget, err)))
        return false;
    propagate_all(&check);
    doubt_lost(&check);
    for (size_t i = 0; i < check.count; i++)
        state_assumptions(&check.verdicts[i]);
    for (size_t i = 0; i < check.count; i++) {
        check.verdicts[i].certificate = esse_recheck_certificate(check.history, &check.verdicts[i]);
        ask_otherwise(&check, check.levels[i], &check.verdicts[i]);
    }
    struct esse_result *result = esse_arena_alloc(arena, 1, sizeof *result);
    result->verdicts = check.verdicts;
    result->verdict_count = (uint32_t)check.count;
    *out = result;
    if (!recheck(&check, err))
        return false;
    demand_commits(&check, result);
    count_tested(&check, result);
    summarise_anomalies(&check, result);
    summarise_strongest(&check, result);
    return true;
}
