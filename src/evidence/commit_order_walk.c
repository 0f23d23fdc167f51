#include "base/guard.h"
#include "base/vec.h"
#include "evidence/commit_order_state.h"
#include "evidence/proved_note.h"

/*
 * One walk along the order, with the newest version of every key at hand.  A read that returns the
 * newest version has no writer between its source and itself, so the axiom says nothing about it.
 * For the others the writers between are at hand too, and φ is asked of each.  (Of two reads of a
 * key that differ, the one of the older version passes over a writer that was read from.)
 *
 * With duplicate values the writer of a read is a choice; here it is the newest that wrote the
 * value, for every read alike, so wr is one choice throughout.
 */
#define NO_OP UINT32_MAX

enum { STEPS_AN_OP = 4 }; /* that are worth more than the whole check */

struct version {
    esse_value value;
    uint32_t op; /* that installed it; NO_OP: the initial version */
};

/* A read of the unit at hand that depends on others. */
struct reading {
    uint32_t op, newest; /* the newest write when it read */
    uint32_t source;     /* the write that it returned, or NO_OP */
};
ESSE_VEC(reading_vec, struct reading)
ESSE_VEC(past_vec, uint32_t)

struct walking {
    struct esse_arena *arena;
    const struct esse_history *history;
    enum esse_phi phi;
    const struct esse_order *order;
    uint32_t *place;     /* by transaction, or CO_NOWHERE */
    uint32_t *previous;  /* by transaction: the one before it in its session, or CO_NOWHERE */
    struct version *key; /* by key: the newest version */
    esse_value *initial; /* by key */
    uint32_t *before;    /* by operation that writes: the installed write before it, or NO_OP */
    uint64_t steps;      /* back along these that are left */
    struct reading_vec reads;
    bool stale;           /* one of the reads is */
    uint32_t *met;        /* by transaction: the place of the last that has it in its past */
    struct past_vec past; /* still to be looked at */
};

static uint32_t txn_of(const struct walking *w, uint32_t op)
{
    return esse_op_txn(w->history, op).ix;
}

static bool is_of(const struct walking *w, uint32_t txn, uint32_t op)
{
    return op != NO_OP && w->history->txn_op[txn] <= op && op < w->history->txn_op[txn + 1];
}

/* ---- the order itself ---- */

/* Every committed transaction once, no aborted one, sessions in their order. */
static bool is_order(struct walking *w)
{
    const struct esse_history *history = w->history;
    uint32_t *last = esse_arena_alloc(w->arena, history->sessions + 1u, sizeof *last);
    for (uint32_t txn = 0; txn < history->txns; txn++)
        w->place[txn] = CO_NOWHERE;
    for (uint32_t i = 0; i < w->order->count; i++) {
        uint32_t txn = w->order->events[i];
        if (txn >= history->txns || history->txn_status[txn] == ESSE_ABORTED ||
            w->place[txn] != CO_NOWHERE || last[history->txn_session[txn]] > txn)
            return false;
        uint32_t *before = &last[history->txn_session[txn]];
        w->place[txn] = i;
        w->previous[txn] = *before ? *before - 1 : CO_NOWHERE;
        *before = txn + 1;
    }
    for (uint32_t txn = 0; txn < history->txns; txn++)
        if (history->txn_status[txn] == ESSE_COMMITTED && w->place[txn] == CO_NOWHERE)
            return false;
    return true;
}

/* ---- what was read ---- */

/* The newest write of a value to the key of 'read', from 'op' back and before 'place'; false if
 * there is none. */
static bool find_source(struct walking *w, uint32_t read, uint32_t op, uint32_t place,
                        uint32_t *source)
{
    const struct esse_history *history = w->history;
    for (; w->steps; w->steps--) {
        *source = op;
        if (op == NO_OP)
            return esse_value_eq(history->op_value[read], w->initial[history->op_key[read]]);
        if (esse_value_eq(history->op_value[op], history->op_value[read]) &&
            w->place[txn_of(w, op)] < place)
            return true;
        op = w->before[op];
    }
    return false;
}

static bool take_read(struct walking *w, uint32_t txn, uint32_t read)
{
    const struct version *newest = &w->key[w->history->op_key[read]];
    struct reading reading = { read, newest->op, newest->op };
    bool same = esse_value_eq(newest->value, w->history->op_value[read]);
    if (is_of(w, txn, newest->op) || esse_value_eq(w->history->op_value[read], ESSE_NONE))
        return same || esse_value_eq(w->history->op_value[read], ESSE_NONE);
    if (!same && !find_source(w, read, newest->op, w->place[txn], &reading.source))
        return false;
    w->stale |= !same;
    reading_vec_push(&w->reads, w->arena, reading);
    return true;
}

static void take_write(struct walking *w, uint32_t txn, uint32_t op)
{
    struct version *newest = &w->key[w->history->op_key[op]];
    w->before[op] = is_of(w, txn, newest->op) ? w->before[newest->op] : newest->op;
    *newest = (struct version){ w->history->op_value[op], op };
}

/* ---- the past of a unit: (so ∪ wr)⁺, back to 'floor' ---- */

static void remember(struct walking *w, uint32_t now, uint32_t txn, uint32_t floor)
{
    if (txn == CO_NOWHERE || w->place[txn] < floor || w->met[txn] == now)
        return;
    w->met[txn] = now;
    past_vec_push(&w->past, w->arena, txn);
}

static bool is_own_read(struct walking *w, uint32_t txn, uint32_t read)
{
    const struct esse_history *history = w->history;
    for (uint32_t op = history->txn_op[txn]; op < read && w->steps; op++, w->steps--)
        if (history->op_key[op] == history->op_key[read] && history->op_kind[op] != ESSE_OP_READ)
            return true;
    return false;
}

static bool remember_causes(struct walking *w, uint32_t now, uint32_t txn, uint32_t floor)
{
    const struct esse_history *history = w->history;
    remember(w, now, w->previous[txn], floor);
    for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++) {
        uint32_t source;
        if (history->op_kind[op] != ESSE_OP_READ || is_own_read(w, txn, op) ||
            esse_value_eq(history->op_value[op], ESSE_NONE))
            continue;
        if (!find_source(w, op, w->key[history->op_key[op]].op, w->place[txn], &source))
            return false;
        if (source != NO_OP)
            remember(w, now, txn_of(w, source), floor);
    }
    return true;
}

static bool find_past(struct walking *w, uint32_t txn, uint32_t floor)
{
    const uint32_t now = w->place[txn] + 1;
    w->past.count = 0;
    bool ok = remember_causes(w, now, txn, floor);
    while (ok && w->past.count)
        ok = remember_causes(w, now, w->past.at[--w->past.count], floor);
    return ok;
}

/* ---- φ ---- */

/* Did the unit at hand read from t2, before the operation 'end'? */
static bool has_read(const struct walking *w, uint32_t t2, uint32_t end)
{
    for (size_t i = 0; i < w->reads.count && w->reads.at[i].op < end; i++)
        if (is_of(w, t2, w->reads.at[i].source))
            return true;
    return false;
}

static bool phi(const struct walking *w, uint32_t t2, uint32_t t3, uint32_t read)
{
    switch (w->phi) {
    case ESSE_PHI_READ_EARLIER:
        return has_read(w, t2, read);
    case ESSE_PHI_ATOMIC:
        return w->history->txn_session[t2] == w->history->txn_session[t3] || has_read(w, t2, NO_OP);
    case ESSE_PHI_CAUSAL:
        return w->met[t2] == w->place[t3] + 1;
    default:
        return true;
    }
}

/* Asks φ of every writer between the source of a read and the unit at hand. */
static bool keeps_axiom(struct walking *w, uint32_t txn, const struct reading *read)
{
    for (uint32_t op = read->newest; op != read->source; op = w->before[op]) {
        if (w->steps <= w->reads.count || phi(w, txn_of(w, op), txn, read->op))
            return false;
        w->steps -= w->reads.count;
    }
    return true;
}

/* The place of the first write that a read of the unit at hand passes over. */
static uint32_t first_passed(const struct walking *w)
{
    uint32_t first = CO_NOWHERE;
    for (size_t i = 0; i < w->reads.count; i++)
        for (uint32_t op = w->reads.at[i].newest; op != w->reads.at[i].source; op = w->before[op])
            if (w->place[txn_of(w, op)] < first)
                first = w->place[txn_of(w, op)];
    return first;
}

static bool walk_unit(struct walking *w, uint32_t txn)
{
    const struct esse_history *history = w->history;
    bool ok = true;
    esse_guard_poll();
    w->reads.count = 0;
    w->stale = false;
    for (uint32_t op = history->txn_op[txn]; ok && op < history->txn_op[txn + 1]; op++)
        if (history->op_kind[op] == ESSE_OP_READ)
            ok = take_read(w, txn, op);
        else
            take_write(w, txn, op);
    if (!w->stale)
        return ok;
    ok = ok && (w->phi != ESSE_PHI_CAUSAL || find_past(w, txn, first_passed(w)));
    for (size_t i = 0; ok && i < w->reads.count; i++)
        ok = keeps_axiom(w, txn, &w->reads.at[i]);
    return ok;
}

/* ---- all of it ---- */

static bool is_known(const struct esse_level *level, const struct esse_history *history)
{
    const unsigned shown =
        ESSE_HAS_APPENDS | ESSE_HAS_LIST_READS | ESSE_HAS_PREDICATES | ESSE_HAS_VERSION_ORDER;
    return (level->phi == ESSE_PHI_READ_EARLIER || level->phi == ESSE_PHI_ATOMIC ||
            level->phi == ESSE_PHI_CAUSAL) &&
           !esse_level_is_of_operations(level) && level->needs_session_order &&
           esse_level_sees_own_writes(level) && !(history->has & shown);
}

static void make_room(struct walking *w)
{
    const struct esse_history *history = w->history;
    const size_t txns = (history->txns + (size_t)1) * sizeof(uint32_t);
    w->place = esse_arena_grow(w->arena, NULL, txns);
    w->previous = esse_arena_grow(w->arena, NULL, txns);
    w->met = esse_arena_alloc(w->arena, history->txns + (size_t)1, sizeof *w->met);
    w->before = esse_arena_grow(w->arena, NULL, (history->ops + (size_t)1) * sizeof *w->before);
    w->initial = esse_initial_values(w->arena, history);
    w->key = esse_arena_alloc(w->arena, history->keys + 1u, sizeof *w->key);
    for (uint32_t key = 0; key < history->keys; key++)
        w->key[key] = (struct version){ w->initial[key], NO_OP };
}

bool esse_commit_order_is_plain(const struct esse_history *history, const struct esse_level *level,
                                const struct esse_order *order, struct esse_proved *proved)
{
    struct walking w = { .history = history,
                         .phi = level->phi,
                         .order = order,
                         .steps = (uint64_t)history->ops * STEPS_AN_OP + 1 };
    if (!is_known(level, history) || order->of_accesses || order->has_starts)
        return false;
    w.arena = esse_arena_new();
    make_room(&w);
    bool ok = is_order(&w);
    for (uint32_t i = 0; ok && i < order->count; i++)
        ok = walk_unit(&w, order->events[i]);
    esse_arena_free(w.arena);
    if (ok)
        proved_note(proved, history, level, order);
    return ok;
}
