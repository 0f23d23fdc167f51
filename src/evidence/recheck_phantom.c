#include "evidence/recheck_phantom.h"

#include "evidence/counted.h"
#include "evidence/key_versions.h"
#include "evidence/looked.h"
#include "history/given_order.h"

struct phantom {
    struct looked looked;
    const struct esse_edge *edge;
    bool reads;                           /* it saw the version of 'other' */
    struct esse_key_version_vec versions; /* of the edge's key, oldest first */
    uint32_t other;                       /* the version that the edge is about */
    bool by_value; /* what is returned depends on the values of all rows that match, not only on
                      which they are: it is no rows, or not all of them */
};
#define NOWHERE UINT32_MAX

/* ---- which versions match ---- */

/* Does this version of the row of a join go together with a row of the other table, as the reader
 * saw it?  One that it did not see, also with what its own transaction wrote. */
static bool is_joined(struct phantom *p, uint32_t version)
{
    const struct esse_key_version *at = &p->versions.at[version];
    const struct esse_history *history = p->looked.history;
    bool ignored;
    esse_value *view = looked_at_snapshot(&p->looked, &ignored);
    if (!view)
        return false;
    if (version == p->other && !p->reads) {
        looked_add_writes(&p->looked, view, at->txn, history->txn_op[at->txn + 1], true);
        looked_add_writes(&p->looked, view, p->looked.txn, p->looked.op, true);
    }
    view[p->edge->key.ix] = at->value;
    for (uint32_t key = 0; key < history->keys; key++)
        if (esse_value_eq(view[key], ESSE_NONE))
            return false;
    looked_fill(&p->looked, view);
    return replay_rows_are_joined(&p->looked.store, p->looked.op, p->edge->key.ix) &&
           looked_has_answers(&p->looked);
}

/* What was appended is no row.  What a join says of one table alone is less than what it says of
 * pairs. */
static bool match_versions(struct phantom *p)
{
    struct looked *looked = &p->looked;
    const bool is_join = replay_rows_is_join(&looked->store, looked->op);
    p->by_value = !replay_rows_tell_all(&looked->store, looked->op);
    for (uint32_t v = is_join ? p->other - 1 : 0; v < (is_join ? p->other + 1 : p->versions.count);
         v++) {
        struct esse_key_version *at = &p->versions.at[v];
        const enum esse_truth truth =
            is_join ? (is_joined(p, v) ? ESSE_TRUTH_TRUE : ESSE_TRUTH_FALSE)
                    : replay_rows_ask(&looked->store, looked->op, p->edge->key.ix, at->value);
        if (truth == ESSE_TRUTH_UNKNOWN ||
            (at->op != ESSE_NO_OP && looked->history->op_kind[at->op] == ESSE_OP_APPEND))
            return false;
        at->matches = truth == ESSE_TRUTH_TRUE;
    }
    return true;
}

/* ---- which version was looked at ---- */

/* May one of unknown outcome have installed a version more? */
static bool is_unsure(const struct phantom *p)
{
    const struct esse_history *history = p->looked.history;
    const uint8_t *counted = esse_counted(p->looked.arena, history);
    for (uint32_t txn = 0; !history->certificate.complete && txn < history->txns; txn++)
        if (history->txn_status[txn] == ESSE_UNKNOWN_OUTCOME && !counted[txn] &&
            esse_txn_writes(history, txn, &p->edge->key))
            return true;
    return false;
}

/* The only version with a value or, without one, the only one that does not match. */
static uint32_t only(const struct phantom *p, const esse_value *value)
{
    uint32_t found = NOWHERE;
    for (uint32_t v = 0; v < p->versions.count; v++) {
        const struct esse_key_version *at = &p->versions.at[v];
        if (value ? !esse_value_eq(at->value, *value) : at->matches)
            continue;
        if (found != NOWHERE)
            return NOWHERE;
        found = v;
    }
    return found;
}

static uint32_t version_seen(const struct phantom *p)
{
    const struct looked *looked = &p->looked;
    const struct esse_history *history = looked->history;
    const struct esse_predicate_op *returned = looked->returned;
    uint32_t seen;
    esse_value row;
    if (esse_op_wrote_before(history, looked->op, p->edge->key))
        return NOWHERE;
    if (!returned->has_vset &&
        esse_key_version_at_snapshot(&p->versions, history, looked->txn, looked->op, &seen))
        return seen;
    if (is_unsure(p))
        return NOWHERE;
    for (uint32_t i = 0; i < returned->vset_count; i++)
        if (history->rows[returned->vset + i].key.ix == p->edge->key.ix)
            return only(p, &history->rows[returned->vset + i].value);
    if (esse_op_read_of(history, looked->op, p->edge->key, &row))
        return only(p, &row);
    return returned->has_vset || p->by_value ? NOWHERE : only(p, NULL);
}

/* ---- the edge ---- */

static bool changes(const struct phantom *p, uint32_t version)
{
    const struct esse_key_version *at = p->versions.at;
    return version > 0 && (p->by_value ? at[version].matches || at[version - 1].matches
                                       : at[version].matches != at[version - 1].matches);
}

/* Was the last change until 'version' made by the reader itself?  Then what came upon that came
 * after it, and yet was seen. */
static bool is_own_change(const struct phantom *p, uint32_t version)
{
    while (version > 0 && !changes(p, version))
        version--;
    return version > 0 && p->versions.at[version].txn == p->looked.txn;
}

static bool follows(struct phantom *p)
{
    const struct looked *looked = &p->looked;
    const esse_op write = p->reads ? p->edge->from_op : p->edge->to_op;
    if (!esse_key_versions(&p->versions, looked->arena, looked->history, p->edge->key))
        return false;
    p->other = (uint32_t)p->versions.count - 1;
    while (p->other > 0 && p->versions.at[p->other].op != write.ix)
        p->other--;
    if (!p->other || !match_versions(p))
        return false;
    const uint32_t seen = version_seen(p), other = p->other;
    if (seen == NOWHERE)
        return false;
    return p->reads
               ? other <= seen && (changes(p, other) || (other == seen && is_own_change(p, seen)))
               : other > seen && changes(p, other);
}

bool esse_recheck_phantom(const struct esse_history *history, const struct esse_edge *edge)
{
    const bool reads = edge->dep == ESSE_DEP_WRP;
    struct phantom p = { .edge = edge, .reads = reads };
    if (!looked_open(&p.looked, history, reads ? edge->to.ix : edge->from.ix,
                     reads ? edge->to_op.ix : edge->from_op.ix))
        return false;
    const bool ok = follows(&p);
    looked_close(&p.looked);
    return ok;
}
