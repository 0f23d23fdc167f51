#include "engine/ways.h"

#include "engine/propagate.h"
#include "history/appends.h"

#include <string.h>

enum { MOST_WAYS = 1024, MOST_OPS = 1 << 22 }; /* tried, and of all their histories together */

struct open_level {
    struct esse_verdict *verdict;
    struct esse_way *ways; /* in which it is violated */
    uint32_t violated;
};

struct trying {
    struct esse_arena *arena;
    struct esse_appends appends;
    struct open_level *open;
    size_t count;
    uint32_t most, tried; /* ways */
    uint32_t *way;
};

static uint32_t count_tried(const struct esse_appends *appends)
{
    uint64_t most = MOST_OPS / (appends->history->ops + (uint64_t)1) + 1;
    most = most < MOST_WAYS ? most : MOST_WAYS;
    return (uint32_t)(most < appends->ways ? most : appends->ways);
}

static struct esse_way keep_way(const struct trying *t, const struct esse_verdict *found)
{
    uint32_t *by = esse_arena_alloc(t->arena, t->appends.places + (size_t)1, sizeof *by);
    memcpy(by, t->way, t->appends.places * sizeof *by);
    return (struct esse_way){ .by = by,
                              .count = t->appends.places,
                              .anomalies = found->anomalies,
                              .anomaly_count = found->anomaly_count };
}

static void note(struct trying *t, struct open_level *open, const struct esse_verdict *found)
{
    if (found->outcome == ESSE_UNKNOWN)
        return;
    if (found->outcome == ESSE_VIOLATED) {
        open->ways[open->violated++] = keep_way(t, found);
        if (open->violated < t->appends.ways)
            return;
        propagate_take(open->verdict, found);
        open->verdict->anomalies = open->ways[0].anomalies;
        open->verdict->anomaly_count = open->ways[0].anomaly_count;
        open->verdict->ways = open->ways;
        open->verdict->way_count = open->violated;
        return;
    }
    struct esse_way *way = esse_arena_alloc(t->arena, 1, sizeof *way);
    *way = keep_way(t, found);
    propagate_take(open->verdict, found);
    open->verdict->ways = way;
    open->verdict->way_count = 1;
}

/* Asks for the levels that are still open in the way at hand. */
static bool try_way(struct trying *t, const struct esse_check_options *options,
                    struct esse_error *err)
{
    const char **names = esse_arena_alloc(t->arena, t->count, sizeof *names);
    struct open_level **asked = esse_arena_alloc(t->arena, t->count, sizeof *asked);
    struct esse_check_options same = *options;
    const struct esse_result *result;
    same.levels = names;
    same.level_count = 0;
    for (size_t i = 0; i < t->count; i++)
        if (t->open[i].verdict->outcome == ESSE_UNKNOWN) {
            asked[same.level_count] = &t->open[i];
            names[same.level_count++] = esse_level_name(t->open[i].verdict->level);
        }
    if (!same.level_count)
        return true;
    if (!esse_check(t->arena, esse_way_history(t->arena, &t->appends, t->way), &same, &result, err))
        return false;
    for (size_t i = 0; i < same.level_count; i++)
        note(t, asked[i], &result->verdicts[i]);
    return true;
}

static struct esse_reason why_unknown(const struct trying *t, const struct open_level *open)
{
    return (struct esse_reason){ .id = t->tried < t->appends.ways ? ESSE_REASON_SOME_WAYS
                                                                  : ESSE_REASON_WAYS,
                                 .counts = { t->tried, open->violated } };
}

static void open_levels(struct trying *t, struct esse_verdict *verdicts, size_t count)
{
    t->open = esse_arena_alloc(t->arena, count, sizeof *t->open);
    for (size_t i = 0; i < count; i++)
        if (verdicts[i].outcome == ESSE_UNKNOWN && verdicts[i].level != ESSE_LEVEL_NONE)
            t->open[t->count++] =
                (struct open_level){ .verdict = &verdicts[i],
                                     .ways = esse_arena_alloc(t->arena, t->most,
                                                              sizeof *t->open->ways) };
}

bool ways_decide(struct check *check, bool *has_ways, struct esse_error *err)
{
    struct esse_budget *budget = check->options->budget;
    struct trying t = { .arena = check->arena };
    bool is_open = false;
    for (size_t i = 0; i < check->count; i++)
        is_open |= check->verdicts[i].outcome == ESSE_UNKNOWN;
    *has_ways = false;
    if (!is_open || esse_budget_spent(budget))
        return true;
    esse_appends_find(&t.appends, check->arena, check->history);
    *has_ways = t.appends.count > 0;
    if (!*has_ways)
        return true;
    t.most = count_tried(&t.appends);
    t.way = esse_arena_alloc(check->arena, t.appends.places + (size_t)1, sizeof *t.way);
    open_levels(&t, check->verdicts, check->count);
    esse_way_first(&t.appends, t.way);
    do
        if (!try_way(&t, check->options, err))
            return false;
    while (++t.tried < t.most && !esse_budget_spent(budget) && esse_way_next(&t.appends, t.way));
    for (size_t i = 0; i < t.count; i++)
        if (t.open[i].verdict->outcome == ESSE_UNKNOWN)
            t.open[i].verdict->reason = esse_budget_spent(budget) ? esse_budget_reason(budget)
                                                                  : why_unknown(&t, &t.open[i]);
    return true;
}
