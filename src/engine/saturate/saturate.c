#include "engine/engine.h"
#include "engine/known/serial.h"
#include "engine/propagate.h"
#include "engine/saturate/saturate_causes.h"
#include "engine/saturate/saturate_explain.h"
#include "engine/saturate/saturate_trace.h"
#include "engine/scan/scan.h"
#include "evidence/replay.h"
#include "graph/topo.h"

#include <assert.h>

struct saturating {
    struct esse_job *job;
    bool is_part; /* of the history, which can refute but not prove */
    struct known known;
    struct versions versions;
    struct saturate_traced traced;
    struct saturate_units units[2]; /* transactions, and single accesses; made when needed */
};

/* An axiom at work: the edges found so far, and the order that contains them. */
struct attempt {
    const struct esse_level *level;
    enum esse_phi phi; /* the level's, or a part of it */
    const struct saturate_units *units;
    struct saturate_forced_vec forced;
    struct saturate_order order;
};

enum answer { GAVE_UP, HOLDS, REFUTED };

static const struct saturate_units *units_for(struct saturating *s, bool single)
{
    struct saturate_units *units = &s->units[single];
    if (!units->access && !saturate_units_make(units, s->known.scratch, &s->versions, single,
                                               s->job->threads, s->job->budget))
        return NULL;
    return units;
}

/* ---- refuting ---- */

static void refute(struct saturating *s, const struct attempt *attempt, const uint32_t *cycle,
                   uint32_t length)
{
    struct saturate_refutation refutation = { attempt->level,   attempt->phi, attempt->units,
                                              &attempt->forced, cycle,        length };
    if (known_count(&s->known, attempt->level->no_commit_order))
        saturate_explain(&s->known, &refutation);
}

static void refute_by_cycle(struct saturating *s, const struct attempt *attempt)
{
    const struct saturate_units *units = attempt->units;
    struct esse_csr csr;
    uint32_t *cycle = esse_arena_array(units->arena, units->count + (size_t)1, *cycle);
    saturate_graph_build(&csr, units, attempt->level->needs_session_order, &attempt->forced);
    uint32_t length = esse_topo_cycle(&csr, cycle, units->arena);
    assert(length > 0);
    refute(s, attempt, cycle, length);
    esse_csr_drop(&csr);
    esse_arena_drop(units->arena, cycle);
}

/* A forced edge to the initial version, moved to the end, or false. */
static bool leads_to_initial(struct saturate_forced_vec *forced)
{
    for (size_t i = 0; i < forced->count; i++) {
        if (forced->at[i].to != SATURATE_INITIAL)
            continue;
        struct saturate_forced found = forced->at[i];
        forced->at[i] = forced->at[forced->count - 1];
        forced->at[forced->count - 1] = found;
        return true;
    }
    return false;
}

/* ---- the rounds ---- */

/* Is nothing left that an order could not be shown to explain? */
static bool is_fully_known(const struct attempt *attempt)
{
    const struct versions *versions = attempt->units->versions;
    /* What a transaction reads of its own list still shows an order of versions. */
    const bool own = esse_level_sees_own_writes(attempt->level) ||
                     (versions->history->has & ESSE_HAS_LIST_READS);
    /* Which version a predicate saw of a row that it left out is not among the accesses. */
    return !attempt->units->unresolved && !(versions->history->has & ESSE_HAS_PREDICATES) &&
           !(own && !attempt->units->single && versions->own_missed) &&
           !(esse_level_is_repeatable(attempt->level) && versions->not_repeated);
}

/* Every read of the newest version: nothing is passed over. */
static bool is_fresh(const struct attempt *attempt)
{
    const struct saturate_units *units = attempt->units;
    uint32_t *newest = esse_arena_array(units->arena, units->history->keys + (size_t)1, *newest);
    bool fresh = true;
    for (uint32_t key = 0; key < units->history->keys; key++)
        newest[key] = SATURATE_INITIAL;
    for (uint32_t place = 0; fresh && place < units->count; place++) {
        const uint32_t unit = saturate_unit_at(&attempt->order, place);
        for (uint32_t a = saturate_first(units, unit); a < saturate_end(units, unit); a++) {
            const struct saturate_access access = units->access[a];
            if (access.source == SATURATE_WRITES)
                newest[access.key] = unit;
            else if (access.source != SATURATE_NOTHING)
                fresh &= access.source == newest[access.key];
        }
    }
    esse_arena_drop(units->arena, newest);
    return fresh;
}

/* The edges that the axiom forces and the order does not have, if there are clocks.  'done' if
 * every order with the edges keeps the axiom, this one if there are no new ones. */
static bool follow_causes(struct saturating *s, struct attempt *attempt, bool is_first, bool *done)
{
    struct saturate_causes causes = { .order = &attempt->order, .wants_kept = is_first };
    const size_t before = attempt->forced.count;
    if (is_fresh(attempt)) {
        *done = true;
        return true;
    }
    bool ok = saturate_causes_find(&causes, attempt->phi, attempt->units, s->job->budget,
                                   &attempt->forced);
    *done = !causes.broken || causes.is_complete;
    if (!causes.broken)
        attempt->forced.count = before;
    return ok;
}

/* The order is left in the attempt.  False if there is none, or the budget is spent. */
static bool find_order(struct saturating *s, struct attempt *attempt)
{
    saturate_order_drop(&attempt->order, attempt->units);
    return saturate_order_find(&attempt->order, attempt->units, attempt->level->needs_session_order,
                               &attempt->forced, s->job->budget);
}

/* No order contains the edges.  A cycle without forced ones is the plainest refutation. */
static enum answer refuse(struct saturating *s, struct attempt *attempt)
{
    const size_t count = attempt->forced.count;
    attempt->forced.count = 0;
    if (count && find_order(s, attempt))
        attempt->forced.count = count;
    if (esse_budget_spent(s->job->budget))
        return GAVE_UP;
    if (leads_to_initial(&attempt->forced))
        refute(s, attempt, NULL, 0);
    else
        refute_by_cycle(s, attempt);
    return REFUTED;
}

/* Tries orders until one keeps the axiom or there is none. */
static enum answer saturate(struct saturating *s, struct attempt *attempt)
{
    bool done = !saturate_has_clock(attempt->phi);
    if (done && !saturate_force(attempt->phi, attempt->units, s->job->budget, &attempt->forced))
        return GAVE_UP;
    for (bool is_first = true;; is_first = false) {
        const size_t before = attempt->forced.count;
        if (leads_to_initial(&attempt->forced) || !find_order(s, attempt))
            return refuse(s, attempt);
        if (!done && !follow_causes(s, attempt, is_first, &done))
            return GAVE_UP;
        if (attempt->forced.count == before)
            return is_fully_known(attempt) ? HOLDS : GAVE_UP;
    }
}

static void keep_order(struct saturating *s, const struct attempt *attempt,
                       struct esse_verdict *verdict)
{
    assert(!s->is_part);
    const struct saturate_units *units = attempt->units;
    uint32_t *events = esse_arena_array(s->job->arena, units->count + (size_t)1, *events);
    verdict->order = (struct esse_order){ .events = events, .of_accesses = units->single };
    for (uint32_t place = 0; place < units->count; place++) {
        uint32_t unit = saturate_unit_at(&attempt->order, place);
        if (saturate_counts(units, unit))
            events[verdict->order.count++] = unit;
    }
    verdict->order.proves = attempt->level->id;
    verdict->outcome = ESSE_HOLDS;
    verdict->evidence = ESSE_EVIDENCE_ORDER;
}

/* For a φ that speaks of the order: what the same level without that part comes to, and whether
 * the order found for it will do. */
static enum answer saturate_part(struct saturating *s, struct attempt *attempt,
                                 struct esse_verdict *verdict)
{
    struct esse_error ignored;
    assert(saturate_asks_order(attempt->phi));
    const enum esse_phi whole = attempt->phi;
    attempt->phi = whole == ESSE_PHI_UPDATES ? ESSE_PHI_ATOMIC : ESSE_PHI_CAUSAL;
    enum answer answer = saturate(s, attempt);
    attempt->phi = whole;
    if (answer != HOLDS || s->is_part)
        return answer;
    struct esse_verdict kept = *verdict;
    keep_order(s, attempt, &kept);
    return esse_replay(s->job->history, attempt->level, &kept.order, s->job->proved, &ignored)
               ? HOLDS
               : GAVE_UP;
}

static void decide(struct saturating *s, const struct esse_level *level,
                   struct esse_verdict *verdict)
{
    struct attempt attempt = { .level = level, .phi = level->phi };
    if (level->phi == ESSE_PHI_NONE) {
        verdict->reason.id = ESSE_REASON_NO_AXIOM;
        return;
    }
    attempt.units = units_for(s, esse_level_is_of_operations(level));
    enum answer answer = !attempt.units                    ? GAVE_UP
                         : saturate_asks_order(level->phi) ? saturate_part(s, &attempt, verdict)
                                                           : saturate(s, &attempt);
    if (answer == HOLDS && !s->is_part)
        keep_order(s, &attempt, verdict);
    else if (answer == REFUTED)
        known_judge(&s->known, level, s->job, verdict);
    else if (!esse_budget_spent(s->job->budget))
        verdict->reason.id =
            is_fully_known(&attempt) ? ESSE_REASON_COMMIT_ORDERS : ESSE_REASON_SEVERAL_SOURCES;
    if (attempt.units) {
        saturate_order_drop(&attempt.order, attempt.units);
        saturate_forced_vec_drop(&attempt.forced, attempt.units->arena);
    }
}

/* The short way, if all levels are about transactions: then nothing else is asked of the history.
 */
static bool trace(struct saturating *s)
{
    const struct esse_job *job = s->job;
    for (size_t i = 0; i < job->level_count; i++)
        if (job->levels[i]->phi == ESSE_PHI_NONE || esse_level_is_of_operations(job->levels[i]))
            return false;
    known_begin(&s->known, s->job);
    const bool ok =
        saturate_trace(&s->traced, s->known.scratch, job->history, job->threads, job->budget);
    if (ok)
        s->units[false] = s->traced.units;
    else
        known_close(&s->known);
    return ok;
}

static bool find_all(struct saturating *s, const struct serial_part *part)
{
    return scan_open(&s->known, s->job, part) && versions_find(&s->versions, &s->known, false);
}

static void decide_all(struct esse_job *job, const struct serial_part *part)
{
    struct saturating s = { .job = job, .is_part = part != NULL };
    const bool complete = (!part && trace(&s)) || find_all(&s, part);
    for (size_t i = 0; i < job->level_count; i++)
        if (!known_judge(&s.known, job->levels[i], job, &job->verdicts[i]) && complete &&
            !propagate_in_job(job, i))
            decide(&s, job->levels[i], &job->verdicts[i]);
    for (size_t i = 0; i < job->level_count; i++)
        if (job->verdicts[i].outcome == ESSE_UNKNOWN && esse_budget_spent(job->budget))
            job->verdicts[i].reason = esse_budget_reason(job->budget);
    job->found = s.known.found.at;
    job->found_count = (uint32_t)s.known.found.count;
    known_close(&s.known);
}

static const struct esse_level *serial_level(const struct esse_job *job)
{
    (void)job;
    return esse_level_get(ESSE_LEVEL_STRONG_SESSION_SERIALIZABLE);
}

static void run(struct esse_job *job)
{
    const struct serial *near = serial_near_find(job, false);
    if (!near || !near->odd.count || !serial_decide_part(job, near, decide_all))
        decide_all(job, NULL);
}

static bool decides(const struct esse_level *level, const struct esse_history *history)
{
    return level->phi != ESSE_PHI_NONE && !(history->has & ESSE_HAS_PREDICATES);
}

const struct esse_engine esse_engine_saturate = {
    .name = "saturate",
    .summary = "axioms about a commit order: read committed to causal, and session guarantees",
    .decides = decides,
    .run = run,
    .serial_level = serial_level,
};
