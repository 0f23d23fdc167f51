#ifndef ESSE_BASE_THREADS_H
#define ESSE_BASE_THREADS_H

#include "base/arena.h"
#include "base/budget.h"

#include <pthread.h>

/*
 * A loop over [0 .. count) whose steps do not depend on each other, shared among threads.
 *
 *     struct esse_loop loop = { .count = keys, .threads = threads, .body = link_keys, .context = c
 * }; if (!esse_loop_run(&loop)) ...
 *
 * Workers take the steps from the front, a piece at a time.  Worker 0 is the calling thread, and
 * it alone polls the budget.  When a body returns false, or the budget is spent, no further piece
 * is begun; those that were begun are finished.  All pieces before one that fails were begun: the
 * failure of the smallest number is the one that a single thread would have come upon.
 *
 * Which worker gets which piece is chance.  What a loop leaves behind must not depend on it: write
 * to the slots of the step or the piece, or keep by worker what may be put together in any order.
 *
 * With one thread none is started.  Cost: some 20 microseconds a thread, and O(1) a piece.
 */
struct esse_piece {
    uint32_t begin, end; /* the steps */
    uint32_t number;     /* of the piece: from 0 on, in the order of the steps */
    unsigned worker;     /* less than the loop's threads */
};

struct esse_loop {
    uint32_t count;
    uint32_t piece;   /* steps in a piece, at least 1; see esse_loop_piece() */
    unsigned threads; /* at least 1 */
    bool (*body)(void *context, const struct esse_piece *piece);
    void *context;
    struct esse_budget *budget; /* or NULL */
};

/* False if the budget is spent or a body returned false. */
bool esse_loop_run(const struct esse_loop *loop);

/* A size of pieces that leaves enough of them to share steps of uneven weight, such as keys. */
uint32_t esse_loop_piece(uint32_t count);

static inline uint32_t esse_loop_pieces(const struct esse_loop *loop)
{
    return loop->count / loop->piece + (loop->count % loop->piece != 0);
}

/* For each worker of a loop an arena of its own, and in it 'size' zeroed bytes: far from those of
 * the others, so that no two of them fight for a cache line. */
struct esse_worker {
    struct esse_arena *arena;
    void *state;
};
struct esse_worker *esse_workers_new(struct esse_arena *arena, unsigned threads, size_t size);
void esse_workers_free(struct esse_worker *workers, unsigned threads);

/* The threads that a user asked for; 0 stands for the processors that we may run on. */
unsigned esse_thread_count(unsigned asked);

/* As many of them as are worth starting for so many short steps of work. */
unsigned esse_threads_for(unsigned threads, uint64_t steps);

/*
 * Two threads and a ring of slots: the giver fills them in turn, the taker gets them in the same
 * order, and each waits while there is nothing for it.  A slot, and what the caller keeps in it,
 * belongs to one of the two at any time.
 *
 *     giver: while (esse_handover_free(&h, &slot)) { ... fill it ...; esse_handover_give(&h); }
 *     taker: slot = esse_handover_take(&h); ... empty it ...; esse_handover_return(&h);
 *
 * Cost: O(1), and a few microseconds where one has to be woken.
 */
struct esse_handover {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned slots, first, full; /* 'full' slots from 'first' on are the taker's */
    bool is_closed;
};

void esse_handover_init(struct esse_handover *handover, unsigned slots);
void esse_handover_release(struct esse_handover *handover);

/* The slot to fill next, when it is free; false if the taker wants no more. */
bool esse_handover_free(struct esse_handover *handover, unsigned *slot);
void esse_handover_give(struct esse_handover *handover);

/* The first slot that is full, when there is one; the same again until it is returned. */
unsigned esse_handover_take(struct esse_handover *handover);
void esse_handover_return(struct esse_handover *handover);
/* The taker wants no more. */
void esse_handover_close(struct esse_handover *handover);

/* Starts a thread that leaves the signals of the process to others.  False if there is none to be
 * had. */
bool esse_thread_start(pthread_t *thread, void *(*body)(void *), void *context);

#endif
