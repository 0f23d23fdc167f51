#ifndef ESSE_SQL_SQL_DATUM_H
#define ESSE_SQL_SQL_DATUM_H

#include "history/values.h"
#include "sql/sql_decimal.h"

/*
 * One SQL value while it is evaluated, and what happens when two meet.  A datum is a plain value of
 * the caller's; its text is the history's, the predicate's, or, if it is short, its own.
 *
 * Functions that can fail return NULL, or what is wrong as a clause: "cannot compare text with an
 * integer".  The clause may be put into 'why'.
 *
 * Cost: O(1), O(length) where texts are read or compared.
 */
enum sql_type {
    SQL_NULL,
    SQL_BOOLEAN,
    SQL_INTEGER,
    SQL_DECIMAL,
    SQL_TEXT,
    SQL_LITERAL, /* quoted, of a type still open */
    SQL_DATE,
    SQL_TIMESTAMP,
    SQL_OTHER, /* a list, a set, a number that is no decimal: can only be tested for NULL */
};

struct sql_datum {
    enum sql_type type;
    union {
        bool truth;
        int64_t number; /* integers; the microseconds of dates and timestamps */
        struct sql_decimal decimal;
        struct esse_span text; /* at == NULL: in 'own' */
    } is;
    char own[8];
};

#define SQL_WHY 160
typedef char sql_why[SQL_WHY];

struct sql_datum sql_datum_boolean(bool truth);
struct sql_datum sql_datum_integer(int64_t number);

/* The column value of a history. */
struct sql_datum sql_datum_of(const struct esse_values *values, esse_value value);

/* A constant as it is written: an integer if it is one of 64 bits, a decimal otherwise. */
const char *sql_datum_number(const char *text, size_t length, struct sql_datum *datum, sql_why why);

bool sql_datum_is_number(const struct sql_datum *datum);

/* The text of a SQL_TEXT or SQL_LITERAL. */
struct esse_span sql_datum_text(const struct sql_datum *datum);

/* Gives two datums that are not NULL a common type, or says why there is none. */
const char *sql_datum_meet(struct sql_datum *a, struct sql_datum *b, sql_why why);

/* Compares two datums that have met: below, at or above 0. */
int sql_datum_compare(const struct sql_datum *a, const struct sql_datum *b);

/* a op b for '+', '-', '*', '/', '%'; none is NULL. */
const char *sql_datum_calculate(char op, struct sql_datum *a, struct sql_datum *b,
                                struct sql_datum *result, sql_why why);

/* A literal where a boolean is wanted; anything but a boolean is wrong. */
const char *sql_datum_as_boolean(struct sql_datum *datum, sql_why why);

/* What a cast can make of a datum that is not NULL.  A text that it makes is put into 'room'. */
enum { SQL_CAST_TEXT = 48 };
enum sql_cast { SQL_TO_INT2, SQL_TO_INT4, SQL_TO_INT8, SQL_TO_TEXT, SQL_TO_DATE, SQL_TO_TIMESTAMP };
const char *sql_datum_cast(struct sql_datum *datum, enum sql_cast to, char room[SQL_CAST_TEXT],
                           sql_why why);

/* "an integer", "text" ... */
const char *sql_type_name(enum sql_type type);

#endif
