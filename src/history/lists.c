#include "history/lists.h"

#include "base/hash.h"
#include "base/index.h"
#include "base/vec.h"

#include <assert.h>
#include <string.h>

struct growing_spine {
    struct esse_value_vec items;
    uint32_t key;
    uint32_t next; /* of the same key */
};

ESSE_VEC(spine_vec, struct growing_spine)

struct esse_lists {
    struct esse_arena *arena;
    struct spine_vec spines;
    struct esse_u32_vec first; /* by key: its first spine */
    struct esse_index whole;   /* lists that fit no spine, by content */
};

struct esse_lists *esse_lists_new(struct esse_arena *arena)
{
    struct esse_lists *lists = esse_arena_alloc(arena, 1, sizeof *lists);
    lists->arena = arena;
    return lists;
}

static uint32_t add_spine(struct esse_lists *lists, esse_key key, const esse_value *items,
                          size_t count)
{
    assert(lists->spines.count < 1u << 29);
    struct growing_spine spine = { .key = key.ix, .next = ESSE_NO_SPINE };
    esse_value_vec_append(&spine.items, lists->arena, items, count);
    spine_vec_push(&lists->spines, lists->arena, spine);
    return (uint32_t)lists->spines.count - 1;
}

static bool is_same(const esse_value *a, const esse_value *b, size_t count)
{
    return memcmp(a, b, count * sizeof *a) == 0;
}

/* Whether the list is a prefix of the spine, or the spine of it; then the spine grows. */
static bool fits(struct esse_lists *lists, struct growing_spine *spine, const esse_value *items,
                 size_t count)
{
    size_t common = spine->items.count < count ? spine->items.count : count;
    if (!is_same(spine->items.at, items, common))
        return false;
    if (count > common)
        esse_value_vec_append(&spine->items, lists->arena, items + common, count - common);
    return true;
}

/* A spine belongs to one key, also where two keys returned the same list. */
static esse_value whole_list(struct esse_lists *lists, esse_key key, const esse_value *items,
                             size_t count)
{
    uint32_t hash = esse_hash_bytes(items, count * sizeof *items) + key.ix, id;
    struct esse_probe probe = esse_index_probe(&lists->whole, hash);
    while (esse_probe_next(&probe, &id)) {
        const struct esse_value_vec *known = &lists->spines.at[id].items;
        if (lists->spines.at[id].key == key.ix && known->count == count &&
            is_same(known->at, items, count))
            return esse_value_list(id, (uint32_t)count);
    }
    id = add_spine(lists, key, items, count);
    esse_index_add(&lists->whole, lists->arena, hash, id);
    return esse_value_list(id, (uint32_t)count);
}

esse_value esse_lists_add(struct esse_lists *lists, esse_key key, const esse_value *items,
                          size_t count)
{
    assert(count < UINT32_MAX);
    if (!count)
        return esse_value_list(0, 0);
    while (lists->first.count <= key.ix)
        esse_u32_vec_push(&lists->first, lists->arena, ESSE_NO_SPINE);
    uint32_t *link = &lists->first.at[key.ix];
    for (int spines = 0; spines < ESSE_SPINES_A_KEY; spines++) {
        if (*link == ESSE_NO_SPINE) {
            uint32_t added = add_spine(lists, key, items, count);
            /* Adding may have moved the spines that 'link' pointed into: find the end again. */
            link = &lists->first.at[key.ix];
            while (*link != ESSE_NO_SPINE)
                link = &lists->spines.at[*link].next;
            *link = added;
            return esse_value_list(added, (uint32_t)count);
        }
        if (fits(lists, &lists->spines.at[*link], items, count))
            return esse_value_list(*link, (uint32_t)count);
        link = &lists->spines.at[*link].next;
    }
    return whole_list(lists, key, items, count);
}

const esse_value *esse_lists_items(const struct esse_lists *lists, esse_value list, uint32_t *count)
{
    *count = (uint32_t)(list.word >> 32);
    return *count ? lists->spines.at[(uint32_t)list.word >> 3].items.at : NULL;
}

const struct esse_spine *esse_lists_freeze(struct esse_lists *lists, uint32_t *count)
{
    *count = (uint32_t)lists->spines.count;
    struct esse_spine *spines = esse_arena_alloc(lists->arena, lists->spines.count, sizeof *spines);
    for (size_t i = 0; i < lists->spines.count; i++)
        spines[i] = (struct esse_spine){ lists->spines.at[i].items.at,
                                         (uint32_t)lists->spines.at[i].items.count,
                                         { lists->spines.at[i].key } };
    return spines;
}
