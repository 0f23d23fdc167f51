#include "collect/driver/mysql/mysql_error.h"

#include <mariadb/errmsg.h>
#include <mariadb/mysqld_error.h>
#include <string.h>

static bool is_one_of(unsigned code, const unsigned *codes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (codes[i] == code)
            return true;
    return false;
}

/* Of MySQL's "Server Error Message Reference", and not in MariaDB's header. */
enum {
    MYSQL_QUERY_TIMEOUT = 3024,   /* max_execution_time */
    MYSQL_HOOK_FAILED = 3100,     /* a plugin's, before or after a commit */
    MYSQL_NOT_CERTIFIED = 3101,   /* Group Replication has rolled back at COMMIT */
    MYSQL_CLIENT_WAS_IDLE = 4031, /* wait_timeout; says so and hangs up */
};

/* Of TiDB's "Error Codes"; those from 9001 to 9005 say that a part of the cluster did not answer.
 */
enum {
    TIDB_LOCK_CONFLICT = 8002,
    TIDB_STALE_START = 8005,   /* a write conflict that TiDB finds by itself */
    TIDB_COMMIT_FAILED = 8022, /* and was rolled back */
    TIDB_SCHEMA_OUTDATED = 8027,
    TIDB_SCHEMA_CHANGED = 8028,
    TIDB_SNAPSHOT_TOO_OLD = 8055,
    TIDB_NO_START_TIME = 8120,
    TIDB_ABORTED = 8147,
    TIDB_PD_TIMEOUT = 9001,
    TIDB_REGION_UNAVAILABLE = 9005,
    TIDB_GC_TOO_EARLY = 9006,
    TIDB_WRITE_CONFLICT = 9007,
};

/* The library's own: those of MySQL, and those of MariaDB. */
static bool is_of_library(unsigned code)
{
    return (code >= CR_MIN_ERROR && code <= CR_MAX_ERROR) ||
           (code >= CER_MIN_ERROR && code <= CER_MAX_ERROR);
}

/* The server or the way to it is gone, or is about to be. */
static bool means_lost(unsigned code)
{
    static const unsigned codes[] = { ER_SERVER_SHUTDOWN,    ER_CONNECTION_KILLED,
                                      ER_NET_READ_ERROR,     ER_NET_READ_INTERRUPTED,
                                      ER_NET_ERROR_ON_WRITE, ER_NET_WRITE_INTERRUPTED,
                                      ER_UNKNOWN_COM_ERROR, /* a Galera node that left */
                                      ER_CON_COUNT_ERROR,    ER_TOO_MANY_USER_CONNECTIONS,
                                      MYSQL_CLIENT_WAS_IDLE };
    return is_of_library(code) || is_one_of(code, codes, sizeof codes / sizeof *codes);
}

/* A COMMIT that says so is not done, and never will be. */
static bool is_conflict(unsigned code)
{
    static const unsigned codes[] = { TIDB_LOCK_CONFLICT,  TIDB_STALE_START, TIDB_COMMIT_FAILED,
                                      TIDB_SCHEMA_CHANGED, TIDB_ABORTED,     TIDB_WRITE_CONFLICT,
                                      ER_DUP_ENTRY /* which TiDB may find as late as that */ };
    return is_one_of(code, codes, sizeof codes / sizeof *codes);
}

/* Errors that belong to running transactions at the same time, and to servers in trouble; a server
 * that was a primary before is read only. */
static bool is_usual(unsigned code)
{
    static const unsigned codes[] = {
        ER_LOCK_DEADLOCK,
        ER_LOCK_WAIT_TIMEOUT,
        ER_CHECKREAD,
        ER_QUERY_INTERRUPTED,
        ER_ERROR_DURING_COMMIT,
        ER_STATEMENT_TIMEOUT,
        ER_TABLE_DEF_CHANGED,
        ER_LOCK_TABLE_FULL,
        ER_TOO_MANY_CONCURRENT_TRXS,
        ER_DISK_FULL,
        ER_OUTOFMEMORY,
        ER_OUT_OF_RESOURCES,
        ER_OPTION_PREVENTS_STATEMENT,
        ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION,
        ER_READ_ONLY_MODE,
        MYSQL_QUERY_TIMEOUT,
        MYSQL_HOOK_FAILED,
        MYSQL_NOT_CERTIFIED,
        TIDB_SCHEMA_OUTDATED,
        TIDB_SNAPSHOT_TOO_OLD,
        TIDB_NO_START_TIME,
        TIDB_GC_TOO_EARLY,
    };
    return means_lost(code) || is_conflict(code) ||
           is_one_of(code, codes, sizeof codes / sizeof *codes) ||
           (code >= TIDB_PD_TIMEOUT && code <= TIDB_REGION_UNAVAILABLE);
}

/* 1213 has rolled the transaction back, and 1205 only the statement: a COMMIT would keep the rest,
 * so the loop must roll back.  What else a COMMIT says leaves open whether it was done. */
static enum esse_fate fate_of(unsigned code, bool is_commit)
{
    if (code == ER_LOCK_DEADLOCK || code == MYSQL_NOT_CERTIFIED || (is_commit && is_conflict(code)))
        return ESSE_FATE_ABORTED;
    if (is_commit)
        return ESSE_FATE_UNKNOWN;
    return means_lost(code) ? ESSE_FATE_ABORTED : ESSE_FATE_OPEN;
}

/* TiDB before 3.0 has one number for all its own errors: "[try again later]: WriteConflict: ...".
 */
static unsigned specific(unsigned code, const char *words)
{
    const bool is_conflict = strstr(words, "WriteConflict") || strcasestr(words, "write conflict");
    return code == ER_UNKNOWN_ERROR && is_conflict ? TIDB_WRITE_CONFLICT : code;
}

void esse_mysql_classify(unsigned code, const char *words, enum esse_mysql_during during,
                         struct esse_failure *failure)
{
    code = specific(code, words);
    failure->fate = fate_of(code, during == ESSE_DURING_COMMIT);
    failure->is_lost = means_lost(code) || during == ESSE_DURING_CONNECT;
    failure->is_fatal = !is_usual(code) && during != ESSE_DURING_COMMIT;
}
