#ifndef ESSE_EXEC_ORDERED_H
#define ESSE_EXEC_ORDERED_H

#include "sql/key.h"

/*
 * An ordered set of bytes, each with a number: blocks of entries, found by binary search over the
 * first of each and then within.  The bytes belong to the set.
 *
 * A zeroed struct with an arena is an empty set.
 *
 * Cost: add and remove O(log entries) comparisons, and moving half a block; seek O(log entries).
 */
struct esse_ordered_entry {
    struct esse_bytes bytes;
    uint32_t number;
};

enum { ESSE_ORDERED_BLOCK = 64 };

struct esse_ordered_block {
    struct esse_ordered_entry at[ESSE_ORDERED_BLOCK];
    uint32_t count;
};

struct esse_ordered {
    struct esse_arena *arena;
    struct esse_ordered_block **blocks;
    uint32_t count, room;
};

/* An entry is added once, and removed only if it is there. */
void esse_ordered_add(struct esse_ordered *ordered, struct esse_bytes bytes, uint32_t number);
void esse_ordered_remove(struct esse_ordered *ordered, struct esse_bytes bytes);

struct esse_ordered_cursor {
    const struct esse_ordered *ordered;
    uint32_t block, at;
};
/* At the first entry that is not below. */
struct esse_ordered_cursor esse_ordered_seek(const struct esse_ordered *ordered,
                                             struct esse_bytes bytes);

static inline const struct esse_ordered_entry *esse_ordered_next(struct esse_ordered_cursor *cursor)
{
    while (cursor->block < cursor->ordered->count &&
           cursor->at >= cursor->ordered->blocks[cursor->block]->count) {
        cursor->block++;
        cursor->at = 0;
    }
    return cursor->block == cursor->ordered->count
               ? NULL
               : &cursor->ordered->blocks[cursor->block]->at[cursor->at++];
}

#endif
