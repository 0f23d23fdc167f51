#ifndef ESSE_ENGINE_REPLAY_REPLAY_STREAM_H
#define ESSE_ENGINE_REPLAY_REPLAY_STREAM_H

#include "evidence/replay.h"
#include "history/given_order.h"

/*
 * Replays a history while it is read: a sink that takes the records in the order in which they are
 * to be replayed, and keeps no more of them than the state that they leave behind.
 *
 * Serial levels run each transaction on the newest state.  For snapshot isolation the records come
 * by commit_ts, and a transaction looks at the state at its start_ts; states are kept back to
 * ESSE_STREAM_STATES commits ago, and a transaction that needs an older one ends the replay
 * undecided.
 *
 * The store and its rules are the kernel's (evidence/replay_state.h, replay_rules.h).  What is here
 * is not rechecked, because nothing is left of a stream that could be; unlike in esse_replay, names
 * are not checked to be unique.
 *
 * Life: new -> records -> result.  Between records, where no value is held, call
 * esse_replay_stream_tidy: it may replace sink->values.
 *
 * Cost: as esse_replay; memory for the rows that exist, the sessions, the faults, and
 * ESSE_STREAM_STATES commits, all of them at most a few times over.
 */
enum { ESSE_STREAM_STATES = 1 << 16 };

struct esse_replay_stream;

struct esse_replay_stream *esse_replay_stream_new(struct esse_arena *arena,
                                                  const struct esse_level *level,
                                                  enum esse_order_by by);

/* The same for a serial level and an undeclared order: that of the lines.  It may prove the level;
 * what does not fit is violated as long as the lines are in the order of commit_ts, and from the
 * first line that is not, unknown. */
struct esse_replay_stream *esse_replay_stream_new_undeclared(struct esse_arena *arena,
                                                             const struct esse_level *level);
struct esse_sink *esse_replay_stream_sink(struct esse_replay_stream *stream);
void esse_replay_stream_tidy(struct esse_replay_stream *stream);
void esse_replay_stream_release(struct esse_replay_stream *stream);

/*
 * The sink fails with ESSE_ESTOPPED when the outcome is known.  'history' then is of one
 * transaction, 0, the one that ended it; in the mismatch that is the 'txn', and 'other' is
 * ESSE_NO_TXN: 'other_name' is its name, or NULL for the initial version.  Its faults are those
 * that were read.
 */
struct esse_replay_outcome {
    enum esse_outcome outcome;
    struct esse_reason reason; /* if unknown */
    enum esse_order_by by;
    struct esse_mismatch mismatch;
    const char *other_name;
    const struct esse_history *history;
    struct esse_counts counts; /* of what was read */
    uint32_t replayed;
};
struct esse_replay_outcome esse_replay_stream_outcome(const struct esse_replay_stream *stream);

#endif
