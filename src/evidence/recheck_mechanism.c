#include "evidence/recheck_mechanism.h"

#include "base/arena.h"
#include "base/error.h"
#include "history/values.h"

struct within {
    int64_t b, a;
};

static bool sure(struct within e, struct within f)
{
    return e.a <= f.b;
}

static struct within of_op(const struct esse_mechanism_op *op)
{
    return (struct within){ op->before, op->after };
}

static struct within of_end(const struct esse_mechanism_txn *t)
{
    return (struct within){ t->before, t->after };
}

static bool is_write(const struct esse_mechanism_op *op)
{
    return op->kind != ESSE_MOP_READ && !op->failed;
}

static bool is_locking(const struct esse_mechanism_op *op)
{
    return op->lock || op->is_found;
}

/* ---- instants ---- */

/* From the first operation that may have taken the snapshot to the first that surely did. */
static struct within first_of(const struct esse_mechanism_txn *t, bool plain)
{
    struct within s = { t->has_begin ? t->begin_before : INT64_MIN, t->after };
    bool has_begun = false;
    for (size_t i = 0; i < t->op_count; i++) {
        const struct esse_mechanism_op *op = &t->ops[i];
        if (plain && (op->kind != ESSE_MOP_READ || is_locking(op)))
            continue;
        if (!has_begun)
            s.b = op->before;
        has_begun = true;
        if (!op->failed) {
            s.a = op->after;
            break;
        }
    }
    return s;
}

static struct within snapshot_of(const struct esse_mechanism_txn *t)
{
    struct within s = first_of(t, t->row->at == ESSE_AT_PLAIN);
    if (t->row->at == ESSE_AT_BEGIN && t->has_begin)
        return (struct within){ t->begin_before, t->begin_after };
    if (t->row->at == ESSE_AT_BEGIN || t->row->at == ESSE_AT_EITHER)
        s.b = t->has_begin ? t->begin_before : INT64_MIN;
    return s;
}

static struct within snapshot_of_read(const struct esse_mechanism_txn *t,
                                      const struct esse_mechanism_op *op)
{
    const int64_t begin = t->has_begin ? t->begin_before : INT64_MIN;
    if (t->row->reads == ESSE_READS_TXN)
        return snapshot_of(t);
    if (t->row->reads == ESSE_READS_LATE_ROW)
        return (struct within){ begin, t->after };
    return op->cursor ? (struct within){ begin, op->after } : of_op(op);
}

/* ---- what a transaction made of a column ---- */

enum set { NOT_SET, SET, SET_TO_ANYTHING };

static enum set set_by(const struct esse_mechanism_op *op, esse_value column, esse_value *value)
{
    const bool is_whole = esse_value_eq(column, ESSE_NONE);
    *value = ESSE_NIL;
    if (op->kind == ESSE_MOP_DELETE)
        return SET;
    if (!op->columns && esse_value_eq(op->value, ESSE_NONE))
        return SET_TO_ANYTHING;
    *value = op->columns ? ESSE_NONE : op->value;
    if (is_whole) /* it only matters whether there is a row, or which scalar it is */
        return SET;
    for (size_t i = 0; i < op->column_count; i++) {
        if (esse_value_eq(op->columns[i].name, column)) {
            *value = op->columns[i].value;
            return SET;
        }
    }
    return op->kind == ESSE_MOP_INSERT || !op->columns ? SET_TO_ANYTHING : NOT_SET;
}

/* By the operations before 'upto', but for what had been rolled back by then. */
static enum set made_of(const struct esse_mechanism_txn *t, size_t upto,
                        const struct esse_mechanism_claim *claim, esse_value *value)
{
    for (size_t i = upto; i-- > 0;) {
        const struct esse_mechanism_op *op = &t->ops[i];
        if (!is_write(op) || !esse_value_eq(op->key, claim->key) || op->undone_by <= upto)
            continue;
        const enum set set = set_by(op, claim->column, value);
        if (set != NOT_SET)
            return set;
    }
    return NOT_SET;
}

static bool writes(const struct esse_mechanism_txn *t, esse_value key)
{
    for (size_t i = 0; i < t->op_count; i++)
        if (is_write(&t->ops[i]) && t->ops[i].undone_by == SIZE_MAX &&
            (t->row->whole_database || esse_value_eq(t->ops[i].key, key)))
            return true;
    return false;
}

/* ---- CR ---- */

static bool was_initial(const struct esse_mechanism_trace *trace,
                        const struct esse_mechanism_claim *claim)
{
    if (!trace->has_init)
        return true; /* nobody knows what it was */
    if (esse_value_eq(claim->column, ESSE_NONE))
        return esse_value_eq(trace->init, claim->value);
    for (size_t i = 0; i < trace->init_column_count; i++)
        if (esse_value_eq(trace->init_columns[i].name, claim->column))
            return esse_value_eq(trace->init_columns[i].value, claim->value);
    return false;
}

/* Can the snapshot within 's' of 'reader' hold what this transaction made of the column? */
static bool may_hold(const struct esse_mechanism_trace *trace,
                     const struct esse_mechanism_claim *claim, size_t reader, size_t writer,
                     struct within s)
{
    const struct within c = of_end(&trace->txns[writer]);
    if (sure(s, c))
        return false;
    for (size_t j = 0; j < trace->txn_count; j++) {
        const struct esse_mechanism_txn *u = &trace->txns[j];
        esse_value unused;
        if (j != writer && j != reader && u->end == ESSE_MEND_COMMIT &&
            made_of(u, u->op_count, claim, &unused) != NOT_SET && sure(c, of_end(u)) &&
            sure(of_end(u), s))
            return false;
    }
    return true;
}

/* How many versions explain the value, at an instant within 's'; 'last' is the writer of one. */
static size_t explanations(const struct esse_mechanism_trace *trace,
                           const struct esse_mechanism_claim *claim, size_t reader, struct within s,
                           size_t *last)
{
    bool has_pivot = false;
    size_t count = 0;
    for (size_t i = 0; i < trace->txn_count; i++) {
        const struct esse_mechanism_txn *t = &trace->txns[i];
        esse_value value;
        const enum set set = made_of(t, t->op_count, claim, &value);
        if (i == reader || t->end == ESSE_MEND_ABORT || set == NOT_SET)
            continue;
        has_pivot |= t->end == ESSE_MEND_COMMIT && sure(of_end(t), s);
        if ((set == SET_TO_ANYTHING || esse_value_eq(value, claim->value)) &&
            may_hold(trace, claim, reader, i, s)) {
            count++;
            *last = i;
        }
    }
    return count + (!has_pivot && was_initial(trace, claim));
}

static bool is_explained(const struct esse_mechanism_trace *trace,
                         const struct esse_mechanism_claim *claim, struct within s)
{
    size_t unused;
    return explanations(trace, claim, claim->txn, s, &unused) > 0;
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
    const struct within s = is_locking(op) ? of_op(op) : snapshot_of_read(t, op);
    if (made_of(t, at, &read, &own) != NOT_SET || s.b == INT64_MIN ||
        explanations(trace, &read, reader, s, &writer) != 1 ||
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
    const struct within s = snapshot_of_read(t, op);
    esse_value own;
    const enum set set = made_of(t, at, claim, &own);
    if (set != NOT_SET)
        return set == SET && !esse_value_eq(own, claim->value);
    if (s.b == INT64_MIN)
        return false;
    for (size_t i = 0; i < at; i++) /* a row of which it wrote other columns: or what was then */
        if (is_write(&t->ops[i]) && esse_value_eq(t->ops[i].key, claim->key))
            return !is_explained(trace, claim, (struct within){ s.b, op->after });
    if (!is_locking(op))
        return !is_explained(trace, claim, s);
    return !is_explained(trace, claim, of_op(op)) ||
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

/* The modes as PostgreSQL has them; elsewhere there are two. */
static unsigned mode_of(const struct esse_mechanism_txn *t, const struct esse_mechanism_op *op)
{
    unsigned mode = op->lock;
    if (op->failed || t->row->locks == ESSE_LOCKS_NONE)
        return 0;
    if (op->kind != ESSE_MOP_READ)
        mode = op->kind == ESSE_MOP_WRITE ? 3 : 4;
    else if (op->is_found)
        mode = 3;
    else if (!mode && t->row->locks == ESSE_LOCKS_READS)
        mode = 2;
    return t->row->row_lock_modes || !mode ? mode : mode >= 3 ? 4 : 2;
}

static struct within release_of(const struct esse_mechanism_txn *t,
                                const struct esse_mechanism_op *op)
{
    struct within release = of_end(t);
    if (op->undone_by != SIZE_MAX && op->undone_before < release.b)
        release.b = op->undone_before;
    return release;
}

static bool both_held(const struct esse_mechanism_txn *t, const struct esse_mechanism_op *a,
                      const struct esse_mechanism_txn *u, const struct esse_mechanism_op *b)
{
    const unsigned x = mode_of(t, a), y = mode_of(u, b);
    return x && y && x + y > 4 && release_of(t, a).b >= b->after && release_of(u, b).b >= a->after;
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

/* It is rows that are compared: a row that one of them made or removed is another matter. */
static bool makes_or_removes(const struct esse_mechanism_txn *t, esse_value key)
{
    for (size_t i = 0; i < t->op_count; i++)
        if ((t->ops[i].kind == ESSE_MOP_INSERT || t->ops[i].kind == ESSE_MOP_DELETE) &&
            esse_value_eq(t->ops[i].key, key))
            return true;
    return false;
}

static bool recheck_writers(const struct esse_mechanism_trace *trace,
                            const struct esse_mechanism_claim *claim, struct esse_error *err)
{
    const struct esse_mechanism_txn *t = &trace->txns[claim->txn];
    const struct esse_mechanism_txn *u = &trace->txns[claim->with];
    if (t->row->fuw == ESSE_FUW_NONE || u->row->fuw == ESSE_FUW_NONE)
        return esse_fail(err, ESSE_EINPUT, "the profile has no rule about two writers");
    if (t->end != ESSE_MEND_COMMIT || u->end != ESSE_MEND_COMMIT || !writes(t, claim->key) ||
        !writes(u, claim->key) || makes_or_removes(t, claim->key) ||
        makes_or_removes(u, claim->key))
        return esse_fail(err, ESSE_EINPUT, "they did not both update the key and commit");
    if (!sure(snapshot_of(t), of_end(u)) || !sure(snapshot_of(u), of_end(t)))
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
                    (!t->row->validates_lock_only || is_locking(&t->ops[i]));
    if (t->row->certifier != ESSE_CERTIFIER_OCC || !has_read || !writes(u, claim->key) ||
        t->end != ESSE_MEND_COMMIT || u->end != ESSE_MEND_COMMIT)
        return esse_fail(err, ESSE_EINPUT, "no read that was validated met the other's write");
    if (!sure(snapshot_of(t), of_end(u)) || !sure(of_end(u), of_end(t)))
        return esse_fail(err, ESSE_EINPUT, "the other may not have committed between");
    return true;
}

bool esse_recheck_mechanism(const struct esse_mechanism_trace *trace,
                            const struct esse_mechanism_claim *claim, struct esse_error *err)
{
    if (claim->txn >= trace->txn_count || claim->with >= trace->txn_count)
        return esse_fail(err, ESSE_EINPUT,
                         "the claim names a transaction that is not in the trace");
    switch (claim->kind) {
    case ESSE_CLAIM_CR:
        return recheck_read(trace, claim, err);
    case ESSE_CLAIM_ME:
        return recheck_locks(trace, claim, err);
    case ESSE_CLAIM_FUW:
        return recheck_writers(trace, claim, err);
    default:
        return recheck_overtaken(trace, claim, err);
    }
}
