#ifndef ESSE_CLI_COMPLETION_H
#define ESSE_CLI_COMPLETION_H

#include "cli/cli.h"

/*
 * Completion scripts for shells, made from the command and option tables, the table of levels and
 * that of the anomalies which can be planted.  They are complete in themselves and do not call
 * esse.
 */
struct esse_out;

struct esse_completion {
    const char *shell;
    void (*write)(struct esse_out *out);
};

extern const struct esse_completion esse_completions[]; /* ends with a shell of NULL */

#endif
