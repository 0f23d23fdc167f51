#ifndef ESSE_REPORT_SUMMARY_H
#define ESSE_REPORT_SUMMARY_H

#include "base/error.h"
#include "report/report.h"

/*
 * What was found in any number of histories, as one document for other programs: JUnit's XML for
 * build servers, SARIF 2.1.0 for code review, Markdown for the summary of a job or for an issue.
 *
 * Life: new -> add* -> put.  Everything lives in the arena of 'new'; what was added is not needed
 * afterwards.
 *
 * Cost: that of the text report of each history, and as much memory as the document has bytes.
 */
enum esse_summary_kind {
    ESSE_SUMMARY_JUNIT,
    ESSE_SUMMARY_SARIF,
    ESSE_SUMMARY_MARKDOWN,
    ESSE_SUMMARIES
};

/* One history: with a report, or with what kept it from having one. */
struct esse_summary_part {
    const char *path;
    const struct esse_report *report;
    const struct esse_error *error; /* it could not be checked; or */
    enum esse_spent stopped;        /* what was spent while it was read */
    const char *const *levels;      /* those that were asked */
    size_t level_count;
    bool fails_unknown; /* a verdict that is unknown counts as a failure */
};

struct esse_summary;
struct esse_summary *esse_summary_new(struct esse_arena *arena, enum esse_summary_kind kind);
void esse_summary_add(struct esse_summary *summary, const struct esse_summary_part *part);
void esse_summary_put(struct esse_out *out, struct esse_summary *summary);

#endif
