#include "sql/sql_compile.h"

#include <string.h>

/* What may be asked after grouping: what is the same in all rows of a group. */

bool sql_same_expr(const struct esse_expr *a, const struct esse_expr *b)
{
    if (!a || !b)
        return a == b;
    if (a->kind != b->kind || a->op != b->op || a->count != b->count ||
        a->is_negated != b->is_negated || a->type.base != b->type.base ||
        a->type.length != b->type.length)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!sql_same_expr(a->args[i], b->args[i]))
            return false;
    switch ((enum esse_expr_kind)a->kind) {
    case ESSE_EXPR_CONSTANT:
        return a->is.constant.kind == b->is.constant.kind &&
               esse_datum_same(a->is.constant, b->is.constant, false);
    case ESSE_EXPR_COLUMN:
        return a->is.column.depth == b->is.column.depth &&
               a->is.column.source == b->is.column.source &&
               a->is.column.column == b->is.column.column;
    case ESSE_EXPR_SLOT:
    case ESSE_EXPR_PARAM:
    case ESSE_EXPR_PLACE:
        return a->is.number == b->is.number;
    case ESSE_EXPR_AGGREGATE:
        return a->is.number == b->is.number;
    case ESSE_EXPR_FUNCTION:
        return a->is.function == b->is.function;
    case ESSE_EXPR_CALL:
    case ESSE_EXPR_HOLE:
    case ESSE_EXPR_EXISTS:
    case ESSE_EXPR_SCALAR:
    case ESSE_EXPR_QUANTIFIED:
        return a == b;
    default:
        return true;
    }
}

typedef bool each_expr(void *context, struct esse_expr *expr, uint32_t depth);

static bool walk_query(const struct esse_query *query, uint32_t depth, each_expr *each,
                       void *context);

static bool walk_join(const struct esse_join *join, uint32_t depth, each_expr *each, void *context)
{
    if (!join || join->kind == ESSE_JOIN_SOURCE)
        return true;
    return walk_join(join->left, depth, each, context) &&
           walk_join(join->right, depth, each, context) &&
           sql_walk((struct esse_expr *)join->on, depth, each, context);
}

/* A sub-select of FROM stands as deep as the query whose FROM it is. */
static bool walk_query(const struct esse_query *query, uint32_t depth, each_expr *each,
                       void *context)
{
    bool ok = true;
    if (query->set != ESSE_SET_NONE)
        ok = walk_query(query->left, depth, each, context) &&
             walk_query(query->right, depth, each, context);
    for (uint32_t i = 0; ok && i < query->source_count; i++)
        if (query->sources[i].query)
            ok = walk_query(query->sources[i].query, depth, each, context);
    ok = ok && walk_join(query->from, depth, each, context) &&
         sql_walk(query->where, depth, each, context);
    for (uint32_t i = 0; ok && i < query->group_count; i++)
        ok = sql_walk(query->groups[i], depth, each, context);
    for (uint32_t i = 0; ok && i < query->output_count; i++)
        ok = sql_walk(query->outputs[i].expr, depth, each, context);
    for (uint32_t i = 0; ok && i < query->aggregate_count; i++)
        ok = sql_walk((struct esse_expr *)query->aggregates[i].of, depth, each, context) &&
             sql_walk((struct esse_expr *)query->aggregates[i].filter, depth, each, context);
    for (uint32_t i = 0; ok && query->is_values && i < query->value_count * query->output_count;
         i++)
        ok = sql_walk(query->values[i], depth, each, context);
    for (uint32_t i = 0; ok && i < query->sort_count; i++)
        ok = sql_walk((struct esse_expr *)query->sorts[i].by, depth, each, context);
    return ok && sql_walk(query->having, depth, each, context);
}

/* 'each' returns false to leave out what is below. */
bool sql_walk(struct esse_expr *expr, uint32_t depth, each_expr *each, void *context)
{
    if (!expr || !each(context, expr, depth))
        return true;
    for (uint32_t i = 0; i < expr->count; i++)
        if (!sql_walk(expr->args[i], depth, each, context))
            return false;
    if (expr->kind == ESSE_EXPR_EXISTS || expr->kind == ESSE_EXPR_SCALAR ||
        expr->kind == ESSE_EXPR_QUANTIFIED)
        return walk_query(expr->is.query, depth + 1, each, context);
    return true;
}

struct grouping {
    struct sql_compile *c;
    const struct esse_query *query;
};

/* Are all columns of the primary key grouped by?  Then the others depend on them. */
static bool has_grouped_key(const struct esse_query *query, uint32_t source)
{
    const struct esse_table *table = query->sources[source].table;
    if (!table || !table->has_key)
        return false;
    const struct esse_table_index *key = &table->indexes.at[0];
    for (uint32_t i = 0; i < key->count; i++) {
        bool found = false;
        for (uint32_t k = 0; k < query->group_count; k++) {
            const struct esse_expr *group = query->groups[k];
            found |= group->kind == ESSE_EXPR_COLUMN && group->is.column.depth == 0 &&
                     group->is.column.source == source &&
                     group->is.column.column == key->columns[i];
        }
        if (!found)
            return false;
    }
    return true;
}

static bool check_one(void *context, struct esse_expr *expr, uint32_t depth)
{
    struct grouping *grouping = context;
    if (expr->kind == ESSE_EXPR_AGGREGATE && depth == 0)
        return false;
    for (uint32_t i = 0; depth == 0 && i < grouping->query->group_count; i++)
        if (sql_same_expr(expr, grouping->query->groups[i]))
            return false;
    if (expr->kind != ESSE_EXPR_COLUMN || expr->is.column.depth != depth)
        return true;
    for (uint32_t i = 0; i < grouping->query->group_count; i++) {
        const struct esse_expr *group = grouping->query->groups[i];
        if (group->kind == ESSE_EXPR_COLUMN && group->is.column.depth == 0 &&
            group->is.column.source == expr->is.column.source &&
            group->is.column.column == expr->is.column.column)
            return false;
    }
    if (!has_grouped_key(grouping->query, expr->is.column.source))
        sql_error(
            grouping->c, (int32_t)expr->at - 1, "42803",
            "a column must appear in the GROUP BY clause or be used in an aggregate function");
    return false;
}

bool sql_check_groups(struct sql_compile *c, struct esse_query *query)
{
    struct grouping grouping = { c, query };
    for (uint32_t i = 0; i < query->output_count; i++)
        sql_walk(query->outputs[i].expr, 0, check_one, &grouping);
    sql_walk(query->having, 0, check_one, &grouping);
    for (uint32_t i = 0; i < query->sort_count; i++)
        sql_walk((struct esse_expr *)query->sorts[i].by, 0, check_one, &grouping);
    return c->fault->kind == ESSE_FAULT_NONE;
}

static bool note_source(void *context, struct esse_expr *expr, uint32_t depth)
{
    uint64_t *sources = context;
    if (expr->kind == ESSE_EXPR_COLUMN && expr->is.column.depth == depth)
        *sources |= UINT64_C(1) << expr->is.column.source;
    return true;
}

uint64_t esse_expr_sources(const struct esse_expr *expr)
{
    uint64_t sources = 0;
    sql_walk((struct esse_expr *)expr, 0, note_source, &sources);
    return sources;
}
