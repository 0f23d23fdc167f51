#ifndef ESSE_ENGINE_SCAN_SCAN_H
#define ESSE_ENGINE_SCAN_SCAN_H

#include "engine/known/known.h"

/*
 * The engine 'scan': the anomalies that need no order (docs/design/scan.md).  It refutes, it never
 * proves.  Linear in operations and list items.
 */

/* Opens what is known and runs all passes.  False if the budget ran out, the input is bad, or
 * elements are shared: then nothing but what it found is known.  Close it in any case. */
bool scan_open(struct known *known, struct esse_job *job, const struct serial_part *part);

#endif
