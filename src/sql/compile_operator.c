#include "sql/sql_compile.h"

#include <string.h>

static const struct {
    const char *name;
    uint8_t accepts;
} comparisons[] = { { "=", ESSE_EQUAL }, { "<>", ESSE_BELOW | ESSE_ABOVE },
                    { "<", ESSE_BELOW }, { "<=", ESSE_BELOW | ESSE_EQUAL },
                    { ">", ESSE_ABOVE }, { ">=", ESSE_ABOVE | ESSE_EQUAL } };

static uint8_t accepts_of(const char *op)
{
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
        if (strcmp(comparisons[i].name, op) == 0)
            return comparisons[i].accepts;
    return 0;
}

static struct esse_expr *no_operator(struct sql_compile *c, uint32_t at, const char *op,
                                     const struct esse_expr *a, const struct esse_expr *b)
{
    return sql_error(c, (int32_t)at - 1, "42883", "operator does not exist: %s %s %s",
                     a ? esse_type_show(c->arena, a->type) : "", op,
                     esse_type_show(c->arena, b->type));
}

/* A literal takes the type of what it meets; of two, both are text. */
static bool settle(struct sql_compile *c, struct esse_expr **a, struct esse_expr **b,
                   struct esse_type otherwise)
{
    const bool a_open = (*a)->type.base == ESSE_TYPE_UNKNOWN;
    const bool b_open = (*b)->type.base == ESSE_TYPE_UNKNOWN;
    struct esse_type a_type = b_open ? otherwise : (*b)->type;
    struct esse_type b_type = a_open ? otherwise : (*a)->type;
    a_type.length = b_type.length = 0;
    a_type.scale = b_type.scale = 0;
    if (a_open)
        *a = sql_coerce(c, *a, a_type, SQL_EXPLICIT);
    if (b_open)
        *b = sql_coerce(c, *b, b_type, SQL_EXPLICIT);
    return *a && *b;
}

/* ---- comparisons ---- */

/* MySQL's dialect: a text meets a number as double; a text meets a date as one. */
static bool meet_mysql(struct sql_compile *c, struct esse_expr **a, struct esse_expr **b)
{
    struct esse_expr **text = esse_type_is_text((*a)->type) ? a : b;
    const struct esse_type other = (text == a ? *b : *a)->type;
    if (!esse_type_is_text((*text)->type) || esse_type_is_text(other))
        return true;
    *text =
        sql_coerce(c, *text, esse_type_is_time(other) ? other : ESSE_TYPE(FLOAT8), SQL_EXPLICIT);
    return *text != NULL;
}

/* Blanks at the end of a char(n) do not count where two of them meet, nor where one meets another
 * text: there it becomes one, without them.  A varchar that meets one loses its own. */
static bool meet_texts(struct sql_compile *c, struct esse_expr **a, struct esse_expr **b)
{
    struct esse_expr **other = (*a)->type.base == ESSE_TYPE_CHAR ? b : a;
    const bool has_char = (*(other == a ? b : a))->type.base == ESSE_TYPE_CHAR;
    if (has_char && (*other)->type.base == ESSE_TYPE_VARCHAR && !c->is_mysql) {
        *other = sql_make_call(c, "rtrim", (*other)->at, other, 1);
        if (!*other)
            return false;
    }
    if ((*a)->type.base == ESSE_TYPE_CHAR)
        *a = sql_as_text(c, *a);
    if (*a && (*b)->type.base == ESSE_TYPE_CHAR)
        *b = sql_as_text(c, *b);
    return *a && *b;
}

static bool can_meet(struct esse_type a, struct esse_type b)
{
    return (esse_type_is_number(a) && esse_type_is_number(b)) ||
           (esse_type_is_text(a) && esse_type_is_text(b)) ||
           (esse_type_is_time(a) && esse_type_is_time(b)) ||
           (a.base == ESSE_TYPE_BOOL && b.base == ESSE_TYPE_BOOL);
}

static bool make_comparable(struct sql_compile *c, const char *op, uint32_t at,
                            struct esse_expr **a, struct esse_expr **b)
{
    if (!settle(c, a, b, ESSE_TYPE(TEXT)))
        return false;
    if (!sql_refuse_quotient(c, *a) || !sql_refuse_quotient(c, *b))
        return false;
    if (c->is_mysql) {
        if ((*a)->type.base == ESSE_TYPE_BOOL)
            *a = sql_coerce(c, *a, ESSE_TYPE(INT), SQL_EXPLICIT);
        if ((*b)->type.base == ESSE_TYPE_BOOL)
            *b = sql_coerce(c, *b, ESSE_TYPE(INT), SQL_EXPLICIT);
        if (!*a || !*b || !meet_mysql(c, a, b))
            return false;
    }
    if (!can_meet((*a)->type, (*b)->type)) {
        no_operator(c, at, op, *a, *b);
        return false;
    }
    return meet_texts(c, a, b);
}

static struct esse_expr *compare_as(struct sql_compile *c, enum esse_expr_kind kind, const char *op,
                                    uint32_t at, struct esse_expr *a, struct esse_expr *b)
{
    if (!make_comparable(c, op, at, &a, &b))
        return NULL;
    struct esse_expr *expr = sql_new_2(c, kind, ESSE_TYPE(BOOL), at, a, b);
    expr->op = accepts_of(op);
    expr->is_all = c->is_mysql && esse_type_is_text(a->type);
    return expr;
}

struct esse_expr *sql_compare(struct sql_compile *c, const char *op, uint32_t at,
                              struct esse_expr *a, struct esse_expr *b)
{
    return compare_as(c, ESSE_EXPR_COMPARE, op, at, a, b);
}

/* ---- rows of values ---- */

struct row {
    struct esse_expr **at;
    uint32_t count;
};

static bool compile_row(struct sql_compile *c, const PgQuery__Node *node, struct row *row)
{
    PgQuery__Node **items = node->node_case == PG_QUERY__NODE__NODE_ROW_EXPR
                                ? node->row_expr->args
                                : (PgQuery__Node *[]){ (PgQuery__Node *)node };
    row->count =
        node->node_case == PG_QUERY__NODE__NODE_ROW_EXPR ? (uint32_t)node->row_expr->n_args : 1;
    row->at = esse_arena_alloc(c->arena, row->count + 1, sizeof *row->at);
    for (uint32_t i = 0; i < row->count; i++) {
        row->at[i] = sql_compile_expr(c, items[i]);
        if (!row->at[i])
            return false;
    }
    return true;
}

/* = and <> of all columns; < and its like by the first that differs. */
static struct esse_expr *compare_rows(struct sql_compile *c, const char *op, uint32_t at,
                                      const struct row *a, const struct row *b)
{
    const uint8_t accepts = accepts_of(op);
    struct esse_expr *result = NULL;
    if (a->count != b->count)
        return sql_error(c, (int32_t)at - 1, "42601",
                         "unequal number of entries in row expressions");
    if (a->count == 0)
        return sql_error(c, (int32_t)at - 1, "0A000", "cannot compare rows of zero length");
    if (a->count == 1)
        return sql_compare(c, op, at, a->at[0], b->at[0]);
    const bool is_equal = accepts == ESSE_EQUAL;
    if (is_equal || accepts == (ESSE_BELOW | ESSE_ABOVE)) {
        for (uint32_t i = 0; i < a->count; i++) {
            struct esse_expr *one = sql_compare(c, op, at, a->at[i], b->at[i]);
            if (!one)
                return NULL;
            result = sql_logic(c, is_equal ? ESSE_EXPR_AND : ESSE_EXPR_OR, at, result, one);
        }
        return result;
    }
    const char *strict = accepts & ESSE_BELOW ? "<" : ">";
    for (uint32_t i = a->count; i-- > 0;) {
        struct esse_expr *one =
            sql_compare(c, i + 1 == a->count ? op : strict, at, a->at[i], b->at[i]);
        if (!one)
            return NULL;
        if (result) {
            struct esse_expr *equal = sql_compare(c, "=", at, a->at[i], b->at[i]);
            result =
                sql_logic(c, ESSE_EXPR_OR, at, one, sql_logic(c, ESSE_EXPR_AND, at, equal, result));
        } else {
            result = one;
        }
    }
    return result;
}

/* ---- IN, BETWEEN, LIKE ---- */

static struct esse_expr *negated_if(struct sql_compile *c, bool negated, struct esse_expr *expr)
{
    return !negated || !expr ? expr : sql_new_1(c, ESSE_EXPR_NOT, ESSE_TYPE(BOOL), expr->at, expr);
}

static struct esse_expr *in_as_comparisons(struct sql_compile *c, uint32_t at,
                                           const struct row *wanted, PgQuery__Node **items,
                                           size_t count)
{
    struct esse_expr *result = NULL;
    for (size_t i = 0; i < count; i++) {
        struct row row;
        if (!compile_row(c, items[i], &row))
            return NULL;
        struct esse_expr *one = compare_rows(c, "=", at, wanted, &row);
        if (!one)
            return NULL;
        result = sql_logic(c, ESSE_EXPR_OR, at, result, one);
    }
    return result;
}

static struct esse_expr *compile_in(struct sql_compile *c, const PgQuery__AExpr *node)
{
    const PgQuery__List *list = node->rexpr->list;
    const uint32_t at = sql_at(node->location);
    const bool negated = strcmp(sql_name(node->name, node->n_name), "<>") == 0;
    struct row wanted;
    if (!compile_row(c, node->lexpr, &wanted))
        return NULL;
    if (wanted.count != 1 || c->is_mysql)
        return negated_if(c, negated,
                          in_as_comparisons(c, at, &wanted, list->items, list->n_items));
    struct esse_expr *expr =
        sql_new(c, ESSE_EXPR_IN, ESSE_TYPE(BOOL), at, (uint32_t)list->n_items + 1);
    expr->args[0] = wanted.at[0];
    bool is_text = false, is_char = false;
    for (uint32_t i = 1; i < expr->count; i++) {
        expr->args[i] = sql_compile_expr(c, list->items[i - 1]);
        if (!expr->args[i])
            return NULL;
    }
    for (uint32_t i = 0; i < expr->count; i++) {
        is_text |= esse_type_is_text(expr->args[i]->type);
        is_char |= expr->args[i]->type.base == ESSE_TYPE_CHAR;
    }
    /* Numbers meet as they are; the others become of one type. */
    struct esse_type type;
    if (!sql_common_type(c, expr->args, expr->count, "IN", &type))
        return c->fault->kind == ESSE_FAULT_ERROR && strcmp(c->fault->state, "42804") == 0
                   ? (memcpy(c->fault->state, "42883", 6), NULL)
                   : NULL;
    for (uint32_t i = 0; is_text && is_char && i < expr->count; i++) {
        expr->args[i] = sql_as_text(c, expr->args[i]);
        if (!expr->args[i])
            return NULL;
    }
    expr->is_all = type.is_folded;
    return negated_if(c, negated, expr);
}

static struct esse_expr *between(struct sql_compile *c, uint32_t at, struct esse_expr *x,
                                 struct esse_expr *low, struct esse_expr *high)
{
    struct esse_expr *above = sql_compare(c, ">=", at, x, low);
    struct esse_expr *below = above ? sql_compare(c, "<=", at, x, high) : NULL;
    return below ? sql_logic(c, ESSE_EXPR_AND, at, above, below) : NULL;
}

static struct esse_expr *compile_between(struct sql_compile *c, const PgQuery__AExpr *node)
{
    const PgQuery__List *list = node->rexpr->list;
    const uint32_t at = sql_at(node->location);
    const bool negated = node->kind == PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN ||
                         node->kind == PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN_SYM;
    const bool both_ways = node->kind == PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN_SYM ||
                           node->kind == PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN_SYM;
    struct esse_expr *x = sql_compile_expr(c, node->lexpr);
    struct esse_expr *low = x ? sql_compile_expr(c, list->items[0]) : NULL;
    struct esse_expr *high = low ? sql_compile_expr(c, list->items[1]) : NULL;
    struct esse_expr *expr = high ? between(c, at, x, low, high) : NULL;
    if (expr && both_ways) {
        struct esse_expr *turned = between(c, at, x, high, low);
        expr = turned ? sql_logic(c, ESSE_EXPR_OR, at, expr, turned) : NULL;
    }
    return negated_if(c, negated, expr);
}

/* An escape is the second argument of like_escape(). */
static struct esse_expr *compile_like(struct sql_compile *c, const PgQuery__AExpr *node)
{
    const PgQuery__Node *pattern = node->rexpr, *escape = NULL;
    if (pattern->node_case == PG_QUERY__NODE__NODE_FUNC_CALL &&
        strcmp(sql_name(pattern->func_call->funcname, pattern->func_call->n_funcname),
               "like_escape") == 0) {
        escape = pattern->func_call->args[1];
        pattern = pattern->func_call->args[0];
    }
    struct esse_expr *expr = sql_new(c, ESSE_EXPR_LIKE, ESSE_TYPE(BOOL), sql_at(node->location), 3);
    const PgQuery__Node *nodes[] = { node->lexpr, pattern, escape };
    expr->is_negated = strncmp(sql_name(node->name, node->n_name), "!", 1) == 0;
    expr->is_all = c->is_mysql || node->kind == PG_QUERY__A__EXPR__KIND__AEXPR_ILIKE;
    for (uint32_t i = 0; i < 3; i++) {
        struct esse_expr *arg =
            nodes[i] ? sql_compile_expr(c, nodes[i])
                     : sql_new_constant(c, ESSE_TYPE(TEXT), expr->at, esse_datum_text("\\", 1));
        if (!arg)
            return NULL;
        if (!c->is_mysql && arg->type.base != ESSE_TYPE_UNKNOWN && !esse_type_is_text(arg->type))
            return no_operator(c, expr->at, "~~", NULL, arg);
        /* A char(n) keeps its blanks before LIKE. */
        if (i > 0 || arg->type.base != ESSE_TYPE_CHAR)
            arg = sql_as_text(c, arg);
        expr->args[i] = arg;
        if (!arg)
            return NULL;
    }
    return expr;
}

/* ---- calculations ---- */

static bool is_days(struct esse_type type)
{
    return type.base == ESSE_TYPE_INT || type.base == ESSE_TYPE_SMALLINT;
}

static struct esse_expr *calculate_dates(struct sql_compile *c, char op, uint32_t at,
                                         struct esse_expr *a, struct esse_expr *b)
{
    const bool a_date = a->type.base == ESSE_TYPE_DATE, b_date = b->type.base == ESSE_TYPE_DATE;
    const char name[] = { op, '\0' };
    if (a_date && b->type.base == ESSE_TYPE_UNKNOWN) {
        b = sql_coerce(c, b, op == '-' ? ESSE_TYPE(DATE) : ESSE_TYPE(INT), SQL_EXPLICIT);
        return b ? calculate_dates(c, op, at, a, b) : NULL;
    }
    if (b_date && a->type.base == ESSE_TYPE_UNKNOWN && op == '-') {
        a = sql_coerce(c, a, ESSE_TYPE(DATE), SQL_EXPLICIT);
        return a ? calculate_dates(c, op, at, a, b) : NULL;
    }
    if (a->type.base == ESSE_TYPE_TIMESTAMP || b->type.base == ESSE_TYPE_TIMESTAMP)
        return sql_unsupported(c, (int32_t)at - 1, "calculating with timestamps is not supported");
    struct esse_type type = ESSE_TYPE(DATE);
    if (a_date && b_date && op == '-')
        type = ESSE_TYPE(INT);
    else if (!(a_date && is_days(b->type) && (op == '+' || op == '-')) &&
             !(b_date && is_days(a->type) && op == '+'))
        return no_operator(c, at, name, a, b);
    struct esse_expr *expr = sql_new_2(c, ESSE_EXPR_CALCULATE, type, at, a, b);
    expr->op = (uint8_t)op;
    return expr;
}

/* What PostgreSQL makes of two types of numbers. */
static struct esse_type number_of(struct esse_type a, struct esse_type b)
{
    struct esse_type type = a.base > b.base ? a : b;
    if (esse_type_is_real(type) && a.base != b.base)
        type = ESSE_TYPE(FLOAT8);
    type.length = 0;
    type.scale = 0;
    return type;
}

/* MySQL's: texts are doubles, integers 64 bits, '/' is a decimal. */
static bool mysql_number(struct sql_compile *c, struct esse_expr **arg)
{
    if (!esse_type_is_number((*arg)->type))
        *arg = sql_coerce(c, *arg,
                          (*arg)->type.base == ESSE_TYPE_BOOL ? ESSE_TYPE(INT) : ESSE_TYPE(FLOAT8),
                          SQL_EXPLICIT);
    return *arg != NULL;
}

static struct esse_type mysql_number_of(char op, struct esse_type a, struct esse_type b)
{
    struct esse_type type = number_of(a, b);
    if (esse_type_is_int(type)) {
        type = ESSE_TYPE(BIGINT);
        type.is_unsigned = op == '%' ? a.is_unsigned : a.is_unsigned || b.is_unsigned;
        if (op == '/')
            type = ESSE_TYPE(NUMERIC);
    }
    if (type.base != ESSE_TYPE_NUMERIC)
        return esse_type_is_real(type) ? ESSE_TYPE(FLOAT8) : type;
    const uint32_t x = sql_mysql_scale(a), y = sql_mysql_scale(b), most = x > y ? x : y;
    return sql_mysql_decimal(op == '*' ? x + y : op == '/' ? x + 4 : most);
}

/* A quotient has more digits inside than MySQL shows, so nothing is calculated from it. */
static bool find_quotient(void *context, struct esse_expr *expr, uint32_t depth)
{
    (void)depth;
    *(bool *)context |= expr->kind == ESSE_EXPR_CALCULATE && expr->op == '/' &&
                        expr->type.base == ESSE_TYPE_NUMERIC;
    return true;
}

bool sql_refuse_quotient(struct sql_compile *c, const struct esse_expr *expr)
{
    bool has_one = false;
    if (c->is_mysql)
        sql_walk((struct esse_expr *)expr, 0, find_quotient, &has_one);
    return !has_one || sql_unsupported(c, (int32_t)expr->at - 1,
                                       "a quotient within an expression is not supported");
}

/* a DIV b */
struct esse_expr *sql_whole_quotient(struct sql_compile *c, uint32_t at, struct esse_expr *a,
                                     struct esse_expr *b)
{
    if (!esse_type_is_int(a->type) || !esse_type_is_int(b->type))
        return sql_unsupported(c, (int32_t)at - 1, "DIV of other than integers is not supported");
    struct esse_type type = ESSE_TYPE(BIGINT);
    type.is_unsigned = a->type.is_unsigned || b->type.is_unsigned;
    struct esse_expr *expr = sql_new_2(c, ESSE_EXPR_CALCULATE, type, at, a, b);
    expr->op = '/';
    expr->is_all = !c->is_change;
    return expr;
}

static struct esse_expr *compile_calculation(struct sql_compile *c, char op, uint32_t at,
                                             struct esse_expr *a, struct esse_expr *b)
{
    const char name[] = { op, '\0' };
    if (c->is_mysql) {
        if (!sql_refuse_quotient(c, a) || !sql_refuse_quotient(c, b) || !mysql_number(c, &a) ||
            !mysql_number(c, &b))
            return NULL;
    } else {
        if (esse_type_is_time(a->type) || esse_type_is_time(b->type))
            return calculate_dates(c, op, at, a, b);
        if (a->type.base == ESSE_TYPE_UNKNOWN && b->type.base == ESSE_TYPE_UNKNOWN)
            return sql_error(c, (int32_t)at - 1, "42725",
                             "operator is not unique: unknown %c "
                             "unknown",
                             op);
        if (!settle(c, &a, &b, ESSE_TYPE(TEXT)))
            return NULL;
    }
    if (!esse_type_is_number(a->type) || !esse_type_is_number(b->type))
        return no_operator(c, at, name, a, b);
    const struct esse_type type =
        c->is_mysql ? mysql_number_of(op, a->type, b->type) : number_of(a->type, b->type);
    if (op == '%' && esse_type_is_real(type))
        return c->is_mysql
                   ? sql_unsupported(c, (int32_t)at - 1, "%% of floating point is not supported")
                   : no_operator(c, at, "%", a, b);
    struct esse_expr *expr = sql_new_2(c, ESSE_EXPR_CALCULATE, type, at, a, b);
    expr->op = (uint8_t)op;
    expr->is_all = c->is_mysql && !c->is_change;
    expr->is_negated = c->is_mysql; /* '/' has four digits more than its left side */
    c->has_quotient |= c->is_mysql && op == '/';
    return expr;
}

static struct esse_expr *compile_sign(struct sql_compile *c, char op, uint32_t at,
                                      struct esse_expr *a)
{
    if (c->is_mysql && !mysql_number(c, &a))
        return NULL;
    if (a->type.base == ESSE_TYPE_UNKNOWN && a->kind == ESSE_EXPR_PARAM)
        a = sql_coerce(c, a, ESSE_TYPE(NUMERIC), SQL_EXPLICIT);
    else if (a->type.base == ESSE_TYPE_UNKNOWN)
        return sql_error(c, (int32_t)at - 1, "42725", "operator is not unique: %c unknown", op);
    if (!a || !esse_type_is_number(a->type))
        return a ? no_operator(c, at, op == '-' ? "-" : "+", NULL, a) : NULL;
    if (op == '+')
        return a;
    struct esse_type type = a->type;
    if (c->is_mysql && esse_type_is_int(type))
        type = ESSE_TYPE(BIGINT);
    if (!c->is_mysql) {
        type.length = 0;
        type.scale = 0;
    }
    return sql_new_1(c, ESSE_EXPR_NEGATE, type, at, a);
}

/* ---- bits, concatenation ---- */

static struct esse_expr *compile_bits(struct sql_compile *c, char op, uint32_t at,
                                      struct esse_expr *a, struct esse_expr *b)
{
    struct esse_type type = ESSE_TYPE(INT);
    struct esse_expr *args[2] = { a, b };
    const char name[] = { op, op == '<' || op == '>' ? op : '\0', '\0' };
    const uint32_t count = b ? 2 : 1;
    if (c->is_mysql) {
        type = ESSE_TYPE(BIGINT);
        type.is_unsigned = true;
        for (uint32_t i = 0; i < count; i++) {
            struct esse_type bits = ESSE_TYPE(BIGINT);
            bits.is_unsigned = args[i]->type.is_unsigned;
            args[i] = sql_coerce(c, args[i], bits, SQL_EXPLICIT);
            if (!args[i])
                return NULL;
        }
    } else {
        const bool is_shift = op == '<' || op == '>';
        if (b && a->type.base == ESSE_TYPE_UNKNOWN && b->type.base == ESSE_TYPE_UNKNOWN)
            return sql_error(c, (int32_t)at - 1, "42725",
                             "operator is not unique: unknown %s "
                             "unknown",
                             name);
        if (b && !is_shift && !settle(c, &args[0], &args[1], ESSE_TYPE(INT)))
            return NULL;
        for (uint32_t i = 0; i < count; i++) {
            if (args[i]->type.base == ESSE_TYPE_UNKNOWN && !b)
                return sql_error(c, (int32_t)at - 1, "42725", "operator is not unique: ~ unknown");
            if (args[i]->type.base == ESSE_TYPE_UNKNOWN)
                args[i] = sql_coerce(c, args[i], ESSE_TYPE(INT), SQL_EXPLICIT);
            if (!args[i] || !esse_type_is_int(args[i]->type) ||
                (is_shift && i && args[i]->type.base == ESSE_TYPE_BIGINT))
                return args[i] ? no_operator(c, at, name, a, args[i]) : NULL;
        }
        type = args[0]->type;
        if (b && !is_shift && args[1]->type.base > type.base)
            type = args[1]->type;
    }
    struct esse_expr *expr = sql_new(c, ESSE_EXPR_BITS, type, at, count);
    memcpy(expr->args, args, count * sizeof *args);
    expr->op = (uint8_t)op;
    expr->is_all = c->is_mysql;
    return expr;
}

static struct esse_expr *compile_concat(struct sql_compile *c, uint32_t at, struct esse_expr *a,
                                        struct esse_expr *b)
{
    const bool a_text = esse_type_is_text(a->type) || a->type.base == ESSE_TYPE_UNKNOWN;
    const bool b_text = esse_type_is_text(b->type) || b->type.base == ESSE_TYPE_UNKNOWN;
    if (!a_text && !b_text)
        return no_operator(c, at, "||", a, b);
    a = sql_as_text(c, a);
    b = a ? sql_as_text(c, b) : NULL;
    return b ? sql_new_2(c, ESSE_EXPR_CONCAT, ESSE_TYPE(TEXT), at, a, b) : NULL;
}

/* ---- all operators ---- */

static struct esse_expr *compile_binary(struct sql_compile *c, const char *op, uint32_t at,
                                        const PgQuery__AExpr *node)
{
    struct esse_expr *a = node->lexpr ? sql_compile_expr(c, node->lexpr) : NULL;
    if (node->lexpr && !a)
        return NULL;
    struct esse_expr *b = sql_compile_expr(c, node->rexpr);
    if (!b)
        return NULL;
    if (!a)
        return strcmp(op, "-") == 0 || strcmp(op, "+") == 0 ? compile_sign(c, *op, at, b)
               : strcmp(op, "~") == 0
                   ? compile_bits(c, '~', at, b, NULL)
                   : sql_unsupported(c, (int32_t)at - 1, "the operator %s is not supported", op);
    if (accepts_of(op))
        return sql_compare(c, op, at, a, b);
    if (strlen(op) == 1 && strchr("+-*/%", *op))
        return compile_calculation(c, *op, at, a, b);
    if (strcmp(op, "||") == 0)
        return compile_concat(c, at, a, b);
    if (strcmp(op, "<<") == 0 || strcmp(op, ">>") == 0 || (strlen(op) == 1 && strchr("&|#", *op)))
        return compile_bits(c, *op, at, a, b);
    return sql_unsupported(c, (int32_t)at - 1, "the operator %s is not supported", op);
}

static struct esse_expr *compile_nullif(struct sql_compile *c, const PgQuery__AExpr *node)
{
    struct esse_expr *a = sql_compile_expr(c, node->lexpr);
    struct esse_expr *b = a ? sql_compile_expr(c, node->rexpr) : NULL;
    struct esse_expr *equal = b ? sql_compare(c, "=", sql_at(node->location), a, b) : NULL;
    if (!equal)
        return NULL;
    /* The left operand, as the operator takes it. */
    if (a->type.base == ESSE_TYPE_UNKNOWN ||
        (a->type.base == ESSE_TYPE_CHAR && b->type.base == ESSE_TYPE_TEXT))
        a = equal->args[0];
    struct esse_expr *expr =
        sql_new_2(c, ESSE_EXPR_NULLIF, a->type, sql_at(node->location), equal, a);
    return expr;
}

static struct esse_expr *compile_distinct(struct sql_compile *c, const PgQuery__AExpr *node)
{
    struct row a, b;
    struct esse_expr *result = NULL;
    const uint32_t at = sql_at(node->location);
    if (!compile_row(c, node->lexpr, &a) || !compile_row(c, node->rexpr, &b))
        return NULL;
    if (a.count != b.count)
        return sql_error(c, node->location, "42601",
                         "unequal number of entries in row expressions");
    for (uint32_t i = 0; i < a.count; i++) {
        struct esse_expr *one = compare_as(c, ESSE_EXPR_DISTINCT, "=", at, a.at[i], b.at[i]);
        if (!one)
            return NULL;
        result = sql_logic(c, ESSE_EXPR_OR, at, result, one);
    }
    return negated_if(c, node->kind == PG_QUERY__A__EXPR__KIND__AEXPR_NOT_DISTINCT, result);
}

struct esse_expr *sql_compile_operator(struct sql_compile *c, const PgQuery__AExpr *node)
{
    const char *op = sql_name(node->name, node->n_name);
    const uint32_t at = sql_at(node->location);
    struct row a, b;
    switch (node->kind) {
    case PG_QUERY__A__EXPR__KIND__AEXPR_OP:
        if (node->lexpr && accepts_of(op) &&
            (node->lexpr->node_case == PG_QUERY__NODE__NODE_ROW_EXPR ||
             node->rexpr->node_case == PG_QUERY__NODE__NODE_ROW_EXPR))
            return compile_row(c, node->lexpr, &a) && compile_row(c, node->rexpr, &b)
                       ? compare_rows(c, op, at, &a, &b)
                       : NULL;
        return compile_binary(c, op, at, node);
    case PG_QUERY__A__EXPR__KIND__AEXPR_IN:
        return compile_in(c, node);
    case PG_QUERY__A__EXPR__KIND__AEXPR_LIKE:
    case PG_QUERY__A__EXPR__KIND__AEXPR_ILIKE:
        return compile_like(c, node);
    case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN:
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN:
    case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN_SYM:
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN_SYM:
        return compile_between(c, node);
    case PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF:
        return compile_nullif(c, node);
    case PG_QUERY__A__EXPR__KIND__AEXPR_DISTINCT:
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_DISTINCT:
        return compile_distinct(c, node);
    case PG_QUERY__A__EXPR__KIND__AEXPR_OP_ANY:
    case PG_QUERY__A__EXPR__KIND__AEXPR_OP_ALL:
        return sql_unsupported(c, node->location, "arrays are not supported");
    case PG_QUERY__A__EXPR__KIND__AEXPR_SIMILAR:
        return sql_unsupported(c, node->location, "SIMILAR TO is not supported");
    default:
        return sql_unsupported(c, node->location, "the operator %s is not supported", op);
    }
}

/* ---- sub-selects ---- */

static struct esse_query *sub_query(struct sql_compile *c, const PgQuery__SubLink *node)
{
    if (node->subselect->node_case != PG_QUERY__NODE__NODE_SELECT_STMT)
        return sql_unsupported(c, node->location, "such a sub-select is not supported");
    return sql_compile_query(c, node->subselect->select_stmt);
}

/* A row of places that stands for the columns of a sub-select. */
static struct row places(struct sql_compile *c, const struct esse_query *query, uint32_t at)
{
    struct row row = { esse_arena_alloc(c->arena, query->output_count, sizeof *row.at),
                       query->output_count };
    for (uint32_t i = 0; i < row.count; i++) {
        row.at[i] = sql_new(c, ESSE_EXPR_PLACE, query->outputs[i].type, at, 0);
        row.at[i]->is.number = i;
    }
    return row;
}

struct esse_expr *sql_compile_sublink(struct sql_compile *c, const PgQuery__SubLink *node)
{
    const uint32_t at = sql_at(node->location);
    const bool is_exists = node->sub_link_type == PG_QUERY__SUB_LINK_TYPE__EXISTS_SUBLINK;
    const bool is_scalar = node->sub_link_type == PG_QUERY__SUB_LINK_TYPE__EXPR_SUBLINK;
    const bool is_all = node->sub_link_type == PG_QUERY__SUB_LINK_TYPE__ALL_SUBLINK;
    if (!is_exists && !is_scalar && !is_all &&
        node->sub_link_type != PG_QUERY__SUB_LINK_TYPE__ANY_SUBLINK)
        return sql_unsupported(c, node->location, "such a sub-select is not supported");
    struct row left = { NULL, 0 };
    if (node->testexpr && !compile_row(c, node->testexpr, &left))
        return NULL;
    struct esse_query *query = sub_query(c, node);
    if (!query)
        return NULL;
    if (is_exists || is_scalar) {
        if (is_scalar && query->output_count != 1)
            return sql_error(c, node->location, "42601", "subquery must return only one column");
        struct esse_expr *expr =
            sql_new(c, is_exists ? ESSE_EXPR_EXISTS : ESSE_EXPR_SCALAR,
                    is_exists ? ESSE_TYPE(BOOL) : query->outputs[0].type, at, 0);
        expr->is.query = query;
        return expr;
    }
    if (left.count != query->output_count)
        return sql_error(c, node->location, "42601", "subquery has too %s columns",
                         left.count < query->output_count ? "many" : "few");
    const char *op = node->n_oper_name ? sql_name(node->oper_name, node->n_oper_name) : "=";
    if (!accepts_of(op))
        return sql_unsupported(c, node->location,
                               "the operator %s before ANY or ALL is not "
                               "supported",
                               op);
    const struct row right = places(c, query, at);
    struct esse_expr *condition = compare_rows(c, op, at, &left, &right);
    if (!condition)
        return NULL;
    struct esse_expr *expr = sql_new_1(c, ESSE_EXPR_QUANTIFIED, ESSE_TYPE(BOOL), at, condition);
    expr->is.query = query;
    expr->is_all = is_all;
    return expr;
}
