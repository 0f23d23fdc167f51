#include "collect/driver/sqlite/sqlite.h"

#include "collect/driver/live_rows.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * SQLite, in this process.  Statements never wait: SQLITE_BUSY and SQLITE_LOCKED become AGAIN, and
 * the loop goes on with the session that holds the lock.
 *
 * The order of versions comes from hooks.  The commit hook runs while the write lock is still
 * held, so the number that it draws is the transaction's place in the order of commits; the
 * preupdate hook has collected by then what it wrote.
 *
 * What a predicate saw only the order of all commits shows, and how many of them the transaction
 * sees.  SQLite has no public number for that, so where there are predicates the commits count
 * themselves in a row of the database: a transaction reads it first, and its own number is one more
 * if it commits.  If SQLite showed a transaction one state of this row and another of the others,
 * the certificate would say so.
 */
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

static bool open_target(struct esse_arena *arena, const struct esse_driver *driver,
                        const struct esse_url *url, const struct esse_claim *isolation,
                        struct esse_target **out, struct esse_error *err)
{
    static const char *const names[] = { "journal", "synchronous", "begin", "busy", NULL };
    static const char *const journals[] = { "wal", "delete", NULL };
    static const char *const levels[] = { "off", "normal", "full", NULL };
    static const char *const begins[] = { "immediate", "deferred", NULL };
    struct esse_target *target = esse_arena_alloc(arena, 1, sizeof *target);
    const char *begin;
    (void)driver;
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

static bool run_main(void *context, const char *sql, struct esse_error *err)
{
    struct esse_target *target = context;
    return execute(target->main, sql, err);
}

/* Where what is not committed can be read there is no snapshot to speak of. */
static bool counts(const struct esse_target *target, const struct esse_schema *schema)
{
    return esse_live_has_predicates(schema) && target->has_hooks && !target->is_shared;
}

static bool prepare(struct esse_target *target, const struct esse_schema *schema,
                    struct esse_error *err)
{
    char sql[100];
    target->schema = schema;
    target->is_counting = counts(target, schema);
    if (!*target->file && !make_directory(target, err))
        return false;
    const char *path = target->file;
    if (target->is_shared)
        target->file = shared_uri(target->arena, path);
    target->main = esse_sqlite_connect(target);
    if (!target->main)
        return esse_fail(err, ESSE_EUNAVAILABLE, "cannot open the SQLite database '%s'", path);
    snprintf(sql, sizeof sql, "PRAGMA journal_mode=%s; PRAGMA synchronous=%s; BEGIN IMMEDIATE",
             target->journal, target->synchronous);
    bool ok = execute(target->main, sql, err) &&
              esse_live_make_tables(target->arena, schema,
                                    "CREATE TABLE esse_%(k INTEGER PRIMARY KEY, v #, o INTEGER)",
                                    "TEXT", run_main, target, err);
    if (ok && target->is_counting)
        ok = execute(target->main,
                     "DROP TABLE IF EXISTS esse_commits; CREATE TABLE esse_commits(n INTEGER);"
                     "INSERT INTO esse_commits VALUES (0)",
                     err);
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
    if (!target->main)
        return;
    esse_live_drop_tables(target->schema, run_main, target);
    if (target->is_counting)
        sqlite3_exec(target->main, "DROP TABLE IF EXISTS esse_commits", NULL, NULL, NULL);
}

static void close_target(struct esse_target *target)
{
    sqlite3_close(target->main);
    if (target->directory)
        remove_directory(target->directory);
    pthread_mutex_destroy(&target->lock);
    esse_arena_free(target->log_arena);
}

/* ---- certificate ---- */

static bool begin_certificate(struct esse_target *target, struct esse_error *err)
{
    if (!target->has_hooks)
        return esse_fail(err, ESSE_EUNAVAILABLE,
                         "this SQLite was built without the preupdate hook");
    return !target->schema->own || target->is_counting ||
           esse_fail(err, ESSE_EUNAVAILABLE,
                     "commits of your own transactions are counted in a row of the database, and "
                     "with read-uncommitted one may see a count that is not committed");
}

static int compare_versions(const void *left, const void *right)
{
    const struct esse_sqlite_version *a = left, *b = right;
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
        const struct esse_sqlite_version *version = &target->log.at[i];
        esse_learnt_version(learnt, version->table, version->row, version->value,
                            (int64_t)version->commit);
    }
    for (uint64_t i = 1; target->is_counting && i <= target->counted; i++)
        esse_learnt_commit(learnt, (int64_t)i);
    return true;
}

static void end_certificate(struct esse_target *target)
{
    target->log.count = 0;
}

static const struct esse_certifying certifying = {
    .source = "SQLite's preupdate and commit hooks",
    .kind = "commit-order",
    .begin = begin_certificate,
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
    .can =
        ESSE_CAN_LISTS | ESSE_CAN_PREDICATES | ESSE_CAN_AGGREGATES | ESSE_CAN_DELETE | ESSE_CAN_OWN,
    .claims = claims,
    .open = open_target,
    .prepare = prepare,
    .describe = describe,
    .own_rows = esse_sqlite_own_rows,
    .clean = clean,
    .close = close_target,
    .conn = esse_sqlite_conn,
    .start = esse_sqlite_start,
    .step = esse_sqlite_step,
    .drop = esse_sqlite_drop,
    .certificate = &certifying,
};
