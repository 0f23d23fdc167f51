#ifndef ESSE_WORKLOAD_WORKLOAD_H
#define ESSE_WORKLOAD_WORKLOAD_H

#include "base/arena.h"
#include "base/error.h"
#include "base/rng.h"
#include "workload/request.h"

/*
 * What sessions do, behind one table.  A transaction is a small state machine: it is asked for its
 * next request and given what that read before it is asked again.  Live collection sends the
 * requests to a database, the generator to its store.
 *
 * 1) open() makes the schema and what all sessions share.  It is called once, by one thread.
 * 2) esse_workload_session() makes the state of one session.  All later calls for it come from one
 *    thread; what is shared is only read, or changed atomically.
 * 3) begin() plans a transaction; is_again says that the last one was refused by the database,
 *    and that the same one may be tried again (with fresh values).
 * 4) next() fills one operation, or answers false: the transaction has no more.  'read' is the
 *    value that the operation before it read, ESSE_ABSENT if it was none that reads one.
 * 5) Whether the client commits or gives up is no matter of the workload: esse_workload_begin()
 *    draws it.
 * 6) Every value written is drawn with esse_drawn_value(): no two writes of a run write the same.
 *    A workload whose values mean something (a balance) keeps the drawn number in the low digits.
 * 7) What is drawn comes from the session's rng, so that a seed repeats the requests of a
 *    session as long as the replies are the same.
 * 8) No workload looks at the database's name: what it needs is in 'needs'.
 */
struct esse_workload_options {
    uint64_t sessions;
    uint64_t keys, ops;     /* ops: of a transaction, at most */
    uint64_t ops_spread;    /* where each has 'ops': so many more or fewer */
    uint64_t max_writes;    /* to a key before a fresh one takes its place; 0: never */
    double zipf_theta;      /* 0: uniform */
    double read_share;      /* of the operations; of the transactions if 'is_pure' */
    double rmw_share;       /* of the writes: read the row first; no room for both: only read */
    bool is_pure;           /* a transaction only reads or only writes */
    double predicate_share; /* of reads and of writes */
    double aggregate_share; /* of the reads by predicate: count, sum, min or max */
    double delete_share;    /* of the other writes to rows that predicates find */
    uint64_t rows_matching; /* that a predicate finds, if all rows are there */
    double abort_share;     /* transactions that their client rolls back */
    uint64_t seed;
    const char *file; /* of sql:FILE */
};

/* What a session of any workload has; the first member of its state. */
struct esse_draw_state {
    const struct esse_workload_options *options;
    void *shared; /* the workload's own, as open() made it */
    uint32_t session;
    uint64_t drawn; /* values so far */
    struct esse_rng rng;
    bool gives_up;     /* the client rolls the transaction back */
    bool is_read_only; /* begin() says so of the transaction that it planned: it writes nothing */
    const char *txn;   /* and what a workload file calls it, or NULL */
};

/* 1, 2, 3 ... shared out among the sessions: session s draws s + 1, s + 1 + sessions, ... */
static inline int64_t esse_drawn_value(struct esse_draw_state *draw_state)
{
    return (int64_t)(draw_state->drawn++ * draw_state->options->sessions + draw_state->session + 1);
}

enum { ESSE_USUAL_SESSIONS = 8 }; /* where the user does not say */

struct esse_mix;

struct esse_live_workload {
    const char *name;
    const char *meaning;        /* a clause for help */
    unsigned needs;             /* ESSE_CAN_ bits */
    const struct esse_mix *mix; /* the shapes of its transactions, or NULL */
    struct esse_workload_options defaults;
    bool (*open)(struct esse_arena *arena, const struct esse_live_workload *workload,
                 const struct esse_workload_options *options, void **shared,
                 struct esse_schema *schema, struct esse_error *err);
    size_t session_size; /* of a session's state, zeroed at first */
    void (*session)(struct esse_arena *arena,
                    struct esse_draw_state *draw_state); /* the rest; or NULL */
    void (*begin)(struct esse_draw_state *draw_state, bool is_again);
    bool (*next)(struct esse_draw_state *draw_state, int64_t read, struct esse_request *request);
    const void *details; /* what rows of one file differ in */
};

extern const struct esse_live_workload
    *const esse_workloads[]; /* null-terminated, see workloads.c */

/* NULL on an unknown name; sql:FILE is sql. */
const struct esse_live_workload *esse_workload_find(const char *name);

struct esse_draw_state *esse_workload_session(const struct esse_live_workload *workload,
                                              struct esse_arena *arena,
                                              const struct esse_workload_options *options,
                                              void *shared, uint32_t session);
void esse_workload_begin(const struct esse_live_workload *workload,
                         struct esse_draw_state *draw_state, bool is_again);

#endif
