#ifndef ESSE_TESTS_UNIT_EVIDENCE_TRIAL_H
#define ESSE_TESTS_UNIT_EVIDENCE_TRIAL_H

/* A random tiny history, what brute force says of it, and whether a claim about it is true. */
#include "truth_oracle.h"

#include "load_text.h"

/* ---- is a claim true? ---- */

static bool is_true_of(const struct t_verdicts *truth, const struct esse_level *level, bool holds)
{
    if (truth->of[level->id] != T_NOT_KNOWN)
        return (truth->of[level->id] == T_HOLDS) == holds;
    /* A level without a definition of its own here lies between others. */
    for (size_t i = 0; i < esse_level_count(); i++) {
        const struct esse_level *other = esse_level_at(i);
        if (holds ? esse_level_implies(level, other) && truth->of[other->id] == T_VIOLATED
                  : esse_level_implies(other, level) && truth->of[other->id] == T_HOLDS)
            return false;
    }
    return true;
}

static inline const struct esse_level *level_of(const struct esse_verdict *verdict)
{
    return verdict->level == ESSE_LEVEL_NONE ? &esse_level_none : esse_level_get(verdict->level);
}

/* What rests on an assumption may be false without it; what was named to count violates at least
 * what forbids everything. */
static inline bool is_true(const struct t_verdicts *truth, const struct esse_verdict *verdict)
{
    const struct esse_level *level = level_of(verdict);
    if (verdict->outcome == ESSE_UNKNOWN || verdict->assumed)
        return true;
    if (verdict->outcome == ESSE_HOLDS)
        return level == &esse_level_none || is_true_of(truth, level, true);
    if (verdict->named_count)
        level = esse_level_get(ESSE_LEVEL_STRICT_SERIALIZABLE);
    return is_true_of(truth, level, false) ||
           (verdict->named_count && verdict->anomalies[0].type == ESSE_ANOMALY_DUPLICATE_WRITE);
}

/* ---- one history ---- */

struct trial {
    struct esse_arena *arena;
    struct esse_rng rng;
    uint64_t seed;
    struct t_history h, near; /* and one that differs a little */
    struct t_verdicts truth, near_truth;
    struct esse_history *history, *near_history;
    const char *engine;
};

static inline void tell(const struct trial *trial, const struct t_history *h, const char *text,
                        const char *what)
{
    fail_msg("seed %llu, engine %s: %s\n%s\n%s", (unsigned long long)trial->seed,
             trial->engine ? trial->engine : "any", what, t_text(trial->arena, h), text);
}

static inline const struct esse_result *check_all(struct trial *trial)
{
    static const char *const all[] = { "all" };
    const struct esse_check_options options = {
        .levels = all, .level_count = 1, .engine = trial->engine, .threads = 1
    };
    const struct esse_result *result;
    struct esse_error err = { 0 };
    if (!esse_check(trial->arena, trial->history, &options, &result, &err))
        tell(trial, &trial->h, "", err.text);
    return result;
}

static inline bool open_trial(struct trial *trial, uint64_t seed)
{
    static const char *const engines[] = {
        NULL, NULL, NULL, "saturate", "dsg", "polygraph", "scan"
    };
    *trial = (struct trial){ .arena = esse_arena_new(), .rng = { seed }, .seed = seed };
    trial->engine = engines[seed % 7];
    struct esse_error err;
    t_random_history(&trial->h, &trial->rng);
    trial->near = trial->h;
    t_change(&trial->near, &trial->rng);
    const char *text = t_text(trial->arena, &trial->h);
    const char *near = t_text(trial->arena, &trial->near);
    trial->history = load_bytes(trial->arena, "native", text, strlen(text), &err);
    trial->near_history = load_bytes(trial->arena, "native", near, strlen(near), &err);
    if (!trial->history)
        return false;
    trial->truth = t_truth_of(&trial->h);
    trial->near_truth = t_truth_of(&trial->near);
    return true;
}

#endif
