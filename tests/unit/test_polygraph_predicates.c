#include "load_text.h"
#include "predicate_random.h"

/*
 * Predicates without a certificate, by brute force: is there an order of the transactions, and for
 * snapshot isolation and prefix a snapshot for each, in which every read and every predicate
 * returns what it did?  Each transaction is a session of its own, and values repeat.
 */

enum rule { SERIAL, SNAPSHOT, PREFIX };

struct attempt {
    const struct p_history *h;
    int txns[P_TXNS + 1], count;    /* one more, for the compiler: it cannot see that they fit */
    int states[P_TXNS + 1][P_KEYS]; /* after so many commits */
    enum rule rule;
};

/* ---- replaying ---- */

static bool fits(const struct p_txn *txn, const int *state)
{
    int mine[P_KEYS];
    memcpy(mine, state, sizeof mine);
    for (int i = 0; i < txn->count; i++)
        if (!p_fits(&txn->ops[i], mine))
            return false;
    return true;
}

static bool conflicts(const struct p_txn *a, const struct p_txn *b)
{
    for (int key = 0; key < P_KEYS; key++)
        if (p_installs(a, key) && p_installs(b, key))
            return true;
    return false;
}

static bool has_snapshot(const struct attempt *a, int place, const struct p_txn *txn)
{
    for (int snapshot = place; snapshot >= 0; snapshot--) {
        if (fits(txn, a->states[snapshot]))
            return true;
        if (a->rule == SERIAL || (a->rule == SNAPSHOT && snapshot > 0 &&
                                  conflicts(&a->h->txns[a->txns[snapshot - 1]], txn)))
            return false;
    }
    return false;
}

static bool try_orders(struct attempt *a, int place)
{
    if (place == a->count)
        return true;
    for (int i = place; i < a->count; i++) {
        int chosen = a->txns[i];
        a->txns[i] = a->txns[place];
        a->txns[place] = chosen;
        if (has_snapshot(a, place, &a->h->txns[chosen])) {
            p_commit(&a->h->txns[chosen], a->states[place], a->states[place + 1]);
            if (try_orders(a, place + 1))
                return true;
        }
        a->txns[place] = a->txns[i];
        a->txns[i] = chosen;
    }
    return false;
}

static bool holds(const struct p_history *h, enum rule rule)
{
    struct attempt a = { .h = h, .rule = rule };
    for (int t = 0; t < h->count; t++)
        if (h->txns[t].status == ESSE_COMMITTED)
            a.txns[a.count++] = t;
    memcpy(a.states[0], h->init, sizeof a.states[0]);
    return try_orders(&a, 0);
}

TEST(test_polygraph__predicates_agree_with_all_orders)
{
    static const char *const levels[] = { "serializable", "snapshot-isolation", "prefix" };
    struct esse_rng rng = { 11 };
    unsigned counts[3][3] = { { 0 } };
    for (unsigned round = 0; round < test_rounds(1000); round++) {
        struct esse_arena *arena = esse_arena_new();
        const struct esse_result *result;
        struct esse_error err;
        struct p_history h;
        p_random_history(&h, &rng, P_TXNS);
        for (int i = 0; i < (int)(round % 3); i++)
            p_damage(&h, &rng);
        const char *text = p_write(arena, &h);
        struct esse_check_options options = { .levels = levels,
                                              .level_count = 3,
                                              .engine = round % 2 ? "polygraph" : NULL,
                                              .ablate = round / 2 % 512 };
        if (!esse_check(arena, load_text(arena, "native", text), &options, &result, &err))
            fail_msg("round %u: %s\n%s", round, err.text, text);
        for (int i = 0; i < 3; i++) {
            enum esse_outcome outcome = result->verdicts[i].outcome;
            bool truth = holds(&h, (enum rule)i);
            counts[i][outcome]++;
            if (outcome != ESSE_UNKNOWN && (outcome == ESSE_HOLDS) != truth)
                fail_msg("round %u: %s %s by definition\n%s", round, levels[i],
                         truth ? "holds" : "is violated", text);
        }
        esse_arena_free(arena);
    }
    for (int i = 0; i < 3; i++) {
        print_message("%-20s %u hold, %u violated, %u unknown\n", levels[i], counts[i][ESSE_HOLDS],
                      counts[i][ESSE_VIOLATED], counts[i][ESSE_UNKNOWN]);
        CHECK(counts[i][ESSE_HOLDS] > 100 && counts[i][ESSE_VIOLATED] > 50);
        CHECK_EQ(counts[i][ESSE_UNKNOWN], 0);
    }
}

/* ---- outcomes that are not known ---- */

static void forget_outcomes(struct p_history *h, struct esse_rng *rng)
{
    for (int t = 0; t < h->count; t++)
        if (!esse_rng_below(rng, 3))
            h->txns[t].status = ESSE_UNKNOWN_OUTCOME;
}

/* In the world in which those committed whose bits are set? */
static bool holds_if(const struct p_history *h, enum rule rule, unsigned committed)
{
    struct p_history world = *h;
    for (int t = 0; t < h->count; t++)
        if (h->txns[t].status == ESSE_UNKNOWN_OUTCOME)
            world.txns[t].status = committed >> t & 1 ? ESSE_COMMITTED : ESSE_ABORTED;
    return holds(&world, rule);
}

static bool holds_in_some_world(const struct p_history *h, enum rule rule)
{
    for (unsigned committed = 0; committed < 1u << h->count; committed++)
        if (holds_if(h, rule, committed))
            return true;
    return false;
}

TEST(test_polygraph__predicates_agree_with_all_choices_of_who_committed)
{
    static const char *const levels[] = { "serializable", "snapshot-isolation", "prefix" };
    static const char *const engines[] = { NULL, NULL, "polygraph", "dsg" };
    struct esse_rng rng = { 12 };
    unsigned counts[3][3] = { { 0 } };
    for (unsigned round = 0; round < test_rounds(1000); round++) {
        struct esse_arena *arena = esse_arena_new();
        const struct esse_result *result;
        struct esse_error err;
        struct p_history h;
        p_random_history(&h, &rng, P_TXNS);
        forget_outcomes(&h, &rng);
        for (int i = 0; i < (int)(round % 3); i++)
            p_damage(&h, &rng);
        const char *text = p_write(arena, &h), *engine = engines[round % 4];
        const struct esse_check_options options = { .levels = levels,
                                                    .level_count = 3,
                                                    .engine = engine };
        if (!esse_check(arena, load_text(arena, "native", text), &options, &result, &err))
            fail_msg("round %u: %s\n%s", round, err.text, text);
        for (int i = 0; i < 3; i++) {
            const enum esse_outcome outcome = result->verdicts[i].outcome;
            const bool truth = holds_in_some_world(&h, (enum rule)i);
            counts[i][outcome]++;
            if (outcome == ESSE_UNKNOWN ? !engine : (outcome == ESSE_HOLDS) != truth)
                fail_msg("round %u: %s is %d and %s by definition\n%s", round, levels[i], outcome,
                         truth ? "holds" : "violated", text);
        }
        esse_arena_free(arena);
    }
    for (int i = 0; i < 3; i++)
        print_message("%s: %u hold, %u violated, %u unknown\n", levels[i], counts[i][0],
                      counts[i][1], counts[i][2]);
}

/* A list is no row, whatever its elements are. */
TEST(test_polygraph__predicates_pass_over_lists)
{
    static const char *const levels[] = { "prefix", "snapshot-isolation", "strict-serializable" };
    static const char *const engines[] = { "polygraph", "dsg", NULL };
    static const char *const texts[] = {
        "{'session':0,'ops':[{'a':'x','v':1}]}\n"
        "{'session':1,'ops':[{'r':'x','v':[]}]}\n"
        "{'session':0,'ops':[{'p':'v = 1','rows':{}}]}\n",
        "{'session':0,'ops':[{'a':'x','v':2}]}\n"
        "{'session':1,'ops':[{'w':'y','v':3}]}\n"
        "{'session':0,'ops':[{'p':'v > 1','rows':{'y':3}}]}\n",
    };
    for (unsigned i = 0; i < 6; i++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_check_options options = { .levels = levels,
                                              .level_count = 3,
                                              .engine = engines[i % 3] };
        const struct esse_result *result;
        struct esse_error err;
        if (!esse_check(arena, load_text(arena, "native", texts[i / 3]), &options, &result, &err))
            fail_msg("%s", err.text);
        for (uint32_t l = 0; l < result->verdict_count; l++)
            CHECK(result->verdicts[l].outcome == ESSE_HOLDS ||
                  (options.engine && result->verdicts[l].outcome == ESSE_UNKNOWN));
        esse_arena_free(arena);
    }
}

/* What the solver may choose says nothing of aggregates, so whether its order proves anything is
 * luck.  In these the first estimate of the order leads to one that does not, the second to one
 * that does. */
TEST(test_polygraph__aggregates_are_tried_with_two_estimates)
{
    static const char *const texts[] = {
        "{'init':{'x':0}}\n"
        "{'session':0,'ops':[{'r':'x','v':2},{'r':'x','v':2},{'w':'x','v':1}]}\n"
        "{'session':0,'ops':[{'r':'x','v':0},{'w':'x','v':2}]}\n"
        "{'session':2,'ops':[{'p':'SELECT count(*) FROM t WHERE v >= 1 AND v <= 3',"
        "'result':[1]}]}\n"
        "{'session':1,'ops':[{'p':'SELECT max(v) FROM t WHERE v >= 2 AND v <= 4',"
        "'result':[null]}]}\n"
        "{'session':0,'ops':[{'p':'SELECT sum(v) FROM t WHERE v >= 0 AND v <= 2','result':[1]},"
        "{'w':'x','v':3}]}\n"
        "{'session':1,'ops':[{'w':'x','v':4},{'p':'SELECT sum(v) FROM t WHERE v >= 3 AND v <= 4',"
        "'result':[4]},{'w':'x','v':5},{'p':'SELECT count(*) FROM t WHERE v >= 3 AND v <= 6',"
        "'result':[1]}]}\n",
        "{'init':{'x':0}}\n"
        "{'session':1,'ops':[{'r':'y','v':null},{'w':'y','v':1}]}\n"
        "{'session':3,'ops':[{'p':'SELECT count(*) FROM t WHERE v >= 1 AND v <= 4','result':[1]},"
        "{'w':'y','v':2}]}\n"
        "{'session':0,'ops':[{'p':'SELECT max(v) FROM t WHERE v >= 1 AND v <= 3',"
        "'result':[2]}]}\n"
        "{'session':0,'ops':[{'w':'y','v':3},{'r':'x','v':1}]}\n"
        "{'session':1,'ops':[{'r':'x','v':1}]}\n"
        "{'session':1,'ops':[{'p':'SELECT sum(v) FROM t WHERE v >= 3 AND v <= 5',"
        "'result':[null]},{'w':'x','v':1},{'w':'y','v':4}]}\n",
    };
    static const char *const level = "serializable";
    const struct esse_check_options options = { .levels = &level, .level_count = 1 };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct esse_arena *arena = esse_arena_new();
        const struct esse_result *result;
        struct esse_error err;
        CHECK(esse_check(arena, load_text(arena, "native", texts[i]), &options, &result, &err));
        CHECK_EQ(result->verdicts[0].outcome, ESSE_HOLDS);
        esse_arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_polygraph__predicates_agree_with_all_orders),
        cmocka_unit_test(test_polygraph__predicates_agree_with_all_choices_of_who_committed),
        cmocka_unit_test(test_polygraph__predicates_pass_over_lists),
        cmocka_unit_test(test_polygraph__aggregates_are_tried_with_two_estimates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
