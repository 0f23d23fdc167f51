#include "sat/solver_state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

uint32_t esse_solver_store(struct esse_solver *s, const esse_lit *lits, uint32_t count)
{
    size_t ref = s->words.count;
    assert(ref + count < (uint32_t)1 << 31);
    esse_u32_vec_extend(&s->words, s->arena, CLAUSE_HEAD + (size_t)count);
    struct clause *clause = clause_at(s, (uint32_t)ref);
    *clause = (struct clause){ .size = count };
    memcpy(clause->lits, lits, count * sizeof *lits);
    return (uint32_t)ref;
}

void esse_solver_watch(struct esse_solver *s, uint32_t ref)
{
    const struct clause *clause = clause_at(s, ref);
    uint32_t tagged = 2 * ref + (clause->size == 2);
    for (int i = 0; i < 2; i++)
        watch_vec_push(&s->watches.at[clause->lits[i]], s->arena,
                       (struct watch){ tagged, clause->lits[1 - i] });
}

uint32_t esse_solver_lemma(struct esse_solver *s, const struct esse_theory_clause *lemma)
{
    uint32_t ref = esse_solver_store(s, lemma->lits, lemma->count);
    clause_at(s, ref)->lemma = true;
    esse_u32_vec_push(&s->lemmas, s->arena, ref);
    s->stats.lemmas++;
    if (s->proof)
        s->proof->lemma(s->proof->context, lemma);
    return ref;
}

/* ---- deleting ---- */

static bool is_reason(const struct esse_solver *s, uint32_t ref)
{
    const struct clause *clause = clause_at(s, ref);
    for (uint32_t i = 0; i < clause->size && i < (clause->lemma ? clause->size : 2); i++)
        if (s->value.at[clause->lits[i]] > 0 &&
            s->facts.at[esse_lit_var(clause->lits[i])].reason == ref)
            return true;
    return false;
}

static void delete_clause(struct esse_solver *s, uint32_t ref)
{
    struct clause *clause = clause_at(s, ref);
    clause->dead = true;
    s->stats.deleted++;
    if (s->proof)
        s->proof->deleted(s->proof->context, clause->lits, clause->size);
}

/* Worst first: many levels, then long, then old. */
static int worse(const void *a, const void *b, void *context)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const struct clause *c = clause_at(context, x), *d = clause_at(context, y);
    if (c->lbd != d->lbd)
        return c->lbd > d->lbd ? -1 : 1;
    if (c->size != d->size)
        return c->size > d->size ? -1 : 1;
    return x < y ? -1 : x > y;
}

enum { LBD_KEPT = 2, LBD_SPARED = 6 }; /* for good; if used since the last reduction */

static bool may_go(const struct esse_solver *s, uint32_t ref)
{
    const struct clause *clause = clause_at(s, ref);
    if (clause->lbd <= LBD_KEPT || (clause->used && clause->lbd <= LBD_SPARED))
        return false;
    return !is_reason(s, ref);
}

/* Half of the learnt clauses that may go. */
static void choose_victims(struct esse_solver *s)
{
    s->stack.count = 0;
    for (size_t i = 0; i < s->learnt.count; i++) {
        uint32_t ref = s->learnt.at[i];
        if (may_go(s, ref))
            esse_u32_vec_push(&s->stack, s->arena, ref);
        clause_at(s, ref)->used = false;
    }
    if (s->stack.count)
        qsort_r(s->stack.at, s->stack.count, sizeof *s->stack.at, worse, s);
    for (size_t i = 0; i < s->stack.count / 2; i++)
        delete_clause(s, s->stack.at[i]);
    for (size_t i = 0; i < s->lemmas.count; i++)
        if (!is_reason(s, s->lemmas.at[i]))
            delete_clause(s, s->lemmas.at[i]);
}

static const struct clause *old_clause(const struct esse_u32_vec *old, uint32_t ref)
{
    return (const struct clause *)(old->at + ref);
}

/* Copies the clauses that live to new words; the old heads' size becomes the new reference. */
static struct esse_u32_vec copy_living(struct esse_solver *s)
{
    struct esse_u32_vec old = s->words;
    s->words = (struct esse_u32_vec){ 0 };
    for (size_t at = 0; at < old.count;) {
        struct clause *clause = (struct clause *)(old.at + at);
        uint32_t words = CLAUSE_HEAD + clause->size;
        if (!clause->dead) {
            size_t ref = s->words.count;
            memcpy(esse_u32_vec_extend(&s->words, s->arena, words), clause,
                   words * sizeof(uint32_t));
            clause->size = (uint32_t)ref;
        }
        at += words;
    }
    return old;
}

static void renew_list(struct esse_u32_vec *refs, const struct esse_u32_vec *old)
{
    size_t kept = 0;
    for (size_t i = 0; i < refs->count; i++)
        if (!old_clause(old, refs->at[i])->dead)
            refs->at[kept++] = old_clause(old, refs->at[i])->size;
    refs->count = kept;
}

static void renew_watches(struct watch_vec *watches, const struct esse_u32_vec *old)
{
    size_t kept = 0;
    for (size_t i = 0; i < watches->count; i++) {
        struct watch watch = watches->at[i];
        const struct clause *clause = old_clause(old, watch.clause_binary >> 1);
        if (clause->dead)
            continue;
        watch.clause_binary = 2 * clause->size + (watch.clause_binary & 1);
        watches->at[kept++] = watch;
    }
    watches->count = kept;
}

static void compact(struct esse_solver *s)
{
    struct esse_u32_vec old = copy_living(s);
    for (size_t i = 0; i < s->trail.count; i++) {
        uint32_t *reason = &s->facts.at[esse_lit_var(s->trail.at[i])].reason;
        if (*reason < THEORY_SAYS)
            *reason = old_clause(&old, *reason)->size;
    }
    renew_list(&s->learnt, &old);
    renew_list(&s->lemmas, &old);
    for (size_t lit = 0; lit < s->watches.count; lit++)
        renew_watches(&s->watches.at[lit], &old);
    esse_u32_vec_drop(&old, s->arena);
}

void esse_solver_reduce(struct esse_solver *s)
{
    choose_victims(s);
    compact(s);
}
