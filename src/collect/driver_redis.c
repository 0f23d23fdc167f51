#include "collect/drivers.h"
#include "collect/live_rows.h"

#include <hiredis/hiredis.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Redis: optimistic transactions.  Every key is watched before it is read, writes are kept here
 * until COMMIT, which sends them between MULTI and EXEC; EXEC does nothing if somebody has changed
 * a watched key.  A read of what the transaction has written itself is answered from here.
 *
 * Rows are the keys esse:TABLE:ROW, strings, or lists for RPUSH.
 */
static const struct esse_claim claims[] = {
    { "serializable", "serializable", "redis.io, Transactions: WATCH and check-and-set" },
    { 0 },
};

struct esse_target {
    struct esse_arena *arena;
    const struct esse_url *url;
    const struct esse_schema *schema;
    redisContext *main; /* makes the rows and removes them */
};

/* A write that waits for COMMIT. */
struct waiting {
    enum esse_ask ask;
    uint32_t table;
    int64_t row, value;
};
ESSE_VEC(waiting_vec, struct waiting)

struct conn {
    struct esse_conn head;
    struct esse_target *target;
    struct esse_arena *arena;
    redisContext *redis;
    struct esse_request request;
    bool is_connecting;
    bool has_read; /* something is watched */
    struct waiting_vec waiting;
    unsigned expected, came; /* replies of the request */
    bool has_failed;
    struct esse_live_items items;
};

/* ---- target ---- */

static bool open_target(struct esse_arena *arena, const struct esse_url *url,
                        const struct esse_claim *isolation, struct esse_target **out,
                        struct esse_error *err)
{
    static const char *const none[] = { NULL };
    struct esse_target *target = esse_arena_alloc(arena, 1, sizeof *target);
    (void)isolation;
    target->arena = arena;
    target->url = url;
    *out = target;
    return esse_url_knows(url, none, err);
}

static const char *host_of(const struct esse_target *target, unsigned host, int *port)
{
    const struct esse_url *url = target->url;
    const struct esse_host *where = url->host_count ? &url->hosts[host % url->host_count] : NULL;
    *port = where && where->port ? (int)where->port : 6379;
    return where && *where->name ? where->name : "127.0.0.1";
}

/* What a session begins with: who it is, and which database it uses.  How many replies that has. */
static unsigned append_greeting(const struct esse_target *target, redisContext *redis)
{
    const struct esse_url *url = target->url;
    unsigned count = 0;
    if (url->password && url->user && *url->user)
        count += redisAppendCommand(redis, "AUTH %s %s", url->user, url->password) == REDIS_OK;
    else if (url->password)
        count += redisAppendCommand(redis, "AUTH %s", url->password) == REDIS_OK;
    if (*url->path)
        count += redisAppendCommand(redis, "SELECT %s", url->path) == REDIS_OK;
    return count;
}

static bool fail_with(struct esse_target *target, const char *said, struct esse_error *err)
{
    char text[240];
    snprintf(text, sizeof text, "%s", said);
    esse_url_scrub(target->url, text);
    return esse_fail(err, ESSE_EUNAVAILABLE, "the database refused: %s", text);
}

/* The reply that comes next; NULL, and 'err' filled, if it is an error or there is none. */
static redisReply *next_reply(struct esse_target *target, struct esse_error *err)
{
    void *reply = NULL;
    if (redisGetReply(target->main, &reply) != REDIS_OK) {
        fail_with(target, target->main->errstr, err);
        return NULL;
    }
    redisReply *told = reply;
    if (told->type != REDIS_REPLY_ERROR)
        return told;
    fail_with(target, told->str, err);
    freeReplyObject(told);
    return NULL;
}

static bool take_replies(struct esse_target *target, uint64_t count, struct esse_error *err)
{
    while (count-- > 0) {
        redisReply *reply = next_reply(target, err);
        if (!reply)
            return false;
        freeReplyObject(reply);
    }
    return true;
}

static bool connect_main(struct esse_target *target, struct esse_error *err)
{
    const struct timeval limit = { 10, 0 };
    const unsigned hosts = target->url->host_count ? (unsigned)target->url->host_count : 1;
    char all[400] = "";
    for (unsigned host = 0; host < hosts; host++) {
        int port;
        const char *name = host_of(target, host, &port);
        target->main = redisConnectWithTimeout(name, port, limit);
        if (target->main && !target->main->err)
            return take_replies(target, append_greeting(target, target->main), err);
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s:%d: %s", *all ? "; " : "", name,
                 port, target->main ? target->main->errstr : "out of memory");
        redisFree(target->main);
        target->main = NULL;
    }
    return esse_fail(err, ESSE_EUNAVAILABLE, "%s", all);
}

/* Removes all rows, of other schemas too. */
static bool remove_rows(struct esse_target *target, struct esse_error *err)
{
    char cursor[32] = "0";
    do {
        if (redisAppendCommand(target->main, "SCAN %s MATCH esse:* COUNT 1000", cursor) != REDIS_OK)
            return esse_fail(err, ESSE_EUNAVAILABLE, "out of memory");
        redisReply *reply = next_reply(target, err);
        if (!reply)
            return false;
        const redisReply *keys = reply->elements == 2 ? reply->element[1] : NULL;
        snprintf(cursor, sizeof cursor, "%s", keys ? reply->element[0]->str : "0");
        uint64_t count = 0;
        for (size_t i = 0; keys && i < keys->elements; i++)
            count += redisAppendCommand(target->main, "DEL %b", keys->element[i]->str,
                                        keys->element[i]->len) == REDIS_OK;
        freeReplyObject(reply);
        if (!take_replies(target, count, err))
            return false;
    } while (strcmp(cursor, "0") != 0);
    return true;
}

static bool prepare(struct esse_target *target, const struct esse_schema *schema,
                    struct esse_error *err)
{
    target->schema = schema;
    if (!connect_main(target, err) || !remove_rows(target, err))
        return false;
    for (uint32_t t = 0; t < schema->count; t++) {
        const struct esse_table *table = &schema->tables[t];
        for (uint64_t row = 0; row < table->rows; row++)
            if (table->initial[row] != ESSE_ABSENT &&
                (redisAppendCommand(target->main, "SET esse:%s:%llu %lld", table->name,
                                    (unsigned long long)row,
                                    (long long)table->initial[row]) != REDIS_OK ||
                 !take_replies(target, 1, err)))
                return false;
    }
    return true;
}

static bool describe(struct esse_target *target, struct esse_description *description,
                     struct esse_error *err)
{
    redisAppendCommand(target->main, "INFO server");
    redisReply *reply = next_reply(target, err);
    if (!reply)
        return false;
    const char *version = strstr(reply->str ? reply->str : "", "redis_version:");
    version = version ? version + strlen("redis_version:") : "";
    *description = (struct esse_description){
        .product =
            esse_arena_format(target->arena, "redis %.*s", (int)strcspn(version, "\r\n"), version),
    };
    freeReplyObject(reply);
    return true;
}

static void clean(struct esse_target *target)
{
    struct esse_error ignored;
    if (target->main && (target->main->err || !remove_rows(target, &ignored))) {
        redisFree(target->main);
        if (connect_main(target, &ignored))
            remove_rows(target, &ignored);
    }
}

static void close_target(struct esse_target *target)
{
    redisFree(target->main);
    target->main = NULL;
}

/* ---- connections ---- */

static struct esse_conn *new_conn(struct esse_target *target, struct esse_arena *arena,
                                  uint32_t session)
{
    struct conn *conn = esse_arena_alloc(arena, 1, sizeof *conn);
    (void)session;
    conn->head = (struct esse_conn){ .driver = &esse_driver_redis, .fd = -1 };
    conn->target = target;
    conn->arena = arena;
    return &conn->head;
}

static void drop(struct esse_conn *head)
{
    struct conn *conn = (struct conn *)head;
    redisFree(conn->redis);
    conn->redis = NULL;
    conn->head.fd = -1;
}

static enum esse_progress lost(struct conn *conn, struct esse_reply *reply)
{
    const bool is_commit = conn->request.ask == ESSE_ASK_COMMIT;
    char text[240];
    snprintf(text, sizeof text, "%s",
             conn->redis && *conn->redis->errstr ? conn->redis->errstr : "the connection was lost");
    esse_url_scrub(conn->target->url, text);
    esse_failed(reply, is_commit ? ESSE_FATE_UNKNOWN : ESSE_FATE_ABORTED, "", "%s", text);
    reply->failure.is_lost = true;
    drop(&conn->head);
    return ESSE_PROGRESS_FAILED;
}

static void append(struct conn *conn, int was_appended)
{
    conn->expected += was_appended == REDIS_OK;
}

static enum esse_progress start_connect(struct conn *conn, struct esse_reply *reply)
{
    int port;
    drop(&conn->head);
    const char *name = host_of(conn->target, conn->request.host, &port);
    conn->redis = redisConnectNonBlock(name, port);
    if (!conn->redis || conn->redis->err)
        return lost(conn, reply);
    conn->expected = append_greeting(conn->target, conn->redis);
    append(conn, redisAppendCommand(conn->redis, "PING")); /* its answer says that we are there */
    conn->head.fd = conn->redis->fd;
    conn->head.events = POLLOUT;
    conn->is_connecting = true;
    return ESSE_PROGRESS_WAIT;
}

/* ---- requests ---- */

static const char *table_name(const struct conn *conn, uint32_t table)
{
    return conn->target->schema->tables[table].name;
}

/* The transaction's own last write to the row; NULL if there is none. */
static const struct waiting *own_write(const struct conn *conn)
{
    for (size_t i = conn->waiting.count; i-- > 0;) {
        const struct waiting *write = &conn->waiting.at[i];
        if (write->table == conn->request.table && write->row == conn->request.row)
            return write;
    }
    return NULL;
}

static void ask_row(struct conn *conn)
{
    const char *table = table_name(conn, conn->request.table);
    const long long row = conn->request.row;
    const bool is_list = conn->target->schema->tables[conn->request.table].is_list;
    append(conn, redisAppendCommand(conn->redis, "WATCH esse:%s:%lld", table, row));
    append(conn, is_list ? redisAppendCommand(conn->redis, "LRANGE esse:%s:%lld 0 -1", table, row)
                         : redisAppendCommand(conn->redis, "GET esse:%s:%lld", table, row));
    conn->has_read = true;
}

static void ask_commit(struct conn *conn)
{
    append(conn, redisAppendCommand(conn->redis, "MULTI"));
    for (size_t i = 0; i < conn->waiting.count; i++) {
        const struct waiting *write = &conn->waiting.at[i];
        const char *table = table_name(conn, write->table);
        const long long row = write->row, value = write->value;
        append(conn,
               write->ask == ESSE_ASK_APPEND
                   ? redisAppendCommand(conn->redis, "RPUSH esse:%s:%lld %lld", table, row, value)
               : write->ask == ESSE_ASK_DELETE
                   ? redisAppendCommand(conn->redis, "DEL esse:%s:%lld", table, row)
                   : redisAppendCommand(conn->redis, "SET esse:%s:%lld %lld", table, row, value));
    }
    append(conn, redisAppendCommand(conn->redis, "EXEC"));
}

/* Writes wait for COMMIT; whether a row is there must be asked for. */
static void keep_write(struct conn *conn)
{
    const struct esse_request *request = &conn->request;
    waiting_vec_push(
        &conn->waiting, conn->arena,
        (struct waiting){ request->ask, request->table, request->row, request->value });
}

static void take_list(struct conn *conn, const redisReply *told, struct esse_reply *reply)
{
    conn->items.count = 0;
    for (size_t i = 0; told && i < told->elements; i++)
        esse_live_items_push(&conn->items, conn->arena, strtoll(told->element[i]->str, NULL, 10));
    for (size_t i = 0; i < conn->waiting.count; i++) {
        const struct waiting *write = &conn->waiting.at[i];
        if (write->table != conn->request.table || write->row != conn->request.row)
            continue;
        if (write->ask == ESSE_ASK_DELETE)
            conn->items.count = 0;
        else
            esse_live_items_push(&conn->items, conn->arena, write->value);
    }
    reply->items = conn->items.at;
    reply->item_count = conn->items.count;
}

static void note_error(struct conn *conn, const char *said, struct esse_reply *reply)
{
    const bool is_commit = conn->request.ask == ESSE_ASK_COMMIT;
    char code[16];
    snprintf(code, sizeof code, "%.*s", (int)strcspn(said, " "), said);
    esse_failed(reply, is_commit ? ESSE_FATE_ABORTED : ESSE_FATE_OPEN, code, "%s", said);
    /* EXECABORT and the errors before it say that nothing was done; LOADING and such pass. */
    reply->failure.is_fatal = !is_commit && strcmp(code, "LOADING") != 0;
    conn->has_failed = true;
}

/* The last reply of a request is its answer; the ones before only say whether all is well. */
static void take_reply(struct conn *conn, const redisReply *told, struct esse_reply *reply)
{
    const struct esse_request *request = &conn->request;
    const bool is_list = conn->target->schema->tables[request->table].is_list;
    if (told->type == REDIS_REPLY_ERROR && !conn->has_failed)
        note_error(conn, told->str, reply);
    if (conn->has_failed || conn->came < conn->expected)
        return;
    const bool is_there = told->type == REDIS_REPLY_STRING || told->elements > 0;
    if (request->ask == ESSE_ASK_READ && is_list)
        take_list(conn, told, reply);
    else if (request->ask == ESSE_ASK_READ && is_there)
        reply->value = strtoll(told->str, NULL, 10);
    else if (request->ask == ESSE_ASK_DELETE)
        reply->is_absent = !is_there;
    if ((request->ask == ESSE_ASK_DELETE && is_there) ||
        (request->ask == ESSE_ASK_INSERT && !is_there))
        keep_write(conn);
    if (request->ask == ESSE_ASK_INSERT && is_there)
        note_error(conn, "EXISTS the row is there", reply);
    if (request->ask == ESSE_ASK_INSERT && is_there)
        reply->failure.is_fatal = false;
    if (request->ask == ESSE_ASK_COMMIT && told->type == REDIS_REPLY_NIL)
        note_error(conn, "EXEC a watched key was changed", reply);
}

static enum esse_progress receive(struct conn *conn, struct esse_reply *reply)
{
    int is_written = 0;
    void *told = NULL;
    if (redisBufferWrite(conn->redis, &is_written) != REDIS_OK)
        return lost(conn, reply);
    if (!conn->is_connecting && redisBufferRead(conn->redis) != REDIS_OK)
        return lost(conn, reply);
    conn->is_connecting &= !is_written;
    while (conn->came < conn->expected) {
        if (redisGetReplyFromReader(conn->redis, &told) != REDIS_OK)
            return lost(conn, reply);
        if (!told)
            break;
        conn->came++;
        take_reply(conn, told, reply);
        freeReplyObject(told);
    }
    if (conn->came == conn->expected)
        return conn->has_failed ? ESSE_PROGRESS_FAILED : ESSE_PROGRESS_DONE;
    conn->head.events = is_written ? POLLIN : POLLIN | POLLOUT;
    return ESSE_PROGRESS_WAIT;
}

static enum esse_progress step(struct esse_conn *head, struct esse_reply *reply)
{
    return receive((struct conn *)head, reply);
}

/* What is asked of the server; nothing for what can be answered here. */
static void ask(struct conn *conn, struct esse_reply *reply)
{
    const struct waiting *own = own_write(conn);
    const bool is_list = conn->target->schema->tables[conn->request.table].is_list;
    switch (conn->request.ask) {
    case ESSE_ASK_READ:
        if (own && !is_list)
            reply->value = own->ask == ESSE_ASK_DELETE ? ESSE_ABSENT : own->value;
        else
            ask_row(conn);
        break;
    case ESSE_ASK_DELETE:
        reply->is_absent = own && own->ask == ESSE_ASK_DELETE;
        if (!own)
            ask_row(conn);
        else if (!reply->is_absent)
            keep_write(conn);
        break;
    case ESSE_ASK_INSERT:
        ask_row(conn);
        break;
    case ESSE_ASK_WRITE:
    case ESSE_ASK_APPEND:
        keep_write(conn);
        break;
    case ESSE_ASK_COMMIT:
        if (conn->has_read || conn->waiting.count)
            ask_commit(conn);
        break;
    case ESSE_ASK_ROLLBACK:
        append(conn, redisAppendCommand(conn->redis, "UNWATCH"));
        break;
    default:
        break;
    }
}

static enum esse_progress start(struct esse_conn *head, const struct esse_request *request,
                                struct esse_reply *reply)
{
    struct conn *conn = (struct conn *)head;
    conn->request = *request;
    conn->expected = conn->came = 0;
    conn->has_failed = false;
    if (request->ask == ESSE_ASK_CONNECT)
        return start_connect(conn, reply);
    if (request->ask == ESSE_ASK_BEGIN) {
        conn->waiting.count = 0;
        conn->has_read = false;
        return ESSE_PROGRESS_DONE;
    }
    if (!conn->redis)
        return lost(conn, reply);
    ask(conn, reply);
    return conn->expected ? receive(conn, reply) : ESSE_PROGRESS_DONE;
}

const struct esse_driver esse_driver_redis = {
    .name = "redis",
    .schemes = "redis",
    .summary = "Redis, by WATCH, MULTI and EXEC",
    .parameters = "",
    .can = ESSE_CAN_LISTS | ESSE_CAN_DELETE,
    .claims = claims,
    .open = open_target,
    .prepare = prepare,
    .describe = describe,
    .clean = clean,
    .close = close_target,
    .conn = new_conn,
    .start = start,
    .step = step,
    .drop = drop,
};
