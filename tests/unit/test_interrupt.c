#include "base/guard.h"
#include "base/threads.h"
#include "engine/shrink.h"
#include "history/builder.h"
#include "load_text.h"
#include "random_gen.h"
#include "random_history.h"

#include <unistd.h>

/*
 * A budget may run out anywhere.  Here it does so at every poll in turn, and at every poll of the
 * guards, on small histories, for all engines: whatever is decided then is what is decided without
 * a budget, or unknown with a reason; nothing crashes, and nothing is leaked (ASan).
 */

/* ---- histories ---- */

static struct esse_history *generated(struct esse_arena *arena, struct esse_rng *rng)
{
    struct esse_builder *builder = esse_builder_new(arena);
    struct esse_history *history = NULL;
    struct esse_error err;
    struct esse_gen_options options = random_gen_options(rng);
    options.crash_share = esse_rng_below(rng, 2) * 0.2;
    if (!esse_gen_run(&options, esse_builder_sink(builder), NULL, &err) ||
        !esse_builder_freeze(builder, &history, &err))
        fail_msg("%s", err.text);
    return history;
}

static struct esse_history *any_history(struct esse_arena *arena, struct esse_rng *rng)
{
    return esse_rng_below(rng, 2)
               ? generated(arena, rng)
               : random_history(arena, esse_rng_next(rng), esse_rng_below(rng, 2));
}

/* ---- checks ---- */

static const char *const levels[] = { "strict-serializable", "serializable",
                                      "snapshot-isolation",  "prefix",
                                      "repeatable-read",     "causal-cerone",
                                      "read-atomic",         "read-committed",
                                      "monotonic-writes",    "linearizable" };
enum { LEVELS = sizeof levels / sizeof *levels };

struct outcomes {
    enum esse_outcome of[LEVELS];
};

static struct outcomes check(const struct esse_history *history, const char *engine,
                             struct esse_budget *budget)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_check_options options = {
        .levels = levels, .level_count = LEVELS, .engine = engine, .threads = 1, .budget = budget
    };
    const struct esse_result *result;
    struct esse_error err = { 0 };
    struct outcomes outcomes;
    if (!esse_check(arena, history, &options, &result, &err))
        fail_msg("%s", err.text);
    for (int i = 0; i < LEVELS; i++) {
        outcomes.of[i] = result->verdicts[i].outcome;
        if (outcomes.of[i] == ESSE_UNKNOWN)
            CHECK(result->verdicts[i].reason.id);
        else
            CHECK(result->verdicts[i].rechecked);
    }
    esse_arena_free(arena);
    return outcomes;
}

static void check_same_or_unknown(const struct outcomes *whole, const struct outcomes *cut,
                                  struct esse_arena *arena, const struct esse_history *history,
                                  const char *what)
{
    for (int i = 0; i < LEVELS; i++)
        if (cut->of[i] != ESSE_UNKNOWN && cut->of[i] != whole->of[i])
            fail_msg("%s: %s is %d instead of %d:\n%s", what, levels[i], cut->of[i], whole->of[i],
                     write_text(arena, "native", history));
}

/* Every poll, or about 40 of them if there are many. */
static uint32_t next_poll(uint32_t poll)
{
    return poll < 40 ? poll + 1 : poll + poll / 8;
}

static void check_interrupted(struct esse_arena *arena, const struct esse_history *history,
                              const char *engine)
{
    const struct outcomes whole = check(history, engine, NULL);
    bool is_spent = true;
    for (uint32_t poll = 1; is_spent; poll = next_poll(poll)) {
        struct esse_budget budget = { .polls_left = poll };
        const struct outcomes cut = check(history, engine, &budget);
        check_same_or_unknown(&whole, &cut, arena, history, "interrupted");
        is_spent = budget.spent;
    }
    is_spent = true;
    for (uint32_t look = 1; is_spent; look = next_poll(look)) {
        struct esse_budget budget = { .looks_left = look };
        const struct outcomes cut = check(history, engine, &budget);
        check_same_or_unknown(&whole, &cut, arena, history, "abandoned");
        is_spent = budget.spent;
    }
}

TEST(test_interrupt__of_a_check_leaves_what_is_right_or_unknown)
{
    static const char *const engines[] = { NULL,       "scan", "replay",   "serial",
                                           "saturate", "dsg",  "polygraph" };
    for (unsigned seed = test_first(600), after = seed + test_rounds(600); seed < after; seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_rng rng = { seed };
        check_interrupted(arena, any_history(arena, &rng), engines[seed % 7]);
        esse_arena_free(arena);
    }
}

/* ---- between two levels ---- */

/* Units were made for the first level and not for the second; then there are none. */
TEST(test_interrupt__between_two_levels_of_an_engine)
{
    static const char *const two[] = { "causal-cerone", "monotonic-writes", "read-your-writes" };
    static const char text[] = "{'session':0,'ops':[{'w':'x','v':1}]}\n"
                               "{'session':1,'ops':[{'r':'x','v':1},{'w':'x','v':2}]}\n"
                               "{'session':2,'ops':[{'r':'x','v':2}]}\n"
                               "{'session':2,'ops':[{'r':'x','v':1}]}\n";
    bool is_spent = true;
    for (uint32_t poll = 1; is_spent; poll++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_history *history = load_text(arena, "native", text);
        struct esse_budget budget = { .polls_left = poll };
        const struct esse_check_options options = {
            .levels = two, .level_count = 3, .engine = "saturate", .threads = 1, .budget = &budget
        };
        const struct esse_result *result;
        struct esse_error err = { 0 };
        CHECK(esse_check(arena, history, &options, &result, &err));
        is_spent = budget.spent;
        esse_arena_free(arena);
    }
}

/* ---- shrinking ---- */

static bool violates(const struct esse_history *history, const char *level)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_check_options options = { .levels = &level, .level_count = 1, .threads = 1 };
    const struct esse_result *result;
    struct esse_error err = { 0 };
    if (!esse_check(arena, history, &options, &result, &err))
        fail_msg("%s", err.text);
    const bool violated = result->verdicts[0].outcome == ESSE_VIOLATED;
    esse_arena_free(arena);
    return violated;
}

/* False if the budget lasted. */
static bool shrink_interrupted(const struct esse_history *history, const char *level, uint32_t poll)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_budget budget = { .polls_left = poll };
    const struct esse_check_options check = {
        .levels = &level, .level_count = 1, .threads = 1, .budget = &budget
    };
    const struct esse_shrink_options options = { &check, NULL };
    struct esse_shrunk shrunk;
    struct esse_error err = { 0 };
    if (!esse_shrink(arena, history, &options, &shrunk, &err))
        fail_msg("%s", err.text);
    CHECK(shrunk.outcome != ESSE_HOLDS);
    if (shrunk.outcome == ESSE_VIOLATED) {
        CHECK(shrunk.is_minimal == !budget.spent);
        CHECK(violates(shrunk.part, level));
    }
    esse_arena_free(arena);
    return budget.spent;
}

TEST(test_interrupt__of_shrinking_leaves_a_part_that_violates)
{
    unsigned tried = 0;
    for (unsigned seed = 0; tried < test_rounds(150); seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_rng rng = { seed };
        struct esse_history *history = any_history(arena, &rng);
        const char *level = levels[seed % LEVELS];
        if (violates(history, level)) {
            tried++;
            for (uint32_t poll = 1; shrink_interrupted(history, level, poll);)
                poll += 1 + poll / 4;
        }
        esse_arena_free(arena);
    }
}

/* ---- reading ---- */

/* False if the budget lasted: then there is a history. */
static bool load_interrupted(const char *path, unsigned threads, struct esse_budget budget)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_load_options options = { .budget = &budget, .threads = threads };
    struct esse_history *history;
    struct esse_error err = { 0 };
    const bool ok = esse_history_load(arena, path, &options, &history, &err);
    if (!ok)
        CHECK_EQ(err.code, ESSE_ESTOPPED);
    CHECK(ok || budget.spent);
    esse_arena_free(arena);
    return !ok;
}

TEST(test_interrupt__of_reading_stops_it)
{
    char path[] = "/tmp/esse-interrupt-XXXXXX";
    struct esse_arena *arena = esse_arena_new();
    struct esse_out text;
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    esse_out_init_memory(&text, arena);
    for (int i = 0; i < 20000; i++)
        esse_out_f(&text, "{'session':%d,'ops':[{'w':'x','v':%d}]}\n", i % 9, i);
    esse_out_text(&text, "{'session':1,'ops':[");
    for (int i = 0; i < 100000; i++)
        esse_out_f(&text, "%s{'w':'x','v':%d}", i ? "," : "", 20000 + i);
    esse_out_text(&text, "]}\n");
    fputs(json(arena, esse_out_memory(&text)), file);
    fclose(file);
    esse_arena_free(arena);
    for (unsigned threads = 1; threads <= 3; threads++) {
        uint32_t at = 1;
        while (load_interrupted(path, threads, (struct esse_budget){ .polls_left = at }))
            at = next_poll(at);
        for (at = 1; load_interrupted(path, threads, (struct esse_budget){ .looks_left = at });)
            at += 1 + at / 2;
        for (uint64_t mega = 1; mega < 80; mega += 5)
            load_interrupted(path, threads,
                             (struct esse_budget){ .memory_bytes = mega << 20, .seconds = 60 });
    }
    unlink(path);
}

/* ---- guards ---- */

struct making {
    struct esse_arena *kept;
    struct esse_budget *budget;
    unsigned polls;
};

static void make_arenas(void *context)
{
    struct making *m = context;
    struct esse_arena *scratch = esse_arena_new();
    m->kept = esse_arena_new();
    for (unsigned i = 0; i < 1000; i++) {
        esse_arena_grow(scratch, NULL, 1 << 20);
        m->polls++;
        esse_guard_poll();
    }
    esse_arena_free(scratch);
}

TEST(test_guard__frees_what_was_made_within_if_it_abandons)
{
    const uint64_t before = esse_arena_in_use();
    struct esse_budget budget = { .looks_left = 10 };
    struct making m = { .budget = &budget };
    CHECK(!esse_guard_run(&budget, make_arenas, &m));
    CHECK_EQ(m.polls, 10);
    CHECK_EQ(esse_arena_in_use(), before);
    CHECK_EQ(budget.spent, ESSE_SPENT_TIME);
    CHECK(esse_guard_run(NULL, make_arenas, &m));
    CHECK_EQ(m.polls, 1010);
    esse_arena_free(m.kept);
}

TEST(test_guard__abandons_what_asks_for_too_much_memory)
{
    struct esse_budget budget = { .memory_bytes = esse_arena_in_use() + (200u << 20) };
    struct making m = { .budget = &budget };
    esse_budget_start(&budget);
    CHECK(!esse_guard_run(&budget, make_arenas, &m));
    CHECK(m.polls < 230);
    CHECK_EQ(budget.spent, ESSE_SPENT_MEMORY);
}

static bool grow_in_piece(void *context, const struct esse_piece *piece)
{
    struct esse_worker *workers = context;
    if (piece->worker > 0 || piece->number > 50)
        esse_arena_grow(workers[piece->worker].arena, NULL, 16 << 20);
    esse_guard_poll();
    return true;
}

static void run_loop(void *context)
{
    bool *is_after = context;
    struct esse_arena *arena = esse_arena_new();
    struct esse_worker *workers = esse_workers_new(arena, 4, 8);
    const struct esse_loop loop = {
        .count = 1000, .piece = 1, .threads = 4, .body = grow_in_piece, .context = workers
    };
    esse_loop_run(&loop);
    *is_after = true;
    esse_workers_free(workers, 4);
    esse_arena_free(arena);
}

TEST(test_guard__abandons_a_loop_as_a_whole)
{
    for (unsigned round = 0; round < test_rounds(20); round++) {
        const uint64_t before = esse_arena_in_use();
        struct esse_budget budget = { .memory_bytes = before + (200u << 20) };
        bool is_after = false;
        esse_budget_start(&budget);
        CHECK(!esse_guard_run(&budget, run_loop, &is_after));
        CHECK(!is_after);
        CHECK_EQ(budget.spent, ESSE_SPENT_MEMORY);
        CHECK_EQ(esse_arena_in_use(), before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interrupt__of_a_check_leaves_what_is_right_or_unknown),
        cmocka_unit_test(test_interrupt__between_two_levels_of_an_engine),
        cmocka_unit_test(test_interrupt__of_shrinking_leaves_a_part_that_violates),
        cmocka_unit_test(test_interrupt__of_reading_stops_it),
        cmocka_unit_test(test_guard__frees_what_was_made_within_if_it_abandons),
        cmocka_unit_test(test_guard__abandons_what_asks_for_too_much_memory),
        cmocka_unit_test(test_guard__abandons_a_loop_as_a_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
