#include "cli/cli.h"

extern const struct esse_command esse_command_check, esse_command_classic, esse_command_convert,
    esse_command_docs, esse_command_gen, esse_command_levels, esse_command_shrink,
    esse_command_stats, esse_command_verify, esse_command_run, esse_command_collect;

const struct esse_command *const esse_commands[] = {
    &esse_command_run,    &esse_command_collect, &esse_command_check, &esse_command_classic,
    &esse_command_shrink, &esse_command_gen,     &esse_command_stats, &esse_command_levels,
    &esse_command_verify, &esse_command_convert, &esse_command_docs,  NULL,
};
