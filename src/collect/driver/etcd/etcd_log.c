#include "collect/driver/etcd/etcd.h"

#include "base/clock.h"
#include "collect/recover/change.h"
#include "collect/recover/feeds.h"
#include "collect/recover/learnt_feed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * etcd's log is its store of revisions, and a watch reads it.  One revision is one transaction, so
 * the revision is the xid, and the order of revisions that of the commits.
 *
 * The watch begins at a revision, so what happens before it is connected, or while it is connected
 * again, is not lost; the events of one revision come in one message.  The end is found by a mark:
 * a key that is put when the last session has ended.
 */
static const char mark_key[] = ESSE_ETCD_PREFIX "mark"; /* no table's: it has one slash only */
static const int64_t retry_ns = 50 * 1000 * 1000;

struct esse_etcd_log {
    struct esse_change_sink sink; /* from keys to rows, for 'feed' */
    struct esse_target *target;
    struct esse_learnt_feed *feed;
    struct esse_etcd_conn *conn;
    bool is_watching;
    int64_t retry_at; /* connecting again not before */
    unsigned host;
    int64_t coming, seen; /* revisions: the one that is coming, the last that came */
};

/* ---- what a change shows ---- */

/* esse/TABLE/ROW; false if the key is none of the schema's. */
static bool find_row(const struct esse_schema *schema, const char *key, uint32_t *table,
                     int64_t *row)
{
    const size_t prefix = strlen(ESSE_ETCD_PREFIX);
    const char *slash = strrchr(key, '/');
    if (strncmp(key, ESSE_ETCD_PREFIX, prefix) != 0 || slash < key + prefix)
        return false;
    const size_t length = (size_t)(slash - key) - prefix;
    char *end;
    *row = strtoll(slash + 1, &end, 10);
    for (*table = 0; *table < schema->count; ++*table)
        if (strlen(schema->tables[*table].name) == length &&
            strncmp(schema->tables[*table].name, key + prefix, length) == 0)
            return end > slash + 1 && !*end;
    return false;
}

/* ---- the stream ---- */

static bool take_begin(struct esse_change_sink *sink, const struct esse_change_txn *txn,
                       struct esse_error *err)
{
    struct esse_etcd_log *log = (struct esse_etcd_log *)sink;
    struct esse_change_sink *to = esse_learnt_feed_sink(log->feed);
    log->coming = (int64_t)txn->stamp.high;
    to->values = sink->values;
    return to->begin(to, txn, err);
}

static bool take_change(struct esse_change_sink *sink, const struct esse_change *change,
                        struct esse_error *err)
{
    struct esse_etcd_log *log = (struct esse_etcd_log *)sink;
    struct esse_change_sink *to = esse_learnt_feed_sink(log->feed);
    const struct esse_schema *schema = log->target->schema;
    char room[8], key[200], name[200];
    uint32_t table;
    int64_t row;
    if (esse_value_kind(sink->values, change->cells[0].value) != ESSE_KIND_STRING)
        return true;
    const struct esse_span text = esse_value_text(sink->values, change->cells[0].value, room);
    snprintf(key, sizeof key, "%.*s", (int)text.length, text.at);
    if (!find_row(schema, key, &table, &row))
        return true;
    const int length = snprintf(name, sizeof name, "esse_%s", schema->tables[table].name);
    const struct esse_cell cells[] = { { { "k", 1 }, esse_value_int(sink->values, row) },
                                       { { "v", 1 }, change->cells[1].value } };
    const struct esse_change of_row = {
        .kind = change->kind, .table = { name, (size_t)length }, .cells = cells, .count = 2
    };
    return to->change(to, &of_row, err);
}

static bool take_commit(struct esse_change_sink *sink, struct esse_error *err)
{
    struct esse_etcd_log *log = (struct esse_etcd_log *)sink;
    (void)err;
    log->seen = log->coming;
    return true;
}

/* One message: a line.  Its texts go into a pool of their own. */
static bool take_message(struct esse_etcd_log *log, const char *line, size_t length,
                         struct esse_error *err)
{
    struct esse_arena *scratch = esse_arena_new();
    int64_t revision;
    log->sink.values = esse_values_new(scratch);
    const bool ok = esse_etcd_feed(&log->sink, (struct esse_span){ line, length }, &revision, err);
    esse_arena_free(scratch);
    return ok;
}

static bool take_messages(struct esse_etcd_log *log, struct esse_error *err)
{
    struct esse_out *body = &log->conn->http.answer.body;
    size_t from = 0;
    bool ok = true;
    for (const char *end; ok && from < body->count &&
                          (end = memchr(body->buffer + from, '\n', body->count - from));) {
        const size_t length = (size_t)(end - body->buffer) - from;
        ok = take_message(log, body->buffer + from, length, err);
        from += length + 1;
    }
    if (from)
        memmove(body->buffer, body->buffer + from, body->count - from);
    body->count -= from;
    return ok;
}

/* ---- the connection ---- */

static void ask_watch(struct esse_etcd_log *log)
{
    struct esse_out *body = &log->conn->body;
    esse_out_text(body, "{\"create_request\":{\"key\":");
    esse_etcd_put_text(body, ESSE_ETCD_PREFIX, strlen(ESSE_ETCD_PREFIX));
    esse_out_text(body, ",\"range_end\":");
    esse_etcd_put_text(body, "esse0", 5);
    esse_out_f(body, ",\"start_revision\":\"%lld\"}}", (long long)log->seen + 1);
    esse_etcd_ask(log->conn, "/v3/watch");
    log->is_watching = true;
}

/* Lost: the next host, after a while. */
static void retry_later(struct esse_etcd_log *log)
{
    log->is_watching = false;
    esse_etcd_drop(&log->conn->head);
    log->retry_at = esse_clock_ns() + retry_ns;
    log->host++;
}

/* Connects a little further; never waits. */
static void connect_on(struct esse_etcd_log *log)
{
    const struct esse_request request = { .ask = ESSE_ASK_CONNECT, .host = log->host };
    struct esse_reply reply = { 0 };
    if (esse_clock_ns() < log->retry_at)
        return;
    const enum esse_progress progress = log->conn->head.fd < 0
                                            ? esse_etcd_start(&log->conn->head, &request, &reply)
                                            : esse_etcd_step(&log->conn->head, &reply);
    if (progress == ESSE_PROGRESS_DONE)
        ask_watch(log);
    else if (progress == ESSE_PROGRESS_FAILED)
        retry_later(log);
}

static bool poll_log(struct esse_target *target, struct esse_learnt *learnt, struct esse_error *err)
{
    enum { READS = 64 };
    struct esse_etcd_log *log = target->log;
    (void)learnt; /* it is sent at the end */
    for (unsigned i = 0; i < READS; i++) {
        if (!log->is_watching) {
            connect_on(log);
            if (!log->is_watching)
                return true;
        }
        const size_t before = log->conn->http.answer.body.count;
        const enum esse_progress progress = esse_http_step(&log->conn->http);
        const bool has_news = log->conn->http.answer.body.count != before;
        if (!take_messages(log, err))
            return false;
        if (progress != ESSE_PROGRESS_WAIT)
            retry_later(log);
        else if (!has_news)
            return true;
    }
    return true;
}

static bool begin_log(struct esse_target *target, struct esse_error *err)
{
    struct esse_etcd_log *log = esse_arena_alloc(target->arena, 1, sizeof *log);
    log->sink = (struct esse_change_sink){ NULL, take_begin, take_change, take_commit };
    log->target = target;
    log->feed = esse_learnt_feed_new(target->arena, target->schema);
    esse_out_text(esse_etcd_body(target), "{\"key\":\"AA==\"}");
    if (!esse_etcd_ask_main(target, "/v3/kv/range", err))
        return false;
    log->seen = target->main->answer.revision;
    log->conn = (struct esse_etcd_conn *)esse_etcd_conn(target, target->arena, 0);
    target->log = log;
    return true;
}

static bool finish_log(struct esse_target *target, struct esse_learnt *learnt,
                       struct esse_error *err)
{
    struct esse_etcd_log *log = target->log;
    struct esse_out *body = esse_etcd_body(target);
    esse_out_text(body, "{\"key\":");
    esse_etcd_put_text(body, mark_key, strlen(mark_key));
    esse_out_text(body, ",\"value\":\"\"}");
    if (!esse_etcd_ask_main(target, "/v3/kv/put", err))
        return false;
    const int64_t end = target->main->answer.revision;
    const int64_t deadline = esse_wire_deadline(target->connect_seconds);
    while (log->seen < end) {
        const int64_t before = log->seen;
        if (!poll_log(target, learnt, err))
            return false;
        if (log->seen < end && log->seen == before) {
            if (esse_clock_ns() > deadline)
                return esse_fail(err, ESSE_EUNAVAILABLE,
                                 "etcd's watch did not come to revision %lld in time",
                                 (long long)end);
            esse_wire_wait(&log->conn->http.wire, esse_clock_ns() + retry_ns);
        }
    }
    esse_learnt_feed_tell(log->feed, learnt, true);
    return true;
}

static void end_log(struct esse_target *target)
{
    struct esse_error ignored;
    struct esse_out *body = esse_etcd_body(target);
    esse_etcd_drop(&target->log->conn->head);
    esse_out_text(body, "{\"key\":");
    esse_etcd_put_text(body, mark_key, strlen(mark_key));
    esse_out_char(body, '}');
    esse_etcd_ask_main(target, "/v3/kv/deleterange", &ignored);
}

const struct esse_certifying esse_etcd_certifying = {
    .source = "etcd's revisions, by a watch",
    .begin = begin_log,
    .poll = poll_log,
    .finish = finish_log,
    .end = end_log,
};
