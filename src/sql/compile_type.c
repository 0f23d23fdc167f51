#include "sql/sql_compile.h"

#include <string.h>

/* Which type meets which, as PostgreSQL's pg_cast says. */

static char family(struct esse_type type)
{
    if (esse_type_is_number(type))
        return 'n';
    if (esse_type_is_text(type))
        return 's';
    if (esse_type_is_time(type))
        return 'd';
    return type.base == ESSE_TYPE_BOOL ? 'b' : type.base == ESSE_TYPE_UNKNOWN ? 'u' : 'v';
}

bool sql_can_coerce(const struct sql_compile *c, struct esse_type from, struct esse_type to,
                    enum sql_how how)
{
    const char a = family(from), b = family(to);
    if (from.base == to.base || a == 'u' || b == 'u')
        return true;
    if (a == 'v' || b == 'v')
        return false;
    if (c->is_mysql)
        return true;
    if (a == b && a == 'n')
        return how != SQL_IMPLICIT || from.base < to.base;
    if (a == b && a == 'd')
        return how != SQL_IMPLICIT || to.base == ESSE_TYPE_TIMESTAMP;
    if (a == b)
        return true;
    if (b == 's')
        return how != SQL_IMPLICIT;
    if (a == 's')
        return how == SQL_EXPLICIT;
    return how == SQL_EXPLICIT &&
           ((a == 'b' && to.base == ESSE_TYPE_INT) || (b == 'b' && from.base == ESSE_TYPE_INT));
}

/* Nothing changes: a wider integer, a text that is any text. */
static bool is_free(struct esse_type from, struct esse_type to)
{
    if (esse_type_is_int(from) && esse_type_is_int(to))
        return from.base <= to.base && from.is_unsigned == to.is_unsigned;
    if (from.base == ESSE_TYPE_CHAR && to.base != ESSE_TYPE_CHAR)
        return false;
    if (esse_type_is_text(from) && esse_type_is_text(to))
        return !to.length || (from.base == to.base && from.length == to.length);
    return from.base == to.base &&
           (!to.length || (from.length == to.length && from.scale == to.scale)) &&
           from.is_unsigned == to.is_unsigned;
}

bool sql_is_literal(const struct esse_expr *expr)
{
    return expr->kind == ESSE_EXPR_CONSTANT;
}

bool sql_is_default(const struct esse_expr *expr)
{
    return expr->kind == ESSE_EXPR_CONSTANT && expr->is_all;
}

static struct esse_expr *cast_later(struct sql_compile *c, struct esse_expr *expr,
                                    struct esse_type to, enum esse_cast_how how)
{
    if (!sql_refuse_quotient(c, expr))
        return NULL;
    struct esse_expr *made = sql_new_1(c, ESSE_EXPR_CAST, to, expr->at, expr);
    made->is.how = how;
    return made;
}

/* A constant becomes one of the type at once, but lengths are asked when it is evaluated, which may
 * be never. */
static struct esse_expr *cast_constant(struct sql_compile *c, struct esse_expr *expr,
                                       struct esse_type to, enum esse_cast_how how)
{
    struct esse_fault fault = { .kind = ESSE_FAULT_NONE };
    struct esse_type open = to;
    struct esse_datum value;
    open.length = 0;
    open.scale = 0;
    if (!esse_cast(c->arena, expr->is.constant, expr->type, open, how, &value, c->fault)) {
        esse_fault_place(c->fault, expr->at);
        return NULL;
    }
    struct esse_expr *made = sql_new_constant(c, open, expr->at, value);
    if (!to.length)
        return made;
    if (!esse_cast(c->arena, value, open, to, how, &value, &fault))
        return cast_later(c, made, to, how);
    return sql_new_constant(c, to, expr->at, value);
}

struct esse_expr *sql_coerce(struct sql_compile *c, struct esse_expr *expr, struct esse_type to,
                             enum sql_how how)
{
    /* In MySQL's strict mode a text that is no number is an error where something is changed,
     * unless its plan does not come to it. */
    const bool is_strict =
        c->is_mysql && c->is_change && esse_type_is_text(expr->type) && esse_type_is_number(to);
    const enum esse_cast_how cast = how != SQL_EXPLICIT ? ESSE_CAST_ASSIGN
                                    : is_strict         ? ESSE_CAST_WHOLE
                                                        : ESSE_CAST_EXPLICIT;
    if (to.base == ESSE_TYPE_UNKNOWN || sql_is_default(expr))
        return expr;
    /* In MySQL's dialect what is true is 1. */
    if (c->is_mysql && expr->type.base == ESSE_TYPE_BOOL && to.base != ESSE_TYPE_BOOL &&
        to.base != ESSE_TYPE_INT)
        expr = cast_later(c, expr, ESSE_TYPE(INT), cast);
    if (!expr)
        return NULL;
    if (!sql_can_coerce(c, expr->type, to, how))
        return sql_error(c, (int32_t)expr->at - 1, how == SQL_EXPLICIT ? "42846" : "42804",
                         "cannot %s type %s to %s", how == SQL_EXPLICIT ? "cast" : "coerce",
                         esse_type_show(c->arena, expr->type), esse_type_show(c->arena, to));
    if (expr->type.base == ESSE_TYPE_UNKNOWN && sql_is_literal(expr))
        return cast_constant(c, expr, to, cast);
    if (expr->type.base != ESSE_TYPE_UNKNOWN && is_free(expr->type, to)) {
        return expr;
    }
    return cast_later(c, expr, to, cast);
}

struct esse_expr *sql_as_bool(struct sql_compile *c, struct esse_expr *expr, const char *where)
{
    if (!expr || expr->type.base == ESSE_TYPE_BOOL)
        return expr;
    if (expr->type.base != ESSE_TYPE_UNKNOWN && !c->is_mysql)
        return sql_error(c, (int32_t)expr->at - 1, "42804",
                         "argument of %s must be type boolean, not type %s", where,
                         esse_type_show(c->arena, expr->type));
    if (c->is_mysql && (expr->type.base == ESSE_TYPE_UNKNOWN || esse_type_is_text(expr->type))) {
        expr = sql_coerce(c, expr, ESSE_TYPE(FLOAT8), SQL_EXPLICIT);
        if (!expr)
            return NULL;
    }
    struct esse_expr *made = sql_new_1(c, ESSE_EXPR_CAST, ESSE_TYPE(BOOL), expr->at, expr);
    made->is.how = ESSE_CAST_EXPLICIT;
    return sql_is_literal(expr) && expr->type.base == ESSE_TYPE_UNKNOWN
               ? sql_coerce(c, expr, ESSE_TYPE(BOOL), SQL_EXPLICIT)
               : made;
}

struct esse_expr *sql_as_text(struct sql_compile *c, struct esse_expr *expr)
{
    struct esse_type text = ESSE_TYPE(TEXT);
    text.is_folded = c->is_mysql;
    return sql_coerce(c, expr, text, SQL_EXPLICIT);
}

struct esse_type sql_mysql_decimal(uint32_t scale)
{
    enum { MOST = 30, DIGITS = 38 };
    return (struct esse_type){ .base = ESSE_TYPE_NUMERIC,
                               .length = DIGITS,
                               .scale = (uint8_t)(scale > MOST ? MOST : scale) };
}

uint32_t sql_mysql_scale(struct esse_type type)
{
    return type.base == ESSE_TYPE_NUMERIC ? type.scale : 0;
}

/* PostgreSQL's select_common_type() for two. */
bool sql_meet(struct sql_compile *c, struct esse_type a, struct esse_type b, struct esse_type *type)
{
    const uint32_t scale =
        sql_mysql_scale(a) > sql_mysql_scale(b) ? sql_mysql_scale(a) : sql_mysql_scale(b);
    *type = a;
    if (c->is_mysql && (a.base == ESSE_TYPE_NUMERIC || b.base == ESSE_TYPE_NUMERIC) &&
        a.base <= ESSE_TYPE_NUMERIC && b.base <= ESSE_TYPE_NUMERIC) {
        *type = sql_mysql_decimal(scale);
        return true;
    }
    if (a.base == b.base) {
        if (a.length != b.length || a.scale != b.scale) {
            type->length = 0;
            type->scale = 0;
        }
        return true;
    }
    type->length = 0;
    type->scale = 0;
    if (a.base == ESSE_TYPE_UNKNOWN) {
        *type = b;
        type->length = 0;
        type->scale = 0;
        return true;
    }
    if (b.base == ESSE_TYPE_UNKNOWN)
        return true;
    if (c->is_mysql && family(a) != family(b)) {
        *type = ESSE_TYPE(TEXT);
        if (family(a) != 's' && family(b) != 's')
            *type = family(a) == 'n' ? a : family(b) == 'n' ? b : *type;
        type->is_folded = type->base == ESSE_TYPE_TEXT;
        return true;
    }
    if (family(a) != family(b))
        return false;
    if (sql_can_coerce(c, a, b, SQL_IMPLICIT) && !sql_can_coerce(c, b, a, SQL_IMPLICIT)) {
        *type = b;
        type->length = 0;
        type->scale = 0;
    } else if (c->is_mysql && b.base > a.base) {
        *type = b;
        type->length = 0;
        type->scale = 0;
    }
    return true;
}

bool sql_common_type(struct sql_compile *c, struct esse_expr **exprs, uint32_t count,
                     const char *what, struct esse_type *type)
{
    *type = exprs[0]->type;
    for (uint32_t i = 1; i < count; i++) {
        const struct esse_type before = *type;
        if (!sql_meet(c, before, exprs[i]->type, type)) {
            sql_error(c, (int32_t)exprs[i]->at - 1, "42804", "%s types %s and %s cannot be matched",
                      what, esse_type_show(c->arena, before),
                      esse_type_show(c->arena, exprs[i]->type));
            return false;
        }
    }
    if (type->base == ESSE_TYPE_UNKNOWN) {
        *type = ESSE_TYPE(TEXT);
        type->is_folded = c->is_mysql;
    }
    for (uint32_t i = 0; i < count; i++) {
        exprs[i] = sql_coerce(c, exprs[i], *type, SQL_EXPLICIT);
        if (!exprs[i])
            return false;
    }
    return true;
}

/* ---- names of types ---- */

static const struct {
    const char *name;
    enum esse_type_base base;
} type_names[] = {
    { "bool", ESSE_TYPE_BOOL },
    { "boolean", ESSE_TYPE_BOOL },
    { "int2", ESSE_TYPE_SMALLINT },
    { "smallint", ESSE_TYPE_SMALLINT },
    { "int4", ESSE_TYPE_INT },
    { "int", ESSE_TYPE_INT },
    { "integer", ESSE_TYPE_INT },
    { "int8", ESSE_TYPE_BIGINT },
    { "bigint", ESSE_TYPE_BIGINT },
    { "numeric", ESSE_TYPE_NUMERIC },
    { "decimal", ESSE_TYPE_NUMERIC },
    { "float4", ESSE_TYPE_FLOAT4 },
    { "real", ESSE_TYPE_FLOAT4 },
    { "float8", ESSE_TYPE_FLOAT8 },
    { "text", ESSE_TYPE_TEXT },
    { "varchar", ESSE_TYPE_VARCHAR },
    { "bpchar", ESSE_TYPE_CHAR },
    { "date", ESSE_TYPE_DATE },
    { "timestamp", ESSE_TYPE_TIMESTAMP },
    { "void", ESSE_TYPE_VOID },
    { "serial", ESSE_TYPE_INT },
    { "serial4", ESSE_TYPE_INT },
    { "bigserial", ESSE_TYPE_BIGINT },
    { "serial8", ESSE_TYPE_BIGINT },
    { "smallserial", ESSE_TYPE_SMALLINT },
    { "serial2", ESSE_TYPE_SMALLINT },
    { "tinyint", ESSE_TYPE_TINYINT },
    { "mediumint", ESSE_TYPE_INT },
    { "double", ESSE_TYPE_FLOAT8 },
    { "datetime", ESSE_TYPE_TIMESTAMP },
};
enum { MYSQL_ONLY = 4 }; /* the last ones */

static bool type_modifiers(struct sql_compile *c, const PgQuery__TypeName *name,
                           struct esse_type *type)
{
    int32_t mods[2] = { 0, 0 };
    for (size_t i = 0; i < name->n_typmods; i++) {
        const PgQuery__Node *node = name->typmods[i];
        if (i > 1 || node->node_case != PG_QUERY__NODE__NODE_A_CONST ||
            node->a_const->val_case != PG_QUERY__A__CONST__VAL_IVAL)
            return sql_unsupported(c, name->location, "such a modifier of a type is not supported");
        mods[i] = node->a_const->ival->ival;
    }
    c->keeps_literal |= name->n_typmods > 0;
    if (type->base == ESSE_TYPE_NUMERIC) {
        if (name->n_typmods && (mods[0] < 1 || mods[0] > 1000))
            return sql_error(c, name->location, "22023",
                             "NUMERIC precision %d must be between 1 "
                             "and 1000",
                             mods[0]);
        if (mods[0] > 38 || mods[1] < 0 || mods[1] > mods[0])
            return sql_unsupported(c, name->location,
                                   "numeric(%d,%d) is not supported: at most 38 "
                                   "digits, and a scale of 0 to that",
                                   mods[0], mods[1]);
        type->length = (uint32_t)mods[0];
        type->scale = (uint8_t)mods[1];
    } else if (type->base == ESSE_TYPE_CHAR || type->base == ESSE_TYPE_VARCHAR) {
        if (name->n_typmods && mods[0] < 1 && !c->is_mysql)
            return sql_error(c, name->location, "22023", "length for type must be at least 1");
        type->length = (uint32_t)mods[0];
    } else if (name->n_typmods && type->base != ESSE_TYPE_TIMESTAMP) {
        return c->is_mysql || sql_error(c, name->location, "42601", "type modifier is not allowed");
    } else if (name->n_typmods && mods[0] != 6) {
        return sql_unsupported(c, name->location, "timestamp(%d) is not supported", mods[0]);
    }
    return true;
}

/* int_unsigned and its like are what mysql_table.c makes of INT UNSIGNED. */
static const char *without_unsigned(const struct sql_compile *c, const char *word, bool *is_one)
{
    const size_t length = strlen(word), end = sizeof "_unsigned" - 1;
    *is_one = c->is_mysql && length > end && strcmp(word + length - end, "_unsigned") == 0;
    return *is_one ? esse_arena_text(c->arena, word, length - end) : word;
}

bool sql_type_of(struct sql_compile *c, const PgQuery__TypeName *name, struct esse_type *type)
{
    const size_t count = sizeof type_names / sizeof *type_names;
    bool is_unsigned;
    const char *word = without_unsigned(c, sql_name(name->names, name->n_names), &is_unsigned);
    if (name->n_array_bounds)
        return sql_unsupported(c, name->location, "arrays are not supported");
    if (name->setof || name->pct_type)
        return sql_unsupported(c, name->location, "%s is not supported",
                               name->setof ? "SETOF" : "%TYPE");
    for (size_t i = 0; i < count - (c->is_mysql ? 0 : MYSQL_ONLY); i++)
        if (strcmp(type_names[i].name, word) == 0) {
            *type = (struct esse_type){ .base = (uint8_t)type_names[i].base };
            if (c->is_mysql && type->base == ESSE_TYPE_NUMERIC && !name->n_typmods)
                type->length = 10;
            if (c->is_mysql && type->base == ESSE_TYPE_BOOL)
                type->base = ESSE_TYPE_TINYINT;
            type->is_folded = c->is_mysql && esse_type_is_text(*type);
            type->is_unsigned = is_unsigned;
            return type_modifiers(c, name, type);
        }
    return sql_unsupported(c, name->location, "the type %s is not supported", word);
}
