#ifndef ESSE_EXPLORE_SEARCH_H
#define ESSE_EXPLORE_SEARCH_H

#include "base/budget.h"
#include "explore/axioms.h"
#include "explore/program.h"

#include <stdatomic.h>

/*
 * The search over the histories of a program (docs/design/explore.md): each history that the base
 * level allows is told once, after a filter if some transaction's level needs one.
 *
 * Life: new -> run | run_path*.  What is told may be looked at until the call returns.
 * Cost: polynomial memory; per history the steps in which it differs from the one before.
 */
struct esse_search;
typedef uint64_t txn_set;

enum { ESSE_NO_SOURCE = 0xff }; /* the initial version */

enum esse_step_kind { ESSE_STEP_READ, ESSE_STEP_OWN, ESSE_STEP_WRITE };

struct esse_search_step {
    int64_t value;
    txn_set past; /* of a READ: that of the transaction before it */
    uint32_t variable;
    uint8_t kind;
    uint8_t source; /* of a READ: a transaction, or ESSE_NO_SOURCE */
    bool is_pinned;
};

enum esse_unit_status { ESSE_UNIT_RUNNING, ESSE_UNIT_COMMITTED, ESSE_UNIT_ABORTED };

/* A transaction in a history. */
struct esse_unit {
    struct esse_search_step *steps;
    uint32_t count, room;
    uint32_t pinned; /* steps up to the last pinned read, and with it */
    uint32_t fault;
    uint8_t status;
    bool writes;
    txn_set past, sources;
    txn_set pinned_past;  /* the past after the last pinned read */
    const uint64_t *rows; /* what was before what when it began */
    uint64_t broken;
    const void *end; /* its state at the end, where invariants speak of that */
};

struct esse_search_counts {
    uint64_t histories;  /* that were told */
    uint64_t end_states; /* complete executions that were reached */
    uint64_t filtered;   /* of these, those that the filter refused */
    uint64_t cut;        /* partial executions that were not extended: nothing below passes */
    uint64_t blocked;    /* partial executions with a read that has no source */
    uint64_t calls;      /* of EXPLORE, as the papers count them */
    uint64_t swaps;
};

enum esse_search_algorithm { ESSE_SEARCH_SWAPPING, ESSE_SEARCH_DFS };

struct esse_search_options {
    enum esse_axiom axioms[ESSE_PROGRAM_TXNS_MOST]; /* by transaction: what it is to satisfy */
    enum esse_search_algorithm algorithm;
    bool base_is_true; /* the weakest base: all axioms are the filter's */
    bool no_cuts;
    struct esse_budget *budget;
    const atomic_bool *stop; /* or NULL */
    /* Of each history, or NULL; false stops the search. */
    bool (*told)(void *context, struct esse_search *search);
    void *context;
};

struct esse_search *esse_search_new(struct esse_arena *arena, const struct esse_program *program,
                                    const struct esse_search_options *options);
/* False if it was stopped: the budget is spent, or told() said so. */
bool esse_search_run(struct esse_search *search);
/* How much of the whole is behind it, as if all ways on from one place were alike. */
double esse_search_share(const struct esse_search *search);
const struct esse_search_counts *esse_search_counts(const struct esse_search *search);

/* Of a history that is told. */
struct esse_told {
    const uint8_t *order;
    uint32_t length;
    const struct esse_unit *units;
};
struct esse_told esse_search_told(const struct esse_search *search);

/*
 * Is there a commit order of the complete history at hand that keeps these axioms (by transaction),
 * and in which 'last[i]' is the last to write 'variables[i]'?
 */
struct esse_last_writer {
    uint32_t variable, txn;
};
bool esse_search_is_allowed(struct esse_search *search, const enum esse_axiom *axioms,
                            const struct esse_last_writer *last, uint32_t count);
/* Is there something left to spend?  To be asked by what takes long while a history is told. */
bool esse_search_goes_on(struct esse_search *search);
/* The committed writers of a variable. */
txn_set esse_search_writers(const struct esse_search *search, uint32_t variable);
txn_set esse_search_present(const struct esse_search *search);
/* Those that the base level's axioms put before a transaction. */
txn_set esse_search_before(const struct esse_search *search, uint32_t txn);

/* ---- subtrees ---- */

/*
 * The names of the subtrees at a depth, and of the leaves above it: together, in this order, they
 * are the whole.  Counts the calls down to there.
 */
struct esse_paths {
    const uint16_t *choices; /* 'depth' for each, of which the first 'lengths' count */
    const uint32_t *lengths;
    uint32_t count, depth;
};
bool esse_search_paths(struct esse_search *search, uint32_t depth, struct esse_paths *paths);
bool esse_search_run_path(struct esse_search *search, const struct esse_paths *paths, uint32_t at);

bool esse_search_valid(const struct esse_search *search);

#endif
