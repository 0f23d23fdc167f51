#include "evidence/replay_rules.h"

#include <string.h>

/* What to tell of an operation that does not read what the table held. */

/* The transaction of a commit, counted from 1; ESSE_NO_TXN for 0, the initial state. */
static esse_txn committer(const struct replay *replay, uint32_t commit)
{
    const struct esse_order *order = replay->order;
    for (uint32_t i = 0; commit && i < order->count; i++) {
        const bool commits = !order->has_starts || (order->events[i] & 1);
        if (commits && !--commit)
            return (esse_txn){ order->events[i] >> order->has_starts };
    }
    return (esse_txn){ ESSE_NO_TXN };
}

/* A list: the items that were committed, then its own. */
static void hold_list(struct replay *replay, struct esse_mismatch *mismatch, uint32_t committed,
                      uint32_t own)
{
    const struct esse_history *history = replay->history;
    const struct replay_key *key = &replay->state.keys[mismatch->key.ix];
    esse_value *items = esse_arena_alloc(replay->keeper, committed + own + 1u, sizeof *items);
    if (committed)
        memcpy(items, key->items, committed * sizeof *items);
    mismatch->items = items;
    mismatch->item_count = committed;
    for (uint32_t op = history->txn_op[mismatch->txn.ix]; own && op < mismatch->op.ix; op++)
        if (history->op_kind[op] == ESSE_OP_APPEND && history->op_key[op] == mismatch->key.ix)
            items[mismatch->item_count++] = history->op_value[op];
}

/* The state after 'snapshot' commits, or, with the transaction running on it, the newest one. */
static void hold(struct replay *replay, struct esse_mismatch *mismatch, uint32_t snapshot)
{
    const bool runs = !replay->order->has_starts;
    const struct replay_version version =
        replay_state_at(&replay->state, mismatch->key.ix, snapshot);
    struct replay_own own = { .written = false };
    if (!runs)
        own = replay_own_writes(replay->history, mismatch->txn.ix, mismatch->op.ix, mismatch->key);
    mismatch->held = own.written ? own.value : version.value;
    mismatch->other =
        own.written || own.appends ? mismatch->txn : committer(replay, version.commit);
    if (version.count || own.appends)
        hold_list(replay, mismatch, version.count, own.appends);
}

bool replay_missed(struct replay *replay, uint32_t txn, uint32_t snapshot, struct esse_error *err)
{
    static const enum esse_mismatch_kind kinds[] = {
        [REPLAY_MISS_NONE] = ESSE_MISMATCH_NONE,
        [REPLAY_MISS_READ] = ESSE_MISMATCH_READ,
        [REPLAY_MISS_NOT_SELECTED] = ESSE_MISMATCH_NOT_SELECTED,
        [REPLAY_MISS_LEFT_OUT] = ESSE_MISMATCH_LEFT_OUT,
    };
    const struct replay_miss miss = replay->state.miss;
    *replay->mismatch = (struct esse_mismatch){
        .kind = kinds[miss.kind], .txn = { txn }, .op = { miss.op }, .key = { miss.key }
    };
    hold(replay, replay->mismatch, snapshot);
    return replay_wrong(replay, txn, "would have read something else", err);
}

void replay_overwritten(struct replay *replay, uint32_t txn, uint32_t op, uint32_t key)
{
    *replay->mismatch = (struct esse_mismatch){
        .kind = ESSE_MISMATCH_OVERWRITTEN, .txn = { txn }, .op = { op }, .key = { key }
    };
    hold(replay, replay->mismatch, replay->state.commits);
    replay->mismatch->other = committer(replay, replay->state.keys[key].last.commit);
}
