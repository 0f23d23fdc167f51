#include "sql/routine.h"

#include <assert.h>
#include <string.h>

struct esse_schema *esse_schema_new(struct esse_arena *arena, enum esse_dialect dialect)
{
    struct esse_schema *schema = esse_arena_alloc(arena, 1, sizeof *schema);
    schema->arena = arena;
    schema->dialect = dialect;
    return schema;
}

/* The last of that name that is there. */
#define FIND(vec, wanted)                                                                          \
    for (size_t i = (vec)->count; i-- > 0;)                                                        \
        if (!(vec)->at[i]->is_dropped && strcmp((vec)->at[i]->name, wanted) == 0)                  \
            return (vec)->at[i];                                                                   \
    return NULL

struct esse_table *esse_schema_table(const struct esse_schema *schema, const char *name)
{
    FIND(&schema->tables, name);
}

struct esse_view *esse_schema_view(const struct esse_schema *schema, const char *name)
{
    FIND(&schema->views, name);
}

struct esse_sequence *esse_schema_sequence(const struct esse_schema *schema, const char *name)
{
    FIND(&schema->sequences, name);
}

struct esse_routine *esse_schema_routine(const struct esse_schema *schema, const char *name)
{
    FIND(&schema->routines, name);
}

uint32_t esse_table_column(const struct esse_table *table, const char *name)
{
    for (uint32_t i = 0; i < table->column_count; i++)
        if (strcmp(table->columns[i].name, name) == 0)
            return i;
    return UINT32_MAX;
}

uint32_t esse_table_index_on(struct esse_schema *schema, struct esse_table *table,
                             const uint32_t *columns, uint32_t count)
{
    for (size_t i = 0; i < table->indexes.count; i++) {
        const struct esse_table_index *index = &table->indexes.at[i];
        if (!index->is_dropped && index->count >= count &&
            memcmp(index->columns, columns, count * sizeof *columns) == 0)
            return (uint32_t)i;
    }
    uint32_t *copy = esse_arena_alloc(schema->arena, count, sizeof *copy);
    memcpy(copy, columns, count * sizeof *copy);
    esse_table_index_vec_push(&table->indexes, schema->arena,
                              (struct esse_table_index){ .columns = copy, .count = count });
    return (uint32_t)table->indexes.count - 1;
}

/* ---- changes ---- */

static void set_dropped(struct esse_schema *schema, bool *is_dropped, bool value)
{
    esse_schema_change_vec_push(
        &schema->undo, schema->arena,
        (struct esse_schema_change){ .is_dropped = is_dropped, .before = !value });
    *is_dropped = value;
    schema->changes++;
}

static void set_index_dropped(struct esse_schema *schema, struct esse_table *table, uint32_t index,
                              bool value)
{
    esse_schema_change_vec_push(
        &schema->undo, schema->arena,
        (struct esse_schema_change){ .table = table, .index = index, .before = !value });
    table->indexes.at[index].is_dropped = value;
    schema->changes++;
}

struct esse_schema_mark esse_schema_mark(const struct esse_schema *schema)
{
    return (struct esse_schema_mark){ (uint32_t)schema->undo.count };
}

void esse_schema_back(struct esse_schema *schema, struct esse_schema_mark mark)
{
    while (schema->undo.count > mark.undo) {
        const struct esse_schema_change *change = &schema->undo.at[--schema->undo.count];
        if (change->is_dropped)
            *change->is_dropped = change->before;
        else
            change->table->indexes.at[change->index].is_dropped = change->before;
        schema->changes++;
    }
}

static bool is_relation(const struct esse_schema *schema, const char *name)
{
    return esse_schema_table(schema, name) || esse_schema_view(schema, name) ||
           esse_schema_sequence(schema, name);
}

static bool exists(const char *name, uint32_t at, struct esse_fault *fault)
{
    return esse_fault(fault, "42P07", at, "relation \"%s\" already exists", name);
}

static void add_sequence(struct esse_schema *schema, struct esse_sequence *sequence)
{
    sequence->number = (uint32_t)schema->sequences.count;
    sequence->is_dropped = true;
    esse_sequence_vec_push(&schema->sequences, schema->arena, sequence);
    set_dropped(schema, &sequence->is_dropped, false);
}

static void add_table(struct esse_schema *schema, struct esse_table *table)
{
    table->number = (uint32_t)schema->tables.count;
    table->is_dropped = true;
    esse_table_vec_push(&schema->tables, schema->arena, table);
    set_dropped(schema, &table->is_dropped, false);
    for (uint32_t i = 0; i < table->column_count; i++)
        if (table->columns[i].sequence)
            add_sequence(schema, (struct esse_sequence *)table->columns[i].sequence);
    for (size_t i = 0; i < table->foreigns.count; i++) {
        struct esse_foreign *foreign = table->foreigns.at[i];
        foreign->child_index = esse_table_index_on(schema, table, foreign->columns, foreign->count);
        esse_foreign_vec_push(&foreign->parent->referers, schema->arena, foreign);
    }
}

static bool create_table(struct esse_schema *schema, const struct esse_statement *statement,
                         struct esse_fault *fault)
{
    if (is_relation(schema, statement->name))
        return statement->flag || exists(statement->name, statement->at, fault);
    /* What was compiled is never changed, and may be run again after it was taken back. */
    struct esse_table *table = esse_arena_alloc(schema->arena, 1, sizeof *table);
    *table = *statement->table;
    table->foreigns = (struct esse_foreign_vec){ 0 };
    table->indexes = (struct esse_table_index_vec){ 0 };
    esse_table_index_vec_append(&table->indexes, schema->arena, statement->table->indexes.at,
                                statement->table->indexes.count);
    for (size_t i = 0; i < statement->table->foreigns.count; i++) {
        struct esse_foreign *foreign = esse_arena_alloc(schema->arena, 1, sizeof *foreign);
        *foreign = *statement->table->foreigns.at[i];
        foreign->child = table;
        if (foreign->parent == statement->table)
            foreign->parent = table;
        esse_foreign_vec_push(&table->foreigns, schema->arena, foreign);
    }
    add_table(schema, table);
    return true;
}

static bool create_view(struct esse_schema *schema, const struct esse_statement *statement,
                        struct esse_fault *fault)
{
    struct esse_view *view = statement->made, *before = esse_schema_view(schema, view->name);
    if (before && statement->flag)
        set_dropped(schema, &before->is_dropped, true);
    else if (is_relation(schema, view->name))
        return exists(view->name, statement->at, fault);
    struct esse_view *copy = esse_arena_alloc(schema->arena, 1, sizeof *copy);
    *copy = *view;
    copy->is_dropped = true;
    esse_view_vec_push(&schema->views, schema->arena, copy);
    set_dropped(schema, &copy->is_dropped, false);
    return true;
}

static bool create_sequence(struct esse_schema *schema, const struct esse_statement *statement,
                            struct esse_fault *fault)
{
    if (is_relation(schema, statement->name))
        return statement->flag || exists(statement->name, statement->at, fault);
    struct esse_sequence *copy = esse_arena_alloc(schema->arena, 1, sizeof *copy);
    *copy = *(struct esse_sequence *)statement->made;
    add_sequence(schema, copy);
    return true;
}

static bool create_index(struct esse_schema *schema, const struct esse_statement *statement,
                         struct esse_fault *fault)
{
    const struct esse_table_index *made = statement->made;
    for (size_t t = 0; t < schema->tables.count; t++)
        for (size_t i = 0; i < schema->tables.at[t]->indexes.count; i++) {
            const struct esse_table_index *index = &schema->tables.at[t]->indexes.at[i];
            if (!index->is_dropped && index->name && strcmp(index->name, made->name) == 0 &&
                !schema->tables.at[t]->is_dropped)
                return statement->flag || exists(made->name, statement->at, fault);
        }
    struct esse_table *table = statement->table;
    esse_table_index_vec_push(&table->indexes, schema->arena, *made);
    table->indexes.at[table->indexes.count - 1].is_dropped = true;
    set_index_dropped(schema, table, (uint32_t)table->indexes.count - 1, false);
    return true;
}

static bool same_parameters(const struct esse_routine *a, const struct esse_routine *b)
{
    if (a->parameter_count != b->parameter_count)
        return false;
    for (uint32_t i = 1; i <= a->parameter_count; i++)
        if (a->variables.at[i].type.base != b->variables.at[i].type.base)
            return false;
    return true;
}

static bool create_routine(struct esse_schema *schema, const struct esse_statement *statement,
                           struct esse_fault *fault)
{
    struct esse_routine *made = statement->made;
    struct esse_routine *before = esse_schema_routine(schema, made->name);
    if (before && !same_parameters(before, made))
        return esse_fault_unsupported(fault, 0, "several routines of one name are not supported");
    if (before && !statement->flag)
        return esse_fault(fault, "42723", 0,
                          "function \"%s\" already exists with same argument types", made->name);
    if (before && before->kind != made->kind)
        return esse_fault(fault, "42809", 0, "cannot change routine kind");
    if (before && before->returns.base != made->returns.base)
        return esse_fault(fault, "42P13", 0, "cannot change return type of existing function");
    if (before)
        set_dropped(schema, &before->is_dropped, true);
    struct esse_routine *copy = esse_arena_alloc(schema->arena, 1, sizeof *copy);
    *copy = *made;
    copy->is_dropped = true;
    esse_routine_vec_push(&schema->routines, schema->arena, copy);
    set_dropped(schema, &copy->is_dropped, false);
    return true;
}

/* ---- DROP ---- */

static bool has_referers(const struct esse_table *table)
{
    for (size_t i = 0; i < table->referers.count; i++)
        if (!table->referers.at[i]->child->is_dropped && table->referers.at[i]->child != table)
            return true;
    return false;
}

static bool drop_index(struct esse_schema *schema, const char *name)
{
    for (size_t t = 0; t < schema->tables.count; t++) {
        struct esse_table *table = schema->tables.at[t];
        for (uint32_t i = 0; i < table->indexes.count && !table->is_dropped; i++) {
            const struct esse_table_index *index = &table->indexes.at[i];
            if (!index->is_dropped && index->name && strcmp(index->name, name) == 0) {
                set_index_dropped(schema, table, i, true);
                return true;
            }
        }
    }
    return false;
}

static bool drop_one(struct esse_schema *schema, const struct esse_statement *statement,
                     const char *name, bool *found, struct esse_fault *fault)
{
    struct esse_table *table = statement->drop == 't' ? esse_schema_table(schema, name) : NULL;
    struct esse_view *view = statement->drop == 'v' ? esse_schema_view(schema, name) : NULL;
    struct esse_sequence *sequence =
        statement->drop == 's' ? esse_schema_sequence(schema, name) : NULL;
    struct esse_routine *routine =
        statement->drop == 'r' ? esse_schema_routine(schema, name) : NULL;
    bool *is_dropped = table      ? &table->is_dropped
                       : routine  ? &routine->is_dropped
                       : view     ? &view->is_dropped
                       : sequence ? &sequence->is_dropped
                                  : NULL;
    if (table && has_referers(table))
        return esse_fault(fault, "2BP01", statement->at,
                          "cannot drop table %s because other objects depend on it", name);
    for (uint32_t i = 0; table && i < table->column_count; i++)
        if (table->columns[i].sequence && !table->columns[i].sequence->is_dropped)
            set_dropped(schema, (bool *)&table->columns[i].sequence->is_dropped, true);
    if (is_dropped)
        set_dropped(schema, is_dropped, true);
    *found = is_dropped || (statement->drop == 'i' && drop_index(schema, name));
    return true;
}

static bool drop(struct esse_schema *schema, const struct esse_statement *statement,
                 struct esse_fault *fault)
{
    for (uint32_t i = 0; i < statement->name_count; i++) {
        bool found = false;
        if (!drop_one(schema, statement, statement->names[i], &found, fault))
            return false;
        if (!found && !statement->flag)
            return esse_fault(fault,
                              statement->drop == 'i'   ? "42704"
                              : statement->drop == 'r' ? "42883"
                                                       : "42P01",
                              statement->at, "\"%s\" does not exist", statement->names[i]);
    }
    return true;
}

bool esse_schema_change(struct esse_schema *schema, const struct esse_statement *statement,
                        struct esse_fault *fault)
{
    switch (statement->kind) {
    case ESSE_STATEMENT_CREATE_TABLE:
        return create_table(schema, statement, fault);
    case ESSE_STATEMENT_CREATE_INDEX:
        return create_index(schema, statement, fault);
    case ESSE_STATEMENT_CREATE_VIEW:
        return create_view(schema, statement, fault);
    case ESSE_STATEMENT_CREATE_ROUTINE:
        return create_routine(schema, statement, fault);
    case ESSE_STATEMENT_CREATE_SEQUENCE:
        return create_sequence(schema, statement, fault);
    default:
        assert(statement->kind == ESSE_STATEMENT_DROP);
        return drop(schema, statement, fault);
    }
}
