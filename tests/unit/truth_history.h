#ifndef ESSE_TESTS_UNIT_TRUTH_HISTORY_H
#define ESSE_TESTS_UNIT_TRUTH_HISTORY_H

/*
 * Tiny histories of every kind, in plain arrays: registers, lists, predicates, deletes, repeated
 * values, unknown outcomes, sessions, times, version orders.  They are made at random, changed a
 * little, and written as native files.
 */
#include "test.h"

#include "base/out.h"
#include "level/level.h"

enum { T_TXNS = 5, T_OPS = 4, T_KEYS = 3, T_LENGTH = 6, T_ABSENT = -1000, T_UNNAMED = -1001 };
enum t_kind { T_READ, T_WRITE, T_DELETE, T_APPEND, T_LIST, T_PREDICATE, T_UPDATE };

struct t_op {
    enum t_kind kind;
    int key, value;
    int list[T_LENGTH], length;
    int low, high;                  /* a predicate: low <= v <= high */
    int rows[T_KEYS], next[T_KEYS]; /* what it returned, and made of it; T_UNNAMED: nothing */
};

struct t_txn {
    enum esse_status status;
    int session, start, end;
    int count;
    struct t_op ops[T_OPS];
};

struct t_history {
    int init[T_KEYS]; /* T_ABSENT: none */
    int count;
    bool has_times, has_order[T_KEYS]; /* of versions: by the place of their transactions */
    int given[T_TXNS];
    struct t_txn txns[T_TXNS];
};

/* ---- what operations do ---- */

static bool t_is_predicate(const struct t_op *op)
{
    return op->kind == T_PREDICATE || op->kind == T_UPDATE;
}

static bool t_matches(const struct t_op *op, int value)
{
    return value != T_ABSENT && op->low <= value && value <= op->high;
}

static bool t_writes(const struct t_op *op, int key)
{
    return op->kind == T_UPDATE ? op->next[key] != T_UNNAMED
                                : op->key == key && (op->kind == T_WRITE || op->kind == T_DELETE ||
                                                     op->kind == T_APPEND);
}

static int t_written(const struct t_op *op, int key)
{
    return op->kind == T_UPDATE ? op->next[key] : op->kind == T_DELETE ? T_ABSENT : op->value;
}

/* The value that it returned of the key; T_UNNAMED for lists and if it returned nothing. */
static int t_returned(const struct t_op *op, int key)
{
    return t_is_predicate(op)                     ? op->rows[key]
           : op->kind == T_READ && op->key == key ? op->value
                                                  : T_UNNAMED;
}

static inline bool t_reads(const struct t_op *op, int key)
{
    return t_is_predicate(op) ? op->rows[key] != T_UNNAMED
                              : op->key == key && (op->kind == T_READ || op->kind == T_LIST);
}

static inline bool t_in_session(const struct t_history *h, int t, int u)
{
    return t < u && h->txns[t].session == h->txns[u].session;
}

static inline bool t_in_time(const struct t_history *h, int t, int u)
{
    return h->has_times && h->txns[t].status == ESSE_COMMITTED && h->txns[t].end < h->txns[u].start;
}

static inline bool t_is_given_before(const struct t_history *h, int t, int u)
{
    return h->txns[t].status == ESSE_COMMITTED && h->txns[u].status == ESSE_COMMITTED &&
           h->given[t] < h->given[u];
}

/* ---- as a file ---- */

static void t_put_value(struct esse_out *out, int value)
{
    if (value == T_ABSENT)
        esse_out_text(out, "null");
    else
        esse_out_i64(out, value);
}

static void t_put_rows(struct esse_out *out, const int *rows, const int *next)
{
    const char *comma = "";
    esse_out_char(out, '{');
    for (int key = 0; key < T_KEYS; key++) {
        if (rows[key] == T_UNNAMED)
            continue;
        esse_out_f(out, "%s'%c':%s", comma, 'x' + key, next ? "[" : "");
        t_put_value(out, rows[key]);
        if (next) {
            esse_out_char(out, ',');
            t_put_value(out, next[key]);
            esse_out_char(out, ']');
        }
        comma = ",";
    }
    esse_out_char(out, '}');
}

static void t_put_op(struct esse_out *out, const struct t_op *op)
{
    static const char *const kinds[] = { "r", "w", "d", "a", "r", "p", "u" };
    esse_out_f(out, "{'%s':", kinds[op->kind]);
    if (t_is_predicate(op)) {
        esse_out_f(out, "'v >= %d AND v <= %d','rows':", op->low, op->high);
        t_put_rows(out, op->rows, op->kind == T_UPDATE ? op->next : NULL);
        esse_out_char(out, '}');
        return;
    }
    esse_out_f(out, "'%c'", 'x' + op->key);
    if (op->kind == T_LIST) {
        esse_out_text(out, ",'v':[");
        for (int i = 0; i < op->length; i++)
            esse_out_f(out, i ? ",%d" : "%d", op->list[i]);
        esse_out_char(out, ']');
    } else if (op->kind != T_DELETE) {
        esse_out_text(out, ",'v':");
        t_put_value(out, op->value);
    }
    esse_out_char(out, '}');
}

static bool t_installs(const struct t_txn *txn, int key)
{
    for (int i = 0; i < txn->count; i++)
        if (txn->status == ESSE_COMMITTED && t_writes(&txn->ops[i], key))
            return true;
    return false;
}

static void t_put_order(struct esse_out *out, const struct t_history *h, int key)
{
    const char *comma = "";
    esse_out_f(out, "{'version_order':{'%c':[", 'x' + key);
    for (int place = 0; place < h->count; place++)
        for (int t = 0; t < h->count; t++)
            if (h->given[t] == place && t_installs(&h->txns[t], key)) {
                esse_out_f(out, "%s{'txn':'t%d'}", comma, t);
                comma = ",";
            }
    esse_out_text(out, "]}}\n");
}

static inline const char *t_text(struct esse_arena *arena, const struct t_history *h)
{
    static const char *const statuses[] = { "committed", "aborted", "unknown" };
    struct esse_out *out = esse_arena_alloc(arena, 1, sizeof *out);
    int rows[T_KEYS];
    esse_out_init_memory(out, arena);
    for (int key = 0; key < T_KEYS; key++)
        rows[key] = h->init[key] == T_ABSENT ? T_UNNAMED : h->init[key];
    esse_out_text(out, "{'init':");
    t_put_rows(out, rows, NULL);
    esse_out_text(out, "}\n");
    for (int t = 0; t < h->count; t++) {
        const struct t_txn *txn = &h->txns[t];
        esse_out_f(out, "{'session':%d,'txn':'t%d','status':'%s'", txn->session, t,
                   statuses[txn->status]);
        if (h->has_times)
            esse_out_f(out, ",'start':%d,'end':%d", txn->start, txn->end);
        esse_out_text(out, ",'ops':[");
        for (int i = 0; i < txn->count; i++) {
            esse_out_text(out, i ? "," : "");
            t_put_op(out, &txn->ops[i]);
        }
        esse_out_text(out, "]}\n");
    }
    for (int key = 0; key < T_KEYS; key++)
        if (h->has_order[key])
            t_put_order(out, h, key);
    return esse_out_memory(out);
}

/* ---- at random ---- */

enum t_flavour { T_REGISTERS, T_REPEATED, T_LISTS, T_PREDICATES, T_FLAVOURS };

/* What a transaction sees: a state of the store, a little old perhaps, and its own writes. */
struct t_state {
    int value[T_KEYS];
    int list[T_KEYS][T_LENGTH], length[T_KEYS];
};

static void t_apply(struct t_state *state, const struct t_op *op)
{
    for (int key = 0; key < T_KEYS; key++) {
        if (!t_writes(op, key))
            continue;
        if (op->kind != T_APPEND)
            state->value[key] = t_written(op, key);
        else if (state->length[key] < T_LENGTH)
            state->list[key][state->length[key]++] = op->value;
    }
}

static struct t_op t_random_op(struct esse_rng *rng, enum t_flavour flavour,
                               const struct t_state *mine, int keys, int *fresh)
{
    const enum t_kind registers[] = { T_READ, T_READ, T_WRITE, T_WRITE, T_DELETE };
    const enum t_kind lists[] = { T_LIST, T_APPEND };
    const enum t_kind predicates[] = {
        T_READ, T_WRITE, T_DELETE, T_PREDICATE, T_PREDICATE, T_UPDATE
    };
    struct t_op op = { .key = (int)esse_rng_below(rng, (uint32_t)keys) };
    op.kind = flavour == T_LISTS        ? lists[esse_rng_below(rng, 2)]
              : flavour == T_PREDICATES ? predicates[esse_rng_below(rng, 6)]
                                        : registers[esse_rng_below(rng, 5)];
    if (op.kind == T_DELETE && esse_rng_below(rng, 2))
        op.kind = T_WRITE;
    op.value = op.kind == T_READ                                  ? mine->value[op.key]
               : flavour == T_REPEATED || flavour == T_PREDICATES ? (int)esse_rng_below(rng, 3)
                                                                  : ++*fresh;
    op.low = (int)esse_rng_below(rng, 3);
    op.high = op.low + (int)esse_rng_below(rng, 2);
    for (int key = 0; key < T_KEYS; key++) {
        op.rows[key] = t_matches(&op, mine->value[key]) ? mine->value[key] : T_UNNAMED;
        op.next[key] = op.rows[key] == T_UNNAMED ? T_UNNAMED : (int)esse_rng_below(rng, 3);
    }
    op.length = mine->length[op.key];
    memcpy(op.list, mine->list[op.key], sizeof op.list);
    return op;
}

/* Something is read that was not there. */
static void t_damage(struct t_op *op, struct esse_rng *rng)
{
    const int key = (int)esse_rng_below(rng, T_KEYS);
    if (op->kind == T_READ)
        op->value = esse_rng_below(rng, 4) ? (int)esse_rng_below(rng, 4) : T_ABSENT;
    else if (op->kind == T_LIST && op->length && esse_rng_below(rng, 3))
        op->length -= 1 + (int)esse_rng_below(rng, 2) * (op->length > 1);
    else if (op->kind == T_LIST && op->length < T_LENGTH)
        op->list[op->length++] = 1 + (int)esse_rng_below(rng, 6);
    else if (t_is_predicate(op) && esse_rng_below(rng, 3))
        op->rows[key] = op->next[key] = T_UNNAMED;
    else if (t_is_predicate(op))
        op->rows[key] = op->next[key] = (int)esse_rng_below(rng, 3);
}

static void t_random_times(struct t_history *h, struct esse_rng *rng)
{
    int now = 0;
    for (int t = 0; t < h->count; t++) {
        h->txns[t].start = now + (int)esse_rng_below(rng, 3);
        h->txns[t].end = h->txns[t].start + 1 + (int)esse_rng_below(rng, 5);
        now += (int)esse_rng_below(rng, 4);
        for (int u = 0; u < t; u++) /* of one session one after the other */
            if (h->txns[u].session == h->txns[t].session && h->txns[u].end >= h->txns[t].start) {
                const int late = h->txns[u].end + 1 - h->txns[t].start;
                h->txns[t].start += late;
                h->txns[t].end += late;
            }
    }
}

static inline void t_random_history(struct t_history *h, struct esse_rng *rng)
{
    const enum t_flavour flavour = (enum t_flavour)esse_rng_below(rng, T_FLAVOURS);
    const int keys = 1 + (int)esse_rng_below(rng, flavour == T_PREDICATES ? 2 : T_KEYS);
    const int sessions = 1 + (int)esse_rng_below(rng, 4);
    const bool doubts = esse_rng_below(rng, 3) == 0, damages = esse_rng_below(rng, 3) > 0;
    struct t_state states[T_TXNS + 1];
    int commits = 0, fresh = 0;
    memset(h, 0, sizeof *h);
    memset(states, 0, sizeof states);
    for (int key = 0; key < T_KEYS; key++) {
        const bool given = flavour != T_LISTS && key < keys && esse_rng_below(rng, 2);
        states[0].value[key] = h->init[key] = given ? (int)esse_rng_below(rng, 2) : T_ABSENT;
    }
    h->count = 3 + (int)esse_rng_below(rng, T_TXNS - 2);
    for (int t = 0; t < h->count; t++) {
        struct t_txn *txn = &h->txns[t];
        const int age = (int)esse_rng_below(rng, 3);
        struct t_state mine = states[age < commits ? commits - age : commits];
        txn->session = (int)esse_rng_below(rng, (uint32_t)sessions);
        txn->status = esse_rng_below(rng, 10) == 0            ? ESSE_ABORTED
                      : doubts && esse_rng_below(rng, 3) == 0 ? ESSE_UNKNOWN_OUTCOME
                                                              : ESSE_COMMITTED;
        txn->count = 1 + (int)esse_rng_below(rng, flavour == T_PREDICATES ? 2 : 3);
        for (int i = 0; i < txn->count; i++) {
            txn->ops[i] = t_random_op(rng, flavour, &mine, keys, &fresh);
            if (damages && esse_rng_below(rng, 5) == 0)
                t_damage(&txn->ops[i], rng);
            t_apply(&mine, &txn->ops[i]);
        }
        if (txn->status == ESSE_ABORTED ||
            (txn->status == ESSE_UNKNOWN_OUTCOME && esse_rng_below(rng, 2)))
            continue;
        states[commits + 1] = states[commits];
        for (int i = 0; i < txn->count; i++)
            t_apply(&states[commits + 1], &txn->ops[i]);
        h->given[t] = commits++;
    }
    h->has_times = esse_rng_below(rng, 2);
    t_random_times(h, rng);
    for (int t = 0; t < h->count; t++)
        h->given[t] = t;
    for (int key = 0; key < keys; key++)
        h->has_order[key] = flavour != T_LISTS && esse_rng_below(rng, 4) == 0;
}

/* Another history that differs in one thing, and has as many transactions and operations. */
static inline void t_change(struct t_history *h, struct esse_rng *rng)
{
    struct t_txn *txn = &h->txns[esse_rng_below(rng, (uint32_t)h->count)];
    switch (esse_rng_below(rng, 6)) {
    case 0:
        txn->status = (enum esse_status)esse_rng_below(rng, 3);
        break;
    case 1:
        txn->session = (int)esse_rng_below(rng, 4);
        t_random_times(h, rng);
        break;
    case 2:
        h->has_times = !h->has_times;
        break;
    case 3:
        h->init[0] = h->init[0] == T_ABSENT ? 1 : T_ABSENT;
        break;
    default:
        t_damage(&txn->ops[esse_rng_below(rng, (uint32_t)txn->count)], rng);
    }
}

#endif
