#ifndef ESSE_MIRROR_PIPELINE_H
#define ESSE_MIRROR_PIPELINE_H

#include "base/arena.h"
#include "mirror/event.h"

/*
 * Events of many sessions, each in the order of 'after', in one order: by (after, session, number).
 * A session says up to when all of its events were sent (done) and from when on those are that it
 * will still send (floor); without beats both are its last event's 'after'.
 *
 * W_a is the least done, W_b the least 'before' of what is here or still comes.  Of what leaves:
 *   G1  'after' never decreases;
 *   G2  when an event leaves, everything with a smaller 'after' has left;
 *   G3  what comes later has after >= W_a and before >= W_b.
 * Queues are sorted and every session promised, so the first of the heads that nobody can still
 * precede is the next one.  An event that breaks a promise is LATE, and leaves at once.
 *
 * What left is kept for a while, for claims.
 *
 * Cost: O(log sessions) an event; W_b O(sessions), and is asked for every few thousand events.
 */
struct esse_pipeline;

struct esse_pipeline *esse_pipeline_new(struct esse_arena *arena, uint64_t keep_bytes);
void esse_pipeline_release(struct esse_pipeline *pipeline);

/* A session is met by its first event, or before it by this. */
void esse_pipeline_open(struct esse_pipeline *pipeline, uint32_t session, int64_t at);
void esse_pipeline_close(struct esse_pipeline *pipeline, uint32_t session);
void esse_pipeline_beat(struct esse_pipeline *pipeline, uint32_t session, int64_t done,
                        int64_t floor);
/* True if it came in time. */
bool esse_pipeline_push(struct esse_pipeline *pipeline, const struct esse_mirror_event *event);
/* Everything was sent. */
void esse_pipeline_end(struct esse_pipeline *pipeline);

/* Sessions that are silent hold nobody back for longer than this time of the trace. */
void esse_pipeline_lateness(struct esse_pipeline *pipeline, int64_t lateness);

/* The next event, or NULL if none may leave yet.  Good until the next call. */
const struct esse_mirror_event *esse_pipeline_next(struct esse_pipeline *pipeline);

/* Events that have not left, without the pieces of their values. */
uint64_t esse_pipeline_waiting(const struct esse_pipeline *pipeline);

int64_t esse_pipeline_done(const struct esse_pipeline *pipeline);
int64_t esse_pipeline_floor(const struct esse_pipeline *pipeline);
/* The greatest 'after' that a session has sent or told; INT64_MIN: none did. */
int64_t esse_pipeline_newest(const struct esse_pipeline *pipeline);
/* Which session holds W_a back; UINT32_MAX: none. */
uint32_t esse_pipeline_slowest(const struct esse_pipeline *pipeline);

/* Walks what is kept of the events that left, and those that have not, oldest first within a
 * session.
 */
void esse_pipeline_kept(const struct esse_pipeline *pipeline,
                        void (*visit)(void *context, const struct esse_mirror_event *event),
                        void *context);
/* Whether something that left is not kept any more. */
bool esse_pipeline_has_forgotten(const struct esse_pipeline *pipeline);

#endif
