#ifndef ESSE_COLLECT_TRACING_H
#define ESSE_COLLECT_TRACING_H

#include "collect/loop.h"

/*
 * The thread that takes the lines of a trace from the sessions' threads, every 20 ms, writes them
 * and gives them to what watches: so a watcher that is slow holds no session back.
 *
 * Life: start -> end.  If no thread can be had, all is done by end().  An error ends the run; end()
 * says what it was.
 */
struct esse_tracing;

struct esse_tracing *esse_tracing_start(struct esse_arena *arena,
                                        struct esse_log_writer *log_writer,
                                        struct esse_shared_run *run);
/* When all sessions have ended: the rest of the lines, and that the sessions are closed. */
bool esse_tracing_end(struct esse_tracing *tracing, struct esse_error *err);

#endif
