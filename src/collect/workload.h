#ifndef ESSE_COLLECT_WORKLOAD_H
#define ESSE_COLLECT_WORKLOAD_H

#include "base/rng.h"
#include "base/zipf.h"
#include "collect/driver.h"

/*
 * What sessions do, behind one table; workload/.  A transaction is a small state machine: it is
 * asked for its next request and given the reply before it is asked again.
 *
 * 1) open() makes the schema and what all sessions share.  It is called once, by one thread.
 * 2) session() makes the state of one session.  All later calls for it come from one thread; what
 *    is shared is only read, or changed atomically.
 * 3) begin() plans a transaction; is_again says that the last one was refused by the database,
 *    and that the same one may be tried again (with fresh values).
 * 4) next() fills one operation and answers MORE, or answers COMMIT or ROLLBACK and fills nothing.
 *    'last' is the reply to the one before, NULL the first time.
 * 5) Every value written is drawn with esse_drawn_value(): no two writes of a run write the same.
 *    A workload whose values mean something (a balance) keeps the drawn number in the low digits.
 * 6) What is drawn comes from the session's rng, so that a seed repeats the requests of a
 *    session as long as the replies are the same.
 * 7) No workload looks at the database's name: what it needs is in 'needs'.
 */
enum esse_turn { ESSE_TURN_MORE, ESSE_TURN_COMMIT, ESSE_TURN_ROLLBACK };

struct esse_workload_options {
    uint64_t sessions;
    uint64_t keys, ops;  /* ops: of a transaction, at most */
    uint64_t max_writes; /* to a key before a fresh one takes its place; 0: never */
    double zipf_theta;   /* 0: uniform */
    double read_share;
    double predicate_share;
    double abort_share; /* transactions that their client rolls back */
    uint64_t seed;
    const char *file; /* of sql:FILE */
};

/* What a session of any workload has; the first member of its state. */
struct esse_drawer {
    uint32_t session;
    uint64_t drawn; /* values so far */
    uint64_t sessions;
    struct esse_rng rng;
    bool is_read_only; /* begin() says so of the transaction that it planned */
    const char *txn;   /* and what a workload file calls it, or NULL */
};

/* 1, 2, 3 ... shared out among the sessions: session s draws s + 1, s + 1 + sessions, ... */
static inline int64_t esse_drawn_value(struct esse_drawer *drawer)
{
    return (int64_t)(drawer->drawn++ * drawer->sessions + drawer->session + 1);
}

struct esse_live_workload {
    const char *name;
    const char *meaning; /* a clause for help */
    unsigned needs;      /* ESSE_CAN_ bits */
    struct esse_workload_options defaults;
    bool (*open)(struct esse_arena *arena, const struct esse_live_workload *workload,
                 const struct esse_workload_options *options, void **shared,
                 struct esse_schema *schema, struct esse_error *err);
    struct esse_drawer *(*session)(struct esse_arena *arena, void *shared, uint32_t session);
    void (*begin)(struct esse_drawer *drawer, bool is_again);
    enum esse_turn (*next)(struct esse_drawer *drawer, const struct esse_reply *last,
                           struct esse_request *request);
    const void *details; /* what rows of one file differ in */
};

extern const struct esse_live_workload
    *const esse_workloads[]; /* null-terminated, see workloads.c */

/* NULL on an unknown name; sql:FILE is sql. */
const struct esse_live_workload *esse_workload_find(const char *name);

#endif
