#include "base/arena.h"
#include "history/builder.h"
#include "history/subset.h"
#include "load_text.h"
#include "random_gen.h"

/*
 * A part of a history that satisfies a level satisfies it too, whatever was left out: nothing in it
 * may speak of what is gone.  So what is wrong with a part is wrong with the whole, and a shrunk
 * history is evidence.  Here at random, with whatever the generator can put into a history.
 */

static struct esse_history *sound_history(struct esse_arena *arena, struct esse_rng *rng)
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

/* The levels that are violated, as bits. */
static unsigned violated_by(const struct esse_history *history)
{
    static const char *const levels[] = { "serializable", "snapshot-isolation", "read-committed" };
    struct esse_arena *arena = esse_arena_new();
    const struct esse_check_options check = { .levels = levels, .level_count = 3 };
    const struct esse_result *result;
    struct esse_error err = { 0 };
    unsigned violated = 0;
    if (!esse_check(arena, history, &check, &result, &err))
        fail_msg("%s", err.text);
    for (uint32_t i = 0; i < result->verdict_count; i++)
        if (result->verdicts[i].outcome == ESSE_VIOLATED)
            violated |= 1u << i;
    esse_arena_free(arena);
    return violated;
}

/* Leaves some out: of transactions, operations, keys, or of all three. */
static void leave_out(struct esse_selection *selection, const struct esse_history *history,
                      struct esse_rng *rng)
{
    uint8_t *const columns[] = { selection->txns, selection->ops, selection->keys };
    const uint32_t counts[] = { history->txns, history->ops, history->keys };
    const uint32_t which = esse_rng_below(rng, 4), one_in = 2 + esse_rng_below(rng, 6);
    for (uint32_t c = 0; c < 3; c++)
        for (uint32_t i = 0; (which == 3 || which == c) && i < counts[c]; i++)
            columns[c][i] = esse_rng_below(rng, one_in) > 0;
}

TEST(test_parts__of_what_holds_are_not_violated)
{
    for (unsigned seed = 0; seed < test_rounds(3000); seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_rng rng = { seed };
        struct esse_history *history = sound_history(arena, &rng), *part;
        struct esse_selection selection = esse_selection_all(arena, history);
        struct esse_error err = { 0 };
        leave_out(&selection, history, &rng);
        CHECK(esse_history_subset(arena, history, &selection, &part, &err));
        if (violated_by(part) & ~violated_by(history)) {
            fprintf(stderr, "%sis a part of\n%s", write_text(arena, "native", part),
                    write_text(arena, "native", history));
            fail_msg("seed %u", seed);
        }
        esse_arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts__of_what_holds_are_not_violated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
