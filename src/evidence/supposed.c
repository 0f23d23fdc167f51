#include "evidence/supposed.h"

#include "base/arena.h"

enum { MOST_STEPS = 1 << 18 };

struct covering {
    struct esse_arena *arena;
    uint32_t steps;
};

/* What an anomaly still supposes; some of it was settled. */
struct cube {
    const struct esse_supposition *at;
    uint32_t count;
};

/* What a cube supposes beside the outcome of 'txn'; false if it supposes the other outcome. */
static bool settle(struct covering *c, const struct cube *cube, struct esse_supposition outcome,
                   struct cube *left)
{
    struct esse_supposition *rest = esse_arena_alloc(c->arena, cube->count, sizeof *rest);
    *left = (struct cube){ rest, 0 };
    for (uint32_t i = 0; i < cube->count; i++) {
        if (cube->at[i].txn.ix != outcome.txn.ix)
            rest[left->count++] = cube->at[i];
        else if (cube->at[i].committed != outcome.committed)
            return false;
    }
    return true;
}

static bool covers(struct covering *c, const struct cube *cubes, uint32_t count)
{
    if (!count || c->steps++ > MOST_STEPS)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!cubes[i].count)
            return true;
    struct esse_supposition outcome = cubes[0].at[0];
    struct cube *left = esse_arena_alloc(c->arena, count, sizeof *left);
    for (int side = 0; side < 2; side++) {
        uint32_t kept = 0;
        outcome.committed = side == 0;
        for (uint32_t i = 0; i < count; i++)
            kept += settle(c, &cubes[i], outcome, &left[kept]);
        if (!covers(c, left, kept))
            return false;
    }
    return true;
}

bool esse_supposed_covers(const struct esse_anomaly *anomalies, uint32_t count)
{
    struct covering c = { .arena = esse_arena_new() };
    struct cube *cubes = esse_arena_alloc(c.arena, count + 1u, sizeof *cubes);
    for (uint32_t i = 0; i < count; i++)
        cubes[i] = (struct cube){ anomalies[i].supposed, anomalies[i].supposed_count };
    const bool ok = covers(&c, cubes, count);
    esse_arena_free(c.arena);
    return ok;
}
