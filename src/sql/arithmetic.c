#include "sql/datum.h"
#include "sql/sql_number.h"
#include "sql/sql_time.h"

#include <assert.h>
#include <math.h>

static bool by_zero(struct esse_fault *fault)
{
    return esse_fault(fault, "22012", 0, "division by zero");
}

/* ---- integers ---- */

static bool calculate_int(struct esse_arena *arena, char op, struct esse_type type,
                          struct esse_datum a, struct esse_datum b, struct esse_datum *result,
                          struct esse_fault *fault)
{
    const esse_wide x = sql_number_decimal(a).digits, y = sql_number_decimal(b).digits;
    esse_wide number;
    if ((op == '/' || op == '%') && y == 0)
        return by_zero(fault);
    switch (op) {
    case '+':
        number = x + y;
        break;
    case '-':
        number = x - y;
        break;
    case '*':
        number = x * y;
        break;
    case '/':
        number = x / y;
        break;
    default:
        assert(op == '%');
        number = x % y;
        break;
    }
    if (number >= INT64_MIN && number <= INT64_MAX)
        *result = esse_datum_int((int64_t)number);
    else
        *result = sql_number_datum(arena, (struct sql_decimal){ number, 0 });
    return esse_cast(arena, *result, type, type, ESSE_CAST_ASSIGN, result, fault);
}

/* ---- decimals ---- */

/* PostgreSQL's digits have base 10,000: the weight of the first one, and the digit. */
static int first_digit(struct sql_decimal number, int *weight)
{
    static const int tens[] = { 1, 10, 100, 1000 };
    esse_wide left = number.digits < 0 ? -number.digits : number.digits;
    int place = -number.scale, digits[40], count = 0;
    *weight = 0;
    if (!left)
        return 0;
    for (; left; left /= 10)
        digits[count++] = (int)(left % 10);
    const int top = place + count - 1; /* the power of ten of the first decimal digit */
    *weight = top >= 0 ? top / 4 : -((3 - top) / 4);
    int first = 0;
    for (int i = 0; i < count; i++) {
        const int power = place + i - *weight * 4;
        if (power >= 0)
            first += digits[i] * tens[power];
    }
    return first;
}

/* How many digits after the point PostgreSQL gives a quotient: select_div_scale(). */
static int quotient_scale(struct sql_decimal a, struct sql_decimal b)
{
    enum { LEAST_DIGITS = 16, DIGITS = 4 };
    int a_weight, b_weight;
    const int a_first = first_digit(a, &a_weight), b_first = first_digit(b, &b_weight);
    const int weight = a_weight - b_weight - (a_first <= b_first);
    int scale = LEAST_DIGITS - weight * DIGITS;
    scale = scale > a.scale ? scale : a.scale;
    scale = scale > b.scale ? scale : b.scale;
    return scale > 0 ? scale : 0;
}

static bool calculate_numeric(struct esse_arena *arena, char op, struct esse_datum a,
                              struct esse_datum b, struct esse_datum *result,
                              struct esse_fault *fault)
{
    const struct sql_decimal x = sql_number_decimal(a), y = sql_number_decimal(b);
    struct sql_decimal number;
    bool ok;
    if ((op == '/' || op == '%') && y.digits == 0)
        return by_zero(fault);
    if (op == '/') {
        const int scale = quotient_scale(x, y);
        ok = scale <= SQL_DECIMAL_DIGITS && sql_decimal_divide(x, y, scale, &number);
    } else {
        ok = sql_decimal_calculate(op, x, y, &number);
    }
    if (!ok)
        return sql_number_too_long(fault);
    *result = sql_number_datum(arena, number);
    return true;
}

bool sql_divide_mysql(struct esse_arena *arena, struct esse_datum a, struct esse_datum b,
                      struct esse_datum *result, struct esse_fault *fault)
{
    enum { MORE = 4 };
    const struct sql_decimal x = sql_number_decimal(a), y = sql_number_decimal(b);
    struct sql_decimal number;
    if (y.digits == 0)
        return by_zero(fault);
    if (x.scale + MORE > SQL_DECIMAL_DIGITS || !sql_decimal_divide(x, y, x.scale + MORE, &number))
        return sql_number_too_long(fault);
    *result = sql_number_datum(arena, number);
    return true;
}

/* ---- floating point ---- */

static bool calculate_real(char op, bool is_float4, double a, double b, struct esse_datum *result,
                           struct esse_fault *fault)
{
    double number;
    if (op == '/' && b == 0 && !isnan(a))
        return by_zero(fault);
    switch (op) {
    case '+':
        number = a + b;
        break;
    case '-':
        number = a - b;
        break;
    case '*':
        number = a * b;
        break;
    default:
        assert(op == '/');
        number = a / b;
        break;
    }
    if (is_float4)
        number = (double)(float)number;
    if (isinf(number) && !isinf(a) && !isinf(b))
        return esse_fault(fault, "22003", 0, "value out of range: overflow");
    if (number == 0 && op == '*' && a != 0 && b != 0)
        return esse_fault(fault, "22003", 0, "value out of range: underflow");
    if (number == 0 && op == '/' && a != 0 && !isinf(b))
        return esse_fault(fault, "22003", 0, "value out of range: underflow");
    *result = esse_datum_real(number);
    return true;
}

/* ---- dates: with days, and their difference ---- */

static bool calculate_time(char op, struct esse_datum a, struct esse_datum b,
                           struct esse_datum *result, struct esse_fault *fault)
{
    const int64_t least = -719162 * SQL_DAY, most = 2932896 * SQL_DAY; /* years 1 to 9999 */
    if (a.kind == ESSE_DATUM_DATE && b.kind == ESSE_DATUM_DATE) {
        *result = esse_datum_int((a.is.number - b.is.number) / SQL_DAY);
        return true;
    }
    const struct esse_datum date = a.kind == ESSE_DATUM_DATE ? a : b;
    int64_t days = a.kind == ESSE_DATUM_DATE ? b.is.number : a.is.number;
    days = op == '-' ? -days : days;
    *result = date;
    if (__builtin_mul_overflow(days, SQL_DAY, &result->is.number) ||
        __builtin_add_overflow(result->is.number, date.is.number, &result->is.number) ||
        result->is.number < least || result->is.number > most)
        return esse_fault(fault, "22008", 0, "date out of range");
    return true;
}

bool esse_calculate(struct esse_arena *arena, char op, struct esse_type type, struct esse_datum a,
                    struct esse_datum b, struct esse_datum *result, struct esse_fault *fault)
{
    if (a.kind == ESSE_DATUM_DATE || b.kind == ESSE_DATUM_DATE)
        return calculate_time(op, a, b, result, fault);
    if (esse_type_is_real(type))
        return calculate_real(op, type.base == ESSE_TYPE_FLOAT4, esse_datum_double(a),
                              esse_datum_double(b), result, fault);
    if (esse_type_is_int(type))
        return calculate_int(arena, op, type, a, b, result, fault);
    return calculate_numeric(arena, op, a, b, result, fault);
}

bool esse_decimal_round(struct esse_arena *arena, struct esse_datum number, int scale, bool is_cut,
                        struct esse_datum *result, struct esse_fault *fault)
{
    struct sql_decimal rounded;
    if (scale < -SQL_DECIMAL_DIGITS || scale > SQL_DECIMAL_DIGITS ||
        !sql_decimal_rescale(sql_number_decimal(number), scale, is_cut, &rounded))
        return sql_number_too_long(fault);
    *result = sql_number_datum(arena, rounded);
    return true;
}

bool esse_decimal_whole(struct esse_arena *arena, struct esse_datum number, bool is_up,
                        struct esse_datum *result, struct esse_fault *fault)
{
    const struct sql_decimal decimal = sql_number_decimal(number);
    struct sql_decimal whole;
    if (!sql_decimal_rescale(decimal, 0, true, &whole))
        return sql_number_too_long(fault);
    const int order = sql_decimal_compare(whole, decimal);
    whole.digits += is_up && order < 0 ? 1 : !is_up && order > 0 ? -1 : 0;
    *result = sql_number_datum(arena, whole);
    return true;
}
