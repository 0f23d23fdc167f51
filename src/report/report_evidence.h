#ifndef ESSE_REPORT_REPORT_EVIDENCE_H
#define ESSE_REPORT_REPORT_EVIDENCE_H

#include "report/report.h"

/* Writes what a result claims and why, so that 'esse verify' can recheck it against the history in
 * a process of its own: docs/formats.md.  Transactions, operations and keys are numbered as the
 * history numbers them. */
void esse_report_evidence(struct esse_out *out, const struct esse_report *report);

#endif
