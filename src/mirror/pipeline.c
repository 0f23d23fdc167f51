#include "mirror/pipeline.h"

#include <assert.h>
#include <string.h>

enum { CHUNK = 126 };

struct chunk {
    struct chunk *next;
    uint32_t count;
    int64_t least_before, last_before;
    bool is_rising; /* 'before' never decreases: so it is in a session that waits for its answers */
    struct esse_mirror_event at[CHUNK];
};

struct queue {
    struct chunk *first, *last;
    uint32_t at; /* in the first chunk */
    bool is_open, has_beats;
    int64_t done, floor;
};

struct esse_pipeline {
    struct esse_arena *arena;
    struct queue *queues;
    uint32_t count, room;          /* room is a power of two */
    uint32_t *winner;              /* a tree: leaf of queue q is room + q */
    int64_t *key;                  /* by queue: what it is compared by, as of its last update */
    struct chunk *spare;           /* to be used again */
    struct chunk *kept, *kept_end; /* in the order of their last event's leaving */
    uint64_t kept_bytes, keep_bytes;
    int64_t left; /* 'after' of the last that left */
    int64_t lateness, newest;
    uint32_t parting; /* the queue whose event left, and must be taken off before the next one */
    bool is_parting, has_forgotten;
};

struct esse_pipeline *esse_pipeline_new(struct esse_arena *arena, uint64_t keep_bytes)
{
    struct esse_pipeline *p = esse_arena_alloc(arena, 1, sizeof *p);
    *p = (struct esse_pipeline){ .arena = esse_arena_new(),
                                 .keep_bytes = keep_bytes,
                                 .left = INT64_MIN,
                                 .newest = INT64_MIN,
                                 .lateness = INT64_MAX };
    return p;
}

void esse_pipeline_release(struct esse_pipeline *p)
{
    esse_arena_free(p->arena);
}

void esse_pipeline_lateness(struct esse_pipeline *p, int64_t lateness)
{
    p->lateness = lateness;
}

/* ---- the tree ---- */

static bool is_empty(const struct queue *q)
{
    return !q->first;
}

/* Until when a session without an event at hand has told everything. */
static int64_t told(const struct esse_pipeline *p, const struct queue *q)
{
    if (!q->is_open)
        return INT64_MAX;
    if (p->lateness != INT64_MAX && p->newest > INT64_MIN + p->lateness &&
        q->done < p->newest - p->lateness)
        return p->newest - p->lateness;
    return q->done;
}

static int64_t key_of(const struct esse_pipeline *p, const struct queue *q)
{
    return is_empty(q) ? told(p, q) : q->first->at[q->at].after;
}

/* Of equal times an event goes before a session that has told until then; else by number. */
static bool goes_first(const struct esse_pipeline *p, uint32_t a, uint32_t b)
{
    if (p->key[a] != p->key[b])
        return p->key[a] < p->key[b];
    const bool is_none = is_empty(&p->queues[a]);
    return is_none == is_empty(&p->queues[b]) ? a < b : !is_none;
}

static void update(struct esse_pipeline *p, uint32_t queue)
{
    p->key[queue] = key_of(p, &p->queues[queue]);
    for (uint32_t at = (p->room + queue) / 2; at; at /= 2) {
        const uint32_t a = p->winner[2 * at], b = p->winner[2 * at + 1];
        p->winner[at] = goes_first(p, b, a) ? b : a;
    }
}

static void build(struct esse_pipeline *p)
{
    for (uint32_t q = 0; q < p->room; q++) {
        p->winner[p->room + q] = q;
        p->key[q] = key_of(p, &p->queues[q]);
    }
    for (uint32_t at = p->room - 1; at; at--) {
        const uint32_t a = p->winner[2 * at], b = p->winner[2 * at + 1];
        p->winner[at] = goes_first(p, b, a) ? b : a;
    }
}

/* Queues that nobody has are closed ones. */
static void make_room(struct esse_pipeline *p, uint32_t session)
{
    uint32_t room = p->room ? p->room : 2;
    while (room <= session)
        room *= 2;
    if (room > p->room) {
        p->queues = esse_arena_grow(p->arena, p->queues, room * sizeof *p->queues);
        p->winner = esse_arena_grow(p->arena, p->winner, 2 * room * sizeof *p->winner);
        p->key = esse_arena_grow(p->arena, p->key, room * sizeof *p->key);
        for (uint32_t q = p->room; q < room; q++)
            p->queues[q] = (struct queue){ .done = INT64_MIN, .floor = INT64_MIN };
        p->room = room;
        build(p);
    }
    if (session >= p->count)
        p->count = session + 1;
}

void esse_pipeline_open(struct esse_pipeline *p, uint32_t session, int64_t at)
{
    make_room(p, session);
    struct queue *q = &p->queues[session];
    if (q->is_open)
        return;
    q->is_open = true;
    q->done = q->floor = at;
    update(p, session);
}

void esse_pipeline_close(struct esse_pipeline *p, uint32_t session)
{
    make_room(p, session);
    p->queues[session].is_open = false;
    update(p, session);
}

void esse_pipeline_beat(struct esse_pipeline *p, uint32_t session, int64_t done, int64_t floor)
{
    make_room(p, session);
    struct queue *q = &p->queues[session];
    q->is_open = q->has_beats = true;
    if (done > q->done)
        q->done = done;
    if (floor > q->floor)
        q->floor = floor;
    if (done > p->newest)
        p->newest = done;
    update(p, session);
}

void esse_pipeline_end(struct esse_pipeline *p)
{
    for (uint32_t q = 0; q < p->count; q++)
        p->queues[q].is_open = false;
    if (p->room)
        build(p);
}

/* ---- events ---- */

static struct chunk *new_chunk(struct esse_pipeline *p)
{
    struct chunk *chunk = p->spare;
    if (chunk)
        p->spare = chunk->next;
    else
        chunk = esse_arena_block(p->arena, 1, sizeof *chunk);
    chunk->next = NULL;
    chunk->count = 0;
    chunk->least_before = INT64_MAX;
    chunk->last_before = INT64_MIN;
    chunk->is_rising = true;
    return chunk;
}

bool esse_pipeline_push(struct esse_pipeline *p, const struct esse_mirror_event *event)
{
    if (event->session >= p->count || !p->queues[event->session].is_open)
        esse_pipeline_open(p, event->session, INT64_MIN);
    struct queue *q = &p->queues[event->session];
    const bool was_empty = is_empty(q);
    if (was_empty || q->last->count == CHUNK) {
        struct chunk *chunk = new_chunk(p);
        if (was_empty) {
            q->first = q->last = chunk;
            q->at = 0;
        } else {
            q->last = q->last->next = chunk;
        }
    }
    struct chunk *chunk = q->last;
    struct esse_mirror_event *to = &chunk->at[chunk->count++];
    *to = *event;
    if (to->flags & ESSE_MIRROR_ENDLESS)
        to->after = to->before > q->done ? to->before : q->done;
    chunk->is_rising &= to->before >= chunk->last_before;
    chunk->last_before = to->before;
    if (to->before < chunk->least_before)
        chunk->least_before = to->before;
    if (to->after > q->done)
        q->done = to->after;
    if (!q->has_beats)
        q->floor = q->done;
    const bool in_time = to->after >= p->left;
    if (!in_time)
        to->flags |= ESSE_MIRROR_LATE;
    if (q->done > p->newest)
        p->newest = q->done;
    if (was_empty)
        update(p, event->session);
    return in_time;
}

/* The chunk is read; it stays for a while. */
static void retire(struct esse_pipeline *p, struct chunk *chunk)
{
    chunk->next = NULL;
    if (p->kept_end)
        p->kept_end->next = chunk;
    else
        p->kept = chunk;
    p->kept_end = chunk;
    p->kept_bytes += sizeof *chunk;
    if (p->kept_bytes <= p->keep_bytes)
        return;
    p->has_forgotten = true;
    struct chunk *oldest = p->kept;
    p->kept = oldest->next;
    if (!p->kept)
        p->kept_end = NULL;
    p->kept_bytes -= sizeof *oldest;
    oldest->next = p->spare;
    p->spare = oldest;
}

static void take_off(struct esse_pipeline *p)
{
    struct queue *q = &p->queues[p->parting];
    struct chunk *chunk = q->first;
    if (++q->at == chunk->count) {
        q->first = chunk->next;
        q->at = 0;
        retire(p, chunk);
    }
    update(p, p->parting);
    p->is_parting = false;
}

const struct esse_mirror_event *esse_pipeline_next(struct esse_pipeline *p)
{
    if (p->is_parting)
        take_off(p);
    if (!p->room)
        return NULL;
    if (p->lateness != INT64_MAX)
        build(p); /* silent sessions are passed by as time goes on */
    const uint32_t winner = p->winner[1];
    struct queue *q = &p->queues[winner];
    if (is_empty(q))
        return NULL;
    const struct esse_mirror_event *event = &q->first->at[q->at];
    p->parting = winner;
    p->is_parting = true;
    if (!(event->flags & ESSE_MIRROR_LATE)) {
        assert(event->after >= p->left); /* G1 */
        p->left = event->after;
    }
    return event;
}

uint64_t esse_pipeline_waiting(const struct esse_pipeline *p)
{
    uint64_t waiting = 0;
    for (uint32_t q = 0; q < p->count; q++)
        for (const struct chunk *c = p->queues[q].first; c; c = c->next)
            for (uint32_t i = c == p->queues[q].first ? p->queues[q].at : 0; i < c->count; i++)
                waiting += !esse_mirror_is_part(&c->at[i]);
    return waiting;
}

/* ---- watermarks ---- */

int64_t esse_pipeline_done(const struct esse_pipeline *p)
{
    int64_t done = INT64_MAX;
    for (uint32_t q = 0; q < p->count; q++) {
        const int64_t here = told(p, &p->queues[q]);
        if (here < done)
            done = here;
    }
    return done;
}

/* The least 'before' of the events that have not left. */
static int64_t least_queued(const struct queue *q)
{
    int64_t least = INT64_MAX;
    for (const struct chunk *c = q->first; c; c = c->next) {
        int64_t here = c->least_before;
        if (c == q->first) {
            here = c->at[q->at].before;
            for (uint32_t i = q->at; !c->is_rising && i < c->count; i++)
                here = c->at[i].before < here ? c->at[i].before : here;
        }
        least = here < least ? here : least;
    }
    return least;
}

int64_t esse_pipeline_floor(const struct esse_pipeline *p)
{
    int64_t floor = INT64_MAX;
    for (uint32_t q = 0; q < p->count; q++) {
        const struct queue *queue = &p->queues[q];
        if (queue->is_open) {
            int64_t here = queue->floor;
            if (p->lateness != INT64_MAX && told(p, queue) > here && told(p, queue) > queue->done)
                here = told(p, queue);
            if (here < floor)
                floor = here;
        }
        const int64_t queued = least_queued(queue);
        floor = queued < floor ? queued : floor;
    }
    return floor;
}

int64_t esse_pipeline_newest(const struct esse_pipeline *p)
{
    return p->newest;
}

uint32_t esse_pipeline_slowest(const struct esse_pipeline *p)
{
    uint32_t slowest = UINT32_MAX;
    int64_t done = INT64_MAX;
    for (uint32_t q = 0; q < p->count; q++) {
        const int64_t here = told(p, &p->queues[q]);
        if (here < done) {
            done = here;
            slowest = q;
        }
    }
    return slowest;
}

static void visit_chunks(const struct chunk *chunk,
                         void (*visit)(void *context, const struct esse_mirror_event *event),
                         void *context)
{
    for (; chunk; chunk = chunk->next)
        for (uint32_t i = 0; i < chunk->count; i++)
            visit(context, &chunk->at[i]);
}

void esse_pipeline_kept(const struct esse_pipeline *p,
                        void (*visit)(void *context, const struct esse_mirror_event *event),
                        void *context)
{
    visit_chunks(p->kept, visit, context);
    for (uint32_t q = 0; q < p->count; q++)
        visit_chunks(p->queues[q].first, visit, context);
}

bool esse_pipeline_has_forgotten(const struct esse_pipeline *p)
{
    return p->has_forgotten;
}
