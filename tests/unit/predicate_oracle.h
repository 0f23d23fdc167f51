#ifndef ESSE_TESTS_UNIT_PREDICATE_ORACLE_H
#define ESSE_TESTS_UNIT_PREDICATE_ORACLE_H

/*
 * predicate-read-miss and result-set-mismatch straight from their definitions, over tiny histories
 * of plain arrays and predicates that are plain C.  Too simple to be wrong.
 */
#include "test.h"

#include "base/out.h"

enum { P_TXNS = 6, P_OPS = 4, P_KEYS = 3, P_ABSENT = -1000, P_UNNAMED = -1001 };
enum p_kind { P_READ, P_WRITE, P_DELETE, P_PREDICATE, P_UPDATE };

struct p_predicate {
    int kind; /* 0: everything; 1: low <= v <= high; 2: v % 3 = low */
    int low, high;
};

struct p_op {
    enum p_kind kind;
    int key, value; /* not for predicates */
    struct p_predicate predicate;
    int rows[P_KEYS], next[P_KEYS]; /* what it returned, and made of it; P_UNNAMED: nothing */
    bool has_vset;
    int vset[P_KEYS]; /* a value, P_ABSENT or P_UNNAMED */
};

struct p_txn {
    enum esse_status status;
    int session, start, end; /* where the history has them */
    int count;
    struct p_op ops[P_OPS];
};

struct p_history {
    int init[P_KEYS]; /* P_ABSENT: not given */
    int count;
    bool has_sessions;      /* each transaction is its own otherwise */
    bool has_times;         /* starts and ends */
    bool has_order[P_KEYS]; /* the order of versions is given: */
    int place[P_TXNS];      /* by the place of the transaction that installs them */
    struct p_txn txns[P_TXNS];
};

static bool p_matches(struct p_predicate predicate, int value)
{
    if (value == P_ABSENT)
        return false;
    return predicate.kind == 0   ? true
           : predicate.kind == 1 ? value >= predicate.low && value <= predicate.high
                                 : value % 3 == predicate.low;
}

/* What an operation writes to a key; P_UNNAMED if nothing. */
static int p_written(const struct p_op *op, int key)
{
    if (op->kind == P_UPDATE)
        return op->next[key];
    if (op->key != key)
        return P_UNNAMED;
    return op->kind == P_WRITE ? op->value : op->kind == P_DELETE ? P_ABSENT : P_UNNAMED;
}

static bool p_is_predicate(const struct p_op *op)
{
    return op->kind == P_PREDICATE || op->kind == P_UPDATE;
}

/* Did the operation return this version of the key? */
static bool p_shows(const struct p_op *op, int key, int value)
{
    return p_is_predicate(op) ? op->rows[key] == value
                              : op->kind == P_READ && op->key == key && op->value == value;
}

static bool p_wrote_before(const struct p_txn *txn, int at, int key)
{
    while (at-- > 0)
        if (p_written(&txn->ops[at], key) != P_UNNAMED)
            return true;
    return false;
}

/* Is 't' the only transaction that did not abort and wrote the value? */
static bool p_writes_alone(const struct p_history *h, int t, int key, int value)
{
    for (int u = 0; u < h->count; u++)
        for (int i = 0; i < h->txns[u].count; i++)
            if (u != t && h->txns[u].status != ESSE_ABORTED &&
                p_written(&h->txns[u].ops[i], key) == value)
                return false;
    return true;
}

/* Does the operation show, or its version set say, that the value was there? */
static bool p_witnesses(const struct p_txn *txn, int at, int key, int value)
{
    const struct p_op *op = &txn->ops[at];
    return (p_shows(op, key, value) && !p_wrote_before(txn, at, key)) ||
           (p_is_predicate(op) && op->has_vset && op->vset[key] == value);
}

static bool p_counts(const struct p_history *h, int t, int depth);

/* Did another one that counts read what the operation of 't' wrote, or name it in a version set,
 * and does nothing else explain it: neither the initial value nor another transaction that did not
 * abort?
 */
static bool p_observed(const struct p_history *h, int t, const struct p_op *op, int depth)
{
    for (int key = 0; key < P_KEYS; key++) {
        const int written = p_written(op, key);
        if (written == P_UNNAMED || written == h->init[key] || !p_writes_alone(h, t, key, written))
            continue;
        for (int u = 0; u < h->count; u++)
            for (int i = 0; u != t && i < h->txns[u].count; i++)
                if (p_witnesses(&h->txns[u], i, key, written) && p_counts(h, u, depth - 1))
                    return true;
    }
    return false;
}

/* Is it committed, or of unknown outcome and observed, over so many others at most? */
static bool p_counts(const struct p_history *h, int t, int depth)
{
    if (h->txns[t].status != ESSE_UNKNOWN_OUTCOME || !depth)
        return h->txns[t].status == ESSE_COMMITTED;
    for (int i = 0; i < h->txns[t].count; i++)
        if (p_observed(h, t, &h->txns[t].ops[i], depth))
            return true;
    return false;
}

static inline bool p_is_miss(const struct p_history *h, int t, int at, int key)
{
    const struct p_op *op = &h->txns[t].ops[at];
    if (!p_counts(h, t, h->count) || !p_is_predicate(op) || op->rows[key] != P_UNNAMED ||
        !p_matches(op->predicate, h->init[key]))
        return false;
    for (int u = 0; u < h->count; u++)
        for (int i = 0; i < h->txns[u].count; i++) {
            int written = p_written(&h->txns[u].ops[i], key);
            if (h->txns[u].status != ESSE_ABORTED && written != P_UNNAMED &&
                !p_matches(op->predicate, written))
                return false;
        }
    return true;
}

static inline bool p_is_mismatch(const struct p_history *h, int t, int at, int key)
{
    const struct p_op *op = &h->txns[t].ops[at];
    if (!p_counts(h, t, h->count) || !p_is_predicate(op))
        return false;
    /* Without a version set what was returned is what was seen. */
    if (!op->has_vset)
        return op->rows[key] != P_UNNAMED && !p_matches(op->predicate, op->rows[key]);
    int version = op->vset[key];
    for (int i = 0; i < at; i++)
        if (p_written(&h->txns[t].ops[i], key) != P_UNNAMED)
            version = p_written(&h->txns[t].ops[i], key);
    const int expected =
        version != P_UNNAMED && p_matches(op->predicate, version) ? version : P_UNNAMED;
    return op->rows[key] != expected;
}

/* ---- as a file ---- */

static void p_put_value(struct esse_out *out, int value)
{
    if (value == P_ABSENT)
        esse_out_text(out, "null");
    else
        esse_out_i64(out, value);
}

static void p_put_rows(struct esse_out *out, const int *rows, const int *next)
{
    const char *comma = "";
    esse_out_char(out, '{');
    for (int key = 0; key < P_KEYS; key++) {
        if (rows[key] == P_UNNAMED)
            continue;
        esse_out_f(out, "%s'%c':%s", comma, 'x' + key, next ? "[" : "");
        p_put_value(out, rows[key]);
        if (next) {
            esse_out_char(out, ',');
            p_put_value(out, next[key]);
            esse_out_char(out, ']');
        }
        comma = ",";
    }
    esse_out_char(out, '}');
}

static void p_put_op(struct esse_out *out, const struct p_op *op)
{
    if (!p_is_predicate(op)) {
        static const char *const kinds[] = { "r", "w", "d" };
        esse_out_f(out, "{'%s':'%c'", kinds[op->kind], 'x' + op->key);
        if (op->kind != P_DELETE) {
            esse_out_text(out, ",'v':");
            p_put_value(out, op->value);
        }
        esse_out_char(out, '}');
        return;
    }
    esse_out_f(out, "{'%s':'", op->kind == P_UPDATE ? "u" : "p");
    if (op->predicate.kind == 0)
        esse_out_text(out, "TRUE");
    else if (op->predicate.kind == 1)
        esse_out_f(out, "v >= %d AND v <= %d", op->predicate.low, op->predicate.high);
    else
        esse_out_f(out, "v %% 3 = %d", op->predicate.low);
    esse_out_text(out, "','rows':");
    p_put_rows(out, op->rows, op->kind == P_UPDATE ? op->next : NULL);
    if (op->has_vset) {
        esse_out_text(out, ",'vset':");
        p_put_rows(out, op->vset, NULL);
    }
    esse_out_char(out, '}');
}

static inline bool p_installs(const struct p_txn *txn, int key)
{
    for (int i = 0; i < txn->count; i++)
        if (p_written(&txn->ops[i], key) != P_UNNAMED)
            return txn->status == ESSE_COMMITTED;
    return false;
}

static void p_put_order(struct esse_out *out, const struct p_history *h, int key)
{
    const char *comma = "";
    esse_out_f(out, "{'version_order':{'%c':[", 'x' + key);
    for (int place = 0; place < h->count; place++)
        for (int t = 0; t < h->count; t++)
            if (h->place[t] == place && p_installs(&h->txns[t], key)) {
                esse_out_f(out, "%s{'txn':'t%d'}", comma, t);
                comma = ",";
            }
    esse_out_text(out, "]}}\n");
}

static void p_put_txn(struct esse_out *out, const struct p_history *h, int t)
{
    static const char *const statuses[] = { "committed", "aborted", "unknown" };
    const struct p_txn *txn = &h->txns[t];
    esse_out_f(out, "{'session':%d,'txn':'t%d','status':'%s'", h->has_sessions ? txn->session : t,
               t, statuses[txn->status]);
    if (h->has_times)
        esse_out_f(out, ",'start':%d,'end':%d", txn->start, txn->end);
    esse_out_text(out, ",'ops':[");
    for (int i = 0; i < txn->count; i++) {
        esse_out_text(out, i ? "," : "");
        p_put_op(out, &txn->ops[i]);
    }
    esse_out_text(out, "]}\n");
}

static inline const char *p_write(struct esse_arena *arena, const struct p_history *h)
{
    struct esse_out *out = esse_arena_alloc(arena, 1, sizeof *out);
    int rows[P_KEYS];
    esse_out_init_memory(out, arena);
    esse_out_text(out, "{'init':");
    for (int key = 0; key < P_KEYS; key++)
        rows[key] = h->init[key] == P_ABSENT ? P_UNNAMED : h->init[key];
    p_put_rows(out, rows, NULL);
    esse_out_text(out, "}\n");
    for (int t = 0; t < h->count; t++)
        p_put_txn(out, h, t);
    for (int key = 0; key < P_KEYS; key++)
        if (h->has_order[key])
            p_put_order(out, h, key);
    return esse_out_memory(out);
}

#endif
