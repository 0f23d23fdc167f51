#ifndef ESSE_BASE_BUDGET_H
#define ESSE_BASE_BUDGET_H

#include "base/clock.h"
#include "esse/esse.h"

/* Starts the clock.  Calling it again on a started budget changes nothing. */
void esse_budget_start(struct esse_budget *budget);

/* Names what is being done, for the progress line and for the reason of an "unknown".  'total'
 * is 0 if it is not known. */
void esse_budget_phase(struct esse_budget *budget, const char *phase, uint64_t total);

bool esse_budget_check_now(struct esse_budget *budget);

/*
 * True while there is something left to spend.  'done' counts from the start of the phase.  Call
 * it every few microseconds of work: then most calls only count down.  Where there is more work
 * between two calls, more of them look at the clock.  NULL is a budget without limits.
 */
static inline bool esse_budget_poll(struct esse_budget *budget, uint64_t done)
{
    if (!budget)
        return true;
    budget->done = done;
    if (budget->countdown-- > 0)
        return true;
    return esse_budget_check_now(budget);
}

/* Until the part ends only a half of the time that is left may be spent: for work that improves an
 * answer which is there already, and which must still be shown.  Parts do not nest. */
void esse_budget_begin_part(struct esse_budget *budget);
void esse_budget_end_part(struct esse_budget *budget);

/* Is the hard end reached, a little after the soft one: 5 % and a tenth of a second?  See guard.h.
 */
bool esse_budget_is_over(struct esse_budget *budget);

/* When that is; 0: never. */
double esse_budget_hard_end(const struct esse_budget *budget);

/* What arenas may hold at the hard end: a twentieth more than at the soft one, with what the
 * process had before.  0: no limit. */
uint64_t esse_budget_most_bytes(const struct esse_budget *budget);

/* What ran out. */
enum esse_spent esse_budget_spent(const struct esse_budget *budget);

/* Of a budget that is spent: what ran out, and in which phase. */
struct esse_reason esse_budget_reason(const struct esse_budget *budget);

/* The same of one that was spent while a history was read, so that there is no phase to speak of.
 */
struct esse_reason esse_reason_of_reading(enum esse_spent spent);

#endif
