#ifndef ESSE_EVIDENCE_RUP_H
#define ESSE_EVIDENCE_RUP_H

#include "base/arena.h"

/*
 * Checks refutations clause by clause: is each implied by unit propagation from those before it
 * (RUP: reverse unit propagation, Goldberg and Novikov 2003)?  It shares nothing with the solver
 * that made them.  A literal is 2 * variable, plus 1 if negated.  Variables need not be announced,
 * but memory goes by the highest: it is for the caller to refuse numbers that cannot be.
 *
 *     new -> (add | implied)*
 *
 * Clauses contradict each other by unit propagation when they imply the empty one.
 *
 * Cost: add O(length), and what follows from a unit; implied one propagation, by two watched
 * literals a clause.  50 bytes a variable; 4 bytes a literal, and 12 for each clause.
 */
struct esse_rup;

struct esse_rup *esse_rup_new(struct esse_arena *arena);

/* A clause that needs no proof, or has another one. */
void esse_rup_add(struct esse_rup *rup, const uint32_t *lits, uint32_t count);

/* Whether assuming all literals false leads to a contradiction.  Only then the clause is added. */
bool esse_rup_implied(struct esse_rup *rup, const uint32_t *lits, uint32_t count);

#endif
