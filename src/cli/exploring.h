#ifndef ESSE_CLI_EXPLORING_H
#define ESSE_CLI_EXPLORING_H

#include "cli/session.h"
#include "explore/explore.h"

/* A program explored at the levels that are asked, and what was found told: as text, JSON, files.
 */
struct esse_exploring {
    struct esse_arena *arena;
    struct esse_session *session;
    const char *path;
    const struct esse_program *program;
    struct esse_explore_options options;
    enum esse_axiom *axioms; /* the levels, in the order asked */
    size_t axiom_count;
    bool finds, compares, count_only, json, verbose;
    const char *list, *svg, *repro, *page; /* a directory; files */
    struct esse_confirming *confirming;    /* or NULL */
};

/* The exit status. */
int esse_exploring_run(struct esse_exploring *e);

#endif
