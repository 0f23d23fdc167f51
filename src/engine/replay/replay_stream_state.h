#ifndef ESSE_ENGINE_REPLAY_REPLAY_STREAM_STATE_H
#define ESSE_ENGINE_REPLAY_REPLAY_STREAM_STATE_H

#include "engine/replay/replay_growing.h"
#include "engine/replay/replay_stream.h"
#include "engine/replay/replay_window.h"
#include "evidence/replay_state.h"
#include "history/faults_kept.h"

/* What a stream keeps.  Private to replay_stream*. */

struct stream_commit {
    int64_t time, end; /* its commit_ts; the client's time */
    struct replay_name name;
};
ESSE_VEC(stream_commit_vec, struct stream_commit)
ESSE_VEC(stream_name_vec, struct replay_name)

struct esse_replay_stream {
    struct esse_sink sink; /* first: a sink of this kind is its stream */
    struct esse_arena *arena;
    struct esse_arena *pool;    /* of the values */
    struct esse_arena *scratch; /* of the predicates */
    const struct esse_level *level;
    enum esse_order_by by;
    bool is_declared; /* this is said to be the order: what does not fit is violated */
    bool is_serial;

    struct replay_window window;
    struct replay_state state;
    struct stream_name_vec writers;   /* by key: its last writer; the session is ESSE_NONE: none */
    struct stream_commit_vec commits; /* for snapshots: those after the state's horizon */
    int64_t horizon_time;             /* of the last commit before them, or ESSE_NO_TIME */

    int64_t place; /* of the transaction before, or ESSE_NO_TIME */
    struct replay_name at_place;
    bool read_there, wrote_there;
    int64_t latest_start; /* of a client */
    struct replay_name latest;
    bool has_unplaced; /* one of unknown outcome wrote, and has no place */
    struct replay_name unplaced;

    struct esse_fault_vec faults; /* the window's history has them */

    uint32_t atom_limit, key_limit;
    struct esse_replay_outcome outcome;
};

/* Ends the replay: the sink fails with ESSE_ESTOPPED. */
bool stream_stop(struct esse_replay_stream *stream, struct esse_error *err);
bool stream_unknown(struct esse_replay_stream *stream, struct replay_name name,
                    enum esse_reason_id why, struct esse_error *err);

/* Replays the transaction in the window. */
bool stream_run(struct esse_replay_stream *stream, struct esse_error *err);

/* "t5", "session/3" */
const char *stream_name(struct esse_replay_stream *stream, struct replay_name name);

#endif
