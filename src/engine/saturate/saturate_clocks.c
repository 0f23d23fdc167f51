#include "engine/saturate/saturate_clocks.h"

#include "base/checked.h"

#include <string.h>

#define NO_ROW UINT32_MAX

/* The clocks that are kept, one after the other, and those that may be used again. */
struct saturate_rows {
    struct esse_u32_vec words, free;
    uint32_t now; /* the row of the unit at hand, freed when the next one comes */
};

static uint32_t *row_at(struct saturate_clocks *clocks, uint32_t row)
{
    ESSE_HOT_ASSERT((size_t)row * clocks->sessions < clocks->rows->words.count);
    return clocks->rows->words.at + (size_t)row * clocks->sessions;
}

static uint32_t take_row(struct saturate_clocks *clocks)
{
    struct saturate_rows *rows = clocks->rows;
    if (rows->free.count)
        return rows->free.at[--rows->free.count];
    uint32_t row = (uint32_t)(rows->words.count / clocks->sessions);
    esse_u32_vec_extend(&rows->words, clocks->units->arena, clocks->sessions);
    return row;
}

static void free_row(struct saturate_clocks *clocks, uint32_t row)
{
    esse_u32_vec_push(&clocks->rows->free, clocks->units->arena, row);
}

/* ---- opening ---- */

void saturate_clocks_open(struct saturate_clocks *clocks, const struct saturate_units *units,
                          enum esse_phi phi)
{
    *clocks = (struct saturate_clocks){ .units = units,
                                        .phi = phi,
                                        .sessions = units->history->sessions + 1 };
    clocks->left = esse_arena_zeros(units->arena, units->count + (size_t)1, uint32_t);
    clocks->row = esse_arena_none(units->arena, units->count + (size_t)1, uint32_t);
    clocks->rows = esse_arena_alloc(units->arena, 1, sizeof *clocks->rows);
    clocks->rows->now = NO_ROW;
    for (uint32_t unit = 0; unit < units->count; unit++) {
        if (units->before[unit] != NO_UNIT)
            clocks->left[units->before[unit]]++;
        for (uint32_t a = saturate_first(units, unit);
             a < saturate_end(units, unit) && phi != ESSE_PHI_PIPED; a++)
            if (saturate_reads(units->access[a]))
                clocks->left[units->access[a].source]++;
    }
}

/* ---- the next unit ---- */

static void release(struct saturate_clocks *clocks, uint32_t unit)
{
    ESSE_HOT_ASSERT(clocks->left[unit] > 0);
    if (--clocks->left[unit] == 0 && clocks->row[unit] != NO_ROW) {
        free_row(clocks, clocks->row[unit]);
        clocks->row[unit] = NO_ROW;
    }
}

static void raise(uint32_t *clock, uint32_t to)
{
    if (*clock < to)
        *clock = to;
}

/* From here on 'clock' also knows what 'other' knew, and 'other' itself.  If it knew that one, or a
 * later one of its session, it knew all that already. */
static void join(struct saturate_clocks *clocks, uint32_t row, uint32_t other)
{
    uint32_t *clock = row_at(clocks, row), *own = &clock[saturate_session(clocks->units, other)];
    if (*own > other)
        return;
    *own = other + 1;
    if (clocks->row[other] == NO_ROW)
        return;
    const uint32_t *from = row_at(clocks, clocks->row[other]);
    for (uint32_t s = 0; s < clocks->sessions; s++)
        clock[s] = clock[s] < from[s] ? from[s] : clock[s];
}

/* A clock that starts as that of the unit before it in the session, which needs it no longer if no
 * other unit does. */
static uint32_t start_row(struct saturate_clocks *clocks, uint32_t unit)
{
    uint32_t before = clocks->units->before[unit];
    if (before == NO_UNIT) {
        uint32_t row = take_row(clocks);
        memset(row_at(clocks, row), 0, clocks->sessions * sizeof(uint32_t));
        return row;
    }
    uint32_t row = clocks->row[before];
    if (clocks->left[before] == 1) {
        clocks->left[before] = 0;
        clocks->row[before] = NO_ROW;
    } else {
        row = take_row(clocks);
        memcpy(row_at(clocks, row), row_at(clocks, clocks->row[before]),
               clocks->sessions * sizeof(uint32_t));
        release(clocks, before);
    }
    raise(&row_at(clocks, row)[saturate_session(clocks->units, unit)], before + 1);
    return row;
}

const uint32_t *saturate_clocks_next(struct saturate_clocks *clocks, uint32_t unit)
{
    const struct saturate_units *units = clocks->units;
    ESSE_HOT_ASSERT(unit < units->count);
    if (clocks->rows->now != NO_ROW)
        free_row(clocks, clocks->rows->now);
    clocks->rows->now = NO_ROW;
    uint32_t row = start_row(clocks, unit);
    for (uint32_t a = saturate_first(units, unit); a < saturate_end(units, unit); a++) {
        uint32_t source = units->access[a].source;
        if (!saturate_reads(units->access[a]))
            continue;
        if (clocks->phi == ESSE_PHI_PIPED) {
            raise(&row_at(clocks, row)[saturate_session(units, source)], source + 1);
            continue;
        }
        join(clocks, row, source);
    }
    if (clocks->left[unit])
        clocks->row[unit] = row;
    else
        clocks->rows->now = row;
    return row_at(clocks, row);
}

void saturate_clocks_done(struct saturate_clocks *clocks, uint32_t unit)
{
    const struct saturate_units *units = clocks->units;
    for (uint32_t a = saturate_first(units, unit);
         a < saturate_end(units, unit) && clocks->phi != ESSE_PHI_PIPED; a++)
        if (saturate_reads(units->access[a]))
            release(clocks, units->access[a].source);
}

const uint32_t *saturate_clocks_of(struct saturate_clocks *clocks, uint32_t unit)
{
    return clocks->row[unit] == NO_ROW ? NULL : row_at(clocks, clocks->row[unit]);
}

void saturate_clocks_close(struct saturate_clocks *clocks)
{
    struct esse_arena *arena = clocks->units->arena;
    esse_u32_vec_drop(&clocks->rows->words, arena);
    esse_u32_vec_drop(&clocks->rows->free, arena);
    esse_arena_drop(arena, clocks->left);
    esse_arena_drop(arena, clocks->row);
}
