#ifndef ESSE_HISTORY_PG_SNAPSHOT_H
#define ESSE_HISTORY_PG_SNAPSHOT_H

#include "history/values.h"

/*
 * What pg_current_snapshot() of PostgreSQL prints: "xmin:xmax:xip,xip,...".  A transaction is seen
 * if its number is less than xmin, or less than xmax and not among those that were running.
 */
struct esse_pg_snapshot {
    int64_t xmin, xmax;
    struct esse_span running; /* "xip,xip,...", ascending; may point into 'room' */
    char room[8];
};

/* False if the value is no such text: not three fields, a number beyond 63 bits, xmin above xmax,
 * a running one outside of [xmin, xmax) or not ascending.  The snapshot is not to be moved.
 * O(length). */
bool esse_pg_snapshot_parse(struct esse_pg_snapshot *snapshot, const struct esse_values *values,
                            esse_value text);

/* The next running transaction, from *at = 0 on; false at the end. */
bool esse_pg_snapshot_next(const struct esse_pg_snapshot *snapshot, size_t *at, int64_t *xid);

/* O(length). */
bool esse_pg_snapshot_sees(const struct esse_pg_snapshot *snapshot, int64_t xid);

#endif
