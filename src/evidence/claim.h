#ifndef ESSE_EVIDENCE_CLAIM_H
#define ESSE_EVIDENCE_CLAIM_H

#include "base/vec.h"
#include "history/by_key.h"
#include "level/level.h"

/*
 * An anomaly, and what it is held against: the history key by key, which transactions count as
 * committed, and what may be taken for granted beside it.  Then small truths about it, of which the
 * rules of the kernel are made.  Private to evidence/.
 *
 * Transactions, operations and keys must exist, except where a function asks that itself.
 *
 * Cost: open O(accesses); writers and sources O(accesses of the key); else O(operations of the
 * transaction).
 */
ESSE_VEC(claim_choice_vec, struct esse_choice)

struct claim {
    struct esse_arena *arena;
    const struct esse_history *history;
    const struct esse_anomaly *anomaly;
    struct esse_by_key by_key;
    const uint8_t *in;              /* by transaction: counts as committed (counted.h) */
    const struct esse_level *level; /* that fails by the anomaly, or NULL */
    bool is_refuted;                /* by a refutation */
    bool is_forced;                 /* the level's axiom is at stake, not its cycles */
    bool is_of_ops;                 /* and it is about single operations, not transactions */
    /* Of a refutation: the orders and sources that are taken for granted, and its predicates. */
    struct claim_choice_vec given;
    struct esse_predicates *predicates;
};

/* 'by_key' is the history key by key; NULL: it is made. */
void claim_open(struct claim *claim, struct esse_arena *arena, const struct esse_history *history,
                const struct esse_anomaly *anomaly, const struct esse_by_key *by_key);

/* Are there such a transaction and such an operation in it? */
static inline bool claim_has_op(const struct claim *claim, esse_op op, esse_txn txn)
{
    return txn.ix < claim->history->txns && op.ix >= claim->history->txn_op[txn.ix] &&
           op.ix < claim->history->txn_op[txn.ix + 1];
}

static inline bool claim_counts(const struct claim *claim, esse_txn txn)
{
    return txn.ix < claim->history->txns && claim->in[txn.ix];
}

/* Does the operation write the key? */
bool claim_writes(const struct claim *claim, uint32_t op, esse_key key);

/* Does it install a version: by an append, or by the last write of its transaction? */
bool claim_installs(const struct claim *claim, uint32_t op, esse_key key);

/* What the operation read of the key; false if that is not known. */
bool claim_reads(const struct claim *claim, uint32_t op, esse_key key, esse_value *value);

/* The operations that write a value to a key: their number, and the first. */
struct claim_tally {
    uint32_t count, first;
};
struct claim_writers {
    struct claim_tally all, kept; /* 'kept' of transactions that did not abort */
    struct claim_tally clean;     /* of these not of 'own', not appends, and last of their own */
    uint32_t committed, own, not_final;
};
struct claim_writers claim_writers(const struct claim *claim, esse_key key, esse_value value,
                                   uint32_t own);

/* The version of the key that the operation read, and no write of its own transaction: the
 * operation that wrote it, or ESSE_NO_OP for the initial one.  CLAIM_NO_WRITER if no transaction
 * wrote it that can have, CLAIM_UNKNOWN if several can be or it did not read.  Where cycles are
 * refuted, what only one transaction leaves behind counts as read from it: the levels forbid the
 * rest. */
#define CLAIM_NO_WRITER (ESSE_NO_OP - 1)
#define CLAIM_UNKNOWN   (ESSE_NO_OP - 2)
uint32_t claim_only_source(const struct claim *claim, uint32_t op, esse_key key);

#endif
