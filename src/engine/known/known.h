#ifndef ESSE_ENGINE_KNOWN_KNOWN_H
#define ESSE_ENGINE_KNOWN_KNOWN_H

#include "base/vec.h"
#include "engine/engine.h"
#include "engine/known/serial.h"
#include "engine/known/sources.h"

/*
 * What every engine begins with: the writer of what was read, which transactions count as
 * committed, and the anomalies found so far, each type counted and a few of it kept.  Engines
 * include this folder, and it includes none of them.
 *
 * Life: open (scan_open does, and then looks for the anomalies that need no order) -> count, tell,
 * judge -> close, which must be called in any case.
 */

ESSE_VEC(found_vec, struct esse_anomaly)

enum { KNOWN_KEPT = 4 }; /* occurrences of a type that are kept; the rest are counted */

struct known {
    struct esse_arena *arena;   /* what is returned */
    struct esse_arena *scratch; /* what is not */
    const struct esse_history *history;
    struct esse_budget *budget;
    unsigned threads;
    unsigned ablate;          /* enum esse_ablation */
    struct esse_error *error; /* of the job: bad input that a pass came upon */
    struct sources sources;
    const uint8_t *in; /* by transaction: counts as committed, and is looked at */
    /* A transaction that may have committed read a list with an element that several operations
     * appended. Which of them made it is a choice (history/appends.h), and nothing is known of the
     * order of versions before it is made. */
    bool is_shared;
    bool tells_own_writes; /* a level asked for forbids own-write-missed, and not internal */
    struct found_vec found;
    uint64_t seen[ESSE_ANOMALY_END];
};

/* Of the whole history, or of a part of it if that is not NULL.  False if the budget is spent. */
bool known_open(struct known *known, struct esse_job *job, const struct serial_part *part);
void known_close(struct known *known);

/* Opens it without looking at the history: nothing is known of writers, and nothing is found. */
void known_begin(struct known *known, struct esse_job *job);

static inline const struct esse_key_access *known_key_access(const struct known *known,
                                                             key_access_id at)
{
    return &known->sources.by_key.at[at.ix];
}

static inline enum esse_status known_status(const struct known *known, uint32_t txn)
{
    return (enum esse_status)known->history->txn_status[txn];
}

/* Counts an occurrence, and says whether it is one of those that are kept and must be reported. */
bool known_count(struct known *known, enum esse_anomaly_id type);

/* Keeps an occurrence: 'steps' is copied, the texts are the arena's. */
void known_tell(struct known *known, enum esse_anomaly_id type, esse_key key,
                const char *description, const struct esse_step *steps, uint32_t count);

/* A step: "T3 read x = 5" and what 'rest' adds. */
struct esse_step known_step(struct known *known, key_access_id at, const char *rest);

/* Fills a verdict with the kept anomalies that rule the level out, in the order of the anomaly
 * table; false if there are none, and then the verdict is unknown. */
bool known_judge(const struct known *known, const struct esse_level *level, struct esse_job *job,
                 struct esse_verdict *verdict);

#endif
