#include "collect/driver_mysql_error.h"

#include <mariadb/errmsg.h>
#include <mariadb/mysqld_error.h>

static bool is_one_of(unsigned code, const unsigned *codes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (codes[i] == code)
            return true;
    return false;
}

/* The server or the way to it is gone, or is about to be. */
static bool means_lost(unsigned code)
{
    static const unsigned codes[] = { ER_SERVER_SHUTDOWN,    ER_CONNECTION_KILLED,
                                      ER_NET_READ_ERROR,     ER_NET_READ_INTERRUPTED,
                                      ER_NET_ERROR_ON_WRITE, ER_NET_WRITE_INTERRUPTED,
                                      ER_UNKNOWN_COM_ERROR, /* a Galera node that left */
                                      ER_CON_COUNT_ERROR };
    return (code >= CR_MIN_ERROR && code <= CR_MAX_ERROR) ||
           is_one_of(code, codes, sizeof codes / sizeof *codes);
}

/* Of TiDB's "Error Codes": those from 9001 to 9005 say that a part of the cluster did not answer.
 */
enum {
    TIDB_LOCK_CONFLICT = 8002,
    TIDB_COMMIT_FAILED = 8022, /* and was rolled back */
    TIDB_SCHEMA_CHANGED = 8028,
    TIDB_PD_TIMEOUT = 9001,
    TIDB_REGION_UNAVAILABLE = 9005,
    TIDB_WRITE_CONFLICT = 9007,
};

/* The transaction is not done, and never will be. */
static bool is_tidb_conflict(unsigned code)
{
    return code == TIDB_LOCK_CONFLICT || code == TIDB_COMMIT_FAILED ||
           code == TIDB_SCHEMA_CHANGED || code == TIDB_WRITE_CONFLICT;
}

/* Errors that belong to running transactions at the same time. */
static bool is_usual(unsigned code)
{
    static const unsigned codes[] = {
        ER_LOCK_DEADLOCK, ER_LOCK_WAIT_TIMEOUT, ER_CHECKREAD,
        ER_DUP_ENTRY,     ER_QUERY_INTERRUPTED, ER_ERROR_DURING_COMMIT
    };
    return means_lost(code) || is_one_of(code, codes, sizeof codes / sizeof *codes) ||
           is_tidb_conflict(code) || (code >= TIDB_PD_TIMEOUT && code <= TIDB_REGION_UNAVAILABLE);
}

/* 1213 has rolled the transaction back, and 1205 only the statement: a COMMIT would keep the rest,
 * so the loop must roll back.  What a COMMIT says but 1213 leaves open whether it was done. */
static enum esse_fate fate_of(unsigned code, bool is_commit)
{
    if (code == ER_LOCK_DEADLOCK || (is_commit && is_tidb_conflict(code)))
        return ESSE_FATE_ABORTED;
    if (is_commit)
        return ESSE_FATE_UNKNOWN;
    return means_lost(code) ? ESSE_FATE_ABORTED : ESSE_FATE_OPEN;
}

void esse_mysql_judge(unsigned code, enum esse_mysql_during during, struct esse_failure *failure)
{
    failure->fate = fate_of(code, during == ESSE_DURING_COMMIT);
    failure->is_lost = means_lost(code) || during == ESSE_DURING_CONNECT;
    failure->is_fatal = !is_usual(code);
}
