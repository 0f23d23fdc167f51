#ifndef ESSE_FORMATS_JSON_H
#define ESSE_FORMATS_JSON_H

#include "base/digits.h"
#include "formats/source.h"
#include "history/values.h"

#include <string.h>

/*
 * Strict JSON (RFC 8259), scanned in place in a source's window.  Every function reads one thing
 * at json->at and moves past it, or fails with line, column, what was found and what was expected.
 *
 * If the window ends too early and the source has more, functions fail with json->hungry set: call
 * esse_source_more and start the form again.  Only a real end of input is an error of the input.
 *
 * Numbers are integers of 64 bits, exactly; anything else is an error that says so.
 */
struct esse_json {
    struct esse_source *source;
    struct esse_values *values;
    struct esse_error *err;
    const char *at;
    char newline; /* '\n' if it is white space, ' ' if it ends the form (JSON Lines, which must be
                     whole in the window) */
    bool hungry;
    char *scratch; /* strings with escapes are decoded here; good until the next string */
    size_t scratch_room;
    int depth;
};

enum { ESSE_JSON_DEPTH = 64 };

void esse_json_init(struct esse_json *json, struct esse_source *source, struct esse_values *values,
                    bool lines, struct esse_error *err);

static inline char esse_json_peek(struct esse_json *json)
{
    /* One comparison shows nearly always that there is none. */
    while ((unsigned char)*json->at <= ' ' && (*json->at == ' ' || *json->at == json->newline ||
                                               *json->at == '\t' || *json->at == '\r'))
        json->at++;
    return *json->at;
}

/* Fails at json->at: "found X, expected WHAT". */
bool esse_json_expected(struct esse_json *json, const char *what);
/* Fails at 'place' with a text of the caller's. */
bool esse_json_fail(struct esse_json *json, const char *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* One of the characters [ ] { } : , after white space. */
static inline bool esse_json_char(struct esse_json *json, char c, const char *what)
{
    if (esse_json_peek(json) != c)
        return esse_json_expected(json, what);
    json->at++;
    return true;
}

/*
 * Walks a list or object whose opening bracket has been read:
 *     for (bool first = true; esse_json_more(json, &first, ']', &ok);) { ... read one member ... }
 * ends at the closing bracket with ok true, or on an error with ok false.
 */
static inline bool esse_json_more(struct esse_json *json, bool *first, char close, bool *ok)
{
    char c = esse_json_peek(json);
    if (c == close) {
        json->at++;
        *ok = true;
        return false;
    }
    if (!*first) {
        if (c != ',') {
            *ok = esse_json_expected(json, close == ']' ? "',' or ']'" : "',' or '}'");
            return false;
        }
        json->at++;
        if (esse_json_peek(json) == close) {
            *ok = esse_json_expected(json, close == ']' ? "a value" : "a member name");
            return false;
        }
    }
    *first = false;
    *ok = true;
    return true;
}

/* A string's bytes, decoded; in the window if it has no escapes, else in json->scratch. */
bool esse_json_string(struct esse_json *json, struct esse_span *text);
/* A string as a value: no copy for short ones. */
bool esse_json_string_value(struct esse_json *json, esse_value *value);

/* The fast paths for what most of a large file is: a plain string of at most ESSE_SHORT_MAX bytes
 * and a number of at most 15 digits, at *at.  Each moves *at past what it read, or leaves it and
 * returns false, which means no more than "look closer". */
static inline bool esse_json_quick_string(const char **at, esse_value *value);
static inline bool esse_json_quick_int(const char **at, esse_value *value);

/* A member's name and its colon. */
bool esse_json_name(struct esse_json *json, struct esse_span *name);
bool esse_json_int(struct esse_json *json, int64_t *number);
/* Any value: scalars, lists (ESSE_KIND_SEQ), objects (ESSE_KIND_MAP). */
bool esse_json_value(struct esse_json *json, esse_value *value);
/* Past one value of any kind, checked for form; numbers may be any JSON number here. */
bool esse_json_skip(struct esse_json *json);

/* How much of a word starting at 'at' is plain string: bytes before the first quote, backslash,
 * control or non-ASCII byte, at most 8.  The usual bit tricks: each sets the top bit of the first
 * byte that qualifies (bytes above a hit may be set wrongly, so only the lowest counts). */
static inline unsigned esse_json_plain(const char *at)
{
    const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
    uint64_t word;
    memcpy(&word, at, 8);
    word = le64toh(word);
    uint64_t quote = word ^ (ones * '"'), backslash = word ^ (ones * '\\');
    uint64_t hit = ((quote - ones) & ~quote) | ((backslash - ones) & ~backslash) |
                   ((word - ones * 0x20) & ~word) | word;
    hit &= tops;
    return hit ? (unsigned)__builtin_ctzll(hit) / 8 : 8;
}

static inline bool esse_json_quick_string(const char **at, esse_value *value)
{
    const char *from = *at;
    if (*from++ != '"')
        return false;
    unsigned plain = esse_json_plain(from);
    if (plain > ESSE_SHORT_MAX || from[plain] != '"')
        return false;
    uint64_t word;
    memcpy(&word, from, 8);
    word = le64toh(word) & (((uint64_t)1 << (8 * plain)) - 1);
    value->word = word << 8 | plain << 3 | ESSE_TAG_STRING;
    *at = from + plain + 1;
    return true;
}

static inline bool esse_json_quick_int(const char **at, esse_value *value)
{
    uint64_t number;
    unsigned digits = esse_digits(*at, &number);
    if (digits == 0 || (digits > 1 && **at == '0'))
        return false;
    if (digits == 8) {
        uint64_t low;
        const unsigned more = esse_digits(*at + 8, &low);
        if (more == 8)
            return false;
        number = more ? number * esse_digits_tens[more] + low : number;
        digits += more;
    }
    char after = (*at)[digits];
    if (after != ',' && after != '}' && after != ']')
        return false;
    *value = esse_value_small((int64_t)number);
    *at += digits;
    return true;
}

/* Length of the well-formed UTF-8 sequence at 'at' (1 to 4), or 0. */
unsigned esse_utf8_length(const char *at);

/* Puts a character and returns its length; there is room for 4 bytes. */
size_t esse_utf8_put(char *to, uint32_t code);

#endif
