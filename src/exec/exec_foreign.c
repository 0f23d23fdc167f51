#include "exec/exec_run.h"

#include <string.h>

/*
 * Foreign keys and deferred constraints.  What a change has to do is put into a list and done when
 * the statement has ended, in the order in which it came up: cascades add to the list.
 */

enum { MOST_CASCADES = 1000 };

static bool any_null(const uint32_t *columns, uint32_t count, const struct esse_datum *row)
{
    for (uint32_t i = 0; i < count; i++)
        if (row[columns[i]].kind == ESSE_DATUM_NULL)
            return true;
    return false;
}

static bool same_columns(const uint32_t *columns, uint32_t count, const struct esse_datum *a,
                         const struct esse_datum *b)
{
    for (uint32_t i = 0; i < count; i++)
        if (!esse_datum_same(a[columns[i]], b[columns[i]], false))
            return false;
    return true;
}

static bool is_deferred(const struct exec_run *run, const struct esse_foreign *foreign)
{
    return foreign->is_deferrable &&
           (run->exec->defers_all || (foreign->is_deferred && !run->exec->defers_none));
}

void exec_pend(struct exec_run *run, struct exec_pending pending, bool is_to_the_end)
{
    struct esse_arena *arena = run->overlay->arena;
    if (pending.key.at)
        pending.key.at = memcpy(esse_arena_alloc(arena, pending.key.length + 1, 1), pending.key.at,
                                pending.key.length);
    if (pending.row && is_to_the_end) {
        struct esse_datum *copy =
            esse_arena_alloc(arena, pending.table->column_count + 1, sizeof *copy);
        for (uint32_t i = 0; i < pending.table->column_count; i++)
            copy[i] = esse_datum_keep(arena, pending.row[i]);
        pending.row = copy;
    }
    exec_pending_vec_push(is_to_the_end ? &run->exec->deferred : &run->exec->pending, arena,
                          pending);
}

bool exec_foreign_inserted(struct exec_run *run, const struct esse_table *table,
                           const struct esse_datum *old, const struct esse_datum *row)
{
    for (size_t i = 0; row && i < table->foreigns.count; i++) {
        const struct esse_foreign *foreign = table->foreigns.at[i];
        if (any_null(foreign->columns, foreign->count, row) ||
            (old && same_columns(foreign->columns, foreign->count, old, row)))
            continue;
        exec_pend(run, (struct exec_pending){ .foreign = foreign, .table = table, .row = row },
                  is_deferred(run, foreign));
    }
    return true;
}

bool exec_foreign_gone(struct exec_run *run, const struct esse_table *table,
                       const struct esse_datum *old, const struct esse_datum *row)
{
    for (size_t i = 0; i < table->referers.count; i++) {
        const struct esse_foreign *foreign = table->referers.at[i];
        const enum esse_action action = row ? foreign->on_update : foreign->on_delete;
        if (foreign->child->is_dropped || any_null(foreign->parent_columns, foreign->count, old) ||
            (row && same_columns(foreign->parent_columns, foreign->count, old, row)))
            continue;
        struct exec_pending pending = {
            .foreign = foreign, .table = table, .is_parent = true, .row = old
        };
        if (row) {
            struct esse_datum *after =
                esse_arena_alloc(run->overlay->arena, table->column_count, sizeof *after);
            for (uint32_t k = 0; k < table->column_count; k++)
                after[k] = esse_datum_keep(run->overlay->arena, row[k]);
            pending.after = after;
        }
        exec_pend(run, pending, action == ESSE_ACTION_NONE && is_deferred(run, foreign));
    }
    return true;
}

/* ---- finding the other side ---- */

/* The values of the columns 'from' of one table as those of the columns 'to' of another. */
static bool other_side(struct exec_run *run, const struct esse_table *table, uint32_t index,
                       const uint32_t *to, const uint32_t *from, uint32_t count,
                       const struct esse_table *from_table, const struct esse_datum *row,
                       struct esse_found_vec *found)
{
    struct esse_u8_vec low = { 0 }, high = { 0 };
    struct esse_arena *arena = run->eval.arena;
    for (uint32_t i = 0; i < count; i++) {
        struct esse_datum value = row[from[i]];
        const struct esse_type type = { .base = table->columns[to[i]].type.base,
                                        .is_unsigned = table->columns[to[i]].type.is_unsigned };
        if (!esse_type_is_text(type) && !esse_cast(arena, value, from_table->columns[from[i]].type,
                                                   type, ESSE_CAST_ASSIGN, &value, run->eval.fault))
            return false;
        if (!esse_key_add(&low, arena, table->columns[to[i]].type, value, run->eval.fault))
            return false;
    }
    const struct esse_bytes key = { low.at, (uint32_t)low.count };
    if (index == 0 && table->has_key && table->indexes.at[0].count == count) {
        const struct esse_datum *one = esse_overlay_get(run->overlay, table, key);
        if (one)
            esse_found_vec_push(found, arena, (struct esse_found){ key, one });
        return true;
    }
    esse_u8_vec_append(&high, arena, low.at, low.count);
    esse_key_after(&high);
    esse_overlay_range(run->overlay, table, index == 0 && table->has_key ? ESSE_BY_KEY : index, key,
                       (struct esse_bytes){ high.at, (uint32_t)high.count }, arena, found);
    return true;
}

static bool find_parents(struct exec_run *run, const struct esse_foreign *foreign,
                         const struct esse_datum *child, struct esse_found_vec *found)
{
    return other_side(run, foreign->parent, foreign->parent_index, foreign->parent_columns,
                      foreign->columns, foreign->count, foreign->child, child, found);
}

/* ---- doing it ---- */

static bool broken(struct exec_run *run, const struct esse_foreign *foreign, bool is_parent)
{
    return esse_fault(run->eval.fault, "23503", 0,
                      is_parent ? "update or delete on table \"%s\" violates foreign key "
                                  "constraint \"%s\""
                                : "insert or update on table \"%s\" violates foreign key "
                                  "constraint \"%s\"",
                      is_parent ? foreign->parent->name : foreign->child->name, foreign->name);
}

/* Is the row that referenced still there with these values? */
static bool still_there(struct exec_run *run, const struct esse_foreign *foreign,
                        const struct esse_datum *row, bool *is_there)
{
    struct esse_found_vec children = { 0 };
    *is_there = false;
    if (!other_side(run, foreign->child, foreign->child_index, foreign->columns, foreign->columns,
                    foreign->count, foreign->child, row, &children))
        return false;
    *is_there = children.count > 0;
    return true;
}

static bool check_child(struct exec_run *run, const struct exec_pending *pending)
{
    const struct esse_foreign *foreign = pending->foreign;
    struct esse_found_vec parents = { 0 };
    bool is_there;
    if (!still_there(run, foreign, pending->row, &is_there))
        return false;
    if (!is_there)
        return true;
    if (!find_parents(run, foreign, pending->row, &parents))
        return false;
    return parents.count || broken(run, foreign, false);
}

static bool children_kept(struct exec_run *run, const struct esse_foreign *foreign,
                          const struct esse_datum *old)
{
    struct esse_found_vec children = { 0 }, parents = { 0 };
    if (!other_side(run, foreign->child, foreign->child_index, foreign->columns,
                    foreign->parent_columns, foreign->count, foreign->parent, old, &children))
        return false;
    return !children.count || (find_parents(run, foreign, children.at[0].row, &parents) &&
                               (parents.count || broken(run, foreign, true)));
}

bool exec_foreign_kept(struct exec_run *run, const struct esse_table *table,
                       const struct esse_datum *old, const struct esse_datum *row)
{
    for (size_t i = 0; row && i < table->foreigns.count; i++) {
        const struct esse_foreign *foreign = table->foreigns.at[i];
        struct esse_found_vec parents = { 0 };
        if (any_null(foreign->columns, foreign->count, row))
            continue;
        if (!find_parents(run, foreign, row, &parents))
            return false;
        if (!parents.count)
            return broken(run, foreign, false);
    }
    for (size_t i = 0; old && i < table->referers.count; i++) {
        const struct esse_foreign *foreign = table->referers.at[i];
        if (foreign->child->is_dropped || any_null(foreign->parent_columns, foreign->count, old) ||
            (row && same_columns(foreign->parent_columns, foreign->count, old, row)))
            continue;
        if (!children_kept(run, foreign, old))
            return false;
    }
    return true;
}

static bool change_child(struct exec_run *run, const struct exec_pending *pending,
                         const struct esse_found *child, enum esse_action action)
{
    const struct esse_foreign *foreign = pending->foreign;
    const struct esse_table *table = foreign->child;
    struct esse_bytes key;
    struct esse_datum *row =
        esse_arena_alloc(run->eval.arena, table->column_count + 1, sizeof *row);
    memcpy(row, child->row, table->column_count * sizeof *row);
    for (uint32_t i = 0; i < foreign->count; i++) {
        const struct esse_column *column = &table->columns[foreign->columns[i]];
        struct esse_datum *value = &row[foreign->columns[i]];
        const struct esse_datum *none[1] = { NULL };
        const struct esse_frame frame = { NULL, none, NULL };
        if (action == ESSE_ACTION_CASCADE) {
            if (!esse_cast(run->eval.arena, pending->after[foreign->parent_columns[i]],
                           foreign->parent->columns[foreign->parent_columns[i]].type, column->type,
                           ESSE_CAST_ASSIGN, value, run->eval.fault))
                return false;
        } else {
            *value = esse_datum_null();
            if (action == ESSE_ACTION_SET_DEFAULT && column->otherwise &&
                !esse_eval(&run->eval, &frame, column->otherwise, value))
                return false;
        }
    }
    return exec_replace_row(run, table, child->key, child->row, row, &key);
}

static bool meet_children(struct exec_run *run, const struct exec_pending *pending)
{
    const struct esse_foreign *foreign = pending->foreign;
    const enum esse_action action = pending->after ? foreign->on_update : foreign->on_delete;
    struct esse_found_vec children = { 0 }, parents = { 0 };
    if (!other_side(run, foreign->child, foreign->child_index, foreign->columns,
                    foreign->parent_columns, foreign->count, foreign->parent, pending->row,
                    &children))
        return false;
    if (!children.count)
        return true;
    if (action == ESSE_ACTION_RESTRICT)
        return broken(run, foreign, true);
    if (action == ESSE_ACTION_NONE) {
        if (!find_parents(run, foreign, children.at[0].row, &parents))
            return false;
        return parents.count || broken(run, foreign, true);
    }
    for (size_t i = 0; i < children.count; i++) {
        if (action == ESSE_ACTION_CASCADE && !pending->after) {
            if (!exec_remove_row(run, foreign->child, children.at[i].key, children.at[i].row))
                return false;
        } else if (!change_child(run, pending, &children.at[i], action)) {
            return false;
        }
    }
    return true;
}

static bool check_twin(struct exec_run *run, const struct exec_pending *pending)
{
    const struct esse_datum *row = esse_overlay_get(run->overlay, pending->table, pending->key);
    struct esse_found twin;
    bool is_found;
    if (!row)
        return true;
    if (!exec_find_twin(run, pending->table, pending->index, row, pending->key, &twin, &is_found))
        return false;
    return !is_found || esse_fault(run->eval.fault, "23505", 0,
                                   "duplicate key value violates unique constraint \"%s\"",
                                   pending->table->indexes.at[pending->index].name);
}

bool exec_settle(struct exec_run *run, struct exec_pending_vec *pending, size_t from)
{
    const size_t begin = pending->count;
    for (size_t i = from; i < pending->count; i++) {
        const struct exec_pending one = pending->at[i];
        if (i > begin * MOST_CASCADES + 1000000)
            return esse_fault_unsupported(run->eval.fault, 0,
                                          "a cascade of more than a million rows is not supported");
        if (one.foreign ? one.is_parent ? !meet_children(run, &one) : !check_child(run, &one)
                        : !check_twin(run, &one))
            return false;
    }
    pending->count = from;
    return true;
}
