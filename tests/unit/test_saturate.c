#include "axiom_oracle.h"
#include "load_text.h"
#include "random_history.h"

/* ---- the engine against all orders ---- */

struct tally {
    unsigned holds[A_LEVELS], violated[A_LEVELS], unknown[A_LEVELS];
};

static void compare_level(uint64_t seed, const struct esse_history *history,
                          const struct b_history *b, const struct esse_verdict *verdict, int level,
                          struct esse_arena *arena, struct tally *tally)
{
    struct a_history a;
    bool refuted;
    bool can = a_open(&a, b, &a_levels[level], &refuted);
    if (!can && !refuted)
        return;
    bool holds = can && a_try_choices(&a, 0);
    tally->holds[level] += verdict->outcome == ESSE_HOLDS;
    tally->violated[level] += verdict->outcome == ESSE_VIOLATED;
    tally->unknown[level] += verdict->outcome == ESSE_UNKNOWN;
    if (verdict->outcome != ESSE_UNKNOWN && (verdict->outcome == ESSE_HOLDS) != holds)
        fail_msg("seed %llu, %s: the engine says %s, all orders say %s (%s)\n%s",
                 (unsigned long long)seed, a_levels[level].name,
                 verdict->outcome == ESSE_HOLDS ? "holds" : "violated",
                 holds ? "holds" : "violated",
                 verdict->anomaly_count ? verdict->anomalies[0].type : "-",
                 write_text(arena, "native", history));
    if (verdict->outcome != ESSE_UNKNOWN)
        CHECK(verdict->rechecked);
}

static void compare(uint64_t seed, bool lists, struct tally *tally)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = random_history(arena, seed, lists);
    struct b_history b;
    const char *levels[A_LEVELS];
    const struct esse_result *result;
    struct esse_error err;
    for (int i = 0; i < A_LEVELS; i++)
        levels[i] = a_levels[i].name;
    struct esse_check_options options = { .levels = levels,
                                          .level_count = A_LEVELS,
                                          .engine = seed % 2 ? "saturate" : NULL };
    if (!esse_check(arena, history, &options, &result, &err))
        fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, err.text,
                 write_text(arena, "native", history));
    for (int i = 0; i < A_LEVELS && b_open(&b, history); i++)
        compare_level(seed, history, &b, &result->verdicts[i], i, arena, tally);
    esse_arena_free(arena);
}

static void print_tally(const struct tally *tally)
{
    for (int i = 0; i < A_LEVELS; i++)
        print_message("%-28s %6u hold, %6u violated, %6u unknown\n", a_levels[i].name,
                      tally->holds[i], tally->violated[i], tally->unknown[i]);
}

TEST(test_saturate__agrees_with_all_orders_on_registers)
{
    struct tally tally = { 0 };
    for (unsigned seed = 0; seed < test_rounds(3000); seed++)
        compare(seed, false, &tally);
    print_tally(&tally);
    for (int i = 0; i < 4; i++)
        CHECK(tally.violated[i] > 30 && tally.holds[i] > 100);
}

TEST(test_saturate__agrees_with_all_orders_on_lists)
{
    struct tally tally = { 0 };
    for (unsigned seed = 0; seed < test_rounds(1000); seed++)
        compare(seed, true, &tally);
    print_tally(&tally);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_saturate__agrees_with_all_orders_on_registers),
        cmocka_unit_test(test_saturate__agrees_with_all_orders_on_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
