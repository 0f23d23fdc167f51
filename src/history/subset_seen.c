#include "history/subset_seen.h"

#include "base/guard.h"
#include "base/radix.h"
#include "history/access.h"

/* ---- the versions of each key ---- */

/* Calls 'each' for everything that was written by transactions that did not abort. */
static void walk_writes(struct esse_seen *seen,
                        void (*each)(struct esse_seen *seen, uint32_t txn, uint32_t op,
                                     struct esse_access access))
{
    const struct esse_history *history = seen->left->history;
    for (uint32_t txn = 0; txn < history->txns; txn++) {
        esse_guard_poll();
        struct esse_access_walk walk = esse_accesses_of(history, txn);
        while (history->txn_status[txn] != ESSE_ABORTED && esse_access_next(&walk))
            if (walk.access.kind != ESSE_OP_READ)
                each(seen, txn, walk.op, walk.access);
    }
}

static void count_write(struct esse_seen *seen, uint32_t txn, uint32_t op,
                        struct esse_access access)
{
    (void)txn;
    (void)op;
    seen->first[access.key.ix + 2]++;
}

static void put_write(struct esse_seen *seen, uint32_t txn, uint32_t op, struct esse_access access)
{
    const esse_place place =
        seen->has_snapshots ? seen->snapshots.place[txn] : (esse_place){ ESSE_NO_PLACE };
    seen->versions[seen->first[access.key.ix + 1]++] =
        (struct seen_version){ place, txn, op, access.value };
    if (place.ix == ESSE_NO_PLACE)
        seen->is_placed[access.key.ix] = 0;
}

/* By place, and of one transaction in its own order. */
static void sort_key(struct esse_seen *seen, uint32_t key)
{
    struct esse_arena *scratch = seen->left->scratch;
    struct seen_version *at = seen->versions + seen->first[key];
    const uint32_t count = seen->first[key + 1] - seen->first[key];
    struct esse_pair *pairs = esse_arena_array(scratch, count + 1u, *pairs);
    struct seen_version *copy = esse_arena_array(scratch, count + 1u, *copy);
    for (uint32_t i = 0; i < count; i++) {
        pairs[i] = (struct esse_pair){ at[i].place.ix, i };
        copy[i] = at[i];
    }
    esse_radix_sort(pairs, count, scratch);
    for (uint32_t i = 0; i < count; i++)
        at[i] = copy[pairs[i].id];
    esse_arena_drop(scratch, pairs);
    esse_arena_drop(scratch, copy);
}

struct esse_seen *esse_seen_new(const struct esse_left *left)
{
    const struct esse_history *history = left->history;
    struct esse_seen *seen = esse_arena_alloc(left->scratch, 1, sizeof *seen);
    seen->left = left;
    seen->has_snapshots = history->certificate.kind != ESSE_CERTIFICATE_NONE;
    if (seen->has_snapshots)
        esse_snapshots_find(&seen->snapshots, left->scratch, history);
    seen->first = esse_arena_alloc(left->scratch, history->keys + 2u, sizeof *seen->first);
    seen->is_placed = esse_arena_alloc(left->scratch, history->keys + 1u, 1);
    walk_writes(seen, count_write);
    for (uint32_t key = 0; key < history->keys; key++) {
        seen->first[key + 2] += seen->first[key + 1];
        seen->is_placed[key] = seen->has_snapshots;
    }
    seen->versions = esse_arena_alloc(left->scratch, seen->first[history->keys + 1] + (size_t)1,
                                      sizeof *seen->versions);
    walk_writes(seen, put_write);
    for (uint32_t key = 0; key < history->keys; key++)
        if (seen->is_placed[key])
            sort_key(seen, key);
    return seen;
}

/* ---- what an operation can see ---- */

struct asking {
    const struct esse_seen *seen;
    uint32_t txn, op;
    bool has_snapshot;
    struct esse_snapshot snapshot;
};

static bool is_left(const struct esse_left *left, const struct seen_version *version)
{
    return left->op_kept[version->op] != ESSE_LEFT_GONE;
}

static bool may_range_over(const struct asking *a, uint32_t key, esse_value value)
{
    const struct esse_selection *selection = a->seen->left->selection;
    return !selection->ranges ||
           (!esse_value_eq(value, ESSE_NIL) &&
            selection->ranges(selection->context, a->op, (esse_key){ key }, value));
}

static bool ever_ranges_over(const struct asking *a, uint32_t key)
{
    const struct esse_seen *seen = a->seen;
    if (may_range_over(a, key, seen->left->initial[key]))
        return true;
    for (uint32_t v = seen->first[key]; v < seen->first[key + 1]; v++)
        if (may_range_over(a, key, seen->versions[v].value))
            return true;
    return false;
}

/* Its own transaction wrote the key before it, and lost nothing of that: see keeps_own. */
static bool is_own(const struct asking *a, uint32_t key)
{
    const struct esse_history *history = a->seen->left->history;
    esse_value ignored;
    for (uint32_t op = history->txn_op[a->txn]; op < a->op; op++)
        if (esse_op_write_of(history, op, (esse_key){ key }, &ignored))
            return true;
    return false;
}

static bool keeps_own(const struct asking *a)
{
    const struct esse_left *left = a->seen->left;
    for (uint32_t op = left->history->txn_op[a->txn]; op < a->op; op++)
        if (left->op_kept[op] != ESSE_LEFT_WHOLE && left->history->op_kind[op] != ESSE_OP_READ &&
            left->history->op_kind[op] != ESSE_OP_PREDICATE_READ)
            return false;
    return true;
}

/* The newest version that its snapshot has, of all or of those that are left; NULL: the initial
 * one. */
static const struct seen_version *newest(const struct asking *a, uint32_t key, bool of_left)
{
    const struct esse_seen *seen = a->seen;
    for (uint32_t v = seen->first[key + 1]; v-- > seen->first[key];)
        if (esse_snapshot_sees(&seen->snapshots, &a->snapshot, seen->versions[v].txn) &&
            (!of_left || is_left(seen->left, &seen->versions[v])))
            return &seen->versions[v];
    return NULL;
}

static bool can_tell_key(const struct asking *a, uint32_t key)
{
    const struct esse_left *left = a->seen->left;
    const bool is_selected = left->selection->keys[key];
    if ((is_selected && is_own(a, key)) || !ever_ranges_over(a, key))
        return false;
    if (!a->has_snapshot || !a->seen->is_placed[key] || is_own(a, key))
        return true;
    const struct seen_version *before = newest(a, key, false);
    const struct seen_version *after = is_selected ? newest(a, key, true) : NULL;
    if (is_selected && before == after)
        return false;
    return may_range_over(a, key, before ? before->value : left->initial[key]) ||
           (is_selected && may_range_over(a, key, after ? after->value : left->initial[key]));
}

bool esse_seen_can_tell(const struct esse_seen *seen, uint32_t txn, uint32_t op, bool whole_keys)
{
    const struct esse_left *left = seen->left;
    struct asking a = { .seen = seen, .txn = txn, .op = op };
    a.has_snapshot =
        seen->has_snapshots && esse_snapshot_of(&seen->snapshots, txn, op, &a.snapshot);
    if (!keeps_own(&a))
        return true;
    for (size_t i = 0; i < left->lost_keys.count; i++)
        if (can_tell_key(&a, left->lost_keys.at[i]))
            return true;
    for (uint32_t key = 0; whole_keys && key < left->history->keys; key++)
        if (!left->selection->keys[key] && can_tell_key(&a, key))
            return true;
    return false;
}
