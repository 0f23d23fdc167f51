#include "collect/driver/postgresql/postgresql_conn.h"
#include "collect/driver/drivers.h"
#include "collect/driver/postgresql/postgresql_shadow.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

struct esse_conn *esse_pg_conn(struct esse_target *target, struct esse_arena *arena,
                               uint32_t session)
{
    struct esse_pg_conn *conn = esse_arena_alloc(arena, 1, sizeof *conn);
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

static void hang_up(struct esse_pg_conn *conn)
{
    esse_pg_shadow_drop(conn->shadow);
    conn->is_shadowing = false;
    PQfinish(conn->pg);
    conn->pg = NULL;
    conn->head.fd = -1;
}

void esse_pg_drop(struct esse_conn *head)
{
    hang_up((struct esse_pg_conn *)head);
}

static enum esse_fate fate_of_lost(const struct esse_pg_conn *conn)
{
    return conn->request.ask == ESSE_ASK_COMMIT ? ESSE_FATE_UNKNOWN : ESSE_FATE_ABORTED;
}

static enum esse_progress lost(struct esse_pg_conn *conn, struct esse_reply *reply,
                               const char *said)
{
    char text[ESSE_SAID];
    esse_url_tell(conn->target->url, said && *said ? said : "the connection was lost", text);
    esse_failed(reply, fate_of_lost(conn), "", "%s", text);
    reply->failure.is_lost = true;
    hang_up(conn);
    return ESSE_PROGRESS_FAILED;
}

/* ---- connecting ---- */

static enum esse_progress step_connect(struct esse_pg_conn *conn, struct esse_reply *reply)
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

static enum esse_progress start_connect(struct esse_pg_conn *conn, struct esse_reply *reply)
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

/* ---- receiving ---- */

/* Until the shadow has answered, the session waits for it instead of its own server process. */
static enum esse_progress after_shadow(struct esse_pg_conn *conn, enum esse_progress progress)
{
    conn->is_shadowing = progress == ESSE_PROGRESS_WAIT;
    if (!conn->is_shadowing)
        conn->head.fd = PQsocket(conn->pg);
    return progress;
}

static enum esse_progress verify(struct esse_pg_conn *conn, struct esse_reply *reply)
{
    return after_shadow(conn,
                        esse_pg_shadow_start(conn->shadow, &conn->head, conn->host, conn->exported,
                                             &conn->request, !conn->has_written, reply));
}

/* An error that comes before BEGIN was done leaves no transaction open.  COMMIT goes out together
 * with what stands before it: if the connection is lost there, whatever was said last, the server,
 * or the one behind a proxy, may have done both. */
static enum esse_progress finish(struct esse_pg_conn *conn, struct esse_reply *reply)
{
    if (!conn->has_failed)
        return conn->exported[0] ? verify(conn, reply) : ESSE_PROGRESS_DONE;
    if (reply->failure.is_lost) {
        if (reply->failure.fate == ESSE_FATE_OPEN)
            reply->failure.fate = fate_of_lost(conn);
        hang_up(conn);
    } else if (PQtransactionStatus(conn->pg) == PQTRANS_IDLE &&
               reply->failure.fate == ESSE_FATE_OPEN) {
        reply->failure.fate = ESSE_FATE_ABORTED;
    }
    return ESSE_PROGRESS_FAILED;
}

/* Linux delays acknowledgements by 40 ms, and forgets again that it was asked not to. */
static void acknowledge_at_once(const struct esse_pg_conn *conn)
{
    const int on = 1;
    setsockopt(PQsocket(conn->pg), IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
}

static enum esse_progress wait_for(struct esse_pg_conn *conn, bool is_flushed)
{
    if (conn->target->dialect->sends_pieces)
        acknowledge_at_once(conn);
    conn->head.events = is_flushed ? POLLIN : POLLIN | POLLOUT;
    return ESSE_PROGRESS_WAIT;
}

static enum esse_progress receive(struct esse_pg_conn *conn, struct esse_reply *reply)
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
            esse_pg_take(conn, result, reply);
        PQclear(result);
        if (is_end)
            return finish(conn, reply);
        if (PQstatus(conn->pg) != CONNECTION_OK)
            return conn->has_failed ? finish(conn, reply)
                                    : lost(conn, reply, PQerrorMessage(conn->pg));
    }
    return wait_for(conn, flushed == 0);
}

/* ---- requests ---- */

enum esse_progress esse_pg_step(struct esse_conn *head, struct esse_reply *reply)
{
    struct esse_pg_conn *conn = (struct esse_pg_conn *)head;
    if (conn->is_shadowing)
        return after_shadow(conn, esse_pg_shadow_step(conn->shadow, &conn->head, reply));
    return conn->is_connecting ? step_connect(conn, reply) : receive(conn, reply);
}

enum esse_progress esse_pg_start(struct esse_conn *head, const struct esse_request *request,
                                 struct esse_reply *reply)
{
    struct esse_pg_conn *conn = (struct esse_pg_conn *)head;
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
    if (!conn->pg || !esse_pg_send(conn))
        return lost(conn, reply, conn->pg ? PQerrorMessage(conn->pg) : "");
    return receive(conn, reply);
}
