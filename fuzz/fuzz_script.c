#include "base/arena.h"
#include "explore/explore.h"
#include "explore/play.h"
#include "explore/sql_program.h"

#include <stddef.h>
#include <string.h>

/* Any text as a workload file that is explored: it is refused with a line, or some of its histories
 * are looked at, shown, and written as statements. */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool show(void *context, const struct esse_execution *execution)
{
    static const char *const begins[ESSE_PROGRAM_TXNS_MOST] = { "BEGIN" };
    struct esse_out *out = context;
    struct esse_play play;
    esse_execution_put_text(out, execution);
    esse_execution_put_words(out, execution);
    esse_execution_put_json(out, execution);
    esse_play_make(out->arena, execution, 0, &play);
    if (execution->program->txn_count == 1)
        esse_play_put_script(out, &play, begins);
    return true;
}

static void explore(struct esse_arena *arena, const struct esse_script *script,
                    enum esse_sql_tables tables)
{
    struct esse_error err = { 0 };
    struct esse_budget budget = { .seconds = 0.05 };
    struct esse_out out;
    struct esse_explored explored;
    const struct esse_program *program;
    esse_out_init_memory(&out, arena);
    if (!esse_sql_program_new(script, tables, &program, &err))
        return;
    const struct esse_explore_options options = { .axiom = ESSE_AXIOM_SNAPSHOT,
                                                  .max_histories = 20,
                                                  .threads = 1,
                                                  .budget = &budget,
                                                  .each = show,
                                                  .context = &out };
    esse_explore(arena, program, &options, &explored);
    for (uint32_t i = 0; i < explored.broken_count; i++)
        esse_claim_text(arena, explored.program, &explored.broken[i]);
    esse_sql_program_free(explored.program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_error err = { 0 };
    struct esse_script script;
    char *text = esse_arena_zeros(arena, size + 1, char);
    if (size)
        memcpy(text, data, size);
    if (esse_script_parse(arena, text, &script, &err))
        explore(arena, &script, size % 2 ? ESSE_SQL_SETS : ESSE_SQL_KEYS);
    esse_arena_free(arena);
    return 0;
}
