#include "collect/driver_mysql.h"
#include "collect/driver_mysql_own.h"
#include "collect/driver_mysql_tidb.h"
#include "collect/drivers.h"

#include <mariadb/errmsg.h>
#include <mariadb/mysqld_error.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/*
 * A connection through libmariadb's non-blocking calls.  A request is some statements, one after
 * the other: BEGIN goes before the first operation, and CHANGE, which has no RETURNING here, is
 * followed by a SELECT that finds the changed rows by their new value, which is unique.
 */
enum { MOST_PARTS = 6, SQL_ROOM = 2000 };

enum phase { PHASE_CONNECT, PHASE_QUERY, PHASE_STORE };

/* What a statement's answer is for. */
enum answer {
    ANSWER_NONE,
    ANSWER_REPLY, /* its rows are the reply's */
    ANSWER_GTID,
    ANSWER_START, /* TiDB's start_ts; of a statement that wrote, what it looked at; commit_ts */
    ANSWER_LOOKED,
    ANSWER_COMMITTED,
    ANSWER_SEEN, /* the last commit in the log */
    ANSWER_OWN,  /* of the user's own statement: all; rows before a change; rows after it */
    ANSWER_OLD,
    ANSWER_NEW,
};

struct part {
    char sql[SQL_ROOM];
    const char *text; /* 'sql', or what may be longer */
    enum answer answer;
    bool is_commit;
};

struct conn {
    struct esse_conn head;
    struct esse_target *target;
    struct esse_arena *arena;
    MYSQL *mysql;  /* the link in use, NULL if there is none */
    MYSQL **links; /* by host */
    unsigned hosts, host;
    struct esse_request request;
    bool begin_is_due; /* BEGIN was asked for and not sent */
    bool needs_id;     /* the transaction's is worth asking for */
    int64_t gtid;      /* the last that was told, during a COMMIT */
    int64_t start_ts;  /* of the transaction, or ESSE_NO_ID */
    bool has_written;  /* it has an effect */
    struct part parts[MOST_PARTS];
    unsigned part_count, part;
    enum phase phase;
    bool is_running; /* the phase has been started */
    int waiting;     /* what for, in MYSQL_WAIT_ bits */
    MYSQL *connected;
    int status;
    MYSQL_RES *result;
    struct esse_live_list list;
    struct esse_live_row_vec rows;
    struct esse_mysql_own own;
};

struct esse_conn *esse_mysql_conn(struct esse_target *target, struct esse_arena *arena,
                                  uint32_t session)
{
    struct conn *conn = esse_arena_alloc(arena, 1, sizeof *conn);
    (void)session;
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

static void turn_to(struct conn *conn, unsigned host)
{
    conn->host = host % conn->hosts;
    conn->mysql = conn->links[conn->host];
    conn->head.fd = conn->mysql ? mysql_get_socket(conn->mysql) : -1;
    conn->is_running = false;
}

/* Nobody is waited for: the other side finds out by itself. */
static void hang_up(struct conn *conn)
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
    struct conn *conn = (struct conn *)head;
    for (unsigned host = 0; host < conn->hosts; host++) {
        turn_to(conn, host);
        hang_up(conn);
    }
}

/* ---- errors ---- */

static bool is_one_of(unsigned code, const unsigned *codes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (codes[i] == code)
            return true;
    return false;
}

/* The server or the way to it is gone, or is about to be. */
static bool means_lost(unsigned code)
{
    static const unsigned codes[] = { ER_SERVER_SHUTDOWN,    ER_CONNECTION_KILLED,
                                      ER_NET_READ_ERROR,     ER_NET_READ_INTERRUPTED,
                                      ER_NET_ERROR_ON_WRITE, ER_NET_WRITE_INTERRUPTED,
                                      ER_UNKNOWN_COM_ERROR, /* a Galera node that left */
                                      ER_CON_COUNT_ERROR };
    return (code >= CR_MIN_ERROR && code <= CR_MAX_ERROR) ||
           is_one_of(code, codes, sizeof codes / sizeof *codes);
}

/* Of TiDB's "Error Codes": those from 9001 to 9005 say that a part of the cluster did not answer.
 */
enum {
    TIDB_LOCK_CONFLICT = 8002,
    TIDB_COMMIT_FAILED = 8022, /* and was rolled back */
    TIDB_SCHEMA_CHANGED = 8028,
    TIDB_PD_TIMEOUT = 9001,
    TIDB_REGION_UNAVAILABLE = 9005,
    TIDB_WRITE_CONFLICT = 9007,
};

/* The transaction is not done, and never will be. */
static bool is_tidb_conflict(unsigned code)
{
    return code == TIDB_LOCK_CONFLICT || code == TIDB_COMMIT_FAILED ||
           code == TIDB_SCHEMA_CHANGED || code == TIDB_WRITE_CONFLICT;
}

/* Errors that belong to running transactions at the same time. */
static bool is_usual(unsigned code)
{
    static const unsigned codes[] = {
        ER_LOCK_DEADLOCK, ER_LOCK_WAIT_TIMEOUT, ER_CHECKREAD,
        ER_DUP_ENTRY,     ER_QUERY_INTERRUPTED, ER_ERROR_DURING_COMMIT
    };
    return means_lost(code) || is_one_of(code, codes, sizeof codes / sizeof *codes) ||
           is_tidb_conflict(code) || (code >= TIDB_PD_TIMEOUT && code <= TIDB_REGION_UNAVAILABLE);
}

/*
 * 1213 has rolled the transaction back, and 1205 only the statement: a COMMIT would keep the rest,
 * so the loop must roll back.  What a COMMIT says but 1213 leaves open whether it was done.
 */
static enum esse_progress fail(struct conn *conn, struct esse_reply *reply)
{
    const unsigned code = mysql_errno(conn->mysql);
    if (conn->phase != PHASE_CONNECT && conn->part > 0 && conn->parts[conn->part - 1].is_commit) {
        hang_up(conn); /* it has committed; only its id, or its time, is not known */
        if (conn->target->tidb)
            atomic_store(&conn->target->tidb->has_gap, true);
        return ESSE_PROGRESS_DONE;
    }
    const bool is_commit = conn->phase != PHASE_CONNECT && conn->parts[conn->part].is_commit;
    char text[240], number[16];
    enum esse_fate fate = ESSE_FATE_OPEN;
    if (code == ER_LOCK_DEADLOCK || (is_commit && is_tidb_conflict(code)))
        fate = ESSE_FATE_ABORTED;
    else if (is_commit)
        fate = ESSE_FATE_UNKNOWN;
    else if (means_lost(code))
        fate = ESSE_FATE_ABORTED;
    if (is_commit && fate == ESSE_FATE_ABORTED && conn->needs_id && conn->target->schema->own)
        atomic_fetch_sub(&conn->target->unplaced, 1);
    esse_mysql_said(conn->target, mysql_error(conn->mysql), text);
    snprintf(number, sizeof number, "%u", code);
    esse_failed(reply, fate, number, "%s", text);
    reply->failure.is_lost = means_lost(code) || conn->phase == PHASE_CONNECT;
    reply->failure.is_fatal = !is_usual(code);
    conn->is_running = false;
    if (reply->failure.is_lost)
        hang_up(conn);
    return ESSE_PROGRESS_FAILED;
}

static enum esse_progress fail_own(struct esse_reply *reply)
{
    esse_failed(reply, ESSE_FATE_OPEN, "", "rows have other keys after an UPDATE");
    reply->failure.is_fatal = true;
    return ESSE_PROGRESS_FAILED;
}

/* ---- statements ---- */

static const char *const texts[ESSE_STATEMENTS] = {
    [ESSE_SQL_READ] = "SELECT v FROM esse_%s WHERE k = %lld",
    [ESSE_SQL_WRITE] = "INSERT INTO esse_%s(k, v) VALUES (%lld, %lld) "
                       "ON DUPLICATE KEY UPDATE v = VALUES(v)",
    [ESSE_SQL_INSERT] = "INSERT INTO esse_%s(k, v) VALUES (%lld, %lld)",
    [ESSE_SQL_APPEND] = "INSERT INTO esse_%s(k, v) VALUES (%lld, %lld) "
                        "ON DUPLICATE KEY UPDATE v = CONCAT(v, ',', VALUES(v))",
    [ESSE_SQL_DELETE] = "DELETE FROM esse_%s WHERE k = %lld",
    [ESSE_SQL_RANGE] = "SELECT k, v FROM esse_%s WHERE %s",
    [ESSE_SQL_CHANGE] = "UPDATE esse_%s SET o = v, v = %lld WHERE %s",
    [ESSE_SQL_COUNT] = "SELECT count(*) FROM esse_%s WHERE %s",
    [ESSE_SQL_SUM] = "SELECT sum(v) FROM esse_%s WHERE %s",
    [ESSE_SQL_MIN] = "SELECT min(v + 0) FROM esse_%s WHERE %s",
    [ESSE_SQL_MAX] = "SELECT max(v + 0) FROM esse_%s WHERE %s",
};

static struct part *add_part(struct conn *conn)
{
    struct part *part = &conn->parts[conn->part_count++];
    part->text = part->sql;
    part->answer = ANSWER_NONE;
    part->is_commit = false;
    return part;
}

static void add_text(struct conn *conn, const char *sql)
{
    snprintf(add_part(conn)->sql, SQL_ROOM, "%s", sql);
}

static void add_question(struct conn *conn, const char *sql, enum answer answer)
{
    add_text(conn, sql);
    conn->parts[conn->part_count - 1].answer = answer;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* of the table above */
static bool add_operation(struct conn *conn)
{
    const struct esse_request *request = &conn->request;
    const enum esse_statement which = esse_statement_of(request);
    const char *table = conn->target->schema->tables[request->table].name;
    const long long row = request->row, value = request->value;
    struct part *part = add_part(conn);
    int length;
    part->answer = which != ESSE_SQL_CHANGE ? ANSWER_REPLY : ANSWER_NONE;
    if (which == ESSE_SQL_CHANGE)
        length = snprintf(part->sql, SQL_ROOM, texts[which], table, value, request->where);
    else if (which >= ESSE_SQL_RANGE)
        length = snprintf(part->sql, SQL_ROOM, texts[which], table, request->where);
    else
        length = snprintf(part->sql, SQL_ROOM, texts[which], table, row, value);
    if ((which == ESSE_SQL_CHANGE || which == ESSE_SQL_DELETE) && conn->target->tidb &&
        conn->target->tidb->is_timed)
        add_question(conn, "SELECT @@tidb_last_query_info", ANSWER_LOOKED);
    if (which == ESSE_SQL_CHANGE) {
        part = add_part(conn);
        part->answer = ANSWER_REPLY;
        snprintf(part->sql, SQL_ROOM, "SELECT k, o FROM esse_%s WHERE v = %lld", table, value);
    }
    if (conn->target->tells_seen && which >= ESSE_SQL_RANGE)
        add_question(conn, "SELECT @@gtid_binlog_pos", ANSWER_SEEN);
    return length < SQL_ROOM;
}
#pragma GCC diagnostic pop

static void add_own(struct conn *conn, const char *text, enum answer answer)
{
    struct part *part = add_part(conn);
    part->text = text;
    part->answer = answer;
}

/* A version without a value is named by its transaction, and so are all of a user's own tables.  A
 * Galera node that committed by replaying (somebody else's write set came in between) leaves the
 * variable as it was before, and so does a transaction whose changes changed nothing: then both are
 * looked at. */
static void add_commit(struct conn *conn)
{
    const bool is_own = conn->target->schema->own != NULL;
    conn->gtid = ESSE_NO_ID;
    if (conn->needs_id && (conn->target->cluster || is_own))
        add_question(conn, "SELECT @@last_gtid", ANSWER_GTID);
    if (conn->needs_id && is_own)
        atomic_fetch_add(&conn->target->unplaced, 1);
    add_text(conn, "COMMIT");
    conn->parts[conn->part_count - 1].is_commit = true;
    if (conn->target->tidb && conn->target->tidb->is_timed && conn->has_written)
        add_question(conn, "SELECT @@tidb_last_txn_info", ANSWER_COMMITTED);
    else if (!conn->target->tidb && conn->needs_id)
        add_question(conn, "SELECT @@last_gtid", ANSWER_GTID);
}

static bool add_parts(struct conn *conn)
{
    conn->part_count = conn->part = 0;
    if (conn->begin_is_due)
        add_text(conn, "START TRANSACTION");
    if (conn->begin_is_due && conn->target->tidb && conn->target->tidb->is_asked)
        add_question(conn, "SELECT @@tidb_current_ts", ANSWER_START);
    conn->begin_is_due = false;
    if (conn->request.ask == ESSE_ASK_ROLLBACK) {
        add_text(conn, "ROLLBACK");
    } else if (conn->request.ask == ESSE_ASK_COMMIT) {
        add_commit(conn);
    } else if (conn->request.ask == ESSE_ASK_OWN) {
        const struct esse_own_statement *statement = conn->request.own;
        add_own(conn, esse_mysql_own_first(&conn->own, conn->target->schema->own, statement),
                statement->kind > ESSE_OWN_INSERT ? ANSWER_OLD : ANSWER_OWN);
        if (conn->target->tells_seen && statement->kind != ESSE_OWN_INSERT)
            add_question(conn, "SELECT @@gtid_binlog_pos", ANSWER_SEEN);
    } else {
        return add_operation(conn);
    }
    return true;
}

/* ---- answers ---- */

static int64_t number_of(const char *text)
{
    return text ? strtoll(text, NULL, 10) : ESSE_ABSENT;
}

static void take_rows(struct conn *conn, struct esse_reply *reply)
{
    const int64_t next = conn->request.ask == ESSE_ASK_CHANGE ? conn->request.value : ESSE_ABSENT;
    conn->rows.count = 0;
    for (MYSQL_ROW row; (row = mysql_fetch_row(conn->result));)
        esse_live_row_vec_push(
            &conn->rows, conn->arena,
            (struct esse_live_row){ number_of(row[0]), number_of(row[1]), next });
    reply->rows = conn->rows.at;
    reply->row_count = conn->rows.count;
}

static void take_value(struct conn *conn, struct esse_reply *reply)
{
    const bool is_list = conn->request.ask == ESSE_ASK_READ &&
                         conn->target->schema->tables[conn->request.table].is_list;
    MYSQL_ROW row = mysql_fetch_row(conn->result);
    if (!is_list) {
        reply->value = row ? number_of(row[0]) : ESSE_ABSENT;
        return;
    }
    if (row && row[0])
        esse_live_show_list(&conn->list, row[0], strlen(row[0]), reply);
}

/* 17 of "0-1-17"; of several domains, which have no order between them, none. */
static int64_t read_gtid(struct conn *conn)
{
    MYSQL_ROW row = mysql_fetch_row(conn->result);
    const char *dash = row && row[0] && !strchr(row[0], ',') ? strrchr(row[0], '-') : NULL;
    return dash ? number_of(dash + 1) : ESSE_NO_ID;
}

static void take_gtid(struct conn *conn, struct esse_reply *reply)
{
    const int64_t before = conn->gtid;
    conn->gtid = read_gtid(conn);
    if (conn->part == 0 || conn->gtid == before)
        return;
    reply->xid = conn->gtid;
    if (conn->target->tells_seen)
        reply->commit_ts = conn->gtid;
    if (conn->target->schema->own)
        atomic_fetch_sub(&conn->target->unplaced, 1);
}

/* ---- TiDB's times ---- */

static void note_time(struct conn *conn, int64_t time, int64_t *to)
{
    if (time == ESSE_NO_ID || time <= 0)
        atomic_store(&conn->target->tidb->has_gap, true);
    else
        *to = time;
}

static void take_time(struct conn *conn, enum answer answer, struct esse_reply *reply)
{
    MYSQL_ROW row = conn->result ? mysql_fetch_row(conn->result) : NULL;
    const char *text = row && row[0] ? row[0] : "";
    if (answer == ANSWER_START) {
        note_time(conn, number_of(*text ? text : NULL), &conn->start_ts);
        if (conn->target->tidb->is_timed)
            reply->start_ts = conn->start_ts;
    } else if (answer == ANSWER_LOOKED) {
        note_time(conn, esse_tidb_number(text, "for_update_ts"), &reply->snapshot_at);
    } else {
        const bool is_ours = esse_tidb_number(text, "start_ts") == conn->start_ts;
        note_time(conn, is_ours ? esse_tidb_number(text, "commit_ts") : ESSE_NO_ID,
                  &reply->commit_ts);
    }
}

/* Versions are known by their transactions' start_ts. */
static void note_written(struct conn *conn, struct esse_reply *reply)
{
    const struct esse_request *request = &conn->request;
    struct esse_tidb *tidb = conn->target->tidb;
    const bool is_one = request->ask >= ESSE_ASK_WRITE && request->ask <= ESSE_ASK_DELETE;
    if (!tidb || !tidb->is_asked || (!is_one && request->ask != ESSE_ASK_CHANGE))
        return;
    if (is_one && !reply->is_absent)
        esse_tidb_wrote(tidb, request->table, request->row);
    for (size_t i = 0; i < reply->row_count; i++)
        esse_tidb_wrote(tidb, request->table, reply->rows[i].row);
    conn->has_written |= (is_one && !reply->is_absent) || reply->row_count > 0;
    if (conn->has_written)
        reply->xid = conn->start_ts;
}

/* ---- the user's own statements ---- */

/* False if rows that were locked are not there afterwards: a trigger has given them other keys. */
static bool take_own(struct conn *conn, enum answer answer, struct esse_reply *reply)
{
    const struct esse_own_schema *schema = conn->target->schema->own;
    const struct esse_own_statement *statement = conn->request.own;
    struct esse_mysql_own *own = &conn->own;
    struct esse_cells *rows = answer == ANSWER_OWN   ? &own->cells
                              : answer == ANSWER_OLD ? &own->old
                                                     : &own->new;
    esse_cells_clear(rows);
    if (conn->result)
        esse_mysql_own_take(rows, conn->result);
    if (answer == ANSWER_OLD && rows->at.count) {
        esse_mysql_own_follow(own, conn->mysql, schema, statement);
        add_own(conn, esse_out_memory(&own->change), ANSWER_NONE);
        if (statement->kind == ESSE_OWN_UPDATE)
            add_own(conn, esse_out_memory(&own->after), ANSWER_NEW);
    }
    if (answer == ANSWER_NEW) {
        rows = &own->cells;
        esse_cells_clear(rows);
        if (own->new.at.count != own->old.at.count ||
            !esse_cells_join(rows, &own->old, &own->new, &schema->tables[statement->table]))
            return false;
        esse_cells_done(rows);
    }
    reply->cells = rows->at.at;
    reply->cell_count = rows->at.count;
    conn->needs_id |= statement->kind >= ESSE_OWN_INSERT && rows->at.count > 0;
    return true;
}

static bool take_answer(struct conn *conn, struct esse_reply *reply)
{
    const enum esse_ask ask = conn->request.ask;
    const enum answer answer = conn->parts[conn->part].answer;
    if (answer >= ANSWER_OWN)
        return take_own(conn, answer, reply);
    if (answer == ANSWER_SEEN) {
        reply->snapshot_at = conn->result ? read_gtid(conn) : ESSE_NO_ID;
        return true;
    }
    if (answer >= ANSWER_START) {
        take_time(conn, answer, reply);
        return true;
    }
    conn->needs_id |= conn->target->tells_seen && ask >= ESSE_ASK_WRITE && ask <= ESSE_ASK_APPEND;
    if (ask == ESSE_ASK_DELETE) {
        reply->is_absent = mysql_affected_rows(conn->mysql) == 0;
        /* Without an effect there may be nothing to log, and @@last_gtid would be that of an
         * earlier transaction. */
        conn->needs_id |= !reply->is_absent;
    }
    if (conn->result && (ask == ESSE_ASK_MATCH || ask == ESSE_ASK_CHANGE))
        take_rows(conn, reply);
    else if (conn->result && answer == ANSWER_GTID)
        take_gtid(conn, reply);
    else if (conn->result)
        take_value(conn, reply);
    conn->needs_id |= conn->target->tells_seen && ask == ESSE_ASK_CHANGE && reply->row_count > 0;
    note_written(conn, reply);
    return true;
}

/* ---- phases ---- */

static int start_phase(struct conn *conn)
{
    const struct part *part = &conn->parts[conn->part];
    const struct esse_mysql_place place = esse_mysql_place(conn->target, conn->host);
    switch (conn->phase) {
    case PHASE_CONNECT:
        return mysql_real_connect_start(&conn->connected, conn->mysql, place.host, place.user,
                                        place.password, place.database, place.port, place.socket,
                                        0);
    case PHASE_QUERY:
        return mysql_real_query_start(&conn->status, conn->mysql, part->text, strlen(part->text));
    case PHASE_STORE:
        break;
    }
    return mysql_store_result_start(&conn->result, conn->mysql);
}

static int continue_phase(struct conn *conn, int ready)
{
    switch (conn->phase) {
    case PHASE_CONNECT:
        return mysql_real_connect_cont(&conn->connected, conn->mysql, ready);
    case PHASE_QUERY:
        return mysql_real_query_cont(&conn->status, conn->mysql, ready);
    case PHASE_STORE:
        break;
    }
    return mysql_store_result_cont(&conn->result, conn->mysql, ready);
}

static enum esse_progress wait_for(struct conn *conn, int waiting)
{
    conn->waiting = waiting;
    conn->head.fd = mysql_get_socket(conn->mysql);
    conn->head.events = (short)((waiting & MYSQL_WAIT_READ ? POLLIN : 0) |
                                (waiting & MYSQL_WAIT_WRITE ? POLLOUT : 0) |
                                (waiting & MYSQL_WAIT_EXCEPT ? POLLPRI : 0));
    return ESSE_PROGRESS_WAIT; /* the loop has a time limit of its own, so the library's is not used
                                */
}

/* A phase has ended: what comes next, DONE if nothing does. */
static enum esse_progress end_phase(struct conn *conn, struct esse_reply *reply)
{
    conn->is_running = false;
    switch (conn->phase) {
    case PHASE_CONNECT:
        if (!conn->connected)
            return fail(conn, reply);
        conn->part_count = conn->part = 0;
        for (size_t i = 0; conn->target->setup[i]; i++)
            add_text(conn, conn->target->setup[i]);
        conn->phase = PHASE_QUERY;
        return ESSE_PROGRESS_AGAIN;
    case PHASE_QUERY:
        if (conn->status)
            return fail(conn, reply);
        conn->phase = PHASE_STORE;
        return ESSE_PROGRESS_AGAIN;
    case PHASE_STORE:
        break;
    }
    if (!conn->result && mysql_errno(conn->mysql))
        return fail(conn, reply);
    const bool ok = conn->parts[conn->part].answer == ANSWER_NONE || take_answer(conn, reply);
    if (conn->result)
        mysql_free_result(conn->result);
    conn->result = NULL;
    conn->phase = PHASE_QUERY;
    if (!ok)
        return fail_own(reply);
    return ++conn->part < conn->part_count ? ESSE_PROGRESS_AGAIN : ESSE_PROGRESS_DONE;
}

static int ready_events(const struct conn *conn)
{
    struct pollfd fd = { conn->head.fd, conn->head.events, 0 };
    if (poll(&fd, 1, 0) <= 0)
        return 0;
    return (fd.revents & (POLLIN | POLLERR | POLLHUP) ? MYSQL_WAIT_READ : 0) |
           (fd.revents & POLLOUT ? MYSQL_WAIT_WRITE : 0) |
           (fd.revents & POLLPRI ? MYSQL_WAIT_EXCEPT : 0);
}

static enum esse_progress advance(struct conn *conn, struct esse_reply *reply)
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

enum esse_progress esse_mysql_step(struct esse_conn *head, struct esse_reply *reply)
{
    return advance((struct conn *)head, reply);
}

static enum esse_progress start_connect(struct conn *conn, struct esse_reply *reply)
{
    hang_up(conn);
    conn->links[conn->host] = esse_mysql_handle();
    turn_to(conn, conn->host);
    if (!conn->mysql)
        return esse_failed(reply, ESSE_FATE_ABORTED, "", "out of memory");
    mysql_options(conn->mysql, MYSQL_OPT_NONBLOCK, 0);
    conn->phase = PHASE_CONNECT;
    return advance(conn, reply);
}

/* If transactions are spread each begins at the next host, which may have to be connected to. */
static enum esse_progress start_begin(struct conn *conn, struct esse_reply *reply)
{
    conn->begin_is_due = true;
    conn->needs_id = conn->has_written = false;
    conn->start_ts = ESSE_NO_ID;
    if (!conn->target->is_spread)
        return ESSE_PROGRESS_DONE;
    turn_to(conn, conn->host + 1);
    return conn->mysql ? ESSE_PROGRESS_DONE : start_connect(conn, reply);
}

enum esse_progress esse_mysql_start(struct esse_conn *head, const struct esse_request *request,
                                    struct esse_reply *reply)
{
    struct conn *conn = (struct conn *)head;
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
    if (!add_parts(conn)) {
        esse_failed(reply, ESSE_FATE_OPEN, "", "the statement is too long");
        reply->failure.is_fatal = true;
        return ESSE_PROGRESS_FAILED;
    }
    conn->phase = PHASE_QUERY;
    return advance(conn, reply);
}
