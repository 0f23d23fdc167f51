#ifndef ESSE_FORMATS_EDN_H
#define ESSE_FORMATS_EDN_H

#include "base/digits.h"
#include "base/vec.h"
#include "formats/source.h"
#include "history/values.h"

#include <string.h>

/*
 * EDN as Clojure reads it, scanned in place in a source's window.  Every function reads one thing
 * at edn->at and moves past it, or fails with line, column, what was found and what was expected.
 *
 * If the window ends too early and the source has more, functions fail with edn->hungry set: call
 * esse_source_more and start the form again with esse_edn_start.  Only a real end of input is an
 * error of the input; it names where the innermost open form began.
 *
 * White space, commas, comments, #_ discards and ^ metadata are passed over between forms.
 * Integers of 64 bits are exact; other numbers are kept by canonical text (edn_number.h).
 *
 * Life: init -> start, forms ... -> release.  Cost: one pass over the bytes; a value costs what
 * esse_values asks for it.
 */
ESSE_VEC(esse_edn_parts, esse_value)

struct esse_edn {
    struct esse_source *source;
    struct esse_values *values;
    struct esse_error *err;
    const char *at;
    const char *open; /* where the innermost open form began, NULL outside of all */
    bool hungry;
    bool failed; /* 'err' is filled; the first failure is the one that counts */
    int depth;
    char *scratch; /* strings with escapes are decoded here; good until the next string */
    size_t scratch_room;
    struct esse_edn_parts parts; /* the members of the compounds that are being read */
};

enum { ESSE_EDN_DEPTH = 64 };

void esse_edn_init(struct esse_edn *edn, struct esse_source *source, struct esse_values *values,
                   struct esse_error *err);
/* Begins, or begins again, at source->at. */
void esse_edn_start(struct esse_edn *edn);
void esse_edn_release(struct esse_edn *edn);

enum {
    ESSE_EDN_SPACE = 1,   /* white space and commas */
    ESSE_EDN_BETWEEN = 2, /* starts something that is passed over, or may: ; # ^ */
    ESSE_EDN_END = 4,     /* ends a token: space, brackets, quotes, the end of the window */
    ESSE_EDN_DIGIT = 8,
    ESSE_EDN_BAD = 16,  /* stands nowhere outside of strings */
    ESSE_EDN_HIGH = 32, /* part of a UTF-8 sequence */
};
extern const unsigned char esse_edn_class[256];

static inline unsigned esse_edn_class_of(char c)
{
    return esse_edn_class[(unsigned char)c];
}

char esse_edn_peek_slow(struct esse_edn *edn);

/* The first character of the next form; 0 at the end of the window, or if what lies between is
 * malformed: the caller that expected something then says so with esse_edn_expected. */
static inline char esse_edn_peek(struct esse_edn *edn)
{
    while (esse_edn_class_of(*edn->at) & ESSE_EDN_SPACE)
        edn->at++;
    if (__builtin_expect(esse_edn_class_of(*edn->at) & ESSE_EDN_BETWEEN, 0))
        return esse_edn_peek_slow(edn);
    return *edn->at;
}

/* Fails at edn->at: "found X, expected WHAT", and where the open form began if the input ended. */
bool esse_edn_expected(struct esse_edn *edn, const char *what);
/* Fails at 'place' with a text of the caller's. */
bool esse_edn_fail(struct esse_edn *edn, const char *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The start of the form at 'place', short enough for a message.  Returns 'room'. */
const char *esse_edn_quote(const struct esse_edn *edn, const char *place, char room[48]);

bool esse_edn_form(struct esse_edn *edn, esse_value *value);

/* Past one form of any kind, checked for form as if it were read. */
static inline bool esse_edn_skip(struct esse_edn *edn)
{
    return esse_edn_form(edn, NULL);
}

/*
 * An integer of at most 17 digits that ends before the window does: nearly every number of a
 * history.  False, with nothing read, for all else.
 */
static inline bool esse_edn_small_int(struct esse_edn *edn, int64_t *number)
{
    const char *at = edn->at;
    const bool negative = *at == '-';
    at += negative;
    const char *digits = at;
    uint64_t magnitude = 0;
    at += esse_digits(at, &magnitude);
    if (at - digits == 8)
        for (unsigned digit; (digit = (unsigned)(unsigned char)*at - '0') <= 9; at++)
            magnitude = magnitude * 10 + digit;
    const size_t length = (size_t)(at - digits);
    /* A leading zero is octal, and what follows may be 1.5, 1N, 1/2: all of that is rare. */
    if (length - 1 > 16 || (*digits == '0' && length > 1) ||
        !(esse_edn_class_of(*at) & ESSE_EDN_END) || *at == '\0')
        return false;
    *number = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    edn->at = at;
    return true;
}

/* Any form as a value: atoms, vectors and lists (ESSE_KIND_SEQ), sets, maps, tagged values. */
static inline bool esse_edn_value(struct esse_edn *edn, esse_value *value)
{
    int64_t number;
    char c = esse_edn_peek(edn);
    if ((esse_edn_class_of(c) & ESSE_EDN_DIGIT) && esse_edn_small_int(edn, &number)) {
        *value = esse_value_small(number);
        return true;
    }
    return esse_edn_form(edn, value);
}

bool esse_edn_too_deep(struct esse_edn *edn);

/* Goes into a vector, list or map (not a set) whose bracket stands at edn->at; leaving gives back
 * what 'open' was.  For readers that take compounds apart themselves. */
static inline bool esse_edn_enter(struct esse_edn *edn, const char **outer)
{
    *outer = edn->open;
    if (edn->depth == ESSE_EDN_DEPTH)
        return esse_edn_too_deep(edn);
    edn->depth++;
    edn->open = edn->at++;
    return true;
}

static inline void esse_edn_leave(struct esse_edn *edn, const char *outer)
{
    edn->open = outer;
    edn->depth--;
}

/* Past any #tags, to the form they stand before. */
bool esse_edn_pass_tags(struct esse_edn *edn);

/* A token's end: the first byte from 'at' that cannot belong to a symbol, keyword or number. */
static inline const char *esse_edn_token_end(const char *at)
{
    while (!(esse_edn_class_of(*at) & ESSE_EDN_END))
        at++;
    return at;
}

#endif
