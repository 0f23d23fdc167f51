#ifndef ESSE_EXEC_SHELL_H
#define ESSE_EXEC_SHELL_H

#include "exec/exec.h"

/*
 * One session on a store in memory: BEGIN, COMMIT and ROLLBACK, and every other statement by
 * itself. As in PostgreSQL, after an error in a transaction only ROLLBACK is accepted; in MySQL's
 * dialect the rest goes on.  What only a server knows is made up: the clock, sequences from their
 * start, random numbers from a seed.
 */
struct esse_shell;
struct esse_shell *esse_shell_new(enum esse_dialect dialect);
void esse_shell_free(struct esse_shell *shell);

/* One text of one statement.  The result is good until the next one. */
bool esse_shell_run(struct esse_shell *shell, const char *text, size_t length,
                    struct esse_sql_result *result, struct esse_fault *fault);

uint64_t esse_shell_shapes(const struct esse_shell *shell);

#endif
