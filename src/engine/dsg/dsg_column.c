#include "engine/dsg/dsg_column.h"

#include "base/radix.h"

#include <assert.h>
#include <string.h>

/* The versions that have something in the column; fewer than there are if one has no integer. */
static size_t gather(const struct versions *versions, struct dsg_column *made,
                     struct esse_pair *pairs)
{
    const struct esse_history *history = versions->history;
    size_t count = 0;
    for (uint32_t key = 0; key < history->keys; key++) {
        if (!dsg_is_ordered(versions, key))
            continue;
        for (version_id v = versions->first[key]; v.ix < versions->first[key + 1].ix; v.ix++) {
            int64_t number;
            switch (esse_column_value(history->values, made->column, history->key_name[key],
                                      dsg_version_value(versions, key, v), &number)) {
            case ESSE_COLUMN_INTEGER:
                pairs[count++] = (struct esse_pair){ esse_radix_key(number), v.ix };
                break;
            case ESSE_COLUMN_OTHER:
                made->usable = false;
                return 0;
            case ESSE_COLUMN_NULL:
                break;
            }
        }
    }
    return count;
}

void dsg_column_make(struct dsg_column *made, const struct versions *versions,
                     struct esse_column column)
{
    struct esse_arena *arena = versions->arena;
    const size_t room = versions->count + (size_t)1;
    *made = (struct dsg_column){ .column = column, .usable = true };
    struct esse_pair *pairs = esse_arena_array(arena, room, *pairs);
    const size_t count = gather(versions, made, pairs);
    esse_radix_sort(pairs, count, arena);
    made->count = (uint32_t)count;
    made->value = esse_arena_array(arena, count + 1, *made->value);
    made->version = esse_arena_array(arena, count + 1, *made->version);
    made->rank = esse_arena_none(arena, room, *made->rank);
    for (uint32_t rank = 0; rank < made->count; rank++) {
        made->value[rank] = (int64_t)(pairs[rank].key ^ UINT64_C(1) << 63);
        made->version[rank].ix = pairs[rank].id;
        made->rank[pairs[rank].id] = rank;
    }
    esse_arena_drop(arena, pairs);
}

/* How many values are less than 'number', or also equal to it. */
static uint32_t values_below(const struct dsg_column *column, int64_t number, bool or_equal)
{
    uint32_t low = 0, high = column->count;
    ESSE_BISECT(low, high, middle,
                column->value[middle] < number || (or_equal && column->value[middle] == number));
    return low;
}

void dsg_column_find(const struct dsg_column *column, const struct esse_range *range, uint32_t *low,
                     uint32_t *high)
{
    *low = values_below(column, range->low, false);
    *high = range->low > range->high ? *low : values_below(column, range->high, true);
    assert(*low <= *high);
}
