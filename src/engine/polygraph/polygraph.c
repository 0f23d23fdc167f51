#include "engine/engine.h"
#include "engine/polygraph/poly_layout.h"
#include "engine/polygraph/poly_state.h"
#include "engine/propagate.h"
#include "engine/scan/scan.h"
#include "evidence/recheck.h"
#include "history/start_points.h"

#include <math.h>

enum { MOST_SUPPOSED = 8 }; /* times that something is supposed */

struct polygraphing {
    struct esse_job *job;
    struct known known;
    struct versions versions;
    struct poly_reads reads;
    struct dsg_time time;
    struct poly_layout layout;
};

/* ---- one level ---- */

struct attempt {
    struct poly_reads *reads;
    bool sessions, time; /* with these edges, which the level itself may not have */
    uint8_t *retracted;  /* see struct poly */
    uint32_t reach;      /* how far around what is to blame edges are retracted, in transactions */
    bool is_first;       /* nothing is retracted */
    bool was_local;      /* a local refutation was looked for */
    bool is_unproved;    /* the order that was found does not prove the level */
    uint64_t txns, conflicts; /* of all attempts so far */
};

static bool is_proof(const struct polygraphing *p, const struct esse_level *level,
                     const struct esse_order *order)
{
    struct esse_error err;
    return esse_recheck_order(p->job->history, level, order, p->job->proved, &err);
}

/* Those of all attempts, one after the other. */
static void tell_phases(struct polygraphing *p, const struct poly *poly,
                        struct esse_verdict *verdict)
{
    const size_t before = verdict->phase_count, count = poly->phases.count;
    struct esse_phase *phases = esse_arena_alloc(p->job->arena, before + count + 1, sizeof *phases);
    for (size_t i = 0; i < before; i++)
        phases[i] = verdict->phases[i];
    for (size_t i = 0; i < count; i++)
        phases[before + i] = poly->phases.at[i];
    verdict->phases = phases;
    verdict->phase_count = (uint32_t)(before + count);
}

/* With all optimistic edges it was the stronger level that was refuted, which is worth telling. */
static void tell_stronger(struct polygraphing *p, struct poly *poly)
{
    const struct esse_level *stronger = esse_level_with(poly->level, poly->sessions, poly->time);
    if (!stronger || p->job->except[stronger->no_order] || p->known.seen[stronger->no_order])
        return;
    p->known.seen[stronger->no_order]++;
    poly->level = stronger;
    poly_explain(poly, &p->known);
}

static struct poly open_poly(struct polygraphing *p, const struct esse_level *level,
                             const struct attempt *attempt)
{
    return (struct poly){ .ablate = p->job->ablate,
                          .versions = &p->versions,
                          .reads = attempt->reads,
                          .time_line = &p->time,
                          .layout = &p->layout,
                          .budget = p->job->budget,
                          .level = level,
                          .sessions = attempt->sessions,
                          .time = attempt->time,
                          .retracted = attempt->retracted };
}

/* With the optimistic edges that are not retracted.  If these are to blame for UNSAT, they are
 * retracted from then on, and '*blamed' is set. */
static enum esse_solver_answer try_to(struct polygraphing *p, const struct esse_level *level,
                                      struct attempt *attempt, struct esse_verdict *verdict,
                                      bool *blamed)
{
    struct poly poly = open_poly(p, level, attempt);
    enum esse_solver_answer answer = poly_solve(&poly);
    *blamed = false;
    if (answer == ESSE_SOLVER_SAT) {
        verdict->order = poly_read_order(&poly, p->job->arena);
        attempt->is_unproved = !is_proof(p, level, &verdict->order);
        if (attempt->is_unproved)
            answer = ESSE_SOLVER_UNKNOWN;
    } else if (answer == ESSE_SOLVER_UNSAT) {
        poly_shrink_proof(&poly);
        poly_reconstruct_proof(&poly);
        *blamed = poly_blame(&poly, attempt->reach, attempt->retracted) > 0;
        if (!*blamed && !attempt->reads->optional)
            poly_explain(&poly, &p->known);
        else if (attempt->is_first && !attempt->reads->optional)
            tell_stronger(p, &poly);
    }
    attempt->txns += p->job->history->txns;
    attempt->conflicts += poly.solver ? esse_solver_stats(poly.solver)->conflicts : 0;
    tell_phases(p, &poly, verdict);
    poly_close(&poly);
    return answer;
}

/* What a local refutation costs does not grow with the history, and it is in vain if the level
 * holds.  A try of it is worth so many transactions of attempts, or so many of their conflicts;
 * without patience, anything. */
enum { LOCAL_TXNS = 1 << 16, LOCAL_CONFLICTS = 100 };

/* Where rw is no edge of the graph, a cycle is looked for in another way. */
static bool is_local(const struct polygraphing *p, const struct esse_level *level,
                     const struct attempt *attempt)
{
    return !attempt->was_local && !level->needs_real_time && level->cycle > ESSE_CYCLE_ONE_RW &&
           !(p->job->ablate & ESSE_ABLATE_LOCALITY) &&
           ((p->job->ablate & ESSE_ABLATE_PATIENCE) || attempt->txns >= LOCAL_TXNS ||
            attempt->conflicts >= LOCAL_CONFLICTS);
}

/* What is refuted with all optimistic edges may be refuted without, by what is wrong in one
 * place. */
static bool refute_locally(struct polygraphing *p, const struct esse_level *level,
                           struct attempt *attempt, struct esse_verdict *verdict)
{
    if (!is_local(p, level, attempt))
        return false;
    attempt->was_local = true;
    struct poly poly = open_poly(p, level, attempt);
    poly.sessions = level->needs_session_order;
    poly.time = level->needs_real_time;
    const bool refuted = poly_solve_locally(&poly);
    if (refuted) {
        poly_shrink_proof(&poly);
        poly_reconstruct_proof(&poly);
        if (!attempt->reads->optional)
            poly_explain(&poly, &p->known);
    }
    tell_phases(p, &poly, verdict);
    poly_close(&poly);
    return refuted;
}

/* ---- reads of several possible versions ---- */

/* Is there enough to suppose, and are there sessions to suppose it by?  Where rw is no edge, the
 * order must name what every read was of. */
static bool may_suppose(const struct polygraphing *p, const struct esse_level *level,
                        const struct poly_reads *reads)
{
    return !(p->job->ablate & ESSE_ABLATE_SUPPOSING) && level->cycle > ESSE_CYCLE_ONE_RW &&
           poly_repeats(reads) && p->job->history->sessions <= p->job->history->txns / 2;
}

static enum esse_solver_answer suppose(struct polygraphing *p, const struct esse_level *level,
                                       const struct attempt *attempt, uint32_t *margin,
                                       struct esse_verdict *verdict)
{
    struct esse_arena *arena = esse_arena_new();
    struct poly_reads supposed = poly_reads_suppose(attempt->reads, arena, p->layout.rank, margin);
    struct poly poly = open_poly(p, level, attempt);
    poly.reads = &supposed;
    enum esse_solver_answer answer = poly_solve_supposed(&poly, attempt->reads->open.count);
    if (answer == ESSE_SOLVER_SAT) {
        verdict->order = poly_read_order(&poly, p->job->arena);
        if (!is_proof(p, level, &verdict->order))
            answer = ESSE_SOLVER_UNKNOWN;
    } else if (answer == ESSE_SOLVER_UNSAT) {
        poly_shrink_proof(&poly);
        poly_widen(&poly, margin);
    }
    tell_phases(p, &poly, verdict);
    poly_close(&poly);
    esse_arena_free(arena);
    return answer;
}

/* An order in which every read is of a version that the rank has near: it is an order whatever was
 * supposed.  Sessions that run by themselves drift apart; where a margin of a third of that is too
 * narrow, it is widened. */
static bool prove_by_supposing(struct polygraphing *p, const struct esse_level *level,
                               const struct attempt *attempt, struct esse_verdict *verdict)
{
    const struct esse_history *history = p->job->history;
    uint32_t *margin = esse_arena_array(p->known.scratch, history->txns + (size_t)1, *margin);
    for (uint32_t txn = 0; txn < history->txns; txn++)
        margin[txn] = (uint32_t)(sqrt((double)history->txns * history->sessions) / 3) + 1;
    enum esse_solver_answer answer = ESSE_SOLVER_UNSAT;
    for (int i = 0; answer == ESSE_SOLVER_UNSAT && i < MOST_SUPPOSED; i++)
        answer = suppose(p, level, attempt, margin, verdict);
    esse_arena_drop(p->known.scratch, margin);
    return answer == ESSE_SOLVER_SAT;
}

/* An order that keeps more than the level asks for is found sooner.  What is to blame reaches twice
 * as far each time, so that after a few times no optimistic edge is left. */
static enum esse_solver_answer decide_from(struct polygraphing *p, const struct esse_level *level,
                                           struct poly_reads *reads, struct esse_verdict *verdict,
                                           bool *is_unproved)
{
    const bool is_optimistic = !(p->job->ablate & ESSE_ABLATE_LENDING);
    struct attempt attempt = { .reads = reads,
                               .sessions = level->needs_session_order || is_optimistic,
                               .time = level->needs_real_time ||
                                       (is_optimistic && p->job->history->txn_time) };
    attempt.retracted = esse_arena_alloc(p->known.scratch, p->job->history->txns + (size_t)1, 1);
    enum esse_solver_answer answer;
    bool blamed;
    if (may_suppose(p, level, reads) && prove_by_supposing(p, level, &attempt, verdict))
        return ESSE_SOLVER_SAT;
    for (attempt.is_first = true;; attempt.is_first = false) {
        answer = try_to(p, level, &attempt, verdict, &blamed);
        if (!blamed || refute_locally(p, level, &attempt, verdict))
            break;
        if (attempt.reach >= p->job->history->txns) {
            attempt.sessions = level->needs_session_order;
            attempt.time = level->needs_real_time;
        }
        attempt.reach = 2 * attempt.reach + 1;
    }
    *is_unproved = attempt.is_unproved;
    return answer;
}

/* What an aggregate returned is no choice, so an order that keeps all choices may prove nothing.
 * Another estimate leads to another order. */
static enum esse_solver_answer decide(struct polygraphing *p, const struct esse_level *level,
                                      struct poly_reads *reads, struct esse_verdict *verdict)
{
    const struct poly_layout first = p->layout;
    bool is_unproved = false;
    enum esse_solver_answer answer = decide_from(p, level, reads, verdict, &is_unproved);
    if (is_unproved && first.second && !esse_budget_spent(p->job->budget)) {
        p->layout = (struct poly_layout){ .rank = first.second };
        answer = decide_from(p, level, reads, verdict, &is_unproved);
        p->layout = first;
    }
    return answer;
}

/* ---- the engine ---- */

static struct esse_reason why_unknown(const struct polygraphing *p,
                                      const struct esse_verdict *verdict)
{
    const unsigned has = p->job->history->has;
    struct esse_reason reason = { .id = p->reads.stuck              ? ESSE_REASON_ODD_READ
                                        : p->reads.optional         ? ESSE_REASON_OUTCOMES_NEEDED
                                        : has & ESSE_HAS_VSETS      ? ESSE_REASON_VERSION_SETS
                                        : has & ESSE_HAS_PREDICATES ? ESSE_REASON_ROWS_LEFT_OUT
                                                                    : ESSE_REASON_ORDERS };
    if (esse_budget_spent(p->job->budget)) {
        reason = esse_budget_reason(p->job->budget);
        reason.after = verdict->phase_count ? &verdict->phases[verdict->phase_count - 1] : NULL;
    }
    return reason;
}

/* What is wrong in every case if the unknown outcomes are left open is wrong; what is not is
 * unknown. */
static enum esse_solver_answer decide_sure(struct polygraphing *p, const struct esse_level *level,
                                           struct esse_verdict *verdict)
{
    struct poly_reads sure = poly_reads_sure(&p->reads);
    struct esse_verdict ignored = *verdict;
    const enum esse_solver_answer answer = decide(p, level, &sure, &ignored);
    return answer == ESSE_SOLVER_UNSAT ? answer : ESSE_SOLVER_UNKNOWN;
}

/* The refutation that was reported last; the vector that it is in may move. */
static const struct esse_anomaly *keep_last(const struct polygraphing *p)
{
    struct esse_anomaly *kept = esse_arena_alloc(p->job->arena, 1, sizeof *kept);
    *kept = p->known.found.at[p->known.found.count - 1];
    return kept;
}

static bool has_points(const struct polygraphing *p)
{
    struct esse_start_points points;
    struct esse_arena *arena = esse_arena_new();
    const bool found = esse_start_points_find(&points, arena, p->job->history);
    esse_arena_free(arena);
    return found;
}

static void judge(struct polygraphing *p, const struct esse_level *level,
                  struct esse_verdict *verdict)
{
    if (!poly_decides(level)) {
        verdict->reason.id = ESSE_REASON_NOT_BY_POLYGRAPH;
        return;
    }
    enum esse_solver_answer answer =
        p->reads.stuck ? ESSE_SOLVER_UNKNOWN : decide(p, level, &p->reads, verdict);
    if (answer == ESSE_SOLVER_UNSAT && p->reads.optional)
        answer = decide_sure(p, level, verdict);
    if (answer == ESSE_SOLVER_SAT && level->has_points && has_points(p)) {
        verdict->order = (struct esse_order){ 0 };
        verdict->reason.id = ESSE_REASON_POINTS;
    } else if (answer == ESSE_SOLVER_SAT) {
        verdict->outcome = ESSE_HOLDS;
        verdict->evidence = ESSE_EVIDENCE_ORDER;
    } else if (answer == ESSE_SOLVER_UNSAT && !p->job->except[level->no_order]) {
        verdict->outcome = ESSE_VIOLATED;
        verdict->evidence = ESSE_EVIDENCE_REFUTATION;
        verdict->anomalies = keep_last(p);
        verdict->anomaly_count = 1;
        verdict->anomalies_seen = 1;
    } else {
        verdict->reason = why_unknown(p, verdict);
    }
}

/* The strongest levels come first, because their orders prove weaker ones too. */
static void judge_all(struct polygraphing *p, enum esse_level_id id)
{
    struct esse_job *job = p->job;
    for (size_t i = 0; i < job->level_count; i++)
        if (job->levels[i]->id == id && job->verdicts[i].outcome == ESSE_UNKNOWN &&
            !propagate_in_job(job, i))
            judge(p, job->levels[i], &job->verdicts[i]);
}

static bool prepare(struct polygraphing *p)
{
    struct esse_job *job = p->job;
    if (!scan_open(&p->known, job, NULL) || !versions_find(&p->versions, &p->known, false))
        return false;
    dsg_time_find(&p->time, &p->versions);
    if (!poly_reads_find(&p->reads, &p->versions, job->history->has & ESSE_HAS_PREDICATES,
                         job->budget, &job->error))
        return false;
    poly_layout_find(&p->layout, &p->reads, job->ablate);
    return true;
}

static void run(struct esse_job *job)
{
    struct polygraphing p = { .job = job };
    const bool ready = prepare(&p);
    /* What the scan found rules out by Elle's lattice; a refutation only by its own level. */
    for (size_t i = 0; i < job->level_count; i++)
        known_judge(&p.known, job->levels[i], job, &job->verdicts[i]);
    for (size_t i = 0; i < job->level_count; i++)
        if (!ready && job->verdicts[i].outcome != ESSE_VIOLATED)
            job->verdicts[i].reason = why_unknown(&p, &job->verdicts[i]);
    for (int id = 1; ready && id < ESSE_LEVEL_END; id++)
        judge_all(&p, (enum esse_level_id)id);
    job->found = p.known.found.at;
    job->found_count = (uint32_t)p.known.found.count;
    known_close(&p.known);
}

static bool decides(const struct esse_level *level, const struct esse_history *history)
{
    return poly_decides(level) &&
           (level->id != ESSE_LEVEL_CONSISTENT_VIEW || !(history->has & ESSE_HAS_PREDICATES));
}

const struct esse_engine esse_engine_polygraph = {
    .name = "polygraph",
    .summary = "strong levels when the order of versions is not known: choices, and a solver",
    .decides = decides,
    .run = run,
};
