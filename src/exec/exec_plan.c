#include "exec/exec_run.h"

#include <assert.h>
#include <string.h>

/*
 * How the rows of a query are reached: inner joins are put into an order, conditions are given to
 * the first step at which all that they look at is known, and each table gets an index if what is
 * known by then bounds one.
 */

ESSE_VEC(condition_vec, const struct esse_expr *)
ESSE_VEC(join_vec, const struct esse_join *)
ESSE_VEC(bound_vec, struct exec_bound)

struct planning {
    struct esse_schema *schema;
    struct esse_arena *arena;
    const struct esse_query *query;
    uint32_t steps;
};

static void split(struct planning *p, const struct esse_expr *condition, struct condition_vec *into)
{
    if (!condition)
        return;
    if (condition->kind == ESSE_EXPR_AND) {
        for (uint32_t i = 0; i < condition->count; i++)
            split(p, condition->args[i], into);
        return;
    }
    condition_vec_push(into, p->arena, condition);
}

static uint64_t bit(uint32_t source)
{
    return UINT64_C(1) << source;
}

static uint64_t sources_of(const struct esse_join *join)
{
    return join->kind == ESSE_JOIN_SOURCE ? bit(join->source)
                                          : sources_of(join->left) | sources_of(join->right);
}

/* The items of nested inner joins, and all their conditions. */
static void flatten(struct planning *p, const struct esse_join *join, struct join_vec *items,
                    struct condition_vec *conditions)
{
    if (join->kind != ESSE_JOIN_INNER) {
        join_vec_push(items, p->arena, join);
        return;
    }
    flatten(p, join->left, items, conditions);
    flatten(p, join->right, items, conditions);
    split(p, join->on, conditions);
}

/* ---- bounds ---- */

/* A char(n) that became a text without its blanks is ordered as its keys are. */
static const struct esse_expr *column_in(const struct esse_expr *expr)
{
    if (expr->kind == ESSE_EXPR_CAST && expr->args[0]->type.base == ESSE_TYPE_CHAR &&
        esse_type_is_text(expr->type) && !expr->type.length)
        expr = expr->args[0];
    return expr->kind == ESSE_EXPR_COLUMN && expr->is.column.depth == 0 ? expr : NULL;
}

static uint8_t turned(uint8_t accepts)
{
    return (uint8_t)((accepts & ESSE_EQUAL) | (accepts & ESSE_BELOW ? ESSE_ABOVE : 0) |
                     (accepts & ESSE_ABOVE ? ESSE_BELOW : 0));
}

static void add_bounds(struct planning *p, const struct esse_expr *condition, uint32_t source,
                       uint64_t known, struct bound_vec *bounds)
{
    if (condition->kind != ESSE_EXPR_COMPARE || condition->op == (ESSE_BELOW | ESSE_ABOVE))
        return;
    for (int side = 0; side < 2; side++) {
        const struct esse_expr *column = column_in(condition->args[side]);
        const struct esse_expr *value = condition->args[1 - side];
        if (!column || column->is.column.source != source || (esse_expr_sources(value) & ~known))
            continue;
        bound_vec_push(bounds, p->arena,
                       (struct exec_bound){ column->is.column.column,
                                            side ? turned(condition->op) : condition->op, value });
    }
}

static const struct exec_bound *find_bound(const struct bound_vec *bounds, uint32_t column,
                                           bool is_equal, uint8_t side)
{
    for (size_t i = 0; i < bounds->count; i++)
        if (bounds->at[i].column == column &&
            (is_equal ? bounds->at[i].accepts == ESSE_EQUAL
                      : bounds->at[i].accepts != ESSE_EQUAL && (bounds->at[i].accepts & side)))
            return &bounds->at[i];
    return NULL;
}

static struct exec_access try_index(const struct esse_table *table, uint32_t number,
                                    const struct bound_vec *bounds)
{
    struct exec_access access = { .index = number == 0 && table->has_key ? ESSE_BY_KEY : number };
    const struct esse_table_index *index = &table->indexes.at[number];
    while (access.equal < index->count && access.equal < 16) {
        const struct exec_bound *bound = find_bound(bounds, index->columns[access.equal], true, 0);
        if (!bound)
            break;
        access.equals[access.equal++] = bound;
    }
    if (access.equal < index->count) {
        const struct exec_bound *low =
            find_bound(bounds, index->columns[access.equal], false, ESSE_ABOVE);
        const struct exec_bound *high =
            find_bound(bounds, index->columns[access.equal], false, ESSE_BELOW);
        if (low)
            access.ranges[access.range++] = low;
        if (high)
            access.ranges[access.range++] = high;
    }
    access.is_used = access.equal || access.range;
    return access;
}

static unsigned worth(const struct esse_table *table, const struct exec_access *access)
{
    const uint32_t number = access->index == ESSE_BY_KEY ? 0 : access->index;
    const bool is_whole =
        table->indexes.at[number].is_unique && access->equal == table->indexes.at[number].count;
    return !access->is_used ? 0
                            : (is_whole ? 1000u : 0) + access->equal * 20 + access->range * 4 +
                                  (access->index == ESSE_BY_KEY);
}

/* The best index; one on the first column that is bounded is made if there is none. */
static struct exec_access choose(struct planning *p, const struct esse_source *source,
                                 const struct bound_vec *bounds)
{
    struct exec_access best = { .is_used = false };
    struct esse_table *table = (struct esse_table *)source->table;
    if (!bounds->count)
        return best;
    for (uint32_t i = 0; i < table->indexes.count; i++) {
        if (table->indexes.at[i].is_dropped)
            continue;
        const struct exec_access access = try_index(table, i, bounds);
        if (worth(table, &access) > worth(table, &best))
            best = access;
    }
    if (!best.is_used) {
        uint32_t column = bounds->at[0].column;
        for (size_t i = 0; i < bounds->count; i++)
            if (bounds->at[i].accepts == ESSE_EQUAL)
                column = bounds->at[i].column;
        best = try_index(table, esse_table_index_on(p->schema, table, &column, 1), bounds);
    }
    return best;
}

/* ---- equalities that a hash can serve ---- */

static void add_pairs(struct exec_step *step, const struct esse_expr *condition, uint64_t known)
{
    if (condition->kind != ESSE_EXPR_COMPARE || condition->op != ESSE_EQUAL ||
        step->pairs == EXEC_MOST_PAIRS)
        return;
    for (int side = 0; side < 2; side++) {
        const uint64_t own = esse_expr_sources(condition->args[side]);
        const uint64_t theirs = esse_expr_sources(condition->args[1 - side]);
        if (own != bit(step->source) || !theirs || (theirs & ~known))
            continue;
        step->own[step->pairs] = condition->args[side];
        step->theirs[step->pairs] = condition->args[1 - side];
        step->folds[step->pairs++] = condition->is_all;
        return;
    }
}

/* ---- steps ---- */

static const struct exec_from *plan_from(struct planning *p, const struct esse_join *join,
                                         struct condition_vec *conditions, uint64_t known);

static void take_conditions(struct planning *p, struct exec_step *step,
                            struct condition_vec *conditions, uint64_t known)
{
    struct condition_vec taken = { 0 }, own = { 0 };
    size_t kept = 0;
    for (size_t i = 0; i < conditions->count; i++) {
        const uint64_t needs = esse_expr_sources(conditions->at[i]);
        if (needs & ~known) {
            conditions->at[kept++] = conditions->at[i];
            continue;
        }
        if (!step->is_outer && needs == bit(step->source))
            condition_vec_push(&own, p->arena, conditions->at[i]);
        condition_vec_push(&taken, p->arena, conditions->at[i]);
    }
    conditions->count = kept;
    step->conditions = taken.at;
    step->condition_count = (uint32_t)taken.count;
    step->own_conditions = own.at;
    step->own_count = (uint32_t)own.count;
}

static void plan_source(struct planning *p, struct exec_step *step,
                        const struct condition_vec *conditions, uint64_t known)
{
    const struct esse_source *source = &p->query->sources[step->source];
    struct bound_vec bounds = { 0 };
    for (size_t i = 0; i < conditions->count; i++) {
        if (esse_expr_sources(conditions->at[i]) & ~(known | bit(step->source)))
            continue;
        if (source->table)
            add_bounds(p, conditions->at[i], step->source, known, &bounds);
        add_pairs(step, conditions->at[i], known);
    }
    if (source->table)
        step->access = choose(p, source, &bounds);
}

/* Conditions from outside that look at one side alone go there, if that side is never NULL. */
static void push_down(struct planning *p, uint64_t side, uint64_t known, struct condition_vec *from,
                      struct condition_vec *to)
{
    size_t kept = 0;
    for (size_t i = 0; i < from->count; i++) {
        const uint64_t needs = esse_expr_sources(from->at[i]);
        if ((needs & side) && !(needs & ~(side | known)))
            condition_vec_push(to, p->arena, from->at[i]);
        else
            from->at[kept++] = from->at[i];
    }
    from->count = kept;
}

static void plan_outer(struct planning *p, struct exec_step *step, const struct esse_join *join,
                       struct condition_vec *conditions, uint64_t known)
{
    struct condition_vec left = { 0 }, on = { 0 };
    const struct esse_join *a = join->left, *b = join->right;
    step->is_outer = true;
    step->kind = join->kind == ESSE_JOIN_FULL ? ESSE_JOIN_FULL : ESSE_JOIN_LEFT;
    if (join->kind == ESSE_JOIN_RIGHT) {
        a = join->right;
        b = join->left;
    }
    step->sources = sources_of(b);
    split(p, join->on, &on);
    if (step->kind == ESSE_JOIN_LEFT)
        push_down(p, sources_of(a), known, conditions, &left);
    step->left = plan_from(p, a, &left, known);
    if (step->kind == ESSE_JOIN_FULL) {
        struct condition_vec none = { 0 };
        step->right = plan_from(p, b, &none, known);
        step->on = on.at;
        step->on_count = (uint32_t)on.count;
        return;
    }
    step->right = plan_from(p, b, &on, known | sources_of(a));
}

/* Which item comes next: what has an index that is bounded, what is joined to something known. */
static unsigned score(struct planning *p, const struct esse_join *item,
                      const struct condition_vec *conditions, uint64_t known)
{
    if (item->kind != ESSE_JOIN_SOURCE)
        return 1;
    struct exec_step step = { .source = item->source };
    plan_source(p, &step, conditions, known);
    const struct esse_table *table = p->query->sources[item->source].table;
    return (step.access.is_used ? 10 + worth(table, &step.access) : 0) + (step.pairs ? 5 : 0) + 2;
}

static const struct exec_from *plan_from(struct planning *p, const struct esse_join *join,
                                         struct condition_vec *conditions, uint64_t known)
{
    struct exec_from *from = esse_arena_alloc(p->arena, 1, sizeof *from);
    struct join_vec items = { 0 };
    if (!join)
        return from;
    flatten(p, join, &items, conditions);
    from->steps = esse_arena_alloc(p->arena, items.count, sizeof *from->steps);
    while (from->count < items.count) {
        size_t best = SIZE_MAX;
        unsigned best_score = 0;
        for (size_t i = 0; i < items.count; i++) {
            const unsigned worth_it =
                items.at[i] && items.count > 1 ? score(p, items.at[i], conditions, known) : 1;
            if (items.at[i] && (best == SIZE_MAX || worth_it > best_score)) {
                best = i;
                best_score = worth_it;
            }
        }
        const struct esse_join *item = items.at[best];
        struct exec_step *step = &from->steps[from->count++];
        items.at[best] = NULL;
        step->number = p->steps++;
        if (item->kind == ESSE_JOIN_SOURCE) {
            step->source = item->source;
            plan_source(p, step, conditions, known);
        } else {
            plan_outer(p, step, item, conditions, known);
        }
        known |= sources_of(item);
        take_conditions(p, step, conditions, known);
    }
    return from;
}

const struct exec_query_plan *exec_plan_query(struct esse_schema *schema, struct esse_arena *arena,
                                              const struct esse_query *query)
{
    struct exec_query_plan *plan = esse_arena_alloc(arena, 1, sizeof *plan);
    struct planning p = { .schema = schema, .arena = arena, .query = query };
    struct condition_vec conditions = { 0 };
    split(&p, query->where, &conditions);
    struct exec_from *from = (struct exec_from *)plan_from(&p, query->from, &conditions, 0);
    if (!query->from) { /* a step without a source: WHERE alone */
        from->steps = esse_arena_alloc(arena, 1, sizeof *from->steps);
        from->steps[0].conditions = conditions.at;
        from->steps[0].condition_count = (uint32_t)conditions.count;
        p.steps = 1;
    }
    plan->from = from;
    plan->step_count = p.steps;
    return plan;
}
