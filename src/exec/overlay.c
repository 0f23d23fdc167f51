#include "exec/overlay.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = UINT32_MAX };

void esse_overlay_init(struct esse_overlay *overlay, const struct esse_store *store)
{
    *overlay = (struct esse_overlay){ .arena = esse_arena_new(), .store = store };
}

void esse_overlay_free(struct esse_overlay *overlay)
{
    esse_arena_free(overlay->arena);
}

void esse_overlay_clear(struct esse_overlay *overlay)
{
    struct esse_arena *arena = overlay->arena;
    const struct esse_store *store = overlay->store;
    if (!overlay->writes.count)
        return;
    esse_arena_clear(arena);
    *overlay = (struct esse_overlay){ .arena = arena, .store = store };
}

static uint32_t hash_of(const struct esse_table *table, struct esse_bytes key)
{
    return esse_hash_bytes(key.at, key.length) ^ table->number * 0x9e3779b9u;
}

static uint32_t find(const struct esse_overlay *overlay, const struct esse_table *table,
                     struct esse_bytes key)
{
    if (!overlay->writes.count)
        return NONE;
    struct esse_probe probe = esse_index_probe(&overlay->index, hash_of(table, key));
    for (uint32_t id; esse_probe_next(&probe, &id);)
        if (overlay->writes.at[id].table == table &&
            esse_bytes_compare(overlay->writes.at[id].key, key) == 0)
            return id;
    return NONE;
}

bool esse_overlay_has(const struct esse_overlay *overlay, const struct esse_table *table,
                      struct esse_bytes key)
{
    const uint32_t id = find(overlay, table, key);
    return id != NONE && overlay->writes.at[id].last != NONE;
}

const struct esse_datum *esse_overlay_get(const struct esse_overlay *overlay,
                                          const struct esse_table *table, struct esse_bytes key)
{
    const uint32_t id = find(overlay, table, key);
    if (id != NONE && overlay->writes.at[id].last != NONE)
        return overlay->entries.at[overlay->writes.at[id].last].row;
    return overlay->store->get(overlay->store->context, table, key);
}

static uint32_t add_write(struct esse_overlay *overlay, const struct esse_table *table,
                          struct esse_bytes key)
{
    const uint32_t id = (uint32_t)overlay->writes.count, hash = hash_of(table, key);
    while (overlay->first.count <= table->number)
        esse_u32_vec_push(&overlay->first, overlay->arena, 0);
    uint8_t *copy = esse_arena_alloc(overlay->arena, key.length + 1, 1);
    memcpy(copy, key.at, key.length);
    esse_write_vec_push(&overlay->writes, overlay->arena,
                        (struct esse_write){ .table = table,
                                             .key = { copy, key.length },
                                             .hash = hash,
                                             .last = NONE,
                                             .next = overlay->first.at[table->number] });
    overlay->first.at[table->number] = id + 1;
    esse_index_add(&overlay->index, overlay->arena, hash, id);
    return id;
}

void esse_overlay_put(struct esse_overlay *overlay, const struct esse_table *table,
                      struct esse_bytes key, const struct esse_datum *row)
{
    uint32_t id = find(overlay, table, key);
    struct esse_datum *copy = NULL;
    if (id == NONE)
        id = add_write(overlay, table, key);
    if (row) {
        copy = esse_arena_alloc(overlay->arena, table->column_count + 1, sizeof *copy);
        for (uint32_t i = 0; i < table->column_count; i++)
            copy[i] = esse_datum_keep(overlay->arena, row[i]);
    }
    struct esse_write *write = &overlay->writes.at[id];
    esse_overlay_entry_vec_push(&overlay->entries, overlay->arena,
                                (struct esse_overlay_entry){ id, write->last, copy });
    write->last = (uint32_t)overlay->entries.count - 1;
}

void esse_overlay_back(struct esse_overlay *overlay, uint32_t mark)
{
    while (overlay->entries.count > mark) {
        const struct esse_overlay_entry *entry = &overlay->entries.at[--overlay->entries.count];
        overlay->writes.at[entry->write].last = entry->before;
    }
}

/* ---- ranges ---- */

static bool is_own(const struct esse_overlay *overlay, const struct esse_table *table,
                   struct esse_bytes key)
{
    const uint32_t id = find(overlay, table, key);
    return id != NONE && overlay->writes.at[id].last != NONE;
}

static bool is_within(struct esse_bytes entry, struct esse_bytes low, struct esse_bytes high)
{
    return esse_bytes_compare(entry, low) >= 0 && (!high.at || esse_bytes_compare(entry, high) < 0);
}

static void add_own(const struct esse_overlay *overlay, const struct esse_table *table,
                    uint32_t index, struct esse_bytes low, struct esse_bytes high,
                    struct esse_arena *arena, struct esse_found_vec *found)
{
    struct esse_u8_vec entry = { 0 };
    struct esse_fault fault = { .kind = ESSE_FAULT_NONE };
    for (uint32_t id = overlay->first.at[table->number]; id; id = overlay->writes.at[id - 1].next) {
        const struct esse_write *write = &overlay->writes.at[id - 1];
        const struct esse_datum *row =
            write->last == NONE ? NULL : overlay->entries.at[write->last].row;
        struct esse_bytes at = write->key;
        if (!row)
            continue;
        if (index != ESSE_BY_KEY) {
            entry.count = 0;
            if (!esse_key_entry(&entry, arena, table, index, row, write->key, &fault))
                continue;
            at = (struct esse_bytes){ entry.at, (uint32_t)entry.count };
        }
        if (is_within(at, low, high))
            esse_found_vec_push(found, arena, (struct esse_found){ write->key, row });
    }
    esse_u8_vec_drop(&entry, arena);
}

static int compare_found(const void *a, const void *b)
{
    return esse_bytes_compare(((const struct esse_found *)a)->key,
                              ((const struct esse_found *)b)->key);
}

void esse_overlay_range(const struct esse_overlay *overlay, const struct esse_table *table,
                        uint32_t index, struct esse_bytes low, struct esse_bytes high,
                        struct esse_arena *arena, struct esse_found_vec *found)
{
    const size_t before = found->count;
    overlay->store->range(overlay->store->context, table, index, low, high, arena, found);
    if (overlay->first.count <= table->number || !overlay->first.at[table->number])
        return;
    size_t kept = before;
    for (size_t i = before; i < found->count; i++)
        if (!is_own(overlay, table, found->at[i].key))
            found->at[kept++] = found->at[i];
    found->count = kept;
    add_own(overlay, table, index, low, high, arena, found);
    if (found->count > kept && found->count - before > 1)
        qsort(found->at + before, found->count - before, sizeof *found->at, compare_found);
}

bool esse_overlay_valid(const struct esse_overlay *overlay)
{
    for (size_t i = 0; i < overlay->entries.count; i++) {
        const struct esse_overlay_entry *entry = &overlay->entries.at[i];
        if (entry->write >= overlay->writes.count || (entry->before != NONE && entry->before >= i))
            return false;
    }
    for (uint32_t i = 0; i < overlay->writes.count; i++) {
        const struct esse_write *write = &overlay->writes.at[i];
        if (write->last != NONE &&
            (write->last >= overlay->entries.count || overlay->entries.at[write->last].write != i))
            return false;
        if (find(overlay, write->table, write->key) != i)
            return false;
    }
    return true;
}
