#include "base/arena.h"
#include "base/out.h"
#include "cli/manual.h"

#include <string.h>
#include <unistd.h>

static const struct esse_opt options[] = { { 0 } };

static const struct esse_command *find_documented(const char *name)
{
    for (size_t i = 0; esse_commands[i]; i++)
        if (esse_manual_has(esse_commands[i]) && strcmp(esse_commands[i]->name, name) == 0)
            return esse_commands[i];
    return NULL;
}

static const struct esse_completion *find_completion(const char *shell)
{
    for (const struct esse_completion *row = esse_completions; row->shell; row++)
        if (strcmp(row->shell, shell) == 0)
            return row;
    return NULL;
}

static void write_commands(struct esse_out *out)
{
    for (size_t i = 0; esse_commands[i]; i++)
        if (esse_manual_has(esse_commands[i]))
            esse_out_f(out, "%s\n", esse_commands[i]->name);
}

/* Exit status: 0 written, 64 bad usage, 74 cannot write. */
static int run_docs(int count, char **operands)
{
    const bool is_man = strcmp(operands[0], "man") == 0;
    const bool is_list = strcmp(operands[0], "commands") == 0;
    const struct esse_completion *completion = find_completion(operands[0]);
    const struct esse_command *command = count > 1 ? find_documented(operands[1]) : NULL;
    if (!is_man && !is_list && !completion)
        return esse_cli_usage("docs", "found '%s', expected man, bash, zsh, fish or commands",
                              operands[0]);
    if (!is_man && count > 1)
        return esse_cli_usage("docs", "%s takes no command", operands[0]);
    if (count > 1 && !command)
        return esse_cli_usage("docs", "no command '%s' has a man page", operands[1]);

    struct esse_arena *arena = esse_arena_new();
    struct esse_out out;
    struct esse_error err = { 0 };
    esse_out_init_fd(&out, arena, STDOUT_FILENO);
    if (is_man)
        esse_manual_write(&out, command);
    else if (is_list)
        write_commands(&out);
    else
        completion->write(&out);
    bool ok = esse_out_finish(&out, &err);
    esse_arena_free(arena);
    return ok ? 0 : esse_cli_fail(NULL, &err);
}

/* Hidden, for want of a summary: it is there for tools/make-docs. */
const struct esse_command esse_command_docs = {
    .name = "docs",
    .operands = "KIND [COMMAND]",
    .summary = NULL,
    .details = "Writes what is made from the tables. KIND is man for a man page, of esse itself or "
               "of one COMMAND; bash, zsh or fish for a completion script; or commands for the "
               "names of the commands that have a man page.",
    .options = options,
    .least = 1,
    .most = 2,
    .run = run_docs,
};
