#ifndef ESSE_REPORT_REPORT_EVIDENCE_H
#define ESSE_REPORT_REPORT_EVIDENCE_H

#include "report/report.h"

/* What the result claims and why, as an evidence file: formats/evidence_file.h. */
void esse_report_evidence(struct esse_out *out, const struct esse_report *report);

#endif
