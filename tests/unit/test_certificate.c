#include "certificate_oracle.h"
#include "engine/dsg/dsg_ranges.h"
#include "engine/engine.h"
#include "history/certificate.h"
#include "load_text.h"

/* What a certificate says about orders and snapshots, and what follows for predicates. */

struct c_level {
    const char *name;
    int first, then;
};

static const struct c_level levels[] = {
    { "serializable", C_WW | C_WR | C_RW | C_WRP | C_RWP, 0 },
    { "snapshot-isolation", C_WW | C_WR | C_WRP, C_RW | C_RWP },
    { "repeatable-read", C_WW | C_WR | C_RW | C_WRP, 0 },
    { "read-committed", C_WW | C_WR | C_WRP, 0 },
    { "read-uncommitted", C_WW, 0 },
};
enum { LEVELS = sizeof levels / sizeof *levels };

static const struct esse_result *check_text(struct esse_arena *arena, const char *text,
                                            const char *engine)
{
    const char *names[LEVELS];
    struct esse_error err;
    const struct esse_result *result;
    struct esse_budget budget = { 0 };
    for (int i = 0; i < LEVELS; i++)
        names[i] = levels[i].name;
    const struct esse_check_options options = {
        .levels = names, .level_count = LEVELS, .engine = engine, .budget = &budget, .threads = 1
    };
    struct esse_history *history = load_text(arena, "native", text);
    if (history->certificate.kind && !esse_certificate_by_order(history, &err))
        fail_msg("%s\n%s", err.text, text);
    if (!esse_check(arena, history, &options, &result, &err))
        fail_msg("%s\n%s", err.text, text);
    return result;
}

static void compare(const struct c_run *run, enum c_kind kind)
{
    static char text[C_TEXT];
    struct esse_arena *arena = esse_arena_new();
    struct c_graph graph;
    c_put(run, kind, text);
    c_graph(run, &graph);
    const struct esse_result *result = check_text(arena, text, "dsg");
    for (int i = 0; i < LEVELS; i++) {
        const bool cyclic = c_cyclic(&graph, levels[i].first, levels[i].then);
        const enum esse_outcome outcome = result->verdicts[i].outcome;
        /* What is wrong by itself rules out more than the graph does. */
        if (run->is_wrong && outcome == ESSE_VIOLATED)
            continue;
        if (outcome != (cyclic ? ESSE_VIOLATED : ESSE_HOLDS))
            fail_msg("%s: got %d, expected %s\n%s", levels[i].name, (int)outcome,
                     cyclic ? "violated" : "holds", text);
    }
    esse_arena_free(arena);
}

TEST(certificate__dsg_agrees_with_every_pair_of_predicate_and_version)
{
    const unsigned rounds = test_rounds(3000);
    struct c_run run;
    for (unsigned round = 0; round < rounds; round++) {
        c_run(&run, round);
        dsg_walk_near = round & 1 ? 0 : 64;
        compare(&run, (enum c_kind)(round % C_KINDS));
    }
    dsg_walk_near = 64;
}

TEST(certificate__a_result_that_is_not_the_snapshots_is_a_mismatch)
{
    const unsigned rounds = test_rounds(1000);
    unsigned wrong = 0;
    struct c_run run;
    for (unsigned round = 0; round < rounds; round++) {
        static char text[C_TEXT];
        c_run(&run, round);
        c_spoil(&run);
        if (!run.is_wrong)
            continue;
        wrong++;
        struct esse_arena *arena = esse_arena_new();
        c_put(&run, (enum c_kind)(round % C_KINDS), text);
        const struct esse_result *result = check_text(arena, text, "dsg");
        bool told = false;
        for (uint32_t i = 0; i < result->verdicts[0].anomaly_count; i++)
            told |= strcmp(result->verdicts[0].anomalies[i].type, "result-set-mismatch") == 0 ||
                    strcmp(result->verdicts[0].anomalies[i].type, "predicate-read-miss") == 0;
        if (!told)
            fail_msg("not told\n%s", text);
        esse_arena_free(arena);
    }
    CHECK(wrong > rounds / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(certificate__dsg_agrees_with_every_pair_of_predicate_and_version),
        cmocka_unit_test(certificate__a_result_that_is_not_the_snapshots_is_a_mismatch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
