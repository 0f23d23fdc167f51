#include "formats/jepsen_mops.h"

#include "base/arena.h"
#include "history/value_edn.h"

#include <stdio.h>
#include <string.h>

bool esse_jepsen_edn_name(struct esse_edn *edn, struct esse_span *name)
{
    const char c = esse_edn_peek(edn), *from = edn->at;
    if (!esse_edn_skip(edn))
        return false;
    *name = (struct esse_span){ from, (size_t)(edn->at - from) };
    if (c == ':')
        *name = (struct esse_span){ from + 1, name->length - 1 };
    else if (c == '"')
        *name = (struct esse_span){ from + 1, name->length - 2 };
    else if (esse_edn_class_of(c) & (ESSE_EDN_END | ESSE_EDN_DIGIT | ESSE_EDN_BETWEEN))
        name->length = 0;
    return true;
}

static bool at_sequence(struct esse_edn *edn)
{
    const char c = esse_edn_peek(edn);
    return c == '[' || c == '(';
}

/* The run of plain integers at edn->at, one space between them: what lists are made of. */
static void read_plain_items(struct esse_jepsen_edn *r)
{
    struct esse_jepsen_items *items = &r->jepsen.items;
    const char *at = r->walk.edn.at;
    esse_value *to = items->at + items->count, *full = items->at + items->room;
    for (uint64_t number;;) {
        const unsigned count = esse_digits(at, &number);
        if (!count || (*at == '0' && count > 1) || (at[count] != ' ' && at[count] != ']'))
            break;
        if (to == full) {
            items->count = (size_t)(to - items->at);
            esse_jepsen_items_grow(items, r->jepsen.arena, 1);
            to = items->at + items->count;
            full = items->at + items->room;
        }
        *to++ = esse_value_small((int64_t)number);
        at += count + (at[count] == ' ');
    }
    items->count = (size_t)(to - items->at);
    r->walk.edn.at = at;
}

/* A list that a read returned, item by item. */
static bool read_list(struct esse_jepsen_edn *r, struct esse_op_record *op)
{
    struct esse_edn *edn = &r->walk.edn;
    struct esse_jepsen *jepsen = &r->jepsen;
    const char *outer;
    const char close = *edn->at == '[' ? ']' : ')';
    if (!esse_edn_enter(edn, &outer))
        return false;
    op->is_list = true;
    op->first = jepsen->items.count;
    read_plain_items(r);
    for (char c; (c = esse_edn_peek(edn)) != close;) {
        esse_value item;
        if (c == '\0' || c == ')' || c == ']' || c == '}')
            return esse_edn_expected(edn, close == ']' ? "a value or ']'" : "a value or ')'");
        if (!esse_edn_value(edn, &item))
            return false;
        esse_jepsen_items_push(&jepsen->items, jepsen->arena, item);
    }
    edn->at++;
    esse_edn_leave(edn, outer);
    op->count = jepsen->items.count - op->first;
    return true;
}

/* What a read returned: a list, or one value. */
static bool read_result(struct esse_jepsen_edn *r, struct esse_op_record *op)
{
    struct esse_edn *edn = &r->walk.edn;
    const char *place = edn->at;
    if (memcmp(place, "nil]", 4) == 0) {
        op->value = ESSE_NIL;
        edn->at += 3;
        return true;
    }
    if (at_sequence(edn)) {
        esse_jepsen_see(&r->jepsen, ESSE_MOPS + 2, place);
        return read_list(r, op);
    }
    if (!esse_edn_value(edn, &op->value))
        return false;
    if (!esse_value_eq(op->value, ESSE_NIL))
        esse_jepsen_see(&r->jepsen, ESSE_MOPS + 1, place);
    return true;
}

bool esse_jepsen_edn_rows(struct esse_jepsen_edn *r, size_t *first, size_t *count)
{
    struct esse_edn *edn = &r->walk.edn;
    const char *outer, *open = edn->at;
    *first = r->jepsen.rows.count;
    if (!esse_edn_enter(edn, &outer))
        return false;
    const size_t base = edn->parts.count;
    while (esse_edn_peek(edn) != '}') {
        struct esse_row row = { .next = ESSE_NONE };
        if (!esse_edn_value(edn, &row.key))
            return false;
        if (esse_edn_peek(edn) == '}')
            return esse_edn_expected(edn, "a value for the map's last key");
        if (!esse_edn_value(edn, &row.value))
            return false;
        esse_jepsen_rows_push(&r->jepsen.rows, r->jepsen.arena, row);
        esse_edn_parts_push(&edn->parts, edn->source->arena, row.key);
        esse_edn_parts_push(&edn->parts, edn->source->arena, row.value);
    }
    edn->at++;
    esse_edn_leave(edn, outer);
    *count = r->jepsen.rows.count - *first;
    esse_value twice =
        esse_value_map_repeats(edn->values, edn->parts.at + base, edn->parts.count - base);
    edn->parts.count = base;
    if (esse_value_eq(twice, ESSE_NONE))
        return true;
    struct esse_out out;
    esse_out_init_memory(&out, edn->source->arena);
    esse_value_put_edn(&out, edn->values, twice);
    return esse_edn_fail(edn, open, "the map has key %.60s twice", esse_out_memory(&out));
}

/* A constant of SQL, or false if the value has no counterpart there. */
static bool put_sql(struct esse_out *out, const struct esse_values *values, esse_value value)
{
    int64_t number;
    if (esse_value_as_int(values, value, &number)) {
        esse_out_i64(out, number);
        return true;
    }
    if (esse_value_kind(values, value) != ESSE_KIND_STRING)
        return false;
    char room[8];
    struct esse_span text = esse_value_text(values, value, room);
    esse_out_char(out, '\'');
    for (size_t i = 0; i < text.length; i++) {
        if (text.at[i] == '\'')
            esse_out_char(out, '\'');
        esse_out_char(out, text.at[i]);
    }
    esse_out_char(out, '\'');
    return true;
}

/* :true, [:= v] or [:mod m r], given as a value, becomes the text of a WHERE. */
static bool sql_of(struct esse_jepsen_edn *r, esse_value predicate, esse_value *text)
{
    struct esse_values *values = r->walk.edn.values;
    char room[8];
    uint32_t count = 0;
    const esse_value *parts = &predicate;
    if (esse_value_kind(values, predicate) == ESSE_KIND_SEQ)
        parts = esse_value_parts(values, predicate, &count);
    if (esse_value_eq(predicate, ESSE_TRUE)) {
        *text = esse_value_string(values, "TRUE", 4);
        return true;
    }
    enum esse_value_kind kind =
        count || parts == &predicate ? esse_value_kind(values, parts[0]) : ESSE_KIND_NONE;
    if (kind != ESSE_KIND_KEYWORD && kind != ESSE_KIND_STRING && kind != ESSE_KIND_SYMBOL)
        return false;
    struct esse_span name = esse_value_text(values, parts[0], room);
    struct esse_out out;
    int64_t modulus, rest;
    bool ok = false;
    esse_out_init_memory(&out, r->jepsen.arena);
    if (!count && name.length == 4 && memcmp(name.at, "true", 4) == 0) {
        esse_out_text(&out, "TRUE");
        ok = true;
    } else if (count == 2 && name.length == 1 && *name.at == '=') {
        esse_out_text(&out, "v = ");
        ok = put_sql(&out, values, parts[1]);
    } else if (count == 3 && name.length == 3 && memcmp(name.at, "mod", 3) == 0 &&
               esse_value_as_int(values, parts[1], &modulus) &&
               esse_value_as_int(values, parts[2], &rest) && modulus != 0) {
        esse_out_f(&out, "v %% %lld = %lld", (long long)modulus, (long long)rest);
        ok = true;
    }
    if (ok)
        *text = esse_value_string(values, out.buffer, out.count);
    esse_arena_drop(r->jepsen.arena, out.buffer);
    return ok;
}

static bool read_predicate(struct esse_jepsen_edn *r, struct esse_op_record *op)
{
    struct esse_edn *edn = &r->walk.edn;
    esse_value predicate;
    esse_edn_peek(edn);
    const char *place = edn->at;
    if (!esse_edn_value(edn, &predicate))
        return false;
    if (!sql_of(r, predicate, &op->key))
        return esse_jepsen_problem(&r->jepsen, place,
                                   "expected a predicate: :true, [:= v] with an integer or a "
                                   "string, or [:mod m r] with integers");
    const char c = esse_edn_peek(edn);
    if (c == '{') {
        op->value = ESSE_NIL; /* a result, even if it has no rows */
        return esse_jepsen_edn_rows(r, &op->first, &op->count);
    }
    if (c == ']' || c == ')')
        return true;
    place = edn->at;
    esse_value none;
    if (!esse_edn_value(edn, &none))
        return false;
    if (!esse_value_eq(none, ESSE_NIL))
        return esse_jepsen_problem(&r->jepsen, place, "expected the rows as a map, or nil");
    return true;
}

/* What follows the name of a micro-operation.  False without an error: see jepsen->op.problem. */
static bool read_arguments(struct esse_jepsen_edn *r, enum esse_jepsen_mop mop, const char *place,
                           char close)
{
    struct esse_edn *edn = &r->walk.edn;
    struct esse_op_record *op = esse_jepsen_add(&r->jepsen, mop, place);
    if (esse_edn_peek(edn) == close)
        return esse_jepsen_problem(&r->jepsen, edn->at, "found '%c', expected a %s", close,
                                   mop == ESSE_MOP_PREDICATE ? "predicate" : "key");
    if (mop == ESSE_MOP_PREDICATE)
        return read_predicate(r, op);
    if (!esse_edn_value(edn, &op->key))
        return false;
    if (esse_edn_peek(edn) == close) {
        if (mop == ESSE_MOP_READ || mop == ESSE_MOP_DELETE)
            return true;
        return esse_jepsen_problem(&r->jepsen, edn->at, "found '%c', expected a value", close);
    }
    return mop == ESSE_MOP_READ ? read_result(r, op) : esse_edn_value(edn, &op->value);
}

static bool unknown_mop(struct esse_jepsen_edn *r, const char *place)
{
    char room[48];
    if (*place == ']' || *place == ')')
        return esse_jepsen_problem(&r->jepsen, place,
                                   "found '%c', expected a micro-operation's "
                                   "name",
                                   *place);
    return esse_jepsen_problem(&r->jepsen, place,
                               "found micro-operation %s, expected :r, :w, :append, :insert, "
                               ":delete or :rp",
                               esse_edn_quote(&r->walk.edn, place, room));
}

/* One micro-operation; its bracket stands at edn->at. */
static bool read_mop(struct esse_jepsen_edn *r)
{
    struct esse_edn *edn = &r->walk.edn;
    const char *outer, *place = edn->at;
    const char close = *place == '[' ? ']' : ')';
    enum esse_jepsen_mop mop = ESSE_MOPS;
    struct esse_span name;
    if (!esse_edn_enter(edn, &outer))
        return false;
    const char c = esse_edn_peek(edn), *name_at = edn->at;
    if (c != close) {
        if (!esse_jepsen_edn_name(edn, &name))
            return false;
        mop = esse_jepsen_mop_named(name);
    }
    if (mop == ESSE_MOPS)
        return unknown_mop(r, name_at);
    if (!read_arguments(r, mop, place, close))
        return false;
    if (esse_edn_peek(edn) != close) {
        char room[48];
        if (!*edn->at)
            return esse_edn_expected(edn, close == ']' ? "']'" : "')'");
        return esse_jepsen_problem(&r->jepsen, edn->at, "found %s, expected '%c'",
                                   esse_edn_quote(edn, edn->at, room), close);
    }
    edn->at++;
    esse_edn_leave(edn, outer);
    return true;
}

/* An integer with 'end' right behind it, at '*at'; it is passed. */
static bool plain_int(const char **at, char end, esse_value *value)
{
    uint64_t number;
    const unsigned count = esse_digits(*at, &number);
    if (!count || (*at)[count] != end || (**at == '0' && count > 1))
        return false;
    *value = esse_value_small((int64_t)number);
    *at += count + 1;
    return true;
}

/* What a plain read returned: nil, an integer, or a list of integers, and the bracket after it. */
static bool plain_result(struct esse_jepsen_edn *r, const char *at, const char *place,
                         esse_value key)
{
    struct esse_jepsen *jepsen = &r->jepsen;
    const size_t first = jepsen->items.count;
    const char *result_at = at;
    const bool is_list = *at == '[';
    unsigned seen = ESSE_MOPS;
    esse_value value = ESSE_NONE;
    if (is_list) {
        r->walk.edn.at = at + 1;
        read_plain_items(r);
        at = r->walk.edn.at;
        if (at[0] != ']' || at[1] != ']') {
            jepsen->items.count = first;
            r->walk.edn.at = place;
            return false;
        }
        at += 2;
        seen = ESSE_MOPS + 2;
    } else if (memcmp(at, "nil]", 4) == 0) {
        value = ESSE_NIL;
        at += 4;
    } else if (plain_int(&at, ']', &value)) {
        seen = ESSE_MOPS + 1;
    } else {
        return false;
    }
    if (seen > ESSE_MOPS)
        esse_jepsen_see(jepsen, seen, result_at);
    struct esse_op_record *op = esse_jepsen_add(jepsen, ESSE_MOP_READ, place);
    op->key = key;
    op->value = value;
    op->is_list = is_list;
    op->first = first;
    op->count = jepsen->items.count - first;
    r->walk.edn.at = at;
    return true;
}

/*
 * A micro-operation on integers exactly as Clojure prints it: nearly all of a large history.  False
 * with nothing read for any other, which read_mop takes.  Measured: a third fewer instructions.
 */
static bool plain_mop(struct esse_jepsen_edn *r)
{
    const char *place = r->walk.edn.at, *at = place + 1;
    esse_value key, value;
    enum esse_jepsen_mop mop;
    if (memcmp(at, ":r ", 3) == 0) {
        at += 3;
        return plain_int(&at, ' ', &key) && plain_result(r, at, place, key);
    }
    if (memcmp(at, ":append ", 8) == 0) {
        mop = ESSE_MOP_APPEND;
        at += 8;
    } else if (memcmp(at, ":w ", 3) == 0) {
        mop = ESSE_MOP_WRITE;
        at += 3;
    } else {
        return false;
    }
    if (!plain_int(&at, ' ', &key) || !plain_int(&at, ']', &value))
        return false;
    struct esse_op_record *op = esse_jepsen_add(&r->jepsen, mop, place);
    op->key = key;
    op->value = value;
    r->walk.edn.at = at;
    return true;
}

bool esse_jepsen_edn_is_txn(struct esse_edn *edn, bool *empty)
{
    bool is = false;
    *empty = false;
    if (!at_sequence(edn))
        return false;
    const char *place = edn->at++;
    const int depth = edn->depth;
    char c = esse_edn_peek(edn);
    *empty = c == ']' || c == ')';
    if (c == '[' || c == '(') {
        edn->at++;
        c = esse_edn_peek(edn);
        is = !(esse_edn_class_of(c) & (ESSE_EDN_DIGIT | ESSE_EDN_BETWEEN)) &&
             (!(esse_edn_class_of(c) & ESSE_EDN_END) || c == '"' || c == ']' || c == ')') &&
             !((c == '-' || c == '+') && (esse_edn_class_of(edn->at[1]) & ESSE_EDN_DIGIT));
    }
    edn->at = place;
    edn->depth = depth;
    return is;
}

bool esse_jepsen_edn_mops(struct esse_jepsen_edn *r)
{
    struct esse_edn *edn = &r->walk.edn;
    const char *outer;
    const char close = *edn->at == '[' ? ']' : ')';
    if (!esse_edn_enter(edn, &outer))
        return false;
    while (esse_edn_peek(edn) != close) {
        char room[48];
        if (!at_sequence(edn)) {
            if (!*edn->at || strchr(")]}", *edn->at))
                return esse_edn_expected(edn, close == ']' ? "a micro-operation or ']'"
                                                           : "a micro-operation or ')'");
            return esse_jepsen_problem(&r->jepsen, edn->at,
                                       "found %s, expected a micro-operation like [:r k v]",
                                       esse_edn_quote(edn, edn->at, room));
        }
        if (!plain_mop(r) && !read_mop(r))
            return false;
    }
    edn->at++;
    esse_edn_leave(edn, outer);
    return true;
}
