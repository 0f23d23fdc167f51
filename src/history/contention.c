#include "history/contention.h"

#include "base/arena.h"
#include "history/access.h"

#include <stdlib.h>
#include <string.h>

/* A transaction, to be sorted by its start. */
struct turn {
    int64_t begin;
    uint32_t txn;
};

struct counting {
    const struct esse_history *history;
    struct esse_budget *budget;
    struct turn *turns;
    int64_t *edge;    /* by key, the last for all: the latest end, then the earliest start, of those
                         that wrote it and had their turn */
    uint8_t *is_seen; /* a bit an access: it is contended */
    uint64_t *first;  /* by operation: its first bit, and one for a predicate itself behind its
                         rows'; NULL: one each */
    uint64_t reads, contended;
};

/* ---- with times ---- */

static int by_begin(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;
    return x->begin != y->begin ? (x->begin > y->begin) - (x->begin < y->begin)
                                : (x->txn > y->txn) - (x->txn < y->txn);
}

/* Histories are recorded as transactions end, so the starts are nearly in order: each moves back
 * over about as many as were open with it.  Where that is not so, any sort will do. */
static void sort_turns(struct turn *turns, uint32_t count)
{
    enum { MOVES = 64 };
    uint64_t moves = 0;
    for (uint32_t i = 1; i < count; i++) {
        const struct turn turn = turns[i];
        uint32_t at = i;
        for (; at > 0 && by_begin(&turns[at - 1], &turn) > 0; at--, moves++)
            turns[at] = turns[at - 1];
        turns[at] = turn;
        if (moves > (uint64_t)MOVES * (i + 1000)) {
            qsort(turns, count, sizeof *turns, by_begin);
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

static bool is_read(struct esse_access access)
{
    return access.kind == ESSE_OP_READ && !esse_value_eq(access.value, ESSE_NONE);
}

/* Marks the read at 'at' if one that wrote the key before (or after) it overlaps with it. */
static void look(struct counting *c, uint32_t txn, uint32_t key, bool forwards, uint64_t at)
{
    const bool overlaps =
        forwards ? c->edge[key] > begin_of(c, txn) : c->edge[key] < end_of(c, txn);
    const uint8_t bit = (uint8_t)(1u << at % 8);
    if (forwards)
        c->reads++;
    if (!overlaps || (c->is_seen[at / 8] & bit))
        return;
    c->is_seen[at / 8] |= bit;
    c->contended++;
}

static void enter(struct counting *c, uint32_t txn, uint32_t key, bool forwards)
{
    const int64_t time = forwards ? end_of(c, txn) : begin_of(c, txn);
    if (forwards ? time > c->edge[key] : time < c->edge[key])
        c->edge[key] = time;
}

static uint64_t first_bit(const struct counting *c, uint32_t op)
{
    return c->first ? c->first[op] : op;
}

static void look_at_op(struct counting *c, uint32_t txn, uint32_t op, bool forwards)
{
    const struct esse_history *history = c->history;
    const uint32_t count = esse_access_count(history, op);
    for (uint32_t i = 0; i < count; i++) {
        const struct esse_access access = esse_access_at(history, op, i);
        if (is_read(access))
            look(c, txn, access.key.ix, forwards, first_bit(c, op) + i);
    }
    if (esse_op_is_predicate(history->op_kind[op]))
        look(c, txn, history->keys, forwards, first_bit(c, op) + count);
}

static void enter_op(struct counting *c, uint32_t txn, uint32_t op, bool forwards)
{
    for (uint32_t i = 0; i < esse_access_count(c->history, op); i++) {
        const struct esse_access access = esse_access_at(c->history, op, i);
        if (access.kind == ESSE_OP_READ)
            continue;
        enter(c, txn, access.key.ix, forwards);
        if (c->first)
            enter(c, txn, c->history->keys, forwards);
    }
}

/* The reads of a transaction, and then its writes, so that it does not contend with itself. */
static void take_turn(struct counting *c, uint32_t txn, bool forwards)
{
    const struct esse_history *history = c->history;
    const uint32_t begin = history->txn_op[txn], end = history->txn_op[txn + 1];
    for (uint32_t op = begin; history->txn_status[txn] == ESSE_COMMITTED && op < end; op++)
        if (history->op_kind[op] == ESSE_OP_READ || c->first)
            look_at_op(c, txn, op, forwards);
    for (uint32_t op = begin; op < end; op++)
        if (history->op_kind[op] != ESSE_OP_READ)
            enter_op(c, txn, op, forwards);
}

static bool sweep(struct counting *c, uint32_t turns, bool forwards)
{
    for (uint32_t k = 0; k <= c->history->keys; k++)
        c->edge[k] = forwards ? INT64_MIN : INT64_MAX;
    for (uint32_t i = 0; i < turns; i++) {
        if (!esse_budget_poll(c->budget, i))
            return false;
        take_turn(c, c->turns[forwards ? i : turns - 1 - i].txn, forwards);
    }
    return true;
}

/* Returns how many there are. */
static uint64_t number_accesses(struct counting *c, struct esse_arena *arena)
{
    const struct esse_history *history = c->history;
    uint64_t accesses = 0;
    if (!(history->has & ESSE_HAS_PREDICATES))
        return history->ops;
    c->first = esse_arena_alloc(arena, history->ops + 1u, sizeof *c->first);
    for (uint32_t op = 0; op < history->ops; op++) {
        c->first[op] = accesses;
        accesses += esse_access_count(history, op) + 1u;
    }
    return accesses;
}

static bool count_by_time(struct counting *c, struct esse_arena *arena)
{
    const struct esse_history *history = c->history;
    const uint64_t accesses = number_accesses(c, arena);
    uint32_t turns = 0;
    c->turns = esse_arena_alloc(arena, history->txns + 1u, sizeof *c->turns);
    c->edge = esse_arena_alloc(arena, history->keys + 1u, sizeof *c->edge);
    c->is_seen = esse_arena_alloc(arena, accesses / 8 + 1, 1);
    memset(c->is_seen, 0, accesses / 8 + 1);
    for (uint32_t t = 0; t < history->txns; t++)
        if (begin_of(c, t) != ESSE_NO_TIME)
            c->turns[turns++] = (struct turn){ begin_of(c, t), t };
    sort_turns(c->turns, turns);
    return sweep(c, turns, true) && sweep(c, turns, false);
}

/* ---- without ---- */

enum { NO_SESSION = UINT32_MAX, SEVERAL = UINT32_MAX - 1 };

static void note_writers(const struct esse_history *history, uint32_t *writer)
{
    for (uint32_t t = 0; t < history->txns; t++)
        for (uint32_t op = history->txn_op[t]; op < history->txn_op[t + 1]; op++)
            for (uint32_t i = 0; i < esse_access_count(history, op); i++) {
                const struct esse_access access = esse_access_at(history, op, i);
                uint32_t *at = &writer[access.key.ix];
                if (access.kind != ESSE_OP_READ)
                    *at = *at == NO_SESSION || *at == history->txn_session[t]
                              ? history->txn_session[t]
                              : (uint32_t)SEVERAL;
            }
}

static bool count_by_key(struct counting *c, struct esse_arena *arena)
{
    const struct esse_history *history = c->history;
    uint32_t *writer = esse_arena_alloc(arena, history->keys + 1u, sizeof *writer);
    for (uint32_t k = 0; k < history->keys; k++)
        writer[k] = NO_SESSION;
    note_writers(history, writer);
    for (uint32_t t = 0; t < history->txns; t++) {
        if (!esse_budget_poll(c->budget, t))
            return false;
        for (uint32_t op = history->txn_op[t];
             history->txn_status[t] == ESSE_COMMITTED && op < history->txn_op[t + 1]; op++)
            for (uint32_t i = 0; i < esse_access_count(history, op); i++) {
                const struct esse_access access = esse_access_at(history, op, i);
                const uint32_t by = writer[access.key.ix];
                c->reads += is_read(access);
                c->contended +=
                    is_read(access) && by != NO_SESSION && by != history->txn_session[t];
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
