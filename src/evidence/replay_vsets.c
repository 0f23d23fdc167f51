#include "evidence/replay_rules.h"

/*
 * An order must agree with the version sets that were given.  The order makes versions, in the
 * order of their commits, and an operation that is run in its place sees one of each key.  It need
 * not be the one that the version set names, but of the versions between the two none may change
 * what matches: then whatever depends on the one depends on the other.
 */

struct vsets {
    struct replay *replay;
    struct replay_state store; /* after the whole order, with all versions */
    uint32_t *commit;          /* by transaction: its number among the commits, from 1 on */
    uint32_t *seen;            /* by transaction: the commits before it, or before its start */
    uint32_t *change; /* by version of a key: the last one until there that changes the matches */
};

static void fill_store(struct vsets *v)
{
    const struct esse_order *order = v->replay->order;
    for (uint32_t i = 0; i < order->count; i++) {
        const uint32_t txn = order->has_starts ? order->events[i] >> 1 : order->events[i];
        if (!order->has_starts || !(order->events[i] & 1))
            v->seen[txn] = v->store.commits;
        if (!order->has_starts || (order->events[i] & 1)) {
            replay_state_commit(&v->store, txn);
            v->commit[txn] = v->store.commits;
        }
    }
}

/* The value of a version; of a list, the element that it ends with. */
static esse_value value_of(const struct replay_key *key, uint32_t version)
{
    const uint32_t count = key->versions[version].count;
    return count ? key->items[count - 1] : key->versions[version].value;
}

/* May the operation have seen a version with the value named?  No transaction sees what it writes
 * only later.  Where predicates may see something older, what they depend on must still have been
 * committed. */
static bool agrees(struct vsets *v, uint32_t txn, uint32_t op, const struct esse_keyed_row *named,
                   bool is_weak)
{
    const struct replay_key *key = &v->store.keys[named->key.ix];
    uint32_t seen = 0;
    bool before = false, found = false;
    if (esse_op_wrote_before(v->replay->history, op, named->key))
        return true;
    for (uint32_t i = 0; i < key->version_count; i++) {
        const bool matches =
            replay_rows_select(&v->replay->state, op, named->key.ix, value_of(key, i));
        v->change[i] = i && matches == before ? v->change[i - 1] : i;
        before = matches;
        seen = key->versions[i].commit <= v->seen[txn] ? i : seen;
    }
    for (uint32_t i = 0; !found && i < key->version_count; i++)
        found = esse_value_eq(value_of(key, i), esse_value_state(named->value)) &&
                key->versions[i].commit != v->commit[txn] &&
                (is_weak ? key->versions[v->change[i]].commit < v->commit[txn]
                         : v->change[i] == v->change[seen]);
    return found;
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
    v.commit = esse_arena_alloc(replay->arena, txns, sizeof *v.commit);
    v.seen = esse_arena_alloc(replay->arena, txns, sizeof *v.seen);
    v.change = esse_arena_alloc(replay->arena, txns, sizeof *v.change);
    replay_state_init(&v.store, replay->arena, history, replay->in, true);
    fill_store(&v);
    for (uint32_t txn = 0; txn < history->txns; txn++)
        for (uint32_t op = history->txn_op[txn]; replay->in[txn] && op < history->txn_op[txn + 1];
             op++)
            if (!op_agrees(&v, txn, op, is_weak))
                return replay_wrong(replay, txn, "did not see the version set given", err);
    return true;
}
