#include "collect/record/session_buffer.h"

/* Operations on rows of our own tables as they stand in a native line, or in a trace. */

enum { OP_ROOM = 3 * ESSE_NATIVE_ROOM }; /* of its beginning, a key and a value, and its end */

char *esse_session_buffer_open_op(struct esse_session_buffer *session_buffer,
                                  enum esse_op_kind kind)
{
    session_buffer->kind = kind;
    if (session_buffer->is_trace)
        return esse_trace_open_op(session_buffer, kind);
    char *to = esse_out_room(session_buffer->to, OP_ROOM);
    if (session_buffer->ops.count)
        *to++ = ',';
    session_buffer->has_written |=
        kind == ESSE_OP_WRITE || kind == ESSE_OP_APPEND || kind == ESSE_OP_DELETE;
    return esse_native_open_op(to, kind);
}

void esse_session_buffer_close_op(struct esse_session_buffer *session_buffer, char *to,
                                  const struct esse_noted *noted)
{
    const struct esse_reply *reply = noted->reply;
    to = esse_native_put_interval(to, &session_buffer->log_buffer->times, noted->begin, noted->end);
    if (session_buffer->is_trace) {
        esse_out_upto(session_buffer->to, esse_trace_close_op(session_buffer, to, noted));
        return;
    }
    if (noted->request->ask == ESSE_ASK_OWN)
        to = esse_native_put_statement(to, noted->request->own->number);
    if (noted->is_done && reply->snapshot) {
        esse_out_upto(session_buffer->to, esse_put_text(to, ESSE_NATIVE_SNAPSHOT));
        esse_out_json_text(session_buffer->to, reply->snapshot);
        to = esse_out_room(session_buffer->to, 1);
    } else if (reply->snapshot_at != ESSE_NO_ID) {
        to = esse_put_i64(esse_put_text(to, ESSE_NATIVE_SNAPSHOT), reply->snapshot_at);
    }
    *to++ = '}';
    esse_out_upto(session_buffer->to, to);
}

static char *put_list(struct esse_out *out, char *to, const struct esse_reply *reply)
{
    *to++ = '[';
    esse_out_upto(out, to);
    if (reply->list)
        esse_out_bytes(out, reply->list, reply->list_length);
    else
        esse_out_i64s(out, reply->items, reply->item_count);
    to = esse_out_room(out, OP_ROOM);
    *to++ = ']';
    return to;
}

/* A read, a write, an append or a delete.  What a failed read saw is not known. */
static void put_item(struct esse_session_buffer *session_buffer, const struct esse_noted *noted,
                     enum esse_op_kind kind)
{
    const struct esse_request *request = noted->request;
    const struct esse_reply *reply = noted->reply;
    const bool found_nothing = kind == ESSE_OP_DELETE && noted->is_done && reply->is_absent;
    if (found_nothing && session_buffer->is_trace) {
        esse_trace_put_nothing(session_buffer, noted);
        return;
    }
    char *to = esse_session_buffer_open_op(session_buffer, found_nothing ? ESSE_OP_READ : kind);
    if (request->ask == ESSE_ASK_INSERT && session_buffer->is_trace)
        esse_trace_is_insert(to);
    to = esse_log_buffer_put_key(session_buffer->log_buffer, to, request->table, request->row);
    if (found_nothing || (kind != ESSE_OP_DELETE && (kind != ESSE_OP_READ || noted->is_done))) {
        to = esse_put_text(to, ESSE_NATIVE_VALUE);
        if (kind == ESSE_OP_READ &&
            session_buffer->log_buffer->schema->tables[request->table].is_list)
            to = put_list(session_buffer->to, to, reply);
        else
            to = esse_log_buffer_put_value(to, found_nothing          ? ESSE_ABSENT
                                               : kind == ESSE_OP_READ ? reply->value
                                                                      : request->value);
    }
    esse_session_buffer_close_op(session_buffer, to, noted);
}

/* Was the row returned before?  '*highest' is as in esse_own_is_twin. */
static bool is_twin(const struct esse_live_row *rows, size_t at, size_t *highest)
{
    if (at == 0 || rows[at].row > rows[*highest].row) {
        *highest = at;
        return false;
    }
    for (size_t before = 0; before < at; before++)
        if (rows[before].row == rows[at].row)
            return true;
    return false;
}

/* A row that was returned twice is a read, and a write, of its own; see put_twins of
 * recorder_own.c.
 */
static void put_twins(struct esse_session_buffer *session_buffer, const struct esse_noted *noted,
                      bool is_change)
{
    const struct esse_live_row *rows = noted->reply->rows;
    size_t highest = 0;
    for (size_t i = 0; i < noted->reply->row_count; i++) {
        if (!is_twin(rows, i, &highest))
            continue;
        for (int written = 0; written <= is_change; written++) {
            char *to =
                esse_session_buffer_open_op(session_buffer, written ? ESSE_OP_WRITE : ESSE_OP_READ);
            to = esse_log_buffer_put_key(session_buffer->log_buffer, to, noted->request->table,
                                         rows[i].row);
            to = esse_put_text(to, ESSE_NATIVE_VALUE);
            to = esse_log_buffer_put_value(to, written ? rows[i].next : rows[i].value);
            esse_session_buffer_close_op(session_buffer, to, noted);
        }
    }
}

/* A predicate's rows, and what a change made of them. */
static void put_rows(struct esse_session_buffer *session_buffer, const struct esse_noted *noted,
                     enum esse_op_kind kind)
{
    const struct esse_request *request = noted->request;
    struct esse_out *out = session_buffer->to;
    esse_out_upto(out, esse_session_buffer_open_op(session_buffer, kind));
    esse_out_json_text(out, request->where);
    esse_out_text(out, ESSE_NATIVE_ROWS "{");
    session_buffer->has_written |= kind == ESSE_OP_PREDICATE_UPDATE && noted->reply->row_count;
    size_t highest = 0;
    bool has_twins = false;
    for (size_t i = 0; i < noted->reply->row_count; i++) {
        const struct esse_live_row *row = &noted->reply->rows[i];
        if (is_twin(noted->reply->rows, i, &highest)) {
            has_twins = true;
            continue;
        }
        char *to = esse_out_room(out, ESSE_NATIVE_ROOM);
        if (i)
            *to++ = ',';
        to = esse_log_buffer_put_key(session_buffer->log_buffer, to, request->table, row->row);
        to = esse_put_text(to, kind == ESSE_OP_PREDICATE_UPDATE ? ":[" : ":");
        to = esse_log_buffer_put_value(to, row->value);
        if (kind == ESSE_OP_PREDICATE_UPDATE) {
            *to++ = ',';
            to = esse_log_buffer_put_value(to, row->next);
            *to++ = ']';
        }
        esse_out_upto(out, to);
    }
    esse_out_char(out, '}');
    esse_session_buffer_close_op(session_buffer, esse_out_room(out, OP_ROOM), noted);
    if (has_twins)
        put_twins(session_buffer, noted, kind == ESSE_OP_PREDICATE_UPDATE);
}

/* "SELECT count(*) FROM rows WHERE ..." and what it returned. */
static void put_aggregate(struct esse_session_buffer *session_buffer,
                          const struct esse_noted *noted)
{
    const struct esse_request *request = noted->request;
    struct esse_out *out = session_buffer->to, *shown = &session_buffer->log_buffer->shown;
    shown->count = 0;
    esse_out_f(shown, "SELECT %s FROM %s WHERE %s", esse_aggregate_texts[request->aggregate],
               session_buffer->log_buffer->schema->tables[request->table].name, request->where);
    esse_out_upto(out, esse_session_buffer_open_op(session_buffer, ESSE_OP_PREDICATE_READ));
    esse_out_json(out, shown->buffer, shown->count);
    char *to = esse_out_room(out, OP_ROOM);
    to = esse_put_text(to, ESSE_NATIVE_RESULT "[");
    to = esse_log_buffer_put_value(to, noted->reply->value);
    *to++ = ']';
    esse_session_buffer_close_op(session_buffer, to, noted);
}

void esse_session_buffer_put(struct esse_session_buffer *session_buffer,
                             const struct esse_noted *noted)
{
    static const enum esse_op_kind kinds[] = {
        [ESSE_ASK_READ] = ESSE_OP_READ,
        [ESSE_ASK_WRITE] = ESSE_OP_WRITE,
        [ESSE_ASK_INSERT] = ESSE_OP_WRITE,
        [ESSE_ASK_APPEND] = ESSE_OP_APPEND,
        [ESSE_ASK_DELETE] = ESSE_OP_DELETE,
        [ESSE_ASK_MATCH] = ESSE_OP_PREDICATE_READ,
        [ESSE_ASK_CHANGE] = ESSE_OP_PREDICATE_UPDATE,
    };
    const enum esse_ask ask = noted->request->ask;
    if (ask == ESSE_ASK_AGGREGATE)
        put_aggregate(session_buffer, noted);
    else if (ask == ESSE_ASK_MATCH || ask == ESSE_ASK_CHANGE)
        put_rows(session_buffer, noted, kinds[ask]);
    else
        put_item(session_buffer, noted, kinds[ask]);
}
