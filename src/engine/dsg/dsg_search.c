#include "engine/dsg/dsg_search.h"

#include "base/checked.h"
#include "engine/dsg/dsg_shorten.h"

#include <string.h>

#define WW  (1u << ESSE_DEP_WW)
#define WR  (1u << ESSE_DEP_WR)
#define RW  (1u << ESSE_DEP_RW)
#define SO  (1u << ESSE_DEP_PROCESS)
#define RT  (1u << ESSE_DEP_REALTIME)
#define RWP (1u << ESSE_DEP_RWP)
#define DEP (WW | WR | 1u << ESSE_DEP_WRP)

/* One line a type: first edge, other edges, which rw there may be and how many, what must come.  A
 * cycle without "-item" has a predicate's rw, and is looked for from that on. */
#define SHAPES(suffix, others, needs)                                                              \
    { ESSE_ANOMALY_G0##suffix, WW, WW | (others), 0, DSG_ANTI_NONE, needs },                       \
        { ESSE_ANOMALY_G1C##suffix, DEP & ~WW, DEP | (others), 0, DSG_ANTI_NONE, needs },          \
        { ESSE_ANOMALY_G_SINGLE_ITEM##suffix, RW, DEP | (others), RW, DSG_ANTI_ONE, needs },       \
        { ESSE_ANOMALY_G_NONADJACENT_ITEM##suffix,                                                 \
          RW,                                                                                      \
          DEP | (others),                                                                          \
          RW,                                                                                      \
          DSG_ANTI_NOT_ADJACENT,                                                                   \
          needs },                                                                                 \
        { ESSE_ANOMALY_G2_ITEM##suffix, RW, DEP | (others), RW, DSG_ANTI_MANY, needs },            \
        { ESSE_ANOMALY_G_SINGLE##suffix, RWP, DEP | (others), RW | RWP, DSG_ANTI_ONE, needs },     \
        { ESSE_ANOMALY_G_NONADJACENT##suffix,                                                      \
          RWP,                                                                                     \
          DEP | (others),                                                                          \
          RW | RWP,                                                                                \
          DSG_ANTI_NOT_ADJACENT,                                                                   \
          needs },                                                                                 \
    {                                                                                              \
        ESSE_ANOMALY_G2##suffix, RWP, DEP | (others), RW | RWP, DSG_ANTI_MANY, needs               \
    }

const struct dsg_shape dsg_shapes[] = {
    SHAPES(, 0, 0),
    SHAPES(_PROCESS, SO, SO),
    SHAPES(_REALTIME, SO | RT, RT),
    { ESSE_ANOMALY_NONE, 0, 0, 0, DSG_ANTI_NONE, 0 },
};

/* ---- the automaton ---- */

enum { STATES = 12 };

struct state {
    unsigned antis; /* 0, 1, or 2 and more */
    bool last_anti, has_need;
};

static unsigned pack(struct state state)
{
    ESSE_HOT_ASSERT(state.antis <= 2);
    return state.antis * 4 + state.last_anti * 2u + state.has_need;
}

static struct state unpack(unsigned packed)
{
    ESSE_HOT_ASSERT(packed < STATES);
    return (struct state){ packed / 4, packed & 2, packed & 1 };
}

static bool step(const struct dsg_shape *shape, struct state *state, unsigned dep)
{
    bool anti = dsg_is_anti(dep);
    if (anti && !(shape->antis & 1u << dep))
        return false;
    if (anti &&
        (shape->anti <= DSG_ANTI_ONE || (shape->anti == DSG_ANTI_NOT_ADJACENT && state->last_anti)))
        return false;
    if (!anti && !(shape->others & 1u << dep))
        return false;
    state->antis += anti && state->antis < 2;
    state->last_anti = anti;
    state->has_need |= (shape->needs & 1u << dep) != 0;
    return true;
}

static struct state first_state(const struct dsg_shape *shape, unsigned dep)
{
    return (struct state){ dsg_is_anti(dep), dsg_is_anti(dep), (shape->needs & 1u << dep) != 0 };
}

static bool accepts(const struct dsg_shape *shape, struct state state)
{
    if (shape->needs && !state.has_need)
        return false;
    switch (shape->anti) {
    case DSG_ANTI_NONE:
        return state.antis == 0;
    case DSG_ANTI_ONE:
        return state.antis == 1;
    case DSG_ANTI_NOT_ADJACENT:
        return state.antis == 2 && !state.last_anti;
    default:
        return state.antis == 2;
    }
}

/* ---- where to look ---- */

static bool is_doubled(const struct dsg_shape *shape)
{
    return shape->anti == DSG_ANTI_ONE || shape->anti == DSG_ANTI_NOT_ADJACENT;
}

/*
 * Edges that lie on no cycle of the legal edges at all need not be tried.  With one rw, or none in
 * a row, legality is decided by the doubled graph (see dsg_graph.h).  This keeps the search from
 * starting thousands of times for nothing in a large component that has no such cycle.
 */
static uint32_t leaves(const struct dsg_edge *edge, bool doubled)
{
    return doubled ? 2 * edge->from + !dsg_is_anti(edge->dep) : edge->from;
}

static uint32_t enters(const struct dsg_edge *edge, bool doubled)
{
    return doubled ? 2 * edge->to + dsg_is_anti(edge->dep) : edge->to;
}

static bool is_legal(const struct dsg_shape *shape, const struct dsg_edge *edge)
{
    return (shape->others | shape->antis) & 1u << edge->dep;
}

static uint32_t *find_live(const struct dsg_component *component, const struct dsg_shape *shape,
                           struct esse_arena *arena, bool doubled)
{
    struct esse_csr csr;
    struct esse_scc scc;
    const uint32_t nodes = component->count * (doubled ? 2u : 1u);
    esse_csr_init(&csr, arena, nodes);
    for (int adding = 0; adding < 2; adding++) {
        for (uint32_t e = component->first[0]; e < component->first[component->count]; e++) {
            const struct dsg_edge *edge = &component->edges[e];
            if (!is_legal(shape, edge))
                continue;
            if (adding)
                esse_csr_add(&csr, leaves(edge, doubled), enters(edge, doubled));
            else
                esse_csr_count(&csr, leaves(edge, doubled));
        }
        for (uint32_t m = 0; doubled && m < component->count; m++) {
            if (adding)
                esse_csr_add(&csr, 2 * m, 2 * m + 1);
            else
                esse_csr_count(&csr, 2 * m);
        }
        if (!adding)
            esse_csr_start(&csr);
    }
    esse_csr_finish(&csr);
    esse_scc_find(&scc, arena, &csr, NULL);
    return scc.component;
}

/* ---- the search ---- */

/* An edge of a walk: 'edge', or 'edge' joined with what leads along its key or session up to
 * 'last'. */
struct stretch {
    const struct dsg_edge *edge, *last;
};

struct visit {
    uint32_t parent; /* an earlier visit, or ESSE_NO_NODE */
    struct stretch by;
    uint8_t state;
};

struct searching {
    const struct dsg_component *component;
    const struct dsg_shape *shape;
    struct visit *queue;
    uint32_t tail;
    uint32_t *seen; /* by member and state: the number of the search that saw it */
    uint32_t round;
    const struct dsg_edge *first;
    uint32_t joins; /* how far an edge may be drawn out */
    const struct dsg_edge **cycle;
    uint32_t best; /* the length of the best cycle so far; 0: none */
};

static const struct dsg_edge *whole(const struct searching *s, struct stretch by)
{
    return by.edge == by.last ? by.edge : dsg_join(s->component, by.edge, by.last);
}

static void keep(struct searching *s, uint32_t last, struct stretch closing, uint32_t length)
{
    assert(length > 1);
    assert(!s->best || length < s->best);
    s->best = length;
    s->cycle[length - 1] = whole(s, closing);
    for (uint32_t at = length - 1; at-- > 0; last = s->queue[last].parent)
        s->cycle[at] = whole(s, s->queue[last].by);
}

/* What leads on from where a stretch ends, and can be joined to it. */
static const struct dsg_edge *drawn_out(const struct searching *s, struct stretch by)
{
    const struct dsg_component *component = s->component;
    const uint32_t member = by.last->to;
    for (uint32_t e = component->first[member]; e < component->first[member + 1]; e++) {
        const struct dsg_edge *next = &component->edges[e];
        const struct dsg_edge so_far = { .from = by.edge->from,
                                         .to = member,
                                         .key = by.edge->key,
                                         .from_at = by.edge->from_at,
                                         .to_at = by.last->to_at,
                                         .dep = by.edge->dep };
        if (dsg_can_join(component, &so_far, next))
            return next;
    }
    return NULL;
}

/* Where an edge leads, and where it leads drawn out; true if one of them closes the cycle. */
static bool follow(struct searching *s, uint32_t parent, const struct dsg_edge *edge,
                   struct state state, uint32_t depth)
{
    struct stretch by = { edge, edge };
    for (uint32_t joins = 0; by.last; joins++) {
        const uint32_t to = by.last->to;
        if (parent != ESSE_NO_NODE && to == s->first->from && accepts(s->shape, state)) {
            keep(s, parent, by, depth + 1);
            return true;
        }
        uint32_t *seen = &s->seen[to * STATES + pack(state)];
        if (*seen == s->round)
            return false;
        *seen = s->round;
        s->queue[s->tail++] = (struct visit){ parent, by, (uint8_t)pack(state) };
        by.last = joins < s->joins ? drawn_out(s, by) : NULL;
    }
    return false;
}

/* Looks for a cycle that starts with 'first' and is shorter than the best. */
static void search_from(struct searching *s, const struct dsg_edge *first)
{
    const struct dsg_component *component = s->component;
    s->round++;
    s->first = first;
    s->tail = 0;
    follow(s, ESSE_NO_NODE, first, first_state(s->shape, first->dep), 0);
    uint32_t level_end = s->tail, depth = 1;
    for (uint32_t head = 0; head < s->tail; head++) {
        if (head == level_end) {
            level_end = s->tail;
            depth++;
        }
        if (s->best && depth + 1 >= s->best)
            return;
        const struct visit visit = s->queue[head];
        const uint32_t member = visit.by.last->to;
        for (uint32_t e = component->first[member]; e < component->first[member + 1]; e++) {
            struct state state = unpack(visit.state);
            if (step(s->shape, &state, component->edges[e].dep) &&
                follow(s, head, &component->edges[e], state, depth))
                return;
        }
    }
}

static void search_all(struct searching *s, const uint32_t *live, struct esse_budget *budget)
{
    const struct dsg_component *component = s->component;
    const bool doubled = is_doubled(s->shape);
    for (uint32_t e = component->first[0]; e < component->first[component->count] && s->best != 2;
         e++) {
        const struct dsg_edge *edge = &component->edges[e];
        if ((s->shape->starts & 1u << edge->dep) &&
            live[leaves(edge, doubled)] == live[enters(edge, doubled)]) {
            if (!esse_budget_poll(budget, e))
                break;
            search_from(s, edge);
        }
    }
}

/* First the shortest cycle of the graph, which is cheap; then, if that is long, one of edges drawn
 * out. */
uint32_t dsg_search(const struct dsg_component *component, const struct dsg_shape *shape,
                    struct esse_budget *budget, const struct dsg_edge **cycle)
{
    enum { LONG = 4, JOINS = 64 };
    struct esse_arena *arena = esse_arena_new();
    struct searching s = { .component = component, .shape = shape, .cycle = cycle };
    const size_t room = dsg_search_room(component);
    const uint32_t *live = find_live(component, shape, arena, is_doubled(shape));
    s.queue = esse_arena_array(arena, room, *s.queue);
    s.seen = esse_arena_zeros(arena, room, *s.seen);
    search_all(&s, live, budget);
    s.best = s.best ? dsg_shorten(component, shape, cycle, s.best) : 0;
    s.joins = JOINS;
    if (s.best >= LONG)
        search_all(&s, live, budget);
    esse_arena_free(arena);
    return s.best;
}
