#include "engine/scan/scan_present.h"

#include "base/checked.h"

#include <stdlib.h>

/* Does a transaction that may have committed do more to the key than write values? */
static bool is_present(const struct known *known, uint32_t key)
{
    ESSE_HOT_ASSERT(key < known->history->keys);
    const struct esse_by_key *by_key = &known->sources.by_key;
    if (esse_value_eq(known->sources.initial[key], ESSE_NIL))
        return false;
    for (uint32_t at = by_key->first[key]; at < by_key->first[key + 1]; at++) {
        const struct esse_key_access *key_access = &by_key->at[at];
        if (key_access->kind != ESSE_OP_READ &&
            known_status(known, key_access->txn) != ESSE_ABORTED &&
            (key_access->kind == ESSE_OP_APPEND || esse_value_eq(key_access->value, ESSE_NIL)))
            return false;
    }
    return true;
}

void scan_present_find(struct scan_present *present, struct known *known)
{
    *present = (struct scan_present){ .known = known };
    for (uint32_t key = 0; key < known->history->keys; key++)
        if (is_present(known, key))
            esse_u32_vec_push(&present->keys, known->scratch, key);
}

/* ---- columns ---- */

/* Takes one value into the extent: false if it is no integer. */
static bool stretch(const struct known *known, const struct scan_present_column *column,
                    struct scan_extent *extent, esse_value value, enum esse_column_value *what)
{
    ESSE_HOT_ASSERT(extent->key < known->history->keys);
    int64_t number = 0;
    *what = esse_column_value(known->history->values, column->column,
                              known->history->key_name[extent->key], value, &number);
    if (*what != ESSE_COLUMN_INTEGER)
        return false;
    extent->least = number < extent->least ? number : extent->least;
    extent->greatest = number > extent->greatest ? number : extent->greatest;
    return true;
}

static bool find_extent(const struct known *known, const struct scan_present_column *column,
                        struct scan_extent *extent, enum esse_column_value *what)
{
    const struct esse_by_key *by_key = &known->sources.by_key;
    const uint32_t *first = &by_key->first[extent->key];
    if (!stretch(known, column, extent, known->sources.initial[extent->key], what))
        return false;
    for (uint32_t at = first[0]; at < first[1]; at++) {
        const struct esse_key_access *key_access = &by_key->at[at];
        if (key_access->kind != ESSE_OP_READ &&
            known_status(known, key_access->txn) != ESSE_ABORTED &&
            !stretch(known, column, extent, key_access->value, what))
            return false;
    }
    return true;
}

static int by_least(const void *a, const void *b)
{
    const struct scan_extent *x = a, *y = b;
    if (x->least != y->least)
        return x->least < y->least ? -1 : 1;
    return (x->key > y->key) - (x->key < y->key);
}

static struct scan_present_column make_column(struct scan_present *present, struct esse_column name)
{
    struct known *known = present->known;
    struct scan_present_column column = { .column = name, .usable = true };
    for (size_t i = 0; column.usable && i < present->keys.count; i++) {
        struct scan_extent extent = { INT64_MAX, INT64_MIN, present->keys.at[i] };
        enum esse_column_value what;
        if (find_extent(known, &column, &extent, &what))
            scan_extent_vec_push(&column.extents, known->scratch, extent);
        column.usable = what != ESSE_COLUMN_OTHER;
    }
    if (column.extents.count)
        qsort(column.extents.at, column.extents.count, sizeof *column.extents.at, by_least);
    return column;
}

static const struct scan_present_column *column_of(struct scan_present *present,
                                                   struct esse_column name)
{
    for (size_t i = 0; i < present->columns.count; i++)
        if (esse_column_eq(present->columns.at[i].column, name))
            return &present->columns.at[i];
    scan_present_column_vec_push(&present->columns, present->known->scratch,
                                 make_column(present, name));
    return &present->columns.at[present->columns.count - 1];
}

bool scan_present_in(struct scan_present *present, const struct esse_range *range,
                     struct esse_u32_vec *keys)
{
    const struct scan_present_column *column = column_of(present, range->column);
    const struct scan_extent *extents = column->extents.at;
    size_t low = 0, high = column->extents.count;
    if (!column->usable)
        return false;
    ESSE_BISECT(low, high, middle, extents[middle].least < range->low);
    for (; low < column->extents.count && extents[low].least <= range->high; low++)
        if (extents[low].greatest <= range->high)
            esse_u32_vec_push(keys, present->known->scratch, extents[low].key);
    return true;
}
