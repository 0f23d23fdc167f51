#include "base/arena.h"
#include "base/guard.h"
#include "formats/jepsen_batch.h"
#include "formats/jepsen_mops.h"
#include "formats/portions.h"
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
    struct esse_edn *edn = &r->walk.edn;
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
    struct esse_edn *edn = &r->walk.edn;
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
    struct esse_edn *edn = &r->walk.edn;
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
    struct esse_edn *edn = &r->walk.edn;
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
    esse_edn_peek(&r->walk.edn);
    const char *place = r->walk.edn.at;
    if (memcmp(place, ":txn,", 5) == 0) {
        op->f = (struct esse_span){ place, 4 };
        op->is_txn = true;
        r->walk.edn.at += 4;
        return true;
    }
    if (!esse_jepsen_edn_name(&r->walk.edn, &name))
        return false;
    op->f = (struct esse_span){ place, (size_t)(r->walk.edn.at - place) };
    op->is_txn = name.length == 3 && memcmp(name.at, "txn", 3) == 0;
    op->is_init = name.length == 4 && memcmp(name.at, "init", 4) == 0;
    if (op->f.length == 3 && memcmp(place, "nil", 3) == 0)
        op->f.length = 0;
    return true;
}

/* A member that is only kept to be shown.  Its text goes on one line: if it has several, it is
 * printed anew. */
static bool read_extra(struct esse_jepsen_edn *r, struct esse_span name)
{
    struct esse_edn *edn = &r->walk.edn;
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
    if (esse_jepsen_extra(&r->jepsen, name.at, name, text))
        return true;
    edn->failed = true;
    return false;
}

static bool read_member(struct esse_jepsen_walk *walk, enum esse_jepsen_member member,
                        struct esse_span name)
{
    struct esse_jepsen_edn *r = (struct esse_jepsen_edn *)walk;
    switch (member) {
    case ESSE_MEMBER_TYPE:
        return read_type(r);
    case ESSE_MEMBER_PROCESS:
        return read_process(r);
    case ESSE_MEMBER_F:
        return read_f(r);
    case ESSE_MEMBER_VALUE:
        r->value_at = walk->edn.at;
        return read_value(r);
    case ESSE_MEMBER_INDEX:
        return read_number(r, ":index", &r->jepsen.op.index);
    case ESSE_MEMBER_TIME:
        return read_number(r, ":time", &r->jepsen.op.time);
    case ESSE_MEMBER_EXTRA:
        break;
    }
    return read_extra(r, name);
}

/* The rows of an :init, whose value has been passed over because :f may follow it. */
static bool read_init(struct esse_jepsen_walk *walk)
{
    struct esse_jepsen_edn *r = (struct esse_jepsen_edn *)walk;
    struct esse_edn *edn = &walk->edn;
    const char *after = edn->at;
    size_t first, count;
    if (!r->jepsen.op.is_init || !r->value_at)
        return true;
    edn->at = r->value_at;
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

static void begin_op(struct esse_jepsen_walk *walk, const char *place)
{
    struct esse_jepsen_edn *r = (struct esse_jepsen_edn *)walk;
    r->value_at = NULL;
    esse_jepsen_begin(&r->jepsen, place);
}

static bool take_op(struct esse_jepsen_walk *walk)
{
    return esse_jepsen_take(&((struct esse_jepsen_edn *)walk)->jepsen);
}

/* ---- operations in several threads ---- */

struct portion {
    struct esse_jepsen_edn edn; /* first: the walk's */
    struct esse_jepsen_batch batch;
    struct esse_reading reading;
    struct esse_error ignored;
    const char *ends; /* what follows is not in the batch */
};

static void init_portion(void *context, void *state)
{
    (void)context;
    esse_jepsen_batch_init(&((struct portion *)state)->batch);
}

static void release_portion(void *context, void *state)
{
    (void)context;
    esse_jepsen_batch_release(&((struct portion *)state)->batch);
}

static bool keep_op(struct esse_jepsen_walk *walk)
{
    struct portion *portion = (struct portion *)walk;
    esse_guard_poll();
    return esse_jepsen_batch_keep(&portion->batch, &portion->edn.jepsen);
}

static void scan_portion(void *context, void *state, struct esse_source *lines)
{
    (void)context;
    struct portion *portion = state;
    struct esse_jepsen *jepsen = &portion->edn.jepsen;
    portion->edn.walk = (struct esse_jepsen_walk){
        .begin = begin_op, .member = read_member, .end = read_init, .take = keep_op
    };
    portion->reading.source = lines;
    jepsen->reading = &portion->reading;
    jepsen->arena = portion->batch.arena;
    jepsen->values = portion->batch.values;
    jepsen->err = &portion->ignored;
    if (!jepsen->items.at)
        esse_jepsen_items_grow(&jepsen->items, jepsen->arena, 1);
    esse_jepsen_walk_lines(&portion->edn.walk, lines, jepsen->values);
    portion->ends = lines->at;
}

static bool take_portion(void *context, void *state, struct esse_source *lines,
                         struct esse_error *err)
{
    (void)err; /* it is the jepsen's */
    struct esse_jepsen_edn *r = context;
    struct portion *portion = state;
    struct esse_source *source = r->jepsen.reading->source;
    r->jepsen.reading->source = lines;
    const bool ok = esse_jepsen_batch_take(&portion->batch, &r->jepsen);
    r->jepsen.reading->source = source;
    lines->at = portion->ends;
    esse_jepsen_batch_empty(&portion->batch);
    return ok;
}

/* A form may go on in the next line, and may look like another one there.  So the first portion
 * that is not understood to its end is the last: what is left is read in one thread. */
static bool read_portions(struct esse_jepsen_walk *walk)
{
    struct esse_jepsen_edn *r = (struct esse_jepsen_edn *)walk;
    struct esse_reading *reading = r->jepsen.reading;
    const struct esse_portion_reader reader = { .context = r,
                                                .size = sizeof(struct portion),
                                                .init = init_portion,
                                                .scan = scan_portion,
                                                .take = take_portion,
                                                .release = release_portion };
    if (!walk->close && !esse_portions_read(reading->source, &reader, reading->threads,
                                            reading->portion, r->jepsen.err))
        return false;
    esse_source_read_ahead(reading->source);
    return true;
}

static bool read_jepsen(struct esse_reading *reading, struct esse_error *err)
{
    struct esse_jepsen_edn r = { .walk = { .begin = begin_op,
                                           .member = read_member,
                                           .end = read_init,
                                           .take = take_op,
                                           .go_on = reading->threads > 1 ? read_portions : NULL } };
    esse_jepsen_init(&r.jepsen, reading, err);
    const bool ok = esse_jepsen_walk_edn(&r.walk, reading->source, reading->sink->values, err) &&
                    esse_jepsen_finish(&r.jepsen);
    esse_jepsen_release(&r.jepsen);
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
    .in_portions = true,
    .sniff = looks_like_edn,
    .read = read_jepsen,
    .writer = esse_jepsen_writer,
};
