#include "collect/driver/redis/redis.h"

#include "collect/driver/drivers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_PORT = 6379 };

static const struct esse_claim claims[] = {
    { "serializable", "serializable", "redis.io, Transactions: WATCH, MULTI and EXEC" },
    { "read-committed", "read-committed", "redis.io, Transactions: MULTI and EXEC alone" },
    { 0 },
};

/* ---- opening ---- */

static bool is_number(const char *text)
{
    return *text && strspn(text, "0123456789") == strlen(text) && strlen(text) < 10;
}

/* The environment's password is a secret like the URL's own. */
static const struct esse_url *with_password(struct esse_arena *arena, const struct esse_url *url,
                                            const char *password)
{
    struct esse_url *copy = esse_arena_alloc(arena, 1, sizeof *copy);
    *copy = *url;
    copy->password = password;
    return copy;
}

static bool open_target(struct esse_arena *arena, const struct esse_driver *driver,
                        const struct esse_url *url, const struct esse_claim *isolation,
                        struct esse_target **out, struct esse_error *err)
{
    static const char *const names[] = { "connect_seconds", NULL };
    struct esse_target *target = esse_arena_alloc(arena, 1, sizeof *target);
    (void)driver;
    if (!esse_client_load(&esse_client_hiredis, err) || !esse_url_knows(url, names, err) ||
        !esse_wire_seconds(url, &target->connect_seconds, err))
        return false;
    if (*url->path && !is_number(url->path))
        return esse_fail(err, ESSE_EUSAGE,
                         "the target's URL: expected redis://HOST:PORT/DATABASE, a number");
    target->arena = arena;
    target->url = url->password ? url : with_password(arena, url, getenv("REDISCLI_AUTH"));
    target->database = *url->path ? url->path : "0";
    target->is_loose = strcmp(isolation->setting, "read-committed") == 0;
    target->hosts = esse_wire_hosts(arena, url, DEFAULT_PORT, &target->host_count);
    *out = target;
    return true;
}

static bool greets(void *context, unsigned host, char said[ESSE_SAID])
{
    struct esse_target *target = context;
    return esse_redis_connect_now(target->main, host, esse_wire_deadline(target->connect_seconds),
                                  said);
}

static bool ask(struct esse_target *target, struct esse_error *err)
{
    char said[ESSE_SAID] = "";
    return esse_redis_ask_now(target->main, esse_wire_deadline(target->connect_seconds), said) ||
           esse_fail(err, ESSE_EUNAVAILABLE, "the database refused: %s", said);
}

/* ---- the schema ---- */

/* The keys of one step of a SCAN, removed; the cursor of the next step. */
static bool remove_some(struct esse_target *target, const char *pattern, char cursor[24],
                        struct esse_error *err)
{
    struct esse_redis_conn *conn = target->main;
    esse_redis_next(conn);
    esse_redis_command(conn, "SCAN", cursor, "MATCH", pattern, "COUNT", "1000", NULL);
    if (!ask(target, err))
        return false;
    redisReply *found = conn->answer;
    conn->answer = NULL;
    bool ok = found->type == REDIS_REPLY_ARRAY && found->elements == 2 &&
              found->element[0]->type == REDIS_REPLY_STRING;
    if (!ok)
        esse_fail(err, ESSE_EUNAVAILABLE, "the database answered SCAN in a way that is not known");
    else
        snprintf(cursor, 24, "%s", found->element[0]->str);
    esse_redis_next(conn);
    for (size_t i = 0; ok && i < found->element[1]->elements; i++)
        esse_redis_command(conn, "UNLINK", found->element[1]->element[i]->str, NULL);
    ok = ok && (!conn->awaited || ask(target, err));
    freeReplyObject(found);
    return ok;
}

static bool remove_table(struct esse_target *target, const char *table, struct esse_error *err)
{
    char pattern[200], cursor[24] = "0";
    snprintf(pattern, sizeof pattern, ESSE_REDIS_PREFIX "%s:*", table);
    do
        if (!remove_some(target, pattern, cursor, err))
            return false;
    while (strcmp(cursor, "0") != 0);
    return true;
}

static bool fill_table(struct esse_target *target, const struct esse_table *table,
                       struct esse_error *err)
{
    enum { AT_ONCE = 1000 };
    struct esse_redis_conn *conn = target->main;
    bool ok = true;
    esse_redis_next(conn);
    for (uint64_t i = 0; ok && i < table->rows; i++) {
        char key[200], value[24];
        snprintf(key, sizeof key, ESSE_REDIS_PREFIX "%s:%llu", table->name, (unsigned long long)i);
        snprintf(value, sizeof value, "%lld", (long long)table->initial[i]);
        if (table->initial[i] != ESSE_ABSENT)
            esse_redis_command(conn, table->is_list ? "RPUSH" : "SET", key, value, NULL);
        if (conn->awaited == AT_ONCE) {
            ok = ask(target, err);
            esse_redis_next(conn);
        }
    }
    return ok && (!conn->awaited || ask(target, err));
}

static bool prepare(struct esse_target *target, const struct esse_schema *schema,
                    struct esse_error *err)
{
    target->schema = schema;
    target->main = (struct esse_redis_conn *)esse_redis_conn(target, target->arena, 0);
    if (!esse_wire_reach(target->hosts, target->host_count, greets, target, err))
        return false;
    target->is_reached = true;
    for (uint32_t t = 0; t < schema->count; t++)
        if (!remove_table(target, schema->tables[t].name, err) ||
            !fill_table(target, &schema->tables[t], err))
            return false;
    return true;
}

/* ---- describing ---- */

/* The line NAME:VALUE of INFO. */
static const char *info_line(struct esse_target *target, const char *info, const char *name)
{
    const char *at = strstr(info, name);
    if (!at)
        return "?";
    at += strlen(name);
    return esse_arena_text(target->arena, at, strcspn(at, "\r\n"));
}

/* NULL if the server does not say. */
static const char *ask_setting(struct esse_target *target, const char *name)
{
    struct esse_redis_conn *conn = target->main;
    struct esse_error ignored;
    esse_redis_next(conn);
    esse_redis_command(conn, "CONFIG", "GET", name, NULL);
    if (!ask(target, &ignored) || conn->answer->type != REDIS_REPLY_ARRAY ||
        conn->answer->elements != 2 || conn->answer->element[1]->type != REDIS_REPLY_STRING)
        return NULL;
    return esse_arena_format(target->arena, "%s", conn->answer->element[1]->str);
}

static bool describe(struct esse_target *target, struct esse_description *description,
                     struct esse_error *err)
{
    static const char *const names[] = { "appendonly", "appendfsync", "save", "maxmemory-policy" };
    enum { SETTINGS = sizeof names / sizeof *names };
    struct esse_setting *settings = esse_arena_alloc(target->arena, SETTINGS + 1, sizeof *settings);
    struct esse_redis_conn *conn = target->main;
    size_t count = 0;
    esse_redis_next(conn);
    esse_redis_command(conn, "INFO", "server", NULL);
    if (!ask(target, err))
        return false;
    const char *version =
        info_line(target, conn->answer->type == REDIS_REPLY_STRING ? conn->answer->str : "",
                  "redis_version:");
    settings[count++] = (struct esse_setting){ "watch", target->is_loose ? "appends" : "reads" };
    for (size_t i = 0; i < SETTINGS; i++) {
        const char *value = ask_setting(target, names[i]);
        if (value)
            settings[count++] = (struct esse_setting){ names[i], value };
    }
    *description = (struct esse_description){
        .product = esse_arena_format(target->arena, "redis %s", version),
        .settings = settings,
        .setting_count = count,
    };
    return true;
}

/* The server may have gone and come back since. */
static void clean(struct esse_target *target)
{
    struct esse_error ignored;
    char said[ESSE_SAID];
    if (!target->is_reached)
        return;
    if (!remove_table(target, target->schema->tables[0].name, &ignored) && !greets(target, 0, said))
        return;
    for (uint32_t t = 0; t < target->schema->count; t++)
        remove_table(target, target->schema->tables[t].name, &ignored);
}

static void close_target(struct esse_target *target)
{
    if (target->main)
        esse_redis_drop(&target->main->head);
}

const struct esse_driver esse_driver_redis = {
    .name = "redis",
    .schemes = "redis",
    .summary = "Redis, by WATCH, MULTI and EXEC",
    .parameters = "connect_seconds=TIME    how long the first connection may take (default: 10)",
    .can = ESSE_CAN_LISTS | ESSE_CAN_DELETE,
    .claims = claims,
    .open = open_target,
    .prepare = prepare,
    .describe = describe,
    .clean = clean,
    .close = close_target,
    .conn = esse_redis_conn,
    .start = esse_redis_start,
    .step = esse_redis_step,
    .drop = esse_redis_drop,
};
