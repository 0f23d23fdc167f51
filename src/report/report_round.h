#ifndef ESSE_REPORT_REPORT_ROUND_H
#define ESSE_REPORT_REPORT_ROUND_H

#include "report/report_ring.h"

/*
 * Where the boxes of several cycles stand: on an ellipse, clockwise from the upper left, so that a
 * straight arrow between any two passes no third, if the ellipse is large enough.  It is made as
 * large as that, within reason; otherwise arrows may pass under a box.
 *
 * Cost: O(boxes * (boxes + arrows)), a few dozen times.
 */
struct esse_round_arrow {
    uint32_t from, to; /* boxes */
    double label_width;
    /* Set by esse_round_place. */
    double x[2], y[2]; /* begin and end */
    double label_x, label_y;
};

/* The boxes' places and sizes are the ring's; its gaps are the least between boxes. */
void esse_round_place(struct esse_ring *ring, struct esse_round_arrow *arrows, uint32_t count);

#endif
