#ifndef ESSE_BASE_SORTED_H
#define ESSE_BASE_SORTED_H

#include "base/arena.h"

/*
 * An ordered index: numbered things, each by its place among the others of its kind.
 *
 * Entries are in blocks, and the blocks in an array, with the first entry of each beside it: one
 * binary search finds the block and another the entry.
 *
 * Life: init -> fill or add, remove, seek in any order.  It lives in its arena and has no free.
 *
 * Cost: 16 bytes an entry, blocks at least half full on average; add and remove O(log entries) and
 * moving half a block; seek O(log entries), next O(1).
 */
struct esse_entry {
    uint64_t at;
    uint32_t kind; /* comes first: all of one kind stand together */
    uint32_t key;
};

enum { ESSE_ENTRY_BLOCK = 128 };

struct esse_entry_block {
    struct esse_entry at[ESSE_ENTRY_BLOCK];
};

struct esse_sorted {
    struct esse_arena *arena;
    struct esse_entry_block **blocks;
    struct esse_entry *first; /* by block */
    uint32_t *size;           /* by block: its entries */
    uint32_t count, room;
    struct esse_entry_block **spare; /* emptied blocks */
    uint32_t spare_count, spare_room;
};

void esse_sorted_init(struct esse_sorted *sorted, struct esse_arena *arena);

/* Fills an empty index at once.  Sorts the entries, in place. */
void esse_sorted_fill(struct esse_sorted *sorted, struct esse_entry *entries, size_t count);

/* An entry is added once, and removed only if it is there. */
void esse_sorted_add(struct esse_sorted *sorted, struct esse_entry entry);
void esse_sorted_remove(struct esse_sorted *sorted, struct esse_entry entry);

/* Walks the entries in order, from the first at or after a place. */
struct esse_entry_cursor {
    const struct esse_sorted *sorted;
    uint32_t block, at;
};
struct esse_entry_cursor esse_sorted_seek(const struct esse_sorted *sorted, uint32_t kind,
                                          uint64_t at);

static inline const struct esse_entry *esse_entry_cursor_next(struct esse_entry_cursor *cursor)
{
    if (cursor->block < cursor->sorted->count &&
        cursor->at == cursor->sorted->size[cursor->block]) {
        cursor->block++;
        cursor->at = 0;
    }
    return cursor->block == cursor->sorted->count
               ? NULL
               : &cursor->sorted->blocks[cursor->block]->at[cursor->at++];
}

#endif
