#include "collect/record/recorder.h"

#include "base/checked.h"
#include "base/clock.h"
#include "collect/record/session_buffer.h"
#include "formats/native.h"

#include <stdatomic.h>
#include <stdio.h>

enum { INIT_PIECE = 1000 };

/* The order of what a thread stores matters to the floor of its trace: see esse_trace_beats. */
int64_t esse_log_buffer_now(struct esse_log_buffer *log_buffer)
{
    const int64_t now = esse_clock_ns();
    __atomic_store_n(&log_buffer->last, now, __ATOMIC_RELEASE);
    return now;
}

int64_t esse_log_buffer_last(const struct esse_log_buffer *log_buffer)
{
    return __atomic_load_n(&log_buffer->last, __ATOMIC_RELAXED);
}

static int64_t time_of(const struct esse_log_buffer *log_buffer, int64_t reading)
{
    return reading - log_buffer->epoch;
}

/* ---- log buffers ---- */

/* A row's key is its number, or TABLE/NUMBER if there are several tables. */
static const struct esse_key_beginning *key_beginnings(struct esse_arena *arena,
                                                       const struct esse_schema *schema)
{
    struct esse_key_beginning *keys = esse_arena_alloc(arena, schema->count, sizeof *keys);
    const bool is_one = schema->count == 1;
    for (uint32_t t = 0; t < schema->count; t++) {
        const int length = snprintf(keys[t].text, sizeof keys[t].text, "\"%s%s",
                                    is_one ? "" : schema->tables[t].name, is_one ? "" : "/");
        keys[t].length = (size_t)length;
        assert(keys[t].length < sizeof keys[t].text);
    }
    return keys;
}

static void init_front(struct esse_front *front, struct esse_arena *arena)
{
    pthread_mutex_init(&front->lock, NULL);
    for (int i = 0; i < 2; i++)
        esse_out_init_memory(&front->at[i].bytes, arena);
}

struct esse_log_buffer *esse_log_buffer_new(struct esse_arena *arena,
                                            const struct esse_schema *schema, int64_t epoch)
{
    struct esse_log_buffer *log_buffer = esse_arena_alloc(arena, 1, sizeof *log_buffer);
    log_buffer->arena = arena;
    log_buffer->schema = schema;
    log_buffer->epoch = epoch;
    log_buffer->has_history = true;
    log_buffer->last = epoch;
    init_front(&log_buffer->front, arena);
    init_front(&log_buffer->trace, arena);
    esse_out_init_memory(&log_buffer->records, arena);
    esse_out_init_memory(&log_buffer->shown, arena);
    log_buffer->sink =
        esse_native_writer(arena, esse_values_new(arena), &log_buffer->records, false);
    log_buffer->keys = key_beginnings(arena, schema);
    if (schema->own)
        log_buffer->columns = esse_own_columns(arena, schema->own);
    return log_buffer;
}

void esse_log_buffer_release(struct esse_log_buffer *log_buffer)
{
    ESSE_SEAM(esse_log_buffer_valid(log_buffer));
    pthread_mutex_destroy(&log_buffer->front.lock);
    pthread_mutex_destroy(&log_buffer->trace.lock);
}

void esse_log_buffer_rest(struct esse_log_buffer *log_buffer, bool rests)
{
    atomic_store_explicit(&log_buffer->rests, rests, memory_order_relaxed);
}

struct esse_tally esse_log_buffer_tally(const struct esse_log_buffer *log_buffer)
{
    return log_buffer->tally;
}

const struct esse_named *esse_log_buffer_named(const struct esse_log_buffer *log_buffer,
                                               size_t *count)
{
    *count = log_buffer->named.count;
    return log_buffer->named.at;
}

void esse_log_buffer_record(struct esse_log_buffer *log_buffer, bool history, bool trace)
{
    log_buffer->has_history = history;
    log_buffer->has_trace = trace;
}

void esse_front_line(struct esse_front *front, struct esse_arena *arena, int64_t stamp,
                     size_t before)
{
    struct esse_lines *lines = esse_front_lines(front);
    esse_line_vec_push(&lines->lines, arena,
                       (struct esse_line){ stamp, lines->bytes.count - before });
}

struct esse_sink *esse_log_buffer_sink(struct esse_log_buffer *log_buffer)
{
    return log_buffer->sink;
}

/* What was sent to the sink becomes a line, or several that belong together. */
static void take_records(struct esse_log_buffer *log_buffer, int64_t stamp)
{
    struct esse_out *out = &esse_front_lines(&log_buffer->front)->bytes;
    const size_t before = out->count;
    esse_out_bytes(out, log_buffer->records.buffer, log_buffer->records.count);
    log_buffer->records.count = 0;
    esse_front_line(&log_buffer->front, log_buffer->arena, stamp, before);
}

void esse_log_buffer_played(struct esse_log_buffer *log_buffer)
{
    take_records(log_buffer, esse_clock_ns());
}

void esse_log_buffer_fault(struct esse_log_buffer *log_buffer,
                           const struct esse_fault_record *fault)
{
    if (!log_buffer->has_history)
        return;
    pthread_mutex_lock(&log_buffer->front.lock);
    struct esse_out *out = &esse_front_lines(&log_buffer->front)->bytes;
    const size_t before = out->count;
    esse_out_upto(out, esse_native_put_fault(esse_out_room(out, ESSE_NATIVE_ROOM), fault));
    esse_front_line(&log_buffer->front, log_buffer->arena, esse_log_buffer_now(log_buffer), before);
    pthread_mutex_unlock(&log_buffer->front.lock);
}

/* ---- the first lines ---- */

/* Rows that are there from the start; of a register that is absent nothing is said. */
static void put_initial(struct esse_log_buffer *log_buffer, uint32_t number)
{
    const struct esse_table *table = &log_buffer->schema->tables[number];
    struct esse_out *out = &log_buffer->records;
    size_t count = 0;
    for (uint64_t i = 0; i < table->rows; i++) {
        if (table->initial[i] == ESSE_ABSENT)
            continue;
        const bool is_first = count++ % INIT_PIECE == 0;
        if (is_first && count > 1)
            esse_out_text(out, "}}\n");
        char *to = esse_out_room(out, ESSE_NATIVE_ROOM);
        to = esse_put_text(to, is_first ? ESSE_NATIVE_INIT "{" : ",");
        to = esse_log_buffer_put_key(log_buffer, to, number, (int64_t)i);
        *to++ = ':';
        esse_out_upto(out, esse_log_buffer_put_value(to, table->initial[i]));
    }
    if (count)
        esse_out_text(out, "}}\n");
}

/* The names of the columns of a user's own tables: a column may be NULL in every row. */
static void note_columns(struct esse_log_buffer *log_buffer, struct esse_header_record *header)
{
    const struct esse_own_schema *own = log_buffer->schema->own;
    size_t room = 0, count = 0;
    for (uint32_t t = 0; t < own->count; t++)
        room += own->tables[t].column_count;
    esse_value *columns = esse_arena_alloc(log_buffer->arena, room, sizeof *columns);
    for (uint32_t t = 0; t < own->count; t++)
        for (uint32_t c = 0; c < own->tables[t].column_count; c++) {
            const char *name = own->tables[t].columns[c];
            const esse_value value =
                esse_value_string(log_buffer->sink->values, name, strlen(name));
            bool is_new = true;
            for (size_t i = 0; i < count; i++)
                is_new &= !esse_value_eq(columns[i], value);
            if (is_new)
                columns[count++] = value;
        }
    header->columns = columns;
    header->column_count = count;
}

/* And the statements, which operations name by number. */
static void note_statements(struct esse_log_buffer *log_buffer, struct esse_header_record *header)
{
    const struct esse_own_schema *own = log_buffer->schema->own;
    esse_value *texts = esse_arena_alloc(log_buffer->arena, own->statement_count, sizeof *texts);
    for (uint32_t i = 0; i < own->statement_count; i++)
        texts[i] = esse_value_string(log_buffer->sink->values, own->statements[i],
                                     strlen(own->statements[i]));
    header->statements = texts;
    header->statement_count = own->statement_count;
}

bool esse_log_buffer_open(struct esse_log_buffer *log_buffer, const char *db, const char *isolation,
                          struct esse_error *err)
{
    struct esse_values *values = log_buffer->sink->values;
    struct esse_header_record header = {
        .db = esse_value_string(values, db, strlen(db)),
        .isolation = esse_value_string(values, isolation, strlen(isolation)),
    };
    if (log_buffer->schema->own) {
        note_columns(log_buffer, &header);
        note_statements(log_buffer, &header);
    }
    if (!log_buffer->sink->header(log_buffer->sink, &header, err))
        return false;
    for (uint32_t t = 0; t < log_buffer->schema->count; t++)
        put_initial(log_buffer, t);
    if (log_buffer->has_history)
        take_records(log_buffer, 0);
    if (log_buffer->has_trace)
        esse_trace_header(log_buffer);
    ESSE_SEAM(esse_log_buffer_valid(log_buffer));
    return true;
}

/* ---- an open transaction ---- */

struct esse_session_buffer *esse_session_buffer_new(struct esse_log_buffer *log_buffer,
                                                    int64_t session)
{
    struct esse_session_buffer *session_buffer =
        esse_arena_alloc(log_buffer->arena, 1, sizeof *session_buffer);
    session_buffer->log_buffer = log_buffer;
    session_buffer->next = log_buffer->session_buffers;
    session_buffer->session = session;
    session_buffer->to = &session_buffer->ops;
    atomic_init(&session_buffer->floor, INT64_MAX);
    esse_out_init_memory(&session_buffer->ops, log_buffer->arena);
    pthread_mutex_lock(&log_buffer->trace.lock);
    log_buffer->session_buffers = session_buffer;
    pthread_mutex_unlock(&log_buffer->trace.lock);
    return session_buffer;
}

void esse_session_buffer_rename(struct esse_session_buffer *session_buffer, int64_t session)
{
    if (session_buffer->log_buffer->has_trace)
        esse_trace_rename(session_buffer, session);
    session_buffer->session = session;
    session_buffer->index = 0;
}

void esse_session_buffer_begin(struct esse_session_buffer *session_buffer)
{
    session_buffer->is_idle =
        atomic_load_explicit(&session_buffer->log_buffer->rests, memory_order_relaxed);
    const struct esse_log_buffer *log_buffer = session_buffer->log_buffer;
    session_buffer->start = time_of(log_buffer, esse_log_buffer_last(log_buffer));
    session_buffer->asked = session_buffer->start;
    session_buffer->has_begun = session_buffer->is_lost = false;
    session_buffer->is_refused = false;
    session_buffer->xid = session_buffer->start_ts = session_buffer->commit_ts = ESSE_NO_ID;
    session_buffer->operations = 0;
    session_buffer->has_written = false;
    session_buffer->ops.count = 0;
    session_buffer->name = NULL;
    session_buffer->is_open = !session_buffer->is_idle;
    if (log_buffer->has_trace && session_buffer->is_open)
        atomic_store_explicit(&session_buffer->floor, session_buffer->start, memory_order_release);
}

void esse_session_buffer_ask(struct esse_session_buffer *session_buffer, int64_t began)
{
    if (!session_buffer->log_buffer->has_trace || !session_buffer->has_begun ||
        session_buffer->is_refused)
        return; /* what is still to be told of began before */
    atomic_store_explicit(&session_buffer->floor, time_of(session_buffer->log_buffer, began),
                          memory_order_release);
}

void esse_session_buffer_name(struct esse_session_buffer *session_buffer, const char *name)
{
    session_buffer->name = name;
}

static void note_ids(struct esse_session_buffer *session_buffer, const struct esse_reply *reply)
{
    if (reply->xid != ESSE_NO_ID)
        session_buffer->xid = reply->xid;
    if (reply->start_ts != ESSE_NO_ID)
        session_buffer->start_ts = reply->start_ts;
    if (reply->commit_ts != ESSE_NO_ID)
        session_buffer->commit_ts = reply->commit_ts;
}

/* A transaction ends no earlier than the request began that ended it, or that was refused. */
static void note_failure(struct esse_session_buffer *session_buffer, const struct esse_reply *reply,
                         int64_t began, bool is_done)
{
    if (!session_buffer->is_refused)
        session_buffer->asked = began;
    session_buffer->is_refused |= !is_done;
    session_buffer->is_lost = !is_done && reply->failure.is_lost;
}

static void put(struct esse_session_buffer *session_buffer, const struct esse_noted *noted)
{
    if (noted->request->ask == ESSE_ASK_OWN)
        esse_session_buffer_put_own(session_buffer, noted);
    else
        esse_session_buffer_put(session_buffer, noted);
}

void esse_session_buffer_add(struct esse_session_buffer *session_buffer,
                             const struct esse_request *request, const struct esse_reply *reply,
                             int64_t began, bool is_done)
{
    struct esse_log_buffer *log_buffer = session_buffer->log_buffer;
    note_ids(session_buffer, reply);
    note_failure(session_buffer, reply, time_of(log_buffer, began), is_done);
    if (request->ask < ESSE_ASK_READ || request->ask >= ESSE_ASK_COMMIT ||
        session_buffer->is_idle || (!is_done && request->ask >= ESSE_ASK_MATCH))
        return;
    struct esse_noted noted = {
        .request = request, .reply = reply, .is_done = is_done, .begin = time_of(log_buffer, began)
    };
    session_buffer->operations++;
    if (!log_buffer->has_trace) {
        noted.end = time_of(log_buffer, esse_log_buffer_now(log_buffer));
    } else {
        pthread_mutex_lock(&log_buffer->trace.lock);
        noted.end = time_of(log_buffer, esse_log_buffer_now(log_buffer));
        esse_trace_open(session_buffer, noted.end);
        put(session_buffer, &noted);
        esse_trace_close(session_buffer, noted.end);
        pthread_mutex_unlock(&log_buffer->trace.lock);
    }
    if (log_buffer->has_history)
        put(session_buffer, &noted);
}

/* ---- its end ---- */

static void count_in(struct esse_tally *tally, enum esse_status status, uint64_t operations)
{
    tally->committed += status == ESSE_COMMITTED;
    tally->aborted += status == ESSE_ABORTED;
    tally->unknown += status == ESSE_UNKNOWN_OUTCOME;
    tally->operations += operations;
}

static char *put_head(const struct esse_session_buffer *session_buffer, char *to,
                      struct esse_put_times *times, enum esse_status status, int64_t end)
{
    struct esse_txn_record record = esse_txn_record_empty();
    record.status = status;
    record.start = session_buffer->start;
    record.end = status == ESSE_UNKNOWN_OUTCOME ? ESSE_NO_TIME : end;
    record.start_ts = session_buffer->start_ts;
    record.commit_ts = session_buffer->commit_ts;
    record.xid = session_buffer->xid;
    to = esse_put_i64(esse_put_text(to, ESSE_NATIVE_SESSION), session_buffer->session);
    return esse_native_put_head(to, times, &record);
}

static void put_line(struct esse_session_buffer *session_buffer, struct esse_out *out,
                     enum esse_status status, int64_t end)
{
    char *to = esse_out_room(out, ESSE_HEAD_ROOM);
    esse_out_upto(out,
                  put_head(session_buffer, to, &session_buffer->log_buffer->times, status, end));
    if (session_buffer->name) {
        esse_out_text(out, ",\"edn\":{\":transaction\":");
        esse_out_json_text(out, session_buffer->name);
        esse_out_char(out, '}');
    }
    esse_out_text(out, ESSE_NATIVE_OPS);
    esse_out_bytes(out, session_buffer->ops.buffer, session_buffer->ops.count);
    esse_out_text(out, ESSE_NATIVE_TXN_END);
}

bool esse_session_buffer_open_line(const struct esse_session_buffer *session_buffer, char *head,
                                   struct esse_open_line *line)
{
    struct esse_put_times times = { 0 }; /* the log buffer's own may be half made */
    if (!session_buffer->is_open)
        return false;
    char *end = put_head(session_buffer, head, &times, ESSE_UNKNOWN_OUTCOME, ESSE_NO_TIME);
    line->head_length = (size_t)(esse_put_text(end, ESSE_NATIVE_OPS) - head);
    line->ops = session_buffer->ops.buffer;
    line->ops_length = session_buffer->ops.count;
    return true;
}

static void name_it(struct esse_session_buffer *session_buffer, enum esse_status status)
{
    struct esse_log_buffer *log_buffer = session_buffer->log_buffer;
    if (status != ESSE_ABORTED && session_buffer->xid != ESSE_NO_ID)
        esse_named_vec_push(&log_buffer->named, log_buffer->arena,
                            (struct esse_named){ session_buffer->xid, session_buffer->session,
                                                 session_buffer->index, session_buffer->start,
                                                 status == ESSE_UNKNOWN_OUTCOME,
                                                 session_buffer->has_written });
}

static void end_line(struct esse_session_buffer *session_buffer, enum esse_status status)
{
    struct esse_log_buffer *log_buffer = session_buffer->log_buffer;
    name_it(session_buffer, status);
    pthread_mutex_lock(&log_buffer->front.lock);
    const int64_t stamp = esse_log_buffer_now(log_buffer);
    struct esse_out *out = &esse_front_lines(&log_buffer->front)->bytes;
    const size_t before = out->count;
    put_line(session_buffer, out, status, time_of(log_buffer, stamp));
    session_buffer->is_open = false;
    esse_front_line(&log_buffer->front, log_buffer->arena, stamp, before);
    pthread_mutex_unlock(&log_buffer->front.lock);
}

void esse_session_buffer_end(struct esse_session_buffer *session_buffer, enum esse_status status)
{
    const struct esse_log_buffer *log_buffer = session_buffer->log_buffer;
    count_in(&session_buffer->log_buffer->tally, status, session_buffer->operations);
    if (log_buffer->has_trace && !session_buffer->is_idle)
        esse_trace_end(session_buffer, status);
    if (log_buffer->has_history && !session_buffer->is_idle)
        end_line(session_buffer, status);
    session_buffer->is_open = false;
    session_buffer->index++;
}
