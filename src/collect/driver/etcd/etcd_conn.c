#include "collect/driver/etcd/etcd.h"

#include "base/base64.h"
#include "collect/driver/drivers.h"

#include <stdio.h>
#include <string.h>

struct esse_conn *esse_etcd_conn(struct esse_target *target, struct esse_arena *arena,
                                 uint32_t session)
{
    struct esse_etcd_conn *conn = esse_arena_alloc(arena, 1, sizeof *conn);
    (void)session;
    conn->head = (struct esse_conn){ .driver = &esse_driver_etcd, .fd = -1 };
    conn->target = target;
    conn->arena = arena;
    esse_http_init(&conn->http, arena);
    esse_etcd_answer_init(&conn->answer, arena);
    esse_out_init_memory(&conn->body, arena);
    esse_out_init_memory(&conn->token, arena);
    esse_draft_init(&conn->draft, arena);
    return &conn->head;
}

void esse_etcd_drop(struct esse_conn *head)
{
    struct esse_etcd_conn *conn = (struct esse_etcd_conn *)head;
    esse_wire_close(&conn->http.wire);
    conn->head.fd = -1;
}

/* ---- asking ---- */

void esse_etcd_put_text(struct esse_out *out, const char *text, size_t length)
{
    esse_out_char(out, '"');
    esse_base64_encode(text, length, esse_out_room(out, ESSE_BASE64_ROOM(length)));
    out->count += ESSE_BASE64_ROOM(length);
    esse_out_char(out, '"');
}

static void put_key(struct esse_etcd_conn *conn, const struct esse_draft_row *row)
{
    char key[200];
    const int length = snprintf(key, sizeof key, ESSE_ETCD_PREFIX "%s/%lld",
                                conn->target->schema->tables[row->table].name, (long long)row->row);
    esse_out_text(&conn->body, "\"key\":");
    esse_etcd_put_text(&conn->body, key, (size_t)length);
}

void esse_etcd_ask(struct esse_etcd_conn *conn, const char *path)
{
    const char *token = conn->token.count ? esse_out_memory(&conn->token) : NULL;
    esse_http_ask(&conn->http, path, token, conn->body.buffer, conn->body.count);
    conn->body.count = 0;
}

/* ---- hearing ---- */

static enum esse_progress hang_up(struct esse_etcd_conn *conn, struct esse_reply *reply)
{
    char said[ESSE_SAID];
    if (reply->failure.is_lost)
        esse_etcd_drop(&conn->head);
    memcpy(said, reply->failure.text, sizeof said);
    esse_url_tell(conn->target->url, said, reply->failure.text);
    return ESSE_PROGRESS_FAILED;
}

/* There was no answer of etcd's.  A commit of which nothing has gone out has not happened. */
static enum esse_progress fail_without_answer(struct esse_etcd_conn *conn, struct esse_reply *reply,
                                              const char *what)
{
    const bool may_have = conn->request.ask == ESSE_ASK_COMMIT && conn->http.wire.sent > 0;
    esse_failed(reply, may_have ? ESSE_FATE_UNKNOWN : ESSE_FATE_ABORTED, "lost", "%s: %s",
                conn->host->name, what);
    reply->failure.is_lost = true;
    return hang_up(conn, reply);
}

static enum esse_progress hear(struct esse_etcd_conn *conn, struct esse_reply *reply)
{
    struct esse_http *http = &conn->http;
    struct esse_error err = { 0 };
    const enum esse_progress progress = esse_http_step(http);
    conn->head.fd = http->wire.fd;
    conn->head.events = http->wire.events;
    if (progress == ESSE_PROGRESS_FAILED)
        return fail_without_answer(conn, reply, http->problem);
    if (progress != ESSE_PROGRESS_DONE)
        return progress;
    const struct esse_out *body = &http->answer.body;
    if (!esse_etcd_answer_read(&conn->answer, body->buffer, body->count, &err)) {
        char what[100];
        snprintf(what, sizeof what, "the answer, status %d, is not from etcd's JSON gateway",
                 http->answer.status);
        fail_without_answer(conn, reply, what);
        reply->failure.is_fatal = http->answer.status == 404;
        return ESSE_PROGRESS_FAILED;
    }
    if (!conn->answer.is_error)
        return ESSE_PROGRESS_DONE;
    esse_etcd_classify(&conn->answer, conn->request.ask == ESSE_ASK_COMMIT, &reply->failure);
    return hang_up(conn, reply);
}

/* ---- connecting ---- */

/* A linearizable read: a node that cannot answer one now is as good as away. */
static void ask_whether_there(struct esse_etcd_conn *conn)
{
    esse_out_text(&conn->body, "{\"key\":");
    esse_etcd_put_text(&conn->body, ESSE_ETCD_PREFIX, strlen(ESSE_ETCD_PREFIX));
    esse_out_text(&conn->body, conn->target->is_stale ? ",\"serializable\":true}" : "}");
    esse_etcd_ask(conn, "/v3/kv/range");
}

static void ask_for_token(struct esse_etcd_conn *conn)
{
    const struct esse_url *url = conn->target->url;
    esse_out_text(&conn->body, "{\"name\":");
    esse_out_json_text(&conn->body, url->user);
    esse_out_text(&conn->body, ",\"password\":");
    esse_out_json(&conn->body, url->password ? url->password : "",
                  url->password ? strlen(url->password) : 0);
    esse_out_char(&conn->body, '}');
    esse_etcd_ask(conn, "/v3/auth/authenticate");
}

static enum esse_progress step_connect(struct esse_etcd_conn *conn, struct esse_reply *reply)
{
    enum esse_progress progress = hear(conn, reply);
    if (progress == ESSE_PROGRESS_DONE && conn->is_authenticating) {
        conn->is_authenticating = false;
        esse_out_bytes(&conn->token, conn->answer.token.buffer, conn->answer.token.count);
        ask_whether_there(conn);
        progress = hear(conn, reply);
    }
    if (progress == ESSE_PROGRESS_FAILED) {
        reply->failure.is_fatal |= conn->answer.code == ESSE_GRPC_UNAUTHENTICATED;
        esse_etcd_drop(&conn->head);
    }
    return progress;
}

static enum esse_progress start_connect(struct esse_etcd_conn *conn, struct esse_reply *reply)
{
    struct esse_target *target = conn->target;
    const struct esse_wire_host *host = &target->hosts[conn->request.host % target->host_count];
    esse_etcd_drop(&conn->head);
    conn->host = host;
    conn->http.host = host->name;
    conn->answer.code = ESSE_GRPC_OK;
    conn->body.count = conn->token.count = 0;
    if (!host->is_found)
        return esse_failed(reply, ESSE_FATE_ABORTED, "", "%s: no address was found", host->name);
    esse_wire_open(&conn->http.wire, &host->address);
    conn->is_authenticating = target->url->user != NULL;
    if (conn->is_authenticating)
        ask_for_token(conn);
    else
        ask_whether_there(conn);
    return step_connect(conn, reply);
}

/* ---- operations ---- */

static bool is_list(const struct esse_etcd_conn *conn)
{
    return conn->target->schema->tables[conn->request.table].is_list;
}

static void ask_row(struct esse_etcd_conn *conn)
{
    esse_out_char(&conn->body, '{');
    put_key(conn, conn->row);
    if (conn->revision)
        esse_out_f(&conn->body, ",\"revision\":\"%lld\"", (long long)conn->revision);
    esse_out_text(&conn->body, conn->target->is_stale ? ",\"serializable\":true}" : "}");
    esse_etcd_ask(conn, "/v3/kv/range");
}

static void take_row(struct esse_etcd_conn *conn, struct esse_reply *reply)
{
    struct esse_etcd_answer *answer = &conn->answer;
    struct esse_draft_row *row = conn->row;
    long long number;
    row->is_known = true;
    row->is_held =
        !conn->target->is_loose || conn->request.ask == ESSE_ASK_APPEND || row->added.count;
    row->is_there = answer->is_there;
    row->revision = answer->is_there ? answer->mod_revision : 0;
    row->items.count = 0;
    row->value = ESSE_ABSENT;
    if (answer->is_there && is_list(conn))
        esse_live_parse_list(&row->items, conn->arena, esse_out_memory(&answer->value));
    else if (answer->is_there && sscanf(esse_out_memory(&answer->value), "%lld", &number) == 1)
        row->value = number;
    if (conn->target->is_loose)
        return;
    if (!conn->revision)
        conn->revision = answer->revision;
    reply->start_ts = conn->revision;
}

/* With what the row holds at hand. */
static enum esse_progress finish_operation(struct esse_etcd_conn *conn, struct esse_reply *reply)
{
    return esse_draft_answer(&conn->draft, conn->row, &conn->request, is_list(conn), reply);
}

static enum esse_progress step_operation(struct esse_etcd_conn *conn, struct esse_reply *reply)
{
    const enum esse_progress progress = hear(conn, reply);
    if (progress != ESSE_PROGRESS_DONE)
        return progress;
    take_row(conn, reply);
    return finish_operation(conn, reply);
}

static enum esse_progress start_operation(struct esse_etcd_conn *conn, struct esse_reply *reply)
{
    const struct esse_request *request = &conn->request;
    conn->row = esse_draft_row(&conn->draft, request->table, request->row);
    /* A list is put back as a whole, so an append must know it. */
    if (request->ask == ESSE_ASK_WRITE || esse_draft_sees(conn->row))
        return finish_operation(conn, reply);
    ask_row(conn);
    return step_operation(conn, reply);
}

/* ---- commit ---- */

static void put_compare(struct esse_etcd_conn *conn, const struct esse_draft_row *row)
{
    esse_out_char(&conn->body, '{');
    put_key(conn, row);
    esse_out_f(&conn->body, ",\"target\":\"MOD\",\"result\":\"EQUAL\",\"mod_revision\":\"%lld\"}",
               (long long)row->revision);
}

static void put_change(struct esse_etcd_conn *conn, const struct esse_draft_row *row)
{
    const bool is_put = row->is_written || row->added.count;
    struct esse_out *body = &conn->body;
    esse_out_text(body, is_put ? "{\"requestPut\":{" : "{\"requestDeleteRange\":{");
    put_key(conn, row);
    if (is_put) {
        struct esse_out *value = &conn->answer.value; /* it is no longer needed */
        struct esse_reply shown = { 0 };
        esse_draft_show(&conn->draft, row, row->added.count, &shown);
        value->count = 0;
        if (row->is_written)
            esse_out_i64(value, row->written);
        for (size_t i = 0; i < shown.item_count; i++) {
            if (i)
                esse_out_char(value, ',');
            esse_out_i64(value, shown.items[i]);
        }
        esse_out_text(body, ",\"value\":");
        esse_etcd_put_text(body, value->buffer, value->count);
    }
    esse_out_text(body, "}}");
}

/* Without a range a transaction that writes nothing would be answered by the node that is asked,
 * from what it has: etcd takes it for a "serializable" one. */
static void put_last_look(struct esse_etcd_conn *conn)
{
    esse_out_text(&conn->body, "{\"requestRange\":{");
    put_key(conn, conn->draft.rows[0]);
    esse_out_text(&conn->body, ",\"count_only\":true}}");
}

static void put_list(struct esse_etcd_conn *conn, bool is_compares)
{
    size_t count = 0;
    for (size_t i = 0; i < conn->draft.count; i++) {
        const struct esse_draft_row *row = conn->draft.rows[i];
        const bool is_wanted =
            is_compares ? row->is_held && !conn->target->is_blind : esse_draft_is_changed(row);
        if (!is_wanted)
            continue;
        if (count++)
            esse_out_char(&conn->body, ',');
        if (is_compares)
            put_compare(conn, row);
        else
            put_change(conn, row);
    }
}

static enum esse_progress step_commit(struct esse_etcd_conn *conn, struct esse_reply *reply)
{
    const enum esse_progress progress = hear(conn, reply);
    if (progress != ESSE_PROGRESS_DONE)
        return progress;
    if (!conn->answer.succeeded)
        return esse_failed(reply, ESSE_FATE_ABORTED, "compare", "what was read has changed since");
    if (conn->answer.has_written)
        reply->xid = reply->commit_ts = conn->answer.revision;
    return ESSE_PROGRESS_DONE;
}

/* Serializable reads, all at one revision, are a state that once was: nothing is left to ask for if
 * nothing is written. */
static enum esse_progress start_commit(struct esse_etcd_conn *conn, struct esse_reply *reply)
{
    const bool writes = esse_draft_writes(&conn->draft);
    if (!writes && (!conn->draft.count || conn->target->is_loose || conn->target->is_stale))
        return ESSE_PROGRESS_DONE;
    esse_out_text(&conn->body, "{\"compare\":[");
    put_list(conn, true);
    esse_out_text(&conn->body, "],\"success\":[");
    if (writes)
        put_list(conn, false);
    else
        put_last_look(conn);
    esse_out_text(&conn->body, "]}");
    esse_etcd_ask(conn, "/v3/kv/txn");
    return step_commit(conn, reply);
}

/* ---- requests ---- */

enum esse_progress esse_etcd_start(struct esse_conn *head, const struct esse_request *request,
                                   struct esse_reply *reply)
{
    struct esse_etcd_conn *conn = (struct esse_etcd_conn *)head;
    conn->request = *request;
    switch (request->ask) {
    case ESSE_ASK_CONNECT:
        return start_connect(conn, reply);
    case ESSE_ASK_BEGIN:
        esse_draft_begin(&conn->draft);
        conn->revision = 0;
        return ESSE_PROGRESS_DONE;
    case ESSE_ASK_COMMIT:
        return start_commit(conn, reply);
    case ESSE_ASK_ROLLBACK:
        return ESSE_PROGRESS_DONE;
    default:
        return start_operation(conn, reply);
    }
}

enum esse_progress esse_etcd_step(struct esse_conn *head, struct esse_reply *reply)
{
    struct esse_etcd_conn *conn = (struct esse_etcd_conn *)head;
    switch (conn->request.ask) {
    case ESSE_ASK_CONNECT:
        return step_connect(conn, reply);
    case ESSE_ASK_COMMIT:
        return step_commit(conn, reply);
    default:
        return step_operation(conn, reply);
    }
}

/* ---- waiting ---- */

static bool finish_now(struct esse_etcd_conn *conn, enum esse_progress progress,
                       struct esse_reply *reply, int64_t deadline, char said[ESSE_SAID])
{
    while (progress == ESSE_PROGRESS_WAIT) {
        if (!esse_wire_wait(&conn->http.wire, deadline)) {
            esse_failed(reply, ESSE_FATE_UNKNOWN, "timeout", "no answer in time");
            esse_etcd_drop(&conn->head);
            progress = ESSE_PROGRESS_FAILED;
        } else {
            progress = conn->request.ask == ESSE_ASK_CONNECT ? step_connect(conn, reply)
                                                             : hear(conn, reply);
        }
    }
    if (progress == ESSE_PROGRESS_FAILED)
        esse_wire_said(conn->host, reply->failure.text, said);
    return progress == ESSE_PROGRESS_DONE;
}

bool esse_etcd_connect_now(struct esse_etcd_conn *conn, unsigned host, int64_t deadline,
                           char said[ESSE_SAID])
{
    const struct esse_request request = { .ask = ESSE_ASK_CONNECT, .host = host };
    struct esse_reply reply = { 0 };
    const enum esse_progress progress = esse_etcd_start(&conn->head, &request, &reply);
    return finish_now(conn, progress, &reply, deadline, said);
}

bool esse_etcd_ask_now(struct esse_etcd_conn *conn, const char *path, int64_t deadline,
                       char said[ESSE_SAID])
{
    struct esse_reply reply = { 0 };
    conn->request.ask = ESSE_ASK_READ;
    esse_etcd_ask(conn, path);
    return finish_now(conn, hear(conn, &reply), &reply, deadline, said);
}
