#include "base/arena.h"
#include "formats/jepsen.h"
#include "formats/json.h"

#include <assert.h>
#include <string.h>

/*
 * Elle's JSON, as elle-cli reads it: one array of operations, where strings stand for keywords.
 * Keys and values stay what they are, integers or strings.
 */
struct reader {
    struct esse_json json;
    struct esse_jepsen jepsen;
    bool open, done; /* the array has begun, has ended */
    char *extras;    /* the other members of the operation, in EDN */
    size_t extras_used, extras_room;
};

/* ---- micro-operations ---- */

static bool read_result(struct reader *r, struct esse_op_record *op)
{
    struct esse_json *json = &r->json;
    struct esse_jepsen *jepsen = &r->jepsen;
    const char c = esse_json_peek(json), *place = json->at;
    if (c != '[') {
        if (!esse_json_value(json, &op->value))
            return false;
        if (!esse_value_eq(op->value, ESSE_NIL))
            esse_jepsen_see(jepsen, ESSE_MOPS + 1, place);
        return true;
    }
    json->at++;
    bool ok = true;
    op->is_list = true;
    op->first = jepsen->items.count;
    for (bool first = true; esse_json_more(json, &first, ']', &ok);) {
        esse_value item;
        if (!esse_json_value(json, &item))
            return false;
        esse_jepsen_items_push(&jepsen->items, jepsen->arena, item);
    }
    op->count = jepsen->items.count - op->first;
    esse_jepsen_see(jepsen, ESSE_MOPS + 2, place);
    return ok;
}

/* What follows the name of a micro-operation.  False without an error: see jepsen->op.problem. */
static bool read_arguments(struct reader *r, enum esse_jepsen_mop mop, const char *place)
{
    struct esse_json *json = &r->json;
    struct esse_op_record *op = esse_jepsen_add(&r->jepsen, mop, place);
    if (esse_json_peek(json) == ']')
        return esse_jepsen_problem(&r->jepsen, json->at, "found ']', expected a key");
    if (!esse_json_char(json, ',', "','") || !esse_json_value(json, &op->key))
        return false;
    if (esse_json_peek(json) == ']') {
        if (mop == ESSE_MOP_READ)
            return true;
        return esse_jepsen_problem(&r->jepsen, json->at, "found ']', expected a value");
    }
    if (!esse_json_char(json, ',', "',' or ']'"))
        return false;
    return mop == ESSE_MOP_READ ? read_result(r, op) : esse_json_value(json, &op->value);
}

static bool unknown_mop(struct reader *r, const char *place, struct esse_span name)
{
    return esse_jepsen_problem(&r->jepsen, place,
                               "found micro-operation \"%.*s\", expected \"r\", \"w\" or "
                               "\"append\"",
                               (int)(name.length < 40 ? name.length : 40), name.at);
}

static bool read_mop(struct reader *r)
{
    struct esse_json *json = &r->json;
    struct esse_span name;
    const char *place = json->at++;
    if (esse_json_peek(json) != '"') {
        if (!*json->at)
            return esse_json_expected(json, "a micro-operation's name");
        return esse_jepsen_problem(&r->jepsen, json->at,
                                   "expected a micro-operation's name, a string");
    }
    const char *name_at = json->at;
    if (!esse_json_string(json, &name))
        return false;
    enum esse_jepsen_mop mop = esse_jepsen_mop_named(name);
    if (mop > ESSE_MOP_APPEND) /* predicates and deletes are Elle's, but not in JSON */
        return unknown_mop(r, name_at, name);
    if (!read_arguments(r, mop, place))
        return false;
    if (esse_json_peek(json) == ',')
        return esse_jepsen_problem(&r->jepsen, json->at, "found ',', expected ']'");
    return esse_json_char(json, ']', "']'");
}

static bool read_mops(struct reader *r)
{
    struct esse_json *json = &r->json;
    bool ok = true;
    json->at++;
    for (bool first = true; esse_json_more(json, &first, ']', &ok);) {
        if (esse_json_peek(json) != '[') {
            if (!*json->at)
                return esse_json_expected(json, "a micro-operation like [\"r\", k, v]");
            return esse_jepsen_problem(&r->jepsen, json->at,
                                       "expected a micro-operation like [\"r\", k, v]");
        }
        if (!read_mop(r))
            return false;
    }
    return ok;
}

/* ---- members of an operation ---- */

static bool is_transaction(struct esse_json *json, bool *empty)
{
    const char *place = json->at;
    bool is = false;
    *empty = false;
    if (esse_json_peek(json) == '[') {
        json->at++;
        char c = esse_json_peek(json);
        *empty = c == ']';
        if (c == '[') {
            json->at++;
            c = esse_json_peek(json);
            is = c == '"' || c == ']';
        }
    }
    json->at = place;
    return is;
}

static bool read_value(struct reader *r)
{
    struct esse_json *json = &r->json;
    struct esse_jepsen_op *op = &r->jepsen.op;
    bool empty;
    const char c = esse_json_peek(json), *place = json->at;
    op->value = c == 'n' ? ESSE_JEPSEN_NO_VALUE : ESSE_JEPSEN_OTHER_VALUE;
    if (is_transaction(json, &empty)) {
        op->value = ESSE_JEPSEN_TXN;
        if (read_mops(r))
            return true;
        if (!op->problem || json->hungry)
            return false;
        json->at = place; /* it means nothing, but it must be well-formed */
    } else if (empty) {
        op->value = ESSE_JEPSEN_EMPTY;
    }
    return esse_json_skip(json);
}

static bool read_type(struct reader *r)
{
    struct esse_span name;
    const char *place = r->json.at;
    if (!esse_json_string(&r->json, &name))
        return false;
    r->jepsen.op.type = esse_jepsen_type_named(name);
    if (r->jepsen.op.type == ESSE_JEPSEN_NO_TYPE)
        return esse_json_fail(&r->json, place,
                              "found type \"%.*s\", expected \"invoke\", \"ok\", \"fail\" or "
                              "\"info\"",
                              (int)(name.length < 40 ? name.length : 40), name.at);
    return true;
}

static bool is_number(char c)
{
    return c == '-' || (c >= '0' && c <= '9');
}

static bool read_process(struct reader *r)
{
    struct esse_jepsen_op *op = &r->jepsen.op;
    const char c = esse_json_peek(&r->json);
    op->process_kind = c == 'n'       ? ESSE_JEPSEN_NO_PROCESS
                       : is_number(c) ? ESSE_JEPSEN_CLIENT
                                      : ESSE_JEPSEN_OTHER_PROCESS;
    return is_number(c) ? esse_json_int(&r->json, &op->process) : esse_json_skip(&r->json);
}

/* An index or time: null and -1 are Jepsen's words for "none". */
static bool read_number(struct reader *r, int64_t *number)
{
    *number = ESSE_NO_TIME;
    if (esse_json_peek(&r->json) == 'n')
        return esse_json_skip(&r->json);
    if (!esse_json_int(&r->json, number))
        return false;
    if (*number == -1)
        *number = ESSE_NO_TIME;
    return true;
}

static bool read_f(struct reader *r)
{
    struct esse_jepsen_op *op = &r->jepsen.op;
    const char *place = r->json.at;
    if (!esse_json_skip(&r->json))
        return false;
    struct esse_span f = { place, (size_t)(r->json.at - place) };
    op->is_txn = f.length == 5 && memcmp(f.at, "\"txn\"", 5) == 0;
    if (*place != 'n')
        op->f = f;
    return true;
}

/* ---- other members ---- */

/* A JSON text that has been checked, as EDN, which is never longer: strings but for the escape \/,
 * and numbers, mean the same; null is nil; ':' and new lines are white space. */
static char *put_edn(char *to, const char *at, const char *end)
{
    bool string = false;
    for (; at < end; at++) {
        if (*at == '"')
            string = !string;
        if (string && *at == '\\') {
            if (at[1] != '/')
                *to++ = *at;
            *to++ = *++at;
        } else if (!string && *at == 'n') {
            memcpy(to, "nil", 3);
            to += 3;
            at += 3;
        } else {
            *to++ = !string && (*at == ':' || *at == '\n' || *at == '\r') ? ' ' : *at;
        }
    }
    return to;
}

static bool is_plain_name(const char *at, const char *end)
{
    for (const char *c = at; c < end; c++)
        if (!((*c | 0x20) >= 'a' && (*c | 0x20) <= 'z') && *c != '-' && *c != '_' &&
            !(*c >= '0' && *c <= '9' && c > at))
            return false;
    return at < end;
}

/* A member that is only kept to be shown.  'name' is the raw text of its name, quotes included. */
static bool read_extra(struct reader *r, struct esse_span name)
{
    struct esse_json *json = &r->json;
    const char *from = json->at, *name_end = name.at + name.length;
    if (!esse_json_skip(json))
        return false;
    const size_t need = (size_t)(json->source->end - r->jepsen.op.place);
    if (r->extras_room < need) {
        /* It is made only as large as all that may follow, so it does not move under the spans
         * of an operation's earlier members: those were there when it was made. */
        assert(!r->extras_used);
        r->extras = esse_arena_grow(r->jepsen.arena, r->extras, need);
        r->extras_room = need;
    }
    char *to = r->extras + r->extras_used;
    struct esse_extra extra = { .name.at = to };
    if (is_plain_name(name.at + 1, name_end - 1)) {
        *to++ = ':';
        memcpy(to, name.at + 1, name.length - 2);
        to += name.length - 2;
    } else {
        to = put_edn(to, name.at, name_end);
    }
    extra.name.length = (size_t)(to - extra.name.at);
    extra.text.at = to;
    to = put_edn(to, from, json->at);
    extra.text.length = (size_t)(to - extra.text.at);
    r->extras_used = (size_t)(to - r->extras);
    return esse_jepsen_extra(&r->jepsen, name.at, extra.name, extra.text);
}

enum member { TYPE, PROCESS, F, VALUE, INDEX, TIME, EXTRA };

static enum member member_named(struct esse_span name)
{
    static const char *const names[] = { "type", "process", "f", "value", "index", "time" };
    for (int i = 0; i < EXTRA; i++)
        if (strlen(names[i]) == name.length && memcmp(names[i], name.at, name.length) == 0)
            return (enum member)i;
    return EXTRA;
}

static bool read_member(struct reader *r, unsigned *had)
{
    struct esse_json *json = &r->json;
    struct esse_span name, raw = { .at = json->at };
    if (esse_json_peek(json) != '"')
        return esse_json_expected(json, "a member name");
    raw.at = json->at;
    if (!esse_json_string(json, &name))
        return false;
    raw.length = (size_t)(json->at - raw.at);
    enum member member = member_named(name);
    if (member != EXTRA && (*had & 1u << member))
        return esse_json_fail(json, raw.at, "the operation has member %.*s twice", (int)raw.length,
                              raw.at);
    *had |= 1u << member;
    if (!esse_json_char(json, ':', "':'"))
        return false;
    esse_json_peek(json);
    switch (member) {
    case TYPE:
        return read_type(r);
    case PROCESS:
        return read_process(r);
    case F:
        return read_f(r);
    case VALUE:
        return read_value(r);
    case INDEX:
        return read_number(r, &r->jepsen.op.index);
    case TIME:
        return read_number(r, &r->jepsen.op.time);
    default:
        return read_extra(r, raw);
    }
}

/* ---- operations ---- */

static bool read_op(struct reader *r)
{
    struct esse_json *json = &r->json;
    unsigned had = 0;
    bool ok = true;
    if (esse_json_peek(json) != '{')
        return esse_json_expected(json, "an operation, an object");
    esse_jepsen_begin(&r->jepsen, json->at);
    r->extras_used = 0;
    json->at++;
    for (bool first = true; esse_json_more(json, &first, '}', &ok);)
        if (!read_member(r, &had))
            return false;
    return ok;
}

/* One step: the array's bracket, or an operation and the comma before it. */
static bool read_step(struct reader *r)
{
    struct esse_json *json = &r->json;
    const char c = esse_json_peek(json);
    if (r->done)
        return esse_json_expected(json, "nothing after the history");
    if (!r->open) {
        if (!esse_json_char(json, '[', "'[', an array of operations"))
            return false;
        r->open = true;
        return true;
    }
    if (c == ']') {
        json->at++;
        r->done = true;
        return true;
    }
    if (r->jepsen.position && !esse_json_char(json, ',', "',' or ']'"))
        return false;
    return read_op(r) && esse_jepsen_take(&r->jepsen);
}

static bool at_end(struct reader *r)
{
    const struct esse_source *source = r->json.source;
    return r->done && !esse_json_peek(&r->json) && r->json.at >= source->end && source->last;
}

static bool read_all(struct reader *r, struct esse_error *err)
{
    struct esse_source *source = r->json.source;
    while (r->json.at = source->at, !at_end(r)) {
        r->json.hungry = false;
        r->json.depth = 0;
        if (read_step(r))
            source->at = r->json.at;
        else if (!r->json.hungry || !esse_source_more(source, err))
            return false;
    }
    return esse_jepsen_finish(&r->jepsen);
}

static bool read_elle_json(struct esse_reading *reading, struct esse_error *err)
{
    struct reader r = { 0 };
    struct esse_source *source = reading->source;
    source->at = esse_past_mark(source->at, source->end);
    esse_json_init(&r.json, source, reading->sink->values, false, err);
    esse_jepsen_init(&r.jepsen, reading, err);
    bool ok = read_all(&r, err);
    esse_jepsen_release(&r.jepsen);
    esse_arena_drop(source->arena, r.extras);
    esse_arena_drop(source->arena, r.json.scratch);
    return ok;
}

static const char *pass_space(const char *at, const char *end)
{
    while (at < end && strchr(" \t\r\n", *at) && *at)
        at++;
    return at;
}

static bool looks_like_elle_json(const char *at, const char *end)
{
    at = esse_past_mark(at, end);
    at = pass_space(at, end);
    if (at == end || *at != '[')
        return false;
    at = pass_space(at + 1, end);
    if (at == end || *at != '{')
        return false;
    at = pass_space(at + 1, end);
    return at < end && *at == '"';
}

const struct esse_format esse_format_elle_json = {
    .name = "elle-json",
    .summary = "Elle histories in JSON: one array of operations, as elle-cli reads it",
    .extensions = ".json",
    .sniff = looks_like_elle_json,
    .read = read_elle_json,
};
