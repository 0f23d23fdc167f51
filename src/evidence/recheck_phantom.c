#include "evidence/recheck_phantom.h"

#include "evidence/key_versions.h"
#include "evidence/recheck_cycle.h"
#include "evidence/recheck_join.h"
#include "history/access.h"
#include "sql/statement.h"

#include <string.h>

struct phantom {
    struct esse_arena *arena;
    const struct esse_history *history;
    const struct esse_edge *edge;
    struct esse_key_version_vec versions; /* of the edge's key, oldest first */
    bool by_value; /* what is returned depends on the values of all rows that match, not only on
                      which they are: it is no rows, or not all of them */
    uint32_t reader, predicate; /* the transaction and operation that looked */
};
#define NOWHERE UINT32_MAX

/* ---- the versions ---- */

/* What was appended is no row. */
static bool is_append(const struct esse_history *history, uint32_t op)
{
    return op != ESSE_NO_OP && history->op_kind[op] == ESSE_OP_APPEND;
}

static bool match_versions(struct phantom *p, const struct esse_predicate *predicate)
{
    const struct esse_history *history = p->history;
    struct esse_error ignored;
    for (size_t v = 0; v < p->versions.count; v++)
        if (is_append(history, p->versions.at[v].op) ||
            !esse_predicate_selects(predicate, history->key_name[p->edge->key.ix],
                                    p->versions.at[v].value, &p->versions.at[v].matches, &ignored))
            return false;
    p->by_value = history->predicates[history->op_key[p->predicate]].no_rows ||
                  !esse_statement_is_exact(predicate);
    return true;
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

static bool writes_key(const struct phantom *p, uint32_t txn)
{
    esse_value ignored;
    for (uint32_t op = p->history->txn_op[txn]; op < p->history->txn_op[txn + 1]; op++)
        if (esse_op_write_of(p->history, op, p->edge->key, &ignored))
            return true;
    return false;
}

/* May one of unknown outcome have installed a version more? */
static bool is_unsure(const struct phantom *p)
{
    const struct esse_history *history = p->history;
    for (uint32_t txn = 0; !history->certificate.complete && txn < history->txns; txn++)
        if (history->txn_status[txn] == ESSE_UNKNOWN_OUTCOME && writes_key(p, txn) &&
            !esse_recheck_counts(history, txn))
            return true;
    return false;
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
    uint32_t seen;
    if (!op->has_vset &&
        esse_key_version_at_snapshot(&p->versions, history, p->reader, p->predicate, &seen))
        return seen;
    if (is_unsure(p))
        return NOWHERE;
    for (uint32_t i = 0; i < op->vset_count; i++)
        if (history->rows[op->vset + i].key.ix == p->edge->key.ix)
            return only_with(p, history->rows[op->vset + i].value);
    for (uint32_t i = 0; i < op->row_count; i++)
        if (history->rows[op->row + i].key.ix == p->edge->key.ix)
            return only_with(p, history->rows[op->row + i].value);
    return op->has_vset || p->by_value ? NOWHERE : only_miss(p);
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

static bool is_phantom(struct phantom *p, bool reads)
{
    const struct esse_history *history = p->history;
    struct esse_error ignored;
    const struct esse_predicate *predicate =
        esse_predicates_get(esse_predicates_new(p->arena, history),
                            history->predicates[history->op_key[p->predicate]].text, &ignored);
    if (!predicate)
        return false;
    /* What a join says of one table alone is less than what it says of pairs. */
    if (esse_statement_tables(predicate) > 1)
        return esse_recheck_join(history, predicate, p->reader, p->predicate, p->edge->key,
                                 reads ? p->edge->from_op : p->edge->to_op, reads);
    return esse_key_versions(&p->versions, p->arena, history, p->edge->key) &&
           match_versions(p, predicate) && follows(p, reads);
}

bool esse_recheck_phantom(const struct esse_history *history, const struct esse_edge *edge)
{
    const bool reads = edge->dep == ESSE_DEP_WRP;
    struct phantom p = { .arena = esse_arena_new(),
                         .history = history,
                         .edge = edge,
                         .reader = reads ? edge->to.ix : edge->from.ix,
                         .predicate = reads ? edge->to_op.ix : edge->from_op.ix };
    const bool ok = esse_op_is_predicate(history->op_kind[p.predicate]) && is_phantom(&p, reads);
    esse_arena_free(p.arena);
    return ok;
}
