#ifndef ESSE_FORMATS_TEXT_H
#define ESSE_FORMATS_TEXT_H

#include "formats/json.h"

/*
 * Lines of letters, punctuation and integers, scanned in place in a source's window.  Every
 * function reads one thing at text->at and moves past it, or fails with line, column, what was
 * found and what was expected.
 *
 * If the window ends too early and the source has more, functions fail with text->hungry set: call
 * esse_text_more and start the line again.
 */
struct esse_text {
    struct esse_source *source;
    struct esse_error *err;
    const char *at;
    bool hungry;
};

/* Fails at text->at: "found X, expected WHAT". */
bool esse_text_expected(struct esse_text *text, const char *what);

/* After a failure: true if that was for want of bytes, and there are more now. */
bool esse_text_more(struct esse_text *text);

/* An integer that the loop of esse_text_int does not take: none at all, or a long one. */
bool esse_text_long_int(struct esse_text *text, int64_t *number);

static inline bool esse_text_char(struct esse_text *text, char c, const char *what)
{
    if (*text->at != c)
        return esse_text_expected(text, what);
    text->at++;
    return true;
}

/* At least one blank. */
static inline bool esse_text_space(struct esse_text *text)
{
    if (*text->at != ' ' && *text->at != '\t')
        return esse_text_expected(text, "a space");
    while (*text->at == ' ' || *text->at == '\t')
        text->at++;
    return true;
}

/* Decimal, with a minus if it is negative; 64 bits, exactly. */
static inline bool esse_text_int(struct esse_text *text, int64_t *number)
{
    const bool negative = *text->at == '-';
    const char *digits = text->at + negative, *c = digits;
    int64_t parsed = 0;
    for (unsigned digit; (digit = (unsigned)*c - '0') <= 9 && c - digits < 19; c++)
        parsed = (int64_t)((uint64_t)parsed * 10 + digit);
    if (c == digits || c - digits == 19)
        return esse_text_long_int(text, number);
    *number = negative ? -parsed : parsed;
    text->at = c;
    return true;
}

static inline bool esse_text_value(struct esse_text *text, struct esse_values *values,
                                   esse_value *value)
{
    int64_t number;
    if (esse_json_quick_int(&text->at, value))
        return true;
    if (!esse_text_int(text, &number))
        return false;
    *value = esse_value_int(values, number);
    return true;
}

/* The end of the line or of the input, with or without a carriage return. */
static inline bool esse_text_line_end(struct esse_text *text)
{
    text->at += *text->at == '\r';
    if (*text->at == '\n') {
        esse_source_next_line(text->source, ++text->at);
        return true;
    }
    return (text->at == text->source->end && text->source->last) ||
           esse_text_expected(text, "the end of the line");
}

/* Moves to the next line that is not blank, which is line source->mark_line: false at the end of
 * the input, or if it cannot be read, which 'ok' says. */
bool esse_text_find_line(struct esse_text *text, bool *ok);

static inline bool esse_text_next_line(struct esse_text *text, bool *ok)
{
    if (*text->at <= ' ') /* or beyond ASCII, or the end */
        return esse_text_find_line(text, ok);
    text->source->at = text->at;
    return *ok = true;
}

#endif
