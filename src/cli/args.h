#ifndef ESSE_CLI_ARGS_H
#define ESSE_CLI_ARGS_H

#include "cli/cli.h"

/* Reads the options of one command into their targets and moves the operands to the front of
 * 'argv'.  Long options take "--name value" and "--name=value", short ones "-x value" and
 * "-xvalue"; "--" ends the options.  Returns how many operands there are; -1 after saying what was
 * wrong; -2 if help was asked for. */
int esse_args_read(const struct esse_command *command, int argc, char **argv);

/* Writes the help of one command. */
struct esse_out;
void esse_args_help(struct esse_out *out, const struct esse_command *command);

#endif
