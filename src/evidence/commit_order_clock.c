#include "base/vec.h"
#include "evidence/commit_order_state.h"

#include <string.h>

/*
 * Vector clocks: clock[s] is one more than the newest unit of session s that is visible.  The clock
 * of a unit is kept until the last unit that builds on it has come.
 */
ESSE_VEC(word_vec, uint32_t)

struct co_clocks {
    const struct commit_order *co;
    uint32_t sessions;
    uint32_t *last_use; /* by unit: the place of the last that builds on its clock */
    uint32_t *row;      /* by unit */
    uint32_t *writer;   /* by key: the last that wrote it so far */
    struct word_vec words, free;
    struct word_vec built_on; /* by the unit at hand */
    uint32_t current;         /* a row that no unit builds on */
};

static uint32_t *clock_at(struct co_clocks *clocks, uint32_t row)
{
    return clocks->words.at + (size_t)row * clocks->sessions;
}

static void use(struct co_clocks *clocks, uint32_t unit, uint32_t place)
{
    if (unit < clocks->co->units && clocks->last_use[unit] < place)
        clocks->last_use[unit] = place;
}

/* Calls use() for every pair of which the second builds on the first. */
static void find_uses(struct co_clocks *clocks)
{
    const struct commit_order *co = clocks->co;
    for (uint32_t i = 0; i < co->order->count; i++) {
        uint32_t unit = co->order->events[i];
        use(clocks, co->before[unit], i);
        for (uint32_t a = co_first(co, unit); a < co_end(co, unit); a++) {
            if (co_reads(co->access[a]) && co->level->phi != ESSE_PHI_PIPED)
                use(clocks, co->access[a].source, i);
            if (clocks->writer && co->access[a].source == CO_WRITES) {
                use(clocks, clocks->writer[co->access[a].key], i);
                clocks->writer[co->access[a].key] = unit;
            }
        }
    }
}

struct co_clocks *co_clocks_new(const struct commit_order *co)
{
    struct co_clocks *clocks = esse_arena_alloc(co->arena, 1, sizeof *clocks);
    const size_t bytes = (co->units + (size_t)1) * sizeof(uint32_t);
    const size_t keys = (co->history->keys + (size_t)1) * sizeof(uint32_t);
    clocks->co = co;
    clocks->sessions = co->history->sessions + 1;
    clocks->current = CO_NOWHERE;
    clocks->last_use = esse_arena_grow(co->arena, NULL, bytes);
    clocks->row = esse_arena_grow(co->arena, NULL, bytes);
    memset(clocks->last_use, 0, bytes);
    memset(clocks->row, 0xff, bytes);
    if (co->level->phi == ESSE_PHI_PARALLEL) {
        clocks->writer = esse_arena_grow(co->arena, NULL, keys);
        memset(clocks->writer, 0xff, keys);
    }
    find_uses(clocks);
    if (clocks->writer)
        memset(clocks->writer, 0xff, keys);
    return clocks;
}

static uint32_t new_row(struct co_clocks *clocks)
{
    uint32_t row;
    if (clocks->free.count) {
        row = clocks->free.at[--clocks->free.count];
    } else {
        row = (uint32_t)(clocks->words.count / clocks->sessions);
        word_vec_extend(&clocks->words, clocks->co->arena, clocks->sessions);
    }
    memset(clock_at(clocks, row), 0, clocks->sessions * sizeof(uint32_t));
    return row;
}

/* What 'other' knew, and 'other' itself, is known from now on. */
static void build_on(struct co_clocks *clocks, uint32_t row, uint32_t other, bool itself_only)
{
    word_vec_push(&clocks->built_on, clocks->co->arena, other);
    uint32_t *clock = clock_at(clocks, row), *seen = &clock[co_session(clocks->co, other)];
    if (*seen < other + 1)
        *seen = other + 1;
    if (itself_only || clocks->row[other] == CO_NOWHERE)
        return;
    const uint32_t *from = clock_at(clocks, clocks->row[other]);
    for (uint32_t s = 0; s < clocks->sessions; s++)
        if (clock[s] < from[s])
            clock[s] = from[s];
}

/* If no other unit builds on it, its clock is done with. */
static void finish(struct co_clocks *clocks, uint32_t unit, uint32_t place)
{
    if (clocks->row[unit] == CO_NOWHERE || clocks->last_use[unit] > place)
        return;
    word_vec_push(&clocks->free, clocks->co->arena, clocks->row[unit]);
    clocks->row[unit] = CO_NOWHERE;
}

const uint32_t *co_clocks_next(struct co_clocks *clocks, uint32_t unit)
{
    const struct commit_order *co = clocks->co;
    const uint32_t place = co->place[unit], before = co->before[unit];
    if (clocks->current != CO_NOWHERE)
        word_vec_push(&clocks->free, co->arena, clocks->current);
    uint32_t row = new_row(clocks);
    if (before != CO_NOWHERE)
        build_on(clocks, row, before, false);
    for (uint32_t a = co_first(co, unit); a < co_end(co, unit); a++) {
        struct co_access access = co->access[a];
        if (co_reads(access))
            build_on(clocks, row, access.source, co->level->phi == ESSE_PHI_PIPED);
        if (clocks->writer && access.source == CO_WRITES) {
            uint32_t *writer = &clocks->writer[access.key];
            if (*writer != CO_NOWHERE && *writer != unit)
                build_on(clocks, row, *writer, false);
            *writer = unit;
        }
    }
    while (clocks->built_on.count)
        finish(clocks, clocks->built_on.at[--clocks->built_on.count], place);
    clocks->current = clocks->last_use[unit] > place ? CO_NOWHERE : row;
    if (clocks->current == CO_NOWHERE)
        clocks->row[unit] = row;
    return clock_at(clocks, row);
}
