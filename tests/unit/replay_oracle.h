#ifndef ESSE_TESTS_UNIT_REPLAY_ORACLE_H
#define ESSE_TESTS_UNIT_REPLAY_ORACLE_H

/*
 * Replaying by brute force: the histories of predicate_oracle.h with timestamps, run transaction by
 * transaction over plain arrays, for serial orders and for snapshots.  Too simple to be wrong.
 */
#include "evidence/replay.h"
#include "predicate_oracle.h"

struct o_history {
    struct p_history h;
    int start[P_TXNS], commit[P_TXNS];
    int order[P_TXNS]; /* by commit */
    int count;         /* of those in the order */
};

struct o_miss {
    enum esse_mismatch_kind kind;
    int txn, op, key;
};

static bool o_misses(struct o_miss *miss, enum esse_mismatch_kind kind, int txn, int op, int key)
{
    *miss = (struct o_miss){ kind, txn, op, key };
    return false;
}

/* What the operation returned against the state before it; then the state after it. */
static bool o_run_op(const struct o_history *o, int txn, int at, int *state, struct o_miss *miss)
{
    const struct p_op *op = &o->h.txns[txn].ops[at];
    if (op->kind == P_READ && op->value != state[op->key])
        return o_misses(miss, ESSE_MISMATCH_READ, txn, at, op->key);
    for (int key = 0; p_is_predicate(op) && key < P_KEYS; key++)
        if (op->rows[key] != P_UNNAMED && op->rows[key] != state[key])
            return o_misses(miss, ESSE_MISMATCH_READ, txn, at, key);
    for (int key = 0; p_is_predicate(op) && key < P_KEYS; key++)
        if (op->rows[key] != P_UNNAMED && !p_matches(op->predicate, state[key]))
            return o_misses(miss, ESSE_MISMATCH_NOT_SELECTED, txn, at, key);
    /* Of those left out the first key of the file: those that have a value at the beginning. */
    for (int i = 0; p_is_predicate(op) && i < 2 * P_KEYS; i++) {
        const int key = i % P_KEYS;
        if ((i < P_KEYS) == (o->h.init[key] != P_ABSENT) && op->rows[key] == P_UNNAMED &&
            p_matches(op->predicate, state[key]))
            return o_misses(miss, ESSE_MISMATCH_LEFT_OUT, txn, at, key);
    }
    for (int key = 0; key < P_KEYS; key++)
        if (p_written(op, key) != P_UNNAMED)
            state[key] = p_written(op, key);
    return true;
}

static bool o_run(const struct o_history *o, int txn, int *state, struct o_miss *miss)
{
    for (int at = 0; at < o->h.txns[txn].count; at++)
        if (!o_run_op(o, txn, at, state, miss))
            return false;
    return true;
}

static inline bool o_is_serial(const struct o_history *o, struct o_miss *miss)
{
    int state[P_KEYS];
    memcpy(state, o->h.init, sizeof state);
    for (int i = 0; i < o->count; i++)
        if (!o_run(o, o->order[i], state, miss))
            return false;
    return true;
}

static void o_apply(const struct o_history *o, int txn, int *state)
{
    for (int at = 0; at < o->h.txns[txn].count; at++)
        for (int key = 0; key < P_KEYS; key++)
            if (p_written(&o->h.txns[txn].ops[at], key) != P_UNNAMED)
                state[key] = p_written(&o->h.txns[txn].ops[at], key);
}

/* The first write of a key that another, unseen, committed before. */
static bool o_conflicts(const struct o_history *o, int place, struct o_miss *miss)
{
    const int txn = o->order[place];
    for (int at = 0; at < o->h.txns[txn].count; at++)
        for (int key = 0; key < P_KEYS; key++)
            for (int i = 0; i < place; i++) {
                const int other = o->order[i];
                bool writes = false;
                for (int j = 0; j < o->h.txns[other].count; j++)
                    writes |= p_written(&o->h.txns[other].ops[j], key) != P_UNNAMED;
                if (writes && o->commit[other] > o->start[txn] &&
                    p_written(&o->h.txns[txn].ops[at], key) != P_UNNAMED)
                    return !o_misses(miss, ESSE_MISMATCH_OVERWRITTEN, txn, at, key);
            }
    return false;
}

static inline bool o_is_snapshots(const struct o_history *o, struct o_miss *miss)
{
    for (int i = 0; i < o->count; i++) {
        int state[P_KEYS];
        memcpy(state, o->h.init, sizeof state);
        for (int j = 0; j < i; j++)
            if (o->commit[o->order[j]] <= o->start[o->order[i]])
                o_apply(o, o->order[j], state);
        if (!o_run(o, o->order[i], state, miss) || o_conflicts(o, i, miss))
            return false;
    }
    return true;
}

/* ---- random ones ---- */

static struct p_op o_random_op(struct esse_rng *rng, const int *state)
{
    struct p_op op = { .kind = (enum p_kind)esse_rng_below(rng, 5),
                       .key = (int)esse_rng_below(rng, P_KEYS),
                       .value = (int)esse_rng_below(rng, 10) };
    if (op.kind == P_READ)
        op.value = state[op.key];
    op.predicate.kind = (int)esse_rng_below(rng, 3);
    op.predicate.low = (int)esse_rng_below(rng, op.predicate.kind == 2 ? 3 : 8);
    op.predicate.high = op.predicate.low + (int)esse_rng_below(rng, 8);
    for (int key = 0; key < P_KEYS; key++) {
        op.rows[key] = p_matches(op.predicate, state[key]) ? state[key] : P_UNNAMED;
        op.next[key] = op.rows[key] == P_UNNAMED ? P_UNNAMED : (int)esse_rng_below(rng, 10);
    }
    return op;
}

static void o_damage(struct esse_rng *rng, struct p_op *op)
{
    const int key = (int)esse_rng_below(rng, P_KEYS), value = (int)esse_rng_below(rng, 10);
    if (op->kind == P_READ)
        op->value = esse_rng_below(rng, 3) ? value : P_ABSENT;
    else if (p_is_predicate(op) && esse_rng_below(rng, 2))
        op->rows[key] = op->next[key] = P_UNNAMED;
    else if (p_is_predicate(op)) {
        op->rows[key] = value;
        op->next[key] = value + 1;
    }
}

/* Runs as the timestamps say, one at a time or on snapshots; then sometimes damage, or times that
 * are not true. */
static inline struct o_history o_random(struct esse_rng *rng, bool snapshots)
{
    struct o_history o = { .h.count = 2 + (int)esse_rng_below(rng, P_TXNS - 1), .count = 0 };
    const bool is_wrong = esse_rng_below(rng, 2);
    for (int key = 0; key < P_KEYS; key++)
        o.h.init[key] = esse_rng_below(rng, 2) ? (int)esse_rng_below(rng, 10) : P_ABSENT;
    for (int t = 0; t < o.h.count; t++) {
        struct p_txn *txn = &o.h.txns[t];
        int state[P_KEYS];
        txn->status = esse_rng_below(rng, 8)   ? ESSE_COMMITTED
                      : esse_rng_below(rng, 2) ? ESSE_ABORTED
                                               : ESSE_UNKNOWN_OUTCOME;
        o.commit[t] = 10 * (t + 1);
        o.start[t] = o.commit[t] - (int)esse_rng_below(rng, snapshots ? 25 : 10);
        memcpy(state, o.h.init, sizeof state);
        for (int i = 0; i < o.count; i++)
            if (!snapshots || o.commit[o.order[i]] <= o.start[t])
                o_apply(&o, o.order[i], state);
        txn->count = 1 + (int)esse_rng_below(rng, P_OPS);
        for (int at = 0; at < txn->count; at++) {
            txn->ops[at] = o_random_op(rng, state);
            for (int key = 0; key < P_KEYS; key++)
                if (p_written(&txn->ops[at], key) != P_UNNAMED)
                    state[key] = p_written(&txn->ops[at], key);
            if (is_wrong && !esse_rng_below(rng, 8))
                o_damage(rng, &txn->ops[at]);
        }
        if (txn->status != ESSE_ABORTED)
            o.order[o.count++] = t;
    }
    if (is_wrong && o.count > 1 && esse_rng_below(rng, 2)) { /* two change places */
        const int i = (int)esse_rng_below(rng, (uint32_t)o.count - 1);
        const int a = o.order[i], b = o.order[i + 1], commit = o.commit[a], start = o.start[a];
        o.order[i] = b;
        o.order[i + 1] = a;
        o.commit[a] = o.commit[b];
        o.start[a] = o.start[b];
        o.commit[b] = commit;
        o.start[b] = start;
    }
    return o;
}

/* In the order of the file, or in that of the commits.  The first transaction names all keys, so
 * that their numbers are in order. */
static inline const char *o_write(struct esse_arena *arena, const struct o_history *o, bool sorted)
{
    static const char *const statuses[] = { "committed", "aborted", "unknown" };
    struct esse_out *out = esse_arena_alloc(arena, 1, sizeof *out);
    int rows[P_KEYS];
    esse_out_init_memory(out, arena);
    for (int key = 0; key < P_KEYS; key++)
        rows[key] = o->h.init[key] == P_ABSENT ? P_UNNAMED : o->h.init[key];
    esse_out_text(out, "{'init':");
    p_put_rows(out, rows, NULL);
    esse_out_text(out, "}\n"
                       "{'session':'first','start_ts':-50,'commit_ts':-50,'ops':[");
    for (int key = 0; key < P_KEYS; key++) {
        esse_out_text(out, key ? "," : "");
        p_put_op(out, &(struct p_op){ .kind = P_READ, .key = key, .value = o->h.init[key] });
    }
    esse_out_text(out, "]}\n");
    for (int i = 0; i < (sorted ? o->count : o->h.count); i++) {
        const int t = sorted ? o->order[i] : i;
        esse_out_f(out,
                   "{'session':%d,'txn':'t%d','status':'%s','start_ts':%d,'commit_ts':%d,'ops':[",
                   t, t, statuses[o->h.txns[t].status], o->start[t], o->commit[t]);
        for (int at = 0; at < o->h.txns[t].count; at++) {
            esse_out_text(out, at ? "," : "");
            p_put_op(out, &o->h.txns[t].ops[at]);
        }
        esse_out_text(out, "]}\n");
    }
    return esse_out_memory(out);
}

#endif
