#include "collect/recover/recover_text.h"

#include "base/error.h"

esse_value esse_value_of_digits(struct esse_values *values, const char *text, size_t length)
{
    const bool negative = length && text[0] == '-';
    uint64_t number = 0;
    size_t i = negative;
    for (; i < length && length - negative < 20 && text[i] >= '0' && text[i] <= '9'; i++)
        number = number * 10 + (uint64_t)(text[i] - '0'); /* 19 digits fit 64 bits */
    const uint64_t limit = (uint64_t)INT64_MAX + negative;
    const bool plain = i == length && length > negative && number <= limit &&
                       (text[negative] != '0' || (length == 1));
    if (!plain)
        return esse_value_string(values, text, length);
    return esse_value_int(values, negative ? (int64_t)(0 - number) : (int64_t)number);
}

/* ---- hybrid clocks ---- */

struct reader {
    struct esse_span text;
    size_t at;
    struct esse_error *err;
};

static bool expected(const struct reader *r, const char *what)
{
    return esse_fail(r->err, ESSE_EINPUT, "byte %zu: expected %s", r->at, what);
}

/* Digits that make a number of 64 bits. */
static bool read_number(struct reader *r, uint64_t *number)
{
    const size_t from = r->at;
    *number = 0;
    for (; r->at < r->text.length; r->at++) {
        const char c = r->text.at[r->at];
        if (c < '0' || c > '9')
            break;
        const uint64_t digit = (uint64_t)(c - '0');
        if (*number > (UINT64_MAX - digit) / 10)
            return expected(r, "a number of 64 bits");
        *number = *number * 10 + digit;
    }
    return r->at > from || expected(r, "a digit");
}

static bool read_char(struct reader *r, char c)
{
    const char what[] = { '\'', c, '\'', 0 };
    if (r->at >= r->text.length || r->text.at[r->at] != c)
        return expected(r, what);
    r->at++;
    return true;
}

bool esse_hlc_parse(struct esse_span text, struct esse_stamp *stamp, struct esse_error *err)
{
    struct reader r = { text, 0, err };
    struct esse_stamp read = { 0 };
    if (!read_number(&r, &read.high))
        return false;
    if (r.at < text.length && (!read_char(&r, '.') || !read_number(&r, &read.low)))
        return false;
    if (r.at < text.length && text.at[r.at] == '?')
        r.at++;
    if (r.at < text.length)
        return expected(&r, "the end of the timestamp");
    *stamp = read;
    return true;
}
