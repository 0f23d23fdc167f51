#include "collect/driver/mysql/mysql_error.h"
#include "collect/driver/postgresql/postgresql_error.h"

#include "test.h"

/* What errors of MariaDB, MySQL, TiDB, PostgreSQL and CockroachDB mean, held to what the servers'
 * documents say, and to the contract of driver.h for every error there could be. */

enum { OPEN = ESSE_FATE_OPEN, ABORTED = ESSE_FATE_ABORTED, UNKNOWN = ESSE_FATE_UNKNOWN };
enum {
    CONNECT = ESSE_DURING_CONNECT,
    STATEMENT = ESSE_DURING_STATEMENT,
    COMMIT = ESSE_DURING_COMMIT
};

/* Whatever a driver is answered: UNKNOWN is answered to COMMIT only, and OPEN never if the
 * connection is gone or COMMIT itself was refused. */
static void check_contract(const struct esse_failure *failure, bool is_commit)
{
    CHECK(failure->fate != ESSE_FATE_UNKNOWN || is_commit);
    CHECK(failure->fate != ESSE_FATE_OPEN || !is_commit);
    CHECK(failure->fate != ESSE_FATE_ABORTED || !is_commit || !failure->is_lost);
    CHECK(!failure->is_fatal || !is_commit);
}

/* ---- MySQL and its kin ---- */

struct mysql_case {
    unsigned code, during, fate;
    bool is_lost, is_fatal;
};

static const struct mysql_case mysql_cases[] = {
    { 1213, STATEMENT, ABORTED, false, false }, /* a deadlock rolls back everything */
    { 1213, COMMIT, ABORTED, false, false },    /* Galera's certification */
    { 1205, STATEMENT, OPEN, false, false },    /* a lock wait only the statement */
    { 1205, COMMIT, UNKNOWN, false, false },
    { 1020, STATEMENT, OPEN, false, false }, /* innodb_snapshot_isolation */
    { 1062, STATEMENT, OPEN, false, false },
    { 1062, COMMIT, ABORTED, false, false }, /* TiDB, optimistic */
    { 1180, COMMIT, UNKNOWN, false, false },
    { 3101, COMMIT, ABORTED, false, false }, /* Group Replication's certification */
    { 3100, COMMIT, UNKNOWN, false, false },
    { 1969, STATEMENT, OPEN, false, false }, /* max_statement_time */
    { 3024, STATEMENT, OPEN, false, false }, /* max_execution_time */
    { 1290, STATEMENT, OPEN, false, false }, /* --read-only: it was a primary before */
    { 1412, STATEMENT, OPEN, false, false }, /* "please retry transaction" */
    { 1021, COMMIT, UNKNOWN, false, false }, /* the disk is full */
    { 1030, COMMIT, UNKNOWN, false, false }, /* the engine said no, and it is not known when */
    { 1053, STATEMENT, ABORTED, true, false },
    { 1053, COMMIT, UNKNOWN, true, false },
    { 1047, STATEMENT, ABORTED, true, false }, /* a Galera node that left */
    { 1040, CONNECT, ABORTED, true, false },
    { 1203, CONNECT, ABORTED, true, false },
    { 1045, CONNECT, OPEN, true, true }, /* a wrong password */
    { 4031, STATEMENT, ABORTED, true, false },
    { 2006, STATEMENT, ABORTED, true, false },
    { 2013, COMMIT, UNKNOWN, true, false },
    { 5013, STATEMENT, ABORTED, true, false }, /* MariaDB's library: reading failed */
    { 5014, COMMIT, UNKNOWN, true, false },    /* ... and writing */
    { 1064, STATEMENT, OPEN, false, true },
    { 1142, STATEMENT, OPEN, false, true },
    { 1146, STATEMENT, OPEN, false, true },
    { 8002, COMMIT, ABORTED, false, false },
    { 8005, COMMIT, ABORTED, false, false },
    { 8005, STATEMENT, OPEN, false, false },
    { 8022, COMMIT, ABORTED, false, false },
    { 8028, COMMIT, ABORTED, false, false },
    { 8147, STATEMENT, OPEN, false, false },
    { 9007, COMMIT, ABORTED, false, false },
    { 9007, STATEMENT, OPEN, false, false },
    { 9001, COMMIT, UNKNOWN, false, false },
    { 9005, COMMIT, UNKNOWN, false, false },
    { 9005, STATEMENT, OPEN, false, false },
};

TEST(test_driver_errors__mysql_means_what_its_documents_say)
{
    for (size_t i = 0; i < sizeof mysql_cases / sizeof *mysql_cases; i++) {
        const struct mysql_case *c = &mysql_cases[i];
        struct esse_failure failure = { 0 };
        esse_mysql_classify(c->code, "", (enum esse_mysql_during)c->during, &failure);
        if (failure.fate != c->fate || failure.is_lost != c->is_lost ||
            failure.is_fatal != c->is_fatal)
            fail_msg("%u during %u: fate %u, lost %d, fatal %d", c->code, c->during, failure.fate,
                     failure.is_lost, failure.is_fatal);
    }
}

TEST(test_driver_errors__a_write_conflict_of_old_tidb_is_aborted_by_its_words)
{
    static const char *const conflicts[] = {
        "[try again later]: WriteConflict: startTS=1, conflictTS=2, key={tableID=3, handle=4}",
        "[write conflict] txnStartTS=1 is stale"
    };
    struct esse_failure failure = { 0 };
    for (size_t i = 0; i < 2; i++) {
        esse_mysql_classify(1105, conflicts[i], ESSE_DURING_COMMIT, &failure);
        CHECK(failure.fate == ESSE_FATE_ABORTED && !failure.is_fatal);
        esse_mysql_classify(1105, conflicts[i], ESSE_DURING_STATEMENT, &failure);
        CHECK(failure.fate == ESSE_FATE_OPEN && !failure.is_fatal);
    }
    esse_mysql_classify(1105, "tikv aborts txn", ESSE_DURING_COMMIT, &failure);
    CHECK(failure.fate == ESSE_FATE_UNKNOWN);
    esse_mysql_classify(2013, "write conflict", ESSE_DURING_COMMIT, &failure);
    CHECK(failure.fate == ESSE_FATE_UNKNOWN);
}

TEST(test_driver_errors__mysql_keeps_the_contract_for_every_number)
{
    for (unsigned code = 0; code < 10000; code++)
        for (unsigned during = CONNECT; during <= COMMIT; during++) {
            struct esse_failure failure = { 0 };
            esse_mysql_classify(code, "", (enum esse_mysql_during)during, &failure);
            check_contract(&failure, during == COMMIT);
            CHECK(failure.is_lost || during != CONNECT);
            CHECK(!failure.is_lost || failure.fate != ESSE_FATE_OPEN || during == CONNECT);
        }
}

/* ---- PostgreSQL and its kin ---- */

struct pg_case {
    const char *code, *severity;
    bool is_commit;
    unsigned fate;
    bool is_lost, is_fatal;
};

static const struct pg_case pg_cases[] = {
    { "40001", "ERROR", false, OPEN, false, false },
    { "40001", "ERROR", true, ABORTED, false, false },
    { "40P01", "ERROR", false, OPEN, false, false },
    { "40003", "ERROR", true, UNKNOWN, false, false }, /* CockroachDB's ambiguous result */
    { "23505", "ERROR", false, OPEN, false, false },
    { "23505", "ERROR", true, ABORTED, false, false }, /* a deferred constraint */
    { "25P02", "ERROR", false, OPEN, false, false },
    { "25P03", "FATAL", false, OPEN, true, false }, /* idle_in_transaction_session_timeout */
    { "25P04", "FATAL", false, OPEN, true, false }, /* transaction_timeout */
    { "25006", "ERROR", false, OPEN, false, false },
    { "53300", "FATAL", false, OPEN, true, false },
    { "53100", "ERROR", true, ABORTED, false, false },
    { "55P03", "ERROR", false, OPEN, false, false },
    { "57014", "ERROR", false, OPEN, false, false },
    { "57P01", "FATAL", false, OPEN, true, false },
    { "57P01", "FATAL", true, UNKNOWN, true, false },
    { "57P05", "FATAL", false, OPEN, true, false },
    { "72000", "ERROR", false, OPEN, false, false }, /* the snapshot is too old */
    { "08006", NULL, true, UNKNOWN, true, false },
    { "08006", NULL, false, OPEN, true, false },
    { "58C00", "ERROR", true, UNKNOWN, false, false }, /* a range of CockroachDB's is away */
    { "XX000", "ERROR", true, UNKNOWN, false, false },
    { "XX000", "PANIC", true, UNKNOWN, true, false },
    { "42601", "ERROR", false, OPEN, false, true },
    { "42501", "ERROR", false, OPEN, false, true },
    { "90131", "ERROR", false, OPEN, false, false }, /* H2 */
    { "HYT00", "ERROR", true, ABORTED, false, false },
};

TEST(test_driver_errors__postgresql_means_what_its_documents_say)
{
    for (size_t i = 0; i < sizeof pg_cases / sizeof *pg_cases; i++) {
        const struct pg_case *c = &pg_cases[i];
        struct esse_failure failure = { 0 };
        esse_pg_classify(c->code, c->severity, c->is_commit, &failure);
        if (failure.fate != c->fate || failure.is_lost != c->is_lost ||
            failure.is_fatal != c->is_fatal)
            fail_msg("%s, commit %d: fate %u, lost %d, fatal %d", c->code, c->is_commit,
                     failure.fate, failure.is_lost, failure.is_fatal);
    }
}

TEST(test_driver_errors__postgresql_keeps_the_contract_for_random_codes)
{
    static const char letters[] = "0123456789PXC", *const severities[] = { NULL, "ERROR", "FATAL",
                                                                           "PANIC" };
    struct esse_rng rng = { 1 };
    for (unsigned round = 0; round < test_rounds(20000); round++) {
        char code[6] = "";
        for (unsigned i = 0; i < 5; i++)
            code[i] = letters[esse_rng_below(&rng, sizeof letters - 1)];
        const bool is_commit = esse_rng_below(&rng, 2);
        struct esse_failure failure = { 0 };
        esse_pg_classify(code, severities[esse_rng_below(&rng, 4)], is_commit, &failure);
        check_contract(&failure, is_commit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_driver_errors__mysql_means_what_its_documents_say),
        cmocka_unit_test(test_driver_errors__a_write_conflict_of_old_tidb_is_aborted_by_its_words),
        cmocka_unit_test(test_driver_errors__mysql_keeps_the_contract_for_every_number),
        cmocka_unit_test(test_driver_errors__postgresql_means_what_its_documents_say),
        cmocka_unit_test(test_driver_errors__postgresql_keeps_the_contract_for_random_codes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
