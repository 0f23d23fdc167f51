#include "sat_proof.h"

#include <ccadical.h>

/* Random formulas of three literals a clause, about as many clauses as make half of them
 * satisfiable, against CaDiCaL; every refutation through the checker. */

enum { MOST = 1000 };

struct formula {
    uint32_t vars, count;
    esse_lit clauses[MOST][3];
};

static void random_formula(struct formula *f, struct esse_rng *rng, uint32_t vars)
{
    f->vars = vars;
    f->count = (uint32_t)(vars * (4.0 + 0.5 * esse_rng_unit(rng)));
    for (uint32_t c = 0; c < f->count; c++)
        for (uint32_t i = 0; i < 3; i++) {
            bool fresh;
            do {
                f->clauses[c][i] = esse_rng_below(rng, 2 * vars);
                fresh = true;
                for (uint32_t j = 0; j < i; j++)
                    fresh &= f->clauses[c][i] / 2 != f->clauses[c][j] / 2;
            } while (!fresh);
        }
}

static enum esse_solver_answer ask_cadical(const struct formula *f)
{
    CCaDiCaL *cadical = ccadical_init();
    for (uint32_t c = 0; c < f->count; c++) {
        for (uint32_t i = 0; i < 3; i++) {
            int var = (int)(f->clauses[c][i] / 2) + 1;
            ccadical_add(cadical, f->clauses[c][i] & 1 ? -var : var);
        }
        ccadical_add(cadical, 0);
    }
    int answer = ccadical_solve(cadical);
    ccadical_release(cadical);
    return answer == 10 ? ESSE_SOLVER_SAT : answer == 20 ? ESSE_SOLVER_UNSAT : ESSE_SOLVER_UNKNOWN;
}

static bool is_model(const struct formula *f, const struct esse_solver *solver)
{
    for (uint32_t c = 0; c < f->count; c++)
        if (!esse_solver_value(solver, f->clauses[c][0]) &&
            !esse_solver_value(solver, f->clauses[c][1]) &&
            !esse_solver_value(solver, f->clauses[c][2]))
            return false;
    return true;
}

/* 'pad' variables that nothing is said about are decided first: conflicts are deep. */
static void compare(const struct formula *f, uint32_t pad)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_solver *solver = esse_solver_new(arena, NULL);
    struct recorded r;
    record_from(&r, arena, solver);
    for (uint32_t v = 0; v < f->vars; v++)
        esse_solver_var(solver, false, 0);
    for (uint32_t v = 0; v < pad; v++)
        esse_solver_var(solver, false, 1);
    for (uint32_t c = 0; c < f->count; c++)
        give(&r, solver, f->clauses[c], 3);
    enum esse_solver_answer answer = esse_solver_solve(solver, NULL, 0);
    CHECK_EQ(answer, ask_cadical(f));
    if (answer == ESSE_SOLVER_SAT) {
        CHECK(is_model(f, solver));
    } else {
        struct esse_rup *rup = esse_rup_new(arena);
        CHECK(replay(&r, rup, UINT32_MAX));
        CHECK(refuted(rup));
    }
    esse_arena_free(arena);
}

static void compare_many(uint64_t seed, uint32_t vars, unsigned rounds)
{
    struct esse_rng rng = { seed };
    static struct formula formula;
    for (unsigned round = 0; round < rounds; round++) {
        random_formula(&formula, &rng, vars);
        compare(&formula, round % 2 * 200);
    }
}

TEST(test_solver__agrees_with_cadical_on_50_variables)
{
    compare_many(1, 50, test_rounds(150));
}

TEST(test_solver__agrees_with_cadical_on_100_variables)
{
    compare_many(2, 100, test_rounds(40));
}

/* Enough conflicts for the clause database to be reduced, several times. */
TEST(test_solver__agrees_with_cadical_on_150_and_200_variables)
{
    compare_many(3, 150, 6);
    compare_many(4, 200, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solver__agrees_with_cadical_on_50_variables),
        cmocka_unit_test(test_solver__agrees_with_cadical_on_100_variables),
        cmocka_unit_test(test_solver__agrees_with_cadical_on_150_and_200_variables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
