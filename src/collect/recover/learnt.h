#ifndef ESSE_COLLECT_RECOVER_LEARNT_H
#define ESSE_COLLECT_RECOVER_LEARNT_H

#include "collect/driver.h"
#include "collect/named.h"
#include "history/record.h"

/*
 * What drivers learn from the logs of their servers, kept until the run is over.
 *
 * Life: new -> esse_learnt_version* (driver.h) -> emit.  Cost: 40 bytes a version; emit sorts them
 * by row.
 */

struct esse_learnt *esse_learnt_new(struct esse_arena *arena, const struct esse_schema *schema);
/* The versions, and the commits, that were reported. */
uint64_t esse_learnt_count(const struct esse_learnt *learnt, uint64_t *commits);

/* The transactions that the xids stand for; for deletes, whose versions have no value to name them
 * by. */
void esse_learnt_names(struct esse_learnt *learnt, const struct esse_named *named, size_t count);

/* One version order for each row, the order of commits if any was reported, which acknowledged
 * transactions it lacks, and that they are of this 'kind', if it is not NULL and commits were
 * reported with the versions; complete, unless a delete is that of a transaction without a name,
 * which is nil in its order.  Timestamps are those of transactions that are known to have
 * committed: if another one did, or an xid stands for two, the kind is left out; and so it is if
 * commits were lost, since an older snapshot then speaks of numbers that stand for others now. */
bool esse_learnt_emit(struct esse_learnt *learnt, const char *kind, struct esse_sink *sink,
                      struct esse_error *err);

/* How many of those there were, once they were written. */
uint64_t esse_learnt_lost(const struct esse_learnt *learnt);

#endif
