#ifndef ESSE_REPORT_LATTICE_LAYOUT_H
#define ESSE_REPORT_LATTICE_LAYOUT_H

#include "base/arena.h"

/*
 * A layered drawing of a small acyclic graph, top to bottom, after Sugiyama, Tagawa and Toda 1981:
 * layers that keep edges short, few crossings, straight long edges.  Boxes of a layer are beside
 * one another, and an edge that passes a layer has a lane of its own there, so no edge runs through
 * a box.
 *
 * Life: new -> box*, edge* -> run -> read boxes and edges.  Lives in its arena.  Deterministic.
 *
 * Cost: meant for some dozens of boxes; counting crossings is quadratic in the edges of a layer
 * and is repeated some thousand times.
 */
struct esse_layout_box {
    double width, height;
    double x, y; /* of the centre */
};

struct esse_layout_point {
    double x, y;
};

/* 'points' are the ends of curves and straight lines by turns: a curve from 0 to 1, a line down
 * through a lane from 1 to 2, a curve from 2 to 3, and so on. */
struct esse_layout_edge {
    unsigned from, to;
    struct esse_layout_point *points;
    unsigned count;
};

struct esse_layout {
    struct esse_arena *arena;
    struct esse_layout_box *boxes;
    struct esse_layout_edge *edges;
    unsigned box_count, edge_count;
    double width, height; /* of the whole drawing, from 0, 0 */
};

/* Room for that many boxes and edges. */
struct esse_layout *esse_layout_new(struct esse_arena *arena, unsigned boxes, unsigned edges);

/* Returns the box's number. */
unsigned esse_layout_box(struct esse_layout *layout, double width, double height);

/* 'from' is above 'to' and was added before it. */
void esse_layout_edge(struct esse_layout *layout, unsigned from, unsigned to);

void esse_layout_run(struct esse_layout *layout);

#endif
