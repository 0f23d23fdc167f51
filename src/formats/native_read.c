#include "base/names.h"
#include "formats/native.h"
#include "formats/native_edn.h"
#include "formats/native_ops.h"
#include "formats/portions.h"
#include "history/part.h"

#include <string.h>

/*
 * One line is one object.  Its members may come in any order, so each line is scanned into a
 * 'struct line' and judged when it is complete.
 */
/* clang-format off */
#define MEMBERS(X) \
    X(ESSE, "esse") X(VERSION, "version") X(DB, "db") X(ISOLATION, "isolation") \
    X(COLUMNS, "columns") X(STATEMENTS, "statements") \
    X(IN_VERSION_ORDER, "in_version_order") X(SESSION, "session") X(TXN, "txn") \
    X(STATUS, "status") X(START, "start") X(END, "end") X(START_TS, "start_ts") \
    X(COMMIT_TS, "commit_ts") X(XID, "xid") X(TIME, "time") X(EDN, "edn") X(OPS, "ops") \
    X(INIT, "init") X(VERSION_ORDER, "version_order") X(ORDER, "order") \
    X(CERTIFICATE, "certificate") X(COMPLETE, "complete") X(FAULT, "fault") X(NODE, "node") \
    X(LOST, "lost")
/* clang-format on */
#define ID(id, text)   M_##id,
#define NAME(id, text) { text, sizeof text - 1 },
enum member { MEMBERS(ID) M_COUNT };
static const struct esse_span member_names[] = { MEMBERS(NAME) };
#define BIT(member) (1u << (member))
#define HEADER_BITS (BIT(M_SESSION) - BIT(M_ESSE))
#define FAULT_BITS  (BIT(M_FAULT) | BIT(M_NODE) | BIT(M_START) | BIT(M_END))
#define TXN_BITS    (BIT(M_OPS + 1) - BIT(M_SESSION))

ESSE_VEC(ref_vec, struct esse_version_ref)

/* The version orders of one line: key i has refs[first[i] .. first[i + 1]). */
struct key_order {
    esse_value key;
    size_t first, count;
};
ESSE_VEC(key_order_vec, struct key_order)

struct line {
    struct esse_json json;
    struct esse_native_ops ops;
    struct esse_txn_record txn;
    struct esse_header_record header;
    struct esse_native_item_vec values; /* columns, the order, or the lost transactions */
    struct esse_native_item_vec statements;
    struct key_order_vec orders;
    struct ref_vec refs;
    size_t row, rows; /* init */
    struct esse_certificate_record certificate;
    struct esse_fault_record fault;
    struct esse_native_edn edn;
    unsigned has;
};

/* One of some words, which is 'at' among them, or else "found WHAT"THAT", expected ...". */
static bool read_word(struct line *line, const char *const *words, unsigned count, unsigned *at,
                      const char *what, const char *expected)
{
    struct esse_span text;
    esse_json_peek(&line->json);
    const char *place = line->json.at;
    if (!esse_json_string(&line->json, &text))
        return false;
    for (*at = 0; *at < count; ++*at)
        if (esse_span_is(text, words[*at]))
            return true;
    return esse_json_fail(&line->json, place, "found %s\"%.*s\", expected %s", what,
                          (int)(text.length < 60 ? text.length : 60), text.at, expected);
}

static bool status(struct line *line)
{
    static const char *const names[] = { "committed", "aborted", "unknown" };
    unsigned at;
    if (!read_word(line, names, 3, &at, "status ", "committed, aborted or unknown"))
        return false;
    line->txn.status = (enum esse_status)at;
    return true;
}

/* An id: an integer or a string. */
static bool read_id(struct esse_json *json, const char *what, esse_value *id)
{
    int64_t number;
    char c = esse_json_peek(json);
    if (c == '"')
        return esse_json_string_value(json, id);
    if (c != '-' && (c < '0' || c > '9'))
        return esse_json_expected(json, what);
    if (!esse_json_int(json, &number))
        return false;
    *id = esse_value_int(json->values, number);
    return true;
}

static bool read_ids(struct line *line, const char *what)
{
    bool ok = esse_json_char(&line->json, '[', what);
    line->values.count = 0;
    for (bool first = true; ok && esse_json_more(&line->json, &first, ']', &ok);) {
        esse_value id;
        ok = read_id(&line->json, "an id: a string or an integer", &id);
        if (!ok)
            return false;
        esse_native_item_vec_push(&line->values, line->ops.arena, id);
    }
    return ok;
}

static bool read_ref(struct line *line, struct esse_version_ref *ref)
{
    struct esse_json *json = &line->json;
    struct esse_span name;
    *ref = (struct esse_version_ref){ ESSE_NONE, ESSE_NONE };
    if (esse_json_peek(json) != '{')
        return esse_json_value(json, &ref->value);
    const char *open = json->at;
    /* {"txn": id}, or a row: only the first has the single member 'txn'. */
    json->at++;
    if (esse_json_peek(json) == '"' && esse_json_name(json, &name) && name.length == 3 &&
        memcmp(name.at, "txn", 3) == 0)
        return read_id(json, "a transaction id", &ref->txn) && esse_json_char(json, '}', "'}'");
    json->at = open;
    return esse_json_value(json, &ref->value);
}

static bool version_order(struct line *line)
{
    struct esse_json *json = &line->json;
    bool ok = esse_json_char(json, '{', "an object of keys and version lists");
    for (bool first = true; ok && esse_json_more(json, &first, '}', &ok);) {
        struct key_order order = { .first = line->refs.count };
        ok = esse_json_string_value(json, &order.key) && esse_json_char(json, ':', "':'") &&
             esse_json_char(json, '[', "a list of versions, oldest first");
        for (bool begin = true; ok && esse_json_more(json, &begin, ']', &ok);) {
            struct esse_version_ref ref;
            ok = read_ref(line, &ref);
            ref_vec_push(&line->refs, line->ops.arena, ref);
            if (!ok)
                return false;
        }
        order.count = line->refs.count - order.first;
        key_order_vec_push(&line->orders, line->ops.arena, order);
        if (!ok)
            return false;
    }
    return ok;
}

static bool magic(struct line *line)
{
    static const char *const words[] = { "history" };
    unsigned at;
    return read_word(line, words, 1, &at, "", "\"history\"");
}

static bool version(struct line *line)
{
    int64_t number;
    esse_json_peek(&line->json);
    const char *place = line->json.at;
    if (!esse_json_int(&line->json, &number))
        return false;
    if (number != 1)
        return esse_json_fail(&line->json, place,
                              "the file is of version %lld; this program reads version 1",
                              (long long)number);
    return true;
}

static bool columns(struct line *line)
{
    if (!read_ids(line, "a list of column names"))
        return false;
    for (size_t i = 0; i < line->values.count; i++)
        if (esse_value_kind(line->json.values, line->values.at[i]) != ESSE_KIND_STRING)
            return esse_json_fail(&line->json, line->json.at, "column names must be strings");
    line->header.columns = line->values.at;
    line->header.column_count = line->values.count;
    return true;
}

/* They are kept: operations name them by number. */
static bool statements(struct line *line)
{
    static const char what[] = "a list of statements, strings";
    bool ok = esse_json_char(&line->json, '[', what);
    for (bool first = true; ok && esse_json_more(&line->json, &first, ']', &ok);) {
        esse_value text;
        if (esse_json_peek(&line->json) != '"')
            return esse_json_expected(&line->json, "a statement, a string");
        ok = esse_json_string_value(&line->json, &text);
        esse_native_item_vec_push(&line->statements, line->ops.arena, text);
    }
    line->header.statements = line->statements.at;
    line->header.statement_count = line->ops.statements = line->statements.count;
    return ok;
}

static bool certificate(struct line *line)
{
    unsigned at;
    if (!read_word(line, esse_certificate_names + 1, ESSE_CERTIFICATE_POSTGRESQL_SNAPSHOTS, &at,
                   "a certificate of ", "timestamps, commit-order or postgresql-snapshots"))
        return false;
    line->certificate.kind = (enum esse_certificate_kind)(at + 1);
    return true;
}

static bool fault(struct line *line)
{
    unsigned at;
    if (!read_word(line, esse_fault_names, ESSE_FAULTS, &at, "the fault ",
                   "kill, pause, partition or restart"))
        return false;
    line->fault.kind = (enum esse_server_fault)at;
    return true;
}

static bool read_natural(struct line *line, int64_t *number, const char *what)
{
    esse_json_peek(&line->json);
    const char *place = line->json.at;
    return esse_json_int(&line->json, number) &&
           (*number >= 0 || esse_json_fail(&line->json, place, "%s is not negative", what));
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

/* What a clock showed: a number, or null. */
static bool moment(struct line *line, int64_t *time)
{
    esse_value value;
    return esse_json_peek(&line->json) == 'n' ? esse_json_value(&line->json, &value)
                                              : esse_json_int(&line->json, time);
}

static bool clock_times(struct line *line)
{
    static const char what[] = "what a clock showed at the start and the end: [1200,1900]";
    return esse_json_char(&line->json, '[', what) && moment(line, &line->txn.wall_start) &&
           esse_json_char(&line->json, ',', what) && moment(line, &line->txn.wall_end) &&
           esse_json_char(&line->json, ']', what);
}

static bool member(struct line *line, enum member which)
{
    struct esse_json *json = &line->json;
    switch (which) {
    case M_ESSE:
        return magic(line);
    case M_VERSION:
        return version(line);
    case M_DB:
        return esse_json_string_value(json, &line->header.db);
    case M_ISOLATION:
        return esse_json_string_value(json, &line->header.isolation);
    case M_COLUMNS:
        return columns(line);
    case M_STATEMENTS:
        return statements(line);
    case M_IN_VERSION_ORDER:
        return read_bool(line, &line->header.in_version_order);
    case M_SESSION:
        return read_id(json, "a session: an integer or a string", &line->txn.session);
    case M_TXN:
        return read_id(json, "a transaction id: a string or an integer", &line->txn.name);
    case M_STATUS:
        return status(line);
    case M_START:
        return esse_json_int(json, &line->txn.start);
    case M_END:
        return esse_json_int(json, &line->txn.end);
    case M_START_TS:
        return esse_json_int(json, &line->txn.start_ts);
    case M_COMMIT_TS:
        return esse_json_int(json, &line->txn.commit_ts);
    case M_XID:
        return read_natural(line, &line->txn.xid, "an xid");
    case M_TIME:
        return clock_times(line);
    case M_EDN:
        return esse_native_edn_read(&line->edn, json, line->ops.arena);
    case M_OPS:
        return esse_native_ops_read(&line->ops, json);
    case M_INIT:
        return esse_native_rows_read(&line->ops, json, false, &line->row, &line->rows);
    case M_VERSION_ORDER:
        return version_order(line);
    case M_CERTIFICATE:
        return certificate(line);
    case M_COMPLETE:
        return read_bool(line, &line->certificate.complete);
    case M_FAULT:
        return fault(line);
    case M_NODE:
        return read_natural(line, &line->fault.node, "the number of a node");
    default:
        return read_ids(line, "a list of transaction ids");
    }
}

static enum member member_of(struct esse_span name)
{
    /* The first letter and the length distinguish all but a few before anything is compared. */
    for (int m = M_COUNT - 1; m >= 0; m--)
        if (member_names[m].at[0] == name.at[0] && member_names[m].length == name.length &&
            memcmp(member_names[m].at, name.at, name.length) == 0)
            return (enum member)m;
    return M_COUNT;
}

/* Reads the member if it comes next, written as Esse writes it.  A macro, so that the text's length
 * is a constant and comparing needs no call. */
#define TAKE(line, text, which)                                                                    \
    (memcmp((line)->json.at, text, sizeof text - 1) != 0 ||                                        \
     ((line)->json.at += sizeof text - 1, (line)->has |= BIT(which), member(line, which)))

/* A transaction's members in the order in which Esse writes them, without looking their names up:
 * nearly every line is this.  What follows, and whatever looks otherwise, is scan_members' own. */
static bool scan_usual(struct line *line)
{
    if (!TAKE(line, "{\"session\":", M_SESSION))
        return false;
    return !line->has || (TAKE(line, ",\"txn\":", M_TXN) && TAKE(line, ",\"status\":", M_STATUS) &&
                          TAKE(line, ",\"start\":", M_START) && TAKE(line, ",\"end\":", M_END) &&
                          TAKE(line, ",\"start_ts\":", M_START_TS) &&
                          TAKE(line, ",\"commit_ts\":", M_COMMIT_TS) &&
                          TAKE(line, ",\"xid\":", M_XID) && TAKE(line, ",\"time\":", M_TIME) &&
                          TAKE(line, ",\"edn\":", M_EDN) && TAKE(line, ",\"ops\":", M_OPS));
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
        enum member which = member_of(name);
        if (which == M_COUNT)
            return esse_json_fail(
                json, place,
                "unknown member \"%.*s\"; a line is a header, a transaction "
                "(session, txn, status, start, end, start_ts, commit_ts, xid, "
                "time, edn, ops), init, version_order, order, certificate or fault",
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

static bool send_txn(struct esse_reading *reading, struct line *line, const char *begin,
                     struct esse_error *err)
{
    if (!(line->has & BIT(M_SESSION)))
        return esse_json_fail(&line->json, begin, "the transaction has no session");
    if (!(line->has & BIT(M_OPS)))
        return esse_json_fail(&line->json, begin, "the transaction has no ops");
    if (line->txn.status == ESSE_COMMITTED && line->ops.unread)
        return esse_json_fail(&line->json, line->ops.unread,
                              "a read in a committed transaction needs its result, v");
    line->txn.line = reading->sink->line;
    line->txn.ops = line->ops.ops.at;
    line->txn.op_count = line->ops.ops.count;
    line->txn.items = line->ops.items.at;
    line->txn.rows = line->ops.rows.at;
    line->txn.extras = esse_native_edn_extras(&line->edn, line->ops.arena, &line->txn.extra_count);
    return reading->sink->txn(reading->sink, &line->txn, err);
}

static bool send_orders(struct esse_reading *reading, struct line *line, struct esse_error *err)
{
    for (size_t i = 0; i < line->orders.count; i++) {
        const struct key_order *order = &line->orders.at[i];
        if (!reading->sink->version_order(reading->sink, order->key,
                                          order->count ? line->refs.at + order->first : NULL,
                                          order->count, err))
            return false;
    }
    return true;
}

static bool send_fault(struct esse_reading *reading, struct line *line, const char *begin,
                       struct esse_error *err)
{
    if (line->has & ~FAULT_BITS)
        return esse_json_fail(&line->json, begin, "a fault holds only fault, node, start and end");
    if (!(line->has & (BIT(M_START) | BIT(M_END))))
        return esse_json_fail(&line->json, begin, "the fault has neither a start nor an end");
    line->fault.start = line->txn.start;
    line->fault.end = line->txn.end;
    return reading->sink->fault(reading->sink, &line->fault, err);
}

static bool send(struct esse_reading *reading, struct line *line, const char *begin, bool first,
                 struct esse_error *err)
{
    unsigned has = line->has;
    if (has & BIT(M_ESSE)) {
        if (has & ~HEADER_BITS)
            return esse_json_fail(&line->json, begin,
                                  "a header line holds only esse, version, "
                                  "db, isolation, columns, statements and in_version_order");
        if (!first)
            return esse_json_fail(&line->json, begin, "a header is only the first line");
        if (!(has & BIT(M_VERSION)))
            return esse_json_fail(&line->json, begin, "the header has no version");
        return reading->sink->header(reading->sink, &line->header, err);
    }
    if (has == BIT(M_INIT))
        return reading->sink->init(reading->sink, line->rows ? line->ops.rows.at + line->row : NULL,
                                   line->rows, err);
    if (has == BIT(M_VERSION_ORDER))
        return send_orders(reading, line, err);
    if (has == BIT(M_ORDER))
        return reading->sink->order(reading->sink, line->values.at, line->values.count, err);
    if (has == BIT(M_LOST))
        return reading->sink->lost(reading->sink, line->values.at, line->values.count, err);
    if ((has | BIT(M_COMPLETE)) == (BIT(M_CERTIFICATE) | BIT(M_COMPLETE)) &&
        (has & BIT(M_CERTIFICATE)))
        return reading->sink->certificate(reading->sink, &line->certificate, err);
    if (has & BIT(M_FAULT))
        return send_fault(reading, line, begin, err);
    if (!has || (has & ~TXN_BITS))
        return esse_json_fail(
            &line->json, begin,
            "a line is a header, a transaction (session and ops), init, "
            "version_order, order, lost, certificate or fault, and nothing beside");
    return send_txn(reading, line, begin, err);
}

static void reset(struct line *line)
{
    line->txn = esse_txn_record_empty();
    line->header = (struct esse_header_record){ 0 };
    line->ops.ops.count = line->ops.items.count = line->ops.rows.count = 0;
    line->ops.unread = NULL;
    line->values.count = line->orders.count = line->refs.count = 0;
    line->row = line->rows = 0;
    line->certificate = (struct esse_certificate_record){ 0 };
    line->fault.node = ESSE_NO_TIME;
    line->edn.members.count = line->edn.bytes.count = 0;
    line->has = 0;
    line->json.depth = 0;
}

/* Where the whole lines of the window end, at least one if any is left, which may need a larger
 * window; NULL on error. */
static const char *lines_end(struct esse_source *source, struct esse_error *err)
{
    for (;;) {
        if (source->last)
            return source->end;
        const char *newline = memrchr(source->at, '\n', (size_t)(source->end - source->at));
        if (newline)
            return newline + 1;
        if (!esse_source_more(source, err))
            return NULL;
    }
}

/* The lines of the source up to 'end', which ends one. */
static bool read_lines(struct line *line, struct esse_reading *reading, const char *end,
                       bool *first, struct esse_error *err)
{
    struct esse_source *source = reading->source;
    struct esse_json *json = &line->json;
    while (source->at < end) {
        if (reading->between && !reading->between(reading))
            return false;
        reset(line);
        json->values = reading->sink->values;
        const char *begin = json->at = source->at;
        if (esse_json_peek(json) != '\n' && json->at < source->end) {
            if (!scan_members(line) || !send(reading, line, begin, *first, err))
                return false;
            *first = false;
        }
        source->at = json->at; /* a newline, or the end of the input */
        if (source->at < source->end)
            reading->sink->line = esse_source_next_line(source, ++source->at);
    }
    return true;
}

/* ---- lines in several threads ---- */

struct portion {
    struct esse_part part;
    struct line line;
    bool ok;
    uint64_t lines;
};

struct portions {
    struct esse_reading *reading;
    size_t statements; /* of the header */
};

static void init_portion(void *context, void *state)
{
    (void)context;
    esse_part_init(&((struct portion *)state)->part);
}

static void release_portion(void *context, void *state)
{
    (void)context;
    esse_part_release(&((struct portion *)state)->part);
}

static bool read_portion(const struct portions *portions, struct portion *portion,
                         struct esse_source *lines, struct esse_sink *sink, struct esse_error *err)
{
    struct esse_reading reading = { .source = lines, .sink = sink };
    struct line *line = &portion->line;
    bool first = false;
    line->ops.arena = lines->arena;
    line->ops.statements = portions->statements;
    line->json.source = lines;
    line->json.err = err;
    line->json.newline = ' ';
    sink->line = lines->mark_line;
    return read_lines(line, &reading, lines->end, &first, err);
}

static void scan_portion(void *context, void *state, struct esse_source *lines)
{
    struct portion *portion = state;
    struct esse_error ignored;
    portion->ok = read_portion(context, portion, lines, esse_part_sink(&portion->part), &ignored);
    portion->lines = lines->mark_line - 1;
}

/* What cannot be joined is read again: it has a record other than a transaction, or an error. */
static bool take_portion(void *context, void *state, struct esse_source *lines,
                         struct esse_error *err)
{
    const struct portions *portions = context;
    struct portion *portion = state;
    struct esse_reading *reading = portions->reading;
    bool ok = portion->ok && esse_part_join(&portion->part, reading->builder, lines->mark_line - 1);
    if (ok) {
        lines->at = lines->mark = lines->end;
        lines->mark_line += portion->lines;
    } else {
        ok = read_portion(portions, portion, lines, reading->sink, err);
    }
    esse_part_empty(&portion->part);
    return ok;
}

static bool read_portions(struct esse_reading *reading, const struct line *line,
                          struct esse_error *err)
{
    struct portions portions = { reading, line->ops.statements };
    const struct esse_portion_reader reader = { .context = &portions,
                                                .size = sizeof(struct portion),
                                                .init = init_portion,
                                                .scan = scan_portion,
                                                .take = take_portion,
                                                .release = release_portion };
    return esse_portions_read(reading->source, &reader, reading->threads, reading->portion, err);
}

/* In several threads all up to the first line that is not empty is read before: a header says what
 * the others may have. */
bool esse_native_read(struct esse_reading *reading, struct esse_error *err)
{
    struct esse_source *source = reading->source;
    struct line line = { .ops.arena = source->arena };
    esse_json_init(&line.json, source, reading->sink->values, true, err);
    bool first = true;
    reading->sink->line = 1;
    source->at = esse_past_mark(source->at, source->end);
    for (;;) {
        const char *end = lines_end(source, err);
        if (!end)
            return false;
        if (source->at == end)
            return reading->sink->finish(reading->sink, err);
        const char *newline =
            reading->threads > 1 ? memchr(source->at, '\n', (size_t)(end - source->at)) : NULL;
        if (newline)
            end = newline + 1;
        if (!read_lines(&line, reading, end, &first, err))
            return false;
        if (reading->threads > 1 && !first && !read_portions(reading, &line, err))
            return false;
    }
}

static bool sniff(const char *at, const char *end)
{
    at = esse_past_mark(at, end);
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n'))
        at++;
    if (at == end || *at++ != '{')
        return false;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at < end && *at == '"';
}

const struct esse_format esse_format_native = {
    .name = "native",
    .summary = "Esse's own: JSON Lines, one transaction a line",
    .extensions = ".jsonl .ndjson",
    .sniff = sniff,
    .is_streamed = true,
    .in_portions = true,
    .read = esse_native_read,
    .writer = esse_native_writer,
};
