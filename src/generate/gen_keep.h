#ifndef ESSE_GENERATE_GEN_KEEP_H
#define ESSE_GENERATE_GEN_KEEP_H

#include "generate/gen_certificate.h"

/*
 * A sink in front of 'to' that keeps all transactions back until the certificate, or the end.
 *
 * 'by_session': it passes them on session by session, each session's in the order they came.  So
 * are the logs that clients write on their own, and the order of the lines says nothing about
 * commits.
 *
 * 'counted': snapshots are times, and become how many of its positions are before them.  That is
 * known only when all are there: a reader may stand in the past.  NULL: they stay as they are.
 *
 * Cost: a copy of the history, about 100 bytes an operation; O(log transactions) for each snapshot.
 */
struct esse_sink *esse_gen_keep(struct esse_arena *arena, struct esse_sink *to, bool by_session,
                                struct esse_gen_certificate *counted);

#endif
