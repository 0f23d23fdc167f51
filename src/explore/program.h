#ifndef ESSE_EXPLORE_PROGRAM_H
#define ESSE_EXPLORE_PROGRAM_H

#include "base/out.h"
#include "workload/script.h"

#include <stdatomic.h>

/*
 * The seam between the search and what it searches: a program of sessions, transactions and
 * variables, which is asked for the next event of a transaction given what it has read so far.
 * The small language (tx.h) is one kind of program.
 *
 * 1) Transactions are numbered in oracle order: those of the first session, then those of the next.
 * 2) begin() and next() look at nothing but the program and 'state', a block of 'state_bytes' that
 *    the search may copy, keep and put back.  Equal states and equal values read give equal events.
 * 3) A transaction ends: next() says COMMIT or ABORT after finitely many events.
 * 4) A program never changes, and any number of threads may ask it.
 * 5) A program may find out that it has too few variables.  Then it sets *is_stale; what it answers
 *    from then on keeps to 2) and 3), and is good for nothing.  again() is the program with more of
 *    them, or, of what was met since the last time forgotten, with those that it had.
 *
 * Values are words whose meaning the program knows.
 */
enum { ESSE_PROGRAM_TXNS_MOST = 64 };

/* The claims that a program makes, by bits of a word: assertions and invariants, and two that
 * every program makes. */
enum {
    ESSE_CLAIM_BOUNDS = 62, /* no loop is left because of its bound */
    ESSE_CLAIM_FAULTS = 63, /* no transaction stops by an error, such as a division by zero */
    ESSE_CLAIMS_MOST = 62
};

enum esse_event_kind { ESSE_EVENT_READ, ESSE_EVENT_WRITE, ESSE_EVENT_COMMIT, ESSE_EVENT_ABORT };

struct esse_event {
    enum esse_event_kind kind;
    uint32_t variable; /* of READ and WRITE */
    int64_t value;     /* of WRITE */
    uint8_t statement; /* of SQL: which statement of the transaction, from 0 on */
};

/* What a transaction had to say for itself when it ended. */
struct esse_txn_end {
    uint64_t broken; /* claims that it found broken */
    uint32_t fault;  /* where it stopped by an error, for fault_text() */
};

struct esse_program_txn {
    const char *name; /* "transfer", or "t1" */
    uint32_t session;
    bool has_level; /* of its own, or else that of the whole */
    enum esse_level_id level;
    uint32_t line;
};

struct esse_claim {
    const char *name, *text; /* as the program has it; the name may be NULL */
    uint32_t line;
    bool is_invariant;
};

struct esse_program {
    const char *name;
    const char *const *sessions; /* their names */
    uint32_t session_count;
    const struct esse_program_txn *txns;
    uint32_t txn_count;
    const char *const *variables; /* their names */
    const int64_t *initial;
    uint32_t variable_count;
    const struct esse_claim *claims;
    uint32_t claim_count;
    const uint32_t *final_variables; /* those whose final values invariants speak of */
    uint32_t final_count;
    bool has_invariants;

    const atomic_bool *is_stale; /* NULL: it always has all variables */
    const struct esse_program *(*again)(const struct esse_program *program, bool is_forgotten);

    /* Of SQL: the file, and what a transaction calls; or NULL. */
    const struct esse_script *script;
    const struct esse_script_call *(*call)(const struct esse_program *program, uint32_t txn);

    size_t state_bytes;
    void (*begin)(const struct esse_program *program, uint32_t txn, void *state);
    /* 'read' is the value of the last event, if that was a READ. */
    void (*next)(const struct esse_program *program, void *state, int64_t read,
                 struct esse_event *event);
    struct esse_txn_end (*end)(const struct esse_program *program, const void *state);
    /* The invariants that are broken by these final values, by variable, and states of the
     * transactions at their ends. */
    uint64_t (*broken)(const struct esse_program *program, const int64_t *finals,
                       const void *const *ends);
    void (*put_value)(const struct esse_program *program, struct esse_out *out, uint32_t variable,
                      int64_t value);
    /* What the error was, and in which line. */
    const char *(*fault_text)(const struct esse_program *program, uint32_t fault, uint32_t *line);
};

#endif
