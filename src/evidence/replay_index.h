#ifndef ESSE_EVIDENCE_REPLAY_INDEX_H
#define ESSE_EVIDENCE_REPLAY_INDEX_H

#include "base/arena.h"
#include "sql/bounds.h"

/*
 * An ordered index: the rows of a table by their place in one column.  Private to evidence/.
 *
 * Entries are in blocks, and the blocks in an array, with the first entry of each beside it: one
 * binary search finds the block and another the entry.  Rows whose column is NULL have no entry.
 *
 * Cost: 16 bytes an entry, blocks at least half full on average; add and remove O(log entries) and
 * moving half a block; seek O(log entries), next O(1).
 */
struct replay_entry {
    uint64_t at;
    uint32_t kind; /* enum esse_place_kind */
    uint32_t key;
};

enum { REPLAY_BLOCK = 128 };

struct replay_block {
    struct replay_entry at[REPLAY_BLOCK];
};

struct replay_index {
    struct esse_arena *arena;
    struct esse_column column;
    struct replay_block **blocks;
    struct replay_entry *first; /* by block */
    uint32_t *size;             /* by block: its entries */
    uint32_t count, room;
    struct replay_block **spare; /* emptied blocks */
    uint32_t spare_count, spare_room;
};

void replay_index_init(struct replay_index *index, struct esse_arena *arena,
                       struct esse_column column);

/* Fills an empty index at once.  Sorts the entries, in place. */
void replay_index_fill(struct replay_index *index, struct replay_entry *entries, size_t count);

/* An entry is added once, and removed only if it is there. */
void replay_index_add(struct replay_index *index, struct replay_entry entry);
void replay_index_remove(struct replay_index *index, struct replay_entry entry);

void replay_index_drop(struct replay_index *index);

/* Walks the entries in order, from the first at or after a place. */
struct replay_cursor {
    const struct replay_index *index;
    uint32_t block, at;
};
struct replay_cursor replay_index_seek(const struct replay_index *index, uint32_t kind,
                                       uint64_t at);

static inline const struct replay_entry *replay_cursor_next(struct replay_cursor *cursor)
{
    if (cursor->block < cursor->index->count && cursor->at == cursor->index->size[cursor->block]) {
        cursor->block++;
        cursor->at = 0;
    }
    return cursor->block == cursor->index->count
               ? NULL
               : &cursor->index->blocks[cursor->block]->at[cursor->at++];
}

#endif
