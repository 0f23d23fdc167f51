#ifndef ESSE_EVIDENCE_RUP_H
#define ESSE_EVIDENCE_RUP_H

#include "base/arena.h"

/*
 * Checks refutations clause by clause: is each implied by unit propagation from those before it
 * (RUP: reverse unit propagation, Goldberg and Novikov 2003)?  It shares nothing with the solver
 * that made them.  A literal is 2 * variable, plus 1 if negated.  Variables need not be announced,
 * but memory goes by the highest: it is for the caller to refuse numbers that cannot be.
 *
 *     new -> (add | implied | delete)* -> refuted
 *
 * Cost: add O(length), and what follows from a unit; implied one propagation, by two watched
 * literals a clause; delete O(length) expected.  52 bytes a variable; 4 bytes a literal and about
 * 40 for each clause, deleted ones too.
 */
struct esse_rup;

struct esse_rup *esse_rup_new(struct esse_arena *arena);

/* A clause that needs no proof, or has another one. */
void esse_rup_add(struct esse_rup *rup, const uint32_t *lits, uint32_t count);

/* Whether assuming all literals false leads to a contradiction.  Only then the clause is added. */
bool esse_rup_implied(struct esse_rup *rup, const uint32_t *lits, uint32_t count);

/* Forgets one clause with these literals, in any order; what it has made true for good stays so.
 * False if there is none. */
bool esse_rup_delete(struct esse_rup *rup, const uint32_t *lits, uint32_t count);

/* Whether the clauses contradict each other by unit propagation. */
bool esse_rup_refuted(const struct esse_rup *rup);

#endif
