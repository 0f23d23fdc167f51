#include "base/budget.h"
#include "engine/shrink.h"
#include "history/subset.h"
#include "load_text.h"

static const char *const serializable = "serializable";

static struct esse_check_options check_at(const char *const *level)
{
    return (struct esse_check_options){ .levels = level, .level_count = 1 };
}

static struct esse_history *take(struct esse_arena *arena, const struct esse_history *history,
                                 const struct esse_selection *selection)
{
    struct esse_history *part;
    struct esse_error err = { 0 };
    if (!esse_history_subset(arena, history, selection, &part, &err))
        fail_msg("refused: %s", err.text);
    return part;
}

/* The history without one transaction, as native text. */
static const char *without_txn(struct esse_arena *arena, const char *format, const char *text,
                               uint32_t txn)
{
    struct esse_history *history = load_text(arena, format, text);
    struct esse_selection selection = esse_selection_all(arena, history);
    selection.txns[txn] = 0;
    return write_text(arena, format, take(arena, history, &selection));
}

#define HEADER "{'esse':'history','version':1}\n"

/* ---- parts of a history ---- */

TEST(test_subset__everything_is_the_same_history)
{
    static const char text[] =
        "{'esse':'history','version':1,'db':'a longer name','columns':['k','v']}\n"
        "{'session':'one','txn':'a','start':1,'end':5,'start_ts':7,'commit_ts':9,"
        "'ops':[{'r':'x','v':null,'t':[2,3]},{'w':'x','v':{'v':'a long text'}}]}\n"
        "{'session':2,'txn':'b','status':'aborted','ops':[{'a':'l','v':4611686018427387904},"
        "{'r':'l','v':[4611686018427387904]},{'d':'x'}]}\n"
        "{'session':2,'txn':'c','status':'unknown','ops':[{'p':'v < 5','rows':{'y':0},"
        "'vset':{'y':0}},{'u':'v < 5','rows':{'y':[0,1]}},{'r':'y'}]}\n"
        "{'init':{'y':0}}\n"
        "{'version_order':{'x':[{'txn':'a'}]}}\n"
        "{'order':['a','c']}\n";
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = load_text(arena, "native", text);
    struct esse_selection all = esse_selection_all(arena, history);
    CHECK_TEXT(write_text(arena, "native", take(arena, history, &all)),
               write_text(arena, "native", history));
    esse_arena_free(arena);
}

TEST(test_subset__names_stay_what_reports_called_them)
{
    struct esse_arena *arena = esse_arena_new();
    CHECK_JSON(arena,
               without_txn(arena, "native",
                           "{'session':0,'ops':[{'w':'x','v':1}]}\n"
                           "{'session':0,'ops':[{'w':'x','v':2}]}\n",
                           0),
               HEADER "{'session':0,'txn':'0/1','ops':[{'w':'x','v':2}]}\n");
    esse_arena_free(arena);
}

TEST(test_subset__what_read_something_left_out_goes_too)
{
    struct esse_arena *arena = esse_arena_new();
    CHECK_JSON(
        arena,
        without_txn(arena, "native",
                    "{'session':0,'txn':'a','ops':[{'w':'x','v':1},{'a':'l','v':1}]}\n"
                    "{'session':1,'txn':'b','ops':[{'r':'x','v':1},{'r':'x','v':7},{'a':'l',"
                    "'v':2},{'r':'l','v':[1,2,9]}]}\n",
                    0),
        HEADER
        "{'session':1,'txn':'b','ops':[{'r':'x','v':7},{'a':'l','v':2},{'r':'l','v':[2,9]}]}\n");
    /* Another transaction wrote the same: which of them was read is unknown. */
    CHECK_JSON(arena,
               without_txn(arena, "native",
                           "{'session':0,'txn':'a','ops':[{'w':'x','v':1}]}\n"
                           "{'session':1,'txn':'b','ops':[{'w':'x','v':1}]}\n"
                           "{'session':2,'txn':'c','ops':[{'r':'x','v':1}]}\n",
                           0),
               HEADER "{'session':1,'txn':'b','ops':[{'w':'x','v':1}]}\n"
                      "{'session':2,'txn':'c','ops':[]}\n");
    esse_arena_free(arena);
}

TEST(test_subset__a_predicate_update_that_goes_takes_its_readers_along)
{
    struct esse_arena *arena = esse_arena_new();
    CHECK_JSON(arena,
               without_txn(arena, "native",
                           "{'session':0,'txn':'c','ops':[{'w':'x','v':1}]}\n"
                           "{'session':1,'txn':'b','ops':[{'r':'x','v':2},{'w':'z','v':1}]}\n"
                           "{'session':2,'txn':'a','ops':[{'u':'v < 5','rows':{'x':[1,2]}}]}\n",
                           0),
               HEADER "{'session':1,'txn':'b','ops':[{'w':'z','v':1}]}\n"
                      "{'session':2,'txn':'a','ops':[]}\n");
    esse_arena_free(arena);
}

TEST(test_subset__what_was_overwritten_is_not_the_last)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history =
        load_text(arena, "native",
                  "{'session':0,'txn':'a','ops':[{'w':'x','v':1},{'w':'y','v':1},{'d':'x'}]}\n"
                  "{'session':1,'txn':'b','ops':[{'r':'x','v':null},{'r':'y','v':1}]}\n");
    struct esse_selection selection = esse_selection_all(arena, history);
    selection.ops[2] = 0;
    CHECK_JSON(arena, write_text(arena, "native", take(arena, history, &selection)),
               HEADER "{'session':0,'txn':'a','ops':[{'w':'y','v':1}]}\n"
                      "{'session':1,'txn':'b','ops':[{'r':'y','v':1}]}\n");
    esse_arena_free(arena);
}

/* A predicate that may have seen what is gone is only what it returned, or changed. */
TEST(test_subset__rows_stay_where_a_predicate_cannot)
{
    static const char text[] =
        "{'session':0,'txn':'a','ops':[{'w':'x','v':9}]}\n"
        "{'session':0,'txn':'b','ops':[{'w':'x','v':1},{'w':'y','v':2},{'w':'z','v':3}]}\n"
        "{'session':1,'txn':'c','ops':[{'u':'v < 5','rows':{'y':[2,4],'z':[3,null]}},"
        "{'p':'v < 5','rows':{'y':4}}]}\n";
    struct esse_arena *arena = esse_arena_new();
    CHECK_JSON(arena, without_txn(arena, "native", text, 0),
               HEADER
               "{'session':0,'txn':'b','ops':[{'w':'x','v':1},{'w':'y','v':2},"
               "{'w':'z','v':3}]}\n"
               "{'session':1,'txn':'c','ops':[{'r':'y','v':2},{'r':'z','v':3},{'w':'y','v':4},"
               "{'d':'z'},{'r':'y','v':4}]}\n");
    esse_arena_free(arena);
}

/* A statement ranges over rows that only its SQL names, so it goes with any write, unless what it
 * is judged by is recorded along with it and still there. */
TEST(test_subset__a_statement_goes_with_what_it_may_have_ranged_over)
{
#define COUNT  "{'p':'SELECT count(*) FROM t','result':[2]}"
#define WITHIN "{'p':'SELECT count(*) FROM t','result':[1],'vset':{'t/2':1}}"
    static const char text[] = "{'session':0,'txn':'a','ops':[{'w':'t/1','v':1}]}\n"
                               "{'session':0,'txn':'b','ops':[{'w':'t/2','v':1}]}\n"
                               "{'session':1,'txn':'c','ops':[" COUNT "]}\n"
                               "{'session':2,'txn':'d',"
                               "'ops':[" WITHIN "]}\n";
    struct esse_arena *arena = esse_arena_new();
    CHECK_JSON(arena, without_txn(arena, "native", text, 0),
               HEADER "{'session':0,'txn':'b','ops':[{'w':'t/2','v':1}]}\n"
                      "{'session':1,'txn':'c','ops':[]}\n"
                      "{'session':2,'txn':'d','ops':[" WITHIN "]}\n");
    CHECK_JSON(arena, without_txn(arena, "native", text, 1),
               HEADER "{'session':0,'txn':'a','ops':[{'w':'t/1','v':1}]}\n"
                      "{'session':1,'txn':'c','ops':[]}\n"
                      "{'session':2,'txn':'d','ops':[]}\n");
    CHECK_JSON(arena, without_txn(arena, "native", text, 3),
               HEADER "{'session':0,'txn':'a','ops':[{'w':'t/1','v':1}]}\n"
                      "{'session':0,'txn':'b','ops':[{'w':'t/2','v':1}]}\n"
                      "{'session':1,'txn':'c','ops':[" COUNT "]}\n");
    esse_arena_free(arena);
}

TEST(test_subset__a_snapshot_counts_the_commits_that_are_left)
{
#define READ(snapshot) "{'r':'x','v':null,'snapshot':" snapshot "}"
    static const char by_order[] = "{'session':0,'txn':'a','ops':[" READ(
        "3") "]}\n"
             "{'session':0,'txn':'b','ops':[" READ("2") "," READ(
                 "9") "]}\n"
                      "{'session':0,'txn':'c','ops':[" READ("1") "," READ(
                          "0") "]}\n"
                               "{'order':['c','a','b']}\n"
                               "{'certificate':'commit-order','complete':true}\n";
    static const char by_time[] = "{'session':0,'txn':'a','commit_ts':7,'ops':[" READ(
        "3") "]}\n"
             "{'session':0,'txn':'b','commit_ts':9,'ops':[" READ("2") "," READ(
                 "9") "]}\n"
                      "{'session':0,'txn':'c','commit_ts':-2,'ops':[" READ("1") "," READ(
                          "0") "]}\n"
                               "{'certificate':'commit-order'}\n";
    struct esse_arena *arena = esse_arena_new();
    CHECK_JSON(arena, without_txn(arena, "native", by_order, 2),
               HEADER "{'session':0,'txn':'a','ops':[" READ(
                   "2") "]}\n"
                        "{'session':0,'txn':'b','ops':[" READ("1") "," READ(
                            "9") "]}\n"
                                 "{'order':['a','b']}\n"
                                 "{'certificate':'commit-order','complete':true}\n");
    CHECK_JSON(arena, without_txn(arena, "native", by_time, 0),
               HEADER "{'session':0,'txn':'b','commit_ts':9,'ops':[" READ("1") "," READ(
                   "9") "]}\n"
                        "{'session':0,'txn':'c','commit_ts':-2,'ops':[" READ("1") "," READ(
                            "0") "]}\n"
                                 "{'certificate':'commit-order'}\n");
    esse_arena_free(arena);
}

TEST(test_subset__certificates_and_initial_values_that_still_apply)
{
    struct esse_arena *arena = esse_arena_new();
    CHECK_JSON(arena,
               without_txn(arena, "native",
                           "{'session':0,'txn':'a','ops':[{'w':'x','v':1},{'r':'y','v':0}]}\n"
                           "{'session':1,'txn':'b','ops':[{'w':'x','v':2},{'r':'z','v':5}]}\n"
                           "{'init':{'y':0,'z':5}}\n"
                           "{'version_order':{'x':[1,{'txn':'b'}]}}\n"
                           "{'order':['a','b']}\n",
                           0),
               HEADER "{'init':{'z':5}}\n"
                      "{'session':1,'txn':'b','ops':[{'w':'x','v':2},{'r':'z','v':5}]}\n"
                      "{'version_order':{'x':[{'txn':'b'}]}}\n"
                      "{'order':['b']}\n");
    esse_arena_free(arena);
}

TEST(test_subset__keys_can_go)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = load_text(arena, "native",
                                             "{'session':0,'txn':'a','ops':[{'w':'x','v':1},"
                                             "{'w':'y','v':1},{'p':'v = 1','rows':{'x':1,"
                                             "'y':1}}]}\n");
    struct esse_selection selection = esse_selection_all(arena, history);
    selection.keys[0] = 0;
    CHECK_JSON(arena, write_text(arena, "native", take(arena, history, &selection)),
               HEADER
               "{'session':0,'txn':'a','ops':[{'w':'y','v':1},{'p':'v = 1','rows':{'y':1}}]}\n");
    esse_arena_free(arena);
}

TEST(test_subset__extras_stay_with_their_transaction)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = load_text(
        arena, "jepsen-edn",
        "{:type :ok, :process 0, :f :txn, :value [[:append :x 1]], :index 0, :node \"n0\"}\n"
        "{:type :ok, :process 1, :f :txn, :value [[:append :x 2]], :index 1, :node \"n1\"}\n");
    struct esse_selection selection = esse_selection_all(arena, history);
    selection.txns[0] = 0;
    struct esse_history *part = take(arena, history, &selection);
    CHECK_EQ(part->extra_count, 1);
    CHECK_EQ(part->extras[0].txn.ix, 0);
    CHECK(memcmp(part->extras[0].text.at, "\"n1\"", 4) == 0);
    CHECK_TEXT(part->format, history->format);
    CHECK_EQ(part->workload, history->workload);
    esse_arena_free(arena);
}

TEST(test_subset__statements_stay_with_their_operations)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history =
        load_text(arena, "native",
                  "{'esse':'history','version':1,'statements':['the first','the second']}\n"
                  "{'session':0,'ops':[{'w':'x','v':1,'s':1}]}\n"
                  "{'session':1,'ops':[{'w':'x','v':2,'s':2}]}\n");
    struct esse_selection selection = esse_selection_all(arena, history);
    selection.txns[0] = 0;
    CHECK_JSON(arena, write_text(arena, "native", take(arena, history, &selection)),
               "{'esse':'history','version':1,'statements':['the first','the second']}\n"
               "{'session':1,'txn':'1/0','ops':[{'w':'x','v':2,'s':2}]}\n");
    esse_arena_free(arena);
}

/* ---- shrinking ---- */

static struct esse_shrunk shrunk_of(struct esse_arena *arena, const struct esse_history *history,
                                    const char *anomaly)
{
    struct esse_check_options check = check_at(&serializable);
    struct esse_shrink_options options = { &check, anomaly };
    struct esse_shrunk shrunk;
    struct esse_error err = { 0 };
    if (!esse_shrink(arena, history, &options, &shrunk, &err))
        fail_msg("shrink failed: %s on\n%s", err.text, write_text(arena, "native", history));
    return shrunk;
}

TEST(test_shrink__an_aborted_read_keeps_its_writer)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = load_text(
        arena, "native",
        "{'session':0,'txn':'a','ops':[{'w':'x','v':1},{'w':'y','v':1}]}\n"
        "{'session':1,'txn':'b','status':'aborted','ops':[{'w':'y','v':2},{'w':'x','v':2}]}\n"
        "{'session':2,'txn':'c','ops':[{'r':'y','v':1},{'r':'x','v':2}]}\n");
    struct esse_shrunk shrunk = shrunk_of(arena, history, "G1a");
    CHECK_EQ(shrunk.type, ESSE_ANOMALY_G1A);
    CHECK(shrunk.is_minimal);
    CHECK_JSON(arena, write_text(arena, "native", shrunk.part),
               HEADER "{'session':1,'txn':'b','status':'aborted','ops':[{'w':'x','v':2}]}\n"
                      "{'session':2,'txn':'c','ops':[{'r':'x','v':2}]}\n");
    esse_arena_free(arena);
}

TEST(test_shrink__nothing_is_shrunk_without_a_violation)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history =
        load_text(arena, "native", "{'session':0,'ops':[{'w':'x','v':1}]}\n");
    struct esse_shrunk shrunk = shrunk_of(arena, history, NULL);
    CHECK(shrunk.outcome != ESSE_VIOLATED);
    CHECK(!shrunk.type);
    history = load_text(arena, "native", "{'session':0,'ops':[{'r':'x','v':1}]}\n");
    shrunk = shrunk_of(arena, history, "G1a");
    CHECK_EQ(shrunk.outcome, ESSE_VIOLATED);
    CHECK(!shrunk.type);
    esse_arena_free(arena);
}

TEST(test_shrink__an_unknown_anomaly_is_bad_usage)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history =
        load_text(arena, "native", "{'session':0,'ops':[{'r':'x','v':1}]}\n");
    struct esse_check_options check = check_at(&serializable);
    struct esse_shrink_options options = { &check, "G9" };
    struct esse_shrunk shrunk;
    struct esse_error err = { 0 };
    CHECK(!esse_shrink(arena, history, &options, &shrunk, &err));
    CHECK_EQ(err.code, ESSE_EUSAGE);
    esse_arena_free(arena);
}

TEST(test_shrink__a_budget_ends_it_with_what_there_is)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = load_text(arena, "native",
                                             "{'session':0,'ops':[{'r':'x','v':1}]}\n"
                                             "{'session':1,'ops':[]}\n");
    struct esse_budget budget = { .cancel = 1 };
    struct esse_check_options check = check_at(&serializable);
    check.budget = &budget;
    struct esse_shrink_options options = { &check, NULL };
    struct esse_shrunk shrunk;
    struct esse_error err = { 0 };
    CHECK(esse_shrink(arena, history, &options, &shrunk, &err));
    CHECK(!shrunk.type || !shrunk.is_minimal);
    esse_arena_free(arena);
}

/* Random operations on few keys: full of anomalies. */
static const char *random_text(struct esse_arena *arena, uint64_t seed, bool lists)
{
    struct esse_rng rng = { seed };
    struct esse_out out;
    esse_out_init_memory(&out, arena);
    const uint32_t txns = 2 + esse_rng_below(&rng, 7);
    for (uint32_t t = 0, value = 1; t < txns; t++) {
        const bool aborted = esse_rng_below(&rng, 6) == 0;
        esse_out_f(&out, "{'session':%u,'txn':'t%u'%s,'ops':[", esse_rng_below(&rng, 3), t,
                   aborted ? ",'status':'aborted'" : "");
        const uint32_t ops = 1 + esse_rng_below(&rng, 4);
        for (uint32_t i = 0; i < ops; i++) {
            const uint32_t key = esse_rng_below(&rng, 3), what = esse_rng_below(&rng, 2);
            const uint32_t a = 1 + esse_rng_below(&rng, value + 1);
            const uint32_t b = a + 1 + esse_rng_below(&rng, 3);
            esse_out_text(&out, i ? "," : "");
            if (what)
                esse_out_f(&out, "{'%s':'k%u','v':%u}", lists ? "a" : "w", key, value++);
            else if (lists)
                esse_out_f(&out, "{'r':'k%u','v':[%u,%u]}", key, a, b);
            else
                esse_out_f(&out, "{'r':'k%u','v':%u}", key, a);
        }
        esse_out_text(&out, "]}\n");
    }
    return esse_out_memory(&out);
}

static bool shows(const struct esse_history *history, enum esse_anomaly_id type)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_check_options check = check_at(&serializable);
    const struct esse_result *result;
    struct esse_error err = { 0 };
    bool found = false;
    CHECK(esse_check(arena, history, &check, &result, &err));
    for (uint32_t i = 0; i < result->anomaly_type_count; i++)
        found = found || result->anomaly_types[i] == type;
    esse_arena_free(arena);
    return found;
}

/* No transaction and no operation can go: those without which it would still be shown must each
 * bring in something new. */
static bool adds_a_type(const struct esse_history *history, const struct esse_result *whole)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_check_options check = check_at(&serializable);
    const struct esse_result *result;
    struct esse_error err = { 0 };
    CHECK(esse_check(arena, history, &check, &result, &err));
    bool adds = false;
    for (uint32_t i = 0; i < result->anomaly_type_count; i++) {
        bool known = false;
        for (uint32_t j = 0; j < whole->anomaly_type_count; j++)
            known = known || result->anomaly_types[i] == whole->anomaly_types[j];
        adds = adds || !known;
    }
    for (uint32_t i = 0; i < result->also_found_count; i++) {
        bool known = false;
        for (uint32_t j = 0; j < whole->also_found_count; j++)
            known = known || result->also_found[i].type == whole->also_found[j].type;
        adds = adds || !known;
    }
    esse_arena_free(arena);
    return adds;
}

static void check_minimal(struct esse_arena *arena, const struct esse_shrunk *shrunk)
{
    for (uint32_t unit = 0; unit < shrunk->part->txns + shrunk->part->ops; unit++) {
        struct esse_selection selection = esse_selection_all(arena, shrunk->part);
        if (unit < shrunk->part->txns)
            selection.txns[unit] = 0;
        else
            selection.ops[unit - shrunk->part->txns] = 0;
        struct esse_history *less = take(arena, shrunk->part, &selection);
        CHECK(!shows(less, shrunk->type) || adds_a_type(less, shrunk->result));
    }
}

TEST(test_shrink__the_result_shows_the_same_and_is_minimal)
{
    unsigned violated = 0;
    for (uint64_t seed = 1 + test_first(300), after = seed + test_rounds(300); seed < after;
         seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_history *history =
            load_text(arena, "native", random_text(arena, seed, seed % 2));
        struct esse_shrunk shrunk = shrunk_of(arena, history, NULL);
        if (shrunk.type) {
            violated++;
            CHECK(shrunk.part->txns <= history->txns);
            CHECK(shrunk.part->ops <= history->ops);
            CHECK(shows(shrunk.part, shrunk.type));
            CHECK(!adds_a_type(shrunk.part, shrunk.result));
            check_minimal(arena, &shrunk);
        }
        esse_arena_free(arena);
    }
    CHECK(violated > test_least(100));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_subset__everything_is_the_same_history),
        cmocka_unit_test(test_subset__names_stay_what_reports_called_them),
        cmocka_unit_test(test_subset__what_read_something_left_out_goes_too),
        cmocka_unit_test(test_subset__a_predicate_update_that_goes_takes_its_readers_along),
        cmocka_unit_test(test_subset__what_was_overwritten_is_not_the_last),
        cmocka_unit_test(test_subset__rows_stay_where_a_predicate_cannot),
        cmocka_unit_test(test_subset__a_statement_goes_with_what_it_may_have_ranged_over),
        cmocka_unit_test(test_subset__a_snapshot_counts_the_commits_that_are_left),
        cmocka_unit_test(test_subset__certificates_and_initial_values_that_still_apply),
        cmocka_unit_test(test_subset__keys_can_go),
        cmocka_unit_test(test_subset__extras_stay_with_their_transaction),
        cmocka_unit_test(test_subset__statements_stay_with_their_operations),
        cmocka_unit_test(test_shrink__an_aborted_read_keeps_its_writer),
        cmocka_unit_test(test_shrink__nothing_is_shrunk_without_a_violation),
        cmocka_unit_test(test_shrink__an_unknown_anomaly_is_bad_usage),
        cmocka_unit_test(test_shrink__a_budget_ends_it_with_what_there_is),
        cmocka_unit_test(test_shrink__the_result_shows_the_same_and_is_minimal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
