#include "sat/solver_state.h"

/* s->seen of a variable while a conflict is analysed. */
enum { UNSEEN, IN_CLAUSE, REDUNDANT, NEEDED };

/* The clause that made 'var' what it is.  A theory explains only what is asked for. */
static uint32_t reason_of(struct esse_solver *s, uint32_t var)
{
    struct var_fact *fact = &s->facts.at[var];
    if (fact->reason == THEORY_SAYS) {
        struct esse_theory_clause clause;
        esse_lit lit = esse_lit_of(var, s->value.at[2 * var] < 0);
        s->theory->explain(s->theory_context, lit, &clause);
        fact->reason = esse_solver_lemma(s, &clause);
    }
    return fact->reason;
}

static uint32_t count_levels(struct esse_solver *s, const esse_lit *lits, uint32_t count)
{
    uint32_t levels = 0;
    while (s->level_seen.count <= level_now(s))
        byte_vec_push(&s->level_seen, s->arena, 0);
    for (uint32_t i = 0; i < count; i++) {
        int8_t *seen = &s->level_seen.at[level_of(s, lits[i])];
        levels += !*seen;
        *seen = 1;
    }
    for (uint32_t i = 0; i < count; i++)
        s->level_seen.at[level_of(s, lits[i])] = 0;
    return levels;
}

static void mark(struct esse_solver *s, uint32_t var, int8_t as)
{
    s->seen.at[var] = as;
    esse_u32_vec_push(&s->clear, s->arena, var);
}

static void clear_marks(struct esse_solver *s)
{
    for (size_t i = 0; i < s->clear.count; i++)
        s->seen.at[s->clear.at[i]] = UNSEEN;
    s->clear.count = 0;
}

/* Resolves with a clause: its literals below the level of the conflict join the learnt clause.
 * Returns how many of that level are new. */
static uint32_t resolve(struct esse_solver *s, uint32_t ref, uint32_t level)
{
    struct clause *clause = clause_at(s, ref);
    uint32_t open = 0;
    if (clause->learnt) {
        clause->used = true;
        uint32_t lbd = clause->lbd > 2 ? count_levels(s, clause->lits, clause->size) : 2;
        clause->lbd = lbd < clause->lbd ? lbd : clause->lbd;
    }
    for (uint32_t i = 0; i < clause->size; i++) {
        esse_lit lit = clause->lits[i];
        uint32_t var = esse_lit_var(lit);
        if (s->seen.at[var] || level_of(s, lit) == 0)
            continue;
        mark(s, var, IN_CLAUSE);
        esse_order_bump(s, var);
        if (level_of(s, lit) == level)
            open++;
        else
            esse_u32_vec_push(&s->clause, s->arena, lit);
    }
    return open;
}

/* The first literal of the conflict's level that every path from the decision goes through.
 * Literals of lower levels may lie among those of the conflict's. */
static esse_lit first_uip(struct esse_solver *s, uint32_t conflict, uint32_t level)
{
    size_t at = s->trail.count;
    uint32_t open = resolve(s, conflict, level);
    for (;;) {
        do
            at--;
        while (!s->seen.at[esse_lit_var(s->trail.at[at])] || level_of(s, s->trail.at[at]) != level);
        esse_lit lit = s->trail.at[at];
        if (--open == 0)
            return lit;
        open += resolve(s, reason_of(s, esse_lit_var(lit)), level);
    }
}

/* ---- making the clause smaller ---- */

/* Whether every literal of the reason of 'var' is in the clause or known to follow from it; puts
 * the first that is undecided on the stack. */
static int8_t look_at_reason(struct esse_solver *s, uint32_t var, uint32_t *undecided)
{
    const struct clause *reason = clause_at(s, s->facts.at[var].reason);
    for (uint32_t i = 0; i < reason->size; i++) {
        uint32_t other = esse_lit_var(reason->lits[i]);
        const struct var_fact *fact = &s->facts.at[other];
        int8_t seen = s->seen.at[other];
        if (other == var || fact->level == 0 || seen == IN_CLAUSE || seen == REDUNDANT)
            continue;
        if (seen == NEEDED || fact->reason >= THEORY_SAYS || !s->level_seen.at[fact->level])
            return NEEDED;
        *undecided = other;
        return UNSEEN;
    }
    return REDUNDANT;
}

/* Whether 'var' follows from the rest of the clause by reasons that are known: the theory is not
 * asked for new ones. */
static bool follows(struct esse_solver *s, uint32_t var)
{
    uint32_t start = var;
    if (s->facts.at[var].reason >= THEORY_SAYS)
        return false;
    s->stack.count = 0;
    esse_u32_vec_push(&s->stack, s->arena, var);
    while (s->stack.count) {
        uint32_t top = s->stack.at[s->stack.count - 1], next = 0;
        int8_t seen = look_at_reason(s, top, &next);
        if (seen == UNSEEN) {
            esse_u32_vec_push(&s->stack, s->arena, next);
            continue;
        }
        s->stack.count--;
        if (top == start)
            return seen == REDUNDANT;
        mark(s, top, seen);
    }
    return false;
}

static void minimise(struct esse_solver *s)
{
    size_t kept = 1;
    for (size_t i = 0; i < s->clause.count; i++)
        s->level_seen.at[level_of(s, s->clause.at[i])] = 1;
    for (size_t i = 1; i < s->clause.count; i++)
        if (!follows(s, esse_lit_var(s->clause.at[i])))
            s->clause.at[kept++] = s->clause.at[i];
    s->clause.count = kept;
    for (size_t i = 0; i < s->clear.count; i++)
        s->level_seen.at[s->facts.at[s->clear.at[i]].level] = 0;
}

static uint32_t highest_level(struct esse_solver *s, const esse_lit *lits, uint32_t count)
{
    uint32_t level = 0;
    for (uint32_t i = 0; i < count; i++)
        level = level_of(s, lits[i]) > level ? level_of(s, lits[i]) : level;
    return level;
}

/* The level to go back to; a literal of it goes second, to be watched. */
static uint32_t second_level(struct esse_solver *s)
{
    uint32_t best = 1;
    if (s->clause.count == 1)
        return 0;
    for (uint32_t i = 2; i < s->clause.count; i++)
        if (level_of(s, s->clause.at[i]) > level_of(s, s->clause.at[best]))
            best = i;
    esse_lit lit = s->clause.at[best];
    s->clause.at[best] = s->clause.at[1];
    s->clause.at[1] = lit;
    return level_of(s, lit);
}

struct learning esse_solver_analyse(struct esse_solver *s, uint32_t conflict)
{
    const struct clause *clause = clause_at(s, conflict);
    uint32_t level = highest_level(s, clause->lits, clause->size);
    s->clause.count = 0;
    if (level == 0)
        return (struct learning){ 0 };
    esse_solver_backtrack(s, level); /* a theory may have found an old conflict */
    esse_u32_vec_push(&s->clause, s->arena, ESSE_LIT_NONE);
    s->clause.at[0] = esse_lit_not(first_uip(s, conflict, level));
    uint32_t lbd = count_levels(s, s->clause.at, (uint32_t)s->clause.count);
    minimise(s);
    clear_marks(s);
    esse_order_decay(s);
    return (struct learning){ second_level(s), lbd };
}

/* ---- which assumptions failed ---- */

/* 'failed' is an assumption that is false: which others made it so?  Leaves them and itself in
 * s->core. */
void esse_solver_analyse_core(struct esse_solver *s, esse_lit failed)
{
    s->core.count = 0;
    esse_u32_vec_push(&s->core, s->arena, failed);
    if (level_of(s, failed) == 0)
        return;
    mark(s, esse_lit_var(failed), IN_CLAUSE);
    for (size_t at = s->trail.count; at-- > s->levels.at[0];) {
        esse_lit lit = s->trail.at[at];
        uint32_t var = esse_lit_var(lit);
        if (!s->seen.at[var])
            continue;
        if (s->facts.at[var].reason == NO_CLAUSE) {
            esse_u32_vec_push(&s->core, s->arena, lit);
            continue;
        }
        const struct clause *reason = clause_at(s, reason_of(s, var));
        for (uint32_t i = 0; i < reason->size; i++)
            if (level_of(s, reason->lits[i]) > 0 && !s->seen.at[esse_lit_var(reason->lits[i])])
                mark(s, esse_lit_var(reason->lits[i]), IN_CLAUSE);
    }
    clear_marks(s);
}
