#ifndef ESSE_HISTORY_START_POINTS_H
#define ESSE_HISTORY_START_POINTS_H

#include "history/given_order.h"

/*
 * Adya's start and commit points, where a certificate of timestamps gives them: a transaction that
 * starts after another has committed has a start dependency on it.
 *
 * The points stand in the order by 'timestamps' (given_order.h), in which at one time commits come
 * before starts, so that of a start and a commit always one is first.  There are none if a
 * transaction in that order commits before it starts, if one that writes lacks a start_ts or a
 * commit_ts or has both at one time, or if operations have snapshots of their own: then snapshot
 * isolation is about what these show, and not about the start.
 *
 * Cost: that of the order, and O(operations).
 */
#define ESSE_NO_POINT UINT32_MAX

struct esse_start_points {
    struct esse_order order;
    uint32_t *start, *commit; /* by transaction: places in the order, or ESSE_NO_POINT */
};

/* Does the history have what they are made from?  O(1). */
bool esse_may_have_points(const struct esse_history *history);

/* False if there are none. */
bool esse_start_points_find(struct esse_start_points *points, struct esse_arena *arena,
                            const struct esse_history *history);

/* Has 'to' a start dependency on 'from'?  Both must have points. */
static inline bool esse_starts_after(const struct esse_start_points *points, uint32_t from,
                                     uint32_t to)
{
    return points->commit[from] < points->start[to];
}

#endif
