#ifndef ESSE_REPORT_REPORT_BUG_H
#define ESSE_REPORT_REPORT_BUG_H

#include "report/report.h"

/* What to attach to a bug report when a verdict failed its recheck: two lines of JSON, what went
 * wrong and the evidence that was refused, as --evidence would have written it; only the first, if
 * the evidence was of a case that was tried and there is no result. */
void esse_report_bug(struct esse_out *out, const struct esse_report *report, const char *error);

#endif
