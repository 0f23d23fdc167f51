#include "sql_random_statement.h"

#include <pwd.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Random predicates over random rows: does the evaluator say what a database says?  SQLite gets
 * what it shares with PostgreSQL: no decimals, dates or casts, no division by what may be zero, no
 * overflow, no text that meets numbers, LIKE without a default escape.  PostgreSQL gets everything,
 * errors included.
 */

static void compare(struct sql_rows *rows, const char *text, uint32_t row, char theirs)
{
    struct esse_error err = { 0 };
    char ours = sql_rows_ask(rows, text, row, &err);
    if (ours != theirs)
        print_error("row %u, %s: '%c', the database says '%c' %s\n", row, text, ours, theirs,
                    err.text);
    CHECK_EQ(ours, theirs);
}

/* ---- SQLite ---- */

static void sqlite_do(sqlite3 *db, const char *sql)
{
    char *message = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("sqlite: %s in %s", message, sql);
}

static void compare_with_sqlite(sqlite3 *db, struct sql_rows *rows, const char *text)
{
    sqlite3_stmt *statement;
    char *sql = sqlite3_mprintf("SELECT (%s) FROM t ORDER BY rowid", text);
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        fail_msg("sqlite: %s in %s", sqlite3_errmsg(db), sql);
    for (uint32_t row = 0; row < ROWS; row++) {
        CHECK_EQ(sqlite3_step(statement), SQLITE_ROW);
        char theirs = sqlite3_column_type(statement, 0) == SQLITE_NULL ? 'u'
                      : sqlite3_column_int(statement, 0)               ? 't'
                                                                       : 'f';
        compare(rows, text, row, theirs);
    }
    sqlite3_finalize(statement);
    sqlite3_free(sql);
}

TEST(test_sql__agrees_with_sqlite)
{
    struct esse_rng rng = { 11 };
    for (unsigned round = 0; round < test_rounds(40); round++) {
        struct table table;
        char insert[TEXT + 64];
        sqlite3 *db;
        random_table(&table, "", &rng, false);
        CHECK_EQ(sqlite3_open(":memory:", &db), SQLITE_OK);
        sqlite_do(db, "PRAGMA case_sensitive_like = ON");
        sqlite_do(db, "CREATE TABLE t (k TEXT, a INTEGER, b INTEGER, s TEXT, f INTEGER, d TEXT)");
        snprintf(insert, sizeof insert, "INSERT INTO t VALUES %s", table.sql);
        sqlite_do(db, insert);
        struct sql_rows rows = sql_rows_new(table.json);
        for (int i = 0; i < 100; i++)
            compare_with_sqlite(db, &rows, random_predicate(rows.arena, &rng, false));
        sql_rows_free(&rows);
        sqlite3_close(db);
    }
}

/* Two tables in one history: their objects are one behind the other. */
static struct sql_rows two_tables(struct table tables[2], struct esse_rng *rng, bool full)
{
    static char json[2 * TEXT];
    random_table(&tables[0], "t/", rng, full);
    random_table(&tables[1], "u/", rng, full);
    const int length = (int)strlen(tables[0].json) - 1;
    snprintf(json, sizeof json, "%.*s,%s", length, tables[0].json, tables[1].json + 1);
    return sql_rows_new(json);
}

static const char *ask_sqlite(sqlite3 *db, struct esse_arena *arena,
                              const struct random_statement *random)
{
    struct esse_out *out = esse_arena_alloc(arena, 1, sizeof *out);
    sqlite3_stmt *statement;
    const char *between = random->kind == RANDOM_RESULT ? "|" : " ", *separator = "";
    esse_out_init_memory(out, arena);
    if (sqlite3_prepare_v2(db, random->text, -1, &statement, NULL) != SQLITE_OK)
        fail_msg("sqlite: %s in %s", sqlite3_errmsg(db), random->text);
    while (sqlite3_step(statement) == SQLITE_ROW)
        for (int i = 0; i < sqlite3_column_count(statement); i++) {
            const char *value = (const char *)sqlite3_column_text(statement, i);
            esse_out_f(out, "%s%s", separator, value ? value : "\\N");
            separator = between;
        }
    sqlite3_finalize(statement);
    return esse_out_memory(out);
}

TEST(test_sql__statements_agree_with_sqlite)
{
    struct esse_rng rng = { 15 };
    for (unsigned round = 0; round < test_rounds(60); round++) {
        struct table tables[2];
        sqlite3 *db;
        struct sql_rows rows = two_tables(tables, &rng, false);
        CHECK_EQ(sqlite3_open(":memory:", &db), SQLITE_OK);
        sqlite_do(db, "PRAGMA case_sensitive_like = ON");
        for (int i = 0; i < 2; i++) {
            char sql[TEXT + 64];
            snprintf(sql, sizeof sql,
                     "CREATE TABLE %c (k TEXT, a INTEGER, b INTEGER, s TEXT, f INTEGER, d TEXT);",
                     "tu"[i]);
            sqlite_do(db, sql);
            snprintf(sql, sizeof sql, "INSERT INTO %c VALUES %s", "tu"[i], tables[i].sql);
            sqlite_do(db, sql);
        }
        for (int i = 0; i < 100; i++) {
            const struct random_statement statement = random_statement(rows.arena, &rng, false);
            check_statement(&rows, &statement, ask_sqlite(db, rows.arena, &statement));
        }
        sql_rows_free(&rows);
        sqlite3_close(db);
    }
}

/* ---- PostgreSQL: a server of the test's own ---- */

static struct {
    char bin[64], dir[64];
    pid_t server;
} pg;

static bool find_postgres(void)
{
    for (int version = 25; version >= 10; version--) {
        char path[96];
        snprintf(pg.bin, sizeof pg.bin, "/usr/lib/postgresql/%d/bin", version);
        snprintf(path, sizeof path, "%s/postgres", pg.bin);
        if (access(path, X_OK) == 0)
            return true;
    }
    return false;
}

/* Starts a program of PostgreSQL, which refuses to run as root. */
static pid_t start(const char *log, char *const args[])
{
    pid_t pid = fork();
    if (pid)
        return pid;
    struct passwd *user = geteuid() == 0 ? getpwnam("postgres") : NULL;
    if (user && (setgid(user->pw_gid) || setuid(user->pw_uid)))
        _exit(126);
    prctl(PR_SET_PDEATHSIG, SIGINT);
    if (chdir(pg.dir) || !freopen(log, "a", stdout) || !freopen(log, "a", stderr))
        _exit(126);
    execv(args[0], args);
    _exit(127);
}

static bool finished(pid_t pid)
{
    int status;
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

static bool psql(const char *script, const char *output)
{
    char program[96];
    snprintf(program, sizeof program, "%s/psql", pg.bin);
    char *args[] = { program, "-XqAt",        "-v", "ON_ERROR_STOP=1", "-h", pg.dir,
                     "-U",    "postgres",     "-d", "postgres",        "-f", (char *)script,
                     "-o",    (char *)output, NULL };
    return finished(start("psql.log", args));
}

static void write_file(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", pg.dir, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    CHECK(fputs(text, file) >= 0);
    CHECK_EQ(fclose(file), 0);
}

/* The same for a script that must not fail: what psql said is shown. */
static void ask_psql(const char *script)
{
    char show[128];
    write_file("ask.sql", script);
    if (psql("ask.sql", "ask.out"))
        return;
    snprintf(show, sizeof show, "tail -n 3 %s/psql.log >&2", pg.dir);
    fail_msg("psql failed%s", system(show) ? "" : ", see above");
}

static bool wait_for_server(void)
{
    write_file("ready.sql", "SELECT 1;\n");
    for (int tries = 0; tries < 200; tries++) {
        if (psql("ready.sql", "ready.out"))
            return true;
        usleep(50 * 1000);
    }
    return false;
}

static int stop_postgres(void **state)
{
    (void)state;
    char remove[96];
    if (pg.server > 0) {
        kill(pg.server, SIGINT);
        waitpid(pg.server, NULL, 0);
    }
    snprintf(remove, sizeof remove, "rm -rf '%s'", pg.dir);
    return *pg.dir ? system(remove) : 0;
}

static bool start_server(void)
{
    char initdb[96], postgres[96];
    snprintf(initdb, sizeof initdb, "%s/initdb", pg.bin);
    snprintf(postgres, sizeof postgres, "%s/postgres", pg.bin);
    char *make[] = { initdb,     "-D", "data", "-A",         "trust",     "-U",
                     "postgres", "-E", "UTF8", "--locale=C", "--no-sync", NULL };
    char *run[] = { postgres, "-D",        "data", "-k", pg.dir, "-c", "listen_addresses=",
                    "-c",     "fsync=off", NULL };
    if (finished(start("initdb.log", make)))
        pg.server = start("server.log", run);
    return pg.server > 0;
}

static int start_postgres(void **state)
{
    if (!find_postgres())
        return 0; /* the test skips itself */
    strcpy(pg.dir, "/tmp/esse-pg-XXXXXX");
    struct passwd *user = geteuid() == 0 ? getpwnam("postgres") : NULL;
    if (mkdtemp(pg.dir) && (!user || chown(pg.dir, user->pw_uid, user->pw_gid) == 0) &&
        start_server())
        return 0;
    stop_postgres(state);
    return -1;
}

/* Every question catches its own error, so that one line comes back for each. */
static const char postgres_setup[] =
    "CREATE FUNCTION ask(predicate text, n int) RETURNS text LANGUAGE plpgsql AS $$\n"
    "DECLARE answer boolean;\n"
    "BEGIN\n"
    "  EXECUTE 'SELECT (' || predicate || ') FROM t WHERE k = ''r' || n || '''' INTO answer;\n"
    "  RETURN CASE WHEN answer THEN 't' WHEN NOT answer THEN 'f' ELSE 'u' END;\n"
    "EXCEPTION WHEN data_exception THEN RETURN 'e';\n"
    "END $$;\n"
    "CREATE TABLE t (k text, a bigint, b bigint, s text, f boolean, d date);\n";

static void ask_postgres(struct esse_out *script, const struct table *table,
                         const char *const *predicates, int count)
{
    esse_out_f(script, "TRUNCATE t;\nINSERT INTO t VALUES %s;\n", table->sql);
    for (int i = 0; i < count; i++)
        esse_out_f(script,
                   "SELECT string_agg(ask($esse$%s$esse$, n), '' ORDER BY n) "
                   "FROM generate_series(0, %d) n;\n",
                   predicates[i], ROWS - 1);
}

static void compare_with_answers(FILE *answers, struct sql_rows *rows,
                                 const char *const *predicates, int count)
{
    char line[ROWS + 2];
    for (int i = 0; i < count; i++) {
        assert_non_null(fgets(line, sizeof line, answers));
        for (uint32_t row = 0; row < ROWS; row++)
            compare(rows, predicates[i], row, line[row]);
    }
}

TEST(test_sql__agrees_with_postgresql)
{
    enum { COUNT = 100 };
    struct esse_rng rng = { 13 };
    if (!pg.server) {
        print_message("skip test_sql__agrees_with_postgresql: no PostgreSQL server installed\n");
        skip();
    }
    CHECK(wait_for_server());
    write_file("setup.sql", postgres_setup);
    CHECK(psql("setup.sql", "setup.out"));
    for (unsigned round = 0; round < test_rounds(12); round++) {
        struct table table;
        const char *predicates[COUNT];
        struct esse_out script;
        char path[128];
        random_table(&table, "", &rng, true);
        struct sql_rows rows = sql_rows_new(table.json);
        esse_out_init_memory(&script, rows.arena);
        for (int i = 0; i < COUNT; i++)
            predicates[i] = random_predicate(rows.arena, &rng, true);
        ask_postgres(&script, &table, predicates, COUNT);
        ask_psql(esse_out_memory(&script));
        snprintf(path, sizeof path, "%s/ask.out", pg.dir);
        FILE *answers = fopen(path, "r");
        assert_non_null(answers);
        compare_with_answers(answers, &rows, predicates, COUNT);
        fclose(answers);
        sql_rows_free(&rows);
    }
}

/* One line comes back for each statement. */
static void put_statement(struct esse_out *script, const struct random_statement *statement)
{
    if (statement->kind == RANDOM_RESULT)
        esse_out_f(script, "%s;\n", statement->text);
    else
        esse_out_f(script, "SELECT string_agg(%s, ' ') FROM (%s) q;\n",
                   statement->kind == RANDOM_ROWS ? "k" : "x || ' ' || y", statement->text);
}

static void compare_statements(struct sql_rows *rows, const struct random_statement *statements,
                               int count)
{
    char path[128], line[16384];
    snprintf(path, sizeof path, "%s/ask.out", pg.dir);
    FILE *answers = fopen(path, "r");
    assert_non_null(answers);
    for (int i = 0; i < count; i++) {
        assert_non_null(fgets(line, sizeof line, answers));
        line[strcspn(line, "\n")] = 0;
        check_statement(rows, &statements[i], line);
    }
    fclose(answers);
}

TEST(test_sql__statements_agree_with_postgresql)
{
    enum { COUNT = 250 };
    struct esse_rng rng = { 17 };
    if (!pg.server) {
        print_message(
            "skip test_sql__statements_agree_with_postgresql: no PostgreSQL server installed\n");
        skip();
    }
    CHECK(wait_for_server());
    for (unsigned round = 0; round < test_rounds(20); round++) {
        struct table tables[2];
        struct random_statement statements[COUNT];
        struct esse_out script;
        struct sql_rows rows = two_tables(tables, &rng, true);
        esse_out_init_memory(&script, rows.arena);
        esse_out_text(&script, "\\pset null '\\\\N'\n");
        for (int i = 0; i < 2; i++)
            esse_out_f(&script,
                       "DROP TABLE IF EXISTS %c;\n"
                       "CREATE TABLE %c (k text, a bigint, b bigint, s text, f boolean, d date);\n"
                       "INSERT INTO %c VALUES %s;\n",
                       "tu"[i], "tu"[i], "tu"[i], tables[i].sql);
        for (int i = 0; i < COUNT; i++) {
            statements[i] = random_statement(rows.arena, &rng, true);
            put_statement(&script, &statements[i]);
        }
        ask_psql(esse_out_memory(&script));
        compare_statements(&rows, statements, COUNT);
        sql_rows_free(&rows);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sql__agrees_with_sqlite),
        cmocka_unit_test(test_sql__statements_agree_with_sqlite),
        cmocka_unit_test(test_sql__agrees_with_postgresql),
        cmocka_unit_test(test_sql__statements_agree_with_postgresql),
    };
    return cmocka_run_group_tests(tests, start_postgres, stop_postgres);
}
