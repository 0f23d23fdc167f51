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

/* Statements with what they return; a script shares its tables. */
struct step {
    const char *text, *expected;
};

static inline void run_script(enum esse_dialect dialect, const struct step *steps)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_shell *shell = esse_shell_new(dialect);
    for (; steps->text; steps++) {
        const char *answer = ask_shell(shell, arena, steps->text);
        if (strcmp(answer, steps->expected) != 0)
            print_error("%s\n", steps->text);
        CHECK_TEXT(answer, steps->expected);
    }
    esse_shell_free(shell);
    esse_arena_free(arena);
}

#define POSTGRESQL(...)                                                                            \
    do {                                                                                           \
        static const struct step steps[] = { __VA_ARGS__, { NULL, NULL } };                        \
        run_script(ESSE_DIALECT_POSTGRESQL, steps);                                                \
    } while (0)

#define MYSQL(...)                                                                                 \
    do {                                                                                           \
        static const struct step steps[] = { __VA_ARGS__, { NULL, NULL } };                        \
        run_script(ESSE_DIALECT_MYSQL, steps);                                                     \
    } while (0)

#endif
