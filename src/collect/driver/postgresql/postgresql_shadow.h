#ifndef ESSE_COLLECT_DRIVER_POSTGRESQL_POSTGRESQL_SHADOW_H
#define ESSE_COLLECT_DRIVER_POSTGRESQL_POSTGRESQL_SHADOW_H

#include "collect/driver/postgresql/postgresql.h"

/*
 * Shadow transactions, on request (?verify=snapshots): a predicate's statement exports its
 * snapshot, and while its transaction waits, a second connection of the session asks the same under
 * that snapshot.  Both must get the same snapshot and the same rows.  Nothing blocks: a step
 * answers WAIT with the shadow's socket.  docs/design/live-postgresql.md says what this proves.
 *
 * Cost: a connection more for each session, and a round trip more for each predicate, during which
 * the transaction stays open.
 */
struct esse_pg_shadow;

/* Statements that also answer the name of their snapshot, in column ESSE_PG_EXPORT; NULL where none
 * is asked for it. */
extern const char *const esse_pg_exporting[ESSE_STATEMENTS];
enum { ESSE_PG_EXPORT = 4 };

struct esse_pg_shadow *esse_pg_shadow_new(struct esse_target *target, struct esse_arena *arena);

/* Asks on this host, which is the session's, what 'request' asked in the transaction that exported
 * 'exported' and was answered with 'reply'; both stay as they are until it has ended.  Rows are
 * compared if 'compares_rows': of what the transaction itself has written, its shadow knows
 * nothing. Ends as a request does: DONE, also if the shadow could not be asked (that is counted),
 * or FAILED and fatal if the two disagree. */
enum esse_progress esse_pg_shadow_start(struct esse_pg_shadow *shadow, struct esse_conn *head,
                                        unsigned host, const char *exported,
                                        const struct esse_request *request, bool compares_rows,
                                        struct esse_reply *reply);
enum esse_progress esse_pg_shadow_step(struct esse_pg_shadow *shadow, struct esse_conn *head,
                                       struct esse_reply *reply);
void esse_pg_shadow_drop(struct esse_pg_shadow *shadow); /* hangs up; NULL is fine */

/* What one of the two saw.  Rows are sorted by esse_pg_seen_sort(). */
struct esse_pg_seen {
    const char *snapshot;
    int64_t value; /* of an aggregate */
    const struct esse_live_row *rows;
    size_t row_count;
};
void esse_pg_seen_sort(struct esse_live_row *rows, size_t count);

/* False, and what differs first in 'text', if they saw different things; cost linear in the
 * rows. */
enum { ESSE_PG_DIFFERENCE = 160 };
bool esse_pg_seen_agree(const struct esse_pg_seen *session, const struct esse_pg_seen *shadow,
                        bool compares_rows, char text[ESSE_PG_DIFFERENCE]);

/* One clause about what was verified in this run, in the target's arena; NULL if nothing was asked
 * for. */
const char *esse_pg_verified_text(struct esse_target *target);

#endif
