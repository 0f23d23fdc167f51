#ifndef ESSE_TESTS_GEN_ORACLE_CHECKS_H
#define ESSE_TESTS_GEN_ORACLE_CHECKS_H

/* The second half of gen_oracle.h: anomalies that need no order, and replay. */
#include "gen_oracle.h"

/* ---- anomalies that need no order ---- */

/* 'context' tells lists apart: there only the last element names the version that was read. */
static void oracle_check_seen(struct oracle *o, int t, int key, esse_value value, void *context)
{
    int writer = oracle_writer(o, key, value);
    bool is_last = true;
    if (writer < 0) {
        if (!esse_value_eq(value, o->init[key]))
            oracle_report(o, "garbage-read");
        return;
    }
    if (o->txns[writer].record.status == ESSE_ABORTED)
        oracle_report(o, "G1a");
    oracle_writes(&o->txns[writer].record, key, value, &is_last);
    if (writer != t && !is_last && !*(const bool *)context)
        oracle_report(o, "G1b");
}

static void oracle_check_register(struct oracle *o, int t)
{
    const struct esse_txn_record *txn = &o->txns[t].record;
    esse_value expected[ORACLE_KEYS] = { 0 };
    for (size_t i = 0; i < txn->op_count; i++) {
        const struct esse_op_record *op = &txn->ops[i];
        for (int key = 0; key < ORACLE_KEYS; key++) {
            esse_value written = oracle_written(txn, op, key);
            if (!esse_value_eq(written, ESSE_NONE))
                expected[key] = written;
        }
        if (op->kind != ESSE_OP_READ || op->is_list || esse_value_eq(op->value, ESSE_NONE))
            continue;
        esse_value *known = &expected[oracle_key(op->key)];
        bool is_last;
        if (!esse_value_eq(*known, ESSE_NONE) && !esse_value_eq(*known, op->value))
            oracle_report(o, "internal");
        else if (esse_value_eq(*known, ESSE_NONE) && oracle_is_int(op->value) &&
                 oracle_writes(txn, oracle_key(op->key), op->value, &is_last))
            oracle_report(o, "future-read");
        *known = op->value;
    }
}

/* A list read against the transaction's earlier operations on the key, one pair at a time. */
static void oracle_check_list(struct oracle *o, int t, size_t at)
{
    const struct esse_txn_record *txn = &o->txns[t].record;
    const struct esse_op_record *op = &txn->ops[at];
    const esse_value *items = txn->items + op->first;
    size_t tail = op->count; /* items before this are not yet explained by own operations */
    for (size_t i = at; i-- > 0;) {
        const struct esse_op_record *before = &txn->ops[i];
        if (!esse_value_eq(before->key, op->key) || (!before->is_list && before->kind == 0))
            continue;
        if (before->kind == ESSE_OP_APPEND) {
            if (tail == 0 || !esse_value_eq(items[tail - 1], before->value)) {
                oracle_report(o, "internal");
                return;
            }
            tail--;
            continue;
        }
        if (tail != before->count ||
            (tail && memcmp(items, txn->items + before->first, tail * sizeof *items) != 0))
            oracle_report(o, "internal");
        break;
    }
    for (size_t i = at + 1; i < txn->op_count; i++)
        for (size_t j = 0; j < op->count; j++)
            if (esse_value_eq(oracle_written(txn, &txn->ops[i], oracle_key(op->key)), items[j]))
                oracle_report(o, "future-read");
    for (size_t i = 0; i < op->count; i++)
        for (size_t j = 0; j < i; j++)
            if (esse_value_eq(items[i], items[j]))
                oracle_report(o, "duplicate-elements");
    /* Only the last element tells which version of the list it was. */
    int writer = op->count ? oracle_writer(o, oracle_key(op->key), items[op->count - 1]) : -1;
    bool is_last = true;
    if (writer >= 0 && writer != t &&
        oracle_writes(&o->txns[writer].record, oracle_key(op->key), items[op->count - 1],
                      &is_last) &&
        !is_last)
        oracle_report(o, "G1b");
}

static void oracle_compare_lists(struct oracle *o, int a, size_t i, int b, size_t j)
{
    const struct esse_txn_record *s = &o->txns[a].record, *t = &o->txns[b].record;
    const struct esse_op_record *p = &s->ops[i], *q = &t->ops[j];
    if (!p->is_list || !q->is_list || !esse_value_eq(p->key, q->key))
        return;
    size_t count = p->count < q->count ? p->count : q->count;
    for (size_t at = 0; at < count; at++)
        if (!esse_value_eq(s->items[p->first + at], t->items[q->first + at]))
            oracle_report(o, "incompatible-order");
}

/* An aborted element below a committed one, whichever read saw it. */
static void oracle_check_dirty(struct oracle *o, int t, size_t at)
{
    const struct esse_txn_record *txn = &o->txns[t].record;
    const struct esse_op_record *op = &txn->ops[at];
    bool dirty = false;
    for (size_t i = 0; op->is_list && i < op->count; i++) {
        int writer = oracle_writer(o, oracle_key(op->key), txn->items[op->first + i]);
        enum esse_status status = writer < 0 ? ESSE_UNKNOWN_OUTCOME : o->txns[writer].record.status;
        if (dirty && status == ESSE_COMMITTED)
            oracle_report(o, "dirty-update");
        dirty = status == ESSE_ABORTED || (dirty && status != ESSE_COMMITTED);
    }
}

/* The value of the first read of the key if the transaction then writes it. */
static esse_value oracle_update_base(const struct esse_txn_record *txn, int key)
{
    esse_value base = ESSE_NONE;
    for (size_t i = 0; i < txn->op_count; i++) {
        const struct esse_op_record *op = &txn->ops[i];
        if (!esse_value_eq(oracle_written(txn, op, key), ESSE_NONE))
            return base;
        if (op->kind == ESSE_OP_READ && oracle_key(op->key) == key &&
            esse_value_eq(base, ESSE_NONE))
            base = !op->is_list ? op->value
                   : op->count  ? txn->items[op->first + op->count - 1]
                                : ESSE_NIL;
    }
    return ESSE_NONE;
}

static void oracle_check_pair(struct oracle *o, int a, int b)
{
    const struct esse_txn_record *s = &o->txns[a].record, *t = &o->txns[b].record;
    bool is_last;
    for (int key = 0; key < ORACLE_KEYS; key++) {
        esse_value base = oracle_update_base(s, key);
        if (!esse_value_eq(base, ESSE_NONE) && esse_value_eq(base, oracle_update_base(t, key)))
            oracle_report(o, "lost-update");
        for (size_t i = 0; i < s->op_count; i++) {
            esse_value value = oracle_written(s, &s->ops[i], key);
            if (oracle_is_int(value) && oracle_writes(t, key, value, &is_last))
                oracle_report(o, "duplicate-write");
        }
        /* The two-step version cycle is the only one that is ever planted. */
        if (oracle_is_int(base) && oracle_is_int(oracle_update_base(t, key)) &&
            oracle_writes(t, key, base, &is_last) &&
            oracle_writes(s, key, oracle_update_base(t, key), &is_last))
            oracle_report(o, "cyclic-versions");
    }
    for (size_t i = 0; i < s->op_count; i++)
        for (size_t j = 0; j < t->op_count; j++)
            oracle_compare_lists(o, a, i, b, j);
}

static void oracle_find_orderless(struct oracle *o)
{
    for (int t = 0; t < o->txn_count; t++) {
        for (size_t i = 0; i < o->txns[t].record.op_count; i++)
            oracle_check_dirty(o, t, i);
        if (!o->txns[t].counts)
            continue;
        bool is_list = false;
        for (size_t i = 0; i < o->txns[t].record.op_count; i++)
            is_list |= o->txns[t].record.ops[i].is_list;
        oracle_each_seen(o, t, oracle_check_seen, &is_list);
        oracle_check_register(o, t);
        for (size_t i = 0; i < o->txns[t].record.op_count; i++)
            if (o->txns[t].record.ops[i].is_list)
                oracle_check_list(o, t, i);
        for (int b = 0; b < t; b++)
            if (o->txns[b].counts)
                oracle_check_pair(o, b, t);
    }
}

/* ---- replay ---- */

struct oracle_state {
    esse_value value[ORACLE_KEYS];
    esse_value list[ORACLE_KEYS][ORACLE_VERSIONS];
    size_t length[ORACLE_KEYS];
};

static bool oracle_match_agrees(const struct oracle *o, const struct esse_txn_record *txn,
                                const struct esse_op_record *op, const struct oracle_state *state)
{
    size_t matching = 0;
    if (op->no_rows)
        return oracle_aggregate_agrees(o, txn, op, state->value, ORACLE_KEYS);
    for (int key = 0; key < ORACLE_KEYS; key++)
        matching += oracle_range(o, op, state->value[key]);
    if (matching != op->count)
        return false;
    for (size_t i = 0; i < op->count; i++)
        if (!esse_value_eq(txn->rows[op->first + i].value,
                           state->value[oracle_key(txn->rows[op->first + i].key)]))
            return false;
    return true;
}

static bool oracle_read_agrees(const struct esse_txn_record *txn, const struct esse_op_record *op,
                               const struct oracle_state *state)
{
    int key = oracle_key(op->key);
    if (!op->is_list)
        return esse_value_eq(op->value, ESSE_NONE) || esse_value_eq(op->value, state->value[key]);
    return op->count == state->length[key] &&
           (op->count == 0 ||
            memcmp(state->list[key], txn->items + op->first, op->count * sizeof(esse_value)) == 0);
}

/* Runs the transaction on the state; whether all that it saw was there. */
static bool oracle_run(const struct oracle *o, int t, struct oracle_state *state)
{
    const struct esse_txn_record *txn = &o->txns[t].record;
    bool agrees = true;
    for (size_t i = 0; i < txn->op_count; i++) {
        const struct esse_op_record *op = &txn->ops[i];
        if (op->kind == ESSE_OP_READ)
            agrees &= oracle_read_agrees(txn, op, state);
        else if (op->kind >= ESSE_OP_PREDICATE_READ)
            agrees &= oracle_match_agrees(o, txn, op, state);
        if (op->kind == ESSE_OP_APPEND) {
            int key = oracle_key(op->key);
            state->list[key][state->length[key]++] = op->value;
            continue;
        }
        for (int key = 0; key < ORACLE_KEYS; key++) {
            esse_value written = oracle_written(txn, op, key);
            if (!esse_value_eq(written, ESSE_NONE))
                state->value[key] = written;
        }
    }
    return agrees;
}

/* Whether the certificate's order explains every transaction that counts. */
static bool oracle_replay(const struct oracle *o)
{
    static struct oracle_state state;
    bool is_in[ORACLE_TXNS] = { 0 };
    memset(&state, 0, sizeof state);
    memcpy(state.value, o->init, sizeof state.value);
    for (int i = 0; i < o->order_count; i++) {
        is_in[o->order[i]] = true;
        if (!oracle_run(o, o->order[i], &state))
            return false;
    }
    for (int t = 0; t < o->txn_count; t++)
        if (o->txns[t].counts && !is_in[t])
            return false;
    return true;
}

static bool oracle_order_keeps(const struct oracle *o, int types)
{
    for (int i = 0; i < o->order_count; i++)
        for (int j = 0; j < i; j++)
            if (o->edges[o->order[i]][o->order[j]] & types)
                return false;
    return true;
}

/* Snapshot isolation by its mechanism: what a transaction saw is the state at start_ts, and of two
 * that write a key one has committed before the other starts. */
static bool oracle_snapshots(const struct oracle *o)
{
    static struct oracle_state state;
    for (int t = 0; t < o->txn_count; t++) {
        if (!o->txns[t].counts)
            continue;
        memset(&state, 0, sizeof state);
        memcpy(state.value, o->init, sizeof state.value);
        int64_t done = INT64_MIN;
        for (;;) { /* the earlier commits, in their order */
            int next = -1;
            for (int u = 0; u < o->txn_count; u++) {
                int64_t at = o->txns[u].record.commit_ts;
                if (at != ESSE_NO_TIME && at > done && at < o->txns[t].record.start_ts &&
                    (next < 0 || at < o->txns[next].record.commit_ts))
                    next = u;
            }
            if (next < 0)
                break;
            done = o->txns[next].record.commit_ts;
            oracle_run(o, next, &state);
        }
        if (!oracle_run(o, t, &state))
            return false;
    }
    for (int key = 0; key < ORACLE_KEYS; key++)
        for (int v = 1; v < o->version_count[key]; v++) {
            int a = o->versions[key][v - 1].txn, b = o->versions[key][v].txn;
            if (a != b && o->txns[a].record.commit_ts > o->txns[b].record.start_ts)
                return false;
        }
    return true;
}

#endif
