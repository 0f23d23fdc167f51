#ifndef ESSE_TESTS_UNIT_ORDER_ORACLE_H
#define ESSE_TESTS_UNIT_ORDER_ORACLE_H

/*
 * Levels by brute force, straight from their meaning: is there any order of the transactions that
 * count as committed in which the history could have happened?  All permutations; at most
 * B_TXNS transactions.  Item operations only.
 */
#include "test.h"

#include "history/access.h"

enum { B_TXNS = 7, B_LENGTH = 64 };
enum b_rule { B_SERIAL, B_SNAPSHOT, B_COMMITTED, B_ANY }; /* any: only what is assumed */

struct b_history {
    const struct esse_history *h;
    unsigned assume; /* enum esse_assumption: only orders that keep to it count */
    bool in[64];
    uint32_t txns[B_TXNS];
    int count;
};

static bool b_is_write(const struct esse_history *h, uint32_t op)
{
    return h->op_kind[op] != ESSE_OP_READ;
}

/* The state of a key after the first 'commits' transactions of the order. */
struct b_state {
    bool is_list;
    esse_value value;
    esse_value items[B_LENGTH];
    uint32_t count;
};

static void b_apply(const struct esse_history *h, uint32_t txn, uint32_t end, uint32_t key,
                    struct b_state *state)
{
    for (uint32_t op = h->txn_op[txn]; op < end; op++) {
        if (!b_is_write(h, op) || h->op_key[op] != key)
            continue;
        if (h->op_kind[op] == ESSE_OP_APPEND) {
            state->is_list = true;
            state->items[state->count++] = h->op_value[op];
        } else {
            state->value = h->op_kind[op] == ESSE_OP_DELETE ? ESSE_NIL : h->op_value[op];
        }
    }
}

static struct b_state b_state_of(const struct b_history *b, const int *order, int commits,
                                 uint32_t key)
{
    struct b_state state = { .value = esse_key_initial(b->h, (esse_key){ key }) };
    for (int i = 0; i < commits; i++) {
        uint32_t txn = b->txns[order[i]];
        b_apply(b->h, txn, b->h->txn_op[txn + 1], key, &state);
    }
    return state;
}

static bool b_equals(const struct esse_history *h, esse_value read, const struct b_state *state)
{
    uint32_t count = 0;
    const esse_value *items = NULL;
    if (esse_value_tag(read) == ESSE_TAG_LIST)
        items = esse_history_list(h, read, &count);
    else if (!state->is_list)
        return esse_value_eq(read, state->value);
    else if (!esse_value_eq(read, ESSE_NIL))
        return false;
    if (count != state->count)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!esse_value_eq(items[i], state->items[i]))
            return false;
    return !(esse_value_tag(read) == ESSE_TAG_LIST && !state->is_list &&
             !esse_value_eq(state->value, ESSE_NIL));
}

/* Could 'txn' have read what it did from the state after 'commits', plus its own writes? */
static bool b_reads(const struct b_history *b, const int *order, int commits, uint32_t txn)
{
    const struct esse_history *h = b->h;
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        if (b_is_write(h, op) || esse_value_eq(h->op_value[op], ESSE_NONE))
            continue;
        struct b_state state = b_state_of(b, order, commits, h->op_key[op]);
        b_apply(h, txn, op, h->op_key[op], &state);
        if (!b_equals(h, h->op_value[op], &state))
            return false;
    }
    return true;
}

static bool b_wrote_before(const struct esse_history *h, uint32_t txn, uint32_t op)
{
    for (uint32_t o = h->txn_op[txn]; o < op; o++)
        if (b_is_write(h, o) && h->op_key[o] == h->op_key[op])
            return true;
    return false;
}

/* Read committed: every external read returns the state after some commits before its own, and
 * every list is a prefix of what the key becomes. */
static bool b_reads_committed(const struct b_history *b, const int *order, int place, uint32_t txn)
{
    const struct esse_history *h = b->h;
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        if (b_is_write(h, op) || esse_value_eq(h->op_value[op], ESSE_NONE))
            continue;
        if (b_wrote_before(h, txn, op)) {
            /* It depends on no transaction, but a list still shows an order of versions. */
            struct b_state all = b_state_of(b, order, b->count, h->op_key[op]);
            uint32_t count = (uint32_t)(h->op_value[op].word >> 32);
            if (esse_value_tag(h->op_value[op]) != ESSE_TAG_LIST)
                continue;
            all.count = count < all.count ? count : all.count;
            if (!b_equals(h, h->op_value[op], &all))
                return false;
            continue;
        }
        bool found = false;
        for (int commits = 0; commits <= place && !found; commits++) {
            struct b_state state = b_state_of(b, order, commits, h->op_key[op]);
            found = b_equals(h, h->op_value[op], &state);
        }
        if (!found)
            return false;
    }
    return true;
}

static bool b_must_precede(const struct b_history *b, uint32_t x, uint32_t y, bool so, bool rt)
{
    const struct esse_history *h = b->h;
    if (so && h->txn_session[x] == h->txn_session[y] && x < y)
        return true;
    return rt && h->txn_time && esse_txn_recorded(h, x) == ESSE_COMMITTED &&
           h->txn_time[x].end != ESSE_NO_TIME && h->txn_time[y].begin != ESSE_NO_TIME &&
           h->txn_time[x].end < h->txn_time[y].begin;
}

static bool b_share_key(const struct esse_history *h, uint32_t x, uint32_t y)
{
    for (uint32_t i = h->txn_op[x]; i < h->txn_op[x + 1]; i++)
        for (uint32_t j = h->txn_op[y]; j < h->txn_op[y + 1]; j++)
            if (b_is_write(h, i) && b_is_write(h, j) && h->op_key[i] == h->op_key[j])
                return true;
    return false;
}

/* Is there a snapshot for the transaction at 'place' of the commit order? */
static bool b_has_snapshot(const struct b_history *b, const int *order, int place, bool so, bool rt)
{
    uint32_t txn = b->txns[order[place]];
    for (int snapshot = place; snapshot >= 0; snapshot--) {
        if (b_reads(b, order, snapshot, txn)) {
            bool ok = true;
            for (int i = 0; i < b->count; i++)
                ok &= i < snapshot || i == place ||
                      !b_must_precede(b, b->txns[order[i]], txn, so, rt);
            if (ok)
                return true;
        }
        if (snapshot > 0 && b_share_key(b->h, b->txns[order[snapshot - 1]], txn))
            return false; /* an earlier snapshot would miss a concurrent writer */
    }
    return false;
}

/* Where a version order was given, only orders of commits that agree with it count. */
static bool b_certified(const struct b_history *b, const int *order)
{
    const struct esse_history *h = b->h;
    for (uint32_t i = 0; i < h->version_order_count; i++) {
        uint32_t at = 0;
        for (int c = 0; c < b->count; c++) {
            uint32_t txn = b->txns[order[c]], last = ESSE_NO_OP;
            for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
                if (b_is_write(h, op) && h->op_key[op] == h->version_orders[i].key.ix)
                    last = op;
            const struct esse_version *versions = h->version_orders[i].versions;
            uint32_t found = 0;
            while (last != ESSE_NO_OP && found < h->version_orders[i].count &&
                   !(versions[found].txn.ix == ESSE_NO_TXN
                         ? esse_value_eq(versions[found].value, h->op_value[last])
                         : versions[found].txn.ix == txn))
                found++;
            if (last == ESSE_NO_OP || found == h->version_orders[i].count)
                continue;
            if (found < at)
                return false;
            at = found;
        }
    }
    return true;
}

/* ---- what is assumed about the order of versions, for registers with unique values: a key that is
 * deleted has an initial value, and is deleted once ---- */

static const esse_value *b_value(const struct esse_history *h, uint32_t op)
{
    static const esse_value nothing = ESSE_NIL;
    return h->op_kind[op] == ESSE_OP_DELETE ? &nothing : &h->op_value[op];
}

enum { B_STATES = 32 };

/* The states of a key that were seen or written for good, and which must come before which. */
struct b_states {
    esse_value values[B_STATES];
    bool before[B_STATES][B_STATES];
    int count;
};

static int b_state_at(struct b_states *states, esse_value value)
{
    int at = 0;
    while (at < states->count && !esse_value_eq(states->values[at], value))
        at++;
    if (at == states->count) {
        assert_true(states->count < B_STATES);
        states->values[states->count++] = value;
    }
    return at;
}

/* Nothing, of a key that begins with a value and that no operation deletes, is no version. */
static bool b_is_version(const struct esse_history *h, uint32_t key, esse_value value)
{
    bool found = !esse_value_eq(value, ESSE_NIL) ||
                 esse_value_eq(esse_key_initial(h, (esse_key){ key }), ESSE_NIL);
    for (uint32_t op = 0; !found && op < h->ops; op++)
        found = h->op_kind[op] == ESSE_OP_DELETE && h->op_key[op] == key;
    return found;
}

/* What 'txn' shows first and last of the key: what it read, before it wrote, and what it wrote;
 * NULL if nothing. */
static bool b_shows(const struct esse_history *h, uint32_t txn, uint32_t key,
                    const esse_value **first, const esse_value **last, bool *read_and_wrote)
{
    const esse_value *read = NULL, *written = NULL;
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        if (h->op_key[op] != key || esse_value_eq(*b_value(h, op), ESSE_NONE))
            continue;
        if (b_is_write(h, op))
            written = b_value(h, op);
        else if (!read && !written && b_is_version(h, key, *b_value(h, op)))
            read = b_value(h, op);
    }
    *first = read ? read : written;
    *last = written ? written : read;
    *read_and_wrote = read && written;
    return *first != NULL;
}

static void b_assume_of(const struct b_history *b, uint32_t key, struct b_states *states)
{
    const struct esse_history *h = b->h;
    const esse_value *first, *last, *next, *ignored;
    bool both;
    for (int i = 0; i < b->count; i++) {
        uint32_t t = b->txns[i];
        if (!b_shows(h, t, key, &first, &last, &both))
            continue;
        int from = b_state_at(states, *last);
        if (both && (b->assume & ESSE_ASSUME_WFR_KEYS))
            states->before[b_state_at(states, *first)][from] = true;
        for (int j = 0; j < b->count; j++) {
            uint32_t u = b->txns[j];
            bool follows = ((b->assume & ESSE_ASSUME_SEQUENTIAL_KEYS) &&
                            b_must_precede(b, t, u, true, false)) ||
                           ((b->assume & ESSE_ASSUME_LINEARIZABLE_KEYS) &&
                            b_must_precede(b, t, u, false, true));
            if (follows && b_shows(h, u, key, &next, &ignored, &both))
                states->before[from][b_state_at(states, *next)] = true;
        }
    }
}

/* Is there a place for every state, given the order of those that this order of commits makes? */
static bool b_assumed_of(const struct b_history *b, const int *order, uint32_t key)
{
    struct b_states states = { .count = 0 };
    int last = b_state_at(&states, esse_key_initial(b->h, (esse_key){ key }));
    b_assume_of(b, key, &states);
    for (int i = 0; i < b->count; i++) {
        uint32_t txn = b->txns[order[i]];
        const esse_value *written = NULL;
        for (uint32_t op = b->h->txn_op[txn]; op < b->h->txn_op[txn + 1]; op++)
            if (b_is_write(b->h, op) && b->h->op_key[op] == key)
                written = b_value(b->h, op);
        if (!written)
            continue;
        int next = b_state_at(&states, *written);
        states.before[last][next] = true;
        last = next;
    }
    for (int i = 0; i < states.count; i++) { /* the initial one comes first */
        states.before[i][i] = false;
        states.before[0][i] |= i > 0;
    }
    for (int k = 0; k < states.count; k++)
        for (int i = 0; i < states.count; i++)
            for (int j = 0; j < states.count; j++)
                states.before[i][j] |= states.before[i][k] && states.before[k][j];
    for (int i = 0; i < states.count; i++)
        if (states.before[i][i])
            return false;
    return true;
}

static bool b_assumed(const struct b_history *b, const int *order)
{
    for (uint32_t key = 0; b->assume && key < b->h->keys; key++)
        if (!b_assumed_of(b, order, key))
            return false;
    return true;
}

static bool b_works(const struct b_history *b, const int *order, enum b_rule rule, bool so, bool rt)
{
    if (!b_certified(b, order) || !b_assumed(b, order))
        return false;
    for (int i = 0; i < b->count && rule != B_ANY; i++) {
        uint32_t txn = b->txns[order[i]];
        for (int j = 0; j < i && rule != B_SNAPSHOT; j++)
            if (b_must_precede(b, txn, b->txns[order[j]], so, rt))
                return false;
        bool ok = rule == B_SERIAL     ? b_reads(b, order, i, txn)
                  : rule == B_SNAPSHOT ? b_has_snapshot(b, order, i, so, rt)
                                       : b_reads_committed(b, order, i, txn);
        if (!ok)
            return false;
    }
    return true;
}

static bool b_permute(const struct b_history *b, int *order, int from, enum b_rule rule, bool so,
                      bool rt)
{
    if (from == b->count)
        return b_works(b, order, rule, so, rt);
    for (int i = from; i < b->count; i++) {
        int other = order[i];
        order[i] = order[from];
        order[from] = other;
        if (b_permute(b, order, from + 1, rule, so, rt))
            return true;
        order[from] = order[i];
        order[i] = other;
    }
    return false;
}

/* Did the reader observe a write of the other transaction?  In a list, or in a register that it had
 * not written itself; at levels of single operations in any register. */
static inline bool b_observes(const struct esse_history *h, uint32_t reader, uint32_t writer,
                              bool single)
{
    for (uint32_t r = h->txn_op[reader]; r < h->txn_op[reader + 1]; r++) {
        for (uint32_t w = h->txn_op[writer]; w < h->txn_op[writer + 1]; w++) {
            if (b_is_write(h, r) || !b_is_write(h, w) || h->op_key[r] != h->op_key[w] ||
                h->op_kind[w] == ESSE_OP_DELETE)
                continue;
            uint32_t count = 0;
            const esse_value *items = NULL;
            if (esse_value_tag(h->op_value[r]) == ESSE_TAG_LIST)
                items = esse_history_list(h, h->op_value[r], &count);
            if (!items && (single || !b_wrote_before(h, reader, r)) &&
                esse_value_eq(h->op_value[r], h->op_value[w]))
                return true;
            for (uint32_t i = 0; i < count; i++)
                if (esse_value_eq(items[i], h->op_value[w]))
                    return true;
        }
    }
    return false;
}

/* The committed transactions, and those of unknown outcome that one of them observed, or that one
 * of these observed, and so on.  'single': for a level of single operations.  False if there are
 * too many. */
static inline bool b_open_for(struct b_history *b, const struct esse_history *h, bool single)
{
    *b = (struct b_history){ .h = h };
    for (uint32_t t = 0; t < h->txns; t++)
        b->in[t] = h->txn_status[t] == ESSE_COMMITTED;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t t = 0; t < h->txns; t++)
            for (uint32_t u = 0; u < h->txns; u++)
                if (b->in[t] && !b->in[u] && h->txn_status[u] == ESSE_UNKNOWN_OUTCOME &&
                    b_observes(h, t, u, single))
                    changed = b->in[u] = true;
    }
    for (uint32_t t = 0; t < h->txns; t++) {
        if (!b->in[t])
            continue;
        if (b->count == B_TXNS)
            return false;
        b->txns[b->count++] = t;
    }
    return true;
}

static inline bool b_open(struct b_history *b, const struct esse_history *h)
{
    return b_open_for(b, h, false);
}

static inline bool b_holds(const struct b_history *b, enum b_rule rule, bool so, bool rt)
{
    int order[B_TXNS] = { 0, 1, 2, 3, 4, 5, 6 };
    return b_permute(b, order, 0, rule, so, rt);
}

#endif
