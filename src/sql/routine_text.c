#include "sql/sql_routine.h"

#include <string.h>

/* Embedded texts: the variables in them become parameters. */

/* ---- names ---- */

static const struct esse_names *find_in_block(const struct esse_names *from,
                                              const struct esse_names *label, const char *name)
{
    for (; from != label; from = from->up)
        if (!from->is_label && from->block == label->block && strcmp(from->name, name) == 0)
            return from;
    return NULL;
}

bool sql_find_variable(const struct esse_routine *routine, const struct esse_names *names,
                       const char *first, const char *second, struct esse_target *target)
{
    for (const struct esse_names *one = names; one; one = one->up) {
        const struct esse_names *found = NULL;
        if (strcmp(one->name, first) != 0)
            continue;
        if (!one->is_label && (!second || routine->variables.at[one->variable].is_record)) {
            *target = (struct esse_target){ one->variable, second };
            return true;
        }
        if (one->is_label && second)
            found = find_in_block(names, one, second);
        if (found) {
            *target = (struct esse_target){ found->variable, NULL };
            return true;
        }
    }
    return false;
}

/* ---- parameters ---- */

static struct esse_expr *parameter_for(struct sql_compile *c, struct esse_use use,
                                       struct esse_type type, uint32_t at)
{
    struct sql_use_vec *uses = &c->embedding->uses;
    struct esse_expr *expr = sql_new(c, ESSE_EXPR_PARAM, type, at, 0);
    for (expr->is.number = 1; expr->is.number <= uses->count; expr->is.number++)
        if (uses->at[expr->is.number - 1].variable == use.variable &&
            uses->at[expr->is.number - 1].field == use.field)
            return expr;
    sql_use_vec_push(uses, c->arena, use);
    return expr;
}

static struct esse_expr *field_of(struct sql_compile *c, uint32_t variable, const char *field,
                                  uint32_t at)
{
    const struct esse_record_shape *record = &c->embedding->records[variable];
    const char *name = c->embedding->routine->variables.at[variable].name;
    if (!record->columns)
        return sql_error(c, (int32_t)at - 1, "55000", "record \"%s\" is not assigned yet", name);
    for (uint32_t i = 0; i < record->width; i++)
        if (strcmp(record->columns[i].name, field) == 0)
            return parameter_for(c, (struct esse_use){ variable, i, record->columns },
                                 record->columns[i].type, at);
    return sql_error(c, (int32_t)at - 1, "42703", "record \"%s\" has no field \"%s\"", name, field);
}

struct esse_expr *sql_variable(struct sql_compile *c, const char *first, const char *second,
                               uint32_t at)
{
    const struct esse_routine *routine = c->embedding->routine;
    struct esse_target target;
    if (!sql_find_variable(routine, c->embedding->text->names, first, second, &target))
        return NULL;
    if (target.field)
        return field_of(c, target.variable, target.field, at);
    if (routine->variables.at[target.variable].is_record)
        return sql_unsupported(c, (int32_t)at - 1, "a record as a value is not supported");
    return parameter_for(c, (struct esse_use){ target.variable, ESSE_WHOLE, NULL },
                         routine->variables.at[target.variable].type, at);
}

struct esse_expr *sql_numbered_variable(struct sql_compile *c, uint32_t number, uint32_t at)
{
    const struct esse_routine *routine = c->embedding->routine;
    const uint32_t record = c->embedding->text->arguments;
    const struct esse_record_shape *given = &c->embedding->records[record];
    if (record && number && number <= given->width)
        return parameter_for(c, (struct esse_use){ record, number - 1, given->columns },
                             given->columns[number - 1].type, at);
    if (record || !number || number > routine->parameter_count)
        return sql_error(c, (int32_t)at - 1, "42P02", "there is no parameter $%u", number);
    return parameter_for(c, (struct esse_use){ number, ESSE_WHOLE, NULL },
                         routine->variables.at[number].type, at);
}

/* ---- compiling ---- */

static bool is_fresh(const struct esse_embedded *embedded, uint32_t changes,
                     const struct esse_record_shape *records)
{
    if (!embedded->statement || embedded->changes != changes)
        return false;
    for (uint32_t i = 0; i < embedded->use_count; i++)
        if (embedded->uses[i].field != ESSE_WHOLE &&
            embedded->uses[i].columns != records[embedded->uses[i].variable].columns)
            return false;
    return true;
}

bool esse_compile_embedded(struct esse_compiler *compiler, const struct esse_routine *routine,
                           struct esse_embedded *embedded, const struct esse_record_shape *records,
                           struct esse_fault *fault)
{
    const uint32_t changes = sql_compiler_schema(compiler)->changes;
    struct sql_embedding embedding = { .routine = routine, .text = embedded, .records = records };
    if (is_fresh(embedded, changes, records))
        return true;
    embedded->statement = sql_compile_with(compiler, embedded->text, &embedding, fault);
    embedded->changes = changes;
    embedded->uses = embedding.uses.at;
    embedded->use_count = (uint32_t)embedding.uses.count;
    if (!embedded->statement && fault->at)
        fault->at = embedded->at ? embedded->at + fault->at - 1 : 0;
    return embedded->statement != NULL;
}

/* ---- values ---- */

bool esse_cast_variable(struct esse_arena *arena, bool is_mysql, struct esse_datum value,
                        struct esse_type from, const struct esse_variable *to,
                        struct esse_datum *result, struct esse_fault *fault)
{
    const struct sql_compile c = { .is_mysql = is_mysql };
    if (value.kind == ESSE_DATUM_NULL && to->is_not_null)
        return esse_fault(fault, "22004", 0,
                          "null value cannot be assigned to variable \"%s\" declared NOT NULL",
                          to->name);
    if (!sql_can_coerce(&c, from, to->type, SQL_ASSIGN) && value.kind != ESSE_DATUM_NULL &&
        value.kind != ESSE_DATUM_HOLE) {
        if (!esse_cast(arena, value, from, ESSE_TYPE(TEXT), ESSE_CAST_SHOW, &value, fault))
            return false;
        from = ESSE_TYPE(TEXT);
    }
    return esse_cast(arena, value, from, to->type, ESSE_CAST_ASSIGN, result, fault);
}
