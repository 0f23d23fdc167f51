#ifndef ESSE_REPORT_REPORT_RING_H
#define ESSE_REPORT_REPORT_RING_H

#include "base/out.h"

/*
 * Where the boxes of a cycle stand: on the border of a grid, clockwise from the upper left, so that
 * neighbours in the cycle are neighbours in the picture and no arrow has to pass a box.  Two boxes
 * stand side by side, three in a triangle, eight in two rows of four; more go around four columns.
 *
 * Cost: O(boxes).
 */
struct esse_ring_box {
    double width, height; /* all widths are equal */
    double x, y;          /* of the centre, set by esse_ring_place */
};

struct esse_ring {
    struct esse_ring_box *boxes;
    uint32_t count;
    double gap_across, gap_down;
    double width, height; /* of the whole, from 0, 0; set by esse_ring_place */
};

void esse_ring_place(struct esse_arena *arena, struct esse_ring *ring);

/* An arrow between two neighbours: a quadratic curve, and where its label goes. */
struct esse_ring_arrow {
    double x[3], y[3]; /* begin, control point, end */
    double label_x, label_y;
    bool is_across; /* the label stands beside the line instead of upon it */
};

/* 'side' is -1 or 1 if another arrow goes between the same two (above or below), else 0. */
struct esse_ring_arrow esse_ring_arrow(const struct esse_ring *ring, uint32_t from, uint32_t to,
                                       int side);

#endif
