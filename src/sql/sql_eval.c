#include "base/checked.h"
#include "sql/sql_expr.h"
#include "sql/sql_like.h"

#include <stdio.h>

/* Evaluation: left to right, and no further than the answer needs. */

struct eval {
    const struct esse_predicate *predicate;
    const struct esse_values *values;
    const struct sql_tuple *tuple;
    struct esse_error *err;
    sql_why why;
};

static bool evaluate(struct eval *eval, const struct sql_expr *expr, struct sql_datum *result);

static bool refuse(struct eval *eval, const struct sql_expr *expr, const char *problem)
{
    char key[64], message[SQL_WHY + 80];
    snprintf(message, sizeof message, "%s (key %s)", problem,
             esse_value_brief(eval->values, eval->tuple->key[0], key));
    return sql_fail(eval->predicate->of, eval->predicate->text, expr->at, message, eval->err);
}

/* ---- columns ---- */

static esse_value member(const struct esse_values *values, esse_value row, esse_value name,
                         bool *found)
{
    uint32_t count;
    const esse_value *parts = esse_value_parts(values, row, &count);
    for (uint32_t i = 0; i < count; i += 2)
        if (esse_value_eq(parts[i], name)) {
            *found = true;
            return parts[i + 1];
        }
    *found = false;
    return ESSE_NIL;
}

/* A row that is an object has its own columns, and k; any other row is its v. */
esse_value sql_column_of(const struct esse_values *values, struct esse_column column,
                         esse_value key, esse_value row)
{
    bool found;
    if (esse_value_kind(values, row) == ESSE_KIND_MAP) {
        esse_value value = member(values, row, column.member, &found);
        return !found && column.kind == SQL_COLUMN_KEY ? key : value;
    }
    if (column.kind == SQL_COLUMN_KEY)
        return key;
    return column.kind == SQL_COLUMN_VALUE ? row : ESSE_NIL;
}

/* ---- logic ---- */

static struct sql_datum datum_of_truth(enum esse_truth truth)
{
    return truth == ESSE_TRUTH_UNKNOWN ? (struct sql_datum){ .type = SQL_NULL }
                                       : sql_datum_boolean(truth == ESSE_TRUTH_TRUE);
}

static enum esse_truth truth_if(bool is_true)
{
    return is_true ? ESSE_TRUTH_TRUE : ESSE_TRUTH_FALSE;
}

static bool truth_of(struct eval *eval, const struct sql_expr *expr, enum esse_truth *truth)
{
    struct sql_datum datum;
    if (!evaluate(eval, expr, &datum))
        return false;
    *truth = ESSE_TRUTH_UNKNOWN;
    if (datum.type == SQL_NULL)
        return true;
    const char *problem = sql_datum_as_boolean(&datum, eval->why);
    if (problem)
        return refuse(eval, expr, problem);
    *truth = truth_if(datum.is.truth);
    return true;
}

/* AND stops at false, OR at true; an unknown on the way makes the rest unknown. */
static bool evaluate_logic(struct eval *eval, const struct sql_expr *expr, enum esse_truth *truth)
{
    const enum esse_truth stop = truth_if(expr->kind != SQL_AND);
    *truth = truth_if(expr->kind == SQL_AND);
    for (uint32_t i = 0; i < expr->count && *truth != stop; i++) {
        enum esse_truth one;
        if (!truth_of(eval, expr->args[i], &one))
            return false;
        if (one == stop || one == ESSE_TRUTH_UNKNOWN)
            *truth = one;
    }
    return true;
}

static bool evaluate_not(struct eval *eval, const struct sql_expr *expr, enum esse_truth *truth)
{
    if (!truth_of(eval, expr->args[0], truth))
        return false;
    if (*truth != ESSE_TRUTH_UNKNOWN)
        *truth = truth_if(*truth == ESSE_TRUTH_FALSE);
    return true;
}

static bool evaluate_is_truth(struct eval *eval, const struct sql_expr *expr,
                              enum esse_truth *truth)
{
    if (!truth_of(eval, expr->args[0], truth))
        return false;
    *truth = truth_if(*truth == expr->is.truth);
    return true;
}

static bool evaluate_is_null(struct eval *eval, const struct sql_expr *expr, enum esse_truth *truth)
{
    struct sql_datum datum;
    if (!evaluate(eval, expr->args[0], &datum))
        return false;
    *truth = truth_if(datum.type == SQL_NULL);
    return true;
}

/* ---- comparing ---- */

/* They meet as copies: a literal that met a number is still open to the next that it meets. */
static bool order_of(struct eval *eval, const struct sql_expr *expr, const struct sql_datum *a,
                     const struct sql_datum *b, int *order)
{
    if (a->type == b->type && a->type != SQL_LITERAL && a->type != SQL_OTHER) {
        *order = sql_datum_compare(a, b);
        return true;
    }
    struct sql_datum x = *a, y = *b;
    const char *problem = sql_datum_meet(&x, &y, eval->why);
    if (problem)
        return refuse(eval, expr, problem);
    *order = sql_datum_compare(&x, &y);
    return true;
}

static bool compare(struct eval *eval, const struct sql_expr *expr, const struct sql_datum *a,
                    const struct sql_datum *b, unsigned accepts, enum esse_truth *truth)
{
    int order = 0;
    *truth = ESSE_TRUTH_UNKNOWN;
    if (a->type == SQL_NULL || b->type == SQL_NULL)
        return true;
    if (!order_of(eval, expr, a, b, &order))
        return false;
    const unsigned is = order < 0 ? SQL_BELOW : order > 0 ? SQL_ABOVE : SQL_EQUAL;
    *truth = truth_if(accepts & is);
    return true;
}

static bool evaluate_compare(struct eval *eval, const struct sql_expr *expr, enum esse_truth *truth)
{
    struct sql_datum a, b;
    return evaluate(eval, expr->args[0], &a) && evaluate(eval, expr->args[1], &b) &&
           compare(eval, expr, &a, &b, expr->is.accepts, truth);
}

static bool evaluate_in(struct eval *eval, const struct sql_expr *expr, enum esse_truth *truth)
{
    struct sql_datum wanted, item;
    if (!evaluate(eval, expr->args[0], &wanted))
        return false;
    *truth = ESSE_TRUTH_FALSE;
    for (uint32_t i = 1; i < expr->count && *truth != ESSE_TRUTH_TRUE; i++) {
        enum esse_truth one;
        if (!evaluate(eval, expr->args[i], &item) ||
            !compare(eval, expr, &wanted, &item, SQL_EQUAL, &one))
            return false;
        if (one != ESSE_TRUTH_FALSE)
            *truth = one;
    }
    return true;
}

static bool evaluate_like(struct eval *eval, const struct sql_expr *expr, enum esse_truth *truth)
{
    struct sql_datum args[3];
    struct esse_span texts[3];
    *truth = ESSE_TRUTH_UNKNOWN;
    for (uint32_t i = 0; i < 3; i++)
        if (!evaluate(eval, expr->args[i], &args[i]))
            return false;
    for (uint32_t i = 0; i < 3; i++) {
        if (args[i].type == SQL_NULL)
            return true;
        if (args[i].type != SQL_TEXT && args[i].type != SQL_LITERAL)
            return refuse(eval, expr, "LIKE needs text on both sides");
        texts[i] = sql_datum_text(&args[i]);
    }
    const enum sql_like like = sql_like(texts[0], texts[1], texts[2]);
    if (like == SQL_LIKE_LONG_ESCAPE)
        return refuse(eval, expr, "ESCAPE must be empty or one character");
    if (like == SQL_LIKE_ENDS_IN_ESCAPE)
        return refuse(eval, expr, "the pattern of LIKE ends in its escape character");
    *truth = truth_if(like == SQL_LIKE_YES);
    return true;
}

/* ---- values ---- */

static bool evaluate_calculate(struct eval *eval, const struct sql_expr *expr,
                               struct sql_datum *result)
{
    struct sql_datum a, b;
    if (!evaluate(eval, expr->args[0], &a) || !evaluate(eval, expr->args[1], &b))
        return false;
    result->type = SQL_NULL;
    if (a.type == SQL_NULL || b.type == SQL_NULL)
        return true;
    const char *problem = sql_datum_calculate(expr->is.op, &a, &b, result, eval->why);
    return problem ? refuse(eval, expr, problem) : true;
}

static bool evaluate_cast(struct eval *eval, const struct sql_expr *expr, struct sql_datum *result)
{
    if (!evaluate(eval, expr->args[0], result))
        return false;
    if (result->type == SQL_NULL)
        return true;
    const char *problem = sql_datum_cast(result, expr->is.cast.to, expr->is.cast.room, eval->why);
    return problem ? refuse(eval, expr, problem) : true;
}

static bool evaluate_truth(struct eval *eval, const struct sql_expr *expr, enum esse_truth *truth)
{
    switch (expr->kind) {
    case SQL_COMPARE:
        return evaluate_compare(eval, expr, truth);
    case SQL_AND:
    case SQL_OR:
        return evaluate_logic(eval, expr, truth);
    case SQL_NOT:
        return evaluate_not(eval, expr, truth);
    case SQL_IN:
        return evaluate_in(eval, expr, truth);
    case SQL_LIKE:
        return evaluate_like(eval, expr, truth);
    case SQL_IS_NULL:
        return evaluate_is_null(eval, expr, truth);
    default:
        ESSE_HOT_ASSERT(expr->kind == SQL_IS_TRUTH);
        return evaluate_is_truth(eval, expr, truth);
    }
}

static bool evaluate(struct eval *eval, const struct sql_expr *expr, struct sql_datum *result)
{
    enum esse_truth truth;
    switch (expr->kind) {
    case SQL_CONSTANT:
        *result = *expr->is.constant;
        return true;
    case SQL_COLUMN:
        ESSE_HOT_ASSERT(expr->table < SQL_MOST_TABLES);
        *result = sql_datum_of(eval->values, sql_column_of(eval->values, expr->is.column,
                                                           eval->tuple->key[expr->table],
                                                           eval->tuple->row[expr->table]));
        return true;
    case SQL_CALCULATE:
        return evaluate_calculate(eval, expr, result);
    case SQL_CAST:
        return evaluate_cast(eval, expr, result);
    default:
        if (!evaluate_truth(eval, expr, &truth))
            return false;
        *result = datum_of_truth(truth);
        return true;
    }
}

/* ---- from outside ---- */

/* 'why' need not be cleared. */
static void open_eval(struct eval *eval, const struct esse_predicate *predicate,
                      const struct sql_tuple *tuple, struct esse_error *err)
{
    eval->predicate = predicate;
    eval->values = sql_history(predicate->of)->values;
    eval->tuple = tuple;
    eval->err = err;
}

bool sql_evaluate(const struct esse_predicate *predicate, const struct sql_expr *expr,
                  const struct sql_tuple *tuple, struct sql_datum *result, struct esse_error *err)
{
    struct eval eval;
    open_eval(&eval, predicate, tuple, err);
    return evaluate(&eval, expr, result);
}

static bool truth_for(const struct esse_predicate *predicate, const struct sql_expr *expr,
                      const struct sql_tuple *tuple, enum esse_truth *truth, struct esse_error *err)
{
    struct eval eval;
    open_eval(&eval, predicate, tuple, err);
    *truth = ESSE_TRUTH_TRUE;
    return !expr || truth_of(&eval, expr, truth);
}

bool sql_is_true(const struct esse_predicate *predicate, const struct sql_expr *condition,
                 const struct sql_tuple *tuple, bool *is_true, struct esse_error *err)
{
    enum esse_truth truth;
    if (!truth_for(predicate, condition, tuple, &truth, err))
        return false;
    *is_true = truth == ESSE_TRUTH_TRUE;
    return true;
}

/* Most predicates are ranges, and most columns integers: then two comparisons are the answer. */
static bool is_told_by_range(const struct esse_predicate *predicate, esse_value key, esse_value row,
                             enum esse_truth *truth)
{
    int64_t number;
    if (!predicate->is_range ||
        esse_column_value(sql_history(predicate->of)->values, predicate->range.column, key, row,
                          &number) != ESSE_COLUMN_INTEGER)
        return false;
    *truth = truth_if(predicate->range.low <= number && number <= predicate->range.high);
    return true;
}

bool esse_predicate_eval(const struct esse_predicate *predicate, esse_value key, esse_value row,
                         enum esse_truth *truth, struct esse_error *err)
{
    assert(!esse_value_eq(row, ESSE_NIL));
    if (is_told_by_range(predicate, key, row, truth))
        return true;
    const struct sql_select *select = predicate->select;
    const struct esse_values *values = sql_history(predicate->of)->values;
    const struct sql_tuple tuple = { { key, key }, { row, row } };
    *truth = ESSE_TRUTH_FALSE;
    for (uint32_t table = 0; table < select->tables && *truth != ESSE_TRUTH_TRUE; table++)
        if (sql_table_has(&select->table[table], values, key) &&
            !truth_for(predicate, select->side[table], &tuple, truth, err))
            return false;
    return true;
}
