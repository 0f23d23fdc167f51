#include "evidence/replay_state.h"

#include <string.h>

#define NO_SPINE UINT32_MAX

static bool is_list(esse_value value)
{
    return esse_value_tag(value) == ESSE_TAG_LIST;
}

/* One block for all versions and one for all items, cut by key. */
void replay_state_init(struct replay_state *state, struct esse_arena *arena,
                       const struct esse_history *history, const uint8_t *in)
{
    *state = (struct replay_state){ .arena = arena, .history = history };
    state->keys = esse_arena_alloc(arena, history->keys + 1u, sizeof *state->keys);
    size_t versions = history->keys, items = 0;
    for (uint32_t t = 0; t < history->txns; t++) {
        for (uint32_t op = history->txn_op[t]; in[t] && op < history->txn_op[t + 1]; op++) {
            struct replay_key *key = &state->keys[history->op_key[op]];
            if (history->op_kind[op] == ESSE_OP_READ)
                continue;
            key->version_count++;
            versions++;
            key->item_count += history->op_kind[op] == ESSE_OP_APPEND;
            items += history->op_kind[op] == ESSE_OP_APPEND;
        }
    }
    struct replay_version *version = esse_arena_grow(arena, NULL, (versions + 1) * sizeof *version);
    esse_value *item = esse_arena_grow(arena, NULL, (items + 1) * sizeof *item);
    for (uint32_t k = 0; k < history->keys; k++) {
        struct replay_key *key = &state->keys[k];
        key->versions = version;
        key->items = item;
        version += key->version_count + 1;
        item += key->item_count;
        key->version_count = 1;
        key->item_count = 0;
        key->spine = NO_SPINE;
        key->versions[0] = (struct replay_version){ 0, 0, ESSE_NIL };
    }
    for (uint32_t i = 0; i < history->init_count; i++)
        state->keys[history->init[i].key.ix].versions[0].value = history->init[i].value;
}

struct replay_version replay_state_at(const struct replay_state *state, uint32_t k, uint32_t commit)
{
    const struct replay_key *key = &state->keys[k];
    uint32_t low = 0, high = key->version_count;
    if (key->versions[high - 1].commit <= commit)
        return key->versions[high - 1];
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
    if (key->spine != spine) {
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

/* The last thing the transaction did to the key before 'op' that tells its state: its own write,
 * or its first access.  Own appends since then are counted. */
struct own {
    bool written; /* a register, by its own write */
    esse_value value;
    uint32_t appends;
};

static struct own own_writes(const struct esse_history *history, uint32_t txn, uint32_t op)
{
    struct own own = { false, ESSE_NONE, 0 };
    for (uint32_t o = history->txn_op[txn]; o < op; o++) {
        if (history->op_key[o] != history->op_key[op] || history->op_kind[o] == ESSE_OP_READ)
            continue;
        own.written = history->op_kind[o] != ESSE_OP_APPEND;
        own.value = history->op_kind[o] == ESSE_OP_DELETE ? ESSE_NIL : history->op_value[o];
        own.appends += history->op_kind[o] == ESSE_OP_APPEND;
    }
    return own;
}

/* Are the last 'count' items of the list what the transaction appended before 'op'? */
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

static bool reads_list(struct replay_state *state, uint32_t txn, uint32_t op, struct own own,
                       uint32_t snapshot)
{
    const struct esse_history *history = state->history;
    uint32_t length = 0, key = history->op_key[op];
    esse_value list = history->op_value[op];
    const esse_value *items = is_list(list) ? esse_history_list(history, list, &length) : NULL;
    uint32_t count = replay_state_at(state, key, snapshot).count;
    if (length != count + own.appends)
        return false;
    if (own.appends && !ends_with_own(history, txn, op, items, length))
        return false;
    esse_value base = { (uint64_t)count << 32 | (uint32_t)list.word };
    return !count || replay_state_is_list(state, key, base, count);
}

static bool reads_one(struct replay_state *state, uint32_t txn, uint32_t op, uint32_t snapshot)
{
    const struct esse_history *history = state->history;
    esse_value read = history->op_value[op];
    if (esse_value_eq(read, ESSE_NONE))
        return true;
    struct own own = own_writes(history, txn, op);
    struct replay_version version = replay_state_at(state, history->op_key[op], snapshot);
    if (is_list(read) || version.count || own.appends)
        return reads_list(state, txn, op, own, snapshot);
    return esse_value_eq(read, own.written ? own.value : version.value);
}

bool replay_state_reads(struct replay_state *state, uint32_t txn, uint32_t snapshot)
{
    const struct esse_history *history = state->history;
    for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++)
        if (history->op_kind[op] == ESSE_OP_READ && !reads_one(state, txn, op, snapshot))
            return false;
    return true;
}

void replay_state_commit(struct replay_state *state, uint32_t txn)
{
    const struct esse_history *history = state->history;
    state->commits++;
    for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++) {
        if (history->op_kind[op] == ESSE_OP_READ)
            continue;
        struct replay_key *key = &state->keys[history->op_key[op]];
        bool append = history->op_kind[op] == ESSE_OP_APPEND;
        if (append)
            key->items[key->item_count++] = history->op_value[op];
        /* Several writes of one commit are one version. */
        if (key->versions[key->version_count - 1].commit != state->commits)
            key->version_count++;
        key->versions[key->version_count - 1] =
            (struct replay_version){ state->commits, key->item_count,
                                     append ? ESSE_NIL : history->op_value[op] };
    }
}
