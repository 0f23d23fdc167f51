#ifndef ESSE_CLI_WATCHING_H
#define ESSE_CLI_WATCHING_H

#include "mirror/mirror.h"

/* One run of the mirror, and what is said of it. */
struct esse_watching {
    const char *path, *format;
    const char *out; /* where findings are written as folders, or NULL */
    bool follow;     /* the file's end is no end */
    bool json, quiet, stop;
    bool level_only;            /* a broken mechanism alone is exit status 0 */
    bool is_silent;             /* nothing is told: only to measure */
    struct esse_budget *budget; /* cancelled when no more is wanted; NULL: the watcher's own */
    struct esse_mirror_options mirror; /* all but the calls */
};

/*
 * Watches lines as they come, within a run: by one thread at a time.
 *
 * Life: new -> lines* -> end, which tells the numbers and returns the exit status.
 */
struct esse_watcher;
struct esse_watcher *esse_watcher_new(const struct esse_watching *watching, struct esse_error *err);
bool esse_watcher_lines(void *watcher, const char *lines, size_t length, struct esse_error *err);
int esse_watcher_end(struct esse_watcher *watcher);

/* Watches a file; the exit status. */
int esse_watch_file(const struct esse_watching *watching);

#endif
