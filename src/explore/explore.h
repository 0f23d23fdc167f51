#ifndef ESSE_EXPLORE_EXPLORE_H
#define ESSE_EXPLORE_EXPLORE_H

#include "explore/execution.h"

/*
 * A program explored at a level: how many histories there are, and of every claim that one of them
 * breaks the shortest.  The same with any number of threads.
 */
struct esse_explore_options {
    enum esse_axiom axiom; /* of transactions that name no level */
    enum esse_search_algorithm algorithm;
    bool base_is_true, no_cuts;
    uint64_t max_histories; /* 0: all */
    unsigned threads;       /* at least 1 */
    struct esse_budget *budget;
    /* Only histories that this axiom, of all transactions, does not allow; NONE: all. */
    enum esse_axiom but_not;
    uint32_t keep; /* so many histories are kept, the shortest first, then as they were found */
    /* Each history, or NULL; false stops.  In one thread. */
    bool (*each)(void *context, const struct esse_execution *execution);
    void *context;
};

struct esse_broken {
    uint32_t claim; /* its bit */
    uint64_t count; /* of histories */
    const struct esse_execution *shortest;
};

struct esse_explored {
    /* The program that was explored: another than the one given if that had too few variables. */
    const struct esse_program *program;
    uint32_t rounds; /* how often it was begun */
    struct esse_search_counts counts;
    uint64_t kept_of; /* histories of which 'kept' are some */
    const struct esse_execution *const *kept;
    uint32_t kept_count;
    const struct esse_broken *broken;
    uint32_t broken_count;
    bool is_whole;      /* all histories were looked at */
    bool is_open;       /* not, as there are ever more variables */
    bool is_bounded;    /* some loop was left because of its bound */
    uint64_t different; /* histories that differ, of the search without reduction */
    double seconds;
};

void esse_explore(struct esse_arena *arena, const struct esse_program *program,
                  const struct esse_explore_options *options, struct esse_explored *explored);

/* What the claim is, in words: "assertion 'a > 0' (line 5)". */
const char *esse_claim_text(struct esse_arena *arena, const struct esse_program *program,
                            const struct esse_broken *broken);

#endif
