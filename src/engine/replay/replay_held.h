#ifndef ESSE_ENGINE_REPLAY_REPLAY_HELD_H
#define ESSE_ENGINE_REPLAY_REPLAY_HELD_H

#include "evidence/replay.h"
#include "evidence/replay_state.h"

/* What the store held where an order does not replay, for people: the kernel asks for it while it
 * stands there. */
struct esse_replay_teller replay_held(struct esse_arena *arena);

/* Fills in what the store holds of the mismatch's key, with lists in 'arena': the newest, or after
 * 'snapshot' commits with what the transaction wrote before.  Returns the commit that wrote it,
 * REPLAY_OWN for the latter. */
#define REPLAY_OWN UINT32_MAX
uint32_t replay_hold_newest(struct esse_mismatch *mismatch, const struct replay_state *state,
                            struct esse_arena *arena);
uint32_t replay_hold_at(struct esse_mismatch *mismatch, const struct replay_state *state,
                        uint32_t snapshot, struct esse_arena *arena);

#endif
