#include "base/guard.h"
#include "evidence/recheck_cycle.h"
#include "evidence/refutation_state.h"
#include "evidence/truths.h"

/* The cycle of a clause: its edges, and whether the level forbids it. */

/* ---- the shape ---- */

static bool is_reading(const struct esse_edge *edge)
{
    return edge->dep == ESSE_DEP_WR || edge->dep == ESSE_DEP_WRP || edge->dep == ESSE_DEP_PROCESS;
}

static bool is_forbidden(const struct esse_level *level, const struct esse_clause *clause)
{
    uint32_t anti = 0, reading = 0;
    for (uint32_t i = 0; i < clause->edge_count; i++) {
        const struct esse_edge *edge = &clause->edges[i];
        const struct esse_edge *before =
            &clause->edges[(i + clause->edge_count - 1) % clause->edge_count];
        reading += is_reading(edge);
        if (!truth_is_anti(edge))
            continue;
        anti++;
        if ((level->cycle == ESSE_CYCLE_NO_TWO_RW && truth_is_anti(before)) ||
            (level->cycle == ESSE_CYCLE_RW_AFTER_READ && !is_reading(before)))
            return false;
    }
    switch (level->cycle) {
    case ESSE_CYCLE_ONE_RW:
        return anti <= 1;
    case ESSE_CYCLE_RW_AND_READS:
        return !anti || (anti == 1 && reading + 1 == clause->edge_count);
    case ESSE_CYCLE_RW_AND_ONE_READ:
        return !anti || (anti == 1 && reading == 1 && clause->edge_count == 2);
    default:
        return true;
    }
}

/* May an edge of this kind be part of it at all? */
static bool is_allowed(const struct esse_level *level, const struct esse_edge *edge)
{
    return edge->dep == ESSE_DEP_PROCESS    ? level->needs_session_order
           : edge->dep == ESSE_DEP_REALTIME ? level->needs_real_time
           : edge->dep == ESSE_DEP_RWP      ? level->cycle != ESSE_CYCLE_ITEM_RW
                                            : true;
}

/* ---- the edges ---- */

static uint32_t txn_of(const struct refuting *r, esse_op op)
{
    return esse_op_txn(r->history, op.ix).ix;
}

/* Is it given that the version of 'first' comes before that of 'second'? */
static bool is_ordered(const struct refuting *r, esse_key key, uint32_t first, uint32_t second)
{
    for (uint32_t i = 0; i < r->given_count; i++) {
        const struct esse_choice *choice = &r->refutation->choices[r->given[i] >> 1];
        const bool so = !(r->given[i] & 1);
        if (choice->kind == ESSE_CHOICE_ORDER && choice->key.ix == key.ix &&
            txn_of(r, so ? choice->first : choice->second) == first &&
            txn_of(r, so ? choice->second : choice->first) == second)
            return true;
    }
    return false;
}

/* Is it given, or the only way, that 'read' returned or saw the version of 'write'? */
static bool is_source(const struct refuting *r, esse_key key, uint32_t write, uint32_t read)
{
    for (uint32_t i = 0; i < r->given_count; i++) {
        const struct esse_choice *choice = &r->refutation->choices[r->given[i] >> 1];
        if (!(r->given[i] & 1) && choice->kind == ESSE_CHOICE_SOURCE && choice->key.ix == key.ix &&
            choice->second.ix == read && choice->first.ix == write)
            return true;
    }
    return refute_only_source(r, read, key) == write;
}

/* An item was returned; what a predicate saw need not have been.  Levels tell them apart, so they
 * may not pass for one another. */
static bool is_read_by(const struct refuting *r, const struct esse_edge *edge, esse_op read)
{
    esse_value ignored;
    return edge->dep == ESSE_DEP_WRP || edge->dep == ESSE_DEP_RWP
               ? esse_op_is_predicate(r->history->op_kind[read.ix])
               : esse_op_read_of(r->history, read.ix, edge->key, &ignored);
}

static bool follows_wr(const struct refuting *r, const struct esse_edge *edge)
{
    return truth_writes(r->history, edge->from_op.ix, edge->key) &&
           is_read_by(r, edge, edge->to_op) &&
           !truth_wrote_before(r->history, edge->to_op.ix, edge->key) &&
           is_source(r, edge->key, edge->from_op.ix, edge->to_op.ix);
}

static bool overwrites(const struct refuting *r, const struct esse_edge *edge, uint32_t source)
{
    return source == ESSE_NO_OP ||
           (source != REFUTE_NOT_ONE &&
            (is_ordered(r, edge->key, esse_op_txn(r->history, source).ix, edge->to.ix) ||
             esse_recheck_is_ordered(r->history, edge->key, (esse_op){ source }, edge->to_op)));
}

/* 'from' read a version that comes before the one of 'to'. */
static bool follows_rw(const struct refuting *r, const struct esse_edge *edge)
{
    if (!truth_writes(r->history, edge->to_op.ix, edge->key) ||
        !is_read_by(r, edge, edge->from_op) ||
        truth_wrote_before(r->history, edge->from_op.ix, edge->key))
        return false;
    for (uint32_t i = 0; i < r->given_count; i++) {
        const struct esse_choice *choice = &r->refutation->choices[r->given[i] >> 1];
        if (!(r->given[i] & 1) && choice->kind == ESSE_CHOICE_SOURCE &&
            choice->key.ix == edge->key.ix && choice->second.ix == edge->from_op.ix &&
            overwrites(r, edge, choice->first.ix))
            return true;
    }
    return overwrites(r, edge, refute_only_source(r, edge->from_op.ix, edge->key));
}

/* A predicate depends on every version that changed what it selects, up to the one that it saw.
 * Only the latter is a read in the sense of an axiom, and must be given. */
static bool may_be_older(const struct esse_level *level, const struct esse_edge *edge)
{
    return edge->dep == ESSE_DEP_WRP && level->cycle < ESSE_CYCLE_ONE_RW;
}

/* Either it follows with what is given, or from the history alone. */
static bool follows(const struct refuting *r, const struct esse_edge *edge)
{
    const struct esse_history *history = r->history;
    esse_guard_poll();
    if (edge->from.ix >= history->txns || edge->to.ix >= history->txns || edge->basis ||
        edge->from.ix == edge->to.ix || !r->in[edge->from.ix] || !r->in[edge->to.ix])
        return false;
    if (edge->has_key &&
        (edge->key.ix >= history->keys || !truth_is_op_of(history, edge->from_op, edge->from) ||
         !truth_is_op_of(history, edge->to_op, edge->to)))
        return false;
    const bool given =
        edge->has_key &&
        (edge->dep == ESSE_DEP_WW ? truth_writes(r->history, edge->from_op.ix, edge->key) &&
                                        truth_writes(r->history, edge->to_op.ix, edge->key) &&
                                        is_ordered(r, edge->key, edge->from.ix, edge->to.ix)
         : edge->dep == ESSE_DEP_WR || edge->dep == ESSE_DEP_WRP ? follows_wr(r, edge)
         : truth_is_anti(edge)                                   ? follows_rw(r, edge)
                                                                 : false);
    return given || (!may_be_older(r->level, edge) && esse_recheck_edge(history, edge));
}

/* ---- the clause ---- */

static void give(struct refuting *r, uint32_t literal)
{
    const struct esse_choice *choice = &r->refutation->choices[literal >> 1];
    if (r->given_count == r->given_room) {
        r->given_room = 2 * r->given_room + 16;
        r->given = esse_arena_grow(r->arena, r->given, r->given_room * sizeof *r->given);
    }
    r->given[r->given_count++] = literal;
    if (choice->kind == ESSE_CHOICE_BOTH && !(literal & 1)) {
        give(r, choice->parts[0]);
        give(r, choice->parts[1]);
    }
}

bool refute_is_cycle(struct refuting *r, const struct esse_clause *clause)
{
    const uint32_t count = clause->edge_count;
    r->given_count = 0;
    for (uint32_t i = 0; i < clause->count; i++)
        give(r, clause->literals[i] ^ 1);
    bool ok = count > 1 && is_forbidden(r->level, clause);
    for (uint32_t i = 0; ok && i < count; i++)
        ok = clause->edges[i].to.ix == clause->edges[(i + 1) % count].from.ix &&
             is_allowed(r->level, &clause->edges[i]) && follows(r, &clause->edges[i]);
    return ok;
}
