#include "collect/driver/postgresql/postgresql_conn.h"
#include "collect/driver/postgresql/postgresql_error.h"
#include "collect/driver/postgresql/postgresql_shadow.h"
#include "collect/recover/learnt_feed.h"
#include "collect/recover/recover_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t esse_pg_number(const PGresult *result, int row, int column)
{
    return PQgetisnull(result, row, column) ? ESSE_ABSENT
                                            : strtoll(PQgetvalue(result, row, column), NULL, 10);
}

static void take_xid(const PGresult *result, int column, struct esse_reply *reply)
{
    if (PQntuples(result) > 0 && !PQgetisnull(result, 0, column))
        reply->xid = strtoll(PQgetvalue(result, 0, column), NULL, 10);
}

/* ---- snapshots ---- */

/* PostgreSQL leaves the transaction itself out of those in progress.  At READ COMMITTED it may have
 * had its number before the snapshot was taken; the reader of the text must not take it for one
 * that had committed. */
static void put_snapshot(struct esse_pg_conn *conn, const char *text, int64_t own)
{
    char *rest, *to = conn->snapshot;
    const int64_t xmin = strtoll(text, &rest, 10), xmax = strtoll(rest + 1, &rest, 10);
    bool is_put = false;
    if (own == ESSE_NO_ID || own >= xmax) {
        strcpy(conn->snapshot, text);
        return;
    }
    to += sprintf(to, "%lld:%lld:", (long long)(own < xmin ? own : xmin), (long long)xmax);
    for (const char *at = rest + 1; *at; at += strcspn(at, ","), at += *at == ',') {
        const int64_t other = strtoll(at, NULL, 10);
        if (!is_put && own < other)
            to += sprintf(to, "%lld,", (long long)own);
        is_put |= own < other;
        to += sprintf(to, "%lld,", (long long)other);
    }
    if (!is_put)
        to += sprintf(to, "%lld,", (long long)own);
    to[-1] = 0; /* the last comma */
}

static bool writes_rows(const struct esse_request *request)
{
    return request->ask == ESSE_ASK_CHANGE || request->ask == ESSE_ASK_DELETE ||
           (request->ask == ESSE_ASK_OWN && request->own->kind >= ESSE_OWN_INSERT);
}

/* READ COMMITTED's UPDATE looks again at rows that changed meanwhile: what it sees is not its
 * snapshot. */
static void take_snapshot(struct esse_pg_conn *conn, const PGresult *result,
                          struct esse_reply *reply)
{
    const struct esse_target *target = conn->target;
    enum { OWN = 24 }; /* bytes that the transaction's own number may need */
    if (!PQntuples(result) || PQgetisnull(result, 0, 0) ||
        (size_t)PQgetlength(result, 0, 0) >= sizeof conn->snapshot - OWN)
        return;
    if (writes_rows(&conn->request) && target->is_read_committed &&
        target->dialect->has_conflict_reads)
        return;
    put_snapshot(conn, PQgetvalue(result, 0, 0), conn->xid);
    reply->snapshot = conn->snapshot;
}

/* ---- operations ---- */

void esse_pg_rows(const PGresult *result, int64_t next, struct esse_arena *arena,
                  struct esse_live_row_vec *rows)
{
    for (int row = 0; row < PQntuples(result); row++)
        if (!PQgetisnull(result, row, 2))
            esse_live_row_vec_push(rows, arena,
                                   (struct esse_live_row){ esse_pg_number(result, row, 2),
                                                           esse_pg_number(result, row, 3), next });
}

static void take_rows(struct esse_pg_conn *conn, const PGresult *result, struct esse_reply *reply)
{
    const int64_t next = conn->request.ask == ESSE_ASK_CHANGE ? conn->request.value : ESSE_ABSENT;
    conn->rows.count = 0;
    esse_pg_rows(result, next, conn->arena, &conn->rows);
    reply->rows = conn->rows.at;
    reply->row_count = conn->rows.count;
}

static void take_read(struct esse_pg_conn *conn, const PGresult *result, struct esse_reply *reply)
{
    if (esse_pg_statement(conn) == ESSE_SQL_LOOK)
        take_snapshot(conn, result, reply);
    if (!conn->target->schema->tables[conn->request.table].is_list) {
        if (PQntuples(result) > 0)
            reply->value = esse_pg_number(result, 0, PQnfields(result) - 1);
        return;
    }
    if (PQntuples(result) > 0) {
        const char *text = PQgetvalue(result, 0, 0);
        esse_live_show_list(&conn->list, text, strlen(text), reply);
    }
}

/* Columns (snapshot, xid, k), or none where the count of rows is all that is known. */
static void take_delete(struct esse_pg_conn *conn, PGresult *result, struct esse_reply *reply)
{
    if (!PQnfields(result)) {
        reply->is_absent = strcmp(PQcmdTuples(result), "0") == 0;
        return;
    }
    take_snapshot(conn, result, reply);
    take_xid(result, 1, reply);
    reply->is_absent = !PQntuples(result) || PQgetisnull(result, 0, 2);
}

static void take_own(struct esse_pg_conn *conn, PGresult *result, struct esse_reply *reply)
{
    take_snapshot(conn, result, reply);
    take_xid(result, 1, reply);
    esse_cells_clear(&conn->cells);
    esse_pg_own_take(result, 2, conn->request.own->kind == ESSE_OWN_AGGREGATE, &conn->cells);
    reply->cells = conn->cells.at.at;
    reply->cell_count = conn->cells.at.count;
}

static void take_exported(struct esse_pg_conn *conn, const PGresult *result)
{
    if (conn->shadow && PQntuples(result) > 0 && PQnfields(result) > ESSE_PG_EXPORT)
        snprintf(conn->exported, sizeof conn->exported, "%s",
                 PQgetvalue(result, 0, ESSE_PG_EXPORT));
}

static void take_operation(struct esse_pg_conn *conn, PGresult *result, struct esse_reply *reply)
{
    switch (conn->request.ask) {
    case ESSE_ASK_READ:
        take_read(conn, result, reply);
        break;
    case ESSE_ASK_MATCH:
    case ESSE_ASK_CHANGE:
        take_snapshot(conn, result, reply);
        take_xid(result, 1, reply);
        take_rows(conn, result, reply);
        take_exported(conn, result);
        break;
    case ESSE_ASK_AGGREGATE:
        take_snapshot(conn, result, reply);
        if (PQntuples(result) > 0)
            reply->value = esse_pg_number(result, 0, 3);
        take_exported(conn, result);
        break;
    case ESSE_ASK_DELETE:
        take_delete(conn, result, reply);
        break;
    case ESSE_ASK_OWN:
        take_own(conn, result, reply);
        break;
    default:
        if (PQnfields(result) > 0)
            take_xid(result, 0, reply);
        break;
    }
    if (reply->xid != ESSE_NO_ID)
        conn->xid = reply->xid;
}

/* ---- times ---- */

/* A transaction that has asked commits then or not at all.  It is the id of those that write; only
 * the answer to COMMIT shows that they did commit. */
static void take_time(struct esse_pg_conn *conn, const PGresult *result, struct esse_reply *reply)
{
    struct esse_pg_clock *clock = &conn->target->clock;
    struct esse_stamp stamp;
    struct esse_error ignored;
    if (!PQntuples(result) ||
        !esse_hlc_parse(
            (struct esse_span){ PQgetvalue(result, 0, 0), (size_t)PQgetlength(result, 0, 0) },
            &stamp, &ignored))
        return;
    conn->time = esse_stamp_number(stamp, clock->base);
    if (conn->has_written)
        reply->xid = conn->time;
    uint64_t latest = atomic_load(&clock->latest);
    while (latest < stamp.high &&
           !atomic_compare_exchange_weak(&clock->latest, &latest, stamp.high))
        continue;
}

/* All of a serializable transaction is as if done at its time.  One that writes is not in what it
 * looks at. */
static void put_times(const struct esse_pg_conn *conn, struct esse_reply *reply)
{
    if (conn->time == ESSE_NO_ID)
        return;
    reply->start_ts = conn->has_written ? conn->time - 1 : conn->time;
    if (conn->has_written)
        reply->commit_ts = conn->time;
}

/* ---- ends and errors ---- */

/* COMMIT of a transaction that has failed answers ROLLBACK, and calls that a success. */
static void take_end(struct esse_pg_conn *conn, PGresult *result, struct esse_reply *reply)
{
    if (conn->request.ask != ESSE_ASK_COMMIT)
        return;
    if (strcmp(PQcmdStatus(result), "ROLLBACK") != 0) {
        put_times(conn, reply);
        return;
    }
    esse_failed(reply, ESSE_FATE_ABORTED, PQcmdStatus(result), "COMMIT was answered with %s",
                PQcmdStatus(result));
    conn->has_failed = true;
}

static void note_error(struct esse_pg_conn *conn, const PGresult *result, struct esse_reply *reply)
{
    const char *code = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *severity = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
    const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    severity = severity ? severity : PQresultErrorField(result, PG_DIAG_SEVERITY);
    const bool is_commit =
        conn->parts[conn->part] == ESSE_PART_END && conn->request.ask == ESSE_ASK_COMMIT;
    char text[ESSE_SAID];
    code = code ? code : "08006"; /* libpq's own: it has lost the server */
    esse_url_tell(conn->target->url, message ? message : PQresultErrorMessage(result), text);
    esse_failed(reply, ESSE_FATE_OPEN, code, "%s", text);
    esse_pg_classify(code, severity, is_commit, &reply->failure);
    conn->has_failed = true;
}

void esse_pg_take(struct esse_pg_conn *conn, PGresult *result, struct esse_reply *reply)
{
    const ExecStatusType status = PQresultStatus(result);
    if (status == PGRES_PIPELINE_ABORTED)
        return; /* something before it failed, and was noted */
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
        if (!conn->has_failed)
            note_error(conn, result, reply);
        return;
    }
    switch (conn->parts[conn->part]) {
    case ESSE_PART_BEGIN:
        break;
    case ESSE_PART_PREPARE:
        conn->prepared[conn->statement] = true;
        break;
    case ESSE_PART_OPERATION:
        take_operation(conn, result, reply);
        break;
    case ESSE_PART_TIME:
        take_time(conn, result, reply);
        break;
    case ESSE_PART_END:
        take_end(conn, result, reply);
        break;
    }
}
