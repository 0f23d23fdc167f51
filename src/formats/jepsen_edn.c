#include "base/arena.h"
#include "formats/jepsen_mops.h"
#include "history/value_edn.h"

#include <string.h>

/*
 * Jepsen's history.edn: a stream of operation maps, or one vector or list of them.
 *
 * An operation is read where it stands.  Nothing is stored until its last bracket has been seen,
 * so when the window ends within it, it is simply read again from its beginning.
 */

/* ---- members of an operation ---- */

static bool read_value(struct esse_jepsen_edn *r)
{
    struct esse_edn *edn = &r->edn;
    struct esse_jepsen_op *op = &r->jepsen.op;
    bool empty = false;
    if (!esse_edn_pass_tags(edn))
        return false;
    const char *place = edn->at, *open = edn->open;
    const int depth = edn->depth;
    op->value = ESSE_JEPSEN_OTHER_VALUE;
    if (esse_jepsen_edn_is_txn(edn, &empty)) {
        op->value = ESSE_JEPSEN_TXN;
        if (esse_jepsen_edn_mops(r))
            return true;
        if (edn->failed || edn->hungry)
            return false;
        /* It is well-formed so far but means nothing: the rest must be well-formed too. */
        edn->at = place;
        edn->open = open;
        edn->depth = depth;
    } else if (empty) {
        op->value = ESSE_JEPSEN_EMPTY;
    }
    if (!esse_edn_skip(edn))
        return false;
    if (*place == 'n' && edn->at - place == 3 && memcmp(place, "nil", 3) == 0)
        op->value = ESSE_JEPSEN_NO_VALUE;
    return true;
}

/* The type as Clojure prints it, a comma behind it; the longest word is 8 bytes. */
static enum esse_jepsen_type plain_type(const char *at, unsigned *length)
{
    if (memcmp(at, ":invoke,", 8) == 0)
        return *length = 7, ESSE_JEPSEN_INVOKE;
    if (memcmp(at, ":ok,", 4) == 0)
        return *length = 3, ESSE_JEPSEN_OK;
    return ESSE_JEPSEN_NO_TYPE;
}

static bool read_type(struct esse_jepsen_edn *r)
{
    struct esse_edn *edn = &r->edn;
    struct esse_span name;
    char room[48];
    unsigned length;
    esse_edn_peek(edn);
    const char *place = edn->at;
    r->jepsen.op.type = plain_type(place, &length);
    if (r->jepsen.op.type != ESSE_JEPSEN_NO_TYPE) {
        edn->at += length;
        return true;
    }
    if (!esse_jepsen_edn_name(edn, &name))
        return false;
    r->jepsen.op.type = esse_jepsen_type_named(name);
    if (r->jepsen.op.type == ESSE_JEPSEN_NO_TYPE)
        return esse_edn_fail(edn, place, "found :type %s, expected :invoke, :ok, :fail or :info",
                             esse_edn_quote(edn, place, room));
    return true;
}

static bool read_process(struct esse_jepsen_edn *r)
{
    struct esse_edn *edn = &r->edn;
    struct esse_jepsen_op *op = &r->jepsen.op;
    esse_value value = ESSE_NONE;
    const char c = esse_edn_peek(edn), *place = edn->at;
    op->process_kind = ESSE_JEPSEN_OTHER_PROCESS;
    if ((esse_edn_class_of(c) & ESSE_EDN_DIGIT) || c == '-') {
        if (!esse_edn_value(edn, &value))
            return false;
        if (esse_value_as_int(edn->values, value, &op->process))
            op->process_kind = ESSE_JEPSEN_CLIENT;
        return true;
    }
    if (!esse_edn_skip(edn))
        return false;
    if (edn->at - place == 3 && memcmp(place, "nil", 3) == 0)
        op->process_kind = ESSE_JEPSEN_NO_PROCESS;
    return true;
}

/* An :index or :time: nil and -1 are Jepsen's words for "none". */
static bool read_number(struct esse_jepsen_edn *r, const char *member, int64_t *number)
{
    struct esse_edn *edn = &r->edn;
    esse_value value;
    char room[48];
    const char c = esse_edn_peek(edn), *place = edn->at;
    if ((esse_edn_class_of(c) & ESSE_EDN_DIGIT) && esse_edn_small_int(edn, number))
        return true;
    if (!esse_edn_form(edn, &value))
        return false;
    *number = ESSE_NO_TIME;
    if (esse_value_eq(value, ESSE_NIL))
        return true;
    if (!esse_value_as_int(edn->values, value, number))
        return esse_edn_fail(edn, place, "found %s %s, expected an integer of 64 bits", member,
                             esse_edn_quote(edn, place, room));
    if (*number == -1)
        *number = ESSE_NO_TIME;
    return true;
}

static bool read_f(struct esse_jepsen_edn *r)
{
    struct esse_jepsen_op *op = &r->jepsen.op;
    struct esse_span name;
    esse_edn_peek(&r->edn);
    const char *place = r->edn.at;
    if (memcmp(place, ":txn,", 5) == 0) {
        op->f = (struct esse_span){ place, 4 };
        op->is_txn = true;
        r->edn.at += 4;
        return true;
    }
    if (!esse_jepsen_edn_name(&r->edn, &name))
        return false;
    op->f = (struct esse_span){ place, (size_t)(r->edn.at - place) };
    op->is_txn = name.length == 3 && memcmp(name.at, "txn", 3) == 0;
    op->is_init = name.length == 4 && memcmp(name.at, "init", 4) == 0;
    if (op->f.length == 3 && memcmp(place, "nil", 3) == 0)
        op->f.length = 0;
    return true;
}

/* A member that is only kept to be shown.  Its text goes on one line: if it has several, it is
 * printed anew. */
static bool read_extra(struct esse_jepsen_edn *r, const char *place, struct esse_span name)
{
    struct esse_edn *edn = &r->edn;
    esse_value value;
    esse_edn_peek(edn);
    const char *from = edn->at;
    if (!esse_edn_skip(edn))
        return false;
    struct esse_span text = { from, (size_t)(edn->at - from) };
    if (memchr(from, '\n', text.length)) {
        edn->at = from;
        if (!esse_edn_form(edn, &value))
            return false;
        struct esse_out out;
        esse_out_init_memory(&out, r->jepsen.arena);
        esse_value_put_edn(&out, edn->values, value);
        text = (struct esse_span){ esse_arena_text(r->jepsen.arena, out.buffer, out.count),
                                   out.count };
        esse_arena_drop(r->jepsen.arena, out.buffer);
    }
    if (esse_jepsen_extra(&r->jepsen, place, name, text))
        return true;
    edn->failed = true;
    return false;
}

enum member { TYPE, PROCESS, F, VALUE, INDEX, TIME, EXTRA };

static enum member member_named(struct esse_span name)
{
    static const char *const names[] = { ":type", ":process", ":f", ":value", ":index", ":time" };
    for (int i = 0; i < EXTRA; i++)
        if (name.length == strlen(names[i]) && memcmp(name.at, names[i], name.length) == 0)
            return (enum member)i;
    return EXTRA;
}

/* The same for a name with a space behind it, which is nearly every one. */
static enum member plain_member(const char *at, unsigned *length)
{
    switch (at[1]) {
    case 't':
        if (memcmp(at, ":type ", 6) == 0)
            return *length = 5, TYPE;
        return memcmp(at, ":time ", 6) == 0 ? *length = 5, TIME : EXTRA;
    case 'p':
        return memcmp(at, ":process ", 9) == 0 ? *length = 8, PROCESS : EXTRA;
    case 'f':
        return at[2] == ' ' ? *length = 2, F : EXTRA;
    case 'v':
        return memcmp(at, ":value ", 7) == 0 ? *length = 6, VALUE : EXTRA;
    case 'i':
        return memcmp(at, ":index ", 7) == 0 ? *length = 6, INDEX : EXTRA;
    default:
        return EXTRA;
    }
}

/* The member's name at edn->at, which is passed, and which member that is. */
static bool read_member_name(struct esse_edn *edn, enum member *member, struct esse_span *name)
{
    const char *place = edn->at;
    unsigned length = 0;
    *member = *place == ':' ? plain_member(place, &length) : EXTRA;
    if (*member != EXTRA) {
        edn->at += length;
        *name = (struct esse_span){ place, length };
        return true;
    }
    if (!esse_edn_skip(edn))
        return false;
    *name = (struct esse_span){ place, (size_t)(edn->at - place) };
    *member = member_named(*name);
    return true;
}

static bool read_member(struct esse_jepsen_edn *r, unsigned *had, const char **value_at)
{
    struct esse_edn *edn = &r->edn;
    const char *place = edn->at;
    struct esse_span name;
    enum member member;
    if (!read_member_name(edn, &member, &name))
        return false;
    if (member != EXTRA && (*had & 1u << member))
        return esse_edn_fail(edn, place, "the operation has member %.*s twice", (int)name.length,
                             name.at);
    *had |= 1u << member;
    if (esse_edn_peek(edn) == '}')
        return esse_edn_expected(edn, "a value for the map's last key");
    switch (member) {
    case TYPE:
        return read_type(r);
    case PROCESS:
        return read_process(r);
    case F:
        return read_f(r);
    case VALUE:
        *value_at = edn->at;
        return read_value(r);
    case INDEX:
        return read_number(r, ":index", &r->jepsen.op.index);
    case TIME:
        return read_number(r, ":time", &r->jepsen.op.time);
    default:
        return read_extra(r, place, name);
    }
}

/* The rows of an :init, whose value has been passed over because :f may follow it. */
static bool read_init(struct esse_jepsen_edn *r, const char *value_at)
{
    struct esse_edn *edn = &r->edn;
    const char *after = edn->at;
    size_t first, count;
    edn->at = value_at;
    if (!esse_edn_pass_tags(edn))
        return false;
    if (*edn->at == '{') {
        r->jepsen.op.has_init = true;
        if (!esse_jepsen_edn_rows(r, &first, &count))
            return false;
    }
    edn->at = after;
    return true;
}

/* ---- operations ---- */

static bool read_op(struct esse_jepsen_edn *r, const char *place)
{
    struct esse_edn *edn = &r->edn;
    const char *outer, *value_at = NULL;
    unsigned had = 0;
    esse_jepsen_begin(&r->jepsen, place);
    if (!esse_edn_pass_tags(edn))
        return false;
    if (esse_edn_peek(edn) != '{')
        return esse_edn_expected(edn, "an operation map like {:type :ok, ...}");
    if (!esse_edn_enter(edn, &outer))
        return false;
    while (esse_edn_peek(edn) != '}') {
        if (!*edn->at || *edn->at == ']' || *edn->at == ')')
            return esse_edn_expected(edn, "a member of the operation or '}'");
        if (!read_member(r, &had, &value_at))
            return false;
    }
    edn->at++;
    esse_edn_leave(edn, outer);
    return !r->jepsen.op.is_init || !value_at || read_init(r, value_at);
}

static bool read_all(struct esse_jepsen_edn *r, struct esse_error *err)
{
    struct esse_source *source = r->edn.source;
    for (bool ended = false; !ended;) {
        esse_edn_start(&r->edn);
        if (esse_edn_at_operation(&r->edn, &r->around, !r->jepsen.position, &ended)) {
            source->at = r->edn.at; /* what came before need not be read again */
            if (read_op(r, r->edn.at) && !esse_jepsen_take(&r->jepsen))
                return false;
        }
        if (r->edn.failed)
            return false;
        if (!r->edn.hungry)
            source->at = r->edn.at;
        else if (!esse_source_more(source, err))
            return false;
    }
    return esse_jepsen_finish(&r->jepsen);
}

static bool read_jepsen(struct esse_reading *reading, struct esse_error *err)
{
    struct esse_jepsen_edn r = { 0 };
    struct esse_source *source = reading->source;
    source->at = esse_past_mark(source->at, source->end);
    esse_edn_init(&r.edn, source, reading->sink->values, err);
    esse_jepsen_init(&r.jepsen, reading, err);
    bool ok = read_all(&r, err);
    esse_jepsen_release(&r.jepsen);
    esse_edn_release(&r.edn);
    return ok;
}

/* ---- sniffing ---- */

static const char *pass_space(const char *at, const char *end)
{
    while (at < end && ((esse_edn_class_of(*at) & ESSE_EDN_SPACE) || *at == ';')) {
        if (*at == ';') {
            const char *newline = memchr(at, '\n', (size_t)(end - at));
            at = newline ? newline : end;
        } else {
            at++;
        }
    }
    return at;
}

/* Native JSON Lines and Elle's JSON start with { and [ too; what distinguishes them is that their
 * first member name is a string. */
static bool looks_like_edn(const char *at, const char *end)
{
    at = esse_past_mark(at, end);
    const char *from = at;
    at = pass_space(at, end);
    if (at == end)
        return memchr(from, ';', (size_t)(end - from)) != NULL;
    bool sequence = *at == '[' || *at == '(';
    if (sequence) {
        at = pass_space(at + 1, end);
        if (at < end && (*at == ']' || *at == ')'))
            return true;
    }
    if (at < end && *at == '#')
        return true;
    if (at == end || *at != '{')
        return false;
    at = pass_space(at + 1, end);
    return at < end && (*at == ':' || *at == '}' || *at == '#');
}

const struct esse_format esse_format_jepsen_edn = {
    .name = "jepsen-edn",
    .summary = "Jepsen and Elle histories in EDN, one operation map after the other",
    .extensions = ".edn",
    .sniff = looks_like_edn,
    .read = read_jepsen,
    .writer = esse_jepsen_writer,
};
