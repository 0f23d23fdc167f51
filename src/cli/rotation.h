#ifndef ESSE_CLI_ROTATION_H
#define ESSE_CLI_ROTATION_H

#include "cli/run_args.h"

/*
 * What differs between the runs of one command.
 *
 * --workload all takes the workloads that the database can do, one after the other, and shares the
 * time or the transactions out among them.  --until-violation changes what the command line leaves
 * open from run to run: first the workload; when each had its turn the sessions and the keys too.
 */
enum { ESSE_ROTATED = 32 };

struct esse_rotation {
    const struct esse_run_args *args;
    const struct esse_live_workload *workloads[ESSE_ROTATED];
    unsigned count; /* at least 1 */
    bool shares;    /* they share one budget: --workload all */
    bool varies;    /* sessions and keys change: --until-violation */
};

/* 'live' is the first run, as the command line has it. */
void esse_rotation_find(struct esse_rotation *rotation, const struct esse_run_args *args,
                        const struct esse_live_options *live, bool is_workload_open);

/* How many runs there are to be, at most. */
uint64_t esse_rotation_runs(const struct esse_rotation *rotation);

/* Makes 'live', the first run, the one of this number, from 1. */
bool esse_rotation_turn(const struct esse_rotation *rotation, uint64_t number,
                        struct esse_live_options *live, struct esse_error *err);

#endif
