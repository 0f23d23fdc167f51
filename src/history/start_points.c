#include "history/start_points.h"

#include <string.h>

bool esse_may_have_points(const struct esse_history *history)
{
    return history->certificate.kind == ESSE_CERTIFICATE_TIMESTAMPS && history->txn_server_time &&
           !(history->has & ESSE_HAS_SNAPSHOTS);
}

static bool is_placed_well(const struct esse_start_points *points,
                           const struct esse_history *history, uint32_t txn)
{
    const struct esse_interval times = history->txn_server_time[txn];
    if (points->start[txn] == ESSE_NO_POINT)
        return true;
    return points->start[txn] < points->commit[txn] &&
           ((times.begin != ESSE_NO_TIME && times.end != ESSE_NO_TIME && times.begin < times.end) ||
            !esse_txn_writes(history, txn, NULL));
}

bool esse_start_points_find(struct esse_start_points *points, struct esse_arena *arena,
                            const struct esse_history *history)
{
    const size_t bytes = (history->txns + (size_t)1) * sizeof(uint32_t);
    *points = (struct esse_start_points){ .start = NULL };
    if (!esse_may_have_points(history) ||
        esse_given_order(arena, history, ESSE_ORDER_BY_TIMESTAMPS, &points->order).id)
        return false;
    points->start = esse_arena_grow(arena, NULL, bytes);
    points->commit = esse_arena_grow(arena, NULL, bytes);
    memset(points->start, 0xff, bytes);
    memset(points->commit, 0xff, bytes);
    for (uint32_t i = 0; i < points->order.count; i++) {
        const uint32_t event = points->order.events[i];
        (event & 1 ? points->commit : points->start)[event >> 1] = i;
    }
    for (uint32_t txn = 0; txn < history->txns; txn++)
        if (!is_placed_well(points, history, txn))
            return false;
    return true;
}
