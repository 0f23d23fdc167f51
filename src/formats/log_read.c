#include "formats/log_read.h"

#include "base/hash.h"
#include "base/index.h"
#include "formats/log_line.h"

#include <stdio.h>

/*
 * One line is one object, whose members may come in any order: it is scanned into a 'struct reader'
 * and judged when it is complete.
 */
/* clang-format off */
#define MEMBERS(X) \
    X(ESSE, "esse") X(VERSION, "version") X(DIALECT, "dialect") X(DB, "db") \
    X(ISOLATION, "isolation") X(FOUND_ROWS, "found_rows") X(SCHEMA, "schema") X(TABLE, "table") \
    X(COLUMNS, "columns") X(ROWS, "rows") X(STATEMENT, "statement") X(Q, "q") \
    X(SESSION, "session") X(TXN, "txn") X(STATUS, "status") X(START, "start") X(END, "end") \
    X(START_TS, "start_ts") X(COMMIT_TS, "commit_ts") X(XID, "xid") X(WROTE, "wrote") \
    X(SQL, "sql") X(ORDER, "order") X(CERTIFICATE, "certificate")
/* clang-format on */
#define ID(id, text)   M_##id,
#define NAME(id, text) { text, sizeof text - 1 },
enum member { MEMBERS(ID) M_COUNT };
static const struct esse_span member_names[] = { MEMBERS(NAME) };
#define BIT(member) (1u << (member))
#define HEADER_BITS (BIT(M_SCHEMA) - BIT(M_ESSE))
#define TXN_BITS    (BIT(M_ORDER) - BIT(M_SESSION))
_Static_assert(M_COUNT <= 32, "a member is a bit of one word");

struct reader {
    struct log_line line;
    struct log_names names;
    struct esse_arena *scratch;
    unsigned has;
    struct esse_log_txn txn;
    struct esse_log_table table;
    struct log_named named;
    struct esse_index ids, sessions; /* of transactions; of sessions, with how many they have */
    struct esse_value_vec session_names;
    struct esse_u32_vec session_counts;
    struct esse_value_vec order; /* names, looked up at the end */
    uint64_t order_line;
};

static bool word(struct reader *r, const char *const *words, unsigned count, unsigned *at,
                 const char *what, const char *expected)
{
    struct esse_span text;
    struct esse_json *json = &r->line.json;
    esse_json_peek(json);
    const char *place = json->at;
    if (!esse_json_string(json, &text))
        return false;
    for (*at = 0; *at < count; ++*at)
        if (esse_span_is(text, words[*at]))
            return true;
    return esse_json_fail(json, place, "found %s\"%.*s\", expected %s", what,
                          (int)(text.length < 60 ? text.length : 60), text.at, expected);
}

static bool header_member(struct reader *r, enum member which)
{
    struct esse_json *json = &r->line.json;
    static const char *const logs[] = { "log" }, *const dialects[] = { "postgresql", "mysql" };
    unsigned at;
    int64_t number;
    esse_json_peek(json);
    const char *place = json->at;
    switch (which) {
    case M_ESSE:
        return word(r, logs, 1, &at, "", "\"log\"");
    case M_VERSION:
        return esse_json_int(json, &number) &&
               (number == 1 || esse_json_fail(json, place,
                                              "the log is of version %lld; this program reads "
                                              "version 1",
                                              (long long)number));
    case M_DIALECT:
        if (!word(r, dialects, 2, &at, "the dialect ", "postgresql or mysql"))
            return false;
        r->line.log->dialect = (enum esse_log_dialect)at;
        return true;
    default:
        if (*json->at != '"')
            return esse_json_expected(json, "a string");
        return esse_json_string_value(json,
                                      which == M_DB ? &r->line.log->db : &r->line.log->isolation);
    }
}

static bool truth(struct reader *r, bool *is)
{
    struct esse_json *json = &r->line.json;
    esse_value value;
    const char c = esse_json_peek(json);
    if (c != 't' && c != 'f')
        return esse_json_expected(json, "true or false");
    *is = c == 't';
    return esse_json_value(json, &value);
}

static bool schema(struct reader *r)
{
    struct esse_json *json = &r->line.json;
    bool ok = esse_json_char(json, '[', "a list of SQL texts");
    for (bool first = true; ok && esse_json_more(json, &first, ']', &ok);) {
        struct esse_log_schema one = { .line = json->source->mark_line };
        if (!log_text(&r->line, "a text of SQL, a string", &one.text))
            return false;
        esse_log_schema_vec_push(&r->line.log->schema, r->line.arena, one);
    }
    return ok;
}

static bool id(struct reader *r, const char *what, esse_value *value)
{
    struct esse_json *json = &r->line.json;
    int64_t number;
    const char c = esse_json_peek(json);
    if (c == '"')
        return esse_json_string_value(json, value);
    if (c != '-' && (c < '0' || c > '9'))
        return esse_json_expected(json, what);
    if (!esse_json_int(json, &number))
        return false;
    *value = esse_value_int(json->values, number);
    return true;
}

static bool order(struct reader *r)
{
    struct esse_json *json = &r->line.json;
    bool ok = esse_json_char(json, '[', "a list of transaction ids");
    for (bool first = true; ok && esse_json_more(json, &first, ']', &ok);) {
        esse_value value;
        if (!id(r, "an id: a string or an integer", &value))
            return false;
        esse_value_vec_push(&r->order, r->scratch, value);
    }
    return ok;
}

static bool certificate(struct reader *r)
{
    static const char *const kinds[] = { "timestamps", "commit-order" };
    unsigned at;
    if (!word(r, kinds, 2, &at, "a certificate of ", "timestamps or commit-order"))
        return false;
    r->line.log->certificate = at ? ESSE_CERTIFICATE_COMMIT_ORDER : ESSE_CERTIFICATE_TIMESTAMPS;
    return true;
}

static bool statements(struct reader *r)
{
    struct esse_json *json = &r->line.json;
    bool ok = esse_json_char(json, '[', "a list of statements");
    r->txn.statements.first = (uint32_t)r->line.log->statements.count;
    for (bool first = true; ok && esse_json_more(json, &first, ']', &ok);)
        if (!log_statement(&r->line))
            return false;
    r->txn.statements.count = (uint32_t)r->line.log->statements.count - r->txn.statements.first;
    return ok;
}

static bool txn_member(struct reader *r, enum member which)
{
    static const char *const statuses[] = { "committed", "aborted", "unknown" };
    struct esse_json *json = &r->line.json;
    unsigned at;
    bool is = false;
    switch (which) {
    case M_SESSION:
        return id(r, "a session: an integer or a string", &r->txn.session);
    case M_TXN:
        return id(r, "a transaction id: a string or an integer", &r->txn.name);
    case M_STATUS:
        if (!word(r, statuses, 3, &at, "status ", "committed, aborted or unknown"))
            return false;
        r->txn.status = (enum esse_status)at;
        return true;
    case M_START:
        return esse_json_int(json, &r->txn.start);
    case M_END:
        return esse_json_int(json, &r->txn.end);
    case M_START_TS:
        return esse_json_int(json, &r->txn.start_ts);
    case M_COMMIT_TS:
        return esse_json_int(json, &r->txn.commit_ts);
    case M_XID:
        return esse_json_int(json, &r->txn.xid);
    case M_WROTE:
        if (!truth(r, &is))
            return false;
        r->txn.wrote = is ? ESSE_LOG_WROTE : ESSE_LOG_WROTE_NOT;
        return true;
    default:
        return statements(r);
    }
}

static bool member(struct reader *r, enum member which)
{
    if (BIT(which) & TXN_BITS)
        return txn_member(r, which);
    switch (which) {
    case M_FOUND_ROWS:
        return truth(r, &r->line.log->found_rows);
    case M_SCHEMA:
        return schema(r);
    case M_TABLE:
        return log_text(&r->line, "the name of a table, a string", &r->table.name);
    case M_COLUMNS:
        return log_strings(&r->line, "a list of names of columns", &r->table.columns);
    case M_ROWS:
        return log_rows(&r->line, &r->table.rows);
    case M_STATEMENT:
        return id(r, "the name of a statement, a string", &r->named.name);
    case M_Q:
        return log_text(&r->line, "a text of SQL, a string", &r->named.text);
    case M_ORDER:
        return order(r);
    case M_CERTIFICATE:
        return certificate(r);
    default:
        return header_member(r, which);
    }
}

static bool scan(struct reader *r)
{
    struct esse_json *json = &r->line.json;
    bool ok = esse_json_char(json, '{', "a line that is a JSON object");
    for (bool first = true; ok && esse_json_more(json, &first, '}', &ok);) {
        struct esse_span name;
        esse_json_peek(json);
        const char *place = json->at;
        if (!esse_json_name(json, &name))
            return false;
        const unsigned which = log_member(name, member_names, M_COUNT);
        if (which == M_COUNT)
            return esse_json_fail(json, place,
                                  "unknown member \"%.*s\"; a line of a log is a header, schema, "
                                  "table, statement, transaction (session, txn, sql, ...), order "
                                  "or certificate",
                                  (int)(name.length < 60 ? name.length : 60), name.at);
        if (r->has & BIT(which))
            return esse_json_fail(json, place, "member \"%s\" is given twice",
                                  member_names[which].at);
        r->has |= BIT(which);
        if (!member(r, (enum member)which))
            return false;
    }
    if (ok && *json->at != '\n' && esse_json_peek(json) != '\n' && json->at < json->source->end)
        return esse_json_expected(json, "the end of the line");
    return ok;
}

/* ---- a complete line ---- */

static uint32_t find_id(const struct reader *r, esse_value name)
{
    struct esse_probe probe = esse_index_probe(&r->ids, esse_hash_word(name.word));
    for (uint32_t at; esse_probe_next(&probe, &at);)
        if (esse_value_eq(r->line.log->txns.at[at].name, name))
            return at;
    return UINT32_MAX;
}

/* The number 12 and the text "12" are one id. */
static esse_value as_id(struct reader *r, esse_value name)
{
    int64_t number;
    char text[24];
    if (!esse_value_as_int(r->line.json.values, name, &number))
        return name;
    const int length = snprintf(text, sizeof text, "%lld", (long long)number);
    return esse_value_string(r->line.json.values, text, (size_t)length);
}

static uint32_t session_number(struct reader *r, esse_value session)
{
    const uint32_t hash = esse_hash_word(session.word);
    struct esse_probe probe = esse_index_probe(&r->sessions, hash);
    for (uint32_t at; esse_probe_next(&probe, &at);)
        if (esse_value_eq(r->session_names.at[at], session))
            return at;
    const uint32_t number = (uint32_t)r->session_names.count;
    esse_index_add(&r->sessions, r->scratch, hash, number);
    esse_value_vec_push(&r->session_names, r->scratch, session);
    esse_u32_vec_push(&r->session_counts, r->scratch, 0);
    return number;
}

/* session/index, where no id was given. */
static esse_value default_id(struct reader *r, uint32_t index)
{
    char room[64], text[96];
    const int length = snprintf(text, sizeof text, "%s/%u",
                                esse_value_brief(r->line.json.values, r->txn.session, room), index);
    return esse_value_string(r->line.json.values, text, (size_t)length);
}

static bool add_txn(struct reader *r, const char *begin)
{
    struct esse_sql_log *log = r->line.log;
    struct esse_json *json = &r->line.json;
    char room[64];
    if (!(r->has & BIT(M_SESSION)) || !(r->has & BIT(M_SQL)) || (r->has & ~TXN_BITS))
        return esse_json_fail(json, begin,
                              "a transaction needs session and sql, and has nothing "
                              "but txn, status, start, end, start_ts, commit_ts, xid "
                              "and wrote beside");
    if (r->txn.start != ESSE_NO_TIME && r->txn.end != ESSE_NO_TIME && r->txn.end < r->txn.start)
        return esse_json_fail(json, begin, "the transaction ends before it starts");
    if ((r->has & BIT(M_XID)) && r->txn.wrote == ESSE_LOG_WROTE_NOT)
        return esse_json_fail(json, begin, "a transaction with an xid wrote something");
    if (r->has & BIT(M_XID))
        r->txn.wrote = ESSE_LOG_WROTE;
    const uint32_t session = session_number(r, r->txn.session);
    uint32_t *count = &r->session_counts.at[session];
    r->txn.name = r->has & BIT(M_TXN) ? as_id(r, r->txn.name) : default_id(r, *count);
    ++*count;
    if (find_id(r, r->txn.name) != UINT32_MAX)
        return esse_json_fail(json, begin, "there are two transactions %s",
                              esse_value_brief(json->values, r->txn.name, room));
    esse_index_add(&r->ids, r->scratch, esse_hash_word(r->txn.name.word),
                   (uint32_t)log->txns.count);
    esse_log_txn_vec_push(&log->txns, r->line.arena, r->txn);
    return true;
}

static bool end_header(struct reader *r, const char *begin, bool is_first)
{
    struct esse_json *json = &r->line.json;
    if (r->has & ~HEADER_BITS)
        return esse_json_fail(json, begin,
                              "a header line holds only esse, version, dialect, db, "
                              "isolation and found_rows");
    if (!(r->has & BIT(M_ESSE)) || !(r->has & BIT(M_VERSION)))
        return esse_json_fail(json, begin, "a header has \"esse\":\"log\" and a version");
    return is_first || esse_json_fail(json, begin, "a header is only the first line");
}

static bool add_table(struct reader *r, const char *begin)
{
    struct esse_log_table *table = &r->table;
    if (r->has & ~(BIT(M_TABLE) | BIT(M_COLUMNS) | BIT(M_ROWS)) || !(r->has & BIT(M_ROWS)))
        return esse_json_fail(&r->line.json, begin,
                              "a table line has table and rows, and may have columns");
    if (table->columns.count && table->rows.count && table->columns.count != table->rows.width)
        return esse_json_fail(&r->line.json, begin, "%u columns, and rows of %u values",
                              table->columns.count, table->rows.width);
    esse_log_table_vec_push(&r->line.log->tables, r->line.arena, *table);
    return true;
}

static bool add_named(struct reader *r, const char *begin)
{
    if (r->has != (BIT(M_STATEMENT) | BIT(M_Q)))
        return esse_json_fail(&r->line.json, begin, "a statement line has statement and q");
    for (size_t i = 0; i < r->names.at.count; i++)
        if (esse_value_eq(r->names.at.at[i].name, r->named.name))
            return esse_json_fail(&r->line.json, begin, "there are two statements of this name");
    log_named_vec_push(&r->names.at, r->scratch, r->named);
    return true;
}

static bool end_line(struct reader *r, const char *begin, bool is_first)
{
    struct esse_json *json = &r->line.json;
    if (r->has & HEADER_BITS)
        return end_header(r, begin, is_first);
    if (r->has & TXN_BITS)
        return add_txn(r, begin);
    if (r->has & BIT(M_TABLE))
        return add_table(r, begin);
    if (r->has & BIT(M_STATEMENT))
        return add_named(r, begin);
    switch (r->has) {
    case BIT(M_SCHEMA):
    case BIT(M_CERTIFICATE):
        return true;
    case BIT(M_ORDER):
        if (r->line.log->has_order)
            return esse_json_fail(json, begin, "there are two order lines");
        r->line.log->has_order = true;
        r->order_line = json->source->mark_line;
        return true;
    default:
        return esse_json_fail(json, begin,
                              "expected a header, schema, table, statement, transaction, order or "
                              "certificate");
    }
}

static bool read_line(struct esse_source *source, struct reader *r, bool *is_first)
{
    struct esse_json *json = &r->line.json;
    r->txn = (struct esse_log_txn){ .name = ESSE_NONE,
                                    .line = source->mark_line,
                                    .start = ESSE_NO_TIME,
                                    .end = ESSE_NO_TIME,
                                    .start_ts = ESSE_NO_TIME,
                                    .commit_ts = ESSE_NO_TIME,
                                    .xid = ESSE_NO_TIME };
    r->table = (struct esse_log_table){ .line = source->mark_line };
    r->has = 0;
    json->depth = 0;
    const char *begin = json->at = source->at;
    if (esse_json_peek(json) != '\n' && json->at < source->end) {
        if (!scan(r) || !end_line(r, begin, *is_first))
            return false;
        *is_first = false;
    }
    source->at = json->at;
    if (source->at < source->end)
        esse_source_next_line(source, ++source->at);
    return true;
}

static bool read_lines(struct esse_source *source, struct reader *r, struct esse_error *err)
{
    bool is_first = true, ok = true;
    source->at = esse_past_mark(source->at, source->end);
    while (ok && (source->at < source->end || !source->last)) {
        const char *end = source->last
                              ? source->end
                              : memrchr(source->at, '\n', (size_t)(source->end - source->at));
        if (!end) {
            ok = esse_source_more(source, err);
            continue;
        }
        /* A newline of its own belongs to the line that it ends. */
        while (ok && source->at < end + !source->last && source->at < source->end)
            ok = read_line(source, r, &is_first);
    }
    return ok;
}

/* The names of the order are transactions that may have committed, each once. */
static bool find_order(struct reader *r, struct esse_error *err)
{
    struct esse_sql_log *log = r->line.log;
    char room[64];
    bool *seen = esse_arena_alloc(r->scratch, log->txns.count + 1, sizeof *seen);
    for (size_t i = 0; i < r->order.count; i++) {
        const esse_value name = as_id(r, r->order.at[i]);
        const uint32_t at = find_id(r, name);
        const char *brief = esse_value_brief(log->values, name, room);
        if (at == UINT32_MAX)
            return esse_fail_at(err, r->order_line, 0,
                                "the order names %s, which is no "
                                "transaction of this log",
                                brief);
        if (seen[at])
            return esse_fail_at(err, r->order_line, 0, "the order names %s twice", brief);
        if (log->txns.at[at].status == ESSE_ABORTED)
            return esse_fail_at(err, r->order_line, 0, "the order names %s, which aborted", brief);
        seen[at] = true;
        esse_u32_vec_push(&log->order, log->arena, at);
    }
    return true;
}

bool esse_log_read(struct esse_arena *arena, struct esse_source *source, struct esse_sql_log **out,
                   struct esse_error *err)
{
    struct esse_sql_log *log = esse_arena_alloc(arena, 1, sizeof *log);
    struct reader *r;
    struct esse_arena *scratch = esse_arena_new();
    *log = (struct esse_sql_log){
        .arena = arena, .values = esse_values_new(arena), .db = ESSE_NONE, .isolation = ESSE_NONE
    };
    r = esse_arena_alloc(scratch, 1, sizeof *r);
    r->line.log = log;
    r->line.arena = arena;
    r->line.names = &r->names;
    r->scratch = scratch;
    esse_json_init(&r->line.json, source, log->values, true, err);
    const bool ok = read_lines(source, r, err) && find_order(r, err);
    esse_arena_free(scratch);
    if (ok)
        *out = log;
    return ok;
}

/* ---- the format ---- */

static bool looks_like_log(const char *at, const char *end)
{
    const char *line = memchr(at, '\n', (size_t)(end - at));
    const size_t length = (size_t)((line ? line : end) - at);
    if (*at != '{')
        return false;
    if (memmem(at, length, "\"esse\"", 6))
        return memmem(at, length, "\"log\"", 5) != NULL;
    return memmem(at, length, "\"sql\":", 6) || memmem(at, length, "\"schema\":", 9);
}

static bool refuse(struct esse_reading *reading, struct esse_error *err)
{
    return esse_source_fail(reading->source, err, reading->source->at,
                            "this is a log of SQL transactions, not a history: esse audit judges "
                            "it");
}

const struct esse_format esse_format_log = {
    .name = "log",
    .summary = "SQL transactions, with their texts and what came back: what esse audit judges",
    .extensions = "",
    .sniff = looks_like_log,
    .read = refuse,
};

bool esse_log_load(struct esse_arena *arena, const char *path, struct esse_budget *budget,
                   struct esse_sql_log **out, struct esse_error *err)
{
    struct esse_source source;
    struct esse_arena *scratch = esse_arena_new();
    bool ok = esse_source_open(&source, scratch, path, budget, err);
    if (ok) {
        const struct esse_format *format = esse_format_sniff(&source);
        if (source.at == source.end || format == &esse_format_log)
            ok = esse_log_read(arena, &source, out, err);
        else
            ok = esse_fail_at(err, 1, 1,
                              "this is no log of SQL transactions%s%s: audit reads logs, check "
                              "reads histories",
                              format ? " but " : "", format ? format->name : "");
        esse_source_close(&source);
    }
    esse_arena_free(scratch);
    return ok;
}
