#ifndef ESSE_EXEC_ROW_MEMORY_H
#define ESSE_EXEC_ROW_MEMORY_H

#include "exec/overlay.h"

/*
 * A store in memory, of one version.  What a transaction wrote is taken over from its overlay.
 *
 * Cost: get O(1) expected, range O(log rows + rows found), taking over O(writes * indexes used).
 */
struct esse_memory;
struct esse_memory *esse_memory_new(struct esse_arena *arena);
const struct esse_store *esse_memory_store(struct esse_memory *memory);
void esse_memory_take(struct esse_memory *memory, const struct esse_overlay *overlay);

#endif
