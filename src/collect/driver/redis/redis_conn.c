#include "collect/driver/redis/redis.h"

#include "collect/driver/drivers.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct esse_conn *esse_redis_conn(struct esse_target *target, struct esse_arena *arena,
                                  uint32_t session)
{
    struct esse_redis_conn *conn = esse_arena_alloc(arena, 1, sizeof *conn);
    (void)session;
    conn->head = (struct esse_conn){ .driver = &esse_driver_redis, .fd = -1 };
    conn->target = target;
    conn->arena = arena;
    esse_wire_init(&conn->wire, arena);
    esse_draft_init(&conn->draft, arena);
    return &conn->head;
}

static void forget_answer(struct esse_redis_conn *conn)
{
    if (conn->answer)
        freeReplyObject(conn->answer);
    conn->answer = NULL;
}

void esse_redis_drop(struct esse_conn *head)
{
    struct esse_redis_conn *conn = (struct esse_redis_conn *)head;
    esse_wire_close(&conn->wire);
    conn->head.fd = -1;
    forget_answer(conn);
    if (conn->reader)
        redisReaderFree(conn->reader);
    conn->reader = NULL;
}

/* ---- asking ---- */

void esse_redis_next(struct esse_redis_conn *conn)
{
    esse_wire_next(&conn->wire);
    forget_answer(conn);
    conn->awaited = 0;
    *conn->error = '\0';
}

void esse_redis_command(struct esse_redis_conn *conn, const char *word, ...)
{
    va_list words;
    unsigned count = 0;
    va_start(words, word);
    for (const char *at = word; at; at = va_arg(words, const char *))
        count++;
    va_end(words);
    esse_out_f(&conn->wire.out, "*%u\r\n", count);
    va_start(words, word);
    for (const char *at = word; at; at = va_arg(words, const char *)) {
        esse_out_f(&conn->wire.out, "$%zu\r\n", strlen(at));
        esse_out_text(&conn->wire.out, at);
        esse_out_text(&conn->wire.out, "\r\n");
    }
    va_end(words);
    conn->awaited++;
}

/* ---- errors ---- */

void esse_redis_classify(const char *error, struct esse_failure *failure)
{
    /* What trying again does not change. */
    static const char *const fatal[] = { "NOAUTH",  "WRONGPASS",  "NOPERM",     "WRONGTYPE",
                                         "ERR",     "READONLY",   "MOVED",      "CROSSSLOT",
                                         "MISCONF", "NOREPLICAS", "CLUSTERDOWN" };
    /* It is not the server that it was: another connection, perhaps to another host. */
    static const char *const lost[] = { "LOADING", "MASTERDOWN", "UNKILLABLE" };
    const size_t length = strcspn(error, " ");
    *failure = (struct esse_failure){ .fate = ESSE_FATE_ABORTED };
    snprintf(failure->code, sizeof failure->code, "%.*s", (int)(length < 15 ? length : 15), error);
    snprintf(failure->text, sizeof failure->text, "%s", error);
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        failure->is_fatal |= strcmp(failure->code, fatal[i]) == 0;
    for (size_t i = 0; i < sizeof lost / sizeof *lost; i++)
        failure->is_lost |= strcmp(failure->code, lost[i]) == 0;
}

static enum esse_progress fail_lost(struct esse_redis_conn *conn, struct esse_reply *reply,
                                    const char *what)
{
    /* A commit of which nothing has gone out has not happened. */
    const bool may_have = conn->request.ask == ESSE_ASK_COMMIT && conn->wire.sent > 0;
    esse_failed(reply, may_have ? ESSE_FATE_UNKNOWN : ESSE_FATE_ABORTED, "lost", "%s: %s",
                conn->host->name, what);
    reply->failure.is_lost = true;
    esse_redis_drop(&conn->head);
    return ESSE_PROGRESS_FAILED;
}

/* Among the answers there was an error.  A request that is no commit leaves the transaction, which
 * is the client's own; the keys that it watches are let go by ROLLBACK. */
static enum esse_progress fail_error(struct esse_redis_conn *conn, struct esse_reply *reply)
{
    esse_redis_classify(conn->error, &reply->failure);
    const bool is_operation = conn->request.ask != ESSE_ASK_COMMIT;
    if (is_operation && !reply->failure.is_lost)
        reply->failure.fate = ESSE_FATE_OPEN;
    if (reply->failure.is_lost)
        esse_redis_drop(&conn->head);
    return ESSE_PROGRESS_FAILED;
}

/* ---- hearing ---- */

/* Takes whole answers from what came.  False if this is not what Redis speaks. */
static bool take_answers(struct esse_redis_conn *conn)
{
    struct esse_out *in = &conn->wire.in;
    if (redisReaderFeed(conn->reader, in->buffer, in->count) != REDIS_OK)
        return false;
    in->count = 0;
    while (conn->awaited) {
        void *answer = NULL;
        if (redisReaderGetReply(conn->reader, &answer) != REDIS_OK)
            return false;
        if (!answer)
            return true;
        forget_answer(conn);
        conn->answer = answer;
        conn->awaited--;
        if (conn->answer->type == REDIS_REPLY_ERROR && !*conn->error)
            esse_url_tell(conn->target->url, conn->answer->str, conn->error);
    }
    return true;
}

/* DONE: all answers have come, the last is in 'answer'; errors among them are in 'error'. */
static enum esse_progress hear(struct esse_redis_conn *conn, struct esse_reply *reply)
{
    while (conn->awaited) {
        const enum esse_wire_news news = esse_wire_step(&conn->wire);
        conn->head.fd = conn->wire.fd;
        conn->head.events = conn->wire.events;
        if (news == ESSE_WIRE_LOST)
            return fail_lost(conn, reply, conn->wire.problem);
        if (news == ESSE_WIRE_WAIT)
            return ESSE_PROGRESS_WAIT;
        if (!take_answers(conn))
            return fail_lost(conn, reply, "the answer is not from a Redis server");
    }
    return ESSE_PROGRESS_DONE;
}

/* ---- connecting ---- */

static enum esse_progress step_connect(struct esse_redis_conn *conn, struct esse_reply *reply)
{
    const enum esse_progress progress = hear(conn, reply);
    if (progress != ESSE_PROGRESS_DONE || !*conn->error)
        return progress;
    fail_error(conn, reply);
    reply->failure.fate = ESSE_FATE_ABORTED;
    esse_redis_drop(&conn->head);
    return ESSE_PROGRESS_FAILED;
}

static enum esse_progress start_connect(struct esse_redis_conn *conn, struct esse_reply *reply)
{
    struct esse_target *target = conn->target;
    const char *user = target->url->user, *password = target->url->password;
    esse_redis_drop(&conn->head);
    conn->host = &target->hosts[conn->request.host % target->host_count];
    if (!conn->host->is_found)
        return esse_failed(reply, ESSE_FATE_ABORTED, "", "%s: no address was found",
                           conn->host->name);
    esse_redis_next(conn);
    esse_wire_open(&conn->wire, &conn->host->address);
    conn->reader = redisReaderCreate();
    conn->has_watched = false;
    if (user && *user)
        esse_redis_command(conn, "AUTH", user, password ? password : "", NULL);
    else if (password)
        esse_redis_command(conn, "AUTH", password, NULL);
    esse_redis_command(conn, "SELECT", target->database, NULL);
    return step_connect(conn, reply);
}

/* ---- operations ---- */

static bool is_list(const struct esse_redis_conn *conn, uint32_t table)
{
    return conn->target->schema->tables[table].is_list;
}

static const char *key_of(const struct esse_redis_conn *conn, const struct esse_draft_row *row,
                          char key[200])
{
    snprintf(key, 200, ESSE_REDIS_PREFIX "%s:%lld", conn->target->schema->tables[row->table].name,
             (long long)row->row);
    return key;
}

/* WATCH goes before the read, so that no change falls between.  A list with what the transaction
 * appends at its end is only true if no other transaction appends. */
static void ask_row(struct esse_redis_conn *conn)
{
    char key[200];
    key_of(conn, conn->row, key);
    esse_redis_next(conn);
    conn->row->is_held = !conn->target->is_loose || conn->row->added.count;
    if (conn->row->is_held) {
        esse_redis_command(conn, "WATCH", key, NULL);
        conn->has_watched = true;
    }
    if (is_list(conn, conn->row->table))
        esse_redis_command(conn, "LRANGE", key, "0", "-1", NULL);
    else
        esse_redis_command(conn, "GET", key, NULL);
}

static void take_row(struct esse_redis_conn *conn)
{
    const redisReply *answer = conn->answer;
    struct esse_draft_row *row = conn->row;
    row->is_known = true;
    row->items.count = 0;
    row->value = ESSE_ABSENT;
    if (answer->type == REDIS_REPLY_STRING)
        row->value = strtoll(answer->str, NULL, 10);
    for (size_t i = 0; answer->type == REDIS_REPLY_ARRAY && i < answer->elements; i++)
        if (answer->element[i]->type == REDIS_REPLY_STRING)
            esse_live_items_push(&row->items, conn->arena,
                                 strtoll(answer->element[i]->str, NULL, 10));
    row->is_there = answer->type == REDIS_REPLY_STRING || row->items.count;
}

/* With what the row holds at hand, where that matters. */
static enum esse_progress finish_operation(struct esse_redis_conn *conn, struct esse_reply *reply)
{
    return esse_draft_answer(&conn->draft, conn->row, &conn->request,
                             is_list(conn, conn->row->table), reply);
}

static enum esse_progress step_operation(struct esse_redis_conn *conn, struct esse_reply *reply)
{
    const enum esse_progress progress = hear(conn, reply);
    if (progress != ESSE_PROGRESS_DONE)
        return progress;
    if (*conn->error)
        return fail_error(conn, reply);
    take_row(conn);
    return finish_operation(conn, reply);
}

static enum esse_progress start_operation(struct esse_redis_conn *conn, struct esse_reply *reply)
{
    const struct esse_request *request = &conn->request;
    conn->row = esse_draft_row(&conn->draft, request->table, request->row);
    if (request->ask == ESSE_ASK_WRITE || request->ask == ESSE_ASK_APPEND ||
        esse_draft_sees(conn->row))
        return finish_operation(conn, reply);
    ask_row(conn);
    return step_operation(conn, reply);
}

/* ---- the end ---- */

static void command_changes(struct esse_redis_conn *conn, const struct esse_draft_row *row)
{
    char key[200], value[24];
    key_of(conn, row, key);
    if (row->is_deleted)
        esse_redis_command(conn, "DEL", key, NULL);
    snprintf(value, sizeof value, "%lld", (long long)row->written);
    if (row->is_written)
        esse_redis_command(conn, "SET", key, value, NULL);
    for (size_t i = 0; i < row->added.count; i++) {
        snprintf(value, sizeof value, "%lld", (long long)row->added.at[i]);
        esse_redis_command(conn, "RPUSH", key, value, NULL);
    }
}

/* EXEC does what it can: commands after one that fails are done all the same. */
static bool is_done_in_part(const redisReply *answer)
{
    for (size_t i = 0; i < answer->elements; i++)
        if (answer->element[i]->type == REDIS_REPLY_ERROR)
            return true;
    return false;
}

static enum esse_progress step_commit(struct esse_redis_conn *conn, struct esse_reply *reply)
{
    const enum esse_progress progress = hear(conn, reply);
    if (progress != ESSE_PROGRESS_DONE)
        return progress;
    conn->has_watched = false;
    const redisReply *answer = conn->answer; /* EXEC's, the last */
    if (answer->type == REDIS_REPLY_NIL)
        return esse_failed(reply, ESSE_FATE_ABORTED, "nil", "what was read has changed since");
    if (answer->type == REDIS_REPLY_ARRAY && !is_done_in_part(answer))
        return ESSE_PROGRESS_DONE;
    if (answer->type == REDIS_REPLY_ERROR) {
        /* Any but this says nothing about commands that were done while there was no MULTI. */
        const bool is_definite = strncmp(answer->str, "EXECABORT", strlen("EXECABORT")) == 0;
        fail_error(conn, reply);
        reply->failure.fate = is_definite ? ESSE_FATE_ABORTED : ESSE_FATE_UNKNOWN;
        return ESSE_PROGRESS_FAILED;
    }
    esse_failed(reply, ESSE_FATE_UNKNOWN, "part", "only a part of the transaction was done");
    reply->failure.is_fatal = true;
    return ESSE_PROGRESS_FAILED;
}

static enum esse_progress start_commit(struct esse_redis_conn *conn, struct esse_reply *reply)
{
    if (!conn->has_watched && !esse_draft_writes(&conn->draft))
        return ESSE_PROGRESS_DONE;
    esse_redis_next(conn);
    esse_redis_command(conn, "MULTI", NULL);
    for (size_t i = 0; i < conn->draft.count; i++)
        command_changes(conn, conn->draft.rows[i]);
    esse_redis_command(conn, "EXEC", NULL);
    return step_commit(conn, reply);
}

static enum esse_progress step_rollback(struct esse_redis_conn *conn, struct esse_reply *reply)
{
    const enum esse_progress progress = hear(conn, reply);
    if (progress == ESSE_PROGRESS_DONE && *conn->error)
        return fail_lost(conn, reply, conn->error);
    return progress;
}

static enum esse_progress start_rollback(struct esse_redis_conn *conn, struct esse_reply *reply)
{
    if (!conn->has_watched)
        return ESSE_PROGRESS_DONE;
    conn->has_watched = false;
    esse_redis_next(conn);
    esse_redis_command(conn, "UNWATCH", NULL);
    return step_rollback(conn, reply);
}

/* ---- requests ---- */

enum esse_progress esse_redis_start(struct esse_conn *head, const struct esse_request *request,
                                    struct esse_reply *reply)
{
    struct esse_redis_conn *conn = (struct esse_redis_conn *)head;
    conn->request = *request;
    switch (request->ask) {
    case ESSE_ASK_CONNECT:
        return start_connect(conn, reply);
    case ESSE_ASK_BEGIN:
        esse_draft_begin(&conn->draft);
        return ESSE_PROGRESS_DONE;
    case ESSE_ASK_COMMIT:
        return start_commit(conn, reply);
    case ESSE_ASK_ROLLBACK:
        return start_rollback(conn, reply);
    default:
        return start_operation(conn, reply);
    }
}

enum esse_progress esse_redis_step(struct esse_conn *head, struct esse_reply *reply)
{
    struct esse_redis_conn *conn = (struct esse_redis_conn *)head;
    switch (conn->request.ask) {
    case ESSE_ASK_CONNECT:
        return step_connect(conn, reply);
    case ESSE_ASK_COMMIT:
        return step_commit(conn, reply);
    case ESSE_ASK_ROLLBACK:
        return step_rollback(conn, reply);
    default:
        return step_operation(conn, reply);
    }
}

/* ---- waiting ---- */

static bool finish_now(struct esse_redis_conn *conn, int64_t deadline, char said[ESSE_SAID])
{
    struct esse_reply reply = { 0 };
    enum esse_progress progress;
    while ((progress = hear(conn, &reply)) == ESSE_PROGRESS_WAIT)
        if (!esse_wire_wait(&conn->wire, deadline)) {
            fail_lost(conn, &reply, "no answer in time");
            progress = ESSE_PROGRESS_FAILED;
            break;
        }
    if (progress == ESSE_PROGRESS_FAILED)
        esse_wire_said(conn->host, reply.failure.text, said);
    else if (*conn->error)
        snprintf(said, ESSE_SAID, "%s", conn->error);
    else
        return true;
    return false;
}

bool esse_redis_connect_now(struct esse_redis_conn *conn, unsigned host, int64_t deadline,
                            char said[ESSE_SAID])
{
    const struct esse_request request = { .ask = ESSE_ASK_CONNECT, .host = host };
    struct esse_reply reply = { 0 };
    if (esse_redis_start(&conn->head, &request, &reply) == ESSE_PROGRESS_FAILED) {
        esse_wire_said(conn->host, reply.failure.text, said);
        return false;
    }
    if (finish_now(conn, deadline, said))
        return true;
    esse_redis_drop(&conn->head);
    return false;
}

bool esse_redis_ask_now(struct esse_redis_conn *conn, int64_t deadline, char said[ESSE_SAID])
{
    conn->request.ask = ESSE_ASK_READ;
    return finish_now(conn, deadline, said);
}
