#include "explore/execution.h"

#include "base/vec.h"

#include <assert.h>
#include <string.h>

ESSE_VEC(moment_vec, struct esse_moment)

void esse_execution_size(const struct esse_told *told, txn_set shown, uint32_t *txns,
                         uint32_t *steps)
{
    *txns = *steps = 0;
    for (uint32_t i = 0; i < told->length; i++)
        if (shown >> told->order[i] & 1) {
            ++*txns;
            *steps += told->units[told->order[i]].count;
        }
}

struct esse_execution *esse_execution_keep(struct esse_arena *arena,
                                           const struct esse_program *program,
                                           const struct esse_told *told, txn_set shown)
{
    struct esse_execution *kept = esse_arena_alloc(arena, 1, sizeof *kept);
    *kept = (struct esse_execution){ .program = program, .length = told->length, .shown = shown };
    memcpy(kept->order, told->order, told->length);
    kept->units = esse_arena_zeros(arena, program->txn_count, struct esse_unit);
    for (uint32_t i = 0; i < told->length; i++) {
        const uint32_t txn = told->order[i];
        struct esse_unit *unit = &kept->units[txn];
        *unit = told->units[txn];
        unit->steps = esse_arena_array(arena, unit->count, struct esse_search_step);
        if (unit->count)
            memcpy(unit->steps, told->units[txn].steps, unit->count * sizeof *unit->steps);
        unit->rows = NULL;
        unit->end = NULL;
    }
    esse_execution_size(told, shown, &kept->txns, &kept->steps);
    return kept;
}

const char *esse_execution_name(struct esse_arena *arena, const struct esse_program *program,
                                uint32_t txn)
{
    return esse_arena_format(arena, "%s.%s", program->sessions[program->txns[txn].session],
                             program->txns[txn].name);
}

/* ---- a schedule ---- */

/* What is going on in each session, and what was committed last: an attempt, which copies it. */
struct clock {
    const struct esse_execution *execution;
    txn_set ended;
    uint32_t steps[ESSE_PROGRAM_TXNS_MOST]; /* done, by transaction */
    struct moment_vec moments;
    struct esse_arena *arena;
    uint64_t attempts;
    uint8_t commits[ESSE_PROGRAM_TXNS_MOST]; /* in order */
    uint32_t commit_count;
};

bool esse_unit_wrote(const struct esse_unit *unit, uint32_t variable)
{
    for (uint32_t i = 0; unit->status == ESSE_UNIT_COMMITTED && i < unit->count; i++)
        if (unit->steps[i].kind == ESSE_STEP_WRITE && unit->steps[i].variable == variable)
            return true;
    return false;
}

static uint32_t last_writer(const struct clock *clock, uint32_t variable)
{
    for (uint32_t i = clock->commit_count; i-- > 0;)
        if (esse_unit_wrote(&clock->execution->units[clock->commits[i]], variable))
            return clock->commits[i];
    return ESSE_NO_SOURCE;
}

/* Has every earlier transaction of its session ended? */
static bool has_begun(const struct clock *clock, uint32_t txn)
{
    const struct esse_program_txn *txns = clock->execution->program->txns;
    for (uint32_t i = txn; i-- > 0 && txns[i].session == txns[txn].session;)
        if (clock->execution->shown >> i & 1 && !(clock->ended >> i & 1))
            return false;
    return true;
}

/* All steps that can be done without another commit. */
static void run_steps(struct clock *clock)
{
    const struct esse_execution *execution = clock->execution;
    for (uint32_t txn = 0; txn < execution->program->txn_count; txn++) {
        const struct esse_unit *unit = &execution->units[txn];
        if (!(execution->shown >> txn & 1) || clock->ended >> txn & 1 || !has_begun(clock, txn))
            continue;
        for (; clock->steps[txn] < unit->count; clock->steps[txn]++) {
            const struct esse_search_step *step = &unit->steps[clock->steps[txn]];
            if (step->kind == ESSE_STEP_READ && last_writer(clock, step->variable) != step->source)
                break;
            moment_vec_push(&clock->moments, clock->arena,
                            (struct esse_moment){ txn, clock->steps[txn] });
        }
    }
}

static bool find_schedule(struct clock *clock)
{
    enum { ATTEMPTS_MOST = 20000 };
    const struct esse_execution *execution = clock->execution;
    if (clock->attempts++ > ATTEMPTS_MOST)
        return false;
    run_steps(clock);
    if (clock->ended == execution->shown)
        return true;
    const struct clock before = *clock;
    for (uint32_t txn = 0; txn < execution->program->txn_count; txn++) {
        const struct esse_unit *unit = &execution->units[txn];
        if (!(execution->shown >> txn & 1) || clock->ended >> txn & 1 || !has_begun(clock, txn) ||
            clock->steps[txn] < unit->count)
            continue;
        moment_vec_push(&clock->moments, clock->arena, (struct esse_moment){ txn, unit->count });
        clock->ended |= UINT64_C(1) << txn;
        if (unit->status == ESSE_UNIT_COMMITTED)
            clock->commits[clock->commit_count++] = (uint8_t)txn;
        if (find_schedule(clock))
            return true;
        const uint64_t attempts = clock->attempts;
        struct moment_vec moments = clock->moments; /* it may have moved */
        *clock = before;
        moments.count = before.moments.count;
        clock->moments = moments;
        clock->attempts = attempts;
    }
    return false;
}

bool esse_execution_schedule(struct esse_arena *arena, const struct esse_execution *execution,
                             struct esse_moment **moments, uint32_t *count)
{
    struct clock *clock = esse_arena_alloc(arena, 1, sizeof *clock);
    *clock = (struct clock){ .execution = execution, .arena = arena };
    const bool found = find_schedule(clock);
    if (!found) {
        clock->moments.count = 0;
        for (uint32_t i = 0; i < execution->length; i++)
            for (uint32_t s = 0; execution->shown >> execution->order[i] & 1 &&
                                 s <= execution->units[execution->order[i]].count;
                 s++)
                moment_vec_push(&clock->moments, arena,
                                (struct esse_moment){ execution->order[i], s });
    }
    *moments = clock->moments.at;
    *count = (uint32_t)clock->moments.count;
    return found;
}
