#include "history/lost.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/index.h"
#include "base/vec.h"
#include "history/access.h"

#include <stdio.h>

/* A version that a lost transaction wrote. */
struct version {
    esse_key key;
    esse_value value;
    uint32_t txn;
    uint32_t writers; /* of this value in the whole history, the initial one included */
};
ESSE_VEC(version_vec, struct version)

struct checking {
    struct esse_arena *arena;
    const struct esse_history *history;
    const uint8_t *lost;
    struct version_vec versions;
    struct esse_index index; /* by key and value */
    struct esse_error *err;
};

uint8_t *esse_lost_marks(struct esse_arena *arena, const struct esse_history *history)
{
    uint8_t *marks = esse_arena_alloc(arena, history->txns + (size_t)1, 1);
    for (uint32_t i = 0; i < history->lost_count; i++)
        marks[history->lost[i].ix] = 1;
    return marks;
}

static bool fail(const struct checking *c, uint32_t txn, const char *problem)
{
    char name[64];
    esse_txn_name(c->history, (esse_txn){ txn }, name, sizeof name);
    esse_fail_at(c->err, c->history->lost_line, c->history->lost_line != 0,
                 "certificate: lost names %s, %s", name, problem);
    c->err->in_certificate = c->history->is_lost_apart;
    return false;
}

static struct version *find(const struct checking *c, esse_key key, esse_value value)
{
    struct esse_probe probe = esse_index_probe(&c->index, esse_hash_pair(key.ix, value.word));
    for (uint32_t at; esse_probe_next(&probe, &at);)
        if (c->versions.at[at].key.ix == key.ix && esse_value_eq(c->versions.at[at].value, value))
            return &c->versions.at[at];
    return NULL;
}

static bool is_write(struct esse_access access)
{
    return access.kind != ESSE_OP_READ;
}

/* Calls 'take' for every access of a transaction, until one says no. */
static bool each_access(struct checking *c, uint32_t txn,
                        bool (*take)(struct checking *c, uint32_t txn, struct esse_access access))
{
    struct esse_access_walk walk = esse_accesses_of(c->history, txn);
    while (esse_access_next(&walk))
        if (!take(c, txn, walk.access))
            return false;
    return true;
}

/* A row that is not there does not show which transaction deleted it. */
static bool note_lost(struct checking *c, uint32_t txn, struct esse_access access)
{
    if (!is_write(access) || esse_value_eq(access.value, ESSE_NIL) ||
        find(c, access.key, access.value))
        return true;
    esse_index_add(&c->index, c->arena, esse_hash_pair(access.key.ix, access.value.word),
                   (uint32_t)c->versions.count);
    version_vec_push(&c->versions, c->arena, (struct version){ access.key, access.value, txn, 0 });
    return true;
}

static bool count_writer(struct checking *c, uint32_t txn, struct esse_access access)
{
    struct version *version = is_write(access) ? find(c, access.key, access.value) : NULL;
    (void)txn;
    if (version)
        version->writers++;
    return true;
}

static bool fail_read(const struct checking *c, uint32_t lost, uint32_t reader)
{
    char problem[160], name[64];
    esse_txn_name(c->history, (esse_txn){ reader }, name, sizeof name);
    snprintf(problem, sizeof problem, "and %s, which is not lost and writes, read what it wrote",
             name);
    return fail(c, lost, problem);
}

static bool reads_no_lost(struct checking *c, uint32_t txn, struct esse_access access)
{
    if (is_write(access))
        return true;
    uint32_t count = 1;
    const esse_value *items = &access.value;
    if (esse_value_tag(access.value) == ESSE_TAG_LIST)
        items = esse_history_list(c->history, access.value, &count);
    for (uint32_t i = 0; i < count; i++) {
        const struct version *version = find(c, access.key, items[i]);
        if (version && version->writers == 1)
            return fail_read(c, version->txn, txn);
    }
    return true;
}

static bool writes(const struct esse_history *history, uint32_t txn)
{
    struct esse_access_walk walk = esse_accesses_of(history, txn);
    while (esse_access_next(&walk))
        if (is_write(walk.access))
            return true;
    return false;
}

static bool check_lost(const struct checking *c)
{
    for (uint32_t i = 0; i < c->history->lost_count; i++) {
        const uint32_t txn = c->history->lost[i].ix;
        if (esse_txn_recorded(c->history, txn) != ESSE_COMMITTED)
            return fail(c, txn, "which was never acknowledged");
        if (!writes(c->history, txn))
            return fail(c, txn, "which writes nothing");
    }
    for (uint32_t i = 0; i < c->history->order_count; i++)
        if (c->lost[c->history->order[i].ix])
            return fail(c, c->history->order[i].ix, "which the order has");
    return true;
}

static bool check_versions(const struct checking *c)
{
    for (uint32_t o = 0; o < c->history->version_order_count; o++) {
        const struct esse_version_order *order = &c->history->version_orders[o];
        for (uint32_t i = 0; i < order->count; i++) {
            const esse_txn by = order->versions[i].txn;
            const struct version *version =
                by.ix == ESSE_NO_TXN ? find(c, order->key, order->versions[i].value) : NULL;
            const bool is_lost =
                by.ix != ESSE_NO_TXN ? c->lost[by.ix] : version && version->writers == 1;
            if (is_lost)
                return fail(c, version ? version->txn : by.ix,
                            "and a version order has what it wrote");
        }
    }
    return true;
}

bool esse_lost_check(struct esse_arena *arena, const struct esse_history *history,
                     struct esse_error *err)
{
    struct checking c = { .arena = arena, .history = history, .err = err };
    if (!history->lost_count)
        return true;
    c.lost = esse_lost_marks(arena, history);
    if (!check_lost(&c))
        return false;
    for (uint32_t i = 0; i < history->lost_count; i++)
        each_access(&c, history->lost[i].ix, note_lost);
    for (uint32_t t = 0; t < history->txns; t++)
        each_access(&c, t, count_writer);
    for (uint32_t i = 0; i < history->init_count; i++) {
        struct version *version = find(&c, history->init[i].key, history->init[i].value);
        if (version)
            version->writers++;
    }
    bool ok = check_versions(&c);
    for (uint32_t t = 0; ok && t < history->txns; t++)
        if (history->txn_status[t] == ESSE_COMMITTED && !c.lost[t] && writes(history, t))
            ok = each_access(&c, t, reads_no_lost);
    return ok;
}
