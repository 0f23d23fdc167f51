#ifndef ESSE_HISTORY_CONTENTION_H
#define ESSE_HISTORY_CONTENTION_H

#include "base/budget.h"
#include "history/history.h"

/*
 * How much of a history could have gone wrong: its reads, and those whose transaction overlapped in
 * time with another one that wrote the same key (of a predicate: any key).  Without times, those of
 * keys that another session wrote.  Only reads of committed transactions whose result is known
 * count; a row that a predicate returned is one.
 *
 * Equal times overlap.
 *
 * Cost: each access once, and O(n log n) in the transactions; 24 bytes a key, 32 a transaction.
 * False if the budget ran out.
 */
bool esse_contention_count(const struct esse_history *history, struct esse_budget *budget,
                           struct esse_tested *tested);

#endif
