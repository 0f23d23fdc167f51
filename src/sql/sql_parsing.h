#ifndef ESSE_SQL_SQL_PARSING_H
#define ESSE_SQL_SQL_PARSING_H

#include "history/access.h"
#include "sql/sql_expr.h"

#include <pg_query/pg_query.pb-c.h>

/* A text on its way from PostgreSQL's parse tree to what is evaluated: sql_parse.c makes the
 * expressions, sql_select.c the statement around them.  Private to them. */
struct sql_parsing {
    struct esse_predicates *predicates;
    struct esse_arena *arena;
    esse_value text;
    struct esse_error *err;
    const char *statement; /* what PostgreSQL's parser is given */
    int32_t before;        /* bytes of the statement that are not of the text */
    unsigned depth;
    unsigned tables; /* 0: a condition without a SELECT */
    const char *table_names[SQL_MOST_TABLES];
};

/* Fills the error; returns NULL, which is false too.  'at' is a byte of the text from 1, or 0. */
void *sql_refuse(struct sql_parsing *p, uint32_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* From a place in the statement, -1 if not known, to a byte of the text. */
uint32_t sql_place(const struct sql_parsing *p, int32_t location);

/* Where the first keyword stands that is one of these, in capitals and with blanks between. */
uint32_t sql_keyword_at(const struct sql_parsing *p, const char *words);

/* The last part of a qualified name; "" if it is '*'. */
const char *sql_last_name(PgQuery__Node **names, size_t count);

const struct sql_expr *sql_parse_expr(struct sql_parsing *p, const PgQuery__Node *node);

/* a AND b; either may be NULL. */
const struct sql_expr *sql_both(struct sql_parsing *p, const struct sql_expr *a,
                                const struct sql_expr *b);

/* The tree of a whole SELECT, and that of "SELECT WHERE" and a condition. */
const struct sql_select *sql_parse_select(struct sql_parsing *p, const PgQuery__ParseResult *tree);
const struct sql_select *sql_parse_condition(struct sql_parsing *p,
                                             const PgQuery__ParseResult *tree);

#endif
