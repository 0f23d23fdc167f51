#include "engine/replay/replay_growing.h"

#include "base/checked.h"

#include <assert.h>
#include <string.h>

void replay_growing_open(struct replay_state *state, struct esse_arena *arena,
                         struct esse_arena *scratch, const struct esse_history *history,
                         bool keeps_versions)
{
    *state = (struct replay_state){ .arena = arena,
                                    .history = history,
                                    .grows = true,
                                    .keeps_versions = keeps_versions,
                                    .keeps_changes = keeps_versions };
    replay_rows_init(state, scratch);
}

void replay_growing_add_key(struct replay_state *state, uint32_t key, esse_value initial)
{
    if (key == state->key_room) {
        state->key_room = key ? 2 * key : 64;
        state->keys =
            esse_arena_grow(state->arena, state->keys, state->key_room * sizeof *state->keys);
    }
    struct replay_key *fresh = &state->keys[key];
    *fresh = (struct replay_key){ .last = { 0, 0, initial },
                                  .version_count = 1,
                                  .spine = REPLAY_NO_SPINE };
    if (state->keeps_versions) {
        fresh->version_room = 2;
        fresh->versions = esse_arena_grow(state->arena, NULL, 2 * sizeof *fresh->versions);
        fresh->versions[0] = fresh->last;
    }
    if (state->rows.index_count)
        replay_rows_change(state, key, ESSE_NIL, initial);
}

/* A version counts while a state that is remembered may show it. */
static void make_version_room(struct replay_state *state, struct replay_key *key)
{
    uint32_t forgotten = 0;
    while (forgotten + 1 < key->version_count &&
           key->versions[forgotten + 1].commit <= state->horizon)
        forgotten++;
    key->version_count -= forgotten;
    memmove(key->versions, key->versions + forgotten, key->version_count * sizeof *key->versions);
    if (key->version_count <= key->version_room / 2)
        return;
    key->version_room *= 2;
    key->versions =
        esse_arena_grow(state->arena, key->versions, key->version_room * sizeof *key->versions);
}

static void make_item_room(struct replay_state *state, struct replay_key *key)
{
    if (key->item_count < key->item_room)
        return;
    key->item_room = key->item_room ? 2 * key->item_room : 4;
    key->items = esse_arena_grow(state->arena, key->items, key->item_room * sizeof *key->items);
}

/* Appends are counted as if they were there, and taken back. */
void replay_growing_make_room(struct replay_state *state, uint32_t txn)
{
    const struct esse_history *history = state->history;
    const uint32_t begin = history->txn_op[txn], end = history->txn_op[txn + 1];
    for (uint32_t op = begin; op < end; op++) {
        const uint32_t count = esse_access_count(history, op);
        for (uint32_t i = 0; i < count; i++) {
            const struct esse_access access = esse_access_at(history, op, i);
            struct replay_key *key = &state->keys[access.key.ix];
            if (access.kind == ESSE_OP_READ)
                continue;
            if (key->versions && key->version_count == key->version_room)
                make_version_room(state, key);
            if (access.kind == ESSE_OP_APPEND) {
                make_item_room(state, key);
                key->item_count++;
            }
        }
    }
    for (uint32_t op = begin; op < end; op++)
        if (history->op_kind[op] == ESSE_OP_APPEND)
            state->keys[history->op_key[op]].item_count--;
}

void replay_growing_forget(struct replay_state *state, uint32_t horizon)
{
    struct replay_number_vec *first = &state->change_first, *changes = &state->changes;
    const uint32_t commits = horizon - state->horizon;
    assert(horizon >= state->horizon);
    assert(horizon <= state->commits);
    state->horizon = horizon;
    if (!state->keeps_changes || !commits)
        return;
    const uint32_t dropped = commits < first->count ? first->at[commits] : (uint32_t)changes->count;
    changes->count -= dropped;
    memmove(changes->at, changes->at + dropped, changes->count * sizeof *changes->at);
    first->count -= commits;
    for (size_t i = 0; i < first->count; i++)
        first->at[i] = first->at[i + commits] - dropped;
    ESSE_SEAM(replay_state_valid(state));
}
