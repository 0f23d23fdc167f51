#include "base/budget.h"

#include "base/arena.h"

#include <time.h>

enum { POLLS_BETWEEN_LOOKS = 256 };

double esse_clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void esse_budget_start(struct esse_budget *budget)
{
    if (budget && budget->seconds > 0 && budget->deadline == 0)
        budget->deadline = esse_clock_seconds() + budget->seconds;
}

void esse_budget_phase(struct esse_budget *budget, const char *phase, uint64_t total)
{
    if (!budget)
        return;
    budget->phase = phase;
    budget->done = 0;
    budget->total = total;
    budget->countdown = 0;
}

bool esse_budget_check_now(struct esse_budget *budget)
{
    budget->countdown = POLLS_BETWEEN_LOOKS;
    if (budget->progress)
        budget->progress(budget->progress_context, budget->phase ? budget->phase : "working",
                         budget->done, budget->total);
    if (budget->spent)
        return false;
    if (budget->cancel)
        budget->spent = "interrupted";
    else if (budget->deadline > 0 && esse_clock_seconds() >= budget->deadline)
        budget->spent = "time";
    else if (budget->memory_bytes && esse_arena_in_use() > budget->memory_bytes)
        budget->spent = "memory";
    return !budget->spent;
}

const char *esse_budget_spent(const struct esse_budget *budget)
{
    return budget ? budget->spent : NULL;
}
