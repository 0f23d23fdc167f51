#ifndef ESSE_TESTS_UNIT_EXEC_SHELL_H
#define ESSE_TESTS_UNIT_EXEC_SHELL_H

#include "test.h"

#include "base/out.h"
#include "exec/shell.h"

/* What a statement returned, as text: rows "1|a;2|NULL", "3 changed", or "23505" and its like. */
static inline const char *ask_shell(struct esse_shell *shell, struct esse_arena *arena,
                                    const char *text)
{
    struct esse_sql_result result;
    struct esse_fault fault = { .kind = ESSE_FAULT_NONE };
    if (!esse_shell_run(shell, text, strlen(text), &result, &fault))
        return esse_arena_format(arena, "%s", fault.state);
    if (!result.has_rows)
        return esse_arena_format(arena, "%llu changed", (unsigned long long)result.changed);
    struct esse_out *out = esse_arena_alloc(arena, 1, sizeof *out);
    esse_out_init_memory(out, arena);
    for (size_t row = 0; row < result.count; row++)
        for (uint32_t i = 0; i < result.width; i++) {
            const struct esse_datum cell =
                esse_datum_show(arena, result.rows[row * result.width + i], result.columns[i].type);
            esse_out_text(out, i ? "|" : row ? ";" : "");
            esse_out_bytes(out, cell.is.text, cell.length);
        }
    return esse_out_memory(out);
}

#endif
