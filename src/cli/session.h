#ifndef ESSE_CLI_SESSION_H
#define ESSE_CLI_SESSION_H

#include "cli/cli.h"

/*
 * What the commands that read histories have in common: a budget that a Ctrl-C and a progress
 * line hang on, warnings given once, and the answer written to standard output.
 */
struct esse_session {
    struct esse_budget budget;
    bool quiet;
    bool has_line;     /* a progress line stands on the terminal */
    const char *phase; /* what the line speaks of, and since when */
    double started, phase_started, drawn;
};

void esse_session_start(struct esse_session *session, double seconds, uint64_t memory_bytes,
                        bool quiet);

/* What --format and --workload may be, for help and completion. */
extern const char *const esse_format_choices[], *const esse_writer_choices[],
                                                    *const esse_workload_choices[];

/* What is known about a history beside it. */
/* clang-format off */
#define ESSE_CERTIFICATE_OPTIONS(at) \
    { "certificate", 0, ESSE_OPT_TEXT, &(at).certificate, "FILE", \
      "version orders, the serialization order and initial versions, in native lines" }, \
    { "transaction-order", 0, ESSE_OPT_FLAG, &(at).transaction_order, NULL, \
      "the versions of registers are in the order of their transactions: that of 'order', or of " \
      "commit_ts" }

/* How a history is read. */
#define ESSE_READING_OPTIONS(at) \
    { "format", 'f', ESSE_OPT_TEXT, &(at).format, "F", \
      "the input's format (default: recognised)", esse_format_choices }, \
    { "workload", 'w', ESSE_OPT_TEXT, &(at).workload, "W", \
      "what the operations are (default: recognised)", esse_workload_choices }

/* What the commands that check take for granted about versions, with the rows of their options. */
struct esse_assuming {
    bool wfr_keys, sequential_keys, linearizable_keys;
};
#define ESSE_ASSUMING_OPTIONS(at) \
    { "wfr-keys", 0, ESSE_OPT_FLAG, &(at).wfr_keys, NULL, \
      "assume that a transaction that reads a register and then writes it overwrites what it " \
      "read, or a later version" }, \
    { "sequential-keys", 0, ESSE_OPT_FLAG, &(at).sequential_keys, NULL, \
      "assume that no session sees a register go back" }, \
    { "linearizable-keys", 0, ESSE_OPT_FLAG, &(at).linearizable_keys, NULL, \
      "assume that each register is linearizable" }
/* clang-format on */
unsigned esse_session_assume(const struct esse_assuming *assuming);
/* As a command line has it, each with a space in front. */
const char *esse_session_assuming(struct esse_arena *arena, const struct esse_assuming *assuming);

/* A progress line of one's own, drawn as rarely as the others. */
void esse_session_line(struct esse_session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Takes the progress line away, so that something else can be said. */
void esse_session_clear(struct esse_session *session);

/* Tells on stderr what was dropped or assumed while reading. */
void esse_session_warn(struct esse_session *session, const char *path,
                       const struct esse_history *history);

/* Tells on stderr which level was taken where a name means several. */
void esse_session_meant(bool quiet, const char *const *levels, size_t count);

/* Writes a history to a path, whole or not at all; the exit status. */
struct esse_format;
int esse_session_save(const struct esse_session *session, struct esse_arena *arena,
                      const struct esse_history *history, const struct esse_format *format,
                      const char *path, bool lossy);

/* Writes what 'out' holds and returns 'status', or the status of the failure to write. */
struct esse_out;
int esse_session_answer(struct esse_out *out, int status);

/* Is the answer for a terminal that shows colours, and are they not switched off? */
bool esse_session_colour(void);

/* Of two exit statuses the one that counts: errors over violated over unknown over holds. */
int esse_session_worse(int a, int b);

/* The names in a comma-separated list, in the arena. */
const char **esse_session_names(struct esse_arena *arena, const char *list, size_t *count);

#endif
