#ifndef ESSE_EVIDENCE_REPLAY_H
#define ESSE_EVIDENCE_REPLAY_H

#include "base/budget.h"
#include "evidence/proved.h"
#include "history/history.h"
#include "level/level.h"

/*
 * Rechecks an order that is said to prove a level, by replaying it.  Part of the trusted kernel:
 * it knows the history and what the levels mean, and nothing of graphs or engines.
 *
 *   serializable        every transaction runs alone, in the order given, and must read exactly
 *                       what it read in the history
 *   snapshot-isolation  a transaction reads the state at its start event, and at its commit none
 *                       may have committed a key that it writes since then
 *   prefix              the same, but two may commit the same key: the last one wins
 *   an axiom            versions are installed in the order given; every read returns the last
 *                       version of some unit before the reader, and no unit that φ makes visible
 *                       to it overwrote that before the reader (semantics 4; docs/levels.md)
 *   read-committed      the same, and none is visible
 *   consistent-view     the same with those that a reader depends on by wr and ww
 *   repeatable-read     the same with all; of what a predicate left out some version must have
 *                       been committed before that does not match
 *   read-uncommitted    the order agrees with the lists that were read and the orders given
 *
 * In each case the order must agree with the version orders and version sets that were given, for
 * strong-session-X the order with session order, and for strong-X with real time too.  All
 * committed transactions must be in the order, no aborted one may be; one of unknown outcome may
 * be.  Where several versions explain a read, it is of the one that the order names, or the newest.
 *
 * What replays is noted in 'proved', which may be NULL.
 *
 * Cost: O(operations + items), O(log versions) more for reads under snapshot isolation; predicates
 * as replay_rows.h says.  Under an axiom O(writes that reads pass over) more; if φ is transitive,
 * also O(operations) for each session that such a write is of, between there and the reads.
 */
bool esse_replay(const struct esse_history *history, const struct esse_level *level,
                 const struct esse_order *order, struct esse_proved *proved,
                 struct esse_error *err);

/* The first thing that keeps an order from proving a level. */
enum esse_mismatch_kind {
    ESSE_MISMATCH_NONE, /* it is no order of the transactions, or contradicts others given */
    ESSE_MISMATCH_READ, /* 'op' read something else of 'key' than the table held */
    ESSE_MISMATCH_NOT_SELECTED, /* 'op' returned the row 'key', which its predicate does not select
                                 */
    ESSE_MISMATCH_LEFT_OUT,     /* 'op' left out the row 'key', which its predicate selects */
    ESSE_MISMATCH_RESULT,       /* 'op' returned another result than 'answered' */
    ESSE_MISMATCH_OVERWRITTEN,  /* 'other' committed 'key', which 'op' writes, since its snapshot */
    ESSE_MISMATCH_SESSION,      /* 'other', earlier in the session, is not before it */
    ESSE_MISMATCH_TIME,         /* 'other', which had ended when it started, is not before it */
    ESSE_MISMATCH_LATE,         /* 'other', which started when it had ended, is not after it */
};

struct esse_mismatch {
    enum esse_mismatch_kind kind;
    esse_txn txn;
    esse_op op;
    esse_key key;
    /* What the table held of the key when 'op' looked, its own writes included, and its writer;
     * ESSE_NO_TXN: it is the initial version. */
    esse_value held; /* nil: absent */
    const esse_value *items;
    uint32_t item_count;
    esse_txn other;
    const char *answered; /* as people read it */
};

/* Is it about a key? */
static inline bool esse_mismatch_has_key(const struct esse_mismatch *mismatch)
{
    return mismatch->op.ix != ESSE_NO_OP && mismatch->kind != ESSE_MISMATCH_RESULT;
}

/* What people want to know of a mismatch beside kind, transaction, operation and key: what the
 * store held, and its writer.  Nothing rests on it, so it is not the kernel's: 'fill' is called
 * while the store is as it was at the mismatch, after 'snapshot' commits if the order has starts.
 */
struct replay_state;
struct esse_replay_teller {
    struct esse_arena *arena;
    void (*fill)(const struct esse_replay_teller *teller, struct esse_mismatch *mismatch,
                 const struct replay_state *state, const struct esse_order *order,
                 uint32_t snapshot);
};

/* The same, and what is wrong if anything is, filled in by 'teller' unless that is NULL.  False
 * with ESSE_ESTOPPED if the budget is spent, and with ESSE_EINPUT if a predicate has no answer;
 * there is no mismatch then. */
bool esse_replay_find(const struct esse_replay_teller *teller, const struct esse_history *history,
                      const struct esse_level *level, const struct esse_order *order,
                      struct esse_proved *proved, struct esse_budget *budget,
                      struct esse_mismatch *mismatch, struct esse_error *err);

/* The levels that an order can prove at all. */
bool esse_replay_proves(const struct esse_level *level, bool has_starts);

#endif
