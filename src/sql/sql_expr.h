#ifndef ESSE_SQL_SQL_EXPR_H
#define ESSE_SQL_SQL_EXPR_H

#include "history/history.h"
#include "sql/predicate.h"
#include "sql/sql_datum.h"

/* What parsing makes and evaluation walks: a tree of expressions in an arena.  Private to sql/. */

enum sql_expr_kind {
    SQL_CONSTANT,
    SQL_COLUMN,
    SQL_COMPARE,   /* 2 arguments */
    SQL_CALCULATE, /* 2 arguments */
    SQL_AND,       /* 1 or more */
    SQL_OR,        /* 1 or more */
    SQL_NOT,       /* 1 */
    SQL_IN,        /* what is looked for, then the list */
    SQL_LIKE,      /* text, pattern, escape */
    SQL_IS_NULL,   /* 1 */
    SQL_IS_TRUTH,  /* 1 */
    SQL_CAST,      /* 1 */
};

/* The comparisons as bits: which orders of left and right they accept. */
enum sql_comparison { SQL_BELOW = 1, SQL_EQUAL = 2, SQL_ABOVE = 4 };

enum sql_column_kind { SQL_COLUMN_KEY, SQL_COLUMN_VALUE, SQL_COLUMN_MEMBER };

/* A column by its name.  Objects may have a 'k' or a 'v' of their own, so those have both. */
struct sql_column {
    enum sql_column_kind kind;
    esse_value member; /* the word of the name; ESSE_NONE if no object has such a member */
};

struct sql_expr {
    enum sql_expr_kind kind;
    uint32_t at; /* its byte in the text, from 1; 0 if not known */
    uint32_t count;
    const struct sql_expr **args;
    union {
        const struct sql_datum *constant;
        struct sql_column column;
        unsigned accepts; /* SQL_COMPARE: bits of enum sql_comparison */
        char op;          /* SQL_CALCULATE */
        enum esse_truth truth;
        struct {
            enum sql_cast to;
            char *room; /* for the text it makes, until it is evaluated again */
        } cast;
    } is;
};

struct esse_predicate {
    struct esse_predicates *of;
    esse_value text;
    const struct sql_expr *condition;
};

/* Parses 'text' into an expression of 'predicates'.  NULL and 'err' filled if it cannot. */
const struct sql_expr *sql_parse(struct esse_predicates *predicates, esse_value text,
                                 struct esse_error *err);

struct esse_arena *sql_arena(struct esse_predicates *predicates);
const struct esse_history *sql_history(const struct esse_predicates *predicates);

/* The column of that name; false if neither the header nor any row of the history has it. */
bool sql_find_column(struct esse_predicates *predicates, const char *name,
                     struct sql_column *column);

/* What a row that is there has in a column; nil if nothing. */
esse_value sql_column_of(const struct esse_values *values, struct sql_column column, esse_value key,
                         esse_value row);

/* Fills 'err' with "predicate "<text>", byte <at>: <message>" and returns false. */
bool sql_fail(const struct esse_predicates *predicates, esse_value text, uint32_t at,
              const char *message, struct esse_error *err);

#endif
