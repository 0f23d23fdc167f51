#include "sql/sql_mysql.h"
#include "sql/sql_routine.h"

#include <string.h>

/* INSERT, UPDATE, DELETE. */

/* They would have to look at what was there before the statement. */
static bool find_sub_select(void *context, struct esse_expr *expr, uint32_t depth)
{
    (void)depth;
    *(bool *)context |= expr->kind == ESSE_EXPR_EXISTS || expr->kind == ESSE_EXPR_SCALAR ||
                        expr->kind == ESSE_EXPR_QUANTIFIED;
    return true;
}

static bool refuse_sub_select(struct sql_compile *c, const struct esse_expr *expr,
                              const char *where)
{
    bool has_one = false;
    sql_walk((struct esse_expr *)expr, 0, find_sub_select, &has_one);
    return !has_one ||
           sql_unsupported(c, (int32_t)expr->at - 1, "a sub-select in %s is not supported", where);
}

static bool returning(struct sql_compile *c, PgQuery__Node **items, size_t count,
                      struct esse_change *change)
{
    struct sql_output_vec outputs = { 0 };
    c->scope->no_aggregates = "RETURNING";
    if (!sql_compile_outputs(c, items, count, &outputs))
        return false;
    for (size_t i = 0; i < outputs.count; i++) {
        if (!refuse_sub_select(c, outputs.at[i].expr, "RETURNING"))
            return false;
        if (outputs.at[i].type.base == ESSE_TYPE_UNKNOWN) {
            outputs.at[i].expr = sql_as_text(c, outputs.at[i].expr);
            outputs.at[i].type = ESSE_TYPE(TEXT);
        }
    }
    change->returning = outputs.at;
    change->returning_count = (uint32_t)outputs.count;
    return true;
}

/* ---- assignments ---- */

static bool is_default(const PgQuery__Node *node)
{
    return node->node_case == PG_QUERY__NODE__NODE_SET_TO_DEFAULT;
}

/* One of (a, b) = (1, 2). */
static const PgQuery__Node *part_of(struct sql_compile *c, const PgQuery__Node *value)
{
    if (value->node_case != PG_QUERY__NODE__NODE_MULTI_ASSIGN_REF)
        return value;
    const PgQuery__MultiAssignRef *part = value->multi_assign_ref;
    if (part->source->node_case != PG_QUERY__NODE__NODE_ROW_EXPR ||
        part->source->row_expr->n_args != (size_t)part->ncolumns)
        return sql_unsupported(c, -1, "setting several columns by one sub-select is not supported");
    return part->source->row_expr->args[part->colno - 1];
}

static bool compile_sets(struct sql_compile *c, const struct esse_table *table,
                         PgQuery__Node **items, size_t count, struct esse_change *change)
{
    change->sets = esse_arena_alloc(c->arena, count + 1, sizeof *change->sets);
    c->scope->no_aggregates = "UPDATE";
    for (size_t i = 0; i < count; i++) {
        const PgQuery__ResTarget *target = items[i]->res_target;
        struct esse_assignment *set = &change->sets[change->set_count++];
        set->column = esse_table_column(table, target->name);
        if (set->column == UINT32_MAX)
            return sql_error(c, target->location, "42703",
                             "column \"%s\" of relation \"%s\" does not exist", target->name,
                             table->name);
        for (size_t k = 0; k < i && !c->is_mysql; k++)
            if (change->sets[k].column == set->column)
                return sql_error(c, target->location, "42601",
                                 "multiple assignments to same column \"%s\"", target->name);
        const PgQuery__Node *value = part_of(c, target->val);
        if (!value)
            return false;
        const struct esse_column *column = &table->columns[set->column];
        if (is_default(value))
            continue;
        if (column->is_generated || column->always)
            return sql_error(c, target->location, "428C9",
                             "column \"%s\" can only be updated to DEFAULT", target->name);
        struct esse_expr *expr = sql_compile_expr(c, value);
        set->to = expr ? sql_coerce(c, expr, column->type, SQL_ASSIGN) : NULL;
        if (!set->to)
            return false;
    }
    return true;
}

/* ---- INSERT ---- */

static bool target_columns(struct sql_compile *c, const PgQuery__InsertStmt *node,
                           const struct esse_table *table, struct esse_change *change)
{
    change->column_count = node->n_cols ? (uint32_t)node->n_cols : table->column_count;
    change->columns = esse_arena_alloc(c->arena, change->column_count + 1, sizeof *change->columns);
    for (uint32_t i = 0; i < change->column_count; i++) {
        if (!node->n_cols) {
            change->columns[i] = i;
            continue;
        }
        const PgQuery__ResTarget *target = node->cols[i]->res_target;
        change->columns[i] = esse_table_column(table, target->name);
        if (change->columns[i] == UINT32_MAX)
            return sql_error(c, target->location, "42703",
                             "column \"%s\" of relation \"%s\" does not exist", target->name,
                             table->name);
        for (uint32_t k = 0; k < i; k++)
            if (change->columns[k] == change->columns[i])
                return sql_error(c, target->location, "42701",
                                 "column \"%s\" specified more than once", target->name);
    }
    return true;
}

static bool note_defaults(struct sql_compile *c, const struct esse_table *table,
                          struct esse_change *change)
{
    const struct esse_query *query = change->query;
    const size_t width = query->output_count;
    for (size_t i = 0; query->is_values && i < query->value_count * width; i++)
        if (sql_is_default(query->values[i])) {
            if (!change->is_default)
                change->is_default =
                    esse_arena_alloc(c->arena, query->value_count * width, sizeof(bool));
            change->is_default[i] = true;
        }
    for (uint32_t i = 0; i < width; i++) {
        const struct esse_column *column = &table->columns[change->columns[i]];
        bool all = query->is_values;
        for (size_t row = 0; all && row < query->value_count; row++)
            all = change->is_default && change->is_default[row * width + i];
        if (!all && (column->is_generated || column->always))
            return sql_error(c, -1, "428C9", "cannot insert a non-DEFAULT value into column \"%s\"",
                             column->name);
    }
    return true;
}

static bool insert_source(struct sql_compile *c, const PgQuery__InsertStmt *node,
                          const struct esse_table *table, struct esse_change *change)
{
    if (!node->select_stmt)
        return true;
    struct esse_type *types = esse_arena_alloc(c->arena, change->column_count + 1, sizeof *types);
    for (uint32_t i = 0; i < change->column_count; i++)
        types[i] = table->columns[change->columns[i]].type;
    c->takes_default = node->select_stmt->select_stmt->n_values_lists > 0;
    change->query =
        sql_compile_source(c, node->select_stmt->select_stmt, types, change->column_count);
    c->takes_default = false;
    if (!change->query)
        return false;
    if (change->query->output_count > change->column_count)
        return sql_error(c, -1, c->is_mysql ? "21S01" : "42601",
                         "INSERT has more expressions than target columns");
    if (change->query->output_count < change->column_count && (node->n_cols || c->is_mysql))
        return sql_error(c, -1, c->is_mysql ? "21S01" : "42601",
                         "INSERT has more target columns than expressions");
    change->column_count = change->query->output_count;
    return note_defaults(c, table, change);
}

static bool is_index_of(const struct esse_table_index *index, const uint32_t *columns,
                        uint32_t count)
{
    if (!index->is_unique || index->is_dropped || index->count != count)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        bool found = false;
        for (uint32_t k = 0; k < count; k++)
            found |= index->columns[k] == columns[i];
        if (!found)
            return false;
    }
    return true;
}

/* Which unique index ON CONFLICT (a, b) means. */
static bool infer_index(struct sql_compile *c, const PgQuery__InferClause *infer,
                        const struct esse_table *table, struct esse_change *change)
{
    uint32_t columns[32], count = 0;
    if (infer->where_clause)
        return sql_unsupported(c, infer->location, "partial indexes are not supported");
    for (size_t i = 0; i < infer->n_index_elems && count < 32; i++) {
        const PgQuery__IndexElem *elem = infer->index_elems[i]->index_elem;
        columns[count] = elem->expr ? UINT32_MAX : esse_table_column(table, elem->name);
        if (elem->expr)
            return sql_unsupported(c, infer->location, "indexes on expressions are not supported");
        struct esse_target target;
        if (c->embedding && sql_find_variable(c->embedding->routine, c->embedding->text->names,
                                              elem->name, NULL, &target))
            return sql_error(c, infer->location, "42702", "column reference \"%s\" is ambiguous",
                             elem->name);
        if (columns[count++] == UINT32_MAX)
            return sql_error(c, infer->location, "42703", "column \"%s\" does not exist",
                             elem->name);
    }
    for (uint32_t i = 0; i < table->indexes.count; i++) {
        const struct esse_table_index *index = &table->indexes.at[i];
        if (*infer->conname
                ? index->is_unique && index->name && strcmp(index->name, infer->conname) == 0
                : is_index_of(index, columns, count)) {
            if (index->is_deferrable)
                return sql_error(c, infer->location, "55000",
                                 "ON CONFLICT does not support deferrable constraints as arbiters");
            change->conflict_index = i;
            return true;
        }
    }
    if (*infer->conname)
        return sql_error(c, infer->location, "42704",
                         "constraint \"%s\" for table \"%s\" does "
                         "not exist",
                         infer->conname, table->name);
    return sql_error(c, infer->location, "42P10",
                     "there is no unique or exclusion constraint "
                     "matching the ON CONFLICT specification");
}

static bool on_conflict(struct sql_compile *c, const PgQuery__OnConflictClause *node,
                        struct esse_table *table, struct esse_change *change)
{
    if (!node)
        return true;
    change->any_index = !node->infer;
    if (node->infer && !infer_index(c, node->infer, table, change))
        return false;
    change->conflict = node->action == PG_QUERY__ON_CONFLICT_ACTION__ONCONFLICT_UPDATE
                           ? ESSE_CONFLICT_UPDATE
                           : ESSE_CONFLICT_NOTHING;
    if (change->conflict == ESSE_CONFLICT_NOTHING)
        return true;
    const size_t before = c->scope->visible.count;
    sql_add_table(c, c->scope, table, "excluded");
    for (size_t i = before; c->is_mysql && i < c->scope->visible.count; i++)
        c->scope->visible.at[i].is_merged = true; /* only by VALUES(column) */
    if (!compile_sets(c, table, node->target_list, node->n_target_list, change))
        return false;
    for (uint32_t i = 0; i < change->set_count; i++)
        if (!refuse_sub_select(c, change->sets[i].to, "ON CONFLICT DO UPDATE"))
            return false;
    struct esse_expr *where = node->where_clause ? sql_compile_expr(c, node->where_clause) : NULL;
    if (!refuse_sub_select(c, where, "ON CONFLICT DO UPDATE"))
        return false;
    change->conflict_where = where ? sql_as_bool(c, where, "WHERE") : NULL;
    return c->fault->kind == ESSE_FAULT_NONE;
}

static const char *alias_of(struct sql_compile *c, const PgQuery__RangeVar *relation)
{
    const char *name = relation->alias ? relation->alias->aliasname : relation->relname;
    return esse_arena_text(c->arena, name, strlen(name));
}

bool sql_compile_insert(struct sql_compile *c, const PgQuery__InsertStmt *node,
                        struct esse_statement *statement)
{
    struct esse_change *change = &statement->change;
    struct esse_table *table = sql_table(c, node->relation);
    if (!table || !sql_with(c, node->with_clause))
        return false;
    if (node->override > PG_QUERY__OVERRIDING_KIND__OVERRIDING_NOT_SET)
        return sql_unsupported(c, -1, "OVERRIDING is not supported");
    change->table = table;
    c->is_change = true;
    if (!target_columns(c, node, table, change) || !insert_source(c, node, table, change))
        return false;
    struct sql_scope scope = { .query = sql_new_query(c) };
    c->scope = &scope;
    sql_add_table(c, &scope, table, alias_of(c, node->relation));
    const struct sql_visible_vec visible = scope.visible;
    bool ok = on_conflict(c, node->on_conflict_clause, table, change);
    if (c->rewritten && c->rewritten->kind == SQL_MYSQL_REPLACE)
        change->conflict = ESSE_CONFLICT_REPLACE;
    scope.visible.count = visible.count; /* RETURNING does not see EXCLUDED */
    ok = ok && returning(c, node->returning_list, node->n_returning_list, change);
    change->source_count = (uint32_t)scope.sources.count;
    c->scope = NULL;
    return ok;
}

/* ---- UPDATE and DELETE ---- */

/* The query of which rows: the table first, then what FROM or USING joins. */
static struct esse_query *which_rows(struct sql_compile *c, struct sql_scope *scope,
                                     struct esse_table *table, const PgQuery__RangeVar *relation,
                                     PgQuery__Node **from, size_t from_count,
                                     const PgQuery__Node *where)
{
    struct esse_query *query = scope->query = sql_new_query(c);
    struct esse_join *join = esse_arena_alloc(c->arena, 1, sizeof *join);
    c->scope = scope;
    sql_add_table(c, scope, table, alias_of(c, relation));
    query->from = join; /* the first source */
    if (!sql_compile_from(c, from, from_count))
        return NULL;
    scope->no_aggregates = "WHERE";
    query->where = where ? sql_compile_expr(c, where) : NULL;
    query->where = query->where ? sql_as_bool(c, query->where, "WHERE") : NULL;
    return c->fault->kind == ESSE_FAULT_NONE ? query : NULL;
}

static void done(struct sql_compile *c, struct sql_scope *scope, struct esse_change *change)
{
    sql_scope_done(c, scope);
    change->source_count = (uint32_t)scope->sources.count;
    c->scope = NULL;
}

static bool is_current_of(const PgQuery__Node *where)
{
    return where && where->node_case == PG_QUERY__NODE__NODE_CURRENT_OF_EXPR;
}

bool sql_compile_update(struct sql_compile *c, const PgQuery__UpdateStmt *node,
                        struct esse_statement *statement)
{
    struct esse_change *change = &statement->change;
    struct sql_scope scope = { 0 };
    struct esse_table *table = sql_table(c, node->relation);
    if (!table || !sql_with(c, node->with_clause))
        return false;
    if (is_current_of(node->where_clause))
        return sql_unsupported(c, -1, "WHERE CURRENT OF outside of a procedure is not supported");
    change->table = table;
    c->is_change = true;
    change->query = which_rows(c, &scope, table, node->relation, node->from_clause,
                               node->n_from_clause, node->where_clause);
    const bool ok = change->query &&
                    compile_sets(c, table, node->target_list, node->n_target_list, change) &&
                    returning(c, node->returning_list, node->n_returning_list, change);
    if (ok)
        done(c, &scope, change);
    c->scope = NULL;
    return ok;
}

bool sql_compile_delete(struct sql_compile *c, const PgQuery__DeleteStmt *node,
                        struct esse_statement *statement)
{
    struct esse_change *change = &statement->change;
    struct sql_scope scope = { 0 };
    struct esse_table *table = sql_table(c, node->relation);
    if (!table || !sql_with(c, node->with_clause))
        return false;
    if (is_current_of(node->where_clause))
        return sql_unsupported(c, -1, "WHERE CURRENT OF outside of a procedure is not supported");
    change->table = table;
    c->is_change = true;
    change->query = which_rows(c, &scope, table, node->relation, node->using_clause,
                               node->n_using_clause, node->where_clause);
    const bool ok =
        change->query && returning(c, node->returning_list, node->n_returning_list, change);
    if (ok)
        done(c, &scope, change);
    c->scope = NULL;
    return ok;
}
