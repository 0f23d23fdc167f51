#ifndef ESSE_REPORT_PAGE_PAGE_H
#define ESSE_REPORT_PAGE_PAGE_H

#include "report/report.h"

/*
 * A report as one HTML file that needs nothing but a browser: docs/design/pages.md, with the
 * invariants.
 *
 * Cost: that of the picture, and O(transactions log transactions) for the timeline.
 */
#define ESSE_PAGE_LIMIT (UINT64_C(50) << 20) /* bytes, if nothing else is asked for */

struct esse_page_options {
    uint64_t limit;       /* bytes; 0: none */
    const char *evidence; /* the evidence file that was written beside it, or NULL */
};

/* The frame of a page of another kind: what is put between the two is the rest of its <header>,
 * with the end of that, and its <main>. */
void esse_page_begin(struct esse_out *out, const char *title, enum esse_outcome outcome);
void esse_page_end(struct esse_out *out);

void esse_page_put(struct esse_out *out, const struct esse_report *report,
                   const struct esse_page_options *options);

#endif
