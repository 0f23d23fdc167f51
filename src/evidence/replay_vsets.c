#include "base/radix.h"
#include "evidence/replay_rules.h"
#include "history/by_key.h"

/*
 * An order must agree with the version sets that were given.  The order makes versions, in the
 * order of their commits, and an operation that is run in its place sees one of each key.  It need
 * not be the one that the version set names, but of the versions between the two none may change
 * what matches: then whatever depends on the one depends on the other.
 */

struct vsets {
    struct replay *replay;
    struct esse_by_key by_key;
    uint32_t *commit; /* by transaction: its number among the commits, from 1 on */
    uint32_t *seen;   /* by transaction: the commits before it, or before its start */
    /* Of the key at hand, the initial one first: */
    struct esse_pair *versions; /* commit, and position in 'by_key' */
    uint32_t *change;           /* by version: the last one until there that changes the matches */
    uint32_t version_count;
};

static void number_commits(struct vsets *v)
{
    const struct esse_order *order = v->replay->order;
    uint32_t commits = 0;
    for (uint32_t i = 0; i < order->count; i++) {
        const uint32_t txn = order->has_starts ? order->events[i] >> 1 : order->events[i];
        if (!order->has_starts || !(order->events[i] & 1))
            v->seen[txn] = commits;
        if (!order->has_starts || (order->events[i] & 1))
            v->commit[txn] = ++commits;
    }
}

static void find_versions(struct vsets *v, uint32_t key)
{
    uint32_t count = 1;
    v->versions[0] = (struct esse_pair){ .id = ESSE_NO_TOUCH };
    for (uint32_t at = v->by_key.first[key]; at < v->by_key.first[key + 1]; at++) {
        const struct esse_touch *touch = &v->by_key.at[at];
        if (touch->kind != ESSE_OP_READ && v->replay->in[touch->txn] &&
            esse_is_last_write(&v->by_key, key, at))
            v->versions[count++] = (struct esse_pair){ v->commit[touch->txn], at };
    }
    esse_radix_sort(v->versions, count, v->replay->arena);
    v->version_count = count;
}

static esse_value value_of(const struct vsets *v, uint32_t key, uint32_t version)
{
    return version ? v->by_key.at[v->versions[version].id].value
                   : esse_key_initial(v->replay->history, (esse_key){ key });
}

static void find_changes(struct vsets *v, uint32_t op, uint32_t key)
{
    bool before = false;
    v->change[0] = 0;
    for (uint32_t i = 0; i < v->version_count; i++) {
        const bool matches = replay_rows_select(&v->replay->state, op, key, value_of(v, key, i));
        if (i)
            v->change[i] = matches != before ? i : v->change[i - 1];
        before = matches;
    }
}

/* No transaction sees what it writes only later.  Where predicates may see something older, what
 * they depend on must still have been committed. */
static bool may_have_seen(const struct vsets *v, uint32_t txn, uint32_t version, bool is_weak)
{
    uint32_t seen = v->version_count - 1;
    if (v->versions[version].key == v->commit[txn])
        return false;
    if (is_weak)
        return v->versions[v->change[version]].key < v->commit[txn];
    while (v->versions[seen].key > v->seen[txn])
        seen--;
    return v->change[seen] == v->change[version];
}

static bool agrees(struct vsets *v, uint32_t txn, uint32_t op, const struct esse_keyed_row *named,
                   bool is_weak)
{
    const struct replay_own own = replay_own_writes(v->replay->history, txn, op, named->key);
    if (own.written || own.appends)
        return true;
    find_versions(v, named->key.ix);
    find_changes(v, op, named->key.ix);
    for (uint32_t i = 0; i < v->version_count; i++)
        if (esse_value_eq(value_of(v, named->key.ix, i), esse_value_state(named->value)) &&
            may_have_seen(v, txn, i, is_weak))
            return true;
    return false;
}

static bool op_agrees(struct vsets *v, uint32_t txn, uint32_t op, bool is_weak)
{
    const struct esse_history *history = v->replay->history;
    if (!esse_op_is_predicate(history->op_kind[op]))
        return true;
    const struct esse_predicate_op *predicate = &history->predicates[history->op_key[op]];
    for (uint32_t i = 0; i < predicate->vset_count; i++)
        if (!agrees(v, txn, op, &history->rows[predicate->vset + i], is_weak))
            return false;
    return true;
}

bool replay_agrees_with_vsets(struct replay *replay, bool is_weak, struct esse_error *err)
{
    const struct esse_history *history = replay->history;
    const size_t txns = history->txns + (size_t)1;
    struct vsets v = { .replay = replay };
    if (!(history->has & ESSE_HAS_VSETS))
        return true;
    esse_by_key_make(&v.by_key, replay->arena, history);
    v.commit = esse_arena_alloc(replay->arena, txns, sizeof *v.commit);
    v.seen = esse_arena_alloc(replay->arena, txns, sizeof *v.seen);
    v.versions = esse_arena_alloc(replay->arena, txns, sizeof *v.versions);
    v.change = esse_arena_alloc(replay->arena, txns, sizeof *v.change);
    number_commits(&v);
    for (uint32_t txn = 0; txn < history->txns; txn++)
        for (uint32_t op = history->txn_op[txn]; replay->in[txn] && op < history->txn_op[txn + 1];
             op++)
            if (!op_agrees(&v, txn, op, is_weak))
                return replay_wrong(replay, txn, "did not see the version set given", err);
    return true;
}
