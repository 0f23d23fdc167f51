#include "base/budget.h"

#include "base/arena.h"

#include <assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Looks are rare where polls are frequent, and every poll is one where they are rare. */
enum { MOST_POLLS = 256 };
#define BETWEEN_LOOKS 1e-3

/* Between the soft end and the hard one. */
#define GRACE_SHARE   0.05
#define GRACE_SECONDS 0.1

/* What the process holds of the machine's memory; 0 if the system does not say. */
static uint64_t resident_bytes(void)
{
    char text[128];
    int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    if (length <= 0)
        return 0;
    text[length] = 0;
    const char *second = strchr(text, ' ');
    return second ? strtoull(second, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

/* What was there before counts too: the program itself. */
static uint64_t bytes_beside_arenas(void)
{
    const uint64_t all = resident_bytes(), arenas = esse_arena_in_use();
    return all > arenas ? all - arenas : 0;
}

void esse_budget_start(struct esse_budget *budget)
{
    if (!budget || budget->is_started)
        return;
    budget->is_started = true;
    budget->looked = esse_clock_seconds();
    if (budget->seconds > 0)
        budget->deadline = budget->looked + budget->seconds;
    if (budget->memory_bytes)
        budget->bytes_before = bytes_beside_arenas();
}

void esse_budget_phase(struct esse_budget *budget, const char *phase, uint64_t total)
{
    if (!budget)
        return;
    budget->phase = phase;
    budget->done = 0;
    budget->total = total;
    budget->countdown = 0;
    budget->between = 0;
}

static bool is_too_much(const struct esse_budget *budget)
{
    return budget->memory_bytes &&
           (esse_arena_in_use() + budget->bytes_before > budget->memory_bytes ||
            (budget->is_started && resident_bytes() > budget->memory_bytes));
}

/* When to look again: as soon as some work was done, whatever a poll stands for. */
static void set_countdown(struct esse_budget *budget, double now)
{
    if (now - budget->looked > BETWEEN_LOOKS)
        budget->between /= 2;
    else if (budget->between < MOST_POLLS)
        budget->between = 2 * budget->between + 1;
    budget->looked = now;
    /* What is spent stays so: every poll from then on comes here. */
    const bool at_once = budget->spent || budget->polls_left || budget->looks_left;
    budget->countdown = at_once ? 0 : budget->between;
}

static void spend(struct esse_budget *budget, enum esse_spent what, double now)
{
    budget->spent = what;
    budget->ended = now;
    budget->countdown = 0;
}

bool esse_budget_check_now(struct esse_budget *budget)
{
    const double now = esse_clock_seconds();
    set_countdown(budget, now);
    if (budget->progress)
        budget->progress(budget->progress_context, budget->phase ? budget->phase : "working",
                         budget->done, budget->total);
    if (budget->spent)
        return false;
    if (budget->cancel)
        spend(budget, ESSE_SPENT_INTERRUPTED, now);
    else if ((budget->deadline > 0 && now >= budget->deadline) ||
             (budget->polls_left && --budget->polls_left == 0))
        spend(budget, ESSE_SPENT_TIME, now);
    else if (is_too_much(budget))
        spend(budget, ESSE_SPENT_MEMORY, now);
    else if (budget->part_deadline > 0 && now >= budget->part_deadline) {
        spend(budget, ESSE_SPENT_TIME, now);
        budget->is_part_over = true;
    }
    return !budget->spent;
}

void esse_budget_begin_part(struct esse_budget *budget)
{
    if (!budget || budget->deadline <= 0)
        return;
    assert(budget->part_deadline <= 0);
    const double now = esse_clock_seconds();
    budget->part_deadline = now + (budget->deadline - now) / 2;
}

void esse_budget_end_part(struct esse_budget *budget)
{
    if (!budget)
        return;
    if (budget->is_part_over)
        budget->spent = ESSE_SPENT_NOTHING;
    budget->is_part_over = false;
    budget->part_deadline = 0;
}

static double grace_of(const struct esse_budget *budget)
{
    return GRACE_SECONDS + GRACE_SHARE * budget->seconds;
}

static uint64_t with_grace(uint64_t bytes)
{
    return bytes + bytes / 20;
}

double esse_budget_hard_end(const struct esse_budget *budget)
{
    return budget->deadline > 0 ? budget->deadline + grace_of(budget) : 0;
}

bool esse_budget_is_over(struct esse_budget *budget)
{
    if (budget->looks_left && --budget->looks_left == 0)
        spend(budget, ESSE_SPENT_TIME, 0);
    esse_budget_check_now(budget);
    if (!budget->spent)
        return false;
    if (budget->deadline > 0 && budget->looked >= esse_budget_hard_end(budget))
        return true;
    if (budget->spent == ESSE_SPENT_MEMORY)
        return resident_bytes() > with_grace(budget->memory_bytes);
    return !budget->is_part_over && budget->looked >= budget->ended + grace_of(budget);
}

uint64_t esse_budget_most_bytes(const struct esse_budget *budget)
{
    const uint64_t most = with_grace(budget->memory_bytes);
    return !budget->memory_bytes         ? 0
           : most > budget->bytes_before ? most - budget->bytes_before
                                         : 1;
}

enum esse_spent esse_budget_spent(const struct esse_budget *budget)
{
    return budget ? budget->spent : ESSE_SPENT_NOTHING;
}

struct esse_reason esse_budget_reason(const struct esse_budget *budget)
{
    static const enum esse_reason_id by[] = { ESSE_REASON_NONE, ESSE_REASON_TIME,
                                              ESSE_REASON_MEMORY, ESSE_REASON_INTERRUPTED };
    assert(budget->spent != ESSE_SPENT_NOTHING);
    return (struct esse_reason){ .id = by[budget->spent],
                                 .said = budget->phase ? budget->phase : "working" };
}

struct esse_reason esse_reason_of_reading(enum esse_spent spent)
{
    static const enum esse_reason_id by[] = { ESSE_REASON_NONE, ESSE_REASON_READING_TIME,
                                              ESSE_REASON_READING_MEMORY,
                                              ESSE_REASON_READING_INTERRUPTED };
    return (struct esse_reason){ .id = by[spent] };
}
