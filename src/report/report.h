#ifndef ESSE_REPORT_REPORT_H
#define ESSE_REPORT_REPORT_H

#include "base/out.h"
#include "history/history.h"

/*
 * A result as people and programs read it.  Everything comes from history and result; nothing is
 * decided here.
 */
struct esse_report {
    const char *path;
    const struct esse_history *history;
    const struct esse_result *result;
    bool colour;                      /* terminal colours */
    bool verbose;                     /* plans, and every kept anomaly instead of one a type */
    const struct esse_counts *counts; /* of what was read, if the history is not all of it */
    bool plain;                       /* of anomalies only what readers need that know no names */
    bool faults_told;                 /* the reader of the text knows of them already */
};

/* Verdict first, then each anomaly in a few lines. */
void esse_report_text(struct esse_out *out, const struct esse_report *report);

/* One JSON object, docs/formats.md. */
void esse_report_json(struct esse_out *out, const struct esse_report *report);

/* The anomalies' transactions and edges for Graphviz, a cluster each. */
void esse_report_dot(struct esse_out *out, const struct esse_report *report);

/* The same drawn, in need of nothing but a browser: a panel an anomaly, worst first. */
void esse_report_svg(struct esse_out *out, const struct esse_report *report);

/* What the result claims and why, as an evidence file: formats/evidence_file.h. */
void esse_report_evidence(struct esse_out *out, const struct esse_report *report);

/* What to attach to a bug report when a verdict failed its recheck: two lines of JSON, what went
 * wrong and the evidence that was refused, as --evidence would have written it; only the first, if
 * the evidence was of a case that was tried and there is no result. */
void esse_report_bug(struct esse_out *out, const struct esse_report *report, const char *error);

/* "0 holds, 1 violated, 2 unknown": the worst of the verdicts. */
enum esse_outcome esse_report_outcome(const struct esse_result *result);

#endif
