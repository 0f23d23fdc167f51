#ifndef ESSE_AUDIT_AUDIT_STATE_H
#define ESSE_AUDIT_AUDIT_STATE_H

#include "audit/attempt.h"

/* What the files of the search share.  Private to audit/. */

/* Which transactions there are, and the order in which they are tried. */
struct audit_plan {
    uint32_t *writers; /* candidates for a place, in the order of trying them */
    uint32_t writer_count;
    uint32_t fixed;    /* the first so many stand in exactly this order */
    uint32_t required; /* of the writers: those that committed come first */
    uint32_t *readers; /* they take no place of their own: any state may do */
    uint32_t reader_count;
    uint32_t *due;      /* by reader: after how many writers it is looked for */
    int64_t *positions; /* by transaction: in the order of versions; NULL: none */
    uint32_t *ends;     /* all that committed, by their ends */
    uint32_t end_count;
    bool has_real_time;
};

bool audit_plan_make(struct esse_arena *arena, const struct audit_world *world,
                     const struct audit_question *question, struct audit_plan *plan,
                     struct esse_error *err);

static inline int64_t audit_start_of(const struct audit_world *world, uint32_t txn)
{
    return world->log->txns.at[txn].start; /* ESSE_NO_TIME is below all */
}

/* When it had ended for certain; never, if that is not known. */
static inline int64_t audit_end_of(const struct audit_world *world, uint32_t txn)
{
    const struct esse_log_txn *one = &world->log->txns.at[txn];
    return one->end == ESSE_NO_TIME || one->status != ESSE_COMMITTED ? INT64_MAX : one->end;
}

#endif
