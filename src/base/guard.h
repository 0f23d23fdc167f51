#ifndef ESSE_BASE_GUARD_H
#define ESSE_BASE_GUARD_H

#include "base/budget.h"

#include <stdatomic.h>

/*
 * What makes a budget a promise.  A search polls its budget and ends with what it has: that is the
 * soft end (budget.h).  Work that cannot end half-way, such as drawing a graph, explaining and
 * rechecking, runs inside a guard and polls that.  At the hard end, a little after the soft one,
 * the guard abandons the work where it stands, as an exception would, and frees the arenas that
 * were made within.
 *
 *     if (!esse_guard_run(budget, work, context)) ... unknown, and what it wrote is void ...
 *
 * So the work may hold nothing that is not in an arena: no file, no lock, no memory of its own.
 *
 * Memory needs no poll: the blocks and chunks of arenas ask before they are had.  A loop of
 * threads.h is abandoned as a whole, whichever of its threads comes upon the end.
 *
 * Outside of guards all this does nothing.  Cost: a poll counts down; a guard some nanoseconds.
 */

/* False if the work was abandoned; then the budget is spent.  NULL: it is never abandoned. */
bool esse_guard_run(struct esse_budget *budget, void (*work)(void *context), void *context);

struct esse_guard;
extern _Thread_local struct esse_guard *esse_guard_here;
extern _Thread_local uint32_t *esse_guard_countdown; /* NULL outside of guards */

void esse_guard_look(void);

/* Call it every few microseconds of work, or more often: most calls only count down. */
static inline void esse_guard_poll(void)
{
    if (esse_guard_countdown && (*esse_guard_countdown)-- == 0)
        esse_guard_look();
}

/* ---- for arenas: they belong to the guard that they are made in ---- */

/* The first member of an arena. */
struct esse_guarded {
    struct esse_guarded *prev, *next; /* NULL if it belongs to none */
};
void esse_guarded_add(struct esse_guarded *arena);
void esse_guarded_remove(struct esse_guarded *arena);

/* Abandons the work if so many bytes more are too many. */
void esse_guard_ask(uint64_t bytes);

/* There is no memory for it, whatever the budget says.  Outside of guards that aborts. */
_Noreturn void esse_guard_too_large(void);

/* ---- for loops ---- */

/* For a thread that helps the one that is in guard 'of': its part is abandoned when it runs out of
 * memory, or at a poll after the hard end or after 'stop' was set. */
bool esse_guard_help(const struct esse_guard *of, const atomic_bool *stop,
                     void (*work)(void *context), void *context);
/* A guard like the one that this thread is in, for a part of its work. */
bool esse_guard_again(void (*work)(void *context), void *context);
/* Abandons what this thread's guard is around, as part of it was abandoned. */
_Noreturn void esse_guard_abandon(void);

#endif
