#ifndef ESSE_ENGINE_SCAN_SCAN_STATE_H
#define ESSE_ENGINE_SCAN_SCAN_STATE_H

#include "base/vec.h"
#include "base/word_map.h"
#include "engine/engine.h"
#include "engine/serial.h"
#include "engine/sources.h"

/* What the passes of the scan share.  Private to engine/scan, and to dsg, which begins with it. */

ESSE_VEC(scan_anomaly_vec, struct esse_anomaly)

#define SCAN_NO_KEY UINT32_MAX /* of an anomaly that is about no key */

enum { SCAN_KEPT = 4 }; /* occurrences of a type that are kept; the rest are counted */

struct scan {
    struct esse_arena *arena;   /* what is returned */
    struct esse_arena *scratch; /* what is not */
    const struct esse_history *history;
    struct esse_budget *budget;
    unsigned threads;
    struct esse_error *error; /* of the job: bad input that a pass came upon */
    struct sources sources;
    const uint8_t *in; /* by transaction: counts as committed, and is looked at */
    /* Somebody who may have committed read a list with an element that several operations appended.
     * Which of them made it is a choice (history/appends.h), and nothing is known of the order of
     * versions before it is made. */
    bool is_shared;
    bool tells_own_writes; /* a level asked for forbids own-write-missed, and not internal */
    struct scan_anomaly_vec found;
    uint64_t seen[ESSE_ANOMALY_END];
};

/* What one transaction did to one key: the accesses [begin .. end). */
struct scan_run {
    uint32_t key, txn, begin, end;
};

static inline const struct esse_touch *scan_touch(const struct scan *scan, uint32_t at)
{
    return &scan->sources.by_key.at[at];
}

static inline enum esse_status scan_status(const struct scan *scan, uint32_t txn)
{
    return (enum esse_status)scan->history->txn_status[txn];
}

/* Counts an occurrence, and says whether it is one of those that are kept and must be told. */
bool scan_count(struct scan *scan, enum esse_anomaly_id type);

/* Keeps an occurrence: 'steps' is copied, the texts are the arena's. */
void scan_tell(struct scan *scan, enum esse_anomaly_id type, esse_key key, const char *description,
               const struct esse_step *steps, uint32_t count);

/* A step: "T3 read x = 5" and what 'rest' adds. */
struct esse_step scan_step(struct scan *scan, uint32_t at, const char *rest);

/* Runs all passes.  False if the budget ran out, the input is bad, or elements are shared: then
 * nothing but what it found is known.  Close it in any case. */
bool scan_open(struct scan *scan, struct esse_job *job);

/* The same for a part of the history, if there is one; NULL stands for all of it. */
bool scan_open_part(struct scan *scan, struct esse_job *job, const struct serial_part *part);
void scan_close(struct scan *scan);

/* Fills a verdict with the kept anomalies that rule the level out, in the order of the anomaly
 * table; false if there are none, and then the verdict is unknown. */
bool scan_judge(const struct scan *scan, const struct esse_level *level, struct esse_job *job,
                struct esse_verdict *verdict);

/* What is wrong with one transaction's accesses to a key. */
void scan_internal(struct scan *scan, const struct scan_run *run); /* internal, future-read */
void scan_reads(struct scan *scan, const struct scan_run *run); /* G1a, G1b, garbage-read, future */

/* Tells a G1b: 'read' returned what its writer overwrote itself. */
void scan_tell_intermediate(struct scan *scan, uint32_t key, uint32_t read, uint32_t write);

/* What is wrong with a key. */
void scan_duplicates(struct scan *scan, uint32_t key);
void scan_lost_updates(struct scan *scan, struct esse_word_map *map, uint32_t key);
bool scan_lists(struct scan *scan); /* all keys: what is wrong inside lists */

/* What is wrong with predicate operations: predicate-read-miss, result-set-mismatch. */
bool scan_predicates(struct scan *scan);

#endif
