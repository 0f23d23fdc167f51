#include "collect/driver/mysql/mysql.h"

#include "collect/driver/drivers.h"
#include "collect/driver/mysql/mysql_own.h"
#include "collect/driver/mysql/mysql_tidb.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct esse_claim claims[] = {
    { "serializable", "serializable", "MariaDB and MySQL, SET TRANSACTION" },
    { "repeatable-read", "repeatable-read", "MariaDB and MySQL, SET TRANSACTION" },
    { "snapshot-isolation", "snapshot-isolation", "MariaDB, innodb_snapshot_isolation" },
    { "read-committed", "read-committed", "MariaDB and MySQL, SET TRANSACTION" },
    { "read-uncommitted", "read-uncommitted", "MariaDB and MySQL, SET TRANSACTION" },
    { 0 },
};

/* Codership's "Isolation levels": SERIALIZABLE is honoured within a node only; between nodes the
 * first of two writers of a row wins. */
static const struct esse_claim galera_claims[] = {
    { "serializable", "repeatable-read", "Galera, Isolation levels: serializable within a node" },
    { "repeatable-read", "repeatable-read", "Galera, Isolation levels" },
    { "snapshot-isolation", "snapshot-isolation",
      "Galera's first committer wins, and MariaDB's "
      "innodb_snapshot_isolation within a node" },
    { "read-committed", "read-committed", "Galera, Isolation levels" },
    { "read-uncommitted", "read-uncommitted", "Galera, Isolation levels" },
    { 0 },
};

/* PingCAP's "TiDB Transaction Isolation Levels"; SERIALIZABLE is refused. */
static const struct esse_claim tidb_claims[] = {
    { "repeatable-read", "snapshot-isolation", "TiDB, Transaction Isolation Levels" },
    { "read-committed", "read-committed", "TiDB, Transaction Isolation Levels" },
    { 0 },
};

/* ---- dialects ---- */

#define CREATE(key) "CREATE TABLE esse_%(k BIGINT PRIMARY KEY" key ", v #, o BIGINT) ENGINE=InnoDB"

static const char *const parameters[] = { "socket", "lock_wait", "spread", NULL };
static const char *const tidb_parameters[] = { "dialect", "status", "lock_wait", "spread", NULL };

static const struct esse_mysql_dialect mysql_dialect = { .parameters = parameters,
                                                         .create = CREATE("") };

static const struct esse_mysql_dialect galera_dialect = { .parameters = parameters,
                                                          .create = CREATE(""),
                                                          .is_cluster = true };

static const struct esse_mysql_dialect tidb_dialect = {
    .parameters = tidb_parameters,
    .create = CREATE(" /*T![clustered_index] CLUSTERED */"),
    .is_tidb = true,
};

/* ---- opening ---- */

static bool read_spread(struct esse_target *target, struct esse_error *err)
{
    const char *text = esse_url_parameter(target->url, "spread");
    target->is_spread = text && strcmp(text, "transactions") == 0;
    return !text || target->is_spread || strcmp(text, "sessions") == 0 ||
           esse_fail(err, ESSE_EUSAGE,
                     "the target's URL: spread must be sessions or transactions, not '%.40s'",
                     text);
}

static bool read_lock_wait(struct esse_target *target, struct esse_error *err)
{
    const char *text = esse_url_parameter(target->url, "lock_wait");
    for (const char *at = text; text && *at; at++)
        if (!isdigit((unsigned char)*at) || at - text > 6)
            return esse_fail(err, ESSE_EUSAGE,
                             "the target's URL: lock_wait must be seconds, not '%.40s'", text);
    target->lock_wait = text && *text ? text : NULL;
    return true;
}

static void add_setup(struct esse_target *target)
{
    struct esse_arena *arena = target->arena;
    size_t count = 0;
    target->setup[count++] = "SET NAMES utf8mb4"; /* a history is, whatever option files prefer */
    target->setup[count++] =
        esse_arena_format(arena, "SET SESSION TRANSACTION ISOLATION LEVEL %s", target->level);
    if (target->is_snapshot)
        target->setup[count++] = "SET SESSION innodb_snapshot_isolation = ON";
    if (target->lock_wait)
        target->setup[count++] = esse_arena_format(
            arena, "SET SESSION innodb_lock_wait_timeout = %s", target->lock_wait);
}

static bool open_target(struct esse_arena *arena, const struct esse_driver *driver,
                        const struct esse_url *url, const struct esse_claim *isolation,
                        struct esse_target **out, struct esse_error *err)
{
    struct esse_target *target = esse_arena_alloc(arena, 1, sizeof *target);
    target->arena = arena;
    target->url = url;
    target->dialect = driver->details;
    target->socket = esse_url_parameter(url, "socket");
    target->is_snapshot = strcmp(isolation->setting, "snapshot-isolation") == 0;
    char *level = esse_arena_format(arena, "%s",
                                    target->is_snapshot ? "repeatable-read" : isolation->setting);
    for (char *at = level; *at; at++)
        *at = *at == '-' ? ' ' : (char)toupper((unsigned char)*at);
    target->level = level;
    *out = target;
    if (!esse_client_load(&esse_client_libmariadb, err) ||
        !esse_url_knows(url, target->dialect->parameters, err) || !read_lock_wait(target, err) ||
        !read_spread(target, err) || (target->dialect->is_tidb && !esse_tidb_open(target, err)))
        return false;
    add_setup(target);
    return true;
}

struct esse_mysql_place esse_mysql_place(const struct esse_target *target, unsigned host)
{
    const struct esse_url *url = target->url;
    struct esse_mysql_place place = { .user = url->user,
                                      .password = url->password,
                                      .database = *url->path ? url->path : NULL,
                                      .socket = target->socket };
    if (url->host_count) {
        const struct esse_host *where = &url->hosts[host % url->host_count];
        place.host = *where->name ? where->name : NULL;
        place.port = where->port;
    }
    return place;
}

MYSQL *esse_mysql_handle(void)
{
    MYSQL *mysql = mysql_init(NULL);
    const unsigned seconds = 10;
    if (!mysql)
        return NULL;
    mysql_options(mysql, MYSQL_OPT_CONNECT_TIMEOUT, &seconds);
    mysql_options(mysql, MYSQL_READ_DEFAULT_GROUP, "esse"); /* and [client] of the option files */
    return mysql;
}

/* ---- statements that wait ---- */

MYSQL *esse_mysql_connect_to(const struct esse_target *target, unsigned host, unsigned silence,
                             char said[ESSE_SAID])
{
    const struct esse_mysql_place place = esse_mysql_place(target, host);
    MYSQL *mysql = esse_mysql_handle();
    if (mysql && silence)
        mysql_options(mysql, MYSQL_OPT_READ_TIMEOUT, &silence);
    if (mysql && mysql_real_connect(mysql, place.host, place.user, place.password, place.database,
                                    place.port, place.socket, 0))
        return mysql;
    esse_url_tell(target->url, mysql ? mysql_error(mysql) : "out of memory", said);
    if (mysql)
        mysql_close(mysql);
    return NULL;
}

MYSQL *esse_mysql_connect(const struct esse_target *target, unsigned silence,
                          struct esse_error *err)
{
    const unsigned hosts = target->url->host_count ? (unsigned)target->url->host_count : 1;
    char all[400] = "", text[ESSE_SAID];
    for (unsigned host = 0; host < hosts; host++) {
        MYSQL *mysql = esse_mysql_connect_to(target, host, silence, text);
        if (mysql)
            return mysql;
        const char *name = esse_mysql_place(target, host).host;
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s: %s", *all ? "; " : "",
                 name ? name : "localhost", text);
    }
    esse_fail(err, ESSE_EUNAVAILABLE, "%s", all);
    return NULL;
}

static bool fail_with(const struct esse_target *target, MYSQL *mysql, struct esse_error *err)
{
    char text[ESSE_SAID];
    esse_url_tell(target->url, mysql_error(mysql), text);
    return esse_fail(err, ESSE_EUNAVAILABLE, "the database refused: %u: %s", mysql_errno(mysql),
                     text);
}

bool esse_mysql_run(const struct esse_target *target, MYSQL *mysql, const char *sql,
                    struct esse_error *err)
{
    if (mysql_query(mysql, sql))
        return fail_with(target, mysql, err);
    MYSQL_RES *result = mysql_store_result(mysql);
    if (result)
        mysql_free_result(result);
    return !mysql_errno(mysql) || fail_with(target, mysql, err);
}

const char *esse_mysql_ask(const struct esse_target *target, MYSQL *mysql, const char *sql,
                           struct esse_error *err)
{
    const char *answer = NULL;
    MYSQL_RES *result = mysql_query(mysql, sql) ? NULL : mysql_store_result(mysql);
    MYSQL_ROW row = result ? mysql_fetch_row(result) : NULL;
    if (row)
        answer = esse_arena_format(target->arena, "%s", row[0] ? row[0] : "");
    else if (mysql_errno(mysql))
        fail_with(target, mysql, err);
    else
        esse_fail(err, ESSE_EUNAVAILABLE, "the database has no answer to %s", sql);
    if (result)
        mysql_free_result(result);
    return answer;
}

bool esse_mysql_wake(const struct esse_target *target, MYSQL **mysql)
{
    struct esse_error ignored;
    if (*mysql && !esse_mysql_run(target, *mysql, "SELECT 1", &ignored)) {
        mysql_close(*mysql);
        *mysql = esse_mysql_connect(target, 0, &ignored);
    }
    return *mysql;
}

/* ---- the schema ---- */

static bool run_main(void *context, const char *sql, struct esse_error *err)
{
    struct esse_target *target = context;
    return esse_mysql_run(target, target->main, sql, err);
}

/* The session's setting; MySQL and TiDB call the variable by another name. */
static bool verify_level(struct esse_target *target, struct esse_error *err)
{
    for (size_t i = 0; target->setup[i]; i++)
        if (!esse_mysql_run(target, target->main, target->setup[i], err))
            return false;
    const char *shown = esse_mysql_ask(target, target->main, "SELECT @@session.tx_isolation", err);
    if (!shown)
        shown = esse_mysql_ask(target, target->main, "SELECT @@session.transaction_isolation", err);
    if (!shown)
        return false;
    bool same = strlen(shown) == strlen(target->level);
    for (size_t i = 0; same && shown[i]; i++)
        same = shown[i] == target->level[i] || (shown[i] == '-' && target->level[i] == ' ');
    return same || esse_fail(err, ESSE_EUNAVAILABLE,
                             "the database uses the isolation level '%.60s', not '%s'", shown,
                             target->level);
}

static bool find_out_version(struct esse_target *target, struct esse_error *err)
{
    target->version = esse_mysql_ask(target, target->main, "SELECT @@version", err);
    target->is_mariadb = target->version && strstr(target->version, "MariaDB");
    return target->version != NULL;
}

static bool locks_what_it_reads(const struct esse_target *target)
{
    return !target->cluster && strcmp(target->level, "SERIALIZABLE") == 0 &&
           esse_live_has_predicates(target->schema);
}

bool esse_mysql_places_all(const struct esse_target *target)
{
    return target->tells_seen || (target->is_naming && locks_what_it_reads(target));
}

static void find_out_what_is_seen(struct esse_target *target)
{
    struct esse_error ignored;
    if (!target->is_mariadb || !locks_what_it_reads(target))
        return;
    const char *logs = esse_mysql_ask(target, target->main, "SELECT @@log_bin", &ignored);
    target->tells_seen = logs && strcmp(logs, "1") == 0;
}

static bool own_rows(struct esse_target *target, uint32_t table, struct esse_cells *cells,
                     struct esse_error *err)
{
    struct esse_out sql;
    esse_out_init_memory(&sql, target->arena);
    esse_own_put_select(&sql, target->schema->own,
                        &(struct esse_own_statement){ .table = table, .rest = "" });
    MYSQL_RES *result =
        mysql_query(target->main, esse_out_memory(&sql)) ? NULL : mysql_store_result(target->main);
    if (!result)
        return fail_with(target, target->main, err);
    esse_mysql_own_take(cells, result);
    mysql_free_result(result);
    return true;
}

/* The columns of a table as the database has them. */
static const char *const *find_columns(struct esse_target *target, const char *table,
                                       struct esse_error *err)
{
    const char *const sql = esse_arena_format(
        target->arena,
        "SELECT GROUP_CONCAT(column_name ORDER BY ordinal_position) FROM "
        "information_schema.columns WHERE table_schema = DATABASE() AND table_name = '%s'",
        table);
    const char *all = esse_mysql_ask(target, target->main, sql, err);
    if (!all)
        return NULL;
    size_t count = 0;
    const char **columns = esse_arena_alloc(target->arena, strlen(all) + 2, sizeof *columns);
    for (size_t length; *all; all += length + (all[length] == ',')) {
        length = strcspn(all, ",");
        columns[count++] = esse_arena_text(target->arena, all, length);
    }
    return columns;
}

static bool find_own_columns(struct esse_target *target, struct esse_error *err)
{
    const struct esse_own_schema *own = target->schema->own;
    if (!own || target->is_mariadb)
        return true;
    const char *const **columns = esse_arena_alloc(target->arena, own->count, sizeof *columns);
    for (uint32_t t = 0; t < own->count; t++)
        if (!(columns[t] = find_columns(target, own->tables[t].name, err)))
            return false;
    target->own_columns = columns;
    return true;
}

static bool prepare(struct esse_target *target, const struct esse_schema *schema,
                    struct esse_error *err)
{
    target->schema = schema;
    target->main = esse_mysql_connect(target, 0, err);
    if (!target->main || !find_out_version(target, err) || !verify_level(target, err) ||
        !esse_mysql_cluster_find(target, err))
        return false;
    find_out_what_is_seen(target);
    return esse_live_make_tables(target->arena, schema, target->dialect->create, "MEDIUMTEXT",
                                 run_main, target, err) &&
           find_own_columns(target, err) && esse_mysql_cluster_settle(target, err);
}

static bool describe(struct esse_target *target, struct esse_description *description,
                     struct esse_error *err)
{
    static const char *const names[] = { "innodb_snapshot_isolation",
                                         "innodb_flush_log_at_trx_commit",
                                         "innodb_lock_wait_timeout",
                                         "sync_binlog",
                                         "binlog_format",
                                         "wsrep_on",
                                         "wsrep_sync_wait" };
    enum { SETTINGS = sizeof names / sizeof *names };
    struct esse_setting *settings = esse_arena_alloc(target->arena, SETTINGS + 1, sizeof *settings);
    size_t count = 0;
    (void)err;
    settings[count++] = (struct esse_setting){ "version", target->version };
    for (size_t i = 0; i < SETTINGS; i++) {
        char sql[100];
        struct esse_error ignored;
        snprintf(sql, sizeof sql, "SELECT @@%s", names[i]);
        const char *value = esse_mysql_ask(target, target->main, sql, &ignored);
        if (value)
            settings[count++] = (struct esse_setting){ names[i], value };
    }
    const char *tidb = strstr(target->version, "TiDB-"); /* "8.0.11-TiDB-v7.5.0" */
    const char *name =
        esse_arena_format(target->arena, "%s %.*s", target->is_mariadb ? "mariadb" : "mysql",
                          (int)strcspn(target->version, "-"), target->version);
    if (tidb)
        name = esse_arena_format(target->arena, "tidb %s", tidb + strlen("TiDB-"));
    *description = (struct esse_description){
        .product = target->cluster
                       ? esse_arena_format(target->arena, "galera %s on %s", target->cluster, name)
                       : name,
        .settings = settings,
        .setting_count = count,
    };
    return true;
}

static void clean(struct esse_target *target)
{
    if (esse_mysql_wake(target, &target->main))
        esse_live_drop_tables(target->schema, run_main, target);
}

static void close_target(struct esse_target *target)
{
    if (target->main)
        mysql_close(target->main);
    target->main = NULL;
}

enum { CAN = ESSE_CAN_LISTS | ESSE_CAN_PREDICATES | ESSE_CAN_AGGREGATES | ESSE_CAN_DELETE };

#define WORK                                                                                       \
    .open = open_target, .prepare = prepare, .describe = describe, .clean = clean,                 \
    .close = close_target, .conn = esse_mysql_conn, .start = esse_mysql_start,                     \
    .step = esse_mysql_step, .drop = esse_mysql_drop

#define SOCKET "socket=PATH           a socket instead of a port\n"

#define PARAMETERS                                                                                 \
    "lock_wait=SECONDS     innodb_lock_wait_timeout (default: the server's)\n"                     \
    "spread=sessions|transactions  what is spread over several hosts (default: sessions; a "       \
    "session whose transactions go round the hosts may miss its own writes)"

const struct esse_driver esse_driver_mysql = {
    .name = "mysql",
    .schemes = "mysql mariadb",
    .summary = "MariaDB and MySQL",
    .parameters = SOCKET PARAMETERS,
    .can = CAN | ESSE_CAN_OWN,
    .own_rows = own_rows,
    .claims = claims,
    .certificate = &esse_mysql_certifying,
    .details = &mysql_dialect,
    WORK,
};

const struct esse_driver esse_driver_galera = {
    .name = "galera",
    .schemes = "galera",
    .summary = "a cluster of MariaDB servers: galera://HOST,HOST,HOST/DATABASE",
    .parameters = SOCKET PARAMETERS,
    .can = CAN | ESSE_CAN_OWN,
    .own_rows = own_rows,
    .claims = galera_claims,
    .certificate = &esse_mysql_certifying,
    .details = &galera_dialect,
    WORK,
};

const struct esse_driver esse_driver_tidb = {
    .name = "tidb",
    .dialect_of = "mysql",
    .schemes = "tidb",
    .summary = "TiDB, also as mysql://...?dialect=tidb",
    .parameters =
        "status=HOST:PORT      the HTTP API (default: port 10080 of the first host)\n" PARAMETERS,
    .can = CAN,
    .claims = tidb_claims,
    .certificate = &esse_tidb_certifying,
    .details = &tidb_dialect,
    WORK,
};
