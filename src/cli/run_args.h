#ifndef ESSE_CLI_RUN_ARGS_H
#define ESSE_CLI_RUN_ARGS_H

#include "cli/failing.h"
#include "cli/session.h"
#include "collect/live.h"

#include <math.h>

/*
 * The command lines of run and collect: their options, and what these mean for a run.  Counts and
 * shares that were not given, or are NAN, depend on the workload.
 */
#define ESSE_NOT_GIVEN UINT64_MAX

struct esse_run_args {
    const char *workload, *distribution, *isolation, *out, *level, *spawn, *faults, *profile;
    uint64_t sessions, txns, ops, keys, max_writes, seed, repeat, threads, memory, nodes;
    double duration, zipf_theta, read_share, predicate_share, abort_share;
    double think, timeout, patience, budget, fault_every;
    bool no_certificate, trace, watch, measure_recording, until_violation, quiet, json, verbose,
        plain;
    struct esse_assuming assuming;
    struct esse_failing failing;
};

/* clang-format off */
#define ESSE_RUN_ARGS_DEFAULTS \
    { .sessions = ESSE_NOT_GIVEN, .txns = ESSE_NOT_GIVEN, .duration = NAN, .ops = ESSE_NOT_GIVEN, \
      .keys = ESSE_NOT_GIVEN, .max_writes = ESSE_NOT_GIVEN, .seed = 1, .repeat = ESSE_NOT_GIVEN, \
      .zipf_theta = NAN, .read_share = NAN, .predicate_share = NAN, .abort_share = 0.02, \
      .timeout = 10, .faults = "", .fault_every = 2, .patience = 30, \
      .failing = ESSE_FAILING_DEFAULTS }
/* clang-format on */

extern const char *const esse_run_workload_choices[], *const esse_run_spawn_choices[],
                                                          *const esse_run_fault_choices[],
                                                              *const esse_run_distributions[];

/* What the sessions do, and the server that is started for them: rows of options. */
/* clang-format off */
#define ESSE_WORK_OPTIONS(at) \
    { "workload", 'w', ESSE_OPT_TEXT, &(at).workload, "W", \
      "what the sessions do (default: list-append); 'help' lists them; 'all': one after the other, with " \
      "equal shares of the time or of the transactions", esse_run_workload_choices }, \
    { "sessions", 's', ESSE_OPT_COUNT, &(at).sessions, "N", \
      "clients at work (default: 8)" }, \
    { "txns", 'n', ESSE_OPT_COUNT, &(at).txns, "N", \
      "stop after N transactions, refused ones included (default: by --duration)" }, \
    { "duration", 'd', ESSE_OPT_DURATION, &(at).duration, "TIME", \
      "stop after this time (default: 3s, for all workloads 15s, unless --txns is given)" }, \
    { "isolation", 'i', ESSE_OPT_TEXT, &(at).isolation, "I", \
      "the isolation to ask the database for (default: its strongest)" }, \
    { "ops", 0, ESSE_OPT_COUNT, &(at).ops, "N", \
      "operations of a transaction (default: by workload)" }, \
    { "keys", 0, ESSE_OPT_COUNT, &(at).keys, "N", \
      "rows in use (default: by workload)" }, \
    { "max-writes-per-key", 0, ESSE_OPT_COUNT, &(at).max_writes, "N", \
      "writes to a row before a fresh one takes its place; 0: never (default: list-append 8, others 0)" }, \
    { "distribution", 0, ESSE_OPT_TEXT, &(at).distribution, "D", \
      "how rows are chosen (default: uniform; ycsb and twitter zipf)", esse_run_distributions }, \
    { "zipf-theta", 0, ESSE_OPT_REAL, &(at).zipf_theta, "X", \
      "skew of zipf (default: 0.99)" }, \
    { "read-share", 0, ESSE_OPT_REAL, &(at).read_share, "X", \
      "reads among operations, or readers among transactions (default: by workload)" }, \
    { "predicate-share", 0, ESSE_OPT_REAL, &(at).predicate_share, "X", \
      "predicates among operations (default: by workload)" }, \
    { "abort-share", 0, ESSE_OPT_REAL, &(at).abort_share, "X", \
      "transactions that their client rolls back (default: 0.02)" }, \
    { "think", 0, ESSE_OPT_DURATION, &(at).think, "TIME", \
      "pause between transactions, on average (default: 0)" }, \
    { "timeout", 0, ESSE_OPT_DURATION, &(at).timeout, "TIME", \
      "hang up on a request that takes longer (default: 10s)" }, \
    { "patience", 0, ESSE_OPT_DURATION, &(at).patience, "TIME", \
      "how long a database may be away during the run (default: 30s)" }, \
    { "threads", 0, ESSE_OPT_COUNT, &(at).threads, "N", \
      "work on N threads (default: one for each processor)" }, \
    { "seed", 0, ESSE_OPT_COUNT, &(at).seed, "N", \
      "the seed of what sessions do (default: 1)" }
#define ESSE_SERVER_OPTIONS(at) \
    { "spawn", 0, ESSE_OPT_TEXT, &(at).spawn, "SERVER[?...]", \
      "start a private server for the run: postgresql, mariadb, galera or etcd; behind the question " \
      "mark is what its URL may say, as in 'galera?spread=transactions'", esse_run_spawn_choices }, \
    { "nodes", 0, ESSE_OPT_COUNT, &(at).nodes, "N", \
      "nodes of the private server (default: galera 3, others 1)" }, \
    { "faults", 0, ESSE_OPT_TEXT, &(at).faults, "F[,F...]", \
      "faults of the private server: kill (-9, then a new start), pause, partition, restart", esse_run_fault_choices }, \
    { "fault-every", 0, ESSE_OPT_DURATION, &(at).fault_every, "TIME", \
      "the average time between two faults (default: 2s)" }
/* clang-format on */

extern const struct esse_opt esse_run_options[], esse_collect_options[];

/* What the options were given as. */
const struct esse_run_args *esse_run_args(void);

/* Lists for people; the exit status. */
int esse_run_print_workloads(void);
int esse_run_print_targets(void);

/* Is there such a workload, and is every value in its range?  ESSE_EUSAGE if not; before a server
 * is started for the run. */
bool esse_run_check_args(const struct esse_run_args *args, struct esse_error *err);

/* What is to be run.  ESSE_EUSAGE if there is no such target or isolation.  'is_workload_open':
 * neither the command line nor the target asked for the workload. */
bool esse_run_find(struct esse_arena *arena, const struct esse_run_args *args, const char *target,
                   struct esse_url *url, struct esse_live_options *live, bool *is_workload_open,
                   struct esse_error *err);

/* --workload all */
bool esse_run_does_all(const struct esse_run_args *args);

/* The workload of a run, with what the command line says of it; 'file' is that of sql:FILE. */
bool esse_run_set_workload(const struct esse_run_args *args, struct esse_live_options *live,
                           const struct esse_live_workload *workload, const char *file,
                           struct esse_error *err);

/* The target as the shell takes it, or the options that start it. */
const char *esse_run_target_again(struct esse_arena *arena, const struct esse_run_args *args,
                                  const struct esse_live_options *live);

#endif
