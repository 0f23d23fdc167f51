#ifndef ESSE_CLI_CLI_H
#define ESSE_CLI_CLI_H

#include "base/error.h"

/*
 * The command line: a table of commands, each with a table of options.  Parser, --help, man pages
 * and shell completions are all made from these tables.  Only this folder prints or exits.
 */

enum esse_exit {
    ESSE_EXIT_HOLDS = 0,
    ESSE_EXIT_VIOLATED = 1,
    ESSE_EXIT_UNKNOWN = 2,
    ESSE_EXIT_USAGE = 64,
    ESSE_EXIT_INPUT = 65,
    ESSE_EXIT_UNAVAILABLE = 69,
    ESSE_EXIT_BUG = 70,
    ESSE_EXIT_IO = 74,
};

enum esse_opt_kind {
    ESSE_OPT_FLAG,     /* bool */
    ESSE_OPT_TEXT,     /* const char * */
    ESSE_OPT_COUNT,    /* uint64_t; 10k, 5M and the like are understood */
    ESSE_OPT_REAL,     /* double */
    ESSE_OPT_DURATION, /* double, seconds: 500ms, 60s, 5m, 1h */
    ESSE_OPT_SIZE,     /* uint64_t, bytes: 512M, 8G */
};

/* Options live in static storage: a command runs once in a process. */
struct esse_opt {
    const char *name; /* NULL ends the table */
    char letter;      /* 0 if none */
    enum esse_opt_kind kind;
    void *target;
    const char *argument;       /* what stands for the value in help; NULL for flags */
    const char *help;           /* a clause, no full stop; "": not shown to users */
    const char *const *choices; /* what a shell may complete, null-terminated; NULL if open */
};

struct esse_command {
    const char *name;
    const char *operands; /* "HISTORY..." */
    const char *summary;  /* one clause */
    const char *details;  /* paragraphs separated by an empty line, for help and man page */
    const char *examples; /* lines "command line # what it does", or NULL */
    const struct esse_opt *options;
    int least, most; /* how many operands; most < 0: any number */
    int (*run)(int count, char **operands);
};

extern const struct esse_command *const esse_commands[]; /* null-terminated */

/* Says "esse: PATH:LINE:COLUMN: text" on stderr and returns the exit status that goes with it. */
int esse_cli_fail(const char *path, const struct esse_error *err);

/* The same, but of bad usage as esse_cli_usage() says it. */
int esse_cli_refuse(const char *command, const char *path, const struct esse_error *err);

/* Says "esse COMMAND: text" and a hint at --help on stderr; returns ESSE_EXIT_USAGE. */
int esse_cli_usage(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
