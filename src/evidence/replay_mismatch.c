#include "base/out.h"
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
static void hold_list(struct esse_mismatch *mismatch, const struct replay_state *state,
                      struct esse_arena *arena, uint32_t committed, uint32_t own)
{
    const struct esse_history *history = state->history;
    const struct replay_key *key = &state->keys[mismatch->key.ix];
    esse_value *items = esse_arena_alloc(arena, committed + own + (size_t)1, sizeof *items);
    if (committed)
        memcpy(items, key->items, committed * sizeof *items);
    mismatch->items = items;
    mismatch->item_count = committed;
    for (uint32_t op = history->txn_op[mismatch->txn.ix]; own && op < mismatch->op.ix; op++)
        if (history->op_kind[op] == ESSE_OP_APPEND && history->op_key[op] == mismatch->key.ix)
            items[mismatch->item_count++] = history->op_value[op];
}

/* What the statement returns of the store: of all rows, so of nobody's commit. */
static uint32_t hold_answer(struct esse_mismatch *mismatch, const struct replay_state *state,
                            struct esse_arena *arena)
{
    struct esse_out out;
    esse_out_init_memory(&out, arena);
    esse_answer_show(&out, state->rows.answer);
    mismatch->answered = esse_out_memory(&out);
    return 0;
}

uint32_t replay_hold_newest(struct esse_mismatch *mismatch, const struct replay_state *state,
                            struct esse_arena *arena)
{
    if (mismatch->kind == ESSE_MISMATCH_RESULT)
        return hold_answer(mismatch, state, arena);
    const struct replay_version version = state->keys[mismatch->key.ix].last;
    mismatch->held = version.value;
    if (version.count)
        hold_list(mismatch, state, arena, version.count, 0);
    return version.commit;
}

uint32_t replay_hold_at(struct esse_mismatch *mismatch, const struct replay_state *state,
                        uint32_t snapshot, struct esse_arena *arena)
{
    if (mismatch->kind == ESSE_MISMATCH_RESULT)
        return hold_answer(mismatch, state, arena);
    const struct replay_version version = replay_state_at(state, mismatch->key.ix, snapshot);
    const struct replay_own own =
        replay_own_writes(state->history, mismatch->txn.ix, mismatch->op.ix, mismatch->key);
    mismatch->held = own.written ? own.value : version.value;
    if (version.count || own.appends)
        hold_list(mismatch, state, arena, version.count, own.appends);
    return own.written || own.appends ? REPLAY_OWN : version.commit;
}

void replay_mismatch_of(struct esse_mismatch *mismatch, const struct replay_state *state,
                        esse_txn txn)
{
    static const enum esse_mismatch_kind kinds[] = {
        [REPLAY_MISS_NONE] = ESSE_MISMATCH_NONE,
        [REPLAY_MISS_READ] = ESSE_MISMATCH_READ,
        [REPLAY_MISS_NOT_SELECTED] = ESSE_MISMATCH_NOT_SELECTED,
        [REPLAY_MISS_LEFT_OUT] = ESSE_MISMATCH_LEFT_OUT,
        [REPLAY_MISS_RESULT] = ESSE_MISMATCH_RESULT,
    };
    *mismatch = (struct esse_mismatch){ .kind = kinds[state->miss.kind],
                                        .txn = txn,
                                        .op = { state->miss.op },
                                        .key = { state->miss.key } };
}

bool replay_missed(struct replay *replay, uint32_t txn, uint32_t snapshot, struct esse_error *err)
{
    struct esse_mismatch *mismatch = replay->mismatch;
    replay_mismatch_of(mismatch, &replay->state, (esse_txn){ txn });
    const uint32_t commit = replay->order->has_starts
                                ? replay_hold_at(mismatch, &replay->state, snapshot, replay->keeper)
                                : replay_hold_newest(mismatch, &replay->state, replay->keeper);
    mismatch->other = commit == REPLAY_OWN ? (esse_txn){ txn } : committer(replay, commit);
    return replay_wrong(replay, txn, "would have read something else", err);
}

void replay_overwritten(struct replay *replay, uint32_t txn, uint32_t op, uint32_t key)
{
    *replay->mismatch = (struct esse_mismatch){
        .kind = ESSE_MISMATCH_OVERWRITTEN, .txn = { txn }, .op = { op }, .key = { key }
    };
    replay->mismatch->other =
        committer(replay, replay_hold_newest(replay->mismatch, &replay->state, replay->keeper));
}
