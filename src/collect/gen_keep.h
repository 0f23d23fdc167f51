#ifndef ESSE_COLLECT_GEN_BY_SESSION_H
#define ESSE_COLLECT_GEN_BY_SESSION_H

#include "history/record.h"

/*
 * A sink in front of 'to' that keeps all transactions back and passes them on session by session,
 * each session's in the order they came, before the certificate or at the end.  So are the logs
 * that clients write on their own, and the order of the lines says nothing about commits.
 *
 * Cost: a copy of the history, about 100 bytes an operation.
 */
struct esse_sink *esse_gen_by_session(struct esse_arena *arena, struct esse_sink *to);

#endif
