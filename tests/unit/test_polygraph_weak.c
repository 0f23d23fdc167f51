#include "evidence_trial.h"

/*
 * Read-atomic, causal consistency and parallel snapshot isolation where it is a choice which
 * version was read: values that several wrote, rows that a predicate left out, outcomes that are
 * not known.  By brute force over all orders of the commits and all choices (truth_oracle.h).
 */

static const char *const levels[] = { "read-atomic", "causal-consistency",
                                      "parallel-snapshot-isolation" };
enum { LEVELS = sizeof levels / sizeof *levels };

struct tally {
    unsigned outcomes[3], by_choices;
};

static const struct esse_result *check(struct trial *trial, unsigned ablate)
{
    const struct esse_check_options options = { .levels = levels,
                                                .level_count = LEVELS,
                                                .engine = trial->engine,
                                                .ablate = ablate,
                                                .threads = 1 };
    const struct esse_result *result;
    struct esse_error err = { 0 };
    if (!esse_check(trial->arena, trial->history, &options, &result, &err))
        tell(trial, &trial->h, "", err.text);
    return result;
}

static bool is_by_choices(const struct esse_verdict *verdict)
{
    return verdict->order.source_count ||
           (verdict->anomaly_count && verdict->anomalies[0].refutation);
}

/* Version sets, results without rows, and lists with predicates are not for every proof here. */
static bool must_be_decided(const struct trial *trial)
{
    return !trial->engine && !(trial->history->has & (ESSE_HAS_VSETS | ESSE_HAS_APPENDS));
}

TEST(test_polygraph__weak_levels_agree_with_all_choices)
{
    struct tally tally[LEVELS] = { { { 0 }, 0 } };
    for (uint64_t seed = test_first(1500), after = seed + test_rounds(1500); seed < after; seed++) {
        struct trial trial;
        if (open_trial(&trial, seed)) {
            trial.engine = seed % 2 ? "polygraph" : NULL;
            const struct esse_result *result = check(&trial, (unsigned)(seed / 2 % 512));
            for (int i = 0; i < LEVELS; i++) {
                const struct esse_verdict *verdict = &result->verdicts[i];
                tally[i].outcomes[verdict->outcome]++;
                tally[i].by_choices += is_by_choices(verdict);
                if (!is_true(&trial.truth, verdict))
                    tell(&trial, &trial.h, esse_level_name(verdict->level), "the verdict is wrong");
                if (verdict->outcome == ESSE_UNKNOWN && must_be_decided(&trial))
                    tell(&trial, &trial.h, esse_level_name(verdict->level),
                         esse_reason_text(trial.arena, verdict));
            }
        }
        esse_arena_free(trial.arena);
    }
    for (int i = 0; i < LEVELS; i++) {
        print_message("%-28s %5u hold, %5u violated, %5u unknown; %u by choices\n", levels[i],
                      tally[i].outcomes[ESSE_HOLDS], tally[i].outcomes[ESSE_VIOLATED],
                      tally[i].outcomes[ESSE_UNKNOWN], tally[i].by_choices);
        CHECK(tally[i].outcomes[ESSE_HOLDS] > 100 && tally[i].outcomes[ESSE_VIOLATED] > 100);
        CHECK(tally[i].by_choices > 20);
    }
}

/* ---- by hand ---- */

struct named {
    const char *name, *text;
    enum esse_outcome atomic, causal;
};

static void check_named(const struct named *named)
{
    struct esse_arena *arena = esse_arena_new();
    struct trial trial = { .arena = arena };
    trial.history = load_text(arena, "native", named->text);
    for (int by_name = 0; by_name < 2; by_name++) {
        trial.engine = by_name ? "polygraph" : NULL;
        const struct esse_result *result = check(&trial, 0);
        if (result->verdicts[0].outcome != named->atomic ||
            result->verdicts[1].outcome != named->causal)
            fail_msg("%s: read-atomic %d, causal %d", named->name, result->verdicts[0].outcome,
                     result->verdicts[1].outcome);
    }
    esse_arena_free(arena);
}

TEST(test_polygraph__weak_levels_choose_what_was_read)
{
    static const struct named cases[] = {
        { "a predicate misses a row of one that it read from",
          "{\"session\":0,\"ops\":[{\"w\":\"a\",\"v\":2},{\"w\":\"b\",\"v\":7}]}\n"
          "{\"session\":1,\"ops\":[{\"r\":\"b\",\"v\":7},{\"p\":\"v < 5\",\"rows\":{}}]}\n",
          ESSE_VIOLATED, ESSE_VIOLATED },
        { "it may have seen the row that was changed afterwards",
          "{\"session\":0,\"ops\":[{\"w\":\"a\",\"v\":2},{\"w\":\"b\",\"v\":7}]}\n"
          "{\"session\":2,\"ops\":[{\"w\":\"a\",\"v\":9}]}\n"
          "{\"session\":1,\"ops\":[{\"r\":\"b\",\"v\":7},{\"p\":\"v < 5\",\"rows\":{}}]}\n",
          ESSE_HOLDS, ESSE_HOLDS },
        { "a predicate misses what the one that it read from had read",
          "{\"session\":0,\"ops\":[{\"w\":\"a\",\"v\":2}]}\n"
          "{\"session\":2,\"ops\":[{\"r\":\"a\",\"v\":2},{\"w\":\"b\",\"v\":7}]}\n"
          "{\"session\":1,\"ops\":[{\"r\":\"b\",\"v\":7},{\"p\":\"v < 5\",\"rows\":{}}]}\n",
          ESSE_HOLDS, ESSE_VIOLATED },
        { "a predicate misses a row of the session, two transactions ago",
          "{\"session\":1,\"ops\":[{\"w\":\"a\",\"v\":2}]}\n"
          "{\"session\":1,\"ops\":[{\"w\":\"b\",\"v\":7}]}\n"
          "{\"session\":1,\"ops\":[{\"p\":\"v < 5\",\"rows\":{}}]}\n",
          ESSE_VIOLATED, ESSE_VIOLATED },
        { "a value that two wrote, each with another that is missed",
          "{\"session\":0,\"ops\":[{\"w\":\"a\",\"v\":1},{\"w\":\"b\",\"v\":1}]}\n"
          "{\"session\":1,\"ops\":[{\"w\":\"a\",\"v\":1},{\"w\":\"b\",\"v\":2}]}\n"
          "{\"session\":2,\"ops\":[{\"r\":\"a\",\"v\":1},{\"r\":\"b\",\"v\":null}]}\n",
          ESSE_VIOLATED, ESSE_VIOLATED },
        { "a value that two wrote, one of them with nothing that is missed",
          "{\"session\":0,\"ops\":[{\"w\":\"a\",\"v\":1},{\"w\":\"b\",\"v\":1}]}\n"
          "{\"session\":1,\"ops\":[{\"w\":\"a\",\"v\":1}]}\n"
          "{\"session\":2,\"ops\":[{\"r\":\"a\",\"v\":1},{\"r\":\"b\",\"v\":null}]}\n",
          ESSE_HOLDS, ESSE_HOLDS },
        /* The version after the one that was read is not in the reader's past; the one after that
         * is. */
        { "a later version than the next one is missed",
          "{\"session\":0,\"ops\":[{\"w\":\"a\",\"v\":1}]}\n"
          "{\"session\":1,\"ops\":[{\"w\":\"a\",\"v\":2}]}\n"
          "{\"session\":2,\"ops\":[{\"w\":\"a\",\"v\":3},{\"w\":\"b\",\"v\":1}]}\n"
          "{\"session\":3,\"ops\":[{\"w\":\"b\",\"v\":1},{\"w\":\"a\",\"v\":4}]}\n"
          "{\"session\":4,\"ops\":[{\"r\":\"b\",\"v\":1},{\"r\":\"a\",\"v\":1}]}\n"
          "{\"version_order\":{\"a\":[1,2,3,4]}}\n",
          ESSE_VIOLATED, ESSE_VIOLATED },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_named(&cases[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_polygraph__weak_levels_agree_with_all_choices),
        cmocka_unit_test(test_polygraph__weak_levels_choose_what_was_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
