#ifndef ESSE_EXPLORE_FOUND_H
#define ESSE_EXPLORE_FOUND_H

#include "base/index.h"
#include "explore/explore.h"

/*
 * What one search has found: counts of broken claims, and of each the shortest execution.  What
 * several searches found, each in its subtrees, is put together as if one had found it.
 */
struct found_claim {
    uint64_t count;
    struct esse_execution *shortest;
    uint32_t txns, steps;
    uint32_t path; /* the subtree: of equals the first is kept */
};

struct found_kept {
    struct esse_execution *execution;
    uint32_t path;
};

struct found {
    struct esse_arena *arena;
    const struct esse_program *program;
    const struct esse_explore_options *options;
    enum esse_axiom axioms[ESSE_PROGRAM_TXNS_MOST], but_not[ESSE_PROGRAM_TXNS_MOST];
    uint32_t path;
    struct found_claim claims[64];
    uint64_t told, kept_of;
    struct found_kept *kept; /* of 'options->keep' at most */
    uint32_t kept_count;
    bool is_full;

    /* Of the search without reduction: the histories that were met, as texts. */
    struct esse_index met_index;
    const char **met;
    uint32_t met_count, met_room;
    struct esse_out text;

    int64_t *finals;
    struct esse_last_writer *last;
    const void *ends[ESSE_PROGRAM_TXNS_MOST];
};

void esse_found_init(struct found *found, struct esse_arena *arena,
                     const struct esse_program *program,
                     const struct esse_explore_options *options);
/* For struct esse_search_options. */
bool esse_found_told(void *found, struct esse_search *search);
/* 'other' is put into 'found'; both live on. */
void esse_found_join(struct found *found, const struct found *other);

#endif
