#ifndef ESSE_HISTORY_VALUES_H
#define ESSE_HISTORY_VALUES_H

#include "base/arena.h"
#include "esse/esse.h"

#include <string.h>

/*
 * The values of one history.  A value is a word; two values of one pool are equal exactly when
 * their words are equal.  Integers of 61 bits, and strings and keywords of up to 7 bytes, are the
 * word itself and need no memory; everything else is an atom, stored once.
 *
 * The one kind that is not interned here is ESSE_KIND_LIST, what a read of a list-append key
 * returned: it names a spine and a length, see lists.h.
 *
 * Cost: making a value O(its length), no memory for inline ones; everything else O(1).
 */
struct esse_values;

enum esse_value_kind {
    ESSE_KIND_NONE, /* nothing was recorded, such as the result of a crashed read */
    ESSE_KIND_NIL,  /* absent */
    ESSE_KIND_FALSE,
    ESSE_KIND_TRUE,
    ESSE_KIND_INT,    /* exact, 64 bits */
    ESSE_KIND_NUMBER, /* any other number, by its canonical text: 1.5, 1/3, 2^70 */
    ESSE_KIND_STRING,
    ESSE_KIND_KEYWORD, /* text without the colon */
    ESSE_KIND_SYMBOL,
    ESSE_KIND_CHAR, /* text without the backslash */
    ESSE_KIND_SEQ,  /* a list or vector used as one opaque value */
    ESSE_KIND_SET,
    ESSE_KIND_MAP,    /* parts: key, value, key, value ...; sorted by key.  Rows are maps */
    ESSE_KIND_TAGGED, /* parts: symbol, value */
    ESSE_KIND_LIST,
};

enum {
    ESSE_TAG_SPECIAL,
    ESSE_TAG_INT,
    ESSE_TAG_ATOM,
    ESSE_TAG_LIST,
    ESSE_TAG_STRING,
    ESSE_TAG_KEYWORD
};

#define ESSE_NONE  ((esse_value){ 0 })
#define ESSE_NIL   ((esse_value){ 1 << 3 })
#define ESSE_FALSE ((esse_value){ 2 << 3 })
#define ESSE_TRUE  ((esse_value){ 3 << 3 })

#define ESSE_INT_MAX (INT64_MAX >> 3) /* what fits a word */
#define ESSE_INT_MIN (INT64_MIN >> 3)
enum { ESSE_SHORT_MAX = 7 };

static inline bool esse_value_eq(esse_value a, esse_value b)
{
    return a.word == b.word;
}

static inline unsigned esse_value_tag(esse_value value)
{
    return value.word & 7;
}

static inline bool esse_value_is_list(esse_value value)
{
    return esse_value_tag(value) == ESSE_TAG_LIST;
}

/* An integer that is known to fit a word. */
static inline esse_value esse_value_small(int64_t number)
{
    return (esse_value){ (uint64_t)number << 3 | ESSE_TAG_INT };
}

/* A string (or keyword) of at most ESSE_SHORT_MAX bytes: the bytes above, then length and tag. */
static inline esse_value esse_value_short(unsigned tag, const char *text, size_t length)
{
    uint64_t word = 0;
    for (size_t i = 0; i < length; i++)
        word |= (uint64_t)(unsigned char)text[i] << (8 * (i + 1));
    return (esse_value){ word | (uint64_t)length << 3 | tag };
}

struct esse_values *esse_values_new(struct esse_arena *arena);

esse_value esse_value_int(struct esse_values *values, int64_t number);
esse_value esse_value_string(struct esse_values *values, const char *text, size_t length);
esse_value esse_value_keyword(struct esse_values *values, const char *text, size_t length);
/* ESSE_KIND_NUMBER, _SYMBOL or _CHAR; the text must be canonical. */
esse_value esse_value_atom(struct esse_values *values, enum esse_value_kind kind, const char *text,
                           size_t length);
/* ESSE_KIND_SEQ, _SET, _MAP or _TAGGED.  Sets and maps are sorted here, in place; equal members
 * of a set are dropped.  A map must not hold a key twice (see esse_value_map_repeats). */
esse_value esse_value_compound(struct esse_values *values, enum esse_value_kind kind,
                               esse_value *parts, size_t count);

enum esse_value_kind esse_value_kind(const struct esse_values *values, esse_value value);

/* True and the number for ESSE_KIND_INT; false for all else. */
bool esse_value_as_int(const struct esse_values *values, esse_value value, int64_t *number);

/* The text of a string, keyword, symbol, char or number.  Short ones are put into 'room'. */
struct esse_span {
    const char *at;
    size_t length;
};

static inline bool esse_span_is(struct esse_span span, const char *text)
{
    return span.length == strlen(text) && memcmp(span.at, text, span.length) == 0;
}
struct esse_span esse_value_text(const struct esse_values *values, esse_value value, char room[8]);

/* A key or id for an error message: its text or number, shortened to fit 'room'. */
const char *esse_value_brief(const struct esse_values *values, esse_value value, char room[64]);

/* The parts of a compound. */
const esse_value *esse_value_parts(const struct esse_values *values, esse_value value,
                                   uint32_t *count);

/* A total order by content (kind, then number or text, then parts), the same in every run. */
int esse_value_compare(const struct esse_values *values, esse_value a, esse_value b);

/* The first key that a map written as key, value, key, value ... holds twice, or ESSE_NONE.
 * Sorts 'parts' by key. */
esse_value esse_value_map_repeats(const struct esse_values *values, esse_value *parts,
                                  size_t count);

/* The value 'value' of another pool, as one of this pool. */
esse_value esse_value_carry(struct esse_values *to, const struct esse_values *from,
                            esse_value value);

/* Atoms are numbered from 0 on, as they are made; how many there are, and the one of a number. */
uint32_t esse_values_atoms(const struct esse_values *values);
static inline esse_value esse_value_of_atom(uint32_t number)
{
    return (esse_value){ (uint64_t)number << 3 | ESSE_TAG_ATOM };
}

/* How many atoms of 'kind' there are. */
uint32_t esse_values_count(const struct esse_values *values, enum esse_value_kind kind);

#endif
