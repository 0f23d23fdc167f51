#include "sql/routine.h"
#include "sql/sql_compile.h"

#include <string.h>

/* ---- aggregates ---- */

static const struct {
    const char *name;
    enum esse_aggregate_kind kind;
} aggregate_names[] = { { "count", ESSE_AGG_COUNT }, { "sum", ESSE_AGG_SUM },
                        { "avg", ESSE_AGG_AVG },     { "min", ESSE_AGG_MIN },
                        { "max", ESSE_AGG_MAX },     { "bool_and", ESSE_AGG_EVERY },
                        { "every", ESSE_AGG_EVERY }, { "bool_or", ESSE_AGG_SOME } };

static bool aggregate_type(struct sql_compile *c, enum esse_aggregate_kind kind, uint32_t at,
                           struct esse_expr **of, struct esse_type *type)
{
    const bool is_sum = kind == ESSE_AGG_SUM || kind == ESSE_AGG_AVG;
    if (kind == ESSE_AGG_COUNT) {
        *type = ESSE_TYPE(BIGINT);
        return true;
    }
    if ((*of)->type.base == ESSE_TYPE_UNKNOWN && is_sum && !c->is_mysql)
        return sql_error(c, (int32_t)at - 1, "42725", "the function is not unique");
    if ((*of)->type.base == ESSE_TYPE_UNKNOWN)
        *of = sql_coerce(c, *of, is_sum ? ESSE_TYPE(FLOAT8) : ESSE_TYPE(TEXT), SQL_EXPLICIT);
    else if (c->is_mysql && is_sum && !esse_type_is_number((*of)->type))
        *of = sql_coerce(c, *of,
                         (*of)->type.base == ESSE_TYPE_BOOL ? ESSE_TYPE(INT) : ESSE_TYPE(FLOAT8),
                         SQL_EXPLICIT);
    if (!*of)
        return false;
    *type = (*of)->type;
    if (kind == ESSE_AGG_EVERY || kind == ESSE_AGG_SOME) {
        *of = sql_as_bool(c, *of, "bool_and");
        *type = ESSE_TYPE(BOOL);
        return *of != NULL;
    }
    if (!is_sum)
        return type->base != ESSE_TYPE_BOOL || c->is_mysql ||
               sql_error(c, (int32_t)at - 1, "42883", "function min(boolean) does not exist");
    if (!esse_type_is_number(*type))
        return sql_error(c, (int32_t)at - 1, "42883", "function sum(%s) does not exist",
                         esse_type_show(c->arena, *type));
    if (kind == ESSE_AGG_AVG || c->is_mysql)
        *type = esse_type_is_real(*type) ? ESSE_TYPE(FLOAT8)
                : c->is_mysql
                    ? sql_mysql_decimal(sql_mysql_scale(*type)) /* an average is refused */
                    : ESSE_TYPE(NUMERIC);
    else if (type->base == ESSE_TYPE_SMALLINT || type->base == ESSE_TYPE_INT)
        *type = ESSE_TYPE(BIGINT);
    else if (type->base == ESSE_TYPE_BIGINT || type->base == ESSE_TYPE_NUMERIC)
        *type = ESSE_TYPE(NUMERIC);
    return true;
}

struct own {
    bool has_own, has_outer;
};

static bool look_for_own(void *context, struct esse_expr *expr, uint32_t depth)
{
    struct own *own = context;
    if (expr->kind == ESSE_EXPR_COLUMN) {
        own->has_own |= expr->is.column.depth == depth;
        own->has_outer |= expr->is.column.depth > depth;
    }
    return true;
}

static struct esse_expr *compile_aggregate(struct sql_compile *c, enum esse_aggregate_kind kind,
                                           const PgQuery__FuncCall *node)
{
    struct sql_scope *scope = c->scope;
    struct esse_aggregate aggregate = { .kind = kind, .is_distinct = node->agg_distinct };
    const uint32_t at = sql_at(node->location);
    if (!scope || scope->no_aggregates)
        return sql_error(c, node->location, "42803", "aggregate functions are not allowed in %s",
                         scope ? scope->no_aggregates : "this expression");
    if (scope->in_aggregate)
        return sql_error(c, node->location, "42803", "aggregate function calls cannot be nested");
    if (c->is_mysql && kind == ESSE_AGG_AVG)
        return sql_unsupported(c, node->location, "AVG is not supported");
    if (node->n_agg_order || node->agg_within_group || node->func_variadic)
        return sql_unsupported(c, node->location, "ORDER BY in aggregates is not supported");
    scope->in_aggregate = true;
    struct esse_expr *of = NULL, *filter = NULL;
    if (node->agg_star) {
        aggregate.kind = ESSE_AGG_COUNT_ROWS;
        aggregate.type = ESSE_TYPE(BIGINT);
    } else if (node->n_args == 1) {
        of = sql_compile_expr(c, node->args[0]);
    } else {
        sql_error(c, node->location, "42883", "an aggregate takes one argument");
    }
    if (node->agg_filter) {
        filter = sql_compile_expr(c, node->agg_filter);
        filter = filter ? sql_as_bool(c, filter, "FILTER") : NULL;
    }
    scope->in_aggregate = false;
    if (of && !sql_refuse_quotient(c, of))
        return NULL;
    if (c->fault->kind != ESSE_FAULT_NONE ||
        (of && !aggregate_type(c, kind, at, &of, &aggregate.type)))
        return NULL;
    struct own own = { false, false };
    sql_walk(of, 0, look_for_own, &own);
    sql_walk(filter, 0, look_for_own, &own);
    if (own.has_outer && !own.has_own)
        return sql_unsupported(c, node->location, "aggregates of an outer query are not supported");
    aggregate.of = of;
    aggregate.filter = filter;
    struct esse_expr *expr = sql_new(c, ESSE_EXPR_AGGREGATE, aggregate.type, at, 0);
    expr->is.number = (uint32_t)scope->aggregates.count;
    sql_aggregate_vec_push(&scope->aggregates, c->arena, aggregate);
    return expr;
}

/* ---- functions ---- */

/* What a function's arguments are made into. */
enum signature {
    NUMBERS,     /* one number: the result is of its type, of integers too */
    FRACTION,    /* one number: of integers it is a double precision */
    ROUNDING,    /* the same, or a numeric and how many digits */
    REMAINDER,   /* two whole or decimal numbers */
    TEXT_TO_INT, /* texts, the result is an integer */
    TEXTS,       /* texts, the result is a text */
    TEXT_INTS,   /* a text, then integers */
    TEXT_INT_TEXT,
    ANYTHING, /* as texts; NULLs are left out */
};

static const struct {
    const char *name;
    enum esse_function function;
    uint32_t least, most;
    enum signature signature;
} functions[] = {
    { "abs", ESSE_FN_ABS, 1, 1, NUMBERS },
    { "mod", ESSE_FN_MOD, 2, 2, REMAINDER },
    { "round", ESSE_FN_ROUND, 1, 2, ROUNDING },
    { "trunc", ESSE_FN_TRUNC, 1, 2, ROUNDING },
    { "truncate", ESSE_FN_TRUNC, 2, 2, ROUNDING },
    { "ceil", ESSE_FN_CEIL, 1, 1, FRACTION },
    { "ceiling", ESSE_FN_CEIL, 1, 1, FRACTION },
    { "floor", ESSE_FN_FLOOR, 1, 1, FRACTION },
    { "sign", ESSE_FN_SIGN, 1, 1, FRACTION },
    { "length", ESSE_FN_LENGTH, 1, 1, TEXT_TO_INT },
    { "char_length", ESSE_FN_LENGTH, 1, 1, TEXT_TO_INT },
    { "character_length", ESSE_FN_LENGTH, 1, 1, TEXT_TO_INT },
    { "octet_length", ESSE_FN_OCTET_LENGTH, 1, 1, TEXT_TO_INT },
    { "upper", ESSE_FN_UPPER, 1, 1, TEXTS },
    { "lower", ESSE_FN_LOWER, 1, 1, TEXTS },
    { "substring", ESSE_FN_SUBSTRING, 2, 3, TEXT_INTS },
    { "substr", ESSE_FN_SUBSTRING, 2, 3, TEXT_INTS },
    { "btrim", ESSE_FN_TRIM, 1, 2, TEXTS },
    { "ltrim", ESSE_FN_LTRIM, 1, 2, TEXTS },
    { "rtrim", ESSE_FN_RTRIM, 1, 2, TEXTS },
    { "replace", ESSE_FN_REPLACE, 3, 3, TEXTS },
    { "concat", ESSE_FN_CONCAT, 1, 100, ANYTHING },
    { "position", ESSE_FN_POSITION, 2, 2, TEXT_TO_INT },
    { "strpos", ESSE_FN_POSITION, 2, 2, TEXT_TO_INT },
    { "instr", ESSE_FN_POSITION, 2, 2, TEXT_TO_INT },
    { "left", ESSE_FN_LEFT, 2, 2, TEXT_INTS },
    { "right", ESSE_FN_RIGHT, 2, 2, TEXT_INTS },
    { "repeat", ESSE_FN_REPEAT, 2, 2, TEXT_INTS },
    { "lpad", ESSE_FN_LPAD, 2, 3, TEXT_INT_TEXT },
    { "rpad", ESSE_FN_RPAD, 2, 3, TEXT_INT_TEXT },
    { "reverse", ESSE_FN_REVERSE, 1, 1, TEXTS },
};

static bool no_function(struct sql_compile *c, const char *name, uint32_t at,
                        const struct esse_expr *arg)
{
    sql_error(c, (int32_t)at - 1, "42883", "function %s(%s) does not exist", name,
              arg ? esse_type_show(c->arena, arg->type) : "");
    return false;
}

static bool text_arg(struct sql_compile *c, const char *name, uint32_t at, struct esse_expr **arg)
{
    if (!c->is_mysql && !esse_type_is_text((*arg)->type) && (*arg)->type.base != ESSE_TYPE_UNKNOWN)
        return no_function(c, name, at, *arg);
    *arg = sql_as_text(c, *arg);
    return *arg != NULL;
}

static bool int_arg(struct sql_compile *c, const char *name, uint32_t at, struct esse_expr **arg)
{
    if (!c->is_mysql && (*arg)->type.base != ESSE_TYPE_INT &&
        (*arg)->type.base != ESSE_TYPE_SMALLINT && (*arg)->type.base != ESSE_TYPE_UNKNOWN)
        return no_function(c, name, at, *arg);
    *arg = sql_coerce(c, *arg, c->is_mysql ? ESSE_TYPE(BIGINT) : ESSE_TYPE(INT), SQL_EXPLICIT);
    return *arg != NULL;
}

static bool number_arg(struct sql_compile *c, const char *name, uint32_t at, struct esse_expr **arg)
{
    if ((*arg)->type.base == ESSE_TYPE_UNKNOWN ||
        (c->is_mysql && !esse_type_is_number((*arg)->type)))
        *arg = sql_coerce(c, *arg, ESSE_TYPE(FLOAT8), SQL_EXPLICIT);
    return *arg && (esse_type_is_number((*arg)->type) || no_function(c, name, at, *arg));
}

static struct esse_type bare(struct esse_type type)
{
    type.length = 0;
    type.scale = 0;
    return type;
}

static bool rounding_args(struct sql_compile *c, struct esse_expr *call, const char *name)
{
    struct esse_expr **args = call->args;
    if (args[0]->type.base == ESSE_TYPE_UNKNOWN && call->count == 2)
        args[0] = sql_coerce(c, args[0], ESSE_TYPE(NUMERIC), SQL_EXPLICIT);
    if (args[0] && args[0]->type.base == ESSE_TYPE_UNKNOWN && !c->is_mysql &&
        call->is.function == ESSE_FN_TRUNC)
        return sql_error(c, (int32_t)call->at - 1, "42725",
                         "function trunc(unknown) is not unique");
    if (!args[0] || !number_arg(c, name, call->at, &args[0]))
        return false;
    if (c->is_mysql && esse_type_is_int(args[0]->type)) {
        args[0] = sql_coerce(c, args[0], ESSE_TYPE(NUMERIC), SQL_EXPLICIT);
    } else if (call->count == 2) {
        if (esse_type_is_real(args[0]->type))
            return c->is_mysql ? sql_unsupported(c, (int32_t)call->at - 1,
                                                 "round() of floating point to digits is not "
                                                 "supported") != NULL
                               : no_function(c, name, call->at, args[0]);
        args[0] = sql_coerce(c, args[0], ESSE_TYPE(NUMERIC), SQL_EXPLICIT);
    } else if (esse_type_is_int(args[0]->type)) {
        args[0] = sql_coerce(c, args[0], ESSE_TYPE(FLOAT8), SQL_EXPLICIT);
    } else if (args[0]->type.base == ESSE_TYPE_FLOAT4) {
        args[0] = sql_coerce(c, args[0], ESSE_TYPE(FLOAT8), SQL_EXPLICIT);
    }
    call->type = bare(args[0]->type);
    return call->count < 2 || int_arg(c, name, call->at, &args[1]);
}

static bool fraction_arg(struct sql_compile *c, struct esse_expr *call, const char *name)
{
    struct esse_expr **args = call->args;
    if (!number_arg(c, name, call->at, &args[0]))
        return false;
    if (esse_type_is_int(args[0]->type) || args[0]->type.base == ESSE_TYPE_FLOAT4)
        args[0] =
            sql_coerce(c, args[0],
                       c->is_mysql && args[0]->type.base != ESSE_TYPE_FLOAT4 ? ESSE_TYPE(NUMERIC)
                                                                             : ESSE_TYPE(FLOAT8),
                       SQL_EXPLICIT);
    call->type = bare(args[0]->type);
    return true;
}

static bool remainder_args(struct sql_compile *c, struct esse_expr *call, const char *name)
{
    struct esse_expr **args = call->args;
    struct esse_type type;
    for (uint32_t i = 0; i < 2; i++)
        if (args[i]->type.base == ESSE_TYPE_UNKNOWN) {
            args[i] = sql_coerce(c, args[i], bare(args[1 - i]->type), SQL_EXPLICIT);
            if (!args[i])
                return false;
        }
    if (!esse_type_is_number(args[0]->type) || !esse_type_is_number(args[1]->type) ||
        esse_type_is_real(args[0]->type) || esse_type_is_real(args[1]->type))
        return no_function(c, name, call->at, args[0]);
    type = args[0]->type.base > args[1]->type.base ? args[0]->type : args[1]->type;
    call->type = bare(type);
    return true;
}

static bool settle_args(struct sql_compile *c, struct esse_expr *call, const char *name,
                        enum signature signature)
{
    switch (signature) {
    case NUMBERS:
        if (!number_arg(c, name, call->at, &call->args[0]))
            return false;
        call->type = bare(call->args[0]->type);
        return true;
    case FRACTION:
        return fraction_arg(c, call, name);
    case ROUNDING:
        return rounding_args(c, call, name);
    case REMAINDER:
        return remainder_args(c, call, name);
    case TEXT_TO_INT:
    case TEXTS:
    case TEXT_INTS:
    case TEXT_INT_TEXT:
        call->type = signature == TEXT_TO_INT ? ESSE_TYPE(INT) : ESSE_TYPE(TEXT);
        call->type.is_folded = c->is_mysql && signature != TEXT_TO_INT;
        for (uint32_t i = 0; i < call->count; i++)
            if ((i == 1 && signature == TEXT_INT_TEXT) || (i && signature == TEXT_INTS)
                    ? !int_arg(c, name, call->at, &call->args[i])
                    : !text_arg(c, name, call->at, &call->args[i]))
                return false;
        return true;
    case ANYTHING:
        call->type = ESSE_TYPE(TEXT);
        call->type.is_folded = c->is_mysql;
        call->is_negated = !c->is_mysql; /* evaluated although arguments are NULL */
        for (uint32_t i = 0; i < call->count; i++) {
            const uint8_t base = call->args[i]->type.base;
            if (base != ESSE_TYPE_CHAR) /* it keeps its blanks here */
                call->args[i] = sql_as_text(c, call->args[i]);
            if (!call->args[i])
                return false;
            if (base == ESSE_TYPE_BOOL && !c->is_mysql)
                call->args[i]->is.how = ESSE_CAST_SHOW;
        }
        return true;
    }
    return false;
}

static struct esse_expr *sequence_function(struct sql_compile *c, enum esse_hole_kind kind,
                                           uint32_t at, struct esse_expr **args)
{
    if (args[0]->kind != ESSE_EXPR_CONSTANT || args[0]->is.constant.kind != ESSE_DATUM_TEXT)
        return sql_unsupported(c, (int32_t)at - 1,
                               "a sequence whose name is computed is not supported");
    c->keeps_literal = true;
    const char *name = args[0]->is.constant.is.text;
    const struct esse_sequence *sequence = esse_schema_sequence(c->schema, name);
    if (!sequence)
        return sql_error(c, (int32_t)at - 1, "42P01", "relation \"%s\" does not exist", name);
    return sql_hole(c, kind, sequence, ESSE_TYPE(BIGINT), at);
}

static const struct {
    const char *name;
    enum esse_hole_kind kind;
    enum esse_type_base type;
} holes[] = { { "now", ESSE_HOLE_NOW, ESSE_TYPE_TIMESTAMP },
              { "transaction_timestamp", ESSE_HOLE_NOW, ESSE_TYPE_TIMESTAMP },
              { "statement_timestamp", ESSE_HOLE_CLOCK, ESSE_TYPE_TIMESTAMP },
              { "clock_timestamp", ESSE_HOLE_CLOCK, ESSE_TYPE_TIMESTAMP },
              { "sysdate", ESSE_HOLE_CLOCK, ESSE_TYPE_TIMESTAMP },
              { "random", ESSE_HOLE_RANDOM, ESSE_TYPE_FLOAT8 },
              { "rand", ESSE_HOLE_RANDOM, ESSE_TYPE_FLOAT8 },
              { "gen_random_uuid", ESSE_HOLE_UUID, ESSE_TYPE_TEXT },
              { "uuid", ESSE_HOLE_UUID, ESSE_TYPE_TEXT },
              { "version", ESSE_HOLE_USER, ESSE_TYPE_TEXT } };

/* MySQL's dialect looks for a text without case. */
static bool fold_args(struct sql_compile *c, struct esse_expr *call)
{
    for (uint32_t i = 0; i < call->count; i++) {
        call->args[i] = sql_make_call(c, "lower", call->at, &call->args[i], 1);
        if (!call->args[i])
            return false;
    }
    return true;
}

/* The digits after the point of what a function makes of decimals: ROUND to a number of digits is
 * decided by the number. */
static struct esse_type mysql_result(struct sql_compile *c, const struct esse_expr *call,
                                     struct esse_expr *const *args)
{
    const bool is_rounding =
        call->is.function == ESSE_FN_ROUND || call->is.function == ESSE_FN_TRUNC;
    uint32_t scale = sql_mysql_scale(args[0]->type);
    if (call->is.function == ESSE_FN_CEIL || call->is.function == ESSE_FN_FLOOR)
        return sql_mysql_decimal(0);
    if (!is_rounding)
        return sql_mysql_decimal(scale);
    if (call->count < 2)
        return sql_mysql_decimal(0);
    c->keeps_literal = true;
    const struct esse_datum digits = args[1]->is.constant;
    if (args[1]->kind == ESSE_EXPR_CONSTANT && digits.kind == ESSE_DATUM_INT)
        scale = digits.is.number < 0 ? 0 : digits.is.number > 30 ? 30 : (uint32_t)digits.is.number;
    return sql_mysql_decimal(scale);
}

/* What mysql_expr.c makes of XOR. */
static struct esse_expr *exclusive_or(struct sql_compile *c, uint32_t at, struct esse_expr **args)
{
    struct esse_expr *a = sql_as_bool(c, args[0], "XOR");
    struct esse_expr *b = a ? sql_as_bool(c, args[1], "XOR") : NULL;
    return b ? sql_new_2(c, ESSE_EXPR_XOR, ESSE_TYPE(BOOL), at, a, b) : NULL;
}

struct esse_expr *sql_make_call(struct sql_compile *c, const char *name, uint32_t at,
                                struct esse_expr **args, uint32_t count)
{
    if (count == 1 && strcmp(name, "nextval") == 0)
        return sequence_function(c, ESSE_HOLE_NEXTVAL, at, args);
    if (count == 1 && strcmp(name, "currval") == 0)
        return sequence_function(c, ESSE_HOLE_CURRVAL, at, args);
    for (size_t i = 0; !count && i < sizeof holes / sizeof *holes; i++)
        if (strcmp(holes[i].name, name) == 0)
            return sql_hole(c, holes[i].kind, NULL,
                            (struct esse_type){ .base = (uint8_t)holes[i].type }, at);
    for (uint32_t i = 0; i < count; i++)
        if (!sql_refuse_quotient(c, args[i]))
            return NULL;
    if (c->is_mysql && count == 2 && strcmp(name, "esse_xor") == 0)
        return exclusive_or(c, at, args);
    if (c->is_mysql && count == 2 && strcmp(name, "esse_div") == 0)
        return sql_whole_quotient(c, at, args[0], args[1]);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strcmp(functions[i].name, name) != 0)
            continue;
        if (count < functions[i].least || count > functions[i].most)
            return sql_error(c, (int32_t)at - 1, "42883",
                             "function %s with %u arguments does not exist", name, count);
        struct esse_expr *call = sql_new(c, ESSE_EXPR_FUNCTION, ESSE_TYPE(TEXT), at, count);
        memcpy(call->args, args, count * sizeof *args);
        call->is.function = functions[i].function;
        call->op = c->is_mysql ? 'm' : 0;
        if (c->is_mysql && functions[i].function == ESSE_FN_POSITION && !fold_args(c, call))
            return NULL;
        if (c->is_mysql && functions[i].function == ESSE_FN_LENGTH && strcmp(name, "length") == 0)
            call->is.function = ESSE_FN_OCTET_LENGTH;
        if (!settle_args(c, call, name, functions[i].signature))
            return NULL;
        if (c->is_mysql && call->type.base == ESSE_TYPE_NUMERIC)
            call->type = mysql_result(c, call, args);
        return call;
    }
    const struct esse_routine *routine = esse_schema_routine(c->schema, name);
    if (routine && routine->kind != ESSE_ROUTINE_FUNCTION)
        return sql_error(c, (int32_t)at - 1, "42809", "%s is a procedure", name);
    return routine
               ? sql_call_routine(c, routine, args, count, at)
               : sql_unsupported(c, (int32_t)at - 1, "the function %s() is not supported", name);
}

struct esse_expr *sql_compile_call(struct sql_compile *c, const PgQuery__FuncCall *node)
{
    const char *name = sql_name(node->funcname, node->n_funcname);
    if (node->over)
        return sql_unsupported(c, node->location, "window functions are not supported");
    for (size_t i = 0; i < sizeof aggregate_names / sizeof *aggregate_names; i++)
        if (strcmp(aggregate_names[i].name, name) == 0)
            return compile_aggregate(c, aggregate_names[i].kind, node);
    if (node->agg_star || node->agg_distinct || node->agg_filter)
        return sql_error(c, node->location, "42809", "%s is not an aggregate function", name);
    struct esse_expr **args = esse_arena_alloc(c->arena, node->n_args + 1, sizeof *args);
    for (size_t i = 0; i < node->n_args; i++) {
        if (node->args[i]->node_case == PG_QUERY__NODE__NODE_NAMED_ARG_EXPR)
            return sql_unsupported(c, node->location, "named arguments are not supported");
        args[i] = sql_compile_expr(c, node->args[i]);
        if (!args[i])
            return NULL;
    }
    return sql_make_call(c, name, sql_at(node->location), args, (uint32_t)node->n_args);
}
