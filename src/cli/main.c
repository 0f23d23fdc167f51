#include "base/arena.h"
#include "base/guess.h"
#include "base/out.h"
#include "cli/args.h"
#include "cli/manual.h"

#include <assert.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern const struct esse_command esse_command_check, esse_command_classic, esse_command_convert,
    esse_command_docs, esse_command_explore, esse_command_gen, esse_command_levels,
    esse_command_shrink, esse_command_sql, esse_command_stats, esse_command_verify,
    esse_command_run, esse_command_collect, esse_command_watch, esse_command_audit;

const struct esse_command *const esse_commands[] = {
    &esse_command_run,     &esse_command_collect, &esse_command_watch,  &esse_command_audit,
    &esse_command_check,   &esse_command_classic, &esse_command_shrink, &esse_command_explore,
    &esse_command_gen,     &esse_command_stats,   &esse_command_levels, &esse_command_verify,
    &esse_command_convert, &esse_command_sql,     &esse_command_docs,   NULL,
};

static const struct esse_command *find_command(const char *name)
{
    for (size_t i = 0; esse_commands[i]; i++)
        if (strcmp(esse_commands[i]->name, name) == 0)
            return esse_commands[i];
    return NULL;
}

static const char *nearest_command(const char *typed)
{
    struct esse_guess guess = esse_guess_start(typed);
    for (size_t i = 0; esse_commands[i]; i++)
        if (esse_manual_has(esse_commands[i]))
            esse_guess_try(&guess, typed, &esse_commands[i]->name, 1);
    return guess.name;
}

int esse_cli_fail(const char *path, const struct esse_error *err)
{
    static const int status[] = { [ESSE_OK] = ESSE_EXIT_BUG,
                                  [ESSE_EINPUT] = ESSE_EXIT_INPUT,
                                  [ESSE_EIO] = ESSE_EXIT_IO,
                                  [ESSE_EUSAGE] = ESSE_EXIT_USAGE,
                                  [ESSE_ESTOPPED] = ESSE_EXIT_UNKNOWN,
                                  [ESSE_EBUG] = ESSE_EXIT_BUG,
                                  [ESSE_EUNAVAILABLE] = ESSE_EXIT_UNAVAILABLE };
    assert(err->code <= ESSE_EUNAVAILABLE);
    fprintf(stderr, "esse: ");
    if (path)
        fprintf(stderr, "%s:", strcmp(path, "-") == 0 ? "standard input" : path);
    if (err->line)
        fprintf(stderr, "%" PRIu64 ":", err->line);
    if (err->column)
        fprintf(stderr, "%" PRIu64 ":", err->column);
    fprintf(stderr, "%s%s\n", path ? " " : "", err->text);
    return status[err->code];
}

int esse_cli_usage(const char *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "esse %s: ", command);
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n(esse %s --help shows how it is used)\n", command);
    va_end(args);
    return ESSE_EXIT_USAGE;
}

int esse_cli_refuse(const char *command, const char *path, const struct esse_error *err)
{
    return err->code == ESSE_EUSAGE ? esse_cli_usage(command, "%s", err->text)
                                    : esse_cli_fail(path, err);
}

static int print_help(const struct esse_command *command)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_out out;
    struct esse_error err;
    esse_out_init_fd(&out, arena, STDOUT_FILENO);
    if (command) {
        esse_args_help(&out, command);
    } else {
        esse_out_text(&out, "usage: esse COMMAND [options] ...\n\n"
                            "Finds out whether a database gives the isolation it claims, and shows "
                            "evidence.\n\ncommands:\n");
        for (size_t i = 0; esse_commands[i]; i++)
            if (esse_manual_has(esse_commands[i]))
                esse_out_f(&out, "  %-10s%s\n", esse_commands[i]->name, esse_commands[i]->summary);
        esse_out_text(&out, "\nesse COMMAND --help shows the options of a command; "
                            "esse --version the version.\n\n"
                            "exit status: 0 holds, 1 violated, 2 unknown, 64 bad usage, 65 bad "
                            "input,\n69 target unavailable, 70 internal error, 74 input/output "
                            "error\n");
    }
    bool ok = esse_out_finish(&out, &err);
    esse_arena_free(arena);
    return ok ? 0 : ESSE_EXIT_IO;
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a write error like any other */
    if (argc < 2) {
        print_help(NULL);
        return ESSE_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("esse %s\n", esse_version());
        return 0;
    }
    bool help = strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 ||
                strcmp(argv[1], "-h") == 0;
    if (help && argc < 3)
        return print_help(NULL);
    const struct esse_command *command = find_command(argv[help ? 2 : 1]);
    if (!command) {
        const char *near = nearest_command(argv[help ? 2 : 1]);
        fprintf(stderr, "esse: unknown command '%s'%s%s%s (esse --help lists them)\n",
                argv[help ? 2 : 1], near ? "; did you mean '" : "", near ? near : "",
                near ? "'?" : "");
        return ESSE_EXIT_USAGE;
    }
    if (help)
        return print_help(command);
    int operands = esse_args_read(command, argc - 2, argv + 2);
    if (operands == -2)
        return print_help(command);
    return operands < 0 ? ESSE_EXIT_USAGE : command->run(operands, argv + 2);
}
