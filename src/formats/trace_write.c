#include "formats/native_put.h"
#include "formats/trace.h"
#include "history/value_json.h"

/*
 * Writes events as lines, in one order of their members and without white space; and histories as
 * the lines of their events.
 */
struct writer {
    struct esse_trace_sink sink;
    struct esse_out *out;
    struct esse_put_times times;
};

static void put_id(struct writer *w, const char *name, esse_value id)
{
    esse_out_text(w->out, name);
    esse_value_put_json(w->out, w->sink.values, id);
}

static void put_name(struct writer *w, const char *name, esse_value text)
{
    esse_out_text(w->out, name);
    esse_value_put_json_name(w->out, w->sink.values, text);
}

static void put_list(struct writer *w, const esse_value *items, size_t count)
{
    esse_out_char(w->out, '[');
    for (size_t i = 0; i < count; i++) {
        if (i)
            esse_out_char(w->out, ',');
        esse_value_put_json(w->out, w->sink.values, items[i]);
    }
    esse_out_char(w->out, ']');
}

static void put_rows(struct writer *w, const struct esse_row *rows, size_t count, bool pairs)
{
    esse_out_char(w->out, '{');
    for (size_t i = 0; i < count; i++) {
        put_name(w, i ? "," : "", rows[i].key);
        esse_out_char(w->out, ':');
        const esse_value pair[] = { rows[i].value, rows[i].next };
        if (pairs)
            put_list(w, pair, 2);
        else
            esse_value_put_json(w->out, w->sink.values, rows[i].value);
    }
    esse_out_char(w->out, '}');
}

static void put_op(struct writer *w, const struct esse_trace_event *event)
{
    static const char letters[][8] = { ",\"r\":", ",\"w\":", ",\"a\":",
                                       ",\"d\":", ",\"p\":", ",\"u\":" };
    const struct esse_op_record *op = &event->op;
    put_name(w, event->is_insert ? ",\"i\":" : letters[op->kind], op->key);
    if (esse_op_is_predicate(op->kind)) {
        if (op->has_result) {
            esse_out_text(w->out, ESSE_NATIVE_RESULT);
            put_list(w, op->result_count ? event->items + op->result_first : NULL,
                     op->result_count);
        }
        if (op->count || !(event->failed || op->no_rows)) {
            esse_out_text(w->out, ESSE_NATIVE_ROWS);
            put_rows(w, op->count ? event->rows + op->first : NULL, op->count,
                     op->kind == ESSE_OP_PREDICATE_UPDATE);
        }
    } else if (op->is_list) {
        esse_out_text(w->out, ESSE_NATIVE_VALUE);
        put_list(w, op->count ? event->items + op->first : NULL, op->count);
    } else if (op->kind != ESSE_OP_DELETE && !esse_value_eq(op->value, ESSE_NONE)) {
        esse_out_text(w->out, ESSE_NATIVE_VALUE);
        esse_value_put_json(w->out, w->sink.values, op->value);
    }
    if (event->lock != ESSE_LOCK_NONE)
        esse_out_f(w->out, ",\"lock\":\"%s\"", esse_trace_lock_names[event->lock]);
    if (event->cursor)
        esse_out_text(w->out, ",\"cursor\":true");
}

static void put_what(struct writer *w, const struct esse_trace_event *event)
{
    switch (event->kind) {
    case ESSE_TRACE_BEGIN:
        esse_out_text(w->out, ",\"begin\":true");
        if (!esse_value_eq(event->name, ESSE_NONE))
            put_name(w, ",\"isolation\":", event->name);
        break;
    case ESSE_TRACE_COMMIT:
        esse_out_text(w->out, ",\"commit\":true");
        if (event->commit_ts != ESSE_NO_TIME)
            esse_out_f(w->out, ",\"commit_ts\":%lld", (long long)event->commit_ts);
        break;
    case ESSE_TRACE_ABORT:
        esse_out_text(w->out, ",\"abort\":true");
        break;
    case ESSE_TRACE_SAVEPOINT:
        put_name(w, ",\"savepoint\":", event->name);
        break;
    case ESSE_TRACE_ROLLBACK_TO:
        put_name(w, ",\"rollback_to\":", event->name);
        break;
    case ESSE_TRACE_OPAQUE:
        put_name(w, ",\"opaque\":", event->name);
        break;
    default:
        put_op(w, event);
    }
}

static void put_interval(struct writer *w, const struct esse_trace_event *event)
{
    if (event->after == ESSE_NO_TIME)
        esse_out_f(w->out, ",\"t\":[%lld]", (long long)event->before);
    else
        esse_out_upto(w->out, esse_native_put_interval(esse_out_room(w->out, ESSE_NATIVE_ROOM),
                                                       &w->times, event->before, event->after));
}

static void put_control(struct writer *w, const struct esse_trace_event *event)
{
    const long long before = event->before, after = event->after;
    switch (event->kind) {
    case ESSE_TRACE_GAP:
        put_id(w, "{\"gap\":", event->session);
        esse_out_f(w->out, ",\"from\":%lld,\"to\":%lld", before, after);
        break;
    case ESSE_TRACE_OPEN:
    case ESSE_TRACE_CLOSE:
        put_id(w, event->kind == ESSE_TRACE_OPEN ? "{\"open\":" : "{\"close\":", event->session);
        esse_out_f(w->out, ",\"at\":%lld", before);
        break;
    default:
        put_id(w, "{\"beat\":", event->session);
        esse_out_f(w->out, ",\"done\":%lld,\"floor\":%lld", after, before);
    }
}

static bool put_event(struct esse_trace_sink *sink, const struct esse_trace_event *event,
                      struct esse_error *err)
{
    struct writer *w = (struct writer *)sink;
    (void)err; /* esse_out keeps a failure until it is finished */
    if (event->kind >= ESSE_TRACE_GAP) {
        put_control(w, event);
    } else {
        put_id(w, "{\"session\":", event->session);
        put_name(w, ",\"txn\":", event->txn);
        put_what(w, event);
        if (event->failed)
            esse_out_text(w->out, ",\"ok\":false");
        put_interval(w, event);
    }
    esse_out_text(w->out, "}\n");
    return true;
}

static bool put_header(struct esse_trace_sink *sink, const struct esse_trace_header *header,
                       struct esse_error *err)
{
    struct writer *w = (struct writer *)sink;
    (void)err;
    esse_out_text(w->out, "{\"esse\":\"trace\",\"version\":1");
    if (header->resolution != ESSE_NO_TIME)
        esse_out_f(w->out, ",\"resolution\":%lld", (long long)header->resolution);
    if (header->skew != ESSE_NO_TIME)
        esse_out_f(w->out, ",\"skew\":%lld", (long long)header->skew);
    if (header->has_sessions) {
        esse_out_text(w->out, ",\"sessions\":");
        put_list(w, header->sessions, header->session_count);
    }
    if (header->exclusive)
        esse_out_text(w->out, ",\"exclusive\":true");
    if (header->has_init) {
        esse_out_text(w->out, ",\"init\":");
        put_rows(w, header->init, header->init_count, false);
    }
    if (!esse_value_eq(header->clock, ESSE_NONE))
        put_name(w, ",\"clock\":", header->clock);
    esse_out_text(w->out, "}\n");
    return true;
}

struct esse_trace_sink *esse_trace_writer(struct esse_arena *arena, struct esse_values *values,
                                          struct esse_out *out)
{
    struct writer *w = esse_arena_alloc(arena, 1, sizeof *w);
    *w = (struct writer){ .sink = { values, put_header, put_event, NULL }, .out = out };
    return &w->sink;
}
