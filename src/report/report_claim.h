#ifndef ESSE_REPORT_REPORT_CLAIM_H
#define ESSE_REPORT_REPORT_CLAIM_H

#include "report/report.h"

/* What a verdict is about: the level, "serializable and no G1a" where anomalies were named, and ",
 * assuming that ..." if every one of its anomalies rests on an assumption. */
const char *esse_report_claim(struct esse_arena *arena, const struct esse_verdict *verdict);

/* "holds", in its colour if there are colours. */
void esse_report_put_outcome(struct esse_out *out, const struct esse_report *report,
                             enum esse_outcome outcome);

/* What proves that a level holds: "an order of 3 transactions". */
void esse_report_put_order(struct esse_out *out, const struct esse_order *order);

#endif
