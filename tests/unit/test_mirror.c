#include "mirror_run.h"

/* The mirror's rules, one small trace each.  Resolution 0: an interval is what it says. */

#define HEADER "{'esse':'trace','version':1,'init':{},'exclusive':true}\n"
#define OP(session, txn, what, b, a)                                                               \
    "{'session':" #session ",'txn':'" txn "'," what ",'t':[" #b "," #a "]}\n"
#define COMMIT(session, txn, b, a) OP(session, txn, "'commit':true", b, a)

static void check_only(const struct mirror_result *result, enum esse_mechanism mechanism,
                       enum esse_mirror_rule rule)
{
    CHECK_EQ(result->count, 1);
    CHECK_EQ(result->findings[0].mechanism, mechanism);
    CHECK_EQ(result->findings[0].rule, rule);
}

/* ---- CR ---- */

#define STALE                                                                                      \
    HEADER OP(1, "a", "'w':'x','v':1", 10, 12) COMMIT(1, "a", 13, 15)                              \
        OP(2, "b", "'r':'x','v':null", 20, 22) COMMIT(2, "b", 23, 25)

TEST(test_mirror__a_version_that_was_surely_overwritten_is_not_read)
{
    const struct mirror_result result = watch_text(STALE, "postgresql/repeatable-read");
    check_only(&result, ESSE_MECHANISM_CR, ESSE_RULE_NO_VERSION);
    CHECK_EQ(result.findings[0].line, 4);
}

TEST(test_mirror__wider_intervals_take_a_finding_away)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_profile *profile = esse_profile_find("postgresql/repeatable-read");
    const char *text = json(arena, STALE);
    unsigned last = UINT32_MAX;
    for (int64_t skew = 0; skew < 8; skew++) {
        struct mirror_result result = { 0 };
        const struct esse_mirror_options options = {
            .profile = profile, .resolution = 0, .skew = skew, .lateness = ESSE_NO_TIME
        };
        run_mirror(text, strlen(text), &options, &result);
        CHECK(result.count <= last);
        last = result.count;
    }
    CHECK_EQ(last, 0);
    esse_arena_free(arena);
}

TEST(test_mirror__what_an_aborted_transaction_wrote_is_not_read)
{
    const struct mirror_result result =
        watch_text(HEADER OP(1, "a", "'w':'x','v':1", 10, 12) OP(2, "b", "'r':'x','v':1", 14, 16)
                       COMMIT(2, "b", 17, 18) OP(1, "a", "'abort':true", 20, 22),
                   "postgresql/read-committed");
    check_only(&result, ESSE_MECHANISM_CR, ESSE_RULE_ABORTED);
}

TEST(test_mirror__a_writer_that_commits_later_is_not_read)
{
    const struct mirror_result result =
        watch_text(HEADER OP(1, "a", "'w':'x','v':1", 10, 12) OP(2, "b", "'r':'x','v':1", 14, 16)
                       COMMIT(2, "b", 17, 18) COMMIT(1, "a", 20, 22),
                   "postgresql/read-committed");
    check_only(&result, ESSE_MECHANISM_CR, ESSE_RULE_FUTURE);
}

TEST(test_mirror__a_statement_has_a_snapshot_of_its_own_at_read_committed)
{
    static const char text[] =
        HEADER OP(2, "b", "'r':'x','v':null", 5, 8) OP(1, "a", "'w':'x','v':1", 10, 12)
            COMMIT(1, "a", 13, 15) OP(2, "b", "'r':'x','v':1", 20, 22) COMMIT(2, "b", 23, 25);
    CHECK_EQ(watch_text(text, "postgresql/read-committed").count, 0);
    const struct mirror_result result = watch_text(text, "postgresql/repeatable-read");
    check_only(&result, ESSE_MECHANISM_CR, ESSE_RULE_FUTURE);
}

TEST(test_mirror__the_snapshot_of_innodb_is_that_of_the_first_plain_read)
{
    static const char text[] =
        HEADER OP(2, "b", "'w':'y','v':7", 5, 8) OP(1, "a", "'w':'x','v':1", 10, 12)
            COMMIT(1, "a", 13, 15) OP(2, "b", "'r':'x','v':1", 20, 22) COMMIT(2, "b", 23, 25);
    CHECK_EQ(watch_text(text, "mariadb/repeatable-read").count, 0);
    CHECK_EQ(watch_text(text, "postgresql/repeatable-read").count, 1);
}

TEST(test_mirror__own_writes_are_seen_and_what_was_rolled_back_is_not)
{
    static const char internal[] = HEADER OP(1, "a", "'w':'x','v':1", 10, 12)
        OP(1, "a", "'r':'x','v':2", 13, 14) COMMIT(1, "a", 15, 16);
    const struct mirror_result result = watch_text(internal, "postgresql/read-committed");
    check_only(&result, ESSE_MECHANISM_CR, ESSE_RULE_INTERNAL);
    static const char savepoint[] = HEADER OP(1, "a", "'w':'x','v':1", 10, 12)
        OP(1, "a", "'savepoint':'s'", 12, 13) OP(1, "a", "'w':'x','v':2", 13, 14)
            OP(1, "a", "'r':'x','v':2", 14, 15) OP(1, "a", "'rollback_to':'s'", 15, 16)
                OP(1, "a", "'r':'x','v':1", 16, 17) COMMIT(1, "a", 18, 19)
                    OP(2, "b", "'r':'x','v':1", 20, 21) COMMIT(2, "b", 22, 23);
    CHECK_EQ(watch_text(savepoint, "postgresql/read-committed").count, 0);
}

TEST(test_mirror__a_value_of_nobody_is_broken_only_if_nobody_else_writes)
{
    static const char rest[] = OP(2, "b", "'r':'x','v':9", 20, 22) COMMIT(2, "b", 23, 25);
    char text[512];
    snprintf(text, sizeof text, "%s%s", HEADER, rest);
    struct mirror_result result = watch_text(text, "postgresql/read-committed");
    check_only(&result, ESSE_MECHANISM_CR, ESSE_RULE_FOREIGN);
    snprintf(text, sizeof text, "%s%s", "{'esse':'trace','version':1,'init':{}}\n", rest);
    result = watch_text(text, "postgresql/read-committed");
    CHECK_EQ(result.count, 0);
    CHECK_EQ(result.counters.reads_foreign, 1);
}

TEST(test_mirror__columns_are_items_of_their_own)
{
    static const char text[] = HEADER OP(1, "a", "'i':'x','v':{'p':1,'q':2}", 10, 12)
        COMMIT(1, "a", 13, 15) OP(2, "b", "'w':'x','v':{'q':3}", 20, 22) COMMIT(2, "b", 23, 25)
            OP(3, "c", "'r':'x','v':{'p':1,'q':3}", 30, 31) COMMIT(3, "c", 32, 33);
    CHECK_EQ(watch_text(text, "postgresql/read-committed").count, 0);
    static const char stale[] = HEADER OP(1, "a", "'i':'x','v':{'p':1,'q':2}", 10, 12)
        COMMIT(1, "a", 13, 15) OP(2, "b", "'w':'x','v':{'q':3}", 20, 22) COMMIT(2, "b", 23, 25)
            OP(3, "c", "'r':'x','v':{'p':1,'q':2}", 30, 31) COMMIT(3, "c", 32, 33);
    CHECK_EQ(watch_text(stale, "postgresql/read-committed").count, 1);
}

TEST(test_mirror__deletes_leave_nothing)
{
    static const char text[] = HEADER OP(1, "a", "'w':'x','v':1", 10, 12) COMMIT(1, "a", 13, 15)
        OP(2, "b", "'d':'x'", 20, 22) COMMIT(2, "b", 23, 25) OP(3, "c", "'r':'x','v':null", 30, 31)
            COMMIT(3, "c", 32, 33);
    CHECK_EQ(watch_text(text, "postgresql/read-committed").count, 0);
    static const char stale[] = HEADER OP(1, "a", "'w':'x','v':1", 10, 12) COMMIT(1, "a", 13, 15)
        OP(2, "b", "'d':'x'", 20, 22) COMMIT(2, "b", 23, 25) OP(3, "c", "'r':'x','v':1", 30, 31)
            COMMIT(3, "c", 32, 33);
    CHECK_EQ(watch_text(stale, "postgresql/read-committed").count, 1);
}

/* ---- ME and FUW ---- */

TEST(test_mirror__two_do_not_hold_one_lock)
{
    static const char text[] = HEADER OP(1, "a", "'w':'x','v':1", 10, 12)
        OP(2, "b", "'w':'x','v':2", 14, 16) COMMIT(1, "a", 20, 22) COMMIT(2, "b", 24, 26);
    const struct mirror_result result = watch_text(text, "me=W");
    check_only(&result, ESSE_MECHANISM_ME, ESSE_RULE_BOTH_HELD);
    CHECK_EQ(watch_text(text, "tidb/optimistic").counters.broken[ESSE_MECHANISM_ME], 0);
}

TEST(test_mirror__lock_modes_are_those_of_postgresql)
{
    static const char text[] = HEADER OP(1, "a", "'r':'x','v':null,'lock':'key-share'", 10, 12)
        OP(2, "b", "'w':'x','v':2", 14, 16) COMMIT(1, "a", 20, 22) COMMIT(2, "b", 24, 26);
    CHECK_EQ(watch_text(text, "me=W,modes=4").count, 0);
    CHECK_EQ(watch_text(text, "me=W,modes=2").count, 1);
}

TEST(test_mirror__the_second_of_two_updaters_does_not_commit)
{
    static const char text[] =
        HEADER OP(1, "a", "'r':'y','v':null", 10, 12) OP(2, "b", "'w':'x','v':2", 14, 16)
            COMMIT(2, "b", 20, 22) OP(1, "a", "'w':'x','v':1", 24, 26) COMMIT(1, "a", 28, 30);
    const struct mirror_result result = watch_text(text, "postgresql/repeatable-read");
    check_only(&result, ESSE_MECHANISM_FUW, ESSE_RULE_BOTH_WROTE);
    CHECK_EQ(watch_text(text, "postgresql/read-committed").count, 0);
}

TEST(test_mirror__an_insert_after_an_unseen_delete_is_no_update)
{
    static const char text[] = HEADER OP(3, "c", "'w':'x','v':9", 1, 2) COMMIT(3, "c", 3, 4)
        OP(1, "a", "'r':'y','v':null", 10, 12) OP(2, "b", "'d':'x'", 14, 16) COMMIT(2, "b", 20, 22)
            OP(1, "a", "'i':'x','v':1", 24, 26) COMMIT(1, "a", 28, 30);
    CHECK_EQ(watch_text(text, "postgresql/repeatable-read").count, 0);
}

/* ---- together ---- */

/* Each of the two commits may have come first, but not both for their readers. */
TEST(test_mirror__what_only_follows_together_is_found)
{
    static const char text[] = HEADER OP(1, "a", "'w':'x','v':1", 10, 12)
        OP(2, "b", "'w':'y','v':1", 11, 13) OP(3, "c", "'r':'x','v':1", 21, 38)
            OP(4, "d", "'r':'x','v':null", 22, 39) OP(3, "c", "'r':'y','v':null", 40, 41)
                OP(4, "d", "'r':'y','v':1", 42, 43) COMMIT(1, "a", 20, 50) COMMIT(2, "b", 20, 51)
                    COMMIT(3, "c", 60, 61) COMMIT(4, "d", 62, 63);
    const struct mirror_result result = watch_text(text, "cr=T,at=F");
    check_only(&result, ESSE_MECHANISM_JOINT, ESSE_RULE_NO_INSTANTS);
    CHECK_EQ(result.findings[0].txn_count, 4);
}

/* ---- certifiers ---- */

/* Write skew: each read what the other overwrote. */
#define SKEW                                                                                       \
    HEADER OP(1, "a", "'r':'x','v':null", 10, 12) OP(2, "b", "'r':'y','v':null", 11, 13)           \
        OP(1, "a", "'w':'y','v':1", 14, 16) OP(2, "b", "'w':'x','v':2", 15, 17)                    \
            COMMIT(1, "a", 20, 22) COMMIT(2, "b", 24, 26)

TEST(test_mirror__a_cycle_is_not_certified)
{
    CHECK_EQ(watch_text(SKEW, "postgresql/repeatable-read").count, 0);
    struct mirror_result result = watch_text(SKEW, "cr=T,at=F,sc=cycle");
    check_only(&result, ESSE_MECHANISM_SC, ESSE_RULE_CYCLE);
    CHECK_EQ(result.findings[0].txn_count, 2);
    result = watch_text(SKEW, "postgresql/serializable");
    CHECK(result.count > 0);
    CHECK_EQ(result.counters.broken[ESSE_MECHANISM_SC], result.count);
}

/* The read-only anomaly's shape without its reader: two anti-dependencies in a row, no cycle. */
TEST(test_mirror__a_dangerous_pivot_is_told_only_under_ssi)
{
    static const char text[] = HEADER OP(1, "a", "'r':'x','v':null", 10, 12)
        OP(2, "b", "'r':'y','v':null", 11, 13) OP(3, "c", "'w':'y','v':3", 12, 14)
            COMMIT(3, "c", 16, 18) OP(2, "b", "'w':'x','v':2", 20, 22) COMMIT(2, "b", 24, 26)
                OP(1, "a", "'w':'z','v':1", 28, 30) COMMIT(1, "a", 32, 34);
    const struct mirror_result result = watch_text(text, "postgresql/serializable");
    check_only(&result, ESSE_MECHANISM_SC, ESSE_RULE_PIVOT);
    CHECK_EQ(watch_text(text, "sc=cycle,cr=T,at=F").count, 0);
}

TEST(test_mirror__what_was_read_stands_until_the_commit)
{
    static const char text[] =
        HEADER OP(1, "a", "'r':'x','v':null", 10, 12) OP(2, "b", "'w':'x','v':2", 13, 14)
            COMMIT(2, "b", 15, 16) OP(1, "a", "'w':'y','v':1", 18, 20) COMMIT(1, "a", 22, 24);
    const struct mirror_result result = watch_text(text, "foundationdb/serializable");
    check_only(&result, ESSE_MECHANISM_OCC, ESSE_RULE_OVERTAKEN);
    CHECK_EQ(watch_text(text, "postgresql/repeatable-read").count, 0);
}

TEST(test_mirror__dependencies_follow_the_timestamps)
{
    static const char text[] = HEADER OP(1, "a", "'w':'x','v':1", 10, 12)
        OP(1, "a", "'commit':true,'commit_ts':9", 13, 15) OP(2, "b", "'r':'x','v':1", 20, 21)
            OP(2, "b", "'w':'y','v':1", 21, 22) OP(2, "b", "'commit':true,'commit_ts':5", 23, 25);
    const struct mirror_result result = watch_text(text, "cockroachdb/serializable");
    check_only(&result, ESSE_MECHANISM_SC, ESSE_RULE_BACKWARDS);
}

TEST(test_mirror__sqlite_has_one_lock_for_everything)
{
    static const char text[] = HEADER OP(1, "a", "'w':'x','v':1", 10, 12)
        OP(2, "b", "'w':'y','v':2", 14, 16) COMMIT(1, "a", 20, 22) COMMIT(2, "b", 24, 26);
    const struct mirror_result result = watch_text(text, "sqlite/serializable");
    CHECK_EQ(result.counters.broken[ESSE_MECHANISM_ME], 1);
    CHECK_EQ(watch_text(text, "postgresql/read-committed").count, 0);
}

/* ---- what is not known ---- */

TEST(test_mirror__an_unknown_outcome_that_was_read_is_a_commit)
{
    static const char text[] = HEADER OP(
        1, "a", "'w':'x','v':1", 10,
        12) "{'session':1,'txn':'a','commit':true,'t':[13]}\n" OP(2, "b", "'r':'x','v':1", 20, 22)
        COMMIT(2, "b", 23, 25) OP(3, "c", "'r':'x','v':null", 30, 32) COMMIT(3, "c", 33, 35);
    const struct mirror_result result = watch_text(text, "postgresql/read-committed");
    CHECK_EQ(result.count, 1);
    CHECK_EQ(result.findings[0].mechanism, ESSE_MECHANISM_CR);
    CHECK_EQ(result.findings[0].line, 6);
}

TEST(test_mirror__gaps_and_opaque_writes_explain_anything)
{
    static const char gap[] = HEADER
        "{'gap':1,'from':5,'to':15}\n" OP(2, "b", "'r':'x','v':7", 20, 22) COMMIT(2, "b", 23, 25);
    struct mirror_result result = watch_text(gap, "postgresql/read-committed");
    CHECK_EQ(result.count, 0);
    CHECK_EQ(result.counters.gaps, 1);
    static const char opaque[] = HEADER OP(1, "a", "'opaque':'t'", 10, 12) COMMIT(1, "a", 13, 15)
        OP(2, "b", "'r':'x','v':7", 20, 22) COMMIT(2, "b", 23, 25);
    result = watch_text(opaque, "postgresql/read-committed");
    CHECK_EQ(result.count, 0);
    CHECK_EQ(result.counters.opaque, 1);
}

TEST(test_mirror__a_late_event_is_not_verified_and_withdraws)
{
    static const char text[] =
        "{'esse':'trace','version':1,'init':{},'exclusive':true,"
        "'sessions':[2]}\n" OP(2, "b", "'r':'x','v':7", 20, 22)
            COMMIT(2, "b", 23, 25) "{'beat':2,'done':100,'floor':100}\n" OP(
                2, "c", "'r':'y','v':null", 110, 111) COMMIT(2, "c", 112, 113)
                OP(1, "a", "'w':'x','v':7", 1, 2) COMMIT(1, "a", 3, 4);
    struct esse_arena *arena = esse_arena_new();
    const char *trace = json(arena, text);
    struct mirror_result result = { 0 };
    const struct esse_mirror_options options = { .profile =
                                                     esse_profile_find("postgresql/read-committed"),
                                                 .resolution = 0,
                                                 .skew = 0,
                                                 .lateness = ESSE_NO_TIME,
                                                 .pace = 1 };
    run_mirror(trace, strlen(trace), &options, &result);
    CHECK(result.ok);
    CHECK_EQ(result.count, 1);
    CHECK_EQ(result.withdrawn, 1);
    CHECK(result.counters.late > 0);
    CHECK_EQ(result.counters.broken[ESSE_MECHANISM_CR], 0);
    esse_arena_free(arena);
}

/* ---- profiles ---- */

TEST(test_mirror__every_row_can_be_written_and_read)
{
    const struct esse_profile *profile;
    for (size_t i = 0; (profile = esse_profile_at(i)); i++) {
        char room[ESSE_PROFILE_ROOM];
        struct esse_profile own;
        const struct esse_profile *read;
        struct esse_error err;
        CHECK(esse_profile_named(esse_profile_row(profile, room), &own, &read, &err));
        CHECK_EQ(own.reads, profile->reads);
        CHECK_EQ(own.at, profile->at);
        CHECK_EQ(own.locks, profile->locks);
        CHECK_EQ(own.locks_of_committed, profile->locks_of_committed);
        CHECK_EQ(own.fuw, profile->fuw);
        CHECK_EQ(own.certifier, profile->certifier);
        CHECK_EQ(own.time, profile->time);
        CHECK_EQ(own.level, profile->level);
        CHECK_EQ(own.whole_database, profile->whole_database);
        CHECK_EQ(own.lock_sees_snapshot, profile->lock_sees_snapshot);
        CHECK(esse_profile_find(profile->name) == profile);
        CHECK(strlen(profile->name) <= 47);
    }
    CHECK(esse_profile_find("postgresql/serializable")->certifier == ESSE_CERTIFIER_SSI);
    CHECK(!esse_profile_find("postgresql/snapshot"));
}

TEST(test_mirror__begin_names_the_row)
{
    static const char text[] =
        HEADER "{'session':2,'txn':'b','begin':true,"
               "'isolation':'read-committed','t':[4,5]}\n" OP(2, "b", "'r':'x','v':null", 5, 8)
                   OP(1, "a", "'w':'x','v':1", 10, 12) COMMIT(1, "a", 13, 15)
                       OP(2, "b", "'r':'x','v':1", 20, 22) COMMIT(2, "b", 23, 25);
    CHECK_EQ(watch_text(text, "postgresql/repeatable-read").count, 0);
}

TEST(test_mirror__a_cursor_sees_what_was_there_when_it_was_declared)
{
    const struct mirror_result result = watch_text(
        "{'esse':'trace','version':1,'init':{'x':0},'exclusive':true}\n" OP(
            1, "a", "'begin':true", 5, 6) OP(2, "b", "'w':'x','v':1", 10, 12) COMMIT(2, "b", 13, 15)
            OP(1, "a", "'r':'x','v':0,'cursor':true", 20, 22) COMMIT(1, "a", 23, 25),
        "postgresql/read-committed");
    CHECK_EQ(result.count, 0);
}

/* They have no program order: each may have committed before the other one's read. */
TEST(test_mirror__transactions_of_one_session_that_are_interleaved_have_no_order)
{
    const struct mirror_result result =
        watch_text(HEADER OP(1, "a", "'w':'x','v':1", 5, 6) OP(1, "b", "'r':'x','v':null", 8, 20)
                       COMMIT(1, "a", 9, 21) COMMIT(1, "b", 22, 25),
                   "postgresql/repeatable-read");
    CHECK_EQ(result.count, 0);
}

/* ---- rows that a predicate should have returned ---- */

#define ROWS(text, rows, b, a)                                                                     \
    OP(2, "b", "'p':'" text "','rows':" rows, b, a) COMMIT(2, "b", 40, 42)
#define TWO_ROWS                                                                                   \
    HEADER OP(1, "a", "'w':'x','v':1", 10, 11) OP(1, "a", "'w':'y','v':7", 12, 13)                 \
        COMMIT(1, "a", 14, 15)

TEST(test_mirror__a_row_that_matches_in_every_version_is_returned)
{
    const struct mirror_result result =
        watch_text(TWO_ROWS ROWS("v < 5", "{}", 20, 22), "postgresql/repeatable-read");
    check_only(&result, ESSE_MECHANISM_CR, ESSE_RULE_MISSED_ROW);
    CHECK_EQ(result.counters.predicates_not_checked, 0);
}

static void check_nothing_missed(const char *text, unsigned not_checked)
{
    const struct mirror_result result = watch_text(text, "postgresql/repeatable-read");
    CHECK_EQ(result.count, 0);
    CHECK_EQ(result.counters.predicates_not_checked, not_checked);
}

TEST(test_mirror__a_row_may_be_missing_that_some_version_does_not_match)
{
    check_nothing_missed(TWO_ROWS ROWS("v < 5", "{'x':1}", 20, 22), 0);
    check_nothing_missed(TWO_ROWS ROWS("v < 1", "{}", 20, 22), 0);
    check_nothing_missed(TWO_ROWS ROWS("w = 1", "{}", 20, 22), 0); /* no such column: unknown */
    /* Changed, or deleted, while the snapshot was taken. */
    check_nothing_missed(TWO_ROWS OP(3, "c", "'w':'x','v':9", 17, 18) COMMIT(3, "c", 19, 21)
                             ROWS("v < 5", "{}", 20, 22),
                         0);
    check_nothing_missed(TWO_ROWS OP(3, "c", "'d':'x'", 17, 18) COMMIT(3, "c", 19, 21)
                             ROWS("v < 5", "{}", 20, 22),
                         0);
    /* Perhaps deleted, by an outcome that was not learnt. */
    check_nothing_missed(
        TWO_ROWS OP(3, "c", "'d':'x'", 16,
                    17) "{'session':3,'txn':'c','commit':true,'t':[17]}\n" ROWS("v < 5", "{}", 20,
                                                                                22),
        0);
    /* Changed by the transaction itself. */
    check_nothing_missed(TWO_ROWS OP(2, "b", "'w':'x','v':8", 17, 18) ROWS("v < 5", "{}", 20, 22),
                         0);
    /* Not yet there. */
    check_nothing_missed(HEADER OP(1, "a", "'w':'x','v':1", 10, 11) COMMIT(1, "a", 21, 24)
                             ROWS("v < 5", "{}", 20, 22),
                         0);
}

TEST(test_mirror__statements_that_leave_rows_out_are_not_checked)
{
    check_nothing_missed(TWO_ROWS ROWS("SELECT * FROM t WHERE v < 9 LIMIT 1", "{'y':7}", 20, 22),
                         1);
    check_nothing_missed(TWO_ROWS ROWS("this is no SQL", "{}", 20, 22), 1);
    check_nothing_missed(
        "{'esse':'trace','version':1,'init':{}}\n" OP(1, "a", "'w':'x','v':1", 10, 11)
            COMMIT(1, "a", 14, 15) ROWS("v < 5", "{}", 20, 22),
        1); /* another one may have deleted it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mirror__a_version_that_was_surely_overwritten_is_not_read),
        cmocka_unit_test(test_mirror__wider_intervals_take_a_finding_away),
        cmocka_unit_test(test_mirror__what_an_aborted_transaction_wrote_is_not_read),
        cmocka_unit_test(test_mirror__a_writer_that_commits_later_is_not_read),
        cmocka_unit_test(test_mirror__a_statement_has_a_snapshot_of_its_own_at_read_committed),
        cmocka_unit_test(test_mirror__the_snapshot_of_innodb_is_that_of_the_first_plain_read),
        cmocka_unit_test(test_mirror__own_writes_are_seen_and_what_was_rolled_back_is_not),
        cmocka_unit_test(test_mirror__a_value_of_nobody_is_broken_only_if_nobody_else_writes),
        cmocka_unit_test(test_mirror__columns_are_items_of_their_own),
        cmocka_unit_test(test_mirror__deletes_leave_nothing),
        cmocka_unit_test(test_mirror__two_do_not_hold_one_lock),
        cmocka_unit_test(test_mirror__lock_modes_are_those_of_postgresql),
        cmocka_unit_test(test_mirror__the_second_of_two_updaters_does_not_commit),
        cmocka_unit_test(test_mirror__an_insert_after_an_unseen_delete_is_no_update),
        cmocka_unit_test(test_mirror__what_only_follows_together_is_found),
        cmocka_unit_test(test_mirror__a_cycle_is_not_certified),
        cmocka_unit_test(test_mirror__a_dangerous_pivot_is_told_only_under_ssi),
        cmocka_unit_test(test_mirror__what_was_read_stands_until_the_commit),
        cmocka_unit_test(test_mirror__dependencies_follow_the_timestamps),
        cmocka_unit_test(test_mirror__sqlite_has_one_lock_for_everything),
        cmocka_unit_test(test_mirror__an_unknown_outcome_that_was_read_is_a_commit),
        cmocka_unit_test(test_mirror__gaps_and_opaque_writes_explain_anything),
        cmocka_unit_test(test_mirror__a_late_event_is_not_verified_and_withdraws),
        cmocka_unit_test(test_mirror__every_row_can_be_written_and_read),
        cmocka_unit_test(test_mirror__begin_names_the_row),
        cmocka_unit_test(test_mirror__a_row_that_matches_in_every_version_is_returned),
        cmocka_unit_test(test_mirror__a_row_may_be_missing_that_some_version_does_not_match),
        cmocka_unit_test(test_mirror__statements_that_leave_rows_out_are_not_checked),
        cmocka_unit_test(test_mirror__a_cursor_sees_what_was_there_when_it_was_declared),
        cmocka_unit_test(
            test_mirror__transactions_of_one_session_that_are_interleaved_have_no_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
