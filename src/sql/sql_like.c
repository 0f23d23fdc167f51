#include "sql/sql_like.h"

#include <string.h>

/* The length of the character at 'at': its first byte and the bytes that continue it. */
static size_t character(const char *at, const char *end)
{
    size_t length = 1;
    while (at + length < end && ((unsigned char)at[length] & 0xc0) == 0x80)
        length++;
    return length;
}

struct like {
    const char *text_end, *pattern_end;
    struct esse_span escape;
};

static bool is_escape(const struct like *like, const char *pattern)
{
    return like->escape.length && (size_t)(like->pattern_end - pattern) >= like->escape.length &&
           memcmp(pattern, like->escape.at, like->escape.length) == 0;
}

/* Matches one element of the pattern, not '%', against the text; moves both on.  An escape at the
 * very end is an error if there is text left to compare with it, as in PostgreSQL. */
static enum sql_like step(const struct like *like, const char **text, const char **pattern)
{
    const char *at = *pattern;
    bool literal = is_escape(like, at);
    if (literal)
        at += like->escape.length;
    if (*text == like->text_end)
        return SQL_LIKE_NO;
    if (at == like->pattern_end)
        return SQL_LIKE_ENDS_IN_ESCAPE;
    size_t length = character(at, like->pattern_end);
    if (*at == '_' && !literal) {
        *text += character(*text, like->text_end);
    } else {
        if ((size_t)(like->text_end - *text) < length || memcmp(*text, at, length) != 0)
            return SQL_LIKE_NO;
        *text += length;
    }
    *pattern = at + length;
    return SQL_LIKE_YES;
}

/* Greedy: only the last '%' seen can still take more. */
enum sql_like sql_like(struct esse_span text, struct esse_span pattern, struct esse_span escape)
{
    const struct like like = { text.at + text.length, pattern.at + pattern.length, escape };
    const char *at = text.at, *want = pattern.at, *retry_at = NULL, *retry_want = NULL;
    if (escape.length && character(escape.at, escape.at + escape.length) != escape.length)
        return SQL_LIKE_LONG_ESCAPE;
    for (;;) {
        if (want < like.pattern_end && *want == '%' && !is_escape(&like, want)) {
            retry_want = ++want;
            retry_at = at;
            continue;
        }
        if (want == like.pattern_end && at == like.text_end)
            return SQL_LIKE_YES;
        enum sql_like result = want == like.pattern_end ? SQL_LIKE_NO : step(&like, &at, &want);
        if (result == SQL_LIKE_YES)
            continue;
        if (result == SQL_LIKE_ENDS_IN_ESCAPE || !retry_want || retry_at == like.text_end)
            return result;
        retry_at += character(retry_at, like.text_end);
        at = retry_at;
        want = retry_want;
    }
}
