#include "base/sorted.h"

#include "base/gallop.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    FILLED = ESSE_ENTRY_BLOCK * 3 / 4
}; /* of a new block: the next rows go between the others */

/* An entry as one number: comparing two of them takes no jump, and half of those in a binary search
 * would be foreseen wrongly. */
__extension__ typedef unsigned __int128 rank;

static rank rank_of(const struct esse_entry *entry)
{
    return (rank)entry->kind << 96 | (rank)entry->at << 32 | entry->key;
}

static int compare_entries(const void *a, const void *b)
{
    const rank x = rank_of(a), y = rank_of(b);
    return (x > y) - (x < y);
}

void esse_sorted_init(struct esse_sorted *sorted, struct esse_arena *arena)
{
    *sorted = (struct esse_sorted){ .arena = arena };
}

/* ---- blocks ---- */

static struct esse_entry_block *new_block(struct esse_sorted *sorted)
{
    return sorted->spare_count
               ? sorted->spare[--sorted->spare_count]
               : esse_arena_grow(sorted->arena, NULL, sizeof(struct esse_entry_block));
}

static void make_room(struct esse_sorted *sorted)
{
    if (sorted->count < sorted->room)
        return;
    sorted->room = sorted->room ? sorted->room * 2 : 8;
    sorted->blocks =
        esse_arena_grow(sorted->arena, sorted->blocks, sorted->room * sizeof *sorted->blocks);
    sorted->first =
        esse_arena_grow(sorted->arena, sorted->first, sorted->room * sizeof *sorted->first);
    sorted->size =
        esse_arena_grow(sorted->arena, sorted->size, sorted->room * sizeof *sorted->size);
}

/* A block at 'place', those from there on one further. */
static void insert_block(struct esse_sorted *sorted, uint32_t place)
{
    make_room(sorted);
    const size_t behind = sorted->count - place;
    memmove(sorted->blocks + place + 1, sorted->blocks + place, behind * sizeof *sorted->blocks);
    memmove(sorted->first + place + 1, sorted->first + place, behind * sizeof *sorted->first);
    memmove(sorted->size + place + 1, sorted->size + place, behind * sizeof *sorted->size);
    sorted->blocks[place] = new_block(sorted);
    sorted->count++;
}

static void remove_block(struct esse_sorted *sorted, uint32_t place)
{
    if (sorted->spare_count == sorted->spare_room) {
        sorted->spare_room = sorted->spare_room ? sorted->spare_room * 2 : 8;
        sorted->spare = esse_arena_grow(sorted->arena, sorted->spare,
                                        sorted->spare_room * sizeof *sorted->spare);
    }
    sorted->spare[sorted->spare_count++] = sorted->blocks[place];
    const size_t behind = --sorted->count - place;
    memmove(sorted->blocks + place, sorted->blocks + place + 1, behind * sizeof *sorted->blocks);
    memmove(sorted->first + place, sorted->first + place + 1, behind * sizeof *sorted->first);
    memmove(sorted->size + place, sorted->size + place + 1, behind * sizeof *sorted->size);
}

/* ---- finding ---- */

/* The last block that begins at or before the entry; 0 if there is none. */
static uint32_t find_block(const struct esse_sorted *sorted, const struct esse_entry *entry)
{
    const rank wanted = rank_of(entry);
    uint32_t after = 1, high = sorted->count;
    ESSE_BISECT(after, high, middle, rank_of(&sorted->first[middle]) <= wanted);
    return after - 1;
}

/* The first entry of the block at or after this one. */
static uint32_t find_entry(const struct esse_sorted *sorted, uint32_t block,
                           const struct esse_entry *entry)
{
    const rank wanted = rank_of(entry);
    uint32_t low = 0, high = sorted->size[block];
    ESSE_BISECT(low, high, middle, rank_of(&sorted->blocks[block]->at[middle]) < wanted);
    return low;
}

struct esse_entry_cursor esse_sorted_seek(const struct esse_sorted *sorted, uint32_t kind,
                                          uint64_t at)
{
    const struct esse_entry entry = { at, kind, 0 };
    struct esse_entry_cursor cursor = { sorted, 0, 0 };
    if (sorted->count) {
        cursor.block = find_block(sorted, &entry);
        cursor.at = find_entry(sorted, cursor.block, &entry);
    }
    return cursor;
}

/* ---- changing ---- */

void esse_sorted_fill(struct esse_sorted *sorted, struct esse_entry *entries, size_t count)
{
    assert(!sorted->count);
    if (count)
        qsort(entries, count, sizeof *entries, compare_entries);
    for (size_t i = 0; i < count; i += FILLED) {
        const uint32_t block = sorted->count;
        insert_block(sorted, block);
        sorted->size[block] = (uint32_t)(count - i < FILLED ? count - i : FILLED);
        sorted->first[block] = entries[i];
        memcpy(sorted->blocks[block]->at, entries + i, sorted->size[block] * sizeof *entries);
    }
}

/* The upper half of a full block moves into a new one behind it. */
static void split(struct esse_sorted *sorted, uint32_t block)
{
    const uint32_t half = ESSE_ENTRY_BLOCK / 2;
    insert_block(sorted, block + 1);
    memcpy(sorted->blocks[block + 1]->at, sorted->blocks[block]->at + half,
           (ESSE_ENTRY_BLOCK - half) * sizeof(struct esse_entry));
    sorted->size[block] = half;
    sorted->size[block + 1] = ESSE_ENTRY_BLOCK - half;
    sorted->first[block + 1] = sorted->blocks[block + 1]->at[0];
}

void esse_sorted_add(struct esse_sorted *sorted, struct esse_entry entry)
{
    if (!sorted->count) {
        esse_sorted_fill(sorted, &entry, 1);
        return;
    }
    uint32_t block = find_block(sorted, &entry);
    if (sorted->size[block] == ESSE_ENTRY_BLOCK) {
        split(sorted, block);
        block += rank_of(&sorted->first[block + 1]) <= rank_of(&entry);
    }
    const uint32_t at = find_entry(sorted, block, &entry);
    struct esse_entry *entries = sorted->blocks[block]->at;
    memmove(entries + at + 1, entries + at, (sorted->size[block]++ - at) * sizeof entry);
    entries[at] = entry;
    sorted->first[block] = entries[0];
}

/* Two neighbours that fit half a block become one. */
static void merge(struct esse_sorted *sorted, uint32_t block)
{
    const uint32_t size = sorted->size[block];
    if (block + 1 >= sorted->count || size + sorted->size[block + 1] > ESSE_ENTRY_BLOCK / 2)
        return;
    memcpy(sorted->blocks[block]->at + size, sorted->blocks[block + 1]->at,
           sorted->size[block + 1] * sizeof(struct esse_entry));
    sorted->size[block] += sorted->size[block + 1];
    remove_block(sorted, block + 1);
}

void esse_sorted_remove(struct esse_sorted *sorted, struct esse_entry entry)
{
    assert(sorted->count);
    const uint32_t block = find_block(sorted, &entry), at = find_entry(sorted, block, &entry);
    struct esse_entry *entries = sorted->blocks[block]->at;
    assert(at < sorted->size[block]);
    assert(rank_of(&entries[at]) == rank_of(&entry));
    memmove(entries + at, entries + at + 1, (--sorted->size[block] - at) * sizeof entry);
    if (!sorted->size[block]) {
        remove_block(sorted, block);
        return;
    }
    sorted->first[block] = entries[0];
    merge(sorted, block);
}
