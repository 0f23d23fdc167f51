#ifndef ESSE_ENGINE_REPLAY_REPLAY_ENGINE_H
#define ESSE_ENGINE_REPLAY_REPLAY_ENGINE_H

#include "engine/engine.h"

/*
 * The engine 'replay': the order that comes with a history, run through once
 * (docs/design/replay.md).  A line 'order', or commit_ts, is replayed as a serialization;
 * start_ts and commit_ts as snapshots and commits.  It believes the order: where it does not
 * replay, the level is violated under it.
 *
 * Cost: that of evidence/replay.h.
 */

/* Does the certificate of the history promise the order that decides the level? */
bool replay_is_certified(const struct esse_level *level, const struct esse_history *history);

#endif
