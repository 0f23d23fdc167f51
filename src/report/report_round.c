#include "report/report_round.h"

#include <math.h>

enum {
    GROWTHS = 14, /* tried */
    CLEAR = 8,    /* between an arrow and a box it passes */
    APART = 27,   /* between arrows that join the same boxes */
    LABEL_HEIGHT = 24,
    LABEL_PLACES = 13,
};

static const double flat = 0.6, growth = 1.06;

/* ---- boxes ---- */

static void put_on_ellipse(struct esse_ring *ring, double across)
{
    const double step = 2 * M_PI / ring->count, begin = -M_PI / 2 - step / 2;
    for (uint32_t i = 0; i < ring->count; i++) {
        ring->boxes[i].x = across * cos(begin + step * i);
        ring->boxes[i].y = flat * across * sin(begin + step * i);
    }
}

static bool are_apart(const struct esse_ring *ring)
{
    for (uint32_t i = 0; i < ring->count; i++)
        for (uint32_t j = 0; j < i; j++) {
            const struct esse_ring_box *a = &ring->boxes[i], *b = &ring->boxes[j];
            if (fabs(a->x - b->x) < (a->width + b->width) / 2 + ring->gap_across &&
                fabs(a->y - b->y) < (a->height + b->height) / 2 + ring->gap_down)
                return false;
        }
    return true;
}

/* Which part of the line from 0 to 1 is between 'low' and 'high' in one coordinate. */
static void clip(double from, double to, double low, double high, double *enter, double *leave)
{
    const double way = to - from;
    if (fabs(way) < 1e-9) {
        if (from <= low || from >= high)
            *enter = 2;
        return;
    }
    const double a = (low - from) / way, b = (high - from) / way;
    *enter = fmax(*enter, fmin(a, b));
    *leave = fmin(*leave, fmax(a, b));
}

/* The part of a line that is in a box, with 'more' around it; false if none is. */
static bool part_in(const double x[2], const double y[2], const struct esse_ring_box *box,
                    double more, double *enter, double *leave)
{
    const double width = box->width / 2 + more, height = box->height / 2 + more;
    *enter = 0;
    *leave = 1;
    clip(x[0], x[1], box->x - width, box->x + width, enter, leave);
    clip(y[0], y[1], box->y - height, box->y + height, enter, leave);
    return *enter < *leave;
}

static uint32_t boxes_passed(const struct esse_ring *ring, const struct esse_round_arrow *arrow)
{
    const struct esse_ring_box *a = &ring->boxes[arrow->from], *b = &ring->boxes[arrow->to];
    const double x[] = { a->x, b->x }, y[] = { a->y, b->y };
    double enter, leave;
    uint32_t passed = 0;
    for (uint32_t i = 0; i < ring->count; i++)
        passed += i != arrow->from && i != arrow->to &&
                  part_in(x, y, &ring->boxes[i], CLEAR, &enter, &leave);
    return passed;
}

/* The smallest ellipse on which the boxes are apart, or a larger one if fewer are passed there. */
static void place_boxes(struct esse_ring *ring, const struct esse_round_arrow *arrows,
                        uint32_t count)
{
    double size = (ring->boxes[0].width + ring->gap_across) / 2, best = size;
    uint32_t least = UINT32_MAX;
    for (put_on_ellipse(ring, size); !are_apart(ring); put_on_ellipse(ring, size))
        size *= growth;
    for (uint32_t round = 0; round < GROWTHS && least; round++, size *= growth) {
        uint32_t passed = 0;
        put_on_ellipse(ring, size);
        for (uint32_t i = 0; i < count; i++)
            passed += boxes_passed(ring, &arrows[i]);
        if (passed < least) {
            least = passed;
            best = size;
        }
    }
    put_on_ellipse(ring, best);
}

static void move_to_origin(struct esse_ring *ring)
{
    double left = 0, right = 0, top = 0, bottom = 0;
    for (uint32_t i = 0; i < ring->count; i++) {
        const struct esse_ring_box *box = &ring->boxes[i];
        left = fmin(left, box->x - box->width / 2);
        right = fmax(right, box->x + box->width / 2);
        top = fmin(top, box->y - box->height / 2);
        bottom = fmax(bottom, box->y + box->height / 2);
    }
    for (uint32_t i = 0; i < ring->count; i++) {
        ring->boxes[i].x -= left;
        ring->boxes[i].y -= top;
    }
    ring->width = right - left;
    ring->height = bottom - top;
}

/* ---- arrows ---- */

static bool joins_same(const struct esse_round_arrow *a, const struct esse_round_arrow *b)
{
    return (a->from == b->from && a->to == b->to) || (a->from == b->to && a->to == b->from);
}

/* Those that join the same two boxes run beside one another. */
static void place_arrow(const struct esse_ring *ring, struct esse_round_arrow *arrows,
                        uint32_t count, uint32_t at)
{
    struct esse_round_arrow *arrow = &arrows[at];
    const struct esse_ring_box *a = &ring->boxes[arrow->from], *b = &ring->boxes[arrow->to];
    const double way = hypot(b->x - a->x, b->y - a->y), turn = arrow->from < arrow->to ? 1 : -1;
    double before = 0, all = 0, enter, leave;
    for (uint32_t i = 0; i < count; i++) {
        all += joins_same(arrow, &arrows[i]);
        before += i < at && joins_same(arrow, &arrows[i]);
    }
    const double shift = turn * APART * (before - (all - 1) / 2);
    const double move_x = way > 0 ? -shift * (b->y - a->y) / way : 0;
    const double move_y = way > 0 ? shift * (b->x - a->x) / way : 0;
    const double x[] = { a->x + move_x, b->x + move_x }, y[] = { a->y + move_y, b->y + move_y };
    double begin = 0, end = 1;
    if (part_in(x, y, a, 0, &enter, &leave))
        begin = leave;
    if (part_in(x, y, b, 0, &enter, &leave))
        end = enter;
    for (uint32_t i = 0; i < 2; i++) {
        const double t = i ? end : begin;
        arrow->x[i] = x[0] + t * (x[1] - x[0]);
        arrow->y[i] = y[0] + t * (y[1] - y[0]);
    }
}

static bool overlaps(double x, double y, double width, double other_x, double other_y,
                     double other_width, double other_height)
{
    return fabs(x - other_x) < (width + other_width) / 2 &&
           fabs(y - other_y) < (LABEL_HEIGHT + other_height) / 2;
}

/* How much is already where the label would be. */
static uint32_t crowding(const struct esse_ring *ring, const struct esse_round_arrow *arrows,
                         uint32_t at, double x, double y)
{
    const double width = arrows[at].label_width;
    uint32_t found = 0;
    for (uint32_t i = 0; i < ring->count; i++)
        found += overlaps(x, y, width, ring->boxes[i].x, ring->boxes[i].y, ring->boxes[i].width,
                          ring->boxes[i].height);
    for (uint32_t i = 0; i < at; i++)
        found += overlaps(x, y, width, arrows[i].label_x, arrows[i].label_y, arrows[i].label_width,
                          LABEL_HEIGHT);
    return found;
}

/* Near the middle if there is room, else further out, to either end by turns. */
static void place_label(const struct esse_ring *ring, struct esse_round_arrow *arrows, uint32_t at)
{
    struct esse_round_arrow *arrow = &arrows[at];
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < LABEL_PLACES && least; i++) {
        const uint32_t steps = (i + 1) / 2;
        const double off = steps * 0.07, t = i & 1 ? 0.5 + off : 0.5 - off;
        const double x = arrow->x[0] + t * (arrow->x[1] - arrow->x[0]);
        const double y = arrow->y[0] + t * (arrow->y[1] - arrow->y[0]);
        const uint32_t found = crowding(ring, arrows, at, x, y);
        if (found < least) {
            least = found;
            arrow->label_x = x;
            arrow->label_y = y;
        }
    }
}

void esse_round_place(struct esse_ring *ring, struct esse_round_arrow *arrows, uint32_t count)
{
    if (!ring->count)
        return;
    place_boxes(ring, arrows, count);
    move_to_origin(ring);
    for (uint32_t i = 0; i < count; i++)
        place_arrow(ring, arrows, count, i);
    for (uint32_t i = 0; i < count; i++)
        place_label(ring, arrows, i);
}
