#ifndef ESSE_SQL_SQL_DECIMAL_H
#define ESSE_SQL_SQL_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Exact decimals of up to 38 digits before and after the point together: what 128 bits hold.
 * Operations that would need more say so and leave their result untouched.
 *
 * Cost: O(digits) for texts, a few divisions of 128 bits otherwise.
 */
__extension__ typedef __int128 sql_wide;

struct sql_decimal {
    sql_wide digits; /* the number is digits / 10^scale */
    int scale;       /* 0 .. SQL_DECIMAL_DIGITS */
};

enum { SQL_DECIMAL_DIGITS = 38, SQL_DECIMAL_TEXT = 44 };

static inline struct sql_decimal sql_decimal_from_int(int64_t number)
{
    return (struct sql_decimal){ number, 0 };
}

/* [+-]12[.50][e3], spaces around it.  Returns NULL, or what is wrong: "is not a number". */
const char *sql_decimal_parse(const char *text, size_t length, struct sql_decimal *number);

/* Below, at or above 0 as a is below, at or above b. */
int sql_decimal_compare(struct sql_decimal a, struct sql_decimal b);

/* '+', '-', '*' or '%', the last with b not 0.  False if the result has too many digits. */
bool sql_decimal_calculate(char op, struct sql_decimal a, struct sql_decimal b,
                           struct sql_decimal *result);

/* a / b with 'scale' digits after the point, halves away from zero; b is not 0.  False if that
 * needs more digits than there are on the way. */
bool sql_decimal_divide(struct sql_decimal a, struct sql_decimal b, int scale,
                        struct sql_decimal *result);

/* With 'scale' digits after the point: rounded, halves away from zero, or cut off.  False if it has
 * too many digits then.  A negative scale rounds before the point. */
bool sql_decimal_rescale(struct sql_decimal number, int scale, bool is_cut,
                         struct sql_decimal *result);

/* The nearest integer, halves away from zero.  False if it does not fit. */
bool sql_decimal_round(struct sql_decimal number, int64_t *result);

/* The digits, with those after the point that the number came with.  Returns the length. */
size_t sql_decimal_show(struct sql_decimal number, char text[SQL_DECIMAL_TEXT]);

#endif
