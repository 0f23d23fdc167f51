#include "sat/solver_state.h"

#include "base/guard.h"

#include <assert.h>
#include <math.h>

enum { FIRST_REDUCE = 2000, REDUCE_STEP = 300 };

struct esse_solver *esse_solver_new(struct esse_arena *arena, struct esse_budget *budget)
{
    struct esse_solver *s = esse_arena_alloc(arena, 1, sizeof *s);
    s->arena = arena;
    s->budget = budget;
    s->increment = 1;
    s->next_reduce = FIRST_REDUCE;
    return s;
}

void esse_solver_theory(struct esse_solver *s, const struct esse_theory *theory, void *context)
{
    assert(!s->theory);
    assert(!s->trail.count);
    s->theory = theory;
    s->theory_context = context;
}

void esse_solver_prove(struct esse_solver *s, const struct esse_proof *proof)
{
    assert(!s->proof);
    assert(!s->trail.count);
    s->proof = proof;
}

uint32_t esse_solver_vars(const struct esse_solver *s)
{
    return (uint32_t)s->facts.count;
}

uint32_t esse_solver_var(struct esse_solver *s, bool phase, uint32_t priority)
{
    uint32_t var = esse_solver_vars(s);
    assert(var < (uint32_t)1 << 30);
    for (int i = 0; i < 2; i++) {
        byte_vec_push(&s->value, s->arena, 0);
        watches_vec_push(&s->watches, s->arena, (struct watch_vec){ 0 });
    }
    var_fact_vec_push(&s->facts, s->arena, (struct var_fact){ 0, NO_CLAUSE });
    byte_vec_push(&s->phase, s->arena, phase);
    byte_vec_push(&s->seen, s->arena, 0);
    esse_u32_vec_push(&s->priority, s->arena, priority);
    esse_order_add(s, var);
    return var;
}

void esse_solver_spend(struct esse_solver *s, uint64_t steps)
{
    s->stats.work += steps;
}

struct esse_budget *esse_solver_budget(const struct esse_solver *s)
{
    return s->budget;
}

const struct esse_solver_stats *esse_solver_stats(const struct esse_solver *s)
{
    return &s->stats;
}

void esse_solver_limit(struct esse_solver *s, uint64_t conflicts)
{
    s->limit = conflicts;
}

bool esse_solver_value(const struct esse_solver *s, esse_lit lit)
{
    assert(s->value.at[lit]);
    return s->value.at[lit] > 0;
}

const esse_lit *esse_solver_core(const struct esse_solver *s, uint32_t *count)
{
    *count = (uint32_t)s->core.count;
    return s->core.at;
}

/* ---- adding clauses ---- */

static void tell_learnt(struct esse_solver *s, const esse_lit *lits, uint32_t count)
{
    if (s->proof)
        s->proof->learnt(s->proof->context, lits, count);
}

static void refute(struct esse_solver *s)
{
    if (!s->broken)
        tell_learnt(s, NULL, 0);
    s->broken = true;
    s->core.count = 0;
}

/* Leaves in s->clause the literals once each, without those that are false for good.  False if the
 * clause says nothing. */
static bool simplify(struct esse_solver *s, const esse_lit *lits, uint32_t count)
{
    bool says_something = true;
    s->clause.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t var = esse_lit_var(lits[i]);
        int8_t sign = esse_lit_negated(lits[i]) ? -1 : 1;
        assert(var < esse_solver_vars(s));
        if (s->value.at[lits[i]] > 0 || s->seen.at[var] == -sign)
            says_something = false;
        if (s->value.at[lits[i]] || s->seen.at[var])
            continue;
        s->seen.at[var] = sign;
        esse_u32_vec_push(&s->clause, s->arena, lits[i]);
    }
    for (size_t i = 0; i < s->clause.count; i++)
        s->seen.at[esse_lit_var(s->clause.at[i])] = 0;
    return says_something;
}

static void add_now(struct esse_solver *s, const esse_lit *lits, uint32_t count)
{
    if (s->broken || !simplify(s, lits, count))
        return;
    if (s->clause.count == 0)
        refute(s);
    else if (s->clause.count == 1)
        esse_solver_assign(s, s->clause.at[0], NO_CLAUSE);
    else
        esse_solver_watch(s, esse_solver_store(s, s->clause.at, (uint32_t)s->clause.count));
}

void esse_solver_add(struct esse_solver *s, const esse_lit *lits, uint32_t count)
{
    if (!s->searching) {
        esse_solver_backtrack(s, 0);
        add_now(s, lits, count);
        return;
    }
    esse_u32_vec_push(&s->pending, s->arena, count);
    for (uint32_t i = 0; i < count; i++)
        esse_u32_vec_push(&s->pending, s->arena, lits[i]);
}

/* What the theory added while it was looking at a full assignment. */
static void add_pending(struct esse_solver *s)
{
    if (!s->pending.count)
        return;
    esse_solver_backtrack(s, 0);
    for (size_t i = 0; i < s->pending.count; i += 1 + s->pending.at[i])
        add_now(s, s->pending.at + i + 1, s->pending.at[i]);
    s->pending.count = 0;
}

/* ---- searching ---- */

/*
 * Restarts come when the clauses learnt lately join more levels than those of the long run
 * (Audemard and Simon, Glucose), as exponential averages (Biere and Froehlich 2015).
 */
static void note_lbd(struct esse_solver *s, uint32_t lbd)
{
    double n = (double)s->stats.conflicts;
    s->lbd_fast += (lbd - s->lbd_fast) * fmax(1. / 32, 1 / n);
    s->lbd_slow += (lbd - s->lbd_slow) * fmax(1. / 8192, 1 / n);
}

enum { RESTART_INTERVAL = 50, RESTART_WORK = 8 };

/* A restart costs the way back: it must not come before a multiple of that was done. */
static bool restart_wanted(const struct esse_solver *s)
{
    return s->stats.conflicts >= s->next_restart && s->lbd_fast > 1.25 * s->lbd_slow &&
           s->stats.work - s->restarted > RESTART_WORK * s->trail.count;
}

static void restart(struct esse_solver *s)
{
    s->stats.restarts++;
    s->next_restart = s->stats.conflicts + RESTART_INTERVAL;
    s->restarted = s->stats.work;
    esse_solver_backtrack(s, s->assumption_count);
}

enum { FAR = 20 };

/*
 * Goes back to where the learnt clause asserts its first literal; but if that is far, only as far
 * as the conflict goes (after Nadel and Ryvchin 2018), because a hundred thousand decisions that
 * had nothing to do with it would be made again.
 */
static void go_back(struct esse_solver *s, uint32_t level)
{
    if (level_now(s) - level > FAR) {
        esse_solver_backtrack(s, level_now(s) - 1);
        esse_u32_vec_push(&s->early, s->arena, s->clause.at[0]);
    } else {
        esse_solver_backtrack(s, level);
    }
}

/* Learns from a conflict; false if there is no model. */
static bool learn(struct esse_solver *s, uint32_t conflict)
{
    s->stats.conflicts++;
    struct learning learning = esse_solver_analyse(s, conflict);
    if (!s->clause.count) {
        refute(s);
        return false;
    }
    uint32_t count = (uint32_t)s->clause.count, ref = NO_CLAUSE;
    tell_learnt(s, s->clause.at, count);
    note_lbd(s, learning.lbd);
    go_back(s, learning.level);
    if (count > 1) {
        ref = esse_solver_store(s, s->clause.at, count);
        clause_at(s, ref)->learnt = true;
        clause_at(s, ref)->lbd = learning.lbd;
        esse_u32_vec_push(&s->learnt, s->arena, ref);
        esse_solver_watch(s, ref);
    }
    s->stats.learnt++;
    esse_solver_assign(s, s->clause.at[0], ref);
    s->facts.at[esse_lit_var(s->clause.at[0])].level = learning.level;
    return true;
}

static void decide(struct esse_solver *s, esse_lit lit)
{
    esse_u32_vec_push(&s->levels, s->arena, (uint32_t)s->trail.count);
    if (s->value.at[lit] == 0)
        esse_solver_assign(s, lit, NO_CLAUSE);
}

/* Decides the next assumption; false if it fails.  One that is true already opens an empty level,
 * so that levels keep counting assumptions. */
static bool assume(struct esse_solver *s)
{
    esse_lit lit = s->assumptions[level_now(s)];
    if (s->value.at[lit] >= 0) {
        decide(s, lit);
        return true;
    }
    esse_solver_analyse_core(s, lit);
    s->clause.count = 0;
    for (size_t i = 0; i < s->core.count; i++)
        esse_u32_vec_push(&s->clause, s->arena, esse_lit_not(s->core.at[i]));
    tell_learnt(s, s->clause.at, (uint32_t)s->clause.count);
    return false;
}

static esse_lit polarity(struct esse_solver *s, uint32_t var)
{
    esse_lit lit = ESSE_LIT_NONE;
    if (s->all_wait)
        lit = s->theory->idle(s->theory_context, var);
    else if (s->theory && s->theory->phase)
        lit = s->theory->phase(s->theory_context, var);
    return lit != ESSE_LIT_NONE ? lit : esse_lit_of(var, !s->phase.at[var]);
}

/* Everything has a value: whether the theory accepts it.  False if there is no model. */
static bool ask_final(struct esse_solver *s, bool *accepted)
{
    struct esse_theory_clause clause;
    enum esse_theory_answer answer = ESSE_THEORY_ACCEPTS;
    if (s->theory && s->theory->final)
        answer = s->theory->final(s->theory_context, &clause);
    *accepted = answer == ESSE_THEORY_ACCEPTS;
    if (answer == ESSE_THEORY_CONFLICT)
        return learn(s, esse_solver_lemma(s, &clause));
    add_pending(s);
    return !s->broken;
}

enum { WORK_BETWEEN_LOOKS = 20000 }; /* well below a millisecond */

static bool budget_left(struct esse_solver *s)
{
    esse_guard_poll();
    if (!s->budget || s->stats.work - s->looked < WORK_BETWEEN_LOOKS)
        return true;
    s->looked = s->stats.work;
    s->budget->done = s->stats.conflicts;
    return esse_budget_check_now(s->budget);
}

static void tidy(struct esse_solver *s)
{
    if (restart_wanted(s))
        restart(s);
    if (s->stats.conflicts >= s->next_reduce) {
        s->next_reduce = s->stats.conflicts + FIRST_REDUCE + REDUCE_STEP * ++s->reductions;
        esse_solver_reduce(s);
    }
}

/* One step; UNKNOWN if there are more to come. */
static enum esse_solver_answer step(struct esse_solver *s)
{
    uint32_t conflict = esse_solver_propagate(s);
    s->stats.work++;
    if (conflict != NO_CLAUSE)
        return learn(s, conflict) ? ESSE_SOLVER_UNKNOWN : ESSE_SOLVER_UNSAT;
    tidy(s);
    if (level_now(s) < s->assumption_count)
        return assume(s) ? ESSE_SOLVER_UNKNOWN : ESSE_SOLVER_UNSAT;
    uint32_t var = esse_order_next(s);
    if (var == ORDER_LATER)
        return ESSE_SOLVER_UNKNOWN;
    if (var == ORDER_END) {
        bool accepted;
        if (!ask_final(s, &accepted))
            return ESSE_SOLVER_UNSAT;
        return accepted ? ESSE_SOLVER_SAT : ESSE_SOLVER_UNKNOWN;
    }
    s->stats.decisions++;
    decide(s, polarity(s, var));
    return ESSE_SOLVER_UNKNOWN;
}

enum esse_solver_answer esse_solver_solve(struct esse_solver *s, const esse_lit *assumptions,
                                          uint32_t count)
{
    enum esse_solver_answer answer = s->broken ? ESSE_SOLVER_UNSAT : ESSE_SOLVER_UNKNOWN;
    s->core.count = 0;
    s->assumptions = assumptions;
    s->assumption_count = count;
    esse_solver_backtrack(s, 0);
    s->searching = true;
    while (answer == ESSE_SOLVER_UNKNOWN && budget_left(s) &&
           (!s->limit || s->stats.conflicts < s->limit))
        answer = step(s);
    s->searching = false;
    if (answer != ESSE_SOLVER_SAT)
        esse_solver_backtrack(s, 0);
    return answer;
}
