#include "base/arena.h"
#include "explore/explore.h"
#include "explore/tx.h"

#include <stddef.h>

/* Any text as a program: it is refused with a place, or some of its histories are looked at and
 * shown. */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool show(void *context, const struct esse_execution *execution)
{
    struct esse_out *out = context;
    struct esse_error err = { 0 };
    struct esse_history *history;
    esse_execution_put_text(out, execution);
    esse_execution_put_words(out, execution);
    esse_execution_put_json(out, execution);
    esse_execution_history(out->arena, execution, &history, &err);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_error err = { 0 };
    const struct esse_program *program;
    struct esse_out out;
    esse_out_init_memory(&out, arena);
    if (esse_tx_compile(arena, (const char *)data, size, &program, &err)) {
        struct esse_budget budget = { .seconds = 0.05 };
        struct esse_explored explored;
        const struct esse_explore_options options = { .axiom = ESSE_AXIOM_SNAPSHOT,
                                                      .max_histories = 20,
                                                      .threads = 1,
                                                      .budget = &budget,
                                                      .each = show,
                                                      .context = &out };
        esse_explore(arena, program, &options, &explored);
        for (uint32_t i = 0; i < explored.broken_count; i++)
            esse_claim_text(arena, program, &explored.broken[i]);
    }
    esse_arena_free(arena);
    return 0;
}
