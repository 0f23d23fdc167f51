#ifndef ESSE_EXEC_CALL_H
#define ESSE_EXEC_CALL_H

#include "exec/exec.h"

/*
 * A procedure, a DO block or a function that is under way, one step at a time: a step is a
 * statement or an expression in it that may look at the store.  So the caller can choose,
 * between two steps, what the store shows next.
 *
 *     struct esse_call *call = esse_call_new(exec);
 *     if (!esse_call_start(call, &compiled, params, count, &fault)) ...
 *     while ((state = esse_call_go(call, &fault)) == ESSE_CALL_STEP)
 *         ... esse_call_next(call) says what the next step runs ...
 *
 *  1. esse_call_go() runs the step that is next, if there is one, and then all that does not look
 * at the store, up to the step after it.
 *  2. With the same answers of the store and of 'outside' it takes the same steps.
 *  3. A call that failed leaves the overlay as its statements did: the caller goes back to a
 *     mark.  esse_exec_run() of CALL and DO is all steps at once, and does.
 *  4. A fault that is no error of SQL (not supported, a hole, a limit) is never caught within.
 *
 * Cost: an instruction is a switch and what its text costs; see docs/design/exec.md.
 */
struct esse_call;

enum esse_call_state { ESSE_CALL_STEP, ESSE_CALL_DONE, ESSE_CALL_FAILED };

struct esse_call *esse_call_new(struct esse_exec *exec);
void esse_call_free(struct esse_call *call);

/* 'compiled' is a CALL or DO. */
bool esse_call_start(struct esse_call *call, const struct esse_compiled *compiled,
                     const struct esse_datum *params, uint32_t param_count,
                     struct esse_fault *fault);
enum esse_call_state esse_call_go(struct esse_call *call, struct esse_fault *fault);

/* The statement of the next step. */
const struct esse_statement *esse_call_next(const struct esse_call *call);

/* When it is done: a row of the OUT parameters, if there are some; good until the next start. */
void esse_call_result(struct esse_call *call, struct esse_sql_result *result);

#endif
