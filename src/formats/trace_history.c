#include "formats/lossy.h"
#include "formats/trace.h"

#include <string.h>

/*
 * The two ways between traces and histories: a history's writer, which sends transactions as
 * events, and a history's reader, which collects events until their transaction ends.
 */

/* ---- a history, written as a trace ---- */

ESSE_VEC(row_vec, struct esse_row)

struct writer {
    struct esse_lossy lossy; /* its sink is the first member */
    struct esse_arena *arena;
    struct esse_trace_sink *events;
    struct esse_trace_ids *ids;
    struct row_vec init;
    bool has_header;
};

static struct writer *writer_of(struct esse_sink *sink)
{
    return (struct writer *)sink;
}

/* Initial versions stand in the first line, and so come before it is written. */
static bool put_header(struct writer *w, struct esse_error *err)
{
    const struct esse_trace_header header = { .resolution = ESSE_NO_TIME,
                                              .skew = ESSE_NO_TIME,
                                              .has_init = true,
                                              .init = w->init.at,
                                              .init_count = w->init.count };
    if (w->has_header)
        return true;
    w->has_header = true;
    w->events->values = w->lossy.sink.values;
    return w->events->header(w->events, &header, err);
}

static bool write_header(struct esse_sink *sink, const struct esse_header_record *header,
                         struct esse_error *err)
{
    (void)err;
    sink->dropped |= esse_header_tells(header);
    return true;
}

static bool write_init(struct esse_sink *sink, const struct esse_row *rows, size_t count,
                       struct esse_error *err)
{
    struct writer *w = writer_of(sink);
    if (w->has_header)
        return esse_fail(err, ESSE_EINPUT,
                         "a trace has its initial versions in the first line; these come later");
    row_vec_append(&w->init, w->arena, rows, count);
    return true;
}

static bool write_txn(struct esse_sink *sink, const struct esse_txn_record *txn,
                      struct esse_error *err)
{
    struct writer *w = writer_of(sink);
    sink->dropped |= esse_txn_tells(txn);
    w->events->values = sink->values;
    return put_header(w, err) && esse_trace_send_txn(w->ids, txn, w->events, err);
}

static bool write_finish(struct esse_sink *sink, struct esse_error *err)
{
    return put_header(writer_of(sink), err);
}

static struct esse_sink *open_writer(struct esse_arena *arena, struct esse_values *values,
                                     struct esse_out *out, bool lossy)
{
    struct writer *w = esse_arena_alloc(arena, 1, sizeof *w);
    *w = (struct writer){ .arena = arena,
                          .events = esse_trace_writer(arena, values, out),
                          .ids = esse_trace_ids_new(arena) };
    esse_lossy_init(&w->lossy, values, "a trace", lossy);
    w->lossy.sink.header = write_header;
    w->lossy.sink.init = write_init;
    w->lossy.sink.txn = write_txn;
    w->lossy.sink.finish = write_finish;
    return &w->lossy.sink;
}

/* ---- a trace, read as a history ---- */

struct savepoint {
    esse_value name;
    size_t op_count;
};
ESSE_VEC(savepoint_vec, struct savepoint)

/* A transaction that is open, or a place for the next one. */
struct pending {
    uint32_t number; /* 0: nobody's */
    struct esse_txn_record txn;
    struct esse_op_record_vec ops;
    struct esse_value_vec items;
    struct row_vec rows;
    struct savepoint_vec savepoints;
};
ESSE_VEC(pending_vec, struct pending)

struct reader {
    struct esse_trace_sink events;
    struct esse_arena *arena;
    struct esse_sink *sink;
    struct esse_reading *reading;
    struct pending_vec pending;
};

static bool read_header(struct esse_trace_sink *events, const struct esse_trace_header *header,
                        struct esse_error *err)
{
    struct reader *r = (struct reader *)events;
    return !header->init_count || r->sink->init(r->sink, header->init, header->init_count, err);
}

static struct pending *pending_of(struct reader *r, const struct esse_trace_event *event)
{
    struct pending *found = NULL;
    for (size_t i = 0; i < r->pending.count; i++) {
        struct pending *p = &r->pending.at[i];
        if (p->number == event->txn_number)
            return p;
        if (!p->number)
            found = p;
    }
    if (!found) {
        found = pending_vec_extend(&r->pending, r->arena, 1);
        *found = (struct pending){ 0 };
    }
    found->number = event->txn_number;
    found->txn = esse_txn_record_empty();
    found->txn.session = event->session;
    found->txn.name = event->txn;
    found->txn.start = event->before;
    found->txn.line = event->line;
    found->ops.count = found->items.count = found->rows.count = found->savepoints.count = 0;
    return found;
}

static void add_op(struct reader *r, struct pending *p, const struct esse_trace_event *event)
{
    struct esse_op_record op = event->op;
    if (event->failed)
        return;
    if (op.is_list) {
        op.first = p->items.count;
        esse_value_vec_append(&p->items, r->arena, op.count ? event->items + event->op.first : NULL,
                              op.count);
    } else if (esse_op_is_predicate(op.kind)) {
        op.first = p->rows.count;
        row_vec_append(&p->rows, r->arena, op.count ? event->rows + event->op.first : NULL,
                       op.count);
        op.result_first = p->items.count;
        esse_value_vec_append(&p->items, r->arena,
                              op.result_count ? event->items + event->op.result_first : NULL,
                              op.result_count);
    }
    esse_op_record_vec_push(&p->ops, r->arena, op);
}

/* What was written since the savepoint was not; what was read was. */
static void roll_back(struct pending *p, esse_value name)
{
    size_t at = p->savepoints.count;
    while (at && !esse_value_eq(p->savepoints.at[at - 1].name, name))
        at--;
    if (!at)
        return;
    size_t kept = p->savepoints.at[at - 1].op_count;
    for (size_t i = kept; i < p->ops.count; i++)
        if (p->ops.at[i].kind == ESSE_OP_READ || p->ops.at[i].kind == ESSE_OP_PREDICATE_READ)
            p->ops.at[kept++] = p->ops.at[i];
    p->ops.count = kept;
    p->savepoints.count = at;
}

static bool end_txn(struct reader *r, struct pending *p, struct esse_error *err)
{
    p->txn.ops = p->ops.at;
    p->txn.op_count = p->ops.count;
    p->txn.items = p->items.at;
    p->txn.rows = p->rows.at;
    p->number = 0;
    r->sink->line = p->txn.line;
    return r->sink->txn(r->sink, &p->txn, err);
}

static bool read_end(struct reader *r, struct pending *p, const struct esse_trace_event *event,
                     struct esse_error *err)
{
    if (event->kind == ESSE_TRACE_ABORT || event->failed)
        p->txn.status = ESSE_ABORTED;
    else if (event->after == ESSE_NO_TIME)
        p->txn.status = ESSE_UNKNOWN_OUTCOME;
    p->txn.end = event->after == ESSE_NO_TIME ? ESSE_NO_TIME : event->after;
    p->txn.commit_ts = event->commit_ts;
    return end_txn(r, p, err);
}

static bool read_event(struct esse_trace_sink *events, const struct esse_trace_event *event,
                       struct esse_error *err)
{
    struct reader *r = (struct reader *)events;
    if (event->kind > ESSE_TRACE_GAP)
        return true; /* about sessions: nothing of it is in a history */
    if (event->kind == ESSE_TRACE_GAP || event->kind == ESSE_TRACE_OPAQUE)
        return esse_fail_at(err, event->line, 0,
                            "a history cannot hold writes that are not known (%s); esse watch can",
                            event->kind == ESSE_TRACE_GAP ? "gap" : "opaque");
    struct pending *p = pending_of(r, event);
    switch (event->kind) {
    case ESSE_TRACE_OP:
        add_op(r, p, event);
        return true;
    case ESSE_TRACE_SAVEPOINT:
        savepoint_vec_push(&p->savepoints, r->arena,
                           (struct savepoint){ event->name, p->ops.count });
        return true;
    case ESSE_TRACE_ROLLBACK_TO:
        roll_back(p, event->name);
        return true;
    case ESSE_TRACE_COMMIT:
    case ESSE_TRACE_ABORT:
        return read_end(r, p, event, err);
    default:
        return true;
    }
}

static bool read_trace(struct esse_reading *reading, struct esse_error *err)
{
    struct esse_arena *arena = esse_arena_new();
    struct reader r = { .events = { reading->sink->values, read_header, read_event, NULL },
                        .arena = arena,
                        .sink = reading->sink,
                        .reading = reading };
    bool ok = esse_trace_read_source(reading->source, &r.events, err);
    for (size_t i = 0; ok && i < r.pending.count; i++) {
        r.pending.at[i].txn.status = ESSE_UNKNOWN_OUTCOME;
        if (r.pending.at[i].number)
            ok = end_txn(&r, &r.pending.at[i], err);
    }
    esse_arena_free(arena);
    return ok && reading->sink->finish(reading->sink, err);
}

/* Its header says so; without one, an event has an interval and no list of operations. */
static bool looks_like_trace(const char *at, const char *end)
{
    const char *line = memchr(at, '\n', (size_t)(end - at));
    const size_t length = (size_t)((line ? line : end) - at);
    if (*at != '{')
        return false;
    if (memmem(at, length, "\"esse\"", 6))
        return memmem(at, length, "\"trace\"", 7) != NULL;
    return memmem(at, length, "\"session\"", 9) && memmem(at, length, "\"t\"", 3) &&
           !memmem(at, length, "\"ops\"", 5);
}

const struct esse_format esse_format_trace = {
    .name = "trace",
    .summary = "what clients did, one event a line with its interval: what esse watch reads",
    .extensions = ".trace",
    .sniff = looks_like_trace,
    .read = read_trace,
    .writer = open_writer,
};
