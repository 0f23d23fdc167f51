#include "history/given_order.h"

#include "base/names.h"
#include "base/radix.h"
#include "history/access.h"

#include <string.h>

bool esse_order_by_find(const char *name, enum esse_order_by *by)
{
    for (unsigned i = ESSE_ORDER_BY_LINE; esse_order_by_names[i]; i++)
        if (strcmp(esse_order_by_names[i], name) == 0) {
            *by = (enum esse_order_by)i;
            return true;
        }
    return false;
}

bool esse_txn_writes(const struct esse_history *history, uint32_t txn, const esse_key *key)
{
    for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++) {
        const uint32_t count = esse_access_count(history, op);
        for (uint32_t i = 0; i < count; i++) {
            const struct esse_access access = esse_access_at(history, op, i);
            if (access.kind != ESSE_OP_READ && (!key || access.key.ix == key->ix))
                return true;
        }
    }
    return false;
}

struct giving {
    struct esse_arena *arena;
    const struct esse_history *history;
    enum esse_order_by by;
    struct esse_pair *pairs; /* of times and events */
    size_t count;
};

static const char *name_of(const struct giving *g, uint32_t txn)
{
    char name[64];
    esse_txn_name(g->history, (esse_txn){ txn }, name, sizeof name);
    return esse_arena_format(g->arena, "%s", name);
}

static struct esse_reason tell(const struct giving *g, uint32_t txn, enum esse_reason_id what)
{
    return (struct esse_reason){ .id = what, .txn = name_of(g, txn) };
}

static const struct esse_reason no_problem = { .id = ESSE_REASON_NONE };

static void add_event(struct giving *g, int64_t time, uint32_t event)
{
    g->pairs[g->count++] = (struct esse_pair){ esse_radix_key(time), event };
}

static void sort_events(struct giving *g, struct esse_order *order, bool has_starts)
{
    esse_radix_sort(g->pairs, g->count, g->arena);
    uint32_t *events = esse_arena_grow(g->arena, NULL, (g->count + 1) * sizeof *events);
    for (size_t i = 0; i < g->count; i++)
        events[i] = g->pairs[i].id;
    *order = (struct esse_order){ .events = events,
                                  .count = (uint32_t)g->count,
                                  .has_starts = has_starts };
}

/* ---- the line ---- */

static struct esse_reason by_line(struct giving *g, struct esse_order *order)
{
    const struct esse_history *history = g->history;
    uint32_t *events =
        esse_arena_grow(g->arena, NULL, (history->order_count + (size_t)1) * sizeof *events);
    uint8_t *in = esse_arena_alloc(g->arena, history->txns + 1u, 1);
    if (!(history->has & ESSE_HAS_ORDER))
        return (struct esse_reason){ .id = ESSE_REASON_ORDER_MISSING };
    for (uint32_t i = 0; i < history->order_count; i++) {
        const uint32_t txn = history->order[i].ix;
        if (history->txn_status[txn] == ESSE_ABORTED)
            return tell(g, txn, ESSE_REASON_ORDER_HAS_ABORTED);
        in[txn] = 1;
        events[i] = txn;
    }
    for (uint32_t txn = 0; txn < history->txns; txn++)
        if (history->txn_status[txn] == ESSE_COMMITTED && !in[txn])
            return tell(g, txn, ESSE_REASON_ORDER_LACKS);
    *order = (struct esse_order){ .events = events, .count = history->order_count };
    return no_problem;
}

/* ---- one time ---- */

static struct esse_interval times_of(const struct esse_history *history, uint32_t txn)
{
    return history->txn_server_time ? history->txn_server_time[txn]
                                    : (struct esse_interval){ ESSE_NO_TIME, ESSE_NO_TIME };
}

/* Where a transaction stands, or ESSE_NO_TIME. */
static int64_t place_of(const struct giving *g, uint32_t txn)
{
    const struct esse_interval times = times_of(g->history, txn);
    const bool by_start = g->by == ESSE_ORDER_BY_START_TS;
    const int64_t place = by_start ? times.begin : times.end;
    const int64_t other = by_start ? times.end : times.begin;
    return place != ESSE_NO_TIME || esse_txn_writes(g->history, txn, NULL) ? place : other;
}

/* Those that write first, so that the sort leaves them before readers at the same time. */
static struct esse_reason collect(struct giving *g, bool writers)
{
    const struct esse_history *history = g->history;
    for (uint32_t txn = 0; txn < history->txns; txn++) {
        if (history->txn_status[txn] == ESSE_ABORTED ||
            esse_txn_writes(history, txn, NULL) != writers)
            continue;
        const int64_t place = place_of(g, txn);
        if (place != ESSE_NO_TIME)
            add_event(g, place, txn);
        else if (history->txn_status[txn] == ESSE_COMMITTED)
            return tell(g, txn,
                        g->by == ESSE_ORDER_BY_START_TS ? ESSE_REASON_ORDER_NO_START_TS
                                                        : ESSE_REASON_ORDER_NO_COMMIT_TS);
    }
    return no_problem;
}

static struct esse_reason find_tie(const struct giving *g)
{
    for (size_t i = 1; i < g->count; i++) {
        if (g->pairs[i].key != g->pairs[i - 1].key ||
            !esse_txn_writes(g->history, g->pairs[i].id, NULL))
            continue;
        return (struct esse_reason){ .id = ESSE_REASON_ORDER_TIE,
                                     .txn = name_of(g, g->pairs[i].id),
                                     .other = name_of(g, g->pairs[i - 1].id),
                                     .by = g->by };
    }
    return no_problem;
}

static struct esse_reason by_time(struct giving *g, struct esse_order *order)
{
    struct esse_reason problem = collect(g, true);
    problem = problem.id ? problem : collect(g, false);
    if (problem.id)
        return problem;
    sort_events(g, order, false);
    return find_tie(g);
}

/* ---- two times ---- */

/* At one time commits come before snapshots; a transaction that takes both at once sees those
 * before it, and is seen by those after. */
enum moment { COMMITS, AT_ONCE, STARTS };

/* That it began does not say that what it wrote was committed. */
static bool is_in_doubt(const struct esse_history *history, uint32_t txn)
{
    return history->txn_status[txn] == ESSE_UNKNOWN_OUTCOME &&
           times_of(history, txn).end == ESSE_NO_TIME && esse_txn_writes(history, txn, NULL);
}

static struct esse_reason collect_moments(struct giving *g, enum moment moment)
{
    const struct esse_history *history = g->history;
    for (uint32_t txn = 0; txn < history->txns; txn++) {
        struct esse_interval times = times_of(history, txn);
        if (history->txn_status[txn] == ESSE_ABORTED || is_in_doubt(history, txn))
            continue;
        times.begin = times.begin == ESSE_NO_TIME ? times.end : times.begin;
        times.end = times.end == ESSE_NO_TIME ? times.begin : times.end;
        if (times.end == ESSE_NO_TIME && history->txn_status[txn] == ESSE_COMMITTED)
            return tell(g, txn, ESSE_REASON_ORDER_NO_TIMES);
        if (times.end == ESSE_NO_TIME || (times.begin == times.end) != (moment == AT_ONCE))
            continue;
        if (moment != COMMITS)
            add_event(g, times.begin, txn << 1);
        if (moment != STARTS)
            add_event(g, times.end, txn << 1 | 1);
    }
    return no_problem;
}

static struct esse_reason by_times(struct giving *g, struct esse_order *order)
{
    struct esse_reason problem = no_problem;
    for (enum moment moment = COMMITS; !problem.id && moment <= STARTS; moment++)
        problem = collect_moments(g, moment);
    if (problem.id)
        return problem;
    sort_events(g, order, true);
    return no_problem;
}

struct esse_reason esse_given_order(struct esse_arena *arena, const struct esse_history *history,
                                    enum esse_order_by by, struct esse_order *order)
{
    struct giving g = { .arena = arena, .history = history, .by = by };
    struct esse_reason problem;
    if (by == ESSE_ORDER_BY_LINE)
        return by_line(&g, order);
    g.pairs = esse_arena_grow(arena, NULL, (2 * (size_t)history->txns + 1) * sizeof *g.pairs);
    problem = by == ESSE_ORDER_BY_TIMESTAMPS ? by_times(&g, order) : by_time(&g, order);
    esse_arena_drop(arena, g.pairs);
    return problem;
}
