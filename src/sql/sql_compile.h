#ifndef ESSE_SQL_SQL_COMPILE_H
#define ESSE_SQL_SQL_COMPILE_H

#include "sql/compile.h"
#include "sql/sql_literals.h"

#include <pg_query/pg_query.pb-c.h>

/*
 * From PostgreSQL's parse tree to a compiled statement.  Private to sql/.
 *
 * compile.c          texts, shapes, the statement's kind
 * compile_expr.c     expressions, literals, columns
 * compile_type.c     which type meets which, casts
 * compile_operator.c operators, comparisons of rows
 * compile_function.c functions and aggregates
 * compile_query.c    SELECT; compile_from.c its tables and joins; compile_group.c what may be asked
 *                    after grouping
 * compile_change.c   INSERT, UPDATE, DELETE
 * compile_schema.c   CREATE, DROP
 * routine_*.c        procedures and functions: sql_routine.h
 * mysql_*.c          texts of MySQL's dialect: sql_mysql.h
 */

struct sql_visible {
    const char *table, *name;
    struct esse_expr *expr; /* as seen from its own query */
    bool is_merged;         /* by USING: only with its table's name before it */
};
ESSE_VEC(sql_visible_vec, struct sql_visible)
ESSE_VEC(sql_source_vec, struct esse_source)
ESSE_VEC(sql_aggregate_vec, struct esse_aggregate)
ESSE_VEC(sql_expr_vec, struct esse_expr *)
ESSE_VEC(sql_output_vec, struct esse_output)
ESSE_VEC(sql_table_vec, struct esse_table *)
ESSE_VEC(sql_u32_vec, uint32_t)

struct sql_embedding;
struct sql_rewritten;

struct sql_cte {
    const struct sql_cte *up;
    const char *name;
    struct esse_query *query;
    const char **columns;
    uint32_t column_count;
};

/* What names mean in one query. */
struct sql_scope {
    struct sql_scope *up;
    struct esse_query *query;
    struct sql_visible_vec visible;
    struct sql_source_vec sources;
    struct sql_aggregate_vec aggregates;
    const char *no_aggregates; /* where they are not allowed: "WHERE"; NULL: here they are */
    bool in_aggregate;
};

struct sql_compile {
    struct esse_compiler *compiler;
    struct esse_schema *schema;
    struct esse_arena *arena;
    struct esse_fault *fault;
    const char *text; /* what the parser was given */
    bool calls_routines;
    bool has_quotient;
    bool takes_default;       /* VALUES may have DEFAULT */
    bool is_mysql, is_change; /* in MySQL's dialect division by zero is NULL but in changes */
    struct sql_scope *scope;
    const struct sql_cte *ctes;
    struct sql_table_vec tables;
    uint32_t query_count, param_count, depth;
    const struct sql_literals *literals;   /* NULL: they stay in the plan */
    bool keeps_literal;                    /* one of them was needed while compiling */
    const struct sql_rewritten *rewritten; /* of MySQL's dialect: where 'text' comes from */
    struct sql_embedding *embedding;       /* of a text within a routine; NULL: it is by itself */
};

/* Fill the fault and return NULL. */
void *sql_error(struct sql_compile *c, int32_t location, const char *state, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void *sql_unsupported(struct sql_compile *c, int32_t location, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
uint32_t sql_at(int32_t location);

struct esse_expr *sql_new(struct sql_compile *c, enum esse_expr_kind kind, struct esse_type type,
                          uint32_t at, uint32_t count);
struct esse_expr *sql_new_1(struct sql_compile *c, enum esse_expr_kind kind, struct esse_type type,
                            uint32_t at, struct esse_expr *a);
struct esse_expr *sql_new_2(struct sql_compile *c, enum esse_expr_kind kind, struct esse_type type,
                            uint32_t at, struct esse_expr *a, struct esse_expr *b);
struct esse_expr *sql_new_constant(struct sql_compile *c, struct esse_type type, uint32_t at,
                                   struct esse_datum datum);

/* ---- types ---- */

/* MySQL's dialect: a decimal has as many digits after the point as its expression says. */
struct esse_type sql_mysql_decimal(uint32_t scale);
uint32_t sql_mysql_scale(struct esse_type type);

enum sql_how { SQL_IMPLICIT, SQL_ASSIGN, SQL_EXPLICIT };
/* NULL, with the fault filled, if there is no such cast. */
struct esse_expr *sql_coerce(struct sql_compile *c, struct esse_expr *expr, struct esse_type to,
                             enum sql_how how);
bool sql_can_coerce(const struct sql_compile *c, struct esse_type from, struct esse_type to,
                    enum sql_how how);
struct esse_expr *sql_as_bool(struct sql_compile *c, struct esse_expr *expr, const char *where);
struct esse_expr *sql_as_text(struct sql_compile *c, struct esse_expr *expr);
/* The type of several, as of UNION and CASE; 'what' is for the message. */
bool sql_common_type(struct sql_compile *c, struct esse_expr **exprs, uint32_t count,
                     const char *what, struct esse_type *type);
bool sql_meet(struct sql_compile *c, struct esse_type a, struct esse_type b,
              struct esse_type *type);
bool sql_type_of(struct sql_compile *c, const PgQuery__TypeName *name, struct esse_type *type);
bool sql_is_literal(const struct esse_expr *expr);
bool sql_is_default(const struct esse_expr *expr); /* DEFAULT in VALUES */

/* ---- expressions ---- */

struct esse_expr *sql_compile_expr(struct sql_compile *c, const PgQuery__Node *node);
struct esse_expr *sql_compile_operator(struct sql_compile *c, const PgQuery__AExpr *node);
struct esse_expr *sql_compile_call(struct sql_compile *c, const PgQuery__FuncCall *node);
struct esse_expr *sql_compile_sublink(struct sql_compile *c, const PgQuery__SubLink *node);
struct esse_expr *sql_compare(struct sql_compile *c, const char *op, uint32_t at,
                              struct esse_expr *a, struct esse_expr *b);
bool sql_refuse_quotient(struct sql_compile *c, const struct esse_expr *expr);
struct esse_expr *sql_whole_quotient(struct sql_compile *c, uint32_t at, struct esse_expr *a,
                                     struct esse_expr *b);
struct esse_expr *sql_make_call(struct sql_compile *c, const char *name, uint32_t at,
                                struct esse_expr **args, uint32_t count);
struct esse_expr *sql_hole(struct sql_compile *c, enum esse_hole_kind kind,
                           const struct esse_sequence *sequence, struct esse_type type,
                           uint32_t at);
struct esse_expr *sql_logic(struct sql_compile *c, enum esse_expr_kind kind, uint32_t at,
                            struct esse_expr *a, struct esse_expr *b);
const char *sql_name(PgQuery__Node **names, size_t count);
/* NULL and no fault: there is no such column. */
struct esse_expr *sql_find(struct sql_compile *c, const char *table, const char *name, uint32_t at);
struct esse_expr *sql_shifted(struct sql_compile *c, const struct esse_expr *expr, uint32_t depth);
bool sql_same_expr(const struct esse_expr *a, const struct esse_expr *b);
bool sql_walk(struct esse_expr *expr, uint32_t depth,
              bool (*each)(void *context, struct esse_expr *expr, uint32_t depth), void *context);

/* ---- queries ---- */

struct esse_query *sql_compile_query(struct sql_compile *c, const PgQuery__SelectStmt *node);
struct esse_query *sql_new_query(struct sql_compile *c);
/* The rows of an INSERT: literals in quotes take the types of the columns. */
struct esse_query *sql_compile_source(struct sql_compile *c, const PgQuery__SelectStmt *node,
                                      const struct esse_type *types, uint32_t count);
bool sql_compile_from(struct sql_compile *c, PgQuery__Node **items, size_t count);
bool sql_compile_outputs(struct sql_compile *c, PgQuery__Node **items, size_t count,
                         struct sql_output_vec *outputs);
bool sql_check_groups(struct sql_compile *c, struct esse_query *query);
void sql_add_table(struct sql_compile *c, struct sql_scope *scope, struct esse_table *table,
                   const char *name);
void sql_scope_done(struct sql_compile *c, struct sql_scope *scope);
bool sql_with(struct sql_compile *c, const PgQuery__WithClause *with);
struct esse_table *sql_table(struct sql_compile *c, const PgQuery__RangeVar *name);

/* ---- statements ---- */

bool sql_compile_insert(struct sql_compile *c, const PgQuery__InsertStmt *node,
                        struct esse_statement *statement);
bool sql_compile_update(struct sql_compile *c, const PgQuery__UpdateStmt *node,
                        struct esse_statement *statement);
bool sql_compile_delete(struct sql_compile *c, const PgQuery__DeleteStmt *node,
                        struct esse_statement *statement);
bool sql_compile_create_table(struct sql_compile *c, const PgQuery__CreateStmt *node,
                              struct esse_statement *statement);
bool sql_compile_create_index(struct sql_compile *c, const PgQuery__IndexStmt *node,
                              struct esse_statement *statement);
bool sql_compile_drop(struct sql_compile *c, const PgQuery__DropStmt *node,
                      struct esse_statement *statement);
bool sql_compile_schema(struct sql_compile *c, const PgQuery__Node *node,
                        struct esse_statement *statement);

/* ---- routines ---- */

bool sql_compile_create_routine(struct sql_compile *c, const PgQuery__CreateFunctionStmt *node,
                                struct esse_statement *statement);
/* *is_one: it is CREATE PROCEDURE or FUNCTION of MySQL's dialect. */
bool sql_compile_mysql_routine(struct sql_compile *c, const char *text,
                               struct esse_statement *statement, bool *is_one);
bool sql_compile_do(struct sql_compile *c, const PgQuery__DoStmt *node,
                    struct esse_statement *statement);
bool sql_compile_call_statement(struct sql_compile *c, const PgQuery__CallStmt *node,
                                struct esse_statement *statement);
struct esse_expr *sql_call_routine(struct sql_compile *c, const struct esse_routine *routine,
                                   struct esse_expr **args, uint32_t count, uint32_t at);

/* compile.c */
const struct esse_statement *sql_compile_with(struct esse_compiler *compiler, const char *text,
                                              struct sql_embedding *embedding,
                                              struct esse_fault *fault);
const struct esse_schema *sql_compiler_schema(const struct esse_compiler *compiler);
bool sql_check_grammar(struct sql_compile *c, const char *text);
bool sql_type_from_text(struct sql_compile *c, const char *text, uint32_t at,
                        struct esse_type *type);

#endif
