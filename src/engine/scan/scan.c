#include "engine/scan/scan.h"

#include "engine/committed.h"
#include "engine/scan/scan_state.h"
#include "history/show.h"

#include <string.h>

/* ---- telling ---- */

bool scan_count(struct scan *scan, enum esse_anomaly_id type)
{
    return scan->seen[type]++ < SCAN_KEPT;
}

void scan_tell(struct scan *scan, enum esse_anomaly_id type, esse_key key, const char *description,
               const struct esse_step *steps, uint32_t count)
{
    struct esse_step *kept = esse_arena_alloc(scan->arena, count, sizeof *kept);
    memcpy(kept, steps, count * sizeof *kept);
    struct esse_anomaly anomaly = { .type = esse_anomaly_get(type)->name,
                                    .description = description,
                                    .has_key = key.ix != SCAN_NO_KEY,
                                    .key = key,
                                    .steps = kept,
                                    .step_count = count };
    scan_anomaly_vec_push(&scan->found, scan->arena, anomaly);
}

/* "T3 read x = 5" and the like. */
static const char *say(struct scan *scan, const struct esse_touch *touch, uint32_t op,
                       const char *rest)
{
    const struct esse_history *history = scan->history;
    const esse_key key = { history->op_key[op] };
    struct esse_out out;
    esse_out_init_memory(&out, scan->arena);
    esse_show_txn(&out, history, (esse_txn){ touch->txn });
    switch ((enum esse_op_kind)history->op_kind[op]) {
    case ESSE_OP_READ:
    case ESSE_OP_WRITE:
        esse_out_text(&out, touch->kind == ESSE_OP_READ ? " read " : " wrote ");
        esse_show_key(&out, history, key);
        esse_out_text(&out, " = ");
        esse_show_value(&out, history, touch->value);
        break;
    case ESSE_OP_APPEND:
        esse_out_text(&out, " appended ");
        esse_show_value(&out, history, touch->value);
        esse_out_text(&out, " to ");
        esse_show_key(&out, history, key);
        break;
    case ESSE_OP_DELETE:
        esse_out_text(&out, " deleted ");
        esse_show_key(&out, history, key);
        break;
    case ESSE_OP_PREDICATE_READ:
    case ESSE_OP_PREDICATE_UPDATE:
        esse_out_text(&out, " did ");
        esse_show_op(&out, history, (esse_op){ op });
        break;
    }
    esse_out_text(&out, rest);
    return esse_out_memory(&out);
}

struct esse_step scan_step(struct scan *scan, uint32_t at, const char *rest)
{
    const struct esse_touch *touch = scan_touch(scan, at);
    uint32_t op = esse_by_key_op(&scan->sources.by_key, touch->access);
    return (struct esse_step){ { touch->txn }, { op }, say(scan, touch, op, rest) };
}

/* ---- the engine ---- */

static void scan_key(struct scan *scan, uint32_t key)
{
    const struct esse_by_key *by_key = &scan->sources.by_key;
    struct scan_run run = { .key = key, .end = by_key->first[key] };
    while (run.end < by_key->first[key + 1]) {
        run.begin = run.end;
        run.txn = by_key->at[run.begin].txn;
        run.end = esse_run_end(by_key, key, run.begin);
        if (!scan->in[run.txn])
            continue;
        scan_internal(scan, &run);
        scan_reads(scan, &run);
    }
}

static bool scan_keys(struct scan *scan)
{
    struct esse_word_map map = { 0 };
    esse_budget_phase(scan->budget, "scanning keys", scan->history->keys);
    for (uint32_t key = 0; key < scan->history->keys; key++) {
        if (!esse_budget_poll(scan->budget, key))
            return false;
        scan_duplicates(scan, key);
        scan_key(scan, key);
        scan_lost_updates(scan, &map, key);
    }
    esse_word_map_drop(&map, scan->scratch);
    return true;
}

static bool asks_own_writes(const struct esse_job *job)
{
    for (size_t i = 0; i < job->level_count; i++)
        if (esse_level_sees_own_writes(job->levels[i]) && !esse_level_is_repeatable(job->levels[i]))
            return true;
    return false;
}

static bool find_sources(struct scan *scan, const struct serial_part *part)
{
    if (!part)
        return sources_find(&scan->sources, scan->scratch, scan->history, scan->threads,
                            scan->budget);
    return sources_find_among(&scan->sources, scan->scratch, scan->history, &part->by_key,
                              scan->threads, scan->budget);
}

static void find_counted(struct scan *scan, const struct serial_part *part)
{
    uint8_t *in = committed_find(scan->scratch, &scan->sources);
    for (uint32_t t = 0; part && t < scan->history->txns; t++)
        in[t] &= part->in[t];
    scan->in = in;
}

bool scan_open_part(struct scan *scan, struct esse_job *job, const struct serial_part *part)
{
    const struct esse_history *history = job->history;
    *scan = (struct scan){ .arena = job->arena,
                           .scratch = esse_arena_new(),
                           .history = history,
                           .budget = job->budget,
                           .threads = job->threads,
                           .tells_own_writes = asks_own_writes(job),
                           .error = &job->error };
    if (!find_sources(scan, part))
        return false;
    find_counted(scan, part);
    return scan_keys(scan) && scan_lists(scan) && scan_predicates(scan) && !scan->is_shared;
}

bool scan_open(struct scan *scan, struct esse_job *job)
{
    return scan_open_part(scan, job, NULL);
}

void scan_close(struct scan *scan)
{
    esse_arena_free(scan->scratch);
}

bool scan_judge(const struct scan *scan, const struct esse_level *level, struct esse_job *job,
                struct esse_verdict *verdict)
{
    struct esse_anomaly *kept = esse_arena_alloc(job->arena, scan->found.count + 1, sizeof *kept);
    for (int id = 1; id < ESSE_ANOMALY_END; id++) {
        const struct esse_anomaly_type *type = esse_anomaly_get((enum esse_anomaly_id)id);
        if (!scan->seen[id] || !esse_job_counts(job, level, type))
            continue;
        verdict->anomalies_seen += scan->seen[id];
        for (size_t i = 0; i < scan->found.count; i++)
            if (strcmp(scan->found.at[i].type, type->name) == 0) {
                kept[verdict->anomaly_count] = scan->found.at[i];
                kept[verdict->anomaly_count++].alike = scan->seen[id];
            }
    }
    verdict->anomalies = kept;
    verdict->outcome = verdict->anomaly_count ? ESSE_VIOLATED : ESSE_UNKNOWN;
    verdict->evidence = !verdict->anomaly_count ? "none" : kept[0].edge_count ? "cycle" : "anomaly";
    if (!verdict->anomaly_count && esse_budget_spent(job->budget))
        verdict->reason = esse_budget_reason(job->arena, job->budget);
    return verdict->anomaly_count > 0;
}

static void run(struct esse_job *job)
{
    struct scan scan;
    scan_open(&scan, job);
    for (size_t i = 0; i < job->level_count; i++)
        if (!scan_judge(&scan, job->levels[i], job, &job->verdicts[i]) && !job->verdicts[i].reason)
            job->verdicts[i].reason =
                "nothing that rules the level out shows without an order of the transactions, and "
                "this build has no engine that finds one for such a history";
    job->found = scan.found.at;
    job->found_count = (uint32_t)scan.found.count;
    scan_close(&scan);
}

static bool decides(const struct esse_level *level, const struct esse_history *history)
{
    (void)level;
    (void)history;
    return false;
}

const struct esse_engine esse_engine_scan = {
    .name = "scan",
    .summary = "the anomalies that need no order; refutes, never proves",
    .decides = decides,
    .run = run,
};
