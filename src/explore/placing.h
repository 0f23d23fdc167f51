#ifndef ESSE_EXPLORE_PLACING_H
#define ESSE_EXPLORE_PLACING_H

#include "explore/search.h"

/*
 * Is there a commit order?  Transactions are placed one by one: "The filter" in
 * docs/design/explore.md.
 *
 * Cost: usually some steps for each read and each pair of transactions; at worst one attempt for
 * each set of transactions that is closed under what is before, as far as the memory of failed
 * attempts reaches.
 */
struct esse_placing;

struct esse_placing *esse_placing_new(struct esse_arena *arena, struct esse_search *search);

/* Of the whole history, with these as the last writers of their variables. */
bool esse_placing_all(struct esse_placing *placing, const enum esse_axiom *axioms,
                      const struct esse_last_writer *last, uint32_t count);

/* Of its pinned reads and their causal past. */
bool esse_placing_pinned(struct esse_placing *placing, const enum esse_axiom *axioms);

#endif
