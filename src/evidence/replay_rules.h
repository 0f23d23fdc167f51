#ifndef ESSE_EVIDENCE_REPLAY_RULES_H
#define ESSE_EVIDENCE_REPLAY_RULES_H

#include "evidence/replay.h"
#include "evidence/replay_state.h"
#include "level/level.h"

/* What the rules of a replay share.  Private to evidence/replay and the replay of
 * streams. */

/* An access of the history: access 'at' of operation 'op'. */
struct replay_access {
    uint32_t txn, op, at;
};

/* What is ordered are units: transactions, or single accesses. */
struct replay {
    struct esse_arena *arena;
    const struct esse_history *history;
    const struct esse_level *level;
    const struct esse_order *order;
    uint32_t units;
    struct replay_access *accesses; /* if these are the units; else NULL */
    uint8_t *in;                    /* by transaction: it is in the order */
    uint32_t *position;             /* by unit: of its (commit) event; 0 if it is not there */
    struct replay_state state;
    struct esse_budget *budget;
    struct esse_mismatch *mismatch;
    const struct esse_replay_teller *teller; /* or NULL */
};

static inline uint32_t replay_txn(const struct replay *replay, uint32_t unit)
{
    return replay->accesses ? replay->accesses[unit].txn : unit;
}

/* What the state missed, as a mismatch of 'txn'; others that take part are not in it yet. */
void replay_mismatch_of(struct esse_mismatch *mismatch, const struct replay_state *state,
                        esse_txn txn);

/* Fails: the order does not prove the level, because 'txn' ... */
bool replay_wrong(const struct replay *replay, uint32_t txn, const char *what,
                  struct esse_error *err);

/* Does the order agree with the version orders that were given? */
bool replay_agrees_with_given(struct replay *replay, struct esse_error *err);

/* Does it agree with the version sets that were given?  In a weak level a predicate may have seen
 * any version whose matches were committed before.  O(versions of the key) for each that a set
 * names. */
bool replay_agrees_with_vsets(struct replay *replay, bool is_weak, struct esse_error *err);

/* Is what a predicate operation returned what its predicate selects, as far as it shows by itself:
 * by the rows, and by its version set?  If not, no order of versions explains it. */
bool replay_is_selected(struct replay *replay, uint32_t txn, uint32_t op);

/* Has every row that it left out a version, committed so far, that does not match? */
bool replay_misses_are_committed(struct replay *replay, uint32_t op);

/* The rules; each commits the units of the order to the state.  Of a transitive axiom, the
 * versions that reads passed over are looked at when there are 'at_once' of them: they can be as
 * many as the square of the operations, and this bounds their memory. */
#define REPLAY_AT_ONCE ((size_t)16 << 20)
bool replay_commit_order(struct replay *replay, size_t at_once, struct esse_error *err);
bool replay_writes(struct replay *replay, struct esse_error *err); /* ESSE_CYCLE_WW */

#endif
