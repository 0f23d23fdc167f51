#include "base/rng.h"
#include "collect/record/overhead.h"

#include "test.h"

#include <math.h>

/* A run of which the cost of recording is known, by the tick. */
struct load {
    double rate, lost;      /* commits a second, and the share that recording takes */
    double drift;           /* how much slower it is after a second */
    double noise;           /* at most so much faster or slower in a slice */
    double processor, cost; /* seconds of a transaction, and the share of recording */
    uint64_t seed;
};

static struct esse_recording_cost measure(struct esse_arena *arena, const struct load *load,
                                          unsigned ticks)
{
    struct esse_overhead overhead = { .arena = arena };
    struct esse_slice now = { .bytes = 1000000 }; /* the first lines */
    struct esse_rng rng = { load->seed };
    const double step = 0.021; /* five are a slice */
    double commits = 0, luck = 1;
    for (unsigned i = 0; i < ticks; i++) {
        const bool records = esse_overhead_records(&overhead);
        const double slower = exp(-load->drift * now.seconds) * luck;
        const double done = step * load->rate * slower * (records ? 1 - load->lost : 1);
        now.seconds += step;
        commits += done;
        now.committed = (uint64_t)commits;
        now.ended = 2 * now.committed;
        now.processor += 2 * done * load->processor / slower / (records ? 1 - load->cost : 1);
        now.bytes += records ? (uint64_t)(2 * done) * 100 : 0;
        if (esse_overhead_tick(&overhead, &now))
            luck = 1 + load->noise * (2 * esse_rng_unit(&rng) - 1);
    }
    return esse_overhead_cost(&overhead);
}

#define CHECK_NEAR(a, b, within) CHECK(fabs((a) - (b)) < (within))

TEST(test_overhead__finds_what_recording_takes)
{
    struct esse_arena *arena = esse_arena_new();
    const struct load load = { .rate = 1e6, .lost = 0.05, .processor = 2e-6, .cost = 0.1 };
    const struct esse_recording_cost cost = measure(arena, &load, 505);
    CHECK_EQ(cost.pairs, 50); /* the first slice does not count */
    CHECK_NEAR(cost.lost, 0.05, 1e-3);
    CHECK_NEAR(cost.lost_error, 0, 1e-3);
    CHECK_NEAR(cost.processor, 0.1, 1e-3);
    CHECK_NEAR(cost.rate_without, 1e6, 1e3);
    CHECK_NEAR(cost.rate_with, 0.95e6, 1e3);
    CHECK_NEAR(cost.processor_with * 0.9, 2e-6, 1e-8);
    CHECK_NEAR(cost.bytes, 100, 1);
    esse_arena_free(arena);
}

TEST(test_overhead__a_load_that_slows_down_favours_neither)
{
    struct esse_arena *arena = esse_arena_new();
    const struct load load = { .rate = 1e7, .drift = 0.5, .processor = 1e-6 };
    const struct esse_recording_cost cost = measure(arena, &load, 405);
    CHECK_EQ(cost.pairs, 40);
    CHECK_NEAR(cost.lost, 0, 1e-3);
    CHECK_NEAR(cost.processor, 0, 1e-2);
    esse_arena_free(arena);
}

/* Luck that favours neither comes out as nothing, within two standard errors nearly always. */
TEST(test_overhead__knows_how_far_off_it_may_be)
{
    enum { RUNS = 400 };
    unsigned within = 0;
    double sum = 0;
    for (unsigned i = 0; i < RUNS; i++) {
        struct esse_arena *arena = esse_arena_new();
        const struct load load = {
            .rate = 1e6, .lost = 0.04, .noise = 0.4, .processor = 1e-6, .seed = 17 + i
        };
        const struct esse_recording_cost cost = measure(arena, &load, 505);
        within += fabs(cost.lost - 0.04) < 2 * cost.lost_error;
        sum += cost.lost;
        esse_arena_free(arena);
    }
    CHECK(within > RUNS * 90 / 100 && within < RUNS);
    CHECK_NEAR(sum / RUNS, 0.04, 0.01); /* the mean of ratios would be some 0.06 lower */
}

TEST(test_overhead__slices_without_commits_are_no_pairs)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_overhead overhead = { .arena = arena };
    CHECK(esse_overhead_records(&overhead));
    for (unsigned i = 1; i <= 9; i++) { /* the fourth and fifth slice: the database is away */
        const uint64_t done = i <= 4 ? i : i <= 6 ? 4 : i - 2;
        const struct esse_slice now = { i * 0.2, i * 0.1, done, done, 0 };
        CHECK(esse_overhead_tick(&overhead, &now));
    }
    CHECK_EQ(overhead.done.count, 8);
    CHECK_EQ(esse_overhead_cost(&overhead).pairs, 2);
    esse_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overhead__finds_what_recording_takes),
        cmocka_unit_test(test_overhead__a_load_that_slows_down_favours_neither),
        cmocka_unit_test(test_overhead__knows_how_far_off_it_may_be),
        cmocka_unit_test(test_overhead__slices_without_commits_are_no_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
