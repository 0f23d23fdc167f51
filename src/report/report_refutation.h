#ifndef ESSE_REPORT_REPORT_REFUTATION_H
#define ESSE_REPORT_REPORT_REFUTATION_H

#include "history/history.h"

/*
 * A refutation in terms of what is open in the history alone: which of two versions came first,
 * and which one was read.  A choice that stands for two others is shown as those two.
 *
 * Literals are those of the refutation.  Everything is made in the arena that is given.
 */

/* The number of an open choice, counted from 1. */
uint32_t esse_choice_number(const struct esse_refutation *refutation, uint32_t choice);

/* A literal as a clause that follows "suppose" or "so": "the 1 that t0 wrote to x came before the 2
 * that t1 wrote".  'again' is for the second of two opposites: "it came after". */
const char *esse_choice_words(struct esse_arena *arena, const struct esse_history *history,
                              const struct esse_refutation *refutation, uint32_t literal);
const char *esse_choice_again(const struct esse_refutation *refutation, uint32_t literal);

/* What a clause takes for granted: the negations of its literals, each open choice once. */
struct esse_given {
    const uint32_t *literals;
    uint32_t count;
};
struct esse_given esse_given_of(struct esse_arena *arena, const struct esse_refutation *refutation,
                                const struct esse_clause *clause);

/* Those of them on which an edge of the clause rests: none, an order, a source, or both. */
struct esse_given esse_edge_given(struct esse_arena *arena, const struct esse_history *history,
                                  const struct esse_refutation *refutation, struct esse_given given,
                                  const struct esse_edge *edge);

/* On what an edge rests in any of the cycles, by the numbers of the choices: "1", "not 2, 3",
 * "1 or not 2"; NULL if on nothing.  O(edges of the refutation). */
const char *esse_edge_condition(struct esse_arena *arena, const struct esse_history *history,
                                const struct esse_refutation *refutation,
                                const struct esse_edge *edge);

/* The edges of all cycles, each once, in the order in which they are met. */
const struct esse_edge *esse_refutation_edges(struct esse_arena *arena,
                                              const struct esse_refutation *refutation,
                                              uint32_t *count);

/* The cycle that is there whatever is chosen; NULL if every cycle depends on something. */
const struct esse_clause *esse_refutation_plain(struct esse_arena *arena,
                                                const struct esse_refutation *refutation);

#endif
