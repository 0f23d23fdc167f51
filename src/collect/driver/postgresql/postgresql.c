#include "collect/driver/postgresql/postgresql.h"

#include "collect/driver/drivers.h"
#include "collect/driver/postgresql/postgresql_shadow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct esse_claim claims[] = {
    { "serializable", "serializable", "PostgreSQL 15, 13.2.3" },
    { "repeatable-read", "snapshot-isolation", "PostgreSQL 15, 13.2.2" },
    { "read-committed", "read-committed", "PostgreSQL 15, 13.2.1" },
    { "read-uncommitted", "read-committed", "PostgreSQL 15, 13.2: the same as read committed" },
    { 0 },
};

static const struct esse_claim cockroachdb_claims[] = {
    { "serializable", "serializable", "CockroachDB, Serializable Transactions" },
    { "repeatable-read", "snapshot-isolation", "CockroachDB, Repeatable Read Transactions" },
    { "read-committed", "read-committed", "CockroachDB, Read Committed Transactions" },
    { 0 },
};

static const struct esse_claim yugabytedb_claims[] = {
    { "serializable", "serializable", "YugabyteDB, Transaction isolation levels" },
    { "repeatable-read", "snapshot-isolation", "YugabyteDB, Transaction isolation levels" },
    { "read-committed", "read-committed", "YugabyteDB, Transaction isolation levels" },
    { 0 },
};

static const struct esse_claim h2_claims[] = {
    { "serializable", "serializable",
      "H2, Advanced, Transaction Isolation: which adds that writers are not equivalent to a serial "
      "execution" },
    { "snapshot", "snapshot-isolation", "H2, Advanced, Transaction Isolation" },
    { "repeatable-read", "repeatable-read", "H2, Advanced, Transaction Isolation" },
    { "read-committed", "read-committed", "H2, Advanced, Transaction Isolation" },
    { "read-uncommitted", "read-uncommitted", "H2, Advanced, Transaction Isolation" },
    { 0 },
};

/* ---- dialects ---- */

#define CREATE "CREATE TABLE esse_%(k BIGINT PRIMARY KEY, v #, o BIGINT)"
#define READ   "SELECT v FROM esse_% WHERE k = $1"

/* A table of few rows that was analysed, autovacuum does that, is otherwise read as a whole: at
 * serializable each read then locks all of it, and what could go wrong is refused before.  For the
 * transaction only: what a session sets along with its first BEGIN, a rollback takes back. */
#define NO_SEQUENTIAL_SCANS "SET LOCAL enable_seqscan = off"

static const char *const settings[] = { "fsync",
                                        "synchronous_commit",
                                        "full_page_writes",
                                        "wal_level",
                                        "default_transaction_isolation",
                                        "max_pred_locks_per_transaction",
                                        NULL };

/* A row that matches nothing is put before the predicate's own, so that the snapshot is returned
 * even if nothing matches.  All of a statement runs under one snapshot. */
static const struct esse_pg_dialect postgresql = {
    .name = "postgresql",
    .product = "PostgreSQL ",
    .create = CREATE,
    .list = "TEXT",
    .settings = settings,
    .exporting = esse_pg_exporting,
    .planning = NO_SEQUENTIAL_SCANS,
    .has_log = true,
    .has_conflict_reads = true,
    .texts = {
        [ESSE_SQL_READ] = READ,
        [ESSE_SQL_LOOK] = "SELECT " ESSE_PG_SEEN ", NULL, k, v "
                          "FROM (SELECT 1) one LEFT JOIN esse_% ON k = $1",
        [ESSE_SQL_WRITE] = "INSERT INTO esse_%(k, v) VALUES ($1, $2) "
                           "ON CONFLICT (k) DO UPDATE SET v = excluded.v "
                           "RETURNING " ESSE_PG_ID,
        [ESSE_SQL_INSERT] = "INSERT INTO esse_%(k, v) VALUES ($1, $2) "
                            "RETURNING " ESSE_PG_ID,
        [ESSE_SQL_APPEND] = "INSERT INTO esse_%(k, v) VALUES ($1, $2) "
                            "ON CONFLICT (k) DO UPDATE SET v = esse_%.v || ',' || excluded.v "
                            "RETURNING " ESSE_PG_ID,
        [ESSE_SQL_DELETE] =
            "WITH gone AS (DELETE FROM esse_% WHERE k = $1 RETURNING k) "
            "SELECT " ESSE_PG_SEEN ", " ESSE_PG_ID ", k "
            "FROM (SELECT 1) one LEFT JOIN gone ON true",
        [ESSE_SQL_RANGE] = "SELECT " ESSE_PG_SEEN ", NULL, k, v "
                           "FROM (SELECT 1) one LEFT JOIN esse_% ON #",
        [ESSE_SQL_CHANGE] =
            "WITH changed AS (UPDATE esse_% SET o = v, v = @ WHERE # RETURNING k, o) "
            "SELECT " ESSE_PG_SEEN ", " ESSE_PG_ID ", k, o "
            "FROM (SELECT 1) one LEFT JOIN changed ON true",
        [ESSE_SQL_COUNT] = "SELECT " ESSE_PG_SEEN ", NULL, 0, count(*) FROM esse_% WHERE #",
        [ESSE_SQL_SUM] = "SELECT " ESSE_PG_SEEN ", NULL, 0, sum(v) FROM esse_% WHERE #",
        [ESSE_SQL_MIN] = "SELECT " ESSE_PG_SEEN ", NULL, 0, min(v + 0) FROM esse_% WHERE #",
        [ESSE_SQL_MAX] = "SELECT " ESSE_PG_SEEN ", NULL, 0, max(v + 0) FROM esse_% WHERE #",
    },
};

#define PLAIN_TEXTS                                                                                \
    [ESSE_SQL_READ] = READ, [ESSE_SQL_INSERT] = "INSERT INTO esse_%(k, v) VALUES ($1, $2)",        \
    [ESSE_SQL_DELETE] = "DELETE FROM esse_% WHERE k = $1",                                         \
    [ESSE_SQL_RANGE] = "SELECT NULL, NULL, k, v FROM esse_% WHERE #",                              \
    [ESSE_SQL_COUNT] = "SELECT NULL, NULL, 0, count(*) FROM esse_% WHERE #",                       \
    [ESSE_SQL_SUM] = "SELECT NULL, NULL, 0, sum(v) FROM esse_% WHERE #",                           \
    [ESSE_SQL_MIN] = "SELECT NULL, NULL, 0, min(v + 0) FROM esse_% WHERE #",                       \
    [ESSE_SQL_MAX] = "SELECT NULL, NULL, 0, max(v + 0) FROM esse_% WHERE #"

#define PLAIN_CONFLICT_TEXTS                                                                       \
    PLAIN_TEXTS,                                                                                   \
        [ESSE_SQL_WRITE] = "INSERT INTO esse_%(k, v) VALUES ($1, $2) "                             \
                           "ON CONFLICT (k) DO UPDATE SET v = excluded.v",                         \
        [ESSE_SQL_APPEND] = "INSERT INTO esse_%(k, v) VALUES ($1, $2) "                            \
                            "ON CONFLICT (k) DO UPDATE SET v = esse_%.v || ',' || excluded.v",     \
        [ESSE_SQL_CHANGE] = "UPDATE esse_% SET o = v, v = @ WHERE # "                              \
                            "RETURNING NULL, NULL, k, o"

static const struct esse_pg_dialect cockroachdb = { .name = "cockroachdb",
                                                    .product = "CockroachDB ",
                                                    .create = CREATE,
                                                    .list = "TEXT",
                                                    .time = "SELECT cluster_logical_timestamp()",
                                                    .texts = { PLAIN_CONFLICT_TEXTS } };

static const struct esse_pg_dialect yugabytedb = { .name = "yugabytedb",
                                                   .product = "-YB-",
                                                   .create = CREATE,
                                                   .list = "TEXT",
                                                   .texts = { PLAIN_CONFLICT_TEXTS } };

static const struct esse_pg_dialect h2 = {
    .name = "h2",
    .product = " H2 ",
    .sends_pieces = true,
    .create = CREATE,
    .list = "VARCHAR",
    .session = "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL #",
    .texts = { PLAIN_TEXTS, [ESSE_SQL_WRITE] = "MERGE INTO esse_%(k, v) KEY (k) VALUES ($1, $2)",
               [ESSE_SQL_APPEND] = "MERGE INTO esse_% t USING (SELECT CAST($1 AS BIGINT) AS i, "
                                   "CAST($2 AS VARCHAR) AS w) s ON t.k = s.i "
                                   "WHEN MATCHED THEN UPDATE SET v = t.v || ',' || s.w "
                                   "WHEN NOT MATCHED THEN INSERT (k, v) VALUES (s.i, s.w)",
               [ESSE_SQL_CHANGE] = "SELECT NULL, NULL, k, o FROM FINAL TABLE "
                                   "(UPDATE esse_% SET o = v, v = @ WHERE #)" },
};

static const struct esse_pg_dialect *const dialects[] = { &postgresql, &cockroachdb, &yugabytedb,
                                                          &h2 };

static bool is_dialect(const char *name)
{
    for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++)
        if (strcmp(dialects[i]->name, name) == 0)
            return true;
    return false;
}

/* ---- parameters ---- */

static bool is_ours(const char *name)
{
    return strcmp(name, "dialect") == 0 || strcmp(name, "decoding") == 0 ||
           strcmp(name, "verify") == 0;
}

static bool libpq_knows(const PQconninfoOption *options, const char *name)
{
    for (; options->keyword; options++)
        if (strcmp(options->keyword, name) == 0)
            return true;
    return false;
}

static void add_parameter(struct esse_target *target, size_t *count, const char *name,
                          const char *value)
{
    if (!value)
        return;
    target->keywords[*count] = name;
    target->values[(*count)++] = value;
}

/* libpq's own parameters, from the URL; what the URL leaves out, libpq takes from the environment,
 * service files and .pgpass. */
static bool read_parameters(struct esse_target *target, struct esse_error *err)
{
    const struct esse_url *url = target->url;
    PQconninfoOption *options = PQconndefaults();
    size_t count = 0;
    bool ok = options != NULL;
    target->keywords = esse_arena_alloc(target->arena, ESSE_PG_PARAMETERS, sizeof(char *));
    target->values = esse_arena_alloc(target->arena, ESSE_PG_PARAMETERS, sizeof(char *));
    add_parameter(target, &count, "user", url->user);
    add_parameter(target, &count, "password", url->password);
    add_parameter(target, &count, "dbname", *url->path ? url->path : NULL);
    add_parameter(target, &count, "fallback_application_name", "esse");
    add_parameter(target, &count, "client_encoding",
                  "UTF8"); /* a history is, whatever others are */
    if (!esse_url_parameter(url, "connect_timeout"))
        add_parameter(target, &count, "connect_timeout", "10");
    for (size_t i = 0; ok && i < url->parameter_count; i++) {
        const struct esse_parameter *parameter = &url->parameters[i];
        if (is_ours(parameter->name))
            continue;
        ok = libpq_knows(options, parameter->name) && count < ESSE_PG_PARAMETERS - 4;
        if (ok)
            add_parameter(target, &count, parameter->name, parameter->value);
        else
            esse_fail(err, ESSE_EUSAGE,
                      "the target's URL: unknown parameter '%.60s'; known are dialect, decoding, "
                      "verify and those of libpq",
                      parameter->name);
    }
    PQconninfoFree(options);
    return ok;
}

void esse_pg_parameters(const struct esse_target *target, unsigned host, const char *extra,
                        const char *value, const char **keywords, const char **values)
{
    const size_t hosts = target->url->host_count;
    size_t count = 0;
    if (hosts && *target->url->hosts[host % hosts].name) {
        keywords[count] = "host";
        values[count++] = target->url->hosts[host % hosts].name;
    }
    if (hosts && target->ports[host % hosts]) {
        keywords[count] = "port";
        values[count++] = target->ports[host % hosts];
    }
    for (size_t i = 0; target->keywords[i]; i++) {
        keywords[count] = target->keywords[i];
        values[count++] = target->values[i];
    }
    if (extra) {
        keywords[count] = extra;
        values[count++] = value;
    }
    keywords[count] = values[count] = NULL;
}

/* "repeatable-read" as the statements say it. */
static void set_level(struct esse_target *target, const char *setting)
{
    struct esse_arena *arena = target->arena;
    char sql[120], *level = esse_arena_format(arena, "%s", setting);
    for (char *at = level; *at; at++)
        *at = *at == '-' ? ' ' : *at;
    target->level = level;
    target->is_read_committed = strncmp(level, "read", 4) == 0;
    if (target->dialect->session) {
        esse_statement_make(target->dialect->session, "", level, "", sql, sizeof sql);
        target->session = esse_arena_format(arena, "%s", sql);
        target->begin = target->begin_read_only = "BEGIN";
        return;
    }
    target->begin = esse_arena_format(arena, "BEGIN ISOLATION LEVEL %s", level);
    target->begin_read_only = esse_arena_format(arena, "%s READ ONLY", target->begin);
}

/* ?verify=snapshots */
static bool set_verify(struct esse_target *target, struct esse_error *err)
{
    const char *what = esse_url_parameter(target->url, "verify");
    if (what && strcmp(what, "snapshots") != 0)
        return esse_fail(err, ESSE_EUSAGE,
                         "the target's URL: verify must be snapshots, not '%.60s'", what);
    if (what && !target->dialect->exporting)
        return esse_fail(err, ESSE_EUSAGE, "the target's URL: verify needs dialect=postgresql");
    target->exporting = what ? target->dialect->exporting : NULL;
    return true;
}

/* ?dialect=NAME chose the driver, if it could. */
static bool is_right_dialect(const struct esse_target *target, struct esse_error *err)
{
    const char *name = esse_url_parameter(target->url, "dialect");
    if (!name || strcmp(name, target->dialect->name) == 0)
        return true;
    if (is_dialect(name))
        return esse_fail(err, ESSE_EUSAGE, "the target's URL: %s: has no other dialect",
                         target->url->scheme);
    return esse_fail(err, ESSE_EUSAGE,
                     "the target's URL: dialect must be postgresql, cockroachdb, yugabytedb or "
                     "h2, not '%.60s'",
                     name);
}

static bool open_target(struct esse_arena *arena, const struct esse_driver *driver,
                        const struct esse_url *url, const struct esse_claim *isolation,
                        struct esse_target **out, struct esse_error *err)
{
    struct esse_target *target = esse_arena_alloc(arena, 1, sizeof *target);
    target->arena = arena;
    target->url = url;
    target->ports = esse_arena_alloc(arena, url->host_count + 1, sizeof *target->ports);
    for (size_t i = 0; i < url->host_count; i++)
        if (url->hosts[i].port)
            target->ports[i] = esse_arena_format(arena, "%u", url->hosts[i].port);
    target->dialect = driver->details;
    target->log_plugin = esse_url_parameter(url, "decoding");
    if (!is_right_dialect(target, err))
        return false;
    if (target->log_plugin && strcmp(target->log_plugin, "pgoutput") != 0 &&
        strcmp(target->log_plugin, "test_decoding") != 0)
        return esse_fail(err, ESSE_EUSAGE,
                         "the target's URL: decoding must be pgoutput or test_decoding, not "
                         "'%.60s'",
                         target->log_plugin);
    set_level(target, isolation->setting);
    *out = target;
    return set_verify(target, err) && esse_client_load(&esse_client_libpq, err) &&
           read_parameters(target, err);
}

/* ---- commands that wait ---- */

void esse_pg_ignore_notice(void *context, const PGresult *result)
{
    (void)context;
    (void)result;
}

PGconn *esse_pg_connect(const struct esse_target *target, const char *extra, const char *value,
                        struct esse_error *err)
{
    const char *keywords[ESSE_PG_PARAMETERS], *values[ESSE_PG_PARAMETERS];
    const unsigned hosts = target->url->host_count ? (unsigned)target->url->host_count : 1;
    char all[400] = "", text[ESSE_SAID];
    for (unsigned host = 0; host < hosts; host++) {
        esse_pg_parameters(target, host, extra, value, keywords, values);
        PGconn *pg = PQconnectdbParams(keywords, values, 0);
        if (PQstatus(pg) == CONNECTION_OK) {
            PQsetNoticeReceiver(pg, esse_pg_ignore_notice, NULL);
            return pg;
        }
        esse_url_tell(target->url, PQerrorMessage(pg), text);
        PQfinish(pg);
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", *all ? "; " : "", text);
    }
    esse_fail(err, ESSE_EUNAVAILABLE, "%s", all);
    return NULL;
}

bool esse_pg_run(const struct esse_target *target, PGconn *pg, const char *sql,
                 struct esse_error *err)
{
    PGresult *result = PQexec(pg, sql);
    const ExecStatusType status = PQresultStatus(result);
    const bool ok = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
    if (!ok)
        esse_url_fail(target->url, "the database refused: ", PQerrorMessage(pg), err);
    PQclear(result);
    return ok;
}

const char *esse_pg_ask(const struct esse_target *target, PGconn *pg, const char *sql,
                        struct esse_error *err)
{
    PGresult *result = PQexec(pg, sql);
    const char *answer = NULL;
    if (PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) > 0)
        answer = esse_arena_format(target->arena, "%s", PQgetvalue(result, 0, 0));
    else
        esse_url_fail(target->url, "the database refused: ", PQerrorMessage(pg), err);
    PQclear(result);
    return answer;
}

void esse_pg_wake(const struct esse_target *target, PGconn *pg)
{
    struct esse_error ignored;
    if (PQstatus(pg) != CONNECTION_OK || !esse_pg_run(target, pg, "SELECT 1", &ignored))
        PQreset(pg);
}

/* ---- the schema ---- */

static bool run_main(void *context, const char *sql, struct esse_error *err)
{
    struct esse_target *target = context;
    return esse_pg_run(target, target->main, sql, err);
}

/* That the server really uses the level that was asked for. */
static bool verify_level(struct esse_target *target, struct esse_error *err)
{
    if (target->session) /* a server that does not show it must at least accept it */
        return esse_pg_run(target, target->main, target->session, err);
    if (!esse_pg_run(target, target->main, target->begin, err))
        return false;
    const char *shown = esse_pg_ask(target, target->main, "SHOW transaction_isolation", err);
    bool ok = shown != NULL;
    if (ok && strcmp(shown, target->level) != 0)
        ok = esse_fail(err, ESSE_EUNAVAILABLE,
                       "the database uses the isolation level '%.60s', not '%s'", shown,
                       target->level);
    return esse_pg_run(target, target->main, "ROLLBACK", err) && ok;
}

static bool prepare(struct esse_target *target, const struct esse_schema *schema,
                    struct esse_error *err)
{
    target->schema = schema;
    target->planning = schema->own ? NULL : target->dialect->planning;
    target->main = esse_pg_connect(target, NULL, NULL, err);
    if (!target->main || !verify_level(target, err))
        return false;
    return esse_live_make_tables(target->arena, schema, target->dialect->create,
                                 target->dialect->list, run_main, target, err);
}

/* The parameter server_version is that of PostgreSQL, whose protocol the others speak. */
static const char *version_number(const struct esse_pg_dialect *dialect, const char *version)
{
    const char *name = strstr(version, dialect->product);
    name = name ? name + strlen(dialect->product) : "";
    return name + strcspn(name, "0123456789");
}

static bool describe(struct esse_target *target, struct esse_description *description,
                     struct esse_error *err)
{
    enum { MOST = sizeof settings / sizeof *settings };
    struct esse_setting *found = esse_arena_alloc(target->arena, MOST, sizeof *found);
    const char *version = esse_pg_ask(target, target->main, "SELECT version()", err);
    size_t count = 0;
    if (!version)
        return false;
    found[count++] = (struct esse_setting){ "version", version };
    for (const char *const *name = target->dialect->settings; name && *name; name++) {
        char sql[100];
        struct esse_error ignored;
        snprintf(sql, sizeof sql, "SHOW %s", *name);
        const char *value = esse_pg_ask(target, target->main, sql, &ignored);
        if (value)
            found[count++] = (struct esse_setting){ *name, value };
    }
    const char *number = version_number(target->dialect, version);
    *description = (struct esse_description){
        .product = esse_arena_format(target->arena, "%s %.*s", target->dialect->name,
                                     (int)strspn(number, "0123456789."), number),
        .settings = found,
        .setting_count = count,
    };
    return true;
}

/* The first table whose rows are not found by the index when they are asked for by key; NULL if
 * there is none, or the server does not say. */
static const char *scanned_table(struct esse_target *target)
{
    char sql[200];
    struct esse_error ignored;
    for (uint32_t t = 0; t < target->schema->count; t++) {
        const char *name = target->schema->tables[t].name;
        snprintf(sql, sizeof sql, "%s; EXPLAIN SELECT v FROM esse_%s WHERE k = 0", target->planning,
                 name);
        const char *plan = esse_pg_ask(target, target->main, sql, &ignored);
        if (plan && strstr(plan, "Seq Scan"))
            return name;
    }
    return NULL;
}

static const char *remark(struct esse_target *target)
{
    const char *verified = esse_pg_verified_text(target);
    if (!target->planning)
        return verified;
    esse_pg_wake(target, target->main);
    const char *table = scanned_table(target);
    return !table ? verified
                  : esse_arena_format(
                        target->arena,
                        "reads by key scan all of esse_%s, says EXPLAIN: at serializable each "
                        "locks the whole table, which hides anomalies%s%s",
                        table, verified ? "\n  " : "", verified ? verified : "");
}

static void clean(struct esse_target *target)
{
    if (!target->main)
        return;
    esse_pg_wake(target, target->main);
    esse_live_drop_tables(target->schema, run_main, target);
}

static void close_target(struct esse_target *target)
{
    PQfinish(target->main);
}

enum { CAN = ESSE_CAN_LISTS | ESSE_CAN_PREDICATES | ESSE_CAN_AGGREGATES | ESSE_CAN_DELETE };

#define WORK                                                                                       \
    .open = open_target, .prepare = prepare, .describe = describe, .clean = clean,                 \
    .close = close_target, .conn = esse_pg_conn, .start = esse_pg_start, .step = esse_pg_step,     \
    .drop = esse_pg_drop

const struct esse_driver esse_driver_postgresql = {
    .name = "postgresql",
    .schemes = "postgresql postgres",
    .summary = "PostgreSQL, and others that speak its protocol",
    .parameters =
        "dialect=postgresql|cockroachdb|yugabytedb|h2   the kind of server (default: postgresql)\n"
        "decoding=pgoutput|test_decoding                how the server's log is read (default: "
        "what works)\n"
        "verify=snapshots                               predicates are asked again in shadow "
        "transactions (slower)\n"
        "PARAMETER=VALUE                                any of libpq's: sslmode, service, options, "
        "...",
    .can = CAN | ESSE_CAN_OWN,
    .claims = claims,
    .certificate = &esse_pg_certifying,
    .own_rows = esse_pg_own_rows,
    .remark = remark,
    .details = &postgresql,
    WORK,
};

const struct esse_driver esse_driver_cockroachdb = {
    .name = "cockroachdb",
    .dialect_of = "postgresql",
    .schemes = "cockroachdb",
    .summary = "CockroachDB, also as postgresql://...?dialect=cockroachdb",
    .parameters = "PARAMETER=VALUE  any of libpq's: sslmode, service, options, ...",
    .can = CAN,
    .claims = cockroachdb_claims,
    .certificate = &esse_pg_feed_certifying,
    .details = &cockroachdb,
    WORK,
};

const struct esse_driver esse_driver_yugabytedb = {
    .name = "yugabytedb",
    .dialect_of = "postgresql",
    .schemes = "yugabytedb",
    .summary = "YugabyteDB, also as postgresql://...?dialect=yugabytedb",
    .parameters = "PARAMETER=VALUE  any of libpq's: sslmode, service, options, ...",
    .can = CAN,
    .claims = yugabytedb_claims,
    .certificate = &esse_pg_certifying,
    .details = &yugabytedb,
    WORK,
};

const struct esse_driver esse_driver_h2 = {
    .name = "h2",
    .dialect_of = "postgresql",
    .schemes = "h2",
    .summary = "H2's PostgreSQL port, also as postgresql://...?dialect=h2",
    .parameters = "PARAMETER=VALUE  any of libpq's: sslmode, service, options, ...",
    .can = CAN,
    .claims = h2_claims,
    .certificate = &esse_pg_certifying,
    .details = &h2,
    WORK,
};
