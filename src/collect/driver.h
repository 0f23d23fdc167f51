#ifndef ESSE_COLLECT_DRIVER_H
#define ESSE_COLLECT_DRIVER_H

#include "base/arena.h"
#include "base/error.h"
#include "collect/url.h"
#include "workload/own.h"
#include "workload/request.h"

/*
 * One kind of database behind one table of functions; one folder each, driver/NAME/.
 * docs/design/collect.md says why it is shaped so.
 *
 * Threads.  A connection is used by one thread.  A target is shared by all: what start() and
 * step() change in it the driver protects.  open, prepare, describe, clean, close and the
 * functions of a certificate are called by one thread, the run's own.
 */
#define ESSE_NO_ID INT64_MIN /* a number that the server does not give */

/* ---- what comes back ----------------------------------------------------------------------- */

/* A row that a predicate returned; 'next' is what CHANGE made of it, ESSE_ABSENT otherwise. */
struct esse_live_row {
    int64_t row, value, next;
};

/*
 * What is known about a transaction when a request of it has failed.
 *   OPEN     the statement had no effect, the transaction is still there: the caller rolls back
 *            (MySQL's 1205; a duplicate key in SQLite; and PostgreSQL's "current transaction is
 *            aborted" state, which ROLLBACK ends)
 *   ABORTED  it never took effect and never will: the server said so (40001, 40P01, 1213, COMMIT
 *            that answers ROLLBACK, SQLITE_BUSY_SNAPSHOT after the driver's own ROLLBACK), or
 *            the connection was lost before COMMIT was sent.  The session is outside of it
 *   UNKNOWN  COMMIT was sent, wholly or in part, and its outcome is not known.  Never
 *            answered to any other request
 */
enum esse_fate { ESSE_FATE_OPEN, ESSE_FATE_ABORTED, ESSE_FATE_UNKNOWN };

struct esse_failure {
    enum esse_fate fate;
    bool is_lost; /* the connection is gone: CONNECT comes next */
    /* Not a matter of isolation or of a server that went away: a missing privilege, an error in
     * the statement, a wrong password.  The run ends with it. */
    bool is_fatal;
    char code[16]; /* the server's: "40001", "1213", "SQLITE_BUSY_SNAPSHOT"; "" if it has none */
    char text[ESSE_SAID]; /* the server's words, as esse_url_tell() has them */
};

/* Belongs to the caller; what it points at to the connection, until its next start(). */
struct esse_reply {
    int64_t value;  /* READ of a register: ESSE_ABSENT if not there; AGGREGATE: the result (over
                       no rows ESSE_ABSENT, but a count is 0) */
    bool is_absent; /* DELETE: there was nothing to delete */
    /* READ of a list, oldest first: its integers, or their text with commas between as a history
     * has it.  An absent row is an empty list. */
    const int64_t *items;
    size_t item_count;
    const char *list; /* NULL: see 'items' */
    size_t list_length;
    const struct esse_live_row *rows; /* MATCH, CHANGE; in any order */
    size_t row_count;
    const struct esse_own_cell *cells; /* OWN, as own.h has them */
    size_t cell_count;
    /* What the server reports about the transaction; a driver sets them in whichever reply has
     * them, and the recorder keeps the last of each. */
    int64_t xid;                 /* its id for the server, or ESSE_NO_ID */
    int64_t start_ts, commit_ts; /* its times for the server, or ESSE_NO_ID */
    /* What this statement saw, as the certificate's kind means it (docs/formats.md): a text such as
     * "xmin:xmax:xip,...", or a number; NULL and ESSE_NO_ID if not known. */
    const char *snapshot;
    int64_t snapshot_at;
    struct esse_failure failure; /* if FAILED */
};

enum esse_progress {
    ESSE_PROGRESS_DONE,
    ESSE_PROGRESS_WAIT,  /* for conn->events on conn->fd, or at most conn->retry_seconds if > 0 */
    ESSE_PROGRESS_AGAIN, /* step() after conn->retry_seconds: another session holds what we need */
    ESSE_PROGRESS_FAILED,
};

/* The first member of every driver's connection. */
struct esse_conn {
    const struct esse_driver *driver;
    int fd;       /* -1: none */
    short events; /* POLLIN, POLLOUT */
    double retry_seconds;
};

struct esse_target; /* a driver's own */

/* ---- certificates -------------------------------------------------------------------------- */

/*
 * Where a driver puts what it learns from the server's own log, learnt.h's on the other side.
 *
 * 1) Versions of one row must come in the order in which they were installed; the rows may be
 *    mixed in any way.  Only committed versions, and of a transaction that wrote a register several
 *    times only the last; of a list every element.  ESSE_ABSENT is a delete, which needs the xid.
 * 2) Rows that were there from the start are not reported.
 */
struct esse_learnt;
void esse_learnt_version(struct esse_learnt *learnt, uint32_t table, int64_t row, int64_t value,
                         int64_t xid);

/* A transaction that has committed, in the order of commits; for kinds of certificates that say
 * something about that order.  Those that wrote nothing may be left out. */
void esse_learnt_commit(struct esse_learnt *learnt, int64_t xid);

struct esse_certifying {
    const char *source; /* "logical decoding by pgoutput" */
    /* Of docs/formats.md, "postgresql-snapshots" say, if replies have snapshots and commits are
     * reported; NULL: orders of versions are all there ever is. */
    const char *kind;
    /* Where that depends on the target: what it is, or NULL; else no function. */
    const char *(*kind_of)(const struct esse_target *target);
    /* After prepare, before the first transaction.  False: no certificate can be had, 'err' says
     * why; the run goes on without one and says so. */
    bool (*begin)(struct esse_target *target, struct esse_error *err);
    /* Every 20 ms or so while the sessions work; must not block for longer than that.  NULL: there
     * is nothing to do before the end. */
    bool (*poll)(struct esse_target *target, struct esse_learnt *learnt, struct esse_error *err);
    /* When the last session has ended: returns when everything that committed has been reported. */
    bool (*finish)(struct esse_target *target, struct esse_learnt *learnt, struct esse_error *err);
    /* Removes what begin() made on the server, whatever happened since.  Called once, also if
     * finish() failed or was never reached. */
    void (*end)(struct esse_target *target);
};

/* ---- the table ----------------------------------------------------------------------------- */

struct esse_played; /* generate/plant.h: where what a target plays by itself goes */

/* A setting that can be asked for, and the level that the database's documentation promises. */
struct esse_claim {
    const char *setting; /* "repeatable-read"; NULL ends the table.  The first row is the default */
    const char *level;   /* a name of esse levels: "snapshot-isolation" */
    const char *source;  /* where it is claimed, for readers: "PostgreSQL 15, 13.2.2" */
};

/* What is done where the user does not say: a setting and what is claimed of it, a workload by its
 * name.  NULL: what is usual. */
struct esse_preference {
    const struct esse_claim *claim;
    const char *workload;
};

struct esse_setting {
    const char *name, *value;
};

struct esse_description {
    const char *product;                 /* "postgresql 15.4", for the history's header */
    const struct esse_setting *settings; /* whatever bears on isolation and durability */
    size_t setting_count;
};

/*
 * The contract.  tests/unit/test_collect.c holds the loop to its side with a scripted driver,
 * tests/live every driver to this one.
 *
 *  1) open() reads the URL and nothing else: no network, no file made.  An option of the URL that
 *     the driver does not know is ESSE_EUSAGE, and names those that it does.
 *  2) prepare() makes sure that the target can be reached and makes the schema anew: tables of its
 *     names that are there are dropped first.  It may block, for connect_seconds of the URL (10) at
 *     most.  If no host answers: ESSE_EUNAVAILABLE, the text names every host that was tried and
 *     what it said.  Fails: nothing is left behind.
 *  3) clean() removes the schema, and what open() and prepare() made beside it; it may fail in
 *     silence, since the server may be gone.  close() frees what the arena does not hold, also
 *     after a prepare() that failed.  Every conn was dropped before.
 *  4) A request is started with start() and, unless that already ended it, stepped with step()
 * until DONE or FAILED.  Neither blocks, ever: they answer WAIT with fd and events to wait for, or
 *     AGAIN with a time.  The loop calls step() when fd is ready or the time is over; a step that
 *     came too early answers WAIT again.  A store that has no sockets answers DONE at once.
 *  5) 'reply' is the same during one request; start() has cleared it but for failure.
 *  6) The order is CONNECT (BEGIN operation* (COMMIT | ROLLBACK))*.  BEGIN may be delayed and sent
 *     along with the first operation.  COMMIT without operations is fine.  After FAILED with OPEN
 *     comes ROLLBACK, with ABORTED or UNKNOWN the next BEGIN, in either case CONNECT if is_lost.
 *     ROLLBACK that fails means ABORTED, lost or not.
 *  7) DONE to a COMMIT says that the server said that it committed.  It is the one promise that
 *     cannot be taken back; in doubt answer UNKNOWN.
 *  8) A driver waits for a lock without a limit of its own unless the URL sets one; the loop has a
 *     time limit per request and then calls drop(), which closes the connection at once, without
 *     waiting.  The loop then takes the transaction as UNKNOWN if the request was COMMIT, as
 *     ABORTED otherwise.  drop() is also how every conn ends.
 *  9) The isolation asked for is that of open(); a setting that the server refuses is fatal.  A
 *     driver verifies once in prepare() that the server really uses it, where it can be asked.
 * 10) Session n connects to host n modulo the number of hosts first; after losing a connection the
 *     loop asks for the next one.  A driver that can move between hosts inside of a session (to
 *     look for stale reads) does so on a parameter of its URL and says so in its summary.
 * 11) No secret of the URL, the environment or an option file gets into a text that leaves the
 *     driver: error, failure, description.
 * 12) start() and step() allocate in the connection's arena, and only to grow buffers that they
 *     keep.  The arena of open() belongs to the run's own thread.
 */
struct esse_driver {
    const char *name;       /* "sqlite" */
    const char *dialect_of; /* "postgresql": its URLs with dialect=NAME are this one's; or NULL */
    const char *schemes;    /* "postgresql postgres": words before the colon */
    const char *summary;    /* one clause for help */
    const char *parameters; /* lines "name=VALUE  what it does" of the URL's query, for help */
    unsigned can;           /* ESSE_CAN_ bits */
    unsigned most_threads;  /* 0: any number */
    const struct esse_claim *claims;
    /* What a URL asks for by itself, in 'arena'.  No function: no URL does. */
    struct esse_preference (*prefer)(struct esse_arena *arena, const struct esse_url *url);
    bool (*open)(struct esse_arena *arena, const struct esse_driver *driver,
                 const struct esse_url *url, const struct esse_claim *isolation,
                 struct esse_target **target, struct esse_error *err);
    bool (*prepare)(struct esse_target *target, const struct esse_schema *schema,
                    struct esse_error *err);
    /* What it says lives as long as the target. */
    bool (*describe)(struct esse_target *target, struct esse_description *description,
                     struct esse_error *err);
    /* The rows of an own table, all columns; before the first transaction.  NULL: without CAN_OWN.
     */
    bool (*own_rows)(struct esse_target *target, uint32_t table, struct esse_cells *cells,
                     struct esse_error *err);
    void (*clean)(struct esse_target *target);
    void (*close)(struct esse_target *target);

    struct esse_conn *(*conn)(struct esse_target *target, struct esse_arena *arena,
                              uint32_t session);
    enum esse_progress (*start)(struct esse_conn *conn, const struct esse_request *request,
                                struct esse_reply *reply);
    enum esse_progress (*step)(struct esse_conn *conn, struct esse_reply *reply);
    void (*drop)(struct esse_conn *conn);

    const struct esse_certifying *certificate; /* NULL: none can be had */

    /* One clause for the run's summary, once the sessions have ended; in the target's arena.  NULL,
     * or answers NULL: nothing to say. */
    const char *(*remark)(struct esse_target *target);

    /* Sends transactions of clients that only the target knows, once the sessions have ended:
     * planted bugs.  NULL for real databases. */
    bool (*play)(struct esse_target *target, struct esse_played *played, struct esse_error *err);

    const void *details; /* what rows of one file differ in */
};

extern const struct esse_driver *const esse_drivers[]; /* null-terminated, see drivers.c */

/* The driver of a URL's scheme; NULL if there is none. */
const struct esse_driver *esse_driver_find(const char *scheme);

/* The driver of a URL: that of its dialect, if that is one of its own, or else of its scheme. */
const struct esse_driver *esse_driver_of(const struct esse_url *url);

/* The row of a driver's claims; NULL on an unknown setting.  '-', '_' and ' ' are the same, and so
 * are capitals; NULL stands for the default. */
const struct esse_claim *esse_claim_find(const struct esse_driver *driver, const char *setting);

/* Fills a failure and returns FAILED, so that a failing path is one statement. */
enum esse_progress esse_failed(struct esse_reply *reply, enum esse_fate fate, const char *code,
                               const char *format, ...) __attribute__((format(printf, 4, 5)));

/* An empty reply: what start() begins with. */
void esse_reply_clear(struct esse_reply *reply);

#endif
