#include "formats/portions.h"

#include "base/arena.h"
#include "base/guard.h"
#include "base/threads.h"

#include <assert.h>

/* What more of them scan, the one that takes it cannot keep up with. */
enum { MOST_THREADS = 8 };

struct portion {
    struct esse_source lines;
    void *state;
    bool is_scanned;
};

/* The portions 'first' .. 'first' + 'used' are cut, or one is being cut; in a ring. */
struct portions {
    const struct esse_portion_reader *reader;
    struct esse_source source; /* what was lent; with its arena, whoever cuts uses it */
    struct esse_arena *arena;  /* of the windows */
    size_t bytes;
    struct portion *ring;
    unsigned count;
    const struct esse_guard *guard; /* that the calling thread is in, or NULL */
    struct esse_budget *budget;
    uint64_t line, column; /* of what is taken next */

    pthread_mutex_t lock; /* of the following */
    pthread_cond_t changed;
    unsigned first, used;
    bool is_cutting;
    bool is_closed; /* nothing more is cut: the end, an error, or what is left is not wanted */
    bool failed;    /* with this error, after the last portion */
    struct esse_error error;

    atomic_bool stop, is_abandoned;
};

/* ---- every thread's ---- */

static struct portion *oldest(const struct portions *p)
{
    return &p->ring[p->first];
}

static bool may_cut(const struct portions *p)
{
    return !p->is_closed && !p->is_cutting && p->used < p->count;
}

/* With the lock held: the portion to cut next. */
static struct portion *begin_cut(struct portions *p)
{
    struct portion *portion = &p->ring[(p->first + p->used) % p->count];
    portion->is_scanned = false;
    p->is_cutting = true;
    p->used++;
    return portion;
}

/* Without the lock: it is this thread's as long as 'is_cutting'. */
static bool cut(struct portions *p, struct portion *portion)
{
    struct esse_error error = { 0 };
    const bool ok = esse_source_cut(&p->source, &portion->lines, p->bytes, &error);
    const bool is_empty = !ok || portion->lines.at == portion->lines.end;
    pthread_mutex_lock(&p->lock);
    p->is_cutting = false;
    if (is_empty) {
        p->used--;
        p->is_closed = true;
        p->failed = !ok;
        p->error = error;
    }
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    return !is_empty;
}

static void scan(struct portions *p, struct portion *portion)
{
    if (!cut(p, portion))
        return;
    p->reader->scan(p->reader->context, portion->state, &portion->lines);
    portion->lines.at = portion->lines.window; /* nothing of it is taken */
    pthread_mutex_lock(&p->lock);
    portion->is_scanned = true;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

static void close_portions(struct portions *p)
{
    pthread_mutex_lock(&p->lock);
    p->is_closed = true;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

/* ---- a helper's ---- */

static void scan_on(void *context)
{
    struct portions *p = context;
    for (;;) {
        pthread_mutex_lock(&p->lock);
        while (!may_cut(p) && !p->is_closed)
            pthread_cond_wait(&p->changed, &p->lock);
        struct portion *portion = p->is_closed ? NULL : begin_cut(p);
        pthread_mutex_unlock(&p->lock);
        if (!portion)
            return;
        scan(p, portion);
    }
}

/* What one thread abandons all do. */
static void abandon_all(struct portions *p)
{
    atomic_store(&p->is_abandoned, true);
    atomic_store(&p->stop, true);
    close_portions(p);
}

static void *help(void *context)
{
    struct portions *p = context;
    if (!p->guard)
        scan_on(p);
    else if (!esse_guard_help(p->guard, &p->stop, scan_on, p))
        abandon_all(p);
    return NULL;
}

/* ---- the calling thread's ---- */

enum step { TAKE, SCAN, END };

/* What there is to do; the portion for it. */
static enum step next_step(struct portions *p, struct portion **portion)
{
    enum step step = END;
    pthread_mutex_lock(&p->lock);
    for (;;) {
        if (atomic_load(&p->is_abandoned) || (!p->used && p->is_closed))
            break;
        if (p->used && oldest(p)->is_scanned) {
            *portion = oldest(p);
            step = TAKE;
            break;
        }
        if (may_cut(p)) {
            *portion = begin_cut(p);
            step = SCAN;
            break;
        }
        pthread_cond_wait(&p->changed, &p->lock);
    }
    pthread_mutex_unlock(&p->lock);
    return step;
}

static void return_portion(struct portions *p)
{
    pthread_mutex_lock(&p->lock);
    oldest(p)->is_scanned = false;
    p->first = (p->first + 1) % p->count;
    p->used--;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

/* 'is_left': it was not understood to its end, and stays the oldest. */
static bool take(struct portions *p, struct portion *portion, bool *is_left, struct esse_error *err)
{
    struct esse_source *lines = &portion->lines;
    lines->mark = lines->window;
    lines->mark_line = p->line;
    lines->mark_column = p->column;
    if (!p->reader->take(p->reader->context, portion->state, lines, err))
        return false;
    p->line = esse_source_line(lines, lines->at);
    p->column = lines->mark_column;
    *is_left = lines->at < lines->end;
    if (!*is_left)
        return_portion(p);
    return true;
}

static bool take_all(struct portions *p, struct esse_error *err)
{
    struct portion *portion = NULL;
    bool is_left = false;
    for (enum step step; !is_left && (step = next_step(p, &portion)) != END;) {
        if (step == SCAN)
            scan(p, portion);
        else if (!take(p, portion, &is_left, err))
            return false;
        if (!esse_source_may_go_on(p->budget, esse_source_consumed(&p->source), err))
            return false;
    }
    if (is_left || !p->failed) /* if nothing is left, no thread cuts any more */
        return true;
    *err = p->error;
    return false;
}

struct taking {
    struct portions *portions;
    struct esse_error *err;
    bool ok;
};

static void take_portions(void *context)
{
    struct taking *taking = context;
    taking->ok = take_all(taking->portions, taking->err);
}

/* All have ended before anything is abandoned: they are at work on it. */
static bool take_with_help(struct portions *p, unsigned threads, struct esse_error *err)
{
    struct taking taking = { .portions = p, .err = err };
    pthread_t helpers[MOST_THREADS];
    unsigned count = 0;
    while (count + 1 < threads && esse_thread_start(&helpers[count], help, p))
        count++;
    if (!p->guard)
        take_portions(&taking);
    else if (!esse_guard_again(take_portions, &taking))
        abandon_all(p);
    close_portions(p);
    while (count > 0)
        pthread_join(helpers[--count], NULL);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    return taking.ok;
}

static void init(struct portions *p)
{
    p->ring = esse_arena_alloc(p->arena, p->count, sizeof *p->ring);
    for (unsigned i = 0; i < p->count; i++) {
        p->ring[i].lines.arena = esse_arena_new();
        p->ring[i].state = esse_arena_alloc(p->arena, 1, p->reader->size);
        p->reader->init(p->reader->context, p->ring[i].state);
    }
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
}

/* What was cut and not taken is the source's again. */
static void give_back(struct portions *p, struct esse_source *source)
{
    for (unsigned i = p->used; i-- > 0;)
        esse_source_put_back(&p->source, &p->ring[(p->first + i) % p->count].lines);
    p->source.mark_line = p->line;
    p->source.mark_column = p->column;
    esse_source_return(source, &p->source);
}

static void release(struct portions *p)
{
    for (unsigned i = 0; i < p->count; i++) {
        p->reader->release(p->reader->context, p->ring[i].state);
        esse_arena_free(p->ring[i].lines.arena);
    }
    esse_arena_free(p->arena);
}

bool esse_portions_read(struct esse_source *source, const struct esse_portion_reader *reader,
                        unsigned threads, size_t bytes, struct esse_error *err)
{
    assert(threads > 0);
    threads = threads < MOST_THREADS ? threads : MOST_THREADS;
    struct portions p = { .reader = reader,
                          .arena = esse_arena_new(),
                          .bytes = bytes,
                          .count = 2 * threads + 1,
                          .guard = esse_guard_here,
                          .budget = source->budget };
    esse_source_lend(source, &p.source, p.arena);
    p.line = source->mark_line;
    p.column = source->mark_column;
    init(&p);
    const bool ok = take_with_help(&p, threads, err);
    if (atomic_load(&p.is_abandoned))
        esse_guard_abandon(); /* which frees the arenas */
    give_back(&p, source);
    release(&p);
    return ok;
}
