#include "collect/driver/client_libmariadb.h"
#include "collect/driver/talk.h"

#include "base/clock.h"

#include <poll.h>
#include <string.h>

static bool load(struct esse_error *err)
{
    return esse_client_load(&esse_client_libmariadb, err);
}

static bool open_session(struct esse_talk *talk, const char *database, struct esse_error *err)
{
    const struct esse_url *url = talk->url;
    MYSQL *mysql = talk->handle = mysql_init(NULL);
    const unsigned seconds = 10;
    if (!mysql)
        return esse_fail(err, ESSE_EUNAVAILABLE, "cannot connect: no memory");
    mysql_options(mysql, MYSQL_OPT_CONNECT_TIMEOUT, &seconds);
    mysql_options(mysql, MYSQL_OPT_NONBLOCK, NULL);
    return mysql_real_connect(mysql, url->hosts[0].name, url->user, url->password,
                              database ? database : url->path, url->hosts[0].port, NULL, 0) ||
           esse_url_fail(url, "cannot connect:", mysql_error(mysql), err);
}

static void send_text(struct esse_talk *talk, const char *text)
{
    int failed;
    talk->waits_for =
        mysql_real_query_start(&failed, talk->handle, text, (unsigned long)strlen(text));
}

static void take_rows(struct esse_talk *talk, struct esse_talk_answer *answer)
{
    MYSQL_RES *result = mysql_store_result(talk->handle);
    if (!result)
        return;
    const unsigned width = mysql_num_fields(result);
    for (MYSQL_ROW row; (row = mysql_fetch_row(result));)
        esse_talk_row(talk, answer, (const char *const *)row, width);
    mysql_free_result(result);
}

static bool is_answered(struct esse_talk *talk, int events, struct esse_talk_answer *answer)
{
    int failed = 0;
    if (talk->waits_for && events)
        talk->waits_for = mysql_real_query_cont(&failed, talk->handle, events);
    if (talk->waits_for)
        return false;
    if (mysql_errno(talk->handle))
        esse_talk_fail(talk, answer,
                       esse_arena_format(talk->arena, "%u", mysql_errno(talk->handle)),
                       mysql_error(talk->handle));
    else
        take_rows(talk, answer);
    return true;
}

static bool wait_for(struct esse_talk *talk, double seconds, struct esse_talk_answer *answer)
{
    const double until = esse_clock_seconds() + seconds;
    int events = 0;
    while (!is_answered(talk, events, answer)) {
        const double left = until - esse_clock_seconds();
        if (left <= 0)
            return false;
        struct pollfd fd = { .fd = mysql_get_socket(talk->handle) };
        fd.events = (short)((talk->waits_for & MYSQL_WAIT_READ ? POLLIN : 0) |
                            (talk->waits_for & MYSQL_WAIT_WRITE ? POLLOUT : 0));
        events = poll(&fd, 1, (int)(left * 1000) + 1) > 0
                     ? (fd.revents & POLLOUT ? MYSQL_WAIT_WRITE : 0) |
                           (fd.revents & ~POLLOUT ? MYSQL_WAIT_READ : 0)
                     : 0;
    }
    return true;
}

static void close_session(struct esse_talk *talk)
{
    if (talk->handle)
        mysql_close(talk->handle);
}

const struct esse_talker esse_talker_mariadb = {
    .name = "mariadb",
    .load = load,
    .open = open_session,
    .send = send_text,
    .wait = wait_for,
    .close = close_session,
};
