#include "history/certificate.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/radix.h"
#include "history/access.h"
#include "history/building.h"

#include <string.h>

/* ---- from a file of its own ---- */

struct certificate {
    struct esse_sink sink;
    struct esse_builder *builder;
};

static struct esse_sink *builder_of(struct esse_sink *sink)
{
    struct esse_sink *to = esse_builder_sink(((struct certificate *)sink)->builder);
    to->line = sink->line;
    return to;
}

static bool has_key(const struct esse_builder *builder, esse_value name)
{
    struct esse_probe probe = esse_index_probe(&builder->key_index, esse_hash_word(name.word));
    uint32_t id;
    while (esse_probe_next(&probe, &id))
        if (esse_value_eq(builder->key_name.at[id], name))
            return true;
    return false;
}

/* The key of the history that has this text. */
static esse_value key_named(struct esse_sink *sink, esse_value name)
{
    struct esse_builder *builder = ((struct certificate *)sink)->builder;
    char room[8];
    if (has_key(builder, name) || esse_value_kind(sink->values, name) != ESSE_KIND_STRING)
        return name;
    struct esse_span text = esse_value_text(sink->values, name, room);
    esse_value keyword = esse_value_keyword(sink->values, text.at, text.length);
    esse_value number = esse_builder_id(builder, name);
    return has_key(builder, keyword) ? keyword : has_key(builder, number) ? number : name;
}

static bool take_header(struct esse_sink *sink, const struct esse_header_record *header,
                        struct esse_error *err)
{
    (void)sink;
    (void)header;
    (void)err;
    return true;
}

static bool take_init(struct esse_sink *sink, const struct esse_row *rows, size_t count,
                      struct esse_error *err)
{
    struct esse_sink *to = builder_of(sink);
    for (size_t i = 0; i < count; i++) {
        struct esse_row row = rows[i];
        row.key = key_named(sink, row.key);
        if (!to->init(to, &row, 1, err))
            return false;
    }
    return true;
}

static bool refuse_txn(struct esse_sink *sink, const struct esse_txn_record *txn,
                       struct esse_error *err)
{
    (void)sink;
    return esse_fail_at(
        err, txn->line, 1,
        "found a transaction; a certificate holds version_order, order, lost, init and "
        "its kind");
}

static bool refuse_fault(struct esse_sink *sink, const struct esse_fault_record *fault,
                         struct esse_error *err)
{
    (void)fault;
    return esse_fail_at(
        err, sink->line, 1,
        "found a fault; a certificate holds version_order, order, lost, init and its "
        "kind");
}

static bool take_version_order(struct esse_sink *sink, esse_value key,
                               const struct esse_version_ref *versions, size_t count,
                               struct esse_error *err)
{
    struct esse_sink *to = builder_of(sink);
    return to->version_order(to, key_named(sink, key), versions, count, err);
}

static bool take_order(struct esse_sink *sink, const esse_value *names, size_t count,
                       struct esse_error *err)
{
    struct esse_sink *to = builder_of(sink);
    return to->order(to, names, count, err);
}

static bool take_lost(struct esse_sink *sink, const esse_value *names, size_t count,
                      struct esse_error *err)
{
    struct esse_sink *to = builder_of(sink);
    return to->lost(to, names, count, err);
}

static bool take_certificate(struct esse_sink *sink,
                             const struct esse_certificate_record *certificate,
                             struct esse_error *err)
{
    struct esse_sink *to = builder_of(sink);
    return to->certificate(to, certificate, err);
}

static bool finish(struct esse_sink *sink, struct esse_error *err)
{
    (void)sink;
    (void)err;
    return true;
}

struct esse_sink *esse_certificate_sink(struct esse_builder *builder)
{
    struct certificate *certificate = esse_arena_alloc(builder->arena, 1, sizeof *certificate);
    certificate->builder = builder;
    builder->is_apart = true;
    certificate->sink = (struct esse_sink){ .values = builder->sink.values,
                                            .header = take_header,
                                            .init = take_init,
                                            .fault = refuse_fault,
                                            .txn = refuse_txn,
                                            .version_order = take_version_order,
                                            .order = take_order,
                                            .lost = take_lost,
                                            .certificate = take_certificate,
                                            .finish = finish };
    return &certificate->sink;
}

/* ---- from the order of the transactions ---- */

struct ordering {
    struct esse_history *history;
    struct esse_pair *txns; /* in order; those of one place in the order have the same key */
    size_t count;
    uint32_t *last;  /* by key: the place in 'txns' of the last that wrote it, counted from 1 */
    uint32_t *size;  /* by key: its versions, then where the next one goes */
    bool *has_order; /* by key: it had one before */
};

static bool has_committed(const struct esse_history *history)
{
    for (uint32_t t = 0; t < history->txns; t++)
        if (history->txn_status[t] == ESSE_COMMITTED)
            return true;
    return false;
}

static bool find_places(struct ordering *o, struct esse_arena *scratch, struct esse_error *err)
{
    const struct esse_history *history = o->history;
    o->txns = esse_arena_array(scratch, history->txns + (size_t)1, *o->txns);
    const bool by_time = history->certificate.kind == ESSE_CERTIFICATE_TIMESTAMPS ||
                         !(history->has & ESSE_HAS_ORDER);
    for (uint32_t i = 0; !by_time && i < history->order_count; i++)
        o->txns[o->count++] = (struct esse_pair){ i, history->order[i].ix };
    if (!by_time)
        return true;
    for (uint32_t t = 0; history->txn_server_time && t < history->txns; t++)
        if (history->txn_server_time[t].end != ESSE_NO_TIME)
            o->txns[o->count++] =
                (struct esse_pair){ esse_radix_key(history->txn_server_time[t].end), t };
    if (!o->count && has_committed(history))
        return esse_fail(err, ESSE_EINPUT,
                         "the history has neither an order nor commit_ts, from which the order of "
                         "the transactions could be taken");
    esse_radix_sort(o->txns, o->count, scratch);
    return true;
}

static bool tell_tie(const struct ordering *o, uint32_t key, size_t place, struct esse_error *err)
{
    char a[64], b[64], room[64];
    esse_txn_name(o->history, (esse_txn){ o->txns[o->last[key] - 1].id }, a, sizeof a);
    esse_txn_name(o->history, (esse_txn){ o->txns[place].id }, b, sizeof b);
    return esse_fail_at(err, o->history->txn_line[o->txns[place].id], 1,
                        "the transactions %s and %s both write %s and have the same commit_ts", a,
                        b, esse_value_brief(o->history->values, o->history->key_name[key], room));
}

/* A write of the transaction at 'place': counts the version, or with 'versions' puts it down;
 * 'size' is then where the next one of the key goes. */
static bool place_version(struct ordering *o, uint32_t key, uint32_t place,
                          struct esse_version *versions, struct esse_error *err)
{
    uint32_t *last = &o->last[key];
    if (o->has_order[key] || *last == place + 1)
        return true;
    if (*last && o->txns[*last - 1].key == o->txns[place].key)
        return tell_tie(o, key, place, err);
    *last = place + 1;
    if (versions)
        versions[o->size[key]] = (struct esse_version){ ESSE_NONE, { o->txns[place].id } };
    o->size[key]++;
    return true;
}

static bool place_versions(struct ordering *o, struct esse_version *versions,
                           struct esse_error *err)
{
    const struct esse_history *history = o->history;
    memset(o->last, 0, (history->keys + (size_t)1) * sizeof *o->last);
    for (uint32_t place = 0; place < o->count; place++) {
        uint32_t txn = o->txns[place].id;
        if (history->txn_status[txn] == ESSE_ABORTED)
            continue;
        struct esse_access_walk walk = esse_accesses_of(history, txn);
        while (esse_access_next(&walk))
            if (walk.access.kind == ESSE_OP_WRITE &&
                !place_version(o, walk.access.key.ix, place, versions, err))
                return false;
    }
    return true;
}

/* The keys that have an order keep it. */
static struct esse_version_order *add_orders(struct ordering *o)
{
    struct esse_history *history = o->history;
    struct esse_version_order *orders = esse_arena_array(
        history->arena, history->keys + (size_t)history->version_order_count + 1, *orders);
    uint32_t count = history->version_order_count;
    if (count)
        memcpy(orders, history->version_orders, count * sizeof *orders);
    for (uint32_t key = 0; key < history->keys; key++) {
        if (!o->size[key])
            continue;
        orders[count++] = (struct esse_version_order){ .key = { key }, .count = o->size[key] };
    }
    history->version_orders = orders;
    history->version_order_count = count;
    return orders;
}

static bool order_registers(struct ordering *o, struct esse_error *err)
{
    struct esse_history *history = o->history;
    const uint32_t given = history->version_order_count;
    for (uint32_t i = 0; i < given; i++)
        o->has_order[history->version_orders[i].key.ix] = true;
    if (!place_versions(o, NULL, err))
        return false;
    struct esse_version_order *orders = add_orders(o);
    size_t total = 0;
    for (uint32_t key = 0; key < history->keys; key++) {
        uint32_t size = o->size[key];
        o->size[key] = (uint32_t)total;
        total += size;
    }
    struct esse_version *versions = esse_arena_array(history->arena, total + 1, *versions);
    for (uint32_t i = given; i < history->version_order_count; i++)
        orders[i].versions = versions + o->size[orders[i].key.ix];
    place_versions(o, versions, err);
    history->has |= history->version_order_count ? ESSE_HAS_VERSION_ORDER : 0u;
    return true;
}

bool esse_certificate_by_order(struct esse_history *history, struct esse_error *err)
{
    struct esse_arena *scratch = esse_arena_new();
    const size_t keys = history->keys + (size_t)1;
    struct ordering o = { .history = history };
    o.last = esse_arena_alloc(scratch, keys, sizeof *o.last);
    o.has_order = esse_arena_alloc(scratch, keys, sizeof *o.has_order);
    o.size = esse_arena_alloc(scratch, keys, sizeof *o.size);
    bool ok = find_places(&o, scratch, err) && order_registers(&o, err);
    esse_arena_free(scratch);
    return ok;
}
