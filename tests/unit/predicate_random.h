#ifndef ESSE_TESTS_UNIT_PREDICATE_RANDOM_H
#define ESSE_TESTS_UNIT_PREDICATE_RANDOM_H

/* Small random histories with predicates: snapshots that may be old, and some damage. */
#include "predicate_oracle.h"

/* Does an operation fit what its transaction sees?  'mine' is then what it sees afterwards. */
static bool p_fits(const struct p_op *op, int *mine)
{
    if (op->kind == P_READ && mine[op->key] != op->value)
        return false;
    for (int key = 0; p_is_predicate(op) && key < P_KEYS; key++)
        if (op->rows[key] != (p_matches(op->predicate, mine[key]) ? mine[key] : P_UNNAMED))
            return false;
    for (int key = 0; key < P_KEYS; key++) {
        int written = p_written(op, key);
        mine[key] = written == P_UNNAMED ? mine[key] : written;
    }
    return true;
}

static void p_commit(const struct p_txn *txn, const int *before, int *after)
{
    memcpy(after, before, P_KEYS * sizeof *after);
    for (int i = 0; i < txn->count; i++)
        for (int key = 0; key < P_KEYS; key++)
            if (p_written(&txn->ops[i], key) != P_UNNAMED)
                after[key] = p_written(&txn->ops[i], key);
}

static struct p_op p_random_op(struct esse_rng *rng, const int *mine)
{
    struct p_op op = { .kind = (enum p_kind)esse_rng_below(rng, 5),
                       .key = (int)esse_rng_below(rng, P_KEYS),
                       .value = (int)esse_rng_below(rng, 10) };
    op.predicate.kind = (int)esse_rng_below(rng, 3);
    op.predicate.low = (int)esse_rng_below(rng, op.predicate.kind == 2 ? 3 : 8);
    op.predicate.high = op.predicate.low + (int)esse_rng_below(rng, 5);
    if (op.kind == P_READ)
        op.value = mine[op.key];
    for (int key = 0; key < P_KEYS; key++) {
        op.rows[key] = p_matches(op.predicate, mine[key]) ? mine[key] : P_UNNAMED;
        op.next[key] = op.rows[key] == P_UNNAMED ? P_UNNAMED : (int)esse_rng_below(rng, 10);
    }
    return op;
}

/* The version set that it looked at, in case it is to be recorded; own writes are no part of it. */
static void p_note_vset(struct p_txn *txn, int at, const int *mine)
{
    for (int key = 0; key < P_KEYS; key++) {
        txn->ops[at].vset[key] = mine[key];
        for (int i = 0; i < at; i++)
            if (p_written(&txn->ops[i], key) != P_UNNAMED)
                txn->ops[at].vset[key] = P_UNNAMED;
    }
}

/* At most 'most' transactions, each at a state that may be a little old. */
static inline void p_random_history(struct p_history *h, struct esse_rng *rng, int most)
{
    int states[P_TXNS + 1][P_KEYS], commits = 0;
    memset(h, 0, sizeof *h);
    for (int key = 0; key < P_KEYS; key++)
        states[0][key] = h->init[key] =
            esse_rng_below(rng, 3) ? (int)esse_rng_below(rng, 10) : P_ABSENT;
    h->count = 2 + (int)esse_rng_below(rng, (uint32_t)most - 1);
    for (int t = 0; t < h->count; t++) {
        struct p_txn *txn = &h->txns[t];
        int mine[P_KEYS];
        int age = (int)esse_rng_below(rng, 3);
        memcpy(mine, states[age < commits ? commits - age : commits], sizeof mine);
        txn->status = esse_rng_below(rng, 8) ? ESSE_COMMITTED : ESSE_ABORTED;
        txn->count = 1 + (int)esse_rng_below(rng, P_OPS - 1);
        for (int i = 0; i < txn->count; i++) {
            txn->ops[i] = p_random_op(rng, mine);
            p_note_vset(txn, i, mine);
            p_fits(&txn->ops[i], mine);
        }
        if (txn->status != ESSE_COMMITTED)
            continue;
        p_commit(txn, states[commits], states[commits + 1]);
        commits++;
    }
}

/* A row that goes, a read that returns something else. */
static inline void p_damage(struct p_history *h, struct esse_rng *rng)
{
    struct p_txn *txn = &h->txns[esse_rng_below(rng, (uint32_t)h->count)];
    struct p_op *op = &txn->ops[esse_rng_below(rng, (uint32_t)txn->count)];
    const int key = (int)esse_rng_below(rng, P_KEYS);
    if (op->kind == P_READ)
        op->value = (int)esse_rng_below(rng, 10);
    else if (p_is_predicate(op))
        op->rows[key] = op->next[key] = P_UNNAMED;
}

#endif
