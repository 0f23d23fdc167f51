#include "sql/eval.h"

#include "sql/sql_function.h"
#include "sql/sql_like.h"
#include "sql/sql_number.h"

#include <assert.h>
#include <string.h>

enum { MOST_ARGS = 16 };

static bool eval_args(struct esse_eval *eval, const struct esse_frame *frame,
                      const struct esse_expr *expr, struct esse_datum *args, bool *any_null)
{
    *any_null = false;
    for (uint32_t i = 0; i < expr->count; i++) {
        if (!esse_eval(eval, frame, expr->args[i], &args[i]))
            return false;
        if (args[i].kind == ESSE_DATUM_HOLE)
            return esse_fault_hole(eval->fault, (uint64_t)args[i].is.number);
        *any_null |= args[i].kind == ESSE_DATUM_NULL;
    }
    return true;
}

/* ---- comparing ---- */

static bool eval_compare(struct esse_eval *eval, const struct esse_frame *frame,
                         const struct esse_expr *expr, struct esse_datum *value)
{
    struct esse_datum args[2];
    bool any_null;
    if (!eval_args(eval, frame, expr, args, &any_null))
        return false;
    if (expr->kind == ESSE_EXPR_DISTINCT) {
        *value = esse_datum_bool(!esse_datum_same(args[0], args[1], expr->is_all));
        return true;
    }
    *value = esse_datum_null();
    if (!any_null) {
        const int order = esse_datum_compare(args[0], args[1], expr->is_all);
        *value = esse_datum_bool((expr->op & (order < 0   ? ESSE_BELOW
                                              : order > 0 ? ESSE_ABOVE
                                                          : ESSE_EQUAL)) != 0);
    }
    return true;
}

static bool eval_in(struct esse_eval *eval, const struct esse_frame *frame,
                    const struct esse_expr *expr, struct esse_datum *value)
{
    struct esse_datum wanted, item;
    bool any_null = false;
    if (!esse_eval(eval, frame, expr->args[0], &wanted))
        return false;
    if (wanted.kind == ESSE_DATUM_HOLE)
        return esse_fault_hole(eval->fault, (uint64_t)wanted.is.number);
    *value = esse_datum_null();
    for (uint32_t i = 1; i < expr->count; i++) {
        if (!esse_eval(eval, frame, expr->args[i], &item))
            return false;
        if (item.kind == ESSE_DATUM_HOLE)
            return esse_fault_hole(eval->fault, (uint64_t)item.is.number);
        if (wanted.kind == ESSE_DATUM_NULL || item.kind == ESSE_DATUM_NULL) {
            any_null = true;
        } else if (esse_datum_compare(wanted, item, expr->is_all) == 0) {
            *value = esse_datum_bool(true);
            return true;
        }
    }
    if (!any_null)
        *value = esse_datum_bool(false);
    return true;
}

static char folded(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
}

static struct esse_span like_span(struct esse_eval *eval, struct esse_datum text, bool is_folded)
{
    if (!is_folded)
        return (struct esse_span){ text.is.text, text.length };
    char *copy = esse_arena_text(eval->arena, text.is.text, text.length);
    for (uint32_t i = 0; i < text.length; i++)
        copy[i] = folded(copy[i]);
    return (struct esse_span){ copy, text.length };
}

static bool eval_like(struct esse_eval *eval, const struct esse_frame *frame,
                      const struct esse_expr *expr, struct esse_datum *value)
{
    struct esse_datum args[3];
    bool any_null;
    if (!eval_args(eval, frame, expr, args, &any_null))
        return false;
    *value = esse_datum_null();
    if (any_null)
        return true;
    const enum sql_like like =
        sql_like(like_span(eval, args[0], expr->is_all), like_span(eval, args[1], expr->is_all),
                 like_span(eval, args[2], expr->is_all));
    if (like == SQL_LIKE_ENDS_IN_ESCAPE)
        return esse_fault(eval->fault, "22025", expr->at,
                          "LIKE pattern must not end with escape character");
    if (like == SQL_LIKE_LONG_ESCAPE)
        return esse_fault(eval->fault, "22019", expr->at, "invalid escape string");
    *value = esse_datum_bool((like == SQL_LIKE_YES) != expr->is_negated);
    return true;
}

/* ---- logic ---- */

static bool eval_truth(struct esse_eval *eval, const struct esse_frame *frame,
                       const struct esse_expr *expr, struct esse_datum *value)
{
    if (!esse_eval(eval, frame, expr, value))
        return false;
    return value->kind != ESSE_DATUM_HOLE ||
           esse_fault_hole(eval->fault, (uint64_t)value->is.number);
}

static bool eval_logic(struct esse_eval *eval, const struct esse_frame *frame,
                       const struct esse_expr *expr, struct esse_datum *value)
{
    const bool ends = expr->kind == ESSE_EXPR_OR;
    bool any_null = false;
    for (uint32_t i = 0; i < expr->count; i++) {
        if (!eval_truth(eval, frame, expr->args[i], value))
            return false;
        if (value->kind == ESSE_DATUM_NULL)
            any_null = true;
        else if ((value->is.number != 0) == ends)
            return true;
    }
    *value = any_null ? esse_datum_null() : esse_datum_bool(!ends);
    return true;
}

static bool eval_is(struct esse_eval *eval, const struct esse_frame *frame,
                    const struct esse_expr *expr, struct esse_datum *value)
{
    struct esse_datum of;
    if (expr->kind == ESSE_EXPR_IS_NULL) {
        if (!esse_eval(eval, frame, expr->args[0], &of))
            return false;
        *value = esse_datum_bool(of.kind == ESSE_DATUM_NULL); /* a hole is not */
        return true;
    }
    if (!eval_truth(eval, frame, expr->args[0], &of))
        return false;
    const enum esse_is is = of.kind == ESSE_DATUM_NULL ? ESSE_IS_UNKNOWN
                            : of.is.number             ? ESSE_IS_TRUE
                                                       : ESSE_IS_FALSE;
    *value = esse_datum_bool(is == expr->op);
    return true;
}

static bool eval_not(struct esse_eval *eval, const struct esse_frame *frame,
                     const struct esse_expr *expr, struct esse_datum *value)
{
    struct esse_datum args[2];
    bool any_null;
    if (!eval_args(eval, frame, expr, args, &any_null))
        return false;
    if (any_null)
        *value = esse_datum_null();
    else if (expr->kind == ESSE_EXPR_NOT)
        *value = esse_datum_bool(!args[0].is.number);
    else
        *value = esse_datum_bool(!args[0].is.number != !args[1].is.number);
    return true;
}

/* ---- choosing ---- */

static bool eval_case(struct esse_eval *eval, const struct esse_frame *frame,
                      const struct esse_expr *expr, struct esse_datum *value)
{
    uint32_t i = 0;
    for (; i + 1 < expr->count; i += 2) {
        bool is_true;
        if (!esse_eval_true(eval, frame, expr->args[i], &is_true))
            return false;
        if (is_true)
            return esse_eval(eval, frame, expr->args[i + 1], value);
    }
    return esse_eval(eval, frame, expr->args[i], value);
}

static bool eval_coalesce(struct esse_eval *eval, const struct esse_frame *frame,
                          const struct esse_expr *expr, struct esse_datum *value)
{
    for (uint32_t i = 0; i < expr->count; i++) {
        if (!esse_eval(eval, frame, expr->args[i], value))
            return false;
        if (value->kind != ESSE_DATUM_NULL)
            return true;
    }
    return true;
}

static bool eval_nullif(struct esse_eval *eval, const struct esse_frame *frame,
                        const struct esse_expr *expr, struct esse_datum *value)
{
    bool equal;
    if (!esse_eval_true(eval, frame, expr->args[0], &equal))
        return false;
    *value = esse_datum_null();
    return equal || esse_eval(eval, frame, expr->args[1], value);
}

/* Blanks at the end of a char(n) do not count. */
static struct esse_datum comparable(struct esse_type type, struct esse_datum value)
{
    if (type.base == ESSE_TYPE_CHAR && value.kind == ESSE_DATUM_TEXT)
        while (value.length && value.is.text[value.length - 1] == ' ')
            value.length--;
    return value;
}

static bool eval_extreme(struct esse_eval *eval, const struct esse_frame *frame,
                         const struct esse_expr *expr, struct esse_datum *value)
{
    *value = esse_datum_null();
    for (uint32_t i = 0; i < expr->count; i++) {
        struct esse_datum item;
        if (!eval_truth(eval, frame, expr->args[i], &item))
            return false;
        if (item.kind == ESSE_DATUM_NULL) {
            if (!expr->is_negated)
                continue;
            *value = item;
            return true;
        }
        if (value->kind == ESSE_DATUM_NULL) {
            *value = item;
            continue;
        }
        const int order = esse_datum_compare(comparable(expr->type, item),
                                             comparable(expr->type, *value), expr->is_all);
        if (expr->kind == ESSE_EXPR_GREATEST ? order > 0 : order < 0)
            *value = item;
    }
    return true;
}

/* ---- calculating ---- */

static bool eval_calculate(struct esse_eval *eval, const struct esse_frame *frame,
                           const struct esse_expr *expr, struct esse_datum *value)
{
    struct esse_datum args[2];
    bool any_null;
    if (!eval_args(eval, frame, expr, args, &any_null))
        return false;
    *value = esse_datum_null();
    if (any_null)
        return true;
    if (expr->is_all && (expr->op == '/' || expr->op == '%') && esse_datum_sign(args[1]) == 0)
        return true; /* MySQL's dialect, where nothing is written */
    const bool ok = expr->is_negated && expr->op == '/' && expr->type.base == ESSE_TYPE_NUMERIC
                        ? sql_divide_mysql(eval->arena, args[0], args[1], value, eval->fault)
                        : esse_calculate(eval->arena, (char)expr->op, expr->type, args[0], args[1],
                                         value, eval->fault);
    return ok || esse_fault_place(eval->fault, expr->at);
}

static bool eval_negate(struct esse_eval *eval, const struct esse_frame *frame,
                        const struct esse_expr *expr, struct esse_datum *value)
{
    struct esse_datum of, zero = esse_datum_int(0);
    if (!eval_truth(eval, frame, expr->args[0], &of))
        return false;
    *value = of;
    if (of.kind == ESSE_DATUM_NULL)
        return true;
    if (of.kind == ESSE_DATUM_REAL) {
        *value = esse_datum_real(-of.is.real);
        return true;
    }
    if (of.kind == ESSE_DATUM_DECIMAL)
        zero = (struct esse_datum){ .kind = ESSE_DATUM_DECIMAL };
    return esse_calculate(eval->arena, '-', expr->type, zero, of, value, eval->fault) ||
           esse_fault_place(eval->fault, expr->at);
}

/* Shifts of PostgreSQL take the distance modulo the width, as its processors do. */
static bool eval_bits(struct esse_eval *eval, const struct esse_frame *frame,
                      const struct esse_expr *expr, struct esse_datum *value)
{
    struct esse_datum args[2] = { { 0 }, { 0 } };
    bool any_null;
    if (!eval_args(eval, frame, expr, args, &any_null))
        return false;
    *value = esse_datum_null();
    if (any_null)
        return true;
    const int width = expr->type.base == ESSE_TYPE_BIGINT ? 64 : 32;
    const int64_t a = args[0].is.number, b = args[1].is.number;
    const unsigned distance = (unsigned)((uint64_t)b & (uint64_t)(width - 1));
    int64_t bits = 0;
    switch (expr->op) {
    case '&':
        bits = a & b;
        break;
    case '|':
        bits = a | b;
        break;
    case '#':
        bits = a ^ b;
        break;
    case '~':
        bits = ~a;
        break;
    case '<':
        bits = (int64_t)((uint64_t)a << distance);
        break;
    default:
        assert(expr->op == '>');
        bits = a >> distance;
        break;
    }
    if (expr->type.base == ESSE_TYPE_SMALLINT)
        bits = (int16_t)bits;
    else if (width == 32)
        bits = (int32_t)bits;
    *value = esse_datum_int(bits);
    return true;
}

/* MySQL's: on unsigned 64 bits. */
static bool eval_mysql_bits(struct esse_eval *eval, const struct esse_frame *frame,
                            const struct esse_expr *expr, struct esse_datum *value)
{
    struct esse_datum args[2] = { { 0 }, { 0 } };
    bool any_null;
    if (!eval_args(eval, frame, expr, args, &any_null))
        return false;
    *value = esse_datum_null();
    if (any_null)
        return true;
    uint64_t word[2] = { 0, 0 }, bits;
    for (uint32_t i = 0; i < expr->count; i++)
        word[i] = args[i].is_wide ? (uint64_t)*args[i].is.wide : (uint64_t)args[i].is.number;
    switch (expr->op) {
    case '&':
        bits = word[0] & word[1];
        break;
    case '|':
        bits = word[0] | word[1];
        break;
    case '#':
        bits = word[0] ^ word[1];
        break;
    case '~':
        bits = ~word[0];
        break;
    case '<':
        bits = word[1] > 63 ? 0 : word[0] << word[1];
        break;
    default:
        bits = word[1] > 63 ? 0 : word[0] >> word[1];
        break;
    }
    *value = esse_datum_int((int64_t)bits);
    if (bits > INT64_MAX) {
        esse_wide *wide = esse_arena_alloc(eval->arena, 1, sizeof *wide);
        *wide = bits;
        *value = (struct esse_datum){ .kind = ESSE_DATUM_DECIMAL, .is_wide = true };
        value->is.wide = wide;
    }
    return true;
}

static bool eval_concat(struct esse_eval *eval, const struct esse_frame *frame,
                        const struct esse_expr *expr, struct esse_datum *value)
{
    struct esse_datum args[2];
    bool any_null;
    if (!eval_args(eval, frame, expr, args, &any_null))
        return false;
    *value = esse_datum_null();
    if (any_null)
        return true;
    char *text = esse_arena_alloc(eval->arena, (size_t)args[0].length + args[1].length + 1, 1);
    if (args[0].length)
        memcpy(text, args[0].is.text, args[0].length);
    if (args[1].length)
        memcpy(text + args[0].length, args[1].is.text, args[1].length);
    *value = esse_datum_text(text, args[0].length + args[1].length);
    return true;
}

static bool eval_function(struct esse_eval *eval, const struct esse_frame *frame,
                          const struct esse_expr *expr, struct esse_datum *value)
{
    struct esse_datum few[MOST_ARGS], *args = few;
    bool any_null;
    if (expr->count > MOST_ARGS)
        args = esse_arena_alloc(eval->arena, expr->count, sizeof *args);
    if (!eval_args(eval, frame, expr, args, &any_null))
        return false;
    *value = esse_datum_null();
    if (any_null && !expr->is_negated)
        return true;
    return sql_function(eval, expr, args, value) || esse_fault_place(eval->fault, expr->at);
}

/* ---- sub-selects ---- */

static bool eval_exists(struct esse_eval *eval, const struct esse_frame *frame,
                        const struct esse_expr *expr, struct esse_datum *value)
{
    struct esse_subrows rows;
    if (!eval->query(eval->context, expr->is.query, frame, 1, &rows))
        return false;
    *value = esse_datum_bool(rows.count > 0);
    return true;
}

static bool eval_scalar(struct esse_eval *eval, const struct esse_frame *frame,
                        const struct esse_expr *expr, struct esse_datum *value)
{
    struct esse_subrows rows;
    if (!eval->query(eval->context, expr->is.query, frame, 2, &rows))
        return false;
    if (rows.count > 1)
        return esse_fault(eval->fault, "21000", expr->at,
                          "more than one row returned by a subquery used as an expression");
    *value = rows.count ? rows.at[0] : esse_datum_null();
    return true;
}

static bool eval_quantified(struct esse_eval *eval, const struct esse_frame *frame,
                            const struct esse_expr *expr, struct esse_datum *value)
{
    struct esse_subrows rows;
    struct esse_datum one;
    bool any_null = false;
    if (!eval->query(eval->context, expr->is.query, frame, SIZE_MAX, &rows))
        return false;
    const struct esse_datum *before = eval->place;
    for (size_t i = 0; i < rows.count; i++) {
        eval->place = rows.at + i * rows.width;
        const bool ok = eval_truth(eval, frame, expr->args[0], &one);
        eval->place = before;
        if (!ok)
            return false;
        if (one.kind == ESSE_DATUM_NULL) {
            any_null = true;
        } else if ((one.is.number != 0) != expr->is_all) {
            *value = one;
            return true;
        }
    }
    *value = any_null ? esse_datum_null() : esse_datum_bool(expr->is_all);
    return true;
}

/* ---- leaves ---- */

static struct esse_datum column(const struct esse_frame *frame, const struct esse_expr *expr)
{
    for (uint32_t depth = expr->is.column.depth; depth; depth--)
        frame = frame->up;
    const struct esse_datum *row = frame->rows[expr->is.column.source];
    return row ? row[expr->is.column.column] : esse_datum_null();
}

static bool slot(struct esse_eval *eval, const struct esse_expr *expr, struct esse_datum *value)
{
    *value = eval->slots[expr->is.number];
    if (!expr->is_negated)
        return true;
    const struct esse_datum zero = value->kind == ESSE_DATUM_DECIMAL
                                       ? (struct esse_datum){ .kind = ESSE_DATUM_DECIMAL }
                                       : esse_datum_int(0);
    return esse_calculate(eval->arena, '-', expr->type, zero, *value, value, eval->fault);
}

static bool param(struct esse_eval *eval, const struct esse_expr *expr, struct esse_datum *value)
{
    if (expr->is.number > eval->param_count)
        return esse_fault(eval->fault, "08P01", expr->at, "there is no parameter $%u",
                          expr->is.number);
    *value = eval->params[expr->is.number - 1];
    return true;
}

static bool eval_call(struct esse_eval *eval, const struct esse_frame *frame,
                      const struct esse_expr *expr, struct esse_datum *value)
{
    struct esse_datum *args = esse_arena_alloc(eval->arena, expr->count + 1, sizeof *args);
    for (uint32_t i = 0; i < expr->count; i++)
        if (!esse_eval(eval, frame, expr->args[i], &args[i]))
            return false;
    return eval->call(eval->context, expr->is.routine, args, value);
}

bool esse_eval(struct esse_eval *eval, const struct esse_frame *frame, const struct esse_expr *expr,
               struct esse_datum *value)
{
    switch ((enum esse_expr_kind)expr->kind) {
    case ESSE_EXPR_CONSTANT:
        *value = expr->is.constant;
        return true;
    case ESSE_EXPR_SLOT:
        return slot(eval, expr, value);
    case ESSE_EXPR_PARAM:
        return param(eval, expr, value);
    case ESSE_EXPR_COLUMN:
        *value = column(frame, expr);
        return true;
    case ESSE_EXPR_AGGREGATE:
        *value = frame->aggregates[expr->is.number];
        return true;
    case ESSE_EXPR_PLACE:
        *value = eval->place[expr->is.number];
        return true;
    case ESSE_EXPR_COMPARE:
    case ESSE_EXPR_DISTINCT:
        return eval_compare(eval, frame, expr, value);
    case ESSE_EXPR_CALCULATE:
        return eval_calculate(eval, frame, expr, value);
    case ESSE_EXPR_NEGATE:
        return eval_negate(eval, frame, expr, value);
    case ESSE_EXPR_AND:
    case ESSE_EXPR_OR:
        return eval_logic(eval, frame, expr, value);
    case ESSE_EXPR_XOR:
    case ESSE_EXPR_NOT:
        return eval_not(eval, frame, expr, value);
    case ESSE_EXPR_IS_NULL:
    case ESSE_EXPR_IS_TRUTH:
        return eval_is(eval, frame, expr, value);
    case ESSE_EXPR_IN:
        return eval_in(eval, frame, expr, value);
    case ESSE_EXPR_LIKE:
        return eval_like(eval, frame, expr, value);
    case ESSE_EXPR_CASE:
        return eval_case(eval, frame, expr, value);
    case ESSE_EXPR_COALESCE:
        return eval_coalesce(eval, frame, expr, value);
    case ESSE_EXPR_NULLIF:
        return eval_nullif(eval, frame, expr, value);
    case ESSE_EXPR_GREATEST:
    case ESSE_EXPR_LEAST:
        return eval_extreme(eval, frame, expr, value);
    case ESSE_EXPR_CAST:
        return esse_eval(eval, frame, expr->args[0], value) &&
               (esse_cast(eval->arena, *value, expr->args[0]->type, expr->type, expr->is.how, value,
                          eval->fault) ||
                esse_fault_place(eval->fault, expr->at));
    case ESSE_EXPR_CONCAT:
        return eval_concat(eval, frame, expr, value);
    case ESSE_EXPR_BITS:
        return expr->is_all ? eval_mysql_bits(eval, frame, expr, value)
                            : eval_bits(eval, frame, expr, value);
    case ESSE_EXPR_FUNCTION:
        return eval_function(eval, frame, expr, value);
    case ESSE_EXPR_CALL:
        return eval_call(eval, frame, expr, value);
    case ESSE_EXPR_HOLE:
        return eval->hole(eval->context, expr->is.hole.kind, expr->is.hole.sequence, value);
    case ESSE_EXPR_EXISTS:
        return eval_exists(eval, frame, expr, value);
    case ESSE_EXPR_SCALAR:
        return eval_scalar(eval, frame, expr, value);
    case ESSE_EXPR_QUANTIFIED:
        return eval_quantified(eval, frame, expr, value);
    }
    assert(false);
    return false;
}

bool esse_eval_true(struct esse_eval *eval, const struct esse_frame *frame,
                    const struct esse_expr *condition, bool *is_true)
{
    struct esse_datum value = esse_datum_bool(true);
    if (condition && !eval_truth(eval, frame, condition, &value))
        return false;
    *is_true = value.kind == ESSE_DATUM_BOOL && value.is.number;
    return true;
}
