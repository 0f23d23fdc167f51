#ifndef ESSE_REPORT_REPORT_REMEDY_H
#define ESSE_REPORT_REPORT_REMEDY_H

#include "report/report.h"

/* What can be done where a verdict is unknown: an option, a setting, another workload.  A clause;
 * NULL if the verdict is not unknown. */
const char *esse_report_remedy(const struct esse_report *report,
                               const struct esse_verdict *verdict);

/* The same if the budget ran out before there was a history: 'why' says what it was. */
const char *esse_stopped_remedy(const char *why);

#endif
