#include "collect/driver/mysql/mysql_conn.h"
#include "collect/driver/mysql/mysql_tidb.h"

static void note_time(struct esse_mysql_conn *conn, int64_t time, int64_t *to)
{
    if (time == ESSE_NO_ID || time <= 0)
        atomic_store(&conn->target->tidb->has_gap, true);
    else
        *to = time;
}

void esse_mysql_take_time(struct esse_mysql_conn *conn, enum esse_mysql_answer answer,
                          struct esse_reply *reply)
{
    MYSQL_ROW row = conn->result ? mysql_fetch_row(conn->result) : NULL;
    const char *text = row && row[0] ? row[0] : "";
    if (answer == ESSE_ANSWER_START) {
        note_time(conn, esse_mysql_number(*text ? text : NULL), &conn->start_ts);
        if (conn->target->tidb->is_timed)
            reply->start_ts = conn->start_ts;
    } else if (answer == ESSE_ANSWER_LOOKED) {
        note_time(conn, esse_tidb_number(text, "for_update_ts"), &reply->snapshot_at);
    } else {
        const bool is_ours = esse_tidb_number(text, "start_ts") == conn->start_ts;
        note_time(conn, is_ours ? esse_tidb_number(text, "commit_ts") : ESSE_NO_ID,
                  &reply->commit_ts);
    }
}

/* Versions are known by their transactions' start_ts. */
void esse_mysql_note_written(struct esse_mysql_conn *conn, struct esse_reply *reply)
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
