#include "sql/sql_parsing.h"

#include <pg_query.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/*
 * From PostgreSQL's parse tree to expressions.
 *
 * libpg_query walks its tree recursively without a limit of its own, and 8 MB of stack overflow at
 * 4,500 chained operators, 1,500 sub-selects or 6,000 NOTs.  The limits below keep any mixture of
 * these under 8 MB; docs/design/sql.md has the measurements.
 */
enum { MOST_BYTES = 12 << 10, MOST_OPERATORS = 1000, MOST_BRACKETS = 700, MOST_LEVELS = 500 };

void *sql_refuse(struct sql_parsing *p, uint32_t at, const char *format, ...)
{
    char message[256];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    sql_fail(p->predicates, p->text, at, message, p->err);
    return NULL;
}

uint32_t sql_place(const struct sql_parsing *p, int32_t location)
{
    return location >= p->before ? (uint32_t)(location - p->before) + 1 : 0;
}

static struct sql_expr *new_expr(struct sql_parsing *p, enum sql_expr_kind kind, uint32_t at,
                                 uint32_t count)
{
    struct sql_expr *expr = esse_arena_alloc(p->arena, 1, sizeof *expr);
    expr->kind = kind;
    expr->at = at;
    expr->count = count;
    expr->args = esse_arena_alloc(p->arena, count, sizeof *expr->args);
    return expr;
}

static const struct sql_expr *negate_if(struct sql_parsing *p, bool negated,
                                        const struct sql_expr *expr)
{
    if (!negated)
        return expr;
    struct sql_expr *opposite = new_expr(p, SQL_NOT, expr->at, 1);
    opposite->args[0] = expr;
    return opposite;
}

static const struct sql_expr *new_binary(struct sql_parsing *p, const struct sql_expr *form,
                                         const struct sql_expr *a, const struct sql_expr *b)
{
    struct sql_expr *expr = new_expr(p, form->kind, form->at, 2);
    expr->is = form->is;
    expr->args[0] = a;
    expr->args[1] = b;
    return expr;
}

const struct sql_expr *sql_both(struct sql_parsing *p, const struct sql_expr *a,
                                const struct sql_expr *b)
{
    const struct sql_expr form = { .kind = SQL_AND };
    return !a ? b : !b ? a : new_binary(p, &form, a, b);
}

static const struct sql_expr *new_constant(struct sql_parsing *p, uint32_t at,
                                           struct sql_datum datum)
{
    struct sql_expr *expr = new_expr(p, SQL_CONSTANT, at, 0);
    struct sql_datum *constant = esse_arena_alloc(p->arena, 1, sizeof *constant);
    *constant = datum;
    expr->is.constant = constant;
    return expr;
}

const char *sql_last_name(PgQuery__Node **names, size_t count)
{
    if (!count || names[count - 1]->node_case != PG_QUERY__NODE__NODE_STRING)
        return "";
    return names[count - 1]->string->sval;
}

/* ---- leaves ---- */

static struct sql_datum literal(struct sql_parsing *p, const char *text)
{
    struct sql_datum datum = { .type = SQL_LITERAL };
    datum.is.text.length = strlen(text);
    datum.is.text.at = esse_arena_text(p->arena, text, datum.is.text.length);
    return datum;
}

static const struct sql_expr *parse_constant(struct sql_parsing *p, const PgQuery__AConst *node)
{
    const uint32_t at = sql_place(p, node->location);
    struct sql_datum datum = { .type = SQL_NULL };
    sql_why why;
    const char *problem = NULL;
    if (node->isnull)
        return new_constant(p, at, datum);
    switch (node->val_case) {
    case PG_QUERY__A__CONST__VAL_IVAL:
        datum = sql_datum_integer(node->ival->ival);
        break;
    case PG_QUERY__A__CONST__VAL_FVAL:
        problem = sql_datum_number(node->fval->fval, strlen(node->fval->fval), &datum, why);
        break;
    case PG_QUERY__A__CONST__VAL_BOOLVAL:
        datum = sql_datum_boolean(node->boolval->boolval);
        break;
    case PG_QUERY__A__CONST__VAL_SVAL:
        datum = literal(p, node->sval->sval);
        break;
    default:
        problem = "a bit string is not supported";
        break;
    }
    return problem ? sql_refuse(p, at, "%s", problem) : new_constant(p, at, datum);
}

/* Which table a column is of.  Without a SELECT there are no names for tables. */
static bool find_table(struct sql_parsing *p, const PgQuery__ColumnRef *node, const char *name,
                       unsigned *table)
{
    const uint32_t at = sql_place(p, node->location);
    *table = 0;
    if (node->n_fields == 1)
        return p->tables < 2 ||
               sql_refuse(p, at, "the column '%s' needs the name of its table: this is a join",
                          name);
    const char *of = node->fields[0]->string->sval;
    if (node->n_fields > 2 || !p->tables)
        return sql_refuse(p, at, "a table's name before the column '%s' is not supported", name);
    for (; *table < p->tables; ++*table)
        if (strcmp(p->table_names[*table], of) == 0)
            return true;
    return sql_refuse(p, at, "there is no table '%s' in FROM", of);
}

static const struct sql_expr *parse_column(struct sql_parsing *p, const PgQuery__ColumnRef *node)
{
    const uint32_t at = sql_place(p, node->location);
    const char *name = sql_last_name(node->fields, node->n_fields);
    struct esse_column column;
    unsigned table;
    if (!*name)
        return sql_refuse(p, at, "* is not supported, expected the name of a column");
    if (!find_table(p, node, name, &table))
        return NULL;
    if (!sql_find_column(p->predicates, name, &column))
        return sql_refuse(
            p, at, "there is no column '%s': the header does not name it and no row has it", name);
    struct sql_expr *expr = new_expr(p, SQL_COLUMN, at, 0);
    expr->is.column = column;
    expr->table = table;
    return expr;
}

/* ---- operators ---- */

static const struct sql_expr *parse_operator(struct sql_parsing *p, const PgQuery__AExpr *node)
{
    static const struct {
        const char *name;
        unsigned accepts;
    } comparisons[] = { { "=", SQL_EQUAL }, { "<>", SQL_BELOW | SQL_ABOVE },
                        { "<", SQL_BELOW }, { "<=", SQL_BELOW | SQL_EQUAL },
                        { ">", SQL_ABOVE }, { ">=", SQL_ABOVE | SQL_EQUAL } };
    struct sql_expr form = { .kind = SQL_COMPARE, .at = sql_place(p, node->location) };
    const char *name = sql_last_name(node->name, node->n_name);
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
        if (strcmp(name, comparisons[i].name) == 0)
            form.is.accepts = comparisons[i].accepts;
    if (node->n_name == 1 && strlen(name) == 1 && strchr("+-*/%", *name)) {
        form.kind = SQL_CALCULATE;
        form.is.op = *name;
    } else if (node->n_name != 1 || !form.is.accepts) {
        return sql_refuse(
            p, form.at,
            "the operator %s is not supported, expected one of = <> < <= > >= + - * / %%", name);
    }
    /* A sign is a calculation with 0: the parser has made numbers of those before digits. */
    const struct sql_expr *a = node->lexpr ? sql_parse_expr(p, node->lexpr)
                                           : new_constant(p, form.at, sql_datum_integer(0));
    const struct sql_expr *b = a ? sql_parse_expr(p, node->rexpr) : NULL;
    return b ? new_binary(p, &form, a, b) : NULL;
}

/* Parses nodes into args[from ..] of an expression. */
static bool parse_all(struct sql_parsing *p, struct sql_expr *expr, uint32_t from,
                      PgQuery__Node *const *nodes)
{
    for (uint32_t i = from; i < expr->count; i++) {
        expr->args[i] = sql_parse_expr(p, nodes[i - from]);
        if (!expr->args[i])
            return false;
    }
    return true;
}

static const struct sql_expr *parse_in(struct sql_parsing *p, const PgQuery__AExpr *node)
{
    const PgQuery__List *list = node->rexpr->list;
    struct sql_expr *in =
        new_expr(p, SQL_IN, sql_place(p, node->location), (uint32_t)list->n_items + 1);
    in->args[0] = sql_parse_expr(p, node->lexpr);
    if (!in->args[0] || !parse_all(p, in, 1, list->items))
        return NULL;
    return negate_if(p, strcmp(sql_last_name(node->name, node->n_name), "<>") == 0, in);
}

static const struct sql_expr *parse_between(struct sql_parsing *p, const PgQuery__AExpr *node)
{
    const struct sql_expr least = { .kind = SQL_COMPARE,
                                    .at = sql_place(p, node->location),
                                    .is.accepts = SQL_ABOVE | SQL_EQUAL };
    struct sql_expr most = least;
    const struct sql_expr both = { .kind = SQL_AND, .at = least.at };
    const struct sql_expr *value = sql_parse_expr(p, node->lexpr);
    const struct sql_expr *low = value ? sql_parse_expr(p, node->rexpr->list->items[0]) : NULL;
    const struct sql_expr *high = low ? sql_parse_expr(p, node->rexpr->list->items[1]) : NULL;
    if (!high)
        return NULL;
    most.is.accepts = SQL_BELOW | SQL_EQUAL;
    const struct sql_expr *expr =
        new_binary(p, &both, new_binary(p, &least, value, low), new_binary(p, &most, value, high));
    return negate_if(p, node->kind == PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN, expr);
}

/* 'x LIKE p ESCAPE e' arrives as x ~~ like_escape(p, e). */
static const struct sql_expr *parse_like(struct sql_parsing *p, const PgQuery__AExpr *node)
{
    const uint32_t at = sql_place(p, node->location);
    const PgQuery__Node *pattern = node->rexpr;
    struct sql_expr *like = new_expr(p, SQL_LIKE, at, 3);
    like->args[2] = new_constant(p, at, literal(p, "\\"));
    if (pattern->node_case == PG_QUERY__NODE__NODE_FUNC_CALL && pattern->func_call->n_args == 2 &&
        strcmp(sql_last_name(pattern->func_call->funcname, pattern->func_call->n_funcname),
               "like_escape") == 0) {
        like->args[2] = sql_parse_expr(p, pattern->func_call->args[1]);
        pattern = pattern->func_call->args[0];
    }
    like->args[0] = sql_parse_expr(p, node->lexpr);
    like->args[1] = like->args[0] ? sql_parse_expr(p, pattern) : NULL;
    if (!like->args[1] || !like->args[2])
        return NULL;
    return negate_if(p, *sql_last_name(node->name, node->n_name) == '!', like);
}

static const struct sql_expr *parse_expression(struct sql_parsing *p, const PgQuery__AExpr *node)
{
    static const char *const refused[] = {
        [PG_QUERY__A__EXPR__KIND__AEXPR_OP_ANY] = "ANY",
        [PG_QUERY__A__EXPR__KIND__AEXPR_OP_ALL] = "ALL",
        [PG_QUERY__A__EXPR__KIND__AEXPR_DISTINCT] = "IS DISTINCT FROM",
        [PG_QUERY__A__EXPR__KIND__AEXPR_NOT_DISTINCT] = "IS NOT DISTINCT FROM",
        [PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF] = "NULLIF",
        [PG_QUERY__A__EXPR__KIND__AEXPR_ILIKE] = "ILIKE",
        [PG_QUERY__A__EXPR__KIND__AEXPR_SIMILAR] = "SIMILAR TO",
        [PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN_SYM] = "BETWEEN SYMMETRIC",
        [PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN_SYM] = "NOT BETWEEN SYMMETRIC",
    };
    switch (node->kind) {
    case PG_QUERY__A__EXPR__KIND__AEXPR_OP:
        return parse_operator(p, node);
    case PG_QUERY__A__EXPR__KIND__AEXPR_IN:
        return parse_in(p, node);
    case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN:
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN:
        return parse_between(p, node);
    case PG_QUERY__A__EXPR__KIND__AEXPR_LIKE:
        return parse_like(p, node);
    default:
        return sql_refuse(p, sql_place(p, node->location), "%s is not supported",
                          refused[node->kind]);
    }
}

/* ---- logic, tests, casts ---- */

static const struct sql_expr *parse_logic(struct sql_parsing *p, const PgQuery__BoolExpr *node)
{
    const enum sql_expr_kind kind = node->boolop == PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR  ? SQL_AND
                                    : node->boolop == PG_QUERY__BOOL_EXPR_TYPE__OR_EXPR ? SQL_OR
                                                                                        : SQL_NOT;
    struct sql_expr *expr = new_expr(p, kind, sql_place(p, node->location), (uint32_t)node->n_args);
    return parse_all(p, expr, 0, node->args) ? expr : NULL;
}

static const struct sql_expr *parse_null_test(struct sql_parsing *p, const PgQuery__NullTest *node)
{
    struct sql_expr *expr = new_expr(p, SQL_IS_NULL, sql_place(p, node->location), 1);
    if (!parse_all(p, expr, 0, &node->arg))
        return NULL;
    return negate_if(p, node->nulltesttype != PG_QUERY__NULL_TEST_TYPE__IS_NULL, expr);
}

static const struct sql_expr *parse_truth_test(struct sql_parsing *p,
                                               const PgQuery__BooleanTest *node)
{
    static const struct {
        enum esse_truth truth;
        bool negated;
    } tests[] = {
        [PG_QUERY__BOOL_TEST_TYPE__IS_TRUE] = { ESSE_TRUTH_TRUE, false },
        [PG_QUERY__BOOL_TEST_TYPE__IS_NOT_TRUE] = { ESSE_TRUTH_TRUE, true },
        [PG_QUERY__BOOL_TEST_TYPE__IS_FALSE] = { ESSE_TRUTH_FALSE, false },
        [PG_QUERY__BOOL_TEST_TYPE__IS_NOT_FALSE] = { ESSE_TRUTH_FALSE, true },
        [PG_QUERY__BOOL_TEST_TYPE__IS_UNKNOWN] = { ESSE_TRUTH_UNKNOWN, false },
        [PG_QUERY__BOOL_TEST_TYPE__IS_NOT_UNKNOWN] = { ESSE_TRUTH_UNKNOWN, true },
    };
    struct sql_expr *expr = new_expr(p, SQL_IS_TRUTH, sql_place(p, node->location), 1);
    expr->is.truth = tests[node->booltesttype].truth;
    if (!parse_all(p, expr, 0, &node->arg))
        return NULL;
    return negate_if(p, tests[node->booltesttype].negated, expr);
}

static const struct sql_expr *parse_cast(struct sql_parsing *p, const PgQuery__TypeCast *node)
{
    static const struct {
        const char *name;
        enum sql_cast to;
    } casts[] = { { "int2", SQL_TO_INT2 },          { "int4", SQL_TO_INT4 },
                  { "int8", SQL_TO_INT8 },          { "text", SQL_TO_TEXT },
                  { "date", SQL_TO_DATE },          { "varchar", SQL_TO_TEXT },
                  { "timestamp", SQL_TO_TIMESTAMP } };
    const PgQuery__TypeName *type = node->type_name;
    const char *name = sql_last_name(type->names, type->n_names);
    const uint32_t at = sql_place(p, type->location);
    if (type->n_typmods)
        return sql_refuse(p, at, "a length or precision of the type %s is not supported", name);
    for (size_t i = 0; i < sizeof casts / sizeof *casts; i++) {
        if (strcmp(name, casts[i].name) != 0 || type->n_array_bounds)
            continue;
        struct sql_expr *expr = new_expr(p, SQL_CAST, at, 1);
        expr->is.cast.to = casts[i].to;
        expr->is.cast.room = esse_arena_alloc(p->arena, SQL_CAST_TEXT, 1);
        return parse_all(p, expr, 0, &node->arg) ? expr : NULL;
    }
    return sql_refuse(p, at,
                      "the type %s%s is not supported, expected smallint, integer, bigint, text, "
                      "varchar, date or timestamp",
                      name, type->n_array_bounds ? "[]" : "");
}

static const struct sql_expr *parse_collate(struct sql_parsing *p,
                                            const PgQuery__CollateClause *node)
{
    const char *name = sql_last_name(node->collname, node->n_collname);
    if (strcmp(name, "C") != 0)
        return sql_refuse(p, sql_place(p, node->location),
                          "COLLATE \"%s\" is not supported, expected \"C\"", name);
    return sql_parse_expr(p, node->arg);
}

/* ---- the rest is refused by name ---- */

static const struct sql_expr *refuse_at(struct sql_parsing *p, int32_t location, const char *what)
{
    return sql_refuse(p, sql_place(p, location), "%s not supported", what);
}

static const struct sql_expr *refuse_node(struct sql_parsing *p, const PgQuery__Node *node)
{
    switch (node->node_case) {
    case PG_QUERY__NODE__NODE_FUNC_CALL:
        return sql_refuse(p, sql_place(p, node->func_call->location),
                          "the %sfunction %s() is not supported",
                          node->func_call->over ? "window " : "",
                          sql_last_name(node->func_call->funcname, node->func_call->n_funcname));
    case PG_QUERY__NODE__NODE_PARAM_REF:
        return sql_refuse(p, sql_place(p, node->param_ref->location),
                          "the parameter $%d is not supported", node->param_ref->number);
    case PG_QUERY__NODE__NODE_SUB_LINK:
        return refuse_at(p, node->sub_link->location, "a sub-select is");
    case PG_QUERY__NODE__NODE_CASE_EXPR:
        return refuse_at(p, node->case_expr->location, "CASE is");
    case PG_QUERY__NODE__NODE_COALESCE_EXPR:
        return refuse_at(p, node->coalesce_expr->location, "COALESCE is");
    case PG_QUERY__NODE__NODE_MIN_MAX_EXPR:
        return refuse_at(p, node->min_max_expr->location, "GREATEST and LEAST are");
    case PG_QUERY__NODE__NODE_ROW_EXPR:
        return refuse_at(p, node->row_expr->location, "a row of values is");
    case PG_QUERY__NODE__NODE_A_ARRAY_EXPR:
        return refuse_at(p, node->a_array_expr->location, "an array is");
    case PG_QUERY__NODE__NODE_SQLVALUE_FUNCTION:
        return refuse_at(p, node->sqlvalue_function->location,
                         "CURRENT_DATE, CURRENT_USER and their like are");
    case PG_QUERY__NODE__NODE_A_INDIRECTION:
        return refuse_at(p, -1, "a subscript or a field of a value is");
    default:
        return refuse_at(p, -1,
                         "expected comparisons, LIKE, IN, BETWEEN, IS, AND, OR, NOT and "
                         "arithmetic only; something else in it is");
    }
}

static const struct sql_expr *parse_node(struct sql_parsing *p, const PgQuery__Node *node)
{
    switch (node->node_case) {
    case PG_QUERY__NODE__NODE_A_CONST:
        return parse_constant(p, node->a_const);
    case PG_QUERY__NODE__NODE_COLUMN_REF:
        return parse_column(p, node->column_ref);
    case PG_QUERY__NODE__NODE_A_EXPR:
        return parse_expression(p, node->a_expr);
    case PG_QUERY__NODE__NODE_BOOL_EXPR:
        return parse_logic(p, node->bool_expr);
    case PG_QUERY__NODE__NODE_NULL_TEST:
        return parse_null_test(p, node->null_test);
    case PG_QUERY__NODE__NODE_BOOLEAN_TEST:
        return parse_truth_test(p, node->boolean_test);
    case PG_QUERY__NODE__NODE_TYPE_CAST:
        return parse_cast(p, node->type_cast);
    case PG_QUERY__NODE__NODE_COLLATE_CLAUSE:
        return parse_collate(p, node->collate_clause);
    default:
        return refuse_node(p, node);
    }
}

const struct sql_expr *sql_parse_expr(struct sql_parsing *p, const PgQuery__Node *node)
{
    if (p->depth == MOST_LEVELS)
        return sql_refuse(p, 0, "expected at most %d levels of nesting", MOST_LEVELS);
    p->depth++;
    const struct sql_expr *expr = parse_node(p, node);
    p->depth--;
    return expr;
}

/* ---- the statement around it ---- */

static const struct sql_select *parse_statement(struct sql_parsing *p, bool is_whole)
{
    const struct sql_select *select = NULL;
    PgQueryProtobufParseResult result = pg_query_parse_protobuf(p->statement);
    if (result.error) {
        /* The cursor counts from 1, places from 0. */
        sql_refuse(p, sql_place(p, result.error->cursorpos - 1), "%s", result.error->message);
    } else {
        PgQuery__ParseResult *tree = pg_query__parse_result__unpack(
            NULL, result.parse_tree.len, (const uint8_t *)result.parse_tree.data);
        if (!tree)
            sql_refuse(p, 0, "the parser's answer is damaged");
        else
            select = is_whole ? sql_parse_select(p, tree) : sql_parse_condition(p, tree);
        if (tree)
            pg_query__parse_result__free_unpacked(tree, NULL);
    }
    pg_query_free_protobuf_parse_result(result);
    return select;
}

static const char *too_much(struct esse_span text)
{
    unsigned operators = 0, brackets = 0;
    for (size_t i = 0; i < text.length; i++) {
        operators += text.at[i] && strchr("+-*/<>=~!@#%^&|`?:", text.at[i]) != NULL;
        brackets += text.at[i] == '(' || text.at[i] == '[';
    }
    return text.length > MOST_BYTES          ? "expected at most 12 KiB of text"
           : operators > MOST_OPERATORS      ? "expected at most 1000 operators"
           : brackets > MOST_BRACKETS        ? "expected at most 700 brackets"
           : memchr(text.at, 0, text.length) ? "expected text without zero bytes"
                                             : NULL;
}

/* A condition is read as the WHERE of a SELECT without anything else. */
const struct sql_select *sql_parse(struct esse_predicates *predicates, esse_value text,
                                   struct esse_error *err)
{
    static const char before[] = "SELECT WHERE ";
    struct sql_parsing p = {
        .predicates = predicates, .arena = sql_arena(predicates), .text = text, .err = err
    };
    char room[8];
    const struct esse_values *values = sql_history(predicates)->values;
    const struct esse_span span = esse_value_text(values, text, room);
    const bool is_whole = esse_is_statement(values, text);
    const char *problem = too_much(span);
    if (problem)
        return sql_refuse(&p, 0, "%s", problem);
    p.before = is_whole ? 0 : (int32_t)sizeof before - 1;
    p.statement =
        esse_arena_format(p.arena, "%s%.*s", is_whole ? "" : before, (int)span.length, span.at);
    return parse_statement(&p, is_whole);
}
