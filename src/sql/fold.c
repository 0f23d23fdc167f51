#include "sql/eval.h"

#include <assert.h>
#include <string.h>

/* ---- DISTINCT: a hash set of values ---- */

static bool add_seen(struct esse_eval *eval, struct esse_fold *fold, struct esse_datum value,
                     bool is_folded)
{
    uint32_t at = esse_datum_hash(value, is_folded) & (fold->seen_room - 1);
    for (; fold->seen[at].kind != ESSE_DATUM_NULL; at = (at + 1) & (fold->seen_room - 1))
        if (esse_datum_same(fold->seen[at], value, is_folded))
            return false;
    fold->seen[at] = esse_datum_keep(eval->arena, value);
    return true;
}

static bool is_new(struct esse_eval *eval, struct esse_fold *fold, struct esse_datum value,
                   bool is_folded)
{
    if ((uint64_t)(fold->count + 1) * 2 > fold->seen_room) {
        const struct esse_fold old = *fold;
        fold->seen_room = old.seen_room ? old.seen_room * 2 : 16;
        fold->seen = esse_arena_alloc(eval->arena, fold->seen_room, sizeof *fold->seen);
        for (uint32_t i = 0; i < old.seen_room; i++)
            if (old.seen[i].kind != ESSE_DATUM_NULL)
                add_seen(eval, fold, old.seen[i], is_folded);
    }
    return add_seen(eval, fold, value, is_folded);
}

/* ---- folding ---- */

static bool keep_extreme(struct esse_eval *eval, const struct esse_aggregate *aggregate,
                         struct esse_fold *fold, struct esse_datum value)
{
    const int order = fold->count == 1
                          ? 0
                          : esse_datum_compare(value, fold->value, aggregate->of->type.is_folded);
    if (fold->count == 1 || (aggregate->kind == ESSE_AGG_MIN ? order < 0 : order > 0))
        fold->value = esse_datum_keep(eval->arena, value);
    return true;
}

/* Sums of integers are decimals while they grow: PostgreSQL looks at the range in the end. */
static bool add_up(struct esse_eval *eval, struct esse_fold *fold, struct esse_datum value)
{
    const struct esse_type type =
        value.kind == ESSE_DATUM_REAL ? ESSE_TYPE(FLOAT8) : ESSE_TYPE(NUMERIC);
    if (fold->count == 1) {
        fold->value = value.kind == ESSE_DATUM_REAL ? value : esse_datum_keep(eval->arena, value);
        return true;
    }
    int64_t sum; /* which is written even if it does not fit */
    if (fold->value.kind == ESSE_DATUM_INT && value.kind == ESSE_DATUM_INT &&
        !__builtin_add_overflow(fold->value.is.number, value.is.number, &sum)) {
        fold->value.is.number = sum;
        return true;
    }
    return esse_calculate(eval->arena, '+', type, fold->value, value, &fold->value, eval->fault);
}

bool esse_fold_add(struct esse_eval *eval, const struct esse_frame *frame,
                   const struct esse_aggregate *aggregate, struct esse_fold *fold)
{
    struct esse_datum value;
    bool counts;
    if (!esse_eval_true(eval, frame, aggregate->filter, &counts))
        return false;
    if (!counts)
        return true;
    if (aggregate->kind == ESSE_AGG_COUNT_ROWS) {
        fold->count++;
        return true;
    }
    if (!esse_eval(eval, frame, aggregate->of, &value))
        return false;
    if (value.kind == ESSE_DATUM_NULL)
        return true;
    if (value.kind == ESSE_DATUM_HOLE &&
        (aggregate->kind != ESSE_AGG_COUNT || aggregate->is_distinct))
        return esse_fault_hole(eval->fault, (uint64_t)value.is.number);
    if (aggregate->is_distinct && !is_new(eval, fold, value, aggregate->of->type.is_folded))
        return true;
    fold->count++;
    switch (aggregate->kind) {
    case ESSE_AGG_SUM:
    case ESSE_AGG_AVG:
        return add_up(eval, fold, value);
    case ESSE_AGG_MIN:
    case ESSE_AGG_MAX:
        return keep_extreme(eval, aggregate, fold, value);
    case ESSE_AGG_EVERY:
        fold->value =
            esse_datum_bool((fold->count == 1 || fold->value.is.number) && value.is.number);
        return true;
    case ESSE_AGG_SOME:
        fold->value =
            esse_datum_bool((fold->count > 1 && fold->value.is.number) || value.is.number);
        return true;
    default:
        return true;
    }
}

static bool average(struct esse_eval *eval, const struct esse_aggregate *aggregate,
                    const struct esse_fold *fold, struct esse_datum *value)
{
    struct esse_datum count = esse_datum_int(fold->count), sum = fold->value;
    if (esse_type_is_real(aggregate->type)) {
        *value = esse_datum_real(esse_datum_double(sum) / (double)fold->count);
        return true;
    }
    if (!esse_cast(eval->arena, sum, aggregate->type, ESSE_TYPE(NUMERIC), ESSE_CAST_ASSIGN, &sum,
                   eval->fault) ||
        !esse_cast(eval->arena, count, aggregate->type, ESSE_TYPE(NUMERIC), ESSE_CAST_ASSIGN,
                   &count, eval->fault))
        return false;
    return esse_calculate(eval->arena, '/', ESSE_TYPE(NUMERIC), sum, count, value, eval->fault);
}

bool esse_fold_end(struct esse_eval *eval, const struct esse_aggregate *aggregate,
                   const struct esse_fold *fold, struct esse_datum *value)
{
    if (aggregate->kind == ESSE_AGG_COUNT_ROWS || aggregate->kind == ESSE_AGG_COUNT) {
        *value = esse_datum_int(fold->count);
        return true;
    }
    *value = esse_datum_null();
    if (!fold->count)
        return true;
    if (aggregate->kind == ESSE_AGG_AVG)
        return average(eval, aggregate, fold, value);
    *value = fold->value;
    if (aggregate->kind == ESSE_AGG_SUM)
        return esse_cast(eval->arena, fold->value, aggregate->type, aggregate->type,
                         ESSE_CAST_ASSIGN, value, eval->fault);
    return true;
}

/* ---- rows ---- */

bool esse_row_generate(struct esse_eval *eval, const struct esse_table *table,
                       struct esse_datum *row)
{
    const struct esse_datum *rows[] = { row };
    const struct esse_frame frame = { .rows = rows };
    for (uint32_t i = 0; i < table->column_count; i++)
        if (table->columns[i].is_generated &&
            !esse_eval(eval, &frame, table->columns[i].otherwise, &row[i]))
            return false;
    return true;
}

bool esse_row_check(struct esse_eval *eval, const struct esse_table *table,
                    const struct esse_datum *row)
{
    const struct esse_datum *rows[] = { row };
    const struct esse_frame frame = { .rows = rows };
    for (uint32_t i = 0; i < table->column_count; i++)
        if (table->columns[i].not_null && row[i].kind == ESSE_DATUM_NULL)
            return esse_fault(eval->fault, "23502", 0,
                              "null value in column \"%s\" of relation \"%s\" violates not-null "
                              "constraint",
                              table->columns[i].name, table->name);
    for (uint32_t i = 0; i < table->check_count; i++) {
        struct esse_datum value;
        if (!esse_eval(eval, &frame, table->checks[i].condition, &value))
            return false;
        if (value.kind == ESSE_DATUM_HOLE)
            return esse_fault_hole(eval->fault, (uint64_t)value.is.number);
        if (value.kind != ESSE_DATUM_NULL && !value.is.number)
            return esse_fault(eval->fault, "23514", 0,
                              "new row for relation \"%s\" violates check constraint \"%s\"",
                              table->name, table->checks[i].name);
    }
    return true;
}
