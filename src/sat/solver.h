#ifndef ESSE_SAT_SOLVER_H
#define ESSE_SAT_SOLVER_H

#include "base/arena.h"
#include "base/budget.h"
#include "sat/proof.h"

/*
 * A solver for clauses, with a theory beside them: conflict-driven clause learning.
 *
 *     new -> (theory, prove)? -> (var | add)* -> solve -> value* or core -> (var | add)* -> solve
 * ...
 *
 * Everything lives in the arena and is given back with it.  Equal calls give equal runs.
 *
 * Cost: about 90 bytes a variable, 12 bytes and 4 a literal for a clause, and 16 to 32 for watching
 * it; add O(length).  solve is exponential at worst, and linear where no guess is wrong.
 */
struct esse_solver;

enum esse_solver_answer {
    ESSE_SOLVER_UNKNOWN, /* the budget is spent, or the limit reached; solving again goes on with
                            what was learnt */
    ESSE_SOLVER_SAT,
    ESSE_SOLVER_UNSAT,
};

struct esse_solver_stats {
    uint64_t decisions, conflicts, propagations, restarts;
    uint64_t learnt;  /* clauses */
    uint64_t lemmas;  /* clauses of the theory, conflicts and explanations */
    uint64_t implied; /* literals of the theory */
    uint64_t deleted; /* clauses */
    uint64_t work;    /* steps, the theory's included: the measure behind the budget */
};

/* 'budget' may be NULL. */
struct esse_solver *esse_solver_new(struct esse_arena *arena, struct esse_budget *budget);

/* At most one each, before the first clause. */
void esse_solver_theory(struct esse_solver *solver, const struct esse_theory *theory,
                        void *context);
void esse_solver_prove(struct esse_solver *solver, const struct esse_proof *proof);

/* A new variable; they are numbered from 0.  'phase' is tried first.  Variables of higher
 * 'priority' are decided first, equal ones in the order of their numbers, until conflicts teach
 * better. */
uint32_t esse_solver_var(struct esse_solver *solver, bool phase, uint32_t priority);
uint32_t esse_solver_vars(const struct esse_solver *solver);

/* One of the literals must be true. */
void esse_solver_add(struct esse_solver *solver, const esse_lit *lits, uint32_t count);

/* From now on solving gives up, UNKNOWN, when there have been so many conflicts in all; 0: never.
 */
void esse_solver_limit(struct esse_solver *solver, uint64_t conflicts);

/* Is there a model in which all the assumptions are true? */
enum esse_solver_answer esse_solver_solve(struct esse_solver *solver, const esse_lit *assumptions,
                                          uint32_t count);

/* After SAT, until something is added: the model. */
bool esse_solver_value(const struct esse_solver *solver, esse_lit lit);

/* After UNSAT: assumptions that cannot all be true, a part of those given.  None if there is no
 * model at all.  Not always a smallest part. */
const esse_lit *esse_solver_core(const struct esse_solver *solver, uint32_t *count);

const struct esse_solver_stats *esse_solver_stats(const struct esse_solver *solver);

/* For the theory: counts steps of work; what there is to spend, or NULL. */
void esse_solver_spend(struct esse_solver *solver, uint64_t steps);
struct esse_budget *esse_solver_budget(const struct esse_solver *solver);

#endif
