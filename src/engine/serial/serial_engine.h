#ifndef ESSE_ENGINE_SERIAL_SERIAL_ENGINE_H
#define ESSE_ENGINE_SERIAL_SERIAL_ENGINE_H

#include "engine/engine.h"

/*
 * The engine 'serial': a serial order near the order of recording (docs/design/serial.md).  If it
 * replays as a serial level, it proves that level and all that the level implies.  It proves and
 * never refutes, and has its turn before the engines that look at the whole.
 *
 * Cost: O(operations).
 */
extern const struct esse_engine esse_engine_serial;

#endif
