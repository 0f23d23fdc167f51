#include "base/arena.h"
#include "history/builder.h"
#include "load_text.h"
#include "random_gen.h"

/*
 * A client that does not learn whether its transaction committed knows less than one that does, so
 * its history can be explained in more ways: to forget outcomes never makes a violation.  Here at
 * random, with whatever the generator can put into a history; and where a certificate shows which
 * committed, nothing is forgotten, and the verdict is the same.
 */

/* A sink before another one, on the way to which some outcomes are forgotten. */
struct forgetting {
    struct esse_sink sink;
    struct esse_sink *to;
    struct esse_rng rng;
    uint32_t one_in; /* 0: none */
    bool of_commits; /* aborts are remembered */
};

static struct forgetting *forgetting(struct esse_sink *sink)
{
    return (struct forgetting *)sink;
}

static bool forget_txn(struct esse_sink *sink, const struct esse_txn_record *txn,
                       struct esse_error *err)
{
    struct forgetting *f = forgetting(sink);
    struct esse_txn_record known = *txn;
    if (f->one_in && !esse_rng_below(&f->rng, f->one_in) &&
        (!f->of_commits || txn->status == ESSE_COMMITTED)) {
        known.status = ESSE_UNKNOWN_OUTCOME;
        known.end = ESSE_NO_TIME;
    }
    return f->to->txn(f->to, &known, err);
}

static bool pass_init(struct esse_sink *sink, const struct esse_row *rows, size_t count,
                      struct esse_error *err)
{
    return forgetting(sink)->to->init(forgetting(sink)->to, rows, count, err);
}

static bool pass_version_order(struct esse_sink *sink, esse_value key,
                               const struct esse_version_ref *versions, size_t count,
                               struct esse_error *err)
{
    return forgetting(sink)->to->version_order(forgetting(sink)->to, key, versions, count, err);
}

static bool pass_order(struct esse_sink *sink, const esse_value *names, size_t count,
                       struct esse_error *err)
{
    return forgetting(sink)->to->order(forgetting(sink)->to, names, count, err);
}

static bool pass_certificate(struct esse_sink *sink,
                             const struct esse_certificate_record *certificate,
                             struct esse_error *err)
{
    return forgetting(sink)->to->certificate(forgetting(sink)->to, certificate, err);
}

static bool pass_finish(struct esse_sink *sink, struct esse_error *err)
{
    return forgetting(sink)->to->finish(forgetting(sink)->to, err);
}

/* The history of these options, with one in so many outcomes forgotten. */
static struct esse_history *generated(struct esse_arena *arena,
                                      const struct esse_gen_options *options, uint32_t one_in,
                                      bool of_commits)
{
    struct esse_builder *builder = esse_builder_new(arena);
    struct esse_sink *to = esse_builder_sink(builder);
    struct forgetting f = { .sink = { .values = to->values,
                                      .txn = forget_txn,
                                      .init = pass_init,
                                      .version_order = pass_version_order,
                                      .order = pass_order,
                                      .certificate = pass_certificate,
                                      .finish = pass_finish },
                            .to = to,
                            .rng = { options->work.seed },
                            .one_in = one_in,
                            .of_commits = of_commits };
    struct esse_history *history = NULL;
    struct esse_error err;
    if (!esse_gen_run(options, &f.sink, NULL, &err) ||
        !esse_builder_freeze(builder, &history, &err))
        fail_msg("%s", err.text);
    return history;
}

static struct esse_gen_options random_options(struct esse_rng *rng)
{
    static const enum esse_store_level store[] = { ESSE_STORE_SERIALIZABLE,
                                                   ESSE_STORE_SNAPSHOT_ISOLATION,
                                                   ESSE_STORE_READ_COMMITTED };
    struct esse_gen_options options = random_gen_options(rng);
    options.level = store[esse_rng_below(rng, 3)];
    return options;
}

static const char *const levels[] = { "strict-serializable", "serializable", "snapshot-isolation",
                                      "repeatable-read",     "read-atomic",  "read-committed" };
enum { LEVELS = sizeof levels / sizeof *levels };

static void check_all(const struct esse_history *history, const char *engine,
                      enum esse_outcome outcomes[LEVELS])
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_check_options check = { .levels = levels,
                                              .level_count = LEVELS,
                                              .engine = engine };
    const struct esse_result *result;
    struct esse_error err = { 0 };
    if (!esse_check(arena, history, &check, &result, &err)) {
        fprintf(stderr, "%s", write_text(arena, "native", history));
        fail_msg("%s", err.text);
    }
    for (uint32_t i = 0; i < LEVELS; i++)
        outcomes[i] = result->verdicts[i].outcome;
    esse_arena_free(arena);
}

static void tell(struct esse_arena *arena, const struct esse_history *less,
                 const struct esse_history *whole)
{
    fprintf(stderr, "%sis, with all outcomes:\n%s", write_text(arena, "native", less),
            write_text(arena, "native", whole));
}

TEST(test_outcomes__to_forget_them_makes_no_violation)
{
    static const char *const engines[] = { NULL, NULL, "dsg", "polygraph", "saturate" };
    for (unsigned seed = test_first(4000), after = seed + test_rounds(4000); seed < after; seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_rng rng = { seed };
        const struct esse_gen_options options = random_options(&rng);
        const struct esse_history *whole = generated(arena, &options, 0, false);
        const struct esse_history *less =
            generated(arena, &options, 1 + esse_rng_below(&rng, 4), false);
        const char *engine = engines[esse_rng_below(&rng, 5)];
        enum esse_outcome of_whole[LEVELS], of_less[LEVELS];
        check_all(whole, engine, of_whole);
        check_all(less, engine, of_less);
        for (uint32_t i = 0; i < LEVELS; i++)
            if (of_less[i] == ESSE_VIOLATED && of_whole[i] != ESSE_VIOLATED) {
                tell(arena, less, whole);
                fail_msg("seed %u, %s: %s violated", seed, engine ? engine : "any", levels[i]);
            }
        esse_arena_free(arena);
    }
}

/* Times apart: it is not known when a transaction of unknown outcome ended. */
TEST(test_outcomes__a_certificate_tells_who_committed)
{
    unsigned resolved = 0;
    for (unsigned seed = test_first(3000), after = seed + test_rounds(3000); seed < after; seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_rng rng = { seed };
        const struct esse_gen_options options = random_options(&rng);
        const struct esse_history *whole = generated(arena, &options, 0, false);
        const struct esse_history *less =
            generated(arena, &options, 1 + esse_rng_below(&rng, 4), true);
        enum esse_outcome of_whole[LEVELS], of_less[LEVELS];
        if (options.certifies == ESSE_CERTIFICATE_NONE) {
            esse_arena_free(arena);
            continue;
        }
        check_all(whole, NULL, of_whole);
        check_all(less, NULL, of_less);
        for (uint32_t i = 1; i < LEVELS; i++)
            if (of_less[i] != of_whole[i] && of_whole[i] != ESSE_UNKNOWN) {
                tell(arena, less, whole);
                fail_msg("seed %u: %s is %d instead of %d", seed, levels[i], of_less[i],
                         of_whole[i]);
            }
        for (uint32_t t = 0; less->txn_resolved && t < less->txns; t++)
            resolved += less->txn_resolved[t];
        esse_arena_free(arena);
    }
    CHECK(resolved > test_rounds(1000));
}

/* ---- by hand ---- */

static void check_text(const char *text, enum esse_outcome serializable, enum esse_outcome snapshot)
{
    struct esse_arena *arena = esse_arena_new();
    enum esse_outcome outcomes[LEVELS];
    check_all(load_text(arena, "native", text), NULL, outcomes);
    CHECK_EQ(outcomes[1], serializable);
    CHECK_EQ(outcomes[2], snapshot);
    esse_arena_free(arena);
}

#define MISSED                                                                                     \
    "{'init':{'x':1}}\n"                                                                           \
    "{'session':0,'txn':'t1','status':'unknown','ops':[{'d':'x'}]}\n"                              \
    "{'session':1,'txn':'t2','ops':[{'p':'v > 0','rows':{}}]}\n"

/* A row is missing that was deleted, or was not. */
TEST(test_outcomes__an_unknown_delete_may_be_why_a_row_is_missing)
{
    check_text(MISSED, ESSE_HOLDS, ESSE_HOLDS);
    check_text(MISSED "{'order':['t1','t2']}\n", ESSE_HOLDS, ESSE_HOLDS);
    check_text(MISSED "{'version_order':{'x':[{'txn':'t1'}]}}\n", ESSE_HOLDS, ESSE_HOLDS);
    check_text(MISSED "{'certificate':'commit-order','complete':true}\n"
                      "{'order':['t2']}\n",
               ESSE_VIOLATED, ESSE_VIOLATED);
}

/* What does not depend on that is wrong all the same. */
TEST(test_outcomes__what_is_wrong_in_every_case_is_told)
{
    check_text(MISSED "{'session':2,'ops':[{'r':'y','v':null},{'w':'y','v':1}]}\n"
                      "{'session':3,'ops':[{'r':'y','v':null},{'w':'y','v':2}]}\n",
               ESSE_VIOLATED, ESSE_VIOLATED);
    check_text(MISSED "{'session':2,'ops':[{'r':'y','v':null},{'w':'z','v':1}]}\n"
                      "{'session':3,'ops':[{'r':'z','v':null},{'w':'y','v':2}]}\n",
               ESSE_VIOLATED, ESSE_HOLDS);
}

/* A transaction of unknown outcome that was seen counts, and so does what is wrong with it. */
TEST(test_outcomes__what_was_seen_must_not_contradict_itself)
{
    check_text("{'session':0,'ops':[{'a':'x','v':1}]}\n"
               "{'session':1,'ops':[{'a':'x','v':2}]}\n"
               "{'session':2,'status':'unknown','ops':[{'r':'x','v':[1]},{'a':'x','v':3},"
               "{'r':'x','v':[1,2,3]}]}\n"
               "{'session':3,'ops':[{'r':'x','v':[1,2,3]}]}\n",
               ESSE_VIOLATED, ESSE_VIOLATED);
    /* Elements read as if they were the list: the evidence was refused. */
    check_text("{'session':0,'status':'unknown','ops':[{'a':'x','v':1},{'r':'x','v':1},"
               "{'r':'x','v':3}]}\n"
               "{'session':1,'ops':[{'r':'x','v':[1]}]}\n"
               "{'session':2,'ops':[{'a':'x','v':3}]}\n",
               ESSE_VIOLATED, ESSE_VIOLATED);
}

/* That it committed is known, but not when: its client gave up at its end, and learnt nothing. */
TEST(test_outcomes__a_certificate_does_not_tell_when)
{
    static const char *const texts[] = {
        "{'session':0,'txn':'a','status':'unknown','start':1,'end':2,'ops':[{'w':'x','v':1}]}\n"
        "{'session':1,'txn':'b','start':3,'end':4,'ops':[{'r':'x','v':null}]}\n"
        "{'order':['b','a']}\n",
        "{'session':0,'txn':'a','status':'unknown','start':1,'end':2,'ops':[{'w':'x','v':1}]}\n"
        "{'session':1,'txn':'b','start':3,'end':4,'ops':[{'w':'x','v':2}]}\n"
        "{'version_order':{'x':[2,1]}}\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int by_order = 0; by_order < 2; by_order++) {
            struct esse_arena *arena = esse_arena_new();
            struct esse_check_options options = { .order_by = by_order ? "order" : NULL };
            const struct esse_result *result;
            struct esse_error err;
            CHECK(esse_check(arena, load_text(arena, "native", texts[i]), &options, &result, &err));
            CHECK(result->verdicts[0].outcome != ESSE_VIOLATED);
            CHECK(by_order || result->verdicts[0].outcome == ESSE_HOLDS);
            esse_arena_free(arena);
        }
}

#define DELETED                                                                                    \
    "{'session':0,'txn':'a','ops':[{'w':'x','v':1}]}\n"                                            \
    "{'session':1,'txn':'u','status':'unknown','ops':[{'d':'x'}]}\n"                               \
    "{'session':2,'txn':'b','ops':[{'r':'x','v':1},{'w':'x','v':2}]}\n"
#define ORDER "{'version_order':{'x':[1,null,2]}}\n"

/* A log that has a delete of an unknown transaction: its place is that of the only candidate. */
TEST(test_outcomes__a_delete_without_a_name_is_that_of_the_only_one_that_deletes)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_history *history = load_text(arena, "native", DELETED ORDER);
    CHECK_EQ(history->txn_status[1], ESSE_COMMITTED);
    CHECK(strstr(write_text(arena, "native", history), json(arena, "[1,{'txn':'u'},2]")));
    check_text(DELETED, ESSE_HOLDS, ESSE_HOLDS);
    check_text(DELETED ORDER, ESSE_VIOLATED, ESSE_VIOLATED);
    /* Also where the order of commits does not have it. */
    check_text(DELETED ORDER "{'order':['a','b']}\n", ESSE_VIOLATED, ESSE_VIOLATED);
    esse_arena_free(arena);
}

/* Where two can have made it, the others are still in order. */
TEST(test_outcomes__a_delete_of_two_leaves_the_others_in_order)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_history *history = load_text(
        arena, "native", DELETED "{'session':3,'status':'unknown','ops':[{'d':'x'}]}\n" ORDER);
    CHECK_EQ(history->txn_status[1], ESSE_UNKNOWN_OUTCOME);
    CHECK_EQ(history->version_orders[0].count, 2);
    esse_arena_free(arena);
}

/* What was recorded is written again as it was. */
TEST(test_outcomes__what_was_recorded_is_kept)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_history *history = load_text(arena, "native", MISSED "{'order':['t1']}\n");
    CHECK_EQ(history->txn_status[0], ESSE_COMMITTED);
    CHECK_EQ(esse_history_counts(history).unknown, 1);
    CHECK(strstr(write_text(arena, "native", history), json(arena, "'status':'unknown'")));
    esse_arena_free(arena);
}

/* Only t0 wrote the 4 that a version set names, so it committed; and what it returned is not in its
 * own version set. */
TEST(test_outcomes__a_version_set_shows_that_a_writer_committed)
{
    const char *level = "read-uncommitted";
    struct esse_arena *arena = esse_arena_new();
    const struct esse_history *history =
        load_text(arena, "native",
                  "{'session':1,'txn':'t0','status':'unknown','ops':[{'p':'v = 2','rows':{'x':2},"
                  "'vset':{'x':null}},{'w':'x','v':4}]}\n"
                  "{'session':2,'txn':'t1','ops':[{'p':'v = 1','rows':{},'vset':{'x':4}}]}\n");
    const struct esse_check_options options = { .levels = &level, .level_count = 1 };
    const struct esse_result *result;
    struct esse_error err;
    CHECK(esse_check(arena, history, &options, &result, &err));
    CHECK_EQ(result->verdicts[0].outcome, ESSE_VIOLATED);
    esse_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outcomes__to_forget_them_makes_no_violation),
        cmocka_unit_test(test_outcomes__a_certificate_tells_who_committed),
        cmocka_unit_test(test_outcomes__an_unknown_delete_may_be_why_a_row_is_missing),
        cmocka_unit_test(test_outcomes__what_is_wrong_in_every_case_is_told),
        cmocka_unit_test(test_outcomes__what_was_seen_must_not_contradict_itself),
        cmocka_unit_test(test_outcomes__a_certificate_does_not_tell_when),
        cmocka_unit_test(
            test_outcomes__a_delete_without_a_name_is_that_of_the_only_one_that_deletes),
        cmocka_unit_test(test_outcomes__a_delete_of_two_leaves_the_others_in_order),
        cmocka_unit_test(test_outcomes__what_was_recorded_is_kept),
        cmocka_unit_test(test_outcomes__a_version_set_shows_that_a_writer_committed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
