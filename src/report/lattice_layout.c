#include "report/lattice_layout.h"

#include "base/rng.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Distances in pixels, and how hard to try; more tries than these gave no better picture of the
 * lattice of levels. */
enum {
    BOX_GAP = 22,
    LANE_WIDTH = 10,
    LAYER_GAP = 46,
    PORT_GAP = 16,
    TRIES = 300,
    SWEEPS = 12,
    SHIFTS = 1000,
};

/* A box, or the lane of a long edge through one layer. */
struct place {
    double x, width;
    unsigned layer, at; /* at: position in its layer */
    bool is_lane;
    double key; /* what the layer is being sorted by */
};

/* A piece of an edge, from one layer to the next. */
struct link {
    unsigned up, down;
};

struct state {
    struct esse_layout *layout;
    struct place *places; /* the boxes come first */
    unsigned place_count;
    struct link *links; /* grouped by edge, downwards */
    unsigned link_count;
    unsigned *first_link; /* of each edge, and the end of the last */
    unsigned layer_count;
    unsigned **order; /* places of each layer, left to right */
    unsigned *size;
};

struct esse_layout *esse_layout_new(struct esse_arena *arena, unsigned boxes, unsigned edges)
{
    struct esse_layout *layout = esse_arena_alloc(arena, 1, sizeof *layout);
    layout->arena = arena;
    layout->boxes = esse_arena_alloc(arena, boxes + 1, sizeof *layout->boxes);
    layout->edges = esse_arena_alloc(arena, edges + 1, sizeof *layout->edges);
    return layout;
}

unsigned esse_layout_box(struct esse_layout *layout, double width, double height)
{
    layout->boxes[layout->box_count] = (struct esse_layout_box){ .width = width, .height = height };
    return layout->box_count++;
}

void esse_layout_edge(struct esse_layout *layout, unsigned from, unsigned to)
{
    assert(from < to);
    assert(to < layout->box_count);
    layout->edges[layout->edge_count++] = (struct esse_layout_edge){ .from = from, .to = to };
}

/* Moves a box within the layers that its neighbours leave it, to where its edges are shortest. */
static bool settle(struct state *state, unsigned box)
{
    const struct esse_layout *layout = state->layout;
    unsigned above = 0, below = 0, lowest = 0, highest = 0;
    for (unsigned e = 0; e < layout->edge_count; e++) {
        const struct esse_layout_edge *edge = &layout->edges[e];
        const unsigned from = state->places[edge->from].layer, to = state->places[edge->to].layer;
        if (edge->to == box && (!above++ || from + 1 > highest))
            highest = from + 1;
        if (edge->from == box && (!below++ || to - 1 < lowest))
            lowest = to - 1;
    }
    unsigned *layer = &state->places[box].layer;
    const unsigned before = *layer;
    if (above > below || (above && !below))
        *layer = highest;
    else if (below > above)
        *layer = lowest;
    return *layer != before;
}

static void choose_layers(struct state *state)
{
    const struct esse_layout *layout = state->layout;
    bool changed = true;
    while (changed) { /* longest paths from the top */
        changed = false;
        for (unsigned e = 0; e < layout->edge_count; e++) {
            const unsigned least = state->places[layout->edges[e].from].layer + 1;
            unsigned *layer = &state->places[layout->edges[e].to].layer;
            changed |= *layer < least;
            *layer = *layer < least ? least : *layer;
        }
    }
    for (unsigned round = 0; round < layout->box_count; round++)
        for (unsigned box = 0; box < layout->box_count; box++)
            settle(state, box);
    for (unsigned box = 0; box < layout->box_count; box++)
        if (state->places[box].layer >= state->layer_count)
            state->layer_count = state->places[box].layer + 1;
}

/* Cuts edges into links, with a lane in every layer that they pass. */
static void make_lanes(struct state *state)
{
    struct esse_layout *layout = state->layout;
    state->first_link[0] = 0;
    for (unsigned e = 0; e < layout->edge_count; e++) {
        const struct esse_layout_edge *edge = &layout->edges[e];
        unsigned up = edge->from;
        for (unsigned layer = state->places[up].layer + 1; layer < state->places[edge->to].layer;
             layer++) {
            const unsigned lane = state->place_count++;
            state->places[lane] =
                (struct place){ .layer = layer, .is_lane = true, .width = LANE_WIDTH };
            state->links[state->link_count++] = (struct link){ up, lane };
            up = lane;
        }
        state->links[state->link_count++] = (struct link){ up, edge->to };
        state->first_link[e + 1] = state->link_count;
    }
}

static void renumber(struct state *state, unsigned layer)
{
    for (unsigned i = 0; i < state->size[layer]; i++)
        state->places[state->order[layer][i]].at = i;
}

static void shuffle(struct state *state, struct esse_rng *rng)
{
    for (unsigned layer = 0; layer < state->layer_count; layer++) {
        unsigned *order = state->order[layer];
        for (unsigned i = state->size[layer]; i > 1; i--) {
            const unsigned other = esse_rng_below(rng, i), kept = order[i - 1];
            order[i - 1] = order[other];
            order[other] = kept;
        }
        renumber(state, layer);
    }
}

/* Crossings between a layer and the next. */
static unsigned crossings_below(const struct state *state, unsigned layer)
{
    unsigned count = 0;
    for (unsigned i = 0; i < state->link_count; i++) {
        const struct link a = state->links[i];
        if (state->places[a.up].layer != layer)
            continue;
        for (unsigned j = i + 1; j < state->link_count; j++) {
            const struct link b = state->links[j];
            if (state->places[b.up].layer != layer)
                continue;
            const int up = (int)state->places[a.up].at - (int)state->places[b.up].at;
            const int down = (int)state->places[a.down].at - (int)state->places[b.down].at;
            count += (up < 0 && down > 0) || (up > 0 && down < 0);
        }
    }
    return count;
}

static unsigned crossings(const struct state *state)
{
    unsigned count = 0;
    for (unsigned layer = 0; layer + 1 < state->layer_count; layer++)
        count += crossings_below(state, layer);
    return count;
}

/* Sorts a layer by the mean position of its neighbours above or below. */
static void sort_layer(struct state *state, unsigned layer, bool by_upper)
{
    unsigned *order = state->order[layer];
    for (unsigned i = 0; i < state->size[layer]; i++) {
        double sum = 0;
        unsigned count = 0;
        for (unsigned l = 0; l < state->link_count; l++) {
            const struct link link = state->links[l];
            if ((by_upper ? link.down : link.up) == order[i]) {
                sum += state->places[by_upper ? link.up : link.down].at;
                count++;
            }
        }
        state->places[order[i]].key = count ? sum / count : i;
    }
    for (unsigned i = 1; i < state->size[layer]; i++) { /* insertion: it has to be stable */
        const unsigned moved = order[i];
        unsigned to = i;
        for (; to > 0 && state->places[order[to - 1]].key > state->places[moved].key; to--)
            order[to] = order[to - 1];
        order[to] = moved;
    }
    renumber(state, layer);
}

static void swap_at(struct state *state, unsigned layer, unsigned i)
{
    unsigned *order = state->order[layer];
    const unsigned kept = order[i];
    order[i] = order[i + 1];
    order[i + 1] = kept;
    state->places[order[i]].at = i;
    state->places[order[i + 1]].at = i + 1;
}

static unsigned crossings_around(const struct state *state, unsigned layer)
{
    return crossings_below(state, layer) + (layer ? crossings_below(state, layer - 1) : 0);
}

/* Swaps neighbours while that removes crossings. */
static void transpose(struct state *state)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned layer = 0; layer < state->layer_count; layer++)
            for (unsigned i = 0; i + 1 < state->size[layer]; i++) {
                const unsigned before = crossings_around(state, layer);
                swap_at(state, layer, i);
                if (crossings_around(state, layer) < before)
                    changed = true;
                else
                    swap_at(state, layer, i);
            }
    }
}

static void save_order(const struct state *state, unsigned *saved)
{
    for (unsigned p = 0; p < state->place_count; p++)
        saved[p] = state->places[p].at;
}

static void load_order(struct state *state, const unsigned *saved)
{
    for (unsigned p = 0; p < state->place_count; p++) {
        state->places[p].at = saved[p];
        state->order[state->places[p].layer][saved[p]] = p;
    }
}

/* Many starts, each improved; the one with the fewest crossings stays. */
static void choose_order(struct state *state)
{
    struct esse_arena *arena = state->layout->arena;
    unsigned *best = esse_arena_alloc(arena, state->place_count, sizeof *best);
    unsigned fewest = UINT32_MAX;
    struct esse_rng rng = { 0 };
    for (unsigned try = 0; try < TRIES; try++) {
        if (try)
            shuffle(state, &rng);
        for (unsigned sweep = 0; sweep < SWEEPS; sweep++) {
            for (unsigned layer = 1; layer < state->layer_count; layer++)
                sort_layer(state, layer, true);
            for (unsigned layer = state->layer_count - 1; layer-- > 0;)
                sort_layer(state, layer, false);
        }
        transpose(state);
        const unsigned count = crossings(state);
        if (count < fewest) {
            fewest = count;
            save_order(state, best);
        }
    }
    load_order(state, best);
}

/* How far apart the centres of two neighbours must be. */
static double apart(const struct place *left, const struct place *right)
{
    return (left->width + right->width) / 2 + BOX_GAP;
}

/*
 * How hard a link pulls its ends together.  Straight lanes matter most: a bend in a long line is
 * what the eye stumbles over.  Dividing by the distance makes the squares that are minimised count
 * like distances, which leaves one large bend where mere squares leave a staircase of small ones.
 */
static double pull(const struct place *a, const struct place *b)
{
    const double importance = a->is_lane && b->is_lane ? 8 : a->is_lane || b->is_lane ? 2 : 3;
    return importance / (fabs(a->x - b->x) + 1);
}

struct wish {
    double x, weight;
};

static struct wish wish_of(const struct state *state, unsigned place, bool up, bool down)
{
    struct wish wish = { 0, 0 };
    for (unsigned l = 0; l < state->link_count; l++) {
        const struct link link = state->links[l];
        const bool is_up = up && link.down == place, is_down = down && link.up == place;
        if (!is_up && !is_down)
            continue;
        const struct place *other = &state->places[is_up ? link.up : link.down];
        const double weight = pull(&state->places[place], other);
        wish.x += weight * other->x;
        wish.weight += weight;
    }
    if (wish.weight > 0)
        wish.x /= wish.weight;
    else
        wish = (struct wish){ state->places[place].x, 0.01 };
    return wish;
}

/*
 * Places a layer as near to the wishes as the distances allow: least squares with a fixed order is
 * isotonic regression once the distances are taken off, and pooling adjacent violators solves that
 * exactly.
 */
static void shift_layer(struct state *state, unsigned layer, bool up, bool down)
{
    struct esse_arena *arena = state->layout->arena;
    const unsigned size = state->size[layer];
    struct wish *pools = esse_arena_grow(arena, NULL, size * sizeof *pools);
    unsigned *ends = esse_arena_grow(arena, NULL, size * sizeof *ends);
    unsigned count = 0;
    double offset = 0;
    for (unsigned i = 0; i < size; i++) {
        const unsigned place = state->order[layer][i];
        if (i)
            offset += apart(&state->places[state->order[layer][i - 1]], &state->places[place]);
        struct wish wish = wish_of(state, place, up, down);
        wish.x -= offset;
        while (count && pools[count - 1].x > wish.x) {
            const struct wish last = pools[--count];
            const double weight = last.weight + wish.weight;
            wish.x = (last.x * last.weight + wish.x * wish.weight) / weight;
            wish.weight = weight;
        }
        pools[count] = wish;
        ends[count++] = i + 1;
    }
    offset = 0;
    for (unsigned i = 0, pool = 0; i < size; i++) {
        struct place *place = &state->places[state->order[layer][i]];
        if (i)
            offset += apart(&state->places[state->order[layer][i - 1]], place);
        while (ends[pool] <= i)
            pool++;
        place->x = pools[pool].x + offset;
    }
    esse_arena_drop(arena, pools);
    esse_arena_drop(arena, ends);
}

static void choose_x(struct state *state)
{
    for (unsigned layer = 0; layer < state->layer_count; layer++)
        shift_layer(state, layer, false, false);
    for (unsigned round = 0; round < SHIFTS; round++) {
        const bool both = round >= SHIFTS / 2;
        for (unsigned layer = 1; layer < state->layer_count; layer++)
            shift_layer(state, layer, true, both);
        for (unsigned layer = state->layer_count - 1; layer-- > 0;)
            shift_layer(state, layer, both, true);
    }
    double left = 0, right = 0;
    for (unsigned p = 0; p < state->place_count; p++) {
        const struct place *place = &state->places[p];
        left = p && left < place->x - place->width / 2 ? left : place->x - place->width / 2;
        right = p && right > place->x + place->width / 2 ? right : place->x + place->width / 2;
    }
    for (unsigned p = 0; p < state->place_count; p++)
        state->places[p].x -= left;
    state->layout->width = right - left;
}

static void place_boxes(struct state *state)
{
    struct esse_layout *layout = state->layout;
    double height = 0;
    for (unsigned box = 0; box < layout->box_count; box++)
        height = layout->boxes[box].height > height ? layout->boxes[box].height : height;
    for (unsigned box = 0; box < layout->box_count; box++) {
        layout->boxes[box].x = state->places[box].x;
        layout->boxes[box].y = state->places[box].layer * (height + LAYER_GAP) + height / 2;
    }
    layout->height = state->layer_count * (height + LAYER_GAP) - LAYER_GAP;
}

/* Where link 'l' leaves or enters a box: beside its other links, in the order of their far ends. */
static double port(const struct state *state, unsigned l, bool leaving)
{
    const struct link link = state->links[l];
    const unsigned here = leaving ? link.up : link.down, far = leaving ? link.down : link.up;
    if (state->places[here].is_lane)
        return state->places[here].x;
    unsigned before = 0, all = 0;
    for (unsigned i = 0; i < state->link_count; i++) {
        const struct link other = state->links[i];
        if ((leaving ? other.up : other.down) != here)
            continue;
        all++;
        before += state->places[leaving ? other.down : other.up].at < state->places[far].at;
    }
    return state->places[here].x + (before - (all - 1) / 2.0) * PORT_GAP;
}

static void route(struct state *state, unsigned e)
{
    struct esse_layout *layout = state->layout;
    struct esse_layout_edge *edge = &layout->edges[e];
    const double half = layout->boxes[edge->from].height / 2;
    const double step = 2 * half + LAYER_GAP;
    double y = layout->boxes[edge->from].y + half;
    const unsigned first = state->first_link[e], end = state->first_link[e + 1];
    edge->points = esse_arena_alloc(layout->arena, 2 * (end - first), sizeof *edge->points);
    for (unsigned l = first; l < end; l++, y += step) {
        edge->points[edge->count++] = (struct esse_layout_point){ port(state, l, true), y };
        edge->points[edge->count++] =
            (struct esse_layout_point){ port(state, l, false), y + LAYER_GAP };
    }
}

static void make_layers(struct state *state)
{
    struct esse_arena *arena = state->layout->arena;
    state->order = esse_arena_alloc(arena, state->layer_count, sizeof *state->order);
    state->size = esse_arena_alloc(arena, state->layer_count, sizeof *state->size);
    for (unsigned layer = 0; layer < state->layer_count; layer++)
        state->order[layer] = esse_arena_alloc(arena, state->place_count, sizeof(unsigned));
    for (unsigned p = 0; p < state->place_count; p++) {
        struct place *place = &state->places[p];
        place->at = state->size[place->layer]++;
        state->order[place->layer][place->at] = p;
    }
}

void esse_layout_run(struct esse_layout *layout)
{
    struct esse_arena *arena = layout->arena;
    struct state state = { .layout = layout, .place_count = layout->box_count };
    const size_t most = (size_t)layout->box_count * (layout->edge_count + 1);
    state.places = esse_arena_alloc(arena, most, sizeof *state.places);
    state.links = esse_arena_alloc(arena, most, sizeof *state.links);
    state.first_link = esse_arena_alloc(arena, layout->edge_count + 1, sizeof *state.first_link);
    for (unsigned box = 0; box < layout->box_count; box++)
        state.places[box].width = layout->boxes[box].width;
    choose_layers(&state);
    make_lanes(&state);
    make_layers(&state);
    choose_order(&state);
    choose_x(&state);
    place_boxes(&state);
    for (unsigned e = 0; e < layout->edge_count; e++)
        route(&state, e);
}
