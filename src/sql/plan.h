#ifndef ESSE_SQL_PLAN_H
#define ESSE_SQL_PLAN_H

#include "sql/datum.h"

/*
 * A compiled statement: what is to be done, without how.  Names are columns, types are decided and
 * casts stand where they are needed, so exec never looks at a name or a type.
 *
 *  1. A column is named by how many queries out its row is ('depth'), which source of that query it
 *     comes from, and its place there.  A source without a row (an outer join) has NULLs.
 *  2. Operands of a comparison or a calculation are of types that esse_datum_compare() and
 *     esse_calculate() take.
 *  3. A query that groups may be evaluated after grouping on any row of the group: only what is the
 *     same in all of them is asked for outside of aggregates.
 *  4. Queries of a statement have numbers from 0 up to query_count, so a runner can keep things by
 *     them.  A query whose 'reaches_out' is 0 does not depend on the rows of outer queries.
 *  5. Statements never change once compiled, and live as long as the arena they were compiled in.
 */

enum esse_expr_kind {
    ESSE_EXPR_CONSTANT,
    ESSE_EXPR_SLOT,  /* a literal of the text, which differs from text to text of one shape */
    ESSE_EXPR_PARAM, /* $number, from 1 */
    ESSE_EXPR_COLUMN,
    ESSE_EXPR_AGGREGATE, /* number among those of its query */
    ESSE_EXPR_PLACE,     /* a column of the row that a sub-select of this expression has */
    ESSE_EXPR_COMPARE,   /* 2; 'op' is bits of enum esse_sides */
    ESSE_EXPR_DISTINCT,  /* 2: IS DISTINCT FROM */
    ESSE_EXPR_CALCULATE, /* 2; 'op' is one of + - * / % */
    ESSE_EXPR_NEGATE,    /* 1 */
    ESSE_EXPR_AND,       /* 1 or more */
    ESSE_EXPR_OR,
    ESSE_EXPR_XOR,      /* 2 */
    ESSE_EXPR_NOT,      /* 1 */
    ESSE_EXPR_IS_NULL,  /* 1 */
    ESSE_EXPR_IS_TRUTH, /* 1; 'op' is enum esse_is */
    ESSE_EXPR_IN,       /* what is looked for, then the list */
    ESSE_EXPR_LIKE,     /* text, pattern, escape */
    ESSE_EXPR_CASE,     /* condition, value, condition, value ..., otherwise */
    ESSE_EXPR_COALESCE, /* 1 or more */
    ESSE_EXPR_NULLIF,   /* the comparison, then the first operand */
    ESSE_EXPR_GREATEST, /* 1 or more; MySQL's dialect: NULL if one is */
    ESSE_EXPR_LEAST,
    ESSE_EXPR_CAST,   /* 1 */
    ESSE_EXPR_CONCAT, /* 2 */
    ESSE_EXPR_BITS,   /* 2, or 1 of '~'; 'op' is one of & | # < > ~ */
    ESSE_EXPR_FUNCTION,
    ESSE_EXPR_CALL, /* of a function that CREATE made */
    ESSE_EXPR_HOLE,
    ESSE_EXPR_EXISTS,
    ESSE_EXPR_SCALAR,     /* the value of a sub-select */
    ESSE_EXPR_QUANTIFIED, /* 1: the comparison with PLACEs; ANY, or ALL if 'is_all' */
};

enum esse_sides { ESSE_BELOW = 1, ESSE_EQUAL = 2, ESSE_ABOVE = 4 };
enum esse_is { ESSE_IS_TRUE, ESSE_IS_FALSE, ESSE_IS_UNKNOWN };

enum esse_function {
    ESSE_FN_ABS,
    ESSE_FN_MOD,
    ESSE_FN_ROUND,
    ESSE_FN_TRUNC,
    ESSE_FN_CEIL,
    ESSE_FN_FLOOR,
    ESSE_FN_SIGN,
    ESSE_FN_LENGTH,
    ESSE_FN_OCTET_LENGTH,
    ESSE_FN_UPPER,
    ESSE_FN_LOWER,
    ESSE_FN_SUBSTRING,
    ESSE_FN_TRIM, /* both, left, right: the three in this order */
    ESSE_FN_LTRIM,
    ESSE_FN_RTRIM,
    ESSE_FN_REPLACE,
    ESSE_FN_CONCAT,
    ESSE_FN_POSITION, /* of the second in the first */
    ESSE_FN_LEFT,
    ESSE_FN_RIGHT,
    ESSE_FN_REPEAT,
    ESSE_FN_LPAD,
    ESSE_FN_RPAD,
    ESSE_FN_REVERSE,
};

/* What only the server knows. */
enum esse_hole_kind {
    ESSE_HOLE_NOW, /* one a transaction */
    ESSE_HOLE_CLOCK,
    ESSE_HOLE_RANDOM,
    ESSE_HOLE_UUID,
    ESSE_HOLE_USER,
    ESSE_HOLE_NEXTVAL, /* of a sequence; values differ from one another */
    ESSE_HOLE_CURRVAL,
};

struct esse_query;
struct esse_sequence;
struct esse_routine;

struct esse_expr {
    uint8_t kind; /* enum esse_expr_kind */
    uint8_t op;
    bool is_negated; /* LIKE, SLOT (a minus stands before the literal) */
    bool is_all;
    struct esse_type type;
    uint32_t at; /* byte of the text, from 1; 0 if not known */
    uint32_t count;
    struct esse_expr **args;
    union {
        struct esse_datum constant;
        uint32_t number;
        struct {
            uint32_t depth, source, column;
        } column;
        struct esse_query *query;
        enum esse_cast_how how;
        enum esse_function function;
        const struct esse_routine *routine;
        struct {
            enum esse_hole_kind kind;
            const struct esse_sequence *sequence;
        } hole;
    } is;
};

/* ---- queries ---- */

struct esse_table;

struct esse_source {
    const struct esse_table *table; /* or */
    struct esse_query *query;
    const char *name;
    uint32_t width;
};

enum esse_join_kind {
    ESSE_JOIN_SOURCE,
    ESSE_JOIN_INNER,
    ESSE_JOIN_LEFT,
    ESSE_JOIN_RIGHT,
    ESSE_JOIN_FULL
};

struct esse_join {
    enum esse_join_kind kind;
    uint32_t source;
    const struct esse_join *left, *right;
    const struct esse_expr *on; /* NULL: true */
};

enum esse_aggregate_kind {
    ESSE_AGG_COUNT_ROWS,
    ESSE_AGG_COUNT,
    ESSE_AGG_SUM,
    ESSE_AGG_AVG,
    ESSE_AGG_MIN,
    ESSE_AGG_MAX,
    ESSE_AGG_EVERY, /* bool_and */
    ESSE_AGG_SOME,  /* bool_or */
};

struct esse_aggregate {
    enum esse_aggregate_kind kind;
    bool is_distinct;
    struct esse_type type;
    const struct esse_expr *of, *filter; /* may be NULL */
};

struct esse_output {
    const char *name;
    struct esse_expr *expr; /* NULL of a set operation */
    struct esse_type type;
};

struct esse_sort {
    const struct esse_expr *by; /* NULL: an output */
    uint32_t output;
    bool descends, nulls_first, is_folded;
};

enum esse_set { ESSE_SET_NONE, ESSE_SET_UNION, ESSE_SET_INTERSECT, ESSE_SET_EXCEPT };

struct esse_query {
    uint32_t number;
    uint32_t reaches_out; /* how many queries out its columns go at most */
    bool has_holes;
    struct esse_source *sources;
    uint32_t source_count;
    const struct esse_join *from; /* NULL: no FROM */
    struct esse_expr *where;
    struct esse_expr **groups;
    uint32_t group_count;
    bool is_grouped; /* GROUP BY, HAVING or an aggregate */
    struct esse_expr *having;
    struct esse_aggregate *aggregates;
    uint32_t aggregate_count;
    struct esse_output *outputs;
    uint32_t output_count;
    struct esse_expr **values; /* VALUES: rows of output_count expressions, instead of FROM */
    uint32_t value_count;
    bool is_values, is_distinct;
    enum esse_set set;
    bool set_all;
    struct esse_query *left, *right; /* of a set operation */
    struct esse_sort *sorts;
    uint32_t sort_count;
    struct esse_expr *limit, *offset;
};

/* ---- statements ---- */

enum esse_statement_kind {
    ESSE_STATEMENT_QUERY,
    ESSE_STATEMENT_INSERT,
    ESSE_STATEMENT_UPDATE,
    ESSE_STATEMENT_DELETE,
    ESSE_STATEMENT_TRUNCATE,
    ESSE_STATEMENT_CREATE_TABLE,
    ESSE_STATEMENT_CREATE_INDEX,
    ESSE_STATEMENT_CREATE_VIEW,
    ESSE_STATEMENT_CREATE_SEQUENCE,
    ESSE_STATEMENT_CREATE_ROUTINE,
    ESSE_STATEMENT_CALL, /* CALL and DO */
    ESSE_STATEMENT_DROP,
    ESSE_STATEMENT_BEGIN,
    ESSE_STATEMENT_COMMIT,
    ESSE_STATEMENT_ROLLBACK,
    ESSE_STATEMENT_SAVEPOINT,
    ESSE_STATEMENT_RELEASE,
    ESSE_STATEMENT_ROLLBACK_TO,
    ESSE_STATEMENT_CONSTRAINTS, /* SET CONSTRAINTS ALL, 'flag': DEFERRED */
    ESSE_STATEMENT_NOTHING,     /* an empty text, SET TRANSACTION and the like */
};

struct esse_assignment {
    uint32_t column;
    const struct esse_expr *to; /* NULL: DEFAULT */
};

enum esse_conflict {
    ESSE_CONFLICT_ERROR,
    ESSE_CONFLICT_NOTHING, /* ON CONFLICT DO NOTHING, INSERT IGNORE */
    ESSE_CONFLICT_UPDATE,  /* ON CONFLICT DO UPDATE, ON DUPLICATE KEY UPDATE */
    ESSE_CONFLICT_REPLACE  /* MySQL's REPLACE */
};

/* Rows of an INSERT come from 'query'.  Those of UPDATE and DELETE are those of the first source of
 * it.  Expressions of 'sets' and 'returning' are evaluated on the sources of the query, where the
 * first is the row of the table; of ON CONFLICT DO UPDATE the second one is EXCLUDED. */
struct esse_change {
    const struct esse_table *table;
    struct esse_query *query; /* NULL: DEFAULT VALUES */
    uint32_t *columns;        /* INSERT: of which columns the query has values */
    uint32_t column_count;
    bool *is_default; /* INSERT VALUES: of each value, whether it is DEFAULT; NULL: none */
    enum esse_conflict conflict;
    bool any_index;          /* ON CONFLICT without a target */
    uint32_t conflict_index; /* of the table's indexes */
    struct esse_assignment *sets;
    uint32_t set_count;
    const struct esse_expr *conflict_where;
    struct esse_output *returning;
    uint32_t returning_count;
    uint32_t source_count;
};

struct esse_view;

struct esse_statement {
    enum esse_statement_kind kind;
    uint32_t query_count;
    uint32_t param_count;
    bool calls_routines;
    bool flag;        /* IF [NOT] EXISTS, OR REPLACE */
    const char *name; /* of what is created or dropped; of a savepoint */
    uint32_t at;
    struct esse_query *query;
    struct esse_change change;
    struct esse_table *table;   /* CREATE TABLE; CREATE INDEX and TRUNCATE: an existing one */
    struct esse_table **tables; /* those that it names; TRUNCATE: those to empty */
    uint32_t table_count;
    void *made; /* the view, sequence, routine or index to be made */
    struct esse_expr *call;
    char drop;          /* t v s i r: table, view, sequence, index, routine */
    const char **names; /* DROP */
    uint32_t name_count;
};

/* Which sources of its own query an expression looks at, also from within sub-selects: bits. */
uint64_t esse_expr_sources(const struct esse_expr *expr);
enum { ESSE_MOST_SOURCES = 64 };

#endif
