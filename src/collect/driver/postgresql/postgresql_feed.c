#include "base/clock.h"
#include "collect/driver/postgresql/postgresql.h"
#include "collect/recover/feeds.h"
#include "collect/recover/learnt_feed.h"
#include "collect/recover/recover_text.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

/*
 * CockroachDB's order of versions from a changefeed without a sink, which streams its messages as
 * rows (table, key, value) on a connection of its own until that is closed.  Messages come at least
 * once; with a cursor they begin behind a time, without what is there already.  After a loss
 * the feed begins again behind the last time of which the server said that everything had come.
 *
 * finish() asks what time it is, and reads until everything up to then has come.
 */
static const double wait_seconds = 60;
static const uint64_t skew_ns = 10000000000; /* clocks of nodes differ by less, and usually ... */
enum { OFFSET_MS = 500 };                    /* ... by less than this: --max-offset of a node */

struct esse_pg_feed {
    struct esse_target *target;
    struct esse_learnt_feed *learnt;
    PGconn *main;   /* SQL */
    PGconn *stream; /* NULL if lost */
    struct esse_pg_coming coming;
    bool has_setting; /* rangefeeds were off, and we switched them on */
    bool is_old;      /* EXPERIMENTAL CHANGEFEED is what the statement is called */
    char cursor[64];  /* behind which the feed begins */
    struct esse_stamp resolved;
};

/* ---- asking ---- */

/* The server gives the time to serializable transactions only, whatever the session's level. */
static const char *ask_time(struct esse_pg_feed *feed, struct esse_error *err)
{
    const struct esse_target *target = feed->target;
    const char *time = NULL;
    if (PQstatus(feed->main) != CONNECTION_OK)
        PQreset(feed->main);
    if (esse_pg_run(target, feed->main, "BEGIN ISOLATION LEVEL SERIALIZABLE", err))
        time = esse_pg_ask(target, feed->main, target->dialect->time, err);
    struct esse_error ignored;
    esse_pg_run(target, feed->main, time ? "COMMIT" : "ROLLBACK", &ignored);
    return time;
}

static bool parse_time(const char *text, struct esse_stamp *stamp, struct esse_error *err)
{
    return esse_hlc_parse((struct esse_span){ text, strlen(text) }, stamp, err);
}

/* Changefeeds need a setting of the cluster that is off at first. */
static bool enable(struct esse_pg_feed *feed, struct esse_error *err)
{
    const struct esse_target *target = feed->target;
    const char *is_on =
        esse_pg_ask(target, feed->main, "SHOW CLUSTER SETTING kv.rangefeed.enabled", err);
    if (!is_on)
        return false;
    if (*is_on == 't')
        return true;
    feed->has_setting =
        esse_pg_run(target, feed->main, "SET CLUSTER SETTING kv.rangefeed.enabled = true", err);
    return feed->has_setting;
}

/* Without 'envelope' some versions send rows without what the times are called by. */
static bool start_stream(struct esse_pg_feed *feed)
{
    const struct esse_schema *schema = feed->target->schema;
    char sql[2000];
    int length =
        snprintf(sql, sizeof sql, "%s CHANGEFEED FOR ", feed->is_old ? "EXPERIMENTAL" : "CREATE");
    for (uint32_t t = 0; t < schema->count && (size_t)length < sizeof sql; t++)
        length += snprintf(sql + length, sizeof sql - (size_t)length, "%sesse_%s", t ? ", " : "",
                           schema->tables[t].name);
    if ((size_t)length < sizeof sql)
        length += snprintf(sql + length, sizeof sql - (size_t)length,
                           " WITH updated, resolved = '1s', min_checkpoint_frequency = '1s', "
                           "envelope = 'wrapped', cursor = '%s'",
                           feed->cursor);
    return (size_t)length < sizeof sql &&
           PQsendQueryParams(feed->stream, sql, 0, NULL, NULL, NULL, NULL, 0) &&
           PQsetSingleRowMode(feed->stream);
}

static bool open_feed(struct esse_pg_feed *feed, struct esse_error *err)
{
    struct esse_target *target = feed->target;
    feed->main = esse_pg_connect(target, NULL, NULL, err);
    if (!feed->main || !enable(feed, err))
        return false;
    const char *time = ask_time(feed, err);
    struct esse_stamp now;
    if (!time || !parse_time(time, &now, err))
        return false;
    snprintf(feed->cursor, sizeof feed->cursor, "%s", time);
    target->clock.base.high = now.high > skew_ns ? now.high - skew_ns : 0;
    target->clock.is_asked = strcmp(target->level, "serializable") == 0;
    esse_learnt_feed_base(feed->learnt, target->clock.base);
    poll(NULL, 0, OFFSET_MS); /* a node whose clock is behind must not commit before the cursor */
    feed->stream = esse_pg_connect(target, NULL, NULL, err);
    if (!feed->stream)
        return false;
    return start_stream(feed) ||
           esse_fail(err, ESSE_EUNAVAILABLE, "the changefeed could not be asked for");
}

static void end_feed(struct esse_target *target)
{
    struct esse_pg_feed *feed = target->feed;
    struct esse_error ignored;
    if (!feed)
        return;
    PQfinish(feed->stream);
    esse_pg_coming_stop(&feed->coming);
    if (feed->has_setting) {
        if (PQstatus(feed->main) != CONNECTION_OK)
            PQreset(feed->main);
        esse_pg_run(target, feed->main, "SET CLUSTER SETTING kv.rangefeed.enabled = false",
                    &ignored);
    }
    PQfinish(feed->main);
    target->feed = NULL;
}

static bool begin_feed(struct esse_target *target, struct esse_error *err)
{
    struct esse_pg_feed *feed = esse_arena_alloc(target->arena, 1, sizeof *feed);
    feed->target = target;
    feed->learnt = esse_learnt_feed_new(target->arena, target->schema);
    target->feed = feed;
    if (open_feed(feed, err))
        return true;
    end_feed(target);
    return false;
}

/* ---- reading ---- */

static struct esse_span span_at(const PGresult *row, int column)
{
    return (struct esse_span){ PQgetvalue(row, 0, column), (size_t)PQgetlength(row, 0, column) };
}

/* (table, key, value); the first two are null in a message that gives a time. */
static bool take_row(struct esse_pg_feed *feed, const PGresult *row, struct esse_error *err)
{
    static const char *const columns[] = { "k" };
    if (PQnfields(row) != 3)
        return esse_fail(err, ESSE_EIO, "the changefeed has %d columns, not 3", PQnfields(row));
    const struct esse_cockroach_rows rows = { span_at(row, 0), columns, 1 };
    struct esse_change_sink *sink = esse_learnt_feed_sink(feed->learnt);
    struct esse_arena *scratch = esse_arena_new();
    struct esse_stamp resolved = feed->resolved;
    sink->values = esse_values_new(scratch);
    const bool ok =
        esse_cockroach_feed(sink, &rows, span_at(row, 1), span_at(row, 2), &resolved, err);
    sink->values = NULL;
    esse_arena_free(scratch);
    if (esse_stamp_compare(resolved, feed->resolved) > 0) {
        feed->resolved = resolved;
        snprintf(feed->cursor, sizeof feed->cursor, "%llu.%010llu",
                 (unsigned long long)resolved.high, (unsigned long long)resolved.low);
    }
    return ok;
}

static void lose(struct esse_pg_feed *feed)
{
    PQfinish(feed->stream);
    feed->stream = NULL;
}

/* The feed has ended, which it never does by itself.  A statement that the server does not know is
 * sent in its older form; what else it refuses, it would refuse again. */
static bool take_end(struct esse_pg_feed *feed, const PGresult *result, struct esse_error *err)
{
    const char *code = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    if (!code || strncmp(code, "08", 2) == 0 || strncmp(code, "57", 2) == 0 ||
        strncmp(code, "40", 2) == 0) {
        lose(feed);
        return true;
    }
    if (strcmp(code, "42601") == 0 && !feed->is_old) {
        feed->is_old = true;
        lose(feed);
        return true;
    }
    return esse_url_fail(feed->target->url,
                         "the changefeed was refused: ", PQresultErrorMessage(result), err);
}

static bool read_stream(struct esse_pg_feed *feed, struct esse_error *err)
{
    bool ok = true;
    if (!PQconsumeInput(feed->stream))
        lose(feed);
    while (ok && feed->stream && !PQisBusy(feed->stream)) {
        PGresult *result = PQgetResult(feed->stream);
        if (!result)
            lose(feed);
        else if (PQresultStatus(result) == PGRES_SINGLE_TUPLE)
            ok = take_row(feed, result, err);
        else
            ok = take_end(feed, result, err);
        PQclear(result);
    }
    return ok;
}

static bool poll_feed(struct esse_target *target, struct esse_learnt *learnt,
                      struct esse_error *err)
{
    struct esse_pg_feed *feed = target->feed;
    (void)learnt; /* it is sent at the end, in order */
    if (feed->stream)
        return read_stream(feed, err);
    feed->stream = esse_pg_come(target, &feed->coming, NULL, NULL);
    if (feed->stream && !start_stream(feed))
        lose(feed);
    return true;
}

/* ---- the end ---- */

static bool finish_feed(struct esse_target *target, struct esse_learnt *learnt,
                        struct esse_error *err)
{
    struct esse_pg_feed *feed = target->feed;
    const int64_t began = esse_clock_ns();
    const char *time = ask_time(feed, err);
    struct esse_stamp end;
    if (!time || !parse_time(time, &end, err))
        return false;
    const uint64_t latest = atomic_load(&target->clock.latest); /* another node's clock */
    end.high = (latest > end.high ? latest : end.high) + 1;
    while (esse_stamp_compare(feed->resolved, end) < 0) {
        if (!poll_feed(target, learnt, err))
            return false;
        if ((double)(esse_clock_ns() - began) * 1e-9 > wait_seconds)
            return esse_fail(err, ESSE_EUNAVAILABLE,
                             "the changefeed did not come to its end within %g s", wait_seconds);
        struct pollfd fd = { feed->stream ? PQsocket(feed->stream) : -1, POLLIN, 0 };
        poll(&fd, 1, 20);
    }
    esse_learnt_feed_tell(feed->learnt, learnt, target->clock.is_asked);
    return true;
}

const struct esse_certifying esse_pg_feed_certifying = {
    .source = "a changefeed",
    .kind = "timestamps",
    .begin = begin_feed,
    .poll = poll_feed,
    .finish = finish_feed,
    .end = end_feed,
};
