#ifndef ESSE_CLI_RUN_ARGS_H
#define ESSE_CLI_RUN_ARGS_H

#include "cli/failing.h"
#include "cli/session.h"
#include "collect/live.h"

/*
 * The command lines of run and collect: their options, and what these mean for a run.  Counts and
 * shares that were not given, or are NAN, depend on the workload.
 */
#define ESSE_NOT_GIVEN UINT64_MAX

struct esse_run_args {
    const char *workload, *distribution, *isolation, *out, *level, *spawn, *faults;
    uint64_t sessions, txns, ops, keys, max_writes, seed, repeat, threads, memory, nodes;
    double duration, zipf_theta, read_share, predicate_share, abort_share;
    double think, timeout, patience, budget, fault_every;
    bool no_certificate, trace, measure_recording, until_violation, quiet, json, verbose, plain;
    struct esse_assuming assuming;
    struct esse_failing failing;
};

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
