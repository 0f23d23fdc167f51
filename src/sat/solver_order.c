#include "sat/solver_state.h"

#include "base/radix.h"

/*
 * Variables by activity, as in MiniSat.  Activity starts below that of any variable that ever took
 * part in a conflict, so variables that never did need no heap: they wait in one array, sorted by
 * priority, with a cursor.  With a million variables and few conflicts a decision is O(1).  Those
 * of them that the theory lets wait are decided last: conflicts then undo few decisions, since
 * undisputed variables are not among them.
 */

/* In heap_at, with a place in 's->untouched'. */
#define UNTOUCHED (UINT32_C(1) << 31)

static bool before(const struct esse_solver *s, uint32_t a, uint32_t b)
{
    double x = s->activity.at[a], y = s->activity.at[b];
    return x > y || (x == y && a < b);
}

static void put(struct esse_solver *s, uint32_t at, uint32_t var)
{
    s->heap.at[at] = var;
    s->heap_at.at[var] = at + 1;
}

static void rise(struct esse_solver *s, uint32_t at)
{
    uint32_t var = s->heap.at[at];
    for (; at > 0 && before(s, var, s->heap.at[(at - 1) / 2]); at = (at - 1) / 2)
        put(s, at, s->heap.at[(at - 1) / 2]);
    put(s, at, var);
}

static void sink(struct esse_solver *s, uint32_t at)
{
    uint32_t var = s->heap.at[at], count = (uint32_t)s->heap.count;
    for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && before(s, s->heap.at[child + 1], s->heap.at[child]))
            child++;
        if (!before(s, s->heap.at[child], var))
            break;
        put(s, at, s->heap.at[child]);
    }
    put(s, at, var);
}

static void insert(struct esse_solver *s, uint32_t var)
{
    esse_u32_vec_push(&s->heap, s->arena, var);
    rise(s, (uint32_t)s->heap.count - 1);
}

void esse_order_add(struct esse_solver *s, uint32_t var)
{
    real_vec_push(&s->activity, s->arena, 0);
    esse_u32_vec_push(&s->heap_at, s->arena, UNTOUCHED);
    esse_u32_vec_push(&s->untouched, s->arena, var);
    s->untouched_sorted = false;
}

static void rescale(struct esse_solver *s)
{
    for (size_t i = 0; i < s->activity.count; i++)
        s->activity.at[i] *= 1e-100;
    s->increment *= 1e-100;
}

void esse_order_bump(struct esse_solver *s, uint32_t var)
{
    s->activity.at[var] += s->increment;
    if (s->activity.at[var] > 1e100)
        rescale(s);
    if (s->heap_at.at[var] & UNTOUCHED)
        s->heap_at.at[var] = 0; /* it has a value now, and comes to the heap when it loses it */
    else if (s->heap_at.at[var])
        rise(s, s->heap_at.at[var] - 1);
}

void esse_order_decay(struct esse_solver *s)
{
    s->increment *= 1 / 0.95;
}

void esse_order_return(struct esse_solver *s, uint32_t var)
{
    uint32_t at = s->heap_at.at[var];
    if (at & UNTOUCHED)
        s->cursor = s->cursor < (at & ~UNTOUCHED) ? s->cursor : at & ~UNTOUCHED;
    else if (!at)
        insert(s, var);
}

/* Sorts what is untouched by priority.  O(variables), once after variables were added. */
static void sort_untouched(struct esse_solver *s)
{
    struct esse_pair *pairs = esse_arena_array(s->arena, s->untouched.count, *pairs);
    size_t count = 0;
    for (size_t i = 0; i < s->untouched.count; i++) {
        uint32_t var = s->untouched.at[i];
        if (s->heap_at.at[var] & UNTOUCHED)
            pairs[count++] = (struct esse_pair){ UINT32_MAX - s->priority.at[var], var };
    }
    esse_radix_sort(pairs, count, s->arena);
    for (size_t i = 0; i < count; i++) {
        s->untouched.at[i] = pairs[i].id;
        s->heap_at.at[pairs[i].id] = UNTOUCHED | (uint32_t)i;
    }
    s->untouched.count = count;
    s->cursor = s->round_at = 0;
    esse_order_restart(s);
    s->untouched_sorted = true;
    esse_arena_drop(s->arena, pairs);
}

static uint32_t pop(struct esse_solver *s)
{
    uint32_t var = s->heap.at[0], last = s->heap.at[--s->heap.count];
    s->heap_at.at[var] = 0;
    if (s->heap.count) {
        put(s, 0, last);
        sink(s, 0);
    }
    return var;
}

void esse_order_restart(struct esse_solver *s)
{
    s->all_wait = false;
    s->waiting = 0;
}

static bool is_open(const struct esse_solver *s, uint32_t var)
{
    return (s->heap_at.at[var] & UNTOUCHED) && !s->value.at[2 * var];
}

enum { ASKED_AT_ONCE = 4096 };

/* The next variable that cannot wait. */
static uint32_t next_urgent(struct esse_solver *s)
{
    uint32_t count = (uint32_t)s->untouched.count;
    for (uint32_t asked = 0; s->waiting < count; asked++) {
        if (asked == ASKED_AT_ONCE)
            return ORDER_LATER;
        uint32_t var = s->untouched.at[s->round_at];
        s->round_at = s->round_at + 1 < count ? s->round_at + 1 : 0;
        s->waiting++;
        s->stats.work++;
        if (is_open(s, var) && s->theory->idle(s->theory_context, var) == ESSE_LIT_NONE) {
            s->waiting = 0;
            return var;
        }
    }
    s->all_wait = true;
    return ORDER_END;
}

uint32_t esse_order_next(struct esse_solver *s)
{
    while (s->heap.count) {
        uint32_t var = pop(s);
        if (!s->value.at[2 * var])
            return var;
    }
    if (!s->untouched_sorted)
        sort_untouched(s);
    if (s->theory && s->theory->idle && !s->all_wait) {
        uint32_t var = next_urgent(s);
        if (var != ORDER_END)
            return var;
    }
    for (; s->cursor < s->untouched.count; s->cursor++)
        if (is_open(s, s->untouched.at[s->cursor]))
            return s->untouched.at[s->cursor];
    return ORDER_END;
}
