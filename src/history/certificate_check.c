#include "base/error.h"
#include "base/hash.h"
#include "base/index.h"
#include "history/by_key.h"
#include "history/certificate.h"
#include "history/lost.h"
#include "history/snapshots.h"

#include <stdio.h>

/* What a certificate says against the history that it is about. */

struct checking {
    struct esse_arena *arena;
    const struct esse_history *history;
    struct esse_by_key by_key;
    struct esse_index writes;        /* by key and value: accesses */
    struct esse_index xids;          /* those met so far: transactions */
    struct esse_snapshots snapshots; /* if it has a kind */
    const uint8_t *lost;             /* by transaction: it was */
    esse_value *initial;             /* by key */
    struct esse_error *err;
};

static const char *brief(const struct checking *c, esse_value value, char room[64])
{
    return esse_value_brief(c->history->values, value, room);
}

/* Only versions that are named are looked for. */
static void index_writes(struct checking *c)
{
    if (!(c->history->has & (ESSE_HAS_VERSION_ORDER | ESSE_HAS_VSETS)))
        return;
    esse_by_key_make(&c->by_key, c->arena, c->history);
    for (uint32_t key = 0; key < c->history->keys; key++)
        for (uint32_t at = c->by_key.first[key]; at < c->by_key.first[key + 1]; at++)
            if (c->by_key.at[at].kind != ESSE_OP_READ)
                esse_index_add(&c->writes, c->arena,
                               esse_hash_pair(key, c->by_key.at[at].value.word), at);
}

/* Did a transaction write the value to the key, whatever its outcome?  'but' is left out. */
static bool is_written(const struct checking *c, uint32_t key, esse_value value, uint32_t but)
{
    struct esse_probe probe = esse_index_probe(&c->writes, esse_hash_pair(key, value.word));
    for (uint32_t at; esse_probe_next(&probe, &at);)
        if (at >= c->by_key.first[key] && at < c->by_key.first[key + 1] &&
            esse_value_eq(c->by_key.at[at].value, value) && c->by_key.at[at].txn != but)
            return true;
    return false;
}

/* A transaction installs the last that it writes to a register, and every element of a list. */
static bool is_installed(const struct checking *c, uint32_t key, uint32_t at)
{
    const struct esse_key_access *key_access = &c->by_key.at[at];
    for (uint32_t next = at + 1;
         key_access->kind == ESSE_OP_WRITE && next < c->by_key.first[key + 1] &&
         c->by_key.at[next].txn == key_access->txn;
         next++)
        if (c->by_key.at[next].kind == ESSE_OP_WRITE)
            return false;
    return true;
}

/* Why no version of the key has the value; NULL if there is one, whatever became of it. */
static const char *problem_of(const struct checking *c, uint32_t key, esse_value value)
{
    struct esse_probe probe = esse_index_probe(&c->writes, esse_hash_pair(key, value.word));
    const char *problem = "which no transaction wrote";
    for (uint32_t at; esse_probe_next(&probe, &at);) {
        if (at < c->by_key.first[key] || at >= c->by_key.first[key + 1] ||
            !esse_value_eq(c->by_key.at[at].value, value))
            continue;
        if (is_installed(c, key, at))
            return NULL;
        problem = "which its own transaction overwrote: it is no version";
    }
    return problem;
}

/* ---- version orders ---- */

static bool fail_order(const struct checking *c, const struct esse_version_order *order,
                       const struct esse_version *version, const char *problem)
{
    char key[64], room[64];
    const bool by_value = version->txn.ix == ESSE_NO_TXN;
    const char *named = by_value ? brief(c, version->value, room) : room;
    if (!by_value)
        esse_txn_name(c->history, version->txn, room, sizeof room);
    esse_fail_at(c->err, order->line, order->line != 0,
                 "certificate: the version order of %s names %s%s, %s",
                 brief(c, c->history->key_name[order->key.ix], key),
                 by_value ? "" : "the version of ", named, problem);
    c->err->in_certificate = order->is_apart;
    return false;
}

static bool writes_key(const struct checking *c, uint32_t txn, esse_key key)
{
    esse_value ignored;
    for (uint32_t op = c->history->txn_op[txn]; op < c->history->txn_op[txn + 1]; op++)
        if (esse_op_write_of(c->history, op, key, &ignored))
            return true;
    return false;
}

/* A version is named once, and a transaction wrote it. */
static bool check_order(struct checking *c, const struct esse_version_order *order)
{
    struct esse_index named = { 0 };
    bool ok = true;
    for (uint32_t i = 0; ok && i < order->count; i++) {
        const struct esse_version *version = &order->versions[i];
        const bool by_value = version->txn.ix == ESSE_NO_TXN;
        const uint64_t word = by_value ? version->value.word : version->txn.ix;
        struct esse_probe probe = esse_index_probe(&named, esse_hash_word(word));
        for (uint32_t other; ok && esse_probe_next(&probe, &other);)
            if (order->versions[other].txn.ix == version->txn.ix &&
                (!by_value || esse_value_eq(order->versions[other].value, version->value)))
                ok = fail_order(c, order, version, "and names it twice");
        esse_index_add(&named, c->arena, esse_hash_word(word), i);
        const char *problem = NULL;
        if (by_value)
            problem = problem_of(c, order->key.ix, version->value);
        else if (!writes_key(c, version->txn.ix, order->key))
            problem = "which no transaction wrote";
        if (ok && problem)
            ok = fail_order(c, order, version, problem);
    }
    esse_index_drop(&named, c->arena);
    return ok;
}

/* The transaction that committed the version: the one named, or the only one that wrote the value.
 * */
static uint32_t installer(const struct checking *c, const struct esse_version_order *order,
                          uint32_t i)
{
    const struct esse_version *version = &order->versions[i];
    uint32_t found = version->txn.ix;
    if (found != ESSE_NO_TXN)
        return found;
    struct esse_probe probe =
        esse_index_probe(&c->writes, esse_hash_pair(order->key.ix, version->value.word));
    for (uint32_t at; esse_probe_next(&probe, &at);) {
        const struct esse_key_access *key_access = &c->by_key.at[at];
        if (at < c->by_key.first[order->key.ix] || at >= c->by_key.first[order->key.ix + 1] ||
            !esse_value_eq(key_access->value, version->value))
            continue;
        if (found != ESSE_NO_TXN && found != key_access->txn)
            return ESSE_NO_TXN;
        found = key_access->txn;
    }
    return found;
}

/* Versions stand as they were committed. */
static bool check_places(const struct checking *c, const struct esse_version_order *order)
{
    esse_place latest = { 0 };
    for (uint32_t i = 0; i < order->count; i++) {
        const uint32_t txn = installer(c, order, i);
        const esse_place place =
            txn == ESSE_NO_TXN ? (esse_place){ ESSE_NO_PLACE } : c->snapshots.place[txn];
        if (place.ix == ESSE_NO_PLACE)
            continue;
        if (place.ix < latest.ix)
            return fail_order(c, order, &order->versions[i], "after one that was committed later");
        latest = place;
    }
    return true;
}

static bool check_orders(struct checking *c)
{
    for (uint32_t i = 0; i < c->history->version_order_count; i++)
        if (!check_order(c, &c->history->version_orders[i]) ||
            (c->snapshots.place && !check_places(c, &c->history->version_orders[i])))
            return false;
    return true;
}

/* ---- version sets ---- */

static bool fail_txn(const struct checking *c, uint32_t txn, const char *problem)
{
    char name[64];
    esse_txn_name(c->history, (esse_txn){ txn }, name, sizeof name);
    return esse_fail_at(c->err, c->history->txn_line[txn], 1, "certificate: %s %s", name, problem);
}

static bool check_entry(const struct checking *c, uint32_t txn, const struct esse_keyed_row *entry)
{
    char key[64], value[64];
    const char *problem = NULL;
    if (esse_value_eq(entry->value, ESSE_NIL) ||
        esse_value_eq(entry->value, c->initial[entry->key.ix]) ||
        is_written(c, entry->key.ix, entry->value, txn))
        return true;
    problem = is_written(c, entry->key.ix, entry->value, ESSE_NO_TXN)
                  ? "which only the transaction itself wrote"
                  : "which no transaction wrote";
    char name[64];
    esse_txn_name(c->history, (esse_txn){ txn }, name, sizeof name);
    return esse_fail_at(c->err, c->history->txn_line[txn], 1,
                        "certificate: a version set of %s names %s = %s, %s", name,
                        brief(c, c->history->key_name[entry->key.ix], key),
                        brief(c, entry->value, value), problem);
}

/* Own versions may be named once they are written. */
static bool was_own(const struct checking *c, uint32_t txn, uint32_t op,
                    const struct esse_keyed_row *entry)
{
    esse_value value;
    for (uint32_t o = c->history->txn_op[txn]; o < op; o++)
        if (esse_op_write_of(c->history, o, entry->key, &value))
            return true;
    return false;
}

static bool check_snapshot(const struct checking *c, uint32_t txn, uint32_t op)
{
    struct esse_snapshot snapshot;
    const esse_place place =
        c->snapshots.place ? c->snapshots.place[txn] : (esse_place){ ESSE_NO_PLACE };
    if (place.ix == ESSE_NO_PLACE || !esse_snapshot_of(&c->snapshots, txn, op, &snapshot) ||
        !esse_snapshot_sees(&c->snapshots, &snapshot, txn))
        return true;
    struct esse_access_walk walk = esse_accesses_of(c->history, txn);
    while (esse_access_next(&walk))
        if (walk.access.kind != ESSE_OP_READ)
            return fail_txn(c, txn, "has a snapshot in which it has committed already");
    return true;
}

/* ---- PostgreSQL's numbers ---- */

static bool fail_xid(const struct checking *c, uint32_t txn, uint32_t other)
{
    char problem[160], name[64];
    esse_txn_name(c->history, (esse_txn){ other }, name, sizeof name);
    snprintf(problem, sizeof problem, "has the xid %lld, which %s, on line %u, has too",
             (long long)c->history->txn_xid[txn], name, c->history->txn_line[other]);
    return fail_txn(c, txn, problem);
}

/* That it committed is known by its versions alone, see resolve.h: it has no place. */
static bool is_only_in_versions(const struct checking *c, uint32_t txn)
{
    return esse_txn_recorded(c->history, txn) == ESSE_UNKNOWN_OUTCOME &&
           c->snapshots.place[txn].ix == ESSE_NO_PLACE;
}

/* A snapshot says by number which transactions are seen, so each that committed has a number of its
 * own.  (A crash may give the number of one that did not commit away again.) */
static bool check_xid(struct checking *c, uint32_t txn, bool writes)
{
    const struct esse_history *history = c->history;
    if (history->certificate.kind != ESSE_CERTIFICATE_POSTGRESQL_SNAPSHOTS ||
        history->txn_status[txn] != ESSE_COMMITTED || is_only_in_versions(c, txn))
        return true;
    const int64_t xid = history->txn_xid ? history->txn_xid[txn] : ESSE_NO_TIME;
    if (xid == ESSE_NO_TIME)
        return !writes ||
               fail_txn(c, txn,
                        "committed and writes, and has no xid, by which a snapshot could name it");
    const uint32_t hash = esse_hash_word((uint64_t)xid);
    struct esse_probe probe = esse_index_probe(&c->xids, hash);
    for (uint32_t other; esse_probe_next(&probe, &other);)
        if (history->txn_xid[other] == xid)
            return fail_xid(c, txn, other);
    esse_index_add(&c->xids, c->arena, hash, txn);
    return true;
}

static bool check_txn(struct checking *c, uint32_t txn)
{
    const struct esse_history *history = c->history;
    bool writes = false;
    for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++) {
        writes |=
            esse_access_count(history, op) &&
            esse_access_at(history, op, esse_access_count(history, op) - 1).kind != ESSE_OP_READ;
        /* Those without a snapshot of their own have one together. */
        if ((history->op_snapshot || op == history->txn_op[txn]) && !check_snapshot(c, txn, op))
            return false;
        if (!esse_op_is_predicate(history->op_kind[op]))
            continue;
        const struct esse_predicate_op *predicate = &history->predicates[history->op_key[op]];
        for (uint32_t i = 0; i < predicate->vset_count; i++) {
            const struct esse_keyed_row *entry = &history->rows[predicate->vset + i];
            if (!was_own(c, txn, op, entry) && !check_entry(c, txn, entry))
                return false;
        }
    }
    if (c->lost[txn])
        return true; /* a crash may give its number away again, and no order has it */
    if (!check_xid(c, txn, writes))
        return false;
    if (writes && history->certificate.complete && history->txn_status[txn] == ESSE_COMMITTED &&
        !is_only_in_versions(c, txn) && c->snapshots.place[txn].ix == ESSE_NO_PLACE)
        return fail_txn(c, txn,
                        "committed and writes, and the order, which is to be complete, "
                        "does not have it; if the database lost it, a line 'lost' says so");
    return true;
}

bool esse_certificate_check(const struct esse_history *history, struct esse_error *err)
{
    const unsigned about =
        ESSE_HAS_VERSION_ORDER | ESSE_HAS_VSETS | ESSE_HAS_CERTIFICATE | ESSE_HAS_SNAPSHOTS;
    if (!(history->has & about) && !history->lost_count)
        return true;
    struct checking c = { .arena = esse_arena_new(), .history = history, .err = err };
    c.lost = esse_lost_marks(c.arena, history);
    index_writes(&c);
    c.initial = esse_arena_alloc(c.arena, history->keys + (size_t)1, sizeof *c.initial);
    for (uint32_t i = 0; i < history->init_count; i++)
        c.initial[history->init[i].key.ix] = history->init[i].value;
    if (history->certificate.kind != ESSE_CERTIFICATE_NONE)
        esse_snapshots_find(&c.snapshots, c.arena, history);
    bool ok = esse_lost_check(c.arena, history, err) && check_orders(&c);
    for (uint32_t txn = 0; ok && txn < history->txns; txn++)
        ok = history->txn_status[txn] == ESSE_ABORTED || check_txn(&c, txn);
    esse_arena_free(c.arena);
    return ok;
}
