#include "engine/polygraph/poly_state.h"

#include <string.h>

/*
 * A small refutation.  The clauses that the theory and the reads gave are unsatisfiable without any
 * graph; so which of them are needed is a question for a solver alone, with one more literal for
 * each clause that switches it on.
 */

enum {
    CORE_ROUNDS = 6,    /* in which only what the last proof needed is kept */
    CORE_SINGLES = 300, /* clauses that are tried one by one */
    /* Of a proof.  With the switches its clauses are long: a longer proof costs more than it was to
     * find, for a sixth of its clauses. */
    CORE_CONFLICTS = 2000,
};

struct core {
    struct poly *poly;
    uint32_t *kept; /* clauses */
    uint32_t count;
};

static void add_switched(struct esse_solver *solver, const struct poly *poly, uint32_t clause,
                         esse_lit on, struct esse_u32_vec *room)
{
    const struct poly_clause *c = &poly->proof.clauses.at[clause];
    room->count = 0;
    esse_u32_vec_push(room, poly->arena, esse_lit_not(on));
    for (uint32_t i = 0; i < c->lit_count; i++)
        esse_u32_vec_push(room, poly->arena, poly->proof.lits.at[c->lits + i]);
    esse_solver_add(solver, room->at, (uint32_t)room->count);
}

/* Keeps what a proof without clause 'but' needs; false if there is none, or no time. */
static bool shrink(struct core *core, uint32_t but)
{
    struct poly *poly = core->poly;
    struct esse_arena *arena = esse_arena_new();
    struct esse_solver *solver = esse_solver_new(arena, poly->budget);
    struct esse_u32_vec room = { 0 };
    const uint32_t choices = (uint32_t)poly->choices.count;
    esse_lit *on = esse_arena_array(arena, core->count + (size_t)1, *on);
    uint32_t switched = 0;
    esse_solver_limit(solver, CORE_CONFLICTS);
    for (uint32_t i = 0; i < choices + core->count; i++)
        esse_solver_var(solver, true, 0);
    for (uint32_t i = 0; i < core->count; i++) {
        if (i == but)
            continue;
        on[switched++] = esse_lit_of(choices + i, false);
        add_switched(solver, poly, core->kept[i], on[switched - 1], &room);
    }
    bool refuted = esse_solver_solve(solver, on, switched) == ESSE_SOLVER_UNSAT;
    uint32_t needed, kept = 0;
    const esse_lit *lits = esse_solver_core(solver, &needed);
    uint8_t *is_needed = esse_arena_alloc(arena, core->count + (size_t)1, 1);
    for (uint32_t i = 0; i < needed; i++)
        is_needed[esse_lit_var(lits[i]) - choices] = 1;
    for (uint32_t i = 0; refuted && i < core->count; i++)
        if (is_needed[i])
            core->kept[kept++] = core->kept[i];
    if (refuted)
        core->count = kept;
    esse_u32_vec_drop(&room, poly->arena);
    esse_arena_free(arena);
    return refuted;
}

static void shrink_one_by_one(struct core *core)
{
    for (uint32_t i = 0; core->count <= CORE_SINGLES && i < core->count;)
        if (!shrink(core, i)) {
            if (esse_budget_spent(core->poly->budget))
                return;
            i++;
        }
}

void poly_shrink_proof(struct poly *poly)
{
    struct poly_clause_vec *clauses = &poly->proof.clauses;
    struct core core = { .poly = poly, .count = (uint32_t)clauses->count };
    core.kept = esse_arena_array(poly->arena, core.count + (size_t)1, *core.kept);
    for (uint32_t i = 0; i < core.count; i++)
        core.kept[i] = i;
    esse_budget_phase(poly->budget, "making the refutation small", 0);
    esse_budget_begin_part(poly->budget);
    for (uint32_t round = 0; round < CORE_ROUNDS; round++) {
        uint32_t before = core.count;
        if (!shrink(&core, UINT32_MAX) || core.count * (uint64_t)20 > before * (uint64_t)19)
            break;
    }
    shrink_one_by_one(&core);
    esse_budget_end_part(poly->budget);
    for (uint32_t i = 0; i < core.count; i++)
        clauses->at[i] = clauses->at[core.kept[i]];
    clauses->count = core.count;
    esse_arena_drop(poly->arena, core.kept);
}
