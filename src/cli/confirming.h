#ifndef ESSE_CLI_CONFIRMING_H
#define ESSE_CLI_CONFIRMING_H

#include "explore/explore.h"

/*
 * Executions that were found, played on a private server: does it do the same?
 *
 * Life: start -> play* -> stop.  Each is played in a database of its own.
 *
 * 1) CONFIRMED: every transaction ended as it was found, and what is claimed is broken there: the
 *    invariant is not true, or each read of the small language returned what was found.
 * 2) REFUSED: the server ended a transaction, or let it wait until it saw something else.
 * 3) NO_LEVEL: there is no such level.  UNPLAYED: the server does not take the statements, or the
 *    execution cannot be played on a clock.
 */
enum esse_confirmation { ESSE_CONFIRMED, ESSE_REFUSED, ESSE_NO_SUCH_LEVEL, ESSE_UNPLAYED };

struct esse_confirmed {
    enum esse_confirmation is;
    const char *text; /* what the server did */
};

struct esse_confirming;
/* 'server': postgresql or mariadb, and behind a slash, if it is to be another level than that at
 * which it was found, "si" or a name. */
bool esse_confirming_start(struct esse_arena *arena, const char *server,
                           struct esse_confirming **out, struct esse_error *err);
void esse_confirming_play(struct esse_confirming *confirming, struct esse_arena *arena,
                          const struct esse_broken *broken, enum esse_axiom axiom,
                          struct esse_confirmed *confirmed);
void esse_confirming_stop(struct esse_confirming *confirming);

/* "confirmed", "refused", "no such level there", "not played" */
const char *esse_confirmation_name(enum esse_confirmation confirmation);
/* "postgresql" */
const char *esse_confirming_server(const struct esse_confirming *confirming);

#endif
