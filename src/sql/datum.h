#ifndef ESSE_SQL_DATUM_H
#define ESSE_SQL_DATUM_H

#include "sql/fault.h"

#include <stdbool.h>

/*
 * A value of SQL that runs, in 16 bytes, and the types that columns and expressions have.  What a
 * value points to lives in an arena of whoever made it.
 *
 *  1. A value of an integer type is INT, also of numeric literals without a point; one of numeric
 *     is DECIMAL, with 'scale' digits after the point; one of real or double precision is REAL.
 *  2. A DECIMAL whose digits fit 64 bits has them in 'number'; others are wide.
 *  3. DATE and TIMESTAMP are microseconds since 1970; a date is its midnight.
 *  4. Texts have no zero bytes.  A value of char(n) has its blanks.
 */
struct esse_arena;
__extension__ typedef __int128 esse_wide;

enum esse_datum_kind {
    ESSE_DATUM_NULL,
    ESSE_DATUM_BOOL,
    ESSE_DATUM_INT,
    ESSE_DATUM_DECIMAL,
    ESSE_DATUM_REAL,
    ESSE_DATUM_TEXT,
    ESSE_DATUM_DATE,
    ESSE_DATUM_TIMESTAMP,
    ESSE_DATUM_HOLE, /* one unknown value, number 'number' */
};

struct esse_datum {
    uint8_t kind, scale;
    bool is_wide;
    uint32_t length; /* of TEXT */
    union {
        int64_t number;
        double real;
        const char *text;
        const esse_wide *wide;
    } is;
};
_Static_assert(sizeof(struct esse_datum) == 16, "rows are many");

enum esse_type_base {
    ESSE_TYPE_UNKNOWN, /* a literal in quotes, NULL, a parameter: until it meets a type */
    ESSE_TYPE_BOOL,
    ESSE_TYPE_TINYINT, /* MySQL's dialect only */
    ESSE_TYPE_SMALLINT,
    ESSE_TYPE_INT,
    ESSE_TYPE_BIGINT,
    ESSE_TYPE_NUMERIC,
    ESSE_TYPE_FLOAT4,
    ESSE_TYPE_FLOAT8,
    ESSE_TYPE_TEXT,
    ESSE_TYPE_VARCHAR,
    ESSE_TYPE_CHAR,
    ESSE_TYPE_DATE,
    ESSE_TYPE_TIMESTAMP,
    ESSE_TYPE_VOID,
};

struct esse_type {
    uint8_t base;     /* enum esse_type_base */
    uint8_t scale;    /* of numeric(p,s) */
    bool is_unsigned; /* MySQL's dialect only */
    bool is_folded;   /* MySQL's dialect: text compares without case */
    uint32_t length;  /* of varchar(n) and char(n), or the p of numeric(p,s); 0: any */
};

#define ESSE_TYPE(name) ((struct esse_type){ .base = ESSE_TYPE_##name })

static inline bool esse_type_is_int(struct esse_type type)
{
    return type.base >= ESSE_TYPE_TINYINT && type.base <= ESSE_TYPE_BIGINT;
}
static inline bool esse_type_is_real(struct esse_type type)
{
    return type.base == ESSE_TYPE_FLOAT4 || type.base == ESSE_TYPE_FLOAT8;
}
static inline bool esse_type_is_number(struct esse_type type)
{
    return type.base >= ESSE_TYPE_TINYINT && type.base <= ESSE_TYPE_FLOAT8;
}
static inline bool esse_type_is_text(struct esse_type type)
{
    return type.base >= ESSE_TYPE_TEXT && type.base <= ESSE_TYPE_CHAR;
}
static inline bool esse_type_is_time(struct esse_type type)
{
    return type.base == ESSE_TYPE_DATE || type.base == ESSE_TYPE_TIMESTAMP;
}

/* "numeric(12,2)", as PostgreSQL says it. */
const char *esse_type_show(struct esse_arena *arena, struct esse_type type);

static inline struct esse_datum esse_datum_null(void)
{
    return (struct esse_datum){ .kind = ESSE_DATUM_NULL };
}
static inline struct esse_datum esse_datum_bool(bool value)
{
    return (struct esse_datum){ .kind = ESSE_DATUM_BOOL, .is.number = value };
}
static inline struct esse_datum esse_datum_int(int64_t value)
{
    return (struct esse_datum){ .kind = ESSE_DATUM_INT, .is.number = value };
}
static inline struct esse_datum esse_datum_real(double value)
{
    return (struct esse_datum){ .kind = ESSE_DATUM_REAL, .is.real = value };
}
static inline struct esse_datum esse_datum_text(const char *text, size_t length)
{
    return (
        struct esse_datum){ .kind = ESSE_DATUM_TEXT, .length = (uint32_t)length, .is.text = text };
}
static inline bool esse_datum_is_null(struct esse_datum datum)
{
    return datum.kind == ESSE_DATUM_NULL;
}
static inline bool esse_datum_is_true(struct esse_datum datum)
{
    return datum.kind == ESSE_DATUM_BOOL && datum.is.number;
}

/* Below, at or above 0 as a is below, at or above b.  Neither is NULL or a hole, and they are of
 * one family: numbers, texts, booleans, times.  NaN is above all and equal to itself. */
int esse_datum_compare(struct esse_datum a, struct esse_datum b, bool is_folded);

/* The same value, or both NULL, or the same hole; and of that a hash. */
bool esse_datum_same(struct esse_datum a, struct esse_datum b, bool is_folded);
uint32_t esse_datum_hash(struct esse_datum datum, bool is_folded);

/* How PostgreSQL prints it, terminated by a zero; NULL is "NULL". */
struct esse_datum esse_datum_show(struct esse_arena *arena, struct esse_datum datum,
                                  struct esse_type type);

/* The same with what it points to in the arena. */
struct esse_datum esse_datum_keep(struct esse_arena *arena, struct esse_datum datum);

/* A number as written in a text of SQL: INT if it has no point or exponent and fits, else DECIMAL.
 */
bool esse_datum_number(struct esse_arena *arena, const char *text, size_t length,
                       struct esse_datum *datum, struct esse_fault *fault);

/* ---- casts ---- */

enum esse_cast_how {
    ESSE_CAST_ASSIGN,   /* into a column: too long a text is an error */
    ESSE_CAST_EXPLICIT, /* CAST: too long a text is cut */
    ESSE_CAST_WHOLE,    /* of MySQL's dialect: a text that is no number as a whole is refused */
    ESSE_CAST_SHOW,     /* to text as it is sent to a client: of a boolean t or f */
};

/* 'from' tells what a value alone does not: the blanks of a char(n) are dropped where it becomes
 * another text.  NULL and holes stay as they are. */
bool esse_cast(struct esse_arena *arena, struct esse_datum from, struct esse_type from_type,
               struct esse_type to, enum esse_cast_how how, struct esse_datum *result,
               struct esse_fault *fault);

/* ---- arithmetic, on operands of the type of the result ---- */

/* '+', '-', '*', '/', '%'; neither operand is NULL or a hole. */
bool esse_calculate(struct esse_arena *arena, char op, struct esse_type type, struct esse_datum a,
                    struct esse_datum b, struct esse_datum *result, struct esse_fault *fault);

/* A decimal rounded to 'scale' digits after the point (half away from zero), or cut off there. */
bool esse_decimal_round(struct esse_arena *arena, struct esse_datum number, int scale, bool is_cut,
                        struct esse_datum *result, struct esse_fault *fault);
/* To the next whole number, down or up. */
bool esse_decimal_whole(struct esse_arena *arena, struct esse_datum number, bool is_up,
                        struct esse_datum *result, struct esse_fault *fault);
/* An INT or DECIMAL as double, rounded once. */
double esse_datum_double(struct esse_datum number);
int esse_datum_sign(struct esse_datum number);

/* How many characters a UTF-8 text has, and where character 'count' begins. */
uint32_t esse_text_characters(struct esse_datum text);
uint32_t esse_text_byte_of(struct esse_datum text, uint32_t count);

#endif
