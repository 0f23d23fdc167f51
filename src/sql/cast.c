#include "sql/datum.h"
#include "sql/sql_number.h"
#include "sql/sql_time.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
    int64_t low, high;
    const char *name;
} ranges[] = {
    [ESSE_TYPE_TINYINT] = { INT8_MIN, INT8_MAX, "tinyint" },
    [ESSE_TYPE_SMALLINT] = { INT16_MIN, INT16_MAX, "smallint" },
    [ESSE_TYPE_INT] = { INT32_MIN, INT32_MAX, "integer" },
    [ESSE_TYPE_BIGINT] = { INT64_MIN, INT64_MAX, "bigint" },
};

/* ---- integers ---- */

static bool fits_int(struct esse_type type, esse_wide number)
{
    esse_wide low = ranges[type.base].low, high = ranges[type.base].high;
    if (type.is_unsigned) {
        high = high * 2 + 1;
        low = 0;
    }
    return number >= low && number <= high;
}

/* An unsigned bigint beyond 63 bits is a wide DECIMAL. */
static bool to_int(struct esse_arena *arena, struct esse_type type, esse_wide number,
                   struct esse_datum *result, struct esse_fault *fault)
{
    if (!fits_int(type, number))
        return esse_fault(fault, "22003", 0, "%s%s out of range", ranges[type.base].name,
                          type.is_unsigned ? " unsigned" : "");
    *result = number > INT64_MAX ? sql_number_datum(arena, (struct sql_decimal){ number, 0 })
                                 : esse_datum_int((int64_t)number);
    return true;
}

static bool invalid(struct esse_fault *fault, struct esse_type type, struct esse_datum text)
{
    static const char *const names[] = {
        [ESSE_TYPE_BOOL] = "boolean",      [ESSE_TYPE_TINYINT] = "tinyint",
        [ESSE_TYPE_SMALLINT] = "smallint", [ESSE_TYPE_INT] = "integer",
        [ESSE_TYPE_BIGINT] = "bigint",     [ESSE_TYPE_NUMERIC] = "numeric",
        [ESSE_TYPE_FLOAT4] = "real",       [ESSE_TYPE_FLOAT8] = "double precision",
        [ESSE_TYPE_DATE] = "date",         [ESSE_TYPE_TIMESTAMP] = "timestamp",
    };
    const bool is_time = esse_type_is_time(type);
    return esse_fault(fault, is_time ? "22007" : "22P02", 0,
                      "invalid input syntax for type %s: \"%.*s\"", names[type.base],
                      (int)(text.length > 100 ? 100 : text.length), text.is.text);
}

static bool text_to_int(struct esse_arena *arena, struct esse_datum text, struct esse_type type,
                        struct esse_datum *result, struct esse_fault *fault)
{
    const char *at = text.is.text, *end = at + text.length;
    esse_wide number = 0;
    while (at < end && isspace((unsigned char)*at))
        at++;
    while (end > at && isspace((unsigned char)end[-1]))
        end--;
    const bool negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    if (at == end)
        return invalid(fault, type, text);
    for (const char *digit = at; digit < end; digit++)
        if (!isdigit((unsigned char)*digit))
            return invalid(fault, type, text);
    for (; at < end && number < (esse_wide)INT64_MAX * 4; at++)
        number = number * 10 + (*at - '0');
    return to_int(arena, type, negative ? -number : number, result, fault);
}

static bool real_to_int(struct esse_arena *arena, double real, struct esse_type type,
                        struct esse_datum *result, struct esse_fault *fault)
{
    const double whole = rint(real);
    if (!(whole >= -9.3e18 && whole <= 1.85e19))
        return esse_fault(fault, "22003", 0, "%s out of range", ranges[type.base].name);
    return to_int(arena, type, (esse_wide)whole, result, fault);
}

static bool cast_int(struct esse_arena *arena, struct esse_datum from, struct esse_type to,
                     struct esse_datum *result, struct esse_fault *fault)
{
    struct sql_decimal whole;
    switch ((enum esse_datum_kind)from.kind) {
    case ESSE_DATUM_INT:
    case ESSE_DATUM_BOOL:
        return to_int(arena, to, from.is.number, result, fault);
    case ESSE_DATUM_DECIMAL:
        if (!sql_decimal_rescale(sql_number_decimal(from), 0, false, &whole))
            return sql_number_too_long(fault);
        return to_int(arena, to, whole.digits, result, fault);
    case ESSE_DATUM_REAL:
        return real_to_int(arena, from.is.real, to, result, fault);
    default:
        return text_to_int(arena, from, to, result, fault);
    }
}

/* ---- decimals ---- */

static bool fit_numeric(struct esse_arena *arena, struct sql_decimal number, struct esse_type to,
                        struct esse_datum *result, struct esse_fault *fault)
{
    if (to.length) {
        struct sql_decimal limit = { 1, 0 };
        const struct sql_decimal ten = { 10, 0 };
        for (uint32_t i = 0; i + to.scale < to.length; i++)
            if (!sql_decimal_calculate('*', limit, ten, &limit))
                return sql_number_too_long(fault);
        if (!sql_decimal_rescale(number, to.scale, false, &number))
            return esse_fault(fault, "22003", 0, "numeric field overflow");
        const struct sql_decimal size = { number.digits < 0 ? -number.digits : number.digits,
                                          number.scale };
        if (sql_decimal_compare(size, limit) >= 0)
            return esse_fault(fault, "22003", 0, "numeric field overflow");
    }
    if (to.is_unsigned && number.digits < 0)
        return esse_fault(fault, "22003", 0, "numeric unsigned out of range");
    *result = sql_number_datum(arena, number);
    return true;
}

/* PostgreSQL takes 15 digits of a double precision and 6 of a real. */
static bool real_to_numeric(struct esse_arena *arena, double real, bool is_float4,
                            struct esse_type to, struct esse_datum *result,
                            struct esse_fault *fault)
{
    char text[SQL_REAL_TEXT];
    struct sql_decimal number;
    if (!isfinite(real))
        return esse_fault_unsupported(fault, 0, "NaN and infinity as numeric are not supported");
    const int length = snprintf(text, sizeof text, "%.*g", is_float4 ? 6 : 15, real);
    if (sql_decimal_parse(text, (size_t)length, &number))
        return sql_number_too_long(fault);
    return fit_numeric(arena, number, to, result, fault);
}

static bool cast_numeric(struct esse_arena *arena, struct esse_datum from, struct esse_type type,
                         struct esse_type to, struct esse_datum *result, struct esse_fault *fault)
{
    struct sql_decimal number;
    if (from.kind == ESSE_DATUM_REAL)
        return real_to_numeric(arena, from.is.real, type.base == ESSE_TYPE_FLOAT4, to, result,
                               fault);
    if (from.kind == ESSE_DATUM_BOOL)
        return fit_numeric(arena, (struct sql_decimal){ from.is.number, 0 }, to, result, fault);
    if (from.kind != ESSE_DATUM_TEXT)
        return fit_numeric(arena, sql_number_decimal(from), to, result, fault);
    const char *why = sql_decimal_parse(from.is.text, from.length, &number);
    if (why)
        return strstr(why, "38") ? sql_number_too_long(fault) : invalid(fault, to, from);
    return fit_numeric(arena, number, to, result, fault);
}

/* ---- floating point ---- */

static bool text_to_real(struct esse_datum text, struct esse_type to, double *real,
                         struct esse_fault *fault)
{
    char copy[64], *end;
    const char *at = text.is.text;
    uint32_t length = text.length;
    while (length && isspace((unsigned char)*at))
        at++, length--;
    while (length && isspace((unsigned char)at[length - 1]))
        length--;
    if (!length || length >= sizeof copy || memchr(at, 'x', length) || memchr(at, 'X', length) ||
        memchr(at, '(', length))
        return invalid(fault, to, text);
    memcpy(copy, at, length);
    copy[length] = '\0';
    errno = 0;
    *real = to.base == ESSE_TYPE_FLOAT4 ? (double)strtof(copy, &end) : strtod(copy, &end);
    if (*end)
        return invalid(fault, to, text);
    if (errno == ERANGE && (isinf(*real) || *real == 0))
        return esse_fault(fault, "22003", 0, "\"%s\" is out of range", copy);
    return true;
}

static bool cast_real(struct esse_datum from, struct esse_type to, struct esse_datum *result,
                      struct esse_fault *fault)
{
    double real = 0;
    if (from.kind == ESSE_DATUM_TEXT) {
        if (!text_to_real(from, to, &real, fault))
            return false;
    } else {
        real = from.kind == ESSE_DATUM_BOOL ? (double)from.is.number : esse_datum_double(from);
    }
    if (to.base == ESSE_TYPE_FLOAT4) {
        const float narrow = (float)real;
        if (isinf(narrow) && !isinf(real))
            return esse_fault(fault, "22003", 0, "value out of range: overflow");
        if (narrow == 0 && real != 0)
            return esse_fault(fault, "22003", 0, "value out of range: underflow");
        real = (double)narrow;
    }
    *result = esse_datum_real(real);
    return true;
}

/* ---- text ---- */

static bool fit_text(struct esse_arena *arena, struct esse_datum text, struct esse_type to,
                     enum esse_cast_how how, struct esse_datum *result, struct esse_fault *fault)
{
    *result = text;
    if (!to.length)
        return true;
    const uint32_t characters = esse_text_characters(text);
    if (characters > to.length) {
        const uint32_t end = esse_text_byte_of(text, to.length);
        for (uint32_t i = end; how == ESSE_CAST_ASSIGN && i < text.length; i++)
            if (text.is.text[i] != ' ')
                return esse_fault(fault, "22001", 0, "value too long for type %s",
                                  esse_type_show(arena, to));
        result->length = end;
    } else if (to.base == ESSE_TYPE_CHAR && characters < to.length && !to.is_folded) {
        const uint32_t blanks = to.length - characters;
        char *padded = esse_arena_alloc(arena, text.length + blanks + 1, 1);
        if (text.length)
            memcpy(padded, text.is.text, text.length);
        memset(padded + text.length, ' ', blanks);
        *result = esse_datum_text(padded, text.length + blanks);
    }
    return true;
}

static bool cast_text(struct esse_arena *arena, struct esse_datum from, struct esse_type type,
                      struct esse_type to, enum esse_cast_how how, struct esse_datum *result,
                      struct esse_fault *fault)
{
    struct esse_datum text = from;
    if (from.kind != ESSE_DATUM_TEXT)
        text = esse_datum_show(arena, from, type);
    if (type.base == ESSE_TYPE_CHAR)
        while (text.length && text.is.text[text.length - 1] == ' ')
            text.length--;
    return fit_text(arena, text, to, how, result, fault);
}

/* ---- booleans and times ---- */

static bool is_beginning(struct esse_datum text, const char *word, uint32_t least)
{
    return text.length >= least && text.length <= strlen(word) &&
           strncasecmp(text.is.text, word, text.length) == 0;
}

static bool text_to_bool(struct esse_datum text, struct esse_datum *result,
                         struct esse_fault *fault)
{
    struct esse_datum word = text;
    while (word.length && isspace((unsigned char)*word.is.text))
        word.is.text++, word.length--;
    while (word.length && isspace((unsigned char)word.is.text[word.length - 1]))
        word.length--;
    if (is_beginning(word, "true", 1) || is_beginning(word, "yes", 1) ||
        is_beginning(word, "on", 2) || is_beginning(word, "1", 1))
        *result = esse_datum_bool(true);
    else if (is_beginning(word, "false", 1) || is_beginning(word, "no", 1) ||
             is_beginning(word, "off", 2) || is_beginning(word, "0", 1))
        *result = esse_datum_bool(false);
    else
        return invalid(fault, ESSE_TYPE(BOOL), text);
    return true;
}

static bool is_all_digits(struct esse_datum text)
{
    for (uint32_t i = 0; i < text.length; i++)
        if (!isdigit((unsigned char)text.is.text[i]))
            return false;
    return text.length > 0;
}

static bool cast_time(struct esse_datum from, struct esse_type to, struct esse_datum *result,
                      struct esse_fault *fault)
{
    int64_t time = from.is.number;
    if (from.kind == ESSE_DATUM_TEXT && !sql_time_parse(from.is.text, from.length, &time)) {
        if (is_all_digits(from))
            return esse_fault_unsupported(fault, 0, "a date of digits alone is not supported");
        const bool looks = from.length >= 8 && isdigit((unsigned char)*from.is.text) &&
                           memchr(from.is.text, '-', from.length);
        if (looks)
            return esse_fault(fault, "22008", 0, "date/time field value out of range: \"%.*s\"",
                              (int)(from.length > 100 ? 100 : from.length), from.is.text);
        return invalid(fault, to, from);
    }
    result->kind = to.base == ESSE_TYPE_DATE ? ESSE_DATUM_DATE : ESSE_DATUM_TIMESTAMP;
    result->scale = 0;
    result->is_wide = false;
    result->is.number = to.base == ESSE_TYPE_DATE ? sql_time_date(time) : time;
    return true;
}

/* MySQL's dialect takes the longest beginning of a text that is a number, or 0. */
static struct esse_datum beginning(struct esse_datum text, bool is_whole, bool *is_all)
{
    const char *at = text.is.text, *end = at + text.length;
    while (at < end && isspace((unsigned char)*at))
        at++;
    const char *from = at, *digits;
    at += at < end && (*at == '-' || *at == '+');
    for (digits = at; at < end && isdigit((unsigned char)*at);)
        at++;
    bool has_digits = at > digits;
    if (!is_whole && at < end && *at == '.') {
        const char *after = at + 1;
        while (after < end && isdigit((unsigned char)*after))
            after++;
        has_digits |= after > at + 1;
        at = has_digits ? after : at;
    }
    *is_all = false;
    if (!has_digits)
        return esse_datum_text("0", 1);
    if (!is_whole && end - at > 1 && (*at == 'e' || *at == 'E')) {
        const char *exponent = at + 1 + (at[1] == '-' || at[1] == '+');
        if (exponent < end && isdigit((unsigned char)*exponent))
            for (at = exponent; at < end && isdigit((unsigned char)*at);)
                at++;
    }
    const struct esse_datum number = esse_datum_text(from, (size_t)(at - from));
    while (at < end && isspace((unsigned char)*at))
        at++;
    *is_all = at == end;
    return number;
}

/* MySQL's dialect rounds a text that goes into a column of integers. */
static bool text_to_rounded(struct esse_arena *arena, struct esse_datum text, struct esse_type to,
                            struct esse_datum *result, struct esse_fault *fault)
{
    struct sql_decimal number, whole;
    if (sql_decimal_parse(text.is.text, text.length, &number))
        return invalid(fault, to, text);
    if (!sql_decimal_rescale(number, 0, false, &whole))
        return sql_number_too_long(fault);
    return to_int(arena, to, whole.digits, result, fault);
}

/* CAST(-1 AS UNSIGNED) keeps the bits. */
static bool cast_unsigned(struct esse_arena *arena, struct esse_datum from,
                          struct esse_datum *result, struct esse_fault *fault)
{
    esse_wide number = 0;
    if (from.kind == ESSE_DATUM_DECIMAL || from.kind == ESSE_DATUM_REAL)
        return cast_int(arena, from, (struct esse_type){ ESSE_TYPE_BIGINT, 0, true, false, 0 },
                        result, fault);
    if (!cast_int(arena, from, ESSE_TYPE(BIGINT), result, fault))
        return false;
    number = result->is.number;
    if (number < 0)
        *result = sql_number_datum(arena,
                                   (struct sql_decimal){ number + ((esse_wide)UINT64_MAX + 1), 0 });
    return true;
}

bool esse_cast(struct esse_arena *arena, struct esse_datum from, struct esse_type from_type,
               struct esse_type to, enum esse_cast_how how, struct esse_datum *result,
               struct esse_fault *fault)
{
    if (from.kind == ESSE_DATUM_NULL || from.kind == ESSE_DATUM_HOLE ||
        to.base == ESSE_TYPE_UNKNOWN) {
        *result = from;
        return true;
    }
    if (from.kind == ESSE_DATUM_TEXT && from_type.is_folded && esse_type_is_number(to) &&
        (how == ESSE_CAST_EXPLICIT || how == ESSE_CAST_WHOLE)) {
        bool is_all;
        from = beginning(from, esse_type_is_int(to), &is_all);
        if (how == ESSE_CAST_WHOLE && !is_all)
            return esse_fault_unsupported(
                fault, 0, "a text that is no number, within a change, is not supported");
    }
    if (from.kind == ESSE_DATUM_TEXT && from_type.is_folded && esse_type_is_int(to))
        return text_to_rounded(arena, from, to, result, fault);
    if (esse_type_is_int(to) && to.is_unsigned && how == ESSE_CAST_EXPLICIT)
        return cast_unsigned(arena, from, result, fault);
    if (esse_type_is_int(to))
        return cast_int(arena, from, to, result, fault);
    if (esse_type_is_text(to) && how == ESSE_CAST_SHOW && from.kind == ESSE_DATUM_BOOL) {
        *result = esse_datum_text(from.is.number ? "t" : "f", 1);
        return true;
    }
    if (esse_type_is_text(to))
        return cast_text(arena, from, from_type, to, how, result, fault);
    if (to.base == ESSE_TYPE_NUMERIC)
        return cast_numeric(arena, from, from_type, to, result, fault);
    if (esse_type_is_real(to))
        return cast_real(from, to, result, fault);
    if (esse_type_is_time(to))
        return cast_time(from, to, result, fault);
    assert(to.base == ESSE_TYPE_BOOL);
    if (from.kind == ESSE_DATUM_TEXT)
        return text_to_bool(from, result, fault);
    *result =
        esse_datum_bool(from.kind == ESSE_DATUM_BOOL ? from.is.number : esse_datum_sign(from) != 0);
    return true;
}
