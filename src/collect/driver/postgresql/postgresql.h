#ifndef ESSE_COLLECT_DRIVER_POSTGRESQL_POSTGRESQL_H
#define ESSE_COLLECT_DRIVER_POSTGRESQL_POSTGRESQL_H

#include "collect/driver.h"
#include "collect/driver/client_libpq.h"
#include "collect/driver/live_rows.h"
#include "collect/recover/change.h"

#include <stdatomic.h>

/*
 * PostgreSQL and what speaks its protocol, through libpq: the target (postgresql.c), its
 * connections (postgresql_conn.h names their files), statements of the user's own
 * (postgresql_own.c), the server's log (postgresql_log.c), CockroachDB's changefeed
 * instead (postgresql_feed.c), connecting again (postgresql_again.c), and
 * transactions that verify what others saw (postgresql_shadow.h).
 */

/* What a statement saw and the transaction that it belongs to, as 64-bit numbers.  PostgreSQL 13
 * has other names for these functions, and all versions have these. */
#define ESSE_PG_SEEN "txid_current_snapshot()"
#define ESSE_PG_ID   "txid_current_if_assigned()"

/* What differs between servers.  Predicates and CHANGE answer columns (snapshot, xid, k, v or o),
 * where k is null if there is no row; statements that write answer (xid), or nothing. */
struct esse_pg_dialect {
    const char *name;
    const char *product; /* behind it version() has the number of the version */
    const char *texts[ESSE_STATEMENTS];
    const char *create;   /* a table: '%' its name, '#' the type of v */
    const char *list;     /* the type of a list */
    const char *session;  /* '#' the level: a session begins with it; NULL: BEGIN names it */
    const char *planning; /* goes along with BEGIN, but for statements of the user's; NULL: none */
    const char *time;     /* a statement that returns when a transaction commits; NULL: none */
    const char *const *settings;  /* that describe() asks for, NULL-terminated; NULL: none */
    const char *const *exporting; /* texts for statements that are verified; NULL: none can be */
    bool has_log;                 /* logical decoding */
    bool has_conflict_reads; /* READ COMMITTED re-reads rows that others changed: no snapshot */
    bool sends_pieces; /* an answer is several packets, each sent when the last is acknowledged */
};

struct esse_pg_log;
struct esse_pg_feed;

/* The clock of servers that report their transactions' times, during a run with a certificate. */
struct esse_pg_clock {
    bool is_asked;           /* transactions ask before they commit */
    struct esse_stamp base;  /* from which their numbers are counted */
    _Atomic uint64_t latest; /* the latest that any session saw */
};

/* What shadow transactions have found, of all sessions. */
struct esse_pg_verified {
    _Atomic uint64_t rows;      /* statements whose snapshot and rows they saw too */
    _Atomic uint64_t snapshots; /* ... the snapshot: the transaction had written before */
    _Atomic uint64_t unasked;   /* statements that they could not be asked about */
    _Atomic bool has_reason;    /* why, of the first */
    char reason[ESSE_SAID];
};

struct esse_target {
    struct esse_arena *arena;
    const struct esse_url *url;
    const struct esse_pg_dialect *dialect;
    const char *session, *begin, *begin_read_only; /* 'session' may be NULL */
    const char *planning;                          /* the dialect's; NULL: none */
    const char *level;                             /* "repeatable read" */
    bool is_read_committed;
    const char **keywords, **values; /* for libpq, but host and port */
    const char **ports;              /* of the hosts, as texts; NULL: the default */
    const struct esse_schema *schema;
    PGconn *main; /* makes the schema and removes it */
    struct esse_pg_log *log;
    struct esse_pg_feed *feed;
    struct esse_pg_clock clock;
    const char *log_plugin;       /* NULL: pgoutput, or else test_decoding */
    const char *const *exporting; /* texts for the statements that are verified; NULL: none is */
    struct esse_pg_verified verified;
};

/* Parameters for a connection to this host; NULL-terminated.  Adds 'extra' = 'value' if not NULL.
 */
void esse_pg_parameters(const struct esse_target *target, unsigned host, const char *extra,
                        const char *value, const char **keywords, const char **values);
enum { ESSE_PG_PARAMETERS = 64 };

/* Waits for a connection to any host; NULL, and every host's answer in 'err', if none answers.
 */
PGconn *esse_pg_connect(const struct esse_target *target, const char *extra, const char *value,
                        struct esse_error *err);

/* A connection that is made piece by piece, one piece a call, since a server that is away, or
 * stopped, would keep the caller for seconds.  NULL: not yet; a host that fails is followed by the
 * next. */
struct esse_pg_coming {
    PGconn *pg;
    PostgresPollingStatusType wants;
    int64_t since;
    unsigned host; /* that is tried next */
};
PGconn *esse_pg_come(const struct esse_target *target, struct esse_pg_coming *coming,
                     const char *extra, const char *value);
void esse_pg_coming_stop(struct esse_pg_coming *coming);

/* Runs a command on a connection that may wait; fails with the server's words. */
bool esse_pg_run(const struct esse_target *target, PGconn *pg, const char *sql,
                 struct esse_error *err);
/* The same, for the first column of the first row, in the arena; NULL if it fails or has none. */
const char *esse_pg_ask(const struct esse_target *target, PGconn *pg, const char *sql,
                        struct esse_error *err);

/* Connects again if the server has gone and come back since. */
void esse_pg_wake(const struct esse_target *target, PGconn *pg);

/* A notice receiver. */
void esse_pg_ignore_notice(void *context, const PGresult *result);

/* A cell's number; ESSE_ABSENT for NULL. */
int64_t esse_pg_number(const PGresult *result, int row, int column);
/* Adds the rows of a predicate's answer. */
void esse_pg_rows(const PGresult *result, int64_t next, struct esse_arena *arena,
                  struct esse_live_row_vec *rows);

/* Bytes of a snapshot's text: some 400 transactions in progress; longer ones are left out. */
enum { ESSE_PG_SNAPSHOT = 4096 };

struct esse_conn *esse_pg_conn(struct esse_target *target, struct esse_arena *arena,
                               uint32_t session);
enum esse_progress esse_pg_start(struct esse_conn *conn, const struct esse_request *request,
                                 struct esse_reply *reply);
enum esse_progress esse_pg_step(struct esse_conn *conn, struct esse_reply *reply);
void esse_pg_drop(struct esse_conn *conn);

/* Statements of the user's own: postgresql_own.c.  The text, and what was answered from a
 * column on. */
struct esse_out;
void esse_pg_own_put(struct esse_out *out, const struct esse_own_schema *schema,
                     const struct esse_own_statement *statement);
void esse_pg_own_take(const PGresult *result, int from, bool is_aggregate,
                      struct esse_cells *cells);
bool esse_pg_own_rows(struct esse_target *target, uint32_t table, struct esse_cells *cells,
                      struct esse_error *err);

extern const struct esse_certifying esse_pg_certifying, esse_pg_feed_certifying;

#endif
