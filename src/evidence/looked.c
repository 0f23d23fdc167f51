#include "evidence/looked.h"

#include "evidence/counted.h"
#include "history/given_order.h"
#include "history/snapshots.h"

bool looked_open(struct looked *looked, const struct esse_history *history, uint32_t txn,
                 uint32_t op)
{
    if (!esse_op_is_predicate(history->op_kind[op]))
        return false;
    *looked = (struct looked){ .arena = esse_arena_new(),
                               .history = history,
                               .returned = &history->predicates[history->op_key[op]],
                               .txn = txn,
                               .op = op };
    const uint8_t *none_counts = esse_arena_alloc(looked->arena, history->txns + (size_t)1, 1);
    replay_state_init(&looked->store, looked->arena, history, none_counts, false);
    return true;
}

void looked_close(struct looked *looked)
{
    esse_arena_free(looked->arena);
}

/* ---- views ---- */

static esse_value *view_of(const struct looked *looked, esse_value every, uint32_t row,
                           uint32_t count)
{
    const struct esse_history *history = looked->history;
    esse_value *view = esse_arena_alloc(looked->arena, history->keys + (size_t)1, sizeof *view);
    for (uint32_t key = 0; key < history->keys; key++)
        view[key] = every;
    for (uint32_t i = count; i-- > 0;)
        view[history->rows[row + i].key.ix] = history->rows[row + i].value;
    return view;
}

void looked_add_writes(const struct looked *looked, esse_value *view, uint32_t txn, uint32_t end,
                       bool is_known)
{
    const struct esse_history *history = looked->history;
    struct esse_access_walk walk = { history, history->txn_op[txn], end };
    while (esse_access_next(&walk))
        if (walk.access.kind != ESSE_OP_READ)
            view[walk.access.key.ix] =
                is_known && walk.access.kind == ESSE_OP_WRITE ? walk.access.value : ESSE_NONE;
}

esse_value *looked_at_set(const struct looked *looked)
{
    esse_value *view =
        view_of(looked, ESSE_NIL, looked->returned->vset, looked->returned->vset_count);
    looked_add_writes(looked, view, looked->txn, looked->op, true);
    return view;
}

esse_value *looked_at_rows(const struct looked *looked)
{
    return view_of(looked, ESSE_NONE, looked->returned->row, looked->returned->row_count);
}

/* One that saw its own commit did not look before it. */
static bool finds(const struct looked *looked, struct esse_snapshots *snapshots,
                  struct esse_snapshot *snapshot)
{
    if (looked->history->certificate.kind == ESSE_CERTIFICATE_NONE || looked->returned->has_vset)
        return false;
    esse_snapshots_find(snapshots, looked->arena, looked->history);
    return esse_snapshot_of(snapshots, looked->txn, looked->op, snapshot) &&
           (!esse_snapshot_sees(snapshots, snapshot, looked->txn) ||
            !esse_txn_writes(looked->history, looked->txn, NULL));
}

esse_value *looked_at_snapshot(const struct looked *looked, bool *is_sure)
{
    const struct esse_history *history = looked->history;
    struct esse_snapshots snapshots;
    struct esse_snapshot snapshot;
    if (!finds(looked, &snapshots, &snapshot))
        return NULL;
    esse_value *view = esse_initial_values(looked->arena, history);
    for (uint32_t place = 0; place < snapshot.before.ix; place++) {
        const uint32_t txn = snapshots.txns[place].ix;
        if (esse_snapshot_sees(&snapshots, &snapshot, txn))
            looked_add_writes(looked, view, txn, history->txn_op[txn + 1], true);
    }
    const uint8_t *counted = esse_counted(looked->arena, history);
    *is_sure = !(history->has & ESSE_HAS_APPENDS);
    for (uint32_t txn = 0; txn < history->txns; txn++) {
        if (history->txn_status[txn] == ESSE_ABORTED || snapshots.place[txn].ix != ESSE_NO_PLACE)
            continue;
        *is_sure &= !esse_txn_writes(history, txn, NULL);
        if (counted[txn])
            looked_add_writes(looked, view, txn, history->txn_op[txn + 1], false);
    }
    looked_add_writes(looked, view, looked->txn, looked->op, true);
    return view;
}

/* ---- questions ---- */

void looked_fill(struct looked *looked, const esse_value *view)
{
    struct replay_state *store = &looked->store;
    store->rows.error.code = ESSE_OK;
    for (uint32_t key = 0; key < looked->history->keys; key++) {
        const esse_value row = esse_value_eq(view[key], ESSE_NONE) ? ESSE_NIL : view[key];
        replay_rows_change(store, key, store->keys[key].last.value, row);
        store->keys[key].last.value = row;
    }
}

bool looked_differs(struct looked *looked, esse_key key, esse_value version)
{
    esse_value row;
    const bool is_row = esse_op_read_of(looked->history, looked->op, key, &row);
    if (esse_value_eq(version, ESSE_NONE) ||
        (!is_row && !replay_rows_tell_all(&looked->store, looked->op)))
        return false;
    const enum esse_truth selects = replay_rows_ask(&looked->store, looked->op, key.ix, version);
    return selects != ESSE_TRUTH_UNKNOWN &&
           ((selects == ESSE_TRUTH_TRUE) != is_row || (is_row && !esse_value_eq(row, version)));
}
