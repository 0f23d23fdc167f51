#include "formats/text.h"

#include "base/error.h"

bool esse_text_expected(struct esse_text *text, const char *what)
{
    char room[24];
    text->hungry = text->at >= text->source->end && !text->source->last;
    return !text->hungry &&
           esse_source_fail(text->source, text->err, text->at, "found %s, expected %s",
                            esse_source_found(text->source, text->at, room), what);
}

bool esse_text_more(struct esse_text *text)
{
    if (!text->hungry || !esse_source_more(text->source, text->err))
        return false;
    text->hungry = false;
    text->at = text->source->at;
    return true;
}

bool esse_text_long_int(struct esse_text *text, int64_t *number)
{
    const char *start = text->at, *c = start + (*start == '-');
    int64_t parsed = 0;
    bool fits = true;
    for (; *c >= '0' && *c <= '9'; c++) {
        const int digit = *start == '-' ? '0' - *c : *c - '0';
        fits = fits && !__builtin_mul_overflow(parsed, 10, &parsed) &&
               !__builtin_add_overflow(parsed, digit, &parsed);
    }
    text->at = c;
    if (c == start + (*start == '-'))
        return esse_text_expected(text, "an integer");
    if (!fits)
        return esse_source_fail(text->source, text->err, start,
                                "an integer beyond 64 bits; expected one between "
                                "-9223372036854775808 and 9223372036854775807");
    *number = parsed;
    return true;
}

static void pass_blanks(struct esse_text *text)
{
    for (; text->at < text->source->end; text->at++) {
        if (*text->at == '\n')
            esse_source_next_line(text->source, text->at + 1);
        else if (*text->at != '\r' && *text->at != ' ' && *text->at != '\t')
            return;
    }
}

bool esse_text_find_line(struct esse_text *text, bool *ok)
{
    struct esse_source *source = text->source;
    for (;;) {
        pass_blanks(text);
        source->at = text->at;
        *ok = true;
        if (text->at < source->end)
            return true;
        if (source->last)
            return false;
        *ok = esse_source_more(source, text->err);
        if (!*ok)
            return false;
        text->at = source->at;
    }
}
