#ifndef ESSE_CLI_WATCHING_H
#define ESSE_CLI_WATCHING_H

#include "mirror/mirror.h"

/* One run of the mirror, and what is said of it. */
struct esse_watching {
    const char *path, *format;
    const char *out; /* where findings are written as folders, or NULL */
    bool follow;     /* the file's end is no end */
    bool json, quiet, stop;
    bool level_only;                   /* a broken mechanism alone is exit status 0 */
    struct esse_mirror_options mirror; /* all but the calls */
};

/* Watches a file; the exit status. */
int esse_watch_file(const struct esse_watching *watching);

#endif
