#ifndef ESSE_SAT_THEORY_H
#define ESSE_SAT_THEORY_H

#include "sat/lit.h"

/*
 * The seam between the solver and what it does not know about.
 *
 *  1) Literals become true one after the other: the trail.  assign() is called for each of them, in
 *     that order, once, after the clauses have nothing more to say.
 *  2) assign() answers true, or false with a clause whose literals are all false now.  It must hold
 *     in every model: the theory never guesses.  The literal counts as handed over; it is taken
 *     back next, or nothing is asked any more.
 *  3) propagate() is called when every literal of the trail was handed over.  It sets 'lits' to
 *     literals that must be true now.  Those that are assigned already are passed over: if one of
 *     them is false the theory must find the conflict when its negation is handed over.  It need
 *     not find everything that is implied.
 *  4) explain() is asked, at any time before the literal is taken back, and at most once, why a
 *     literal that propagate() gave had to be true.  The clause has that literal; the others were
 *     handed over, false, before propagate() gave it.
 *  5) backtrack() takes back all but the first 'length' literals of the trail.  What propagate()
 *     has not passed on yet is forgotten.
 *  6) final() is called when every variable has a value and was handed over.  It accepts, gives a
 *     conflict as assign() does, or asks for more after having added variables or clauses with
 *     esse_solver_var and esse_solver_add, which may be called here and between two solves only.
 *  7) phase(), which may be null, is asked for the polarity of a variable about to be decided: the
 *     literal to be made true, or ESSE_LIT_NONE to leave it to the solver.
 *  8) idle(), which may be null, is asked whether a variable can wait: the literal that could be
 *     made true now without any effect on the theory, or ESSE_LIT_NONE.  The solver decides
 *     variables that can wait last, when all that are left can.
 *  9) What a clause points at is the theory's and stays until the next call of any function here.
 * 10) Equal calls get equal answers: nothing depends on time or addresses.
 * 11) Steps that are not O(1) a call are counted with esse_solver_spend, so that budgets hold.
 */

/* An edge of a cycle, and the literal that it is guarded by: ESSE_LIT_NONE if it is always there.
 */
struct esse_guarded_edge {
    uint32_t from, to;
    esse_lit guard;
};

/* A clause that the theory stands for, and the cycle that its literals cannot all let happen. */
struct esse_theory_clause {
    const esse_lit *lits;
    const struct esse_guarded_edge *cycle;
    uint32_t count, edges;
};

enum esse_theory_answer { ESSE_THEORY_ACCEPTS, ESSE_THEORY_CONFLICT, ESSE_THEORY_MORE };

struct esse_theory {
    bool (*assign)(void *context, esse_lit lit, struct esse_theory_clause *conflict);
    uint32_t (*propagate)(void *context, const esse_lit **lits);
    void (*explain)(void *context, esse_lit lit, struct esse_theory_clause *reason);
    void (*backtrack)(void *context, uint32_t length);
    enum esse_theory_answer (*final)(void *context, struct esse_theory_clause *conflict);
    esse_lit (*phase)(void *context, uint32_t var);
    esse_lit (*idle)(void *context, uint32_t var);
};

#endif
