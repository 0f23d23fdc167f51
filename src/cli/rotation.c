#include "cli/rotation.h"

#include <assert.h>

/* A user's own transactions are not one of them. */
static bool is_possible(const struct esse_live_workload *workload, const struct esse_driver *driver)
{
    return !(workload->needs & ~driver->can) && !(workload->needs & ESSE_CAN_OWN);
}

void esse_rotation_find(struct esse_rotation *rotation, const struct esse_run_args *args,
                        const struct esse_live_options *live, bool is_workload_open)
{
    *rotation = (struct esse_rotation){ .args = args,
                                        .shares = esse_run_does_all(args),
                                        .varies = args->until_violation };
    const bool rotates = rotation->shares || (rotation->varies && is_workload_open);
    for (size_t i = 0; rotates && esse_workloads[i] && rotation->count < ESSE_ROTATED; i++)
        if (is_possible(esse_workloads[i], live->driver))
            rotation->workloads[rotation->count++] = esse_workloads[i];
    if (!rotation->count)
        rotation->workloads[rotation->count++] = live->workload;
}

uint64_t esse_rotation_runs(const struct esse_rotation *rotation)
{
    assert(rotation->count <= ESSE_ROTATED);
    const uint64_t rounds = rotation->shares ? rotation->count : 1;
    const uint64_t repeat = rotation->args->repeat;
    if (repeat != ESSE_NOT_GIVEN)
        return repeat < UINT64_MAX / rounds ? repeat * rounds : UINT64_MAX;
    return rotation->varies ? UINT64_MAX : rounds;
}

/* The lengths of the two tables have no common factor, so all pairs come, the defaults first.  With
 * fewer than FEW keys some workloads make no sense. */
static void vary(const struct esse_run_args *args, uint64_t round, struct esse_live_options *live)
{
    static const uint64_t sessions[] = { 8, 16, 4, 24 };
    static const struct {
        uint64_t times, of;
    } keys[] = { { 1, 1 }, { 1, 3 }, { 4, 1 } };
    enum { FEW = 4 };
    if (args->sessions == ESSE_NOT_GIVEN)
        live->work.sessions = sessions[round % 4];
    const uint64_t varied = live->work.keys * keys[round % 3].times / keys[round % 3].of;
    if (args->keys == ESSE_NOT_GIVEN && varied >= FEW)
        live->work.keys = varied;
}

bool esse_rotation_turn(const struct esse_rotation *rotation, uint64_t number,
                        struct esse_live_options *live, struct esse_error *err)
{
    assert(rotation->count > 0);
    const uint64_t at = number ? number - 1 : 0;
    const struct esse_live_workload *workload = rotation->workloads[at % rotation->count];
    if (workload != live->workload &&
        !esse_run_set_workload(rotation->args, live, workload, NULL, err))
        return false;
    if (rotation->shares) {
        live->seconds /= rotation->count;
        live->txns = live->txns ? (live->txns + rotation->count - 1) / rotation->count : 0;
    }
    if (rotation->varies)
        vary(rotation->args, at / rotation->count, live);
    return true;
}
