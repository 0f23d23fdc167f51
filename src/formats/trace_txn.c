#include "formats/trace.h"

/*
 * A native transaction as its events.  BEGIN happened between its start and its first operation,
 * COMMIT between its last operation and its end; an operation without an interval of its own
 * somewhere between start and end, and then so did they.
 */
struct sending {
    struct esse_trace_ids *ids;
    const struct esse_txn_record *txn;
    struct esse_trace_sink *sink;
    struct esse_trace_event event;
};

static bool send(struct sending *s, enum esse_trace_kind kind, int64_t before, int64_t after,
                 struct esse_error *err)
{
    struct esse_trace_event *event = &s->event;
    event->kind = kind;
    event->before = before;
    event->after = after;
    const char *wrong = esse_trace_number(s->ids, event, s->sink->values);
    if (wrong)
        return esse_fail_at(err, s->txn->line, 0, "%s", wrong);
    return s->sink->event(s->sink, event, err);
}

static bool has_time(const struct esse_op_record *op)
{
    return op->begin != ESSE_NO_TIME;
}

/* A read without a value did.  Of an aborted transaction the last operation may be the one that was
 * refused: then it proves no lock, and the locks were released from its beginning on. */
static bool may_have_failed(const struct esse_txn_record *txn, size_t at)
{
    const struct esse_op_record *op = &txn->ops[at];
    if (op->kind == ESSE_OP_READ)
        return !op->is_list && esse_value_eq(op->value, ESSE_NONE);
    return txn->status == ESSE_ABORTED && at + 1 == txn->op_count &&
           op->kind != ESSE_OP_PREDICATE_READ;
}

/* A read and a write of one row in one interval are one statement, which found what it changed
 * under its lock. */
static bool is_old_row(const struct esse_txn_record *txn, size_t at)
{
    const struct esse_op_record *op = &txn->ops[at], *next = op + 1;
    return op->kind == ESSE_OP_READ && at + 1 < txn->op_count && has_time(op) &&
           (next->kind == ESSE_OP_WRITE || next->kind == ESSE_OP_DELETE) &&
           next->begin == op->begin && next->end == op->end && esse_value_eq(op->key, next->key);
}

static bool send_ops(struct sending *s, struct esse_error *err)
{
    const struct esse_txn_record *txn = s->txn;
    s->event.items = txn->items;
    s->event.rows = txn->rows;
    for (size_t i = 0; i < txn->op_count; i++) {
        const struct esse_op_record *op = &txn->ops[i];
        s->event.op = *op;
        s->event.failed = may_have_failed(txn, i);
        s->event.lock = is_old_row(txn, i) ? ESSE_LOCK_UPDATE : ESSE_LOCK_NONE;
        if (!send(s, ESSE_TRACE_OP, has_time(op) ? op->begin : txn->start,
                  has_time(op) ? op->end : txn->end, err))
            return false;
    }
    return true;
}

static bool send_end(struct sending *s, int64_t before, struct esse_error *err)
{
    const struct esse_txn_record *txn = s->txn;
    s->event.op = (struct esse_op_record){ 0 };
    s->event.failed = false;
    s->event.lock = ESSE_LOCK_NONE;
    s->event.commit_ts = txn->commit_ts;
    return send(s, txn->status == ESSE_ABORTED ? ESSE_TRACE_ABORT : ESSE_TRACE_COMMIT, before,
                txn->status == ESSE_UNKNOWN_OUTCOME ? ESSE_NO_TIME : txn->end, err);
}

bool esse_trace_send_txn(struct esse_trace_ids *ids, const struct esse_txn_record *txn,
                         struct esse_trace_sink *sink, struct esse_error *err)
{
    struct sending s = {
        ids,
        txn,
        sink,
        { .session = txn->session, .txn = txn->name, .commit_ts = ESSE_NO_TIME, .line = txn->line }
    };
    if (txn->start == ESSE_NO_TIME || txn->end == ESSE_NO_TIME)
        return esse_fail_at(err, txn->line, 0,
                            "the transaction has no start and end; a trace needs times");
    if (esse_value_eq(txn->name, ESSE_NONE))
        s.event.txn = esse_value_int(sink->values, (int64_t)txn->line);
    const struct esse_op_record *first = txn->op_count ? &txn->ops[0] : NULL;
    const struct esse_op_record *last = txn->op_count ? &txn->ops[txn->op_count - 1] : NULL;
    const int64_t begun = first && has_time(first) ? first->begin : txn->end;
    const int64_t done = last && has_time(last) ? last->end : txn->start;
    return send(&s, ESSE_TRACE_BEGIN, txn->start, begun, err) && send_ops(&s, err) &&
           send_end(&s, done, err);
}
