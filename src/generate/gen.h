#ifndef ESSE_GENERATE_GEN_H
#define ESSE_GENERATE_GEN_H

#include "generate/store.h"
#include "history/record.h"
#include "workload/workload.h"

/*
 * Makes histories: the sessions of a workload, which really interleave on the store of store.h,
 * with a clock that counts their steps; each finished transaction is given to a sink at once. Equal
 * options give equal records.
 *
 * Cost: O(1) an operation (a list read O(length), a predicate O(log keys + rows that match), with
 * version sets O(keys)); memory for the open transactions, the versions that can still be seen, and
 * the certificate if it is asked for.
 */
/* What the data are: lists, registers, or rows that predicates find.  Each is called after the
 * workload that is drawn from nothing else. */
enum esse_gen_workload {
    ESSE_GEN_LIST_APPEND,
    ESSE_GEN_RW_REGISTER,
    ESSE_GEN_PREDICATE,
    ESSE_GEN_WORKLOADS
};
extern const char *const esse_gen_workload_names[]; /* null-terminated */

/* What a history must record for an anomaly to show. */
enum {
    ESSE_GEN_NEEDS_ORDER = 1 << 0,         /* the order of versions: nothing else shows it */
    ESSE_GEN_NEEDS_TIMES = 1 << 1,         /* of clients */
    ESSE_GEN_NEEDS_TIMESTAMPS = 1 << 2,    /* of the store, certified */
    ESSE_GEN_NEEDS_ONE_TIMESTAMP = 1 << 3, /* for each transaction: a serial order */
    ESSE_GEN_NEEDS_NO_ORDER = 1 << 4,      /* with the order of versions it has another name */
};

/* An anomaly that can be planted: rows of one table, see plant_table.c. */
struct esse_gen_anomaly {
    const char *name;
    unsigned workloads; /* 1 << enum esse_gen_workload */
    unsigned needs;     /* ESSE_GEN_NEEDS_ bits */
    const char *script;
    const char *meaning;
    const char *level; /* at which it is reported by this name; NULL: strict-serializable */
    const char *store; /* the level that the rest of the history must have; NULL: any */
};
extern const struct esse_gen_anomaly esse_gen_anomalies[]; /* ends with a name of NULL */

struct esse_gen_plant {
    const struct esse_gen_anomaly *anomaly;
    uint64_t at; /* after so many transactions */
};

struct esse_gen_counts {
    uint64_t transactions, operations, committed, aborted, unknown, planted;
};

struct esse_gen_options {
    const struct esse_live_workload *workload; /* esse_store_can() do what it needs */
    struct esse_workload_options work;
    enum esse_store_level level;
    uint64_t txns;      /* planted ones come on top */
    double crash_share; /* of the transactions: the client never learns the outcome */
    uint64_t values;    /* that are written to a row, so that they repeat; 0: none twice */
    double stale_share; /* of the readers at serializable: see the past */
    bool has_header;    /* say what made the history; not every format can */
    bool has_times, has_op_times, has_server_times;
    bool has_one_timestamp; /* of those: the commit's; readers stand at their snapshot */
    bool has_certificate;   /* names, version orders, and an order where the level has one */
    /* The commits and snapshots, in the form that this kind has, and that they are true. */
    enum esse_certificate_kind certifies;
    bool has_vsets; /* predicate operations carry their version sets */
    bool drop_aborted;
    bool by_session; /* one session after the other; the whole history is kept till the end */
    const struct esse_gen_plant *plants; /* by ascending 'at' */
    size_t plant_count;
    struct esse_gen_counts *counts; /* filled if not NULL */
};

/* By what the workload needs. */
enum esse_gen_workload esse_gen_data(const struct esse_live_workload *workload);

/* The defaults of a workload, by its name, which must be known. */
struct esse_gen_options esse_gen_defaults(const char *workload);

/* False on an unknown name. */
bool esse_store_level_find(const char *name, enum esse_store_level *out);

/*
 * Reads "NAME[@POSITION],...": a position is a transaction number, a percentage, or a fraction
 * with a point; half-way if not given.  The plants are made in 'arena' and put into 'options',
 * whose workload and txns must be set.  An anomaly the workload cannot express is an error that
 * names the workloads that can.
 */
bool esse_gen_plants_parse(struct esse_arena *arena, const char *text,
                           struct esse_gen_options *options, struct esse_error *err);

/*
 * Sends the whole history, header to finish.  Fails with ESSE_EUSAGE on options that make no
 * sense, with ESSE_ESTOPPED when the budget is spent, and with what the sink says.
 */
bool esse_gen_run(const struct esse_gen_options *options, struct esse_sink *sink,
                  struct esse_budget *budget, struct esse_error *err);

#endif
