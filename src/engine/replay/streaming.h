#ifndef ESSE_ENGINE_REPLAY_STREAMING_H
#define ESSE_ENGINE_REPLAY_STREAMING_H

#include "engine/replay/replay_stream.h"

/*
 * Checking a stream: one level, while it is read.
 *
 *     esse_streaming_open(&streaming, arena, "serializable", "commit_ts", &err)
 *     ... a reader sends records to streaming.sink, and calls esse_replay_stream_tidy between ...
 *     result = esse_streaming_close(&streaming, seconds, &err)
 *
 * The result speaks of 'history', which is of one transaction, and of 'counts'.
 */
struct esse_streaming {
    struct esse_arena *arena;
    const struct esse_level *level;
    struct esse_replay_stream *replay;
    struct esse_sink *sink;
    uint64_t min_committed; /* as of struct esse_check_options; to be set before the close */
    const struct esse_history *history;
    struct esse_counts counts;
};

/* 'order_by' may be NULL: the lines are in an order that may prove the level, and refutes it only
 * where it is that of commit_ts; or for snapshot isolation by commit_ts. */
bool esse_streaming_open(struct esse_streaming *streaming, struct esse_arena *arena,
                         const char *level, const char *order_by, struct esse_error *err);

/* After the reader is done, or has failed with ESSE_ESTOPPED; 'spent' is what, if the
 * budget ran out. */
const struct esse_result *esse_streaming_close(struct esse_streaming *streaming,
                                               enum esse_spent spent, double seconds);
void esse_streaming_release(struct esse_streaming *streaming);

#endif
