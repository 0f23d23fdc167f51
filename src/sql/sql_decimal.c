#include "sql/sql_decimal.h"

#include <assert.h>
#include <ctype.h>

static const char too_long[] = "has more than 38 digits";

static sql_wide power_of_ten(int exponent)
{
    sql_wide power = 1;
    assert(exponent >= 0);
    assert(exponent <= SQL_DECIMAL_DIGITS);
    while (exponent-- > 0)
        power *= 10;
    return power;
}

static sql_wide magnitude(sql_wide digits)
{
    return digits < 0 ? -digits : digits;
}

/* Ten times 10^37 would still fit 128 bits, ten times 10^38 would not: ask before, not after. */
#define TEN_TO_37 ((sql_wide)10000000000000000000u * 1000000000000000000u)

static bool fits(sql_wide digits)
{
    return magnitude(digits) < TEN_TO_37 * 10;
}

static bool has_room(sql_wide digits)
{
    return magnitude(digits) < TEN_TO_37;
}

/* ---- from text ---- */

struct scan {
    const char *at, *end;
};

static bool scan_digit(struct scan *scan, int *digit)
{
    if (scan->at == scan->end || !isdigit((unsigned char)*scan->at))
        return false;
    *digit = *scan->at++ - '0';
    return true;
}

/* The exponent after an 'e', or 0.  Beyond a few digits its size does not matter any more. */
static bool scan_exponent(struct scan *scan, int *exponent)
{
    int digit, count = 0, sign = 1;
    *exponent = 0;
    if (scan->at == scan->end || (*scan->at != 'e' && *scan->at != 'E'))
        return true;
    scan->at++;
    if (scan->at < scan->end && (*scan->at == '-' || *scan->at == '+'))
        sign = *scan->at++ == '-' ? -1 : 1;
    for (; scan_digit(scan, &digit); count++)
        *exponent = *exponent < 1000 ? *exponent * 10 + digit : *exponent;
    *exponent *= sign;
    return count > 0;
}

/* Brings a scale that the exponent moved back into what a decimal has. */
static const char *settle(sql_wide digits, int scale, struct sql_decimal *number)
{
    while (scale > SQL_DECIMAL_DIGITS && digits % 10 == 0) {
        digits /= 10;
        scale--;
    }
    for (; scale < 0 && has_room(digits); scale++)
        digits *= 10;
    if (scale < 0 || scale > SQL_DECIMAL_DIGITS)
        return too_long;
    *number = (struct sql_decimal){ digits, scale };
    return NULL;
}

const char *sql_decimal_parse(const char *text, size_t length, struct sql_decimal *number)
{
    struct scan scan = { text, text + length };
    sql_wide digits = 0;
    int digit, count = 0, scale = 0, exponent;
    while (scan.at < scan.end && isspace((unsigned char)*scan.at))
        scan.at++;
    while (scan.end > scan.at && isspace((unsigned char)scan.end[-1]))
        scan.end--;
    bool negative = scan.at < scan.end && *scan.at == '-';
    scan.at += scan.at < scan.end && (*scan.at == '-' || *scan.at == '+');
    for (bool point = false;;) {
        if (scan_digit(&scan, &digit)) {
            if (!has_room(digits))
                return too_long;
            digits = digits * 10 + digit;
            scale += point;
            count++;
        } else if (!point && scan.at < scan.end && *scan.at == '.') {
            point = true;
            scan.at++;
        } else {
            break;
        }
    }
    if (!count || !scan_exponent(&scan, &exponent) || scan.at != scan.end)
        return "is not a number";
    return settle(negative ? -digits : digits, scale - exponent, number);
}

/* ---- calculating ---- */

/* Whole parts first, then what is after the point: so nothing needs more than 128 bits. */
int sql_decimal_compare(struct sql_decimal a, struct sql_decimal b)
{
    const sql_wide x_unit = power_of_ten(a.scale), y_unit = power_of_ten(b.scale);
    sql_wide x = a.digits / x_unit, y = b.digits / y_unit;
    if (x == y) {
        const int scale = a.scale > b.scale ? a.scale : b.scale;
        x = a.digits % x_unit * power_of_ten(scale - a.scale);
        y = b.digits % y_unit * power_of_ten(scale - b.scale);
    }
    return (x > y) - (x < y);
}

/* The same number with more digits after the point. */
static bool rescale(struct sql_decimal *number, int scale)
{
    for (; number->scale < scale; number->scale++) {
        if (!has_room(number->digits))
            return false;
        number->digits *= 10;
    }
    return true;
}

bool sql_decimal_calculate(char op, struct sql_decimal a, struct sql_decimal b,
                           struct sql_decimal *result)
{
    const int scale = a.scale > b.scale ? a.scale : b.scale;
    sql_wide digits;
    assert(op == '+' || op == '-' || op == '*' || op == '%');
    assert(op != '%' || b.digits != 0);
    if (op == '*') {
        if (__builtin_mul_overflow(a.digits, b.digits, &digits) || !fits(digits) ||
            a.scale + b.scale > SQL_DECIMAL_DIGITS)
            return false;
        *result = (struct sql_decimal){ digits, a.scale + b.scale };
        return true;
    }
    if (!rescale(&a, scale) || !rescale(&b, scale))
        return false;
    if (op == '-')
        b.digits = -b.digits;
    if (op == '%')
        digits = a.digits % b.digits;
    else if (__builtin_add_overflow(a.digits, b.digits, &digits))
        return false;
    if (!fits(digits))
        return false;
    *result = (struct sql_decimal){ digits, scale };
    return true;
}

bool sql_decimal_divide(struct sql_decimal a, struct sql_decimal b, int scale,
                        struct sql_decimal *result)
{
    const bool negative = (a.digits < 0) != (b.digits < 0);
    sql_wide divisor = magnitude(b.digits), left = magnitude(a.digits);
    int more = scale + b.scale - a.scale;
    assert(divisor != 0);
    for (; more < 0; more++) {
        if (!has_room(divisor))
            return false;
        divisor *= 10;
    }
    sql_wide quotient = left / divisor;
    left %= divisor;
    for (; more > 0; more--) {
        if (!has_room(quotient) || !has_room(left))
            return false;
        left *= 10;
        quotient = quotient * 10 + left / divisor;
        left %= divisor;
    }
    quotient += left >= divisor - left;
    if (!fits(quotient))
        return false;
    *result = (struct sql_decimal){ negative ? -quotient : quotient, scale };
    return true;
}

bool sql_decimal_rescale(struct sql_decimal number, int scale, bool is_cut,
                         struct sql_decimal *result)
{
    const int drop = number.scale - scale;
    if (drop <= 0) {
        if (scale > SQL_DECIMAL_DIGITS || !rescale(&number, scale))
            return false;
        *result = number;
        return true;
    }
    if (drop > SQL_DECIMAL_DIGITS) {
        *result = (struct sql_decimal){ 0, scale > 0 ? scale : 0 };
        return true;
    }
    const sql_wide unit = power_of_ten(drop);
    sql_wide whole = number.digits / unit;
    const sql_wide rest = magnitude(number.digits % unit);
    if (!is_cut && rest >= unit - rest)
        whole += number.digits < 0 ? -1 : 1;
    *result = (struct sql_decimal){ whole, scale };
    return scale >= 0 ||
           sql_decimal_calculate('*', (struct sql_decimal){ whole, 0 },
                                 (struct sql_decimal){ power_of_ten(-scale), 0 }, result);
}

bool sql_decimal_round(struct sql_decimal number, int64_t *result)
{
    const sql_wide unit = power_of_ten(number.scale);
    sql_wide whole = number.digits / unit, rest = magnitude(number.digits % unit);
    if (number.scale && rest >= unit - rest)
        whole += number.digits < 0 ? -1 : 1;
    if (whole > INT64_MAX || whole < INT64_MIN)
        return false;
    *result = (int64_t)whole;
    return true;
}

size_t sql_decimal_show(struct sql_decimal number, char text[SQL_DECIMAL_TEXT])
{
    char backwards[SQL_DECIMAL_TEXT];
    sql_wide left = magnitude(number.digits);
    size_t count = 0, length = 0;
    for (int place = 0; place <= number.scale || left; place++, left /= 10) {
        if (place && place == number.scale)
            backwards[count++] = '.';
        backwards[count++] = (char)('0' + (int)(left % 10));
    }
    if (number.digits < 0)
        text[length++] = '-';
    assert(length + count <= SQL_DECIMAL_TEXT);
    while (count)
        text[length++] = backwards[--count];
    return length;
}
