#ifndef ESSE_EVIDENCE_REPLAY_RULES_H
#define ESSE_EVIDENCE_REPLAY_RULES_H

#include "evidence/replay.h"
#include "evidence/replay_state.h"
#include "level/level.h"

/* What the rules of a replay share.  Private to evidence/replay and the replay of
 * streams. */

struct replay {
    struct esse_arena *arena;
    const struct esse_history *history;
    const struct esse_level *level;
    const struct esse_order *order;
    uint8_t *in;        /* by transaction: it is in the order */
    uint32_t *position; /* by transaction: of its (commit) event */
    struct replay_state state;
    struct esse_budget *budget;
    struct esse_mismatch *mismatch;
    const struct esse_replay_teller *teller; /* or NULL */
};

/* What the state missed, as a mismatch of 'txn'; others that take part are not in it yet. */
void replay_mismatch_of(struct esse_mismatch *mismatch, const struct replay_state *state,
                        esse_txn txn);

/* Fails: the order does not prove the level, because 'txn' ... */
bool replay_wrong(const struct replay *replay, uint32_t txn, const char *what,
                  struct esse_error *err);

/* Does a read depend on no transaction, because it comes after an own write?  A list still shows an
 * order of versions, which must be that of the key. */
bool replay_is_own(struct replay *replay, uint32_t txn, uint32_t op, struct esse_access access);

/* The version, by number, that a read returned, among those committed before the reader; UINT32_MAX
 * if it is none of them. */
uint32_t replay_version_read(struct replay *replay, uint32_t txn, uint32_t op,
                             struct esse_access access);

/* Has every row that a predicate operation left out a version, committed before, that does not
 * match? */
bool replay_misses_are_committed(struct replay *replay, uint32_t txn, uint32_t op);

/* Does the order agree with the version orders that were given? */
bool replay_agrees_with_given(struct replay *replay, struct esse_error *err);

/* Does it agree with the version sets that were given?  In a weak level a predicate may have seen
 * any version whose matches were committed before.  O(versions of the key) for each that a set
 * names. */
bool replay_agrees_with_vsets(struct replay *replay, bool is_weak, struct esse_error *err);

/* The rules; each commits the transactions of the order to the state. */
bool replay_committed(struct replay *replay, struct esse_error *err);
bool replay_consistent(struct replay *replay, struct esse_error *err); /* ESSE_CYCLE_ONE_RW */
bool replay_items(struct replay *replay, struct esse_error *err);      /* ESSE_CYCLE_ITEM_RW */
bool replay_writes(struct replay *replay, struct esse_error *err);     /* ESSE_CYCLE_WW */

#endif
