#include "collect/driver/mysql/mysql_conn.h"
#include "collect/driver/mysql/mysql_tidb.h"

#include <assert.h>
#include <stdio.h>

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

static struct esse_mysql_part *add_part(struct esse_mysql_conn *conn, const char *text,
                                        enum esse_mysql_answer answer)
{
    assert(conn->part_count < ESSE_MYSQL_PARTS);
    struct esse_mysql_part *part = &conn->parts[conn->part_count++];
    part->text = text ? text : part->sql;
    part->answer = answer;
    part->is_commit = false;
    return part;
}

void esse_mysql_add_part(struct esse_mysql_conn *conn, const char *text,
                         enum esse_mysql_answer answer)
{
    add_part(conn, text, answer);
}

void esse_mysql_put_setup(struct esse_mysql_conn *conn)
{
    conn->part_count = conn->part = 0;
    for (size_t i = 0; conn->target->setup[i]; i++)
        add_part(conn, conn->target->setup[i], ESSE_ANSWER_NONE);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* of the table above */
static bool add_operation(struct esse_mysql_conn *conn)
{
    const struct esse_request *request = &conn->request;
    const enum esse_statement which = esse_statement_of(request);
    const char *table = conn->target->schema->tables[request->table].name;
    const long long row = request->row, value = request->value;
    struct esse_mysql_part *part =
        add_part(conn, NULL, which != ESSE_SQL_CHANGE ? ESSE_ANSWER_REPLY : ESSE_ANSWER_NONE);
    int length;
    if (which == ESSE_SQL_CHANGE)
        length = snprintf(part->sql, ESSE_MYSQL_SQL, texts[which], table, value, request->where);
    else if (which >= ESSE_SQL_RANGE)
        length = snprintf(part->sql, ESSE_MYSQL_SQL, texts[which], table, request->where);
    else
        length = snprintf(part->sql, ESSE_MYSQL_SQL, texts[which], table, row, value);
    if ((which == ESSE_SQL_CHANGE || which == ESSE_SQL_DELETE) && conn->target->tidb &&
        conn->target->tidb->is_timed)
        add_part(conn, "SELECT @@tidb_last_query_info", ESSE_ANSWER_LOOKED);
    if (which == ESSE_SQL_CHANGE) {
        part = add_part(conn, NULL, ESSE_ANSWER_REPLY);
        snprintf(part->sql, ESSE_MYSQL_SQL, "SELECT k, o FROM esse_%s WHERE v = %lld", table,
                 value);
    }
    if (conn->target->tells_seen && which >= ESSE_SQL_RANGE)
        add_part(conn, "SELECT @@gtid_binlog_pos", ESSE_ANSWER_SEEN);
    return length < ESSE_MYSQL_SQL;
}
#pragma GCC diagnostic pop

/* A version without a value is named by its transaction, and so are all of a user's own tables.  A
 * Galera node that committed by replaying (the write set of another transaction came in between)
 * leaves the variable as it was before, and so does a transaction whose changes changed nothing:
 * then both are looked at. */
static void add_commit(struct esse_mysql_conn *conn)
{
    const struct esse_target *target = conn->target;
    const bool asks = conn->needs_id && target->is_mariadb;
    conn->gtid = ESSE_NO_ID;
    if (conn->needs_id && target->is_naming)
        snprintf(add_part(conn, NULL, ESSE_ANSWER_NONE)->sql, ESSE_MYSQL_SQL,
                 "UPDATE esse_mark SET v = %lld WHERE k = %lld", (long long)conn->name,
                 (long long)esse_mysql_name_row(conn->session));
    if (asks && (target->cluster || target->schema->own))
        add_part(conn, "SELECT @@last_gtid", ESSE_ANSWER_GTID);
    if (esse_mysql_waits_for_place(conn))
        atomic_fetch_add(&conn->target->unplaced, 1);
    add_part(conn, "COMMIT", ESSE_ANSWER_NONE)->is_commit = true;
    if (target->tidb && target->tidb->is_timed && conn->has_written)
        add_part(conn, "SELECT @@tidb_last_txn_info", ESSE_ANSWER_COMMITTED);
    else if (asks)
        add_part(conn, "SELECT @@last_gtid", ESSE_ANSWER_GTID);
}

static enum esse_mysql_answer own_answer(const struct esse_target *target, enum esse_own_kind kind)
{
    if (kind > ESSE_OWN_INSERT)
        return ESSE_ANSWER_OLD;
    return kind == ESSE_OWN_INSERT && !target->is_mariadb ? ESSE_ANSWER_INSERTED : ESSE_ANSWER_OWN;
}

bool esse_mysql_put_request(struct esse_mysql_conn *conn)
{
    conn->part_count = conn->part = 0;
    if (conn->begin_is_due)
        add_part(conn, "START TRANSACTION", ESSE_ANSWER_NONE);
    if (conn->begin_is_due && conn->target->tidb && conn->target->tidb->is_asked)
        add_part(conn, "SELECT @@tidb_current_ts", ESSE_ANSWER_START);
    conn->begin_is_due = false;
    if (conn->request.ask == ESSE_ASK_ROLLBACK) {
        add_part(conn, "ROLLBACK", ESSE_ANSWER_NONE);
    } else if (conn->request.ask == ESSE_ASK_COMMIT) {
        add_commit(conn);
    } else if (conn->request.ask == ESSE_ASK_OWN) {
        const struct esse_own_statement *statement = conn->request.own;
        add_part(conn,
                 esse_mysql_own_first(&conn->own, conn->target->schema->own, statement,
                                      conn->target->is_mariadb),
                 own_answer(conn->target, statement->kind));
        if (conn->target->tells_seen && statement->kind != ESSE_OWN_INSERT)
            add_part(conn, "SELECT @@gtid_binlog_pos", ESSE_ANSWER_SEEN);
    } else {
        return add_operation(conn);
    }
    return true;
}
