#include "sql/sql_parsing.h"

#include "base/vec.h"

#include <assert.h>
#include <string.h>

/* From PostgreSQL's tree of a SELECT to what is evaluated.  What is not known is refused by name.
 */

ESSE_VEC(output_vec, struct sql_output)

/* What a column of the result is called, for ORDER BY. */
struct named {
    const char *name;          /* "" if nothing */
    const struct sql_expr *is; /* NULL for '*' and aggregates */
};
ESSE_VEC(named_vec, struct named)

struct selecting {
    struct sql_parsing *p;
    struct sql_select *select;
    const PgQuery__SelectStmt *from;
    const struct sql_expr *where; /* with what the join says */
    struct output_vec outputs;
    struct named_vec named;
};

/* ---- what is refused ---- */

struct clause {
    bool is_there;
    const char *name, *keywords;
};

/* The first of them, or one without a name.  What a SELECT may have makes a condition part of
 * something larger. */
static struct clause refused_clause(const PgQuery__SelectStmt *select, bool is_condition)
{
    const bool is_set = select->op != PG_QUERY__SET_OPERATION__SETOP_NONE;
    const struct clause clauses[] = {
        { is_set, "UNION, INTERSECT or EXCEPT", "UNION INTERSECT EXCEPT" },
        { select->with_clause != NULL, "WITH", "WITH" },
        { select->n_values_lists > 0, "VALUES", "VALUES" },
        { select->n_distinct_clause > 0, "DISTINCT", "DISTINCT" },
        { select->into_clause != NULL, "INTO", "INTO" },
        { select->n_group_clause > 0, "GROUP BY", "GROUP" },
        { select->having_clause != NULL, "HAVING", "HAVING" },
        { select->n_window_clause > 0, "WINDOW", "WINDOW" },
        { select->n_locking_clause > 0, "FOR UPDATE or FOR SHARE", "FOR" },
        { is_condition && select->n_sort_clause > 0, "ORDER BY", "ORDER" },
        { is_condition && select->limit_count, "LIMIT", "LIMIT FETCH" },
        { is_condition && select->limit_offset, "OFFSET", "OFFSET" },
    };
    for (size_t i = 0; i < sizeof clauses / sizeof *clauses; i++)
        if (clauses[i].is_there)
            return clauses[i];
    return (struct clause){ false, NULL, NULL };
}

const struct sql_select *sql_parse_condition(struct sql_parsing *p,
                                             const PgQuery__ParseResult *tree)
{
    const bool ends = tree->n_stmts != 1 || tree->stmts[0]->stmt_len;
    const struct clause extra = ends ? (struct clause){ true, "';'", "" }
                                     : refused_clause(tree->stmts[0]->stmt->select_stmt, true);
    if (extra.is_there)
        return sql_refuse(p, sql_keyword_at(p, extra.keywords),
                          "expected a condition and nothing else, found %s", extra.name);
    struct sql_select *select = esse_arena_alloc(p->arena, 1, sizeof *select);
    select->tables = 1;
    select->table[0].kind = SQL_EVERY_KEY;
    select->side[0] = sql_parse_expr(p, tree->stmts[0]->stmt->select_stmt->where_clause);
    return select->side[0] ? select : NULL;
}

/* ---- FROM ---- */

static bool add_table(struct selecting *s, const PgQuery__RangeVar *table)
{
    struct sql_parsing *p = s->p;
    const uint32_t at = sql_place(p, table->location);
    if (*table->schemaname)
        return sql_refuse(p, at, "a schema's name before the table '%s' is not supported",
                          table->relname);
    if (!table->inh)
        return sql_refuse(p, at, "ONLY is not supported");
    if (table->alias && table->alias->n_colnames)
        return sql_refuse(p, at, "names of columns behind that of a table are not supported");
    if (p->tables == SQL_MOST_TABLES)
        return sql_refuse(p, at, "a join of more than %d tables is not supported", SQL_MOST_TABLES);
    const char *name = table->alias ? table->alias->aliasname : table->relname;
    if (p->tables && strcmp(p->table_names[0], name) == 0)
        return sql_refuse(p, at, "the table '%s' is named twice; give it another name", name);
    s->select->table[p->tables] = sql_find_table(p->predicates, table->relname);
    p->table_names[p->tables++] = name;
    return true;
}

static bool add_from(struct selecting *s, const PgQuery__Node *node);

static bool add_join(struct selecting *s, const PgQuery__JoinExpr *join)
{
    struct sql_parsing *p = s->p;
    if (join->jointype != PG_QUERY__JOIN_TYPE__JOIN_INNER)
        return sql_refuse(p, sql_keyword_at(p, "LEFT RIGHT FULL"),
                          "an outer join is not supported");
    if (join->is_natural || join->n_using_clause)
        return sql_refuse(p, sql_keyword_at(p, "NATURAL USING"),
                          "%s is not supported, expected JOIN with ON",
                          join->is_natural ? "NATURAL JOIN" : "JOIN with USING");
    if (join->alias)
        return sql_refuse(p, 0, "a name for a join is not supported");
    if (!add_from(s, join->larg) || !add_from(s, join->rarg))
        return false;
    const struct sql_expr *on = join->quals ? sql_parse_expr(p, join->quals) : NULL;
    s->where = sql_both(p, s->where, on);
    return on || !join->quals;
}

static bool add_from(struct selecting *s, const PgQuery__Node *node)
{
    switch (node->node_case) {
    case PG_QUERY__NODE__NODE_RANGE_VAR:
        return add_table(s, node->range_var);
    case PG_QUERY__NODE__NODE_JOIN_EXPR:
        return add_join(s, node->join_expr);
    case PG_QUERY__NODE__NODE_RANGE_SUBSELECT:
        return sql_refuse(s->p, sql_keyword_at(s->p, "SELECT VALUES"),
                          "a sub-select in FROM is not supported");
    case PG_QUERY__NODE__NODE_RANGE_FUNCTION:
        return sql_refuse(s->p, 0, "a function in FROM is not supported");
    default:
        return sql_refuse(s->p, 0, "expected the name of a table in FROM");
    }
}

static bool parse_from(struct selecting *s)
{
    if (!s->from->n_from_clause)
        return sql_refuse(s->p, 0, "a SELECT without FROM is not supported");
    for (size_t i = 0; i < s->from->n_from_clause; i++)
        if (!add_from(s, s->from->from_clause[i]))
            return false;
    s->select->tables = s->p->tables;
    return true;
}

/* ---- WHERE, and what of it is about which table ---- */

static unsigned tables_of(const struct sql_expr *expr)
{
    unsigned tables = expr->kind == SQL_COLUMN ? 1u << expr->table : 0;
    for (uint32_t i = 0; i < expr->count; i++)
        tables |= tables_of(expr->args[i]);
    return tables;
}

static bool is_joining(const struct sql_expr *expr)
{
    return expr->kind == SQL_COMPARE && expr->is.accepts == SQL_EQUAL &&
           expr->args[0]->kind == SQL_COLUMN && expr->args[1]->kind == SQL_COLUMN &&
           expr->args[0]->table != expr->args[1]->table;
}

/* A condition is true if each part of its ANDs is.  What names no table holds of all or none. */
static void divide(struct selecting *s, const struct sql_expr *expr)
{
    struct sql_select *select = s->select;
    for (uint32_t i = 0; expr->kind == SQL_AND && i < expr->count; i++)
        divide(s, expr->args[i]);
    if (expr->kind == SQL_AND)
        return;
    assert(select->tables == 2);
    const unsigned tables = tables_of(expr);
    for (unsigned table = 0; table < select->tables; table++)
        if (!(tables & ~(1u << table)))
            select->side[table] = sql_both(s->p, select->side[table], expr);
    if (tables != 3)
        return;
    select->both = sql_both(s->p, select->both, expr);
    if (is_joining(expr) && !select->join[0]) {
        const unsigned first = expr->args[0]->table;
        select->join[first] = expr->args[0];
        select->join[!first] = expr->args[1];
    }
}

static bool parse_where(struct selecting *s)
{
    if (s->from->where_clause) {
        const struct sql_expr *where = sql_parse_expr(s->p, s->from->where_clause);
        if (!where)
            return false;
        s->where = sql_both(s->p, s->where, where);
    }
    if (s->select->tables == 1)
        s->select->side[0] = s->where;
    else if (s->where)
        divide(s, s->where);
    return s->select->tables == 1 || s->select->join[0] ||
           sql_refuse(s->p, 0, "a join needs the equality of a column of each table");
}

/* ---- what is selected ---- */

static const char *refused_call(const PgQuery__FuncCall *call)
{
    return call->over               ? "a window function"
           : call->agg_distinct     ? "DISTINCT in an aggregate"
           : call->agg_filter       ? "FILTER"
           : call->n_agg_order      ? "ORDER BY in an aggregate"
           : call->func_variadic    ? "VARIADIC"
           : call->agg_within_group ? "WITHIN GROUP"
                                    : NULL;
}

static bool find_aggregate(const PgQuery__FuncCall *call, enum sql_aggregate *kind)
{
    static const char *const names[] = {
        [SQL_COUNT] = "count", [SQL_SUM] = "sum", [SQL_MIN] = "min", [SQL_MAX] = "max"
    };
    const char *name = sql_last_name(call->funcname, call->n_funcname);
    for (*kind = SQL_COUNT; *kind <= SQL_MAX; ++*kind)
        if (call->n_funcname == 1 && strcmp(name, names[*kind]) == 0)
            return true;
    return false;
}

static bool add_aggregate(struct selecting *s, const PgQuery__FuncCall *call)
{
    struct sql_parsing *p = s->p;
    struct sql_output output = { .at = sql_place(p, call->location) };
    const char *name = sql_last_name(call->funcname, call->n_funcname);
    const char *refused = refused_call(call);
    if (refused)
        return sql_refuse(p, output.at, "%s is not supported", refused);
    if (!find_aggregate(call, &output.kind))
        return sql_refuse(p, output.at,
                          "the function %s() is not supported, expected count, sum, min or max",
                          name);
    if (call->agg_star && output.kind == SQL_COUNT)
        output.kind = SQL_COUNT_ROWS;
    else if (call->agg_star || call->n_args != 1)
        return sql_refuse(p, output.at, "%s() takes one argument", name);
    else if (!(output.of = sql_parse_expr(p, call->args[0])))
        return false;
    output_vec_push(&s->outputs, p->arena, output);
    return true;
}

static bool is_star(const PgQuery__Node *node)
{
    return node->node_case == PG_QUERY__NODE__NODE_COLUMN_REF &&
           !*sql_last_name(node->column_ref->fields, node->column_ref->n_fields);
}

static bool add_target(struct selecting *s, const PgQuery__ResTarget *target)
{
    struct named named = { .name = target->name };
    const PgQuery__Node *value = target->val;
    if (value->node_case == PG_QUERY__NODE__NODE_FUNC_CALL) {
        if (!add_aggregate(s, value->func_call))
            return false;
    } else if (!is_star(value)) {
        named.is = sql_parse_expr(s->p, value);
        if (!named.is)
            return false;
        if (!*named.name && value->node_case == PG_QUERY__NODE__NODE_COLUMN_REF)
            named.name = sql_last_name(value->column_ref->fields, value->column_ref->n_fields);
    }
    named_vec_push(&s->named, s->p->arena, named);
    return true;
}

static bool parse_targets(struct selecting *s)
{
    for (size_t i = 0; i < s->from->n_target_list; i++)
        if (!add_target(s, s->from->target_list[i]->res_target))
            return false;
    if (!s->named.count)
        return sql_refuse(s->p, 0, "a SELECT of nothing is not supported");
    if (s->outputs.count && s->outputs.count != s->named.count)
        return sql_refuse(s->p, s->outputs.at[0].at,
                          "an aggregate beside what is none needs GROUP BY, which is not "
                          "supported");
    s->select->outputs = s->outputs.at;
    s->select->output_count = (uint32_t)s->outputs.count;
    return true;
}

/* ---- ORDER BY ---- */

/* A name alone is first that of a column of the result, as in PostgreSQL. */
static const struct sql_expr *sort_by_name(struct selecting *s, const PgQuery__Node *node)
{
    const struct sql_expr *found = NULL;
    const char *name = sql_last_name(node->column_ref->fields, node->column_ref->n_fields);
    for (size_t i = 0; node->column_ref->n_fields == 1 && i < s->named.count; i++) {
        if (!s->named.at[i].is || strcmp(s->named.at[i].name, name) != 0)
            continue;
        if (found)
            return sql_refuse(s->p, sql_place(s->p, node->column_ref->location),
                              "ORDER BY '%s': two columns of the result have that name", name);
        found = s->named.at[i].is;
    }
    return found ? found : sql_parse_expr(s->p, node);
}

static const struct sql_expr *sort_by_number(struct selecting *s, const PgQuery__AConst *node)
{
    const uint32_t at = sql_place(s->p, node->location);
    if (node->val_case != PG_QUERY__A__CONST__VAL_IVAL)
        return sql_refuse(s->p, at, "ORDER BY a constant is not supported");
    for (size_t i = 0; i < s->named.count; i++)
        if (!s->named.at[i].is)
            return sql_refuse(s->p, at, "ORDER BY a number is not supported with SELECT *");
    if (node->ival->ival < 1 || (size_t)node->ival->ival > s->named.count)
        return sql_refuse(s->p, at, "ORDER BY %d: the result has %zu columns", node->ival->ival,
                          s->named.count);
    return s->named.at[node->ival->ival - 1].is;
}

static bool add_sort(struct selecting *s, const PgQuery__SortBy *node, struct sql_sort *sort)
{
    if (node->sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_USING)
        return sql_refuse(s->p, sql_place(s->p, node->location), "ORDER BY USING is not supported");
    sort->descends = node->sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_DESC;
    sort->nulls_first =
        node->sortby_nulls == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_FIRST ||
        (node->sortby_nulls == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_DEFAULT && sort->descends);
    sort->by = node->node->node_case == PG_QUERY__NODE__NODE_COLUMN_REF
                   ? sort_by_name(s, node->node)
               : node->node->node_case == PG_QUERY__NODE__NODE_A_CONST
                   ? sort_by_number(s, node->node->a_const)
                   : sql_parse_expr(s->p, node->node);
    return sort->by != NULL;
}

static bool parse_sorts(struct selecting *s)
{
    const size_t count = s->from->n_sort_clause;
    struct sql_sort *sorts = esse_arena_alloc(s->p->arena, count + 1, sizeof *sorts);
    if (count && s->outputs.count)
        return sql_refuse(s->p, sql_keyword_at(s->p, "ORDER"),
                          "ORDER BY of aggregates is not supported");
    for (size_t i = 0; i < count; i++)
        if (!add_sort(s, s->from->sort_clause[i]->sort_by, &sorts[i]))
            return false;
    s->select->sorts = sorts;
    s->select->sort_count = (uint32_t)count;
    return true;
}

/* ---- LIMIT ---- */

/* NULL, and LIMIT ALL, is none. */
static bool parse_count(struct selecting *s, const PgQuery__Node *node, const char *name,
                        uint64_t *count)
{
    struct sql_parsing *p = s->p;
    if (!node)
        return true;
    if (node->node_case != PG_QUERY__NODE__NODE_A_CONST)
        return sql_refuse(p, sql_keyword_at(p, name),
                          "%s of anything but a number is not supported", name);
    const uint32_t at = sql_place(p, node->a_const->location);
    if (node->a_const->isnull)
        return true;
    const struct sql_expr *number = sql_parse_expr(p, node);
    if (!number)
        return false;
    assert(number->kind == SQL_CONSTANT);
    if (number->is.constant->type != SQL_INTEGER || number->is.constant->is.number < 0)
        return sql_refuse(p, at, "%s must be an integer that is not negative", name);
    *count = (uint64_t)number->is.constant->is.number;
    s->select->has_limit = true;
    return true;
}

static bool parse_limit(struct selecting *s)
{
    if (s->from->limit_option == PG_QUERY__LIMIT_OPTION__LIMIT_OPTION_WITH_TIES)
        return sql_refuse(s->p, sql_keyword_at(s->p, "TIES"), "WITH TIES is not supported");
    s->select->limit = UINT64_MAX;
    if (!parse_count(s, s->from->limit_count, "LIMIT", &s->select->limit) ||
        !parse_count(s, s->from->limit_offset, "OFFSET", &s->select->offset))
        return false;
    /* The rows that took part do not show which pairs were returned. */
    return !s->select->has_limit || s->select->tables == 1 || s->select->output_count ||
           sql_refuse(s->p, sql_keyword_at(s->p, "LIMIT OFFSET FETCH"),
                      "LIMIT and OFFSET of a join are not supported");
}

const struct sql_select *sql_parse_select(struct sql_parsing *p, const PgQuery__ParseResult *tree)
{
    struct selecting s = { .p = p };
    if (tree->n_stmts != 1)
        return sql_refuse(p, 0, "expected one statement, found ';' and another");
    if (tree->stmts[0]->stmt->node_case != PG_QUERY__NODE__NODE_SELECT_STMT)
        return sql_refuse(p, 0, "expected a SELECT");
    s.from = tree->stmts[0]->stmt->select_stmt;
    s.select = esse_arena_alloc(p->arena, 1, sizeof *s.select);
    const struct clause refused = refused_clause(s.from, false);
    if (refused.is_there)
        return sql_refuse(p, sql_keyword_at(p, refused.keywords), "%s is not supported",
                          refused.name);
    const bool ok = parse_from(&s) && parse_where(&s) && parse_targets(&s) && parse_sorts(&s) &&
                    parse_limit(&s);
    return ok ? s.select : NULL;
}
