#include "evidence/key_versions.h"

#include "evidence/counted.h"
#include "history/access.h"
#include "history/snapshots.h"

/* Puts the versions after the initial one into the order given; false if it does not name all. */
static bool sort_as_given(struct esse_key_version_vec *versions, struct esse_arena *arena,
                          const struct esse_version_order *order)
{
    const size_t count = versions->count;
    struct esse_key_version_vec sorted = { 0 };
    esse_key_version_vec_push(&sorted, arena, versions->at[0]);
    for (uint32_t i = 0; i < order->count; i++)
        for (size_t v = 1; v < count; v++)
            if (esse_version_is(&order->versions[i], versions->at[v].txn, versions->at[v].value))
                esse_key_version_vec_push(&sorted, arena, versions->at[v]);
    *versions = sorted;
    return sorted.count == count;
}

bool esse_key_versions(struct esse_key_version_vec *versions, struct esse_arena *arena,
                       const struct esse_history *history, esse_key key)
{
    const uint8_t *counted = esse_counted(arena, history);
    struct esse_key_version version = { ESSE_NO_TXN, ESSE_NO_OP, esse_key_initial(history, key),
                                        false };
    *versions = (struct esse_key_version_vec){ 0 };
    esse_key_version_vec_push(versions, arena, version);
    for (uint32_t txn = 0; txn < history->txns; txn++) {
        version.txn = ESSE_NO_TXN;
        for (uint32_t op = history->txn_op[txn]; counted[txn] && op < history->txn_op[txn + 1];
             op++)
            if (esse_op_write_of(history, op, key, &version.value)) {
                version.txn = txn;
                version.op = op;
            }
        if (version.txn == txn)
            esse_key_version_vec_push(versions, arena, version);
    }
    for (uint32_t i = 0; i < history->version_order_count; i++)
        if (history->version_orders[i].key.ix == key.ix)
            return sort_as_given(versions, arena, &history->version_orders[i]);
    return esse_is_recorded_in_version_order(history) || versions->count <= 2;
}

bool esse_key_version_at_snapshot(const struct esse_key_version_vec *versions,
                                  const struct esse_history *history, uint32_t txn, uint32_t op,
                                  uint32_t *seen)
{
    if (history->certificate.kind == ESSE_CERTIFICATE_NONE)
        return false;
    struct esse_arena *arena = esse_arena_new();
    struct esse_snapshots snapshots;
    struct esse_snapshot snapshot;
    uint32_t next = 0; /* the first place that is free */
    esse_snapshots_find(&snapshots, arena, history);
    bool ok = esse_snapshot_of(&snapshots, txn, op, &snapshot);
    *seen = 0;
    for (uint32_t v = 1; ok && v < versions->count; v++) {
        const uint32_t place = snapshots.place[versions->at[v].txn].ix;
        ok = place != ESSE_NO_PLACE && place >= next;
        next = place + 1;
        if (ok && esse_snapshot_sees(&snapshots, &snapshot, versions->at[v].txn))
            *seen = v;
    }
    esse_arena_free(arena);
    return ok;
}
