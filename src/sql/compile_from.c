#include "sql/sql_compile.h"

#include <string.h>

/* FROM: sources, how they are joined, and what names mean then. */

static struct esse_join *compile_item(struct sql_compile *c, const PgQuery__Node *node);

static struct esse_join *new_join(struct sql_compile *c, enum esse_join_kind kind,
                                  const struct esse_join *left, const struct esse_join *right)
{
    struct esse_join *join = esse_arena_alloc(c->arena, 1, sizeof *join);
    join->kind = kind;
    join->left = left;
    join->right = right;
    return join;
}

static struct esse_expr *new_column(struct sql_compile *c, uint32_t source, uint32_t column,
                                    struct esse_type type)
{
    struct esse_expr *expr = sql_new(c, ESSE_EXPR_COLUMN, type, 0, 0);
    expr->is.column.source = source;
    expr->is.column.column = column;
    return expr;
}

static bool is_taken(const struct sql_scope *scope, const char *name)
{
    for (size_t i = 0; i < scope->sources.count; i++)
        if (scope->sources.at[i].name && strcmp(scope->sources.at[i].name, name) == 0)
            return true;
    return false;
}

static struct esse_join *add_source(struct sql_compile *c, struct esse_source source)
{
    struct esse_join *join = new_join(c, ESSE_JOIN_SOURCE, NULL, NULL);
    join->source = (uint32_t)c->scope->sources.count;
    sql_source_vec_push(&c->scope->sources, c->arena, source);
    return join;
}

static void add_visible(struct sql_compile *c, struct sql_scope *scope, const char *table,
                        const char *name, struct esse_expr *expr)
{
    sql_visible_vec_push(&scope->visible, c->arena,
                         (struct sql_visible){ .table = table, .name = name, .expr = expr });
}

void sql_add_table(struct sql_compile *c, struct sql_scope *scope, struct esse_table *table,
                   const char *name)
{
    const uint32_t source = (uint32_t)scope->sources.count;
    sql_source_vec_push(
        &scope->sources, c->arena,
        (struct esse_source){ .table = table, .name = name, .width = table->column_count });
    for (uint32_t i = 0; i < table->column_count; i++)
        add_visible(c, scope, name, table->columns[i].name,
                    new_column(c, source, i, table->columns[i].type));
}

struct esse_table *sql_table(struct sql_compile *c, const PgQuery__RangeVar *name)
{
    struct esse_table *table = esse_schema_table(c->schema, name->relname);
    if (!table && esse_schema_view(c->schema, name->relname))
        return sql_unsupported(c, name->location, "changing a view is not supported");
    if (!table)
        return sql_error(c, name->location, "42P01", "relation \"%s\" does not exist",
                         name->relname);
    for (size_t i = 0; i < c->tables.count; i++)
        if (c->tables.at[i] == table)
            return table;
    sql_table_vec_push(&c->tables, c->arena, table);
    return table;
}

/* Columns may have other names here: AS t (a, b). */
static bool name_columns(struct sql_compile *c, const PgQuery__Alias *alias, int32_t location,
                         size_t first)
{
    if (!alias)
        return true;
    if (alias->n_colnames > c->scope->visible.count - first)
        return sql_error(c, location, "42P10", "table \"%s\" has fewer columns than names given",
                         alias->aliasname);
    for (size_t i = 0; i < alias->n_colnames; i++) {
        const char *name = alias->colnames[i]->string->sval;
        c->scope->visible.at[first + i].name = esse_arena_text(c->arena, name, strlen(name));
    }
    return true;
}

static struct esse_join *add_query(struct sql_compile *c, struct esse_query *query,
                                   const char *name, const char **columns, uint32_t column_count,
                                   const PgQuery__Alias *alias, int32_t location)
{
    const uint32_t source = (uint32_t)c->scope->sources.count;
    const size_t first = c->scope->visible.count;
    struct esse_query *outer = c->scope->query;
    struct esse_join *join = add_source(
        c, (struct esse_source){ .query = query, .name = name, .width = query->output_count });
    if (outer->reaches_out < query->reaches_out)
        outer->reaches_out = query->reaches_out;
    outer->has_holes |= query->has_holes;
    if (column_count > query->output_count)
        return sql_error(c, location, "42P10", "more names of columns than columns");
    for (uint32_t i = 0; i < query->output_count; i++)
        add_visible(c, c->scope, name, i < column_count ? columns[i] : query->outputs[i].name,
                    new_column(c, source, i, query->outputs[i].type));
    return name_columns(c, alias, location, first) ? join : NULL;
}

static struct esse_query *compile_view(struct sql_compile *c, const struct esse_view *view)
{
    struct sql_scope *scope = c->scope;
    const struct sql_cte *ctes = c->ctes;
    c->scope = NULL;
    c->ctes = NULL;
    struct esse_query *query = sql_compile_query(c, view->query);
    c->scope = scope;
    c->ctes = ctes;
    return query;
}

static struct esse_join *compile_range_var(struct sql_compile *c, const PgQuery__RangeVar *node)
{
    const char *name = node->alias ? node->alias->aliasname : node->relname;
    name = esse_arena_text(c->arena, name, strlen(name));
    if (is_taken(c->scope, name))
        return sql_error(c, node->location, "42712", "table name \"%s\" specified more than once",
                         name);
    for (const struct sql_cte *cte = *node->schemaname ? NULL : c->ctes; cte; cte = cte->up)
        if (strcmp(cte->name, node->relname) == 0)
            return add_query(c, cte->query, name, cte->columns, cte->column_count, node->alias,
                             node->location);
    const struct esse_view *view = esse_schema_view(c->schema, node->relname);
    if (view) {
        struct esse_query *query = compile_view(c, view);
        return query ? add_query(c, query, name, view->columns, view->column_count, node->alias,
                                 node->location)
                     : NULL;
    }
    struct esse_table *table = sql_table(c, node);
    if (!table)
        return NULL;
    const size_t first = c->scope->visible.count;
    struct esse_join *join = new_join(c, ESSE_JOIN_SOURCE, NULL, NULL);
    join->source = (uint32_t)c->scope->sources.count;
    sql_add_table(c, c->scope, table, name);
    return name_columns(c, node->alias, node->location, first) ? join : NULL;
}

static struct esse_join *compile_derived(struct sql_compile *c, const PgQuery__RangeSubselect *node)
{
    struct sql_scope *scope = c->scope;
    if (node->lateral)
        return sql_unsupported(c, -1, "LATERAL is not supported");
    const char *name = node->alias ? node->alias->aliasname : NULL;
    if (!name)
        return sql_error(c, -1, "42601", "subquery in FROM must have an alias");
    if (is_taken(scope, name))
        return sql_error(c, -1, "42712", "table name \"%s\" specified more than once", name);
    c->scope = scope->up;
    struct esse_query *query = sql_compile_query(c, node->subquery->select_stmt);
    c->scope = scope;
    return query ? add_query(c, query, esse_arena_text(c->arena, name, strlen(name)), NULL, 0,
                             node->alias, -1)
                 : NULL;
}

/* ---- joins ---- */

/* Where the visible columns of a join begin, of its right side begin, and end. */
struct sides {
    size_t left, right, end;
};

static struct sql_visible *side_column(struct sql_compile *c, size_t from, size_t to,
                                       const char *name)
{
    struct sql_visible *found = NULL;
    for (size_t i = from; i < to; i++) {
        struct sql_visible *visible = &c->scope->visible.at[i];
        if (visible->is_merged || strcmp(visible->name, name) != 0)
            continue;
        if (found)
            return sql_error(c, -1, "42702", "common column name \"%s\" appears more than once",
                             name);
        found = visible;
    }
    return found;
}

static struct esse_expr *merged(struct sql_compile *c, enum esse_join_kind kind,
                                struct esse_expr *left, struct esse_expr *right)
{
    if (kind == ESSE_JOIN_RIGHT)
        return right;
    if (kind != ESSE_JOIN_FULL)
        return left;
    struct esse_expr *expr = sql_new_2(c, ESSE_EXPR_COALESCE, left->type, 0, left, right);
    return sql_common_type(c, expr->args, 2, "JOIN/USING", &expr->type) ? expr : NULL;
}

/* The columns that USING or NATURAL joins by: merged first, then the others of both sides. */
static bool merge_columns(struct sql_compile *c, struct esse_join *join, struct sides sides,
                          const char **names, size_t count)
{
    struct sql_visible_vec *all = &c->scope->visible, order = { 0 };
    struct esse_expr *on = NULL;
    for (size_t i = 0; i < count; i++) {
        struct sql_visible *left = side_column(c, sides.left, sides.right, names[i]);
        struct sql_visible *right = left ? side_column(c, sides.right, sides.end, names[i]) : NULL;
        if (!right)
            return sql_error(c, -1, "42703",
                             "column \"%s\" specified in USING clause does not exist", names[i]);
        struct esse_expr *equal = sql_compare(c, "=", 0, left->expr, right->expr);
        struct esse_expr *one = equal ? merged(c, join->kind, left->expr, right->expr) : NULL;
        if (!one)
            return false;
        on = sql_logic(c, ESSE_EXPR_AND, 0, on, equal);
        sql_visible_vec_push(&order, c->arena,
                             (struct sql_visible){ .name = left->name, .expr = one });
        left->is_merged = right->is_merged = true;
    }
    for (int hidden = 0; hidden < 2; hidden++)
        for (size_t i = sides.left; i < sides.end; i++)
            if (all->at[i].is_merged == hidden)
                sql_visible_vec_push(&order, c->arena, all->at[i]);
    all->count = sides.left;
    sql_visible_vec_append(all, c->arena, order.at, order.count);
    join->on = on;
    return true;
}

static bool join_natural(struct sql_compile *c, struct esse_join *join, struct sides sides)
{
    const char **names = esse_arena_alloc(c->arena, sides.right - sides.left + 1, sizeof *names);
    size_t count = 0;
    for (size_t i = sides.left; i < sides.right; i++) {
        const struct sql_visible *left = &c->scope->visible.at[i];
        if (left->is_merged)
            continue;
        if (side_column(c, sides.right, sides.end, left->name))
            names[count++] = left->name;
        if (c->fault->kind != ESSE_FAULT_NONE)
            return false;
    }
    return merge_columns(c, join, sides, names, count);
}

/* ON sees the two sides and nothing else of FROM. */
static bool join_on(struct sql_compile *c, struct esse_join *join, struct sides sides,
                    const PgQuery__Node *quals)
{
    struct sql_scope *scope = c->scope;
    const struct sql_visible_vec all = scope->visible;
    scope->visible.at += sides.left;
    scope->visible.count -= sides.left;
    scope->no_aggregates = "JOIN conditions";
    struct esse_expr *on = sql_compile_expr(c, quals);
    on = on ? sql_as_bool(c, on, "JOIN/ON") : NULL;
    scope->no_aggregates = NULL;
    scope->visible = all;
    join->on = on;
    return on != NULL;
}

static struct esse_join *compile_join(struct sql_compile *c, const PgQuery__JoinExpr *node)
{
    static const enum esse_join_kind kinds[] = {
        [PG_QUERY__JOIN_TYPE__JOIN_INNER] = ESSE_JOIN_INNER,
        [PG_QUERY__JOIN_TYPE__JOIN_LEFT] = ESSE_JOIN_LEFT,
        [PG_QUERY__JOIN_TYPE__JOIN_FULL] = ESSE_JOIN_FULL,
        [PG_QUERY__JOIN_TYPE__JOIN_RIGHT] = ESSE_JOIN_RIGHT,
    };
    struct sides sides;
    if (node->alias || node->join_using_alias)
        return sql_unsupported(c, -1, "another name for a join is not supported");
    sides.left = c->scope->visible.count;
    struct esse_join *left = compile_item(c, node->larg);
    sides.right = c->scope->visible.count;
    struct esse_join *right = left ? compile_item(c, node->rarg) : NULL;
    sides.end = c->scope->visible.count;
    if (!right)
        return NULL;
    struct esse_join *join = new_join(c, kinds[node->jointype], left, right);
    bool ok = true;
    if (node->is_natural) {
        ok = join_natural(c, join, sides);
    } else if (node->n_using_clause) {
        const char **names = esse_arena_alloc(c->arena, node->n_using_clause, sizeof *names);
        for (size_t i = 0; i < node->n_using_clause; i++)
            names[i] = node->using_clause[i]->string->sval;
        ok = merge_columns(c, join, sides, names, node->n_using_clause);
    } else if (node->quals) {
        ok = join_on(c, join, sides, node->quals);
    }
    return ok ? join : NULL;
}

static struct esse_join *compile_item(struct sql_compile *c, const PgQuery__Node *node)
{
    if (c->depth > 400)
        return sql_unsupported(c, -1, "more than 400 levels of joins are not supported");
    c->depth++;
    struct esse_join *join = NULL;
    switch (node->node_case) {
    case PG_QUERY__NODE__NODE_RANGE_VAR:
        join = compile_range_var(c, node->range_var);
        break;
    case PG_QUERY__NODE__NODE_RANGE_SUBSELECT:
        join = compile_derived(c, node->range_subselect);
        break;
    case PG_QUERY__NODE__NODE_JOIN_EXPR:
        join = compile_join(c, node->join_expr);
        break;
    default:
        sql_unsupported(c, -1, "functions in FROM and TABLESAMPLE are not supported");
    }
    c->depth--;
    return join;
}

/* Adds to what the query has already: the table of an UPDATE. */
bool sql_compile_from(struct sql_compile *c, PgQuery__Node **items, size_t count)
{
    struct esse_query *query = c->scope->query;
    for (size_t i = 0; i < count; i++) {
        struct esse_join *join = compile_item(c, items[i]);
        if (!join)
            return false;
        query->from = query->from ? new_join(c, ESSE_JOIN_INNER, query->from, join) : join;
    }
    return true;
}
