#ifndef ESSE_SAT_PROOF_H
#define ESSE_SAT_PROOF_H

#include "sat/theory.h"

/*
 * Where the solver writes what it derives, in order.  The clauses given with esse_solver_add are
 * not written: the caller has them.
 *
 *   learnt   follows by unit propagation from what was given and written before.  An empty one ends
 *            the proof; after an answer under assumptions the last one says that those of the core
 *            cannot all be true.
 *   lemma    follows from the cycle: its literals are the negations of the cycle's guards.
 *   deleted  is not needed any more.  Literals may come in another order than before.
 */
struct esse_proof {
    void *context;
    void (*learnt)(void *context, const esse_lit *lits, uint32_t count);
    void (*lemma)(void *context, const struct esse_theory_clause *clause);
    void (*deleted)(void *context, const esse_lit *lits, uint32_t count);
};

#endif
