#ifndef ESSE_SQL_SQL_EXPR_H
#define ESSE_SQL_SQL_EXPR_H

#include "history/history.h"
#include "sql/range.h"
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

/* The kind of a column.  Objects may have a 'k' or a 'v' of their own, so those have a member too:
 * the word of the name, ESSE_NONE if no object has such a member. */
enum sql_column_kind { SQL_COLUMN_KEY, SQL_COLUMN_VALUE, SQL_COLUMN_MEMBER };

/* The comparison with its sides exchanged. */
static inline unsigned sql_turned(unsigned accepts)
{
    return (accepts & SQL_EQUAL) | (accepts & SQL_BELOW ? (unsigned)SQL_ABOVE : 0u) |
           (accepts & SQL_ABOVE ? (unsigned)SQL_BELOW : 0u);
}

struct sql_expr {
    enum sql_expr_kind kind;
    uint32_t at; /* its byte in the text, from 1; 0 if not known */
    uint32_t count;
    uint32_t table; /* SQL_COLUMN: whose row of a join it is of */
    const struct sql_expr **args;
    union {
        const struct sql_datum *constant;
        struct esse_column column;
        unsigned accepts; /* SQL_COMPARE: bits of enum sql_comparison */
        char op;          /* SQL_CALCULATE */
        enum esse_truth truth;
        struct {
            enum sql_cast to;
            char *room; /* for the text it makes, until it is evaluated again */
        } cast;
    } is;
};

/* ---- statements ---- */

enum { SQL_MOST_TABLES = 2 };

enum sql_table_kind {
    SQL_EVERY_KEY,
    SQL_PLAIN_KEYS,          /* those without a slash */
    SQL_NAMED_KEYS,          /* those that begin with its name and a slash */
    SQL_NAMED_OR_PLAIN_KEYS, /* it is not known yet which */
};

struct sql_table {
    enum sql_table_kind kind;
    struct esse_span prefix; /* of SQL_NAMED_KEYS, with the slash */
};

enum sql_aggregate { SQL_COUNT_ROWS, SQL_COUNT, SQL_SUM, SQL_MIN, SQL_MAX };

/* A column of the result of a statement that has aggregates. */
struct sql_output {
    enum sql_aggregate kind;
    uint32_t at;
    const struct sql_expr *of; /* NULL for SQL_COUNT_ROWS */
};

struct sql_sort {
    const struct sql_expr *by;
    bool descends, nulls_first;
};

struct sql_select {
    uint32_t tables;
    struct sql_table table[SQL_MOST_TABLES];
    const struct sql_expr *side[SQL_MOST_TABLES]; /* what is said of a table alone; NULL: nothing */
    const struct sql_expr *both;                  /* a join: what is said of a pair */
    const struct sql_expr *join[SQL_MOST_TABLES]; /* the columns that must be equal */
    const struct sql_output *outputs;             /* aggregates */
    const struct sql_sort *sorts;
    uint32_t output_count, sort_count;
    bool has_limit;
    uint64_t limit, offset; /* limit is UINT64_MAX with an OFFSET alone */
};

struct esse_predicate {
    struct esse_predicates *of;
    uint32_t number; /* among those of the cache */
    esse_value text;
    const struct sql_select *select;
    bool is_range; /* it is no more than this: */
    struct esse_range range;
};

/* Is a statement no more than a range? */
bool sql_find_range(const struct sql_select *select, struct esse_range *range);

/* Parses 'text' into what evaluates it.  NULL and 'err' filled if it cannot. */
const struct sql_select *sql_parse(struct esse_predicates *predicates, esse_value text,
                                   struct esse_error *err);

/* The rows of an evaluation: one of each table. */
struct sql_tuple {
    esse_value key[SQL_MOST_TABLES], row[SQL_MOST_TABLES];
};

/* What an expression is for a tuple.  Text that a cast made stays until the next evaluation. */
bool sql_evaluate(const struct esse_predicate *predicate, const struct sql_expr *expr,
                  const struct sql_tuple *tuple, struct sql_datum *result, struct esse_error *err);

/* Is the condition true of a tuple?  NULL is. */
bool sql_is_true(const struct esse_predicate *predicate, const struct sql_expr *condition,
                 const struct sql_tuple *tuple, bool *is_true, struct esse_error *err);

bool sql_table_has(const struct sql_table *table, const struct esse_values *values, esse_value key);

/* The table of that name: its keys, or those without a slash if no key begins with it. */
struct sql_table sql_find_table(struct esse_predicates *predicates, const char *name);

struct esse_arena *sql_arena(struct esse_predicates *predicates);
const struct esse_history *sql_history(const struct esse_predicates *predicates);

/* The column of that name; false if neither the header nor any row of the history has it. */
bool sql_find_column(struct esse_predicates *predicates, const char *name,
                     struct esse_column *column);

/* What a row that is there has in a column; nil if nothing. */
esse_value sql_column_of(const struct esse_values *values, struct esse_column column,
                         esse_value key, esse_value row);

/* Fills 'err' with "predicate "<text>", byte <at>: <message>" and returns false. */
bool sql_fail(const struct esse_predicates *predicates, esse_value text, uint32_t at,
              const char *message, struct esse_error *err);

#endif
