#include "sql/datum.h"

#include "base/hash.h"
#include "sql/sql_number.h"
#include "sql/sql_time.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct sql_decimal sql_number_decimal(struct esse_datum number)
{
    assert(number.kind == ESSE_DATUM_INT || number.kind == ESSE_DATUM_DECIMAL);
    if (number.kind == ESSE_DATUM_INT)
        return sql_decimal_from_int(number.is.number);
    return (struct sql_decimal){ number.is_wide ? *number.is.wide : number.is.number,
                                 number.scale };
}

struct esse_datum sql_number_datum(struct esse_arena *arena, struct sql_decimal decimal)
{
    struct esse_datum datum = { .kind = ESSE_DATUM_DECIMAL, .scale = (uint8_t)decimal.scale };
    if (decimal.digits >= INT64_MIN && decimal.digits <= INT64_MAX) {
        datum.is.number = (int64_t)decimal.digits;
        return datum;
    }
    esse_wide *wide = esse_arena_alloc(arena, 1, sizeof *wide);
    *wide = decimal.digits;
    datum.is_wide = true;
    datum.is.wide = wide;
    return datum;
}

bool sql_number_too_long(struct esse_fault *fault)
{
    return esse_fault_unsupported(fault, 0, "a number of more than 38 digits is not supported");
}

bool esse_datum_number(struct esse_arena *arena, const char *text, size_t length,
                       struct esse_datum *datum, struct esse_fault *fault)
{
    struct sql_decimal decimal;
    const char *why = sql_decimal_parse(text, length, &decimal);
    if (why)
        return esse_fault_unsupported(fault, 0, "the number %.*s %s: not supported",
                                      length > 60 ? 60 : (int)length, text, why);
    if (memchr(text, '.', length) || memchr(text, 'e', length) || memchr(text, 'E', length) ||
        decimal.digits > INT64_MAX || decimal.digits < INT64_MIN)
        *datum = sql_number_datum(arena, decimal);
    else
        *datum = esse_datum_int((int64_t)decimal.digits);
    return true;
}

double esse_datum_double(struct esse_datum number)
{
    char text[SQL_DECIMAL_TEXT + 1];
    if (number.kind == ESSE_DATUM_REAL)
        return number.is.real;
    if (number.kind == ESSE_DATUM_INT)
        return (double)number.is.number;
    text[sql_decimal_show(sql_number_decimal(number), text)] = '\0';
    return strtod(text, NULL);
}

int esse_datum_sign(struct esse_datum number)
{
    if (number.kind == ESSE_DATUM_REAL)
        return (number.is.real > 0) - (number.is.real < 0);
    if (number.is_wide)
        return *number.is.wide < 0 ? -1 : 1;
    return (number.is.number > 0) - (number.is.number < 0);
}

/* ---- comparing ---- */

static int compare_reals(double a, double b)
{
    if (isnan(a) || isnan(b))
        return (isnan(a) != 0) - (isnan(b) != 0);
    return (a > b) - (a < b);
}

static unsigned char folded(char c)
{
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
}

static uint32_t trimmed(struct esse_datum text)
{
    uint32_t length = text.length;
    while (length && text.is.text[length - 1] == ' ')
        length--;
    return length;
}

/* MySQL's: without case, and blanks at the end do not count. */
static int compare_folded(struct esse_datum a, struct esse_datum b)
{
    const uint32_t a_length = trimmed(a), b_length = trimmed(b);
    for (uint32_t i = 0; i < a_length && i < b_length; i++)
        if (folded(a.is.text[i]) != folded(b.is.text[i]))
            return folded(a.is.text[i]) < folded(b.is.text[i]) ? -1 : 1;
    return (a_length > b_length) - (a_length < b_length);
}

static int compare_texts(struct esse_datum a, struct esse_datum b)
{
    const uint32_t common = a.length < b.length ? a.length : b.length;
    const int order = common ? memcmp(a.is.text, b.is.text, common) : 0;
    return order ? order : (a.length > b.length) - (a.length < b.length);
}

int esse_datum_compare(struct esse_datum a, struct esse_datum b, bool is_folded)
{
    assert(a.kind != ESSE_DATUM_NULL);
    assert(b.kind != ESSE_DATUM_NULL);
    if (a.kind == ESSE_DATUM_TEXT && b.kind == ESSE_DATUM_TEXT)
        return is_folded ? compare_folded(a, b) : compare_texts(a, b);
    if (a.kind == ESSE_DATUM_REAL || b.kind == ESSE_DATUM_REAL)
        return compare_reals(esse_datum_double(a), esse_datum_double(b));
    if (a.kind == ESSE_DATUM_DECIMAL || b.kind == ESSE_DATUM_DECIMAL)
        return sql_decimal_compare(sql_number_decimal(a), sql_number_decimal(b));
    return (a.is.number > b.is.number) - (a.is.number < b.is.number);
}

bool esse_datum_same(struct esse_datum a, struct esse_datum b, bool is_folded)
{
    if (a.kind == ESSE_DATUM_NULL || b.kind == ESSE_DATUM_NULL)
        return a.kind == b.kind;
    if (a.kind == ESSE_DATUM_HOLE || b.kind == ESSE_DATUM_HOLE)
        return a.kind == b.kind && a.is.number == b.is.number;
    return esse_datum_compare(a, b, is_folded) == 0;
}

/* Equal numbers have equal hashes whatever their kinds: those of their doubles. */
static uint32_t hash_number(struct esse_datum datum)
{
    if (datum.kind == ESSE_DATUM_INT)
        return esse_hash_word((uint64_t)datum.is.number);
    if (datum.kind == ESSE_DATUM_DECIMAL) {
        struct sql_decimal whole, number = sql_number_decimal(datum);
        if (sql_decimal_rescale(number, 0, true, &whole) &&
            sql_decimal_compare(whole, number) == 0 && whole.digits <= INT64_MAX &&
            whole.digits >= INT64_MIN)
            return esse_hash_word((uint64_t)whole.digits);
    }
    const double real = esse_datum_double(datum);
    if (real >= -9e18 && real <= 9e18 && real == trunc(real))
        return esse_hash_word((uint64_t)(int64_t)real);
    uint64_t bits = 0;
    if (!isnan(real))
        memcpy(&bits, &real, sizeof bits);
    return esse_hash_word(bits ^ 0x5bd1e995);
}

static uint32_t hash_folded(struct esse_datum datum)
{
    uint64_t hash = 0xcbf29ce484222325u;
    const uint32_t length = trimmed(datum);
    for (uint32_t i = 0; i < length; i++)
        hash = esse_hash_mix(hash ^ folded(datum.is.text[i]), 0xe7037ed1a0b428dbu);
    return (uint32_t)hash;
}

uint32_t esse_datum_hash(struct esse_datum datum, bool is_folded)
{
    switch ((enum esse_datum_kind)datum.kind) {
    case ESSE_DATUM_NULL:
        return 0x9e3779b9;
    case ESSE_DATUM_INT:
    case ESSE_DATUM_DECIMAL:
    case ESSE_DATUM_REAL:
        return hash_number(datum);
    case ESSE_DATUM_TEXT:
        return is_folded ? hash_folded(datum) : esse_hash_bytes(datum.is.text, datum.length);
    default:
        return esse_hash_word((uint64_t)datum.is.number ^ (uint64_t)datum.kind << 56);
    }
}

/* ---- showing ---- */

/* In the exponent of 'text', which is as by %e, at least two digits; it has them. */
static size_t put_plain(const char *digits, int count, int exponent, bool negative, char *text)
{
    size_t length = 0;
    if (negative)
        text[length++] = '-';
    if (exponent < 0) {
        text[length++] = '0';
        text[length++] = '.';
        for (int i = -1; i > exponent; i--)
            text[length++] = '0';
    }
    for (int i = 0; i < count || i <= exponent; i++) {
        text[length++] = i < count ? digits[i] : '0';
        if (i == exponent && i + 1 < count)
            text[length++] = '.';
    }
    text[length] = '\0';
    return length;
}

size_t sql_real_show(double real, bool is_float4, char text[SQL_REAL_TEXT])
{
    char digits[24];
    int count = 0, precision = 0;
    if (isnan(real))
        return (size_t)snprintf(text, SQL_REAL_TEXT, "NaN");
    if (isinf(real))
        return (size_t)snprintf(text, SQL_REAL_TEXT, real < 0 ? "-Infinity" : "Infinity");
    if (real == 0)
        return (size_t)snprintf(text, SQL_REAL_TEXT, signbit(real) ? "-0" : "0");
    for (;; precision++) {
        snprintf(text, SQL_REAL_TEXT, "%.*e", precision, real);
        if (precision == 16 ||
            (is_float4 ? strtof(text, NULL) == (float)real : strtod(text, NULL) == real))
            break;
    }
    const int exponent = atoi(strchr(text, 'e') + 1);
    for (const char *at = text; *at != 'e'; at++)
        if (*at >= '0' && *at <= '9')
            digits[count++] = *at;
    if (exponent < -4 || exponent >= (is_float4 ? 6 : 15))
        return strlen(text);
    return put_plain(digits, count, exponent, real < 0, text);
}

static struct esse_datum copied(struct esse_arena *arena, const char *text, size_t length)
{
    return esse_datum_text(esse_arena_text(arena, text, length), length);
}

struct esse_datum esse_datum_show(struct esse_arena *arena, struct esse_datum datum,
                                  struct esse_type type)
{
    char text[64];
    size_t length = 0;
    switch ((enum esse_datum_kind)datum.kind) {
    case ESSE_DATUM_NULL:
        return copied(arena, "NULL", 4);
    case ESSE_DATUM_BOOL:
        return copied(arena, datum.is.number ? "true" : "false", datum.is.number ? 4 : 5);
    case ESSE_DATUM_INT:
    case ESSE_DATUM_DECIMAL:
        length = sql_decimal_show(sql_number_decimal(datum), text);
        break;
    case ESSE_DATUM_REAL:
        length = sql_real_show(datum.is.real, type.base == ESSE_TYPE_FLOAT4, text);
        break;
    case ESSE_DATUM_TEXT:
        return copied(arena, datum.is.text, datum.length);
    case ESSE_DATUM_DATE:
    case ESSE_DATUM_TIMESTAMP:
        length = sql_time_show(datum.is.number, datum.kind == ESSE_DATUM_DATE, text);
        break;
    case ESSE_DATUM_HOLE:
        length = (size_t)snprintf(text, sizeof text, "?%lld", (long long)datum.is.number);
        break;
    }
    return copied(arena, text, length);
}

struct esse_datum esse_datum_keep(struct esse_arena *arena, struct esse_datum datum)
{
    if (datum.kind == ESSE_DATUM_TEXT) {
        datum.is.text = esse_arena_text(arena, datum.is.text, datum.length);
    } else if (datum.is_wide) {
        esse_wide *wide = esse_arena_alloc(arena, 1, sizeof *wide);
        *wide = *datum.is.wide;
        datum.is.wide = wide;
    }
    return datum;
}

const char *esse_type_show(struct esse_arena *arena, struct esse_type type)
{
    static const char *const names[] = { "unknown",
                                         "boolean",
                                         "tinyint",
                                         "smallint",
                                         "integer",
                                         "bigint",
                                         "numeric",
                                         "real",
                                         "double precision",
                                         "text",
                                         "character varying",
                                         "character",
                                         "date",
                                         "timestamp without time zone",
                                         "void" };
    assert(type.base < sizeof names / sizeof *names);
    if (type.base == ESSE_TYPE_NUMERIC && type.length)
        return esse_arena_format(arena, "numeric(%u,%u)", type.length, type.scale);
    if (type.length)
        return esse_arena_format(arena, "%s(%u)", names[type.base], type.length);
    return names[type.base];
}

/* ---- characters ---- */

static bool begins(char byte)
{
    return ((unsigned char)byte & 0xc0) != 0x80;
}

uint32_t esse_text_characters(struct esse_datum text)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < text.length; i++)
        count += begins(text.is.text[i]);
    return count;
}

uint32_t esse_text_byte_of(struct esse_datum text, uint32_t count)
{
    for (uint32_t i = 0; i < text.length; i++)
        if (begins(text.is.text[i]) && !count--)
            return i;
    return text.length;
}
