#include "exec/exec_run.h"

#include "base/hash.h"

#include <assert.h>
#include <string.h>

/* INSERT, UPDATE, DELETE. */

/* ---- keys and unique indexes ---- */

static struct esse_bytes bytes_of(const struct esse_u8_vec *vec)
{
    return (struct esse_bytes){ vec->at ? vec->at : (const uint8_t *)"", (uint32_t)vec->count };
}

bool exec_key_of(struct exec_run *run, const struct esse_table *table, const struct esse_datum *row,
                 struct esse_bytes *key)
{
    struct esse_u8_vec bytes = { 0 };
    if (!table->has_key)
        esse_key_add_number(&bytes, run->eval.arena,
                            run->overlay->store->number(run->overlay->store->context, table));
    else if (!esse_key_add_columns(&bytes, run->eval.arena, table, &table->indexes.at[0], row,
                                   run->eval.fault))
        return false;
    *key = bytes_of(&bytes);
    return true;
}

static bool same_key(struct esse_bytes a, struct esse_bytes b)
{
    return a.at && b.at && esse_bytes_compare(a, b) == 0;
}

bool exec_find_twin(struct exec_run *run, const struct esse_table *table, uint32_t index,
                    const struct esse_datum *row, struct esse_bytes not_key,
                    struct esse_found *found, bool *is_found)
{
    const struct esse_table_index *columns = &table->indexes.at[index];
    struct esse_u8_vec low = { 0 }, high = { 0 };
    struct esse_found_vec rows = { 0 };
    struct esse_arena *arena = run->eval.arena;
    *is_found = false;
    for (uint32_t i = 0; i < columns->count; i++)
        if (row[columns->columns[i]].kind == ESSE_DATUM_NULL)
            return true;
    if (!esse_key_add_columns(&low, arena, table, columns, row, run->eval.fault))
        return false;
    if (index == 0 && table->has_key) {
        found->key = bytes_of(&low);
        found->row = same_key(found->key, not_key)
                         ? NULL
                         : esse_overlay_get(run->overlay, table, found->key);
        *is_found = found->row != NULL;
        return true;
    }
    esse_u8_vec_append(&high, arena, low.at, low.count);
    esse_key_after(&high);
    esse_overlay_range(run->overlay, table, index, bytes_of(&low), bytes_of(&high), arena, &rows);
    for (size_t i = 0; i < rows.count && !*is_found; i++)
        if (!same_key(rows.at[i].key, not_key)) {
            *found = rows.at[i];
            *is_found = true;
        }
    esse_u8_vec_drop(&low, arena);
    esse_u8_vec_drop(&high, arena);
    esse_found_vec_drop(&rows, arena);
    return true;
}

static bool duplicate(struct exec_run *run, const struct esse_table_index *index)
{
    return esse_fault(run->eval.fault, "23505", 0,
                      "duplicate key value violates unique constraint \"%s\"",
                      index->name ? index->name : "");
}

static bool changes_index(const struct esse_table_index *index, const struct esse_datum *old,
                          const struct esse_datum *row)
{
    for (uint32_t i = 0; old && i < index->count; i++)
        if (!esse_datum_same(old[index->columns[i]], row[index->columns[i]], false))
            return true;
    return !old;
}

static bool is_deferred_now(const struct exec_run *run, bool is_deferrable, bool is_deferred)
{
    return is_deferrable && (run->exec->defers_all || (is_deferred && !run->exec->defers_none));
}

static bool may_be_deferred(const struct esse_table *table, uint32_t index)
{
    return table->indexes.at[index].is_deferrable && !(index == 0 && table->has_key);
}

/* The unique indexes, before the row is written. */
static bool check_unique(struct exec_run *run, const struct esse_table *table,
                         const struct esse_datum *old, const struct esse_datum *row,
                         struct esse_bytes old_key)
{
    for (uint32_t i = 0; i < table->indexes.count; i++) {
        const struct esse_table_index *index = &table->indexes.at[i];
        struct esse_found twin;
        bool is_found;
        if (!index->is_unique || index->is_dropped || may_be_deferred(table, i) ||
            !changes_index(index, old, row))
            continue;
        if (!exec_find_twin(run, table, i, row, old_key, &twin, &is_found))
            return false;
        if (is_found)
            return duplicate(run, index);
    }
    return true;
}

/* What is looked at when the statement has ended: foreign keys, and then, as in PostgreSQL, unique
 * indexes that may be deferred and that have such a row now. */
static bool pend_row(struct exec_run *run, const struct esse_table *table,
                     const struct esse_datum *old, struct esse_bytes key)
{
    const struct esse_datum *row = esse_overlay_get(run->overlay, table, key);
    if (!exec_foreign_inserted(run, table, old, row))
        return false;
    for (uint32_t i = 0; i < table->indexes.count; i++) {
        const struct esse_table_index *index = &table->indexes.at[i];
        struct esse_found twin;
        bool is_found;
        if (!index->is_unique || index->is_dropped || !may_be_deferred(table, i) ||
            !changes_index(index, old, row))
            continue;
        if (!exec_find_twin(run, table, i, row, key, &twin, &is_found))
            return false;
        if (is_found)
            exec_pend(run, (struct exec_pending){ .table = table, .index = i, .key = key },
                      is_deferred_now(run, true, index->is_deferred));
    }
    return true;
}

bool exec_check_index(struct exec_run *run, const struct esse_table *table,
                      const struct esse_table_index *index)
{
    struct esse_found_vec rows = { 0 };
    struct esse_index seen = { 0 };
    struct esse_bytes *keys;
    const struct esse_bytes all = { (const uint8_t *)"", 0 }, end = { NULL, 0 };
    struct esse_arena *arena = run->eval.arena;
    esse_overlay_range(run->overlay, table, ESSE_BY_KEY, all, end, arena, &rows);
    keys = esse_arena_alloc(arena, rows.count + 1, sizeof *keys);
    for (size_t i = 0; i < rows.count; i++) {
        struct esse_u8_vec key = { 0 };
        bool any_null = false;
        for (uint32_t k = 0; k < index->count; k++)
            any_null |= rows.at[i].row[index->columns[k]].kind == ESSE_DATUM_NULL;
        if (any_null)
            continue;
        if (!esse_key_add_columns(&key, arena, table, index, rows.at[i].row, run->eval.fault))
            return false;
        keys[i] = bytes_of(&key);
        const uint32_t hash = esse_hash_bytes(keys[i].at, keys[i].length);
        struct esse_probe probe = esse_index_probe(&seen, hash);
        for (uint32_t id; esse_probe_next(&probe, &id);)
            if (esse_bytes_compare(keys[id], keys[i]) == 0)
                return esse_fault(run->eval.fault, "23505", 0,
                                  "could not create unique index \"%s\"", index->name);
        esse_index_add(&seen, arena, hash, (uint32_t)i);
    }
    return true;
}

/* ---- one row ---- */

static bool settle_row(struct exec_run *run, const struct esse_table *table, struct esse_datum *row)
{
    return esse_row_generate(&run->eval, table, row) && esse_row_check(&run->eval, table, row);
}

bool exec_replace_row(struct exec_run *run, const struct esse_table *table, struct esse_bytes key,
                      const struct esse_datum *old, struct esse_datum *row,
                      struct esse_bytes *new_key)
{
    *new_key = key;
    if (!settle_row(run, table, row))
        return false;
    const bool moves = table->has_key && changes_index(&table->indexes.at[0], old, row);
    if (moves && !exec_key_of(run, table, row, new_key))
        return false;
    if (!check_unique(run, table, old, row, key))
        return false;
    if (moves && !same_key(key, *new_key))
        esse_overlay_put(run->overlay, table, key, NULL);
    esse_overlay_put(run->overlay, table, *new_key, row);
    return exec_foreign_gone(run, table, old, row) && pend_row(run, table, old, *new_key);
}

bool exec_remove_row(struct exec_run *run, const struct esse_table *table, struct esse_bytes key,
                     const struct esse_datum *old)
{
    esse_overlay_put(run->overlay, table, key, NULL);
    return exec_foreign_gone(run, table, old, NULL);
}

static bool default_of(struct exec_run *run, const struct esse_column *column,
                       struct esse_datum *value)
{
    const struct esse_datum *none[1] = { NULL };
    const struct esse_frame frame = { NULL, none, NULL };
    *value = esse_datum_null();
    if (column->sequence)
        return run->eval.hole(run, ESSE_HOLE_NEXTVAL, column->sequence, value);
    return column->is_generated || !column->otherwise ||
           esse_eval(&run->eval, &frame, column->otherwise, value);
}

/* ---- RETURNING ---- */

struct returned {
    struct exec_datum_vec rows;
    size_t count;
};

static bool return_row(struct exec_run *run, const struct esse_change *change,
                       const struct esse_frame *frame, struct returned *returned)
{
    for (uint32_t i = 0; i < change->returning_count; i++) {
        struct esse_datum value;
        if (!esse_eval(&run->eval, frame, change->returning[i].expr, &value))
            return false;
        exec_datum_vec_push(&returned->rows, run->eval.arena, value);
    }
    returned->count++;
    return true;
}

static void finish(struct exec_run *run, const struct esse_change *change,
                   const struct returned *returned)
{
    struct esse_sql_result *result = run->result;
    if (!change->returning_count)
        return;
    result->has_rows = true;
    result->width = change->returning_count;
    result->columns = change->returning;
    result->rows = result->all_rows = returned->rows.at;
    result->count = result->all = returned->count;
}

/* ---- INSERT ---- */

struct inserting {
    struct exec_run *run;
    const struct esse_change *change;
    struct returned returned;
    struct esse_index touched; /* keys that this statement wrote: DO UPDATE may not come again */
    struct exec_bytes_vec keys;
};

static bool is_touched(const struct inserting *in, struct esse_bytes key)
{
    struct esse_probe probe = esse_index_probe(&in->touched, esse_hash_bytes(key.at, key.length));
    for (uint32_t id; esse_probe_next(&probe, &id);)
        if (esse_bytes_compare(in->keys.at[id], key) == 0)
            return true;
    return false;
}

static void touch(struct inserting *in, struct esse_bytes key)
{
    struct esse_arena *arena = in->run->eval.arena;
    if (in->change->conflict == ESSE_CONFLICT_ERROR)
        return;
    esse_index_add(&in->touched, arena, esse_hash_bytes(key.at, key.length),
                   (uint32_t)in->keys.count);
    exec_bytes_vec_push(&in->keys, arena, key);
}

static bool assign(struct exec_run *run, const struct esse_change *change,
                   const struct esse_frame *frame, struct esse_datum *row,
                   const struct esse_datum **current)
{
    for (uint32_t i = 0; i < change->set_count; i++) {
        const struct esse_assignment *set = &change->sets[i];
        struct esse_datum value;
        if (set->to ? !esse_eval(&run->eval, frame, set->to, &value)
                    : !default_of(run, &change->table->columns[set->column], &value))
            return false;
        row[set->column] = value;
        if (run->is_mysql) /* what follows sees it */
            *current = row;
    }
    return true;
}

static struct esse_datum *copy_row(struct exec_run *run, const struct esse_table *table,
                                   const struct esse_datum *row)
{
    struct esse_datum *copy =
        esse_arena_alloc(run->eval.arena, table->column_count + 1, sizeof *copy);
    memcpy(copy, row, table->column_count * sizeof *copy);
    return copy;
}

static bool is_unchanged(const struct esse_table *table, const struct esse_datum *a,
                         const struct esse_datum *b)
{
    for (uint32_t i = 0; i < table->column_count; i++)
        if (!esse_datum_same(a[i], b[i], false))
            return false;
    return true;
}

static bool conflict_update(struct inserting *in, struct esse_found twin,
                            const struct esse_datum *row)
{
    struct exec_run *run = in->run;
    const struct esse_change *change = in->change;
    const struct esse_datum *rows[] = { twin.row, row };
    const struct esse_frame frame = { NULL, rows, NULL };
    struct esse_datum *changed = copy_row(run, change->table, twin.row);
    struct esse_bytes key;
    bool is_true;
    if (!run->is_mysql && is_touched(in, twin.key))
        return esse_fault(run->eval.fault, "21000", 0,
                          "ON CONFLICT DO UPDATE command cannot affect row a second time");
    if (!esse_eval_true(&run->eval, &frame, change->conflict_where, &is_true))
        return false;
    if (!is_true)
        return true;
    if (!assign(run, change, &frame, changed, &rows[0]))
        return false;
    run->result->found++;
    if (run->is_mysql && is_unchanged(change->table, twin.row, changed))
        return true;
    run->result->changed += run->is_mysql ? 2 : 1;
    if (!exec_replace_row(run, change->table, twin.key, twin.row, changed, &key))
        return false;
    touch(in, key);
    rows[0] = changed;
    return return_row(run, change, &frame, &in->returned);
}

/* MariaDB's REPLACE updates the row where no key comes after the one in the way and nothing refers
 * to the table; then a row that stays the same is not counted twice. */
static bool is_replaced_by_same(const struct esse_table *table, uint32_t index,
                                const struct esse_datum *old, const struct esse_datum *row)
{
    for (uint32_t i = index + 1; i < table->indexes.count; i++)
        if (table->indexes.at[i].is_unique && !table->indexes.at[i].is_dropped)
            return false;
    return !table->referers.count && is_unchanged(table, old, row);
}

/* The row that is in the way; of REPLACE all of them go. */
static bool meet_conflicts(struct inserting *in, const struct esse_datum *row, bool *is_done)
{
    struct exec_run *run = in->run;
    const struct esse_change *change = in->change;
    const struct esse_table *table = change->table;
    const struct esse_bytes none = { NULL, 0 };
    *is_done = false;
    for (uint32_t i = 0; i < table->indexes.count; i++) {
        struct esse_found twin;
        bool is_found;
        if (!table->indexes.at[i].is_unique || table->indexes.at[i].is_dropped ||
            (!change->any_index && i != change->conflict_index))
            continue;
        if (table->indexes.at[i].is_deferrable)
            return esse_fault(run->eval.fault, "55000", 0,
                              "ON CONFLICT does not support deferrable unique constraints as "
                              "arbiters");
        if (!exec_find_twin(run, table, i, row, none, &twin, &is_found))
            return false;
        if (!is_found)
            continue;
        if (change->conflict == ESSE_CONFLICT_REPLACE) {
            run->result->changed += !is_replaced_by_same(table, i, twin.row, row);
            if (!exec_remove_row(run, table, twin.key, twin.row))
                return false;
            continue;
        }
        *is_done = true;
        return change->conflict == ESSE_CONFLICT_NOTHING || conflict_update(in, twin, row);
    }
    return true;
}

/* What counts by itself goes on after what was given. */
static void tell_given(const struct exec_run *run, const struct esse_table *table,
                       const struct esse_datum *row)
{
    const struct esse_outside *outside = run->exec->outside;
    for (uint32_t i = 0; run->is_mysql && outside->given && i < table->column_count; i++)
        if (table->columns[i].sequence && row[i].kind == ESSE_DATUM_INT)
            outside->given(outside->context, table->columns[i].sequence, row[i].is.number);
}

static bool insert_row(struct inserting *in, struct esse_datum *row)
{
    struct exec_run *run = in->run;
    const struct esse_change *change = in->change;
    const struct esse_table *table = change->table;
    struct esse_bytes key;
    bool is_done = false;
    if (!settle_row(run, table, row))
        return false;
    if (change->conflict != ESSE_CONFLICT_ERROR && !meet_conflicts(in, row, &is_done))
        return false;
    if (is_done)
        return true;
    const struct esse_bytes none = { NULL, 0 };
    if (!exec_key_of(run, table, row, &key) || !check_unique(run, table, NULL, row, none))
        return false;
    esse_overlay_put(run->overlay, table, key, row);
    touch(in, key);
    tell_given(run, table, row);
    run->result->changed++;
    run->result->found++;
    const struct esse_datum *rows[] = { row, NULL };
    const struct esse_frame frame = { NULL, rows, NULL };
    return pend_row(run, table, NULL, key) && return_row(run, change, &frame, &in->returned);
}

/* MySQL's AUTO_INCREMENT counts for NULL and 0 too. */
static bool wants_number(const struct exec_run *run, const struct esse_column *column,
                         struct esse_datum value)
{
    return run->is_mysql && column->sequence &&
           (value.kind == ESSE_DATUM_NULL ||
            (value.kind == ESSE_DATUM_INT && value.is.number == 0));
}

static bool make_row(struct exec_run *run, const struct esse_change *change,
                     const struct esse_datum *values, size_t number, struct esse_datum *row)
{
    const struct esse_table *table = change->table;
    bool *given = esse_arena_alloc(run->eval.arena, table->column_count + 1, sizeof *given);
    const uint32_t width = change->query ? change->column_count : 0;
    for (uint32_t i = 0; i < width; i++) {
        const struct esse_column *column = &table->columns[change->columns[i]];
        if ((change->is_default && change->is_default[number * width + i]) ||
            wants_number(run, column, values[i]))
            continue;
        given[change->columns[i]] = true;
        row[change->columns[i]] = values[i];
    }
    for (uint32_t i = 0; i < table->column_count; i++) {
        const struct esse_column *column = &table->columns[i];
        if (given[i])
            continue;
        if (run->is_mysql && column->not_null && !column->otherwise && !column->sequence &&
            !column->is_generated)
            return esse_fault(run->eval.fault, "HY000", 0,
                              "Field '%s' doesn't have a default value", column->name);
        if (!default_of(run, column, &row[i]))
            return false;
    }
    return true;
}

static bool insert_values(struct inserting *in, const struct esse_datum *values, size_t number)
{
    struct exec_run *run = in->run;
    struct esse_datum *row =
        esse_arena_alloc(run->eval.arena, in->change->table->column_count + 1, sizeof *row);
    return make_row(run, in->change, values, number, row) && insert_row(in, row);
}

/* Rows of VALUES are evaluated one after the other: a broken constraint of the first is met before
 * an error of the second.  With sub-selects all come first, since these do not see what is
 * inserted: then there are more queries than the list and the statement's own. */
static bool insert_list(struct inserting *in, const struct esse_query *query)
{
    struct exec_run *run = in->run;
    const struct esse_datum *none[1] = { NULL };
    const struct esse_frame frame = { NULL, none, NULL };
    const uint32_t width = query->output_count;
    for (size_t i = 0; i < query->value_count; i++) {
        struct esse_datum *values = esse_arena_alloc(run->eval.arena, width + 1, sizeof *values);
        for (uint32_t k = 0; k < width; k++)
            if (!esse_eval(&run->eval, &frame, query->values[i * width + k], &values[k]))
                return false;
        if (!insert_values(in, values, i))
            return false;
    }
    return true;
}

bool exec_insert(struct exec_run *run, const struct esse_change *change)
{
    struct inserting in = { .run = run, .change = change };
    const struct esse_query *query = change->query;
    struct esse_subrows rows = { .count = 1 };
    if (query && query->is_values && !query->sort_count && !query->limit && !query->offset &&
        run->statement->query_count == 2) {
        if (!insert_list(&in, query))
            return false;
    } else {
        if (query && !exec_query(run, query, NULL, SIZE_MAX, &rows))
            return false;
        for (size_t i = 0; i < rows.count; i++)
            if (!insert_values(&in, rows.at ? rows.at + i * rows.width : NULL, i))
                return false;
    }
    finish(run, change, &in.returned);
    return true;
}

/* ---- UPDATE and DELETE ---- */

/* A row is changed once, however often it was joined. */
static bool is_first(struct exec_run *run, struct esse_index *seen,
                     const struct exec_tuple_vec *tuples, size_t at)
{
    const struct esse_bytes key = tuples->at[at].key;
    const uint32_t hash = esse_hash_bytes(key.at, key.length);
    struct esse_probe probe = esse_index_probe(seen, hash);
    for (uint32_t id; esse_probe_next(&probe, &id);)
        if (esse_bytes_compare(tuples->at[id].key, key) == 0)
            return false;
    esse_index_add(seen, run->eval.arena, hash, (uint32_t)at);
    return true;
}

/* What UPDATE makes of a row, from what was there before the statement. */
static bool new_row(struct exec_run *run, const struct esse_change *change,
                    const struct exec_tuple *tuple, struct esse_datum **row)
{
    const struct esse_frame frame = { NULL, tuple->rows, NULL };
    const struct esse_datum *old = tuple->rows[0];
    *row = copy_row(run, change->table, old);
    const bool ok = assign(run, change, &frame, *row, &tuple->rows[0]);
    tuple->rows[0] = old;
    return ok;
}

static bool update_row(struct exec_run *run, const struct esse_change *change,
                       const struct exec_tuple *tuple, struct esse_datum *row,
                       struct returned *returned)
{
    const struct esse_frame frame = { NULL, tuple->rows, NULL };
    const struct esse_datum *old = tuple->rows[0];
    struct esse_bytes key;
    run->result->found++;
    if (run->is_mysql && (!esse_row_generate(&run->eval, change->table, row) ||
                          is_unchanged(change->table, old, row)))
        return run->eval.fault->kind == ESSE_FAULT_NONE;
    run->result->changed++;
    if (!exec_replace_row(run, change->table, tuple->key, old, row, &key))
        return false;
    tuple->rows[0] = row;
    return return_row(run, change, &frame, returned);
}

bool exec_update(struct exec_run *run, const struct esse_change *change)
{
    struct exec_tuple_vec tuples = { 0 };
    struct returned returned = { .count = 0 };
    struct esse_index seen = { 0 };
    if (!exec_tuples(run, change->query, &tuples))
        return false;
    struct esse_datum **rows = esse_arena_alloc(run->eval.arena, tuples.count + 1, sizeof *rows);
    for (size_t i = 0; i < tuples.count; i++)
        if ((change->source_count == 1 || is_first(run, &seen, &tuples, i)) &&
            !new_row(run, change, &tuples.at[i], &rows[i]))
            return false;
    for (size_t i = 0; i < tuples.count; i++)
        if (rows[i] && !update_row(run, change, &tuples.at[i], rows[i], &returned))
            return false;
    finish(run, change, &returned);
    return true;
}

bool exec_delete(struct exec_run *run, const struct esse_change *change)
{
    struct exec_tuple_vec tuples = { 0 };
    struct returned returned = { .count = 0 };
    struct esse_index seen = { 0 };
    if (!exec_tuples(run, change->query, &tuples))
        return false;
    for (size_t i = 0; i < tuples.count; i++) {
        const struct exec_tuple *tuple = &tuples.at[i];
        const struct esse_frame frame = { NULL, tuple->rows, NULL };
        if (change->source_count > 1 && !is_first(run, &seen, &tuples, i))
            continue;
        if (!exec_remove_row(run, change->table, tuple->key, tuple->rows[0]) ||
            !return_row(run, change, &frame, &returned))
            return false;
        run->result->changed++;
        run->result->found++;
    }
    finish(run, change, &returned);
    return true;
}

/* ---- TRUNCATE ---- */

ESSE_VEC(table_vec, const struct esse_table *)

static bool has_table(const struct table_vec *tables, const struct esse_table *table)
{
    for (size_t i = 0; i < tables->count; i++)
        if (tables->at[i] == table)
            return true;
    return false;
}

bool exec_truncate(struct exec_run *run, const struct esse_statement *statement)
{
    struct table_vec tables = { 0 };
    struct esse_arena *arena = run->eval.arena;
    const struct esse_bytes all = { (const uint8_t *)"", 0 }, end = { NULL, 0 };
    for (uint32_t i = 0; i < statement->table_count; i++)
        table_vec_push(&tables, arena, statement->tables[i]);
    for (size_t i = 0; i < tables.count; i++)
        for (size_t k = 0; k < tables.at[i]->referers.count; k++) {
            const struct esse_table *child = tables.at[i]->referers.at[k]->child;
            if (child->is_dropped || has_table(&tables, child))
                continue;
            if (!statement->flag)
                return esse_fault(run->eval.fault, "0A000", 0,
                                  "cannot truncate a table referenced in a foreign key constraint");
            table_vec_push(&tables, arena, child);
        }
    for (size_t i = 0; i < tables.count; i++) {
        struct esse_found_vec rows = { 0 };
        esse_overlay_range(run->overlay, tables.at[i], ESSE_BY_KEY, all, end, arena, &rows);
        for (size_t k = 0; k < rows.count; k++)
            esse_overlay_put(run->overlay, tables.at[i], rows.at[k].key, NULL);
    }
    return true;
}
