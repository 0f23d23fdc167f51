#ifndef ESSE_CLI_MANUAL_H
#define ESSE_CLI_MANUAL_H

#include "cli/cli.h"

/*
 * Man pages, made from the command and option tables, in man(7).  Equal tables give equal bytes:
 * the pages are checked in and a test compares them.
 */
struct esse_out;

/* Hidden commands, those without a summary, have no page and are not completed. */
bool esse_manual_has(const struct esse_command *command);

/* The page of one command, or esse.1 if 'command' is NULL. */
void esse_manual_write(struct esse_out *out, const struct esse_command *command);

/* ---- completion.c ---- */

/*
 * Completion scripts for shells, made from the command and option tables, the table of levels and
 * that of the anomalies which can be planted.  They are complete in themselves and do not call
 * esse.
 */
struct esse_completion {
    const char *shell;
    void (*write)(struct esse_out *out);
};

extern const struct esse_completion esse_completions[]; /* ends with a shell of NULL */

#endif
