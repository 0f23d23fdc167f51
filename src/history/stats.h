#ifndef ESSE_HISTORY_STATS_H
#define ESSE_HISTORY_STATS_H

#include "history/history.h"

/*
 * What a history looks like, in numbers.  Cost: O(operations), and O(n log n) in the transactions
 * that have times, for the concurrency.
 */
struct esse_stats {
    struct esse_counts counts;
    uint32_t kinds[ESSE_OP_PREDICATE_UPDATE + 1]; /* operations by enum esse_op_kind */
    uint32_t ops_least, ops_median, ops_most;     /* of a transaction */
    uint32_t session_least, session_most;         /* transactions of a session */
    uint32_t keys_written, keys_shared;           /* of which by more than one session */
    esse_key hottest;                             /* the key with the most accesses */
    uint32_t hottest_accesses;
    uint64_t accesses;         /* of items: rows of predicate operations count each */
    uint32_t duplicate_values; /* writes of a value that the key was given before */
    uint32_t unrecorded_reads; /* reads whose result is unknown */
    uint32_t timed;            /* transactions with both client times */
    uint32_t concurrency_most; /* of those, open at the same time */
    double concurrency_mean;   /* while at least one is open */
    uint64_t list_items_longest;
    uint32_t results;      /* statements whose result was recorded ... */
    uint32_t results_only; /* ... and whose rows were not */
    uint32_t snapshots;    /* operations that have one */
};

void esse_stats_compute(const struct esse_history *history, struct esse_stats *stats);

#endif
