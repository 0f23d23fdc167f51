#ifndef ESSE_ENGINE_KNOWN_SERIAL_STATE_H
#define ESSE_ENGINE_KNOWN_SERIAL_STATE_H

#include "engine/known/serial.h"

/* What the walk in the order of recording leaves for putting windows in order.  Private to
 * engine/known/serial. */

/* A read that did not return the newest version. */
struct serial_miss {
    uint32_t op, txn;
    uint32_t next; /* in the list of reads that wait for a later write */
    bool explained;
};
ESSE_VEC(serial_miss_vec, struct serial_miss)

/* 'from' must come before 'to', although recorded after it, because of a read; or if they are the
 * same, the read has no explanation.  'source' wrote what was read, if it was recorded earlier. */
struct serial_backward {
    uint32_t from, to;
    uint32_t reader, source;
};
ESSE_VEC(serial_backward_vec, struct serial_backward)

struct serial_walk {
    struct esse_arena *scratch;
    const struct esse_history *history;
    struct esse_budget *budget;
    struct serial_miss_vec misses;       /* by ascending operation */
    struct serial_backward_vec backward; /* in no order */
    struct serial_key *keys;             /* the newest version of each */
    uint32_t *before; /* by operation that writes: the installed write before it, or ESSE_NO_OP */
    uint64_t steps;   /* back along these that are left */
    uint64_t reads;   /* so far */
    bool lists;       /* keys are appended to */
    struct serial_seen *seen; /* by key, if no value may be written twice; else NULL */
};

/* For histories that are fit.  False if reads are too stale, or the budget is spent. */
bool serial_walk(struct serial_walk *walk);

/* Does the order agree with real time?  O(count); the history has times. */
bool serial_keeps_time(const struct esse_history *history, const uint32_t *events, uint32_t count);

/*
 * If the order of recording contradicts real time, as that of files with one session after the
 * other does, the order of ends is the better guess: 'sorted' is then the history as it would have
 * been recorded, as far as the walk and the windows look at it, and what is returned says which
 * transaction stands where.  NULL otherwise, and if the end of a committed one is not known.
 *
 * Cost: O(operations), 13 bytes each and 37 a transaction in 'scratch'; 4 a transaction in 'arena'.
 */
const uint32_t *serial_by_ends(struct esse_history *sorted, struct esse_arena *arena,
                               struct esse_arena *scratch, const struct esse_history *history);

#endif
