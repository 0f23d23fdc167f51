#ifndef ESSE_COLLECT_LOOP_H
#define ESSE_COLLECT_LOOP_H

#include "collect/record/recorder.h"
#include "workload/workload.h"

#include <stdatomic.h>

/*
 * One thread's sessions: asks the workload, drives the connections, records what came back.
 * docs/design/collect.md has the table of states.
 *
 * 1) One request of every session that is ready, then the next round: sessions interleave on
 *    stores that answer at once.
 * 2) Returns when the transactions are used up or 'stop' is set, every open transaction having
 *    been brought to an end first; a request that takes longer than 'timeout' is given up.
 * 3) The one place where an answer becomes a status is end_transaction().
 */

/* What the threads of a run share.  The first error wins. */
struct esse_shared_run {
    const struct esse_driver *driver;
    struct esse_target *target;
    const struct esse_live_workload *workload;
    const struct esse_workload_options *options;
    void *work; /* the workload's own */
    unsigned hosts;
    double think, timeout, patience; /* seconds; 'patience': how long a server may be away */
    _Atomic int64_t txns_left;
    _Atomic int64_t next_session; /* the number that the next session of unknown outcome gets */
    _Atomic bool stop;
    _Atomic bool has_error;
    struct esse_error error; /* set by the thread that sets has_error, read when all have ended */
};

enum { ESSE_CODES = 16 };

/* Why transactions were refused: the server's codes, how often, and its words the first time. */
struct esse_refusal {
    char code[16], text[240];
    uint64_t count;
};

struct esse_loop_thread {
    struct esse_shared_run *run;
    struct esse_arena *arena; /* the thread's own */
    struct esse_log_buffer *log_buffer;
    uint32_t first, count;                        /* sessions */
    _Atomic uint64_t committed, aborted, unknown; /* for the progress line */
    _Atomic bool has_ended;
    struct esse_refusal refusals[ESSE_CODES];
    uint64_t reconnects;
};

/* The thread's body; 'thread' is a struct esse_loop_thread. */
void *esse_loop_sessions(void *thread);

/* Ends the run with an error. */
void esse_run_fail(struct esse_shared_run *run, const struct esse_error *err);

#endif
