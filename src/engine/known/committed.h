#ifndef ESSE_ENGINE_KNOWN_COMMITTED_H
#define ESSE_ENGINE_KNOWN_COMMITTED_H

#include "engine/known/sources.h"

/*
 * Which transactions count as committed: those that are, and those of unknown outcome of which one
 * that counts must have observed a write, because neither the initial value nor another writer
 * explains the read.  Those that may have been observed do not count; both of their outcomes are
 * for engine/worlds to try.
 *
 * Cost: O(accesses + items of spines), and a byte a transaction, if there is an unknown one at all.
 */
uint8_t *committed_find(struct esse_arena *arena, const struct sources *sources);

#endif
