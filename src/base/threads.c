#include "base/threads.h"

#include "base/guard.h"

#include <assert.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MOST_THREADS = 128, STEPS_A_THREAD = 1 << 14, MOST_PIECE = 64, FEWEST_PIECES = 256 };

struct crew {
    const struct esse_loop *loop;
    uint32_t pieces;
    _Atomic uint64_t next; /* the first piece that is not taken */
    atomic_bool stop, is_abandoned;
    const struct esse_guard *guard; /* of the calling thread, or NULL */
};

struct hand {
    struct crew *crew;
    unsigned worker;
    pthread_t thread;
};

/* Looks at the clock every time: a piece is long. */
static bool may_go_on(struct crew *crew)
{
    struct esse_budget *budget = crew->loop->budget;
    if (!budget)
        return true;
    budget->countdown = 0;
    uint64_t taken = atomic_load_explicit(&crew->next, memory_order_relaxed) * crew->loop->piece;
    return esse_budget_poll(budget, taken < crew->loop->count ? taken : crew->loop->count);
}

/* Asks whether to stop before it takes a piece, never after: what is taken is done. */
static void work(struct crew *crew, unsigned worker)
{
    const struct esse_loop *loop = crew->loop;
    while (!atomic_load_explicit(&crew->stop, memory_order_relaxed)) {
        bool ok = worker > 0 || may_go_on(crew);
        if (ok) {
            uint64_t number = atomic_fetch_add_explicit(&crew->next, 1, memory_order_relaxed);
            if (number >= crew->pieces)
                return;
            uint32_t begin = (uint32_t)number * loop->piece, left = loop->count - begin;
            struct esse_piece piece = { begin, begin + (left < loop->piece ? left : loop->piece),
                                        (uint32_t)number, worker };
            ok = loop->body(loop->context, &piece);
        }
        if (!ok)
            atomic_store_explicit(&crew->stop, true, memory_order_relaxed);
    }
}

static void work_guarded(void *context)
{
    struct hand *hand = context;
    work(hand->crew, hand->worker);
}

/* What one thread abandons all do. */
static void note_end(struct crew *crew, bool is_abandoned)
{
    if (!is_abandoned)
        return;
    atomic_store_explicit(&crew->is_abandoned, true, memory_order_relaxed);
    atomic_store_explicit(&crew->stop, true, memory_order_relaxed);
}

static void *hand_main(void *context)
{
    struct hand *hand = context;
    struct crew *crew = hand->crew;
    if (!crew->guard)
        work(crew, hand->worker);
    else
        note_end(crew, !esse_guard_help(crew->guard, &crew->stop, work_guarded, hand));
    return NULL;
}

/* The calling thread waits for the others before it abandons anything: they are at work on it. */
static void work_first(struct crew *crew)
{
    struct hand first = { .crew = crew };
    if (!crew->guard)
        work(crew, 0);
    else
        note_end(crew, !esse_guard_again(work_guarded, &first));
}

/* Fewer threads than wanted are no failure: the work gets done. */
bool esse_loop_run(const struct esse_loop *loop)
{
    assert(loop->piece > 0 && loop->threads > 0 && loop->threads <= MOST_THREADS);
    struct crew crew = { .loop = loop, .pieces = esse_loop_pieces(loop), .guard = esse_guard_here };
    struct hand hands[MOST_THREADS];
    unsigned count = 0;
    while (count + 1 < loop->threads && count + 1 < crew.pieces) {
        struct hand *hand = &hands[count];
        *hand = (struct hand){ .crew = &crew, .worker = count + 1 };
        if (!esse_thread_start(&hand->thread, hand_main, hand))
            break;
        count++;
    }
    work_first(&crew);
    while (count > 0)
        pthread_join(hands[--count].thread, NULL);
    if (crew.is_abandoned)
        esse_guard_abandon();
    return !atomic_load_explicit(&crew.stop, memory_order_relaxed);
}

uint32_t esse_loop_piece(uint32_t count)
{
    uint32_t piece = count / FEWEST_PIECES;
    return piece < 1 ? 1 : piece > MOST_PIECE ? MOST_PIECE : piece;
}

struct esse_worker *esse_workers_new(struct esse_arena *arena, unsigned threads, size_t size)
{
    struct esse_worker *workers = esse_arena_alloc(arena, threads, sizeof *workers);
    for (unsigned i = 0; i < threads; i++) {
        workers[i].arena = esse_arena_new();
        workers[i].state = esse_arena_alloc(workers[i].arena, 1, size);
    }
    return workers;
}

void esse_workers_free(struct esse_worker *workers, unsigned threads)
{
    for (unsigned i = 0; i < threads; i++)
        esse_arena_free(workers[i].arena);
}

unsigned esse_thread_count(unsigned asked)
{
    cpu_set_t set;
    if (asked == 0) {
        long online = sysconf(_SC_NPROCESSORS_ONLN);
        asked = online > 0 ? (unsigned)online : 1;
        if (sched_getaffinity(0, sizeof set, &set) == 0)
            asked = (unsigned)CPU_COUNT(&set);
    }
    return asked < MOST_THREADS ? asked : MOST_THREADS;
}

unsigned esse_threads_for(unsigned threads, uint64_t steps)
{
    uint64_t worth = steps / STEPS_A_THREAD;
    return worth < 1 ? 1 : worth < threads ? (unsigned)worth : threads;
}

bool esse_thread_start(pthread_t *thread, void *(*body)(void *), void *context)
{
    sigset_t ours, before;
    sigfillset(&ours);
    sigdelset(&ours, SIGSEGV); /* what a thread does itself is its own */
    sigdelset(&ours, SIGBUS);
    sigdelset(&ours, SIGFPE);
    sigdelset(&ours, SIGILL);
    pthread_sigmask(SIG_SETMASK, &ours, &before);
    bool ok = pthread_create(thread, NULL, body, context) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return ok;
}

void esse_handover_init(struct esse_handover *handover, unsigned slots)
{
    *handover = (struct esse_handover){ .slots = slots };
    pthread_mutex_init(&handover->lock, NULL);
    pthread_cond_init(&handover->changed, NULL);
}

void esse_handover_release(struct esse_handover *handover)
{
    pthread_cond_destroy(&handover->changed);
    pthread_mutex_destroy(&handover->lock);
}

bool esse_handover_free(struct esse_handover *handover, unsigned *slot)
{
    pthread_mutex_lock(&handover->lock);
    while (handover->full == handover->slots && !handover->is_closed)
        pthread_cond_wait(&handover->changed, &handover->lock);
    *slot = (handover->first + handover->full) % handover->slots;
    const bool wanted = !handover->is_closed;
    pthread_mutex_unlock(&handover->lock);
    return wanted;
}

void esse_handover_give(struct esse_handover *handover)
{
    pthread_mutex_lock(&handover->lock);
    handover->full++;
    pthread_cond_signal(&handover->changed);
    pthread_mutex_unlock(&handover->lock);
}

unsigned esse_handover_take(struct esse_handover *handover)
{
    pthread_mutex_lock(&handover->lock);
    while (!handover->full)
        pthread_cond_wait(&handover->changed, &handover->lock);
    const unsigned slot = handover->first;
    pthread_mutex_unlock(&handover->lock);
    return slot;
}

void esse_handover_return(struct esse_handover *handover)
{
    pthread_mutex_lock(&handover->lock);
    handover->first = (handover->first + 1) % handover->slots;
    handover->full--;
    pthread_cond_signal(&handover->changed);
    pthread_mutex_unlock(&handover->lock);
}

void esse_handover_close(struct esse_handover *handover)
{
    pthread_mutex_lock(&handover->lock);
    handover->is_closed = true;
    pthread_cond_signal(&handover->changed);
    pthread_mutex_unlock(&handover->lock);
}
