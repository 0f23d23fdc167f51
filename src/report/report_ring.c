#include "report/report_ring.h"

#include "base/arena.h"

#include <math.h>

enum { COLUMNS = 4 };

/* How many boxes stand in the upper row, on each side between the rows, and in the lower row. */
struct shape {
    uint32_t upper, side, lower;
};

static struct shape shape_of(uint32_t count)
{
    if (count <= 2)
        return (struct shape){ count, 0, 0 };
    if (count <= 2 * COLUMNS)
        return (struct shape){ (count + 1) / 2, 0, count / 2 };
    const uint32_t rest = count - 2 * COLUMNS, side = (rest + 1) / 2;
    return (struct shape){ COLUMNS, side, count - COLUMNS - 2 * side };
}

static uint32_t row_of(struct shape shape, uint32_t box)
{
    if (box < shape.upper)
        return 0;
    if (box < shape.upper + shape.side)
        return 1 + box - shape.upper;
    if (box < shape.upper + shape.side + shape.lower)
        return 1 + shape.side;
    return shape.side - (box - shape.upper - shape.side - shape.lower);
}

/* In columns; a lower row that is shorter stands in the middle. */
static double column_of(struct shape shape, uint32_t box)
{
    if (box < shape.upper)
        return box;
    if (box < shape.upper + shape.side)
        return shape.upper - 1;
    const uint32_t at = box - shape.upper - shape.side;
    if (at < shape.lower)
        return (shape.upper - shape.lower) / 2.0 + (shape.lower - 1 - at);
    return 0;
}

void esse_ring_place(struct esse_arena *arena, struct esse_ring *ring)
{
    const struct shape shape = shape_of(ring->count);
    const uint32_t rows = shape.lower ? shape.side + 2 : 1;
    double *height = esse_arena_alloc(arena, rows, sizeof *height);
    double *middle = esse_arena_alloc(arena, rows, sizeof *middle);
    const double width = ring->count ? ring->boxes[0].width : 0;
    for (uint32_t i = 0; i < ring->count; i++)
        height[row_of(shape, i)] = fmax(height[row_of(shape, i)], ring->boxes[i].height);
    ring->height = 0;
    for (uint32_t row = 0; row < rows; row++) {
        middle[row] = ring->height + height[row] / 2;
        ring->height += height[row] + (row + 1 < rows ? ring->gap_down : 0);
    }
    for (uint32_t i = 0; i < ring->count; i++) {
        ring->boxes[i].x = width / 2 + column_of(shape, i) * (width + ring->gap_across);
        ring->boxes[i].y = middle[row_of(shape, i)];
    }
    ring->width = shape.upper * (width + ring->gap_across) - ring->gap_across;
}

/* Left or right between two boxes of a row; two arrows between the same boxes bow apart. */
static struct esse_ring_arrow across(struct esse_ring_box a, struct esse_ring_box b, int side)
{
    const double way = b.x > a.x ? 1 : -1, apart = 13.0 * side, bow = side ? 24.0 * side : -9;
    struct esse_ring_arrow arrow = { .is_across = true };
    arrow.x[0] = a.x + way * a.width / 2;
    arrow.x[2] = b.x - way * b.width / 2;
    arrow.x[1] = (arrow.x[0] + arrow.x[2]) / 2;
    arrow.y[0] = a.y + apart;
    arrow.y[2] = b.y + apart;
    arrow.y[1] = (arrow.y[0] + arrow.y[2]) / 2 + bow;
    arrow.label_x = arrow.x[1];
    arrow.label_y = (arrow.y[0] + arrow.y[2]) / 4 + arrow.y[1] / 2 + (side > 0 ? 14 : -14);
    return arrow;
}

static struct esse_ring_arrow down(struct esse_ring_box upper, struct esse_ring_box lower)
{
    struct esse_ring_arrow arrow = { .x = { upper.x, (upper.x + lower.x) / 2, lower.x } };
    arrow.y[0] = upper.y + upper.height / 2;
    arrow.y[2] = lower.y - lower.height / 2;
    arrow.y[1] = (arrow.y[0] + arrow.y[2]) / 2;
    arrow.label_x = arrow.x[1];
    arrow.label_y = arrow.y[1];
    return arrow;
}

/* From below the upper box into the side of the lower one.  The label goes where the curve is
 * halfway between the rows, so that it touches neither box: y = y2 - (1 - t)^2 (y2 - y0). */
static struct esse_ring_arrow around(struct esse_ring_box upper, struct esse_ring_box lower)
{
    const double way = lower.x > upper.x ? -1 : 1;
    struct esse_ring_arrow arrow = { .x = { upper.x, upper.x, lower.x + way * lower.width / 2 } };
    arrow.y[0] = upper.y + upper.height / 2;
    arrow.y[1] = arrow.y[2] = lower.y;
    const double between = (arrow.y[0] + lower.y - lower.height / 2) / 2;
    const double t = 1 - sqrt((lower.y - between) / (lower.y - arrow.y[0]));
    arrow.label_x = arrow.x[0] + t * t * (arrow.x[2] - arrow.x[0]);
    arrow.label_y = between;
    return arrow;
}

static struct esse_ring_arrow reversed(struct esse_ring_arrow arrow)
{
    const double x = arrow.x[0], y = arrow.y[0];
    arrow.x[0] = arrow.x[2];
    arrow.y[0] = arrow.y[2];
    arrow.x[2] = x;
    arrow.y[2] = y;
    return arrow;
}

struct esse_ring_arrow esse_ring_arrow(const struct esse_ring *ring, uint32_t from, uint32_t to,
                                       int side)
{
    const struct esse_ring_box a = ring->boxes[from], b = ring->boxes[to];
    const bool falls = a.y < b.y;
    if (fabs(a.y - b.y) < 1)
        return across(a, b, side);
    const struct esse_ring_box upper = falls ? a : b, lower = falls ? b : a;
    const bool is_over = fabs(upper.x - lower.x) < lower.width / 2 + 12;
    struct esse_ring_arrow arrow = is_over ? down(upper, lower) : around(upper, lower);
    return falls ? arrow : reversed(arrow);
}
