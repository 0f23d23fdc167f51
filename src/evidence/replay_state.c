#include "evidence/replay_state.h"

#include "base/checked.h"

#include <string.h>

/* How many versions and items the keys may come to have. */
static void count_writes(struct replay_state *state, const uint8_t *in)
{
    const struct esse_history *history = state->history;
    for (uint32_t t = 0; t < history->txns; t++)
        for (uint32_t op = history->txn_op[t]; in[t] && op < history->txn_op[t + 1]; op++) {
            const enum esse_op_kind kind = (enum esse_op_kind)history->op_kind[op];
            if (kind == ESSE_OP_READ || kind == ESSE_OP_PREDICATE_READ)
                continue;
            for (uint32_t i = esse_access_count(history, op); i-- > 0;)
                state->keys[esse_access_at(history, op, i).key.ix].version_count++;
            if (kind == ESSE_OP_APPEND)
                state->keys[history->op_key[op]].item_count++;
        }
}

/* One block for all versions and one for all items, cut by key. */
void replay_state_init(struct replay_state *state, struct esse_arena *arena,
                       const struct esse_history *history, const uint8_t *in, bool keeps_versions)
{
    *state = (struct replay_state){ .arena = arena, .history = history };
    state->keeps_changes = keeps_versions && (history->has & ESSE_HAS_PREDICATES);
    replay_rows_init(state, arena);
    state->keys = esse_arena_alloc(arena, history->keys + 1u, sizeof *state->keys);
    /* The newest state of registers needs no room but its own. */
    if (keeps_versions || (history->has & ESSE_HAS_APPENDS))
        count_writes(state, in);
    size_t versions = history->keys, items = 0;
    for (uint32_t k = 0; k < history->keys; k++) {
        versions += state->keys[k].version_count;
        items += state->keys[k].item_count;
    }
    struct replay_version *version =
        keeps_versions ? esse_arena_grow(arena, NULL, (versions + 1) * sizeof *version) : NULL;
    esse_value *item = esse_arena_grow(arena, NULL, (items + 1) * sizeof *item);
    const esse_value *initial = esse_initial_values(arena, history);
    for (uint32_t k = 0; k < history->keys; k++) {
        struct replay_key *key = &state->keys[k];
        const uint32_t version_room = key->version_count + 1, item_room = key->item_count;
        *key = (struct replay_key){ .last = { 0, 0, initial[k] },
                                    .versions = version,
                                    .items = item,
                                    .version_count = 1,
                                    .spine = REPLAY_NO_SPINE };
        if (keeps_versions) {
            key->versions[0] = key->last;
            version += version_room;
        }
        item += item_room;
    }
    ESSE_SEAM(replay_state_valid(state));
}

struct replay_version replay_state_at(const struct replay_state *state, uint32_t k, uint32_t commit)
{
    const struct replay_key *key = &state->keys[k];
    uint32_t low = 0, high = key->version_count;
    if (key->last.commit <= commit || !key->versions)
        return key->last;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (key->versions[middle].commit <= commit)
            low = middle;
        else
            high = middle;
    }
    return key->versions[low];
}

bool replay_state_is_list(struct replay_state *state, uint32_t k, esse_value list, uint32_t count)
{
    struct replay_key *key = &state->keys[k];
    uint32_t length, spine = (uint32_t)list.word >> 3;
    const esse_value *items = esse_history_list(state->history, list, &length);
    if (length != count || count > key->item_count)
        return false;
    if (key->spine != spine || state->grows) { /* a stream's spines are of one transaction */
        key->spine = spine;
        key->compared = 0;
    }
    if (count <= key->compared)
        return true;
    if (memcmp(items + key->compared, key->items + key->compared,
               (count - key->compared) * sizeof *items) != 0)
        return false;
    key->compared = count;
    return true;
}

struct replay_own replay_own_writes(const struct esse_history *history, uint32_t txn, uint32_t op,
                                    esse_key key)
{
    struct replay_own own = { false, ESSE_NONE, 0 };
    for (uint32_t o = history->txn_op[txn]; o < op; o++) {
        esse_value written = history->op_value[o];
        if (esse_op_is_predicate(history->op_kind[o])
                ? !esse_op_write_of(history, o, key, &written)
                : history->op_key[o] != key.ix || history->op_kind[o] == ESSE_OP_READ)
            continue;
        own.written = history->op_kind[o] != ESSE_OP_APPEND;
        own.value = written;
        own.appends += history->op_kind[o] == ESSE_OP_APPEND;
    }
    return own;
}

/* Are the last items of the list what the transaction appended before 'op'? */
static bool ends_with_own(const struct esse_history *history, uint32_t txn, uint32_t op,
                          const esse_value *items, uint32_t length)
{
    for (uint32_t o = op; o-- > history->txn_op[txn];) {
        if (history->op_key[o] != history->op_key[op] || history->op_kind[o] != ESSE_OP_APPEND)
            continue;
        if (!length || !esse_value_eq(items[--length], history->op_value[o]))
            return false;
    }
    return true;
}

static bool reads_list(struct replay_state *state, uint32_t txn, uint32_t op,
                       struct esse_access read, struct replay_own own, uint32_t snapshot)
{
    uint32_t length = 0, key = read.key.ix;
    const esse_value *items = esse_value_is_list(read.value)
                                  ? esse_history_list(state->history, read.value, &length)
                                  : NULL;
    uint32_t count = replay_state_at(state, key, snapshot).count;
    if (length != count + own.appends)
        return false;
    if (own.appends && !ends_with_own(state->history, txn, op, items, length))
        return false;
    esse_value base = { (uint64_t)count << 32 | (uint32_t)read.value.word };
    return !count || replay_state_is_list(state, key, base, count);
}

/* [] of what was never appended to is what it is otherwise: nothing. */
static bool reads_one(struct replay_state *state, uint32_t txn, uint32_t op,
                      struct esse_access read, uint32_t snapshot)
{
    const esse_value value = esse_value_state(read.value);
    if (esse_value_eq(value, ESSE_NONE))
        return true;
    struct replay_own own = replay_own_writes(state->history, txn, op, read.key);
    struct replay_version version = replay_state_at(state, read.key.ix, snapshot);
    if (esse_value_is_list(value) || version.count || own.appends)
        return reads_list(state, txn, op, read, own, snapshot);
    return esse_value_eq(value, own.written ? own.value : version.value);
}

bool replay_state_reads(struct replay_state *state, uint32_t txn, uint32_t snapshot)
{
    const struct esse_history *history = state->history;
    for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++) {
        uint32_t count = esse_access_count(history, op);
        for (uint32_t i = 0; i < count; i++) {
            struct esse_access access = esse_access_at(history, op, i);
            if (access.kind == ESSE_OP_READ && !reads_one(state, txn, op, access, snapshot))
                return replay_state_misses(state, ESSE_MISMATCH_READ, op, access.key.ix);
        }
        if (esse_op_is_predicate(history->op_kind[op]) && !replay_rows_at(state, txn, op, snapshot))
            return false;
    }
    return true;
}

void replay_state_begin(struct replay_state *state)
{
    state->commits++;
    if (state->keeps_changes)
        replay_number_vec_push(&state->change_first, state->arena, (uint32_t)state->changes.count);
}

void replay_state_commit(struct replay_state *state, uint32_t txn)
{
    const struct esse_history *history = state->history;
    replay_state_begin(state);
    for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++) {
        uint32_t count = esse_access_count(history, op);
        for (uint32_t i = 0; i < count; i++) {
            struct esse_access access = esse_access_at(history, op, i);
            if (access.kind == ESSE_OP_READ)
                continue;
            replay_state_write(state, access);
            if (state->keeps_changes)
                replay_number_vec_push(&state->changes, state->arena, access.key.ix);
        }
    }
}

/* ---- both at once ---- */

bool replay_state_reads_newest(struct replay_state *state, struct esse_access read)
{
    const struct replay_key *key = &state->keys[read.key.ix];
    const esse_value value = esse_value_state(read.value);
    if (!esse_value_is_list(value))
        return key->item_count == 0 && esse_value_eq(value, key->last.value);
    uint32_t length = (uint32_t)(value.word >> 32);
    return length == key->item_count && replay_state_is_list(state, read.key.ix, value, length);
}

static bool run_access(struct replay_state *state, uint32_t op, struct esse_access access)
{
    if (access.kind != ESSE_OP_READ)
        replay_state_write(state, access);
    else if (!esse_value_eq(access.value, ESSE_NONE) && !replay_state_reads_newest(state, access))
        return replay_state_misses(state, ESSE_MISMATCH_READ, op, access.key.ix);
    return true;
}

/* Reads what it returned, then looks for what else it should have; then an update writes. */
static bool run_predicate(struct replay_state *state, uint32_t op)
{
    const struct esse_history *history = state->history;
    const uint32_t count = esse_access_count(history, op);
    const uint32_t rows = history->predicates[history->op_key[op]].row_count;
    for (uint32_t i = 0; i < count; i++) {
        if (i == rows && !replay_rows_newest(state, op))
            return false;
        if (!run_access(state, op, esse_access_at(history, op, i)))
            return false;
    }
    return count > rows || replay_rows_newest(state, op);
}

bool replay_state_run(struct replay_state *state, uint32_t txn)
{
    const struct esse_history *history = state->history;
    state->commits++;
    for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++)
        if (esse_op_is_predicate(history->op_kind[op])
                ? !run_predicate(state, op)
                : !run_access(state, op, esse_access_at(history, op, 0)))
            return false;
    return true;
}
