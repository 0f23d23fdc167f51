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
    struct esse_jepsen_walk walk;
    struct esse_jepsen jepsen;
    char *extras; /* the other members of the operation, in EDN */
    size_t extras_used, extras_room;
};

/* ---- micro-operations ---- */

static bool read_result(struct reader *r, struct esse_op_record *op)
{
    struct esse_json *json = &r->walk.json;
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
    struct esse_json *json = &r->walk.json;
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
    struct esse_json *json = &r->walk.json;
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
    struct esse_json *json = &r->walk.json;
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
    struct esse_json *json = &r->walk.json;
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
    const char *place = r->walk.json.at;
    if (!esse_json_string(&r->walk.json, &name))
        return false;
    r->jepsen.op.type = esse_jepsen_type_named(name);
    if (r->jepsen.op.type == ESSE_JEPSEN_NO_TYPE)
        return esse_json_fail(&r->walk.json, place,
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
    const char c = esse_json_peek(&r->walk.json);
    op->process_kind = c == 'n'       ? ESSE_JEPSEN_NO_PROCESS
                       : is_number(c) ? ESSE_JEPSEN_CLIENT
                                      : ESSE_JEPSEN_OTHER_PROCESS;
    return is_number(c) ? esse_json_int(&r->walk.json, &op->process)
                        : esse_json_skip(&r->walk.json);
}

/* An index or time: null and -1 are Jepsen's words for "none". */
static bool read_number(struct reader *r, int64_t *number)
{
    *number = ESSE_NO_TIME;
    if (esse_json_peek(&r->walk.json) == 'n')
        return esse_json_skip(&r->walk.json);
    if (!esse_json_int(&r->walk.json, number))
        return false;
    if (*number == -1)
        *number = ESSE_NO_TIME;
    return true;
}

static bool read_f(struct reader *r)
{
    struct esse_jepsen_op *op = &r->jepsen.op;
    const char *place = r->walk.json.at;
    if (!esse_json_skip(&r->walk.json))
        return false;
    struct esse_span f = { place, (size_t)(r->walk.json.at - place) };
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
    struct esse_json *json = &r->walk.json;
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

static bool read_member(struct esse_jepsen_walk *walk, enum esse_jepsen_member member,
                        struct esse_span name)
{
    struct reader *r = (struct reader *)walk;
    switch (member) {
    case ESSE_MEMBER_TYPE:
        return read_type(r);
    case ESSE_MEMBER_PROCESS:
        return read_process(r);
    case ESSE_MEMBER_F:
        return read_f(r);
    case ESSE_MEMBER_VALUE:
        return read_value(r);
    case ESSE_MEMBER_INDEX:
        return read_number(r, &r->jepsen.op.index);
    case ESSE_MEMBER_TIME:
        return read_number(r, &r->jepsen.op.time);
    case ESSE_MEMBER_EXTRA:
        break;
    }
    return read_extra(r, name);
}

/* ---- operations ---- */

static void begin_op(struct esse_jepsen_walk *walk, const char *place)
{
    struct reader *r = (struct reader *)walk;
    r->extras_used = 0;
    esse_jepsen_begin(&r->jepsen, place);
}

static bool take_op(struct esse_jepsen_walk *walk)
{
    return esse_jepsen_take(&((struct reader *)walk)->jepsen);
}

static bool read_elle_json(struct esse_reading *reading, struct esse_error *err)
{
    struct reader r = { .walk = { .begin = begin_op, .member = read_member, .take = take_op } };
    esse_jepsen_init(&r.jepsen, reading, err);
    const bool ok = esse_jepsen_walk_json(&r.walk, reading->source, reading->sink->values, err) &&
                    esse_jepsen_finish(&r.jepsen);
    esse_jepsen_release(&r.jepsen);
    esse_arena_drop(reading->source->arena, r.extras);
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
