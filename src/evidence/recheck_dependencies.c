#include "base/error.h"
#include "evidence/mechanism_rules.h"
#include "history/values.h"

/*
 * SC: a cycle of dependencies between committed transactions, a dangerous pivot of ssi, or a
 * dependency against the server's timestamps.  Each dependency is certain by itself: the source of
 * a read is the only version that can have its value, and of two versions one surely was first.
 */

enum { INITIAL = SIZE_MAX };

/* The only version that can be what the operation read of the column; false if there are several,
 * or some are not known. */
static bool source_of(const struct esse_mechanism_trace *trace, size_t txn, size_t at,
                      const struct esse_mechanism_claim *read, size_t *source)
{
    const struct esse_mechanism_txn *t = &trace->txns[txn];
    const struct esse_mechanism_op *op = &t->ops[at];
    const struct esse_within s = esse_mop_is_locking(op) && !t->row->lock_sees_snapshot
                                     ? esse_within_op(op)
                                     : esse_mtxn_snapshot_of_read(t, op);
    esse_value value;
    *source = INITIAL;
    for (size_t i = 0; i <= at; i++)
        if (esse_mop_is_write(&t->ops[i]) && esse_value_eq(t->ops[i].key, read->key))
            return false; /* its own, or in part */
    if (s.b == INT64_MIN || t->row->reads == ESSE_READS_ANY ||
        esse_mtrace_explanations(trace, read, txn, s, source) != 1)
        return false;
    if (*source == INITIAL)
        return trace->has_init;
    const struct esse_mechanism_txn *u = &trace->txns[*source];
    return u->end == ESSE_MEND_COMMIT && esse_mtxn_made(u, u->op_count, read, &value) == ESSE_MSET;
}

/* Does what one read make it depend on the other (wr), or the other on it (rw)? */
static bool by_read(const struct esse_mechanism_trace *trace, size_t reader, size_t at,
                    size_t other, const struct esse_mechanism_claim *read, bool is_rw)
{
    const struct esse_mechanism_txn *u = &trace->txns[other];
    size_t source;
    esse_value value;
    if (!source_of(trace, reader, at, read, &source))
        return false;
    if (!is_rw || source == other)
        return !is_rw && source == other;
    return esse_mtxn_made(u, u->op_count, read, &value) != ESSE_MSET_NOT &&
           (source == INITIAL ||
            esse_within_sure(esse_within_end(&trace->txns[source]), esse_within_end(u)));
}

static bool by_op(const struct esse_mechanism_trace *trace, size_t reader, size_t at, size_t other,
                  bool is_rw)
{
    const struct esse_mechanism_op *op = &trace->txns[reader].ops[at];
    struct esse_mechanism_claim read = { .key = op->key, .column = ESSE_NONE, .value = op->value };
    if (op->kind != ESSE_MOP_READ || op->failed)
        return false;
    if (!op->columns)
        return !esse_value_eq(op->value, ESSE_NONE) &&
               by_read(trace, reader, at, other, &read, is_rw);
    for (size_t c = 0; c < op->column_count; c++) {
        read.column = op->columns[c].name;
        read.value = op->columns[c].value;
        if (by_read(trace, reader, at, other, &read, is_rw))
            return true;
    }
    return false;
}

static bool depends_by(const struct esse_mechanism_trace *trace, size_t reader, size_t other,
                       bool is_rw)
{
    for (size_t i = 0; i < trace->txns[reader].op_count; i++)
        if (by_op(trace, reader, i, other, is_rw))
            return true;
    return false;
}

static bool rw(const struct esse_mechanism_trace *trace, size_t from, size_t to)
{
    return depends_by(trace, from, to, true);
}

/* 'to' depends on 'from'. */
static bool depends(const struct esse_mechanism_trace *trace, size_t from, size_t to)
{
    const struct esse_mechanism_txn *t = &trace->txns[from], *u = &trace->txns[to];
    if (depends_by(trace, to, from, false) || rw(trace, from, to))
        return true;
    for (size_t i = 0; i < t->op_count; i++)
        if (esse_mop_is_write(&t->ops[i]) && t->ops[i].undone_by == SIZE_MAX &&
            esse_mtxn_writes(u, t->ops[i].key) &&
            esse_within_sure(esse_within_end(t), esse_within_end(u)))
            return true;
    return false;
}

/* In the order of the claim, or against it. */
static bool is_cycle(const struct esse_mechanism_trace *trace,
                     const struct esse_mechanism_claim *claim, bool against)
{
    const size_t n = claim->txn_count;
    for (size_t i = 0; i < n; i++) {
        const size_t a = claim->txns[i], b = claim->txns[(i + 1) % n];
        if (!(against ? depends(trace, b, a) : depends(trace, a, b)))
            return false;
    }
    return n > 1;
}

static bool are_concurrent(const struct esse_mechanism_txn *a, const struct esse_mechanism_txn *b)
{
    return esse_within_sure(esse_mtxn_snapshot(a), esse_within_end(b)) &&
           esse_within_sure(esse_mtxn_snapshot(b), esse_within_end(a));
}

static bool is_writer(const struct esse_mechanism_txn *t)
{
    for (size_t i = 0; i < t->op_count; i++)
        if (esse_mop_is_write(&t->ops[i]) && t->ops[i].undone_by == SIZE_MAX)
            return true;
    return false;
}

/* first -rw-> pivot -rw-> last, and the last committed first; the claim names the pivot, the first
 * and the last, which may be the first again. */
static bool is_pivot(const struct esse_mechanism_trace *trace,
                     const struct esse_mechanism_claim *claim)
{
    if (claim->txn_count < 2 || claim->txn_count > 3)
        return false;
    const size_t pivot = claim->txns[0], first = claim->txns[1];
    const size_t last = claim->txn_count == 3 ? claim->txns[2] : first;
    const struct esse_mechanism_txn *t1 = &trace->txns[first], *t2 = &trace->txns[pivot],
                                    *t3 = &trace->txns[last];
    const struct esse_within c3 = esse_within_end(t3);
    if (t1->row->certifier != ESSE_CERTIFIER_SSI || t2->row->certifier != ESSE_CERTIFIER_SSI ||
        t3->row->certifier != ESSE_CERTIFIER_SSI)
        return false;
    return rw(trace, first, pivot) && rw(trace, pivot, last) &&
           (first == last || esse_within_sure(c3, esse_within_end(t1))) &&
           esse_within_sure(c3, esse_within_end(t2)) && are_concurrent(t1, t2) &&
           are_concurrent(t2, t3) &&
           (is_writer(t1) || esse_within_sure(c3, esse_mtxn_snapshot(t1)));
}

static bool is_backwards(const struct esse_mechanism_trace *trace,
                         const struct esse_mechanism_claim *claim)
{
    if (claim->txn_count != 2)
        return false;
    const struct esse_mechanism_txn *t = &trace->txns[claim->txns[0]];
    const struct esse_mechanism_txn *u = &trace->txns[claim->txns[1]];
    return t->row->certifier == ESSE_CERTIFIER_TO && u->row->certifier == ESSE_CERTIFIER_TO &&
           t->timestamp != ESSE_NO_TIME && u->timestamp != ESSE_NO_TIME &&
           t->timestamp > u->timestamp && depends(trace, claim->txns[0], claim->txns[1]);
}

bool esse_recheck_dependencies(const struct esse_mechanism_trace *trace,
                               const struct esse_mechanism_claim *claim, struct esse_error *err)
{
    for (size_t i = 0; i < claim->txn_count; i++) {
        const struct esse_mechanism_txn *t = &trace->txns[claim->txns[i]];
        if (t->end != ESSE_MEND_COMMIT || t->row->certifier == ESSE_CERTIFIER_NONE ||
            t->row->time == ESSE_TIME_SESSION)
            return esse_fail(err, ESSE_EINPUT,
                             "only committed transactions under a certifier prove something");
    }
    return is_cycle(trace, claim, false) || is_cycle(trace, claim, true) ||
           is_pivot(trace, claim) || is_backwards(trace, claim) ||
           esse_fail(err, ESSE_EINPUT,
                     "the dependencies between these transactions are not certain, or allowed");
}
