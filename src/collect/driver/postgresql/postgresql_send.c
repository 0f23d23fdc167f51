#include "collect/driver/postgresql/postgresql_conn.h"

#include <assert.h>
#include <stdio.h>

static bool add_part(struct esse_pg_conn *conn, enum esse_pg_part part, int was_sent)
{
    assert(conn->part_count < ESSE_PG_PARTS);
    conn->parts[conn->part_count++] = part;
    return was_sent;
}

static bool send_plain(struct esse_pg_conn *conn, enum esse_pg_part part, const char *sql)
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

/* Where predicates are asked, rows come and go: its snapshot shows which absence a read saw. */
enum esse_statement esse_pg_statement(const struct esse_pg_conn *conn)
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
static bool send_operation(struct esse_pg_conn *conn)
{
    const struct esse_request *request = &conn->request;
    const enum esse_statement which = esse_pg_statement(conn);
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
        return add_part(conn, ESSE_PART_OPERATION,
                        PQsendQueryParams(conn->pg, sql, count, NULL, values, NULL, NULL, 0));
    conn->statement = statement;
    if (!conn->prepared[statement] &&
        !add_part(conn, ESSE_PART_PREPARE, PQsendPrepare(conn->pg, name, sql, 0, NULL)))
        return false;
    return add_part(conn, ESSE_PART_OPERATION,
                    PQsendQueryPrepared(conn->pg, name, count, values, NULL, NULL, 0));
}

static bool send_begin(struct esse_pg_conn *conn)
{
    const struct esse_target *target = conn->target;
    if (conn->session_is_due && !send_plain(conn, ESSE_PART_BEGIN, target->session))
        return false;
    conn->session_is_due = false;
    if (conn->begin_is_due &&
        !send_plain(conn, ESSE_PART_BEGIN,
                    conn->request.is_read_only ? target->begin_read_only : target->begin))
        return false;
    if (conn->begin_is_due && target->planning &&
        !send_plain(conn, ESSE_PART_BEGIN, target->planning))
        return false;
    conn->begin_is_due = false;
    return true;
}

static bool send_commit(struct esse_pg_conn *conn)
{
    const struct esse_target *target = conn->target;
    return (!target->clock.is_asked || send_plain(conn, ESSE_PART_TIME, target->dialect->time)) &&
           send_plain(conn, ESSE_PART_END, "COMMIT");
}

static bool send_own(struct esse_pg_conn *conn)
{
    esse_pg_own_put(&conn->sql, conn->target->schema->own, conn->request.own);
    return send_plain(conn, ESSE_PART_OPERATION, esse_out_memory(&conn->sql));
}

static bool send_asked(struct esse_pg_conn *conn)
{
    switch (conn->request.ask) {
    case ESSE_ASK_COMMIT:
        return send_commit(conn);
    case ESSE_ASK_ROLLBACK:
        return send_plain(conn, ESSE_PART_END, "ROLLBACK");
    case ESSE_ASK_OWN:
        return send_own(conn);
    default:
        return send_operation(conn);
    }
}

bool esse_pg_send(struct esse_pg_conn *conn)
{
    conn->part_count = conn->part = 0;
    conn->has_failed = false;
    conn->exported[0] = 0;
    return send_begin(conn) && send_asked(conn) && PQpipelineSync(conn->pg);
}
