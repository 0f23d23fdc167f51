#ifndef ESSE_ENGINE_POLYGRAPH_POLYGRAPH_H
#define ESSE_ENGINE_POLYGRAPH_POLYGRAPH_H

#include "engine/engine.h"

/*
 * The engine 'polygraph': strong levels when the order of versions is not known, or only in part,
 * and read-atomic and causal when it is a choice which version was read (docs/design/polygraph.md).
 * It proves and refutes; NP-complete in general, about linear where
 * the order of the recording is near one that explains the history.
 */
extern const struct esse_engine esse_engine_polygraph;

#endif
