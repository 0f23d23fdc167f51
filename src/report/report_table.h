#ifndef ESSE_REPORT_REPORT_TABLE_H
#define ESSE_REPORT_REPORT_TABLE_H

#include "report/report.h"

/*
 * Verdicts on many levels as a table, a row a level: the verdict, and what it rests on.  Reasons
 * why levels are unknown stand below it, each once.
 *
 * Cost: O(levels squared), of which there are some forty.
 */
void esse_report_table(struct esse_out *out, const struct esse_report *report);

#endif
