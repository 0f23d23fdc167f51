#include "engine/known/known.h"

#include "engine/known/committed.h"
#include "history/show.h"

#include <string.h>

/* ---- the writers of what was read ---- */

static bool find_sources(struct known *known, const struct serial_part *part)
{
    if (!part)
        return sources_find(&known->sources, known->scratch, known->history, known->threads,
                            known->budget);
    return sources_find_among(&known->sources, known->scratch, known->history, &part->by_key,
                              known->threads, known->budget);
}

static void find_counted(struct known *known, const struct serial_part *part)
{
    uint8_t *in = committed_find(known->scratch, &known->sources);
    for (uint32_t t = 0; part && t < known->history->txns; t++)
        in[t] &= part->in[t];
    known->in = in;
}

void known_begin(struct known *known, struct esse_job *job)
{
    *known = (struct known){ .arena = job->arena,
                             .scratch = esse_arena_new(),
                             .history = job->history,
                             .budget = job->budget,
                             .threads = job->threads,
                             .ablate = job->ablate,
                             .error = &job->error };
}

bool known_open(struct known *known, struct esse_job *job, const struct serial_part *part)
{
    known_begin(known, job);
    if (!find_sources(known, part))
        return false;
    find_counted(known, part);
    return true;
}

void known_close(struct known *known)
{
    esse_arena_free(known->scratch);
}

/* ---- what was found ---- */

bool known_count(struct known *known, enum esse_anomaly_id type)
{
    return known->seen[type]++ < KNOWN_KEPT;
}

void known_tell(struct known *known, enum esse_anomaly_id type, esse_key key,
                const char *description, const struct esse_step *steps, uint32_t count)
{
    struct esse_step *kept = esse_arena_alloc(known->arena, count, sizeof *kept);
    memcpy(kept, steps, count * sizeof *kept);
    struct esse_anomaly anomaly = { .type = type,
                                    .description = description,
                                    .has_key = key.ix != ESSE_NO_KEY,
                                    .key = key,
                                    .steps = kept,
                                    .step_count = count };
    found_vec_push(&known->found, known->arena, anomaly);
}

struct esse_step known_step(struct known *known, key_access_id at, const char *rest)
{
    const struct esse_key_access *key_access = known_key_access(known, at);
    const esse_txn txn = { key_access->txn };
    const esse_op op = { esse_by_key_op(&known->sources.by_key, key_access->access) };
    return (struct esse_step){
        txn, op, esse_show_sentence(known->arena, known->history, "%t %d%s", txn, op, rest)
    };
}

bool known_judge(const struct known *known, const struct esse_level *level, struct esse_job *job,
                 struct esse_verdict *verdict)
{
    struct esse_anomaly *kept = esse_arena_alloc(job->arena, known->found.count + 1, sizeof *kept);
    for (int id = 1; id < ESSE_ANOMALY_END; id++) {
        const struct esse_anomaly_type *type = esse_anomaly_get((enum esse_anomaly_id)id);
        if (!known->seen[id] || !esse_job_counts(job, level, type))
            continue;
        verdict->anomalies_seen += known->seen[id];
        for (size_t i = 0; i < known->found.count; i++)
            if (known->found.at[i].type == type->id) {
                kept[verdict->anomaly_count] = known->found.at[i];
                kept[verdict->anomaly_count++].alike = known->seen[id];
            }
    }
    verdict->anomalies = kept;
    verdict->outcome = verdict->anomaly_count ? ESSE_VIOLATED : ESSE_UNKNOWN;
    verdict->evidence = !verdict->anomaly_count ? ESSE_EVIDENCE_NONE
                        : kept[0].edge_count    ? ESSE_EVIDENCE_CYCLE
                                                : ESSE_EVIDENCE_ANOMALY;
    if (!verdict->anomaly_count && esse_budget_spent(job->budget))
        verdict->reason = esse_budget_reason(job->budget);
    return verdict->anomaly_count > 0;
}
