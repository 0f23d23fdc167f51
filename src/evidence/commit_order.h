#ifndef ESSE_EVIDENCE_COMMIT_ORDER_H
#define ESSE_EVIDENCE_COMMIT_ORDER_H

#include "evidence/proved.h"
#include "history/by_key.h"
#include "level/level.h"

/*
 * Rechecks a commit order that is said to keep the axiom of a level (semantics 4; docs/levels.md):
 * that it contains session order, reads-from and the known version order, and that for every read
 * of x in t3 from t1 no other writer t2 of x for which φ(t2, t3) comes after t1.  As φ is part of
 * the order, only writers between t1 and t3 need to be looked at.  Where several versions explain a
 * read, or a row that a predicate left out, the order must name one.
 *
 * Part of the trusted kernel: it traces the reads itself, and shares nothing with the engines.
 *
 * Cost: O(accesses + writes that a read passes over); for the levels with a transitive φ, and only
 * if a read passes over any write at all, O(sessions) more for every unit.  The reads are traced
 * and what they pass over is found by 'threads' threads, key by key.
 */
bool esse_commit_order_check(const struct esse_history *history, const struct esse_level *level,
                             const struct esse_order *order, unsigned threads,
                             struct esse_error *err);

/* The same in one walk along the order, for registers and the levels with sessions and without
 * co in φ.  It is O(operations) where few reads are stale and passes over little; false only says
 * that the walk did not prove it.  What it proves is noted in 'proved', which may be NULL.  4 bytes
 * an operation and 12 a transaction. */
bool esse_commit_order_is_plain(const struct esse_history *history, const struct esse_level *level,
                                const struct esse_order *order, struct esse_proved *proved);

/* The levels that such an order can prove. */
bool esse_commit_order_proves(const struct esse_level *level, bool of_accesses);

#endif
