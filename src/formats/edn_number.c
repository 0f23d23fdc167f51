#include "formats/edn_number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct number {
    struct esse_values *values;
    const char *at, *end; /* what follows the sign */
    bool negative;
    char *scratch;
    esse_value *value;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *digits_end(const char *at, const char *end)
{
    while (at < end && is_digit(*at))
        at++;
    return at;
}

static int digit_of(char c)
{
    if (is_digit(c))
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'z' ? c - 'a' + 10 : 99;
}

static const char *keep_text(const struct number *n, const char *text, size_t length)
{
    if (n->value)
        *n->value = esse_value_atom(n->values, ESSE_KIND_NUMBER, text, length);
    return NULL;
}

/* An integer by its decimal digits, which do not fit 64 bits. */
static const char *keep_digits(const struct number *n, const char *digits, size_t length)
{
    char *to = n->scratch;
    if (n->negative)
        *to++ = '-';
    memmove(to, digits, length);
    return keep_text(n, n->scratch, length + n->negative);
}

static const char *keep_magnitude(const struct number *n, uint64_t magnitude)
{
    if (magnitude > (uint64_t)INT64_MAX + n->negative) {
        char digits[24];
        int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)magnitude);
        return keep_digits(n, digits, (size_t)length);
    }
    if (n->value)
        *n->value =
            esse_value_int(n->values, n->negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude);
    return NULL;
}

/* The digits in decimal: a long number in groups of nine, least significant first, that is
 * multiplied by the radix for every digit. */
static const char *keep_radix(const struct number *n, const char *at, const char *end, int radix)
{
    enum { GROUP = 1000000000, GROUPS = ESSE_EDN_RADIX_DIGITS * 2 / 9 + 2 };
    uint32_t groups[GROUPS] = { 0 };
    size_t used = 1;
    for (; at < end; at++) {
        uint64_t carry = (uint64_t)digit_of(*at);
        for (size_t i = 0; i < used; i++, carry /= GROUP) {
            carry += (uint64_t)groups[i] * (unsigned)radix;
            groups[i] = (uint32_t)(carry % GROUP);
        }
        if (carry)
            groups[used++] = (uint32_t)carry;
    }
    char digits[GROUPS * 9 + 16];
    size_t length = (size_t)snprintf(digits, 16, "%u", groups[used - 1]);
    while (--used > 0)
        length += (size_t)snprintf(digits + length, 16, "%09u", groups[used - 1]);
    return keep_digits(n, digits, length);
}

static const char *integer(const struct number *n, const char *at, int radix)
{
    const char *end = n->end;
    if (end > at && end[-1] == 'N' && radix <= 'N' - 'A' + 10)
        end--;
    if (at == end)
        return "digits";
    uint64_t magnitude = 0;
    bool fits = true;
    for (const char *c = at; c < end; c++) {
        int digit = digit_of(*c);
        if (digit >= radix)
            return radix == 8    ? "an octal number, because it starts with 0"
                   : radix == 10 ? "a number"
                                 : "digits of that radix";
        fits = fits && !__builtin_mul_overflow(magnitude, (uint64_t)radix, &magnitude) &&
               !__builtin_add_overflow(magnitude, (uint64_t)digit, &magnitude);
    }
    if (fits)
        return keep_magnitude(n, magnitude);
    if (radix == 10)
        return keep_digits(n, at, (size_t)(end - at));
    while (*at == '0')
        at++;
    if (end - at > ESSE_EDN_RADIX_DIGITS)
        return "at most 256 digits where the radix is not ten";
    return keep_radix(n, at, end, radix);
}

static bool whole(const char *at, const char *end, uint64_t *number)
{
    *number = 0;
    for (; at < end; at++)
        if (!is_digit(*at) || __builtin_mul_overflow(*number, 10u, number) ||
            __builtin_add_overflow(*number, (uint64_t)(*at - '0'), number))
            return false;
    return true;
}

static const char *ratio(const struct number *n, const char *slash)
{
    uint64_t above, below;
    if (slash == n->at || slash + 1 == n->end || !whole(n->at, slash, &above) ||
        !whole(slash + 1, n->end, &below))
        return "a ratio of two integers that fit 64 bits";
    if (!below)
        return "a ratio whose denominator is not 0";
    uint64_t a = above, b = below;
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    if (below / a == 1)
        return keep_magnitude(n, above / a);
    int length = snprintf(n->scratch, 64, "%s%llu/%llu", n->negative ? "-" : "",
                          (unsigned long long)(above / a), (unsigned long long)(below / a));
    return keep_text(n, n->scratch, (size_t)length);
}

/* The shortest digits that give the same double. */
static const char *keep_double(const struct number *n)
{
    const size_t length = (size_t)(n->end - n->at);
    memcpy(n->scratch, n->at, length);
    n->scratch[length] = '\0';
    double number = strtod(n->scratch, NULL);
    if (number == 0)
        return keep_text(n, "0.0", 3); /* -0.0 equals it */
    if (number > 1.7976931348623157e308)
        return keep_text(n, n->negative ? "##-Inf" : "##Inf", n->negative ? 6 : 5);
    char text[40];
    int used = 0;
    for (int digits = 15; digits <= 17; digits++) {
        used = snprintf(text, sizeof text, "%s%.*g", n->negative ? "-" : "", digits, number);
        if (strtod(text + n->negative, NULL) == number)
            break;
    }
    if (!strpbrk(text, ".e"))
        used += snprintf(text + used, 3, ".0");
    return keep_text(n, text, (size_t)used);
}

/* 1.50M is 15E-1 inside and 1.5M outside; 100M is 1E2M. */
static const char *keep_decimal(const struct number *n, const char *exponent_at)
{
    const char *end = n->end - 1, *mantissa_end = exponent_at ? exponent_at : end;
    int64_t exponent = 0;
    if (exponent_at) {
        if (end - exponent_at > 12)
            return "an exponent of at most ten digits";
        exponent = strtoll(exponent_at + 1, NULL, 10);
    }
    char *to = n->scratch + 1;
    size_t count = 0;
    bool fraction = false;
    for (const char *c = n->at; c < mantissa_end; c++) {
        if (*c == '.') {
            fraction = true;
            continue;
        }
        exponent -= fraction;
        if (count || *c != '0')
            to[count++] = *c;
    }
    for (; count && to[count - 1] == '0'; count--)
        exponent++;
    if (!count)
        return keep_text(n, "0M", 2);
    if (exponent < 0 && -exponent < (int64_t)count) {
        size_t before = count - (size_t)-exponent;
        memmove(to + before + 1, to + before, count - before);
        to[before] = '.';
        count++;
    } else if (exponent) {
        count += (size_t)snprintf(to + count, 32, "E%lld", (long long)exponent);
    }
    to[count++] = 'M';
    n->scratch[0] = '-';
    return keep_text(n, to - n->negative, count + n->negative);
}

static const char *real(const struct number *n)
{
    const char *at = digits_end(n->at, n->end), *exponent_at = NULL;
    if (at < n->end && *at == '.')
        at = digits_end(at + 1, n->end);
    if (at < n->end && (*at == 'e' || *at == 'E')) {
        exponent_at = at++;
        at += at < n->end && (*at == '+' || *at == '-');
        const char *from = at;
        at = digits_end(at, n->end);
        if (at == from)
            return "digits after the exponent's 'e'";
    }
    if (at + 1 == n->end && *at == 'M')
        return keep_decimal(n, exponent_at);
    return at == n->end ? keep_double(n) : "a number";
}

const char *esse_edn_number(struct esse_values *values, const char *text, size_t length,
                            char *scratch, esse_value *value)
{
    const bool sign = *text == '-' || *text == '+';
    struct number n = { values, text + sign, text + length, *text == '-', scratch, value };
    const char *slash = memchr(text, '/', length), *at = digits_end(n.at, n.end);
    if (slash)
        return ratio(&n, slash);
    const size_t digits = (size_t)(at - n.at);
    const bool zero = n.at[0] == '0';
    if (digits == 1 && zero && at < n.end && (*at == 'x' || *at == 'X'))
        return integer(&n, at + 1, 16);
    if (digits <= 2 && !zero && at < n.end && (*at == 'r' || *at == 'R')) {
        int radix = atoi(n.at);
        return radix >= 2 && radix <= 36 ? integer(&n, at + 1, radix) : "a radix from 2 to 36";
    }
    if (at == n.end || (at + 1 == n.end && *at == 'N'))
        return integer(&n, n.at, zero && digits > 1 ? 8 : 10);
    return real(&n);
}
