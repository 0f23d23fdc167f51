#include "evidence/recheck_cycle.h"

#include "base/error.h"
#include "evidence/counted.h"
#include "evidence/key_versions.h"
#include "evidence/recheck_phantom.h"
#include "evidence/recheck_versions.h"
#include "evidence/truths.h"
#include "history/access.h"

#include <stdio.h>
#include <string.h>

/* ---- the type of a cycle ---- */

/* The types of cycles, by their rw; then with sessions, and with time. */
static const enum esse_anomaly_id cycles[][3] = {
#define EACH(name)                                                                                 \
    {                                                                                              \
        ESSE_ANOMALY_##name, ESSE_ANOMALY_##name##_PROCESS, ESSE_ANOMALY_##name##_REALTIME         \
    }
    EACH(G0),
    EACH(G1C),
    EACH(G_SINGLE_ITEM),
    EACH(G_SINGLE),
    EACH(G_NONADJACENT_ITEM),
    EACH(G_NONADJACENT),
    EACH(G2_ITEM),
    EACH(G2),
#undef EACH
};

enum esse_anomaly_id esse_cycle_type(const struct esse_edge *edges, uint32_t count)
{
    uint32_t anti = 0, adjacent = 0, reads = 0, predicate = 0, process = 0, realtime = 0;
    for (uint32_t i = 0; i < count; i++) {
        anti += truth_is_anti(&edges[i]);
        adjacent += count > 1 && truth_is_anti(&edges[i]) && truth_is_anti(&edges[(i + 1) % count]);
        predicate += edges[i].dep == ESSE_DEP_RWP;
        reads += edges[i].dep == ESSE_DEP_WR || edges[i].dep == ESSE_DEP_WRP;
        process += edges[i].dep == ESSE_DEP_PROCESS;
        realtime += edges[i].dep == ESSE_DEP_REALTIME;
    }
    const unsigned base = anti == 1 ? 2 : adjacent ? 6 : anti ? 4 : reads > 0;
    return cycles[base + (predicate > 0)][realtime ? 2 : process > 0];
}

/* ---- the transactions that count as committed ---- */

struct cycle_claim {
    const struct esse_history *history;
    const uint8_t *in; /* by transaction, see counted.h */
};

static struct cycle_claim claim_of(struct esse_arena *arena, const struct esse_history *history)
{
    return (struct cycle_claim){ history, esse_counted(arena, history) };
}

/* ---- what is known of the order of versions ---- */

/* Where a certificate has the version that 'op' of 'txn' installed; its length if nowhere. */
static uint32_t place_of(const struct esse_history *history, const struct esse_version_order *order,
                         uint32_t txn, uint32_t op)
{
    uint32_t at = 0;
    esse_value written;
    if (!esse_op_write_of(history, op, order->key, &written))
        return order->count;
    while (at < order->count && !(order->versions[at].txn.ix == ESSE_NO_TXN
                                      ? esse_value_eq(order->versions[at].value, written)
                                      : order->versions[at].txn.ix == txn))
        at++;
    return at;
}

static const struct esse_version_order *certificate_of(const struct esse_history *history,
                                                       uint32_t key)
{
    for (uint32_t i = 0; i < history->version_order_count; i++)
        if (history->version_orders[i].key.ix == key)
            return &history->version_orders[i];
    return NULL;
}

bool esse_recheck_is_ordered(const struct esse_history *history, esse_key key, esse_op first,
                             esse_op second)
{
    const struct esse_version_order *order = certificate_of(history, key.ix);
    if (!order)
        return esse_is_recorded_in_version_order(history) && first.ix < second.ix;
    uint32_t a = place_of(history, order, esse_op_txn(history, first.ix).ix, first.ix);
    uint32_t b = place_of(history, order, esse_op_txn(history, second.ix).ix, second.ix);
    return a < b && b < order->count;
}

/* ---- the edges ---- */

static bool reads_key(const struct esse_history *history, uint32_t op, uint32_t key)
{
    esse_value read;
    return esse_op_read_of(history, op, (esse_key){ key }, &read) &&
           !esse_value_eq(read, ESSE_NONE);
}

/* What a transaction reads after it wrote the key is its own, and no dependency. */
static bool reads_others(const struct esse_history *history, uint32_t op, uint32_t key)
{
    return !truth_wrote_before(history, op, (esse_key){ key }) && reads_key(history, op, key);
}

/* An append is a version; of a register's writes only the transaction's last is. */
static bool installs(const struct esse_history *history, uint32_t op, esse_key key)
{
    return truth_writes(history, op, key) &&
           (history->op_kind[op] == ESSE_OP_APPEND || !truth_writes_after(history, op, key));
}

/* A read that several versions could explain is of the one that its snapshot has, if a certificate
 * tells: does 'op' install that one or, with 'later', a later one? */
static bool by_snapshot(const struct esse_history *history, esse_key key, esse_txn reader,
                        esse_op read, esse_op op, bool later)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_key_version_vec versions;
    uint32_t seen = 0;
    esse_value value;
    bool found = false;
    if (esse_key_versions(&versions, arena, history, key) &&
        esse_key_version_at_snapshot(&versions, history, reader.ix, read.ix, &seen) &&
        esse_op_read_of(history, read.ix, key, &value) &&
        esse_value_eq(value, versions.at[seen].value))
        for (uint32_t v = 1; v < versions.count; v++)
            found |= versions.at[v].op == op.ix && (later ? v > seen : v == seen);
    esse_arena_free(arena);
    return found;
}

static bool edge_wr(const struct esse_history *history, const struct esse_edge *edge)
{
    uint32_t count, key = edge->key.ix;
    esse_value written, read;
    if (!reads_others(history, edge->to_op.ix, key) ||
        !esse_op_write_of(history, edge->from_op.ix, edge->key, &written) ||
        !esse_op_read_of(history, edge->to_op.ix, edge->key, &read))
        return false;
    if (esse_value_tag(read) == ESSE_TAG_LIST) {
        const esse_value *items = esse_history_list(history, read, &count);
        if (!count || !esse_value_eq(items[count - 1], written))
            return false;
    } else if (!esse_value_eq(read, written)) {
        return false;
    }
    const bool is_only = truth_writers(history, edge->key, written, ESSE_NO_TXN).kept == 1 &&
                         !esse_value_eq(read, esse_key_initial(history, edge->key));
    return is_only || by_snapshot(history, edge->key, edge->to, edge->to_op, edge->from_op, false);
}

/* By an assumption: the witnesses show the versions of 'from' and 'to', and why one comes first. */
static bool inferred(const struct esse_history *history, const struct esse_edge *edge)
{
    return esse_recheck_shows_version(history, edge->key, edge->from_op, truth_is_anti(edge),
                                      edge->witness) &&
           esse_recheck_shows_version(history, edge->key, edge->to_op, false,
                                      edge->later_witness) &&
           esse_recheck_version_edge(history, edge->key, edge->basis, edge->witness,
                                     edge->later_witness);
}

/* Was the element appended by no other operation, whatever became of it? */
static bool is_only_append(const struct esse_history *history, esse_key key, uint32_t op)
{
    uint32_t count = 0;
    for (uint32_t o = 0; o < history->ops; o++)
        count += history->op_kind[o] == ESSE_OP_APPEND && history->op_key[o] == key.ix &&
                 esse_value_eq(history->op_value[o], history->op_value[op]);
    return count == 1;
}

/* Does the list show the element of 'from' before that of 'to', or without it? */
static bool is_shown_before(const struct esse_history *history, esse_key key, esse_value list,
                            uint32_t from, uint32_t to)
{
    uint32_t count, a = UINT32_MAX, b = UINT32_MAX;
    const esse_value *items = esse_history_list(history, list, &count);
    for (uint32_t i = count; i-- > 0;) {
        a = esse_value_eq(items[i], history->op_value[from]) ? i : a;
        b = esse_value_eq(items[i], history->op_value[to]) ? i : b;
    }
    return a < b && a < count && is_only_append(history, key, from) &&
           (b == UINT32_MAX || is_only_append(history, key, to));
}

static bool edge_ww(struct cycle_claim *claim, const struct esse_edge *edge)
{
    const struct esse_history *history = claim->history;
    const uint32_t witness = edge->witness.ix, from = edge->from_op.ix;
    if (!installs(history, from, edge->key) || !installs(history, edge->to_op.ix, edge->key))
        return false;
    if (edge->basis)
        return inferred(history, edge);
    if (witness == ESSE_NO_OP)
        return esse_recheck_is_ordered(history, edge->key, edge->from_op, edge->to_op);
    esse_value list;
    if (witness >= history->ops || !esse_op_read_of(history, witness, edge->key, &list) ||
        esse_value_tag(list) != ESSE_TAG_LIST || !claim->in[esse_op_txn(history, witness).ix] ||
        history->op_kind[from] != ESSE_OP_APPEND ||
        history->op_kind[edge->to_op.ix] != ESSE_OP_APPEND)
        return false;
    return is_shown_before(history, edge->key, list, from, edge->to_op.ix);
}

static bool edge_rw(const struct esse_history *history, const struct esse_edge *edge)
{
    const uint32_t to = edge->to_op.ix;
    if (!reads_others(history, edge->from_op.ix, edge->key.ix) || !installs(history, to, edge->key))
        return false;
    if (edge->basis)
        return inferred(history, edge);
    esse_value read;
    esse_op_read_of(history, edge->from_op.ix, edge->key, &read);
    read = esse_value_state(read);
    if (history->op_kind[to] == ESSE_OP_APPEND)
        return esse_value_eq(read, ESSE_NIL) ||
               (esse_value_tag(read) == ESSE_TAG_LIST &&
                !esse_list_has(history, read, history->op_value[to]));
    if (by_snapshot(history, edge->key, edge->from, edge->from_op, edge->to_op, true))
        return true;
    const struct truth_writers of = truth_writers(history, edge->key, read, ESSE_NO_TXN);
    if (esse_value_eq(read, esse_key_initial(history, edge->key)))
        return esse_value_eq(read, ESSE_NIL) ? !of.all
                                             : !of.kept; /* a delete that was aborted too */
    return of.kept == 1 && history->op_kind[of.first_kept] != ESSE_OP_APPEND &&
           esse_recheck_is_ordered(history, edge->key, (esse_op){ of.first_kept }, edge->to_op);
}

/* An edge between operations, of one transaction perhaps. */
static bool op_edge_follows(struct cycle_claim *claim, const struct esse_edge *edge)
{
    const struct esse_history *history = claim->history;
    if (edge->from.ix >= history->txns || edge->to.ix >= history->txns ||
        !claim->in[edge->from.ix] || !claim->in[edge->to.ix])
        return false;
    if (edge->dep == ESSE_DEP_PROCESS)
        return truth_is_in_session(history, edge->from.ix, edge->to.ix);
    if (edge->dep == ESSE_DEP_REALTIME)
        return truth_is_in_time(history, edge->from.ix, edge->to.ix);
    if (!edge->has_key || edge->key.ix >= history->keys ||
        !truth_is_op_of(history, edge->from_op, edge->from) ||
        !truth_is_op_of(history, edge->to_op, edge->to))
        return false;
    return edge->dep == ESSE_DEP_WR   ? edge_wr(history, edge)
           : edge->dep == ESSE_DEP_WW ? edge_ww(claim, edge)
           : edge->dep == ESSE_DEP_RW ? edge_rw(history, edge)
           : edge->dep == ESSE_DEP_WRP || edge->dep == ESSE_DEP_RWP
               ? esse_recheck_phantom(history, edge)
               : false;
}

static bool edge_follows(struct cycle_claim *claim, const struct esse_edge *edge)
{
    return edge->from.ix != edge->to.ix && op_edge_follows(claim, edge);
}

bool esse_recheck_counts(const struct esse_history *history, uint32_t txn)
{
    if (history->txn_status[txn] != ESSE_UNKNOWN_OUTCOME)
        return history->txn_status[txn] == ESSE_COMMITTED;
    struct esse_arena *arena = esse_arena_new();
    const bool ok = esse_counted(arena, history)[txn];
    esse_arena_free(arena);
    return ok;
}

bool esse_recheck_edge(const struct esse_history *history, const struct esse_edge *edge)
{
    struct esse_arena *arena = esse_arena_new();
    struct cycle_claim claim = claim_of(arena, history);
    bool ok = edge_follows(&claim, edge);
    esse_arena_free(arena);
    return ok;
}

bool esse_recheck_op_edge(const struct esse_history *history, const struct esse_edge *edge)
{
    struct esse_arena *arena = esse_arena_new();
    struct cycle_claim claim = claim_of(arena, history);
    bool ok = op_edge_follows(&claim, edge);
    esse_arena_free(arena);
    return ok;
}

bool esse_recheck_cycle(const struct esse_history *history, const struct esse_anomaly *anomaly,
                        struct esse_error *err)
{
    const uint32_t count = anomaly->edge_count;
    const enum esse_anomaly_id type = esse_cycle_type(anomaly->edges, count);
    if (type != anomaly->type)
        return esse_fail(err, ESSE_EBUG, "a cycle is called %s but is of type %s",
                         esse_anomaly_name(anomaly->type), esse_anomaly_name(type));
    struct esse_arena *arena = esse_arena_new();
    struct cycle_claim claim = claim_of(arena, history);
    bool ok = count > 1;
    for (uint32_t i = 0; ok && i < count; i++)
        ok = anomaly->edges[i].to.ix == anomaly->edges[(i + 1) % count].from.ix &&
             edge_follows(&claim, &anomaly->edges[i]);
    esse_arena_free(arena);
    return ok || esse_fail(err, ESSE_EBUG, "the cycle of type %s does not follow from the history",
                           esse_anomaly_name(type));
}
