#include "collect/driver/mysql/mysql_conn.h"
#include "collect/driver/drivers.h"
#include "collect/driver/mysql/mysql_error.h"
#include "collect/driver/mysql/mysql_tidb.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

struct esse_conn *esse_mysql_conn(struct esse_target *target, struct esse_arena *arena,
                                  uint32_t session)
{
    struct esse_mysql_conn *conn = esse_arena_alloc(arena, 1, sizeof *conn);
    conn->session = session;
    conn->head = (struct esse_conn){ .driver = &esse_driver_mysql, .fd = -1 };
    conn->target = target;
    conn->arena = arena;
    esse_live_list_init(&conn->list, arena);
    conn->hosts = target->url->host_count ? (unsigned)target->url->host_count : 1;
    conn->links = esse_arena_alloc(arena, conn->hosts, sizeof *conn->links);
    esse_mysql_own_init(&conn->own, arena);
    return &conn->head;
}

/* ---- links ---- */

static void turn_to(struct esse_mysql_conn *conn, unsigned host)
{
    conn->host = host % conn->hosts;
    conn->mysql = conn->links[conn->host];
    conn->head.fd = conn->mysql ? mysql_get_socket(conn->mysql) : -1;
    conn->is_running = false;
}

/* It does not wait: the other side finds out by itself. */
static void hang_up(struct esse_mysql_conn *conn)
{
    if (conn->mysql) {
        if (conn->head.fd >= 0)
            shutdown(conn->head.fd, SHUT_RDWR);
        mysql_close(conn->mysql);
    }
    conn->links[conn->host] = NULL;
    turn_to(conn, conn->host);
}

void esse_mysql_drop(struct esse_conn *head)
{
    struct esse_mysql_conn *conn = (struct esse_mysql_conn *)head;
    for (unsigned host = 0; host < conn->hosts; host++) {
        turn_to(conn, host);
        hang_up(conn);
    }
}

/* ---- errors ---- */

/* COMMIT was answered; only its id, or its time, is not known. */
static enum esse_progress give_up_asking(struct esse_mysql_conn *conn)
{
    hang_up(conn);
    if (conn->target->tidb)
        atomic_store(&conn->target->tidb->has_gap, true);
    return ESSE_PROGRESS_DONE;
}

static enum esse_progress fail(struct esse_mysql_conn *conn, struct esse_reply *reply)
{
    const bool is_connecting = conn->phase == ESSE_MYSQL_CONNECT;
    const unsigned code = mysql_errno(conn->mysql);
    if (!is_connecting && conn->part > 0 && conn->parts[conn->part - 1].is_commit)
        return give_up_asking(conn);
    const bool is_commit = !is_connecting && conn->parts[conn->part].is_commit;
    char text[ESSE_SAID], number[16];
    esse_url_tell(conn->target->url, mysql_error(conn->mysql), text);
    snprintf(number, sizeof number, "%u", code);
    esse_failed(reply, ESSE_FATE_OPEN, number, "%s", text);
    esse_mysql_classify(code, mysql_error(conn->mysql),
                        is_connecting ? ESSE_DURING_CONNECT
                        : is_commit   ? ESSE_DURING_COMMIT
                                      : ESSE_DURING_STATEMENT,
                        &reply->failure);
    if (is_commit && reply->failure.fate == ESSE_FATE_ABORTED && esse_mysql_waits_for_place(conn))
        atomic_fetch_sub(&conn->target->unplaced, 1);
    conn->is_running = false;
    if (reply->failure.is_lost)
        hang_up(conn);
    return ESSE_PROGRESS_FAILED;
}

static enum esse_progress fail_own(const struct esse_mysql_conn *conn, struct esse_reply *reply)
{
    esse_failed(reply, ESSE_FATE_OPEN, "", "%s", conn->own.trouble);
    reply->failure.is_fatal = true;
    return ESSE_PROGRESS_FAILED;
}

/* ---- phases ---- */

static int start_phase(struct esse_mysql_conn *conn)
{
    const struct esse_mysql_part *part = &conn->parts[conn->part];
    const struct esse_mysql_place place = esse_mysql_place(conn->target, conn->host);
    switch (conn->phase) {
    case ESSE_MYSQL_CONNECT:
        return mysql_real_connect_start(&conn->connected, conn->mysql, place.host, place.user,
                                        place.password, place.database, place.port, place.socket,
                                        0);
    case ESSE_MYSQL_QUERY:
        return mysql_real_query_start(&conn->status, conn->mysql, part->text, strlen(part->text));
    case ESSE_MYSQL_STORE:
        break;
    }
    return mysql_store_result_start(&conn->result, conn->mysql);
}

static int continue_phase(struct esse_mysql_conn *conn, int ready)
{
    switch (conn->phase) {
    case ESSE_MYSQL_CONNECT:
        return mysql_real_connect_cont(&conn->connected, conn->mysql, ready);
    case ESSE_MYSQL_QUERY:
        return mysql_real_query_cont(&conn->status, conn->mysql, ready);
    case ESSE_MYSQL_STORE:
        break;
    }
    return mysql_store_result_cont(&conn->result, conn->mysql, ready);
}

static enum esse_progress wait_for(struct esse_mysql_conn *conn, int waiting)
{
    conn->waiting = waiting;
    conn->head.fd = mysql_get_socket(conn->mysql);
    conn->head.events = (short)((waiting & MYSQL_WAIT_READ ? POLLIN : 0) |
                                (waiting & MYSQL_WAIT_WRITE ? POLLOUT : 0) |
                                (waiting & MYSQL_WAIT_EXCEPT ? POLLPRI : 0));
    return ESSE_PROGRESS_WAIT; /* the library's time limit is not used: the loop has its own */
}

/* A phase has ended: what comes next, DONE if nothing does. */
static enum esse_progress end_phase(struct esse_mysql_conn *conn, struct esse_reply *reply)
{
    conn->is_running = false;
    switch (conn->phase) {
    case ESSE_MYSQL_CONNECT:
        if (!conn->connected)
            return fail(conn, reply);
        esse_mysql_put_setup(conn);
        conn->phase = ESSE_MYSQL_QUERY;
        return ESSE_PROGRESS_AGAIN;
    case ESSE_MYSQL_QUERY:
        if (conn->status)
            return fail(conn, reply);
        conn->phase = ESSE_MYSQL_STORE;
        return ESSE_PROGRESS_AGAIN;
    case ESSE_MYSQL_STORE:
        break;
    }
    if (!conn->result && mysql_errno(conn->mysql))
        return fail(conn, reply);
    const bool ok = esse_mysql_take(conn, reply);
    if (conn->result)
        mysql_free_result(conn->result);
    conn->result = NULL;
    conn->phase = ESSE_MYSQL_QUERY;
    if (!ok)
        return fail_own(conn, reply);
    return ++conn->part < conn->part_count ? ESSE_PROGRESS_AGAIN : ESSE_PROGRESS_DONE;
}

static int ready_events(const struct esse_mysql_conn *conn)
{
    struct pollfd fd = { conn->head.fd, conn->head.events, 0 };
    if (poll(&fd, 1, 0) <= 0)
        return 0;
    return (fd.revents & (POLLIN | POLLERR | POLLHUP) ? MYSQL_WAIT_READ : 0) |
           (fd.revents & POLLOUT ? MYSQL_WAIT_WRITE : 0) |
           (fd.revents & POLLPRI ? MYSQL_WAIT_EXCEPT : 0);
}

static enum esse_progress advance(struct esse_mysql_conn *conn, struct esse_reply *reply)
{
    enum esse_progress progress;
    do {
        int waiting;
        if (conn->is_running) {
            const int ready = ready_events(conn);
            if (!ready)
                return wait_for(conn, conn->waiting);
            waiting = continue_phase(conn, ready);
        } else {
            conn->is_running = true;
            waiting = start_phase(conn);
        }
        if (waiting)
            return wait_for(conn, waiting);
        progress = end_phase(conn, reply);
    } while (progress == ESSE_PROGRESS_AGAIN);
    return progress;
}

/* ---- requests ---- */

enum esse_progress esse_mysql_step(struct esse_conn *head, struct esse_reply *reply)
{
    return advance((struct esse_mysql_conn *)head, reply);
}

static enum esse_progress start_connect(struct esse_mysql_conn *conn, struct esse_reply *reply)
{
    hang_up(conn);
    conn->links[conn->host] = esse_mysql_handle();
    turn_to(conn, conn->host);
    if (!conn->mysql)
        return esse_failed(reply, ESSE_FATE_ABORTED, "", "out of memory");
    mysql_options(conn->mysql, MYSQL_OPT_NONBLOCK, 0);
    conn->phase = ESSE_MYSQL_CONNECT;
    return advance(conn, reply);
}

/* If transactions are spread each begins at the next host, which may have to be connected to. */
static enum esse_progress start_begin(struct esse_mysql_conn *conn, struct esse_reply *reply)
{
    conn->begin_is_due = true;
    conn->needs_id = conn->has_written = false;
    conn->name =
        conn->target->is_naming ? atomic_fetch_add(&conn->target->names, 1) + 1 : ESSE_NO_ID;
    conn->start_ts = ESSE_NO_ID;
    if (!conn->target->is_spread)
        return ESSE_PROGRESS_DONE;
    turn_to(conn, conn->host + 1);
    return conn->mysql ? ESSE_PROGRESS_DONE : start_connect(conn, reply);
}

enum esse_progress esse_mysql_start(struct esse_conn *head, const struct esse_request *request,
                                    struct esse_reply *reply)
{
    struct esse_mysql_conn *conn = (struct esse_mysql_conn *)head;
    conn->request = *request;
    if (request->ask == ESSE_ASK_CONNECT) {
        turn_to(conn, request->host);
        return start_connect(conn, reply);
    }
    if (request->ask == ESSE_ASK_BEGIN)
        return start_begin(conn, reply);
    if (conn->begin_is_due &&
        (request->ask == ESSE_ASK_COMMIT || request->ask == ESSE_ASK_ROLLBACK)) {
        conn->begin_is_due = false; /* nothing was done */
        return ESSE_PROGRESS_DONE;
    }
    if (!conn->mysql) {
        esse_failed(reply, ESSE_FATE_ABORTED, "", "the connection was lost");
        reply->failure.is_lost = true;
        return ESSE_PROGRESS_FAILED;
    }
    if (!esse_mysql_put_request(conn)) {
        esse_failed(reply, ESSE_FATE_OPEN, "", "the statement is too long");
        reply->failure.is_fatal = true;
        return ESSE_PROGRESS_FAILED;
    }
    conn->phase = ESSE_MYSQL_QUERY;
    return advance(conn, reply);
}
