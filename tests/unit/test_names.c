#include "base/names.h"
#include "level/level.h"
#include "report/report_parts.h"
#include "test.h"

/* Every value has a name, and no two the same: otherwise a file would not say which it was. */

static const char *dep(unsigned at)
{
    return esse_dep_name((enum esse_dep)at);
}

static const char *outcome(unsigned at)
{
    return esse_outcome_name((enum esse_outcome)at);
}

static const char *order_by(unsigned at)
{
    return esse_order_by_name((enum esse_order_by)at);
}

static const char *evidence(unsigned at)
{
    return esse_evidence_name((enum esse_evidence_kind)at);
}

static const char *basis(unsigned at)
{
    return esse_basis_name((enum esse_basis)at);
}

static const char *certificate(unsigned at)
{
    return esse_certificate_name((enum esse_certificate_kind)at);
}

static const char *spent(unsigned at)
{
    return esse_spent_name((enum esse_spent)at);
}

static const char *level(unsigned at)
{
    return esse_level_name((enum esse_level_id)at);
}

static const char *anomaly(unsigned at)
{
    return esse_anomaly_name((enum esse_anomaly_id)at);
}

TEST(test_names__every_value_has_one_of_its_own)
{
    static const struct {
        const char *(*name)(unsigned at);
        unsigned end;
    } enums[] = {
        { dep, ESSE_DEP_END },
        { outcome, ESSE_UNKNOWN + 1 },
        { order_by, ESSE_ORDER_BY_END },
        { evidence, ESSE_EVIDENCE_END },
        { level, ESSE_LEVEL_END },
        { anomaly, ESSE_ANOMALY_END },
        { basis, ESSE_BASIS_END },
        { certificate, ESSE_CERTIFICATE_END },
        { spent, ESSE_SPENT_INTERRUPTED + 1 },
    };
    for (size_t e = 0; e < sizeof enums / sizeof *enums; e++)
        for (unsigned a = 0; a < enums[e].end; a++) {
            CHECK(enums[e].name(a) != NULL);
            for (unsigned b = 0; b < a; b++)
                CHECK(strcmp(enums[e].name(a), enums[e].name(b)) != 0);
        }
}

TEST(test_names__lists_for_readers_end_after_the_last)
{
    CHECK(!esse_dep_names[ESSE_DEP_END]);
    CHECK(!esse_order_by_names[ESSE_ORDER_BY_END]);
    CHECK(!esse_outcome_names[ESSE_UNKNOWN + 1]);
    CHECK(!esse_basis_names[ESSE_BASIS_END]);
    CHECK(!esse_certificate_names[ESSE_CERTIFICATE_END]);
}

/* An order that was given is a certificate of the same name. */
TEST(test_names__orders_are_certificates)
{
    for (unsigned at = 0; at < ESSE_ORDER_BY_END; at++)
        assert_string_equal(order_by(at), certificate(at));
}

/* The sentence of every reason, with all that it may speak of, and what can be done about it. */
TEST(test_names__every_reason_has_a_sentence_and_a_remedy)
{
    static const struct esse_phase phase = { .name = "pruning", .counts = { { "clauses", 7 } } };
    struct esse_arena *arena = esse_arena_new();
    const char *said[ESSE_REASON_END] = { NULL };
    const struct esse_history history = { 0 };
    struct esse_verdict verdict = { .level = ESSE_LEVEL_SERIALIZABLE,
                                    .outcome = ESSE_UNKNOWN,
                                    .reason = { .anomaly = ESSE_ANOMALY_G1A,
                                                .by = ESSE_ORDER_BY_COMMIT_TS,
                                                .txn = "t1",
                                                .other = "t2",
                                                .said = "pruning",
                                                .counts = { 1, 2 },
                                                .after = &phase } };
    CHECK(!esse_reason_text(arena, &verdict));
    for (unsigned at = 1; at < ESSE_REASON_END; at++) {
        verdict.reason.id = (enum esse_reason_id)at;
        said[at] = esse_reason_text(arena, &verdict);
        CHECK(said[at] && *said[at]);
        CHECK(!strchr(said[at], '%'));
        CHECK(esse_report_remedy(&history, &verdict) != NULL);
        for (unsigned before = 1; before < at; before++)
            CHECK(strcmp(said[at], said[before]) != 0);
    }
    CHECK_TEXT(said[ESSE_REASON_TIME], "stopped: time ran out while pruning, after 7 clauses");
    CHECK_TEXT(said[ESSE_REASON_ORDER_TIE], "t1 and t2 both wrote and have the same commit_ts");
    CHECK_TEXT(said[ESSE_REASON_EXCEPTED], "G1a rules it out, which was to be left out");
    CHECK_TEXT(said[ESSE_REASON_FEW_COMMITTED],
               "only 1 transaction was committed, and at least 2 were asked for");
    esse_arena_free(arena);
}

TEST(test_names__levels_and_anomalies_are_found_by_theirs)
{
    for (unsigned at = 1; at < ESSE_LEVEL_END; at++)
        CHECK_EQ(esse_level_find(level(at))->id, at);
    for (unsigned at = 1; at < ESSE_ANOMALY_END; at++)
        CHECK_EQ(esse_anomaly_find(anomaly(at))->id, at);
}

/* What fails a level is named after it, and shown in the way that the level's column says. */
TEST(test_names__what_fails_a_level_is_shown_as_its_column_says)
{
    for (size_t i = 0; i < esse_level_count(); i++) {
        const struct esse_level *row = esse_level_at(i);
        CHECK(!row->no_order || esse_anomaly_shown_by(row->no_order) == ESSE_SHOWN_BY_REFUTATION);
        CHECK(!row->no_commit_order ||
              esse_anomaly_shown_by(row->no_commit_order) == ESSE_SHOWN_BY_FORCED_CYCLE);
        CHECK(!row->mismatch || esse_anomaly_shown_by(row->mismatch) == ESSE_SHOWN_BY_ORDER);
        CHECK(!row->no_order || esse_level_failing_by(row->no_order) == row);
        CHECK(!row->no_commit_order || esse_level_failing_by(row->no_commit_order) == row);
        CHECK(!row->mismatch || esse_level_failing_by(row->mismatch) == row);
    }
    CHECK(!esse_level_failing_by(ESSE_ANOMALY_NONE));
    CHECK(!esse_level_failing_by(ESSE_ANOMALY_G1A));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names__every_value_has_one_of_its_own),
        cmocka_unit_test(test_names__lists_for_readers_end_after_the_last),
        cmocka_unit_test(test_names__orders_are_certificates),
        cmocka_unit_test(test_names__every_reason_has_a_sentence_and_a_remedy),
        cmocka_unit_test(test_names__levels_and_anomalies_are_found_by_theirs),
        cmocka_unit_test(test_names__what_fails_a_level_is_shown_as_its_column_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
