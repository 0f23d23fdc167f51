#ifndef ESSE_CLI_RUNDIR_H
#define ESSE_CLI_RUNDIR_H

#include "cli/session.h"
#include "collect/live.h"

/*
 * The directory that a run leaves behind; docs/design/collect.md lists its files.  It is made when
 * the database has been reached and is never overwritten.  No secret gets into it: the target is
 * the URL's shown form.
 */
struct esse_rundir {
    const char *path;
    const char *history, *certificate, *trace; /* paths in it */
};

/* esse-runs/DATE-TARGET-WORKLOAD, the first that is not there yet. */
const char *esse_rundir_base(struct esse_arena *arena, const char *target, const char *workload);

/* The names: 'base', or in it a directory called 'number' unless that is 0. */
void esse_rundir_name(struct esse_arena *arena, const char *base, uint64_t number,
                      struct esse_rundir *dir);

/* ESSE_EIO if it is there already, or cannot be made.  'history' is open for appending; 'trace'
 * too, or NULL. */
bool esse_rundir_make(const struct esse_rundir *dir, int *history, int *trace,
                      struct esse_error *err);

/* Instead: a history that is gone when it is closed.  It is in the working directory, where run
 * directories are made, since disks differ. */
bool esse_rundir_scratch(int *history, struct esse_error *err);

/* A file in it, whole. */
const char *esse_rundir_file(struct esse_arena *arena, const struct esse_rundir *dir,
                             const char *name);

/* config.json and README.  'again' is the command that repeats the run, 'check' the one that
 * repeats the check. */
bool esse_rundir_describe(struct esse_arena *arena, const struct esse_rundir *dir,
                          const struct esse_live *live, const char *level, const char *again,
                          const char *check, struct esse_error *err);

/* The command line that repeats a run, with every option that has a say; 'target' as the shell
 * takes it.  Of collect if 'level' is NULL. */
const char *esse_rundir_again(struct esse_arena *arena, const struct esse_live_options *live,
                              const char *target, const char *level,
                              const struct esse_assuming *assuming);
/* The command line that repeats the check, in the directory. */
const char *esse_rundir_check(struct esse_arena *arena, const char *level, bool has_certificate,
                              const struct esse_assuming *assuming);

/* A word as a shell takes it. */
const char *esse_shell_quoted(struct esse_arena *arena, const char *word);

#endif
