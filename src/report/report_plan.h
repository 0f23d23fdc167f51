#ifndef ESSE_REPORT_REPORT_PLAN_H
#define ESSE_REPORT_REPORT_PLAN_H

#include "report/report.h"

/* What the engines did on their way to the verdicts: phases with seconds and counts. */
void esse_report_plan(struct esse_out *out, const struct esse_report *report);

/* The same of one verdict as a member of a JSON object, with a comma before it. */
void esse_report_plan_json(struct esse_out *out, const struct esse_verdict *verdict);

#endif
