#include "base/error.h"
#include "base/gallop.h"
#include "engine/replay/replay_held.h"
#include "engine/replay/replay_stream_state.h"
#include "evidence/replay_rules.h"

#include <string.h>

static const esse_txn the_txn = { 0 };

/* ---- mismatches ---- */

static bool violated(struct esse_replay_stream *stream, const char *other, struct esse_error *err)
{
    if (stream->has_unplaced && stream->outcome.mismatch.kind < ESSE_MISMATCH_OVERWRITTEN)
        return stream_unknown(stream, stream->unplaced, ESSE_REASON_STREAM_OUTCOME, err);
    if (!stream->is_declared && stream->by == ESSE_ORDER_BY_LINE)
        return stream_unknown(stream, stream->window.shown, ESSE_REASON_STREAM_ORDER, err);
    stream->outcome.outcome = ESSE_VIOLATED;
    stream->outcome.other_name = other;
    replay_window_name(&stream->window);
    return stream_stop(stream, err);
}

/* Whose version it is: of the newest the writer is known, of others if the commit is. */
static const char *writer_of(struct esse_replay_stream *stream, uint32_t key, uint32_t commit)
{
    if (!commit || commit == REPLAY_OWN)
        return NULL;
    if (commit == stream->state.keys[key].last.commit)
        return stream_name(stream, stream->writers.at[key]);
    return commit > stream->state.horizon
               ? stream_name(stream, stream->commits.at[commit - stream->state.horizon - 1].name)
               : "an earlier transaction";
}

static bool missed(struct esse_replay_stream *stream, uint32_t snapshot, struct esse_error *err)
{
    struct esse_mismatch *mismatch = &stream->outcome.mismatch;
    uint32_t commit;
    replay_mismatch_of(mismatch, &stream->state, the_txn);
    mismatch->other.ix = ESSE_NO_TXN;
    if (stream->is_serial) {
        commit = replay_hold_newest(mismatch, &stream->state, stream->arena);
        if (commit == stream->state.commits)
            mismatch->other = the_txn;
    } else {
        commit = replay_hold_at(mismatch, &stream->state, snapshot, stream->arena);
        if (commit == REPLAY_OWN)
            mismatch->other = the_txn;
    }
    return violated(stream,
                    mismatch->other.ix == ESSE_NO_TXN ? writer_of(stream, mismatch->key.ix, commit)
                                                      : NULL,
                    err);
}

static bool misplaced(struct esse_replay_stream *stream, enum esse_mismatch_kind kind,
                      struct replay_name other, struct esse_error *err)
{
    stream->outcome.mismatch = (struct esse_mismatch){
        .kind = kind, .txn = the_txn, .op = { ESSE_NO_OP }, .other = { ESSE_NO_TXN }
    };
    return violated(stream, stream_name(stream, other), err);
}

/* ---- sessions and time ---- */

/* No transaction before it started after it had ended. */
static bool is_in_time(struct esse_replay_stream *stream, struct esse_error *err)
{
    const struct esse_interval time = stream->window.time;
    if (!stream->level->needs_real_time)
        return true;
    if (time.end != ESSE_NO_TIME && time.end < stream->latest_start &&
        stream->window.status == ESSE_COMMITTED)
        return misplaced(stream, ESSE_MISMATCH_LATE, stream->latest, err);
    if (time.begin > stream->latest_start) {
        stream->latest_start = time.begin;
        stream->latest = stream->window.shown;
    }
    return true;
}

/* What ended before it started, or precedes it in its session, is in its snapshot. */
static bool is_seen_in_time(struct esse_replay_stream *stream, uint32_t snapshot,
                            struct esse_error *err)
{
    const struct window_session *session = &stream->window.sessions.at[stream->window.session];
    const struct esse_interval time = stream->window.time;
    if (stream->level->needs_session_order && session->last_commit > snapshot)
        return misplaced(stream, ESSE_MISMATCH_SESSION, session->last, err);
    for (size_t i = snapshot - stream->state.horizon;
         stream->level->needs_real_time && i < stream->commits.count; i++) {
        const struct stream_commit *commit = &stream->commits.at[i];
        if (commit->end != ESSE_NO_TIME && time.begin != ESSE_NO_TIME && commit->end < time.begin)
            return misplaced(stream, ESSE_MISMATCH_TIME, commit->name, err);
    }
    return is_in_time(stream, err);
}

/* ---- running ---- */

static void note_writers(struct esse_replay_stream *stream)
{
    const struct esse_history *history = &stream->window.history;
    for (uint32_t op = 0; op < history->ops; op++) {
        const uint32_t count = esse_access_count(history, op);
        for (uint32_t i = 0; i < count; i++) {
            const struct esse_access access = esse_access_at(history, op, i);
            if (access.kind != ESSE_OP_READ)
                stream->writers.at[access.key.ix] = stream->window.shown;
        }
    }
}

static bool run_serial(struct esse_replay_stream *stream, struct esse_error *err)
{
    replay_growing_make_room(&stream->state, the_txn.ix);
    if (!replay_state_run(&stream->state, the_txn.ix))
        return missed(stream, 0, err);
    note_writers(stream);
    return is_in_time(stream, err);
}

/* How many commits the transaction sees; false if that is too long ago. */
static bool find_snapshot(const struct esse_replay_stream *stream, uint32_t *snapshot)
{
    const struct esse_interval times = stream->window.server_time;
    const int64_t start = times.begin != ESSE_NO_TIME ? times.begin : times.end;
    size_t low = 0, high = stream->commits.count;
    if (start < stream->horizon_time)
        return false;
    ESSE_BISECT(low, high, middle, stream->commits.at[middle].time <= start);
    *snapshot = stream->state.horizon + (uint32_t)low;
    return true;
}

static bool is_first_committer(struct esse_replay_stream *stream, uint32_t snapshot,
                               struct esse_error *err)
{
    const struct esse_history *history = &stream->window.history;
    for (uint32_t op = 0; op < history->ops; op++) {
        const uint32_t count = esse_access_count(history, op);
        for (uint32_t i = 0; i < count; i++) {
            const struct esse_access access = esse_access_at(history, op, i);
            const struct replay_key *key = &stream->state.keys[access.key.ix];
            if (access.kind == ESSE_OP_READ || key->last.commit <= snapshot)
                continue;
            stream->outcome.mismatch = (struct esse_mismatch){ .kind = ESSE_MISMATCH_OVERWRITTEN,
                                                               .txn = the_txn,
                                                               .op = { op },
                                                               .key = access.key,
                                                               .other = { ESSE_NO_TXN } };
            replay_hold_newest(&stream->outcome.mismatch, &stream->state, stream->arena);
            return violated(stream, stream_name(stream, stream->writers.at[access.key.ix]), err);
        }
    }
    return true;
}

/* Only so many states are kept. */
static void forget(struct esse_replay_stream *stream)
{
    struct replay_state *state = &stream->state;
    if (state->commits - state->horizon < 2 * ESSE_STREAM_STATES)
        return;
    const uint32_t dropped = state->commits - state->horizon - ESSE_STREAM_STATES;
    stream->horizon_time = stream->commits.at[dropped - 1].time;
    stream->commits.count -= dropped;
    memmove(stream->commits.at, stream->commits.at + dropped,
            stream->commits.count * sizeof *stream->commits.at);
    replay_growing_forget(state, state->horizon + dropped);
}

static void commit(struct esse_replay_stream *stream)
{
    const struct esse_interval times = stream->window.server_time;
    struct window_session *session = &stream->window.sessions.at[stream->window.session];
    replay_growing_make_room(&stream->state, the_txn.ix);
    replay_state_commit(&stream->state, the_txn.ix);
    note_writers(stream);
    const struct stream_commit done = { times.end != ESSE_NO_TIME ? times.end : times.begin,
                                        stream->window.status == ESSE_COMMITTED
                                            ? stream->window.time.end
                                            : ESSE_NO_TIME,
                                        stream->window.shown };
    stream_commit_vec_push(&stream->commits, stream->arena, done);
    session->last_commit = stream->state.commits;
    session->last = stream->window.shown;
    forget(stream);
}

static bool run_snapshot(struct esse_replay_stream *stream, struct esse_error *err)
{
    uint32_t snapshot;
    if (!find_snapshot(stream, &snapshot))
        return stream_unknown(stream, stream->window.shown, ESSE_REASON_STREAM_SNAPSHOT, err);
    if (!replay_state_reads(&stream->state, the_txn.ix, snapshot))
        return missed(stream, snapshot, err);
    if (!is_first_committer(stream, snapshot, err) || !is_seen_in_time(stream, snapshot, err))
        return false;
    commit(stream);
    return true;
}

bool stream_run(struct esse_replay_stream *stream, struct esse_error *err)
{
    const struct esse_error *error = &stream->state.rows.error;
    const bool ok = (stream->is_serial ? run_serial : run_snapshot)(stream, err);
    if (error->code == ESSE_OK)
        return ok;
    *err = *error;
    err->line = stream->window.line;
    return false;
}
