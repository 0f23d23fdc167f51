#ifndef ESSE_TESTS_UNIT_SAT_PROOF_H
#define ESSE_TESTS_UNIT_SAT_PROOF_H

/* For tests of sat/: formulas that are kept beside the solver, brute force over all assignments,
 * and the solver's proof, recorded step by step and replayed through evidence/rup. */

#include "base/vec.h"
#include "evidence/rup.h"
#include "sat/solver.h"
#include "test.h"

ESSE_VEC(lit_vec, esse_lit)
ESSE_VEC(cycle_edge_vec, struct esse_guarded_edge)

enum step_kind { STEP_GIVEN, STEP_LEARNT, STEP_LEMMA, STEP_DELETED };

struct step {
    enum step_kind kind;
    uint32_t first, count;      /* of lits */
    uint32_t cycle, cycle_size; /* of edges */
};
ESSE_VEC(step_vec, struct step)

struct recorded {
    struct esse_arena *arena;
    struct step_vec steps;
    struct lit_vec lits;
    struct cycle_edge_vec edges;
    struct esse_proof sink;
};

static void record_step(struct recorded *r, enum step_kind kind, const esse_lit *lits,
                        uint32_t count)
{
    struct step step = { kind, (uint32_t)r->lits.count, count, (uint32_t)r->edges.count, 0 };
    for (uint32_t i = 0; i < count; i++)
        lit_vec_push(&r->lits, r->arena, lits[i]);
    step_vec_push(&r->steps, r->arena, step);
}

static void record_learnt(void *context, const esse_lit *lits, uint32_t count)
{
    record_step(context, STEP_LEARNT, lits, count);
}

static void record_deleted(void *context, const esse_lit *lits, uint32_t count)
{
    record_step(context, STEP_DELETED, lits, count);
}

static void record_lemma(void *context, const struct esse_theory_clause *lemma)
{
    struct recorded *r = context;
    record_step(r, STEP_LEMMA, lemma->lits, lemma->count);
    for (uint32_t i = 0; i < lemma->edges; i++)
        cycle_edge_vec_push(&r->edges, r->arena, lemma->cycle[i]);
    r->steps.at[r->steps.count - 1].cycle_size = lemma->edges;
}

static inline void record_from(struct recorded *r, struct esse_arena *arena,
                               struct esse_solver *solver)
{
    *r = (struct recorded){ .arena = arena };
    r->sink = (struct esse_proof){ r, record_learnt, record_lemma, record_deleted };
    esse_solver_prove(solver, &r->sink);
}

/* Adds a clause to the solver and the record. */
static inline void give(struct recorded *r, struct esse_solver *solver, const esse_lit *lits,
                        uint32_t count)
{
    record_step(r, STEP_GIVEN, lits, count);
    esse_solver_add(solver, lits, count);
}

static inline bool has_all(const esse_lit *lits, uint32_t count, const esse_lit *of,
                           uint32_t of_count)
{
    for (uint32_t i = 0; i < of_count; i++) {
        uint32_t at = 0;
        while (at < count && lits[at] != of[i])
            at++;
        if (at == count)
            return false;
    }
    return true;
}

/* Forgets a clause that came before step 'at' and has its literals; false if there is none. */
static inline bool forget(const struct recorded *r, bool *gone, uint32_t at)
{
    const struct step deleted = r->steps.at[at];
    const esse_lit *lits = r->lits.at + deleted.first;
    for (uint32_t i = at; i-- > 0;) {
        const struct step *step = &r->steps.at[i];
        const esse_lit *others = r->lits.at + step->first;
        if (step->kind != STEP_DELETED && !gone[i] &&
            has_all(lits, deleted.count, others, step->count) &&
            has_all(others, step->count, lits, deleted.count))
            return gone[i] = true;
    }
    return false;
}

/* Replays steps; false at the first that does not follow, or that deletes what is not there.
 * 'skip' is left out: UINT32_MAX none. */
static inline bool replay(const struct recorded *r, struct esse_rup *rup, uint32_t skip)
{
    bool *gone = esse_arena_alloc(r->arena, r->steps.count + 1, sizeof *gone);
    for (uint32_t i = 0; i < r->steps.count; i++) {
        const struct step step = r->steps.at[i];
        const esse_lit *lits = r->lits.count ? r->lits.at + step.first : NULL;
        gone[i] = i == skip;
        if (i == skip)
            continue;
        if (step.kind == STEP_LEARNT && !esse_rup_implied(rup, lits, step.count))
            return false;
        if (step.kind == STEP_DELETED && !forget(r, gone, i))
            return false;
        if (step.kind == STEP_GIVEN || step.kind == STEP_LEMMA)
            esse_rup_add(rup, lits, step.count);
    }
    return true;
}

/* Do the clauses contradict each other by unit propagation? */
static inline bool refuted(struct esse_rup *rup)
{
    return esse_rup_implied(rup, NULL, 0);
}

/* Bit v of 'model' is the value of variable v. */
static inline bool lit_holds(esse_lit lit, uint32_t model)
{
    return (model >> esse_lit_var(lit) & 1) != (lit & 1);
}

static inline bool clause_holds(const esse_lit *lits, uint32_t count, uint32_t model)
{
    for (uint32_t i = 0; i < count; i++)
        if (lit_holds(lits[i], model))
            return true;
    return false;
}

/* Whether the clauses that were given hold. */
static inline bool given_hold(const struct recorded *r, uint32_t model)
{
    for (size_t i = 0; i < r->steps.count; i++) {
        struct step step = r->steps.at[i];
        if (step.kind == STEP_GIVEN && !clause_holds(r->lits.at + step.first, step.count, model))
            return false;
    }
    return true;
}

#endif
