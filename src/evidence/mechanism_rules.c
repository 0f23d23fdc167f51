#include "evidence/mechanism_rules.h"

#include "history/values.h"

bool esse_within_sure(struct esse_within e, struct esse_within f)
{
    return e.a <= f.b;
}

struct esse_within esse_within_op(const struct esse_mechanism_op *op)
{
    return (struct esse_within){ op->before, op->after };
}

struct esse_within esse_within_end(const struct esse_mechanism_txn *t)
{
    return (struct esse_within){ t->before, t->after };
}

bool esse_mop_is_write(const struct esse_mechanism_op *op)
{
    return op->kind != ESSE_MOP_READ && !op->failed;
}

bool esse_mop_is_locking(const struct esse_mechanism_op *op)
{
    return op->lock || op->is_found;
}

/* ---- instants ---- */

/* From the first operation that may have taken the snapshot to the first that surely did. */
static struct esse_within first_of(const struct esse_mechanism_txn *t, bool plain)
{
    struct esse_within s = { t->has_begin ? t->begin_before : INT64_MIN, t->after };
    bool has_begun = false;
    for (size_t i = 0; i < t->op_count; i++) {
        const struct esse_mechanism_op *op = &t->ops[i];
        if (plain && (op->kind != ESSE_MOP_READ || esse_mop_is_locking(op)))
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

struct esse_within esse_mtxn_snapshot(const struct esse_mechanism_txn *t)
{
    struct esse_within s = first_of(t, t->row->at == ESSE_AT_PLAIN);
    if (t->row->at == ESSE_AT_BEGIN && t->has_begin)
        return (struct esse_within){ t->begin_before, t->begin_after };
    if (t->row->at == ESSE_AT_BEGIN || t->row->at == ESSE_AT_EITHER)
        s.b = t->has_begin ? t->begin_before : INT64_MIN;
    return s;
}

struct esse_within esse_mtxn_snapshot_of_read(const struct esse_mechanism_txn *t,
                                              const struct esse_mechanism_op *op)
{
    const int64_t begin = t->has_begin ? t->begin_before : INT64_MIN;
    if (t->row->reads == ESSE_READS_TXN)
        return esse_mtxn_snapshot(t);
    if (t->row->reads == ESSE_READS_LATE_ROW)
        return (struct esse_within){ begin, t->after };
    return op->cursor ? (struct esse_within){ begin, op->after } : esse_within_op(op);
}

/* ---- what a transaction made of a column ---- */

static enum esse_mset set_by(const struct esse_mechanism_op *op, esse_value column,
                             esse_value *value)
{
    const bool is_whole = esse_value_eq(column, ESSE_NONE);
    *value = ESSE_NIL;
    if (op->kind == ESSE_MOP_DELETE)
        return ESSE_MSET;
    if (!op->columns && esse_value_eq(op->value, ESSE_NONE))
        return ESSE_MSET_ANYTHING;
    *value = op->columns ? ESSE_NONE : op->value;
    if (is_whole) /* it only matters whether there is a row, or which scalar it is */
        return ESSE_MSET;
    for (size_t i = 0; i < op->column_count; i++) {
        if (esse_value_eq(op->columns[i].name, column)) {
            *value = op->columns[i].value;
            return ESSE_MSET;
        }
    }
    return op->kind == ESSE_MOP_INSERT || !op->columns ? ESSE_MSET_ANYTHING : ESSE_MSET_NOT;
}

/* By the operations before 'upto', but for what had been rolled back by then. */
enum esse_mset esse_mtxn_made(const struct esse_mechanism_txn *t, size_t upto,
                              const struct esse_mechanism_claim *claim, esse_value *value)
{
    for (size_t i = upto; i-- > 0;) {
        const struct esse_mechanism_op *op = &t->ops[i];
        if (!esse_mop_is_write(op) || !esse_value_eq(op->key, claim->key) || op->undone_by <= upto)
            continue;
        const enum esse_mset set = set_by(op, claim->column, value);
        if (set != ESSE_MSET_NOT)
            return set;
    }
    return ESSE_MSET_NOT;
}

bool esse_mtxn_writes(const struct esse_mechanism_txn *t, esse_value key)
{
    for (size_t i = 0; i < t->op_count; i++)
        if (esse_mop_is_write(&t->ops[i]) && t->ops[i].undone_by == SIZE_MAX &&
            (t->row->whole_database || esse_value_eq(t->ops[i].key, key)))
            return true;
    return false;
}

/* ---- CR ---- */

bool esse_mtrace_was_initial(const struct esse_mechanism_trace *trace,
                             const struct esse_mechanism_claim *claim)
{
    const struct esse_mechanism_init *init = NULL;
    if (!trace->has_init)
        return true; /* it is not known what it was */
    for (size_t i = 0; i < trace->init_count; i++)
        if (esse_value_eq(trace->inits[i].key, claim->key))
            init = &trace->inits[i];
    if (!init || esse_value_eq(claim->column, ESSE_NONE))
        return esse_value_eq(init ? init->value : ESSE_NIL, claim->value);
    for (size_t i = 0; i < init->column_count; i++)
        if (esse_value_eq(init->columns[i].name, claim->column))
            return esse_value_eq(init->columns[i].value, claim->value);
    return false;
}

/* Can the snapshot within 's' of 'reader' hold what this transaction made of the column? */
bool esse_mtrace_may_hold(const struct esse_mechanism_trace *trace,
                          const struct esse_mechanism_claim *claim, size_t reader, size_t writer,
                          struct esse_within s)
{
    const struct esse_within c = esse_within_end(&trace->txns[writer]);
    if (esse_within_sure(s, c))
        return false;
    for (size_t j = 0; j < trace->txn_count; j++) {
        const struct esse_mechanism_txn *u = &trace->txns[j];
        esse_value unused;
        if (j != writer && j != reader && u->end == ESSE_MEND_COMMIT &&
            esse_mtxn_made(u, u->op_count, claim, &unused) != ESSE_MSET_NOT &&
            esse_within_sure(c, esse_within_end(u)) && esse_within_sure(esse_within_end(u), s))
            return false;
    }
    return true;
}

/* How many versions explain the value, at an instant within 's'; 'last' is the writer of one. */
size_t esse_mtrace_explanations(const struct esse_mechanism_trace *trace,
                                const struct esse_mechanism_claim *claim, size_t reader,
                                struct esse_within s, size_t *last)
{
    bool has_pivot = false;
    size_t count = 0;
    for (size_t i = 0; i < trace->txn_count; i++) {
        const struct esse_mechanism_txn *t = &trace->txns[i];
        esse_value value;
        const enum esse_mset set = esse_mtxn_made(t, t->op_count, claim, &value);
        if (i == reader || t->end == ESSE_MEND_ABORT || set == ESSE_MSET_NOT)
            continue;
        has_pivot |= t->end == ESSE_MEND_COMMIT && esse_within_sure(esse_within_end(t), s);
        if ((set == ESSE_MSET_ANYTHING || esse_value_eq(value, claim->value)) &&
            esse_mtrace_may_hold(trace, claim, reader, i, s)) {
            count++;
            *last = i;
        }
    }
    return count + (!has_pivot && esse_mtrace_was_initial(trace, claim));
}

/* ---- locks and rows ---- */

/* The modes as PostgreSQL has them; elsewhere there are two. */
unsigned esse_mtxn_mode(const struct esse_mechanism_txn *t, const struct esse_mechanism_op *op)
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

struct esse_within esse_mtxn_release(const struct esse_mechanism_txn *t,
                                     const struct esse_mechanism_op *op)
{
    struct esse_within release = esse_within_end(t);
    if (op->undone_by != SIZE_MAX && op->undone_before < release.b)
        release.b = op->undone_before;
    return release;
}

/* It is rows that are compared: a row that one of them made or removed is another matter. */
bool esse_mtxn_makes_or_removes(const struct esse_mechanism_txn *t, esse_value key)
{
    for (size_t i = 0; i < t->op_count; i++)
        if ((t->ops[i].kind == ESSE_MOP_INSERT || t->ops[i].kind == ESSE_MOP_DELETE) &&
            esse_value_eq(t->ops[i].key, key))
            return true;
    return false;
}
