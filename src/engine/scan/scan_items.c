#include "engine/scan/scan_state.h"

#include <assert.h>
#include <string.h>

/*
 * Who appended each element of each spine, looked up once: everything that asks about lists asks
 * by position from here on.  A look-up in the index is three cache misses, and the passes would
 * make four of them for an element.
 */

static void find_keys(struct scan *scan)
{
    const struct esse_history *history = scan->history;
    for (uint32_t op = 0; op < history->ops; op++) {
        esse_value value = history->op_value[op];
        if (esse_value_tag(value) != ESSE_TAG_LIST || !(value.word >> 32))
            continue;
        uint32_t spine = (uint32_t)value.word >> 3;
        scan->spine_key[spine] = history->op_key[op];
        if (value.word >> 32 > scan->spine_first[spine + 1])
            scan->spine_first[spine + 1] = (uint32_t)(value.word >> 32);
    }
}

static uint32_t look_up(struct scan *scan, esse_key key, esse_value item)
{
    uint32_t found = NO_NODE, write;
    struct esse_probe probe = scan_writers(scan, key, item);
    while (scan_writer_next(scan, &probe, key, item, &write)) {
        if (found != NO_NODE)
            return found | SCAN_SHARED;
        found = write;
    }
    return found;
}

static uint32_t count_spines(const struct esse_history *history)
{
    uint32_t count = 0;
    for (uint32_t op = 0; op < history->ops; op++) {
        esse_value value = history->op_value[op];
        if (esse_value_tag(value) == ESSE_TAG_LIST && value.word >> 32 &&
            (uint32_t)value.word >> 3 >= count)
            count = ((uint32_t)value.word >> 3) + 1;
    }
    return count;
}

bool scan_items(struct scan *scan)
{
    const struct esse_history *history = scan->history;
    assert(scan->writes.count < SCAN_SHARED);
    if (!(history->has & ESSE_HAS_LIST_READS))
        return true;
    const uint32_t count = scan->spine_count = count_spines(history);
    scan->spine_key = esse_arena_alloc(scan->scratch, count + 1u, sizeof *scan->spine_key);
    scan->spine_first = esse_arena_alloc(scan->scratch, count + 2u, sizeof *scan->spine_first);
    find_keys(scan);
    for (uint32_t s = 0; s < count; s++)
        scan->spine_first[s + 1] += scan->spine_first[s];
    scan->item_write = esse_arena_grow(
        scan->scratch, NULL, ((size_t)scan->spine_first[count] + 1) * sizeof *scan->item_write);
    esse_budget_phase(scan->budget, "looking up elements", count);
    for (uint32_t s = 0; s < count; s++) {
        if (!esse_budget_poll(scan->budget, s))
            return false;
        const esse_value *items = history->spines[s].items;
        uint32_t *write = scan->item_write + scan->spine_first[s];
        uint32_t length = scan->spine_first[s + 1] - scan->spine_first[s];
        for (uint32_t at = 0; at < length; at++)
            write[at] = look_up(scan, (esse_key){ scan->spine_key[s] }, items[at]);
    }
    return true;
}
