#include "engine/replay/replay_engine.h"

#include "engine/replay/replay_held.h"
#include "engine/replay/replay_words.h"
#include "evidence/recheck.h"
#include "evidence/recheck_mismatch.h"
#include "history/show.h"

/* Can an order of the very kind that the level is about be given?  Then it is replayed, and tells
 * about the levels that this one implies. */
static bool is_prover(const struct esse_level *level)
{
    return level->mismatch != ESSE_ANOMALY_NONE;
}

/* An order, taken from the history when it is needed. */
struct taken {
    bool is_taken;
    enum esse_order_by by;
    struct esse_order order;
    struct esse_reason problem;   /* why there is none, or NONE */
    const struct attempt *broken; /* it does not replay for any level, as this one found */
};

struct attempt {
    bool is_made, holds;
    const struct esse_anomaly *anomaly;
    struct esse_reason reason; /* why there is neither a proof nor an anomaly */
};

struct replaying {
    struct esse_job *job;
    struct taken serial, snapshots;
    struct attempt attempts[ESSE_LEVEL_END]; /* by level */
};

static bool is_serial(const struct esse_level *level)
{
    return level->cycle == ESSE_CYCLE_ANY;
}

static enum esse_order_by order_by(const struct esse_job *job, const struct esse_level *level)
{
    if (!is_serial(level))
        return ESSE_ORDER_BY_TIMESTAMPS;
    if (job->order_by)
        return job->order_by;
    return job->history->has & ESSE_HAS_ORDER ? ESSE_ORDER_BY_LINE : ESSE_ORDER_BY_COMMIT_TS;
}

static struct taken *take(struct replaying *r, const struct esse_level *level)
{
    struct taken *taken = is_serial(level) ? &r->serial : &r->snapshots;
    if (!taken->is_taken) {
        taken->is_taken = true;
        taken->by = order_by(r->job, level);
        taken->problem = esse_given_order(r->job->arena, r->job->history, taken->by, &taken->order);
    }
    return taken;
}

/* A mismatch counts unless a transaction of unknown place may explain it. */
static void judge(struct replaying *r, const struct esse_level *level, const struct taken *taken,
                  const struct esse_mismatch *mismatch, struct attempt *attempt)
{
    const struct esse_history *history = r->job->history;
    const esse_txn doubt = esse_mismatch_doubt(history, &taken->order, mismatch);
    const struct replay_telling telling = { .history = history,
                                            .mismatch = mismatch,
                                            .type = esse_mismatch_type(level, mismatch->kind),
                                            .by = taken->by };
    if (doubt.ix == ESSE_NO_TXN) {
        attempt->anomaly = replay_tell(r->job->arena, &telling);
        return;
    }
    attempt->reason =
        (struct esse_reason){ .id = ESSE_REASON_OUTCOME_UNPLACED,
                              .txn = esse_show_txn_text(r->job->arena, history, doubt) };
}

static void attempt_level(struct replaying *r, const struct esse_level *level)
{
    struct attempt *attempt = &r->attempts[level->id];
    struct taken *taken = take(r, level);
    struct esse_mismatch mismatch;
    struct esse_error err = { 0 };
    if (taken->broken) {
        *attempt = *taken->broken;
        return;
    }
    attempt->is_made = true;
    attempt->reason = taken->problem;
    if (taken->problem.id)
        return;
    esse_budget_phase(r->job->budget, "replaying", taken->order.count);
    const struct esse_replay_teller teller = replay_held(r->job->arena);
    attempt->holds = esse_replay_find(&teller, r->job->history, level, &taken->order,
                                      r->job->proved, r->job->budget, &mismatch, &err);
    if (attempt->holds)
        return;
    if (mismatch.kind != ESSE_MISMATCH_SESSION && mismatch.kind != ESSE_MISMATCH_TIME)
        taken->broken = attempt;
    if (mismatch.kind != ESSE_MISMATCH_NONE)
        judge(r, level, taken, &mismatch, attempt);
    else if (err.code == ESSE_EINPUT)
        r->job->error = err;
    else
        attempt->reason =
            err.code == ESSE_ESTOPPED
                ? esse_budget_reason(r->job->budget)
                : (struct esse_reason){ .id = ESSE_REASON_ORDER_REFUSED,
                                        .said = esse_arena_format(r->job->arena, "%s", err.text) };
}

static void prove(const struct replaying *r, const struct esse_level *level,
                  struct esse_verdict *verdict)
{
    verdict->outcome = ESSE_HOLDS;
    verdict->evidence = ESSE_EVIDENCE_ORDER;
    verdict->order = is_serial(level) ? r->serial.order : r->snapshots.order;
    verdict->order.proves = level->id;
}

static void refute(const struct attempt *attempt, struct esse_verdict *verdict)
{
    verdict->outcome = ESSE_VIOLATED;
    verdict->evidence = ESSE_EVIDENCE_REPLAY;
    verdict->reason = (struct esse_reason){ 0 };
    verdict->anomalies = attempt->anomaly;
    verdict->anomaly_count = 1;
    verdict->anomalies_seen = 1;
}

static const struct attempt *attempt_of(struct replaying *r, const struct esse_level *level)
{
    if (!r->attempts[level->id].is_made && r->job->error.code == ESSE_OK)
        attempt_level(r, level);
    return &r->attempts[level->id];
}

/* By a level that implies it, weakest first. */
static void decide_by_stronger(struct replaying *r, const struct esse_level *level,
                               struct esse_verdict *verdict)
{
    size_t at = 0;
    while (esse_level_by_cycle(at))
        at++;
    while (at-- > 0) {
        const struct esse_level *prover = esse_level_by_cycle(at);
        if (!is_prover(prover) || prover == level ||
            !esse_recheck_is_enough(prover, level, verdict))
            continue;
        const struct attempt *attempt = attempt_of(r, prover);
        if (attempt->holds) {
            prove(r, prover, verdict);
            return;
        }
        if (!verdict->reason.id)
            verdict->reason = attempt->reason.id
                                  ? attempt->reason
                                  : (struct esse_reason){ .id = ESSE_REASON_ORDER_DIFFERS };
    }
}

/* An order of the very kind that the level is about decides it; others can only prove it. */
static void decide(struct replaying *r, const struct esse_level *level,
                   struct esse_verdict *verdict)
{
    verdict->outcome = ESSE_UNKNOWN;
    verdict->evidence = ESSE_EVIDENCE_NONE;
    if (is_prover(level)) {
        const struct attempt *attempt = attempt_of(r, level);
        verdict->reason = attempt->reason;
        if (attempt->holds)
            prove(r, level, verdict);
        else if (attempt->anomaly &&
                 esse_job_counts(r->job, level, esse_anomaly_get(attempt->anomaly->type)))
            refute(attempt, verdict);
        if (!take(r, level)->problem.id || is_serial(level))
            return;
        verdict->reason = (struct esse_reason){ 0 };
    }
    decide_by_stronger(r, level, verdict);
}

/* Each once: several levels fail alike. */
static void collect_found(struct replaying *r)
{
    struct esse_anomaly *found = esse_arena_alloc(r->job->arena, ESSE_LEVEL_END, sizeof *found);
    const struct esse_anomaly *last[ESSE_LEVEL_END];
    const struct esse_level *level;
    uint32_t count = 0;
    for (size_t at = 0; (level = esse_level_by_cycle(at)) != NULL; at++) {
        const struct esse_anomaly *anomaly = r->attempts[level->id].anomaly;
        bool is_new = anomaly != NULL;
        for (uint32_t i = 0; i < count; i++)
            is_new &= last[i] != anomaly;
        if (is_new) {
            last[count] = anomaly;
            found[count++] = *anomaly;
        }
    }
    r->job->found = found;
    r->job->found_count = count;
}

static void run(struct esse_job *job)
{
    struct replaying r = { .job = job };
    for (size_t i = 0; i < job->level_count; i++)
        decide(&r, job->levels[i], &job->verdicts[i]);
    collect_found(&r);
}

static bool decides(const struct esse_level *level, const struct esse_history *history)
{
    return is_prover(level) && ((history->has & ESSE_HAS_SERVER_TIMES) ||
                                (is_serial(level) && (history->has & ESSE_HAS_ORDER)));
}

/* One time for each transaction, as under timestamp ordering, is its place in a serial order; two
 * are a snapshot and a commit. */
static bool has_one_time(const struct esse_history *history)
{
    for (uint32_t txn = 0; txn < history->txns; txn++) {
        const struct esse_interval times = history->txn_server_time[txn];
        if (times.begin != ESSE_NO_TIME && times.end != ESSE_NO_TIME && times.begin != times.end)
            return false;
    }
    return true;
}

bool replay_is_certified(const struct esse_level *level, const struct esse_history *history)
{
    return history->certificate.kind == ESSE_CERTIFICATE_TIMESTAMPS && history->txn_server_time &&
           !(history->has & ESSE_HAS_SNAPSHOTS) && decides(level, history) &&
           (!is_serial(level) || has_one_time(history));
}

const struct esse_engine esse_engine_replay = {
    .name = "replay",
    .summary = "an expected order, run through once: serializable and snapshot isolation",
    .decides = decides,
    .run = run,
};
