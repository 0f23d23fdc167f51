#ifndef ESSE_HISTORY_GIVEN_ORDER_H
#define ESSE_HISTORY_GIVEN_ORDER_H

#include "history/history.h"

/*
 * The order of the transactions that comes with a history.  The trusted kernel believes
 * it, as it believes snapshots.h: "violated under the order given" means nothing unless it is that
 * order.
 *
 *   order        the history's line 'order'
 *   commit_ts    by commit_ts; one that wrote nothing may have a start_ts only, and stands there
 *   start_ts     by start_ts, and the same with commit_ts
 *   timestamps   snapshots at start_ts and commits at commit_ts, of which one will do: a snapshot
 *                sees what was committed at its time or before
 *
 * In the order are the committed transactions, and those of unknown outcome that have a place.  At
 * one commit_ts those that only read come after the one that wrote.
 *
 * Cost: O(transactions), and a sort; the order is in the arena.
 */

/* False if there is no such name. */
bool esse_order_by_find(const char *name, enum esse_order_by *by);

/* ESSE_REASON_NONE, or why there is no such order: a committed transaction has no place, an aborted
 * one has, or two have the same and both wrote. */
struct esse_reason esse_given_order(struct esse_arena *arena, const struct esse_history *history,
                                    enum esse_order_by by, struct esse_order *order);

/* Does it write anything, or 'key' if that is given? */
bool esse_txn_writes(const struct esse_history *history, uint32_t txn, const esse_key *key);

#endif
