#include "engine/scan/scan_steady.h"

#include "base/checked.h"

#include <stdlib.h>

/* Does a transaction that may have committed do more to the key than write values? */
static bool is_steady(const struct known *known, uint32_t key)
{
    ESSE_HOT_ASSERT(key < known->history->keys);
    const struct esse_by_key *by_key = &known->sources.by_key;
    if (esse_value_eq(known->sources.initial[key], ESSE_NIL))
        return false;
    for (uint32_t at = by_key->first[key]; at < by_key->first[key + 1]; at++) {
        const struct esse_touch *touch = &by_key->at[at];
        if (touch->kind != ESSE_OP_READ && known_status(known, touch->txn) != ESSE_ABORTED &&
            (touch->kind == ESSE_OP_APPEND || esse_value_eq(touch->value, ESSE_NIL)))
            return false;
    }
    return true;
}

void scan_steady_find(struct scan_steady *steady, struct known *known)
{
    *steady = (struct scan_steady){ .known = known };
    for (uint32_t key = 0; key < known->history->keys; key++)
        if (is_steady(known, key))
            esse_u32_vec_push(&steady->keys, known->scratch, key);
}

/* ---- columns ---- */

/* Takes one value into the extent: false if it is no integer. */
static bool stretch(const struct known *known, const struct scan_steady_column *column,
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

static bool find_extent(const struct known *known, const struct scan_steady_column *column,
                        struct scan_extent *extent, enum esse_column_value *what)
{
    const struct esse_by_key *by_key = &known->sources.by_key;
    const uint32_t *first = &by_key->first[extent->key];
    if (!stretch(known, column, extent, known->sources.initial[extent->key], what))
        return false;
    for (uint32_t at = first[0]; at < first[1]; at++) {
        const struct esse_touch *touch = &by_key->at[at];
        if (touch->kind != ESSE_OP_READ && known_status(known, touch->txn) != ESSE_ABORTED &&
            !stretch(known, column, extent, touch->value, what))
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

static struct scan_steady_column make_column(struct scan_steady *steady, struct esse_column name)
{
    struct known *known = steady->known;
    struct scan_steady_column column = { .column = name, .usable = true };
    for (size_t i = 0; column.usable && i < steady->keys.count; i++) {
        struct scan_extent extent = { INT64_MAX, INT64_MIN, steady->keys.at[i] };
        enum esse_column_value what;
        if (find_extent(known, &column, &extent, &what))
            scan_extent_vec_push(&column.extents, known->scratch, extent);
        column.usable = what != ESSE_COLUMN_OTHER;
    }
    if (column.extents.count)
        qsort(column.extents.at, column.extents.count, sizeof *column.extents.at, by_least);
    return column;
}

static const struct scan_steady_column *column_of(struct scan_steady *steady,
                                                  struct esse_column name)
{
    for (size_t i = 0; i < steady->columns.count; i++)
        if (esse_column_eq(steady->columns.at[i].column, name))
            return &steady->columns.at[i];
    scan_steady_column_vec_push(&steady->columns, steady->known->scratch,
                                make_column(steady, name));
    return &steady->columns.at[steady->columns.count - 1];
}

bool scan_steady_in(struct scan_steady *steady, const struct esse_range *range,
                    struct esse_u32_vec *keys)
{
    const struct scan_steady_column *column = column_of(steady, range->column);
    const struct scan_extent *extents = column->extents.at;
    size_t low = 0, high = column->extents.count;
    if (!column->usable)
        return false;
    ESSE_BISECT(low, high, middle, extents[middle].least < range->low);
    for (; low < column->extents.count && extents[low].least <= range->high; low++)
        if (extents[low].greatest <= range->high)
            esse_u32_vec_push(keys, steady->known->scratch, extents[low].key);
    return true;
}
