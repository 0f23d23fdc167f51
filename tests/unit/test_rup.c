#include "evidence/rup.h"
#include "test.h"

/* Do the clauses contradict each other by unit propagation? */
static bool is_refuted(struct esse_rup *rup)
{
    return esse_rup_implied(rup, NULL, 0);
}

/* Bit v of 'model' is the value of variable v. */
static bool holds(const uint32_t *lits, uint32_t count, uint32_t model)
{
    for (uint32_t i = 0; i < count; i++)
        if ((model >> (lits[i] / 2) & 1) != (lits[i] & 1))
            return true;
    return false;
}

TEST(test_rup__units_lead_to_the_empty_clause)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_rup *rup = esse_rup_new(arena);
    /* a or b, a or not b, not a or c, not a or not c */
    esse_rup_add(rup, (uint32_t[]){ 0, 2 }, 2);
    esse_rup_add(rup, (uint32_t[]){ 0, 3 }, 2);
    esse_rup_add(rup, (uint32_t[]){ 1, 4 }, 2);
    esse_rup_add(rup, (uint32_t[]){ 1, 5 }, 2);
    CHECK(!esse_rup_implied(rup, NULL, 0)); /* true, but not by units alone */
    CHECK(!esse_rup_implied(rup, (uint32_t[]){ 6 }, 1));
    CHECK(!is_refuted(rup));
    CHECK(esse_rup_implied(rup, (uint32_t[]){ 0 }, 1));
    CHECK(is_refuted(rup));
    CHECK(esse_rup_implied(rup, NULL, 0));
    esse_arena_free(arena);
}

TEST(test_rup__an_empty_clause_given_refutes)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_rup *rup = esse_rup_new(arena);
    CHECK(!is_refuted(rup));
    esse_rup_add(rup, NULL, 0);
    CHECK(is_refuted(rup));
    esse_arena_free(arena);
}

TEST(test_rup__a_literal_twice_is_one)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_rup *rup = esse_rup_new(arena);
    esse_rup_add(rup, (uint32_t[]){ 0, 0 }, 2); /* a unit */
    CHECK(esse_rup_implied(rup, (uint32_t[]){ 0 }, 1));
    esse_rup_add(rup, (uint32_t[]){ 2, 4, 2, 2 }, 4);
    esse_rup_add(rup, (uint32_t[]){ 5 }, 1); /* leaves a unit */
    CHECK(esse_rup_implied(rup, (uint32_t[]){ 2 }, 1));
    esse_arena_free(arena);
}

TEST(test_rup__a_clause_with_both_polarities_says_nothing)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_rup *rup = esse_rup_new(arena);
    CHECK(esse_rup_implied(rup, (uint32_t[]){ 6, 7 }, 2));
    esse_rup_add(rup, (uint32_t[]){ 7, 6, 2 }, 3);
    esse_rup_add(rup, (uint32_t[]){ 3 }, 1);
    CHECK(!esse_rup_implied(rup, (uint32_t[]){ 6 }, 1));
    CHECK(!esse_rup_implied(rup, (uint32_t[]){ 7 }, 1));
    esse_arena_free(arena);
}

/* ---- against brute force, and against propagation that is too simple to be wrong ---- */

enum { VARS = 8, CLAUSES = 60 };

struct naive {
    uint32_t lits[CLAUSES][4], size[CLAUSES], count;
};

/* Whether assuming the clause false leads to a contradiction by units. */
static bool naive_implied(const struct naive *n, const uint32_t *lits, uint32_t count)
{
    bool is_false[2 * VARS] = { false }, changed = true;
    for (uint32_t i = 0; i < count; i++)
        is_false[lits[i]] = true;
    while (changed) {
        changed = false;
        for (uint32_t v = 0; v < VARS; v++)
            if (is_false[2 * v] && is_false[2 * v + 1])
                return true;
        for (uint32_t c = 0; c < n->count; c++) {
            uint32_t open = UINT32_MAX, opens = 0;
            for (uint32_t i = 0; i < n->size[c]; i++)
                if (!is_false[n->lits[c][i]] && n->lits[c][i] != open) {
                    open = n->lits[c][i];
                    opens++;
                }
            if (opens == 0)
                return true;
            if (opens == 1 && !is_false[open ^ 1])
                changed = is_false[open ^ 1] = true;
        }
    }
    return false;
}

static uint32_t random_clause(struct esse_rng *rng, uint32_t lits[4])
{
    uint32_t count = 1 + esse_rng_below(rng, 4);
    for (uint32_t i = 0; i < count; i++)
        lits[i] = esse_rng_below(rng, 2 * VARS);
    return count == 1 && esse_rng_below(rng, 6) ? 0 : count;
}

TEST(test_rup__agrees_with_simple_propagation)
{
    struct esse_rng rng = { 1 };
    unsigned implied = 0, refuted = 0;
    for (unsigned round = 0; round < test_rounds(3000); round++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_rup *rup = esse_rup_new(arena);
        struct naive n = { .count = 0 };
        uint32_t models[8] = { 0 }; /* a set of all assignments: those that satisfy what is given */
        memset(models, 0xff, sizeof models);
        while (n.count < CLAUSES && !is_refuted(rup)) {
            uint32_t *lits = n.lits[n.count], size = random_clause(&rng, lits);
            if (!size)
                continue;
            bool given = esse_rng_below(&rng, 2);
            if (given) {
                esse_rup_add(rup, lits, size);
                for (uint32_t m = 0; m < 1u << VARS; m++)
                    if (!holds(lits, size, m))
                        models[m / 32] &= ~(1u << m % 32);
            } else {
                bool follows = naive_implied(&n, lits, size);
                CHECK_EQ(esse_rup_implied(rup, lits, size), follows);
                implied += follows;
                for (uint32_t m = 0; follows && m < 1u << VARS; m++)
                    if (models[m / 32] >> m % 32 & 1)
                        CHECK(holds(lits, size, m));
                given = follows;
            }
            n.size[n.count] = size;
            n.count += given;
            CHECK_EQ(is_refuted(rup), naive_implied(&n, NULL, 0));
        }
        refuted += is_refuted(rup);
        esse_arena_free(arena);
    }
    CHECK(implied > 1000);
    CHECK(refuted > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rup__units_lead_to_the_empty_clause),
        cmocka_unit_test(test_rup__an_empty_clause_given_refutes),
        cmocka_unit_test(test_rup__a_literal_twice_is_one),
        cmocka_unit_test(test_rup__a_clause_with_both_polarities_says_nothing),
        cmocka_unit_test(test_rup__agrees_with_simple_propagation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
