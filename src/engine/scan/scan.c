#include "engine/scan/scan.h"

#include "engine/scan/scan_state.h"

static void scan_key(struct known *known, uint32_t key)
{
    const struct esse_by_key *by_key = &known->sources.by_key;
    const struct esse_key_access *all = by_key->at;
    const uint32_t end = by_key->first[key + 1];
    for (uint32_t at = by_key->first[key], next; at < end; at = next) {
        next = esse_run_end_among(all, at, end);
        if (!known->in[all[at].txn])
            continue;
        struct scan_run run = { .key = key, .txn = all[at].txn, .begin = { at }, .end = { next } };
        scan_internal(known, &run);
        scan_reads(known, &run);
    }
}

static bool scan_keys(struct known *known)
{
    struct esse_word_map map = { 0 };
    esse_budget_phase(known->budget, "scanning keys", known->history->keys);
    for (uint32_t key = 0; key < known->history->keys; key++) {
        if (!esse_budget_poll(known->budget, key))
            return false;
        scan_duplicates(known, key);
        scan_key(known, key);
        scan_lost_updates(known, &map, key);
    }
    esse_word_map_drop(&map, known->scratch);
    return true;
}

static bool asks_own_writes(const struct esse_job *job)
{
    for (size_t i = 0; i < job->level_count; i++)
        if (esse_level_sees_own_writes(job->levels[i]) && !esse_level_is_repeatable(job->levels[i]))
            return true;
    return false;
}

bool scan_open(struct known *known, struct esse_job *job, const struct serial_part *part)
{
    if (!known_open(known, job, part))
        return false;
    known->tells_own_writes = asks_own_writes(job);
    return scan_keys(known) && scan_lists(known) && scan_predicates(known) && !known->is_shared;
}

static void run(struct esse_job *job)
{
    struct known known;
    scan_open(&known, job, NULL);
    for (size_t i = 0; i < job->level_count; i++)
        if (!known_judge(&known, job->levels[i], job, &job->verdicts[i]) &&
            !job->verdicts[i].reason.id)
            job->verdicts[i].reason.id = ESSE_REASON_NO_ORDER_SHOWN;
    job->found = known.found.at;
    job->found_count = (uint32_t)known.found.count;
    known_close(&known);
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
