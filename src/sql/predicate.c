#include "sql/predicate.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/index.h"
#include "base/vec.h"
#include "sql/sql_shape.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

ESSE_VEC(predicate_vec, struct esse_predicate *)
ESSE_VEC(column_vec, esse_value)
ESSE_VEC(table_vec, struct sql_table)

struct esse_predicates {
    struct esse_arena *arena;
    const struct esse_history *history;
    struct predicate_vec known; /* the texts compiled so far */
    struct esse_index index;    /* by the word of the text */
    struct sql_shapes *shapes;  /* what they look like but for their numbers */
    struct table_vec tables;    /* those that they name */
    bool is_open;               /* any column, and any table, may yet come */
    bool has_columns;           /* what follows is filled */
    bool has_scalars;           /* some row is not an object: there is a column v */
    struct column_vec columns;  /* each name that the header or an object has, once */
    struct esse_index column_index;
};

struct esse_predicates *esse_predicates_new(struct esse_arena *arena,
                                            const struct esse_history *history)
{
    struct esse_predicates *predicates = esse_arena_alloc(arena, 1, sizeof *predicates);
    predicates->arena = arena;
    predicates->history = history;
    predicates->shapes = sql_shapes_new(arena);
    return predicates;
}

struct esse_predicates *esse_predicates_open(struct esse_arena *arena,
                                             const struct esse_history *history)
{
    struct esse_predicates *predicates = esse_predicates_new(arena, history);
    predicates->is_open = predicates->has_columns = predicates->has_scalars = true;
    return predicates;
}

struct esse_arena *sql_arena(struct esse_predicates *predicates)
{
    return predicates->arena;
}

const struct esse_history *sql_history(const struct esse_predicates *predicates)
{
    return predicates->history;
}

/* ---- the columns that rows have ---- */

static void add_column(struct esse_predicates *predicates, esse_value name)
{
    const uint32_t hash = esse_hash_word(name.word);
    struct esse_probe probe = esse_index_probe(&predicates->column_index, hash);
    for (uint32_t id; esse_probe_next(&probe, &id);)
        if (esse_value_eq(predicates->columns.at[id], name))
            return;
    esse_index_add(&predicates->column_index, predicates->arena, hash,
                   (uint32_t)predicates->columns.count);
    column_vec_push(&predicates->columns, predicates->arena, name);
}

static void add_columns_of(struct esse_predicates *predicates, esse_value row)
{
    const struct esse_values *values = predicates->history->values;
    uint32_t count;
    if (esse_value_eq(row, ESSE_NIL) || esse_value_eq(row, ESSE_NONE))
        return;
    if (esse_value_kind(values, row) != ESSE_KIND_MAP) {
        predicates->has_scalars = true;
        return;
    }
    const esse_value *parts = esse_value_parts(values, row, &count);
    for (uint32_t i = 0; i < count; i += 2)
        add_column(predicates, parts[i]);
}

static void find_columns(struct esse_predicates *predicates)
{
    const struct esse_history *history = predicates->history;
    predicates->has_columns = true;
    for (size_t i = 0; i < history->header.column_count; i++)
        add_column(predicates, history->header.columns[i]);
    if (!esse_values_count(history->values, ESSE_KIND_MAP)) {
        predicates->has_scalars = true;
        return;
    }
    for (uint32_t op = 0; op < history->ops; op++)
        add_columns_of(predicates, history->op_value[op]);
    for (uint32_t i = 0; i < history->init_count; i++)
        add_columns_of(predicates, history->init[i].value);
    for (uint32_t i = 0; i < history->predicate_count; i++) {
        const struct esse_predicate_op *op = &history->predicates[i];
        for (uint32_t row = 0; row < op->row_count; row++) {
            add_columns_of(predicates, history->rows[op->row + row].value);
            add_columns_of(predicates, history->rows[op->row + row].next);
        }
        for (uint32_t row = 0; row < op->vset_count; row++)
            add_columns_of(predicates, history->rows[op->vset + row].value);
    }
}

/* The word of a name that the header or an object has, or ESSE_NONE. */
static esse_value find_member(const struct esse_predicates *predicates, const char *name)
{
    const struct esse_values *values = predicates->history->values;
    const size_t length = strlen(name);
    char room[8];
    for (size_t i = 0; i < predicates->columns.count; i++) {
        const esse_value column = predicates->columns.at[i];
        const enum esse_value_kind kind = esse_value_kind(values, column);
        if (kind != ESSE_KIND_STRING && kind != ESSE_KIND_KEYWORD)
            continue;
        struct esse_span text = esse_value_text(values, column, room);
        if (text.length == length && memcmp(text.at, name, length) == 0)
            return column;
    }
    return ESSE_NONE;
}

bool sql_find_column(struct esse_predicates *predicates, const char *name,
                     struct esse_column *column)
{
    if (!predicates->has_columns)
        find_columns(predicates);
    column->member = predicates->is_open
                         ? esse_value_string(predicates->history->values, name, strlen(name))
                         : find_member(predicates, name);
    column->kind = strcmp(name, "k") == 0   ? SQL_COLUMN_KEY
                   : strcmp(name, "v") == 0 ? SQL_COLUMN_VALUE
                                            : SQL_COLUMN_MEMBER;
    return column->kind == SQL_COLUMN_KEY || !esse_value_eq(column->member, ESSE_NONE) ||
           (column->kind == SQL_COLUMN_VALUE && predicates->has_scalars);
}

/* ---- tables ---- */

static struct esse_span text_of_key(const struct esse_values *values, esse_value key, char room[8])
{
    const enum esse_value_kind kind = esse_value_kind(values, key);
    if (kind != ESSE_KIND_STRING && kind != ESSE_KIND_KEYWORD)
        return (struct esse_span){ "", 0 };
    return esse_value_text(values, key, room);
}

static bool begins_with(struct esse_span text, struct esse_span prefix)
{
    return text.length >= prefix.length && memcmp(text.at, prefix.at, prefix.length) == 0;
}

bool sql_table_has(const struct sql_table *table, const struct esse_values *values, esse_value key)
{
    char room[8];
    if (table->kind == SQL_EVERY_KEY)
        return true;
    const struct esse_span text = text_of_key(values, key, room);
    if (table->kind != SQL_PLAIN_KEYS && begins_with(text, table->prefix))
        return true;
    return table->kind != SQL_NAMED_KEYS && !memchr(text.at, '/', text.length);
}

/* Each name is looked for among the keys once. */
struct sql_table sql_find_table(struct esse_predicates *predicates, const char *name)
{
    const struct esse_history *history = predicates->history;
    assert(*name);
    char *prefix = esse_arena_format(predicates->arena, "%s/", name), room[8];
    struct sql_table table = { .kind = SQL_PLAIN_KEYS, .prefix = { prefix, strlen(prefix) } };
    for (size_t i = 0; i < predicates->tables.count; i++)
        if (strcmp(predicates->tables.at[i].prefix.at, prefix) == 0)
            return predicates->tables.at[i];
    for (uint32_t key = 0; table.kind == SQL_PLAIN_KEYS && key < history->keys; key++)
        if (begins_with(text_of_key(history->values, history->key_name[key], room), table.prefix))
            table.kind = SQL_NAMED_KEYS;
    if (predicates->is_open && table.kind == SQL_PLAIN_KEYS)
        table.kind = SQL_NAMED_OR_PLAIN_KEYS;
    table_vec_push(&predicates->tables, predicates->arena, table);
    return table;
}

/* ---- getting ---- */

/* A shape that is known needs no parser. */
static const struct sql_select *select_of(struct esse_predicates *predicates, esse_value text,
                                          struct esse_error *err)
{
    char room[8];
    const struct esse_span span = esse_value_text(predicates->history->values, text, room);
    const struct sql_select *select = sql_shapes_get(predicates->shapes, span);
    if (select)
        return select;
    select = sql_parse(predicates, text, err);
    if (select)
        sql_shapes_add(predicates->shapes, span, select);
    return select;
}

const struct esse_predicate *esse_predicates_get(struct esse_predicates *predicates,
                                                 esse_value text, struct esse_error *err)
{
    assert(predicates);
    const uint32_t hash = esse_hash_word(text.word);
    struct esse_probe probe = esse_index_probe(&predicates->index, hash);
    for (uint32_t id; esse_probe_next(&probe, &id);)
        if (esse_value_eq(predicates->known.at[id]->text, text))
            return predicates->known.at[id];
    const struct sql_select *select = select_of(predicates, text, err);
    if (!select)
        return NULL;
    struct esse_predicate *predicate = esse_arena_alloc(predicates->arena, 1, sizeof *predicate);
    *predicate = (struct esse_predicate){ .of = predicates,
                                          .number = (uint32_t)predicates->known.count,
                                          .text = text,
                                          .select = select };
    predicate->is_range = sql_find_range(select, &predicate->range);
    esse_index_add(&predicates->index, predicates->arena, hash, predicate->number);
    predicate_vec_push(&predicates->known, predicates->arena, predicate);
    return predicate;
}

uint32_t esse_predicate_number(const struct esse_predicate *predicate)
{
    return predicate->number;
}

bool esse_predicate_selects(const struct esse_predicate *predicate, esse_value key, esse_value row,
                            bool *selects, struct esse_error *err)
{
    enum esse_truth truth = ESSE_TRUTH_FALSE;
    if (!esse_value_eq(row, ESSE_NIL) && !esse_predicate_eval(predicate, key, row, &truth, err))
        return false;
    *selects = truth == ESSE_TRUTH_TRUE;
    return true;
}

bool sql_fail(const struct esse_predicates *predicates, esse_value text, uint32_t at,
              const char *message, struct esse_error *err)
{
    char room[8], place[32] = "";
    struct esse_span span = esse_value_text(predicates->history->values, text, room);
    const bool is_long = span.length > 120;
    if (at)
        snprintf(place, sizeof place, ", byte %u", at);
    return esse_fail(err, ESSE_EINPUT, "predicate \"%.*s%s\"%s: %s",
                     is_long ? 117 : (int)span.length, span.at, is_long ? "..." : "", place,
                     message);
}
