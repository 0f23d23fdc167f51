#include "mirror/mirror_state.h"

/* Events of the trace become those of the mirror: words for values, and widened intervals. */

static uint64_t word(struct esse_mirror *m, esse_value value)
{
    return esse_word_of(m->words, m->sink.values, value);
}

static int64_t earlier(int64_t time, int64_t by)
{
    return time < INT64_MIN + by ? INT64_MIN : time - by;
}

static int64_t later(int64_t time, int64_t by)
{
    return time > INT64_MAX - 1 - by ? INT64_MAX - 1 : time + by;
}

static void push(struct esse_mirror *m, struct esse_mirror_event *event)
{
    if (!esse_pipeline_push(m->pipeline, event) && !esse_mirror_is_part(event))
        m->counters.late++;
    m->pushed++;
}

/* The pieces of a value that is a row or a list. */
static void push_columns(struct esse_mirror *m, struct esse_mirror_event *event, esse_value value)
{
    uint32_t count;
    const esse_value *parts = esse_value_parts(m->sink.values, value, &count);
    const uint8_t kind = event->kind;
    event->flags |= ESSE_MIRROR_COLUMNS;
    event->value = count / 2;
    push(m, event);
    for (uint32_t i = 0; i < count; i += 2) {
        struct esse_mirror_event part = *event;
        part.kind = ESSE_MIRROR_COLUMN;
        part.flags = 0;
        part.key = word(m, parts[i]);
        part.value = word(m, parts[i + 1]);
        push(m, &part);
    }
    event->flags &= (uint16_t)~ESSE_MIRROR_COLUMNS;
    event->kind = kind;
}

static void push_value(struct esse_mirror *m, struct esse_mirror_event *event, esse_value value)
{
    if (esse_value_tag(value) == ESSE_TAG_ATOM &&
        esse_value_kind(m->sink.values, value) == ESSE_KIND_MAP) {
        push_columns(m, event, value);
        return;
    }
    event->value = word(m, value);
    push(m, event);
}

static void push_list(struct esse_mirror *m, struct esse_mirror_event *event,
                      const struct esse_trace_event *from)
{
    const esse_value *items = from->items + from->op.first;
    const size_t count = from->op.count;
    event->flags |= ESSE_MIRROR_LIST;
    event->value = count ? word(m, items[count - 1]) : WORD_NIL;
    push(m, event);
    for (size_t i = 0; i < count; i++) {
        struct esse_mirror_event part = *event;
        part.kind = ESSE_MIRROR_ITEM;
        part.flags = 0;
        part.value = word(m, items[i]);
        push(m, &part);
    }
}

static void push_rows(struct esse_mirror *m, struct esse_mirror_event *event,
                      const struct esse_trace_event *from)
{
    event->value = from->op.count;
    event->flags |= from->op.no_rows ? ESSE_MIRROR_BLIND : 0;
    push(m, event);
    for (size_t i = 0; i < from->op.count; i++) {
        const struct esse_row *row = &from->rows[from->op.first + i];
        struct esse_mirror_event part = *event;
        part.kind = ESSE_MIRROR_ROW;
        part.key = word(m, row->key);
        push_value(m, &part, row->value);
        if (from->op.kind == ESSE_OP_PREDICATE_UPDATE) {
            part.kind = ESSE_MIRROR_NEW;
            push_value(m, &part, row->next);
        }
    }
}

static void push_op(struct esse_mirror *m, struct esse_mirror_event *event,
                    const struct esse_trace_event *from)
{
    static const uint8_t kinds[] = {
        ESSE_MIRROR_READ,   ESSE_MIRROR_WRITE,     ESSE_MIRROR_APPEND,
        ESSE_MIRROR_DELETE, ESSE_MIRROR_PREDICATE, ESSE_MIRROR_UPDATE
    };
    event->kind = from->is_insert ? ESSE_MIRROR_INSERT : kinds[from->op.kind];
    event->key = word(m, from->op.key);
    if (esse_op_is_predicate(from->op.kind))
        push_rows(m, event, from);
    else if (from->op.is_list)
        push_list(m, event, from);
    else
        push_value(m, event, from->op.kind == ESSE_OP_DELETE ? ESSE_NIL : from->op.value);
}

/* A transaction begins with its first event if nobody says so. */
static void push_begin(struct esse_mirror *m, const struct esse_mirror_event *event,
                       const struct esse_trace_event *from)
{
    struct esse_mirror_event begin = *event;
    begin.kind = ESSE_MIRROR_BEGIN;
    begin.key = word(m, from->txn);
    begin.value = from->kind == ESSE_TRACE_BEGIN ? word(m, from->name) : 0;
    begin.lock = 0;
    begin.flags = from->kind == ESSE_TRACE_BEGIN ? 0 : ESSE_MIRROR_FIRST;
    if (event->flags & ESSE_MIRROR_ENDLESS)
        begin.flags |= ESSE_MIRROR_ENDLESS;
    push(m, &begin);
}

static bool take_session(struct esse_mirror *m, const struct esse_trace_event *event)
{
    switch (event->kind) {
    case ESSE_TRACE_OPEN:
        esse_pipeline_open(m->pipeline, event->session_number,
                           later(event->before, m->resolution + m->skew));
        return true;
    case ESSE_TRACE_CLOSE:
        esse_pipeline_close(m->pipeline, event->session_number);
        return true;
    case ESSE_TRACE_BEAT:
        esse_pipeline_beat(m->pipeline, event->session_number,
                           later(event->after, m->resolution + m->skew),
                           earlier(event->before, m->skew));
        return true;
    default:
        return false;
    }
}

static void take_what(struct esse_mirror *m, struct esse_mirror_event *event,
                      const struct esse_trace_event *from)
{
    static const uint8_t kinds[] = {
        [ESSE_TRACE_COMMIT] = ESSE_MIRROR_COMMIT,
        [ESSE_TRACE_ABORT] = ESSE_MIRROR_ABORT,
        [ESSE_TRACE_SAVEPOINT] = ESSE_MIRROR_SAVEPOINT,
        [ESSE_TRACE_ROLLBACK_TO] = ESSE_MIRROR_ROLLBACK_TO,
        [ESSE_TRACE_OPAQUE] = ESSE_MIRROR_OPAQUE,
        [ESSE_TRACE_GAP] = ESSE_MIRROR_GAP,
    };
    if (from->kind == ESSE_TRACE_BEGIN)
        return;
    if (from->kind == ESSE_TRACE_OP) {
        push_op(m, event, from);
        return;
    }
    event->kind = kinds[from->kind];
    event->key = word(m, from->name);
    if (from->kind == ESSE_TRACE_COMMIT && from->commit_ts != ESSE_NO_TIME) {
        event->flags |= ESSE_MIRROR_HAS_TS;
        event->value = (uint64_t)from->commit_ts;
    }
    push(m, event);
}

static void note_session(struct esse_mirror *m, uint32_t number, esse_value name)
{
    while (number >= m->sessions.count)
        mirror_u64_vec_push(&m->sessions, m->arena, 0);
    if (!m->sessions.at[number])
        m->sessions.at[number] = word(m, name);
}

/* What can leave leaves.  Sessions that were not declared are met by their first events: they get a
 * chance to come. */
static void take_ready(struct esse_mirror *m)
{
    enum { HEAD_START = 1 << 16 };
    m->is_started |= m->has_sessions || m->pushed > HEAD_START;
    if (m->is_started)
        esse_mirror_take_all(m);
}

static bool take_event(struct esse_trace_sink *sink, const struct esse_trace_event *from,
                       struct esse_error *err)
{
    struct esse_mirror *m = (struct esse_mirror *)sink;
    (void)err;
    note_session(m, from->session_number, from->session);
    if (take_session(m, from)) {
        take_ready(m);
        return true;
    }
    struct esse_mirror_event event = { .before = earlier(from->before, m->skew),
                                       .txn = from->txn_number,
                                       .session = from->session_number,
                                       .line = (uint32_t)from->line,
                                       .lock = (uint8_t)from->lock };
    event.after =
        from->after == ESSE_NO_TIME ? event.before : later(from->after, m->resolution + m->skew);
    event.flags = (uint16_t)((from->after == ESSE_NO_TIME ? ESSE_MIRROR_ENDLESS : 0) |
                             (from->failed ? ESSE_MIRROR_FAILED : 0) |
                             (from->cursor ? ESSE_MIRROR_CURSOR : 0));
    if (from->is_first && from->kind != ESSE_TRACE_GAP)
        push_begin(m, &event, from);
    take_what(m, &event, from);
    take_ready(m);
    return true;
}

static void take_init(struct esse_mirror *m, const struct esse_row *row)
{
    struct mirror_version version = { .c = MIRROR_INITIAL,
                                      .txn = MIRROR_NONE,
                                      .flags = VERSION_USED | VERSION_FULL };
    if (esse_value_tag(row->value) == ESSE_TAG_ATOM &&
        esse_value_kind(m->sink.values, row->value) == ESSE_KIND_MAP) {
        uint32_t count;
        const esse_value *parts = esse_value_parts(m->sink.values, row->value, &count);
        version.columns = esse_mirror_columns(m, NULL, 0);
        struct mirror_columns *columns = &m->columns.at[version.columns];
        columns->at = esse_arena_grow(m->arena, columns->at, (count + 1) * sizeof *columns->at);
        for (uint32_t i = 0; i < count; i += 2) {
            const struct mirror_column column = { word(m, parts[i]), word(m, parts[i + 1]) };
            columns->at[columns->count++] = column;
            esse_mirror_note_written(m, word(m, row->key), column.name, column.value);
        }
    }
    version.value = word(m, row->value);
    esse_mirror_note_written(m, word(m, row->key), COLUMN_SCALAR, version.value);
    esse_window_installed(m, word(m, row->key), version.value, true);
    esse_mirror_install(m, mirror_entry_at(m, esse_mirror_entry(m, word(m, row->key))), &version);
}

static bool take_header(struct esse_trace_sink *sink, const struct esse_trace_header *header,
                        struct esse_error *err)
{
    struct esse_mirror *m = (struct esse_mirror *)sink;
    (void)err;
    if (m->options.resolution == ESSE_NO_TIME && header->resolution != ESSE_NO_TIME)
        m->resolution = header->resolution;
    if (m->options.skew == ESSE_NO_TIME && header->skew != ESSE_NO_TIME)
        m->skew = header->skew;
    m->exclusive |= header->exclusive;
    m->has_init = header->has_init;
    m->has_sessions = header->has_sessions;
    for (size_t i = 0; i < header->session_count; i++)
        note_session(m, (uint32_t)i, header->sessions[i]);
    for (size_t i = 0; i < header->session_count; i++)
        esse_pipeline_open(m->pipeline, (uint32_t)i, INT64_MIN);
    for (size_t i = 0; i < header->init_count; i++)
        take_init(m, &header->init[i]);
    return true;
}

/* The reader's values are forgotten now and then: what is kept are words. */
static bool between(struct esse_trace_sink *sink)
{
    enum { MANY = 1 << 16 };
    struct esse_mirror *m = (struct esse_mirror *)sink;
    if (m->options.between)
        m->options.between(m->options.context);
    if (m->is_stopped)
        return false;
    if (esse_values_atoms(sink->values) < MANY)
        return true;
    esse_arena_free(m->reading);
    m->reading = esse_arena_new();
    sink->values = esse_values_new(m->reading);
    return true;
}

/* Nothing comes for now: what can be judged is judged at once. */
static void idle(struct esse_trace_sink *sink)
{
    struct esse_mirror *m = (struct esse_mirror *)sink;
    if (m->since_round)
        esse_mirror_round(m);
    if (m->options.between)
        m->options.between(m->options.context);
}

void esse_mirror_intake(struct esse_mirror *m)
{
    m->reading = esse_arena_new();
    m->sink.values = esse_values_new(m->reading);
    m->sink.between = between;
    m->sink.idle = idle;
    m->sink.header = take_header;
    m->sink.event = take_event;
}
