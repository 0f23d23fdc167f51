#ifndef ESSE_ENGINE_CYCLE_WORDS_H
#define ESSE_ENGINE_CYCLE_WORDS_H

#include "history/history.h"

/*
 * What people call a cycle of dependencies, and what happened in it: "a phantom: the row y appeared
 * between two evaluations of "v < 5" by t1".  The type of a cycle, G-single and so on, says what
 * rules out which level; this says which story it is.
 *
 *   phantom               one rw, by a predicate, and the reader comes after the writer; or a
 *                         predicate that was evaluated twice
 *   predicate write skew  two rw between two transactions, at least one of them by a predicate
 *   lost update, read skew, unrepeatable read, intermediate read, write skew, long fork, read-only
 *   anomaly, stale read; of two transactions dirty writes and circular information flow
 *
 * NULL if it has no name of its own.  The text is in 'arena'.  O(edges + operations of the reader),
 * and one evaluation of the predicate.
 */
const char *esse_cycle_words(struct esse_arena *arena, const struct esse_history *history,
                             const struct esse_edge *edges, uint32_t count);

#endif
