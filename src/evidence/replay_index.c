#include "evidence/replay_index.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FILLED = REPLAY_BLOCK * 3 / 4 }; /* of a new block: the next rows go between the others */

static int compare(const struct replay_entry *a, const struct replay_entry *b)
{
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return (a->key > b->key) - (a->key < b->key);
}

static int compare_entries(const void *a, const void *b)
{
    return compare(a, b);
}

void replay_index_init(struct replay_index *index, struct esse_arena *arena,
                       struct esse_column column)
{
    *index = (struct replay_index){ .arena = arena, .column = column };
}

/* ---- blocks ---- */

static struct replay_block *new_block(struct replay_index *index)
{
    return index->spare_count ? index->spare[--index->spare_count]
                              : esse_arena_grow(index->arena, NULL, sizeof(struct replay_block));
}

static void make_room(struct replay_index *index)
{
    if (index->count < index->room)
        return;
    index->room = index->room ? index->room * 2 : 8;
    index->blocks =
        esse_arena_grow(index->arena, index->blocks, index->room * sizeof *index->blocks);
    index->first = esse_arena_grow(index->arena, index->first, index->room * sizeof *index->first);
    index->size = esse_arena_grow(index->arena, index->size, index->room * sizeof *index->size);
}

/* A block at 'place', those from there on one further. */
static void insert_block(struct replay_index *index, uint32_t place)
{
    make_room(index);
    const size_t behind = index->count - place;
    memmove(index->blocks + place + 1, index->blocks + place, behind * sizeof *index->blocks);
    memmove(index->first + place + 1, index->first + place, behind * sizeof *index->first);
    memmove(index->size + place + 1, index->size + place, behind * sizeof *index->size);
    index->blocks[place] = new_block(index);
    index->count++;
}

static void remove_block(struct replay_index *index, uint32_t place)
{
    if (index->spare_count == index->spare_room) {
        index->spare_room = index->spare_room ? index->spare_room * 2 : 8;
        index->spare =
            esse_arena_grow(index->arena, index->spare, index->spare_room * sizeof *index->spare);
    }
    index->spare[index->spare_count++] = index->blocks[place];
    const size_t behind = --index->count - place;
    memmove(index->blocks + place, index->blocks + place + 1, behind * sizeof *index->blocks);
    memmove(index->first + place, index->first + place + 1, behind * sizeof *index->first);
    memmove(index->size + place, index->size + place + 1, behind * sizeof *index->size);
}

void replay_index_drop(struct replay_index *index)
{
    for (uint32_t i = 0; i < index->count; i++)
        esse_arena_drop(index->arena, index->blocks[i]);
    for (uint32_t i = 0; i < index->spare_count; i++)
        esse_arena_drop(index->arena, index->spare[i]);
    esse_arena_drop(index->arena, index->blocks);
    esse_arena_drop(index->arena, index->first);
    esse_arena_drop(index->arena, index->size);
    esse_arena_drop(index->arena, index->spare);
    replay_index_init(index, index->arena, index->column);
}

/* ---- finding ---- */

/* The last block that begins at or before the entry; 0 if there is none. */
static uint32_t find_block(const struct replay_index *index, const struct replay_entry *entry)
{
    uint32_t low = 0, high = index->count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (compare(&index->first[middle], entry) <= 0)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The first entry of the block at or after this one. */
static uint32_t find_entry(const struct replay_index *index, uint32_t block,
                           const struct replay_entry *entry)
{
    uint32_t low = 0, high = index->size[block];
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (compare(&index->blocks[block]->at[middle], entry) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct replay_cursor replay_index_seek(const struct replay_index *index, uint32_t kind, uint64_t at)
{
    const struct replay_entry entry = { at, kind, 0 };
    struct replay_cursor cursor = { index, 0, 0 };
    if (index->count) {
        cursor.block = find_block(index, &entry);
        cursor.at = find_entry(index, cursor.block, &entry);
    }
    return cursor;
}

/* ---- changing ---- */

void replay_index_fill(struct replay_index *index, struct replay_entry *entries, size_t count)
{
    assert(!index->count);
    if (count)
        qsort(entries, count, sizeof *entries, compare_entries);
    for (size_t i = 0; i < count; i += FILLED) {
        const uint32_t block = index->count;
        insert_block(index, block);
        index->size[block] = (uint32_t)(count - i < FILLED ? count - i : FILLED);
        index->first[block] = entries[i];
        memcpy(index->blocks[block]->at, entries + i, index->size[block] * sizeof *entries);
    }
}

/* The upper half of a full block moves into a new one behind it. */
static void split(struct replay_index *index, uint32_t block)
{
    const uint32_t half = REPLAY_BLOCK / 2;
    insert_block(index, block + 1);
    memcpy(index->blocks[block + 1]->at, index->blocks[block]->at + half,
           (REPLAY_BLOCK - half) * sizeof(struct replay_entry));
    index->size[block] = half;
    index->size[block + 1] = REPLAY_BLOCK - half;
    index->first[block + 1] = index->blocks[block + 1]->at[0];
}

void replay_index_add(struct replay_index *index, struct replay_entry entry)
{
    if (!index->count) {
        replay_index_fill(index, &entry, 1);
        return;
    }
    uint32_t block = find_block(index, &entry);
    if (index->size[block] == REPLAY_BLOCK) {
        split(index, block);
        block += compare(&index->first[block + 1], &entry) <= 0;
    }
    const uint32_t at = find_entry(index, block, &entry);
    struct replay_entry *entries = index->blocks[block]->at;
    memmove(entries + at + 1, entries + at, (index->size[block]++ - at) * sizeof entry);
    entries[at] = entry;
    index->first[block] = entries[0];
}

/* Two neighbours that fit half a block become one. */
static void merge(struct replay_index *index, uint32_t block)
{
    const uint32_t size = index->size[block];
    if (block + 1 >= index->count || size + index->size[block + 1] > REPLAY_BLOCK / 2)
        return;
    memcpy(index->blocks[block]->at + size, index->blocks[block + 1]->at,
           index->size[block + 1] * sizeof(struct replay_entry));
    index->size[block] += index->size[block + 1];
    remove_block(index, block + 1);
}

void replay_index_remove(struct replay_index *index, struct replay_entry entry)
{
    assert(index->count);
    const uint32_t block = find_block(index, &entry), at = find_entry(index, block, &entry);
    struct replay_entry *entries = index->blocks[block]->at;
    assert(at < index->size[block]);
    assert(compare(&entries[at], &entry) == 0);
    memmove(entries + at, entries + at + 1, (--index->size[block] - at) * sizeof entry);
    if (!index->size[block]) {
        remove_block(index, block);
        return;
    }
    index->first[block] = entries[0];
    merge(index, block);
}
