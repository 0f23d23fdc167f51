#ifndef ESSE_TESTS_UNIT_MIRROR_ORACLE_H
#define ESSE_TESTS_UNIT_MIRROR_ORACLE_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/*
 * Whether hidden instants explain a small trace, by trying all orders of them.  Written from the
 * specification of watch, section 5; shares nothing with the mirror.
 *
 * The instants are placed one after the other.  One may come next if no other that is still to come
 * must be before it: surely, by the intervals, or by program order.  While they are placed, the
 * state of a store is kept: who wrote each item last.  What a transaction reads is compared when
 * its snapshot is placed, locks when one is acquired, first updater wins when a writer commits.
 * What was tried before, with the same instants placed and the same state, is not tried again.
 */
enum { O_TXNS = 4, O_OPS = 4, O_KEYS = 2, O_COLUMNS = 2, O_INIT = -1 };
enum { O_ABSENT = -1, O_UNTOUCHED = -2 };
enum o_kind { O_READ, O_WRITE, O_INSERT, O_DELETE };
enum o_lock { O_PLAIN, O_SHARED, O_EXCLUSIVE };
enum o_end { O_COMMIT, O_ABORT, O_LOST };

struct o_op {
    enum o_kind kind;
    enum o_lock lock; /* that a read asks for */
    int key, second;  /* second: another key that the same statement returned, or -1 */
    int value[O_COLUMNS], other[O_COLUMNS]; /* by column; O_ABSENT; O_UNTOUCHED: not set or read */
    long before, after;
};

struct o_txn {
    int session;
    enum o_end end;
    int op_count;
    struct o_op ops[O_OPS];
    long begin[2], commit[2]; /* intervals */
};

struct o_row {
    char reads; /* T S R or - */
    char at;    /* F P B H */
    bool locks, plain_locks, committed_only, fuw, both;
};

struct o_trace {
    struct o_row row;
    int txn_count;
    struct o_txn txns[O_TXNS];
};

/* ---- instants ---- */

enum o_what { O_S, O_AT, O_AT_SECOND, O_C };

struct o_instant {
    int txn, op;
    enum o_what what;
    long before, after;
    int first, last; /* its places in the program */
};

enum { O_INSTANTS = O_TXNS * (2 + 2 * O_OPS), O_SEEN = 1 << 16 };

struct o_search {
    const struct o_trace *trace;
    struct o_instant at[O_INSTANTS];
    int count;
    unsigned lost; /* which transactions of unknown outcome committed */
    struct {
        uint64_t placed, state;
    } seen[O_SEEN];
    bool used[O_SEEN];
    int8_t newest[O_KEYS][O_COLUMNS]; /* the transaction that set it last, or O_INIT */
};

static bool o_commits(const struct o_search *s, int t)
{
    const enum o_end end = s->trace->txns[t].end;
    return end == O_COMMIT || (end == O_LOST && s->lost >> t & 1);
}

static void o_add(struct o_search *s, int txn, int op, enum o_what what, long before, long after,
                  int first, int last)
{
    s->at[s->count++] = (struct o_instant){ txn, op, what, before, after, first, last };
}

static void o_add_snapshot(struct o_search *s, int t)
{
    const struct o_txn *txn = &s->trace->txns[t];
    const char at = s->trace->row.at;
    int first = 0;
    while (at == 'P' && first < txn->op_count &&
           (txn->ops[first].kind != O_READ || txn->ops[first].lock != O_PLAIN))
        first++;
    if (first == txn->op_count)
        o_add(s, t, -1, O_S, txn->begin[0], txn->commit[1], 0, txn->op_count);
    else if (at == 'B')
        o_add(s, t, -1, O_S, txn->begin[0], txn->begin[1], 0, 0);
    else if (at == 'H')
        o_add(s, t, -1, O_S, txn->begin[0], txn->ops[first].after, 0, first + 1);
    else
        o_add(s, t, -1, O_S, txn->ops[first].before, txn->ops[first].after, first + 1, first + 1);
}

static void o_add_txn(struct o_search *s, int t)
{
    const struct o_txn *txn = &s->trace->txns[t];
    if (txn->op_count)
        o_add_snapshot(s, t);
    for (int i = 0; i < txn->op_count; i++) {
        const struct o_op *op = &txn->ops[i];
        o_add(s, t, i, O_AT, op->before, op->after, i + 1, i + 1);
        if (op->second >= 0)
            o_add(s, t, i, O_AT_SECOND, op->before, op->after, i + 1, i + 1);
    }
    o_add(s, t, -1, O_C, txn->commit[0], txn->commit[1],
          txn->end == O_COMMIT ? txn->op_count + 1 : 1, txn->op_count + 1);
}

static bool o_must_precede(const struct o_search *s, const struct o_instant *a,
                           const struct o_instant *b)
{
    const int x = s->trace->txns[a->txn].session, y = s->trace->txns[b->txn].session;
    if (a->after <= b->before)
        return true;
    if (a->txn == b->txn)
        return a->last < b->first;
    return x == y && a->txn < b->txn;
}

/* ---- what was read ---- */

static bool o_is_write(const struct o_op *op)
{
    return op->kind != O_READ;
}

/* What the transaction's operations before 'upto' made of an item. */
static int o_written(const struct o_txn *txn, int upto, int key, int column, bool *sets)
{
    int value = O_UNTOUCHED;
    *sets = false;
    for (int i = 0; i < upto; i++) {
        const struct o_op *op = &txn->ops[i];
        if (!o_is_write(op) || op->key != key)
            continue;
        if (op->kind == O_DELETE)
            value = O_ABSENT;
        else if (op->value[column] != O_UNTOUCHED)
            value = op->value[column];
        else
            continue;
        *sets = true;
    }
    return value;
}

static int o_current(const struct o_search *s, int key, int column)
{
    bool sets;
    const int writer = s->newest[key][column];
    if (writer == O_INIT)
        return O_ABSENT;
    return o_written(&s->trace->txns[writer], s->trace->txns[writer].op_count, key, column, &sets);
}

static bool o_key_agrees(const struct o_search *s, int t, int i, int key, const int *values)
{
    for (int c = 0; c < O_COLUMNS; c++) {
        bool sets;
        if (values[c] == O_UNTOUCHED)
            continue;
        o_written(&s->trace->txns[t], i, key, c, &sets);
        if (!sets && o_current(s, key, c) != values[c])
            return false;
    }
    return true;
}

/* Reads after own writes need no instant. */
static bool o_own_agree(const struct o_trace *trace)
{
    for (int t = 0; t < trace->txn_count; t++) {
        const struct o_txn *txn = &trace->txns[t];
        for (int i = 0; i < txn->op_count; i++) {
            for (int c = 0; c < 2 * O_COLUMNS; c++) {
                const struct o_op *op = &txn->ops[i];
                const int column = c % O_COLUMNS, second = c / O_COLUMNS;
                const int seen = second ? op->other[column] : op->value[column];
                bool sets;
                if (txn->end != O_COMMIT || o_is_write(op) || (second && op->second < 0))
                    continue;
                const int own = o_written(txn, i, second ? op->second : op->key, column, &sets);
                if (sets && seen != O_UNTOUCHED && own != seen)
                    return false;
            }
        }
    }
    return true;
}

static bool o_is_checked(const struct o_search *s, int t)
{
    return s->trace->row.reads != '-' && s->trace->txns[t].end == O_COMMIT;
}

static bool o_snapshot_agrees(const struct o_search *s, int t)
{
    const struct o_txn *txn = &s->trace->txns[t];
    if (!o_is_checked(s, t) || s->trace->row.reads != 'T')
        return true;
    for (int i = 0; i < txn->op_count; i++) {
        const struct o_op *op = &txn->ops[i];
        if (o_is_write(op) || (op->lock != O_PLAIN && !s->trace->row.both))
            continue;
        if (!o_key_agrees(s, t, i, op->key, op->value) ||
            (op->second >= 0 && !o_key_agrees(s, t, i, op->second, op->other)))
            return false;
    }
    return true;
}

static bool o_operation_agrees(const struct o_search *s, const struct o_instant *at)
{
    const struct o_op *op = &s->trace->txns[at->txn].ops[at->op];
    const bool is_row = s->trace->row.reads == 'R';
    if (!o_is_checked(s, at->txn) || o_is_write(op) ||
        (s->trace->row.reads == 'T' && op->lock == O_PLAIN))
        return true;
    if (at->what == O_AT_SECOND)
        return !is_row || o_key_agrees(s, at->txn, at->op, op->second, op->other);
    return o_key_agrees(s, at->txn, at->op, op->key, op->value) &&
           (is_row || op->second < 0 || o_key_agrees(s, at->txn, at->op, op->second, op->other));
}

/* ---- locks ---- */

static enum o_lock o_lock_of(const struct o_row *row, const struct o_op *op)
{
    if (!row->locks)
        return O_PLAIN;
    if (o_is_write(op))
        return O_EXCLUSIVE;
    return op->lock == O_PLAIN && row->plain_locks ? O_SHARED : op->lock;
}

/* A predicate locks the rows that it returned. */
static bool o_is_returned(const struct o_op *op, enum o_what what)
{
    const int *values = what == O_AT_SECOND ? op->other : op->value;
    return op->second < 0 || values[0] != O_UNTOUCHED || values[1] != O_UNTOUCHED;
}

/* The strongest lock of the key that the transaction has by the operations placed so far. */
static enum o_lock o_held(const struct o_search *s, uint64_t placed, int t, int key)
{
    enum o_lock held = O_PLAIN;
    for (int i = 0; i < s->count; i++) {
        const struct o_instant *at = &s->at[i];
        if (at->txn != t || !(placed >> i & 1))
            continue;
        if (at->what == O_C)
            return O_PLAIN;
        if (at->what == O_S)
            continue;
        const struct o_op *op = &s->trace->txns[t].ops[at->op];
        const enum o_lock lock = o_lock_of(&s->trace->row, op);
        if ((at->what == O_AT ? op->key : op->second) == key && lock > held &&
            o_is_returned(op, at->what))
            held = lock;
    }
    return held;
}

static bool o_may_acquire(const struct o_search *s, uint64_t placed, const struct o_instant *at)
{
    const struct o_op *op = &s->trace->txns[at->txn].ops[at->op];
    const enum o_lock lock = o_lock_of(&s->trace->row, op);
    const int key = at->what == O_AT ? op->key : op->second;
    if (lock == O_PLAIN || !o_is_returned(op, at->what) ||
        (s->trace->row.committed_only && s->trace->txns[at->txn].end != O_COMMIT))
        return true;
    for (int t = 0; t < s->trace->txn_count; t++) {
        if (t == at->txn || (s->trace->row.committed_only && s->trace->txns[t].end != O_COMMIT))
            continue;
        const enum o_lock held = o_held(s, placed, t, key);
        if (held != O_PLAIN && held + lock > (int)O_SHARED + (int)O_SHARED)
            return false;
    }
    return true;
}

/* ---- first updater wins ---- */

static bool o_writes(const struct o_txn *txn, int key, long *last)
{
    bool writes = false;
    *last = 0;
    for (int i = 0; i < txn->op_count; i++) {
        if (txn->ops[i].key != key || !o_is_write(&txn->ops[i]))
            continue;
        writes = true;
        *last = txn->ops[i].after;
    }
    return writes;
}

static bool o_has(const struct o_txn *txn, int key, enum o_kind kind)
{
    for (int i = 0; i < txn->op_count; i++)
        if (txn->ops[i].key == key && txn->ops[i].kind == kind)
            return true;
    return false;
}

/* May one of two writers have made the row?  It is rows that are compared, not keys. */
static bool o_may_insert(const struct o_trace *trace, int t, int u, int key)
{
    long a, b;
    o_writes(&trace->txns[t], key, &a);
    o_writes(&trace->txns[u], key, &b);
    if (o_has(&trace->txns[t], key, O_INSERT) || o_has(&trace->txns[u], key, O_INSERT))
        return true;
    for (int d = 0; d < trace->txn_count; d++)
        if (trace->txns[d].end != O_ABORT && o_has(&trace->txns[d], key, O_DELETE) &&
            (d == t || d == u || trace->txns[d].commit[0] < (a > b ? a : b)))
            return true;
    return false;
}

static bool o_is_placed(const struct o_search *s, uint64_t placed, int t, enum o_what what)
{
    for (int i = 0; i < s->count; i++)
        if (s->at[i].txn == t && s->at[i].what == what)
            return placed >> i & 1;
    return false;
}

static bool o_may_commit(const struct o_search *s, uint64_t placed, int u)
{
    const struct o_trace *trace = s->trace;
    if (!trace->row.fuw || trace->txns[u].end != O_COMMIT)
        return true;
    for (int key = 0; key < O_KEYS; key++) {
        for (int t = 0; t < trace->txn_count; t++) {
            long unused;
            if (t != u && trace->txns[t].end == O_COMMIT &&
                o_writes(&trace->txns[t], key, &unused) &&
                o_writes(&trace->txns[u], key, &unused) && !o_may_insert(trace, t, u, key) &&
                o_is_placed(s, placed, t, O_S) && !o_is_placed(s, placed, t, O_C))
                return false;
        }
    }
    return true;
}

/* ---- the search ---- */

static bool o_may_place(const struct o_search *s, uint64_t placed, int i)
{
    const struct o_instant *at = &s->at[i];
    for (int j = 0; j < s->count; j++)
        if (j != i && !(placed >> j & 1) && o_must_precede(s, &s->at[j], at))
            return false;
    switch (at->what) {
    case O_S:
        return o_snapshot_agrees(s, at->txn);
    case O_C:
        return o_may_commit(s, placed, at->txn);
    default:
        return o_may_acquire(s, placed, at) && o_operation_agrees(s, at);
    }
}

static uint64_t o_state(const struct o_search *s)
{
    uint64_t state = 0;
    for (int k = 0; k < O_KEYS; k++)
        for (int c = 0; c < O_COLUMNS; c++)
            state = state * 8 + (uint64_t)(s->newest[k][c] + 1);
    return state;
}

/* True if it is new. */
static bool o_remember(struct o_search *s, uint64_t placed, uint64_t state)
{
    uint64_t at =
        (placed * UINT64_C(0x9e3779b97f4a7c15) ^ state * UINT64_C(0xd6e8feb86659fd93)) >> 40;
    for (unsigned tries = 0; tries < O_SEEN; tries++, at++) {
        const unsigned slot = at % O_SEEN;
        if (!s->used[slot]) {
            s->used[slot] = true;
            s->seen[slot].placed = placed;
            s->seen[slot].state = state;
            return true;
        }
        if (s->seen[slot].placed == placed && s->seen[slot].state == state)
            return false;
    }
    return true; /* full: try it again */
}

static bool o_place(struct o_search *s, uint64_t placed, int placed_count)
{
    if (placed_count == s->count)
        return true;
    if (!o_remember(s, placed, o_state(s)))
        return false;
    for (int i = 0; i < s->count; i++) {
        if (placed >> i & 1 || !o_may_place(s, placed, i))
            continue;
        int8_t kept[O_KEYS][O_COLUMNS];
        memcpy(kept, s->newest, sizeof kept);
        const int t = s->at[i].txn;
        for (int k = 0; k < O_KEYS && s->at[i].what == O_C && o_commits(s, t); k++) {
            for (int c = 0; c < O_COLUMNS; c++) {
                bool sets;
                o_written(&s->trace->txns[t], s->trace->txns[t].op_count, k, c, &sets);
                if (sets)
                    s->newest[k][c] = (int8_t)t;
            }
        }
        if (o_place(s, placed | (uint64_t)1 << i, placed_count + 1))
            return true;
        memcpy(s->newest, kept, sizeof kept);
    }
    return false;
}

static bool o_is_explainable(const struct o_trace *trace)
{
    static struct o_search s;
    if (trace->row.reads != '-' && !o_own_agree(trace))
        return false;
    for (unsigned lost = 0; lost < 1u << trace->txn_count; lost++) {
        bool is_world = true;
        for (int t = 0; t < trace->txn_count; t++)
            is_world &= trace->txns[t].end == O_LOST || !(lost >> t & 1);
        if (!is_world)
            continue;
        memset(&s, 0, sizeof s);
        memset(s.newest, O_INIT, sizeof s.newest);
        s.trace = trace;
        s.lost = lost;
        for (int t = 0; t < trace->txn_count; t++)
            o_add_txn(&s, t);
        if (o_place(&s, 0, 0))
            return true;
    }
    return false;
}

#endif
