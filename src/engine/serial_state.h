#ifndef ESSE_ENGINE_SERIAL_STATE_H
#define ESSE_ENGINE_SERIAL_STATE_H

#include "engine/serial.h"

/* What the walk in the order of recording leaves for putting windows in order.  Private to
 * engine/serial. */
#define NO_OP UINT32_MAX

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
    uint32_t *before; /* by operation that writes: the installed write before it, or NO_OP */
    uint64_t steps;   /* back along these that are left */
    bool lists;       /* keys are appended to */
    struct serial_seen *seen; /* by key, if no value may be written twice; else NULL */
};

/* False if the history is of another kind, reads are too stale, or the budget is spent. */
bool serial_walk(struct serial_walk *walk);

#endif
