#include "evidence/recheck_forced.h"

#include "base/error.h"
#include "evidence/commit_order_state.h"
#include "evidence/recheck_cycle.h"
#include "evidence/truths.h"

#include <string.h>

/* ---- the writers of what was read ---- */

#define SEVERAL (UINT32_MAX - 1)

/* The only operation of a transaction that did not abort which writes the value. */
static uint32_t only_write(const struct esse_history *history, esse_key key, esse_value value)
{
    const struct truth_writers of = truth_writers(history, key, value, ESSE_NO_TXN);
    return of.kept > 1 ? SEVERAL : of.first_kept;
}

static bool is_deleted(const struct esse_history *history, esse_key key)
{
    return only_write(history, key, ESSE_NIL) != ESSE_NO_OP;
}

/* Did 'op' read the version that 'writer' wrote (ESSE_NO_OP: the initial one)? */
static bool reads_from(const struct esse_history *history, const struct esse_level *level,
                       uint32_t op, esse_key key, uint32_t writer)
{
    esse_value value;
    uint32_t count;
    if (!esse_op_read_of(history, op, key, &value) || esse_value_eq(value, ESSE_NONE) ||
        (!esse_level_is_of_operations(level) && truth_wrote_before(history, op, key)))
        return false;
    value = esse_value_state(value);
    if (esse_value_tag(value) == ESSE_TAG_LIST) {
        const esse_value *items = esse_history_list(history, value, &count);
        return writer != ESSE_NO_OP && only_write(history, key, items[count - 1]) == writer;
    }
    bool initial = esse_value_eq(value, esse_key_initial(history, key));
    if (esse_value_eq(value, ESSE_NIL) && initial)
        return writer == ESSE_NO_OP && !is_deleted(history, key);
    return (initial == (writer == ESSE_NO_OP)) && only_write(history, key, value) == writer;
}

/* ---- edges ---- */

static bool follows_so(const struct esse_history *history, const struct esse_level *level,
                       const struct esse_edge *edge)
{
    if (edge->from.ix >= history->txns || edge->to.ix >= history->txns ||
        history->txn_session[edge->from.ix] != history->txn_session[edge->to.ix])
        return false;
    if (!esse_level_is_of_operations(level))
        return edge->from.ix < edge->to.ix;
    return truth_is_op_of(history, edge->from_op, edge->from) &&
           truth_is_op_of(history, edge->to_op, edge->to) && edge->from_op.ix < edge->to_op.ix;
}

static bool follows_wr(const struct esse_history *history, const struct esse_level *level,
                       const struct esse_edge *edge)
{
    return edge->has_key && edge->key.ix < history->keys &&
           truth_is_op_of(history, edge->from_op, edge->from) &&
           truth_is_op_of(history, edge->to_op, edge->to) && edge->from_op.ix != edge->to_op.ix &&
           (esse_level_is_of_operations(level) || edge->from.ix != edge->to.ix) &&
           reads_from(history, level, edge->to_op.ix, edge->key, edge->from_op.ix);
}

/* Is 'b' where 'a' ends? */
static bool meets(const struct esse_level *level, esse_txn a_txn, esse_op a_op, esse_txn b_txn,
                  esse_op b_op)
{
    return esse_level_is_of_operations(level) ? a_op.ix == b_op.ix : a_txn.ix == b_txn.ix;
}

/* ---- φ ---- */

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

/* Which of the accesses of an operation reads, or writes, the key. */
static uint32_t access_of(const struct esse_history *history, esse_op op, esse_key key, bool write)
{
    uint32_t at = 0, count = esse_access_count(history, op.ix);
    for (; at < count; at++) {
        struct esse_access access = esse_access_at(history, op.ix, at);
        if (access.key.ix == key.ix && (access.kind != ESSE_OP_READ) == write)
            break;
    }
    return at;
}

/* Inside one operation session order is that of its accesses: what it read by the step before, or
 * wrote of the edge's own key, comes before what the next step read of it, or what the witness
 * read. */
static bool follows_inside(const struct esse_history *history, const struct esse_edge *edge,
                           uint32_t at)
{
    const struct esse_edge *step = &edge->because[at];
    const bool is_first = at == 0, is_last = at + 1 == edge->because_count;
    if ((!is_first && step[-1].dep != ESSE_DEP_WR) || (!is_last && step[1].dep != ESSE_DEP_WR) ||
        !truth_is_op_of(history, step->from_op, step->from) || step->from.ix != step->to.ix)
        return false;
    const esse_key from = is_first ? edge->key : step[-1].key;
    const esse_key to = is_last ? edge->key : step[1].key;
    const uint32_t begin = access_of(history, step->from_op, from, is_first);
    const uint32_t end = access_of(history, step->from_op, to, !is_last);
    return begin < end && end < esse_access_count(history, step->from_op.ix);
}

static bool follows_step(const struct esse_history *history, const struct esse_level *level,
                         const struct esse_edge *edge, uint32_t at)
{
    const struct esse_edge *step = &edge->because[at];
    if (step->dep != ESSE_DEP_PROCESS)
        return step->dep == ESSE_DEP_WR && follows_wr(history, level, step);
    return esse_level_is_of_operations(level) && step->from_op.ix == step->to_op.ix
               ? follows_inside(history, edge, at)
               : follows_so(history, level, step);
}

/* Do the edges lead from the writer to the reader as φ demands? */
static bool is_visible(const struct esse_history *history, const struct esse_level *level,
                       const struct esse_edge *edge)
{
    char steps[5] = "";
    esse_txn at = edge->from, reader = esse_op_txn(history, edge->witness.ix);
    esse_op at_op = edge->from_op;
    for (uint32_t i = 0; i < edge->because_count; i++) {
        const struct esse_edge *step = &edge->because[i];
        const bool so = step->dep == ESSE_DEP_PROCESS;
        if (!follows_step(history, level, edge, i) ||
            !meets(level, at, at_op, step->from, step->from_op) ||
            !esse_recheck_counts(history, step->to.ix))
            return false;
        /* Longer ones are told apart from no shape by their first steps alone. */
        if (i < 4)
            steps[i] = so ? 's' : 'w';
        if (level->phi == ESSE_PHI_READ_EARLIER && step->to_op.ix >= edge->witness.ix)
            return false;
        at = step->to;
        at_op = step->to_op;
    }
    return is_shape(level, steps) && meets(level, at, at_op, reader, edge->witness);
}

static bool follows_forced(const struct esse_history *history, const struct esse_level *level,
                           const struct esse_edge *edge)
{
    const bool initial = edge->to.ix == ESSE_NO_TXN;
    if (!edge->has_key || edge->key.ix >= history->keys || edge->witness.ix >= history->ops ||
        !truth_is_op_of(history, edge->from_op, edge->from) ||
        (!initial && !truth_is_op_of(history, edge->to_op, edge->to)) ||
        meets(level, edge->from, edge->from_op, edge->to, edge->to_op))
        return false;
    uint32_t reader = esse_op_txn(history, edge->witness.ix).ix;
    return truth_writes(history, edge->from_op.ix, edge->key) &&
           esse_recheck_counts(history, edge->from.ix) && esse_recheck_counts(history, reader) &&
           (esse_level_is_of_operations(level) || reader != edge->from.ix) &&
           reads_from(history, level, edge->witness.ix, edge->key,
                      initial ? ESSE_NO_OP : edge->to_op.ix) &&
           is_visible(history, level, edge);
}

/* Of one transaction's appends the version order is that of the program, and all that a list shows
 * is an order too. */
static bool follows_ww(const struct esse_history *history, const struct esse_level *level,
                       const struct esse_edge *edge)
{
    if (!esse_level_is_of_operations(level))
        return esse_recheck_edge(history, edge);
    return (edge->from.ix == edge->to.ix && truth_is_op_of(history, edge->from_op, edge->from) &&
            truth_is_op_of(history, edge->to_op, edge->to) && edge->from_op.ix < edge->to_op.ix &&
            history->op_kind[edge->from_op.ix] == ESSE_OP_APPEND &&
            history->op_kind[edge->to_op.ix] == ESSE_OP_APPEND) ||
           esse_recheck_op_edge(history, edge);
}

static bool follows(const struct esse_history *history, const struct esse_level *level,
                    const struct esse_edge *edge)
{
    if (edge->dep == ESSE_DEP_CO)
        return follows_forced(history, level, edge);
    if (edge->from.ix >= history->txns || edge->to.ix >= history->txns ||
        !esse_recheck_counts(history, edge->from.ix) || !esse_recheck_counts(history, edge->to.ix))
        return false;
    return edge->dep == ESSE_DEP_PROCESS
               ? level->needs_session_order && follows_so(history, level, edge)
           : edge->dep == ESSE_DEP_WR ? follows_wr(history, level, edge)
           : edge->dep == ESSE_DEP_WW ? follows_ww(history, level, edge)
                                      : false;
}

bool esse_recheck_forced(const struct esse_history *history, const struct esse_anomaly *anomaly,
                         struct esse_error *err)
{
    const struct esse_level *level = esse_level_failing_by(anomaly->type);
    const uint32_t count = anomaly->edge_count;
    const struct esse_edge *edges = anomaly->edges;
    bool ok = count > 1 || (count == 1 && edges[0].to.ix == ESSE_NO_TXN);
    for (uint32_t i = 0; ok && i < count; i++) {
        const struct esse_edge *next = &edges[(i + 1) % count];
        ok = (count == 1 || meets(level, edges[i].to, edges[i].to_op, next->from, next->from_op)) &&
             follows(history, level, &edges[i]);
    }
    return ok || esse_fail(err, ESSE_EBUG, "the cycle of type %s does not follow from the history",
                           esse_anomaly_name(anomaly->type));
}
