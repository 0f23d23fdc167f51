#include "base/guard.h"
#include "base/vec.h"
#include "base/word_map.h"
#include "evidence/commit_order_state.h"

#include <stdlib.h>
#include <string.h>

/* The axiom: no visible writer between the one that was read and the reader. */

/* A write that a read passed over, or with 'read' the access: t2, t3 and where t3 read. */
struct passed {
    uint32_t place; /* of the reader */
    uint32_t read, writer;
};
ESSE_VEC(passed_vec, struct passed)
ESSE_VEC(unit_vec, uint32_t)

struct checking {
    struct commit_order *co;
    struct passed_vec passed;
    const uint32_t *clock;        /* of the reader at hand */
    struct esse_word_map readers; /* session and writer: the first unit there that read from it */
};

/* ---- what is passed over ---- */

struct entry {
    uint32_t unit, access;
};

struct passing {
    const struct commit_order *co;
    uint32_t *first;             /* by key: sorted[first[k] .. first[k + 1]) */
    struct entry *sorted;        /* its accesses, in the commit order */
    struct esse_worker *workers; /* each with a struct passer */
};

struct passer {
    struct passed_vec passed;
    struct unit_vec writers; /* of the key at hand, so far */
};

static void pass_over(struct passer *passer, struct esse_arena *arena,
                      const struct commit_order *co, struct entry read)
{
    const struct unit_vec *writers = &passer->writers;
    uint32_t source = co->access[read.access].source;
    for (size_t i = writers->count; i-- > 0 && writers->at[i] != source;) {
        esse_guard_poll();
        passed_vec_push(&passer->passed, arena,
                        (struct passed){ co->place[read.unit], read.access, writers->at[i] });
    }
}

static bool walk_keys(void *context, const struct esse_piece *piece)
{
    const struct passing *p = context;
    const struct esse_worker *worker = &p->workers[piece->worker];
    struct passer *passer = worker->state;
    struct unit_vec *writers = &passer->writers;
    for (uint32_t key = piece->begin; key < piece->end; key++) {
        writers->count = 0;
        for (uint32_t i = p->first[key]; i < p->first[key + 1]; i++) {
            uint32_t source = p->co->access[p->sorted[i].access].source;
            uint32_t newest = writers->count ? writers->at[writers->count - 1] : CO_INITIAL;
            if (source != CO_WRITES && source != newest)
                pass_over(passer, worker->arena, p->co, p->sorted[i]);
            else if (source == CO_WRITES && newest != p->sorted[i].unit)
                unit_vec_push(writers, worker->arena, p->sorted[i].unit);
        }
    }
    return true;
}

/* The accesses of each key in the commit order, one key after the other. */
static void sort_by_key(struct passing *p)
{
    const struct commit_order *co = p->co;
    uint32_t *first = esse_arena_alloc(co->arena, co->history->keys + 2u, sizeof *first);
    for (uint32_t a = 0; a < co_slots(co); a++)
        first[co->access[a].key + 2] += co->access[a].source != CO_NOTHING;
    for (uint32_t key = 0; key < co->history->keys; key++)
        first[key + 2] += first[key + 1];
    struct entry *sorted = esse_arena_grow(
        co->arena, NULL, (first[co->history->keys + 1] + (size_t)1) * sizeof *sorted);
    for (uint32_t i = 0; i < co->order->count; i++) {
        uint32_t unit = co->order->events[i], end = co_end(co, unit);
        for (uint32_t a = co_first(co, unit); a < end; a++)
            if (co->access[a].source != CO_NOTHING)
                sorted[first[co->access[a].key + 1]++] = (struct entry){ unit, a };
    }
    p->first = first;
    p->sorted = sorted;
}

/* In no particular order. */
static void find_passed(struct checking *c)
{
    struct esse_arena *arena = c->co->arena;
    struct passing p = { .co = c->co };
    const struct esse_loop loop = co_loop(c->co, walk_keys, &p);
    sort_by_key(&p);
    p.workers = esse_workers_new(arena, loop.threads, sizeof(struct passer));
    esse_loop_run(&loop);
    for (unsigned i = 0; i < loop.threads; i++) {
        const struct passed_vec *passed = &((struct passer *)p.workers[i].state)->passed;
        if (passed->count)
            memcpy(passed_vec_extend(&c->passed, arena, passed->count), passed->at,
                   passed->count * sizeof *passed->at);
    }
    esse_workers_free(p.workers, loop.threads);
    esse_arena_drop(arena, p.sorted);
}

/* ---- φ, literally ---- */

static bool is_earlier(const struct commit_order *co, uint32_t a, uint32_t b)
{
    return a < b && co_session(co, a) == co_session(co, b);
}

static void note_readers(struct checking *c)
{
    const struct commit_order *co = c->co;
    esse_word_map_clear(&c->readers, co->arena, co->by_key.count);
    for (uint32_t unit = 0; unit < co->units; unit++)
        for (uint32_t a = co_first(co, unit); a < co_end(co, unit); a++) {
            bool fresh;
            if (!co_reads(co->access[a]))
                continue;
            uint64_t word = (uint64_t)co_session(co, unit) << 32 | co->access[a].source;
            uint32_t *reader = esse_word_map_put(&c->readers, word, &fresh);
            *reader = fresh ? unit : *reader;
        }
}

/* Did the session of 'unit' read from 'writer', at 'unit' or earlier? */
static bool has_read(const struct checking *c, uint32_t unit, uint32_t writer)
{
    uint64_t word = (uint64_t)co_session(c->co, unit) << 32 | writer;
    return esse_word_map_get(&c->readers, word, UINT32_MAX) <= unit;
}

static bool writes_same(const struct commit_order *co, uint32_t a, uint32_t b)
{
    for (uint32_t x = co_first(co, a); x < co_end(co, a); x++)
        for (uint32_t y = co_first(co, b); y < co_end(co, b); y++)
            if (co->access[x].source == CO_WRITES && co->access[y].source == CO_WRITES &&
                co->access[x].key == co->access[y].key)
                return true;
    return false;
}

/* Does some read of t3 before 'end' make t2 visible? */
static bool some_read(const struct checking *c, uint32_t t2, uint32_t t3, uint32_t end)
{
    const struct commit_order *co = c->co;
    for (uint32_t a = co_first(co, t3); a < end; a++) {
        uint32_t source = co->access[a].source;
        if (!co_reads(co->access[a]))
            continue;
        switch (co->level->phi) {
        case ESSE_PHI_WRITTEN:
            if (is_earlier(co, t2, source))
                return true;
            break;
        case ESSE_PHI_ANSWERED:
            if (has_read(c, source, t2))
                return true;
            break;
        case ESSE_PHI_PREFIX:
            if (co->place[source] >= co->place[t2])
                return true;
            break;
        default:
            if (source == t2)
                return true;
        }
    }
    return false;
}

static bool phi(const struct checking *c, uint32_t t2, uint32_t t3, uint32_t read)
{
    const struct commit_order *co = c->co;
    const uint32_t before = co->before[t3];
    switch (co->level->phi) {
    case ESSE_PHI_READ_EARLIER:
        return some_read(c, t2, t3, read);
    case ESSE_PHI_ATOMIC:
        return is_earlier(co, t2, t3) || some_read(c, t2, t3, co_end(co, t3));
    case ESSE_PHI_UPDATES:
        return is_earlier(co, t2, t3) || some_read(c, t2, t3, co_end(co, t3)) ||
               writes_same(co, t2, t3);
    case ESSE_PHI_OWN:
        return is_earlier(co, t2, t3);
    case ESSE_PHI_SEEN:
        return before != CO_NOWHERE && has_read(c, before, t2);
    case ESSE_PHI_PREFIX:
        return (before != CO_NOWHERE && co->place[before] >= co->place[t2]) ||
               some_read(c, t2, t3, co_end(co, t3));
    case ESSE_PHI_WRITTEN:
    case ESSE_PHI_ANSWERED:
        return some_read(c, t2, t3, co_end(co, t3));
    case ESSE_PHI_CAUSAL:
    case ESSE_PHI_PIPED:
    case ESSE_PHI_PARALLEL:
        return c->clock[co_session(co, t2)] > t2;
    case ESSE_PHI_NONE:
        break;
    }
    return true;
}

static int by_place(const void *a, const void *b)
{
    const struct passed *x = a, *y = b;
    return (x->place > y->place) - (x->place < y->place);
}

bool co_check_axiom(struct commit_order *co, struct esse_error *err)
{
    struct checking c = { .co = co };
    const bool clocked = co->level->phi == ESSE_PHI_CAUSAL || co->level->phi == ESSE_PHI_PIPED ||
                         co->level->phi == ESSE_PHI_PARALLEL;
    find_passed(&c);
    if (!c.passed.count)
        return true;
    qsort(c.passed.at, c.passed.count, sizeof *c.passed.at, by_place);
    if (co->level->phi == ESSE_PHI_SEEN || co->level->phi == ESSE_PHI_ANSWERED)
        note_readers(&c);
    struct co_clocks *clocks = clocked ? co_clocks_new(co) : NULL;
    size_t at = 0;
    for (uint32_t i = 0; i < co->order->count && at < c.passed.count; i++) {
        uint32_t t3 = co->order->events[i];
        if (clocks)
            c.clock = co_clocks_next(clocks, t3);
        for (; at < c.passed.count && c.passed.at[at].place == i; at++) {
            esse_guard_poll();
            if (phi(&c, c.passed.at[at].writer, t3, c.passed.at[at].read))
                return co_wrong(co, t3, "could see a newer version than it read", err);
        }
    }
    return true;
}
