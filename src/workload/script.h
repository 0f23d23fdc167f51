#ifndef ESSE_WORKLOAD_SCRIPT_H
#define ESSE_WORKLOAD_SCRIPT_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * A workload file as `esse explore` takes it: what each session calls, in order, with fixed values.
 * Its statements are whole texts, with the values put in; they are not taken apart, so they may be
 * what an executor understands.  docs/workload-files.md has the grammar.
 *
 * Everything lives in the arena.  Cost: O(text) and the calls' statements.
 */
struct esse_script_statement {
    const char *text;
    unsigned line;
};

struct esse_script_call {
    const char *name; /* that of the transaction */
    const struct esse_script_statement *statements;
    uint32_t count;
    unsigned line;
};

struct esse_script_session {
    const char *name;
    const struct esse_script_call *calls;
    uint32_t count;
};

struct esse_script_invariant {
    const char *name, *text; /* a query that returns true */
    unsigned line;
};

struct esse_script {
    const struct esse_script_statement *setup;
    uint32_t setup_count;
    const struct esse_script_session *sessions;
    uint32_t session_count;
    const struct esse_script_invariant *invariants;
    uint32_t invariant_count;
};

bool esse_script_parse(struct esse_arena *arena, const char *text, struct esse_script *script,
                       struct esse_error *err);

#endif
