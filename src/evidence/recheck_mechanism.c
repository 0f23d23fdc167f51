#include "evidence/recheck_mechanism.h"

#include "base/arena.h"
#include "base/error.h"
#include "evidence/mechanism_rules.h"
#include "history/values.h"

/* ---- CR ---- */

static bool is_explained(const struct esse_mechanism_trace *trace,
                         const struct esse_mechanism_claim *claim, struct esse_within s)
{
    size_t unused;
    return esse_mtrace_explanations(trace, claim, claim->txn, s, &unused) > 0;
}

/*
 * A transaction of unknown outcome has committed if a committed one read what only it can have
 * written, and before that read.  Until nothing more follows.
 */
static bool show_outcome(struct esse_mechanism_trace *trace, struct esse_mechanism_txn *txns,
                         const struct esse_mechanism_claim *claim, size_t reader, size_t at)
{
    const struct esse_mechanism_txn *t = &txns[reader];
    const struct esse_mechanism_op *op = &t->ops[at];
    struct esse_mechanism_claim read = *claim;
    esse_value own;
    size_t writer = 0;
    if (op->kind != ESSE_MOP_READ || op->failed || !esse_value_eq(op->key, claim->key))
        return false;
    bool is_seen = esse_value_eq(claim->column, ESSE_NONE) && !op->columns;
    read.value = op->value;
    for (size_t i = 0; i < op->column_count; i++) {
        if (esse_value_eq(op->columns[i].name, claim->column)) {
            read.value = op->columns[i].value;
            is_seen = true;
        }
    }
    if (!is_seen)
        return false;
    const struct esse_within s =
        esse_mop_is_locking(op) ? esse_within_op(op) : esse_mtxn_snapshot_of_read(t, op);
    if (esse_mtxn_made(t, at, &read, &own) != ESSE_MSET_NOT || s.b == INT64_MIN ||
        esse_mtrace_explanations(trace, &read, reader, s, &writer) != 1 ||
        txns[writer].end != ESSE_MEND_UNKNOWN)
        return false;
    txns[writer].end = ESSE_MEND_COMMIT;
    txns[writer].after = s.a;
    return true;
}

static bool show_outcomes(struct esse_mechanism_trace *trace, struct esse_mechanism_txn *txns,
                          const struct esse_mechanism_claim *claim)
{
    for (size_t t = 0; t < trace->txn_count; t++)
        for (size_t i = 0; txns[t].end == ESSE_MEND_COMMIT && i < txns[t].op_count; i++)
            if (show_outcome(trace, txns, claim, t, i))
                return true;
    return false;
}

static bool shows(const struct esse_mechanism_op *op, const struct esse_mechanism_claim *claim)
{
    if (op->kind != ESSE_MOP_READ || op->failed || !esse_value_eq(op->key, claim->key))
        return false;
    if (esse_value_eq(claim->column, ESSE_NONE))
        return !op->columns && esse_value_eq(op->value, claim->value);
    for (size_t i = 0; i < op->column_count; i++)
        if (esse_value_eq(op->columns[i].name, claim->column))
            return esse_value_eq(op->columns[i].value, claim->value);
    return false;
}

static bool is_unexplained(const struct esse_mechanism_trace *trace,
                           const struct esse_mechanism_claim *claim, size_t at)
{
    const struct esse_mechanism_txn *t = &trace->txns[claim->txn];
    const struct esse_mechanism_op *op = &t->ops[at];
    const struct esse_within s = esse_mtxn_snapshot_of_read(t, op);
    esse_value own;
    const enum esse_mset set = esse_mtxn_made(t, at, claim, &own);
    if (set != ESSE_MSET_NOT)
        return set == ESSE_MSET && !esse_value_eq(own, claim->value);
    if (s.b == INT64_MIN)
        return false;
    for (size_t i = 0; i < at; i++) /* a row of which it wrote other columns: or what was then */
        if (esse_mop_is_write(&t->ops[i]) && esse_value_eq(t->ops[i].key, claim->key))
            return !is_explained(trace, claim, (struct esse_within){ s.b, op->after });
    if (!esse_mop_is_locking(op))
        return !is_explained(trace, claim, s);
    return !is_explained(trace, claim, esse_within_op(op)) ||
           (t->row->lock_sees_snapshot && !is_explained(trace, claim, s));
}

static bool recheck_read(const struct esse_mechanism_trace *given,
                         const struct esse_mechanism_claim *claim, struct esse_error *err)
{
    const struct esse_mechanism_txn *t = &given->txns[claim->txn];
    struct esse_arena *arena = esse_arena_new();
    struct esse_mechanism_trace trace = *given;
    struct esse_mechanism_txn *txns = esse_arena_alloc(arena, given->txn_count, sizeof *txns);
    bool is_broken = false;
    for (size_t i = 0; i < given->txn_count; i++)
        txns[i] = given->txns[i];
    trace.txns = txns;
    while (show_outcomes(&trace, txns, claim))
        ;
    for (size_t i = 0; i < t->op_count; i++)
        is_broken |= shows(&t->ops[i], claim) && is_unexplained(&trace, claim, i);
    esse_arena_free(arena);
    if (t->end != ESSE_MEND_COMMIT || t->row->reads == ESSE_READS_ANY ||
        t->row->time == ESSE_TIME_SESSION)
        return esse_fail(err, ESSE_EINPUT, "the profile promises nothing about this read");
    return is_broken ||
           esse_fail(err, ESSE_EINPUT, "no read of this value is without an explanation");
}

/* ---- ME ---- */

static bool both_held(const struct esse_mechanism_txn *t, const struct esse_mechanism_op *a,
                      const struct esse_mechanism_txn *u, const struct esse_mechanism_op *b)
{
    const unsigned x = esse_mtxn_mode(t, a), y = esse_mtxn_mode(u, b);
    return x && y && x + y > 4 && esse_mtxn_release(t, a).b >= b->after &&
           esse_mtxn_release(u, b).b >= a->after;
}

static bool recheck_locks(const struct esse_mechanism_trace *trace,
                          const struct esse_mechanism_claim *claim, struct esse_error *err)
{
    const struct esse_mechanism_txn *t = &trace->txns[claim->txn];
    const struct esse_mechanism_txn *u = &trace->txns[claim->with];
    const bool whole = t->row->whole_database;
    if ((t->row->locks_of_committed && t->end != ESSE_MEND_COMMIT) ||
        (u->row->locks_of_committed && u->end != ESSE_MEND_COMMIT))
        return esse_fail(err, ESSE_EINPUT, "only locks of committed transactions prove something");
    for (size_t i = 0; i < t->op_count; i++)
        for (size_t j = 0; j < u->op_count; j++)
            if ((whole || (esse_value_eq(t->ops[i].key, claim->key) &&
                           esse_value_eq(u->ops[j].key, claim->key))) &&
                both_held(t, &t->ops[i], u, &u->ops[j]))
                return true;
    return esse_fail(err, ESSE_EINPUT, "no two of their locks were surely held at the same time");
}

/* ---- FUW and OCC ---- */

static bool recheck_writers(const struct esse_mechanism_trace *trace,
                            const struct esse_mechanism_claim *claim, struct esse_error *err)
{
    const struct esse_mechanism_txn *t = &trace->txns[claim->txn];
    const struct esse_mechanism_txn *u = &trace->txns[claim->with];
    if (t->row->fuw == ESSE_FUW_NONE || u->row->fuw == ESSE_FUW_NONE)
        return esse_fail(err, ESSE_EINPUT, "the profile has no rule about two writers");
    if (t->end != ESSE_MEND_COMMIT || u->end != ESSE_MEND_COMMIT ||
        !esse_mtxn_writes(t, claim->key) || !esse_mtxn_writes(u, claim->key) ||
        esse_mtxn_makes_or_removes(t, claim->key) || esse_mtxn_makes_or_removes(u, claim->key))
        return esse_fail(err, ESSE_EINPUT, "they did not both update the key and commit");
    if (!esse_within_sure(esse_mtxn_snapshot(t), esse_within_end(u)) ||
        !esse_within_sure(esse_mtxn_snapshot(u), esse_within_end(t)))
        return esse_fail(err, ESSE_EINPUT,
                         "one may have had its snapshot after the other's commit");
    return true;
}

static bool recheck_overtaken(const struct esse_mechanism_trace *trace,
                              const struct esse_mechanism_claim *claim, struct esse_error *err)
{
    const struct esse_mechanism_txn *t = &trace->txns[claim->txn];
    const struct esse_mechanism_txn *u = &trace->txns[claim->with];
    bool has_read = false;
    for (size_t i = 0; i < t->op_count; i++)
        has_read |= t->ops[i].kind == ESSE_MOP_READ && esse_value_eq(t->ops[i].key, claim->key) &&
                    (!t->row->validates_lock_only || esse_mop_is_locking(&t->ops[i]));
    if (t->row->certifier != ESSE_CERTIFIER_OCC || !has_read || !esse_mtxn_writes(u, claim->key) ||
        t->end != ESSE_MEND_COMMIT || u->end != ESSE_MEND_COMMIT)
        return esse_fail(err, ESSE_EINPUT, "no read that was validated met the other's write");
    if (!esse_within_sure(esse_mtxn_snapshot(t), esse_within_end(u)) ||
        !esse_within_sure(esse_within_end(u), esse_within_end(t)))
        return esse_fail(err, ESSE_EINPUT, "the other may not have committed between");
    return true;
}

bool esse_recheck_mechanism(const struct esse_mechanism_trace *trace,
                            const struct esse_mechanism_claim *claim, struct esse_error *err)
{
    if (claim->txn >= trace->txn_count || claim->with >= trace->txn_count)
        return esse_fail(err, ESSE_EINPUT,
                         "the claim names a transaction that is not in the trace");
    for (size_t i = 0; i < claim->txn_count; i++)
        if (claim->txns[i] >= trace->txn_count)
            return esse_fail(err, ESSE_EINPUT,
                             "the claim names a transaction that is not in the trace");
    switch (claim->kind) {
    case ESSE_CLAIM_CR:
        return recheck_read(trace, claim, err);
    case ESSE_CLAIM_ME:
        return recheck_locks(trace, claim, err);
    case ESSE_CLAIM_FUW:
        return recheck_writers(trace, claim, err);
    case ESSE_CLAIM_OCC:
        return recheck_overtaken(trace, claim, err);
    case ESSE_CLAIM_SC:
        return esse_recheck_dependencies(trace, claim, err);
    default:
        return esse_recheck_joint(trace, claim, err);
    }
}
