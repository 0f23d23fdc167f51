#include "collect/driver/etcd/etcd.h"

#include "collect/driver/drivers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_PORT = 2379 };

static const struct esse_claim claims[] = {
    { "strict-serializable", "strict-serializable", "etcd 3.5, KV API guarantees" },
    { "serializable", "serializable", "etcd 3.5, KV API guarantees: serializable reads" },
    { "read-committed", "read-committed", "etcd 3.5, concurrency.ReadCommitted: no compares" },
    { 0 },
};

/* ---- opening ---- */

static bool open_target(struct esse_arena *arena, const struct esse_driver *driver,
                        const struct esse_url *url, const struct esse_claim *isolation,
                        struct esse_target **out, struct esse_error *err)
{
    static const char *const names[] = { "mode", "connect_seconds", NULL };
    struct esse_target *target = esse_arena_alloc(arena, 1, sizeof *target);
    const char *mode = esse_url_parameter(url, "mode");
    (void)driver;
    if (!esse_url_knows(url, names, err) || !esse_wire_seconds(url, &target->connect_seconds, err))
        return false;
    if (*url->path)
        return esse_fail(err, ESSE_EUSAGE,
                         "the target's URL: expected etcd://HOST:PORT,..., no path");
    if (mode && strcmp(mode, "blind") != 0 && strcmp(mode, "compare") != 0)
        return esse_fail(err, ESSE_EUSAGE,
                         "the target's URL: mode must be compare or blind, not '%.60s'", mode);
    target->arena = arena;
    target->url = url;
    target->is_blind = mode && strcmp(mode, "blind") == 0;
    target->is_loose = target->is_blind || strcmp(isolation->setting, "read-committed") == 0;
    target->is_stale = strcmp(isolation->setting, "serializable") == 0;
    target->hosts = esse_wire_hosts(arena, url, DEFAULT_PORT, &target->host_count);
    *out = target;
    return true;
}

struct esse_out *esse_etcd_body(struct esse_target *target)
{
    target->main->body.count = 0;
    return &target->main->body;
}

/* The body is kept aside: connecting has bodies of its own. */
static bool connect_main(struct esse_target *target, int64_t deadline, char said[ESSE_SAID])
{
    struct esse_etcd_conn *conn = target->main;
    const struct esse_out body = conn->body;
    bool ok = false;
    esse_out_init_memory(&conn->body, target->arena);
    for (unsigned i = 0; !ok && i < target->host_count; i++)
        ok = esse_etcd_connect_now(conn, i, deadline, said);
    conn->body = body;
    return ok;
}

bool esse_etcd_ask_main(struct esse_target *target, const char *path, struct esse_error *err)
{
    struct esse_etcd_conn *conn = target->main;
    const int64_t deadline = esse_wire_deadline(target->connect_seconds);
    const size_t length = conn->body.count;
    char said[ESSE_SAID] = "";
    if (conn->head.fd >= 0 && esse_etcd_ask_now(conn, path, deadline, said))
        return true;
    /* The server may have gone and come back since.  All that is asked can be asked twice. */
    conn->body.count = length;
    if (conn->head.fd < 0 && connect_main(target, deadline, said) &&
        esse_etcd_ask_now(conn, path, deadline, said))
        return true;
    return esse_fail(err, ESSE_EUNAVAILABLE, "%s: %s", conn->host->name, said);
}

/* ---- the schema ---- */

static bool greets(void *context, unsigned host, char said[ESSE_SAID])
{
    struct esse_target *target = context;
    return esse_etcd_connect_now(target->main, host, esse_wire_deadline(target->connect_seconds),
                                 said);
}

/* All keys that begin with 'prefix', which ends with a slash: up to the next character. */
static void put_range(struct esse_out *out, const char *prefix)
{
    char end[200];
    snprintf(end, sizeof end, "%s", prefix);
    end[strlen(end) - 1]++;
    esse_out_text(out, "\"key\":");
    esse_etcd_put_text(out, prefix, strlen(prefix));
    esse_out_text(out, ",\"range_end\":");
    esse_etcd_put_text(out, end, strlen(end));
}

static bool remove_table(struct esse_target *target, const char *table, struct esse_error *err)
{
    char prefix[200];
    struct esse_out *body = esse_etcd_body(target);
    snprintf(prefix, sizeof prefix, ESSE_ETCD_PREFIX "%s/", table);
    esse_out_char(body, '{');
    put_range(body, prefix);
    esse_out_char(body, '}');
    return esse_etcd_ask_main(target, "/v3/kv/deleterange", err);
}

static void put_row(struct esse_out *body, const char *table, uint64_t row, int64_t value,
                    bool is_first)
{
    char key[200], text[24];
    snprintf(key, sizeof key, ESSE_ETCD_PREFIX "%s/%llu", table, (unsigned long long)row);
    snprintf(text, sizeof text, "%lld", (long long)value);
    esse_out_text(body, is_first ? "{\"success\":[" : ",");
    esse_out_text(body, "{\"requestPut\":{\"key\":");
    esse_etcd_put_text(body, key, strlen(key));
    esse_out_text(body, ",\"value\":");
    esse_etcd_put_text(body, text, strlen(text));
    esse_out_text(body, "}}");
}

static bool fill_table(struct esse_target *target, const struct esse_table *table,
                       struct esse_error *err)
{
    enum { AT_ONCE = 100 }; /* etcd takes 128 */
    unsigned count = 0;
    bool ok = true;
    struct esse_out *body = esse_etcd_body(target);
    for (uint64_t i = 0; ok && i <= table->rows; i++) {
        if (i < table->rows && table->initial[i] != ESSE_ABSENT)
            put_row(body, table->name, i, table->initial[i], count++ == 0);
        if (count == AT_ONCE || (i == table->rows && count)) {
            esse_out_text(body, "]}");
            ok = esse_etcd_ask_main(target, "/v3/kv/txn", err);
            count = 0;
        }
    }
    return ok;
}

static bool prepare(struct esse_target *target, const struct esse_schema *schema,
                    struct esse_error *err)
{
    target->schema = schema;
    target->main = (struct esse_etcd_conn *)esse_etcd_conn(target, target->arena, 0);
    if (!esse_wire_reach(target->hosts, target->host_count, greets, target, err))
        return false;
    target->is_reached = true;
    for (uint32_t t = 0; t < schema->count; t++)
        if (!remove_table(target, schema->tables[t].name, err) ||
            !fill_table(target, &schema->tables[t], err))
            return false;
    return true;
}

static bool describe(struct esse_target *target, struct esse_description *description,
                     struct esse_error *err)
{
    enum { SETTINGS = 2 };
    struct esse_setting *settings = esse_arena_alloc(target->arena, SETTINGS, sizeof *settings);
    esse_out_text(esse_etcd_body(target), "{}");
    if (!esse_etcd_ask_main(target, "/v3/maintenance/status", err))
        return false;
    settings[0] =
        (struct esse_setting){ "reads", target->is_stale ? "serializable" : "linearizable" };
    settings[1] = (struct esse_setting){ "compares", target->is_blind   ? "none"
                                                     : target->is_loose ? "appends"
                                                                        : "reads" };
    *description = (struct esse_description){
        .product = esse_arena_format(target->arena, "etcd %s", target->main->answer.version),
        .settings = settings,
        .setting_count = SETTINGS,
    };
    return true;
}

static void clean(struct esse_target *target)
{
    struct esse_error ignored;
    bool ok = target->is_reached;
    for (uint32_t t = 0; ok && t < target->schema->count; t++)
        ok = remove_table(target, target->schema->tables[t].name, &ignored);
}

static void close_target(struct esse_target *target)
{
    if (target->main)
        esse_etcd_drop(&target->main->head);
}

const struct esse_driver esse_driver_etcd = {
    .name = "etcd",
    .schemes = "etcd",
    .summary = "etcd 3, through its JSON gateway",
    .parameters = "mode=compare|blind      whether a commit asks if what was read still holds "
                  "(default: compare)\n"
                  "connect_seconds=TIME    how long the first connection may take (default: 10)",
    .can = ESSE_CAN_LISTS | ESSE_CAN_DELETE,
    .claims = claims,
    .open = open_target,
    .prepare = prepare,
    .describe = describe,
    .clean = clean,
    .close = close_target,
    .conn = esse_etcd_conn,
    .start = esse_etcd_start,
    .step = esse_etcd_step,
    .drop = esse_etcd_drop,
    .certificate = &esse_etcd_certifying,
};
