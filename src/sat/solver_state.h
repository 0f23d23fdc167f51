#ifndef ESSE_SAT_SOLVER_STATE_H
#define ESSE_SAT_SOLVER_STATE_H

#include "base/vec.h"
#include "sat/solver.h"

/* What the parts of the solver share; no other file includes this. */

/*
 * A clause lies in one array of words; a reference is the place of its head.  References change
 * only in esse_solver_reduce.  The first two literals of a watched clause are those watched.
 */
struct clause {
    uint32_t size;
    uint32_t lbd; /* decision levels among its literals when it was learnt, or lately */
    bool learnt;
    bool lemma; /* kept for analysis only: not watched */
    bool used;  /* took part in a conflict since the last reduction */
    bool dead;
    esse_lit lits[];
};

enum { CLAUSE_HEAD = sizeof(struct clause) / sizeof(uint32_t) };

/* References that are none.  Words of clauses are below 2^31. */
#define NO_CLAUSE   UINT32_MAX
#define THEORY_SAYS (UINT32_MAX - 1)

/* A clause to look at when a literal becomes false; nothing to do if 'blocker' is true.  For a
 * clause of two the blocker is the other literal, and the clause itself need not be read. */
struct watch {
    uint32_t clause_binary; /* twice the reference, plus 1 for a clause of two */
    esse_lit blocker;
};

ESSE_VEC(watch_vec, struct watch)
ESSE_VEC(byte_vec, int8_t)
ESSE_VEC(real_vec, double)

struct var_fact {
    uint32_t level, reason;
};
ESSE_VEC(var_fact_vec, struct var_fact)
ESSE_VEC(watches_vec, struct watch_vec)

struct esse_solver {
    struct esse_arena *arena;
    struct esse_budget *budget;
    const struct esse_theory *theory;
    void *theory_context;
    const struct esse_proof *proof;
    struct esse_solver_stats stats;

    /* by literal */
    struct byte_vec value; /* 1 true, -1 false, 0 open */
    struct watches_vec watches;
    /* by variable */
    struct var_fact_vec facts;
    struct byte_vec phase, seen;

    struct esse_u32_vec words;          /* clauses */
    struct esse_u32_vec learnt, lemmas; /* references */

    struct esse_u32_vec trail, levels; /* literals; where each decision level starts */
    uint32_t head, theory_head;        /* of the trail: what the clauses, the theory have seen */

    /* Literals that may lie on the trail above their level, which is that of the clause asserting
     * them, in the order of coming.  When one is taken back, but its level is not, it is put on
     * again. */
    struct esse_u32_vec early;

    /* Order of decisions: variables that took part in conflicts in a heap by activity, the others
     * by priority in 'untouched', of which all before 'cursor' have values. */
    struct real_vec activity;
    double increment;
    struct esse_u32_vec heap, heap_at; /* by variable: place in the heap + 1; solver_order.c */
    struct esse_u32_vec untouched, priority;
    uint32_t cursor;
    bool untouched_sorted;
    /* Where the theory is asked next, in a circle, whether a variable of 'untouched' can wait; how
     * many in a row could; and whether all can. */
    uint32_t round_at, waiting;
    bool all_wait;

    struct esse_u32_vec clause, stack, clear, core, pending; /* scratch; see their users */
    struct byte_vec level_seen;
    double lbd_fast, lbd_slow;
    uint64_t next_restart, next_reduce;
    uint64_t looked, restarted; /* work when the budget was looked at, when restarting */
    uint32_t reductions;
    uint64_t limit; /* conflicts */
    const esse_lit *assumptions;
    uint32_t assumption_count;
    bool searching, broken; /* broken: no model, whatever is assumed */
};

static inline struct clause *clause_at(const struct esse_solver *s, uint32_t ref)
{
    return (struct clause *)(s->words.at + ref);
}

static inline uint32_t level_now(const struct esse_solver *s)
{
    return (uint32_t)s->levels.count;
}

static inline uint32_t level_of(const struct esse_solver *s, esse_lit lit)
{
    return s->facts.at[esse_lit_var(lit)].level;
}

/* solver_clauses.c: storing, watching, deleting. */
uint32_t esse_solver_store(struct esse_solver *s, const esse_lit *lits, uint32_t count);
void esse_solver_watch(struct esse_solver *s, uint32_t ref);
uint32_t esse_solver_lemma(struct esse_solver *s, const struct esse_theory_clause *clause);
void esse_solver_reduce(struct esse_solver *s);

/* solver_trail.c: values, and what follows from them. */
void esse_solver_assign(struct esse_solver *s, esse_lit lit, uint32_t reason);
void esse_solver_backtrack(struct esse_solver *s, uint32_t level);
uint32_t esse_solver_propagate(struct esse_solver *s); /* the clause in conflict, or NO_CLAUSE */

/* solver_analyse.c: from a conflict to a clause.  The clause is left in s->clause, the literal to
 * assert first, one of the level to go back to second. */
struct learning {
    uint32_t level, lbd;
};
struct learning esse_solver_analyse(struct esse_solver *s, uint32_t conflict);
void esse_solver_analyse_core(struct esse_solver *s, esse_lit failed);

/* solver_order.c: which variable next. */
void esse_order_add(struct esse_solver *s, uint32_t var);
void esse_order_bump(struct esse_solver *s, uint32_t var);
void esse_order_decay(struct esse_solver *s);
void esse_order_return(struct esse_solver *s, uint32_t var); /* it lost its value */
#define ORDER_END   UINT32_MAX                               /* all have values */
#define ORDER_LATER (UINT32_MAX - 1) /* not known yet: look at the budget and ask again */
uint32_t esse_order_next(struct esse_solver *s);
void esse_order_restart(struct esse_solver *s); /* what could wait is to be asked again */

#endif
