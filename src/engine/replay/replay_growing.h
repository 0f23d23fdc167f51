#ifndef ESSE_ENGINE_REPLAY_REPLAY_GROWING_H
#define ESSE_ENGINE_REPLAY_REPLAY_GROWING_H

#include "evidence/replay_state.h"

/*
 * The store of a replay that grows with a stream: it begins without keys, never knows what is to
 * come, and forgets old states.
 *
 * Cost: O(1) an access, amortised; O(changes kept) to forget.
 */

/* What predicates need is in 'scratch', see replay_rows_init. */
void replay_growing_open(struct replay_state *state, struct esse_arena *arena,
                         struct esse_arena *scratch, const struct esse_history *history,
                         bool keeps_versions);

/* The history has this key now, the next one.  Its value is from the beginning. */
void replay_growing_add_key(struct replay_state *state, uint32_t key, esse_value initial);

/* Makes room for what the transaction writes, before it is run or committed. */
void replay_growing_make_room(struct replay_state *state, uint32_t txn);

/* The states before 'horizon' commits will not be asked for. */
void replay_growing_forget(struct replay_state *state, uint32_t horizon);

#endif
