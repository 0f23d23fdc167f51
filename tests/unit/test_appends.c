#include "appends_oracle.h"
#include "evidence/recheck.h"
#include "history/appends.h"

/* Lists with an element twice, or appended twice. */

static const char *const engines[] = { NULL, "dsg", "saturate", "polygraph", "scan" };
enum { ENGINES = sizeof engines / sizeof *engines };

struct tally {
    unsigned holds, violated, unknown, ways;
};

static const struct esse_result *check(struct esse_arena *arena, const char *text,
                                       const char *engine)
{
    const struct esse_history *history = load_text(arena, "native", text);
    const char *levels[L_LEVELS];
    const struct esse_result *result;
    struct esse_error err;
    for (int i = 0; i < L_LEVELS; i++)
        levels[i] = l_level(i);
    const struct esse_check_options options = { .levels = levels,
                                                .level_count = L_LEVELS,
                                                .engine = engine };
    if (!esse_check(arena, history, &options, &result, &err))
        fail_msg("%s, engine %s\n%s", err.text, engine ? engine : "any", text);
    return result;
}

static void compare(const struct l_history *h, const struct l_answer *answer, const char *engine,
                    struct tally *tally)
{
    struct esse_arena *arena = esse_arena_new();
    const char *text = l_text(arena, h, NULL);
    const struct esse_result *result = check(arena, text, engine);
    for (int i = 0; i < L_LEVELS; i++) {
        const struct esse_verdict *verdict = &result->verdicts[i];
        if (!answer->is_asked[i])
            continue;
        tally->holds += verdict->outcome == ESSE_HOLDS;
        tally->violated += verdict->outcome == ESSE_VIOLATED;
        tally->unknown += verdict->outcome == ESSE_UNKNOWN;
        tally->ways += verdict->way_count > 0;
        if (verdict->outcome != ESSE_UNKNOWN &&
            (verdict->outcome == ESSE_HOLDS) != answer->holds[i])
            fail_msg("%s by %s: the engine says %s (%s), all choices say %s\n%s", l_level(i),
                     engine ? engine : "any", verdict->outcome == ESSE_HOLDS ? "holds" : "violated",
                     verdict->anomaly_count ? esse_anomaly_name(verdict->anomalies[0].type) : "-",
                     answer->holds[i] ? "holds" : "violated", text);
        CHECK(verdict->rechecked || verdict->outcome == ESSE_UNKNOWN);
    }
    esse_arena_free(arena);
}

static bool has_commits(const struct l_history *h)
{
    for (int t = 0; t < h->count; t++)
        if (h->txns[t].status == ESSE_COMMITTED)
            return true;
    return false;
}

TEST(test_appends__every_engine_agrees_with_all_choices)
{
    struct tally tally[ENGINES] = { { 0 } };
    for (unsigned seed = 1 + test_first(400), after = seed + test_rounds(400); seed < after;
         seed++) {
        struct esse_rng rng = { seed };
        struct l_history h;
        l_random(&h, &rng);
        if (!has_commits(&h))
            continue;
        const struct l_answer answer = l_decide(&h);
        for (int e = 0; e < ENGINES; e++)
            compare(&h, &answer, engines[e], &tally[e]);
    }
    for (int e = 0; e < ENGINES; e++)
        print_message("%-10s %6u hold, %6u violated, %6u unknown; %u by ways\n",
                      engines[e] ? engines[e] : "any", tally[e].holds, tally[e].violated,
                      tally[e].unknown, tally[e].ways);
    CHECK(tally[0].ways > 100);
    CHECK(tally[0].unknown * 10 < tally[0].holds + tally[0].violated);
}

/* ---- by name ---- */

static void expect_by(const char *engine, const char *level, const char *text,
                      enum esse_outcome outcome)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_result *result;
    struct esse_error err;
    const struct esse_check_options options = { .levels = &level,
                                                .level_count = 1,
                                                .engine = engine };
    if (!esse_check(arena, load_text(arena, "native", text), &options, &result, &err))
        fail_msg("%s: %s\n%s", level, err.text, text);
    if (result->verdicts[0].outcome != outcome)
        fail_msg("%s is %d\n%s", level, result->verdicts[0].outcome, text);
    esse_arena_free(arena);
}

static void expect(const char *level, const char *text, enum esse_outcome outcome)
{
    expect_by(NULL, level, text, outcome);
}

#define APPEND(session, value) "{'session':" #session ",'ops':[{'a':'x','v':" #value "}]}\n"
#define READ(session, list)    "{'session':" #session ",'ops':[{'r':'x','v':[" list "]}]}\n"

TEST(test_appends__two_appends_of_an_element_make_it_twice)
{
    expect("strict-serializable", APPEND(0, 1) APPEND(1, 1) READ(2, "1,1"), ESSE_HOLDS);
    expect("read-uncommitted", APPEND(0, 1) READ(1, "1,1"), ESSE_VIOLATED);
    expect("PRAM", APPEND(0, 1) READ(1, "1,1"), ESSE_UNKNOWN);
}

TEST(test_appends__either_of_two_appends_may_be_the_one_that_was_read)
{
    const char *text = APPEND(0, 1) APPEND(1, 2) APPEND(2, 1) READ(0, "1,2");
    expect("strict-serializable", text, ESSE_HOLDS);
    expect("causal", text, ESSE_HOLDS);
    /* Both sessions that appended it read the list without their own. */
    text = APPEND(0, 1) APPEND(1, 1) READ(0, "1") READ(1, "1");
    expect("strong-session-serializable", text, ESSE_VIOLATED);
    expect("serializable", text, ESSE_HOLDS);
}

TEST(test_appends__a_list_against_the_program_is_a_verdict_at_every_level)
{
    const char *text = "{'session':0,'ops':[{'a':'x','v':4},{'a':'x','v':5}]}\n" READ(1, "5");
    expect("causal", text, ESSE_VIOLATED);
    expect("PRAM", text, ESSE_VIOLATED);
    expect("serializable", text, ESSE_VIOLATED);
}

/* t0's 1 comes after its 2, so a reader of [1 2] missed a version of the very transaction that
 * wrote what it read last. */
TEST(test_appends__a_list_against_the_program_hides_a_version_from_its_reader)
{
    const char *turned = "{'session':0,'ops':[{'a':'x','v':7},{'a':'x','v':2}]}\n"
                         "{'session':1,'ops':[{'a':'x','v':1}]}\n"
                         "{'session':2,'ops':[{'r':'x','v':[1,2]}]}\n"
                         "{'session':3,'ops':[{'r':'x','v':[1,2,7]}]}\n";
    /* The same, or the first 1 is t0's and the second is not; then the last one was missed. */
    const char *either = "{'session':0,'ops':[{'a':'x','v':1},{'a':'x','v':2}]}\n"
                         "{'session':1,'ops':[{'a':'x','v':1}]}\n"
                         "{'session':2,'ops':[{'r':'x','v':[1,2]},{'r':'y','v':2}]}\n"
                         "{'session':3,'ops':[{'a':'x','v':3},{'r':'x','v':[1,2,1,3]},"
                         "{'w':'y','v':2}]}\n";
    expect_by("polygraph", "parallel-snapshot-isolation", turned, ESSE_VIOLATED);
    expect_by("polygraph", "consistent-view", turned, ESSE_VIOLATED);
    expect_by("polygraph", "parallel-snapshot-isolation", either, ESSE_VIOLATED);
    expect_by("polygraph", "consistent-view", either, ESSE_VIOLATED);
}

/* Three operations appended 1 and the list has it three times, so it shows the one that its own
 * transaction appends only afterwards, whichever transaction appended which. */
TEST(test_appends__a_list_that_shows_every_append_shows_the_own_later_one)
{
    const char *text = APPEND(0, 1) "{'session':1,'ops':[{'a':'x','v':1},{'r':'x','v':"
                                    "[1,1,2,1]},{'a':'x','v':1}]}\n" APPEND(2, 2);
    expect("read-uncommitted", text, ESSE_HOLDS);
    expect("read-committed", text, ESSE_VIOLATED);
    expect("monotonic-snapshot-read", text, ESSE_VIOLATED);
}

/* The 1 between the aborted 3 and the 4 may be of a committed transaction: no dirty update then. */
TEST(test_appends__a_dirty_update_has_nothing_between_that_may_be_committed)
{
    const char *text = "{'session':0,'status':'unknown','ops':[{'a':'x','v':1}]}\n"
                       "{'session':1,'status':'aborted','ops':[{'a':'x','v':3}]}\n" APPEND(2, 4)
                           READ(3, "3,1,4") APPEND(4, 1);
    expect("read-uncommitted", text, ESSE_HOLDS);
    expect("read-committed", text, ESSE_VIOLATED);
}

TEST(test_appends__an_unknown_one_may_have_appended_it)
{
    const char *unknown =
        "{'session':0,'status':'unknown','ops':[{'a':'x','v':1},{'a':'y','v':1}]}\n";
    struct esse_arena *arena = esse_arena_new();
    expect("serializable", esse_arena_format(arena, "%s%s%s", unknown, APPEND(1, 1), READ(2, "1")),
           ESSE_HOLDS);
    expect("serializable",
           esse_arena_format(arena, "%s%s%s", unknown, APPEND(1, 1), READ(2, "1,1")), ESSE_HOLDS);
    /* It must have, and then it appended to y too. */
    expect("serializable",
           esse_arena_format(arena, "%s%s%s", unknown, APPEND(1, 1),
                             "{'session':2,'ops':[{'r':'x','v':[1,1]},{'r':'y','v':[]}]}\n"),
           ESSE_VIOLATED);
    esse_arena_free(arena);
}

/* ---- evidence ---- */

static bool stands(const struct esse_history *history, const struct esse_verdict *verdict,
                   const struct esse_way *ways, uint32_t count)
{
    struct esse_error err;
    struct esse_verdict changed = *verdict;
    changed.anomaly_count = 0;
    changed.ways = ways;
    changed.way_count = count;
    return esse_recheck_verdict(history, esse_level_get(verdict->level), &changed, NULL, &err);
}

TEST(test_appends__a_violation_needs_every_way)
{
    const char *level = "strong-session-serializable";
    struct esse_arena *arena = esse_arena_new();
    const struct esse_history *history =
        load_text(arena, "native", APPEND(0, 1) APPEND(1, 1) READ(0, "1") READ(1, "1"));
    const struct esse_result *result;
    struct esse_error err;
    const struct esse_check_options options = { .levels = &level, .level_count = 1 };
    CHECK(esse_check(arena, history, &options, &result, &err));
    const struct esse_verdict *verdict = &result->verdicts[0];
    CHECK_EQ(verdict->outcome, ESSE_VIOLATED);
    CHECK_EQ(verdict->way_count, 2);
    const struct esse_way *ways = verdict->ways;
    CHECK(stands(history, verdict, ways, 2));
    CHECK(!stands(history, verdict, ways, 1));
    CHECK(!stands(history, verdict, ways, 0));
    const struct esse_way exchanged[] = { ways[1], ways[0] }, twice[] = { ways[0], ways[0] };
    CHECK(!stands(history, verdict, exchanged, 2));
    CHECK(!stands(history, verdict, twice, 2));
    struct esse_way other[] = { ways[0], ways[1] };
    other[0].anomalies = ways[1].anomalies;
    CHECK(!stands(history, verdict, other, 2));
    other[0].anomaly_count = 0;
    CHECK(!stands(history, verdict, other, 2));
    esse_arena_free(arena);
}

TEST(test_appends__a_proof_needs_a_way_that_is_one)
{
    const char *level = "causal";
    struct esse_arena *arena = esse_arena_new();
    const struct esse_history *history =
        load_text(arena, "native", APPEND(0, 1) APPEND(1, 1) READ(2, "1,1"));
    const struct esse_result *result;
    struct esse_error err;
    const struct esse_check_options options = { .levels = &level,
                                                .level_count = 1,
                                                .engine = "polygraph" };
    CHECK(esse_check(arena, history, &options, &result, &err));
    const struct esse_check_options any = { .levels = &level,
                                            .level_count = 1,
                                            .engine = "saturate" };
    CHECK(esse_check(arena, history, &any, &result, &err));
    const struct esse_verdict *verdict = &result->verdicts[0];
    CHECK_EQ(verdict->outcome, ESSE_HOLDS);
    CHECK_EQ(verdict->way_count, 1);
    CHECK(stands(history, verdict, verdict->ways, 1));
    CHECK(stands(history, verdict, verdict->ways, 0)); /* in an order appends explain lists alone */
    static const uint32_t wrong[][2] = { { 0, 0 }, { 0, 2 }, { 0, ESSE_NO_OP }, { 99, 0 } };
    for (int i = 0; i < 4; i++) {
        const struct esse_way way = { .by = wrong[i], .count = 2 };
        CHECK(!stands(history, verdict, &way, 1));
    }
    const struct esse_way shorter = { .by = verdict->ways[0].by, .count = 1 };
    CHECK(!stands(history, verdict, &shorter, 1));
    esse_arena_free(arena);
}

/* ---- ways ---- */

TEST(test_appends__ways_are_all_and_each_once)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_history *history = load_text(
        arena, "native",
        APPEND(0, 1) APPEND(1, 1) APPEND(2, 1) APPEND(0, 2) APPEND(1, 2) READ(2, "1,2,2,1,2"));
    struct esse_appends appends;
    uint32_t way[5], before[5] = { 0 }, count = 0;
    esse_appends_find(&appends, arena, history);
    CHECK_EQ(appends.places, 5);
    CHECK_EQ(appends.ways,
             6 * 6); /* 3 of 3 at 2 places; 2 at 3 places, one of them without an append */
    esse_way_first(&appends, way);
    do {
        CHECK(esse_way_is_one(&appends, way, 5));
        CHECK(!count || memcmp(way, before, sizeof way) != 0);
        memcpy(before, way, sizeof way);
        count++;
    } while (esse_way_next(&appends, way));
    CHECK_EQ(count, 36);
    esse_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_appends__every_engine_agrees_with_all_choices),
        cmocka_unit_test(test_appends__two_appends_of_an_element_make_it_twice),
        cmocka_unit_test(test_appends__either_of_two_appends_may_be_the_one_that_was_read),
        cmocka_unit_test(test_appends__a_list_against_the_program_is_a_verdict_at_every_level),
        cmocka_unit_test(test_appends__a_list_against_the_program_hides_a_version_from_its_reader),
        cmocka_unit_test(test_appends__a_list_that_shows_every_append_shows_the_own_later_one),
        cmocka_unit_test(test_appends__a_dirty_update_has_nothing_between_that_may_be_committed),
        cmocka_unit_test(test_appends__an_unknown_one_may_have_appended_it),
        cmocka_unit_test(test_appends__a_violation_needs_every_way),
        cmocka_unit_test(test_appends__a_proof_needs_a_way_that_is_one),
        cmocka_unit_test(test_appends__ways_are_all_and_each_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
