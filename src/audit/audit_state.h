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

/*
 * For large logs, at the levels of one snapshot: which versions each transaction read is found in
 * the order of the guess; what follows of them for the order is a graph, and a topological order of
 * it is replayed.  Fills the answer and returns true if that explains everything; otherwise nothing
 * is known.  Cost: O(reads + versions) beside the runs, of which there are about three for each
 * statement.
 */
bool audit_graph_holds(struct esse_arena *arena, struct audit_world *world,
                       const struct audit_question *question, const struct audit_plan *plan,
                       struct audit_answer *answer);

/*
 * For large logs under a certificate that orders all that wrote, at the levels of one snapshot.  If
 * every change is of rows that the log and its text name (audit_attempt_changes()), then every
 * execution has the same versions: a writer of a row sees the version before its own.  An answer
 * that no choice among them gives is wrong in all of them.  True if there is one; the answer says
 * which.
 */
bool audit_refutes(struct esse_arena *arena, struct audit_world *world,
                   const struct audit_question *question, const struct audit_plan *plan,
                   struct audit_answer *answer);

/* Cost: O(rows and versions) for each row that is looked up; given up beyond 20 million. */
enum audit_rechecked audit_recheck(struct audit_world *world, const struct audit_question *question,
                                   const struct audit_plan *plan,
                                   const struct audit_answer *answer);

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
