#ifndef ESSE_COLLECT_DRIVER_MYSQL_MYSQL_H
#define ESSE_COLLECT_DRIVER_MYSQL_MYSQL_H

#include "collect/driver.h"
#include "collect/driver/client_libmariadb.h"
#include "collect/driver/live_rows.h"

#include <stdatomic.h>

/*
 * MariaDB and what speaks its protocol, through libmariadb: the target (mysql.c), its
 * connections (mysql_conn.h names their files), the server's binary log
 * (mysql_log.c), statements of the user's own (mysql_own.c), and what is different
 * in a Galera cluster (mysql_cluster.c) and in TiDB (mysql_tidb.c).
 */

/* What differs between servers. */
struct esse_mysql_dialect {
    const char *const *parameters; /* of the URL, NULL-terminated */
    const char *create;            /* a table: '%' its name, '#' the type of v */
    bool is_cluster;               /* the server must be a node of one */
    bool is_tidb;
};

struct esse_mysql_log;
struct esse_tidb;

struct esse_target {
    struct esse_arena *arena;
    const struct esse_url *url;
    const struct esse_mysql_dialect *dialect;
    const char *level; /* "REPEATABLE READ" */
    bool is_snapshot;  /* innodb_snapshot_isolation */
    const char *socket;
    const char *lock_wait; /* seconds; NULL: the server's */
    const char *setup[5];  /* statements that every session begins with; NULL ends them */
    bool is_spread;        /* transactions of a session go round the hosts */
    const char *cluster;   /* Galera's version; NULL: the server is on its own */
    const char *version;   /* "10.11.19-MariaDB", "5.6.24-log" */
    bool is_mariadb;
    /* By table of the user's own, NULL-terminated, in the database's order; of MySQL only. */
    const char *const *const *own_columns;
    const struct esse_schema *schema;
    MYSQL *main; /* makes the schema and removes it */
    struct esse_mysql_log *log;
    /* Commits of the user's own transactions whose place in the log is not known: those under way,
     * and in the end those that were lost, or that the server did not log. */
    atomic_uint unplaced;
    /* Predicates and statements of the user's own report which commits they saw.  At SERIALIZABLE
     * all of them lock what they read, and what they might have read, until the transaction ends.
     * So what the log has when a statement has ended may be more than it looked at, but nothing
     * that it would have returned: the transaction that logged that must have been waited for, or
     * would have had to wait. */
    bool tells_seen;
    /* MySQL does not give a session the id of its commit.  So a transaction that needs one writes a
     * number of its own, its name, into its session's row of esse_mark: the log then has it.  It is
     * known whatever becomes of the COMMIT. */
    bool is_naming;
    atomic_llong names;     /* the last that was given */
    struct esse_tidb *tidb; /* NULL: it is none */
};

/* Host, port, user and so on for mysql_real_connect. */
struct esse_mysql_place {
    const char *host, *user, *password, *database, *socket;
    unsigned port;
};
struct esse_mysql_place esse_mysql_place(const struct esse_target *target, unsigned host);

/* A handle with what all connections have set; NULL if there is no memory. */
MYSQL *esse_mysql_handle(void);

/* Waits for a connection to one host; NULL, and what was said, if it is not there.  Reading from it
 * fails after so many seconds of silence, 0: never. */
MYSQL *esse_mysql_connect_to(const struct esse_target *target, unsigned host, unsigned silence,
                             char said[ESSE_SAID]);
/* Waits for a connection to any host; NULL, and every host's answer in 'err', if none answers.
 */
MYSQL *esse_mysql_connect(const struct esse_target *target, unsigned silence,
                          struct esse_error *err);

/* Runs a statement on a connection that may wait; fails with the server's words. */
bool esse_mysql_run(const struct esse_target *target, MYSQL *mysql, const char *sql,
                    struct esse_error *err);
/* The same, for the first column of the first row, in the arena; NULL if it fails or has none. */
const char *esse_mysql_ask(const struct esse_target *target, MYSQL *mysql, const char *sql,
                           struct esse_error *err);

/* Connects again if the server has gone and come back since; false if there is no connection. */
bool esse_mysql_wake(const struct esse_target *target, MYSQL **mysql);

/* Finds out whether the server is a node of a cluster; galera: targets must be. */
bool esse_mysql_cluster_find(struct esse_target *target, struct esse_error *err);
/* Waits until every node that answers has applied what the target's own connection wrote. */
bool esse_mysql_cluster_settle(struct esse_target *target, struct esse_error *err);
/* Whether a transaction has the same id in every node's log. */
bool esse_mysql_cluster_logs(struct esse_target *target, MYSQL *mysql, struct esse_error *err);

/* The row of esse_mark that a session writes the names of its transactions to. */
static inline int64_t esse_mysql_name_row(uint32_t session)
{
    return 2 + (int64_t)session;
}

/* Whether every transaction that wrote something must be found in the log: what predicates saw is
 * decided by the order of commits, where locks keep it. */
bool esse_mysql_places_all(const struct esse_target *target);

struct esse_conn *esse_mysql_conn(struct esse_target *target, struct esse_arena *arena,
                                  uint32_t session);
enum esse_progress esse_mysql_start(struct esse_conn *conn, const struct esse_request *request,
                                    struct esse_reply *reply);
enum esse_progress esse_mysql_step(struct esse_conn *conn, struct esse_reply *reply);
void esse_mysql_drop(struct esse_conn *conn);

extern const struct esse_certifying esse_mysql_certifying;

#endif
