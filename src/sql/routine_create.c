#include "sql/sql_routine.h"

#include <string.h>

/* CREATE PROCEDURE and FUNCTION, DO, CALL, and calls of functions in expressions. */

static const char *copy_of(struct sql_compile *c, const char *text)
{
    return esse_arena_text(c->arena, text, strlen(text));
}

/* ---- parameters ---- */

static bool mode_of(struct sql_compile *c, const PgQuery__FunctionParameter *node,
                    enum esse_parameter_mode *mode)
{
    switch (node->mode) {
    case PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_IN:
    case PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_DEFAULT:
        *mode = ESSE_MODE_IN;
        return true;
    case PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_OUT:
        *mode = ESSE_MODE_OUT;
        return true;
    case PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_INOUT:
        *mode = ESSE_MODE_INOUT;
        return true;
    default:
        return sql_unsupported(c, -1, "RETURNS TABLE and VARIADIC are not supported");
    }
}

static bool is_named_before(const struct esse_routine *routine, const char *name)
{
    for (size_t i = 1; *name && i < routine->variables.count; i++)
        if (strcmp(routine->variables.at[i].name, name) == 0)
            return true;
    return false;
}

static bool add_parameter(struct sql_compile *c, const PgQuery__FunctionParameter *node,
                          struct esse_routine *routine, struct esse_parameter *parameter)
{
    struct esse_variable variable = { .name = copy_of(c, node->name) };
    if (!mode_of(c, node, &parameter->mode) || !sql_type_of(c, node->arg_type, &variable.type))
        return false;
    /* The lengths of parameters' types do not count. */
    variable.type.length = 0;
    variable.type.scale = 0;
    if (is_named_before(routine, variable.name))
        return sql_error(c, -1, "42P13", "parameter name \"%s\" used more than once",
                         variable.name);
    if (node->defexpr) {
        struct esse_expr *otherwise = sql_compile_expr(c, node->defexpr);
        parameter->otherwise =
            otherwise ? sql_coerce(c, otherwise, variable.type, SQL_ASSIGN) : NULL;
        if (!parameter->otherwise)
            return false;
    }
    routine->has_out |= parameter->mode != ESSE_MODE_IN;
    esse_variable_vec_push(&routine->variables, c->arena, variable);
    return true;
}

struct esse_routine *sql_new_routine(struct sql_compile *c, enum esse_routine_kind kind,
                                     const char *name)
{
    struct esse_routine *routine = esse_arena_alloc(c->arena, 1, sizeof *routine);
    routine->kind = kind;
    routine->name = name;
    routine->returns = ESSE_TYPE(VOID);
    esse_variable_vec_push(&routine->variables, c->arena,
                           (struct esse_variable){ .name = "found", .type = ESSE_TYPE(BOOL) });
    return routine;
}

static bool add_parameters(struct sql_compile *c, const PgQuery__CreateFunctionStmt *node,
                           struct esse_routine *routine)
{
    struct esse_parameter *parameters =
        esse_arena_alloc(c->arena, node->n_parameters + 1, sizeof *parameters);
    for (size_t i = 0; i < node->n_parameters; i++)
        if (!add_parameter(c, node->parameters[i]->function_parameter, routine, &parameters[i]))
            return false;
    routine->parameters = parameters;
    routine->parameter_count = (uint32_t)node->n_parameters;
    return true;
}

/* ---- bodies ---- */

static const char *string_of(const PgQuery__Node *node)
{
    if (node && node->node_case == PG_QUERY__NODE__NODE_LIST && node->list->n_items)
        node = node->list->items[0];
    return node && node->node_case == PG_QUERY__NODE__NODE_STRING ? node->string->sval : NULL;
}

static bool read_options(struct sql_compile *c, PgQuery__Node **options, size_t count,
                         const char *otherwise, const char **body)
{
    const char *language = otherwise;
    *body = NULL;
    for (size_t i = 0; i < count; i++) {
        const PgQuery__DefElem *option = options[i]->def_elem;
        if (strcmp(option->defname, "language") == 0)
            language = string_of(option->arg);
        else if (strcmp(option->defname, "as") == 0)
            *body = string_of(option->arg);
        else if (strcmp(option->defname, "set") == 0 || strcmp(option->defname, "strict") == 0)
            return sql_unsupported(c, -1, "SET and STRICT of a function are not supported");
    }
    if (!*body)
        return sql_unsupported(c, -1, "a body that is no text is not supported");
    if (!language || strcmp(language, "plpgsql") != 0)
        return sql_unsupported(c, -1, "the language %s is not supported",
                               language ? language : "that is not named");
    return true;
}

/* What is wrong with a text is said when it is created, if it is its grammar. */
bool sql_check_texts(struct sql_compile *c, const struct esse_routine *routine)
{
    for (size_t i = 0; i < routine->texts.count; i++) {
        const struct esse_embedded *text = &routine->texts.at[i];
        if (!sql_check_grammar(c, text->text)) {
            c->fault->at = text->at && c->fault->at ? text->at + c->fault->at - 1 : 0;
            return false;
        }
    }
    return true;
}

/* A function with one OUT parameter returns it. */
static bool settle_result(struct sql_compile *c, const PgQuery__CreateFunctionStmt *node,
                          struct esse_routine *routine)
{
    uint32_t outs = 0;
    struct esse_type type = ESSE_TYPE(VOID);
    for (uint32_t i = 0; i < routine->parameter_count; i++)
        if (routine->parameters[i].mode != ESSE_MODE_IN) {
            outs++;
            type = routine->variables.at[i + 1].type;
        }
    if (routine->kind == ESSE_ROUTINE_PROCEDURE)
        return true;
    if (outs > 1)
        return sql_unsupported(c, -1, "functions with several OUT parameters are not supported");
    if (!outs && !node->return_type)
        return sql_error(c, -1, "42P13", "function result type must be specified");
    if (!outs)
        return sql_type_of(c, node->return_type, &routine->returns);
    routine->returns = type;
    return true;
}

bool sql_compile_create_routine(struct sql_compile *c, const PgQuery__CreateFunctionStmt *node,
                                struct esse_statement *statement)
{
    const char *body;
    struct esse_routine *routine =
        sql_new_routine(c, node->is_procedure ? ESSE_ROUTINE_PROCEDURE : ESSE_ROUTINE_FUNCTION,
                        copy_of(c, sql_name(node->funcname, node->n_funcname)));
    statement->kind = ESSE_STATEMENT_CREATE_ROUTINE;
    statement->flag = node->replace;
    statement->name = routine->name;
    statement->made = routine;
    return read_options(c, node->options, node->n_options, NULL, &body) &&
           add_parameters(c, node, routine) && settle_result(c, node, routine) &&
           sql_read_body(c, routine, body) && sql_check_texts(c, routine);
}

bool sql_compile_do(struct sql_compile *c, const PgQuery__DoStmt *node,
                    struct esse_statement *statement)
{
    const char *body;
    struct esse_routine *routine = sql_new_routine(c, ESSE_ROUTINE_BLOCK, NULL);
    statement->kind = ESSE_STATEMENT_CALL;
    statement->call = sql_new(c, ESSE_EXPR_CALL, ESSE_TYPE(VOID), 0, 0);
    statement->call->is.routine = routine;
    return read_options(c, node->args, node->n_args, "plpgsql", &body) &&
           sql_read_body(c, routine, body) && sql_check_texts(c, routine);
}

/* ---- calls ---- */

static struct esse_expr *no_such_routine(struct sql_compile *c, const char *name, uint32_t count,
                                         uint32_t at)
{
    return sql_error(c, (int32_t)at - 1, "42883", "%s with %u arguments does not exist", name,
                     count);
}

/* Which parameters arguments are given for: in a procedure's CALL all, in a function's those that
 * are not only OUT. */
static bool is_given(const struct esse_routine *routine, uint32_t parameter)
{
    return routine->kind == ESSE_ROUTINE_PROCEDURE ||
           routine->parameters[parameter].mode != ESSE_MODE_OUT;
}

struct esse_expr *sql_call_routine(struct sql_compile *c, const struct esse_routine *routine,
                                   struct esse_expr **args, uint32_t count, uint32_t at)
{
    struct esse_expr *call =
        sql_new(c, ESSE_EXPR_CALL, routine->returns, at, routine->parameter_count);
    uint32_t given = 0;
    call->is.routine = routine;
    c->calls_routines = true;
    for (uint32_t i = 0; i < routine->parameter_count; i++) {
        const struct esse_type type = routine->variables.at[i + 1].type;
        call->args[i] = sql_new_constant(c, type, at, esse_datum_null());
        if (!is_given(routine, i))
            continue;
        if (given < count) {
            if (!sql_can_coerce(c, args[given]->type, type, SQL_IMPLICIT))
                return no_such_routine(c, routine->name, count, at);
            call->args[i] = sql_coerce(c, args[given++], type, SQL_IMPLICIT);
            if (!call->args[i])
                return NULL;
        } else if (routine->parameters[i].otherwise) {
            call->args[i] = (struct esse_expr *)routine->parameters[i].otherwise;
        } else {
            return no_such_routine(c, routine->name, count, at);
        }
    }
    return given == count ? call : no_such_routine(c, routine->name, count, at);
}

bool sql_compile_call_statement(struct sql_compile *c, const PgQuery__CallStmt *node,
                                struct esse_statement *statement)
{
    const PgQuery__FuncCall *func = node->funccall;
    const char *name = sql_name(func->funcname, func->n_funcname);
    const struct esse_routine *routine = esse_schema_routine(c->schema, name);
    const uint32_t at = sql_at(func->location);
    struct esse_expr **args = esse_arena_alloc(c->arena, func->n_args + 1, sizeof *args);
    statement->kind = ESSE_STATEMENT_CALL;
    if (!routine)
        return no_such_routine(c, name, (uint32_t)func->n_args, at);
    if (routine->kind != ESSE_ROUTINE_PROCEDURE)
        return sql_error(c, func->location, "42809", "%s is not a procedure", name);
    for (size_t i = 0; i < func->n_args; i++) {
        if (func->args[i]->node_case == PG_QUERY__NODE__NODE_NAMED_ARG_EXPR)
            return sql_unsupported(c, func->location, "named arguments are not supported");
        if (func->args[i]->node_case == PG_QUERY__NODE__NODE_SUB_LINK)
            return sql_error(c, func->location, "0A000", "cannot use subquery in CALL argument");
        args[i] = sql_compile_expr(c, func->args[i]);
        if (!args[i])
            return false;
    }
    statement->call = sql_call_routine(c, routine, args, (uint32_t)func->n_args, at);
    return statement->call != NULL;
}
