#include "collect/driver/postgresql/postgresql_shadow.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The snapshot is exported by the statement that it is the snapshot of, so that this is right at
 * READ COMMITTED too, where the next statement has another.  The function is called once: it stands
 * in a row of its own, or beside an aggregate. */
#define AGGREGATE(what)                                                                            \
    "SELECT " ESSE_PG_SEEN ", NULL, 0, " what ", pg_export_snapshot() FROM esse_% WHERE #"

const char *const esse_pg_exporting[ESSE_STATEMENTS] = {
    [ESSE_SQL_RANGE] = "SELECT " ESSE_PG_SEEN ", NULL, k, v, exported "
                       "FROM (SELECT pg_export_snapshot() AS exported) one LEFT JOIN esse_% ON #",
    [ESSE_SQL_COUNT] = AGGREGATE("count(*)"),
    [ESSE_SQL_SUM] = AGGREGATE("sum(v)"),
    [ESSE_SQL_MIN] = AGGREGATE("min(v + 0)"),
    [ESSE_SQL_MAX] = AGGREGATE("max(v + 0)"),
};

struct esse_pg_shadow {
    struct esse_target *target;
    struct esse_arena *arena;
    PGconn *pg;
    bool is_connecting;
    unsigned host;
    const struct esse_request *request;
    bool compares_rows;
    bool has_answer;
    struct esse_live_row_vec session, rows; /* what the two saw, sorted */
    char snapshot[ESSE_PG_SNAPSHOT];
    int64_t value;
    char sql[2400];
};

struct esse_pg_shadow *esse_pg_shadow_new(struct esse_target *target, struct esse_arena *arena)
{
    struct esse_pg_shadow *shadow = esse_arena_alloc(arena, 1, sizeof *shadow);
    shadow->target = target;
    shadow->arena = arena;
    return shadow;
}

void esse_pg_shadow_drop(struct esse_pg_shadow *shadow)
{
    if (!shadow)
        return;
    PQfinish(shadow->pg);
    shadow->pg = NULL;
}

/* ---- comparing ---- */

static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_rows(const void *left, const void *right)
{
    const struct esse_live_row *a = left, *b = right;
    const int order = compare_numbers(a->row, b->row);
    return order ? order : compare_numbers(a->value, b->value);
}

void esse_pg_seen_sort(struct esse_live_row *rows, size_t count)
{
    if (count)
        qsort(rows, count, sizeof *rows, compare_rows);
}

static bool tell_row(const struct esse_live_row *row, const char *one, const char *other,
                     char text[ESSE_PG_DIFFERENCE])
{
    snprintf(text, ESSE_PG_DIFFERENCE, "%s saw row %" PRId64 " with value %" PRId64 ", %s did not",
             one, row->row, row->value, other);
    return false;
}

/* Of two sorted lists, the first row that only one has. */
static bool rows_agree(const struct esse_pg_seen *session, const struct esse_pg_seen *shadow,
                       char text[ESSE_PG_DIFFERENCE])
{
    static const char *const us = "the session", *const it = "its shadow";
    for (size_t i = 0; i < session->row_count || i < shadow->row_count; i++) {
        if (i >= shadow->row_count)
            return tell_row(&session->rows[i], us, it, text);
        if (i >= session->row_count)
            return tell_row(&shadow->rows[i], it, us, text);
        const int order = compare_rows(&session->rows[i], &shadow->rows[i]);
        if (order)
            return order < 0 ? tell_row(&session->rows[i], us, it, text)
                             : tell_row(&shadow->rows[i], it, us, text);
    }
    return true;
}

static void put_value(int64_t value, char text[24])
{
    if (value == ESSE_ABSENT)
        snprintf(text, 24, "nothing");
    else
        snprintf(text, 24, "%" PRId64, value);
}

bool esse_pg_seen_agree(const struct esse_pg_seen *session, const struct esse_pg_seen *shadow,
                        bool compares_rows, char text[ESSE_PG_DIFFERENCE])
{
    if (strcmp(session->snapshot, shadow->snapshot) != 0) {
        snprintf(text, ESSE_PG_DIFFERENCE, "the session's snapshot is %.50s, its shadow's %.50s",
                 session->snapshot, shadow->snapshot);
        return false;
    }
    if (compares_rows && session->value != shadow->value) {
        char one[24], other[24];
        put_value(session->value, one);
        put_value(shadow->value, other);
        snprintf(text, ESSE_PG_DIFFERENCE, "the session saw %s, its shadow %s", one, other);
        return false;
    }
    return !compares_rows || rows_agree(session, shadow, text);
}

/* ---- the end ---- */

static void add_one(_Atomic uint64_t *counter)
{
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

/* The server may be going away, and the session's transaction with it: no reason to distrust what
 * it saw.  The next statement gets a new connection. */
static enum esse_progress give_up(struct esse_pg_shadow *shadow, const char *said)
{
    struct esse_pg_verified *verified = &shadow->target->verified;
    bool expected = false;
    if (atomic_compare_exchange_strong(&verified->has_reason, &expected, true))
        esse_url_tell(shadow->target->url, *said ? said : "no answer", verified->reason);
    add_one(&verified->unasked);
    esse_pg_shadow_drop(shadow);
    return ESSE_PROGRESS_DONE;
}

static enum esse_progress disagree(const struct esse_pg_shadow *shadow, const char *difference,
                                   struct esse_reply *reply)
{
    const struct esse_request *request = shadow->request;
    esse_failed(reply, ESSE_FATE_OPEN, "", "%s of esse_%s where %.60s: %s",
                request->ask == ESSE_ASK_AGGREGATE ? esse_aggregate_texts[request->aggregate]
                                                   : "the rows",
                shadow->target->schema->tables[request->table].name, request->where, difference);
    reply->failure.is_fatal = true;
    return ESSE_PROGRESS_FAILED;
}

static enum esse_progress conclude(struct esse_pg_shadow *shadow, struct esse_reply *reply)
{
    struct esse_pg_verified *verified = &shadow->target->verified;
    char difference[ESSE_PG_DIFFERENCE];
    if (!shadow->has_answer || PQtransactionStatus(shadow->pg) != PQTRANS_IDLE)
        return give_up(shadow, PQerrorMessage(shadow->pg));
    esse_pg_seen_sort(shadow->rows.at, shadow->rows.count);
    const struct esse_pg_seen mine = { shadow->snapshot, shadow->value, shadow->rows.at,
                                       shadow->rows.count };
    shadow->session.count = 0;
    for (size_t i = 0; i < reply->row_count; i++)
        esse_live_row_vec_push(&shadow->session, shadow->arena, reply->rows[i]);
    esse_pg_seen_sort(shadow->session.at, shadow->session.count);
    const struct esse_pg_seen theirs = { reply->snapshot, reply->value, shadow->session.at,
                                         shadow->session.count };
    if (!esse_pg_seen_agree(&theirs, &mine, shadow->compares_rows, difference))
        return disagree(shadow, difference, reply);
    add_one(shadow->compares_rows ? &verified->rows : &verified->snapshots);
    return ESSE_PROGRESS_DONE;
}

const char *esse_pg_verified_text(struct esse_target *target)
{
    const struct esse_pg_verified *verified = &target->verified;
    const uint64_t snapshots = atomic_load(&verified->snapshots);
    const uint64_t unasked = atomic_load(&verified->unasked);
    if (!target->exporting)
        return NULL;
    const char *text =
        esse_arena_format(target->arena, "%" PRIu64 " statements verified by shadow transactions",
                          atomic_load(&verified->rows));
    if (snapshots)
        text = esse_arena_format(target->arena,
                                 "%s, the snapshots of %" PRIu64 " more that came after writes",
                                 text, snapshots);
    if (unasked)
        text = esse_arena_format(target->arena, "%s; %" PRIu64 " could not be: %s", text, unasked,
                                 verified->reason);
    return text;
}

/* ---- asking ---- */

static enum esse_progress wait_for(const struct esse_pg_shadow *shadow, struct esse_conn *head,
                                   short events)
{
    head->fd = PQsocket(shadow->pg);
    head->events = events;
    return ESSE_PROGRESS_WAIT;
}

/* The one result that has rows is the predicate's. */
static void take(struct esse_pg_shadow *shadow, const PGresult *result)
{
    if (PQresultStatus(result) != PGRES_TUPLES_OK || !PQntuples(result) ||
        (size_t)PQgetlength(result, 0, 0) >= sizeof shadow->snapshot)
        return;
    strcpy(shadow->snapshot, PQgetvalue(result, 0, 0));
    shadow->rows.count = 0;
    shadow->value = ESSE_ABSENT;
    if (shadow->request->ask == ESSE_ASK_AGGREGATE)
        shadow->value = esse_pg_number(result, 0, 3);
    else
        esse_pg_rows(result, ESSE_ABSENT, shadow->arena, &shadow->rows);
    shadow->has_answer = true;
}

static enum esse_progress receive(struct esse_pg_shadow *shadow, struct esse_conn *head,
                                  struct esse_reply *reply)
{
    const int flushed = PQflush(shadow->pg);
    if (flushed < 0 || !PQconsumeInput(shadow->pg))
        return give_up(shadow, PQerrorMessage(shadow->pg));
    while (!PQisBusy(shadow->pg)) {
        PGresult *result = PQgetResult(shadow->pg);
        if (!result)
            return conclude(shadow, reply);
        take(shadow, result);
        PQclear(result);
    }
    return wait_for(shadow, head, flushed ? POLLIN | POLLOUT : POLLIN);
}

static enum esse_progress ask(struct esse_pg_shadow *shadow, struct esse_conn *head,
                              struct esse_reply *reply)
{
    shadow->has_answer = false;
    return PQsendQuery(shadow->pg, shadow->sql) ? receive(shadow, head, reply)
                                                : give_up(shadow, PQerrorMessage(shadow->pg));
}

static enum esse_progress connect_on(struct esse_pg_shadow *shadow, struct esse_conn *head)
{
    const char *keywords[ESSE_PG_PARAMETERS], *values[ESSE_PG_PARAMETERS];
    esse_pg_shadow_drop(shadow);
    esse_pg_parameters(shadow->target, shadow->host, NULL, NULL, keywords, values);
    shadow->pg = PQconnectStartParams(keywords, values, 0);
    shadow->is_connecting = true;
    if (PQstatus(shadow->pg) == CONNECTION_BAD)
        return give_up(shadow, PQerrorMessage(shadow->pg));
    PQsetNoticeReceiver(shadow->pg, esse_pg_ignore_notice, NULL);
    return wait_for(shadow, head, POLLOUT);
}

static enum esse_progress step_connect(struct esse_pg_shadow *shadow, struct esse_conn *head,
                                       struct esse_reply *reply)
{
    const PostgresPollingStatusType status = PQconnectPoll(shadow->pg);
    if (status == PGRES_POLLING_READING || status == PGRES_POLLING_WRITING)
        return wait_for(shadow, head, status == PGRES_POLLING_READING ? POLLIN : POLLOUT);
    if (status != PGRES_POLLING_OK || PQsetnonblocking(shadow->pg, 1))
        return give_up(shadow, PQerrorMessage(shadow->pg));
    shadow->is_connecting = false;
    return ask(shadow, head, reply);
}

/* All of the transaction is one message.  If any of it fails the server passes over the rest. */
static bool make_statements(struct esse_pg_shadow *shadow, const char *exported)
{
    const struct esse_request *request = shadow->request;
    const struct esse_target *target = shadow->target;
    static const char end[] = "; COMMIT";
    const int length = snprintf(shadow->sql, sizeof shadow->sql,
                                "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; "
                                "SET TRANSACTION SNAPSHOT '%s'; ",
                                exported);
    if (!esse_statement_make(target->dialect->texts[esse_statement_of(request)],
                             target->schema->tables[request->table].name, request->where, "",
                             shadow->sql + length,
                             sizeof shadow->sql - (size_t)length - sizeof end))
        return false;
    strcat(shadow->sql, end);
    return true;
}

enum esse_progress esse_pg_shadow_start(struct esse_pg_shadow *shadow, struct esse_conn *head,
                                        unsigned host, const char *exported,
                                        const struct esse_request *request, bool compares_rows,
                                        struct esse_reply *reply)
{
    const bool has_moved = host != shadow->host;
    shadow->host = host;
    shadow->request = request;
    shadow->compares_rows = compares_rows;
    if (!reply->snapshot || !make_statements(shadow, exported))
        return give_up(shadow, "the statement or its snapshot is too long");
    return shadow->pg && !has_moved ? ask(shadow, head, reply) : connect_on(shadow, head);
}

enum esse_progress esse_pg_shadow_step(struct esse_pg_shadow *shadow, struct esse_conn *head,
                                       struct esse_reply *reply)
{
    return shadow->is_connecting ? step_connect(shadow, head, reply) : receive(shadow, head, reply);
}
