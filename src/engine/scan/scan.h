#ifndef ESSE_ENGINE_SCAN_SCAN_H
#define ESSE_ENGINE_SCAN_SCAN_H

#include "engine/engine.h"

/*
 * The engine 'scan': the anomalies that need no order (docs/design/scan.md).  It refutes, it never
 * proves.  Linear in operations and list items.
 */
extern const struct esse_engine esse_engine_scan;

#endif
