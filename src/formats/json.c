#include "formats/json.h"

#include "base/arena.h"
#include "base/vec.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

ESSE_VEC(json_parts, esse_value)

void esse_json_init(struct esse_json *json, struct esse_source *source, struct esse_values *values,
                    bool lines, struct esse_error *err)
{
    *json = (struct esse_json){ .source = source,
                                .values = values,
                                .err = err,
                                .at = source->at,
                                .newline = lines ? ' ' : '\n' };
}

/* Whether the scanner stands at the end of a window that is not the end of the input.  Lines are
 * whole: in one that is near the end nothing is cut off. */
static bool is_hungry(struct esse_json *json, const char *place)
{
    if (place < json->source->end || json->source->last || json->newline != '\n')
        return false;
    json->hungry = true;
    return true;
}

bool esse_json_fail(struct esse_json *json, const char *place, const char *format, ...)
{
    if (is_hungry(json, json->at))
        return false;
    char text[sizeof json->err->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return esse_source_fail(json->source, json->err, place, "%s", text);
}

bool esse_json_expected(struct esse_json *json, const char *what)
{
    char room[24];
    return esse_json_fail(json, json->at, "found %s, expected %s",
                          esse_source_found(json->source, json->at, room), what);
}

/* ---- strings ---- */

unsigned esse_utf8_length(const char *at)
{
    const unsigned char *c = (const unsigned char *)at;
    if (c[0] < 0x80)
        return 1;
    if (c[0] < 0xc2 || c[0] > 0xf4 || (c[1] & 0xc0) != 0x80)
        return 0;
    if (c[0] < 0xe0)
        return 2;
    if ((c[2] & 0xc0) != 0x80 || (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f))
        return 0; /* overlong, or half of a surrogate pair */
    if (c[0] < 0xf0)
        return 3;
    if ((c[3] & 0xc0) != 0x80 || (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f))
        return 0;
    return 4;
}

/* Four hexadecimal digits at 'at', or -1. */
static int hex4(const char *at)
{
    int number = 0;
    for (int i = 0; i < 4; i++) {
        char c = at[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return -1;
        number = number * 16 + digit;
    }
    return number;
}

size_t esse_utf8_put(char *to, uint32_t code)
{
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
    for (size_t i = length - 1; i > 0; i--, code >>= 6)
        to[i] = (char)(0x80 | (code & 0x3f));
    to[0] = (char)(lead[length] | code);
    return length;
}

/* One escape at json->at, which stands on the backslash. */
static bool escape(struct esse_json *json, char *to, size_t *length)
{
    static const char names[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
    const char *at = json->at;
    const char *name = at[1] ? strchr(names, at[1]) : NULL;
    if (name) {
        to[(*length)++] = bytes[name - names];
        json->at += 2;
        return true;
    }
    int high = at[1] == 'u' ? hex4(at + 2) : -1;
    if (high < 0) {
        json->at += at + 6 > json->source->end ? json->source->end - at : 0;
        return esse_json_fail(json, at, "bad escape in a string");
    }
    uint32_t code = (uint32_t)high;
    json->at += 6;
    if (high >= 0xd800 && high < 0xe000) {
        int low = high < 0xdc00 && at[6] == '\\' && at[7] == 'u' ? hex4(at + 8) : -1;
        if (low < 0xdc00 || low > 0xdfff) {
            json->at = at + 12 > json->source->end ? json->source->end : at;
            return esse_json_fail(json, at, "half of a surrogate pair in a string");
        }
        code = 0x10000 + ((code - 0xd800) << 10) + ((uint32_t)low - 0xdc00);
        json->at += 6;
    }
    *length += esse_utf8_put(to + *length, code);
    return true;
}

static bool in_string(struct esse_json *json)
{
    const char *at = json->at;
    if (at >= json->source->end)
        return esse_json_fail(json, at, "found end of file, expected the '\"' that ends a string");
    if ((unsigned char)*at < 0x20) {
        char room[24];
        return esse_json_fail(json, at, "found %s in a string, expected '\"' or an escape",
                              esse_source_found(json->source, at, room));
    }
    /* A character may be cut by the end of the window. */
    if (json->source->end - at < 4 && !json->source->last)
        json->at = json->source->end;
    return esse_json_fail(json, at, "invalid UTF-8 in a string");
}

/* Makes the scratch large enough for the longest string the window can hold. */
static void need_scratch(struct esse_json *json)
{
    size_t need = (size_t)(json->source->end - json->source->window) + 16;
    if (json->scratch_room >= need)
        return;
    json->scratch_room = need;
    json->scratch = esse_arena_grow(json->source->arena, json->scratch, need);
}

/* The rest of a string that has escapes; what came before them starts at 'from'. */
static bool slow_string(struct esse_json *json, const char *from, struct esse_span *text)
{
    need_scratch(json);
    size_t length = (size_t)(json->at - from);
    memcpy(json->scratch, from, length);
    while (*json->at != '"') {
        if (*json->at == '\\') {
            if (!escape(json, json->scratch, &length))
                return false;
            continue;
        }
        unsigned bytes = (unsigned char)*json->at < 0x20 ? 0 : esse_utf8_length(json->at);
        if (!bytes)
            return in_string(json);
        memcpy(json->scratch + length, json->at, 4);
        length += bytes;
        json->at += bytes;
    }
    json->at++;
    *text = (struct esse_span){ json->scratch, length };
    return true;
}

bool esse_json_string(struct esse_json *json, struct esse_span *text)
{
    if (esse_json_peek(json) != '"')
        return esse_json_expected(json, "a string");
    const char *from = ++json->at;
    for (;;) {
        unsigned plain = esse_json_plain(json->at);
        json->at += plain;
        if (plain == 8)
            continue;
        if (*json->at == '"')
            break;
        if (*json->at == '\\')
            return slow_string(json, from, text);
        unsigned bytes = (unsigned char)*json->at < 0x20 ? 0 : esse_utf8_length(json->at);
        if (!bytes)
            return in_string(json);
        json->at += bytes;
    }
    *text = (struct esse_span){ from, (size_t)(json->at - from) };
    json->at++;
    return true;
}

bool esse_json_string_value(struct esse_json *json, esse_value *value)
{
    esse_json_peek(json);
    if (esse_json_quick_string(&json->at, value))
        return true;
    struct esse_span text;
    if (!esse_json_string(json, &text))
        return false;
    *value = esse_value_string(json->values, text.at, text.length);
    return true;
}

bool esse_json_name(struct esse_json *json, struct esse_span *name)
{
    if (esse_json_peek(json) != '"')
        return esse_json_expected(json, "a member name");
    return esse_json_string(json, name) && esse_json_char(json, ':', "':'");
}

/* ---- numbers ---- */

bool esse_json_int(struct esse_json *json, int64_t *number)
{
    esse_json_peek(json);
    const char *from = json->at, *at = from;
    bool negative = *at == '-';
    at += negative;
    const char *digits = at;
    uint64_t magnitude, low;
    unsigned count = esse_digits(at, &magnitude);
    if (!count) {
        json->at = at;
        return esse_json_expected(json, negative ? "a digit" : "an integer");
    }
    at += count;
    if (count == 8 && (count = esse_digits(at, &low))) {
        magnitude = magnitude * esse_digits_tens[count] + low;
        at += count;
    }
    bool fits = true;
    for (; *at >= '0' && *at <= '9'; at++)
        fits = fits && !__builtin_mul_overflow(magnitude, 10u, &magnitude) &&
               !__builtin_add_overflow(magnitude, (uint64_t)(*at - '0'), &magnitude);
    json->at = at;
    if (at >= json->source->end && !json->source->last)
        return esse_json_fail(json, at, "cut off"); /* hungry: more digits may follow */
    if (*digits == '0' && at - digits > 1)
        return esse_json_fail(json, digits, "a number must not start with 0");
    if (*at == '.' || *at == 'e' || *at == 'E')
        return esse_json_fail(json, from,
                              "found a number with a fraction or exponent, expected an "
                              "integer");
    if (!fits || magnitude > (uint64_t)INT64_MAX + negative)
        return esse_json_fail(json, from, "the integer does not fit 64 bits");
    *number = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return true;
}

/* ---- any value ---- */

static bool literal(struct esse_json *json, const char *word, esse_value meaning, esse_value *value)
{
    for (const char *at = word; *at; at++, json->at++)
        if (*json->at != *at)
            return esse_json_expected(json, "a value");
    *value = meaning;
    return true;
}

static bool deeper(struct esse_json *json)
{
    if (++json->depth > ESSE_JSON_DEPTH)
        return esse_json_fail(json, json->at, "nested more than %d deep", ESSE_JSON_DEPTH);
    return true;
}

static bool compound(struct esse_json *json, bool object, esse_value *value)
{
    const char *open = json->at++;
    if (!deeper(json))
        return false;
    struct json_parts parts = { 0 };
    struct esse_arena *arena = json->source->arena;
    bool ok = true;
    for (bool first = true; esse_json_more(json, &first, object ? '}' : ']', &ok);) {
        esse_value name, part;
        if (object && !(esse_json_string_value(json, &name) && esse_json_char(json, ':', "':'"))) {
            ok = false;
            break;
        }
        if (!esse_json_value(json, &part)) {
            ok = false;
            break;
        }
        if (object)
            json_parts_push(&parts, arena, name);
        json_parts_push(&parts, arena, part);
    }
    if (ok && object) {
        esse_value twice = esse_value_map_repeats(json->values, parts.at, parts.count);
        char room[8];
        if (!esse_value_eq(twice, ESSE_NONE)) {
            struct esse_span text = esse_value_text(json->values, twice, room);
            ok = esse_json_fail(json, open, "the object has member \"%.*s\" twice",
                                (int)(text.length < 60 ? text.length : 60), text.at);
        }
    }
    if (ok)
        *value = esse_value_compound(json->values, object ? ESSE_KIND_MAP : ESSE_KIND_SEQ, parts.at,
                                     parts.count);
    json_parts_drop(&parts, arena);
    json->depth--;
    return ok;
}

bool esse_json_value(struct esse_json *json, esse_value *value)
{
    int64_t number;
    switch (esse_json_peek(json)) {
    case '"':
        return esse_json_string_value(json, value);
    case '{':
        return compound(json, true, value);
    case '[':
        return compound(json, false, value);
    case 'n':
        return literal(json, "null", ESSE_NIL, value);
    case 't':
        return literal(json, "true", ESSE_TRUE, value);
    case 'f':
        return literal(json, "false", ESSE_FALSE, value);
    default:
        if (*json->at != '-' && (*json->at < '0' || *json->at > '9'))
            return esse_json_expected(json, "a value");
        if (!esse_json_int(json, &number))
            return false;
        *value = esse_value_int(json->values, number);
        return true;
    }
}

static bool skip_number(struct esse_json *json)
{
    const char *at = json->at + (*json->at == '-');
    const char *digits = at;
    while (*at >= '0' && *at <= '9')
        at++;
    bool good = at > digits && !(*digits == '0' && at - digits > 1);
    if (good && *at == '.') {
        const char *fraction = ++at;
        while (*at >= '0' && *at <= '9')
            at++;
        good = at > fraction;
    }
    if (good && (*at == 'e' || *at == 'E')) {
        at += at[1] == '+' || at[1] == '-' ? 2 : 1;
        const char *exponent = at;
        while (*at >= '0' && *at <= '9')
            at++;
        good = at > exponent;
    }
    json->at = at;
    if (!good || (at >= json->source->end && !json->source->last))
        return esse_json_expected(json, "a digit");
    return true;
}

static bool skip_compound(struct esse_json *json, char close)
{
    json->at++;
    if (!deeper(json))
        return false;
    bool ok = true;
    struct esse_span name;
    for (bool first = true; esse_json_more(json, &first, close, &ok);)
        if ((close == '}' && !esse_json_name(json, &name)) || !esse_json_skip(json))
            return false;
    json->depth--;
    return ok;
}

bool esse_json_skip(struct esse_json *json)
{
    struct esse_span text;
    esse_value ignored;
    switch (esse_json_peek(json)) {
    case '"':
        return esse_json_string(json, &text);
    case '{':
        return skip_compound(json, '}');
    case '[':
        return skip_compound(json, ']');
    case 'n':
        return literal(json, "null", ESSE_NIL, &ignored);
    case 't':
        return literal(json, "true", ESSE_NIL, &ignored);
    case 'f':
        return literal(json, "false", ESSE_NIL, &ignored);
    default:
        if (*json->at != '-' && (*json->at < '0' || *json->at > '9'))
            return esse_json_expected(json, "a value");
        return skip_number(json);
    }
}
