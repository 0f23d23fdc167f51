#include "engine/replay/streaming.h"

#include "base/error.h"
#include "engine/replay/replay_words.h"
#include "engine/tested.h"
#include "evidence/recheck_mismatch.h"

bool esse_streaming_open(struct esse_streaming *streaming, struct esse_arena *arena,
                         const char *level, const char *order_by, struct esse_error *err)
{
    const struct esse_level *found = esse_level_find(level);
    *streaming = (struct esse_streaming){ .arena = arena, .level = found };
    if (!found)
        return esse_fail(err, ESSE_EUSAGE, "unknown level '%s'; 'esse levels' lists them", level);
    if (found->mismatch == ESSE_ANOMALY_NONE)
        return esse_fail(err, ESSE_EUSAGE,
                         "--stream checks (strong-session-, strict-) serializable and (strong-"
                         "session-, strong-) snapshot-isolation, not %s",
                         level);
    const bool is_serial = found->cycle == ESSE_CYCLE_ANY;
    enum esse_order_by by = ESSE_ORDER_BY_TIMESTAMPS;
    if (is_serial && order_by && !esse_order_by_find(order_by, &by))
        return esse_fail(err, ESSE_EUSAGE, "unknown order '%s'", order_by);
    streaming->replay = is_serial && !order_by ? esse_replay_stream_new_undeclared(arena, found)
                                               : esse_replay_stream_new(arena, found, by);
    streaming->sink = esse_replay_stream_sink(streaming->replay);
    return true;
}

static void tell_mismatch(struct esse_streaming *streaming,
                          const struct esse_replay_outcome *outcome, struct esse_result *result,
                          struct esse_verdict *verdict)
{
    enum esse_anomaly_id *type = esse_arena_alloc(streaming->arena, 1, sizeof *type);
    *type = esse_mismatch_type(streaming->level, outcome->mismatch.kind);
    const struct esse_anomaly_type *found = esse_anomaly_get(*type);
    const struct replay_telling telling = { .history = outcome->history,
                                            .mismatch = &outcome->mismatch,
                                            .type = *type,
                                            .by = outcome->by,
                                            .other_name = outcome->other_name,
                                            .is_stream = true };
    verdict->evidence = ESSE_EVIDENCE_REPLAY;
    verdict->anomalies = replay_tell(streaming->arena, &telling);
    verdict->anomaly_count = 1;
    verdict->anomalies_seen = 1;
    verdict->certificate = (enum esse_certificate_kind)verdict->anomalies->order_by;
    result->anomaly_types = type;
    result->anomaly_type_count = 1;
    esse_level_boundary(streaming->arena, &found, 1, NULL, 0, &result->not_levels,
                        &result->not_count, &result->also_not, &result->also_not_count);
}

static void tell_proof(struct esse_streaming *streaming, const struct esse_replay_outcome *outcome,
                       struct esse_result *result, struct esse_verdict *verdict)
{
    const char **strongest = esse_arena_alloc(streaming->arena, 1, sizeof *strongest);
    const bool has_starts = outcome->by == ESSE_ORDER_BY_TIMESTAMPS;
    verdict->evidence = ESSE_EVIDENCE_ORDER;
    verdict->order = (struct esse_order){ .count = outcome->replayed * (has_starts ? 2u : 1u),
                                          .has_starts = has_starts,
                                          .proves = streaming->level->id };
    strongest[0] = streaming->level->friendly;
    result->strongest = strongest;
    result->strongest_count = 1;
}

const struct esse_result *esse_streaming_close(struct esse_streaming *streaming,
                                               enum esse_spent spent, double seconds)
{
    const struct esse_replay_outcome outcome = esse_replay_stream_outcome(streaming->replay);
    struct esse_result *result = esse_arena_alloc(streaming->arena, 1, sizeof *result);
    struct esse_verdict *verdict = esse_arena_alloc(streaming->arena, 1, sizeof *verdict);
    streaming->history = outcome.history;
    streaming->counts = outcome.counts;
    result->too_few_committed = outcome.counts.committed < streaming->min_committed;
    *verdict =
        (struct esse_verdict){ .level = streaming->level->id,
                               .outcome = outcome.outcome,
                               .engine = "replay",
                               .plan = "replayed while it was read, by the code that rechecks",
                               .evidence = ESSE_EVIDENCE_NONE,
                               .seconds = seconds };
    if (outcome.outcome == ESSE_UNKNOWN)
        verdict->reason = outcome.reason.id ? outcome.reason : esse_reason_of_reading(spent);
    else if (outcome.outcome == ESSE_VIOLATED)
        tell_mismatch(streaming, &outcome, result, verdict);
    else if (!result->too_few_committed)
        tell_proof(streaming, &outcome, result, verdict);
    esse_verdict_demand_commits(verdict, outcome.counts.committed, streaming->min_committed);
    result->verdicts = verdict;
    result->verdict_count = 1;
    return result;
}

void esse_streaming_release(struct esse_streaming *streaming)
{
    if (streaming->replay)
        esse_replay_stream_release(streaming->replay);
}
