#include "sat/solver_state.h"

void esse_solver_assign(struct esse_solver *s, esse_lit lit, uint32_t reason)
{
    s->value.at[lit] = 1;
    s->value.at[esse_lit_not(lit)] = -1;
    s->facts.at[esse_lit_var(lit)] = (struct var_fact){ level_now(s), reason };
    esse_u32_vec_push(&s->trail, s->arena, lit);
}

/* After going back: literals that belong to the levels that are left are put on again. */
static void assign_early(struct esse_solver *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->early.count; i++) {
        esse_lit lit = s->early.at[i];
        struct var_fact fact = s->facts.at[esse_lit_var(lit)];
        if (fact.level > level_now(s))
            continue;
        if (s->value.at[lit] == 0)
            esse_solver_assign(s, lit, fact.reason);
        s->facts.at[esse_lit_var(lit)] = fact;
        if (fact.level < level_now(s))
            s->early.at[kept++] = lit;
    }
    s->early.count = kept;
}

void esse_solver_backtrack(struct esse_solver *s, uint32_t level)
{
    if (level_now(s) <= level)
        return;
    uint32_t length = s->levels.at[level];
    for (size_t i = s->trail.count; i-- > length;) {
        esse_lit lit = s->trail.at[i];
        uint32_t var = esse_lit_var(lit);
        s->value.at[lit] = s->value.at[esse_lit_not(lit)] = 0;
        s->phase.at[var] = !esse_lit_negated(lit);
        esse_order_return(s, var);
    }
    esse_order_restart(s);
    s->trail.count = length;
    s->levels.count = level;
    s->head = length;
    if (s->theory && s->theory_head > length) {
        s->theory_head = length;
        s->theory->backtrack(s->theory_context, length);
    }
    if (s->early.count)
        assign_early(s);
}

/* Looks for another literal to watch in place of 'lit', which is false.  The other watched one goes
 * first. */
static bool move_watch(struct esse_solver *s, struct clause *clause, esse_lit lit, struct watch new)
{
    if (clause->lits[0] == lit) {
        clause->lits[0] = clause->lits[1];
        clause->lits[1] = lit;
    }
    for (uint32_t i = 2; i < clause->size; i++)
        if (s->value.at[clause->lits[i]] >= 0) {
            clause->lits[1] = clause->lits[i];
            clause->lits[i] = lit;
            new.blocker = clause->lits[0];
            watch_vec_push(&s->watches.at[clause->lits[1]], s->arena, new);
            return true;
        }
    return false;
}

/* 'lit' has become false. */
static uint32_t visit_watches(struct esse_solver *s, esse_lit lit)
{
    struct watch_vec *watches = &s->watches.at[lit];
    uint32_t conflict = NO_CLAUSE;
    s->stats.work += watches->count + 1;
    if (!watches->count)
        return conflict; /* perhaps there never was one, and no array */
    struct watch *keep = watches->at, *end = keep + watches->count;
    for (struct watch *at = keep; at < end; at++) {
        struct watch watch = *keep++ = *at;
        if (s->value.at[watch.blocker] > 0)
            continue;
        esse_lit first = watch.blocker;
        if (!(watch.clause_binary & 1)) {
            struct clause *clause = clause_at(s, watch.clause_binary >> 1);
            first = clause->lits[clause->lits[0] == lit];
            keep[-1].blocker = first;
            if (s->value.at[first] > 0)
                continue;
            if (move_watch(s, clause, lit, watch)) {
                keep--;
                continue;
            }
        }
        if (s->value.at[first] == 0) {
            esse_solver_assign(s, first, watch.clause_binary >> 1);
            continue;
        }
        conflict = watch.clause_binary >> 1;
        while (++at < end)
            *keep++ = *at;
    }
    watches->count = (size_t)(keep - watches->at);
    return conflict;
}

static uint32_t propagate_clauses(struct esse_solver *s)
{
    while (s->head < s->trail.count) {
        esse_lit lit = s->trail.at[s->head++];
        s->stats.propagations++;
        uint32_t conflict = visit_watches(s, esse_lit_not(lit));
        if (conflict != NO_CLAUSE)
            return conflict;
    }
    return NO_CLAUSE;
}

/* Literals without a decision are never analysed, so a proof must have their reasons at once. */
static void take_implied(struct esse_solver *s, esse_lit lit)
{
    if (s->value.at[lit])
        return;
    s->stats.implied++;
    if (s->proof && level_now(s) == 0) {
        struct esse_theory_clause reason;
        s->theory->explain(s->theory_context, lit, &reason);
        esse_solver_assign(s, lit, esse_solver_lemma(s, &reason));
    } else {
        esse_solver_assign(s, lit, THEORY_SAYS);
    }
}

/* True if the clauses have to look again. */
static bool ask_theory(struct esse_solver *s)
{
    const esse_lit *lits;
    size_t before = s->trail.count;
    uint32_t count = s->theory->propagate(s->theory_context, &lits);
    for (uint32_t i = 0; i < count; i++)
        take_implied(s, lits[i]);
    return s->trail.count > before;
}

uint32_t esse_solver_propagate(struct esse_solver *s)
{
    do {
        uint32_t conflict = propagate_clauses(s);
        if (conflict != NO_CLAUSE || !s->theory)
            return conflict;
        struct esse_theory_clause clause;
        while (s->theory_head < s->trail.count)
            if (!s->theory->assign(s->theory_context, s->trail.at[s->theory_head++], &clause))
                return esse_solver_lemma(s, &clause);
    } while (ask_theory(s));
    return NO_CLAUSE;
}
