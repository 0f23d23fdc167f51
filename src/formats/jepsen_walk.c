#include "formats/jepsen_walk.h"

#include "base/arena.h"

#include <stdio.h>
#include <string.h>

/* By enum esse_jepsen_member. */
static const char *const member_names[] = { "type", "process", "f", "value", "index", "time" };

static enum esse_jepsen_member member_named(struct esse_span name)
{
    for (int i = 0; i < ESSE_MEMBER_EXTRA; i++)
        if (esse_span_is(name, member_names[i]))
            return (enum esse_jepsen_member)i;
    return ESSE_MEMBER_EXTRA;
}

static bool comes_twice(enum esse_jepsen_member member, unsigned *had)
{
    const unsigned before = *had;
    *had |= 1u << member;
    return member != ESSE_MEMBER_EXTRA && (before & 1u << member);
}

/* ---- EDN ---- */

/* A member's name as Clojure prints it, with a space behind it, which is nearly every one. */
static enum esse_jepsen_member plain_member(const char *at, unsigned *length)
{
    switch (at[1]) {
    case 't':
        if (memcmp(at, ":type ", 6) == 0)
            return *length = 5, ESSE_MEMBER_TYPE;
        return memcmp(at, ":time ", 6) == 0 ? *length = 5, ESSE_MEMBER_TIME : ESSE_MEMBER_EXTRA;
    case 'p':
        return memcmp(at, ":process ", 9) == 0                       ? *length = 8,
                                                 ESSE_MEMBER_PROCESS : ESSE_MEMBER_EXTRA;
    case 'f':
        return at[2] == ' ' ? *length = 2, ESSE_MEMBER_F : ESSE_MEMBER_EXTRA;
    case 'v':
        return memcmp(at, ":value ", 7) == 0 ? *length = 6, ESSE_MEMBER_VALUE : ESSE_MEMBER_EXTRA;
    case 'i':
        return memcmp(at, ":index ", 7) == 0 ? *length = 6, ESSE_MEMBER_INDEX : ESSE_MEMBER_EXTRA;
    default:
        return ESSE_MEMBER_EXTRA;
    }
}

/* The member's name at edn->at, which is passed, and which member that is. */
static bool read_edn_name(struct esse_edn *edn, enum esse_jepsen_member *member,
                          struct esse_span *name)
{
    const char *place = edn->at;
    unsigned length = 0;
    *member = *place == ':' ? plain_member(place, &length) : ESSE_MEMBER_EXTRA;
    if (*member != ESSE_MEMBER_EXTRA) {
        edn->at += length;
        *name = (struct esse_span){ place, length };
        return true;
    }
    if (!esse_edn_skip(edn))
        return false;
    *name = (struct esse_span){ place, (size_t)(edn->at - place) };
    if (*place == ':')
        *member = member_named((struct esse_span){ place + 1, name->length - 1 });
    return true;
}

static bool read_edn_member(struct esse_jepsen_walk *walk, unsigned *had)
{
    struct esse_edn *edn = &walk->edn;
    struct esse_span name;
    enum esse_jepsen_member member;
    if (!read_edn_name(edn, &member, &name))
        return false;
    if (comes_twice(member, had))
        return esse_edn_fail(edn, name.at, "the operation has member %.*s twice", (int)name.length,
                             name.at);
    if (esse_edn_peek(edn) == '}')
        return esse_edn_expected(edn, "a value for the map's last key");
    return walk->member(walk, member, name);
}

static bool read_edn_op(struct esse_jepsen_walk *walk)
{
    struct esse_edn *edn = &walk->edn;
    const char *outer;
    unsigned had = 0;
    walk->begin(walk, edn->at);
    if (!esse_edn_pass_tags(edn))
        return false;
    if (esse_edn_peek(edn) != '{')
        return esse_edn_expected(edn, "an operation map like {:type :ok, ...}");
    if (!esse_edn_enter(edn, &outer))
        return false;
    while (esse_edn_peek(edn) != '}') {
        if (!*edn->at || *edn->at == ']' || *edn->at == ')')
            return esse_edn_expected(edn, "a member of the operation or '}'");
        if (!read_edn_member(walk, &had))
            return false;
    }
    edn->at++;
    esse_edn_leave(edn, outer);
    return !walk->end || walk->end(walk);
}

static bool at_edn_end(struct esse_jepsen_walk *walk, bool *has_ended)
{
    struct esse_edn *edn = &walk->edn;
    char text[80];
    if (walk->close && !walk->is_done) {
        snprintf(text, sizeof text, "an operation or '%c'; the %s began at %llu:%llu", walk->close,
                 walk->close == ']' ? "vector" : "list", (unsigned long long)walk->open_line,
                 (unsigned long long)walk->open_column);
        return esse_edn_expected(edn, text);
    }
    edn->hungry = !edn->source->last;
    *has_ended = edn->source->last;
    return false;
}

/* Between operations: true if one follows; false if a bracket was passed, the input has ended, or
 * there was an error. */
static bool at_edn_op(struct esse_jepsen_walk *walk, bool *has_ended)
{
    struct esse_edn *edn = &walk->edn;
    const char c = esse_edn_peek(edn);
    if (edn->failed || edn->hungry)
        return false;
    if (c == '\0' && edn->at >= edn->source->end)
        return at_edn_end(walk, has_ended);
    if (walk->is_done)
        return esse_edn_expected(edn, "nothing after the history");
    if (walk->close && c == walk->close) {
        walk->is_done = true;
        edn->at++;
        return false;
    }
    if ((c == '[' || c == '(') && !walk->close && !walk->taken) {
        walk->close = c == '[' ? ']' : ')';
        walk->open_line = esse_source_line(edn->source, edn->at);
        walk->open_column = edn->source->mark_column;
        edn->at++;
        return false;
    }
    return true;
}

static bool take(struct esse_jepsen_walk *walk)
{
    walk->taken++;
    return walk->take(walk);
}

/* Once. */
static bool go_on(struct esse_jepsen_walk *walk)
{
    bool (*read)(struct esse_jepsen_walk *) = walk->go_on;
    walk->go_on = NULL;
    return read(walk);
}

static bool read_edn(struct esse_jepsen_walk *walk)
{
    struct esse_edn *edn = &walk->edn;
    struct esse_source *source = edn->source;
    for (bool has_ended = false; !has_ended;) {
        if (walk->go_on && walk->taken && !go_on(walk))
            return false;
        esse_edn_start(edn);
        if (at_edn_op(walk, &has_ended)) {
            source->at = edn->at; /* what came before need not be read again */
            if (read_edn_op(walk) && !take(walk))
                return false;
        }
        if (edn->failed)
            return false;
        if (!edn->hungry)
            source->at = edn->at;
        else if (!esse_source_more(source, edn->err))
            return false;
    }
    return true;
}

bool esse_jepsen_walk_edn(struct esse_jepsen_walk *walk, struct esse_source *source,
                          struct esse_values *values, struct esse_error *err)
{
    source->at = esse_past_mark(source->at, source->end);
    esse_edn_init(&walk->edn, source, values, err);
    const bool ok = read_edn(walk);
    esse_edn_release(&walk->edn);
    return ok;
}

void esse_jepsen_walk_lines(struct esse_jepsen_walk *walk, struct esse_source *lines,
                            struct esse_values *values)
{
    struct esse_edn *edn = &walk->edn;
    struct esse_error ignored;
    bool has_ended = false;
    esse_edn_init(edn, lines, values, &ignored);
    walk->taken = 1;     /* the first of all: no bracket opens a vector here */
    lines->last = false; /* what does not end here may end in the next lines */
    for (;;) {
        esse_edn_start(edn);
        if (!at_edn_op(walk, &has_ended) || !read_edn_op(walk) || !take(walk))
            break;
        lines->at = edn->at;
    }
    const char *left = lines->at;
    while (left < lines->end && (esse_edn_class_of(*left) & ESSE_EDN_SPACE))
        left++;
    if (left == lines->end)
        lines->at = left;
    esse_edn_release(edn);
}

/* ---- JSON ---- */

static bool read_json_member(struct esse_jepsen_walk *walk, unsigned *had)
{
    struct esse_json *json = &walk->json;
    struct esse_span text;
    if (esse_json_peek(json) != '"')
        return esse_json_expected(json, "a member name");
    const char *place = json->at;
    if (!esse_json_string(json, &text))
        return false;
    const struct esse_span name = { place, (size_t)(json->at - place) };
    const enum esse_jepsen_member member = member_named(text);
    if (comes_twice(member, had))
        return esse_json_fail(json, place, "the operation has member %.*s twice", (int)name.length,
                              name.at);
    if (!esse_json_char(json, ':', "':'"))
        return false;
    esse_json_peek(json);
    return walk->member(walk, member, name);
}

static bool read_json_op(struct esse_jepsen_walk *walk)
{
    struct esse_json *json = &walk->json;
    unsigned had = 0;
    bool ok = true;
    if (esse_json_peek(json) != '{')
        return esse_json_expected(json, "an operation, an object");
    walk->begin(walk, json->at++);
    for (bool first = true; esse_json_more(json, &first, '}', &ok);)
        if (!read_json_member(walk, &had))
            return false;
    return ok;
}

/* One step: the array's bracket, or an operation and the comma before it. */
static bool read_json_step(struct esse_jepsen_walk *walk)
{
    struct esse_json *json = &walk->json;
    const char c = esse_json_peek(json);
    if (walk->is_done)
        return esse_json_expected(json, "nothing after the history");
    if (!walk->close) {
        walk->close = esse_json_char(json, '[', "'[', an array of operations") ? ']' : 0;
        return walk->close;
    }
    if (c == walk->close) {
        json->at++;
        walk->is_done = true;
        return true;
    }
    if (walk->taken && !esse_json_char(json, ',', "',' or ']'"))
        return false;
    return read_json_op(walk) && take(walk);
}

static bool at_json_end(struct esse_jepsen_walk *walk)
{
    const struct esse_source *source = walk->json.source;
    return walk->is_done && !esse_json_peek(&walk->json) && walk->json.at >= source->end &&
           source->last;
}

bool esse_jepsen_walk_json(struct esse_jepsen_walk *walk, struct esse_source *source,
                           struct esse_values *values, struct esse_error *err)
{
    struct esse_json *json = &walk->json;
    bool ok = true;
    source->at = esse_past_mark(source->at, source->end);
    esse_json_init(json, source, values, false, err);
    while (json->at = source->at, ok && !at_json_end(walk)) {
        json->hungry = false;
        json->depth = 0;
        if (read_json_step(walk))
            source->at = json->at;
        else
            ok = json->hungry && esse_source_more(source, err);
    }
    esse_arena_drop(source->arena, json->scratch);
    return ok;
}

/* ---- both ---- */

bool esse_jepsen_order_take(struct esse_jepsen_order *order, struct esse_source *source,
                            const char *place, int64_t *index, struct esse_error *err)
{
    const uint64_t position = order->position++;
    if (!position)
        order->is_indexed = *index != ESSE_NO_TIME;
    if (!order->is_indexed) {
        *index = (int64_t)position;
        return true;
    }
    if (*index == ESSE_NO_TIME)
        return esse_source_fail(source, err, place,
                                "the operation has no :index, but the first operation has one");
    if (position && *index <= order->last)
        return esse_source_fail(source, err, place,
                                "found :index %lld after :index %lld, expected them to ascend",
                                (long long)*index, (long long)order->last);
    order->last = *index;
    return true;
}
