#include "graph/scc.h"

#include <assert.h>
#include <string.h>

/*
 * rindex[v] is 0 before v is visited, its (possibly lowered) visit number while its component is
 * open, and then the component's number counted down from the top, so that closed components
 * compare greater than every open visit number.  A node is a root if nothing lowered it; that bit
 * is kept in 'lowered'.
 */
struct walk {
    const struct esse_csr *csr;
    uint32_t *rindex;
    uint32_t *path;    /* the nodes being visited, outermost first ... */
    uint32_t *edge;    /* ... and the next edge of each */
    uint32_t *waiting; /* visited nodes whose component is still open */
    uint8_t *lowered;
    uint32_t depth, waiting_count, index, component;
};

static void enter(struct walk *walk, uint32_t v)
{
    walk->rindex[v] = walk->index++;
    walk->path[walk->depth] = v;
    walk->edge[walk->depth++] = walk->csr->first[v];
}

/* Takes what 'to' can reach back to into account for 'v'. */
static void lower(struct walk *walk, uint32_t v, uint32_t to)
{
    if (walk->rindex[to] < walk->rindex[v]) {
        walk->rindex[v] = walk->rindex[to];
        walk->lowered[v >> 3] |= (uint8_t)(1 << (v & 7));
    }
}

/* All edges of v are done: it closes its component, or waits for the node that will. */
static void leave(struct walk *walk, uint32_t v)
{
    if (walk->lowered[v >> 3] & 1 << (v & 7)) {
        walk->waiting[walk->waiting_count++] = v;
        return;
    }
    walk->index--;
    while (walk->waiting_count) {
        uint32_t member = walk->waiting[walk->waiting_count - 1];
        if (walk->rindex[member] < walk->rindex[v])
            break;
        walk->rindex[member] = walk->component;
        walk->waiting_count--;
        walk->index--;
    }
    walk->rindex[v] = walk->component--;
}

static bool visit(struct walk *walk, uint32_t start, struct esse_budget *budget)
{
    enter(walk, start);
    while (walk->depth) {
        uint32_t v = walk->path[walk->depth - 1], *edge = &walk->edge[walk->depth - 1];
        uint32_t end = walk->csr->first[v + 1];
        bool deeper = false;
        while (*edge < end && !deeper) {
            uint32_t to = walk->csr->to[(*edge)++];
            deeper = walk->rindex[to] == 0;
            if (deeper)
                enter(walk, to);
            else
                lower(walk, v, to);
        }
        if (deeper)
            continue;
        walk->depth--;
        leave(walk, v);
        if (walk->depth)
            lower(walk, walk->path[walk->depth - 1], v);
        if (!esse_budget_poll(budget, start))
            return false;
    }
    return true;
}

bool esse_scc_find(struct esse_scc *scc, struct esse_arena *arena, const struct esse_csr *csr,
                   struct esse_budget *budget)
{
    const size_t room = csr->nodes + (size_t)1;
    assert(csr->nodes < UINT32_MAX / 2);
    struct walk walk = { .csr = csr, .index = 1, .component = UINT32_MAX };
    walk.rindex = esse_arena_zeros(arena, room, uint32_t);
    walk.path = esse_arena_array(arena, room, uint32_t);
    walk.edge = esse_arena_array(arena, room, uint32_t);
    walk.waiting = esse_arena_array(arena, room, uint32_t);
    walk.lowered = esse_arena_zeros(arena, csr->nodes / 8 + 1, uint8_t);
    bool ok = true;
    for (uint32_t v = csr->nodes; ok && v-- > 0;)
        if (walk.rindex[v] == 0)
            ok = visit(&walk, v, budget);
    /* Count from 0 upwards in the order in which components were closed. */
    for (uint32_t v = 0; ok && v < csr->nodes; v++)
        walk.rindex[v] = UINT32_MAX - walk.rindex[v];
    scc->component = walk.rindex;
    scc->count = UINT32_MAX - walk.component;
    esse_arena_drop(arena, walk.path);
    esse_arena_drop(arena, walk.edge);
    esse_arena_drop(arena, walk.waiting);
    esse_arena_drop(arena, walk.lowered);
    return ok;
}
