#include "formats/oplog_read.h"

#include "base/arena.h"
#include "formats/formats.h"
#include "formats/jepsen.h"
#include "formats/json.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

struct taking {
    struct esse_jepsen_walk walk;
    struct esse_source *source;
    struct esse_oplog *log;
    struct esse_error *err;
    const char *place; /* where the operation that is being read begins */
    struct esse_log_record op;
    bool has_type, is_client;
    struct esse_jepsen_order order;
};

static void begin_op(struct esse_jepsen_walk *walk, const char *place)
{
    struct taking *taking = (struct taking *)walk;
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
static const char *take_member(struct taking *taking, enum esse_jepsen_member member,
                               esse_value value)
{
    switch (member) {
    case ESSE_MEMBER_TYPE:
        return take_type(taking, value) ? NULL : "invoke, ok, fail or info";
    case ESSE_MEMBER_PROCESS:
        take_process(taking, value);
        return NULL;
    case ESSE_MEMBER_F:
        taking->op.f = value;
        return NULL;
    case ESSE_MEMBER_VALUE:
        taking->op.value = without_tags(taking->log->values, value);
        return NULL;
    case ESSE_MEMBER_INDEX:
        return take_number(taking, value, &taking->op.index) ? NULL : "an integer of 64 bits";
    case ESSE_MEMBER_TIME:
        return take_number(taking, value, &taking->op.time) ? NULL : "an integer of 64 bits";
    case ESSE_MEMBER_EXTRA:
        break;
    }
    return NULL;
}

/* ---- operations ---- */

static bool take_op(struct esse_jepsen_walk *walk)
{
    struct taking *taking = (struct taking *)walk;
    taking->op.line = esse_source_line(taking->source, taking->place);
    taking->op.column = taking->source->mark_column;
    if (!taking->has_type)
        return esse_source_fail(
            taking->source, taking->err, taking->place,
            "the operation has no :type, expected :invoke, :ok, :fail or :info");
    if (!esse_jepsen_order_take(&taking->order, taking->source, taking->place, &taking->op.index,
                                taking->err))
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

static bool read_edn_member(struct esse_jepsen_walk *walk, enum esse_jepsen_member member,
                            struct esse_span name)
{
    struct esse_edn *edn = &walk->edn;
    char room[48];
    esse_value value;
    if (member == ESSE_MEMBER_EXTRA)
        return esse_edn_skip(edn);
    const char *place = edn->at;
    if (!esse_edn_value(edn, &value))
        return false;
    const char *expected = take_member((struct taking *)walk, member, value);
    return !expected || esse_edn_fail(edn, place, "found %.*s %s, expected %s", (int)name.length,
                                      name.at, esse_edn_quote(edn, place, room), expected);
}

/* ---- JSON ---- */

/* Strings stand for keywords in f: bank and friends are the same in both syntaxes. */
static esse_value as_keyword(struct esse_values *values, esse_value value)
{
    char room[8];
    if (esse_value_kind(values, value) != ESSE_KIND_STRING)
        return value;
    struct esse_span text = esse_value_text(values, value, room);
    return esse_value_keyword(values, text.at, text.length);
}

static bool read_json_member(struct esse_jepsen_walk *walk, enum esse_jepsen_member member,
                             struct esse_span name)
{
    struct esse_json *json = &walk->json;
    const char *place = json->at;
    esse_value value;
    if (member == ESSE_MEMBER_EXTRA)
        return esse_json_skip(json);
    if (!esse_json_value(json, &value))
        return false;
    if (member == ESSE_MEMBER_F)
        value = as_keyword(json->values, value);
    const char *expected = take_member((struct taking *)walk, member, value);
    const size_t found = (size_t)(json->at - place);
    return !expected ||
           esse_json_fail(json, place, "found %.*s %.*s, expected %s", (int)name.length, name.at,
                          (int)(found < 40 ? found : 40), place, expected);
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
    const bool is_edn = chosen == &esse_format_jepsen_edn;
    struct taking taking = { .walk = { .begin = begin_op,
                                       .member = is_edn ? read_edn_member : read_json_member,
                                       .take = take_op },
                             .source = source,
                             .err = err };
    taking.log = esse_oplog_new(arena, esse_values_new(arena));
    if (!(is_edn ? esse_jepsen_walk_edn : esse_jepsen_walk_json)(&taking.walk, source,
                                                                 taking.log->values, err))
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
