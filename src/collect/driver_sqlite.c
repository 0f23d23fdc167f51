#include "base/vec.h"
#include "collect/drivers.h"
#include "collect/recorder.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#include <sqlite3.h>

/*
 * SQLite, in this process.  Statements never wait: SQLITE_BUSY and SQLITE_LOCKED become AGAIN, and
 * the loop goes on with whoever holds the lock.
 *
 * The order of versions comes from hooks.  The commit hook runs while the write lock is still
 * held, so the number that it draws is the transaction's place in the order of commits; the
 * preupdate hook has collected by then what it wrote.
 */
#pragma weak sqlite3_preupdate_hook
#pragma weak sqlite3_preupdate_new

ESSE_VEC(item_vec, int64_t)
ESSE_VEC(row_vec, struct esse_live_row)

struct version {
    uint64_t commit, place; /* 'place': in the log, so that sorting by commit keeps the order */
    uint32_t table;
    int64_t row, value;
};
ESSE_VEC(version_vec, struct version)

struct esse_target {
    struct esse_arena *arena;
    const char *file; /* as sqlite3_open_v2 takes it */
    char *directory;  /* ours, to be removed; NULL if the file is the user's */
    bool is_shared;   /* one cache, and reads of what is not committed */
    bool is_deferred; /* writers begin like readers */
    const char *journal, *synchronous;
    double busy_seconds;
    const struct esse_schema *schema;
    sqlite3 *main; /* keeps a shared cache alive, and cleans up */
    bool has_hooks;
    _Atomic uint64_t commits;
    pthread_mutex_t lock;
    struct esse_arena *log_arena;
    struct version_vec log;
};

enum statement { READ, WRITE, INSERT, APPEND, DELETE, RANGE, CHANGE, COUNT, SUM, STATEMENTS };

struct conn {
    struct esse_conn head;
    struct esse_target *target;
    struct esse_arena *arena;
    sqlite3 *db;
    sqlite3_stmt **statements; /* STATEMENTS for each table */
    sqlite3_stmt *begin, *begin_write, *commit, *rollback;
    struct esse_request request;
    int64_t began;
    uint64_t commit_number;
    struct version_vec written;
    struct item_vec items;
    struct row_vec rows;
};

static const struct esse_claim claims[] = {
    { "serializable", "serializable", "sqlite.org/isolation.html" },
    { "read-uncommitted", "read-uncommitted", "sqlite.org/pragma.html#pragma_read_uncommitted" },
    { 0 },
};

/* ---- target ---- */

static bool choose(const struct esse_url *url, const char *name, const char *const *values,
                   const char **out, struct esse_error *err)
{
    const char *value = esse_url_parameter(url, name);
    *out = value ? NULL : values[0];
    for (size_t i = 0; value && values[i]; i++)
        if (strcmp(value, values[i]) == 0)
            *out = values[i];
    return *out || esse_fail(err, ESSE_EUSAGE, "the target's URL: %s cannot be '%s'; try %s or %s",
                             name, value, values[0], values[1]);
}

static bool read_busy(const struct esse_url *url, double *seconds, struct esse_error *err)
{
    const char *text = esse_url_parameter(url, "busy");
    char *end;
    *seconds = text ? strtod(text, &end) : 5;
    if (text && (*end || end == text || !(*seconds >= 0)))
        return esse_fail(err, ESSE_EUSAGE, "the target's URL: busy must be seconds, not '%s'",
                         text);
    return true;
}

static bool open_target(struct esse_arena *arena, const struct esse_url *url,
                        const struct esse_claim *isolation, struct esse_target **out,
                        struct esse_error *err)
{
    static const char *const names[] = { "journal", "synchronous", "begin", "busy", NULL };
    static const char *const journals[] = { "wal", "delete", NULL };
    static const char *const levels[] = { "off", "normal", "full", NULL };
    static const char *const begins[] = { "immediate", "deferred", NULL };
    struct esse_target *target = esse_arena_alloc(arena, 1, sizeof *target);
    const char *begin;
    target->arena = arena;
    target->file = url->path;
    target->is_shared = strcmp(isolation->setting, "read-uncommitted") == 0;
    if (url->host_count)
        return esse_fail(err, ESSE_EUSAGE, "the target's URL: expected sqlite:PATH, no host");
    if (!esse_url_knows(url, names, err) ||
        !choose(url, "journal", journals, &target->journal, err) ||
        !choose(url, "synchronous", levels, &target->synchronous, err) ||
        !choose(url, "begin", begins, &begin, err) || !read_busy(url, &target->busy_seconds, err))
        return false;
    target->is_deferred = target->is_shared || strcmp(begin, "deferred") == 0;
    target->has_hooks = sqlite3_preupdate_hook && sqlite3_preupdate_new;
    pthread_mutex_init(&target->lock, NULL);
    target->log_arena = esse_arena_new();
    *out = target;
    return true;
}

static bool make_directory(struct esse_target *target, struct esse_error *err)
{
    const char *base = getenv("TMPDIR");
    char *directory =
        esse_arena_format(target->arena, "%s/esse-sqlite-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(directory))
        return esse_fail(err, ESSE_EUNAVAILABLE, "cannot make a temporary directory in %s",
                         base && *base ? base : "/tmp");
    target->directory = directory;
    target->file = esse_arena_format(target->arena, "%s/esse.db", directory);
    return true;
}

/* Percent signs for what has a meaning in a file: URI. */
static const char *shared_uri(struct esse_arena *arena, const char *path)
{
    char *uri = esse_arena_alloc(arena, 3 * strlen(path) + 40, 1), *to = uri;
    to += sprintf(to, "file:");
    for (; *path; path++)
        to += strchr("%?#", *path) ? sprintf(to, "%%%02X", (unsigned char)*path)
                                   : sprintf(to, "%c", *path);
    sprintf(to, "?cache=shared");
    return uri;
}

static bool execute(sqlite3 *db, const char *sql, struct esse_error *err)
{
    char *said = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &said) == SQLITE_OK)
        return true;
    esse_fail(err, ESSE_EUNAVAILABLE, "SQLite refused: %s", said ? said : sqlite3_errmsg(db));
    sqlite3_free(said);
    return false;
}

static sqlite3 *connect_to(struct esse_target *target)
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

static bool fill_table(sqlite3 *db, const struct esse_table *table, struct esse_error *err)
{
    char sql[400];
    sqlite3_stmt *insert = NULL;
    snprintf(sql, sizeof sql,
             "DROP TABLE IF EXISTS esse_%s;"
             "CREATE TABLE esse_%s(k INTEGER PRIMARY KEY, v %s, o INTEGER);%s%s%s",
             table->name, table->name, table->is_list ? "TEXT" : "INTEGER",
             table->has_ranges ? "CREATE INDEX esse_i_" : "", table->has_ranges ? table->name : "",
             "");
    if (table->has_ranges)
        snprintf(sql + strlen(sql), sizeof sql - strlen(sql), " ON esse_%s(v);", table->name);
    if (!execute(db, sql, err))
        return false;
    snprintf(sql, sizeof sql, "INSERT INTO esse_%s(k, v) VALUES (?1, ?2)", table->name);
    sqlite3_prepare_v2(db, sql, -1, &insert, NULL);
    bool ok = insert != NULL;
    for (uint64_t i = 0; ok && i < table->rows; i++) {
        sqlite3_bind_int64(insert, 1, (int64_t)i);
        sqlite3_bind_int64(insert, 2, table->initial[i]);
        ok = table->initial[i] == ESSE_ABSENT || sqlite3_step(insert) == SQLITE_DONE;
        sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
    return ok || esse_fail(err, ESSE_EUNAVAILABLE, "SQLite refused: %s", sqlite3_errmsg(db));
}

static bool prepare(struct esse_target *target, const struct esse_schema *schema,
                    struct esse_error *err)
{
    char sql[100];
    target->schema = schema;
    if (!*target->file && !make_directory(target, err))
        return false;
    const char *path = target->file;
    if (target->is_shared)
        target->file = shared_uri(target->arena, path);
    target->main = connect_to(target);
    if (!target->main)
        return esse_fail(err, ESSE_EUNAVAILABLE, "cannot open the SQLite database '%s'", path);
    snprintf(sql, sizeof sql, "PRAGMA journal_mode=%s; PRAGMA synchronous=%s; BEGIN IMMEDIATE",
             target->journal, target->synchronous);
    bool ok = execute(target->main, sql, err);
    for (uint32_t t = 0; ok && t < schema->count; t++)
        ok = fill_table(target->main, &schema->tables[t], err);
    return ok && execute(target->main, "COMMIT", err);
}

static const char *ask_pragma(struct esse_target *target, const char *name)
{
    char sql[80];
    sqlite3_stmt *pragma = NULL;
    const char *answer = "?";
    snprintf(sql, sizeof sql, "PRAGMA %s", name);
    if (sqlite3_prepare_v2(target->main, sql, -1, &pragma, NULL) == SQLITE_OK &&
        sqlite3_step(pragma) == SQLITE_ROW)
        answer = esse_arena_format(target->arena, "%s", sqlite3_column_text(pragma, 0));
    sqlite3_finalize(pragma);
    return answer;
}

static bool describe(struct esse_target *target, struct esse_description *description,
                     struct esse_error *err)
{
    enum { SETTINGS = 5 };
    struct esse_setting *settings = esse_arena_alloc(target->arena, SETTINGS, sizeof *settings);
    (void)err;
    settings[0] = (struct esse_setting){ "journal_mode", ask_pragma(target, "journal_mode") };
    settings[1] = (struct esse_setting){ "synchronous", ask_pragma(target, "synchronous") };
    settings[2] = (struct esse_setting){ "begin", target->is_deferred ? "deferred" : "immediate" };
    settings[3] = (struct esse_setting){ "cache", target->is_shared ? "shared" : "private" };
    settings[4] = (struct esse_setting){ "read_uncommitted", target->is_shared ? "1" : "0" };
    *description = (struct esse_description){
        .product = esse_arena_format(target->arena, "sqlite %s", sqlite3_libversion()),
        .settings = settings,
        .setting_count = SETTINGS,
    };
    return true;
}

static void remove_directory(const char *path)
{
    DIR *directory = opendir(path);
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        if (entry->d_name[0] != '.')
            unlinkat(dirfd(directory), entry->d_name, 0);
    if (directory)
        closedir(directory);
    rmdir(path);
}

static void clean(struct esse_target *target)
{
    for (uint32_t t = 0; !target->directory && target->main && t < target->schema->count; t++) {
        char sql[100];
        snprintf(sql, sizeof sql, "DROP TABLE IF EXISTS esse_%s", target->schema->tables[t].name);
        sqlite3_exec(target->main, sql, NULL, NULL, NULL);
    }
}

static void close_target(struct esse_target *target)
{
    sqlite3_close(target->main);
    if (target->directory)
        remove_directory(target->directory);
    pthread_mutex_destroy(&target->lock);
    esse_arena_free(target->log_arena);
}

/* ---- hooks ---- */

static bool find_table(const struct esse_schema *schema, const char *name, uint32_t *table)
{
    for (*table = 0; *table < schema->count; ++*table)
        if (strncmp(name, "esse_", 5) == 0 && strcmp(name + 5, schema->tables[*table].name) == 0)
            return true;
    return false;
}

/* The element that an append has just put at the end of a list. */
static int64_t last_element(const char *list)
{
    const char *comma = strrchr(list, ',');
    return strtoll(comma ? comma + 1 : list, NULL, 10);
}

static void on_change(void *context, sqlite3 *db, int what, const char *schema, const char *name,
                      sqlite3_int64 old_row, sqlite3_int64 new_row)
{
    struct conn *conn = context;
    struct version version = { .value = ESSE_ABSENT,
                               .row = what == SQLITE_DELETE ? old_row : new_row };
    sqlite3_value *value;
    (void)schema;
    if (!find_table(conn->target->schema, name, &version.table))
        return;
    const bool is_list = conn->target->schema->tables[version.table].is_list;
    if (what != SQLITE_DELETE && sqlite3_preupdate_new(db, 1, &value) == SQLITE_OK)
        version.value = is_list ? last_element((const char *)sqlite3_value_text(value))
                                : sqlite3_value_int64(value);
    for (size_t i = 0; !is_list && i < conn->written.count; i++) {
        struct version *earlier = &conn->written.at[i];
        if (earlier->table == version.table && earlier->row == version.row) {
            *earlier = version;
            return;
        }
    }
    version_vec_push(&conn->written, conn->arena, version);
}

static int on_commit(void *context)
{
    struct conn *conn = context;
    conn->commit_number = atomic_fetch_add(&conn->target->commits, 1) + 1;
    return 0;
}

static void log_commit(struct conn *conn)
{
    struct esse_target *target = conn->target;
    pthread_mutex_lock(&target->lock);
    for (size_t i = 0; i < conn->written.count; i++) {
        conn->written.at[i].commit = conn->commit_number;
        conn->written.at[i].place = target->log.count;
        version_vec_push(&target->log, target->log_arena, conn->written.at[i]);
    }
    pthread_mutex_unlock(&target->lock);
}

/* ---- connections ---- */

static struct esse_conn *new_conn(struct esse_target *target, struct esse_arena *arena,
                                  uint32_t session)
{
    struct conn *conn = esse_arena_alloc(arena, 1, sizeof *conn);
    (void)session;
    conn->head = (struct esse_conn){ .driver = &esse_driver_sqlite, .fd = -1 };
    conn->target = target;
    conn->arena = arena;
    conn->statements =
        esse_arena_alloc(arena, (size_t)target->schema->count * STATEMENTS, sizeof(sqlite3_stmt *));
    return &conn->head;
}

static void drop(struct esse_conn *head)
{
    struct conn *conn = (struct conn *)head;
    for (uint32_t i = 0; i < conn->target->schema->count * STATEMENTS; i++)
        sqlite3_finalize(conn->statements[i]);
    sqlite3_finalize(conn->begin);
    sqlite3_finalize(conn->begin_write);
    sqlite3_finalize(conn->commit);
    sqlite3_finalize(conn->rollback);
    sqlite3_close(conn->db);
}

/* By enum statement; the table's name stands for every '%'. */
static const char *const texts[STATEMENTS] = {
    [READ] = "SELECT v FROM esse_% WHERE k = ?1",
    [WRITE] = "INSERT INTO esse_%(k, v) VALUES (?1, ?2) ON CONFLICT(k) DO UPDATE SET v = ?2",
    [INSERT] = "INSERT INTO esse_%(k, v) VALUES (?1, ?2)",
    [APPEND] = "INSERT INTO esse_%(k, v) VALUES (?1, ?2) "
               "ON CONFLICT(k) DO UPDATE SET v = v || ',' || ?2",
    [DELETE] = "DELETE FROM esse_% WHERE k = ?1",
    [RANGE] = "SELECT k, v FROM esse_% WHERE v >= ?1 AND v <= ?2",
    [CHANGE] = "UPDATE esse_% SET o = v, v = ?3 WHERE v >= ?1 AND v <= ?2 RETURNING k, o",
    [COUNT] = "SELECT count(*) FROM esse_% WHERE v >= ?1 AND v <= ?2",
    [SUM] = "SELECT sum(v) FROM esse_% WHERE v >= ?1 AND v <= ?2",
};

static sqlite3_stmt *prepare_one(struct conn *conn, const char *text, const char *table)
{
    char sql[300], *to = sql;
    sqlite3_stmt *statement = NULL;
    for (; *text; text++)
        to += *text == '%' ? sprintf(to, "%s", table) : sprintf(to, "%c", *text);
    sqlite3_prepare_v3(conn->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL);
    return statement;
}

static enum esse_progress start_connect(struct conn *conn, struct esse_reply *reply)
{
    struct esse_target *target = conn->target;
    conn->db = connect_to(target);
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
static enum esse_progress fail(struct conn *conn, struct esse_reply *reply, int code)
{
    const bool is_over = sqlite3_get_autocommit(conn->db) != 0;
    return esse_failed(reply, is_over ? ESSE_FATE_ABORTED : ESSE_FATE_OPEN, sqlite3_errstr(code),
                       "%s", sqlite3_errmsg(conn->db));
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

/* Somebody holds the lock: later, unless a newer snapshot is needed or it has taken too long. */
static enum esse_progress refuse(struct conn *conn, struct esse_reply *reply, int code)
{
    const int primary = code & 0xff;
    const double waited = (double)(esse_book_clock() - conn->began) * 1e-9;
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

static void parse_list(struct conn *conn, const char *text, struct esse_reply *reply)
{
    for (const char *at = text; at && *at;) {
        char *end;
        item_vec_push(&conn->items, conn->arena, strtoll(at, &end, 10));
        at = *end == ',' ? end + 1 : "";
    }
    reply->items = conn->items.at;
    reply->item_count = conn->items.count;
}

static enum esse_progress read_row(struct conn *conn, sqlite3_stmt *statement, bool is_list,
                                   struct esse_reply *reply)
{
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW && is_list)
        parse_list(conn, (const char *)sqlite3_column_text(statement, 0), reply);
    else if (code == SQLITE_ROW && sqlite3_column_type(statement, 0) != SQLITE_NULL)
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
        row_vec_push(&conn->rows, conn->arena,
                     (struct esse_live_row){ sqlite3_column_int64(statement, 0),
                                             sqlite3_column_int64(statement, 1),
                                             is_change ? conn->request.value : ESSE_ABSENT });
    sqlite3_reset(statement);
    reply->rows = conn->rows.at;
    reply->row_count = conn->rows.count;
    return code == SQLITE_DONE ? ESSE_PROGRESS_DONE : refuse(conn, reply, code);
}

static enum esse_progress end_transaction(struct conn *conn, sqlite3_stmt *how,
                                          struct esse_reply *reply)
{
    conn->commit_number = 0;
    enum esse_progress progress = run(conn, how, reply);
    if (progress == ESSE_PROGRESS_DONE && conn->commit_number && how == conn->commit) {
        reply->xid = (int64_t)conn->commit_number;
        log_commit(conn);
    }
    return progress;
}

/* After an error that ended it there may be no transaction to roll back. */
static enum esse_progress roll_back(struct conn *conn, struct esse_reply *reply)
{
    return sqlite3_get_autocommit(conn->db) ? ESSE_PROGRESS_DONE
                                            : end_transaction(conn, conn->rollback, reply);
}

static enum esse_progress begin_transaction(struct conn *conn, struct esse_reply *reply)
{
    conn->written.count = 0;
    const bool is_plain = conn->target->is_deferred || conn->request.is_read_only;
    return run(conn, is_plain ? conn->begin : conn->begin_write, reply);
}

static sqlite3_stmt *statement_of(struct conn *conn)
{
    static const enum statement of[] = {
        [ESSE_ASK_READ] = READ,     [ESSE_ASK_WRITE] = WRITE,     [ESSE_ASK_INSERT] = INSERT,
        [ESSE_ASK_APPEND] = APPEND, [ESSE_ASK_DELETE] = DELETE,   [ESSE_ASK_MATCH] = RANGE,
        [ESSE_ASK_CHANGE] = CHANGE, [ESSE_ASK_AGGREGATE] = COUNT,
    };
    const struct esse_request *request = &conn->request;
    enum statement which = of[request->ask];
    if (which == COUNT && request->aggregate == ESSE_AGGREGATE_SUM)
        which = SUM;
    sqlite3_stmt **slot = &conn->statements[request->table * STATEMENTS + which];
    if (!*slot)
        *slot = prepare_one(conn, texts[which], conn->target->schema->tables[request->table].name);
    return *slot;
}

static enum esse_progress operate(struct conn *conn, struct esse_reply *reply)
{
    const struct esse_request *request = &conn->request;
    const bool is_list = conn->target->schema->tables[request->table].is_list;
    sqlite3_stmt *statement = statement_of(conn);
    if (!statement)
        return refuse(conn, reply, sqlite3_extended_errcode(conn->db));
    conn->items.count = conn->rows.count = 0;
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

static enum esse_progress step(struct esse_conn *head, struct esse_reply *reply)
{
    struct conn *conn = (struct conn *)head;
    switch (conn->request.ask) {
    case ESSE_ASK_CONNECT:
        return start_connect(conn, reply);
    case ESSE_ASK_BEGIN:
        return begin_transaction(conn, reply);
    case ESSE_ASK_COMMIT:
        return end_transaction(conn, conn->commit, reply);
    case ESSE_ASK_ROLLBACK:
        return roll_back(conn, reply);
    default:
        return operate(conn, reply);
    }
}

static enum esse_progress start(struct esse_conn *head, const struct esse_request *request,
                                struct esse_reply *reply)
{
    struct conn *conn = (struct conn *)head;
    conn->request = *request;
    conn->began = esse_book_clock();
    return step(head, reply);
}

/* ---- certificate ---- */

static bool begin_certificate(struct esse_target *target, struct esse_error *err)
{
    return target->has_hooks ||
           esse_fail(err, ESSE_EUNAVAILABLE, "this SQLite was built without the preupdate hook");
}

static bool poll_certificate(struct esse_target *target, struct esse_learnt *learnt,
                             struct esse_error *err)
{
    (void)target;
    (void)learnt;
    (void)err;
    return true;
}

static int compare_versions(const void *left, const void *right)
{
    const struct version *a = left, *b = right;
    if (a->commit != b->commit)
        return a->commit < b->commit ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

static bool finish_certificate(struct esse_target *target, struct esse_learnt *learnt,
                               struct esse_error *err)
{
    (void)err;
    if (target->log.count)
        qsort(target->log.at, target->log.count, sizeof *target->log.at, compare_versions);
    for (size_t i = 0; i < target->log.count; i++) {
        const struct version *version = &target->log.at[i];
        esse_learnt_version(learnt, version->table, version->row, version->value,
                            (int64_t)version->commit);
    }
    return true;
}

static void end_certificate(struct esse_target *target)
{
    target->log.count = 0;
}

static const struct esse_certifying certifying = {
    .source = "SQLite's preupdate and commit hooks",
    .begin = begin_certificate,
    .poll = poll_certificate,
    .finish = finish_certificate,
    .end = end_certificate,
};

const struct esse_driver esse_driver_sqlite = {
    .name = "sqlite",
    .schemes = "sqlite",
    .summary = "SQLite, in a private temporary file unless a path is given",
    .parameters = "journal=wal|delete              the journal (default: wal)\n"
                  "synchronous=off|normal|full     how much is synced (default: off)\n"
                  "begin=immediate|deferred        how writers begin (default: immediate)\n"
                  "busy=SECONDS                    how long a lock is waited for (default: 5)",
    .can = ESSE_CAN_LISTS | ESSE_CAN_PREDICATES | ESSE_CAN_AGGREGATES | ESSE_CAN_DELETE,
    .claims = claims,
    .open = open_target,
    .prepare = prepare,
    .describe = describe,
    .clean = clean,
    .close = close_target,
    .conn = new_conn,
    .start = start,
    .step = step,
    .drop = drop,
    .certificate = &certifying,
};
