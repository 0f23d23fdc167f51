#include "exec/row_memory.h"

#include "base/hash.h"
#include "exec/ordered.h"

#include <string.h>

/* A key keeps its number, also while it has no row. */
struct kept {
    struct esse_bytes key;
    const struct esse_datum *row;
};
ESSE_VEC(kept_vec, struct kept)

struct ordered_index {
    bool is_made;
    struct esse_ordered entries;
};
ESSE_VEC(ordered_index_vec, struct ordered_index)

struct stored_table {
    const struct esse_table *table;
    struct kept_vec rows;
    struct esse_index by_key;
    struct ordered_index order;       /* by key */
    struct ordered_index_vec indexes; /* as the table's */
    uint64_t numbers;
};
ESSE_VEC(stored_table_vec, struct stored_table *)

struct esse_memory {
    struct esse_arena *arena;
    struct esse_store store;
    struct stored_table_vec tables;
};

static struct stored_table *table_of(struct esse_memory *memory, const struct esse_table *table)
{
    while (memory->tables.count <= table->number)
        stored_table_vec_push(&memory->tables, memory->arena, NULL);
    struct stored_table **stored = &memory->tables.at[table->number];
    if (!*stored) {
        *stored = esse_arena_alloc(memory->arena, 1, sizeof **stored);
        (*stored)->table = table;
    }
    return *stored;
}

static uint32_t find(const struct stored_table *stored, struct esse_bytes key, uint32_t hash)
{
    struct esse_probe probe = esse_index_probe(&stored->by_key, hash);
    for (uint32_t id; esse_probe_next(&probe, &id);)
        if (esse_bytes_compare(stored->rows.at[id].key, key) == 0)
            return id;
    return UINT32_MAX;
}

static const struct esse_datum *get(void *context, const struct esse_table *table,
                                    struct esse_bytes key)
{
    const struct stored_table *stored = table_of(context, table);
    const uint32_t id = find(stored, key, esse_hash_bytes(key.at, key.length));
    return id == UINT32_MAX ? NULL : stored->rows.at[id].row;
}

static uint64_t number(void *context, const struct esse_table *table)
{
    return ++table_of(context, table)->numbers;
}

/* ---- ordered ---- */

static void with_entry(struct esse_memory *memory, struct stored_table *stored, uint32_t index,
                       struct ordered_index *order, uint32_t id, const struct esse_datum *row,
                       bool is_added)
{
    struct esse_u8_vec entry = { 0 };
    struct esse_fault fault = { .kind = ESSE_FAULT_NONE };
    struct esse_bytes bytes = stored->rows.at[id].key;
    if (index != ESSE_BY_KEY) {
        if (!esse_key_entry(&entry, memory->arena, stored->table, index, row, bytes, &fault))
            return; /* a hole: it is in no index until it has a value */
        bytes = (struct esse_bytes){ entry.at, (uint32_t)entry.count };
    }
    if (is_added)
        esse_ordered_add(&order->entries, bytes, id);
    else
        esse_ordered_remove(&order->entries, bytes);
    esse_u8_vec_drop(&entry, memory->arena);
}

static struct ordered_index *order_of(struct esse_memory *memory, struct stored_table *stored,
                                      uint32_t index)
{
    struct ordered_index *order = &stored->order;
    if (index != ESSE_BY_KEY) {
        while (stored->indexes.count <= index)
            ordered_index_vec_push(&stored->indexes, memory->arena, (struct ordered_index){ 0 });
        order = &stored->indexes.at[index];
    }
    if (order->is_made)
        return order;
    order->is_made = true;
    order->entries.arena = memory->arena;
    for (uint32_t id = 0; id < stored->rows.count; id++)
        if (stored->rows.at[id].row)
            with_entry(memory, stored, index, order, id, stored->rows.at[id].row, true);
    return order;
}

static void range(void *context, const struct esse_table *table, uint32_t index,
                  struct esse_bytes low, struct esse_bytes high, struct esse_arena *arena,
                  struct esse_found_vec *found)
{
    struct stored_table *stored = table_of(context, table);
    const struct ordered_index *order = order_of(context, stored, index);
    struct esse_ordered_cursor cursor = esse_ordered_seek(&order->entries, low);
    const struct esse_ordered_entry *entry;
    while ((entry = esse_ordered_next(&cursor)) != NULL) {
        if (high.at && esse_bytes_compare(entry->bytes, high) >= 0)
            break;
        const struct kept *kept = &stored->rows.at[entry->number];
        esse_found_vec_push(found, arena, (struct esse_found){ kept->key, kept->row });
    }
}

/* ---- writing ---- */

static void reorder(struct esse_memory *memory, struct stored_table *stored, uint32_t id,
                    const struct esse_datum *row, bool is_added)
{
    if (!row)
        return;
    if (stored->order.is_made)
        with_entry(memory, stored, ESSE_BY_KEY, &stored->order, id, row, is_added);
    for (uint32_t i = 0; i < stored->indexes.count; i++)
        if (stored->indexes.at[i].is_made)
            with_entry(memory, stored, i, &stored->indexes.at[i], id, row, is_added);
}

static void put(struct esse_memory *memory, const struct esse_write *write,
                const struct esse_datum *row)
{
    struct stored_table *stored = table_of(memory, write->table);
    const uint32_t hash = esse_hash_bytes(write->key.at, write->key.length);
    uint32_t id = find(stored, write->key, hash);
    if (id == UINT32_MAX) {
        uint8_t *key = esse_arena_alloc(memory->arena, write->key.length + 1, 1);
        memcpy(key, write->key.at, write->key.length);
        id = (uint32_t)stored->rows.count;
        kept_vec_push(&stored->rows, memory->arena,
                      (struct kept){ { key, write->key.length }, NULL });
        esse_index_add(&stored->by_key, memory->arena, hash, id);
    }
    struct esse_datum *copy = NULL;
    if (row) {
        copy = esse_arena_alloc(memory->arena, write->table->column_count + 1, sizeof *copy);
        for (uint32_t i = 0; i < write->table->column_count; i++)
            copy[i] = esse_datum_keep(memory->arena, row[i]);
    }
    reorder(memory, stored, id, stored->rows.at[id].row, false);
    stored->rows.at[id].row = copy;
    reorder(memory, stored, id, copy, true);
}

void esse_memory_take(struct esse_memory *memory, const struct esse_overlay *overlay)
{
    const struct esse_write *write;
    const struct esse_datum *row;
    for (uint32_t at = 0; esse_overlay_next(overlay, &at, &write, &row);)
        put(memory, write, row);
}

struct esse_memory *esse_memory_new(struct esse_arena *arena)
{
    struct esse_memory *memory = esse_arena_alloc(arena, 1, sizeof *memory);
    memory->arena = arena;
    memory->store = (struct esse_store){ memory, get, range, number };
    return memory;
}

const struct esse_store *esse_memory_store(struct esse_memory *memory)
{
    return &memory->store;
}
