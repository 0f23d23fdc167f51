#include "base/budget.h"
#include "engine/shrink.h"
#include "level/level.h"
#include "mirror/window_state.h"

/* A window before the engines: the strong form of the promised level first, which implies the plain
 * one; if that is violated, the plain one too. */

enum { SECONDS = 2 };

static bool shrink(struct esse_arena *arena, const struct esse_history *history,
                   const struct esse_level *level, struct esse_shrunk *out, struct esse_error *err)
{
    const char *name = esse_level_name(level->id);
    struct esse_budget budget = { .seconds = SECONDS };
    const struct esse_check_options check = {
        .levels = &name, .level_count = 1, .budget = &budget, .threads = 1
    };
    const struct esse_shrink_options options = { &check, NULL };
    return esse_shrink(arena, history, &options, out, err);
}

static enum esse_outcome check(struct esse_arena *arena, const struct esse_history *history,
                               const struct esse_level *level, struct esse_error *err)
{
    const char *name = esse_level_name(level->id);
    struct esse_budget budget = { .seconds = SECONDS };
    const struct esse_check_options options = {
        .levels = &name, .level_count = 1, .budget = &budget, .threads = 1
    };
    const struct esse_result *result;
    return esse_check(arena, history, &options, &result, err) ? result->verdicts[0].outcome
                                                              : ESSE_UNKNOWN;
}

/* What the transactions of a part that was shrunk were called. */
static bool is_fresh(const struct esse_mirror *m, const struct esse_history *part)
{
    const struct window_part *now = &m->window->now;
    struct esse_arena *arena = esse_arena_new();
    struct esse_values *values = esse_values_new(arena);
    bool found = false;
    for (size_t i = 0; i < now->txns.count && !found; i++) {
        if (now->txns.at[i].is_again)
            continue;
        char text[64], room[64];
        const char *name =
            esse_value_brief(values, esse_word_value(m->words, now->txns.at[i].name, values), room);
        for (uint32_t t = 0; t < part->txns && !found; t++) {
            esse_txn_name(part, (esse_txn){ t }, text, sizeof text);
            found = strcmp(text, name) == 0;
        }
    }
    esse_arena_free(arena);
    return found;
}

static void tell(struct esse_mirror *m, struct esse_window_verdict *verdict)
{
    if (m->options.decided)
        m->options.decided(m->options.context, verdict);
}

/* The level, strong or plain; false if it could not be checked. */
static bool decide_level(struct esse_arena *arena, const struct esse_history *history,
                         const struct esse_level *level, struct esse_window_verdict *verdict)
{
    struct esse_shrunk shrunk;
    verdict->level = level->id;
    verdict->outcome = check(arena, history, level, &verdict->err);
    if (verdict->err.code != ESSE_OK || verdict->outcome != ESSE_VIOLATED)
        return verdict->err.code == ESSE_OK;
    if (!shrink(arena, history, level, &shrunk, &verdict->err))
        return false;
    verdict->part = shrunk.part;
    verdict->type = shrunk.type;
    return true;
}

static bool decide_both(struct esse_mirror *m, struct esse_arena *arena,
                        struct esse_window_verdict *verdict)
{
    const struct mirror_window *w = m->window;
    const struct esse_history *history =
        esse_window_history(m, arena, &verdict->left_out, &verdict->err);
    struct esse_window_verdict plain = *verdict;
    if (!history)
        return false;
    if (!w->strong)
        return decide_level(arena, history, w->level, verdict);
    if (!decide_level(arena, history, w->strong, verdict))
        return false;
    if (verdict->outcome == ESSE_HOLDS)
        return true;
    if (!decide_level(arena, history, w->level, &plain)) {
        verdict->err = plain.err;
        return false;
    }
    verdict->promised = plain.outcome;
    if (verdict->outcome != ESSE_VIOLATED || plain.outcome == ESSE_VIOLATED)
        *verdict = plain;
    return true;
}

static void count(struct esse_mirror *m, const struct esse_window_verdict *verdict, bool is_new)
{
    struct esse_mirror_counters *c = &m->counters;
    c->windows_left_out += verdict->left_out;
    const bool is_strong_only =
        verdict->outcome == ESSE_VIOLATED && verdict->level != m->window->level->id;
    if (verdict->outcome == ESSE_VIOLATED && is_strong_only) {
        c->levels_strong += is_new;
        c->windows_held += verdict->promised == ESSE_HOLDS;
        c->windows_unknown += verdict->promised == ESSE_UNKNOWN;
        return;
    }
    c->levels_broken += verdict->outcome == ESSE_VIOLATED && is_new;
    c->windows_violated += verdict->outcome == ESSE_VIOLATED;
    c->windows_held += verdict->outcome == ESSE_HOLDS;
    c->windows_unknown += verdict->outcome == ESSE_UNKNOWN;
}

void esse_window_decide(struct esse_mirror *m)
{
    struct mirror_window *w = m->window;
    struct esse_arena *arena = esse_arena_new();
    struct esse_window_verdict verdict = { .window_txns = (uint32_t)w->now.txns.count,
                                           .asked = w->level->id,
                                           .promised = ESSE_UNKNOWN,
                                           .told = w->told.at,
                                           .told_count = w->told.count };
    if (!decide_both(m, arena, &verdict))
        verdict.outcome = ESSE_UNKNOWN;
    verdict.is_new = verdict.part && is_fresh(m, verdict.part);
    count(m, &verdict, verdict.is_new);
    for (size_t i = 0; i < w->now.txns.count; i++)
        if (w->now.txns.at[i].end > m->counters.decided_until)
            m->counters.decided_until = w->now.txns.at[i].end;
    tell(m, &verdict);
    esse_arena_free(arena);
}
