#ifndef ESSE_TESTS_UNIT_VERSION_ORACLE_H
#define ESSE_TESTS_UNIT_VERSION_ORACLE_H

/*
 * Levels of dependency graphs straight from their definitions (semantics 3): is there a choice of
 * the writer of what was read, and an order of every key's versions, without a forbidden cycle?
 * All choices, all orders.  Registers only; what is internal to a transaction is not looked at.
 */
#include "order_oracle.h"

enum { V_TXNS = B_TXNS, V_KEYS = 4, V_READS = 32, V_INITIAL = -1 };
enum v_rule { V_SERIAL, V_SNAPSHOT, V_ONE_RW };

typedef bool v_relation[V_TXNS][V_TXNS];

struct v_read {
    int txn, key, source, choices[V_TXNS + 1], count;
};

struct v_history {
    const struct b_history *b;
    int writers[V_KEYS][V_TXNS], writer_count[V_KEYS]; /* in the order that is tried */
    struct v_read reads[V_READS];
    int read_count;
    v_relation given; /* session order and real time, as far as the level has them */
    enum v_rule rule;
};

/* The last write of a transaction to a key; ESSE_NO_OP if none. */
static uint32_t v_last_write(const struct esse_history *h, uint32_t txn, uint32_t key)
{
    uint32_t last = ESSE_NO_OP;
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
        if (b_is_write(h, op) && h->op_key[op] == key)
            last = op;
    return last;
}

static esse_value v_written(const struct esse_history *h, uint32_t op)
{
    return h->op_kind[op] == ESSE_OP_DELETE ? ESSE_NIL : h->op_value[op];
}

static void v_add_read(struct v_history *v, int txn, uint32_t op)
{
    const struct esse_history *h = v->b->h;
    struct v_read *read = &v->reads[v->read_count++];
    assert_true(v->read_count <= V_READS);
    *read = (struct v_read){ .txn = txn, .key = (int)h->op_key[op] };
    if (esse_value_eq(h->op_value[op], esse_key_initial(h, (esse_key){ h->op_key[op] })))
        read->choices[read->count++] = V_INITIAL;
    for (int w = 0; w < v->b->count; w++) {
        uint32_t last = v_last_write(h, v->b->txns[w], h->op_key[op]);
        if (w != txn && last != ESSE_NO_OP && esse_value_eq(v_written(h, last), h->op_value[op]))
            read->choices[read->count++] = w;
    }
}

static void v_open(struct v_history *v, const struct b_history *b, enum v_rule rule, bool so,
                   bool rt)
{
    *v = (struct v_history){ .b = b, .rule = rule };
    for (int t = 0; t < b->count; t++) {
        uint32_t txn = b->txns[t];
        for (uint32_t op = b->h->txn_op[txn]; op < b->h->txn_op[txn + 1]; op++)
            if (!b_is_write(b->h, op) && !b_wrote_before(b->h, txn, op) &&
                !esse_value_eq(b->h->op_value[op], ESSE_NONE))
                v_add_read(v, t, op);
        for (uint32_t key = 0; key < b->h->keys; key++)
            if (v_last_write(b->h, txn, key) != ESSE_NO_OP)
                v->writers[key][v->writer_count[key]++] = t;
        for (int u = 0; u < b->count; u++)
            v->given[t][u] = t != u && b_must_precede(b, txn, b->txns[u], so, rt);
    }
}

static void v_close(v_relation r, int n)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                r[i][j] |= r[i][k] && r[k][j];
}

/* dep ; rw? */
static void v_step(v_relation step, v_relation dep, v_relation rw, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            step[i][j] = dep[i][j];
            for (int k = 0; k < n; k++)
                step[i][j] |= dep[i][k] && rw[k][j];
        }
}

static bool v_is_acyclic(v_relation r, int n)
{
    v_close(r, n);
    for (int i = 0; i < n; i++)
        if (r[i][i])
            return false;
    return true;
}

static int v_place(const struct v_history *v, int key, int writer)
{
    int at = 0;
    while (writer != V_INITIAL && v->writers[key][at] != writer)
        at++;
    return writer == V_INITIAL ? -1 : at;
}

static bool v_allowed(const struct v_history *v)
{
    const int n = v->b->count;
    v_relation dep, rw = { { false } }, all;
    memcpy(dep, v->given, sizeof dep);
    for (uint32_t key = 0; key < v->b->h->keys; key++)
        for (int i = 1; i < v->writer_count[key]; i++)
            dep[v->writers[key][i - 1]][v->writers[key][i]] = true;
    for (int i = 0; i < v->read_count; i++) {
        const struct v_read *read = &v->reads[i];
        if (read->source != V_INITIAL)
            dep[read->source][read->txn] = true;
        int next = v_place(v, read->key, read->source) + 1;
        if (next < v->writer_count[read->key] && v->writers[read->key][next] != read->txn)
            rw[read->txn][v->writers[read->key][next]] = true;
    }
    if (v->rule == V_SNAPSHOT) {
        v_step(all, dep, rw, n);
        return v_is_acyclic(all, n);
    }
    memcpy(all, dep, sizeof all);
    for (int i = 0; v->rule == V_SERIAL && i < n; i++)
        for (int j = 0; j < n; j++)
            all[i][j] |= rw[i][j];
    if (!v_is_acyclic(all, n))
        return false;
    for (int i = 0; v->rule == V_ONE_RW && i < n; i++)
        for (int j = 0; j < n; j++)
            if (rw[i][j] && all[j][i])
                return false;
    return true;
}

static bool v_try_orders(struct v_history *v, uint32_t key, int from)
{
    if (key == v->b->h->keys)
        return v_allowed(v);
    int *order = v->writers[key], count = v->writer_count[key];
    if (from >= count)
        return v_try_orders(v, key + 1, 0);
    for (int i = from; i < count; i++) {
        int other = order[i];
        order[i] = order[from];
        order[from] = other;
        if (v_try_orders(v, key, from + 1))
            return true;
        order[from] = order[i];
        order[i] = other;
    }
    return false;
}

static bool v_try_choices(struct v_history *v, int read)
{
    if (read == v->read_count)
        return v_try_orders(v, 0, 0);
    for (int i = 0; i < v->reads[read].count; i++) {
        v->reads[read].source = v->reads[read].choices[i];
        if (v_try_choices(v, read + 1))
            return true;
    }
    return false;
}

static inline bool v_holds(const struct b_history *b, enum v_rule rule, bool so, bool rt)
{
    struct v_history v;
    v_open(&v, b, rule, so, rt);
    return v_try_choices(&v, 0);
}

#endif
