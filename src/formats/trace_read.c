#include "formats/arrival.h"
#include "formats/native.h"
#include "formats/native_ops.h"
#include "formats/trace.h"

#include <string.h>

/*
 * One line is one object, whose members may come in any order: it is scanned into a 'struct line'
 * and judged when it is complete.
 */
/* clang-format off */
#define MEMBERS(X) \
    X(SESSION, "session") X(TXN, "txn") X(T, "t") X(BEGIN, "begin") X(ISOLATION, "isolation") \
    X(R, "r") X(W, "w") X(A, "a") X(D, "d") X(P, "p") X(U, "u") X(I, "i") X(V, "v") \
    X(ROWS, "rows") X(RESULT, "result") X(LOCK, "lock") X(CURSOR, "cursor") X(OK, "ok") X(COMMIT, "commit") \
    X(COMMIT_TS, "commit_ts") X(ABORT, "abort") X(SAVEPOINT, "savepoint") \
    X(ROLLBACK_TO, "rollback_to") X(OPAQUE, "opaque") X(GAP, "gap") X(FROM, "from") X(TO, "to") \
    X(OPEN, "open") X(AT, "at") X(CLOSE, "close") X(BEAT, "beat") X(DONE, "done") \
    X(FLOOR, "floor") X(ESSE, "esse") X(VERSION, "version") X(RESOLUTION, "resolution") \
    X(SKEW, "skew") X(SESSIONS, "sessions") X(EXCLUSIVE, "exclusive") X(INIT, "init") \
    X(CLOCK, "clock")
/* clang-format on */
#define ID(id, text)   M_##id,
#define NAME(id, text) { text, sizeof text - 1 },
enum member { MEMBERS(ID) M_COUNT };
static const struct esse_span member_names[] = { MEMBERS(NAME) };
#define BIT(member)    ((uint64_t)1 << (member))
#define HEADER_BITS    (BIT(M_COUNT) - BIT(M_ESSE))
#define OPERATION_BITS (BIT(M_I + 1) - BIT(M_R))
#define OTHER_BITS                                                                                 \
    (BIT(M_BEGIN) | BIT(M_COMMIT) | BIT(M_ABORT) | BIT(M_SAVEPOINT) | BIT(M_ROLLBACK_TO) |         \
     BIT(M_OPAQUE))
#define EVENT_BITS (BIT(M_OPAQUE + 1) - BIT(M_SESSION))

_Static_assert(M_COUNT < 64, "a member is a bit of one word");

const char *const esse_trace_lock_names[] = { "",       "key-share", "share", "no-key-update",
                                              "update", NULL };

struct line {
    struct esse_json json;
    struct esse_native_ops ops;
    struct esse_trace_event event;
    struct esse_trace_header header;
    struct esse_native_item_vec sessions;
    size_t init, init_count;
    uint64_t has;
    int64_t at, from, to, done, floor;
    bool is_true; /* of begin, commit or abort */
    struct esse_trace_ids *ids;
    char *first; /* the header, if others like it may follow */
    size_t first_length;
};

static bool read_id(struct line *line, const char *what, esse_value *id)
{
    struct esse_json *json = &line->json;
    int64_t number;
    const char c = esse_json_peek(json);
    if (c == '"')
        return esse_json_string_value(json, id);
    if (c != '-' && (c < '0' || c > '9'))
        return esse_json_expected(json, what);
    if (esse_json_quick_int(&json->at, id))
        return true;
    if (!esse_json_int(json, &number))
        return false;
    *id = esse_value_int(json->values, number);
    return true;
}

static bool read_bool(struct line *line, bool *is)
{
    const char c = esse_json_peek(&line->json);
    esse_value value;
    if (c != 't' && c != 'f')
        return esse_json_expected(&line->json, "true or false");
    *is = c == 't';
    return esse_json_value(&line->json, &value);
}

/* A member that is there or not: only true makes sense. */
static bool read_true(struct line *line)
{
    bool is;
    if (esse_json_peek(&line->json) != 't')
        return esse_json_expected(&line->json, "true");
    return read_bool(line, &is);
}

static bool quick_time(struct esse_json *json, int64_t *time)
{
    esse_value value;
    if (!esse_json_quick_int(&json->at, &value))
        return esse_json_int(json, time);
    *time = (int64_t)value.word >> 3;
    return true;
}

/* [before, after], or [before] of what has no known end. */
static bool interval(struct line *line)
{
    struct esse_json *json = &line->json;
    struct esse_trace_event *event = &line->event;
    if (!esse_json_char(json, '[', "an interval [before, after]") ||
        !quick_time(json, &event->before))
        return false;
    if (esse_json_peek(json) == ']') {
        json->at++;
        return true;
    }
    if (!esse_json_char(json, ',', "',' or ']'"))
        return false;
    const char *place = json->at;
    if (!quick_time(json, &event->after) || !esse_json_char(json, ']', "']'"))
        return false;
    return event->after >= event->before ||
           esse_json_fail(json, place, "the interval t ends before it begins");
}

static bool lock(struct line *line)
{
    struct esse_span text;
    esse_json_peek(&line->json);
    const char *place = line->json.at;
    if (!esse_json_string(&line->json, &text))
        return false;
    for (unsigned at = ESSE_LOCK_KEY_SHARE; esse_trace_lock_names[at]; at++) {
        if (esse_span_is(text, esse_trace_lock_names[at])) {
            line->event.lock = (enum esse_trace_lock)at;
            return true;
        }
    }
    return esse_json_fail(&line->json, place,
                          "found lock \"%.*s\", expected update, no-key-update, share or key-share",
                          (int)(text.length < 60 ? text.length : 60), text.at);
}

static bool read_text(struct line *line, const char *what, esse_value *text)
{
    if (esse_json_peek(&line->json) != '"')
        return esse_json_expected(&line->json, what);
    return esse_json_string_value(&line->json, text);
}

static bool sessions(struct line *line)
{
    bool ok = esse_json_char(&line->json, '[', "a list of sessions");
    line->sessions.count = 0;
    for (bool first = true; ok && esse_json_more(&line->json, &first, ']', &ok);) {
        esse_value id;
        if (!read_id(line, "a session: an integer or a string", &id))
            return false;
        esse_native_item_vec_push(&line->sessions, line->ops.arena, id);
    }
    line->header.has_sessions = true;
    line->header.sessions = line->sessions.at;
    line->header.session_count = line->sessions.count;
    return ok;
}

static bool read_init(struct line *line)
{
    line->header.has_init = true;
    return esse_native_rows_read(&line->ops, &line->json, false, &line->init, &line->init_count);
}

static bool magic(struct line *line)
{
    struct esse_span text;
    esse_json_peek(&line->json);
    const char *place = line->json.at;
    if (!esse_json_string(&line->json, &text))
        return false;
    return esse_span_is(text, "trace") ||
           esse_json_fail(&line->json, place, "found \"%.*s\", expected \"trace\"",
                          (int)(text.length < 60 ? text.length : 60), text.at);
}

static bool version(struct line *line)
{
    int64_t number;
    esse_json_peek(&line->json);
    const char *place = line->json.at;
    return esse_json_int(&line->json, &number) &&
           (number == 1 || esse_json_fail(&line->json, place,
                                          "the trace is of version %lld; this program reads "
                                          "version 1",
                                          (long long)number));
}

static bool natural(struct line *line, int64_t *number, const char *what)
{
    esse_json_peek(&line->json);
    const char *place = line->json.at;
    return esse_json_int(&line->json, number) &&
           (*number >= 0 || esse_json_fail(&line->json, place, "%s is not negative", what));
}

static bool header_member(struct line *line, enum member which)
{
    switch (which) {
    case M_ESSE:
        return magic(line);
    case M_VERSION:
        return version(line);
    case M_RESOLUTION:
        return natural(line, &line->header.resolution, "the resolution");
    case M_SKEW:
        return natural(line, &line->header.skew, "the skew");
    case M_SESSIONS:
        return sessions(line);
    case M_EXCLUSIVE:
        return read_bool(line, &line->header.exclusive);
    case M_INIT:
        return read_init(line);
    default:
        return read_text(line, "the name of a clock, a string", &line->header.clock);
    }
}

static bool control_member(struct line *line, enum member which)
{
    struct esse_json *json = &line->json;
    switch (which) {
    case M_GAP:
    case M_OPEN:
    case M_CLOSE:
    case M_BEAT:
        return read_id(line, "a session: an integer or a string", &line->event.session);
    case M_FROM:
        return esse_json_int(json, &line->from);
    case M_TO:
        return esse_json_int(json, &line->to);
    case M_AT:
        return esse_json_int(json, &line->at);
    case M_DONE:
        return esse_json_int(json, &line->done);
    case M_FLOOR:
        return esse_json_int(json, &line->floor);
    default:
        return header_member(line, which);
    }
}

static bool operation(struct line *line, enum esse_op_kind kind)
{
    line->event.op.kind = kind;
    return read_text(line, esse_op_is_predicate(kind) ? "a predicate, a string" : "a key, a string",
                     &line->event.op.key);
}

static bool member(struct line *line, enum member which)
{
    struct esse_json *json = &line->json;
    struct esse_trace_event *event = &line->event;
    switch (which) {
    case M_SESSION:
        return read_id(line, "a session: an integer or a string", &event->session);
    case M_TXN:
        return read_id(line, "a transaction id: a string or an integer", &event->txn);
    case M_T:
        return interval(line);
    case M_BEGIN:
    case M_COMMIT:
    case M_ABORT:
        return read_true(line);
    case M_R:
    case M_W:
    case M_A:
    case M_D:
    case M_P:
    case M_U:
        return operation(line, (enum esse_op_kind)(which - M_R));
    case M_I:
        return operation(line, ESSE_OP_WRITE);
    case M_V:
        return esse_native_value_read(&line->ops, json, &event->op);
    case M_ROWS:
        return esse_native_rows_read(&line->ops, json, esse_native_rows_are_pairs(json),
                                     &event->op.first, &event->op.count);
    case M_RESULT:
        return esse_native_result_read(&line->ops, json, &event->op);
    case M_LOCK:
        return lock(line);
    case M_CURSOR:
        return read_bool(line, &event->cursor);
    case M_OK:
        return read_bool(line, &line->is_true);
    case M_COMMIT_TS:
        return esse_json_int(json, &event->commit_ts);
    case M_ISOLATION:
        return read_text(line, "an isolation, a string", &event->name);
    case M_SAVEPOINT:
    case M_ROLLBACK_TO:
        return read_text(line, "the name of a savepoint, a string", &event->name);
    case M_OPAQUE:
        return read_text(line, "the name of a table, a string", &event->name);
    default:
        return control_member(line, which);
    }
}

static enum member member_of(struct esse_span name)
{
    for (int m = 0; m < M_COUNT; m++)
        if (member_names[m].at[0] == name.at[0] && member_names[m].length == name.length &&
            memcmp(member_names[m].at, name.at, name.length) == 0)
            return (enum member)m;
    return M_COUNT;
}

/* Reads the member if it comes next, written as Esse writes it. */
#define TAKE(line, text, which)                                                                    \
    (memcmp((line)->json.at, text, sizeof text - 1) != 0 ||                                        \
     ((line)->json.at += sizeof text - 1, (line)->has |= BIT(which), member(line, which)))

/* The members of an operation in the order in which Esse writes them.  What follows, and whatever
 * looks otherwise, is left to scan_members. */
static bool scan_usual(struct line *line)
{
    if (!TAKE(line, "{\"session\":", M_SESSION))
        return false;
    return !line->has || (TAKE(line, ",\"txn\":", M_TXN) && TAKE(line, ",\"r\":", M_R) &&
                          TAKE(line, ",\"w\":", M_W) && TAKE(line, ",\"v\":", M_V) &&
                          TAKE(line, ",\"commit\":", M_COMMIT) && TAKE(line, ",\"t\":", M_T));
}

static bool scan_members(struct line *line)
{
    struct esse_json *json = &line->json;
    if (!scan_usual(line))
        return false;
    if (!line->has && !esse_json_char(json, '{', "a line that is a JSON object"))
        return false;
    bool ok = true;
    for (bool first = !line->has; esse_json_more(json, &first, '}', &ok);) {
        const char *place = json->at;
        struct esse_span name;
        if (!esse_json_name(json, &name))
            return false;
        const enum member which = member_of(name);
        if (which == M_COUNT)
            return esse_json_fail(
                json, place,
                "unknown member \"%.*s\"; a line of a trace is a header, an event "
                "(session, txn, t and begin, r, w, i, a, d, p, u, commit, abort, "
                "savepoint, rollback_to or opaque), gap, open, close or beat",
                (int)(name.length < 60 ? name.length : 60), name.at);
        if (line->has & BIT(which))
            return esse_json_fail(json, place, "member \"%s\" is given twice",
                                  member_names[which].at);
        line->has |= BIT(which);
        if (!member(line, which))
            return false;
    }
    if (ok && *json->at != '\n' && esse_json_peek(json) != '\n' && json->at < json->source->end)
        return esse_json_expected(json, "the end of the line");
    return ok;
}

/* ---- a complete line ---- */

static bool check_value(struct line *line, const char *begin)
{
    struct esse_trace_event *event = &line->event;
    const struct esse_op_record *op = &event->op;
    const bool has_value = line->has & BIT(M_V);
    if (op->kind == ESSE_OP_DELETE || esse_op_is_predicate(op->kind)) {
        if (has_value)
            return esse_json_fail(&line->json, begin, "\"%s\" takes no v",
                                  op->kind == ESSE_OP_DELETE ? "d" : "p\" and \"u");
        return true;
    }
    if (!has_value && !event->failed)
        return esse_json_fail(&line->json, begin, "the operation needs its value, v");
    if (op->kind != ESSE_OP_READ && op->is_list)
        return esse_json_fail(&line->json, begin,
                              "a list is only what a read of appended elements "
                              "returns; it cannot be written or appended");
    if (op->kind != ESSE_OP_READ && has_value && esse_value_eq(op->value, ESSE_NIL))
        return esse_json_fail(&line->json, begin,
                              "null is \"absent\" and cannot be written; use d "
                              "to delete a key");
    return true;
}

static bool check_operation(struct line *line, const char *begin)
{
    const struct esse_op_record *op = &line->event.op;
    const bool is_update = op->kind == ESSE_OP_PREDICATE_UPDATE;
    if (!esse_op_is_predicate(op->kind)) {
        if (line->has & (BIT(M_ROWS) | BIT(M_RESULT)))
            return esse_json_fail(&line->json, begin, "rows belong to p and u, and result to p");
        return check_value(line, begin);
    }
    line->event.op.no_rows = !(line->has & BIT(M_ROWS)) && !line->event.failed;
    if (op->has_result && is_update)
        return esse_json_fail(&line->json, begin, "\"u\" takes rows, not result");
    if (op->no_rows && !op->has_result)
        return esse_json_fail(&line->json, begin, "\"%s\" needs its rows%s", is_update ? "u" : "p",
                              is_update ? "" : ", or its result");
    for (size_t i = 0; i < op->count; i++)
        if (esse_value_eq(line->ops.rows.at[op->first + i].next, ESSE_NONE) == is_update)
            return esse_json_fail(&line->json, begin,
                                  is_update ? "the rows of \"u\" must be pairs [old, new]"
                                            : "the rows of \"p\" must be single values");
    return check_value(line, begin);
}

static bool one_of(uint64_t bits)
{
    return bits && (bits & (bits - 1)) == 0;
}

/* Members that belong to some kinds of events only. */
static bool check_members(struct line *line, const char *begin)
{
    const uint64_t has = line->has;
    const bool is_op = has & OPERATION_BITS;
    if ((has & BIT(M_ISOLATION)) && !(has & BIT(M_BEGIN)))
        return esse_json_fail(&line->json, begin, "isolation belongs to begin");
    if ((has & BIT(M_COMMIT_TS)) && !(has & BIT(M_COMMIT)))
        return esse_json_fail(&line->json, begin, "commit_ts belongs to commit");
    if ((has & (BIT(M_V) | BIT(M_ROWS) | BIT(M_RESULT) | BIT(M_LOCK) | BIT(M_CURSOR))) && !is_op)
        return esse_json_fail(&line->json, begin,
                              "v, rows, result, lock and cursor belong to operations");
    if (!(has & BIT(M_T)))
        return esse_json_fail(&line->json, begin, "the event has no interval, t");
    if (line->event.after == ESSE_NO_TIME && !(has & (BIT(M_COMMIT) | BIT(M_ABORT))))
        return esse_json_fail(&line->json, begin,
                              "only commit and abort may have no known end: t is [before, after]");
    return true;
}

static enum esse_trace_kind kind_of(uint64_t has)
{
    return has & BIT(M_BEGIN)         ? ESSE_TRACE_BEGIN
           : has & BIT(M_COMMIT)      ? ESSE_TRACE_COMMIT
           : has & BIT(M_ABORT)       ? ESSE_TRACE_ABORT
           : has & BIT(M_SAVEPOINT)   ? ESSE_TRACE_SAVEPOINT
           : has & BIT(M_ROLLBACK_TO) ? ESSE_TRACE_ROLLBACK_TO
           : has & BIT(M_OPAQUE)      ? ESSE_TRACE_OPAQUE
                                      : ESSE_TRACE_OP;
}

static bool send(struct esse_trace_sink *sink, struct line *line, const char *begin,
                 struct esse_error *err)
{
    struct esse_trace_event *event = &line->event;
    const char *wrong = esse_trace_number(line->ids, event, line->json.values);
    if (wrong)
        return esse_json_fail(&line->json, begin, "%s", wrong);
    event->items = line->ops.items.at;
    event->rows = line->ops.rows.at;
    return sink->event(sink, event, err);
}

static bool send_event(struct esse_trace_sink *sink, struct line *line, const char *begin,
                       struct esse_error *err)
{
    struct esse_trace_event *event = &line->event;
    const uint64_t has = line->has;
    if (!(has & BIT(M_SESSION)))
        return esse_json_fail(&line->json, begin, "the event has no session");
    if (has & ~EVENT_BITS || !one_of(has & (OPERATION_BITS | OTHER_BITS)))
        return esse_json_fail(&line->json, begin,
                              "an event is one of begin, r, w, i, a, d, p, u, commit, abort, "
                              "savepoint, rollback_to or opaque");
    event->kind = kind_of(has);
    event->failed = (has & BIT(M_OK)) && !line->is_true;
    event->is_insert = has & BIT(M_I);
    event->op.begin = event->before;
    event->op.end = event->after;
    return check_members(line, begin) &&
           (event->kind != ESSE_TRACE_OP || check_operation(line, begin)) &&
           send(sink, line, begin, err);
}

/* Gaps, and what is said of whole sessions. */
static bool send_control(struct esse_trace_sink *sink, struct line *line, const char *begin,
                         struct esse_error *err)
{
    struct esse_trace_event *event = &line->event;
    switch (line->has) {
    case BIT(M_GAP) | BIT(M_FROM) | BIT(M_TO):
        event->kind = ESSE_TRACE_GAP;
        event->before = line->from;
        event->after = line->to;
        if (event->after < event->before)
            return esse_json_fail(&line->json, begin, "the gap ends before it begins");
        break;
    case BIT(M_OPEN) | BIT(M_AT):
        event->kind = ESSE_TRACE_OPEN;
        event->before = event->after = line->at;
        break;
    case BIT(M_CLOSE) | BIT(M_AT):
        event->kind = ESSE_TRACE_CLOSE;
        event->before = event->after = line->at;
        break;
    case BIT(M_BEAT) | BIT(M_DONE) | BIT(M_FLOOR):
        event->kind = ESSE_TRACE_BEAT;
        event->before = line->floor;
        event->after = line->done;
        break;
    default:
        return esse_json_fail(&line->json, begin,
                              "expected gap with from and to, open or close with at, or beat with "
                              "done and floor, and nothing beside");
    }
    return send(sink, line, begin, err);
}

/* A file that takes the place of one that is followed begins with the same header. */
static void keep_header(struct line *line, const char *begin)
{
    const struct esse_source *source = line->json.source;
    if (!source->arrival || !source->arrival->follow)
        return;
    line->first_length = (size_t)(line->json.at - begin);
    line->first = esse_arena_text(line->ops.arena, begin, line->first_length);
}

static bool is_repeated(const struct line *line, const char *begin)
{
    return line->first && line->first_length == (size_t)(line->json.at - begin) &&
           memcmp(line->first, begin, line->first_length) == 0;
}

static bool send_line(struct esse_trace_sink *sink, struct line *line, const char *begin,
                      bool first, struct esse_error *err)
{
    if (line->has & BIT(M_ESSE)) {
        if (line->has & ~HEADER_BITS)
            return esse_json_fail(&line->json, begin,
                                  "a header line holds only esse, version, resolution, skew, "
                                  "sessions, exclusive, init and clock");
        if (!first)
            return is_repeated(line, begin) ||
                   esse_json_fail(&line->json, begin, "a header is only the first line%s",
                                  line->first ? ", and that of a file which took its place" : "");
        if (!(line->has & BIT(M_VERSION)))
            return esse_json_fail(&line->json, begin, "the header has no version");
        keep_header(line, begin);
        for (size_t i = 0; i < line->header.session_count; i++)
            esse_trace_session(line->ids, line->json.values, line->header.sessions[i]);
        line->header.init = line->init_count ? line->ops.rows.at + line->init : NULL;
        line->header.init_count = line->init_count;
        return sink->header(sink, &line->header, err);
    }
    if (line->has & (BIT(M_GAP) | BIT(M_OPEN) | BIT(M_CLOSE) | BIT(M_BEAT)))
        return send_control(sink, line, begin, err);
    return send_event(sink, line, begin, err);
}

static void reset(struct line *line, uint64_t number)
{
    line->event = (struct esse_trace_event){
        .before = ESSE_NO_TIME, .after = ESSE_NO_TIME, .commit_ts = ESSE_NO_TIME, .line = number
    };
    line->ops.items.count = line->ops.rows.count = 0;
    line->init = line->init_count = 0;
    line->has = 0;
    line->json.depth = 0;
}

static bool read_line(struct esse_source *source, struct line *line, struct esse_trace_sink *sink,
                      bool *first, struct esse_error *err)
{
    struct esse_json *json = &line->json;
    reset(line, source->mark_line);
    json->values = sink->values;
    const char *begin = json->at = source->at;
    if (esse_json_peek(json) != '\n' && json->at < source->end) {
        if (!scan_members(line) || !send_line(sink, line, begin, *first, err))
            return false;
        *first = false;
    }
    source->at = json->at;
    if (source->at < source->end)
        esse_source_next_line(source, ++source->at);
    return true;
}

struct esse_trace_reader {
    struct esse_arena *arena;
    struct esse_trace_sink *sink;
    struct line line;
    uint64_t next; /* the number of the next line */
    bool is_first, is_over;
};

struct esse_trace_reader *esse_trace_reader_new(struct esse_trace_sink *sink)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_trace_reader *reader = esse_arena_alloc(arena, 1, sizeof *reader);
    *reader = (struct esse_trace_reader){ .arena = arena,
                                          .sink = sink,
                                          .line = { .ops = { .arena = arena },
                                                    .ids = esse_trace_ids_new(arena) },
                                          .next = 1,
                                          .is_first = true };
    reader->line.header.resolution = reader->line.header.skew = ESSE_NO_TIME;
    return reader;
}

void esse_trace_reader_release(struct esse_trace_reader *reader)
{
    esse_arena_free(reader->arena);
}

/* The whole lines up to 'end', which is behind the last newline or at the end of the input. */
static bool read_lines(struct esse_trace_reader *reader, struct esse_source *source,
                       const char *end, struct esse_error *err)
{
    struct esse_trace_sink *sink = reader->sink;
    while (source->at < end) {
        reader->is_over = sink->between && !sink->between(sink);
        if (reader->is_over)
            break;
        if (!read_line(source, &reader->line, sink, &reader->is_first, err))
            return false;
    }
    return true;
}

static bool read_all(struct esse_trace_reader *reader, struct esse_source *source,
                     struct esse_error *err)
{
    bool ok = true;
    esse_json_init(&reader->line.json, source, reader->sink->values, true, err);
    while (ok && !reader->is_over && (source->at < source->end || !source->last)) {
        const char *end = source->last
                              ? source->end
                              : memrchr(source->at, '\n', (size_t)(source->end - source->at));
        if (end)
            ok = read_lines(reader, source, source->last ? end : end + 1, err);
        else
            ok = esse_source_more(source, err);
    }
    return ok;
}

bool esse_trace_reader_lines(struct esse_trace_reader *reader, const char *lines, size_t length,
                             struct esse_error *err)
{
    struct esse_source source;
    if (reader->is_over)
        return true;
    esse_source_memory(&source, reader->arena, lines, length);
    source.mark_line = reader->next;
    const bool ok = read_all(reader, &source, err);
    reader->next = source.mark_line;
    reader->is_over |= !ok;
    esse_source_close(&source);
    return ok;
}

bool esse_trace_read_source(struct esse_source *source, struct esse_trace_sink *sink,
                            struct esse_error *err)
{
    struct esse_trace_reader *reader = esse_trace_reader_new(sink);
    source->at = esse_past_mark(source->at, source->end);
    const bool ok = read_all(reader, source, err);
    esse_trace_reader_release(reader);
    return ok;
}
