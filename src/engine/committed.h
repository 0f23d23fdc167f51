#ifndef ESSE_ENGINE_COMMITTED_H
#define ESSE_ENGINE_COMMITTED_H

#include "engine/sources.h"

/*
 * Which transactions count as committed: those that are, and those of unknown outcome of which one
 * that counts observed a write.  With several writers of a value nobody knows which was observed.
 *
 * Cost: O(accesses + items of spines), and a byte a transaction, if there is an unknown one at all.
 */
uint8_t *committed_find(struct esse_arena *arena, const struct sources *sources);

#endif
