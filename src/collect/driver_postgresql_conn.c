#include "collect/driver_postgresql_shadow.h"
#include "collect/drivers.h"
#include "collect/learnt_feed.h"
#include "collect/recover_snapshot.h"

#include "base/out.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A connection in libpq's pipeline mode.  A request is one or more statements and a sync, sent at
 * once: BEGIN goes along with the first operation, and a statement is prepared along with its
 * first use.  After an error the server passes over the rest up to the sync, so a COMMIT that
 * stands behind a failed statement is not done.
 */

/* What the results that come belong to, in the order of sending. */
enum part { PART_BEGIN, PART_PREPARE, PART_OPERATION, PART_TIME, PART_END };
enum { MOST_PARTS = 5 };

struct conn {
    struct esse_conn head;
    struct esse_target *target;
    struct esse_arena *arena;
    PGconn *pg;
    struct esse_request request;
    bool is_connecting;
    bool session_is_due; /* the dialect's first statement was not sent */
    bool begin_is_due;   /* BEGIN was asked for and not sent */
    bool *prepared;      /* ESSE_STATEMENTS for each table */
    size_t statement;    /* being prepared */
    enum part parts[MOST_PARTS];
    unsigned part_count, part;
    bool has_failed; /* reply->failure is filled */
    int64_t xid;     /* of the open transaction, or ESSE_NO_ID */
    bool has_written;
    int64_t time; /* when it commits, or ESSE_NO_ID */
    struct esse_live_list list;
    struct esse_live_row_vec rows;
    struct esse_out sql; /* of an own statement, and its answer */
    struct esse_cells cells;
    char snapshot[ESSE_PG_SNAPSHOT];
    unsigned host;                 /* that it is connected to */
    struct esse_pg_shadow *shadow; /* NULL: nothing is verified */
    bool is_shadowing;             /* the reply is there, its shadow is being asked */
    char exported[64];             /* the snapshot's name for the shadow; "": nothing to verify */
};

struct esse_conn *esse_pg_conn(struct esse_target *target, struct esse_arena *arena,
                               uint32_t session)
{
    struct conn *conn = esse_arena_alloc(arena, 1, sizeof *conn);
    (void)session;
    conn->head = (struct esse_conn){ .driver = &esse_driver_postgresql, .fd = -1 };
    conn->target = target;
    conn->arena = arena;
    esse_live_list_init(&conn->list, arena);
    conn->cells.arena = arena;
    esse_out_init_memory(&conn->sql, arena);
    if (target->exporting)
        conn->shadow = esse_pg_shadow_new(target, arena);
    conn->prepared =
        esse_arena_alloc(arena, (size_t)target->schema->count * ESSE_STATEMENTS, sizeof(bool));
    return &conn->head;
}

static void hang_up(struct conn *conn)
{
    esse_pg_shadow_drop(conn->shadow);
    conn->is_shadowing = false;
    PQfinish(conn->pg);
    conn->pg = NULL;
    conn->head.fd = -1;
}

void esse_pg_drop(struct esse_conn *head)
{
    hang_up((struct conn *)head);
}

/* ---- errors ---- */

static bool is_class(const char *code, const char *class)
{
    return strncmp(code, class, strlen(class)) == 0;
}

/* The server or the way to it is gone, or is about to be. */
static bool means_lost(const char *code)
{
    return is_class(code, "08") || is_class(code, "57P");
}

/* Errors that belong to running transactions at the same time, and to servers in trouble; the last
 * two are H2's for a concurrent update and a lock that was not had in time. */
static bool is_usual(const char *code)
{
    static const char *const usual[] = { "40",    "23",    "53", "55P03", "57",   "08",
                                         "25P02", "25006", "58", "90131", "HYT00" };
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (is_class(code, usual[i]))
            return true;
    return false;
}

/* What a refused COMMIT came to.  A server says ERROR before it has written the commit, or not at
 * all; what it says while it goes down, and 40003, leaves that open. */
static enum esse_fate fate_of_commit(const char *code, const char *severity)
{
    const bool is_error = severity && strcmp(severity, "ERROR") == 0;
    const bool is_open = means_lost(code) || strcmp(code, "40003") == 0 || is_class(code, "XX") ||
                         is_class(code, "58");
    return is_error && !is_open ? ESSE_FATE_ABORTED : ESSE_FATE_UNKNOWN;
}

static enum esse_progress lost(struct conn *conn, struct esse_reply *reply, const char *said)
{
    char text[240];
    const bool is_commit = conn->request.ask == ESSE_ASK_COMMIT;
    esse_pg_said(conn->target, said && *said ? said : "the connection was lost", text);
    esse_failed(reply, is_commit ? ESSE_FATE_UNKNOWN : ESSE_FATE_ABORTED, "", "%s", text);
    reply->failure.is_lost = true;
    hang_up(conn);
    return ESSE_PROGRESS_FAILED;
}

static void note_error(struct conn *conn, const PGresult *result, struct esse_reply *reply)
{
    const char *code = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *severity = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
    const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    severity = severity ? severity : PQresultErrorField(result, PG_DIAG_SEVERITY);
    const bool is_commit =
        conn->parts[conn->part] == PART_END && conn->request.ask == ESSE_ASK_COMMIT;
    char text[240];
    code = code ? code : "08006"; /* libpq's own: it has lost the server */
    esse_pg_said(conn->target, message ? message : PQresultErrorMessage(result), text);
    esse_failed(reply, is_commit ? fate_of_commit(code, severity) : ESSE_FATE_OPEN, code, "%s",
                text);
    reply->failure.is_fatal = !is_usual(code) && !is_commit;
    reply->failure.is_lost = means_lost(code) || (severity && strcmp(severity, "ERROR") != 0);
    conn->has_failed = true;
}

/* ---- connecting ---- */

static enum esse_progress step_connect(struct conn *conn, struct esse_reply *reply)
{
    const PostgresPollingStatusType status = PQconnectPoll(conn->pg);
    conn->head.fd = PQsocket(conn->pg);
    conn->head.events = status == PGRES_POLLING_READING ? POLLIN : POLLOUT;
    if (status == PGRES_POLLING_READING || status == PGRES_POLLING_WRITING)
        return ESSE_PROGRESS_WAIT;
    conn->is_connecting = false;
    if (status == PGRES_POLLING_OK && !PQsetnonblocking(conn->pg, 1) &&
        PQenterPipelineMode(conn->pg))
        return ESSE_PROGRESS_DONE;
    return lost(conn, reply, PQerrorMessage(conn->pg));
}

static enum esse_progress start_connect(struct conn *conn, struct esse_reply *reply)
{
    const char *keywords[ESSE_PG_PARAMETERS], *values[ESSE_PG_PARAMETERS];
    if (conn->pg)
        hang_up(conn);
    conn->host = conn->request.host;
    esse_pg_parameters(conn->target, conn->host, NULL, NULL, keywords, values);
    conn->pg = PQconnectStartParams(keywords, values, 0);
    memset(conn->prepared, 0, (size_t)conn->target->schema->count * ESSE_STATEMENTS);
    conn->begin_is_due = false;
    conn->session_is_due = conn->target->session != NULL;
    if (PQstatus(conn->pg) == CONNECTION_BAD)
        return lost(conn, reply, PQerrorMessage(conn->pg));
    PQsetNoticeReceiver(conn->pg, esse_pg_ignore_notice, NULL);
    conn->is_connecting = true;
    conn->head.fd = PQsocket(conn->pg);
    conn->head.events = POLLOUT;
    return ESSE_PROGRESS_WAIT;
}

/* ---- sending ---- */

static bool add_part(struct conn *conn, enum part part, int was_sent)
{
    conn->parts[conn->part_count++] = part;
    return was_sent;
}

static bool send_plain(struct conn *conn, enum part part, const char *sql)
{
    return add_part(conn, part, PQsendQueryParams(conn->pg, sql, 0, NULL, NULL, NULL, NULL, 0));
}

/* The values of the parameters $1, $2 ... */
static int fill_values(const struct esse_request *request, char texts[3][24])
{
    const bool is_predicate = request->ask >= ESSE_ASK_MATCH;
    int count = 0;
    if (!is_predicate)
        snprintf(texts[count++], 24, "%lld", (long long)request->row);
    if (is_predicate && request->is_range) {
        snprintf(texts[count++], 24, "%lld", (long long)request->low);
        snprintf(texts[count++], 24, "%lld", (long long)request->high);
    }
    if (request->ask == ESSE_ASK_WRITE || request->ask == ESSE_ASK_INSERT ||
        request->ask == ESSE_ASK_APPEND || request->ask == ESSE_ASK_CHANGE)
        snprintf(texts[count++], 24, "%lld", (long long)request->value);
    return count;
}

/* Where predicates are asked, rows come and go: which absence a read saw its snapshot tells. */
static enum esse_statement statement_of(const struct conn *conn)
{
    const struct esse_target *target = conn->target;
    const enum esse_statement which = esse_statement_of(&conn->request);
    return which == ESSE_SQL_READ && target->dialect->texts[ESSE_SQL_LOOK] &&
                   target->schema->tables[conn->request.table].has_ranges
               ? ESSE_SQL_LOOK
               : which;
}

static const char *text_of(const struct esse_target *target, enum esse_statement which)
{
    return target->exporting && target->exporting[which] ? target->exporting[which]
                                                         : target->dialect->texts[which];
}

/* Ranges are prepared once; a condition of the user's own is sent as it is. */
static bool send_operation(struct conn *conn)
{
    const struct esse_request *request = &conn->request;
    const enum esse_statement which = statement_of(conn);
    const size_t statement = (size_t)request->table * ESSE_STATEMENTS + which;
    const bool is_own = request->ask >= ESSE_ASK_MATCH && !request->is_range;
    char texts[3][24], name[32], sql[2000];
    const char *values[] = { texts[0], texts[1], texts[2] };
    const int count = fill_values(request, texts);
    snprintf(name, sizeof name, "s%zu", statement);
    if ((is_own || !conn->prepared[statement]) &&
        !esse_statement_make(
            text_of(conn->target, which), conn->target->schema->tables[request->table].name,
            is_own ? request->where : "v >= $1 AND v <= $2", is_own ? "$1" : "$3", sql, sizeof sql))
        return false;
    if (is_own)
        return add_part(conn, PART_OPERATION,
                        PQsendQueryParams(conn->pg, sql, count, NULL, values, NULL, NULL, 0));
    conn->statement = statement;
    if (!conn->prepared[statement] &&
        !add_part(conn, PART_PREPARE, PQsendPrepare(conn->pg, name, sql, 0, NULL)))
        return false;
    return add_part(conn, PART_OPERATION,
                    PQsendQueryPrepared(conn->pg, name, count, values, NULL, NULL, 0));
}

static bool send_request(struct conn *conn)
{
    conn->part_count = conn->part = 0;
    conn->has_failed = false;
    conn->exported[0] = 0;
    if (conn->session_is_due && !send_plain(conn, PART_BEGIN, conn->target->session))
        return false;
    conn->session_is_due = false;
    if (conn->begin_is_due && !send_plain(conn, PART_BEGIN,
                                          conn->request.is_read_only ? conn->target->begin_read_only
                                                                     : conn->target->begin))
        return false;
    conn->begin_is_due = false;
    if (conn->request.ask == ESSE_ASK_COMMIT && conn->target->clock.is_asked &&
        !send_plain(conn, PART_TIME, conn->target->dialect->time))
        return false;
    if (conn->request.ask == ESSE_ASK_COMMIT || conn->request.ask == ESSE_ASK_ROLLBACK) {
        if (!send_plain(conn, PART_END,
                        conn->request.ask == ESSE_ASK_COMMIT ? "COMMIT" : "ROLLBACK"))
            return false;
    } else if (conn->request.ask == ESSE_ASK_OWN) {
        esse_pg_own_put(&conn->sql, conn->target->schema->own, conn->request.own);
        if (!send_plain(conn, PART_OPERATION, esse_out_memory(&conn->sql)))
            return false;
    } else if (!send_operation(conn)) {
        return false;
    }
    return PQpipelineSync(conn->pg);
}

/* ---- receiving ---- */

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

/* PostgreSQL leaves the transaction itself out of those in progress.  At READ COMMITTED it may have
 * had its number before the snapshot was taken; whoever reads the text must not take it for one
 * that had committed. */
static void put_snapshot(struct conn *conn, const char *text, int64_t own)
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

/* READ COMMITTED's UPDATE looks again at rows that somebody changed meanwhile: what it sees is not
 * its snapshot. */
static void take_snapshot(struct conn *conn, const PGresult *result, struct esse_reply *reply)
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

void esse_pg_rows(const PGresult *result, int64_t next, struct esse_arena *arena,
                  struct esse_live_row_vec *rows)
{
    for (int row = 0; row < PQntuples(result); row++)
        if (!PQgetisnull(result, row, 2))
            esse_live_row_vec_push(rows, arena,
                                   (struct esse_live_row){ esse_pg_number(result, row, 2),
                                                           esse_pg_number(result, row, 3), next });
}

static void take_rows(struct conn *conn, const PGresult *result, struct esse_reply *reply)
{
    const int64_t next = conn->request.ask == ESSE_ASK_CHANGE ? conn->request.value : ESSE_ABSENT;
    conn->rows.count = 0;
    esse_pg_rows(result, next, conn->arena, &conn->rows);
    reply->rows = conn->rows.at;
    reply->row_count = conn->rows.count;
}

static void take_read(struct conn *conn, const PGresult *result, struct esse_reply *reply)
{
    if (statement_of(conn) == ESSE_SQL_LOOK)
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

/* Columns (snapshot, xid, k), or none where the count of rows is all that is told. */
static void take_delete(struct conn *conn, PGresult *result, struct esse_reply *reply)
{
    if (!PQnfields(result)) {
        reply->is_absent = strcmp(PQcmdTuples(result), "0") == 0;
        return;
    }
    take_snapshot(conn, result, reply);
    take_xid(result, 1, reply);
    reply->is_absent = !PQntuples(result) || PQgetisnull(result, 0, 2);
}

static void take_own(struct conn *conn, PGresult *result, struct esse_reply *reply)
{
    take_snapshot(conn, result, reply);
    take_xid(result, 1, reply);
    esse_cells_clear(&conn->cells);
    esse_pg_own_take(result, 2, conn->request.own->kind == ESSE_OWN_AGGREGATE, &conn->cells);
    reply->cells = conn->cells.at.at;
    reply->cell_count = conn->cells.at.count;
}

static void take_exported(struct conn *conn, const PGresult *result)
{
    if (conn->shadow && PQntuples(result) > 0 && PQnfields(result) > ESSE_PG_EXPORT)
        snprintf(conn->exported, sizeof conn->exported, "%s",
                 PQgetvalue(result, 0, ESSE_PG_EXPORT));
}

static void take_operation(struct conn *conn, PGresult *result, struct esse_reply *reply)
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

/* Whoever has asked commits then or not at all.  It is the id of those that write; that they did
 * commit only the answer to COMMIT tells. */
static void take_time(struct conn *conn, const PGresult *result, struct esse_reply *reply)
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
static void put_times(const struct conn *conn, struct esse_reply *reply)
{
    if (conn->time == ESSE_NO_ID)
        return;
    reply->start_ts = conn->has_written ? conn->time - 1 : conn->time;
    if (conn->has_written)
        reply->commit_ts = conn->time;
}

/* COMMIT of a transaction that has failed answers ROLLBACK, and calls that a success. */
static void take_end(struct conn *conn, PGresult *result, struct esse_reply *reply)
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

static void take_result(struct conn *conn, PGresult *result, struct esse_reply *reply)
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
    case PART_BEGIN:
        break;
    case PART_PREPARE:
        conn->prepared[conn->statement] = true;
        break;
    case PART_OPERATION:
        take_operation(conn, result, reply);
        break;
    case PART_TIME:
        take_time(conn, result, reply);
        break;
    case PART_END:
        take_end(conn, result, reply);
        break;
    }
}

/* Until the shadow has answered, the session waits for it instead of its own server process. */
static enum esse_progress after_shadow(struct conn *conn, enum esse_progress progress)
{
    conn->is_shadowing = progress == ESSE_PROGRESS_WAIT;
    if (!conn->is_shadowing)
        conn->head.fd = PQsocket(conn->pg);
    return progress;
}

static enum esse_progress verify(struct conn *conn, struct esse_reply *reply)
{
    return after_shadow(conn,
                        esse_pg_shadow_start(conn->shadow, &conn->head, conn->host, conn->exported,
                                             &conn->request, !conn->has_written, reply));
}

/* An error that comes before BEGIN was done leaves no transaction open. */
static enum esse_progress finish(struct conn *conn, struct esse_reply *reply)
{
    if (!conn->has_failed)
        return conn->exported[0] ? verify(conn, reply) : ESSE_PROGRESS_DONE;
    if (reply->failure.is_lost) {
        if (reply->failure.fate == ESSE_FATE_OPEN)
            reply->failure.fate = ESSE_FATE_ABORTED;
        hang_up(conn);
    } else if (PQtransactionStatus(conn->pg) == PQTRANS_IDLE &&
               reply->failure.fate == ESSE_FATE_OPEN) {
        reply->failure.fate = ESSE_FATE_ABORTED;
    }
    return ESSE_PROGRESS_FAILED;
}

static enum esse_progress wait_for(struct conn *conn, bool is_flushed)
{
    conn->head.events = is_flushed ? POLLIN : POLLIN | POLLOUT;
    return ESSE_PROGRESS_WAIT;
}

static enum esse_progress receive(struct conn *conn, struct esse_reply *reply)
{
    const int flushed = PQflush(conn->pg);
    if (flushed < 0 || !PQconsumeInput(conn->pg)) {
        if (conn->has_failed) /* it said why before it went */
            return finish(conn, reply);
        return lost(conn, reply, PQerrorMessage(conn->pg));
    }
    while (!PQisBusy(conn->pg)) {
        PGresult *result = PQgetResult(conn->pg);
        if (!result) { /* the end of one statement */
            if (PQstatus(conn->pg) != CONNECTION_OK || conn->part >= conn->part_count)
                return conn->has_failed ? finish(conn, reply)
                                        : lost(conn, reply, PQerrorMessage(conn->pg));
            conn->part++;
            continue;
        }
        const bool is_end = PQresultStatus(result) == PGRES_PIPELINE_SYNC;
        if (!is_end && conn->part < conn->part_count)
            take_result(conn, result, reply);
        PQclear(result);
        if (is_end)
            return finish(conn, reply);
        if (PQstatus(conn->pg) != CONNECTION_OK)
            return conn->has_failed ? finish(conn, reply)
                                    : lost(conn, reply, PQerrorMessage(conn->pg));
    }
    return wait_for(conn, flushed == 0);
}

enum esse_progress esse_pg_step(struct esse_conn *head, struct esse_reply *reply)
{
    struct conn *conn = (struct conn *)head;
    if (conn->is_shadowing)
        return after_shadow(conn, esse_pg_shadow_step(conn->shadow, &conn->head, reply));
    return conn->is_connecting ? step_connect(conn, reply) : receive(conn, reply);
}

enum esse_progress esse_pg_start(struct esse_conn *head, const struct esse_request *request,
                                 struct esse_reply *reply)
{
    struct conn *conn = (struct conn *)head;
    const bool is_read_only = conn->request.is_read_only;
    conn->request = *request;
    if (request->ask == ESSE_ASK_CONNECT)
        return start_connect(conn, reply);
    if (request->ask == ESSE_ASK_BEGIN) {
        conn->begin_is_due = true;
        conn->xid = conn->time = ESSE_NO_ID;
        conn->has_written = false;
        return ESSE_PROGRESS_DONE;
    }
    conn->request.is_read_only = is_read_only; /* that of BEGIN */
    conn->has_written |= (request->ask >= ESSE_ASK_WRITE && request->ask <= ESSE_ASK_DELETE) ||
                         request->ask == ESSE_ASK_CHANGE;
    if (conn->begin_is_due &&
        (request->ask == ESSE_ASK_COMMIT || request->ask == ESSE_ASK_ROLLBACK)) {
        conn->begin_is_due = false; /* nothing was done */
        return ESSE_PROGRESS_DONE;
    }
    if (!conn->pg || !send_request(conn))
        return lost(conn, reply, conn->pg ? PQerrorMessage(conn->pg) : "");
    return receive(conn, reply);
}
