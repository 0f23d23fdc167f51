#include "evidence/recheck_phantom.h"

#include "base/vec.h"
#include "evidence/recheck_cycle.h"
#include "history/access.h"
#include "sql/predicate.h"

#include <string.h>

struct version {
    uint32_t txn, op; /* ESSE_NO_TXN: the initial one */
    esse_value value;
    bool matches;
};
ESSE_VEC(version_vec, struct version)

struct phantom {
    struct esse_arena *arena;
    const struct esse_history *history;
    const struct esse_edge *edge;
    struct version_vec versions; /* of the edge's key, oldest first */
    uint32_t reader, predicate;  /* the transaction and operation that looked */
};
#define NOWHERE UINT32_MAX

/* ---- the versions in their order ---- */

/* The last write of a transaction to the key: the version that it installs. */
static bool installed(const struct phantom *p, uint32_t txn, struct version *version)
{
    const struct esse_history *history = p->history;
    bool found = false;
    for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++) {
        esse_value value;
        if (!esse_op_write_of(history, op, p->edge->key, &value))
            continue;
        *version = (struct version){ txn, op, value, false };
        found = true;
    }
    return found && esse_recheck_counts(history, txn);
}

static void list_recorded(struct phantom *p)
{
    struct version version;
    for (uint32_t txn = 0; txn < p->history->txns; txn++)
        if (installed(p, txn, &version))
            version_vec_push(&p->versions, p->arena, version);
}

/* Puts the versions after the initial one into the order given; false if it does not name all. */
static bool sort_as_given(struct phantom *p, const struct esse_version_order *order)
{
    const size_t count = p->versions.count;
    struct version_vec sorted = { 0 };
    version_vec_push(&sorted, p->arena, p->versions.at[0]);
    for (uint32_t i = 0; i < order->count; i++)
        for (size_t v = 1; v < count; v++) {
            const struct version *version = &p->versions.at[v];
            if (order->versions[i].txn.ix == ESSE_NO_TXN
                    ? esse_value_eq(order->versions[i].value, version->value)
                    : order->versions[i].txn.ix == version->txn)
                version_vec_push(&sorted, p->arena, *version);
        }
    p->versions = sorted;
    return sorted.count == count;
}

static bool list_versions(struct phantom *p)
{
    const struct esse_history *history = p->history;
    struct version initial = { ESSE_NO_TXN, ESSE_NO_OP, esse_key_initial(history, p->edge->key),
                               false };
    version_vec_push(&p->versions, p->arena, initial);
    list_recorded(p);
    for (uint32_t i = 0; i < history->version_order_count; i++)
        if (history->version_orders[i].key.ix == p->edge->key.ix)
            return sort_as_given(p, &history->version_orders[i]);
    return esse_is_recorded_in_version_order(history) || p->versions.count <= 2;
}

static bool match_versions(struct phantom *p)
{
    const struct esse_history *history = p->history;
    struct esse_error ignored;
    const struct esse_predicate *predicate =
        esse_predicates_get(esse_predicates_new(p->arena, history),
                            history->predicates[history->op_key[p->predicate]].text, &ignored);
    for (size_t v = 0; predicate && v < p->versions.count; v++)
        if (!esse_predicate_selects(predicate, history->key_name[p->edge->key.ix],
                                    p->versions.at[v].value, &p->versions.at[v].matches, &ignored))
            return false;
    return predicate != NULL;
}

/* ---- which version was looked at ---- */

static uint32_t only_with(const struct phantom *p, esse_value value)
{
    uint32_t found = NOWHERE;
    for (uint32_t v = 0; v < p->versions.count; v++) {
        if (!esse_value_eq(p->versions.at[v].value, value))
            continue;
        if (found != NOWHERE)
            return NOWHERE;
        found = v;
    }
    return found;
}

static uint32_t only_miss(const struct phantom *p)
{
    uint32_t found = NOWHERE;
    for (uint32_t v = 0; v < p->versions.count; v++) {
        if (p->versions.at[v].matches)
            continue;
        if (found != NOWHERE)
            return NOWHERE;
        found = v;
    }
    return found;
}

static uint32_t version_seen(const struct phantom *p)
{
    const struct esse_history *history = p->history;
    const struct esse_predicate_op *op = &history->predicates[history->op_key[p->predicate]];
    esse_value ignored;
    for (uint32_t o = history->txn_op[p->reader]; o < p->predicate; o++)
        if (esse_op_write_of(history, o, p->edge->key, &ignored))
            return NOWHERE;
    for (uint32_t i = 0; i < op->vset_count; i++)
        if (history->rows[op->vset + i].key.ix == p->edge->key.ix)
            return only_with(p, history->rows[op->vset + i].value);
    for (uint32_t i = 0; i < op->row_count; i++)
        if (history->rows[op->row + i].key.ix == p->edge->key.ix)
            return only_with(p, history->rows[op->row + i].value);
    return op->has_vset || op->no_rows ? NOWHERE : only_miss(p);
}

/* ---- the edge ---- */

static bool changes(const struct phantom *p, uint32_t version)
{
    return version > 0 && p->versions.at[version].matches != p->versions.at[version - 1].matches;
}

/* Was the last change until 'version' made by the reader itself?  Then what came upon that came
 * after it, and yet was seen. */
static bool is_own_change(const struct phantom *p, uint32_t version)
{
    while (version > 0 && !changes(p, version))
        version--;
    return version > 0 && p->versions.at[version].txn == p->reader;
}

static bool follows(const struct phantom *p, bool reads)
{
    uint32_t seen = version_seen(p), other = NOWHERE;
    const esse_op write = reads ? p->edge->from_op : p->edge->to_op;
    for (uint32_t v = 1; v < p->versions.count; v++)
        if (p->versions.at[v].op == write.ix)
            other = v;
    if (seen == NOWHERE || other == NOWHERE)
        return false;
    if (!reads)
        return other > seen && changes(p, other);
    return other <= seen && (changes(p, other) || (other == seen && is_own_change(p, seen)));
}

bool esse_recheck_phantom(const struct esse_history *history, const struct esse_edge *edge)
{
    const bool reads = strcmp(edge->dep, "wrp") == 0;
    struct phantom p = { .arena = esse_arena_new(),
                         .history = history,
                         .edge = edge,
                         .reader = reads ? edge->to.ix : edge->from.ix,
                         .predicate = reads ? edge->to_op.ix : edge->from_op.ix };
    bool ok = esse_op_is_predicate(history->op_kind[p.predicate]) && list_versions(&p) &&
              match_versions(&p) && follows(&p, reads);
    esse_arena_free(p.arena);
    return ok;
}
