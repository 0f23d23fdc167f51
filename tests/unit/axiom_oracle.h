#ifndef ESSE_TESTS_UNIT_AXIOM_ORACLE_H
#define ESSE_TESTS_UNIT_AXIOM_ORACLE_H

/*
 * Levels that are axioms about a commit order, by brute force: every choice of the writer of what
 * was read, and every total order, are held against the definitions in docs/levels.md, literally.
 * At most A_UNITS units; item operations only.
 */
#include "order_oracle.h"

enum { A_UNITS = 9, A_READS = 24 };

enum a_phi {
    A_READ_EARLIER,
    A_ATOMIC,
    A_CAUSAL,
    A_PIPED,
    A_OWN,
    A_SEEN,
    A_WRITTEN,
    A_ANSWERED,
    A_PREFIX,
    A_PARALLEL,
    A_UPDATES
};

static const struct a_level {
    const char *name;
    enum a_phi phi;
    bool single, sessions, own_writes, repeatable;
} a_levels[] = {
    { "axiomatic-read-committed", A_READ_EARLIER, false, true, true, false },
    { "monotonic-atomic-view", A_READ_EARLIER, false, false, false, false },
    { "read-atomic", A_ATOMIC, false, true, true, true },
    { "causal-consistency", A_CAUSAL, false, true, true, true },
    { "prefix-consistency", A_PREFIX, false, true, true, true },
    { "parallel-snapshot-isolation", A_PARALLEL, false, true, true, true },
    { "update-atomic", A_UPDATES, false, true, true, true },
    { "causal", A_CAUSAL, true, true, false, false },
    { "PRAM", A_PIPED, true, true, false, false },
    { "read-your-writes", A_OWN, true, true, false, false },
    { "monotonic-reads", A_SEEN, true, true, false, false },
    { "monotonic-writes", A_WRITTEN, true, true, false, false },
    { "writes-follow-reads", A_ANSWERED, true, true, false, false },
};
enum { A_LEVELS = sizeof a_levels / sizeof *a_levels };

typedef bool a_relation[A_UNITS][A_UNITS];

struct a_history {
    const struct esse_history *h;
    const struct a_level *level;
    int units;
    uint32_t txn[A_UNITS], first[A_UNITS], end[A_UNITS]; /* operations [first .. end) */
    int reads;
    struct a_read {
        uint32_t op;
        int unit;
        int choices[A_UNITS + 1], count; /* units, or -1: the initial version */
        int source;
    } read[A_READS];
    a_relation so, wr, known;
    int at[A_UNITS]; /* by unit: its place in the order that is tried */
};

/* ---- reading the history ---- */

static bool a_writes(const struct a_history *a, int unit, uint32_t key)
{
    for (uint32_t op = a->first[unit]; op < a->end[unit]; op++)
        if (b_is_write(a->h, op) && a->h->op_key[op] == key)
            return true;
    return false;
}

static bool a_is_after_own(const struct a_history *a, uint32_t txn, uint32_t op)
{
    for (uint32_t o = a->h->txn_op[txn]; o < op; o++)
        if (b_is_write(a->h, o) && a->h->op_key[o] == a->h->op_key[op])
            return true;
    return false;
}

static esse_value a_written(const struct esse_history *h, uint32_t op)
{
    return h->op_kind[op] == ESSE_OP_DELETE ? ESSE_NIL : h->op_value[op];
}

/* Could 'op' of 'unit' have installed what was read: the value, or the last element? */
static bool a_could_install(const struct a_history *a, int unit, uint32_t op, esse_value read,
                            uint32_t key)
{
    uint32_t count;
    if (a->h->op_key[op] != key || !b_is_write(a->h, op))
        return false;
    if (esse_value_tag(read) == ESSE_TAG_LIST) {
        const esse_value *items = esse_history_list(a->h, read, &count);
        if (a->h->op_kind[op] != ESSE_OP_APPEND ||
            !esse_value_eq(items[count - 1], a->h->op_value[op]))
            return false;
    } else if (a->h->op_kind[op] == ESSE_OP_APPEND || !esse_value_eq(read, a_written(a->h, op))) {
        return false;
    }
    for (uint32_t o = op + 1; o < a->end[unit]; o++)
        if (b_is_write(a->h, o) && a->h->op_key[o] == key)
            return false; /* not its last */
    return true;
}

static bool a_add_read(struct a_history *a, int unit, uint32_t op)
{
    esse_value value = esse_value_state(a->h->op_value[op]);
    uint32_t key = a->h->op_key[op];
    struct a_read *read = &a->read[a->reads];
    if (a->reads == A_READS)
        return false;
    *read = (struct a_read){ .op = op, .unit = unit };
    if (esse_value_eq(value, esse_key_initial(a->h, (esse_key){ key })))
        read->choices[read->count++] = -1;
    for (int u = 0; u < a->units; u++)
        for (uint32_t o = a->first[u]; o < a->end[u]; o++)
            if (u != unit && a_could_install(a, u, o, value, key))
                read->choices[read->count++] = u;
    a->reads++;
    return true;
}

/* What the transaction itself had done to the key, against what it reads. */
static bool a_contradicts(const struct a_history *a, uint32_t txn, uint32_t op)
{
    const struct esse_history *h = a->h;
    uint32_t count = 0, appends = 0, before;
    esse_value read = esse_value_state(h->op_value[op]);
    const esse_value *items =
        esse_value_tag(read) == ESSE_TAG_LIST ? esse_history_list(h, read, &count) : NULL;
    for (uint32_t o = op; o-- > h->txn_op[txn];) {
        if (h->op_key[o] != h->op_key[op] || esse_value_eq(h->op_value[o], ESSE_NONE))
            continue;
        if (!(b_is_write(h, o) ? a->level->own_writes : a->level->repeatable))
            continue;
        if (h->op_kind[o] == ESSE_OP_APPEND) {
            appends++;
            if (appends > count || !esse_value_eq(items[count - appends], h->op_value[o]))
                return true;
            continue;
        }
        esse_value earlier = esse_value_state(a_written(h, o));
        if (esse_value_tag(earlier) != ESSE_TAG_LIST)
            return items ? !(esse_value_eq(earlier, ESSE_NIL) && count == appends)
                         : !esse_value_eq(earlier, read);
        const esse_value *base = esse_history_list(h, earlier, &before);
        return !items || before + appends != count ||
               memcmp(base, items, before * sizeof *items) != 0;
    }
    return false;
}

/* ---- the known version order ---- */

static void a_know_list(struct a_history *a, uint32_t key)
{
    uint32_t longest = UINT32_MAX, length = 0, count;
    for (int u = 0; u < a->units; u++)
        for (uint32_t op = a->first[u]; op < a->end[u]; op++)
            if (!b_is_write(a->h, op) && a->h->op_key[op] == key &&
                esse_value_tag(a->h->op_value[op]) == ESSE_TAG_LIST &&
                a->h->op_value[op].word >> 32 > length) {
                longest = op;
                length = (uint32_t)(a->h->op_value[op].word >> 32);
            }
    if (longest == UINT32_MAX)
        return;
    const esse_value *items = esse_history_list(a->h, a->h->op_value[longest], &count);
    for (int u = 0; u < a->units; u++)
        for (uint32_t x = a->first[u]; x < a->end[u]; x++)
            for (int v = 0; v < a->units; v++)
                for (uint32_t y = a->first[v]; y < a->end[v]; y++) {
                    if (u == v || a->h->op_kind[x] != ESSE_OP_APPEND ||
                        a->h->op_kind[y] != ESSE_OP_APPEND || a->h->op_key[x] != key ||
                        a->h->op_key[y] != key)
                        continue;
                    uint32_t i = 0, j = 0;
                    while (i < count && !esse_value_eq(items[i], a->h->op_value[x]))
                        i++;
                    while (j < count && !esse_value_eq(items[j], a->h->op_value[y]))
                        j++;
                    a->known[u][v] |= i < j && i < count;
                }
}

static void a_know_certificate(struct a_history *a, const struct esse_version_order *order)
{
    int last = -1;
    for (uint32_t i = 0; i < order->count; i++) {
        int found = -1;
        for (int u = 0; u < a->units; u++)
            for (uint32_t op = a->first[u]; op < a->end[u]; op++)
                if (b_is_write(a->h, op) && a->h->op_key[op] == order->key.ix &&
                    (order->versions[i].txn.ix == ESSE_NO_TXN
                         ? esse_value_eq(a_written(a->h, op), order->versions[i].value)
                         : order->versions[i].txn.ix == a->txn[u]))
                    found = u;
        if (found < 0)
            continue;
        if (last >= 0 && last != found)
            a->known[last][found] = true;
        last = found;
    }
}

/* False if there is more than it can do, or the history is refuted without any order; '*refuted'
 * says which. */
static bool a_open(struct a_history *a, const struct b_history *b, const struct a_level *level,
                   bool *refuted)
{
    const struct esse_history *h = b->h;
    memset(a, 0, sizeof *a);
    a->h = h;
    a->level = level;
    *refuted = false;
    for (int i = 0; i < b->count; i++) {
        uint32_t txn = b->txns[i], ops = h->txn_op[txn + 1] - h->txn_op[txn];
        for (uint32_t o = 0; o < (level->single ? ops : 1); o++) {
            if (a->units == A_UNITS)
                return false;
            a->txn[a->units] = txn;
            a->first[a->units] = h->txn_op[txn] + o;
            a->end[a->units++] = level->single ? h->txn_op[txn] + o + 1 : h->txn_op[txn + 1];
        }
    }
    for (int u = 0; u < a->units; u++)
        for (int v = 0; v < a->units; v++)
            a->so[u][v] =
                h->txn_session[a->txn[u]] == h->txn_session[a->txn[v]] && a->first[u] < a->first[v];
    for (int u = 0; u < a->units; u++)
        for (uint32_t op = a->first[u]; op < a->end[u]; op++) {
            if (b_is_write(h, op) || esse_value_eq(h->op_value[op], ESSE_NONE))
                continue;
            if (!level->single && a_contradicts(a, a->txn[u], op))
                return !(*refuted = true);
            if (!level->single && a_is_after_own(a, a->txn[u], op))
                continue;
            if (!a_add_read(a, u, op))
                return false;
            if (!a->read[a->reads - 1].count)
                return !(*refuted = true);
        }
    for (uint32_t key = 0; key < h->keys; key++) {
        const struct esse_version_order *given = NULL;
        for (uint32_t i = 0; i < h->version_order_count; i++)
            if (h->version_orders[i].key.ix == key)
                given = &h->version_orders[i];
        if (given)
            a_know_certificate(a, given);
        else
            a_know_list(a, key);
    }
    return true;
}

/* ---- φ ---- */

static void a_close(a_relation r, int n)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                r[i][j] |= r[i][k] && r[k][j];
}

static bool a_both_write(const struct a_history *a, int u, int v)
{
    for (uint32_t key = 0; key < a->h->keys; key++)
        if (a_writes(a, u, key) && a_writes(a, v, key))
            return true;
    return false;
}

/* a ; b */
static bool a_then(a_relation a, a_relation b, int n, int x, int y)
{
    for (int k = 0; k < n; k++)
        if (a[x][k] && b[k][y])
            return true;
    return false;
}

static bool a_read_earlier(const struct a_history *a, int t2, const struct a_read *read)
{
    for (int i = 0; i < a->reads; i++)
        if (a->read[i].unit == read->unit && a->read[i].op < read->op && a->read[i].source == t2)
            return true;
    return false;
}

static bool a_visible(struct a_history *a, int t2, const struct a_read *read)
{
    const int n = a->units, t3 = read->unit;
    a_relation sos, r = { { 0 } };
    memcpy(sos, a->so, sizeof sos);
    for (int i = 0; i < n; i++)
        sos[i][i] = true; /* so* */
    switch (a->level->phi) {
    case A_READ_EARLIER:
        return a_read_earlier(a, t2, read);
    case A_ATOMIC:
        return a->so[t2][t3] || a->wr[t2][t3];
    case A_OWN:
        return a->so[t2][t3];
    case A_SEEN:
        return a_then(a->wr, a->so, n, t2, t3);
    case A_WRITTEN:
        return a_then(a->so, a->wr, n, t2, t3);
    case A_ANSWERED:
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                r[i][j] = a_then(a->wr, sos, n, i, j);
        return a_then(r, a->wr, n, t2, t3);
    case A_PIPED:
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                r[i][j] = a_then(sos, a->wr, n, i, j);
        return a->so[t2][t3] || a_then(r, sos, n, t2, t3);
    case A_PREFIX:
        for (int i = 0; i < n; i++)
            if ((a->so[i][t3] || a->wr[i][t3]) && a->at[t2] <= a->at[i])
                return true;
        return false;
    case A_CAUSAL:
    case A_PARALLEL:
    case A_UPDATES:
        break;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            r[i][j] = a->so[i][j] || a->wr[i][j] ||
                      (a->level->phi != A_CAUSAL && a->at[i] < a->at[j] && a_both_write(a, i, j));
    if (a->level->phi != A_UPDATES)
        a_close(r, n);
    return r[t2][t3];
}

static bool a_keeps(struct a_history *a)
{
    for (int i = 0; i < a->reads; i++) {
        const struct a_read *read = &a->read[i];
        for (int t2 = 0; t2 < a->units; t2++) {
            if (t2 == read->source || t2 == read->unit ||
                !a_writes(a, t2, a->h->op_key[read->op]) || !a_visible(a, t2, read))
                continue;
            if (read->source < 0 || a->at[t2] > a->at[read->source])
                return false;
        }
    }
    return true;
}

/* ---- all orders, all choices ---- */

static bool a_may_follow(const struct a_history *a, int unit, int placed)
{
    for (int u = 0; u < a->units; u++)
        if (((a->level->sessions && a->so[u][unit]) || a->wr[u][unit] || a->known[u][unit]) &&
            (a->at[u] < 0 || a->at[u] >= placed))
            return false;
    return true;
}

static bool a_try_orders(struct a_history *a, int placed)
{
    if (placed == a->units)
        return a_keeps(a);
    for (int u = 0; u < a->units; u++) {
        if (a->at[u] >= 0 || !a_may_follow(a, u, placed))
            continue;
        a->at[u] = placed;
        if (a_try_orders(a, placed + 1))
            return true;
        a->at[u] = -1;
    }
    return false;
}

static bool a_try_choices(struct a_history *a, int read)
{
    if (read == a->reads) {
        memset(a->wr, 0, sizeof a->wr);
        for (int i = 0; i < a->reads; i++)
            if (a->read[i].source >= 0)
                a->wr[a->read[i].source][a->read[i].unit] = true;
        for (int u = 0; u < A_UNITS; u++)
            a->at[u] = -1;
        return a_try_orders(a, 0);
    }
    for (int c = 0; c < a->read[read].count; c++) {
        a->read[read].source = a->read[read].choices[c];
        if (a_try_choices(a, read + 1))
            return true;
    }
    return false;
}

#endif
