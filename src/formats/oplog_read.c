#include "formats/oplog_read.h"

#include "base/arena.h"
#include "formats/edn_around.h"
#include "formats/formats.h"
#include "formats/jepsen.h"
#include "formats/json.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* What both syntaxes have in common: the operation that is being read. */
struct taking {
    struct esse_source *source;
    struct esse_oplog *log;
    struct esse_error *err;
    const char *place; /* where the operation begins */
    struct esse_log_record op;
    bool has_type, is_client;
    uint64_t position;
    bool indexed;
    int64_t last_index;
};

enum member { TYPE, PROCESS, F, VALUE, INDEX, TIME, EXTRA };

static enum member member_named(const char *name, size_t length)
{
    static const char *const names[] = { "type", "process", "f", "value", "index", "time" };
    for (int i = 0; i < EXTRA; i++)
        if (length == strlen(names[i]) && memcmp(name, names[i], length) == 0)
            return (enum member)i;
    return EXTRA;
}

static void begin_op(struct taking *taking, const char *place)
{
    taking->place = place;
    taking->has_type = false;
    taking->is_client = true;
    taking->op = (struct esse_log_record){ .process = ESSE_NONE,
                                           .f = ESSE_NONE,
                                           .value = ESSE_NIL,
                                           .index = ESSE_NO_TIME,
                                           .time = ESSE_NO_TIME };
}

/* ---- members, as values ---- */

static bool take_type(struct taking *taking, esse_value value)
{
    char room[8];
    const struct esse_values *values = taking->log->values;
    enum esse_value_kind kind = esse_value_kind(values, value);
    if (kind != ESSE_KIND_KEYWORD && kind != ESSE_KIND_STRING)
        return false;
    enum esse_jepsen_type type = esse_jepsen_type_named(esse_value_text(values, value, room));
    taking->has_type = type != ESSE_JEPSEN_NO_TYPE;
    if (taking->has_type)
        taking->op.type = (enum esse_oplog_type)(type - ESSE_JEPSEN_INVOKE);
    return taking->has_type;
}

static void take_process(struct taking *taking, esse_value value)
{
    enum esse_value_kind kind = esse_value_kind(taking->log->values, value);
    taking->is_client = kind == ESSE_KIND_INT || kind == ESSE_KIND_NIL;
    if (kind == ESSE_KIND_INT)
        taking->op.process = value;
}

/* An index or time: nil and -1 are Jepsen's words for "none". */
static bool take_number(struct taking *taking, esse_value value, int64_t *number)
{
    *number = ESSE_NO_TIME;
    if (esse_value_eq(value, ESSE_NIL))
        return true;
    if (!esse_value_as_int(taking->log->values, value, number))
        return false;
    if (*number == -1)
        *number = ESSE_NO_TIME;
    return true;
}

static esse_value without_tags(const struct esse_values *values, esse_value value)
{
    uint32_t count;
    while (esse_value_kind(values, value) == ESSE_KIND_TAGGED)
        value = esse_value_parts(values, value, &count)[1];
    return value;
}

/* Stores the member.  NULL, or what was expected of it. */
static const char *take_member(struct taking *taking, enum member member, esse_value value)
{
    switch (member) {
    case TYPE:
        return take_type(taking, value) ? NULL : "invoke, ok, fail or info";
    case PROCESS:
        take_process(taking, value);
        return NULL;
    case F:
        taking->op.f = value;
        return NULL;
    case VALUE:
        taking->op.value = without_tags(taking->log->values, value);
        return NULL;
    case INDEX:
        return take_number(taking, value, &taking->op.index) ? NULL : "an integer of 64 bits";
    case TIME:
        return take_number(taking, value, &taking->op.time) ? NULL : "an integer of 64 bits";
    case EXTRA:
        break;
    }
    return NULL;
}

/* ---- operations ---- */

static bool take_index(struct taking *taking)
{
    struct esse_log_record *op = &taking->op;
    const uint64_t position = taking->position++;
    if (!position)
        taking->indexed = op->index != ESSE_NO_TIME;
    if (!taking->indexed) {
        op->index = (int64_t)position;
        return true;
    }
    if (op->index == ESSE_NO_TIME)
        return esse_source_fail(taking->source, taking->err, taking->place,
                                "the operation has no :index, but the first operation has one");
    if (position && op->index <= taking->last_index)
        return esse_source_fail(taking->source, taking->err, taking->place,
                                "found :index %lld after :index %lld, expected them to ascend",
                                (long long)op->index, (long long)taking->last_index);
    taking->last_index = op->index;
    return true;
}

static bool take_op(struct taking *taking)
{
    taking->op.line = esse_source_line(taking->source, taking->place);
    taking->op.column = taking->source->mark_column;
    if (!taking->has_type)
        return esse_source_fail(
            taking->source, taking->err, taking->place,
            "the operation has no :type, expected :invoke, :ok, :fail or :info");
    if (!take_index(taking))
        return false;
    if (taking->log->count == UINT32_MAX / 2)
        return esse_source_fail(taking->source, taking->err, taking->place,
                                "the history has more than %u operations", UINT32_MAX / 2);
    if (taking->is_client)
        esse_oplog_add(taking->log, &taking->op);
    else
        esse_oplog_doubt(taking->log, ESSE_DOUBT_NOT_A_CLIENT, taking->op.line);
    return true;
}

/* ---- EDN ---- */

struct edn_reader {
    struct esse_edn edn;
    struct taking taking;
    struct esse_edn_around around;
};

static bool read_edn_member(struct edn_reader *r, unsigned *had)
{
    struct esse_edn *edn = &r->edn;
    const char *name = edn->at;
    char room[48];
    if (!esse_edn_skip(edn))
        return false;
    const size_t length = (size_t)(edn->at - name);
    enum member member = *name == ':' ? member_named(name + 1, length - 1) : EXTRA;
    if (member != EXTRA && (*had & 1u << member))
        return esse_edn_fail(edn, name, "the operation has member %.*s twice", (int)length, name);
    *had |= 1u << member;
    if (esse_edn_peek(edn) == '}')
        return esse_edn_expected(edn, "a value for the map's last key");
    if (member == EXTRA)
        return esse_edn_skip(edn);
    esse_value value;
    const char *place = edn->at;
    if (!esse_edn_value(edn, &value))
        return false;
    const char *expected = take_member(&r->taking, member, value);
    return !expected || esse_edn_fail(edn, place, "found %.*s %s, expected %s", (int)length, name,
                                      esse_edn_quote(edn, place, room), expected);
}

static bool read_edn_op(struct edn_reader *r)
{
    struct esse_edn *edn = &r->edn;
    const char *outer;
    unsigned had = 0;
    begin_op(&r->taking, edn->at);
    if (!esse_edn_pass_tags(edn))
        return false;
    if (esse_edn_peek(edn) != '{')
        return esse_edn_expected(edn, "an operation map like {:type :ok, ...}");
    if (!esse_edn_enter(edn, &outer))
        return false;
    while (esse_edn_peek(edn) != '}') {
        if (!*edn->at || *edn->at == ']' || *edn->at == ')')
            return esse_edn_expected(edn, "a member of the operation or '}'");
        if (!read_edn_member(r, &had))
            return false;
    }
    edn->at++;
    esse_edn_leave(edn, outer);
    return true;
}

static bool read_edn_all(struct edn_reader *r)
{
    struct esse_source *source = r->edn.source;
    for (bool ended = false; !ended;) {
        esse_edn_start(&r->edn);
        if (esse_edn_at_operation(&r->edn, &r->around, !r->taking.position, &ended)) {
            source->at = r->edn.at; /* what came before need not be read again */
            if (read_edn_op(r) && !take_op(&r->taking))
                return false;
        }
        if (r->edn.failed)
            return false;
        if (!r->edn.hungry)
            source->at = r->edn.at;
        else if (!esse_source_more(source, r->taking.err))
            return false;
    }
    return true;
}

static bool read_edn(struct taking *taking)
{
    struct edn_reader r = { .taking = *taking };
    esse_edn_init(&r.edn, taking->source, taking->log->values, taking->err);
    bool ok = read_edn_all(&r);
    esse_edn_release(&r.edn);
    return ok;
}

/* ---- JSON ---- */

struct json_reader {
    struct esse_json json;
    struct taking taking;
    bool open, done;
};

/* Strings stand for keywords in f: bank and friends are the same in both syntaxes. */
static esse_value as_keyword(struct esse_values *values, esse_value value)
{
    char room[8];
    if (esse_value_kind(values, value) != ESSE_KIND_STRING)
        return value;
    struct esse_span text = esse_value_text(values, value, room);
    return esse_value_keyword(values, text.at, text.length);
}

static bool read_json_member(struct json_reader *r, unsigned *had)
{
    struct esse_json *json = &r->json;
    struct esse_span name;
    esse_value value;
    if (esse_json_peek(json) != '"')
        return esse_json_expected(json, "a member name");
    const char *place = json->at;
    if (!esse_json_string(json, &name))
        return false;
    const size_t length = (size_t)(json->at - place);
    enum member member = member_named(name.at, name.length);
    if (member != EXTRA && (*had & 1u << member))
        return esse_json_fail(json, place, "the operation has member %.*s twice", (int)length,
                              place);
    *had |= 1u << member;
    if (!esse_json_char(json, ':', "':'"))
        return false;
    esse_json_peek(json);
    const char *value_at = json->at;
    if (member == EXTRA)
        return esse_json_skip(json);
    if (!esse_json_value(json, &value))
        return false;
    if (member == F)
        value = as_keyword(json->values, value);
    const char *expected = take_member(&r->taking, member, value);
    const size_t found = (size_t)(json->at - value_at);
    return !expected || esse_json_fail(json, value_at, "found %.*s %.*s, expected %s", (int)length,
                                       place, (int)(found < 40 ? found : 40), value_at, expected);
}

static bool read_json_op(struct json_reader *r)
{
    struct esse_json *json = &r->json;
    unsigned had = 0;
    bool ok = true;
    if (esse_json_peek(json) != '{')
        return esse_json_expected(json, "an operation, an object");
    begin_op(&r->taking, json->at);
    json->at++;
    for (bool first = true; esse_json_more(json, &first, '}', &ok);)
        if (!read_json_member(r, &had))
            return false;
    return ok;
}

/* One step: the array's bracket, or an operation and the comma before it. */
static bool read_json_step(struct json_reader *r)
{
    struct esse_json *json = &r->json;
    const char c = esse_json_peek(json);
    if (r->done)
        return esse_json_expected(json, "nothing after the history");
    if (!r->open) {
        r->open = esse_json_char(json, '[', "'[', an array of operations");
        return r->open;
    }
    if (c == ']') {
        json->at++;
        r->done = true;
        return true;
    }
    if (r->taking.position && !esse_json_char(json, ',', "',' or ']'"))
        return false;
    return read_json_op(r) && take_op(&r->taking);
}

static bool at_json_end(struct json_reader *r)
{
    const struct esse_source *source = r->json.source;
    return r->done && !esse_json_peek(&r->json) && r->json.at >= source->end && source->last;
}

static bool read_json(struct taking *taking)
{
    struct json_reader r = { .taking = *taking };
    struct esse_source *source = taking->source;
    bool ok = true;
    esse_json_init(&r.json, source, taking->log->values, false, taking->err);
    while (r.json.at = source->at, ok && !at_json_end(&r)) {
        r.json.hungry = false;
        r.json.depth = 0;
        if (read_json_step(&r))
            source->at = r.json.at;
        else
            ok = r.json.hungry && esse_source_more(source, taking->err);
    }
    esse_arena_drop(source->arena, r.json.scratch);
    return ok;
}

/* ---- both ---- */

static const struct esse_format *choose(const struct esse_source *source, const char *name,
                                        struct esse_error *err)
{
    const struct esse_format *format = name ? esse_format_find(name) : esse_format_sniff(source);
    if (source->at == source->end && !name)
        return &esse_format_jepsen_edn; /* nothing at all: an empty history in any format */
    if (format == &esse_format_jepsen_edn || format == &esse_format_elle_json)
        return format;
    if (name) {
        esse_fail(err, ESSE_EUSAGE, "unknown format '%s'; known are jepsen-edn and elle-json",
                  name);
        return NULL;
    }
    esse_fail_at(err, 1, 1,
                 "%s; expected Jepsen EDN or a JSON array of operations (--format names one)",
                 format ? "this looks like a history of transactions, which 'esse check' checks"
                        : "the format is not recognised");
    return NULL;
}

bool esse_oplog_read(struct esse_arena *arena, struct esse_source *source, const char *format,
                     struct esse_oplog **out, struct esse_error *err)
{
    const struct esse_format *chosen = choose(source, format, err);
    if (!chosen)
        return false;
    source->at = esse_past_mark(source->at, source->end);
    struct taking taking = { .source = source, .err = err };
    taking.log = esse_oplog_new(arena, esse_values_new(arena));
    if (!(chosen == &esse_format_jepsen_edn ? read_edn(&taking) : read_json(&taking)))
        return false;
    esse_oplog_freeze(taking.log, chosen->name);
    *out = taking.log;
    return true;
}

bool esse_oplog_load(struct esse_arena *arena, const char *path, const char *format,
                     struct esse_budget *budget, struct esse_oplog **out, struct esse_error *err)
{
    esse_budget_start(budget);
    struct esse_arena *scratch = esse_arena_new();
    struct esse_source source;
    bool ok = esse_source_open(&source, scratch, path, budget, err);
    if (ok) {
        ok = esse_oplog_read(arena, &source, format, out, err);
        esse_source_close(&source);
    }
    esse_arena_free(scratch);
    return ok;
}
