#include "history/subset_left.h"

#include "base/guard.h"
#include "base/hash.h"
#include "history/access.h"
#include "history/subset_seen.h"

static uint32_t hash_of(esse_key key, esse_value value)
{
    return esse_hash_word(value.word ^ (uint64_t)key.ix << 40 ^ key.ix);
}

static struct left_written *find_written(const struct esse_left *left, esse_key key,
                                         esse_value value)
{
    uint32_t id;
    struct esse_probe probe = esse_index_probe(&left->index, hash_of(key, value));
    while (esse_probe_next(&probe, &id))
        if (left->written.at[id].key == key.ix && esse_value_eq(left->written.at[id].value, value))
            return &left->written.at[id];
    return NULL;
}

static struct left_written *need_written(struct esse_left *left, esse_key key, esse_value value)
{
    struct left_written *written = find_written(left, key, value);
    if (written)
        return written;
    const struct left_written none = { key.ix, value, 0, 0 };
    esse_index_add(&left->index, left->scratch, hash_of(key, value), (uint32_t)left->written.count);
    left_written_vec_push(&left->written, left->scratch, none);
    return &left->written.at[left->written.count - 1];
}

/* ---- what went ---- */

static bool is_writer(const struct esse_history *history, uint32_t op)
{
    return history->op_kind[op] != ESSE_OP_READ && history->op_kind[op] != ESSE_OP_PREDICATE_READ;
}

static void lose(struct esse_left *left, uint32_t txn, struct esse_access access)
{
    left->txn_lost[txn] = 1;
    if (left->history->txn_status[txn] == ESSE_ABORTED)
        return;
    need_written(left, access.key, access.value)->lost++;
    if (!left->key_lost[access.key.ix])
        esse_u32_vec_push(&left->lost_keys, left->scratch, access.key.ix);
    left->key_lost[access.key.ix] = 1;
}

static void count_op(struct esse_left *left, uint32_t txn, uint32_t op)
{
    const uint32_t count = esse_access_count(left->history, op);
    for (uint32_t i = 0; i < count; i++) {
        const struct esse_access access = esse_access_at(left->history, op, i);
        if (access.kind == ESSE_OP_READ)
            continue;
        struct left_written *written = need_written(left, access.key, access.value);
        if (!left->selection->keys[access.key.ix])
            continue;
        if (!left->op_kept[op]) {
            lose(left, txn, access);
            continue;
        }
        written->kept++;
        left->key_kept[access.key.ix]++;
    }
    left->is_whole = left->is_whole && (left->op_kept[op] || !is_writer(left->history, op));
}

static void drop_op(struct esse_left *left, uint32_t txn, uint32_t op)
{
    const uint32_t count = esse_access_count(left->history, op);
    for (uint32_t i = 0; i < count; i++) {
        const struct esse_access access = esse_access_at(left->history, op, i);
        if (access.kind == ESSE_OP_READ || !left->selection->keys[access.key.ix])
            continue;
        find_written(left, access.key, access.value)->kept--;
        left->key_kept[access.key.ix]--;
        lose(left, txn, access);
    }
    left->op_kept[op] = ESSE_LEFT_GONE;
    left->is_whole = left->is_whole && !is_writer(left->history, op);
}

bool esse_left_is_gone(const struct esse_left *left, esse_key key, esse_value value)
{
    if (esse_value_eq(value, ESSE_NIL) || esse_value_eq(value, left->initial[key.ix]))
        return false;
    const struct left_written *written = find_written(left, key, value);
    return written && !written->kept;
}

/* Is one of the versions gone that a read of this value may have been of? */
static bool may_be_gone(const struct esse_left *left, esse_key key, esse_value value)
{
    const struct left_written *written = find_written(left, key, value);
    return (written && written->lost) || esse_left_is_gone(left, key, value);
}

/* ---- what goes with it ---- */

static bool reads_gone(const struct esse_left *left, uint32_t op)
{
    const uint32_t count = esse_access_count(left->history, op);
    for (uint32_t i = 0; i < count; i++) {
        const struct esse_access access = esse_access_at(left->history, op, i);
        if (access.kind == ESSE_OP_READ && esse_value_tag(access.value) != ESSE_TAG_LIST &&
            left->selection->keys[access.key.ix] && may_be_gone(left, access.key, access.value))
            return true;
    }
    return false;
}

/* Is the last write of its transaction to this key another one, which is gone? */
static bool is_last_gone(const struct esse_left *left, uint32_t txn, uint32_t op, esse_key key)
{
    esse_value ignored;
    for (uint32_t last = left->history->txn_op[txn + 1]; --last > op;)
        if (esse_op_write_of(left->history, last, key, &ignored))
            return !left->op_kept[last];
    return false;
}

static bool would_be_last(const struct esse_left *left, uint32_t txn, uint32_t op)
{
    const uint32_t count = left->txn_lost[txn] ? esse_access_count(left->history, op) : 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct esse_access access = esse_access_at(left->history, op, i);
        if (access.kind == ESSE_OP_WRITE && left->selection->keys[access.key.ix] &&
            is_last_gone(left, txn, op, access.key))
            return true;
    }
    return false;
}

static void name_rows(struct esse_left *left, uint32_t op, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct esse_keyed_row *row = &left->history->rows[first + i];
        if (!esse_left_is_gone(left, row->key, row->value))
            left->key_named[row->key.ix] = op + 1;
    }
}

static bool may_have_seen_gone(struct esse_left *left, uint32_t op)
{
    const struct esse_history *history = left->history;
    if (!left->lost_keys.count || !esse_op_is_predicate(history->op_kind[op]))
        return false;
    const struct esse_predicate_op *predicate = &history->predicates[history->op_key[op]];
    name_rows(left, op, predicate->row, predicate->row_count);
    name_rows(left, op, predicate->vset, predicate->vset_count);
    for (size_t i = 0; i < left->lost_keys.count; i++) {
        const uint32_t key = left->lost_keys.at[i];
        const bool is_all_gone =
            !left->key_kept[key] && esse_value_eq(left->initial[key], ESSE_NIL);
        if (left->key_named[key] != op + 1 && !is_all_gone)
            return true;
    }
    return false;
}

static bool keeps_rows(const struct esse_left *left, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct esse_keyed_row *row = &left->history->rows[first + i];
        if (!left->selection->keys[row->key.ix] || esse_left_is_gone(left, row->key, row->value))
            return false;
    }
    return true;
}

static bool keeps_own(const struct esse_left *left, uint32_t txn, uint32_t op)
{
    for (uint32_t own = left->history->txn_op[txn]; own < op; own++)
        if (!left->op_kept[own] && is_writer(left->history, own))
            return false;
    return true;
}

/*
 * What a statement returns depends on every row that it ranges over, and what those are only its
 * SQL says.  So it stays only if nothing is lost of what it is judged by: its version set and rows,
 * what its transaction wrote, and where states are made of all writes, or it has nothing else to be
 * judged by, all of them.
 */
static bool may_range_over_gone(const struct esse_left *left, uint32_t txn, uint32_t op)
{
    const struct esse_history *history = left->history;
    const bool has_states =
        history->has & (ESSE_HAS_ORDER | ESSE_HAS_CERTIFICATE | ESSE_HAS_SERVER_TIMES);
    if (left->is_whole || !esse_op_is_predicate(history->op_kind[op]))
        return false;
    const struct esse_predicate_op *p = &history->predicates[history->op_key[op]];
    return esse_is_statement(history->values, p->text) &&
           (has_states || (p->no_rows && !p->has_vset) || !keeps_rows(left, p->row, p->row_count) ||
            !keeps_rows(left, p->vset, p->vset_count) || !keeps_own(left, txn, op));
}

static bool can_tell(struct esse_left *left, uint32_t txn, uint32_t op)
{
    const bool is_ranging = may_range_over_gone(left, txn, op);
    if (!is_ranging && !may_have_seen_gone(left, op))
        return false;
    if (!left->seen)
        left->seen = esse_seen_new(left);
    return esse_seen_can_tell(left->seen, txn, op, is_ranging);
}

/* Its rows are facts all the same. */
static void reduce_to_rows(struct esse_left *left, uint32_t txn, uint32_t op)
{
    if (left->op_kept[op] == ESSE_LEFT_WHOLE && can_tell(left, txn, op))
        left->op_kept[op] = ESSE_LEFT_ROWS;
}

/* What goes takes what it wrote along, so once may not be enough. */
static void drop_dangling(struct esse_left *left)
{
    const struct esse_history *history = left->history;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t t = 0; t < history->txns; t++) {
            esse_guard_poll();
            for (uint32_t op = history->txn_op[t];
                 left->selection->txns[t] && op < history->txn_op[t + 1]; op++) {
                if (left->op_kept[op] && (reads_gone(left, op) || would_be_last(left, t, op))) {
                    drop_op(left, t, op);
                    again = again || is_writer(history, op);
                }
                reduce_to_rows(left, t, op);
            }
        }
    }
}

void esse_left_find(struct esse_left *left, struct esse_arena *scratch,
                    const struct esse_history *history, const struct esse_selection *selection)
{
    const size_t keys = history->keys + (size_t)1;
    *left = (struct esse_left){ .history = history, .selection = selection, .scratch = scratch };
    left->op_kept = esse_arena_alloc(scratch, history->ops + (size_t)1, 1);
    left->txn_lost = esse_arena_alloc(scratch, history->txns + (size_t)1, 1);
    left->key_lost = esse_arena_alloc(scratch, keys, 1);
    left->key_kept = esse_arena_alloc(scratch, keys, sizeof *left->key_kept);
    left->key_named = esse_arena_alloc(scratch, keys, sizeof *left->key_named);
    left->initial = esse_initial_values(scratch, history);
    left->is_whole = true;
    for (uint32_t key = 0; key < history->keys; key++)
        left->is_whole = left->is_whole && selection->keys[key];
    for (uint32_t t = 0; t < history->txns; t++) {
        esse_guard_poll();
        for (uint32_t op = history->txn_op[t]; op < history->txn_op[t + 1]; op++) {
            const bool kept = selection->txns[t] && selection->ops[op] &&
                              (esse_op_is_predicate(history->op_kind[op]) ||
                               selection->keys[history->op_key[op]]);
            left->op_kept[op] = kept ? ESSE_LEFT_WHOLE : ESSE_LEFT_GONE;
            count_op(left, t, op);
        }
    }
    drop_dangling(left);
}
