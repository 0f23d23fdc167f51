#include "base/hash.h"
#include "base/out.h"
#include "base/vec.h"
#include "engine/classic/classic.h"
#include "history/value_edn.h"

#include <string.h>

uint32_t esse_elements_find(const struct esse_elements *elements, esse_value value)
{
    uint32_t id;
    struct esse_probe probe = esse_index_probe(&elements->index, esse_hash_word(value.word));
    while (esse_probe_next(&probe, &id))
        if (esse_value_eq(elements->at[id], value))
            return id;
    return ESSE_NO_ELEMENT;
}

uint32_t esse_elements_add(struct esse_elements *elements, struct esse_arena *arena,
                           esse_value value)
{
    uint32_t id = esse_elements_find(elements, value);
    if (id != ESSE_NO_ELEMENT)
        return id;
    id = elements->count++;
    if (id == elements->room) {
        elements->room = (uint32_t)esse_vec_room(elements->room, sizeof value);
        elements->at = esse_arena_grow(arena, elements->at, elements->room * sizeof value);
    }
    elements->at[id] = value;
    esse_index_add(&elements->index, arena, esse_hash_word(value.word), id);
    return id;
}

/* A merge sort: qsort has no context for the pool of values, and may be quadratic. */
void esse_classic_sort(const struct esse_values *values, esse_value *at, size_t count)
{
    struct esse_arena *scratch = esse_arena_new();
    esse_value *room = esse_arena_alloc(scratch, count, sizeof *room);
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t from = 0; from < count; from += 2 * run) {
            size_t middle = from + run < count ? from + run : count;
            size_t end = from + 2 * run < count ? from + 2 * run : count;
            size_t a = from, b = middle;
            for (size_t to = from; to < end; to++) {
                bool left =
                    b == end || (a < middle && esse_value_compare(values, at[a], at[b]) <= 0);
                room[to] = at[left ? a++ : b++];
            }
        }
        memcpy(at, room, count * sizeof *at);
    }
    esse_arena_free(scratch);
}

/* How far a run of consecutive integers goes from 'from': its last place. */
static size_t run_end(const struct esse_values *values, const esse_value *at, size_t from,
                      size_t count)
{
    int64_t last, next;
    size_t end = from;
    if (!esse_value_as_int(values, at[from], &last))
        return from;
    while (end + 1 < count && esse_value_as_int(values, at[end + 1], &next) && last < INT64_MAX &&
           next == last + 1) {
        last = next;
        end++;
    }
    return end;
}

const char *esse_classic_intervals(struct esse_arena *arena, const struct esse_values *values,
                                   esse_value *at, size_t count)
{
    struct esse_out out;
    esse_classic_sort(values, at, count);
    esse_out_init_memory(&out, arena);
    esse_out_text(&out, "#{");
    for (size_t from = 0, end; from < count; from = end + 1) {
        end = run_end(values, at, from, count);
        if (from)
            esse_out_char(&out, ' ');
        esse_value_put_edn(&out, values, at[from]);
        if (end > from) {
            esse_out_text(&out, "..");
            esse_value_put_edn(&out, values, at[end]);
        }
    }
    esse_out_char(&out, '}');
    return esse_out_memory(&out);
}
