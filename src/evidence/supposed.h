#ifndef ESSE_EVIDENCE_SUPPOSED_H
#define ESSE_EVIDENCE_SUPPOSED_H

#include "esse/esse.h"

/* Is what one of the anomalies supposes the case, whatever the outcomes were?  False also if that
 * cannot be decided in some hundred thousand steps. */
bool esse_supposed_covers(const struct esse_anomaly *anomalies, uint32_t count);

#endif
