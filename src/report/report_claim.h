#ifndef ESSE_REPORT_REPORT_CLAIM_H
#define ESSE_REPORT_REPORT_CLAIM_H

#include "base/out.h"

/* What a verdict is about: the level, "serializable and no G1a" where anomalies were named, and ",
 * assuming that ..." if every one of its anomalies rests on an assumption. */
const char *esse_report_claim(struct esse_arena *arena, const struct esse_verdict *verdict);

#endif
