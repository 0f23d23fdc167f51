#ifndef ESSE_CLI_EXPLORING_PAGE_H
#define ESSE_CLI_EXPLORING_PAGE_H

#include "cli/exploring.h"

/*
 * What 'esse explore' found as one HTML page: a row a level, and the shortest execution of each
 * broken claim with sessions side by side, in words, and drawn.
 *
 * Life: start -> level*, broken* -> write.  Nothing is done if no page is wanted.
 */
struct exploring_page {
    const char *path; /* NULL: none is wanted */
    struct esse_out rows, details;
    bool is_broken, is_unknown;
    const char *weakest; /* the answer, where the weakest level was looked for */
    bool finds;
};

void exploring_page_start(struct exploring_page *page, const struct esse_exploring *e);
void exploring_page_level(struct exploring_page *page, const struct esse_exploring *e,
                          enum esse_axiom axiom, const struct esse_explored *x, const char *verdict,
                          const char *why);
/* 'picture': an SVG, or NULL. */
void exploring_page_broken(struct exploring_page *page, const struct esse_exploring *e,
                           enum esse_axiom axiom, const struct esse_broken *broken,
                           uint64_t histories, const char *story, const char *picture);
/* 0, or the exit status of what could not be written. */
int exploring_page_write(const struct exploring_page *page, const struct esse_exploring *e);

#endif
