#ifndef ESSE_ENGINE_SATURATE_SATURATE_H
#define ESSE_ENGINE_SATURATE_SATURATE_H

#include "engine/engine.h"

/*
 * The engine 'saturate': levels that are axioms about a commit order, from read committed to causal
 * consistency and the session guarantees (docs/design/saturate.md).
 */
extern const struct esse_engine esse_engine_saturate;

#endif
