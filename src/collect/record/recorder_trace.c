#include "collect/record/session_buffer.h"

#include <stdatomic.h>
#include <strings.h>

/* What the recorder says in a trace: an event a line, as soon as it is answered. */

/* ---- the first line ---- */

static void put_rows(struct esse_log_buffer *log_buffer, struct esse_out *out, uint32_t number)
{
    const struct esse_table *table = &log_buffer->schema->tables[number];
    for (uint64_t i = 0; i < table->rows; i++) {
        if (table->initial[i] == ESSE_ABSENT)
            continue;
        esse_trace_next_row(out);
        char *to = esse_out_room(out, ESSE_NATIVE_ROOM);
        to = esse_log_buffer_put_key(log_buffer, to, number, (int64_t)i);
        *to++ = ':';
        esse_out_upto(out, esse_log_buffer_put_value(to, table->initial[i]));
    }
}

void esse_trace_next_row(struct esse_out *out)
{
    if (out->buffer[out->count - 1] != '{')
        esse_out_char(out, ',');
}

struct esse_out *esse_trace_header(struct esse_log_buffer *log_buffer)
{
    struct esse_out *out = &esse_front_lines(&log_buffer->trace)->bytes;
    const struct esse_schema *schema = log_buffer->schema;
    esse_out_text(out, "{\"esse\":\"trace\",\"version\":1,\"sessions\":[");
    for (uint32_t i = 0; i < schema->sessions; i++)
        esse_out_f(out, "%s%u", i ? "," : "", i);
    /* Tables of our own are ours alone; a user's other clients may write. */
    esse_out_text(out, schema->own ? "],\"init\":{" : "],\"exclusive\":true,\"init\":{");
    for (uint32_t t = 0; t < schema->count; t++)
        put_rows(log_buffer, out, t);
    return out;
}

void esse_log_buffer_opened(struct esse_log_buffer *log_buffer)
{
    struct esse_lines *lines = esse_front_lines(&log_buffer->trace);
    if (!log_buffer->has_trace)
        return;
    esse_out_text(&lines->bytes, "}}\n");
    esse_front_line(&log_buffer->trace, log_buffer->arena, 0, 0);
}

/* ---- operations ---- */

/* {"session":3,"txn":"3/17" */
static char *put_ids(const struct esse_session_buffer *session_buffer)
{
    char *to = esse_out_room(session_buffer->to, ESSE_HEAD_ROOM);
    to = esse_put_i64(esse_put_text(to, ESSE_NATIVE_SESSION), session_buffer->session);
    to = esse_put_i64(esse_put_text(to, ",\"txn\":\""), session_buffer->session);
    *to++ = '/';
    to = esse_put_i64(to, (int64_t)session_buffer->index);
    *to++ = '"';
    return to;
}

char *esse_trace_open_op(struct esse_session_buffer *session_buffer, enum esse_op_kind kind)
{
    char *to = put_ids(session_buffer), *end = esse_native_open_op(to, kind);
    *to = ',';
    return end;
}

void esse_trace_is_insert(char *to)
{
    to[-3] = 'i';
}

/* Does the text end with the words? */
static bool ends_with(const char *text, const char *words)
{
    const size_t length = strlen(text), count = strlen(words);
    return length > count && strcasecmp(text + length - count, words) == 0;
}

/* What a SELECT asks for; no literal can stand at its end without a quote. */
static const char *asked_lock(const char *rest)
{
    static const char *const words[][2] = {
        { " for update", "update" },       { " for no key update", "no-key-update" },
        { " for share", "share" },         { " lock in share mode", "share" },
        { " for key share", "key-share" },
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ends_with(rest, words[i][0]))
            return words[i][1];
    return NULL;
}

/* What an UPDATE or DELETE found it found under its lock. */
static const char *lock_of(const struct esse_session_buffer *session_buffer,
                           const struct esse_noted *noted)
{
    const struct esse_own_statement *own = noted->request->own;
    const bool is_read =
        session_buffer->kind == ESSE_OP_READ || session_buffer->kind == ESSE_OP_PREDICATE_READ;
    if (!is_read || noted->request->ask != ESSE_ASK_OWN)
        return NULL;
    return own->kind == ESSE_OWN_SELECT ? asked_lock(own->rest) : "update";
}

char *esse_trace_close_op(const struct esse_session_buffer *session_buffer, char *to,
                          const struct esse_noted *noted)
{
    const char *lock = lock_of(session_buffer, noted);
    if (lock)
        to = esse_put_text(esse_put_text(esse_put_text(to, ",\"lock\":\""), lock), "\"");
    if (!noted->is_done)
        to = esse_put_text(to, ",\"ok\":false");
    return esse_put_text(to, "}\n");
}

void esse_trace_put_nothing(struct esse_session_buffer *session_buffer,
                            const struct esse_noted *noted)
{
    char *to = esse_session_buffer_open_op(session_buffer, ESSE_OP_PREDICATE_UPDATE);
    to = esse_put_text(to, "\"a change of no row\"" ESSE_NATIVE_ROWS "{}");
    esse_session_buffer_close_op(session_buffer, to, noted);
}

/* ---- transactions ---- */

static void put_interval(struct esse_session_buffer *session_buffer, char *to, int64_t before,
                         int64_t after)
{
    struct esse_put_times *times = &session_buffer->log_buffer->times;
    if (after == ESSE_NO_TIME)
        to = esse_put_text(esse_put_time(times, esse_put_text(to, ",\"t\":["), before), "]");
    else
        to = esse_native_put_interval(to, times, before, after);
    esse_out_upto(session_buffer->to, esse_put_text(to, "}\n"));
}

/* A driver may send BEGIN along with the first operation: it ends with that. */
void esse_trace_open(struct esse_session_buffer *session_buffer, int64_t end)
{
    struct esse_lines *lines = esse_front_lines(&session_buffer->log_buffer->trace);
    session_buffer->to = &lines->bytes;
    session_buffer->is_trace = true;
    session_buffer->before = lines->bytes.count;
    if (!session_buffer->has_begun)
        put_interval(session_buffer, esse_put_text(put_ids(session_buffer), ",\"begin\":true"),
                     session_buffer->start, end);
    session_buffer->has_begun = true;
}

void esse_trace_close(struct esse_session_buffer *session_buffer, int64_t end)
{
    struct esse_log_buffer *log_buffer = session_buffer->log_buffer;
    session_buffer->to = &session_buffer->ops;
    session_buffer->is_trace = false;
    esse_front_line(&log_buffer->trace, log_buffer->arena, end + log_buffer->epoch,
                    session_buffer->before);
    if (!session_buffer->is_refused) /* else its end begins with what was refused */
        atomic_store_explicit(&session_buffer->floor, INT64_MAX, memory_order_release);
}

void esse_trace_end(struct esse_session_buffer *session_buffer, enum esse_status status)
{
    struct esse_log_buffer *log_buffer = session_buffer->log_buffer;
    const bool is_known =
        status == ESSE_COMMITTED || (status == ESSE_ABORTED && !session_buffer->is_lost);
    pthread_mutex_lock(&log_buffer->trace.lock);
    const int64_t end = esse_log_buffer_now(log_buffer) - log_buffer->epoch;
    esse_trace_open(session_buffer, end);
    char *to = esse_put_text(put_ids(session_buffer),
                             status == ESSE_ABORTED ? ",\"abort\":true" : ",\"commit\":true");
    if (status == ESSE_COMMITTED && session_buffer->commit_ts != ESSE_NO_ID)
        to = esse_put_i64(esse_put_text(to, ",\"commit_ts\":"), session_buffer->commit_ts);
    put_interval(session_buffer, to, session_buffer->asked, is_known ? end : ESSE_NO_TIME);
    session_buffer->is_refused = false;
    esse_trace_close(session_buffer, end);
    pthread_mutex_unlock(&log_buffer->trace.lock);
}

/* ---- sessions ---- */

static void put_session(struct esse_out *out, const char *what, int64_t session, int64_t at)
{
    esse_out_f(out, "{\"%s\":%lld,\"at\":%lld}\n", what, (long long)session, (long long)at);
}

void esse_trace_rename(struct esse_session_buffer *session_buffer, int64_t session)
{
    struct esse_log_buffer *log_buffer = session_buffer->log_buffer;
    pthread_mutex_lock(&log_buffer->trace.lock);
    struct esse_out *out = &esse_front_lines(&log_buffer->trace)->bytes;
    const size_t before = out->count;
    const int64_t stamp = esse_log_buffer_now(log_buffer), now = stamp - log_buffer->epoch;
    put_session(out, "open", session, now);
    put_session(out, "close", session_buffer->session, now);
    session_buffer->session = session;
    esse_front_line(&log_buffer->trace, log_buffer->arena, stamp, before);
    pthread_mutex_unlock(&log_buffer->trace.lock);
}

/*
 * What a thread will still send begins no earlier than the floor of its session, and what its
 * sessions have not begun yet no earlier than its last reading of the clock.  That reading is
 * looked at first: if a session's floor is an old one here, the reading was older than what it
 * begins with.
 */
void esse_trace_beats(struct esse_log_buffer *log_buffer, int64_t now, struct esse_out *out)
{
    const int64_t last = __atomic_load_n(&log_buffer->last, __ATOMIC_ACQUIRE) - log_buffer->epoch;
    for (struct esse_session_buffer *s = log_buffer->session_buffers; s; s = s->next) {
        const int64_t own = atomic_load_explicit(&s->floor, memory_order_acquire);
        esse_out_f(out, "{\"beat\":%lld,\"done\":%lld,\"floor\":%lld}\n", (long long)s->session,
                   (long long)now, (long long)(own < last ? own : last));
    }
}

void esse_trace_closes(const struct esse_log_buffer *log_buffer, int64_t now, struct esse_out *out)
{
    for (const struct esse_session_buffer *s = log_buffer->session_buffers; s; s = s->next)
        put_session(out, "close", s->session, now);
}
