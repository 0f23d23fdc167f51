#include "sql/sql_compile.h"

#include <string.h>

/* CREATE TABLE and its like. */

static char *copy_name(struct sql_compile *c, const char *name)
{
    return esse_arena_text(c->arena, name, strlen(name));
}

/* ---- columns ---- */

static bool is_serial(const PgQuery__TypeName *name)
{
    return strstr(sql_name(name->names, name->n_names), "serial") != NULL;
}

static void give_sequence(struct sql_compile *c, const char *table, struct esse_column *column)
{
    struct esse_sequence *sequence = esse_arena_alloc(c->arena, 1, sizeof *sequence);
    sequence->name = esse_arena_format(c->arena, "%s_%s_seq", table, column->name);
    sequence->start = sequence->step = 1;
    column->sequence = sequence;
    column->not_null = true;
}

struct made {
    struct esse_table *table;
    struct sql_scope *scope; /* sees the columns */
    struct esse_check *checks;
    uint32_t *columns; /* scratch */
};

static bool add_check(struct sql_compile *c, struct made *made, const PgQuery__Constraint *node,
                      const char *column)
{
    struct esse_table *table = made->table;
    c->scope = made->scope;
    made->scope->no_aggregates = "check constraints";
    struct esse_expr *condition = sql_compile_expr(c, node->raw_expr);
    condition = condition ? sql_as_bool(c, condition, "CHECK") : NULL;
    c->scope = NULL;
    if (!condition)
        return false;
    table->checks[table->check_count++] = (struct esse_check){
        .name = *node->conname ? copy_name(c, node->conname)
                : column       ? esse_arena_format(c->arena, "%s_%s_check", table->name, column)
                               : esse_arena_format(c->arena, "%s_check", table->name),
        .condition = condition,
    };
    return true;
}

static bool add_index(struct sql_compile *c, struct made *made, const PgQuery__Constraint *node,
                      uint32_t count, bool is_primary)
{
    struct esse_table *table = made->table;
    struct esse_table_index index = { .count = count,
                                      .is_unique = true,
                                      .is_deferrable = node->deferrable,
                                      .is_deferred = node->initdeferred };
    index.columns = esse_arena_alloc(c->arena, count, sizeof *index.columns);
    memcpy(index.columns, made->columns, count * sizeof *index.columns);
    if (*node->conname)
        index.name = copy_name(c, node->conname);
    else if (is_primary)
        index.name = esse_arena_format(c->arena, "%s_pkey", table->name);
    else
        index.name =
            esse_arena_format(c->arena, "%s_%s%s_key", table->name,
                              table->columns[made->columns[0]].name, count > 1 ? "_more" : "");
    if (node->nulls_not_distinct)
        return sql_unsupported(c, node->location, "NULLS NOT DISTINCT is not supported");
    if (!is_primary) {
        esse_table_index_vec_push(&table->indexes, c->arena, index);
        return true;
    }
    if (table->has_key)
        return sql_error(c, node->location, "42P16",
                         "multiple primary keys for table \"%s\" are not allowed", table->name);
    table->has_key = true;
    esse_table_index_vec_push(&table->indexes, c->arena, index);
    for (size_t i = table->indexes.count - 1; i > 0; i--)
        table->indexes.at[i] = table->indexes.at[i - 1];
    table->indexes.at[0] = index;
    for (uint32_t i = 0; i < count; i++)
        table->columns[index.columns[i]].not_null = true;
    return true;
}

static bool names_to_columns(struct sql_compile *c, const struct esse_table *table,
                             PgQuery__Node **names, size_t count, int32_t location,
                             uint32_t *columns)
{
    for (size_t i = 0; i < count; i++) {
        const char *name = names[i]->string->sval;
        columns[i] = esse_table_column(table, name);
        if (columns[i] == UINT32_MAX)
            return sql_error(c, location, "42703", "column \"%s\" does not exist", name);
    }
    return true;
}

/* ---- foreign keys ---- */

static bool action_of(struct sql_compile *c, const PgQuery__Constraint *node, const char *word,
                      enum esse_action *action)
{
    switch (*word) {
    case 'r':
        *action = ESSE_ACTION_RESTRICT;
        return true;
    case 'c':
        *action = ESSE_ACTION_CASCADE;
        return true;
    case 'n':
        *action = ESSE_ACTION_SET_NULL;
        return true;
    case 'd':
        *action = ESSE_ACTION_SET_DEFAULT;
        return true;
    default:
        *action = ESSE_ACTION_NONE;
        return !node->n_fk_del_set_cols ||
               sql_unsupported(c, node->location, "SET NULL of some columns is not supported");
    }
}

static bool find_parent_index(struct sql_compile *c, const PgQuery__Constraint *node,
                              struct esse_foreign *foreign)
{
    const struct esse_table *parent = foreign->parent;
    for (uint32_t i = 0; i < parent->indexes.count; i++) {
        const struct esse_table_index *index = &parent->indexes.at[i];
        uint32_t equal = 0;
        if (!index->is_unique || index->is_dropped || index->count != foreign->count)
            continue;
        for (uint32_t k = 0; k < foreign->count; k++)
            for (uint32_t m = 0; m < foreign->count; m++)
                equal += index->columns[k] == foreign->parent_columns[m];
        if (equal != foreign->count)
            continue;
        /* In the order of the index. */
        uint32_t *columns = esse_arena_alloc(c->arena, foreign->count, sizeof *columns);
        for (uint32_t k = 0; k < foreign->count; k++)
            for (uint32_t m = 0; m < foreign->count; m++)
                if (index->columns[k] == foreign->parent_columns[m])
                    columns[k] = foreign->columns[m];
        foreign->columns = columns;
        foreign->parent_columns = index->columns;
        foreign->parent_index = i;
        return true;
    }
    return sql_error(c, node->location, "42830",
                     "there is no unique constraint matching given "
                     "keys for referenced table \"%s\"",
                     parent->name);
}

static bool add_foreign(struct sql_compile *c, struct made *made, const PgQuery__Constraint *node,
                        uint32_t count)
{
    struct esse_foreign *foreign = esse_arena_alloc(c->arena, 1, sizeof *foreign);
    struct esse_table *table = made->table;
    foreign->child = table;
    foreign->parent =
        strcmp(node->pktable->relname, table->name) == 0 ? table : sql_table(c, node->pktable);
    if (!foreign->parent)
        return false;
    foreign->name = *node->conname ? copy_name(c, node->conname)
                                   : esse_arena_format(c->arena, "%s_%s_fkey", table->name,
                                                       table->columns[made->columns[0]].name);
    foreign->is_deferrable = node->deferrable;
    foreign->is_deferred = node->initdeferred;
    foreign->count = count;
    foreign->columns = esse_arena_alloc(c->arena, count, sizeof *foreign->columns);
    foreign->parent_columns = esse_arena_alloc(c->arena, count, sizeof *foreign->columns);
    memcpy(foreign->columns, made->columns, count * sizeof *foreign->columns);
    if (node->n_pk_attrs) {
        if (node->n_pk_attrs != count)
            return sql_error(
                c, node->location, "42830",
                "number of referencing and referenced columns for foreign key disagree");
        if (!names_to_columns(c, foreign->parent, node->pk_attrs, count, node->location,
                              foreign->parent_columns))
            return false;
    } else {
        if (!foreign->parent->has_key)
            return sql_error(c, node->location, "42704",
                             "there is no primary key for referenced table \"%s\"",
                             foreign->parent->name);
        if (foreign->parent->indexes.at[0].count != count)
            return sql_error(
                c, node->location, "42830",
                "number of referencing and referenced columns for foreign key disagree");
        memcpy(foreign->parent_columns, foreign->parent->indexes.at[0].columns,
               count * sizeof *foreign->columns);
    }
    for (uint32_t i = 0; i < count; i++)
        if (!sql_can_coerce(c, table->columns[foreign->columns[i]].type,
                            foreign->parent->columns[foreign->parent_columns[i]].type,
                            SQL_ASSIGN) ||
            esse_type_is_text(table->columns[foreign->columns[i]].type) !=
                esse_type_is_text(foreign->parent->columns[foreign->parent_columns[i]].type))
            return sql_error(c, node->location, "42804",
                             "foreign key constraint \"%s\" cannot be implemented", foreign->name);
    if (strcmp(node->fk_matchtype, "f") == 0)
        return sql_unsupported(c, node->location, "MATCH FULL is not supported");
    esse_foreign_vec_push(&table->foreigns, c->arena, foreign);
    return action_of(c, node, node->fk_del_action, &foreign->on_delete) &&
           action_of(c, node, node->fk_upd_action, &foreign->on_update) &&
           find_parent_index(c, node, foreign);
}

/* ---- constraints in two rounds: keys first, so that foreign keys may point to them ---- */

static bool add_constraint(struct sql_compile *c, struct made *made,
                           const PgQuery__Constraint *node, uint32_t column, bool second)
{
    const bool is_column = column != UINT32_MAX;
    struct esse_column *of = is_column ? &made->table->columns[column] : NULL;
    PgQuery__Node **keys =
        node->contype == PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN ? node->fk_attrs : node->keys;
    const size_t n_keys =
        node->contype == PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN ? node->n_fk_attrs : node->n_keys;
    uint32_t count = 1;
    if (is_column) {
        made->columns[0] = column;
    } else {
        count = (uint32_t)n_keys;
        if (n_keys > 32)
            return sql_unsupported(c, node->location,
                                   "a key of more than 32 columns is not supported");
        if (!names_to_columns(c, made->table, keys, n_keys, node->location, made->columns))
            return false;
    }
    switch (node->contype) {
    case PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY:
    case PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE:
        return second || add_index(c, made, node, count,
                                   node->contype == PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY);
    case PG_QUERY__CONSTR_TYPE__CONSTR_NOTNULL:
        of->not_null = true;
        return true;
    case PG_QUERY__CONSTR_TYPE__CONSTR_NULL:
        return true;
    case PG_QUERY__CONSTR_TYPE__CONSTR_IDENTITY:
        if (!second) {
            give_sequence(c, made->table->name, of);
            of->always = strcmp(node->generated_when, "a") == 0;
        }
        return true;
    case PG_QUERY__CONSTR_TYPE__CONSTR_CHECK:
        return !second || add_check(c, made, node, is_column ? of->name : NULL);
    case PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN:
        return !second || add_foreign(c, made, node, count);
    case PG_QUERY__CONSTR_TYPE__CONSTR_DEFAULT:
    case PG_QUERY__CONSTR_TYPE__CONSTR_GENERATED: {
        if (!second)
            return true;
        of->is_generated = node->contype == PG_QUERY__CONSTR_TYPE__CONSTR_GENERATED;
        c->scope = of->is_generated ? made->scope : NULL;
        struct esse_expr *value = sql_compile_expr(c, node->raw_expr);
        c->scope = NULL;
        of->otherwise = value ? sql_coerce(c, value, of->type, SQL_ASSIGN) : NULL;
        return of->otherwise != NULL;
    }
    case PG_QUERY__CONSTR_TYPE__CONSTR_EXCLUSION:
        return sql_unsupported(c, node->location, "EXCLUDE is not supported");
    default:
        return sql_unsupported(c, node->location, "such a constraint is not supported");
    }
}

/* DEFERRABLE and INITIALLY DEFERRED stand behind the constraint as constraints of their own. */
static bool add_column_constraints(struct sql_compile *c, struct made *made,
                                   const PgQuery__ColumnDef *node, uint32_t column, bool second)
{
    for (size_t i = 0; i < node->n_constraints; i++) {
        PgQuery__Constraint constraint = *node->constraints[i]->constraint;
        if (constraint.contype >= PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_DEFERRABLE)
            continue;
        for (size_t k = i + 1; k < node->n_constraints; k++) {
            const PgQuery__ConstrType type = node->constraints[k]->constraint->contype;
            if (type < PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_DEFERRABLE)
                break;
            constraint.deferrable |= type == PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_DEFERRABLE ||
                                     type == PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_DEFERRED;
            constraint.initdeferred |= type == PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_DEFERRED;
        }
        if (!add_constraint(c, made, &constraint, column, second))
            return false;
    }
    return true;
}

static bool add_constraints(struct sql_compile *c, struct made *made,
                            const PgQuery__CreateStmt *node, bool second)
{
    uint32_t column = 0;
    for (size_t i = 0; i < node->n_table_elts; i++) {
        const PgQuery__Node *elt = node->table_elts[i];
        if (elt->node_case == PG_QUERY__NODE__NODE_COLUMN_DEF) {
            if (!add_column_constraints(c, made, elt->column_def, column++, second))
                return false;
        } else if (elt->node_case == PG_QUERY__NODE__NODE_CONSTRAINT) {
            if (!add_constraint(c, made, elt->constraint, UINT32_MAX, second))
                return false;
        } else {
            return sql_unsupported(c, -1, "LIKE in CREATE TABLE is not supported");
        }
    }
    return true;
}

static bool add_columns(struct sql_compile *c, struct esse_table *table,
                        const PgQuery__CreateStmt *node)
{
    table->columns = esse_arena_alloc(c->arena, node->n_table_elts + 1, sizeof *table->columns);
    for (size_t i = 0; i < node->n_table_elts; i++) {
        if (node->table_elts[i]->node_case != PG_QUERY__NODE__NODE_COLUMN_DEF)
            continue;
        const PgQuery__ColumnDef *def = node->table_elts[i]->column_def;
        struct esse_column *column = &table->columns[table->column_count];
        if (esse_table_column(table, def->colname) != UINT32_MAX)
            return sql_error(c, def->location, "42701", "column \"%s\" specified more than once",
                             def->colname);
        column->name = copy_name(c, def->colname);
        if (!sql_type_of(c, def->type_name, &column->type))
            return false;
        if (is_serial(def->type_name))
            give_sequence(c, table->name, column);
        column->not_null |= def->is_not_null;
        table->column_count++;
    }
    return true;
}

bool sql_compile_create_table(struct sql_compile *c, const PgQuery__CreateStmt *node,
                              struct esse_statement *statement)
{
    struct esse_table *table = esse_arena_alloc(c->arena, 1, sizeof *table);
    struct sql_scope scope = { .query = sql_new_query(c) };
    uint32_t columns[32];
    struct made made = { .table = table, .scope = &scope, .columns = columns };
    if (node->n_inh_relations && !node->partbound)
        return sql_unsupported(c, -1, "inheritance is not supported");
    if (node->partbound || node->of_typename)
        return sql_unsupported(c, -1, "PARTITION OF and OF are not supported");
    statement->kind = ESSE_STATEMENT_CREATE_TABLE;
    statement->name = table->name = copy_name(c, node->relation->relname);
    statement->flag = node->if_not_exists;
    statement->table = table;
    if (statement->flag && esse_schema_table(c->schema, table->name))
        return true;
    size_t checks = 1;
    for (size_t i = 0; i < node->n_table_elts; i++)
        checks += node->table_elts[i]->node_case == PG_QUERY__NODE__NODE_COLUMN_DEF
                      ? node->table_elts[i]->column_def->n_constraints
                      : 1;
    table->checks = esse_arena_alloc(c->arena, checks, sizeof *table->checks);
    if (!add_columns(c, table, node))
        return false;
    sql_add_table(c, &scope, table, table->name);
    return add_constraints(c, &made, node, false) && add_constraints(c, &made, node, true);
}

bool sql_compile_create_index(struct sql_compile *c, const PgQuery__IndexStmt *node,
                              struct esse_statement *statement)
{
    struct esse_table_index *index = esse_arena_alloc(c->arena, 1, sizeof *index);
    struct esse_table *table = sql_table(c, node->relation);
    if (!table)
        return false;
    if (node->where_clause && node->unique)
        return sql_unsupported(c, -1, "partial unique indexes are not supported");
    index->is_unique = node->unique;
    index->count = (uint32_t)node->n_index_params;
    index->columns = esse_arena_alloc(c->arena, index->count + 1, sizeof *index->columns);
    statement->kind = ESSE_STATEMENT_CREATE_INDEX;
    for (uint32_t i = 0; i < index->count; i++) {
        const PgQuery__IndexElem *elem = node->index_params[i]->index_elem;
        if (elem->expr && node->unique)
            return sql_unsupported(c, -1, "unique indexes on expressions are not supported");
        if (elem->expr) { /* it changes nothing but speed */
            statement->kind = ESSE_STATEMENT_NOTHING;
            return true;
        }
        index->columns[i] = esse_table_column(table, elem->name);
        if (index->columns[i] == UINT32_MAX)
            return sql_error(c, -1, "42703", "column \"%s\" does not exist", elem->name);
    }
    if (node->where_clause)
        statement->kind = ESSE_STATEMENT_NOTHING;
    index->name = *node->idxname ? copy_name(c, node->idxname)
                                 : esse_arena_format(c->arena, "%s_%s_idx%zu", table->name,
                                                     table->columns[index->columns[0]].name,
                                                     table->indexes.count);
    statement->made = index;
    statement->table = table;
    statement->name = index->name;
    statement->flag = node->if_not_exists;
    return true;
}

bool sql_compile_drop(struct sql_compile *c, const PgQuery__DropStmt *node,
                      struct esse_statement *statement)
{
    statement->kind = ESSE_STATEMENT_DROP;
    statement->flag = node->missing_ok;
    switch (node->remove_type) {
    case PG_QUERY__OBJECT_TYPE__OBJECT_TABLE:
        statement->drop = 't';
        break;
    case PG_QUERY__OBJECT_TYPE__OBJECT_VIEW:
        statement->drop = 'v';
        break;
    case PG_QUERY__OBJECT_TYPE__OBJECT_SEQUENCE:
        statement->drop = 's';
        break;
    case PG_QUERY__OBJECT_TYPE__OBJECT_INDEX:
        statement->drop = 'i';
        break;
    case PG_QUERY__OBJECT_TYPE__OBJECT_FUNCTION:
    case PG_QUERY__OBJECT_TYPE__OBJECT_PROCEDURE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_ROUTINE:
        statement->drop = 'r';
        break;
    default:
        return sql_unsupported(c, -1, "such a DROP is not supported");
    }
    if (node->behavior == PG_QUERY__DROP_BEHAVIOR__DROP_CASCADE)
        return sql_unsupported(c, -1, "DROP CASCADE is not supported");
    statement->names = esse_arena_alloc(c->arena, node->n_objects, sizeof *statement->names);
    for (size_t i = 0; i < node->n_objects; i++) {
        const PgQuery__Node *object = node->objects[i];
        const char *name =
            object->node_case == PG_QUERY__NODE__NODE_LIST
                ? sql_name(object->list->items, object->list->n_items)
            : object->node_case == PG_QUERY__NODE__NODE_OBJECT_WITH_ARGS
                ? sql_name(object->object_with_args->objname, object->object_with_args->n_objname)
                : "";
        statement->names[statement->name_count++] = copy_name(c, name);
    }
    return true;
}

/* ---- views and sequences ---- */

static bool create_view(struct sql_compile *c, const PgQuery__ViewStmt *node,
                        struct esse_statement *statement)
{
    struct esse_view *view = esse_arena_alloc(c->arena, 1, sizeof *view);
    statement->kind = ESSE_STATEMENT_CREATE_VIEW;
    statement->made = view;
    statement->flag = node->replace;
    statement->name = view->name = copy_name(c, node->view->relname);
    if (node->query->node_case != PG_QUERY__NODE__NODE_SELECT_STMT)
        return sql_unsupported(c, -1, "such a view is not supported");
    const struct esse_query *query = sql_compile_query(c, node->query->select_stmt);
    if (!query)
        return false;
    view->query = node->query->select_stmt;
    view->column_count = query->output_count;
    view->columns = esse_arena_alloc(c->arena, query->output_count + 1, sizeof *view->columns);
    for (uint32_t i = 0; i < query->output_count; i++)
        view->columns[i] = i < node->n_aliases ? copy_name(c, node->aliases[i]->string->sval)
                                               : query->outputs[i].name;
    return true;
}

static bool create_sequence(struct sql_compile *c, const PgQuery__CreateSeqStmt *node,
                            struct esse_statement *statement)
{
    struct esse_sequence *sequence = esse_arena_alloc(c->arena, 1, sizeof *sequence);
    sequence->start = sequence->step = 1;
    for (size_t i = 0; i < node->n_options; i++) {
        const PgQuery__DefElem *option = node->options[i]->def_elem;
        const bool is_start = strcmp(option->defname, "start") == 0;
        if (!is_start && strcmp(option->defname, "increment") != 0)
            continue;
        if (option->arg->node_case != PG_QUERY__NODE__NODE_INTEGER)
            return sql_unsupported(c, option->location, "such an option is not supported");
        *(is_start ? &sequence->start : &sequence->step) = option->arg->integer->ival;
    }
    statement->kind = ESSE_STATEMENT_CREATE_SEQUENCE;
    statement->flag = node->if_not_exists;
    statement->name = sequence->name = copy_name(c, node->sequence->relname);
    statement->made = sequence;
    return true;
}

bool sql_compile_schema(struct sql_compile *c, const PgQuery__Node *node,
                        struct esse_statement *statement)
{
    return node->node_case == PG_QUERY__NODE__NODE_VIEW_STMT
               ? create_view(c, node->view_stmt, statement)
               : create_sequence(c, node->create_seq_stmt, statement);
}
