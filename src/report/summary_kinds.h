#ifndef ESSE_REPORT_SUMMARY_KINDS_H
#define ESSE_REPORT_SUMMARY_KINDS_H

#include "level/level.h"
#include "report/summary.h"

/* What the kinds of summaries share; each is in a file of its name. */

struct esse_summary_counts {
    uint64_t holds, violated, unknown, errors;
};

struct esse_summary {
    struct esse_arena *arena;
    enum esse_summary_kind kind;
    struct esse_out body;    /* what goes into the middle of the document */
    struct esse_out details; /* Markdown: behind the table */
    struct esse_summary_counts counts;
    uint64_t left_out, rows_left_out; /* Markdown: what the document had no room for */
    bool found[ESSE_ANOMALY_MAX];     /* SARIF: the anomalies that its rules describe */
    bool has_unknown, fails_unknown;
    struct esse_out notes; /* SARIF: of histories that could not be checked */
};

/* Adds the verdicts of one history. */
void esse_summary_count(struct esse_summary_counts *counts, const struct esse_summary_part *part);

/* "standard input" in place of "-". */
const char *esse_summary_path(const struct esse_summary_part *part);

/* "line 3, column 5: expected ...", without the path. */
const char *esse_summary_error(struct esse_arena *arena, const struct esse_summary_part *part);

/* Why a verdict is unknown and what can be done, as one text. */
const char *esse_summary_unknown(struct esse_arena *arena, const struct esse_summary_part *part,
                                 const struct esse_verdict *verdict);

/* The verdict of each level of a history that could not be read in the budget. */
struct esse_verdict esse_summary_stopped(const struct esse_summary_part *part);

/* "G2-item, G-single", each type of the verdict's anomalies once. */
const char *esse_summary_types(struct esse_arena *arena, const struct esse_verdict *verdict);

/* What the text report says of one anomaly, by one of the functions that put it, without colours,
 * the spaces that all lines begin with, and empty lines around it. */
typedef void esse_summary_writer(struct esse_out *out, const struct esse_report *report,
                                 const struct esse_anomaly *anomaly);
const char *esse_summary_story(struct esse_arena *arena, const struct esse_report *report,
                               const struct esse_anomaly *anomaly, esse_summary_writer *put);

void esse_summary_add_junit(struct esse_summary *summary, const struct esse_summary_part *part);
void esse_summary_put_junit(struct esse_out *out, struct esse_summary *summary);
void esse_summary_add_sarif(struct esse_summary *summary, const struct esse_summary_part *part);
void esse_summary_put_sarif(struct esse_out *out, struct esse_summary *summary);
void esse_summary_add_markdown(struct esse_summary *summary, const struct esse_summary_part *part);
void esse_summary_put_markdown(struct esse_out *out, struct esse_summary *summary);

#endif
