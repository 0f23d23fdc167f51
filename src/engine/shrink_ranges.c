#include "engine/shrink_ranges.h"

#include "base/arena.h"
#include "sql/predicate.h"

struct ranges {
    const struct esse_history *history;
    struct esse_predicates *predicates;
};

static bool ranges_over(void *context, uint32_t op, esse_key key, esse_value value)
{
    const struct ranges *r = context;
    const struct esse_history *history = r->history;
    struct esse_error ignored;
    bool selects;
    const struct esse_predicate *predicate =
        esse_predicates_get(r->predicates, history->predicates[history->op_key[op]].text, &ignored);
    return !predicate ||
           !esse_predicate_selects(predicate, history->key_name[key.ix], value, &selects,
                                   &ignored) ||
           selects;
}

void shrink_know_ranges(struct esse_selection *selection, struct esse_arena *arena,
                        const struct esse_history *history)
{
    if (!(history->has & ESSE_HAS_PREDICATES))
        return;
    struct ranges *r = esse_arena_alloc(arena, 1, sizeof *r);
    *r = (struct ranges){ history, esse_predicates_new(arena, history) };
    selection->ranges = ranges_over;
    selection->context = r;
}
