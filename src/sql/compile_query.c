#include "sql/sql_compile.h"

#include <string.h>

struct esse_query *sql_new_query(struct sql_compile *c)
{
    struct esse_query *query = esse_arena_alloc(c->arena, 1, sizeof *query);
    query->number = c->query_count++;
    return query;
}

static struct esse_query *compile_select(struct sql_compile *c, const PgQuery__SelectStmt *node);

/* ---- types of outputs ---- */

/* Every output becomes of a type, of set operations on both sides. */
static bool coerce_output(struct sql_compile *c, struct esse_query *query, uint32_t i,
                          struct esse_type type, enum sql_how how)
{
    query->outputs[i].type = type;
    if (query->set != ESSE_SET_NONE)
        return coerce_output(c, query->left, i, type, how) &&
               coerce_output(c, query->right, i, type, how);
    for (uint32_t row = 0; query->is_values && row < query->value_count; row++) {
        struct esse_expr **value = &query->values[row * query->output_count + i];
        *value = sql_coerce(c, *value, type, how);
        if (!*value)
            return false;
    }
    if (query->is_values)
        return true;
    query->outputs[i].expr = sql_coerce(c, query->outputs[i].expr, type, how);
    return query->outputs[i].expr != NULL;
}

static bool resolve_unknown(struct sql_compile *c, struct esse_query *query)
{
    struct esse_type text = ESSE_TYPE(TEXT);
    text.is_folded = c->is_mysql;
    for (uint32_t i = 0; i < query->output_count; i++)
        if (query->outputs[i].type.base == ESSE_TYPE_UNKNOWN &&
            !coerce_output(c, query, i, text, SQL_EXPLICIT))
            return false;
    return true;
}

/* ---- outputs ---- */

static const char *output_name(const PgQuery__Node *node)
{
    switch (node->node_case) {
    case PG_QUERY__NODE__NODE_COLUMN_REF:
        return sql_name(node->column_ref->fields, node->column_ref->n_fields);
    case PG_QUERY__NODE__NODE_FUNC_CALL:
        return sql_name(node->func_call->funcname, node->func_call->n_funcname);
    case PG_QUERY__NODE__NODE_TYPE_CAST: {
        const char *inner = output_name(node->type_cast->arg);
        return strcmp(inner, "?column?") != 0 ? inner
                                              : sql_name(node->type_cast->type_name->names,
                                                         node->type_cast->type_name->n_names);
    }
    case PG_QUERY__NODE__NODE_CASE_EXPR:
        return "case";
    case PG_QUERY__NODE__NODE_COALESCE_EXPR:
        return "coalesce";
    case PG_QUERY__NODE__NODE_MIN_MAX_EXPR:
        return node->min_max_expr->op == PG_QUERY__MIN_MAX_OP__IS_GREATEST ? "greatest" : "least";
    case PG_QUERY__NODE__NODE_SUB_LINK:
        if (node->sub_link->sub_link_type == PG_QUERY__SUB_LINK_TYPE__EXISTS_SUBLINK)
            return "exists";
        if (node->sub_link->sub_link_type == PG_QUERY__SUB_LINK_TYPE__EXPR_SUBLINK &&
            node->sub_link->subselect->select_stmt->n_target_list) {
            const PgQuery__ResTarget *target =
                node->sub_link->subselect->select_stmt->target_list[0]->res_target;
            return *target->name ? target->name : output_name(target->val);
        }
        return "?column?";
    case PG_QUERY__NODE__NODE_A_EXPR:
        return node->a_expr->kind == PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF ? "nullif" : "?column?";
    default:
        return "?column?";
    }
}

static void add_output(struct sql_compile *c, struct sql_output_vec *outputs, const char *name,
                       struct esse_expr *expr)
{
    sql_output_vec_push(
        outputs, c->arena,
        (struct esse_output){ esse_arena_text(c->arena, name, strlen(name)), expr, expr->type });
}

static bool is_star(const PgQuery__Node *node)
{
    return node->node_case == PG_QUERY__NODE__NODE_COLUMN_REF && node->column_ref->n_fields &&
           node->column_ref->fields[node->column_ref->n_fields - 1]->node_case ==
               PG_QUERY__NODE__NODE_A_STAR;
}

/* t.*: the columns of the table, in its order, also those merged by USING. */
static bool add_table_star(struct sql_compile *c, const char *table, int32_t location,
                           struct sql_output_vec *outputs)
{
    const struct sql_visible_vec *visible = &c->scope->visible;
    const size_t before = outputs->count;
    for (uint32_t column = 0; column < UINT32_MAX; column++) {
        const size_t count = outputs->count;
        for (size_t i = 0; i < visible->count && count == outputs->count; i++)
            if (visible->at[i].table && strcmp(visible->at[i].table, table) == 0 &&
                visible->at[i].expr->is.column.column == column)
                add_output(c, outputs, visible->at[i].name, sql_shifted(c, visible->at[i].expr, 0));
        if (count == outputs->count)
            break;
    }
    return before != outputs->count ||
           sql_error(c, location, "42P01", "missing FROM-clause entry for table \"%s\"", table);
}

static bool add_star(struct sql_compile *c, const PgQuery__ColumnRef *node,
                     struct sql_output_vec *outputs)
{
    if (node->n_fields > 1)
        return add_table_star(c, sql_name(node->fields, node->n_fields - 1), node->location,
                              outputs);
    if (!c->scope->sources.count)
        return sql_error(c, node->location, "42601",
                         "SELECT * with no tables specified is not valid");
    for (size_t i = 0; i < c->scope->visible.count; i++)
        if (!c->scope->visible.at[i].is_merged)
            add_output(c, outputs, c->scope->visible.at[i].name,
                       sql_shifted(c, c->scope->visible.at[i].expr, 0));
    return true;
}

bool sql_compile_outputs(struct sql_compile *c, PgQuery__Node **items, size_t count,
                         struct sql_output_vec *outputs)
{
    for (size_t i = 0; i < count; i++) {
        const PgQuery__ResTarget *target = items[i]->res_target;
        if (is_star(target->val)) {
            if (!add_star(c, target->val->column_ref, outputs))
                return false;
            continue;
        }
        struct esse_expr *expr = sql_compile_expr(c, target->val);
        if (expr && c->is_mysql && expr->type.base == ESSE_TYPE_BOOL)
            expr = sql_coerce(c, expr, ESSE_TYPE(INT), SQL_EXPLICIT);
        if (!expr)
            return false;
        add_output(c, outputs, *target->name ? target->name : output_name(target->val), expr);
    }
    return true;
}

static void take_outputs(struct sql_compile *c, struct esse_query *query,
                         const struct sql_output_vec *outputs)
{
    query->output_count = (uint32_t)outputs->count;
    query->outputs = esse_arena_alloc(c->arena, outputs->count + 1, sizeof *query->outputs);
    if (outputs->count)
        memcpy(query->outputs, outputs->at, outputs->count * sizeof *query->outputs);
}

/* ---- GROUP BY and ORDER BY ---- */

/* A plain number is that of an output; -1: it is none, -2: an error. */
static int64_t ordinal(struct sql_compile *c, const struct esse_query *query,
                       const PgQuery__Node *node, const char *clause)
{
    if (node->node_case != PG_QUERY__NODE__NODE_A_CONST)
        return -1;
    c->keeps_literal = true;
    if (node->a_const->val_case != PG_QUERY__A__CONST__VAL_IVAL || node->a_const->isnull) {
        sql_error(c, node->a_const->location, "42601", "non-integer constant in %s", clause);
        return -2;
    }
    const int32_t number = node->a_const->ival->ival;
    if (number >= 1 && (uint32_t)number <= query->output_count)
        return number - 1;
    sql_error(c, node->a_const->location, "42P10", "%s position %d is not in select list", clause,
              number);
    return -2;
}

/* A name alone may be that of an output.  -1: it is none, -2: ambiguous. */
static int64_t named_output(struct sql_compile *c, const struct esse_query *query,
                            const PgQuery__Node *node)
{
    int64_t found = -1;
    if (node->node_case != PG_QUERY__NODE__NODE_COLUMN_REF || node->column_ref->n_fields != 1)
        return -1;
    const char *name = sql_name(node->column_ref->fields, 1);
    for (uint32_t i = 0; i < query->output_count; i++)
        if (strcmp(query->outputs[i].name, name) == 0) {
            if (found >= 0 && (!query->outputs[i].expr || !sql_same_expr(query->outputs[found].expr,
                                                                         query->outputs[i].expr))) {
                sql_error(c, node->column_ref->location, "42702", "ORDER BY \"%s\" is ambiguous",
                          name);
                return -2;
            }
            found = found < 0 ? i : found;
        }
    return found;
}

static bool is_visible(const struct sql_compile *c, const PgQuery__Node *node)
{
    if (node->node_case != PG_QUERY__NODE__NODE_COLUMN_REF || node->column_ref->n_fields != 1)
        return false;
    const char *name = sql_name(node->column_ref->fields, 1);
    for (size_t i = 0; i < c->scope->visible.count; i++)
        if (!c->scope->visible.at[i].is_merged && strcmp(c->scope->visible.at[i].name, name) == 0)
            return true;
    return false;
}

static bool has_aggregate(const struct esse_expr *expr)
{
    if (expr->kind == ESSE_EXPR_AGGREGATE)
        return true;
    for (uint32_t i = 0; i < expr->count; i++)
        if (has_aggregate(expr->args[i]))
            return true;
    return false;
}

static bool compile_groups(struct sql_compile *c, struct esse_query *query,
                           const PgQuery__SelectStmt *node)
{
    query->groups = esse_arena_alloc(c->arena, node->n_group_clause + 1, sizeof *query->groups);
    for (size_t i = 0; i < node->n_group_clause; i++) {
        const PgQuery__Node *item = node->group_clause[i];
        if (item->node_case == PG_QUERY__NODE__NODE_GROUPING_SET)
            return sql_unsupported(c, item->grouping_set->location,
                                   "GROUPING SETS, ROLLUP and CUBE are not supported");
        int64_t output = ordinal(c, query, item, "GROUP BY");
        if (output == -1 && !is_visible(c, item))
            output = named_output(c, query, item);
        if (output == -2)
            return false;
        c->scope->no_aggregates = "GROUP BY";
        struct esse_expr *group =
            output >= 0 ? query->outputs[output].expr : sql_compile_expr(c, item);
        c->scope->no_aggregates = NULL;
        if (group && has_aggregate(group))
            return sql_error(c, (int32_t)group->at - 1, "42803",
                             "aggregate functions are not allowed in GROUP BY");
        if (group && group->type.base == ESSE_TYPE_UNKNOWN)
            group = sql_as_text(c, group);
        if (!group)
            return false;
        query->groups[query->group_count++] = group;
    }
    return true;
}

static bool settle_sort(struct sql_compile *c, struct esse_query *query,
                        const PgQuery__SortBy *node, struct esse_sort *sort)
{
    int64_t output = named_output(c, query, node->node);
    if (output == -1)
        output = ordinal(c, query, node->node, "ORDER BY");
    if (output == -2)
        return false;
    if (output < 0 && (query->set != ESSE_SET_NONE || query->is_values)) {
        if (node->node->node_case == PG_QUERY__NODE__NODE_COLUMN_REF)
            return sql_error(c, node->location, "42703", "ORDER BY names no column of the result");
        return sql_error(c, node->location, "0A000",
                         "invalid UNION/INTERSECT/EXCEPT ORDER BY clause");
    }
    struct esse_expr *by = output >= 0 ? NULL : sql_compile_expr(c, node->node);
    if (output < 0 && !by)
        return false;
    for (uint32_t i = 0; output < 0 && i < query->output_count; i++)
        if (sql_same_expr(by, query->outputs[i].expr))
            output = i;
    if (output < 0 && query->is_distinct)
        return sql_error(c, (int32_t)by->at - 1, "42P10",
                         "for SELECT DISTINCT, ORDER BY "
                         "expressions must appear in select list");
    if (output < 0 && by->type.base == ESSE_TYPE_UNKNOWN)
        by = sql_as_text(c, by);
    sort->by = output >= 0 ? NULL : by;
    sort->output = output >= 0 ? (uint32_t)output : 0;
    return sort->by || output >= 0;
}

static bool compile_sorts(struct sql_compile *c, struct esse_query *query,
                          const PgQuery__SelectStmt *node)
{
    query->sorts = esse_arena_alloc(c->arena, node->n_sort_clause + 1, sizeof *query->sorts);
    for (size_t i = 0; i < node->n_sort_clause; i++) {
        const PgQuery__SortBy *by = node->sort_clause[i]->sort_by;
        struct esse_sort *sort = &query->sorts[i];
        if (by->sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_USING)
            return sql_unsupported(c, by->location, "ORDER BY USING is not supported");
        sort->descends = by->sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_DESC;
        sort->nulls_first = by->sortby_nulls == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_DEFAULT
                                ? sort->descends != c->is_mysql
                                : by->sortby_nulls == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_FIRST;
        if (!settle_sort(c, query, by, sort))
            return false;
        sort->is_folded = (sort->by ? sort->by->type : query->outputs[sort->output].type).is_folded;
    }
    query->sort_count = (uint32_t)node->n_sort_clause;
    return true;
}

static bool compile_limit(struct sql_compile *c, const PgQuery__Node *node, const char *what,
                          struct esse_expr **limit)
{
    if (!node)
        return true;
    struct sql_scope *scope = c->scope;
    c->scope = NULL; /* no columns */
    *limit = sql_compile_expr(c, node);
    if (*limit && (*limit)->type.base != ESSE_TYPE_UNKNOWN &&
        !esse_type_is_number((*limit)->type)) {
        sql_error(c, -1, "42804", "argument of %s must be type bigint, not type %s", what,
                  esse_type_show(c->arena, (*limit)->type));
        *limit = NULL;
    }
    *limit = *limit ? sql_coerce(c, *limit, ESSE_TYPE(BIGINT), SQL_ASSIGN) : NULL;
    c->scope = scope;
    return *limit != NULL;
}

/* ---- the kinds of SELECT ---- */

static struct esse_expr *compile_value(struct sql_compile *c, const PgQuery__Node *node,
                                       bool takes_default)
{
    if (!takes_default || node->node_case != PG_QUERY__NODE__NODE_SET_TO_DEFAULT)
        return sql_compile_expr(c, node);
    struct esse_expr *expr = sql_new_constant(c, ESSE_TYPE(UNKNOWN), 0, esse_datum_null());
    expr->is_all = true;
    return expr;
}

static bool compile_values(struct sql_compile *c, struct esse_query *query,
                           const PgQuery__SelectStmt *node)
{
    const uint32_t width = (uint32_t)node->values_lists[0]->list->n_items;
    query->is_values = true;
    query->value_count = (uint32_t)node->n_values_lists;
    query->values =
        esse_arena_alloc(c->arena, (size_t)query->value_count * width + 1, sizeof *query->values);
    query->output_count = width;
    query->outputs = esse_arena_alloc(c->arena, width + 1, sizeof *query->outputs);
    struct esse_expr **column = esse_arena_alloc(c->arena, query->value_count, sizeof *column);
    const bool takes_default = c->takes_default;
    c->takes_default = false;
    c->scope->no_aggregates = "VALUES";
    for (uint32_t row = 0; row < query->value_count; row++) {
        const PgQuery__List *list = node->values_lists[row]->list;
        if (list->n_items != width)
            return sql_error(c, -1, "42601", "VALUES lists must all be the same length");
        for (uint32_t i = 0; i < width; i++) {
            query->values[row * width + i] = compile_value(c, list->items[i], takes_default);
            if (!query->values[row * width + i])
                return false;
        }
    }
    for (uint32_t i = 0; i < width; i++) {
        query->outputs[i].name = esse_arena_format(c->arena, "column%u", i + 1);
        bool all_unknown = true;
        for (uint32_t row = 0; row < query->value_count; row++) {
            column[row] = query->values[row * width + i];
            all_unknown &= column[row]->type.base == ESSE_TYPE_UNKNOWN;
        }
        query->outputs[i].type = ESSE_TYPE(UNKNOWN);
        /* Those of an INSERT meet the column's type one by one. */
        if (all_unknown || takes_default)
            continue;
        if (!sql_common_type(c, column, query->value_count, "VALUES", &query->outputs[i].type))
            return false;
        for (uint32_t row = 0; row < query->value_count; row++)
            query->values[row * width + i] = column[row];
    }
    return true;
}

static bool compile_set(struct sql_compile *c, struct esse_query *query,
                        const PgQuery__SelectStmt *node)
{
    struct sql_scope *scope = c->scope;
    query->set = node->op == PG_QUERY__SET_OPERATION__SETOP_UNION       ? ESSE_SET_UNION
                 : node->op == PG_QUERY__SET_OPERATION__SETOP_INTERSECT ? ESSE_SET_INTERSECT
                                                                        : ESSE_SET_EXCEPT;
    query->set_all = node->all;
    c->scope = scope->up;
    query->left = compile_select(c, node->larg);
    query->right = query->left ? compile_select(c, node->rarg) : NULL;
    c->scope = scope;
    if (!query->right)
        return false;
    if (query->left->output_count != query->right->output_count)
        return sql_error(c, -1, "42601", "each UNION query must have the same number of columns");
    query->output_count = query->left->output_count;
    query->outputs = esse_arena_alloc(c->arena, query->output_count + 1, sizeof *query->outputs);
    for (uint32_t i = 0; i < query->output_count; i++) {
        struct esse_type type;
        query->outputs[i].name = query->left->outputs[i].name;
        if (!sql_meet(c, query->left->outputs[i].type, query->right->outputs[i].type, &type))
            return sql_error(c, -1, "42804", "UNION types %s and %s cannot be matched",
                             esse_type_show(c->arena, query->left->outputs[i].type),
                             esse_type_show(c->arena, query->right->outputs[i].type));
        if (type.base == ESSE_TYPE_UNKNOWN)
            type = ESSE_TYPE(TEXT);
        type.is_folded = c->is_mysql && esse_type_is_text(type);
        if (!coerce_output(c, query, i, type, SQL_EXPLICIT))
            return false;
    }
    const struct esse_query *sides[] = { query->left, query->right };
    for (int i = 0; i < 2; i++) {
        if (query->reaches_out < sides[i]->reaches_out)
            query->reaches_out = sides[i]->reaches_out;
        query->has_holes |= sides[i]->has_holes;
    }
    return true;
}

static bool refuse_parts(struct sql_compile *c, const PgQuery__SelectStmt *node)
{
    if (node->into_clause)
        return sql_unsupported(c, -1, "SELECT INTO is not supported");
    if (node->n_window_clause)
        return sql_unsupported(c, -1, "window functions are not supported");
    if (node->limit_option == PG_QUERY__LIMIT_OPTION__LIMIT_OPTION_WITH_TIES)
        return sql_unsupported(c, -1, "WITH TIES is not supported");
    if (node->n_distinct_clause &&
        node->distinct_clause[0]->node_case != PG_QUERY__NODE__NODE__NOT_SET)
        return sql_unsupported(c, -1, "DISTINCT ON is not supported");
    return true;
}

static bool compile_where(struct sql_compile *c, const PgQuery__Node *node, const char *word,
                          struct esse_expr **where)
{
    if (!node)
        return true;
    c->scope->no_aggregates = strcmp(word, "HAVING") == 0 ? NULL : word;
    *where = sql_compile_expr(c, node);
    c->scope->no_aggregates = NULL;
    *where = *where ? sql_as_bool(c, *where, word) : NULL;
    return *where != NULL;
}

static bool compile_plain(struct sql_compile *c, struct esse_query *query,
                          const PgQuery__SelectStmt *node)
{
    struct sql_output_vec outputs = { 0 };
    if (!sql_compile_from(c, node->from_clause, node->n_from_clause) ||
        !compile_where(c, node->where_clause, "WHERE", &query->where) ||
        !sql_compile_outputs(c, node->target_list, node->n_target_list, &outputs))
        return false;
    take_outputs(c, query, &outputs);
    query->is_distinct = node->n_distinct_clause > 0;
    if (query->is_distinct && !resolve_unknown(c, query))
        return false;
    return compile_groups(c, query, node) &&
           compile_where(c, node->having_clause, "HAVING", &query->having);
}

static bool compile_parts(struct sql_compile *c, struct esse_query *query,
                          const PgQuery__SelectStmt *node)
{
    if (!refuse_parts(c, node) || !sql_with(c, node->with_clause))
        return false;
    const bool ok = node->op > PG_QUERY__SET_OPERATION__SETOP_NONE ? compile_set(c, query, node)
                    : node->n_values_lists                         ? compile_values(c, query, node)
                                                                   : compile_plain(c, query, node);
    if (!ok || !compile_sorts(c, query, node) ||
        !compile_limit(c, node->limit_count, "LIMIT", &query->limit) ||
        !compile_limit(c, node->limit_offset, "OFFSET", &query->offset))
        return false;
    sql_scope_done(c, c->scope);
    if (query->source_count > ESSE_MOST_SOURCES)
        return sql_unsupported(c, -1, "more than 64 tables in one FROM are not supported");
    query->is_grouped = query->group_count || query->having || query->aggregate_count;
    return !query->is_grouped || sql_check_groups(c, query);
}

void sql_scope_done(struct sql_compile *c, struct sql_scope *scope)
{
    (void)c;
    scope->query->sources = scope->sources.at;
    scope->query->source_count = (uint32_t)scope->sources.count;
    scope->query->aggregates = scope->aggregates.at;
    scope->query->aggregate_count = (uint32_t)scope->aggregates.count;
}

/* With literals in quotes still of unknown type. */
static struct esse_query *compile_select(struct sql_compile *c, const PgQuery__SelectStmt *node)
{
    const struct sql_cte *ctes = c->ctes;
    struct sql_scope scope = { .up = c->scope, .query = sql_new_query(c) };
    if (c->depth > 200)
        return sql_unsupported(c, -1, "more than 200 levels of queries are not supported");
    c->depth += 2;
    c->scope = &scope;
    const bool ok = compile_parts(c, scope.query, node);
    c->scope = scope.up;
    c->ctes = ctes;
    c->depth -= 2;
    return ok ? scope.query : NULL;
}

struct esse_query *sql_compile_query(struct sql_compile *c, const PgQuery__SelectStmt *node)
{
    struct esse_query *query = compile_select(c, node);
    return query && resolve_unknown(c, query) ? query : NULL;
}

struct esse_query *sql_compile_source(struct sql_compile *c, const PgQuery__SelectStmt *node,
                                      const struct esse_type *types, uint32_t count)
{
    struct esse_query *query = compile_select(c, node);
    for (uint32_t i = 0; query && i < query->output_count && i < count; i++)
        if (types[i].base != ESSE_TYPE_UNKNOWN && !coerce_output(c, query, i, types[i], SQL_ASSIGN))
            return NULL;
    return query && resolve_unknown(c, query) ? query : NULL;
}

bool sql_with(struct sql_compile *c, const PgQuery__WithClause *with)
{
    if (!with)
        return true;
    if (with->recursive)
        return sql_unsupported(c, with->location, "WITH RECURSIVE is not supported");
    for (size_t i = 0; i < with->n_ctes; i++) {
        const PgQuery__CommonTableExpr *node = with->ctes[i]->common_table_expr;
        struct sql_cte *cte = esse_arena_alloc(c->arena, 1, sizeof *cte);
        struct sql_scope *scope = c->scope;
        if (node->ctequery->node_case != PG_QUERY__NODE__NODE_SELECT_STMT)
            return sql_unsupported(c, node->location, "changes within WITH are not supported");
        c->scope = scope && scope->query ? scope->up : scope;
        cte->query = sql_compile_query(c, node->ctequery->select_stmt);
        c->scope = scope;
        if (!cte->query)
            return false;
        if (cte->query->reaches_out)
            return sql_unsupported(c, node->location,
                                   "a WITH query that refers to an outer query is not supported");
        cte->name = esse_arena_text(c->arena, node->ctename, strlen(node->ctename));
        cte->column_count = (uint32_t)node->n_aliascolnames;
        cte->columns = esse_arena_alloc(c->arena, cte->column_count + 1, sizeof *cte->columns);
        for (uint32_t k = 0; k < cte->column_count; k++)
            cte->columns[k] = node->aliascolnames[k]->string->sval;
        cte->up = c->ctes;
        c->ctes = cte;
    }
    return true;
}
