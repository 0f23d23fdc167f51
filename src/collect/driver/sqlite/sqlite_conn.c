#include "base/clock.h"
#include "collect/driver/live_rows.h"
#include "collect/driver/sqlite/sqlite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct conn {
    struct esse_conn head;
    struct esse_target *target;
    struct esse_arena *arena;
    sqlite3 *db;
    sqlite3_stmt **statements; /* ESSE_STATEMENTS for each table */
    sqlite3_stmt *begin, *begin_write, *commit, *rollback;
    sqlite3_stmt *look, *count; /* at the number of commits, and one more */
    struct esse_request request;
    int64_t refused_at; /* when a lock was first not to be had; 0: it was */
    uint64_t commit_number;
    int64_t seen;    /* commits that the transaction sees, if they are counted */
    bool is_counted; /* the transaction has counted itself among them */
    bool has_written;
    struct esse_sqlite_own own;
    struct esse_sqlite_version_vec written;
    struct esse_live_list list;
    struct esse_live_row_vec rows;
};

sqlite3 *esse_sqlite_connect(struct esse_target *target)
{
    sqlite3 *db = NULL;
    const int flags =
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI;
    if (sqlite3_open_v2(target->file, &db, flags, NULL) == SQLITE_OK) {
        sqlite3_extended_result_codes(db, 1);
        return db;
    }
    sqlite3_close(db);
    return NULL;
}

/* ---- hooks ---- */

/* The element that an append has just put at the end of a list. */
static int64_t last_element(sqlite3_value *value)
{
    const char *list = (const char *)sqlite3_value_text(value);
    return esse_live_last_item(list, (size_t)sqlite3_value_bytes(value));
}

static void on_change(void *context, sqlite3 *db, int what, const char *schema, const char *name,
                      sqlite3_int64 old_row, sqlite3_int64 new_row)
{
    struct conn *conn = context;
    struct esse_sqlite_version version = { .value = ESSE_ABSENT,
                                           .row = what == SQLITE_DELETE ? old_row : new_row };
    sqlite3_value *value;
    (void)schema;
    conn->has_written = true;
    if (!esse_live_find_table(conn->target->schema, (struct esse_span){ name, strlen(name) },
                              &version.table))
        return;
    const bool is_list = conn->target->schema->tables[version.table].is_list;
    if (what != SQLITE_DELETE && sqlite3_preupdate_new(db, 1, &value) == SQLITE_OK)
        version.value = is_list ? last_element(value) : sqlite3_value_int64(value);
    for (size_t i = 0; !is_list && i < conn->written.count; i++) {
        struct esse_sqlite_version *earlier = &conn->written.at[i];
        if (earlier->table == version.table && earlier->row == version.row) {
            *earlier = version;
            return;
        }
    }
    esse_sqlite_version_vec_push(&conn->written, conn->arena, version);
}

/* A COMMIT that is refused after this comes again, with another number unless they are counted. */
static int on_commit(void *context)
{
    struct conn *conn = context;
    conn->commit_number = conn->target->is_counting
                              ? (uint64_t)conn->seen + 1
                              : atomic_fetch_add(&conn->target->commits, 1) + 1;
    return 0;
}

static void log_commit(struct conn *conn)
{
    struct esse_target *target = conn->target;
    pthread_mutex_lock(&target->lock);
    if (conn->commit_number > target->counted)
        target->counted = conn->commit_number;
    for (size_t i = 0; i < conn->written.count; i++) {
        conn->written.at[i].commit = conn->commit_number;
        conn->written.at[i].place = target->log.count;
        esse_sqlite_version_vec_push(&target->log, target->log_arena, conn->written.at[i]);
    }
    pthread_mutex_unlock(&target->lock);
}

/* ---- connections ---- */

struct esse_conn *esse_sqlite_conn(struct esse_target *target, struct esse_arena *arena,
                                   uint32_t session)
{
    struct conn *conn = esse_arena_alloc(arena, 1, sizeof *conn);
    (void)session;
    conn->head = (struct esse_conn){ .driver = &esse_driver_sqlite, .fd = -1 };
    conn->target = target;
    conn->arena = arena;
    esse_live_list_init(&conn->list, arena);
    esse_sqlite_own_init(&conn->own, arena);
    conn->statements = esse_arena_alloc(arena, (size_t)target->schema->count * ESSE_STATEMENTS,
                                        sizeof(sqlite3_stmt *));
    return &conn->head;
}

void esse_sqlite_drop(struct esse_conn *head)
{
    struct conn *conn = (struct conn *)head;
    for (uint32_t i = 0; i < conn->target->schema->count * ESSE_STATEMENTS; i++)
        sqlite3_finalize(conn->statements[i]);
    sqlite3_finalize(conn->begin);
    sqlite3_finalize(conn->begin_write);
    sqlite3_finalize(conn->commit);
    sqlite3_finalize(conn->rollback);
    sqlite3_finalize(conn->look);
    sqlite3_finalize(conn->count);
    sqlite3_close(conn->db);
}

/* By enum esse_statement; the table's name stands for every '%'. */
static const char *const texts[ESSE_STATEMENTS] = {
    [ESSE_SQL_READ] = "SELECT v FROM esse_% WHERE k = ?1",
    [ESSE_SQL_WRITE] =
        "INSERT INTO esse_%(k, v) VALUES (?1, ?2) ON CONFLICT(k) DO UPDATE SET v = ?2",
    [ESSE_SQL_INSERT] = "INSERT INTO esse_%(k, v) VALUES (?1, ?2)",
    [ESSE_SQL_APPEND] = ("INSERT INTO esse_%(k, v) VALUES (?1, ?2) "
                         "ON CONFLICT(k) DO UPDATE SET v = v || ',' || ?2"),
    [ESSE_SQL_DELETE] = "DELETE FROM esse_% WHERE k = ?1",
    [ESSE_SQL_RANGE] = "SELECT k, v FROM esse_% WHERE v >= ?1 AND v <= ?2",
    [ESSE_SQL_CHANGE] = "UPDATE esse_% SET o = v, v = ?3 WHERE v >= ?1 AND v <= ?2 RETURNING k, o",
    [ESSE_SQL_COUNT] = "SELECT count(*) FROM esse_% WHERE v >= ?1 AND v <= ?2",
    [ESSE_SQL_SUM] = "SELECT sum(v) FROM esse_% WHERE v >= ?1 AND v <= ?2",
    [ESSE_SQL_MIN] = "SELECT min(v + 0) FROM esse_% WHERE v >= ?1 AND v <= ?2",
    [ESSE_SQL_MAX] = "SELECT max(v + 0) FROM esse_% WHERE v >= ?1 AND v <= ?2",
};

/* NULL also if another connection holds the lock that reading the schema needs. */
static sqlite3_stmt *prepare_one(struct conn *conn, const char *text, const char *table)
{
    char sql[300];
    sqlite3_stmt *statement = NULL;
    if (esse_statement_make(text, table, "", "", sql, sizeof sql))
        sqlite3_prepare_v3(conn->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL);
    return statement;
}

static enum esse_progress start_connect(struct conn *conn, struct esse_reply *reply)
{
    struct esse_target *target = conn->target;
    conn->db = esse_sqlite_connect(target);
    if (!conn->db)
        return esse_failed(reply, ESSE_FATE_ABORTED, "", "cannot open the database '%s'",
                           target->file);
    char sql[100];
    snprintf(sql, sizeof sql, "PRAGMA synchronous=%s; PRAGMA read_uncommitted=%d",
             target->synchronous, target->is_shared);
    sqlite3_exec(conn->db, sql, NULL, NULL, NULL);
    if (target->has_hooks) {
        sqlite3_preupdate_hook(conn->db, on_change, conn);
        sqlite3_commit_hook(conn->db, on_commit, conn);
    }
    conn->begin = prepare_one(conn, "BEGIN", "");
    conn->begin_write = prepare_one(conn, "BEGIN IMMEDIATE", "");
    conn->commit = prepare_one(conn, "COMMIT", "");
    conn->rollback = prepare_one(conn, "ROLLBACK", "");
    return ESSE_PROGRESS_DONE;
}

/* ---- errors ---- */

/* An error may have rolled the whole transaction back: then there is none to roll back. */
/* A COMMIT that could not be written, or not synced, may be in the file all the same, and come to
 * light when that is recovered. */
static enum esse_fate fate_of(const struct conn *conn, int code)
{
    if (conn->request.ask == ESSE_ASK_COMMIT && (code & 0xff) == SQLITE_IOERR)
        return ESSE_FATE_UNKNOWN;
    return sqlite3_get_autocommit(conn->db) ? ESSE_FATE_ABORTED : ESSE_FATE_OPEN;
}

static enum esse_progress fail(struct conn *conn, struct esse_reply *reply, int code)
{
    return esse_failed(reply, fate_of(conn, code), sqlite3_errstr(code), "%s",
                       sqlite3_errmsg(conn->db));
}

static const char *code_name(int code)
{
    switch (code) {
    case SQLITE_BUSY_SNAPSHOT:
        return "BUSY_SNAPSHOT";
    case SQLITE_BUSY_RECOVERY:
        return "BUSY_RECOVERY";
    case SQLITE_LOCKED_SHAREDCACHE:
        return "LOCKED_CACHE";
    case SQLITE_BUSY:
        return "BUSY";
    case SQLITE_LOCKED:
        return "LOCKED";
    default:
        return NULL;
    }
}

/* Another connection holds the lock: later, unless a newer snapshot is needed or it has taken too
 * long. */
static enum esse_progress refuse(struct conn *conn, struct esse_reply *reply, int code)
{
    const int primary = code & 0xff;
    if (!conn->refused_at)
        conn->refused_at = esse_clock_ns();
    const double waited = (double)(esse_clock_ns() - conn->refused_at) * 1e-9;
    if ((primary == SQLITE_BUSY || primary == SQLITE_LOCKED) && code != SQLITE_BUSY_SNAPSHOT &&
        waited < conn->target->busy_seconds) {
        enum { SHORTEST_US = 20, LONGEST_US = 1000 };
        double pause = waited < SHORTEST_US * 1e-6 ? SHORTEST_US * 1e-6 : waited;
        conn->head.retry_seconds = pause > LONGEST_US * 1e-6 ? LONGEST_US * 1e-6 : pause;
        return ESSE_PROGRESS_AGAIN;
    }
    enum esse_progress progress = fail(conn, reply, code);
    snprintf(reply->failure.code, sizeof reply->failure.code, "%s",
             code_name(code) ? code_name(code) : "");
    reply->failure.is_fatal =
        !code_name(code) && primary != SQLITE_CONSTRAINT && primary != SQLITE_INTERRUPT;
    return progress;
}

/* ---- requests ---- */

/* Runs a statement that returns nothing. */
static enum esse_progress run(struct conn *conn, sqlite3_stmt *statement, struct esse_reply *reply)
{
    int code = sqlite3_step(statement);
    sqlite3_reset(statement);
    return code == SQLITE_DONE ? ESSE_PROGRESS_DONE : refuse(conn, reply, code);
}

static enum esse_progress read_row(struct conn *conn, sqlite3_stmt *statement, bool is_list,
                                   struct esse_reply *reply)
{
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW && is_list) {
        const char *text = (const char *)sqlite3_column_text(statement, 0);
        esse_live_show_list(&conn->list, text, (size_t)sqlite3_column_bytes(statement, 0), reply);
    }
    if (code == SQLITE_ROW && !is_list && sqlite3_column_type(statement, 0) != SQLITE_NULL)
        reply->value = sqlite3_column_int64(statement, 0);
    sqlite3_reset(statement);
    return code == SQLITE_ROW || code == SQLITE_DONE ? ESSE_PROGRESS_DONE
                                                     : refuse(conn, reply, code);
}

static enum esse_progress read_rows(struct conn *conn, sqlite3_stmt *statement,
                                    struct esse_reply *reply)
{
    const bool is_change = conn->request.ask == ESSE_ASK_CHANGE;
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW)
        esse_live_row_vec_push(
            &conn->rows, conn->arena,
            (struct esse_live_row){ sqlite3_column_int64(statement, 0),
                                    sqlite3_column_int64(statement, 1),
                                    is_change ? conn->request.value : ESSE_ABSENT });
    sqlite3_reset(statement);
    reply->rows = conn->rows.at;
    reply->row_count = conn->rows.count;
    return code == SQLITE_DONE ? ESSE_PROGRESS_DONE : refuse(conn, reply, code);
}

/* One of the counted commits, if it has written anything; a COMMIT that was refused and comes again
 * has been counted. */
static enum esse_progress count_commit(struct conn *conn, struct esse_reply *reply)
{
    if (!conn->target->is_counting || conn->is_counted || !conn->has_written)
        return ESSE_PROGRESS_DONE;
    if (!conn->count)
        conn->count = prepare_one(conn, "UPDATE esse_commits SET n = n + 1", "");
    if (!conn->count)
        return refuse(conn, reply, sqlite3_extended_errcode(conn->db));
    const enum esse_progress progress = run(conn, conn->count, reply);
    conn->is_counted = progress == ESSE_PROGRESS_DONE;
    return progress;
}

static enum esse_progress commit(struct conn *conn, struct esse_reply *reply)
{
    enum esse_progress progress = count_commit(conn, reply);
    if (progress != ESSE_PROGRESS_DONE)
        return progress;
    conn->commit_number = 0;
    progress = run(conn, conn->commit, reply);
    if (progress == ESSE_PROGRESS_DONE && conn->commit_number && conn->has_written) {
        reply->xid = (int64_t)conn->commit_number;
        log_commit(conn);
    }
    return progress;
}

/* After an error that ended it there may be no transaction to roll back. */
static enum esse_progress roll_back(struct conn *conn, struct esse_reply *reply)
{
    return sqlite3_get_autocommit(conn->db) ? ESSE_PROGRESS_DONE : run(conn, conn->rollback, reply);
}

/* What the transaction sees until its end: its first read, and in WAL mode its snapshot. */
static enum esse_progress look(struct conn *conn, struct esse_reply *reply)
{
    if (!conn->target->is_counting)
        return ESSE_PROGRESS_DONE;
    if (!conn->look)
        conn->look = prepare_one(conn, "SELECT n FROM esse_commits", "");
    if (!conn->look)
        return refuse(conn, reply, sqlite3_extended_errcode(conn->db));
    const int code = sqlite3_step(conn->look);
    if (code == SQLITE_ROW)
        conn->seen = sqlite3_column_int64(conn->look, 0);
    sqlite3_reset(conn->look);
    return code == SQLITE_ROW ? ESSE_PROGRESS_DONE : refuse(conn, reply, code);
}

static enum esse_progress begin_transaction(struct conn *conn, struct esse_reply *reply)
{
    const bool is_plain = conn->target->is_deferred || conn->request.is_read_only;
    conn->written.count = 0;
    conn->is_counted = conn->has_written = false;
    if (sqlite3_get_autocommit(conn->db)) {
        const enum esse_progress progress =
            run(conn, is_plain ? conn->begin : conn->begin_write, reply);
        if (progress != ESSE_PROGRESS_DONE)
            return progress;
    }
    return look(conn, reply);
}

static sqlite3_stmt *statement_of(struct conn *conn)
{
    const struct esse_request *request = &conn->request;
    const enum esse_statement which = esse_statement_of(request);
    sqlite3_stmt **slot = &conn->statements[request->table * ESSE_STATEMENTS + which];
    if (!*slot)
        *slot = prepare_one(conn, texts[which], conn->target->schema->tables[request->table].name);
    return *slot;
}

static enum esse_progress run_own(struct conn *conn, struct esse_reply *reply)
{
    const int code =
        esse_sqlite_own(&conn->own, conn->db, conn->target->schema->own, conn->request.own, reply);
    if (conn->target->is_counting)
        reply->snapshot_at = conn->seen;
    if (code != SQLITE_INTERNAL)
        return code == SQLITE_DONE ? ESSE_PROGRESS_DONE : refuse(conn, reply, code);
    reply->failure.is_fatal = true;
    return esse_failed(
        reply, ESSE_FATE_OPEN, "",
        "an UPDATE returned a row that its WHERE had not found: the work of a trigger, "
        "or of a WHERE that is not the same twice");
}

static enum esse_progress operate(struct conn *conn, struct esse_reply *reply)
{
    const struct esse_request *request = &conn->request;
    const bool is_list = conn->target->schema->tables[request->table].is_list;
    sqlite3_stmt *statement = statement_of(conn);
    if (!statement)
        return refuse(conn, reply, sqlite3_extended_errcode(conn->db));
    conn->rows.count = 0;
    if (conn->target->is_counting)
        reply->snapshot_at = conn->seen;
    const bool is_predicate = request->ask >= ESSE_ASK_MATCH;
    sqlite3_bind_int64(statement, 1, is_predicate ? request->low : request->row);
    if (is_predicate)
        sqlite3_bind_int64(statement, 2, request->high);
    else if (request->ask != ESSE_ASK_READ && request->ask != ESSE_ASK_DELETE)
        sqlite3_bind_int64(statement, 2, request->value);
    if (request->ask == ESSE_ASK_CHANGE)
        sqlite3_bind_int64(statement, 3, request->value);
    switch (request->ask) {
    case ESSE_ASK_READ:
    case ESSE_ASK_AGGREGATE:
        return read_row(conn, statement, is_list, reply);
    case ESSE_ASK_MATCH:
    case ESSE_ASK_CHANGE:
        return read_rows(conn, statement, reply);
    default:
        break;
    }
    enum esse_progress progress = run(conn, statement, reply);
    reply->is_absent = request->ask == ESSE_ASK_DELETE && sqlite3_changes(conn->db) == 0;
    return progress;
}

enum esse_progress esse_sqlite_step(struct esse_conn *head, struct esse_reply *reply)
{
    struct conn *conn = (struct conn *)head;
    switch (conn->request.ask) {
    case ESSE_ASK_CONNECT:
        return start_connect(conn, reply);
    case ESSE_ASK_BEGIN:
        return begin_transaction(conn, reply);
    case ESSE_ASK_COMMIT:
        return commit(conn, reply);
    case ESSE_ASK_ROLLBACK:
        return roll_back(conn, reply);
    case ESSE_ASK_OWN:
        return run_own(conn, reply);
    default:
        return operate(conn, reply);
    }
}

enum esse_progress esse_sqlite_start(struct esse_conn *head, const struct esse_request *request,
                                     struct esse_reply *reply)
{
    struct conn *conn = (struct conn *)head;
    conn->request = *request;
    conn->refused_at = 0;
    return esse_sqlite_step(head, reply);
}
