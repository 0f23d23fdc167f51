#include "history/certificate.h"
#include "load_text.h"
#include "predicate_random.h"
#include "version_set_oracle.h"

/*
 * Histories with predicates against all orders of versions and all version sets: with none of
 * them given, some, or all.
 */

static const struct asked {
    const char *name;
    enum w_rule rule;
    bool so, rt;
} asked[] = {
    { "read-committed", W_COMMITTED, false, false },
    { "repeatable-read", W_REPEATABLE, false, false },
    { "snapshot-isolation", W_SNAPSHOT, false, false },
    { "serializable", W_SERIAL, false, false },
    { "strong-session-read-committed", W_COMMITTED, true, false },
    { "strong-session-snapshot-isolation", W_SNAPSHOT, true, false },
    { "strong-session-serializable", W_SERIAL, true, false },
    { "strong-read-committed", W_COMMITTED, true, true },
    { "strong-snapshot-isolation", W_SNAPSHOT, true, true },
    { "strict-serializable", W_SERIAL, true, true },
};
enum { ASKED = sizeof asked / sizeof *asked, MOST_TXNS = 5 };

/* ---- what is given ---- */

static void place_in_time(struct p_history *h, struct esse_rng *rng)
{
    int over[3] = { 0 };
    h->has_sessions = h->has_times = true;
    for (int t = 0; t < h->count; t++) {
        struct p_txn *txn = &h->txns[t];
        txn->session = (int)esse_rng_below(rng, 3);
        txn->start = 5 * t + (int)esse_rng_below(rng, 15);
        if (txn->start < over[txn->session])
            txn->start = over[txn->session];
        txn->end = txn->start + 1 + (int)esse_rng_below(rng, 15);
        over[txn->session] = txn->end;
    }
}

/* The order of versions is that of the commits, but for a swap now and then. */
static void give_orders(struct p_history *h, struct esse_rng *rng)
{
    const uint32_t share = esse_rng_below(rng, 3);
    for (int t = 0; t < h->count; t++)
        h->place[t] = t;
    if (esse_rng_below(rng, 3) == 0) {
        const int a = (int)esse_rng_below(rng, (uint32_t)h->count);
        const int b = (int)esse_rng_below(rng, (uint32_t)h->count);
        h->place[a] = b;
        h->place[b] = a;
    }
    for (int key = 0; key < P_KEYS; key++)
        h->has_order[key] = share == 2 || (share == 1 && esse_rng_below(rng, 2));
}

static void give_vsets(struct p_history *h, struct esse_rng *rng)
{
    const uint32_t share = esse_rng_below(rng, 3);
    for (int t = 0; t < h->count; t++)
        for (int i = 0; i < h->txns[t].count; i++)
            h->txns[t].ops[i].has_vset = share == 2 || (share == 1 && esse_rng_below(rng, 2));
}

/* ---- comparing ---- */

/* The first level on which Esse and the definitions differ; -1 if none.  'counts' by level and
 * outcome. */
static int differs(const struct p_history *h, unsigned counts[ASKED][3])
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_result *result;
    const char *names[ASKED];
    struct esse_error err;
    int found = -1;
    for (int i = 0; i < ASKED; i++)
        names[i] = asked[i].name;
    struct esse_check_options options = { .levels = names, .level_count = ASKED };
    const char *text = p_write(arena, h);
    struct esse_history *history = load_text(arena, "native", text);
    if (!esse_certificate_check(history, &err)) { /* of what damage has undone */
        esse_arena_free(arena);
        return -1;
    }
    const bool ok = esse_check(arena, history, &options, &result, &err);
    if (!ok) {
        print_message("%s\n", err.text);
        found = 0;
    }
    for (int i = ASKED - 1; ok && i >= 0; i--) {
        const enum esse_outcome outcome = result->verdicts[i].outcome;
        const bool holds = w_holds(h, asked[i].rule, asked[i].so, asked[i].rt);
        counts[i][outcome]++;
        if (outcome != ESSE_UNKNOWN && holds != (outcome == ESSE_HOLDS))
            found = i;
    }
    esse_arena_free(arena);
    return found;
}

/* ---- making small what differs ---- */

static void drop_txn(struct p_history *h, int t)
{
    memmove(&h->txns[t], &h->txns[t + 1], (size_t)(h->count - t - 1) * sizeof *h->txns);
    memmove(&h->place[t], &h->place[t + 1], (size_t)(h->count - t - 1) * sizeof *h->place);
    h->count--;
}

static bool try_smaller(struct p_history *h, const struct p_history *smaller)
{
    unsigned counts[ASKED][3] = { { 0 } };
    if (w_is_internal(smaller) || differs(smaller, counts) < 0)
        return false;
    *h = *smaller;
    return true;
}

static void shrink(struct p_history *h)
{
    for (int t = h->count - 1; t >= 0; t--) {
        struct p_history smaller = *h;
        drop_txn(&smaller, t);
        if (try_smaller(h, &smaller))
            continue;
        for (int i = h->txns[t].count - 1; i >= 0; i--) {
            struct p_txn *txn = &smaller.txns[t];
            smaller = *h;
            memmove(&txn->ops[i], &txn->ops[i + 1],
                    (size_t)(txn->count - i - 1) * sizeof *txn->ops);
            txn->count--;
            try_smaller(h, &smaller);
        }
    }
    for (int key = 0; key < P_KEYS; key++) {
        struct p_history smaller = *h;
        smaller.has_order[key] = false;
        try_smaller(h, &smaller);
    }
}

static void tell(struct p_history *h, unsigned round)
{
    unsigned counts[ASKED][3] = { { 0 } };
    struct esse_arena *arena = esse_arena_new();
    shrink(h);
    const int i = differs(h, counts);
    fail_msg("round %u: %s %s by definition\n%s", round, asked[i].name,
             w_holds(h, asked[i].rule, asked[i].so, asked[i].rt) ? "holds" : "is violated",
             p_write(arena, h));
}

TEST(version_sets__every_level_agrees_with_all_orders_and_version_sets)
{
    struct esse_rng rng = { 17 };
    unsigned counts[ASKED][3] = { { 0 } };
    for (unsigned round = 0; round < test_rounds(2000); round++) {
        struct p_history h;
        p_random_history(&h, &rng, MOST_TXNS);
        place_in_time(&h, &rng);
        give_orders(&h, &rng);
        give_vsets(&h, &rng);
        for (int i = 0; i < (int)(round % 3); i++)
            p_damage(&h, &rng);
        if (!w_is_internal(&h) && differs(&h, counts) >= 0)
            tell(&h, round);
    }
    for (int i = 0; i < ASKED; i++) {
        print_message("%-34s %u hold, %u violated, %u unknown\n", asked[i].name,
                      counts[i][ESSE_HOLDS], counts[i][ESSE_VIOLATED], counts[i][ESSE_UNKNOWN]);
        CHECK(counts[i][ESSE_HOLDS] > 100 && counts[i][ESSE_VIOLATED] > 50);
        CHECK(counts[i][ESSE_UNKNOWN] * 20 < counts[i][ESSE_HOLDS]);
    }
}

/* ---- what that found, made small ---- */

static enum esse_outcome outcome_of(const char *level, const char *text)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_check_options options = { .levels = &level, .level_count = 1 };
    const struct esse_result *result;
    struct esse_error err;
    if (!esse_check(arena, load_text(arena, "native", text), &options, &result, &err))
        fail_msg("%s\n%s", err.text, text);
    const enum esse_outcome outcome = result->verdicts[0].outcome;
    esse_arena_free(arena);
    return outcome;
}

/* Whichever version of y t1 saw, t2's 7 came after it: the version order says so, and the recheck
 * of the refutation did not look there. */
TEST(version_sets__a_refutation_may_rest_on_a_version_order)
{
    CHECK_EQ(
        outcome_of(
            "strict-serializable",
            "{'init':{'y':2}}\n"
            "{'session':0,'txn':'t0','start':14,'end':25,"
            "'ops':[{'u':'TRUE','rows':{'y':[2,0]}}]}\n"
            "{'session':0,'txn':'t1','start':25,'end':28,'ops':[{'p':'v % 3 = 1','rows':{}}]}\n"
            "{'session':2,'txn':'t2','start':12,'end':15,'ops':[{'w':'y','v':7}]}\n"
            "{'version_order':{'y':[{'txn':'t0'},{'txn':'t2'}]}}\n"),
        ESSE_VIOLATED);
}

/* The session made z 7 after 8, and t3 still saw 8.  That it could have seen t2's delete instead,
 * in another order, was taken for a proof. */
TEST(version_sets__an_order_that_sees_another_version_set_proves_nothing)
{
    CHECK(outcome_of(
              "strong-session-snapshot-isolation",
              "{'init':{'z':6}}\n"
              "{'session':1,'txn':'t0','ops':[{'w':'z','v':8}]}\n"
              "{'session':1,'txn':'t1','ops':[{'w':'z','v':7}]}\n"
              "{'session':0,'txn':'t2','ops':[{'d':'z'}]}\n"
              "{'session':1,'txn':'t3','ops':[{'p':'v % 3 = 1','rows':{},'vset':{'z':8}}]}\n") !=
          ESSE_HOLDS);
}

/* The same, where the transaction itself writes later what its version set names. */
TEST(version_sets__nobody_sees_what_he_writes_only_later)
{
    CHECK(outcome_of("strong-session-snapshot-isolation",
                     "{'init':{'y':3}}\n"
                     "{'session':1,'txn':'t0','ops':[{'w':'y','v':5}]}\n"
                     "{'session':0,'txn':'t1','ops':[{'d':'y'}]}\n"
                     "{'session':1,'txn':'t2','ops':[{'p':'v >= 4 AND v <= 6','rows':{},"
                     "'vset':{'y':3}},{'w':'y','v':3}]}\n") != ESSE_HOLDS);
}

/* t0 never was: the 3 that t3 read is t1's, and the cycle through it is one. */
TEST(version_sets__who_aborted_is_no_writer)
{
    CHECK_EQ(outcome_of("serializable",
                        "{'init':{'y':5}}\n"
                        "{'session':0,'txn':'t0','status':'aborted','ops':[{'w':'y','v':3}]}\n"
                        "{'session':1,'txn':'t1','ops':[{'w':'y','v':3}]}\n"
                        "{'session':2,'txn':'t2','ops':[{'u':'TRUE','rows':{'y':[3,4]}}]}\n"
                        "{'session':3,'txn':'t3','ops':[{'p':'v >= 3 AND v <= 3',"
                        "'rows':{'y':3}},{'w':'z','v':2}]}\n"
                        "{'version_order':{'y':[{'txn':'t1'},{'txn':'t2'}]}}\n"),
             ESSE_VIOLATED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_sets__every_level_agrees_with_all_orders_and_version_sets),
        cmocka_unit_test(version_sets__a_refutation_may_rest_on_a_version_order),
        cmocka_unit_test(version_sets__an_order_that_sees_another_version_set_proves_nothing),
        cmocka_unit_test(version_sets__nobody_sees_what_he_writes_only_later),
        cmocka_unit_test(version_sets__who_aborted_is_no_writer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
