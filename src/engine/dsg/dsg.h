#ifndef ESSE_ENGINE_DSG_DSG_H
#define ESSE_ENGINE_DSG_DSG_H

#include "engine/engine.h"

/*
 * The engine 'dsg': dependency graphs from version orders that are known or can be inferred
 * (docs/design/dsg.md).  Lists show their version order; registers have it from a certificate, or
 * only as far as it can be inferred.
 *
 * Cost: linear in operations and edges; cycle search only inside strongly connected components.
 */
extern const struct esse_engine esse_engine_dsg;

#endif
