#include "evidence/replay_state.h"

/* What replay_state.h says of a store.  Asserts look at it; no answer rests on it. */

static bool is_same(struct replay_version a, struct replay_version b)
{
    return a.commit == b.commit && a.count == b.count && esse_value_eq(a.value, b.value);
}

static bool are_versions_valid(const struct replay_key *key)
{
    bool ok = is_same(key->versions[key->version_count - 1], key->last);
    for (uint32_t v = 1; ok && v < key->version_count; v++)
        ok = key->versions[v - 1].commit < key->versions[v].commit &&
             key->versions[v - 1].count <= key->versions[v].count;
    return ok;
}

static bool is_key_valid(const struct replay_state *state, const struct replay_key *key)
{
    return key->version_count > 0 && key->last.commit <= state->commits &&
           key->last.count == key->item_count && key->compared <= key->item_count &&
           (!state->grows || key->item_count <= key->item_room) &&
           (!state->grows || !key->versions || key->version_count <= key->version_room) &&
           (!key->versions || are_versions_valid(key));
}

static bool are_changes_valid(const struct replay_state *state)
{
    const struct replay_number_vec *first = &state->change_first;
    bool ok = first->count == state->commits - state->horizon;
    for (size_t i = 0; ok && i < first->count; i++)
        ok = first->at[i] <= state->changes.count && (!i || first->at[i - 1] <= first->at[i]);
    for (size_t i = 0; ok && i < state->changes.count; i++)
        ok = state->changes.at[i] < state->history->keys;
    return ok;
}

bool replay_state_valid(const struct replay_state *state)
{
    bool ok = state->horizon <= state->commits;
    for (uint32_t key = 0; ok && key < state->history->keys; key++)
        ok = is_key_valid(state, &state->keys[key]);
    return ok && (!state->keeps_changes || are_changes_valid(state));
}
