#ifndef ESSE_CLI_RUNNING_H
#define ESSE_CLI_RUNNING_H

#include "base/out.h"
#include "cli/run_args.h"
#include "cli/rundir.h"
#include "cli/session.h"
#include "cli/watching.h"

/* One run: collect, say what happened, check, save. */
struct esse_running {
    struct esse_session session;
    struct esse_arena *arena; /* of one run */
    const struct esse_command *command;
    const struct esse_run_args *args;
    bool checks;
    bool only_watches; /* nothing is kept but findings */
    struct esse_watching watching;
    struct esse_profile profile; /* the user's own row */
    struct esse_watcher *watcher;
    int watched; /* the watcher's exit status */
    const char *level;
    struct esse_live_options live;
    struct esse_url url;
    struct esse_rundir dir;
    struct esse_live_summary summary;
    const char *product;
    struct esse_out out;
    struct esse_spawned *spawned; /* NULL: the run did not start the database */
    unsigned fault_kinds;
};

/* A command's run, or several: 'command', 'args' and what is done are set. */
int esse_run_start(struct esse_running *r, int count, char **operands);

/* The exit status.  What it prints goes to 'out'; the directory is named and not made yet. */
int esse_run_once(struct esse_running *r);

#endif
