#include "evidence/recheck_edge.h"

#include "base/guard.h"
#include "evidence/key_versions.h"
#include "evidence/recheck_phantom.h"
#include "evidence/recheck_versions.h"
#include "history/start_points.h"

#include <string.h>

/* ---- what is known of the order of versions ---- */

/* Where a certificate has the version that 'op' installed; its length if nowhere. */
static uint32_t place_of(const struct esse_history *history, const struct esse_version_order *order,
                         uint32_t op)
{
    const uint32_t txn = esse_op_txn(history, op).ix;
    esse_value written;
    uint32_t at = esse_op_write_of(history, op, order->key, &written) ? 0 : order->count;
    while (at < order->count && !esse_version_is(&order->versions[at], txn, written))
        at++;
    return at;
}

/* Does it say so among what is given, or a version order that came with the history, or the
 * workload's convention: the version of 'first' comes before that of 'second'? */
static bool is_ordered(const struct claim *claim, esse_key key, uint32_t first, uint32_t second)
{
    const struct esse_history *history = claim->history;
    const uint32_t from = esse_op_txn(history, first).ix, to = esse_op_txn(history, second).ix;
    for (size_t i = 0; i < claim->given.count; i++) {
        const struct esse_choice *choice = &claim->given.at[i];
        if (choice->kind == ESSE_CHOICE_ORDER && choice->key.ix == key.ix &&
            esse_op_txn(history, choice->first.ix).ix == from &&
            esse_op_txn(history, choice->second.ix).ix == to)
            return true;
    }
    for (uint32_t i = 0; i < history->version_order_count; i++) {
        const struct esse_version_order *order = &history->version_orders[i];
        if (order->key.ix == key.ix) {
            const uint32_t place = place_of(history, order, second);
            return place < order->count && place_of(history, order, first) < place;
        }
    }
    return esse_is_recorded_in_version_order(history) && first < second;
}

/* By an assumption: the witnesses show the versions of 'from' and 'to', and why one comes first. */
static bool is_inferred(const struct claim *claim, const struct esse_edge *edge)
{
    return version_is_shown(claim, edge->key, edge->from_op, edge_is_anti(edge), edge->witness) &&
           version_is_shown(claim, edge->key, edge->to_op, false, edge->later_witness) &&
           version_comes_first(claim, edge->key, edge->basis, edge->witness, edge->later_witness);
}

/* Was the element appended by no other operation, whatever became of it? */
static bool is_only_append(const struct claim *claim, esse_key key, uint32_t op)
{
    return claim_writers(claim, key, claim->history->op_value[op], ESSE_NO_TXN).all.count == 1;
}

/* Does the list that the witness read show the element of 'from' before that of 'to', or without
 * it? */
static bool is_shown(const struct claim *claim, const struct esse_edge *edge)
{
    const struct esse_history *history = claim->history;
    const uint32_t from = edge->from_op.ix, to = edge->to_op.ix;
    uint32_t count, a = UINT32_MAX, b = UINT32_MAX;
    esse_value list;
    if (edge->witness.ix >= history->ops || !claim->in[esse_op_txn(history, edge->witness.ix).ix] ||
        !claim_reads(claim, edge->witness.ix, edge->key, &list) || !esse_value_is_list(list) ||
        history->op_kind[from] != ESSE_OP_APPEND || history->op_kind[to] != ESSE_OP_APPEND)
        return false;
    const esse_value *items = esse_history_list(history, list, &count);
    for (uint32_t i = count; i-- > 0;) {
        a = esse_value_eq(items[i], history->op_value[from]) ? i : a;
        b = esse_value_eq(items[i], history->op_value[to]) ? i : b;
    }
    return a < b && is_only_append(claim, edge->key, from) &&
           (b == UINT32_MAX || is_only_append(claim, edge->key, to));
}

/* Of one transaction's appends the version order is that of the program. */
static bool edge_ww(const struct claim *claim, const struct esse_edge *edge)
{
    const uint32_t from = edge->from_op.ix, to = edge->to_op.ix;
    if (!claim_installs(claim, from, edge->key) || !claim_installs(claim, to, edge->key))
        return false;
    return edge->basis                                 ? is_inferred(claim, edge)
           : edge->from.ix == edge->to.ix && from < to ? true
           : edge->witness.ix == ESSE_NO_OP            ? is_ordered(claim, edge->key, from, to)
                                                       : is_shown(claim, edge);
}

/* ---- reads ---- */

static uint32_t source_by_snapshot(const struct claim *claim, uint32_t op, esse_key key)
{
    const struct esse_history *history = claim->history;
    struct esse_arena *arena = esse_arena_new();
    struct esse_key_version_vec versions;
    uint32_t seen = 0, source = CLAIM_UNKNOWN;
    esse_value value;
    if (claim_reads(claim, op, key, &value) && esse_key_versions(&versions, arena, history, key) &&
        esse_key_version_at_snapshot(&versions, history, esse_op_txn(history, op).ix, op, &seen) &&
        esse_value_eq(value, versions.at[seen].value))
        source = versions.at[seen].op;
    esse_arena_free(arena);
    return source;
}

/* The source of a read by the given choice 'at'; after the last, that which follows. */
static uint32_t source_at(const struct claim *claim, size_t at, uint32_t op, esse_key key)
{
    if (at < claim->given.count) {
        const struct esse_choice *choice = &claim->given.at[at];
        return choice->kind == ESSE_CHOICE_SOURCE && choice->key.ix == key.ix &&
                       choice->second.ix == op
                   ? choice->first.ix
                   : CLAIM_UNKNOWN;
    }
    const uint32_t source = claim_only_source(claim, op, key);
    return source != CLAIM_UNKNOWN || claim->is_forced ||
                   claim->history->certificate.kind == ESSE_CERTIFICATE_NONE
               ? source
               : source_by_snapshot(claim, op, key);
}

/* Is the source of a read what 'from' wrote, or else a version before that of 'to'? */
static bool fits(const struct claim *claim, const struct esse_edge *edge, uint32_t source)
{
    return !edge_is_anti(edge) ? source == edge->from_op.ix
           : source == ESSE_NO_OP
               ? true
               : source < CLAIM_UNKNOWN && is_ordered(claim, edge->key, source, edge->to_op.ix);
}

/* An item was returned; what a predicate saw need not have been, but can be given.  Levels tell
 * them apart, so they may not pass for one another. */
static bool edge_read(const struct claim *claim, const struct esse_edge *edge)
{
    const struct esse_history *history = claim->history;
    const bool is_anti = edge_is_anti(edge);
    const uint32_t op = is_anti ? edge->from_op.ix : edge->to_op.ix, to = edge->to_op.ix;
    const bool is_item = edge->dep == ESSE_DEP_WR || edge->dep == ESSE_DEP_RW;
    esse_value value;
    if ((is_item ? !claim_reads(claim, op, edge->key, &value)
                 : !esse_op_is_predicate(history->op_kind[op])) ||
        (!claim->is_of_ops && esse_op_wrote_before(claim->history, op, edge->key)) ||
        (is_anti && !claim_installs(claim, to, edge->key)))
        return false;
    if (is_anti && edge->basis)
        return is_inferred(claim, edge);
    if (is_anti && history->op_kind[to] == ESSE_OP_APPEND)
        return is_item && (esse_value_eq(esse_value_state(value), ESSE_NIL) ||
                           (esse_value_is_list(value) &&
                            !esse_list_has(history, value, history->op_value[to])));
    for (size_t i = 0; i <= claim->given.count; i++)
        if (fits(claim, edge, source_at(claim, i, op, edge->key)))
            return true;
    return false;
}

/* A predicate depends on every version that changed what it selects, up to the one that it saw.
 * Where only the latter is a read in the sense of an axiom, it must be given. */
static bool edge_predicate(const struct claim *claim, const struct esse_edge *edge)
{
    if (claim->is_refuted && edge_read(claim, edge))
        return true;
    return !(claim->is_refuted && edge->dep == ESSE_DEP_WRP &&
             claim->level->cycle < ESSE_CYCLE_ONE_RW) &&
           esse_recheck_phantom(claim->history, edge);
}

/* ---- sessions, time, points ---- */

static bool edge_so(const struct claim *claim, const struct esse_edge *edge)
{
    const uint32_t *session = claim->history->txn_session;
    return session[edge->from.ix] == session[edge->to.ix] &&
           (!claim->is_of_ops ? edge->from.ix < edge->to.ix
                              : claim_has_op(claim, edge->from_op, edge->from) &&
                                    claim_has_op(claim, edge->to_op, edge->to) &&
                                    edge->from_op.ix < edge->to_op.ix);
}

static bool edge_rt(const struct claim *claim, const struct esse_edge *edge)
{
    const int64_t end = esse_txn_committed_by(claim->history, edge->from.ix);
    return end != ESSE_NO_TIME && end < claim->history->txn_time[edge->to.ix].begin;
}

static bool edge_points(const struct claim *claim, const struct esse_edge *edge)
{
    const uint32_t from = edge->from.ix, to = edge->to.ix;
    struct esse_start_points points;
    if (!esse_start_points_find(&points, claim->arena, claim->history) ||
        points.start[from] == ESSE_NO_POINT || points.start[to] == ESSE_NO_POINT)
        return false;
    return edge->dep == ESSE_DEP_START ? esse_starts_after(&points, from, to)
                                       : !esse_starts_after(&points, to, from);
}

/* ---- what an axiom forces ---- */

/* The witness of such an edge read what 'to' wrote, or the initial version, of a key that 'from'
 * writes too, and a path shows that φ makes 'from' visible to the witness: so 'from' comes before
 * 'to' in every commit order. */

/* Is a path of these steps, session order or reads-from, one of φ? */
static bool is_shape(const struct esse_level *level, const char *steps)
{
    static const char *const shapes[][6] = {
        [ESSE_PHI_READ_EARLIER] = { "w" }, [ESSE_PHI_ATOMIC] = { "s", "w" },
        [ESSE_PHI_UPDATES] = { "s", "w" }, [ESSE_PHI_PIPED] = { "s", "w", "sw", "ws", "sws" },
        [ESSE_PHI_OWN] = { "s" },          [ESSE_PHI_SEEN] = { "ws" },
        [ESSE_PHI_WRITTEN] = { "sw" },     [ESSE_PHI_ANSWERED] = { "ww", "wsw" },
    };
    if (level->phi == ESSE_PHI_CAUSAL || level->phi == ESSE_PHI_PREFIX ||
        level->phi == ESSE_PHI_PARALLEL)
        return steps[0] != 0;
    for (size_t i = 0; i < 6 && shapes[level->phi][i]; i++)
        if (strcmp(shapes[level->phi][i], steps) == 0)
            return true;
    return false;
}

/* Inside one operation session order is that of its accesses: what it read by the step before, or
 * wrote of the edge's own key, comes before what the next step read of it, or what the witness
 * read. */
static bool follows_inside(const struct claim *claim, const struct esse_edge *edge, uint32_t at)
{
    const struct esse_edge *step = &edge->because[at];
    const bool is_first = at == 0, is_last = at + 1 == edge->because_count;
    if ((!is_first && step[-1].dep != ESSE_DEP_WR) || (!is_last && step[1].dep != ESSE_DEP_WR) ||
        !claim_has_op(claim, step->from_op, step->from) || step->from.ix != step->to.ix)
        return false;
    const uint32_t op = step->from_op.ix;
    esse_value ignored;
    const uint32_t begin = esse_op_access_of(
        claim->history, op, is_first ? edge->key : step[-1].key, !is_first, &ignored);
    const uint32_t end =
        esse_op_access_of(claim->history, op, is_last ? edge->key : step[1].key, is_last, &ignored);
    return begin < end && end < esse_access_count(claim->history, op);
}

static bool follows_step(const struct claim *claim, const struct esse_edge *edge, uint32_t at)
{
    const struct esse_edge *step = &edge->because[at];
    if (claim->is_of_ops && step->dep == ESSE_DEP_PROCESS && step->from_op.ix == step->to_op.ix)
        return follows_inside(claim, edge, at);
    return (step->dep == ESSE_DEP_WR || step->dep == ESSE_DEP_PROCESS) && edge_follows(claim, step);
}

/* Do the edges lead from the writer to the reader as φ demands? */
static bool is_visible(const struct claim *claim, const struct esse_edge *edge,
                       const struct esse_edge *reader)
{
    char steps[5] = "";
    struct esse_edge at = { .to = edge->from, .to_op = edge->from_op };
    for (uint32_t i = 0; i < edge->because_count; i++) {
        const struct esse_edge *step = &edge->because[i];
        if (!follows_step(claim, edge, i) || !edge_meets(claim, &at, step) ||
            (claim->level->phi == ESSE_PHI_READ_EARLIER && step->to_op.ix >= edge->witness.ix))
            return false;
        /* Longer ones are told apart from no shape by their first steps alone. */
        if (i < 4)
            steps[i] = step->dep == ESSE_DEP_PROCESS ? 's' : 'w';
        at = *step;
    }
    return is_shape(claim->level, steps) && edge_meets(claim, &at, reader);
}

static bool edge_co(const struct claim *claim, const struct esse_edge *edge)
{
    const uint32_t writer = edge->to.ix == ESSE_NO_TXN ? ESSE_NO_OP : edge->to_op.ix;
    if (edge->witness.ix >= claim->history->ops)
        return false;
    const struct esse_edge reader = { .from = esse_op_txn(claim->history, edge->witness.ix),
                                      .from_op = edge->witness };
    return claim_writes(claim, edge->from_op.ix, edge->key) && claim->in[reader.from.ix] &&
           (claim->is_of_ops || reader.from.ix != edge->from.ix) &&
           claim_only_source(claim, edge->witness.ix, edge->key) == writer &&
           is_visible(claim, edge, &reader);
}

/* ---- all of them ---- */

static const struct {
    bool (*follows)(const struct claim *claim, const struct esse_edge *edge);
    bool is_of_key; /* and names operations */
} deps[ESSE_DEP_END] = {
    [ESSE_DEP_WW] = { edge_ww, true },           [ESSE_DEP_WR] = { edge_read, true },
    [ESSE_DEP_RW] = { edge_read, true },         [ESSE_DEP_WRP] = { edge_predicate, true },
    [ESSE_DEP_RWP] = { edge_predicate, true },   [ESSE_DEP_PROCESS] = { edge_so, false },
    [ESSE_DEP_REALTIME] = { edge_rt, false },    [ESSE_DEP_START] = { edge_points, false },
    [ESSE_DEP_OVERLAP] = { edge_points, false }, [ESSE_DEP_CO] = { edge_co, true },
};

bool edge_follows(const struct claim *claim, const struct esse_edge *edge)
{
    const bool to_initial = edge->dep == ESSE_DEP_CO && edge->to.ix == ESSE_NO_TXN;
    esse_guard_poll();
    if (!deps[edge->dep].follows || !claim_counts(claim, edge->from) ||
        !(to_initial || claim_counts(claim, edge->to)) ||
        edge_meets(claim, edge, edge)) /* one unit is none */
        return false;
    if (deps[edge->dep].is_of_key && (!edge->has_key || edge->key.ix >= claim->history->keys ||
                                      !claim_has_op(claim, edge->from_op, edge->from) ||
                                      !(to_initial || claim_has_op(claim, edge->to_op, edge->to))))
        return false;
    return deps[edge->dep].follows(claim, edge);
}
