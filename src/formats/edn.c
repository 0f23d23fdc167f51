#include "formats/edn.h"

#include "base/arena.h"
#include "formats/edn_number.h"
#include "formats/json.h"
#include "history/value_edn.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What Clojure's EdnReader takes for white space, macro characters and constituents. */
#define SPACE   (ESSE_EDN_SPACE | ESSE_EDN_END)
#define BETWEEN (ESSE_EDN_BETWEEN | ESSE_EDN_END)
const unsigned char esse_edn_class[256] = {
    [0] = ESSE_EDN_END,
    [1 ... 8] = ESSE_EDN_BAD,
    ['\t' ... '\r'] = SPACE,
    [0x0e ... 0x1b] = ESSE_EDN_BAD,
    [0x1c ... ' '] = SPACE,
    [','] = SPACE,
    [';'] = BETWEEN,
    ['^'] = BETWEEN,
    ['#'] = ESSE_EDN_BETWEEN,
    ['"'] = ESSE_EDN_END,
    ['('] = ESSE_EDN_END,
    [')'] = ESSE_EDN_END,
    ['['] = ESSE_EDN_END,
    ['\\'] = ESSE_EDN_END,
    [']'] = ESSE_EDN_END,
    ['{'] = ESSE_EDN_END,
    ['}'] = ESSE_EDN_END,
    ['0' ... '9'] = ESSE_EDN_DIGIT,
    ['@'] = ESSE_EDN_BAD,
    ['`'] = ESSE_EDN_BAD,
    ['~'] = ESSE_EDN_BAD,
    [0x7f] = ESSE_EDN_BAD,
    [0x80 ... 0xff] = ESSE_EDN_HIGH,
};

void esse_edn_init(struct esse_edn *edn, struct esse_source *source, struct esse_values *values,
                   struct esse_error *err)
{
    *edn = (struct esse_edn){ .source = source, .values = values, .err = err, .at = source->at };
    esse_edn_parts_grow(&edn->parts, source->arena, 1); /* so that it is never null */
}

void esse_edn_start(struct esse_edn *edn)
{
    edn->at = edn->source->at;
    edn->open = NULL;
    edn->hungry = edn->failed = false;
    edn->depth = 0;
    edn->parts.count = 0;
}

void esse_edn_release(struct esse_edn *edn)
{
    esse_edn_parts_drop(&edn->parts, edn->source->arena);
    esse_arena_drop(edn->source->arena, edn->scratch);
    edn->scratch = NULL;
    edn->scratch_room = 0;
}

/* ---- failing ---- */

/*
 * Whether to ask for more instead of failing.  Close to the end of a window nothing is certain: an
 * escape or a UTF-8 sequence may be cut, so there a failure is only believed when no more can come.
 */
static bool is_hungry(struct esse_edn *edn)
{
    enum { LONGEST_ESCAPE = 16 };
    if (!edn->source->last && edn->source->end - edn->at < LONGEST_ESCAPE)
        edn->hungry = true;
    return edn->hungry;
}

bool esse_edn_fail(struct esse_edn *edn, const char *place, const char *format, ...)
{
    if (edn->failed || is_hungry(edn))
        return false;
    char text[sizeof edn->err->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    edn->failed = true;
    return esse_source_fail(edn->source, edn->err, place, "%s", text);
}

static const char *open_name(const char *open)
{
    switch (*open) {
    case '"':
        return "string";
    case '[':
        return "vector";
    case '(':
        return "list";
    case '{':
        return "map";
    default:
        return open[1] == '{' ? "set" : "form";
    }
}

/* "; the vector began at 3:14" where the reader may have missed a bracket. */
static void began(const struct esse_edn *edn, char *room, size_t size)
{
    room[0] = '\0';
    if (!edn->open || (*edn->at && !strchr(")]}", *edn->at)))
        return;
    struct esse_source there = *edn->source;
    if (edn->open < there.mark)
        return;
    unsigned long long line = esse_source_line(&there, edn->open), column = there.mark_column;
    snprintf(room, size, "; the %s began at %llu:%llu", open_name(edn->open), line, column);
}

bool esse_edn_expected(struct esse_edn *edn, const char *what)
{
    char found[24], where[80];
    if (edn->failed || is_hungry(edn))
        return false;
    began(edn, where, sizeof where);
    return esse_edn_fail(edn, edn->at, "found %s, expected %s%s",
                         esse_source_found(edn->source, edn->at, found), what, where);
}

const char *esse_edn_quote(const struct esse_edn *edn, const char *place, char room[48])
{
    enum { LONGEST = 40 };
    const char *end = place;
    if (*place == '"') {
        for (end++; *end && *end != '"' && *end != '\n';)
            end++;
        end += *end == '"';
    } else {
        end = esse_edn_token_end(place + (*place == '\\'));
    }
    if (end == place)
        return esse_source_found(edn->source, place, room);
    const bool cut = end - place > LONGEST;
    if (cut)
        end = place + LONGEST;
    while (end > place && ((unsigned char)*end & 0xc0) == 0x80)
        end--; /* not in the middle of a character */
    snprintf(room, 48, "%.*s%s", (int)(end - place), place, cut ? "..." : "");
    return room;
}

/* ---- what lies between forms ---- */

static bool bad_utf8(struct esse_edn *edn, const char *place)
{
    char room[24];
    return esse_edn_fail(edn, place, "found %s, expected UTF-8",
                         esse_source_found(edn->source, place, room));
}

static bool comment(struct esse_edn *edn)
{
    while (*edn->at != '\n') {
        if (edn->at >= edn->source->end)
            return edn->source->last ? true : !is_hungry(edn);
        unsigned length = esse_utf8_length(edn->at);
        if (!length)
            return bad_utf8(edn, edn->at);
        edn->at += length;
    }
    return true;
}

bool esse_edn_too_deep(struct esse_edn *edn)
{
    return esse_edn_fail(edn, edn->at, "nested more than %d deep", ESSE_EDN_DEPTH);
}

static bool deeper(struct esse_edn *edn)
{
    if (edn->depth == ESSE_EDN_DEPTH)
        return esse_edn_too_deep(edn);
    edn->depth++;
    return true;
}

/* A form that is left out: after #_ or ^.  These nest like brackets do. */
static bool discard(struct esse_edn *edn)
{
    if (!deeper(edn) || !esse_edn_skip(edn))
        return false;
    edn->depth--;
    return true;
}

/* On failure it goes to the end of the window, so that the caller sees nothing more. */
char esse_edn_peek_slow(struct esse_edn *edn)
{
    for (bool ok = true; ok;) {
        while (esse_edn_class_of(*edn->at) & ESSE_EDN_SPACE)
            edn->at++;
        if (*edn->at == ';') {
            ok = comment(edn);
        } else if (*edn->at == '^' || (*edn->at == '#' && edn->at[1] == '_')) {
            edn->at += *edn->at == '^' ? 1 : 2;
            ok = discard(edn);
        } else {
            return *edn->at;
        }
    }
    edn->at = edn->source->end;
    return '\0';
}

/* ---- tokens ---- */

/* The end of the token that starts at edn->at, its characters checked. */
static bool token(struct esse_edn *edn, const char **end)
{
    const char *at = edn->at;
    unsigned classes = 0, class;
    for (; !((class = esse_edn_class_of(*at)) & ESSE_EDN_END); at++)
        classes |= class;
    *end = at;
    if (*at == '\0' && at >= edn->source->end && !edn->source->last) {
        edn->hungry = true;
        return false;
    }
    if (!(classes & (ESSE_EDN_BAD | ESSE_EDN_HIGH)))
        return true;
    char room[24];
    for (const char *c = edn->at; c < at;) {
        unsigned length = esse_utf8_length(c);
        if (!length)
            return bad_utf8(edn, c);
        if (esse_edn_class_of(*c) & ESSE_EDN_BAD)
            return esse_edn_fail(edn, c, "found %s, expected a character that EDN allows here",
                                 esse_source_found(edn->source, c, room));
        c += length;
    }
    return true;
}

static char *need_scratch(struct esse_edn *edn, size_t length)
{
    enum { SPARE = 64 };
    if (edn->scratch_room < length + SPARE) {
        edn->scratch_room = 2 * length + SPARE;
        edn->scratch = esse_arena_grow(edn->source->arena, edn->scratch, edn->scratch_room);
    }
    return edn->scratch;
}

static bool number(struct esse_edn *edn, esse_value *value)
{
    int64_t small;
    if (esse_edn_small_int(edn, &small)) {
        if (value)
            *value = esse_value_small(small);
        return true;
    }
    const char *from = edn->at, *end;
    if (!token(edn, &end))
        return false;
    size_t length = (size_t)(end - from);
    const char *wrong =
        esse_edn_number(edn->values, from, length, need_scratch(edn, 2 * length), value);
    char room[48];
    if (wrong)
        return esse_edn_fail(edn, from, "found %s, expected %s", esse_edn_quote(edn, from, room),
                             wrong);
    edn->at = end;
    return true;
}

static bool keyword(struct esse_edn *edn, esse_value *value)
{
    const char *from = edn->at, *end;
    if (!token(edn, &end))
        return false;
    char room[48];
    size_t length = (size_t)(end - from) - 1;
    if (!length || from[1] == ':' || (length > 1 && end[-1] == '/'))
        return esse_edn_fail(edn, from, "found %s, expected a keyword with a name",
                             esse_edn_quote(edn, from, room));
    if (value)
        *value = esse_value_keyword(edn->values, from + 1, length);
    edn->at = end;
    return true;
}

static bool symbol(struct esse_edn *edn, esse_value *value)
{
    const char *from = edn->at, *end;
    if (esse_edn_class_of(*from) & (ESSE_EDN_END | ESSE_EDN_BAD))
        return esse_edn_expected(edn, "a value");
    if (!token(edn, &end))
        return false;
    size_t length = (size_t)(end - from);
    edn->at = end;
    if (!value)
        return true;
    if (length == 3 && memcmp(from, "nil", 3) == 0)
        *value = ESSE_NIL;
    else if (length == 4 && memcmp(from, "true", 4) == 0)
        *value = ESSE_TRUE;
    else if (length == 5 && memcmp(from, "false", 5) == 0)
        *value = ESSE_FALSE;
    else
        *value = esse_value_atom(edn->values, ESSE_KIND_SYMBOL, from, length);
    return true;
}

/* ---- strings and characters ---- */

/* Digits of 'radix' at 'at', exactly 'count' of them unless fewer are allowed; -1 if there are not
 * that many. */
static int digits(const char *at, int radix, int least, int most, int *used)
{
    int code = 0;
    for (*used = 0; *used < most; ++*used) {
        char c = at[*used];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : 99;
        if (digit >= radix)
            break;
        code = code * radix + digit;
    }
    return *used < least ? -1 : code;
}

/* What uXXXX or octal digits at 'at' stand for; -1 if nothing.  Two halves of a surrogate pair are
 * one character, as in Java's strings. */
static int code_at(const char *at, int *used)
{
    if (*at != 'u') {
        int octal = digits(at, 8, 1, 3, used);
        return octal > 0377 ? -1 : octal;
    }
    int low_used, high = digits(at + 1, 16, 4, 4, used);
    *used = 5;
    if (high < 0xd800 || high > 0xdfff)
        return high;
    if (high > 0xdbff || at[5] != '\\' || at[6] != 'u')
        return -1;
    int low = digits(at + 7, 16, 4, 4, &low_used);
    *used = 11;
    return low >= 0xdc00 && low <= 0xdfff ? 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00) : -1;
}

/* The escape at edn->at, which stands on the backslash. */
static bool escape(struct esse_edn *edn, uint32_t *code)
{
    static const char names[] = "\"\\nrtbf", bytes[] = "\"\\\n\r\t\b\f";
    const char *name = edn->at[1] ? strchr(names, edn->at[1]) : NULL;
    int used = 1, wide = name ? bytes[name - names] : code_at(edn->at + 1, &used);
    if (wide < 0)
        return esse_edn_fail(edn, edn->at,
                             "bad escape in a string, expected one of \\n \\r \\t \\b \\f \\\" "
                             "\\\\ \\uXXXX or octal digits");
    *code = (uint32_t)wide;
    edn->at += 1 + used;
    return true;
}

/* The string's bytes, its escapes undone.  They have been checked. */
static esse_value decoded(struct esse_edn *edn, const char *from, const char *end)
{
    char *to = need_scratch(edn, (size_t)(end - from));
    size_t length = 0;
    uint32_t code = 0;
    for (edn->at = from; edn->at < end;) {
        if (*edn->at == '\\' && escape(edn, &code))
            length += esse_utf8_put(to + length, code);
        else
            to[length++] = *edn->at++;
    }
    return esse_value_string(edn->values, to, length);
}

static bool string(struct esse_edn *edn, esse_value *value)
{
    const char *outer = edn->open, *from = edn->at + 1;
    bool escaped = false;
    uint32_t code;
    edn->open = edn->at++;
    for (;;) {
        edn->at += esse_json_plain(edn->at);
        unsigned char c = (unsigned char)*edn->at;
        if (c == '"')
            break;
        if (c == '\\') {
            escaped = true;
            if (!escape(edn, &code))
                return false;
            continue;
        }
        unsigned length = esse_utf8_length(edn->at);
        if (!c)
            return esse_edn_expected(edn, "the '\"' that ends the string");
        if (!length)
            return bad_utf8(edn, edn->at);
        edn->at += length;
    }
    const char *end = edn->at;
    if (value)
        *value = escaped ? decoded(edn, from, end)
                         : esse_value_string(edn->values, from, (size_t)(end - from));
    edn->at = end + 1;
    edn->open = outer;
    return true;
}

static const struct {
    char code;
    const char *name;
} char_names[] = { { '\n', "newline" }, { ' ', "space" },      { '\t', "tab" },
                   { '\r', "return" },  { '\b', "backspace" }, { '\f', "formfeed" } };
enum { CHAR_NAMES = sizeof char_names / sizeof *char_names };

/* The code point that the text after a backslash names, or -1. */
static int char_code(const char *text, size_t length)
{
    for (int i = 0; i < CHAR_NAMES; i++)
        if (strlen(char_names[i].name) == length && memcmp(char_names[i].name, text, length) == 0)
            return char_names[i].code;
    int used, code = -1;
    if (*text == 'u' && length == 5)
        code = code_at(text, &used);
    else if (*text == 'o' && length >= 2 && length <= 4)
        code = digits(text + 1, 8, (int)length - 1, 3, &used);
    return code;
}

static bool character(struct esse_edn *edn, esse_value *value)
{
    const char *place = edn->at++, *from = edn->at, *end;
    unsigned first = esse_utf8_length(from);
    if (!*from)
        return esse_edn_expected(edn, "a character after '\\'");
    if (!first)
        return bad_utf8(edn, from);
    edn->at += first;
    if (!token(edn, &end))
        return false;
    char text[16], room[48];
    size_t length = (size_t)(end - from);
    int code = length == 1 ? (unsigned char)*from : length == first ? 0xffff : -1;
    if (code < 0)
        code = char_code(from, length);
    edn->at = end;
    if (code < 0)
        return esse_edn_fail(edn, place,
                             "found %s, expected a character such as \\a, \\newline or "
                             "\\u0041",
                             esse_edn_quote(edn, place, room));
    if (!value)
        return true;
    const char *name = NULL;
    for (int i = 0; i < CHAR_NAMES; i++)
        if (char_names[i].code == code)
            name = char_names[i].name;
    if (length == first && length > 1)
        memcpy(text, from, length); /* not ASCII: the text is the character itself */
    else if (name)
        length = (size_t)snprintf(text, sizeof text, "%s", name);
    else if (code < 0x20 || code == 0x7f)
        length = (size_t)snprintf(text, sizeof text, "u%04x", (unsigned)code);
    else
        length = esse_utf8_put(text, (uint32_t)code);
    *value = esse_value_atom(edn->values, ESSE_KIND_CHAR, text, length);
    return true;
}

/* ---- compounds ---- */

/* Puts the namespace of a map #:ns{...} before its bare keys; :_/k stands for :k. */
static void put_namespace(struct esse_edn *edn, struct esse_span space, size_t base)
{
    for (size_t i = base; i < edn->parts.count; i += 2) {
        char room[8];
        if (esse_value_kind(edn->values, edn->parts.at[i]) != ESSE_KIND_KEYWORD)
            continue;
        struct esse_span key = esse_value_text(edn->values, edn->parts.at[i], room);
        const char *slash = memchr(key.at, '/', key.length);
        if (slash == key.at + 1 && *key.at == '_' && slash[1] != ':') {
            edn->parts.at[i] = esse_value_keyword(edn->values, slash + 1, key.length - 2);
        } else if (!slash) {
            char *text = need_scratch(edn, space.length + 1 + key.length);
            memcpy(text, space.at, space.length);
            text[space.length] = '/';
            memcpy(text + space.length + 1, key.at, key.length);
            edn->parts.at[i] = esse_value_keyword(edn->values, text, space.length + 1 + key.length);
        }
    }
}

static bool make_compound(struct esse_edn *edn, const char *open, enum esse_value_kind kind,
                          size_t base, esse_value *value)
{
    esse_value *parts = edn->parts.at + base;
    uint32_t kept;
    size_t count = edn->parts.count - base;
    edn->parts.count = base;
    if (kind == ESSE_KIND_MAP) {
        esse_value twice = esse_value_map_repeats(edn->values, parts, count);
        if (!esse_value_eq(twice, ESSE_NONE)) {
            struct esse_out out;
            esse_out_init_memory(&out, edn->source->arena);
            esse_value_put_edn(&out, edn->values, twice);
            return esse_edn_fail(edn, open, "the map has key %.60s twice", esse_out_memory(&out));
        }
    }
    *value = esse_value_compound(edn->values, kind, parts, count);
    if (kind == ESSE_KIND_SET) {
        esse_value_parts(edn->values, *value, &kept);
        if (kept < count)
            return esse_edn_fail(edn, open, "the set has an element twice");
    }
    return true;
}

/* A compound whose opening bracket stands at edn->at. */
static bool compound(struct esse_edn *edn, enum esse_value_kind kind, struct esse_span space,
                     esse_value *value)
{
    const char *outer, *open = edn->at;
    const char close = *open == '[' ? ']' : *open == '(' ? ')' : '}';
    if (!esse_edn_enter(edn, &outer))
        return false;
    if (kind == ESSE_KIND_SET)
        edn->open = open - 1; /* the '#' */
    const size_t base = edn->parts.count;
    size_t count = 0;
    for (char c; (c = esse_edn_peek(edn)) != close; count++) {
        esse_value part;
        if (c == '\0' || c == ')' || c == ']' || c == '}')
            return esse_edn_expected(edn, close == ']'   ? "a value or ']'"
                                          : close == ')' ? "a value or ')'"
                                                         : "a value or '}'");
        if (!esse_edn_form(edn, value ? &part : NULL))
            return false;
        if (value)
            esse_edn_parts_push(&edn->parts, edn->source->arena, part);
    }
    if (kind == ESSE_KIND_MAP && count % 2)
        return esse_edn_expected(edn, "a value for the map's last key");
    edn->at++;
    esse_edn_leave(edn, outer);
    if (!value)
        return true;
    if (space.length)
        put_namespace(edn, space, base);
    return make_compound(edn, open, kind, base, value);
}

static bool tagged(struct esse_edn *edn, esse_value *value)
{
    const char *from = ++edn->at, *end;
    if (!token(edn, &end))
        return false;
    if (!deeper(edn))
        return false;
    esse_value parts[2];
    if (value)
        parts[0] = esse_value_atom(edn->values, ESSE_KIND_SYMBOL, from, (size_t)(end - from));
    edn->at = end;
    if (!esse_edn_form(edn, value ? &parts[1] : NULL))
        return false;
    edn->depth--;
    if (value)
        *value = esse_value_compound(edn->values, ESSE_KIND_TAGGED, parts, 2);
    return true;
}

static bool is_letter(char c)
{
    return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

bool esse_edn_pass_tags(struct esse_edn *edn)
{
    while (esse_edn_peek(edn) == '#' && is_letter(edn->at[1])) {
        const char *end;
        if (!token(edn, &end))
            return false;
        edn->at = end;
    }
    return !edn->failed && !edn->hungry;
}

/* ##Inf, ##-Inf and ##NaN. */
static bool symbolic(struct esse_edn *edn, esse_value *value)
{
    static const char *const known[] = { "##Inf", "##-Inf", "##NaN" };
    const char *from = edn->at, *end;
    if (!token(edn, &end))
        return false;
    size_t length = (size_t)(end - from);
    char room[48];
    for (int i = 0; i < 3; i++) {
        if (strlen(known[i]) == length && memcmp(known[i], from, length) == 0) {
            edn->at = end;
            if (value)
                *value = esse_value_atom(edn->values, ESSE_KIND_NUMBER, from, length);
            return true;
        }
    }
    return esse_edn_fail(edn, from, "found %s, expected ##Inf, ##-Inf or ##NaN",
                         esse_edn_quote(edn, from, room));
}

static bool namespaced(struct esse_edn *edn, esse_value *value)
{
    const char *from = edn->at, *end;
    if (!token(edn, &end))
        return false;
    edn->at = end;
    if (end - from < 3 || from[2] == ':')
        return esse_edn_fail(edn, from, "found '#:' without a name, expected a namespace");
    if (esse_edn_peek(edn) != '{')
        return esse_edn_expected(edn, "a map after the namespace");
    return compound(edn, ESSE_KIND_MAP, (struct esse_span){ from + 2, (size_t)(end - from) - 2 },
                    value);
}

static bool dispatch(struct esse_edn *edn, esse_value *value)
{
    const char next = edn->at[1];
    if (next == '{') {
        edn->at++;
        return compound(edn, ESSE_KIND_SET, (struct esse_span){ 0 }, value);
    }
    if (next == '#')
        return symbolic(edn, value);
    if (next == ':')
        return namespaced(edn, value);
    if (is_letter(next))
        return tagged(edn, value);
    edn->at++;
    return esse_edn_expected(edn, "a tag, '{', '_' or ':' after '#'");
}

bool esse_edn_form(struct esse_edn *edn, esse_value *value)
{
    const struct esse_span none = { 0 };
    const char c = esse_edn_peek(edn);
    switch (c) {
    case '[':
    case '(':
        return compound(edn, ESSE_KIND_SEQ, none, value);
    case '{':
        return compound(edn, ESSE_KIND_MAP, none, value);
    case '"':
        return string(edn, value);
    case ':':
        return keyword(edn, value);
    case '\\':
        return character(edn, value);
    case '#':
        return dispatch(edn, value);
    case '-':
    case '+':
        if (esse_edn_class_of(edn->at[1]) & ESSE_EDN_DIGIT)
            return number(edn, value);
        return symbol(edn, value);
    default:
        if (esse_edn_class_of(c) & ESSE_EDN_DIGIT)
            return number(edn, value);
        return symbol(edn, value);
    }
}
