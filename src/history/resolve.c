#include "history/resolve.h"

#include "base/hash.h"
#include "base/index.h"
#include "base/vec.h"
#include "history/access.h"

#include <string.h>

/* A write of a transaction of unknown outcome. */
struct doubtful {
    uint32_t key, txn;
    esse_value value;
    bool is_shared; /* another transaction may have installed the value */
};
ESSE_VEC(doubtful_vec, struct doubtful)

struct resolving {
    struct esse_arena *scratch;
    struct esse_history *history;
    uint8_t *status, *resolved;
    struct doubtful_vec writes;
    struct esse_index index; /* of writes, by key and value */
};

static void resolve(struct resolving *s, uint32_t txn)
{
    if (s->status[txn] != ESSE_UNKNOWN_OUTCOME)
        return;
    if (!s->resolved) {
        s->resolved = esse_arena_alloc(s->history->arena, s->history->txns, 1);
        s->history->txn_resolved = s->resolved;
    }
    s->status[txn] = ESSE_COMMITTED;
    s->resolved[txn] = 1;
}

static bool has_unknown(const struct resolving *s)
{
    return memchr(s->status, ESSE_UNKNOWN_OUTCOME, s->history->txns) != NULL;
}

/* ---- by an order of transactions ---- */

/* PostgreSQL's snapshots say nothing of a commit that has no xid. */
static bool has_place(const struct esse_history *history, uint32_t txn)
{
    return history->certificate.kind != ESSE_CERTIFICATE_POSTGRESQL_SNAPSHOTS ||
           (history->txn_xid && history->txn_xid[txn] != ESSE_NO_TIME);
}

static void by_order(struct resolving *s)
{
    const struct esse_history *history = s->history;
    for (uint32_t i = 0; i < history->order_count; i++)
        if (has_place(history, history->order[i].ix))
            resolve(s, history->order[i].ix);
}

static void by_commit_ts(struct resolving *s)
{
    const struct esse_history *history = s->history;
    for (uint32_t txn = 0; history->txn_server_time && txn < history->txns; txn++)
        if (history->txn_server_time[txn].end != ESSE_NO_TIME)
            resolve(s, txn);
}

/* ---- by orders of versions ---- */

static void note_write(struct resolving *s, uint32_t txn, uint32_t key, esse_value value)
{
    esse_index_add(&s->index, s->scratch, esse_hash_pair(key, value.word),
                   (uint32_t)s->writes.count);
    doubtful_vec_push(&s->writes, s->scratch, (struct doubtful){ key, txn, value, false });
}

static void mark_shared(struct resolving *s, uint32_t txn, uint32_t key, esse_value value)
{
    struct esse_probe probe = esse_index_probe(&s->index, esse_hash_pair(key, value.word));
    for (uint32_t i; esse_probe_next(&probe, &i);) {
        struct doubtful *write = &s->writes.at[i];
        if (write->key == key && esse_value_eq(write->value, value) && write->txn != txn)
            write->is_shared = true;
    }
}

typedef void write_fn(struct resolving *s, uint32_t txn, uint32_t key, esse_value value);

static void each_write(struct resolving *s, uint32_t txn, write_fn *take)
{
    struct esse_access_walk walk = esse_accesses_of(s->history, txn);
    while (esse_access_next(&walk))
        if (walk.access.kind != ESSE_OP_READ)
            take(s, txn, walk.access.key.ix, walk.access.value);
}

static void settle_version(struct resolving *s, uint32_t key, const struct esse_version *version)
{
    if (version->txn.ix != ESSE_NO_TXN) {
        resolve(s, version->txn.ix);
        return;
    }
    struct esse_probe probe = esse_index_probe(&s->index, esse_hash_pair(key, version->value.word));
    for (uint32_t i; esse_probe_next(&probe, &i);) {
        const struct doubtful *write = &s->writes.at[i];
        if (write->key == key && esse_value_eq(write->value, version->value) && !write->is_shared)
            resolve(s, write->txn);
    }
}

static void by_versions(struct resolving *s)
{
    const struct esse_history *history = s->history;
    for (uint32_t txn = 0; txn < history->txns; txn++)
        if (s->status[txn] == ESSE_UNKNOWN_OUTCOME)
            each_write(s, txn, note_write);
    for (uint32_t txn = 0; txn < history->txns; txn++)
        if (s->status[txn] != ESSE_ABORTED)
            each_write(s, txn, mark_shared);
    for (uint32_t o = 0; o < history->version_order_count; o++) {
        const struct esse_version_order *order = &history->version_orders[o];
        for (uint32_t i = 0; i < order->count; i++)
            settle_version(s, order->key.ix, &order->versions[i]);
    }
}

void esse_resolve_outcomes(struct esse_history *history, uint8_t *status)
{
    struct resolving s = { .history = history, .status = status };
    if (!history->txns || !has_unknown(&s))
        return;
    if (history->order_count)
        by_order(&s);
    else if (history->certificate.kind != ESSE_CERTIFICATE_NONE)
        by_commit_ts(&s);
    if (history->version_order_count && has_unknown(&s)) {
        s.scratch = esse_arena_new();
        by_versions(&s);
        esse_arena_free(s.scratch);
    }
}
