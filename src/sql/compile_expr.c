#include "sql/sql_mysql.h"
#include "sql/sql_routine.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_LEVELS = 500 };

void *sql_error(struct sql_compile *c, int32_t location, const char *state, const char *format, ...)
{
    char text[240];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    esse_fault(c->fault, state, sql_at(location), "%s", text);
    return NULL;
}

void *sql_unsupported(struct sql_compile *c, int32_t location, const char *format, ...)
{
    char text[240];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    esse_fault_unsupported(c->fault, sql_at(location), "%s", text);
    return NULL;
}

uint32_t sql_at(int32_t location)
{
    return location >= 0 ? (uint32_t)location + 1 : 0;
}

struct esse_expr *sql_new(struct sql_compile *c, enum esse_expr_kind kind, struct esse_type type,
                          uint32_t at, uint32_t count)
{
    struct esse_expr *expr = esse_arena_alloc(c->arena, 1, sizeof *expr);
    expr->kind = (uint8_t)kind;
    expr->type = type;
    expr->at = at;
    expr->count = count;
    expr->args = esse_arena_alloc(c->arena, count ? count : 1, sizeof *expr->args);
    return expr;
}

struct esse_expr *sql_new_1(struct sql_compile *c, enum esse_expr_kind kind, struct esse_type type,
                            uint32_t at, struct esse_expr *a)
{
    struct esse_expr *expr = sql_new(c, kind, type, at, 1);
    expr->args[0] = a;
    return expr;
}

struct esse_expr *sql_new_2(struct sql_compile *c, enum esse_expr_kind kind, struct esse_type type,
                            uint32_t at, struct esse_expr *a, struct esse_expr *b)
{
    struct esse_expr *expr = sql_new(c, kind, type, at, 2);
    expr->args[0] = a;
    expr->args[1] = b;
    return expr;
}

struct esse_expr *sql_new_constant(struct sql_compile *c, struct esse_type type, uint32_t at,
                                   struct esse_datum datum)
{
    struct esse_expr *expr = sql_new(c, ESSE_EXPR_CONSTANT, type, at, 0);
    expr->is.constant = esse_datum_keep(c->arena, datum);
    return expr;
}

const char *sql_name(PgQuery__Node **names, size_t count)
{
    if (!count || names[count - 1]->node_case != PG_QUERY__NODE__NODE_STRING)
        return "";
    return names[count - 1]->string->sval;
}

struct esse_expr *sql_logic(struct sql_compile *c, enum esse_expr_kind kind, uint32_t at,
                            struct esse_expr *a, struct esse_expr *b)
{
    return !a ? b : !b ? a : sql_new_2(c, kind, ESSE_TYPE(BOOL), at, a, b);
}

/* ---- literals ---- */

static struct esse_type number_type(const struct sql_compile *c, struct esse_datum number)
{
    (void)c;
    if (number.kind != ESSE_DATUM_INT)
        return ESSE_TYPE(NUMERIC);
    return number.is.number >= INT32_MIN && number.is.number <= INT32_MAX ? ESSE_TYPE(INT)
                                                                          : ESSE_TYPE(BIGINT);
}

static bool has_exponent(const char *text)
{
    return strchr(text, 'e') || strchr(text, 'E');
}

/* Where a literal stands in the client's text: after the minus, if there is one. */
static uint32_t literal_place(const struct sql_compile *c, uint32_t at)
{
    if (c->text[at] == '-')
        for (at++; isspace((unsigned char)c->text[at]);)
            at++;
    return c->rewritten ? c->rewritten->from[at] : at;
}

/* A text has no type yet, but in MySQL's dialect. */
static bool is_kind_of(const struct sql_compile *c, struct esse_type literal, struct esse_type type)
{
    if (c->is_mysql && type.base == ESSE_TYPE_NUMERIC)
        return false; /* its digits are part of the type */
    return literal.base == type.base ||
           (c->is_mysql && literal.base == ESSE_TYPE_UNKNOWN && type.base == ESSE_TYPE_TEXT);
}

/* A literal whose value differs from text to text of this shape, or a constant. */
static struct esse_expr *slot_of(struct sql_compile *c, const PgQuery__AConst *node,
                                 struct esse_type type, struct esse_datum datum)
{
    const uint32_t at = sql_at(node->location);
    uint32_t number = UINT32_MAX;
    if (c->literals && at && datum.kind != ESSE_DATUM_BOOL)
        number = sql_literal_at(c->literals, literal_place(c, at - 1));
    if (number == UINT32_MAX || !is_kind_of(c, c->literals->at.at[number].type, type)) {
        c->keeps_literal |= datum.kind != ESSE_DATUM_BOOL;
        return sql_new_constant(c, type, at, datum);
    }
    struct esse_expr *expr = sql_new(c, ESSE_EXPR_SLOT, type, at, 0);
    expr->is.number = number;
    expr->is_negated = c->text[at - 1] == '-';
    return expr;
}

static struct esse_expr *compile_literal(struct sql_compile *c, const PgQuery__AConst *node)
{
    struct esse_datum datum = esse_datum_null();
    struct esse_type type = ESSE_TYPE(UNKNOWN);
    if (node->isnull)
        return sql_new_constant(c, type, sql_at(node->location), datum);
    switch (node->val_case) {
    case PG_QUERY__A__CONST__VAL_IVAL:
        datum = esse_datum_int(node->ival->ival);
        type = ESSE_TYPE(INT);
        break;
    case PG_QUERY__A__CONST__VAL_FVAL:
        if (!esse_datum_number(c->arena, node->fval->fval, strlen(node->fval->fval), &datum,
                               c->fault)) {
            esse_fault_place(c->fault, sql_at(node->location));
            return NULL;
        }
        type = number_type(c, datum);
        if (c->is_mysql && type.base == ESSE_TYPE_NUMERIC)
            type = sql_mysql_decimal(datum.scale);
        if (c->is_mysql && has_exponent(node->fval->fval)) {
            type = ESSE_TYPE(FLOAT8);
            datum = esse_datum_real(esse_datum_double(datum));
        }
        break;
    case PG_QUERY__A__CONST__VAL_BOOLVAL:
        datum = esse_datum_bool(node->boolval->boolval);
        type = ESSE_TYPE(BOOL);
        break;
    case PG_QUERY__A__CONST__VAL_SVAL:
        datum = esse_datum_text(node->sval->sval, strlen(node->sval->sval));
        if (c->is_mysql) {
            type = ESSE_TYPE(TEXT);
            type.is_folded = true;
        }
        break;
    default:
        return sql_unsupported(c, node->location, "bit strings are not supported");
    }
    return slot_of(c, node, type, datum);
}

static struct esse_expr *compile_param(struct sql_compile *c, const PgQuery__ParamRef *node)
{
    struct esse_expr *expr =
        sql_new(c, ESSE_EXPR_PARAM, ESSE_TYPE(UNKNOWN), sql_at(node->location), 0);
    if (c->embedding)
        return sql_numbered_variable(c, (uint32_t)node->number, expr->at);
    if (node->number < 1 || node->number > 1000)
        return sql_unsupported(c, node->location, "a parameter beyond $1000 is not supported");
    expr->is.number = (uint32_t)node->number;
    if (expr->is.number > c->param_count)
        c->param_count = expr->is.number;
    return expr;
}

/* ---- columns ---- */

struct esse_expr *sql_shifted(struct sql_compile *c, const struct esse_expr *expr, uint32_t depth)
{
    struct esse_expr *copy =
        sql_new(c, (enum esse_expr_kind)expr->kind, expr->type, expr->at, expr->count);
    struct esse_expr **args = copy->args;
    *copy = *expr;
    copy->args = args;
    if (copy->kind == ESSE_EXPR_COLUMN)
        copy->is.column.depth += depth;
    for (uint32_t i = 0; i < expr->count; i++)
        copy->args[i] = sql_shifted(c, expr->args[i], depth);
    return copy;
}

/* The queries between here and there depend on rows outside of them. */
static void note_reach(struct sql_scope *scope, uint32_t depth)
{
    for (; depth; depth--, scope = scope->up)
        if (scope->query && scope->query->reaches_out < depth)
            scope->query->reaches_out = depth;
}

static const struct sql_visible *find_visible(struct sql_compile *c, const struct sql_scope *scope,
                                              const char *table, const char *name, uint32_t at)
{
    const struct sql_visible *found = NULL;
    for (size_t i = 0; i < scope->visible.count; i++) {
        const struct sql_visible *visible = &scope->visible.at[i];
        if (strcmp(visible->name, name) != 0 ||
            (table ? !visible->table || strcmp(visible->table, table) != 0 : visible->is_merged))
            continue;
        if (found) {
            sql_error(c, (int32_t)at - 1, "42702", "column reference \"%s\" is ambiguous", name);
            return NULL;
        }
        found = visible;
    }
    return found;
}

struct esse_expr *sql_find(struct sql_compile *c, const char *table, const char *name, uint32_t at)
{
    uint32_t depth = 0;
    for (struct sql_scope *scope = c->scope; scope; scope = scope->up, depth++) {
        const struct sql_visible *visible = find_visible(c, scope, table, name, at);
        if (c->fault->kind != ESSE_FAULT_NONE)
            return NULL;
        if (!visible)
            continue;
        note_reach(c->scope, depth);
        struct esse_expr *expr = sql_shifted(c, visible->expr, depth);
        expr->at = at;
        return expr;
    }
    return NULL;
}

static bool has_table(const struct sql_compile *c, const char *table)
{
    for (const struct sql_scope *scope = c->scope; scope; scope = scope->up)
        for (size_t i = 0; i < scope->visible.count; i++)
            if (scope->visible.at[i].table && strcmp(scope->visible.at[i].table, table) == 0)
                return true;
    return false;
}

static struct esse_expr *compile_column(struct sql_compile *c, const PgQuery__ColumnRef *node)
{
    const char *name = sql_name(node->fields, node->n_fields), *table = NULL;
    if (!*name)
        return sql_error(c, node->location, "42601", "* is not allowed here");
    if (node->n_fields > 3)
        return sql_unsupported(c, node->location, "a field of a column is not supported");
    if (node->n_fields > 1)
        table = sql_name(node->fields, node->n_fields - 1);
    /* In MySQL's dialect a variable hides columns. */
    struct esse_expr *expr = c->embedding && c->is_mysql && !table
                                 ? sql_variable(c, name, NULL, sql_at(node->location))
                                 : NULL;
    if (expr || c->fault->kind != ESSE_FAULT_NONE)
        return c->fault->kind == ESSE_FAULT_NONE ? expr : NULL;
    expr = sql_find(c, table, name, sql_at(node->location));
    if (c->embedding && c->fault->kind == ESSE_FAULT_NONE) {
        struct esse_expr *variable =
            sql_variable(c, table ? table : name, table ? name : NULL, sql_at(node->location));
        if (expr && variable)
            return sql_error(c, node->location, "42702", "column reference \"%s\" is ambiguous",
                             name);
        expr = variable ? variable : expr;
    }
    if (expr || c->fault->kind != ESSE_FAULT_NONE)
        return c->fault->kind == ESSE_FAULT_NONE ? expr : NULL;
    if (table && !has_table(c, table))
        return sql_error(c, node->location, "42P01", "missing FROM-clause entry for table \"%s\"",
                         table);
    return sql_error(c, node->location, "42703", "column \"%s\" does not exist", name);
}

/* ---- what is made of several ---- */

static struct esse_expr *compile_logic(struct sql_compile *c, const PgQuery__BoolExpr *node)
{
    const enum esse_expr_kind kind =
        node->boolop == PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR  ? ESSE_EXPR_AND
        : node->boolop == PG_QUERY__BOOL_EXPR_TYPE__OR_EXPR ? ESSE_EXPR_OR
                                                            : ESSE_EXPR_NOT;
    static const char *const words[] = { "AND", "OR", "NOT" };
    struct esse_expr *expr =
        sql_new(c, kind, ESSE_TYPE(BOOL), sql_at(node->location), (uint32_t)node->n_args);
    for (uint32_t i = 0; i < expr->count; i++) {
        struct esse_expr *arg = sql_compile_expr(c, node->args[i]);
        expr->args[i] = arg ? sql_as_bool(c, arg,
                                          words[kind == ESSE_EXPR_OR    ? 1
                                                : kind == ESSE_EXPR_NOT ? 2
                                                                        : 0])
                            : NULL;
        if (!expr->args[i])
            return NULL;
    }
    return expr;
}

static struct esse_expr *negated_if(struct sql_compile *c, bool negated, struct esse_expr *expr)
{
    return !negated || !expr ? expr : sql_new_1(c, ESSE_EXPR_NOT, ESSE_TYPE(BOOL), expr->at, expr);
}

static struct esse_expr *compile_null_test(struct sql_compile *c, const PgQuery__NullTest *node)
{
    struct esse_expr *arg = sql_compile_expr(c, node->arg);
    if (!arg)
        return NULL;
    return negated_if(
        c, node->nulltesttype == PG_QUERY__NULL_TEST_TYPE__IS_NOT_NULL,
        sql_new_1(c, ESSE_EXPR_IS_NULL, ESSE_TYPE(BOOL), sql_at(node->location), arg));
}

static struct esse_expr *compile_truth_test(struct sql_compile *c, const PgQuery__BooleanTest *node)
{
    static const struct {
        PgQuery__BoolTestType type;
        enum esse_is is;
        bool negated;
    } tests[] = {
        { PG_QUERY__BOOL_TEST_TYPE__IS_TRUE, ESSE_IS_TRUE, false },
        { PG_QUERY__BOOL_TEST_TYPE__IS_NOT_TRUE, ESSE_IS_TRUE, true },
        { PG_QUERY__BOOL_TEST_TYPE__IS_FALSE, ESSE_IS_FALSE, false },
        { PG_QUERY__BOOL_TEST_TYPE__IS_NOT_FALSE, ESSE_IS_FALSE, true },
        { PG_QUERY__BOOL_TEST_TYPE__IS_UNKNOWN, ESSE_IS_UNKNOWN, false },
        { PG_QUERY__BOOL_TEST_TYPE__IS_NOT_UNKNOWN, ESSE_IS_UNKNOWN, true },
    };
    struct esse_expr *arg = sql_compile_expr(c, node->arg);
    arg = arg ? sql_as_bool(c, arg, "IS") : NULL;
    if (!arg)
        return NULL;
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        if (tests[i].type == node->booltesttype) {
            struct esse_expr *expr =
                sql_new_1(c, ESSE_EXPR_IS_TRUTH, ESSE_TYPE(BOOL), sql_at(node->location), arg);
            expr->op = (uint8_t)tests[i].is;
            return negated_if(c, tests[i].negated, expr);
        }
    return sql_unsupported(c, node->location, "such a test is not supported");
}

static struct esse_expr *compile_case(struct sql_compile *c, const PgQuery__CaseExpr *node)
{
    const uint32_t count = (uint32_t)node->n_args;
    struct esse_expr *expr =
        sql_new(c, ESSE_EXPR_CASE, ESSE_TYPE(UNKNOWN), sql_at(node->location), 2 * count + 1);
    struct esse_expr **values = esse_arena_alloc(c->arena, count + 1, sizeof *values);
    struct esse_expr *of = node->arg ? sql_compile_expr(c, node->arg) : NULL;
    if (of && of->type.base == ESSE_TYPE_UNKNOWN)
        of = sql_as_text(c, of);
    if (node->arg && !of)
        return NULL;
    for (uint32_t i = 0; i < count; i++) {
        const PgQuery__CaseWhen *when = node->args[i]->case_when;
        struct esse_expr *condition = sql_compile_expr(c, when->expr);
        if (condition && of)
            condition = sql_compare(c, "=", sql_at(when->location), of, condition);
        expr->args[2 * i] = condition ? sql_as_bool(c, condition, "CASE/WHEN") : NULL;
        values[i + 1] = expr->args[2 * i] ? sql_compile_expr(c, when->result) : NULL;
        if (!values[i + 1])
            return NULL;
    }
    /* PostgreSQL looks at ELSE first when it chooses the type. */
    values[0] = node->defresult
                    ? sql_compile_expr(c, node->defresult)
                    : sql_new_constant(c, ESSE_TYPE(UNKNOWN), expr->at, esse_datum_null());
    if (!values[0] || !sql_common_type(c, values, count + 1, "CASE", &expr->type))
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        expr->args[2 * i + 1] = values[i + 1];
    expr->args[2 * count] = values[0];
    return expr;
}

static struct esse_expr *compile_several(struct sql_compile *c, enum esse_expr_kind kind,
                                         const char *what, int32_t location, PgQuery__Node **nodes,
                                         size_t count)
{
    struct esse_expr *expr =
        sql_new(c, kind, ESSE_TYPE(UNKNOWN), sql_at(location), (uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        expr->args[i] = sql_compile_expr(c, nodes[i]);
        if (!expr->args[i])
            return NULL;
    }
    if (!sql_common_type(c, expr->args, (uint32_t)count, what, &expr->type))
        return NULL;
    expr->is_all = expr->type.is_folded;
    expr->is_negated = c->is_mysql;
    return expr;
}

static struct esse_expr *compile_cast(struct sql_compile *c, const PgQuery__TypeCast *node)
{
    struct esse_type type;
    struct esse_expr *arg = sql_compile_expr(c, node->arg);
    if (!arg || !sql_type_of(c, node->type_name, &type))
        return NULL;
    if (type.base == ESSE_TYPE_CHAR && !type.length)
        type.length = 0;
    struct esse_expr *expr = sql_coerce(c, arg, type, SQL_EXPLICIT);
    if (!expr)
        return NULL;
    if (expr == arg && expr->kind != ESSE_EXPR_CONSTANT) {
        expr = sql_new_1(c, ESSE_EXPR_CAST, type, sql_at(node->location), arg);
        expr->is.how = ESSE_CAST_EXPLICIT;
    } else if (expr == arg) {
        expr = sql_new_constant(c, type, arg->at, arg->is.constant);
    }
    expr->type = type;
    return expr;
}

struct esse_expr *sql_hole(struct sql_compile *c, enum esse_hole_kind kind,
                           const struct esse_sequence *sequence, struct esse_type type, uint32_t at)
{
    struct esse_expr *expr = sql_new(c, ESSE_EXPR_HOLE, type, at, 0);
    expr->is.hole.kind = kind;
    expr->is.hole.sequence = sequence;
    for (struct sql_scope *scope = c->scope; scope; scope = scope->up)
        if (scope->query)
            scope->query->has_holes = true;
    return expr;
}

static struct esse_expr *compile_value_function(struct sql_compile *c,
                                                const PgQuery__SQLValueFunction *node)
{
    const uint32_t at = sql_at(node->location);
    switch (node->op) {
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_DATE:
        return sql_coerce(c, sql_hole(c, ESSE_HOLE_NOW, NULL, ESSE_TYPE(TIMESTAMP), at),
                          ESSE_TYPE(DATE), SQL_EXPLICIT);
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_TIMESTAMP:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIMESTAMP:
        return sql_hole(c, ESSE_HOLE_NOW, NULL, ESSE_TYPE(TIMESTAMP), at);
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_USER:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_USER:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_SESSION_USER:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_ROLE:
        return sql_hole(c, ESSE_HOLE_USER, NULL, ESSE_TYPE(TEXT), at);
    default:
        return sql_unsupported(c, node->location, "such a function of the time is not supported");
    }
}

static struct esse_expr *compile_collate(struct sql_compile *c, const PgQuery__CollateClause *node)
{
    const char *name = sql_name(node->collname, node->n_collname);
    if (strcmp(name, "C") != 0 || c->is_mysql)
        return sql_unsupported(c, node->location, "the collation %s is not supported", name);
    return sql_compile_expr(c, node->arg);
}

static struct esse_expr *compile_node(struct sql_compile *c, const PgQuery__Node *node)
{
    switch (node->node_case) {
    case PG_QUERY__NODE__NODE_A_CONST:
        return compile_literal(c, node->a_const);
    case PG_QUERY__NODE__NODE_PARAM_REF:
        return compile_param(c, node->param_ref);
    case PG_QUERY__NODE__NODE_COLUMN_REF:
        return compile_column(c, node->column_ref);
    case PG_QUERY__NODE__NODE_A_EXPR:
        return sql_compile_operator(c, node->a_expr);
    case PG_QUERY__NODE__NODE_BOOL_EXPR:
        return compile_logic(c, node->bool_expr);
    case PG_QUERY__NODE__NODE_NULL_TEST:
        return compile_null_test(c, node->null_test);
    case PG_QUERY__NODE__NODE_BOOLEAN_TEST:
        return compile_truth_test(c, node->boolean_test);
    case PG_QUERY__NODE__NODE_TYPE_CAST:
        return compile_cast(c, node->type_cast);
    case PG_QUERY__NODE__NODE_CASE_EXPR:
        return compile_case(c, node->case_expr);
    case PG_QUERY__NODE__NODE_COALESCE_EXPR:
        return compile_several(c, ESSE_EXPR_COALESCE, "COALESCE", node->coalesce_expr->location,
                               node->coalesce_expr->args, node->coalesce_expr->n_args);
    case PG_QUERY__NODE__NODE_MIN_MAX_EXPR:
        return node->min_max_expr->op == PG_QUERY__MIN_MAX_OP__IS_GREATEST
                   ? compile_several(c, ESSE_EXPR_GREATEST, "GREATEST",
                                     node->min_max_expr->location, node->min_max_expr->args,
                                     node->min_max_expr->n_args)
                   : compile_several(c, ESSE_EXPR_LEAST, "LEAST", node->min_max_expr->location,
                                     node->min_max_expr->args, node->min_max_expr->n_args);
    case PG_QUERY__NODE__NODE_SUB_LINK:
        return sql_compile_sublink(c, node->sub_link);
    case PG_QUERY__NODE__NODE_FUNC_CALL:
        return sql_compile_call(c, node->func_call);
    case PG_QUERY__NODE__NODE_SQLVALUE_FUNCTION:
        return compile_value_function(c, node->sqlvalue_function);
    case PG_QUERY__NODE__NODE_COLLATE_CLAUSE:
        return compile_collate(c, node->collate_clause);
    case PG_QUERY__NODE__NODE_ROW_EXPR:
        return sql_unsupported(c, node->row_expr->location,
                               "a row of values is only supported in comparisons");
    case PG_QUERY__NODE__NODE_A_ARRAY_EXPR:
        return sql_unsupported(c, node->a_array_expr->location, "arrays are not supported");
    case PG_QUERY__NODE__NODE_A_INDIRECTION:
        return sql_unsupported(c, -1, "subscripts and fields are not supported");
    case PG_QUERY__NODE__NODE_SET_TO_DEFAULT:
        return sql_error(c, node->set_to_default->location, "42601",
                         "DEFAULT is not allowed in this context");
    default:
        return sql_unsupported(c, -1, "an expression of this kind is not supported");
    }
}

struct esse_expr *sql_compile_expr(struct sql_compile *c, const PgQuery__Node *node)
{
    if (c->depth == MOST_LEVELS)
        return sql_unsupported(c, -1, "more than %d levels of nesting are not supported",
                               MOST_LEVELS);
    c->depth++;
    struct esse_expr *expr = compile_node(c, node);
    c->depth--;
    return expr;
}
