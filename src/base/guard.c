#include "base/guard.h"

#include "base/arena.h"

#include <setjmp.h>
#include <stdlib.h>
#include <unistd.h>

struct esse_guard {
    struct esse_guard *around;
    struct esse_budget *budget;  /* NULL: of a helper, which does not poll it */
    uint64_t most_bytes;         /* 0: no limit */
    const atomic_bool *stop;     /* of a helper */
    double over;                 /* of a helper: when to abandon on its own, or 0 */
    uint32_t countdown;          /* of a helper */
    struct esse_guarded guarded; /* the ring of the arenas that were made within */
    jmp_buf begin;
};

enum { POLLS_BETWEEN_LOOKS = 64 };

_Thread_local struct esse_guard *esse_guard_here;
_Thread_local uint32_t *esse_guard_countdown;

static void enter(struct esse_guard *guard)
{
    esse_guard_here = guard;
    esse_guard_countdown = !guard          ? NULL
                           : guard->budget ? &guard->budget->countdown
                                           : &guard->countdown;
}

static void free_guarded(struct esse_guard *guard)
{
    while (guard->guarded.next != &guard->guarded)
        esse_arena_free((struct esse_arena *)guard->guarded.next);
}

/* What is left belongs to the guard around, if there is one. */
static void release_guarded(struct esse_guard *guard)
{
    while (guard->guarded.next != &guard->guarded) {
        struct esse_guarded *arena = guard->guarded.next;
        esse_guarded_remove(arena);
        esse_guarded_add(arena);
    }
}

static bool run(struct esse_guard *guard, void (*work)(void *context), void *context)
{
    guard->around = esse_guard_here;
    guard->guarded.prev = guard->guarded.next = &guard->guarded;
    enter(guard);
    const bool is_abandoned = setjmp(guard->begin) != 0;
    if (!is_abandoned)
        work(context);
    enter(guard->around);
    (is_abandoned ? free_guarded : release_guarded)(guard);
    return !is_abandoned;
}

bool esse_guard_run(struct esse_budget *budget, void (*work)(void *context), void *context)
{
    if (!budget) {
        struct esse_guard *around = esse_guard_here;
        enter(NULL);
        work(context);
        enter(around);
        return true;
    }
    struct esse_guard guard = { .budget = budget, .most_bytes = esse_budget_most_bytes(budget) };
    return run(&guard, work, context);
}

bool esse_guard_help(const struct esse_guard *of, const atomic_bool *stop,
                     void (*work)(void *context), void *context)
{
    struct esse_guard guard = {
        .most_bytes = of->most_bytes,
        .stop = stop,
        .over = of->budget ? esse_budget_hard_end(of->budget) : of->over,
    };
    return run(&guard, work, context);
}

bool esse_guard_again(void (*work)(void *context), void *context)
{
    const struct esse_guard *around = esse_guard_here;
    struct esse_guard guard = { .budget = around->budget,
                                .most_bytes = around->most_bytes,
                                .stop = around->stop,
                                .over = around->over };
    return run(&guard, work, context);
}

void esse_guard_abandon(void)
{
    struct esse_budget *budget = esse_guard_here->budget;
    if (budget && esse_budget_check_now(budget))
        budget->spent = ESSE_SPENT_MEMORY; /* or a helper, or the machine, would have gone on */
    longjmp(esse_guard_here->begin, 1);
}

static bool is_helper_over(const struct esse_guard *guard)
{
    return atomic_load_explicit(guard->stop, memory_order_relaxed) ||
           (guard->over > 0 && esse_clock_seconds() >= guard->over);
}

void esse_guard_look(void)
{
    struct esse_guard *guard = esse_guard_here;
    guard->countdown = POLLS_BETWEEN_LOOKS;
    if (guard->stop ? is_helper_over(guard) : esse_budget_is_over(guard->budget))
        esse_guard_abandon();
}

void esse_guard_ask(uint64_t bytes)
{
    struct esse_guard *guard = esse_guard_here;
    if (!guard || !guard->most_bytes || esse_arena_in_use() + bytes <= guard->most_bytes)
        return;
    esse_guard_abandon();
}

void esse_guard_too_large(void)
{
    static const char text[] = "esse: out of memory\n";
    if (esse_guard_here)
        esse_guard_abandon();
    ssize_t ignored = write(STDERR_FILENO, text, sizeof text - 1);
    (void)ignored;
    abort();
}

void esse_guarded_add(struct esse_guarded *arena)
{
    struct esse_guard *guard = esse_guard_here;
    if (!guard)
        return;
    arena->prev = &guard->guarded;
    arena->next = guard->guarded.next;
    arena->prev->next = arena->next->prev = arena;
}

void esse_guarded_remove(struct esse_guarded *arena)
{
    if (!arena->next)
        return;
    arena->prev->next = arena->next;
    arena->next->prev = arena->prev;
    arena->prev = arena->next = NULL;
}
