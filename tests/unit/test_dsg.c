#include "evidence/recheck.h"
#include "load_text.h"
#include "order_oracle.h"
#include "random_history.h"

static const struct {
    const char *level;
    enum b_rule rule;
    bool so, rt;
} asked[] = {
    { "read-committed", B_COMMITTED, false, false },
    { "strong-session-read-committed", B_COMMITTED, true, false },
    { "strong-read-committed", B_COMMITTED, true, true },
    { "snapshot-isolation", B_SNAPSHOT, false, false },
    { "strong-session-snapshot-isolation", B_SNAPSHOT, true, false },
    { "strong-snapshot-isolation", B_SNAPSHOT, true, true },
    { "serializable", B_SERIAL, false, false },
    { "strong-session-serializable", B_SERIAL, true, false },
    { "strict-serializable", B_SERIAL, true, true },
};
enum { ASKED = sizeof asked / sizeof *asked };

/* ---- the engine against all orders ---- */

struct tally {
    unsigned holds, violated, unknown;
};

static void compare(uint64_t seed, bool lists, struct tally *tally)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = random_history(arena, seed, lists);
    struct b_history b;
    const char *levels[ASKED];
    const struct esse_result *result;
    struct esse_error err;
    for (int i = 0; i < ASKED; i++)
        levels[i] = asked[i].level;
    struct esse_check_options options = { .levels = levels, .level_count = ASKED };
    if (!esse_check(arena, history, &options, &result, &err))
        fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, err.text,
                 write_text(arena, "native", history));
    for (int i = 0; i < ASKED && b_open(&b, history); i++) {
        bool holds = b_holds(&b, asked[i].rule, asked[i].so, asked[i].rt);
        enum esse_outcome outcome = result->verdicts[i].outcome;
        tally->holds += outcome == ESSE_HOLDS;
        tally->violated += outcome == ESSE_VIOLATED;
        tally->unknown += outcome == ESSE_UNKNOWN;
        if ((outcome == ESSE_HOLDS && !holds) || (outcome == ESSE_VIOLATED && holds))
            fail_msg("seed %llu, %s: the engine says %d, all orders say %d (%s)\n%s",
                     (unsigned long long)seed, asked[i].level, outcome, holds,
                     result->anomaly_type_count ? result->anomaly_types[0] : "nothing found",
                     write_text(arena, "native", history));
        if (outcome != ESSE_UNKNOWN)
            CHECK(result->verdicts[i].rechecked);
    }
    esse_arena_free(arena);
}

TEST(test_dsg__agrees_with_all_orders_on_lists)
{
    struct tally tally = { 0 };
    for (unsigned seed = 0; seed < test_rounds(1000); seed++)
        compare(seed, true, &tally);
    print_message("lists: %u hold, %u violated, %u unknown\n", tally.holds, tally.violated,
                  tally.unknown);
    CHECK(tally.holds > 100 && tally.violated > 100);
    CHECK(tally.unknown * 20 < tally.holds + tally.violated);
}

TEST(test_dsg__never_contradicts_all_orders_on_registers)
{
    struct tally tally = { 0 };
    for (unsigned seed = 0; seed < test_rounds(1000); seed++)
        compare(seed, false, &tally);
    print_message("registers: %u hold, %u violated, %u unknown\n", tally.holds, tally.violated,
                  tally.unknown);
    CHECK(tally.holds > 100 && tally.violated > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dsg__agrees_with_all_orders_on_lists),
        cmocka_unit_test(test_dsg__never_contradicts_all_orders_on_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
