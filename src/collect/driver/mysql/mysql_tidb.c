#include "collect/driver/mysql/mysql_tidb.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/index.h"
#include "base/vec.h"
#include "collect/driver/http.h"
#include "collect/driver/mysql/mysql.h"
#include "collect/recover/feeds.h"
#include "collect/recover/learnt_feed.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double wait_seconds = 10; /* for one answer */

struct written {
    uint32_t table;
    int64_t row;
};
ESSE_VEC(written_vec, struct written)

struct esse_tidb_log {
    struct esse_target *target;
    struct esse_learnt_feed *feed;
    struct esse_http http;
    struct esse_wire_host *hosts; /* of the API: one */
    int64_t began;
    double kept_seconds;  /* for which the server keeps old versions */
    pthread_mutex_t lock; /* of what follows, which has an arena of its own */
    struct esse_arena *arena;
    struct written_vec written;
    struct esse_index index;
};

/* ---- the URL ---- */

bool esse_tidb_open(struct esse_target *target, struct esse_error *err)
{
    struct esse_tidb *tidb = esse_arena_alloc(target->arena, 1, sizeof *tidb);
    const struct esse_url *url = target->url;
    const char *host = url->host_count && *url->hosts[0].name ? url->hosts[0].name : "localhost";
    target->tidb = tidb;
    tidb->status = esse_url_parameter(url, "status");
    if (!tidb->status)
        tidb->status =
            esse_arena_format(target->arena, strchr(host, ':') ? "[%s]:10080" : "%s:10080", host);
    return *url->path || esse_fail(err, ESSE_EUSAGE,
                                   "the target's URL: tidb: needs a database: tidb://HOST/NAME");
}

/* ---- from the sessions ---- */

void esse_tidb_wrote(struct esse_tidb *tidb, uint32_t table, int64_t row)
{
    struct esse_tidb_log *log = tidb->log;
    const uint32_t hash = esse_hash_word((uint64_t)row << 8 ^ table);
    pthread_mutex_lock(&log->lock);
    struct esse_probe probe = esse_index_probe(&log->index, hash);
    bool is_known = false;
    for (uint32_t id; !is_known && esse_probe_next(&probe, &id);)
        is_known = log->written.at[id].table == table && log->written.at[id].row == row;
    if (!is_known) {
        esse_index_add(&log->index, log->arena, hash, (uint32_t)log->written.count);
        written_vec_push(&log->written, log->arena, (struct written){ table, row });
    }
    pthread_mutex_unlock(&log->lock);
}

int64_t esse_tidb_number(const char *info, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = info; (at = strstr(at, name)); at += length)
        if (at > info && at[-1] == '"' && at[length] == '"' && at[length + 1] == ':')
            return strtoll(at + length + 2, NULL, 10);
    return ESSE_NO_ID;
}

/* ---- the HTTP API ---- */

static bool get(struct esse_tidb_log *log, const char *path, struct esse_error *err)
{
    struct esse_http *http = &log->http;
    if (http->wire.fd < 0)
        esse_wire_open(&http->wire, &log->hosts[0].address);
    esse_http_ask(http, path, NULL, NULL, 0);
    const enum esse_progress progress = esse_http_wait(http, esse_wire_deadline(wait_seconds));
    if (progress == ESSE_PROGRESS_WAIT) {
        esse_wire_close(&http->wire);
        return esse_fail(err, ESSE_EUNAVAILABLE, "%s: no answer within %g s", http->host,
                         wait_seconds);
    }
    if (progress == ESSE_PROGRESS_FAILED)
        return esse_fail(err, ESSE_EUNAVAILABLE, "%s: %s", http->host, http->problem);
    return http->answer.status == 200 || esse_fail(err, ESSE_EUNAVAILABLE, "%s answered %d to %s",
                                                   http->host, http->answer.status, path);
}

static bool greets(void *context, unsigned host, char said[ESSE_SAID])
{
    struct esse_tidb_log *log = context;
    struct esse_error err;
    esse_wire_close(&log->http.wire);
    if (get(log, "/status", &err))
        return true;
    esse_wire_said(&log->hosts[host], err.text, said);
    return false;
}

static bool reach_api(struct esse_tidb_log *log, struct esse_error *err)
{
    struct esse_arena *arena = log->target->arena;
    struct esse_url url;
    size_t count;
    if (!esse_url_parse(arena, esse_arena_format(arena, "http://%s", log->target->tidb->status),
                        &url, err))
        return false;
    log->hosts = esse_wire_hosts(arena, &url, 10080, &count);
    log->http.host = log->hosts[0].name;
    return esse_wire_reach(log->hosts, 1, greets, log, err);
}

/* ---- beginning and ending ---- */

/* "10m0s" */
static double seconds_of(const char *text)
{
    double seconds = 0;
    for (char *end; *text; text = *end ? end + 1 : end) {
        const double number = strtod(text, &end);
        if (end == text)
            break;
        seconds += number * (*end == 'h' ? 3600 : *end == 'm' ? 60 : 1);
    }
    return seconds;
}

/* What time it is: the server reports it inside of a transaction only. */
static bool ask_time(struct esse_target *target, struct esse_stamp *stamp, struct esse_error *err)
{
    if (!esse_mysql_run(target, target->main, "START TRANSACTION", err))
        return false;
    const char *time = esse_mysql_ask(target, target->main, "SELECT @@tidb_current_ts", err);
    *stamp = (struct esse_stamp){ time ? strtoull(time, NULL, 10) : 0, 0 };
    return time && esse_mysql_run(target, target->main, "ROLLBACK", err);
}

/* For how long old versions are kept: a variable since TiDB 5.0, before that a row of a table. */
static double ask_kept(struct esse_target *target)
{
    static const char *const questions[] = {
        "SELECT @@tidb_gc_life_time",
        "SELECT variable_value FROM mysql.tidb WHERE variable_name = 'tikv_gc_life_time'"
    };
    enum { USUALLY = 600 };
    struct esse_error ignored;
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        const char *kept = esse_mysql_ask(target, target->main, questions[i], &ignored);
        if (kept)
            return seconds_of(kept);
    }
    return USUALLY;
}

static bool open_log(struct esse_tidb_log *log, struct esse_error *err)
{
    struct esse_stamp start;
    if (!reach_api(log, err) || !ask_time(log->target, &start, err))
        return false;
    log->kept_seconds = ask_kept(log->target);
    esse_learnt_feed_after(log->feed, start);
    return true;
}

static void end_log(struct esse_target *target)
{
    struct esse_tidb_log *log = target->tidb->log;
    esse_wire_close(&log->http.wire);
    pthread_mutex_destroy(&log->lock);
    esse_arena_free(log->arena);
}

/* Whether it says when a transaction committed; versions before 4.0 do not. */
static bool tells_times(struct esse_target *target)
{
    struct esse_error ignored;
    return esse_mysql_ask(target, target->main, "SELECT @@tidb_last_txn_info", &ignored) != NULL;
}

static bool begin_log(struct esse_target *target, struct esse_error *err)
{
    struct esse_tidb_log *log = esse_arena_alloc(target->arena, 1, sizeof *log);
    log->target = target;
    log->feed = esse_learnt_feed_new(target->arena, target->schema);
    log->began = esse_clock_ns();
    log->arena = esse_arena_new();
    pthread_mutex_init(&log->lock, NULL);
    esse_http_init(&log->http, target->arena);
    target->tidb->log = log;
    if (!open_log(log, err)) {
        end_log(target);
        return false;
    }
    target->tidb->is_asked = true;
    target->tidb->is_timed = strcmp(target->level, "REPEATABLE READ") == 0 && tells_times(target);
    return true;
}

/* ---- the versions ---- */

/* All is read at the end: the server keeps old versions, and gives them row by row. */

/* A transaction commits its first key, and answers; the others may still be locked, until they are
 * read.  The column is in no index, so that the rows themselves are read. */
static bool settle(const struct esse_tidb_log *log, struct esse_error *err)
{
    struct esse_target *target = log->target;
    for (uint32_t t = 0; t < target->schema->count; t++) {
        char sql[100];
        snprintf(sql, sizeof sql, "SELECT count(o) FROM esse_%s", target->schema->tables[t].name);
        if (!esse_mysql_ask(target, target->main, sql, err))
            return false;
    }
    return true;
}

static bool read_row(struct esse_tidb_log *log, const struct written *written,
                     struct esse_error *err)
{
    const char *table = log->target->schema->tables[written->table].name;
    struct esse_change_sink *sink = esse_learnt_feed_sink(log->feed);
    struct esse_out *body = &log->http.answer.body;
    char path[300], name[100];
    snprintf(name, sizeof name, "esse_%s", table);
    snprintf(path, sizeof path, "/mvcc/key/%.100s/%s/%lld", log->target->url->path, name,
             (long long)written->row);
    if (!get(log, path, err))
        return false;
    struct esse_arena *scratch = esse_arena_new();
    sink->values = esse_values_new(scratch);
    const bool ok = esse_tidb_feed(sink, name, "k", esse_value_int(sink->values, written->row),
                                   (struct esse_span){ esse_out_memory(body), body->count }, err);
    sink->values = NULL;
    esse_arena_free(scratch);
    return ok;
}

static bool finish_log(struct esse_target *target, struct esse_learnt *learnt,
                       struct esse_error *err)
{
    struct esse_tidb *tidb = target->tidb;
    struct esse_tidb_log *log = tidb->log;
    if ((double)(esse_clock_ns() - log->began) * 1e-9 > log->kept_seconds)
        return esse_fail(err, ESSE_EUNAVAILABLE,
                         "the run took longer than the server keeps versions: tidb_gc_life_time is "
                         "%g s",
                         log->kept_seconds);
    if (!settle(log, err))
        return false;
    for (size_t i = 0; i < log->written.count; i++)
        if (!read_row(log, &log->written.at[i], err))
            return false;
    esse_learnt_feed_tell(log->feed, learnt, tidb->is_timed && !atomic_load(&tidb->has_gap));
    return true;
}

const struct esse_certifying esse_tidb_certifying = {
    .source = "the MVCC API",
    .kind = "timestamps",
    .begin = begin_log,
    .finish = finish_log,
    .end = end_log,
};
