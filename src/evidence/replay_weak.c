#include "evidence/counted.h"
#include "evidence/read_source.h"
#include "evidence/recheck_predicate.h"
#include "evidence/replay_rules.h"

#include <string.h>

/* ---- read-committed ---- */

/* The commit whose version the order says was read; UINT32_MAX if it does not say. */
static uint32_t source_commit(const struct replay *replay, uint32_t op, esse_key key)
{
    const struct esse_read_source *source = esse_named_source(replay->order, op, key);
    if (!source)
        return UINT32_MAX;
    const uint32_t write = source->write.ix;
    if (write == ESSE_NO_OP)
        return 0;
    const uint32_t writer =
        write < replay->history->ops ? esse_op_txn(replay->history, write).ix : ESSE_NO_TXN;
    return writer == ESSE_NO_TXN || !replay->in[writer] ? UINT32_MAX : replay->position[writer] + 1;
}

/* A list must be what the key held after some commit before the reader's, or the reader's own. */
uint32_t replay_version_read(struct replay *replay, uint32_t txn, uint32_t op,
                             struct esse_access access)
{
    const uint32_t source = source_commit(replay, op, access.key);
    const struct replay_key *key = &replay->state.keys[access.key.ix];
    esse_value read = esse_value_state(access.value);
    for (uint32_t v = key->version_count; v-- > 0;) {
        struct replay_version version = key->versions[v];
        if (version.commit > replay->position[txn] ||
            (source != UINT32_MAX && version.commit != source))
            continue;
        if (esse_value_tag(read) == ESSE_TAG_LIST
                ? version.count == read.word >> 32 &&
                      replay_state_is_list(&replay->state, access.key.ix, read, version.count)
                : !version.count && esse_value_eq(read, version.value))
            return v;
        /* Versions of a list only grow: an older one cannot be this long. */
        if (esse_value_tag(read) == ESSE_TAG_LIST && version.count < read.word >> 32)
            break;
    }
    return UINT32_MAX;
}

bool replay_is_own(struct replay *replay, uint32_t txn, uint32_t op, struct esse_access access)
{
    struct replay_own own = replay_own_writes(replay->history, txn, op, access.key);
    if (!own.written && !own.appends)
        return false;
    if (esse_value_tag(access.value) != ESSE_TAG_LIST)
        return true;
    /* What it appends later is not there yet. */
    const uint32_t length = (uint32_t)(access.value.word >> 32);
    const uint32_t before =
        replay_state_at(&replay->state, access.key.ix, replay->position[txn]).count;
    return length <= before + own.appends &&
           replay_state_is_list(&replay->state, access.key.ix, access.value, length);
}

bool replay_misses_are_committed(struct replay *replay, uint32_t txn, uint32_t op)
{
    const struct esse_history *history = replay->history;
    esse_value ignored;
    if (!replay_rows_tell_all(&replay->state, op))
        return true;
    for (uint32_t k = 0; k < history->keys; k++) {
        const struct replay_key *key = &replay->state.keys[k];
        struct replay_own own = replay_own_writes(history, txn, op, (esse_key){ k });
        bool explained = own.written || own.appends || key->last.count ||
                         esse_op_read_of(history, op, (esse_key){ k }, &ignored);
        for (uint32_t v = key->version_count; !explained && v-- > 0;)
            explained = key->versions[v].commit <= replay->position[txn] &&
                        !replay_rows_select(&replay->state, op, k, key->versions[v].value);
        if (!explained)
            return false;
    }
    return true;
}

/* Is what a predicate operation returned what its predicate selects, as far as it shows by itself:
 * by the rows, and by its version set?  If not, no order of versions explains it. */
static bool is_selected(struct replay *replay, uint32_t txn, uint32_t op)
{
    const struct esse_history *history = replay->history;
    if (!esse_op_is_predicate(history->op_kind[op]))
        return true;
    const struct esse_predicate_op *looked = &history->predicates[history->op_key[op]];
    bool ok = true;
    for (uint32_t i = 0; ok && i < looked->row_count; i++) {
        const struct esse_keyed_row *row = &history->rows[looked->row + i];
        ok = replay_rows_select(&replay->state, op, row->key.ix, row->value);
    }
    for (uint32_t key = 0; ok && looked->has_vset && key < history->keys; key++)
        ok = !esse_recheck_result_set(history, txn, op, (esse_key){ key });
    return ok &&
           ((!looked->has_vset && !looked->has_result) || !esse_recheck_result(history, txn, op));
}

/* Does every read of the operation return a version that was committed before, or with 'newest' the
 * last of them? */
static bool op_is_committed(struct replay *replay, uint32_t txn, uint32_t op, bool newest)
{
    const struct esse_history *history = replay->history;
    uint32_t count = esse_access_count(history, op);
    if (!is_selected(replay, txn, op))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct esse_access access = esse_access_at(history, op, i);
        if (access.kind != ESSE_OP_READ || esse_value_eq(access.value, ESSE_NONE) ||
            replay_is_own(replay, txn, op, access))
            continue;
        uint32_t version = replay_version_read(replay, txn, op, access);
        if (version == UINT32_MAX ||
            (newest && version != replay->state.keys[access.key.ix].version_count - 1))
            return false;
    }
    return !esse_op_is_predicate(history->op_kind[op]) ||
           replay_misses_are_committed(replay, txn, op);
}

/* Position i of the order is commit i + 1, so a version of commit c comes from position c - 1. */
bool replay_committed(struct replay *replay, struct esse_error *err)
{
    const struct esse_history *history = replay->history;
    for (uint32_t i = 0; i < replay->order->count; i++)
        replay_state_commit(&replay->state, replay->order->events[i]);
    for (uint32_t i = 0; i < replay->order->count; i++) {
        uint32_t txn = replay->order->events[i];
        for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++)
            if (!op_is_committed(replay, txn, op, false))
                return replay_wrong(replay, txn, "read what was not committed before it", err);
    }
    return true;
}

/* ---- consistent-view: nothing that a transaction depends on overwrote what it read ---- */

struct past {
    struct replay *replay;
    uint32_t *seen;    /* by position: the search that met it, plus 1 */
    uint32_t *stack;   /* positions */
    uint32_t *session; /* by position: the commit before it in its session, or 0; or NULL */
    uint32_t depth, floor, search;
};

static void push(struct past *past, uint32_t commit)
{
    if (!commit || commit - 1 < past->floor || past->seen[commit - 1] == past->search + 1)
        return;
    past->seen[commit - 1] = past->search + 1;
    past->stack[past->depth++] = commit - 1;
}

/* The version before the one that the commit installed. */
static uint32_t commit_before(const struct replay_key *key, uint32_t commit)
{
    uint32_t low = 0, high = key->version_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (key->versions[middle].commit < commit)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? key->versions[low - 1].commit : 0;
}

/* The transactions that it read from, or overwrote. */
static void push_causes(struct past *past, uint32_t position)
{
    struct replay *replay = past->replay;
    const struct esse_history *history = replay->history;
    uint32_t txn = replay->order->events[position];
    push(past, past->session ? past->session[position] : 0);
    for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++) {
        uint32_t count = esse_access_count(history, op);
        for (uint32_t i = 0; i < count; i++) {
            struct esse_access access = esse_access_at(history, op, i);
            const struct replay_key *key = &replay->state.keys[access.key.ix];
            if (access.kind != ESSE_OP_READ) {
                push(past, commit_before(key, position + 1));
            } else if (!esse_value_eq(access.value, ESSE_NONE) &&
                       !replay_is_own(replay, txn, op, access)) {
                uint32_t version = replay_version_read(replay, txn, op, access);
                push(past, version == UINT32_MAX ? 0 : key->versions[version].commit);
            }
        }
    }
}

/* The earliest commit, before the transaction, of a version after one that it read, or 0; with
 * 'met', only one that the search has met. */
static uint32_t overwritten(const struct past *past, uint32_t position, bool met)
{
    struct replay *replay = past->replay;
    const struct esse_history *history = replay->history;
    uint32_t txn = replay->order->events[position], earliest = 0;
    for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++) {
        uint32_t count = esse_access_count(history, op);
        for (uint32_t i = 0; i < count; i++) {
            struct esse_access access = esse_access_at(history, op, i);
            const struct replay_key *key = &replay->state.keys[access.key.ix];
            if (access.kind != ESSE_OP_READ || esse_value_eq(access.value, ESSE_NONE) ||
                replay_is_own(replay, txn, op, access))
                continue;
            uint32_t next = replay_version_read(replay, txn, op, access) + 1;
            if (next >= key->version_count || key->versions[next].commit > position ||
                (met && past->seen[key->versions[next].commit - 1] != past->search + 1))
                continue;
            if (!earliest || key->versions[next].commit < earliest)
                earliest = key->versions[next].commit;
        }
    }
    return earliest;
}

static bool sees_consistently(struct past *past, uint32_t position)
{
    uint32_t earliest = overwritten(past, position, false);
    if (!earliest)
        return true;
    past->floor = earliest - 1;
    past->search = position;
    push_causes(past, position);
    while (past->depth)
        push_causes(past, past->stack[--past->depth]);
    return !overwritten(past, position, true);
}

/* By position: the last commit of the same session before it. */
static uint32_t *find_sessions(struct replay *replay)
{
    const struct esse_history *history = replay->history;
    uint32_t *before = esse_arena_alloc(replay->arena, replay->order->count + 1u, sizeof *before);
    uint32_t *last = esse_arena_alloc(replay->arena, history->sessions + 1u, sizeof *last);
    for (uint32_t i = 0; i < replay->order->count; i++) {
        uint32_t session = history->txn_session[replay->order->events[i]];
        before[i] = last[session];
        last[session] = i + 1;
    }
    return before;
}

/* Does every transaction read of each key one version, or what it wrote itself? */
static bool is_internal(struct replay *replay, uint32_t txn)
{
    const struct esse_history *history = replay->history;
    for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++) {
        struct esse_access access = esse_access_at(history, op, 0);
        esse_value known;
        if (history->op_kind[op] != ESSE_OP_READ || esse_value_eq(access.value, ESSE_NONE))
            continue;
        struct replay_own own = replay_own_writes(history, txn, op, access.key);
        if (own.appends ||
            (own.written && !esse_value_eq(own.value, esse_value_state(access.value))))
            return false; /* appends: not for this rule to say */
        for (uint32_t o = history->txn_op[txn]; !own.written && o < op; o++)
            if (esse_op_read_of(history, o, access.key, &known) &&
                !esse_value_eq(known, ESSE_NONE) &&
                !esse_value_eq(esse_value_state(known), esse_value_state(access.value)))
                return false;
    }
    return true;
}

bool replay_consistent(struct replay *replay, struct esse_error *err)
{
    const uint32_t count = replay->order->count;
    struct past past = { .replay = replay };
    if (!replay_committed(replay, err))
        return false;
    const bool is_repeatable = esse_level_is_repeatable(replay->level);
    past.session = replay->level->needs_session_order ? find_sessions(replay) : NULL;
    past.seen = esse_arena_alloc(replay->arena, count + 1u, sizeof *past.seen);
    past.stack = esse_arena_alloc(replay->arena, count + 1u, sizeof *past.stack);
    if (replay->history->has & ESSE_HAS_PREDICATES)
        return replay_wrong(replay, 0, "may have seen rows that this rule does not look at", err);
    for (uint32_t i = 0; i < count; i++)
        if (is_repeatable && !is_internal(replay, replay->order->events[i]))
            return replay_wrong(replay, replay->order->events[i], "contradicts itself", err);
        else if (!sees_consistently(&past, i))
            return replay_wrong(replay, replay->order->events[i],
                                "depends on one that overwrote what it read", err);
    return true;
}

/* ---- repeatable-read: serial, but for what predicates left out ---- */

bool replay_items(struct replay *replay, struct esse_error *err)
{
    const struct esse_history *history = replay->history;
    for (uint32_t i = 0; i < replay->order->count; i++) {
        uint32_t txn = replay->order->events[i];
        /* Its own appends are there when it reads its own list. */
        for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++)
            if (!op_is_committed(replay, txn, op, true))
                return replay_wrong(replay, txn, "would have read something else", err);
        replay_state_commit(&replay->state, txn);
    }
    return true;
}

/* ---- read-uncommitted: the versions are in the order given ---- */

/* The elements that count must be the key's, in its order; what never came to be may be between. */
static bool is_in_order(const struct replay *replay, esse_key key, esse_value list)
{
    const struct replay_key *state = &replay->state.keys[key.ix];
    uint32_t count, at = 0;
    const esse_value *items = esse_history_list(replay->history, list, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (at < state->item_count && esse_value_eq(items[i], state->items[at])) {
            at++;
            continue;
        }
        for (uint32_t j = 0; j < state->item_count; j++)
            if (esse_value_eq(items[i], state->items[j]))
                return false;
    }
    return true;
}

bool replay_writes(struct replay *replay, struct esse_error *err)
{
    const struct esse_history *history = replay->history;
    /* Where reads need no source, nothing else asks for those of which something was read. */
    const uint8_t *counted = esse_counted(replay->arena, history);
    for (uint32_t txn = 0; txn < history->txns; txn++)
        if (counted[txn] && !replay->in[txn])
            return replay_wrong(replay, txn, "is missing", err);
    for (uint32_t i = 0; i < replay->order->count; i++)
        replay_state_commit(&replay->state, replay->order->events[i]);
    for (uint32_t i = 0; i < replay->order->count; i++) {
        uint32_t txn = replay->order->events[i];
        for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++) {
            if (history->op_kind[op] == ESSE_OP_READ &&
                esse_value_tag(history->op_value[op]) == ESSE_TAG_LIST &&
                !is_in_order(replay, (esse_key){ history->op_key[op] }, history->op_value[op]))
                return replay_wrong(replay, txn, "read a list in another order", err);
            if (!is_selected(replay, txn, op))
                return replay_wrong(replay, txn, "returned what its predicate does not select",
                                    err);
        }
    }
    return true;
}
