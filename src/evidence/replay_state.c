#include "evidence/replay_state.h"

#include <string.h>

#define NO_SPINE UINT32_MAX

static bool is_list(esse_value value)
{
    return esse_value_tag(value) == ESSE_TAG_LIST;
}

static void count_writes(struct replay_state *state, uint32_t op, size_t *versions, size_t *items)
{
    uint32_t count = esse_access_count(state->history, op);
    for (uint32_t i = 0; i < count; i++) {
        struct esse_access access = esse_access_at(state->history, op, i);
        struct replay_key *key = &state->keys[access.key.ix];
        if (access.kind == ESSE_OP_READ)
            continue;
        key->version_count++;
        ++*versions;
        key->item_count += access.kind == ESSE_OP_APPEND;
        *items += access.kind == ESSE_OP_APPEND;
    }
}

/* One block for all versions and one for all items, cut by key. */
void replay_state_init(struct replay_state *state, struct esse_arena *arena,
                       const struct esse_history *history, const uint8_t *in, bool keeps_versions)
{
    *state = (struct replay_state){ .arena = arena, .history = history };
    if (history->has & ESSE_HAS_PREDICATES)
        state->predicates = esse_predicates_new(arena, history);
    state->keys = esse_arena_alloc(arena, history->keys + 1u, sizeof *state->keys);
    size_t versions = history->keys, items = 0;
    /* The newest state of registers needs no room but its own. */
    const bool grows = keeps_versions || (history->has & ESSE_HAS_APPENDS);
    for (uint32_t t = 0; grows && t < history->txns; t++)
        for (uint32_t op = history->txn_op[t]; in[t] && op < history->txn_op[t + 1]; op++)
            count_writes(state, op, &versions, &items);
    struct replay_version *version =
        keeps_versions ? esse_arena_grow(arena, NULL, (versions + 1) * sizeof *version) : NULL;
    esse_value *item = esse_arena_grow(arena, NULL, (items + 1) * sizeof *item);
    for (uint32_t k = 0; k < history->keys; k++) {
        struct replay_key *key = &state->keys[k];
        if (keeps_versions) {
            key->versions = version;
            version += key->version_count + 1;
        }
        key->items = item;
        item += key->item_count;
        key->item_count = 0;
        key->spine = NO_SPINE;
        key->last = (struct replay_version){ 0, 0, ESSE_NIL };
    }
    for (uint32_t i = 0; i < history->init_count; i++)
        state->keys[history->init[i].key.ix].last.value = history->init[i].value;
    for (uint32_t k = 0; k < history->keys; k++) {
        state->keys[k].version_count = 1;
        if (keeps_versions)
            state->keys[k].versions[0] = state->keys[k].last;
    }
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
    const esse_value *items =
        is_list(read.value) ? esse_history_list(state->history, read.value, &length) : NULL;
    uint32_t count = replay_state_at(state, key, snapshot).count;
    if (length != count + own.appends)
        return false;
    if (own.appends && !ends_with_own(state->history, txn, op, items, length))
        return false;
    esse_value base = { (uint64_t)count << 32 | (uint32_t)read.value.word };
    return !count || replay_state_is_list(state, key, base, count);
}

static bool reads_one(struct replay_state *state, uint32_t txn, uint32_t op,
                      struct esse_access read, uint32_t snapshot)
{
    if (esse_value_eq(read.value, ESSE_NONE))
        return true;
    struct replay_own own = replay_own_writes(state->history, txn, op, read.key);
    struct replay_version version = replay_state_at(state, read.key.ix, snapshot);
    if (is_list(read.value) || version.count || own.appends)
        return reads_list(state, txn, op, read, own, snapshot);
    return esse_value_eq(read.value, own.written ? own.value : version.value);
}

/* ---- predicates ---- */

bool replay_state_selects(struct replay_state *state, uint32_t op, uint32_t key, esse_value value)
{
    const struct esse_history *history = state->history;
    struct esse_error ignored;
    bool selects;
    const struct esse_predicate *predicate = esse_predicates_get(
        state->predicates, history->predicates[history->op_key[op]].text, &ignored);
    return predicate &&
           esse_predicate_selects(predicate, history->key_name[key], value, &selects, &ignored) &&
           selects;
}

/* The rows that were returned are current, as all reads are; they must match, and nothing else
 * may. */
static bool finds_its_rows(struct replay_state *state, uint32_t txn, uint32_t op, uint32_t snapshot)
{
    const struct esse_history *history = state->history;
    const struct esse_predicate_op *predicate = &history->predicates[history->op_key[op]];
    uint32_t found = 0;
    if (predicate->no_rows)
        return true;
    for (uint32_t i = 0; i < predicate->row_count; i++) {
        const struct esse_keyed_row *row = &history->rows[predicate->row + i];
        if (!replay_state_selects(state, op, row->key.ix, row->value))
            return false;
    }
    for (uint32_t key = 0; key < history->keys; key++) {
        struct replay_own own = replay_own_writes(history, txn, op, (esse_key){ key });
        struct replay_version version = replay_state_at(state, key, snapshot);
        found += !version.count && !own.appends &&
                 replay_state_selects(state, op, key, own.written ? own.value : version.value);
    }
    return found == predicate->row_count;
}

bool replay_state_reads(struct replay_state *state, uint32_t txn, uint32_t snapshot)
{
    const struct esse_history *history = state->history;
    for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++) {
        uint32_t count = esse_access_count(history, op);
        for (uint32_t i = 0; i < count; i++) {
            struct esse_access access = esse_access_at(history, op, i);
            if (access.kind == ESSE_OP_READ && !reads_one(state, txn, op, access, snapshot))
                return false;
        }
        if (esse_op_is_predicate(history->op_kind[op]) && !finds_its_rows(state, txn, op, snapshot))
            return false;
    }
    return true;
}

static void write_one(struct replay_state *state, struct esse_access write)
{
    struct replay_key *key = &state->keys[write.key.ix];
    bool append = write.kind == ESSE_OP_APPEND;
    if (append)
        key->items[key->item_count++] = write.value;
    /* Several writes of one commit are one version. */
    key->version_count += key->last.commit != state->commits;
    key->last =
        (struct replay_version){ state->commits, key->item_count, append ? ESSE_NIL : write.value };
    if (key->versions)
        key->versions[key->version_count - 1] = key->last;
}

void replay_state_commit(struct replay_state *state, uint32_t txn)
{
    const struct esse_history *history = state->history;
    state->commits++;
    for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++) {
        uint32_t count = esse_access_count(history, op);
        for (uint32_t i = 0; i < count; i++) {
            struct esse_access access = esse_access_at(history, op, i);
            if (access.kind != ESSE_OP_READ)
                write_one(state, access);
        }
    }
}

/* ---- both at once ---- */

bool replay_state_can_run(const struct esse_history *history)
{
    return !(history->has & ESSE_HAS_PREDICATES) &&
           (!(history->has & ESSE_HAS_APPENDS) ||
            !(history->has & (ESSE_HAS_WRITES | ESSE_HAS_DELETES)));
}

static bool reads_newest(struct replay_state *state, struct esse_access read)
{
    const struct replay_key *key = &state->keys[read.key.ix];
    if (!is_list(read.value))
        return key->item_count == 0 && esse_value_eq(read.value, key->last.value);
    uint32_t length = (uint32_t)(read.value.word >> 32);
    return length == key->item_count &&
           (length == 0 || replay_state_is_list(state, read.key.ix, read.value, length));
}

bool replay_state_run(struct replay_state *state, uint32_t txn)
{
    const struct esse_history *history = state->history;
    state->commits++;
    for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++) {
        struct esse_access access = esse_access_at(history, op, 0);
        if (access.kind != ESSE_OP_READ)
            write_one(state, access);
        else if (!esse_value_eq(access.value, ESSE_NONE) && !reads_newest(state, access))
            return false;
    }
    return true;
}
