#ifndef ESSE_COLLECT_RECOVER_SNAPSHOT_H
#define ESSE_COLLECT_RECOVER_SNAPSHOT_H

#include "collect/recover.h"
#include "history/pg_snapshot.h"

/*
 * What a statement sees, as servers write it down.  docs/design/recovery.md says what each may be
 * used for.
 */

/* The view of one of PostgreSQL's snapshots; ids of transactions are integers.  Streams have the
 * lower 32 bits of an xid only; they are completed with those of xmax, which is right while fewer
 * than 2^31 transactions lie between. */
struct esse_view esse_pg_snapshot_view(const struct esse_pg_snapshot *snapshot);

/* CockroachDB's hybrid clock, "1700000000000000000.0000000001": nanoseconds and a counter.  A
 * question mark at the end, which old versions print for synthetic timestamps, is passed over. */
bool esse_hlc_parse(struct esse_span text, struct esse_stamp *stamp, struct esse_error *err);

/* What is stamped at or before 'stamp': CockroachDB's reads at a transaction's timestamp, TiDB's
 * at start_ts (or for_update_ts, for locking reads of a pessimistic transaction). */
struct esse_view esse_stamp_view(const struct esse_stamp *stamp);

/* Stamps as numbers that a history can hold in start_ts and commit_ts: equal ones get equal
 * numbers, from 1 upwards.  Cost: a sort. */
void esse_stamp_ranks(struct esse_arena *arena, const struct esse_stamp *stamps, size_t count,
                      int64_t *ranks);

#endif
