#include "collect/driver/client_libpq.h"
#include "collect/driver/talk.h"

#include "base/clock.h"

#include <poll.h>

static bool load(struct esse_error *err)
{
    return esse_client_load(&esse_client_libpq, err);
}

static void ignore_notice(void *context, const PGresult *result)
{
    (void)context;
    (void)result;
}

static bool open_session(struct esse_talk *talk, const char *database, struct esse_error *err)
{
    const struct esse_url *url = talk->url;
    const char *const keywords[] = { "host", "port", "user", "dbname", "connect_timeout", NULL };
    const char *const values[] = { url->hosts[0].name,
                                   esse_arena_format(talk->arena, "%u", url->hosts[0].port),
                                   url->user,
                                   database ? database : url->path,
                                   "10",
                                   NULL };
    PGconn *conn = talk->handle = PQconnectdbParams(keywords, values, 0);
    if (PQstatus(conn) != CONNECTION_OK)
        return esse_url_fail(url, "cannot connect:", PQerrorMessage(conn), err);
    PQsetNoticeReceiver(conn, ignore_notice, NULL);
    return true;
}

static void send_text(struct esse_talk *talk, const char *text)
{
    PQsendQuery(talk->handle, text); /* if it fails, the answer says so */
}

static void take_result(struct esse_talk *talk, const PGresult *result,
                        struct esse_talk_answer *answer)
{
    const ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK && status != PGRES_EMPTY_QUERY) {
        esse_talk_fail(talk, answer, PQresultErrorField(result, PG_DIAG_SQLSTATE),
                       PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY));
        return;
    }
    const int width = PQnfields(result);
    const char **values = esse_arena_array(talk->arena, (size_t)width, const char *);
    for (int row = 0; row < PQntuples(result); row++) {
        for (int i = 0; i < width; i++)
            values[i] = PQgetisnull(result, row, i) ? NULL : PQgetvalue(result, row, i);
        esse_talk_row(talk, answer, values, (unsigned)width);
    }
}

/* All results are there, or the session is lost. */
static bool is_answered(struct esse_talk *talk, struct esse_talk_answer *answer)
{
    if (!PQconsumeInput(talk->handle) || PQstatus(talk->handle) != CONNECTION_OK) {
        esse_talk_fail(talk, answer, "", PQerrorMessage(talk->handle));
        return true;
    }
    if (PQisBusy(talk->handle))
        return false;
    for (PGresult *result; (result = PQgetResult(talk->handle));) {
        if (!answer->is_error)
            take_result(talk, result, answer);
        PQclear(result);
    }
    return true;
}

static bool wait_for(struct esse_talk *talk, double seconds, struct esse_talk_answer *answer)
{
    const double until = esse_clock_seconds() + seconds;
    for (;;) {
        if (is_answered(talk, answer))
            return true;
        const double left = until - esse_clock_seconds();
        if (left <= 0)
            return false;
        struct pollfd fd = { .fd = PQsocket(talk->handle), .events = POLLIN };
        poll(&fd, 1, (int)(left * 1000) + 1);
    }
}

static void close_session(struct esse_talk *talk)
{
    PQfinish(talk->handle);
}

const struct esse_talker esse_talker_postgresql = {
    .name = "postgresql",
    .load = load,
    .open = open_session,
    .send = send_text,
    .wait = wait_for,
    .close = close_session,
};
