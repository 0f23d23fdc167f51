#include "sat_proof.h"

/* ---- random small formulas against brute force ---- */

/* Some variables that nothing is said about, decided first: conflicts come deep, and the solver
 * does not go back all the way. */
static uint32_t add_padding(struct esse_solver *solver, uint32_t vars, bool deep)
{
    for (uint32_t v = 0; v < vars; v++)
        esse_solver_var(solver, v & 1, v % 3);
    for (uint32_t i = 0; deep && i < 150; i++)
        esse_solver_var(solver, true, 10);
    return vars;
}

static void give_random(struct recorded *r, struct esse_solver *solver, struct esse_rng *rng,
                        uint32_t vars)
{
    esse_lit lits[5];
    uint32_t count = 1 + esse_rng_below(rng, 4);
    if (count == 1 && esse_rng_below(rng, 4))
        count = 3;
    for (uint32_t i = 0; i < count; i++)
        lits[i] = esse_rng_below(rng, 2 * vars);
    give(r, solver, lits, count);
}

static bool has_model(const struct recorded *r, uint32_t vars, const esse_lit *assumed,
                      uint32_t count)
{
    for (uint32_t model = 0; model < 1u << vars; model++) {
        bool holds = given_hold(r, model);
        for (uint32_t i = 0; i < count && holds; i++)
            holds = lit_holds(assumed[i], model);
        if (holds)
            return true;
    }
    return false;
}

static uint32_t model_of(const struct esse_solver *solver, uint32_t vars)
{
    uint32_t model = 0;
    for (uint32_t v = 0; v < vars; v++)
        model |= (uint32_t)esse_solver_value(solver, 2 * v) << v;
    return model;
}

static void check_core(const struct recorded *r, const struct esse_solver *solver, uint32_t vars,
                       const esse_lit *assumed, uint32_t count)
{
    uint32_t size;
    const esse_lit *core = esse_solver_core(solver, &size);
    for (uint32_t i = 0; i < size; i++) {
        bool given = false;
        for (uint32_t j = 0; j < count; j++)
            given |= assumed[j] == core[i];
        CHECK(given);
    }
    CHECK(!has_model(r, vars, core, size));
}

/* The proof so far is accepted; what it ends with is that the core fails. */
static void check_proof(const struct recorded *r, const struct esse_solver *solver)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_rup *rup = esse_rup_new(arena);
    uint32_t size;
    const esse_lit *core = esse_solver_core(solver, &size);
    CHECK(replay(r, rup, UINT32_MAX));
    CHECK(size || refuted(rup));
    struct step last = r->steps.at[r->steps.count - 1];
    CHECK(!size || (last.kind == STEP_LEARNT && last.count == size));
    for (uint32_t i = 0; i < size; i++)
        CHECK_EQ(r->lits.at[last.first + i], esse_lit_not(core[i]));
    esse_arena_free(arena);
}

static void solve_and_check(const struct recorded *r, struct esse_solver *solver, uint32_t vars,
                            const esse_lit *assumed, uint32_t count)
{
    enum esse_solver_answer answer = esse_solver_solve(solver, assumed, count);
    CHECK_EQ(answer, has_model(r, vars, assumed, count) ? ESSE_SOLVER_SAT : ESSE_SOLVER_UNSAT);
    if (answer == ESSE_SOLVER_SAT) {
        uint32_t model = model_of(solver, vars);
        CHECK(given_hold(r, model));
        for (uint32_t i = 0; i < count; i++)
            CHECK(lit_holds(assumed[i], model));
    } else {
        check_core(r, solver, vars, assumed, count);
        check_proof(r, solver);
    }
}

/* Clauses are added in four portions, with and without assumptions in between. */
static void one_formula(struct esse_rng *rng, bool deep)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_solver *solver = esse_solver_new(arena, NULL);
    struct recorded r;
    record_from(&r, arena, solver);
    uint32_t vars = add_padding(solver, 3 + esse_rng_below(rng, 8), deep);
    for (int portion = 0; portion < 4; portion++) {
        for (uint32_t n = esse_rng_below(rng, 2 * vars); n > 0; n--)
            give_random(&r, solver, rng, vars);
        esse_lit assumed[4];
        uint32_t count = esse_rng_below(rng, 5);
        for (uint32_t i = 0; i < count; i++)
            assumed[i] = esse_rng_below(rng, 2 * vars);
        solve_and_check(&r, solver, vars, assumed, count);
        solve_and_check(&r, solver, vars, NULL, 0);
    }
    esse_arena_free(arena);
}

TEST(test_solver__agrees_with_brute_force)
{
    struct esse_rng rng = { 1 };
    for (unsigned round = 0; round < test_rounds(3000); round++)
        one_formula(&rng, false);
}

TEST(test_solver__agrees_with_brute_force_when_conflicts_are_deep)
{
    struct esse_rng rng = { 2 };
    for (unsigned round = 0; round < test_rounds(1000); round++)
        one_formula(&rng, true);
}

/* ---- known instances ---- */

static enum esse_solver_answer solve_proved(struct recorded *r, struct esse_solver *solver)
{
    enum esse_solver_answer answer = esse_solver_solve(solver, NULL, 0);
    if (answer == ESSE_SOLVER_UNSAT)
        check_proof(r, solver);
    return answer;
}

static void at_most_one(struct recorded *r, struct esse_solver *solver, const esse_lit *lits,
                        uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < i; j++)
            give(r, solver, (esse_lit[]){ lits[i] ^ 1, lits[j] ^ 1 }, 2);
}

/* Pigeons in holes, one each. */
static void give_pigeons(struct recorded *r, struct esse_solver *solver, uint32_t pigeons,
                         uint32_t holes)
{
    esse_lit lits[16];
    for (uint32_t v = 0; v < pigeons * holes; v++)
        esse_solver_var(solver, false, 0);
    for (uint32_t p = 0; p < pigeons; p++) {
        for (uint32_t h = 0; h < holes; h++)
            lits[h] = 2 * (p * holes + h);
        give(r, solver, lits, holes);
    }
    for (uint32_t h = 0; h < holes; h++) {
        for (uint32_t p = 0; p < pigeons; p++)
            lits[p] = 2 * (p * holes + h);
        at_most_one(r, solver, lits, pigeons);
    }
}

TEST(test_solver__pigeons_need_holes)
{
    for (uint32_t holes = 4; holes <= 7; holes++)
        for (uint32_t pigeons = holes; pigeons <= holes + 1; pigeons++) {
            struct esse_arena *arena = esse_arena_new();
            struct esse_solver *solver = esse_solver_new(arena, NULL);
            struct recorded r;
            record_from(&r, arena, solver);
            give_pigeons(&r, solver, pigeons, holes);
            CHECK_EQ(solve_proved(&r, solver),
                     pigeons > holes ? ESSE_SOLVER_UNSAT : ESSE_SOLVER_SAT);
            esse_arena_free(arena);
        }
}

/* The sum of three variables is 'odd' or not. */
static void give_parity(struct recorded *r, struct esse_solver *solver, const uint32_t vars[3],
                        bool odd)
{
    for (uint32_t signs = 0; signs < 8; signs++) {
        if ((__builtin_popcount(signs) & 1) == odd)
            continue;
        esse_lit lits[3];
        for (uint32_t i = 0; i < 3; i++)
            lits[i] = 2 * vars[i] + (signs >> i & 1);
        give(r, solver, lits, 3);
    }
}

/* Tseitin's formulas on a ladder with crossed ends: every node has three edges, and the sums of the
 * edges around the nodes are even but for 'odd' nodes.  Each edge counts twice. */
TEST(test_solver__parity_round_a_graph)
{
    enum { RUNGS = 9 };
    for (uint32_t odd = 0; odd < 4; odd++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_solver *solver = esse_solver_new(arena, NULL);
        struct recorded r;
        record_from(&r, arena, solver);
        for (uint32_t v = 0; v < 3 * RUNGS; v++)
            esse_solver_var(solver, v & 1, 0);
        /* node n: edge n to its successor in the ring of 2 * RUNGS, its rung */
        for (uint32_t n = 0; n < 2 * RUNGS; n++) {
            uint32_t before = (n + 2 * RUNGS - 1) % (2 * RUNGS);
            give_parity(&r, solver, (uint32_t[]){ n, before, 2 * RUNGS + n % RUNGS }, n < odd);
        }
        CHECK_EQ(solve_proved(&r, solver), odd & 1 ? ESSE_SOLVER_UNSAT : ESSE_SOLVER_SAT);
        esse_arena_free(arena);
    }
}

static enum esse_solver_answer colour(uint32_t nodes, const uint32_t (*edges)[2], size_t count,
                                      uint32_t colours)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_solver *solver = esse_solver_new(arena, NULL);
    struct recorded r;
    esse_lit lits[8];
    record_from(&r, arena, solver);
    for (uint32_t v = 0; v < nodes * colours; v++)
        esse_solver_var(solver, false, 0);
    for (uint32_t n = 0; n < nodes; n++) {
        for (uint32_t c = 0; c < colours; c++)
            lits[c] = 2 * (n * colours + c);
        give(&r, solver, lits, colours);
    }
    for (size_t e = 0; e < count; e++)
        for (uint32_t c = 0; c < colours; c++)
            give(&r, solver,
                 (esse_lit[]){ 2 * (edges[e][0] * colours + c) + 1,
                               2 * (edges[e][1] * colours + c) + 1 },
                 2);
    enum esse_solver_answer answer = solve_proved(&r, solver);
    esse_arena_free(arena);
    return answer;
}

TEST(test_solver__colours_graphs)
{
    uint32_t petersen[15][2], groetzsch[20][2];
    for (uint32_t i = 0; i < 5; i++) {
        memcpy(petersen[3 * i], (uint32_t[]){ i, (i + 1) % 5 }, 8);
        memcpy(petersen[3 * i + 1], (uint32_t[]){ i, i + 5 }, 8);
        memcpy(petersen[3 * i + 2], (uint32_t[]){ i + 5, (i + 2) % 5 + 5 }, 8);
        /* a ring, its shadow, and a node that sees the shadow */
        memcpy(groetzsch[4 * i], (uint32_t[]){ i, (i + 1) % 5 }, 8);
        memcpy(groetzsch[4 * i + 1], (uint32_t[]){ i + 5, (i + 1) % 5 }, 8);
        memcpy(groetzsch[4 * i + 2], (uint32_t[]){ i + 5, (i + 4) % 5 }, 8);
        memcpy(groetzsch[4 * i + 3], (uint32_t[]){ i + 5, 10 }, 8);
    }
    CHECK_EQ(colour(10, petersen, 15, 2), ESSE_SOLVER_UNSAT);
    CHECK_EQ(colour(10, petersen, 15, 3), ESSE_SOLVER_SAT);
    CHECK_EQ(colour(11, groetzsch, 20, 3), ESSE_SOLVER_UNSAT);
    CHECK_EQ(colour(11, groetzsch, 20, 4), ESSE_SOLVER_SAT);
}

/* ---- budgets, equal runs ---- */

TEST(test_solver__a_spent_budget_is_unknown_and_solving_goes_on)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_budget budget = { .seconds = 0.02 };
    struct esse_solver *solver = esse_solver_new(arena, &budget);
    struct recorded r;
    record_from(&r, arena, solver);
    give_pigeons(&r, solver, 11, 11);
    esse_lit lits[12], stays = 2 * esse_solver_var(solver, false, 0);
    for (uint32_t h = 0; h < 11; h++) {
        lits[h] = 2 * esse_solver_var(solver, false, 0);
        for (uint32_t p = 0; p < 11; p++)
            give(&r, solver, (esse_lit[]){ lits[h] ^ 1, 2 * (p * 11 + h) + 1 }, 2);
    }
    lits[11] = stays;
    give(&r, solver, lits, 12); /* one more pigeon, unless it stays at home */
    esse_budget_start(&budget);
    double start = esse_clock_seconds();
    CHECK_EQ(esse_solver_solve(solver, (esse_lit[]){ stays ^ 1 }, 1), ESSE_SOLVER_UNKNOWN);
    CHECK(esse_clock_seconds() - start < 1);
    CHECK_EQ(esse_budget_spent(&budget), ESSE_SPENT_TIME);

    budget = (struct esse_budget){ 0 };
    CHECK_EQ(esse_solver_solve(solver, (esse_lit[]){ stays }, 1), ESSE_SOLVER_SAT);
    esse_arena_free(arena);
}

static struct esse_solver_stats run_random(struct esse_arena *arena, uint64_t *model)
{
    struct esse_rng rng = { 3 };
    struct esse_solver *solver = esse_solver_new(arena, NULL);
    for (uint32_t v = 0; v < 140; v++)
        esse_solver_var(solver, false, v);
    for (uint32_t i = 0; i < 580; i++) {
        esse_lit lits[3];
        for (int k = 0; k < 3; k++)
            lits[k] = esse_rng_below(&rng, 280);
        esse_solver_add(solver, lits, 3);
    }
    if (esse_solver_solve(solver, NULL, 0) == ESSE_SOLVER_SAT)
        for (uint32_t v = 0; v < 140; v++)
            *model = *model * 31 + esse_solver_value(solver, 2 * v);
    return *esse_solver_stats(solver);
}

TEST(test_solver__equal_calls_give_equal_runs)
{
    struct esse_arena *one = esse_arena_new(), *other = esse_arena_new();
    uint64_t model = 0, model_again = 0;
    struct esse_solver_stats a = run_random(one, &model), b = run_random(other, &model_again);
    CHECK_EQ(memcmp(&a, &b, sizeof a), 0);
    CHECK_EQ(model, model_again);
    CHECK(a.conflicts > 10);
    esse_arena_free(one);
    esse_arena_free(other);
}

/* ---- hints ---- */

TEST(test_solver__phases_and_priorities_are_tried_first)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_solver *solver = esse_solver_new(arena, NULL);
    for (uint32_t v = 0; v < 6; v++)
        esse_solver_var(solver, v & 1, v);
    /* 5 is decided before 4 and 3, and forbids them what they would like */
    esse_solver_add(solver, (esse_lit[]){ 2 * 5 + 1, 2 * 4 }, 2);
    esse_solver_add(solver, (esse_lit[]){ 2 * 5 + 1, 2 * 3 + 1 }, 2);
    CHECK_EQ(esse_solver_solve(solver, NULL, 0), ESSE_SOLVER_SAT);
    const bool want[] = { false, true, false, false, true, true };
    for (uint32_t v = 0; v < 6; v++)
        CHECK_EQ(esse_solver_value(solver, 2 * v), want[v]);
    esse_arena_free(arena);
}

/* ---- wrong proofs ---- */

/* A proof with a literal flipped, or a step left out, is refused, or still proves what it says. */
TEST(test_proof__changed_proofs_are_refused_or_true)
{
    struct esse_rng rng = { 4 };
    unsigned refused = 0;
    for (unsigned round = 0; round < test_rounds(300); round++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_solver *solver = esse_solver_new(arena, NULL);
        struct recorded r;
        record_from(&r, arena, solver);
        for (uint32_t v = 0; v < 9; v++)
            esse_solver_var(solver, false, 0);
        do
            give_random(&r, solver, &rng, 9);
        while (esse_solver_solve(solver, NULL, 0) != ESSE_SOLVER_UNSAT);
        for (uint32_t i = 0; i < r.steps.count; i++) {
            struct step step = r.steps.at[i];
            if (step.kind == STEP_DELETED || !step.count)
                continue;
            /* without a clause that was given the rest may have models, and then no proof */
            bool left_out = step.kind == STEP_GIVEN;
            esse_lit *lit = &r.lits.at[step.first + esse_rng_below(&rng, step.count)];
            if (left_out)
                r.steps.at[i].kind = STEP_DELETED;
            else
                *lit ^= 1;
            bool provable = !has_model(&r, 9, NULL, 0);
            struct esse_rup *rup = esse_rup_new(arena);
            bool accepted = replay(&r, rup, left_out ? i : UINT32_MAX) && refuted(rup);
            CHECK(provable || !accepted);
            refused += !accepted;
            if (left_out)
                r.steps.at[i].kind = STEP_GIVEN;
            else
                *lit ^= 1;
        }
        esse_arena_free(arena);
    }
    CHECK(refused > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solver__agrees_with_brute_force),
        cmocka_unit_test(test_solver__agrees_with_brute_force_when_conflicts_are_deep),
        cmocka_unit_test(test_solver__pigeons_need_holes),
        cmocka_unit_test(test_solver__parity_round_a_graph),
        cmocka_unit_test(test_solver__colours_graphs),
        cmocka_unit_test(test_solver__a_spent_budget_is_unknown_and_solving_goes_on),
        cmocka_unit_test(test_solver__equal_calls_give_equal_runs),
        cmocka_unit_test(test_solver__phases_and_priorities_are_tried_first),
        cmocka_unit_test(test_proof__changed_proofs_are_refused_or_true),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
