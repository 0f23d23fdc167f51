#include "exec/ordered.h"

#include <assert.h>
#include <string.h>

/* The last block whose first entry is not above, or the first one. */
static uint32_t block_of(const struct esse_ordered *ordered, struct esse_bytes bytes)
{
    uint32_t low = 0, high = ordered->count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (esse_bytes_compare(ordered->blocks[middle]->at[0].bytes, bytes) <= 0)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static uint32_t place_in(const struct esse_ordered_block *block, struct esse_bytes bytes)
{
    uint32_t low = 0, high = block->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (esse_bytes_compare(block->at[middle].bytes, bytes) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct esse_ordered_block *insert_block(struct esse_ordered *ordered, uint32_t at)
{
    if (ordered->count == ordered->room) {
        ordered->room = ordered->room ? ordered->room * 2 : 8;
        ordered->blocks = esse_arena_grow(ordered->arena, ordered->blocks,
                                          ordered->room * sizeof(struct esse_ordered_block *));
    }
    memmove(ordered->blocks + at + 1, ordered->blocks + at,
            (ordered->count - at) * sizeof *ordered->blocks);
    ordered->count++;
    return ordered->blocks[at] = esse_arena_alloc(ordered->arena, 1, sizeof **ordered->blocks);
}

static void split(struct esse_ordered *ordered, uint32_t at)
{
    enum { HALF = ESSE_ORDERED_BLOCK / 2 };
    struct esse_ordered_block *right = insert_block(ordered, at + 1), *left = ordered->blocks[at];
    memcpy(right->at, left->at + HALF, HALF * sizeof *left->at);
    right->count = HALF;
    left->count = HALF;
}

void esse_ordered_add(struct esse_ordered *ordered, struct esse_bytes bytes, uint32_t number)
{
    uint8_t *copy = esse_arena_alloc(ordered->arena, bytes.length + 1, 1);
    memcpy(copy, bytes.at, bytes.length);
    bytes.at = copy;
    if (!ordered->count)
        insert_block(ordered, 0);
    uint32_t at = block_of(ordered, bytes);
    if (ordered->blocks[at]->count == ESSE_ORDERED_BLOCK) {
        split(ordered, at);
        at = block_of(ordered, bytes);
    }
    struct esse_ordered_block *block = ordered->blocks[at];
    const uint32_t place = place_in(block, bytes);
    memmove(block->at + place + 1, block->at + place, (block->count - place) * sizeof *block->at);
    block->at[place] = (struct esse_ordered_entry){ bytes, number };
    block->count++;
}

void esse_ordered_remove(struct esse_ordered *ordered, struct esse_bytes bytes)
{
    const uint32_t at = block_of(ordered, bytes);
    assert(ordered->count > 0);
    struct esse_ordered_block *block = ordered->blocks[at];
    const uint32_t place = place_in(block, bytes);
    assert(place < block->count);
    assert(esse_bytes_compare(block->at[place].bytes, bytes) == 0);
    block->count--;
    memmove(block->at + place, block->at + place + 1, (block->count - place) * sizeof *block->at);
    if (!block->count) {
        ordered->count--;
        memmove(ordered->blocks + at, ordered->blocks + at + 1,
                (ordered->count - at) * sizeof *ordered->blocks);
    }
}

struct esse_ordered_cursor esse_ordered_seek(const struct esse_ordered *ordered,
                                             struct esse_bytes bytes)
{
    struct esse_ordered_cursor cursor = { .ordered = ordered };
    if (!ordered->count)
        return cursor;
    cursor.block = block_of(ordered, bytes);
    cursor.at = place_in(ordered->blocks[cursor.block], bytes);
    return cursor;
}
