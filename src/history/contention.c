#include "history/contention.h"

#include "base/arena.h"
#include "history/access.h"

#include <stdlib.h>

/* A transaction, to be sorted by when it started or ended. */
struct turn {
    int64_t time;
    uint32_t txn;
};

/* Of a key, among the transactions that wrote it and have started: which ends last, and when the
 * last of the others ends. */
struct latest {
    int64_t end, others;
    uint32_t txn;
};

struct counting {
    const struct esse_history *history;
    struct esse_budget *budget;
    struct latest *latest; /* by key, the last for all keys */
    uint64_t reads, contended;
};

static bool is_read(struct esse_access access)
{
    return access.kind == ESSE_OP_READ && !esse_value_eq(access.value, ESSE_NONE);
}

/* ---- with times ---- */

static int by_time(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;
    return x->time != y->time ? (x->time > y->time) - (x->time < y->time)
                              : (x->txn > y->txn) - (x->txn < y->txn);
}

/* Histories are recorded as transactions end, so ends are in order and starts nearly: each moves
 * back over about as many as were open with it.  Where that is not so, any sort will do. */
static void sort_turns(struct turn *turns, uint32_t count)
{
    enum { MOVES = 64 };
    uint64_t moves = 0;
    for (uint32_t i = 1; i < count; i++) {
        const struct turn turn = turns[i];
        uint32_t at = i;
        for (; at > 0 && by_time(&turns[at - 1], &turn) > 0; at--, moves++)
            turns[at] = turns[at - 1];
        turns[at] = turn;
        if (moves > (uint64_t)MOVES * (i + 1000)) {
            qsort(turns, count, sizeof *turns, by_time);
            return;
        }
    }
}

static int64_t begin_of(const struct counting *c, uint32_t txn)
{
    return c->history->txn_time[txn].begin;
}

static int64_t end_of(const struct counting *c, uint32_t txn)
{
    const int64_t end = c->history->txn_time[txn].end;
    return end == ESSE_NO_TIME ? INT64_MAX : end;
}

static void enter(struct counting *c, uint32_t txn, uint32_t key)
{
    struct latest *latest = &c->latest[key];
    const int64_t end = end_of(c, txn);
    if (latest->txn == txn)
        return;
    if (end > latest->end)
        *latest = (struct latest){ end, latest->end, txn };
    else if (end > latest->others)
        latest->others = end;
}

/* What a transaction writes, when it starts. */
static void enter_txn(struct counting *c, uint32_t txn)
{
    const struct esse_history *history = c->history;
    const uint32_t end = history->txn_op[txn + 1];
    for (uint32_t op = history->txn_op[txn]; op < end; op++) {
        const uint32_t count =
            history->op_kind[op] == ESSE_OP_READ ? 0 : esse_access_count(history, op);
        for (uint32_t i = 0; i < count; i++) {
            const struct esse_access access = esse_access_at(history, op, i);
            if (access.kind == ESSE_OP_READ)
                continue;
            enter(c, txn, access.key.ix);
            if (history->has & ESSE_HAS_PREDICATES)
                enter(c, txn, history->keys);
        }
    }
}

/* A read when its transaction ends: all that overlap with it have started. */
static void look(struct counting *c, uint32_t txn, uint32_t key)
{
    const struct latest *latest = &c->latest[key];
    const int64_t end = latest->txn == txn ? latest->others : latest->end;
    c->reads++;
    c->contended += begin_of(c, txn) != ESSE_NO_TIME && end >= begin_of(c, txn);
}

static void look_at_txn(struct counting *c, uint32_t txn)
{
    const struct esse_history *history = c->history;
    const uint32_t end = history->txn_op[txn + 1];
    for (uint32_t op = history->txn_op[txn]; op < end; op++) {
        const bool is_predicate = esse_op_is_predicate(history->op_kind[op]);
        const uint32_t count = history->op_kind[op] == ESSE_OP_READ || is_predicate
                                   ? esse_access_count(history, op)
                                   : 0;
        for (uint32_t i = 0; i < count; i++) {
            const struct esse_access access = esse_access_at(history, op, i);
            if (is_read(access))
                look(c, txn, access.key.ix);
        }
        if (is_predicate)
            look(c, txn, history->keys);
    }
}

static bool sweep(struct counting *c, const struct turn *starts, uint32_t started,
                  const struct turn *ends, uint32_t ended)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < ended; i++) {
        if (!esse_budget_poll(c->budget, i))
            return false;
        for (; next < started && starts[next].time <= ends[i].time; next++)
            enter_txn(c, starts[next].txn);
        look_at_txn(c, ends[i].txn);
    }
    return true;
}

static bool count_by_time(struct counting *c, struct esse_arena *arena)
{
    const struct esse_history *history = c->history;
    struct turn *starts = esse_arena_alloc(arena, history->txns + 1u, sizeof *starts);
    struct turn *ends = esse_arena_alloc(arena, history->txns + 1u, sizeof *ends);
    uint32_t started = 0, ended = 0;
    c->latest = esse_arena_alloc(arena, history->keys + 1u, sizeof *c->latest);
    for (uint32_t k = 0; k <= history->keys; k++)
        c->latest[k] = (struct latest){ INT64_MIN, INT64_MIN, ESSE_NO_TXN };
    for (uint32_t t = 0; t < history->txns; t++) {
        if (begin_of(c, t) != ESSE_NO_TIME)
            starts[started++] = (struct turn){ begin_of(c, t), t };
        if (history->txn_status[t] == ESSE_COMMITTED)
            ends[ended++] = (struct turn){ end_of(c, t), t };
    }
    sort_turns(starts, started);
    sort_turns(ends, ended);
    return sweep(c, starts, started, ends, ended);
}

/* ---- without ---- */

enum { SEVERAL = ESSE_NO_SESSION - 1 };

static void note_writers(const struct esse_history *history, uint32_t *writer)
{
    for (uint32_t t = 0; t < history->txns; t++) {
        struct esse_access_walk walk = esse_accesses_of(history, t);
        while (esse_access_next(&walk)) {
            uint32_t *at = &writer[walk.access.key.ix];
            if (walk.access.kind != ESSE_OP_READ)
                *at = *at == ESSE_NO_SESSION || *at == history->txn_session[t]
                          ? history->txn_session[t]
                          : (uint32_t)SEVERAL;
        }
    }
}

static bool count_by_key(struct counting *c, struct esse_arena *arena)
{
    const struct esse_history *history = c->history;
    uint32_t *writer = esse_arena_alloc(arena, history->keys + 1u, sizeof *writer);
    for (uint32_t k = 0; k < history->keys; k++)
        writer[k] = ESSE_NO_SESSION;
    note_writers(history, writer);
    for (uint32_t t = 0; t < history->txns; t++) {
        if (!esse_budget_poll(c->budget, t))
            return false;
        struct esse_access_walk walk = esse_accesses_of(history, t);
        while (history->txn_status[t] == ESSE_COMMITTED && esse_access_next(&walk)) {
            const uint32_t by = writer[walk.access.key.ix];
            c->reads += is_read(walk.access);
            c->contended +=
                is_read(walk.access) && by != ESSE_NO_SESSION && by != history->txn_session[t];
        }
    }
    return true;
}

bool esse_contention_count(const struct esse_history *history, struct esse_budget *budget,
                           struct esse_tested *tested)
{
    struct esse_arena *scratch = esse_arena_new();
    struct counting c = { .history = history, .budget = budget };
    esse_budget_phase(budget, "counting contended reads", history->txns);
    const bool ok = history->txn_time ? count_by_time(&c, scratch) : count_by_key(&c, scratch);
    *tested = (struct esse_tested){ ok, history->txn_time != NULL, c.reads, c.contended };
    esse_arena_free(scratch);
    return ok;
}
