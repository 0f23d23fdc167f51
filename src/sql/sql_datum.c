#include "sql/sql_datum.h"

#include "base/checked.h"
#include "sql/sql_time.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char *const type_names[] = {
    [SQL_NULL] = "NULL",
    [SQL_BOOLEAN] = "a boolean",
    [SQL_INTEGER] = "an integer",
    [SQL_DECIMAL] = "a decimal",
    [SQL_TEXT] = "text",
    [SQL_LITERAL] = "text",
    [SQL_DATE] = "a date",
    [SQL_TIMESTAMP] = "a timestamp",
    [SQL_OTHER] = "what is no boolean, text or decimal of at most 38 digits",
};

const char *sql_type_name(enum sql_type type)
{
    assert(type <= SQL_OTHER);
    return type_names[type];
}

/* ---- making ---- */

struct sql_datum sql_datum_boolean(bool truth)
{
    return (struct sql_datum){ .type = SQL_BOOLEAN, .is.truth = truth };
}

struct sql_datum sql_datum_integer(int64_t number)
{
    return (struct sql_datum){ .type = SQL_INTEGER, .is.number = number };
}

static bool is_text(const struct sql_datum *datum)
{
    return datum->type == SQL_TEXT || datum->type == SQL_LITERAL;
}

bool sql_datum_is_number(const struct sql_datum *datum)
{
    return datum->type == SQL_INTEGER || datum->type == SQL_DECIMAL;
}

static bool is_time(const struct sql_datum *datum)
{
    return datum->type == SQL_DATE || datum->type == SQL_TIMESTAMP;
}

struct esse_span sql_datum_text(const struct sql_datum *datum)
{
    struct esse_span text = datum->is.text;
    ESSE_HOT_ASSERT(is_text(datum));
    if (!text.at)
        text.at = datum->own;
    return text;
}

/* The numbers of EDN that are not decimals (1/3, ##NaN) have no type here; 1.5M has. */
static struct sql_datum datum_of_number(struct esse_span text)
{
    struct sql_datum datum = { .type = SQL_DECIMAL };
    if (text.length && text.at[text.length - 1] == 'M')
        text.length--;
    if (sql_decimal_parse(text.at, text.length, &datum.is.decimal))
        datum.type = SQL_OTHER;
    return datum;
}

struct sql_datum sql_datum_of(const struct esse_values *values, esse_value value)
{
    struct sql_datum datum = { .type = SQL_OTHER };
    char room[8];
    switch (esse_value_kind(values, value)) {
    case ESSE_KIND_NONE:
    case ESSE_KIND_NIL:
        datum.type = SQL_NULL;
        break;
    case ESSE_KIND_FALSE:
    case ESSE_KIND_TRUE:
        return sql_datum_boolean(esse_value_eq(value, ESSE_TRUE));
    case ESSE_KIND_INT:
        datum.type = SQL_INTEGER;
        esse_value_as_int(values, value, &datum.is.number);
        break;
    case ESSE_KIND_NUMBER:
        return datum_of_number(esse_value_text(values, value, room));
    case ESSE_KIND_STRING:
    case ESSE_KIND_KEYWORD:
    case ESSE_KIND_SYMBOL:
    case ESSE_KIND_CHAR:
        datum.type = SQL_TEXT;
        datum.is.text = esse_value_text(values, value, datum.own);
        if (datum.is.text.at == datum.own)
            datum.is.text.at = NULL; /* datums are copied */
        break;
    case ESSE_KIND_SEQ:
    case ESSE_KIND_SET:
    case ESSE_KIND_MAP:
    case ESSE_KIND_TAGGED:
    case ESSE_KIND_LIST:
        break;
    }
    return datum;
}

static const char *explain_text(sql_why why, struct esse_span text, const char *what)
{
    const int length = text.length > 60 ? 60 : (int)text.length;
    snprintf(why, SQL_WHY, "'%.*s%s' %s", length, text.at, text.length > 60 ? "..." : "", what);
    return why;
}

const char *sql_datum_number(const char *text, size_t length, struct sql_datum *datum, sql_why why)
{
    struct sql_decimal decimal;
    const char *problem = sql_decimal_parse(text, length, &decimal);
    if (problem)
        return explain_text(why, (struct esse_span){ text, length }, problem);
    *datum = (struct sql_datum){ .type = SQL_DECIMAL, .is.decimal = decimal };
    if (!memchr(text, '.', length) && !memchr(text, 'e', length) && !memchr(text, 'E', length) &&
        decimal.digits >= INT64_MIN && decimal.digits <= INT64_MAX)
        *datum = sql_datum_integer((int64_t)decimal.digits);
    return NULL;
}

/* ---- literals and texts become what they meet ---- */

static const char *text_to_time(struct sql_datum *datum, enum sql_type type, sql_why why)
{
    struct esse_span text = sql_datum_text(datum);
    int64_t time;
    if (!sql_time_parse(text.at, text.length, &time))
        return explain_text(why, text, "is not a date or timestamp like 2024-01-05 10:20:30");
    *datum = (struct sql_datum){ .type = type, .is.number = time };
    return NULL;
}

/* What PostgreSQL takes for a boolean: its words or an unambiguous beginning of them. */
static const char *text_to_boolean(struct sql_datum *datum, sql_why why)
{
    static const struct {
        const char *word;
        size_t least;
        bool truth;
    } words[] = { { "true", 1, true }, { "false", 1, false }, { "yes", 1, true },
                  { "no", 1, false },  { "on", 2, true },     { "off", 2, false },
                  { "1", 1, true },    { "0", 1, false } };
    struct esse_span text = sql_datum_text(datum);
    while (text.length && *text.at == ' ') {
        text.at++;
        text.length--;
    }
    while (text.length && text.at[text.length - 1] == ' ')
        text.length--;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (text.length >= words[i].least && text.length <= strlen(words[i].word) &&
            strncasecmp(text.at, words[i].word, text.length) == 0) {
            *datum = sql_datum_boolean(words[i].truth);
            return NULL;
        }
    return explain_text(why, text, "is not a boolean");
}

static const char *literal_to_number(struct sql_datum *datum, sql_why why)
{
    struct esse_span text = sql_datum_text(datum);
    struct sql_datum number;
    const char *problem = sql_datum_number(text.at, text.length, &number, why);
    if (!problem)
        *datum = number;
    return problem;
}

/* A literal takes the type of the other; a text only that of a date or timestamp, because that is
 * how a history writes the values of such columns. */
static const char *adapt(struct sql_datum *datum, const struct sql_datum *other, sql_why why)
{
    if (is_text(datum) && is_time(other))
        return text_to_time(datum, SQL_TIMESTAMP, why);
    if (datum->type != SQL_LITERAL)
        return NULL;
    if (sql_datum_is_number(other))
        return literal_to_number(datum, why);
    if (other->type == SQL_BOOLEAN)
        return text_to_boolean(datum, why);
    datum->type = SQL_TEXT;
    return NULL;
}

static void widen(struct sql_datum *datum)
{
    if (datum->type == SQL_INTEGER) {
        datum->is.decimal = sql_decimal_from_int(datum->is.number);
        datum->type = SQL_DECIMAL;
    } else if (datum->type == SQL_DATE) {
        datum->type = SQL_TIMESTAMP;
    }
}

const char *sql_datum_meet(struct sql_datum *a, struct sql_datum *b, sql_why why)
{
    assert(a->type != SQL_NULL);
    assert(b->type != SQL_NULL);
    const char *problem = adapt(a, b, why);
    if (!problem)
        problem = adapt(b, a, why);
    if (problem)
        return problem;
    if (a->type != b->type &&
        ((sql_datum_is_number(a) && sql_datum_is_number(b)) || (is_time(a) && is_time(b)))) {
        widen(a);
        widen(b);
    }
    if (a->type != b->type || a->type == SQL_OTHER) {
        snprintf(why, SQL_WHY, "cannot compare %s with %s", sql_type_name(a->type),
                 sql_type_name(b->type));
        return why;
    }
    return NULL;
}

static int compare_texts(struct esse_span a, struct esse_span b)
{
    const size_t shared = a.length < b.length ? a.length : b.length;
    const int order = shared ? memcmp(a.at, b.at, shared) : 0;
    return order ? order : (a.length > b.length) - (a.length < b.length);
}

int sql_datum_compare(const struct sql_datum *a, const struct sql_datum *b)
{
    assert(a->type == b->type);
    ESSE_HOT_ASSERT(a->type != SQL_NULL && a->type != SQL_LITERAL && a->type != SQL_OTHER);
    switch (a->type) {
    case SQL_BOOLEAN:
        return a->is.truth - b->is.truth;
    case SQL_DECIMAL:
        return sql_decimal_compare(a->is.decimal, b->is.decimal);
    case SQL_TEXT:
        return compare_texts(sql_datum_text(a), sql_datum_text(b));
    default:
        return (a->is.number > b->is.number) - (a->is.number < b->is.number);
    }
}

/* ---- arithmetic ---- */

static const char *calculate_integers(char op, int64_t a, int64_t b, int64_t *result)
{
    bool over = false;
    assert(strchr("+-*/%", op));
    if (op == '+')
        over = __builtin_add_overflow(a, b, result);
    else if (op == '-')
        over = __builtin_sub_overflow(a, b, result);
    else if (op == '*')
        over = __builtin_mul_overflow(a, b, result);
    else if (b == 0)
        return "division by zero";
    else if (b == -1) /* INT64_MIN / -1 traps */
        over = op == '/' ? __builtin_sub_overflow(0, a, result) : (*result = 0, false);
    else
        *result = op == '/' ? a / b : a % b;
    return over ? "the result does not fit 64 bits" : NULL;
}

static const char *calculate_decimals(char op, struct sql_decimal a, struct sql_decimal b,
                                      struct sql_decimal *result)
{
    if (op == '/')
        return "dividing decimals is not supported";
    if (op == '%' && b.digits == 0)
        return "division by zero";
    return sql_decimal_calculate(op, a, b, result) ? NULL : "the result has more than 38 digits";
}

const char *sql_datum_calculate(char op, struct sql_datum *a, struct sql_datum *b,
                                struct sql_datum *result, sql_why why)
{
    const char *problem = NULL;
    if (sql_datum_is_number(a) || sql_datum_is_number(b))
        problem = sql_datum_meet(a, b, why);
    if (!sql_datum_is_number(a) || !sql_datum_is_number(b)) {
        snprintf(why, SQL_WHY, "cannot calculate %s %c %s", sql_type_name(a->type), op,
                 sql_type_name(b->type));
        return why;
    }
    if (problem)
        return problem;
    if (a->type == SQL_DECIMAL) {
        result->type = SQL_DECIMAL;
        return calculate_decimals(op, a->is.decimal, b->is.decimal, &result->is.decimal);
    }
    result->type = SQL_INTEGER;
    return calculate_integers(op, a->is.number, b->is.number, &result->is.number);
}

/* ---- casts ---- */

const char *sql_datum_as_boolean(struct sql_datum *datum, sql_why why)
{
    if (datum->type == SQL_BOOLEAN)
        return NULL;
    if (datum->type == SQL_LITERAL)
        return text_to_boolean(datum, why);
    snprintf(why, SQL_WHY, "expected a boolean, found %s", sql_type_name(datum->type));
    return why;
}

static const char *refuse_cast(const struct sql_datum *datum, const char *to, sql_why why)
{
    snprintf(why, SQL_WHY, "cannot cast %s to %s", sql_type_name(datum->type), to);
    return why;
}

static const char *cast_to_integer(struct sql_datum *datum, int bits, sql_why why)
{
    const int64_t most = bits == 64 ? INT64_MAX : (INT64_C(1) << (bits - 1)) - 1;
    int64_t number = 0;
    bool fits = true;
    if (is_text(datum)) {
        const char *problem = literal_to_number(datum, why);
        if (problem)
            return problem;
        if (datum->type != SQL_INTEGER)
            return "text that is cast to an integer must be one";
    }
    if (datum->type == SQL_INTEGER)
        number = datum->is.number;
    else if (datum->type == SQL_DECIMAL)
        fits = sql_decimal_round(datum->is.decimal, &number);
    else if (datum->type == SQL_BOOLEAN && bits == 32)
        number = datum->is.truth;
    else
        return refuse_cast(datum, "an integer", why);
    if (!fits || number > most || number < -most - 1) {
        snprintf(why, SQL_WHY, "the number does not fit %d bits", bits);
        return why;
    }
    *datum = sql_datum_integer(number);
    return NULL;
}

static const char *cast_to_text(struct sql_datum *datum, char room[SQL_CAST_TEXT], sql_why why)
{
    size_t length;
    if (datum->type == SQL_BOOLEAN)
        length = (size_t)snprintf(room, SQL_CAST_TEXT, datum->is.truth ? "true" : "false");
    else if (datum->type == SQL_INTEGER)
        length = (size_t)snprintf(room, SQL_CAST_TEXT, "%" PRId64, datum->is.number);
    else if (datum->type == SQL_DECIMAL)
        length = sql_decimal_show(datum->is.decimal, room);
    else if (is_time(datum))
        length = sql_time_show(datum->is.number, datum->type == SQL_DATE, room);
    else if (is_text(datum)) {
        datum->type = SQL_TEXT;
        return NULL;
    } else {
        return refuse_cast(datum, "text", why);
    }
    *datum = (struct sql_datum){ .type = SQL_TEXT, .is.text = { room, length } };
    return NULL;
}

static const char *cast_to_time(struct sql_datum *datum, enum sql_type type, sql_why why)
{
    const char *problem = is_text(datum) ? text_to_time(datum, type, why) : NULL;
    if (problem)
        return problem;
    if (!is_time(datum))
        return refuse_cast(datum, sql_type_name(type), why);
    if (type == SQL_DATE)
        datum->is.number = sql_time_date(datum->is.number);
    datum->type = type;
    return NULL;
}

const char *sql_datum_cast(struct sql_datum *datum, enum sql_cast to, char room[SQL_CAST_TEXT],
                           sql_why why)
{
    assert(datum->type != SQL_NULL);
    if (to == SQL_TO_TEXT)
        return cast_to_text(datum, room, why);
    if (to == SQL_TO_DATE || to == SQL_TO_TIMESTAMP)
        return cast_to_time(datum, to == SQL_TO_DATE ? SQL_DATE : SQL_TIMESTAMP, why);
    return cast_to_integer(datum, to == SQL_TO_INT2 ? 16 : to == SQL_TO_INT4 ? 32 : 64, why);
}
