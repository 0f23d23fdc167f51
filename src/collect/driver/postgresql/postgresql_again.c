#include "base/clock.h"
#include "collect/driver/postgresql/postgresql.h"

#include <poll.h>

static void begin_coming(const struct esse_target *target, struct esse_pg_coming *coming,
                         const char *extra, const char *value)
{
    const char *keywords[ESSE_PG_PARAMETERS], *values[ESSE_PG_PARAMETERS];
    esse_pg_parameters(target, coming->host++, extra, value, keywords, values);
    coming->pg = PQconnectStartParams(keywords, values, 0);
    coming->since = esse_clock_ns();
    coming->wants =
        PQstatus(coming->pg) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING;
}

/* Does what can be done about the connection without waiting. */
static void advance_coming(struct esse_pg_coming *coming)
{
    static const int64_t longest_ns = 10000000000;
    while (coming->wants == PGRES_POLLING_READING || coming->wants == PGRES_POLLING_WRITING) {
        struct pollfd fd = { PQsocket(coming->pg),
                             coming->wants == PGRES_POLLING_READING ? POLLIN : POLLOUT, 0 };
        if (poll(&fd, 1, 0) <= 0)
            break;
        coming->wants = PQconnectPoll(coming->pg);
    }
    if (esse_clock_ns() - coming->since > longest_ns)
        coming->wants = PGRES_POLLING_FAILED;
}

PGconn *esse_pg_come(const struct esse_target *target, struct esse_pg_coming *coming,
                     const char *extra, const char *value)
{
    PGconn *come = NULL;
    if (!coming->pg)
        begin_coming(target, coming, extra, value);
    advance_coming(coming);
    if (coming->wants == PGRES_POLLING_OK) {
        come = coming->pg;
        coming->pg = NULL;
    } else if (coming->wants == PGRES_POLLING_FAILED) {
        esse_pg_coming_stop(coming);
    }
    return come;
}

void esse_pg_coming_stop(struct esse_pg_coming *coming)
{
    PQfinish(coming->pg);
    coming->pg = NULL;
}
