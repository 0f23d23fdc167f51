#include "base/clock.h"
#include "collect/driver/postgresql/postgresql.h"
#include "collect/recover/learnt_rows.h"
#include "collect/recover/pgoutput.h"
#include "collect/recover/test_decoding.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * The order of versions from logical decoding, which sends transactions in the order of their
 * commit records (docs/design/recovery.md).  By replication with pgoutput if the server lets us,
 * else by queries with test_decoding.
 *
 * The slot is not a temporary one: it outlives a crash of the server, and then the stream starts
 * again where it was confirmed.  What comes twice is passed over by its position.
 *
 * finish() writes a mark, a row of a table of its own, and reads until it comes by.
 */
static const double wait_seconds = 30;

struct esse_pg_log {
    struct esse_change_sink filter; /* first: it passes over what came before */
    struct esse_target *target;
    struct esse_learnt_rows *rows;
    PGconn *main;                 /* SQL; its own, since polling and the run's must not mix */
    PGconn *stream;               /* replication; NULL if by queries, or lost */
    struct esse_pg_coming coming; /* the next stream */
    struct esse_pgoutput *pgoutput;
    struct esse_test_decoding *text;
    char slot[40];
    bool has_publication, has_slot;
    uint64_t seen;     /* position of the last transaction that was sent */
    uint64_t sent;     /* ... up to which the server says that it has sent everything */
    uint64_t opened;   /* of the one that is coming */
    bool is_repeated;  /* it came before */
    int64_t status_at; /* when our position was last sent to the server */
};

/* ---- what came before ---- */

static bool filter_begin(struct esse_change_sink *sink, const struct esse_change_txn *txn,
                         struct esse_error *err)
{
    struct esse_pg_log *log = (struct esse_pg_log *)sink;
    struct esse_change_sink *to = esse_learnt_rows_sink(log->rows);
    log->opened = txn->stamp.high;
    log->is_repeated = log->opened <= log->seen;
    return log->is_repeated || to->begin(to, txn, err);
}

static bool filter_change(struct esse_change_sink *sink, const struct esse_change *change,
                          struct esse_error *err)
{
    struct esse_pg_log *log = (struct esse_pg_log *)sink;
    struct esse_change_sink *to = esse_learnt_rows_sink(log->rows);
    return log->is_repeated || to->change(to, change, err);
}

static bool filter_commit(struct esse_change_sink *sink, struct esse_error *err)
{
    struct esse_pg_log *log = (struct esse_pg_log *)sink;
    struct esse_change_sink *to = esse_learnt_rows_sink(log->rows);
    if (log->is_repeated)
        return true;
    log->seen = log->opened;
    return to->commit(to, err);
}

/* ---- beginning ---- */

static bool make_publication(struct esse_pg_log *log, struct esse_error *err)
{
    const struct esse_schema *schema = log->target->schema;
    char sql[2000];
    int length = snprintf(sql, sizeof sql, "CREATE PUBLICATION %s FOR TABLE esse_mark", log->slot);
    for (uint32_t t = 0; t < schema->count && (size_t)length < sizeof sql; t++)
        length += snprintf(sql + length, sizeof sql - (size_t)length, ", esse_%s",
                           schema->tables[t].name);
    for (uint32_t t = 0; schema->own && t < schema->own->count && (size_t)length < sizeof sql; t++)
        length += snprintf(sql + length, sizeof sql - (size_t)length, ", %s",
                           schema->own->tables[t].name);
    log->has_publication = esse_pg_run(log->target, log->main, sql, err);
    return log->has_publication;
}

static bool start_stream(struct esse_pg_log *log, struct esse_error *err)
{
    char sql[300];
    snprintf(sql, sizeof sql,
             "START_REPLICATION SLOT %s LOGICAL 0/0 (proto_version '1', publication_names '%s')",
             log->slot, log->slot);
    PGresult *result = PQexec(log->stream, sql);
    const bool ok = PQresultStatus(result) == PGRES_COPY_BOTH;
    if (!ok)
        esse_url_fail(log->target->url, "", PQerrorMessage(log->stream), err);
    PQclear(result);
    log->pgoutput = esse_pgoutput_new(log->target->arena, &log->filter);
    return ok;
}

static bool begin_pgoutput(struct esse_pg_log *log, struct esse_error *err)
{
    char sql[200];
    snprintf(sql, sizeof sql, "CREATE_REPLICATION_SLOT %s LOGICAL pgoutput NOEXPORT_SNAPSHOT",
             log->slot);
    if (!make_publication(log, err))
        return false;
    log->stream = esse_pg_connect(log->target, "replication", "database", err);
    if (!log->stream)
        return false;
    log->has_slot = esse_pg_run(log->target, log->stream, sql, err);
    return log->has_slot && start_stream(log, err);
}

static bool begin_test_decoding(struct esse_pg_log *log, struct esse_error *err)
{
    char sql[200];
    snprintf(sql, sizeof sql, "SELECT pg_create_logical_replication_slot('%s', 'test_decoding')",
             log->slot);
    log->has_slot = esse_pg_run(log->target, log->main, sql, err);
    log->text = esse_test_decoding_new(log->target->arena, &log->filter);
    return log->has_slot;
}

static void remove_slot(struct esse_pg_log *log)
{
    char sql[200];
    struct esse_error ignored;
    PQfinish(log->stream);
    esse_pg_coming_stop(&log->coming);
    log->stream = NULL;
    /* The server notices that a stream has ended a moment later. */
    snprintf(sql, sizeof sql, "SELECT pg_drop_replication_slot('%s')", log->slot);
    for (unsigned i = 0; log->has_slot && i < 100; i++) {
        log->has_slot = !esse_pg_run(log->target, log->main, sql, &ignored);
        if (log->has_slot)
            poll(NULL, 0, 50);
    }
    snprintf(sql, sizeof sql, "DROP PUBLICATION IF EXISTS %s", log->slot);
    if (log->has_publication)
        log->has_publication = !esse_pg_run(log->target, log->main, sql, &ignored);
}

static void end_log(struct esse_target *target)
{
    struct esse_pg_log *log = target->log;
    struct esse_error ignored;
    if (!log)
        return;
    if (log->main)
        esse_pg_wake(target, log->main);
    remove_slot(log);
    if (log->main)
        esse_pg_run(target, log->main, "DROP TABLE IF EXISTS esse_mark", &ignored);
    PQfinish(log->main);
    target->log = NULL;
}

/* A run that was killed leaves its slot, which keeps the server from recycling its log.  Runs on
 * one database make the same tables, so there is no other one now. */
static void sweep(struct esse_pg_log *log)
{
    struct esse_error ignored;
    esse_pg_run(
        log->target, log->main,
        "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots "
        "WHERE slot_name ~ '^esse_[0-9]+$' AND database = current_database() AND NOT active",
        &ignored);
    esse_pg_run(
        log->target, log->main,
        "DO $$ DECLARE left_behind name; BEGIN FOR left_behind IN SELECT pubname FROM "
        "pg_publication WHERE pubname ~ '^esse_[0-9]+$' AND pubname NOT IN (SELECT slot_name "
        "FROM pg_replication_slots) LOOP EXECUTE format('DROP PUBLICATION %I', left_behind); "
        "END LOOP; END $$",
        &ignored);
}

static bool open_log(struct esse_pg_log *log, struct esse_error *err)
{
    struct esse_target *target = log->target;
    log->main = esse_pg_connect(target, NULL, NULL, err);
    if (!log->main)
        return false;
    const char *level = esse_pg_ask(target, log->main, "SHOW wal_level", err);
    if (level && strcmp(level, "logical") != 0)
        return esse_fail(
            err, ESSE_EUNAVAILABLE,
            "the server's wal_level is %.40s, not logical (ALTER SYSTEM SET wal_level = "
            "logical, and a restart, change that)",
            level);
    if (!level || !esse_pg_run(target, log->main,
                               "DROP TABLE IF EXISTS esse_mark;"
                               "CREATE TABLE esse_mark(k BIGINT PRIMARY KEY, v BIGINT);"
                               "INSERT INTO esse_mark VALUES (1, 0)",
                               err))
        return false;
    sweep(log);
    const char *xid = esse_pg_ask(target, log->main, "SELECT txid_current()", err);
    if (!xid)
        return false;
    esse_learnt_rows_base(log->rows, strtoll(xid, NULL, 10));
    if (target->log_plugin && strcmp(target->log_plugin, "test_decoding") == 0)
        return begin_test_decoding(log, err);
    if (begin_pgoutput(log, err))
        return true;
    remove_slot(log);
    struct esse_error second;
    return !target->log_plugin && begin_test_decoding(log, &second);
}

static bool begin_log(struct esse_target *target, struct esse_error *err)
{
    if (!target->dialect->has_log)
        return esse_fail(err, ESSE_EUNAVAILABLE, "%s has no logical decoding",
                         target->dialect->name);
    struct esse_pg_log *log = esse_arena_alloc(target->arena, 1, sizeof *log);
    log->target = target;
    log->rows = esse_learnt_rows_new(target->arena, target->schema);
    log->filter = (struct esse_change_sink){ esse_learnt_rows_sink(log->rows)->values, filter_begin,
                                             filter_change, filter_commit };
    snprintf(log->slot, sizeof log->slot, "esse_%ld", (long)getpid());
    target->log = log;
    if (open_log(log, err))
        return true;
    end_log(target);
    return false;
}

/* ---- reading ---- */

/* A server that shuts down in good order waits until all that it has sent is said to have come,
 * also what is no transaction. */
static bool send_status(struct esse_pg_log *log)
{
    unsigned char status[ESSE_PG_STATUS_BYTES];
    esse_pg_status_write(status, log->seen > log->sent ? log->seen : log->sent);
    log->status_at = esse_clock_ns();
    return PQputCopyData(log->stream, (const char *)status, sizeof status) > 0 &&
           PQflush(log->stream) >= 0;
}

static bool take_frame(struct esse_pg_log *log, const char *bytes, size_t length,
                       struct esse_error *err)
{
    struct esse_pg_frame frame;
    if (!esse_pg_frame_read(bytes, length, &frame, err))
        return false;
    if (frame.is_data)
        return esse_pgoutput_message(log->pgoutput, frame.bytes, frame.length, err);
    log->sent = frame.position;
    if (frame.wants_reply)
        send_status(log);
    return true;
}

/* Everything that has come.  'is_alive' becomes false if the connection is gone. */
static bool read_stream(struct esse_pg_log *log, bool *is_alive, struct esse_error *err)
{
    static const int64_t status_ns = 1000000000;
    char *bytes = NULL;
    int length = 0;
    bool ok = true;
    *is_alive = PQconsumeInput(log->stream);
    while (ok && (length = PQgetCopyData(log->stream, &bytes, 1)) > 0) {
        ok = take_frame(log, bytes, (size_t)length, err);
        PQfreemem(bytes);
    }
    *is_alive &= length == 0;
    if (ok && *is_alive && esse_clock_ns() - log->status_at > status_ns)
        *is_alive = send_status(log);
    return ok;
}

/* The server has crashed and may be coming back. */
static void reconnect(struct esse_pg_log *log)
{
    struct esse_error ignored;
    PQfinish(log->stream);
    log->stream = esse_pg_come(log->target, &log->coming, "replication", "database");
    if (log->stream && !start_stream(log, &ignored)) {
        PQfinish(log->stream);
        log->stream = NULL;
    }
}

static bool poll_stream(struct esse_pg_log *log, struct esse_error *err)
{
    bool is_alive = false;
    if (log->stream && !read_stream(log, &is_alive, err))
        return false;
    if (!is_alive)
        reconnect(log);
    return true;
}

static bool poll_queries(struct esse_pg_log *log, struct esse_error *err)
{
    char sql[200];
    snprintf(sql, sizeof sql,
             "SELECT data FROM pg_logical_slot_get_changes('%s', NULL, 2000, "
             "'skip-empty-xacts', '1')",
             log->slot);
    PGresult *result = PQexec(log->main, sql);
    bool ok = true;
    if (PQresultStatus(result) != PGRES_TUPLES_OK) /* what would come again is unknown */
        ok = esse_fail(err, ESSE_EUNAVAILABLE, "the server's log broke off");
    for (int row = 0; ok && row < PQntuples(result); row++)
        ok = esse_test_decoding_line(log->text, PQgetvalue(result, row, 0),
                                     (size_t)PQgetlength(result, row, 0), err);
    PQclear(result);
    return ok;
}

static bool poll_log(struct esse_target *target, struct esse_learnt *learnt, struct esse_error *err)
{
    struct esse_pg_log *log = target->log;
    esse_learnt_rows_to(log->rows, learnt);
    return log->text ? poll_queries(log, err) : poll_stream(log, err);
}

/* ---- the end ---- */

static bool write_mark(struct esse_pg_log *log, int64_t mark, struct esse_error *err)
{
    char sql[100];
    snprintf(sql, sizeof sql, "UPDATE esse_mark SET v = %lld", (long long)mark);
    if (esse_pg_run(log->target, log->main, sql, err))
        return true;
    PQreset(log->main);
    return esse_pg_run(log->target, log->main, sql, err);
}

static bool finish_log(struct esse_target *target, struct esse_learnt *learnt,
                       struct esse_error *err)
{
    struct esse_pg_log *log = target->log;
    const int64_t began = esse_clock_ns(), mark = began;
    if (!write_mark(log, mark, err))
        return false;
    while (esse_learnt_rows_mark(log->rows) != mark) {
        if (!poll_log(target, learnt, err))
            return false;
        if ((double)(esse_clock_ns() - began) * 1e-9 > wait_seconds)
            return esse_fail(err, ESSE_EUNAVAILABLE,
                             "the server's log did not come to its end within %g s", wait_seconds);
        struct pollfd fd = { log->stream ? PQsocket(log->stream) : -1, POLLIN, 0 };
        poll(&fd, 1, 20);
    }
    return true;
}

const struct esse_certifying esse_pg_certifying = {
    .source = "logical decoding",
    .kind = "postgresql-snapshots",
    .begin = begin_log,
    .poll = poll_log,
    .finish = finish_log,
    .end = end_log,
};
