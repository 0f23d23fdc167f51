#include "engine/replay/replay_held.h"

#include "base/out.h"

#include <string.h>

/* The transaction of a commit, counted from 1; ESSE_NO_TXN for 0, the initial state. */
static esse_txn committer(const struct esse_order *order, uint32_t commit)
{
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

/* What the statement returns of the store: of all rows, so of no single commit. */
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

static void fill(const struct esse_replay_teller *teller, struct esse_mismatch *mismatch,
                 const struct replay_state *state, const struct esse_order *order,
                 uint32_t snapshot)
{
    const bool is_newest = !order->has_starts || mismatch->kind == ESSE_MISMATCH_OVERWRITTEN;
    const uint32_t commit = is_newest ? replay_hold_newest(mismatch, state, teller->arena)
                                      : replay_hold_at(mismatch, state, snapshot, teller->arena);
    mismatch->other = commit == REPLAY_OWN ? mismatch->txn : committer(order, commit);
}

struct esse_replay_teller replay_held(struct esse_arena *arena)
{
    return (struct esse_replay_teller){ arena, fill };
}
