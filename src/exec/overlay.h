#ifndef ESSE_EXEC_OVERLAY_H
#define ESSE_EXEC_OVERLAY_H

#include "base/index.h"
#include "exec/row_store.h"

/*
 * What one transaction wrote, over a store.  Reads look here first.
 *
 *  1. Each key that was written is here once, with the last row that was written or its absence.
 *  2. esse_overlay_back() leaves exactly what was here at the mark.
 *  3. Rows and keys are copies, in the overlay's arena; they live until it is cleared.
 *
 * Cost: get and put O(1) expected; a range O(what the store finds + keys written of that table).
 */
struct esse_write {
    const struct esse_table *table;
    struct esse_bytes key;
    uint32_t hash;
    uint32_t last; /* of the entries: what is there now; UINT32_MAX: it was never written */
    uint32_t next; /* of the same table */
};
ESSE_VEC(esse_write_vec, struct esse_write)

struct esse_overlay_entry {
    uint32_t write, before;       /* what was there before */
    const struct esse_datum *row; /* NULL: deleted */
};
ESSE_VEC(esse_overlay_entry_vec, struct esse_overlay_entry)

struct esse_overlay {
    struct esse_arena *arena;
    const struct esse_store *store;
    struct esse_write_vec writes;
    struct esse_overlay_entry_vec entries;
    struct esse_index index;
    struct esse_u32_vec first; /* by table: its writes, from 1; 0: none */
};

void esse_overlay_init(struct esse_overlay *overlay, const struct esse_store *store);
void esse_overlay_free(struct esse_overlay *overlay);
/* For the next transaction. */
void esse_overlay_clear(struct esse_overlay *overlay);

const struct esse_datum *esse_overlay_get(const struct esse_overlay *overlay,
                                          const struct esse_table *table, struct esse_bytes key);
/* Did the transaction write the key? */
bool esse_overlay_has(const struct esse_overlay *overlay, const struct esse_table *table,
                      struct esse_bytes key);
void esse_overlay_range(const struct esse_overlay *overlay, const struct esse_table *table,
                        uint32_t index, struct esse_bytes low, struct esse_bytes high,
                        struct esse_arena *arena, struct esse_found_vec *found);
/* NULL: the row is deleted.  Copies. */
void esse_overlay_put(struct esse_overlay *overlay, const struct esse_table *table,
                      struct esse_bytes key, const struct esse_datum *row);

/* A place to come back to. */
static inline uint32_t esse_overlay_mark(const struct esse_overlay *overlay)
{
    return (uint32_t)overlay->entries.count;
}
void esse_overlay_back(struct esse_overlay *overlay, uint32_t mark);

/* Walks the writes in the order in which their keys were first written. */
static inline bool esse_overlay_next(const struct esse_overlay *overlay, uint32_t *at,
                                     const struct esse_write **write, const struct esse_datum **row)
{
    while (*at < overlay->writes.count) {
        *write = &overlay->writes.at[(*at)++];
        if ((*write)->last == UINT32_MAX)
            continue;
        *row = overlay->entries.at[(*write)->last].row;
        return true;
    }
    return false;
}

bool esse_overlay_valid(const struct esse_overlay *overlay);

#endif
