#include "base/radix.h"

#include "base/guard.h"

#include <string.h>

static bool is_sorted(const struct esse_pair *pairs, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (pairs[i - 1].key > pairs[i].key)
            return false;
    return true;
}

/* One stable pass by the byte at 'shift'. */
static void pass(const struct esse_pair *from, struct esse_pair *to, size_t count, unsigned shift)
{
    size_t place[257] = { 0 };
    for (size_t i = 0; i < count; i++)
        place[(from[i].key >> shift & 0xff) + 1]++;
    for (size_t b = 1; b < 257; b++)
        place[b] += place[b - 1];
    for (size_t i = 0; i < count; i++)
        to[place[from[i].key >> shift & 0xff]++] = from[i];
}

void esse_radix_sort(struct esse_pair *pairs, size_t count, struct esse_arena *arena)
{
    if (is_sorted(pairs, count))
        return;
    uint64_t differ = 0;
    for (size_t i = 1; i < count; i++)
        differ |= pairs[i].key ^ pairs[0].key;
    struct esse_pair *room = esse_arena_array(arena, count, *room);
    struct esse_pair *from = pairs, *to = room;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        if (!(differ >> shift & 0xff))
            continue;
        esse_guard_poll();
        pass(from, to, count, shift);
        struct esse_pair *other = from;
        from = to;
        to = other;
    }
    if (from != pairs)
        memcpy(pairs, from, count * sizeof *pairs);
    esse_arena_drop(arena, room);
}
