#include "collect/driver/mysql/mysql_conn.h"

#include <stdlib.h>
#include <string.h>

int64_t esse_mysql_number(const char *text)
{
    return text ? strtoll(text, NULL, 10) : ESSE_ABSENT;
}

static void take_rows(struct esse_mysql_conn *conn, struct esse_reply *reply)
{
    const int64_t next = conn->request.ask == ESSE_ASK_CHANGE ? conn->request.value : ESSE_ABSENT;
    conn->rows.count = 0;
    for (MYSQL_ROW row; (row = mysql_fetch_row(conn->result));)
        esse_live_row_vec_push(
            &conn->rows, conn->arena,
            (struct esse_live_row){ esse_mysql_number(row[0]), esse_mysql_number(row[1]), next });
    reply->rows = conn->rows.at;
    reply->row_count = conn->rows.count;
}

static void take_value(struct esse_mysql_conn *conn, struct esse_reply *reply)
{
    const bool is_list = conn->request.ask == ESSE_ASK_READ &&
                         conn->target->schema->tables[conn->request.table].is_list;
    MYSQL_ROW row = mysql_fetch_row(conn->result);
    if (!is_list) {
        reply->value = row ? esse_mysql_number(row[0]) : ESSE_ABSENT;
        return;
    }
    if (row && row[0])
        esse_live_show_list(&conn->list, row[0], strlen(row[0]), reply);
}

/* ---- commits ---- */

/* 17 of "0-1-17"; of several domains, which have no order between them, none. */
static int64_t read_gtid(struct esse_mysql_conn *conn)
{
    MYSQL_ROW row = conn->result ? mysql_fetch_row(conn->result) : NULL;
    const char *dash = row && row[0] && !strchr(row[0], ',') ? strrchr(row[0], '-') : NULL;
    return dash ? esse_mysql_number(dash + 1) : ESSE_NO_ID;
}

static void take_gtid(struct esse_mysql_conn *conn, struct esse_reply *reply)
{
    const int64_t before = conn->gtid;
    conn->gtid = read_gtid(conn);
    if (conn->part == 0 || conn->gtid == before || conn->gtid == ESSE_NO_ID)
        return;
    reply->xid = conn->gtid;
    if (conn->target->tells_seen)
        reply->commit_ts = conn->gtid;
    if (conn->target->schema->own)
        atomic_fetch_sub(&conn->target->unplaced, 1);
}

/* Reported when it is given, so that it is known of a COMMIT that is never answered too. */
static void tell_name(struct esse_mysql_conn *conn, struct esse_reply *reply)
{
    if (conn->needs_id && conn->target->is_naming)
        reply->xid = conn->name;
}

/* ---- the user's own statements ---- */

static bool take_own(struct esse_mysql_conn *conn, enum esse_mysql_answer answer,
                     struct esse_reply *reply)
{
    const struct esse_own_schema *schema = conn->target->schema->own;
    const struct esse_own_statement *statement = conn->request.own;
    struct esse_mysql_own *own = &conn->own;
    struct esse_cells *rows = answer == ESSE_ANSWER_OWN   ? &own->cells
                              : answer == ESSE_ANSWER_OLD ? &own->old
                                                          : &own->new;
    esse_cells_clear(rows);
    if (conn->result)
        esse_mysql_own_take(rows, conn->result);
    if (answer == ESSE_ANSWER_OLD && rows->at.count) {
        esse_mysql_own_follow(own, schema, statement);
        esse_mysql_add_part(conn, esse_out_memory(&own->change), ESSE_ANSWER_NONE);
        if (statement->kind == ESSE_OWN_UPDATE)
            esse_mysql_add_part(conn, esse_out_memory(&own->after), ESSE_ANSWER_NEW);
    }
    if (answer == ESSE_ANSWER_NEW) {
        rows = &own->cells;
        esse_cells_clear(rows);
        own->trouble = "rows have other keys after an UPDATE"; /* given by a trigger, say */
        if (own->new.at.count != own->old.at.count ||
            !esse_cells_join(rows, &own->old, &own->new, &schema->tables[statement->table]))
            return false;
        esse_cells_done(rows);
    }
    if (statement->kind == ESSE_OWN_INSERT && !conn->target->is_mariadb && !rows->at.count) {
        own->trouble = "the rows of an INSERT are not found again by their keys: MySQL has no "
                       "RETURNING, so keys must be values that stay the same";
        return false;
    }
    reply->cells = rows->at.at;
    reply->cell_count = rows->at.count;
    conn->needs_id |= statement->kind >= ESSE_OWN_INSERT && rows->at.count > 0;
    tell_name(conn, reply);
    return true;
}

/* An INSERT without RETURNING has been done. */
static bool take_inserted(struct esse_mysql_conn *conn)
{
    const struct esse_target *target = conn->target;
    const struct esse_own_statement *statement = conn->request.own;
    if (mysql_affected_rows(conn->mysql) == 0)
        return true; /* ON DUPLICATE KEY UPDATE left the row as it was */
    const char *select = esse_mysql_own_inserted(&conn->own, target->schema->own, statement,
                                                 target->own_columns[statement->table]);
    if (!select) {
        conn->own.trouble =
            "the keys of an INSERT cannot be found out: on MySQL each must stand in "
            "VALUES, or be the AUTO_INCREMENT of a single row";
        return false;
    }
    esse_mysql_add_part(conn, select, ESSE_ANSWER_OWN);
    return true;
}

/* ---- which is which ---- */

/* Of what a request asked for.  A transaction without an effect may not be logged, and @@last_gtid
 * would be that of an earlier one: so its id is asked for only if there is one. */
static void take_reply(struct esse_mysql_conn *conn, struct esse_reply *reply)
{
    const enum esse_ask ask = conn->request.ask;
    const bool is_placed = esse_mysql_places_all(conn->target);
    if (ask == ESSE_ASK_DELETE)
        reply->is_absent = mysql_affected_rows(conn->mysql) == 0;
    if (conn->result && (ask == ESSE_ASK_MATCH || ask == ESSE_ASK_CHANGE))
        take_rows(conn, reply);
    else if (conn->result)
        take_value(conn, reply);
    conn->needs_id |= (ask == ESSE_ASK_DELETE && !reply->is_absent) ||
                      (is_placed && ask >= ESSE_ASK_WRITE && ask <= ESSE_ASK_APPEND) ||
                      (is_placed && ask == ESSE_ASK_CHANGE && reply->row_count > 0);
    tell_name(conn, reply);
    esse_mysql_note_written(conn, reply);
}

bool esse_mysql_take(struct esse_mysql_conn *conn, struct esse_reply *reply)
{
    const enum esse_mysql_answer answer = conn->parts[conn->part].answer;
    switch (answer) {
    case ESSE_ANSWER_NONE:
        break;
    case ESSE_ANSWER_REPLY:
        take_reply(conn, reply);
        break;
    case ESSE_ANSWER_GTID:
        take_gtid(conn, reply);
        break;
    case ESSE_ANSWER_SEEN:
        reply->snapshot_at = read_gtid(conn);
        break;
    case ESSE_ANSWER_START:
    case ESSE_ANSWER_LOOKED:
    case ESSE_ANSWER_COMMITTED:
        esse_mysql_take_time(conn, answer, reply);
        break;
    case ESSE_ANSWER_OWN:
    case ESSE_ANSWER_OLD:
    case ESSE_ANSWER_NEW:
        return take_own(conn, answer, reply);
    case ESSE_ANSWER_INSERTED:
        return take_inserted(conn);
    }
    return true;
}
