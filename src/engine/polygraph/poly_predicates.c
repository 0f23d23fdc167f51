#include "engine/polygraph/poly_state.h"
#include "sql/statement.h"

/* Every key that a predicate operation did not return had a version then that does not match. */

/* The last write to a key of a transaction of unknown outcome, seen by no read that is known. */
struct unsure {
    uint32_t key;
    esse_value value;
};
ESSE_VEC(unsure_vec, struct unsure)

struct missing {
    struct poly_reads *reads;
    const struct esse_history *history;
    struct esse_error *err;
    const struct esse_predicate *predicate;
    struct unsure_vec unsure; /* by key, ascending */
    uint32_t *unsure_first;   /* by key; NULL if there are none */
    uint32_t *known; /* by key: the last operation that returned it, or before which its transaction
                        wrote it, plus 1 */
};

static void find_unsure(struct missing *m)
{
    const struct versions *versions = m->reads->versions;
    const struct esse_by_key *by_key = &versions->sources->by_key;
    if (!versions->unsure)
        return;
    uint32_t *first =
        esse_arena_alloc(versions->arena, m->history->keys + (size_t)1, sizeof *first);
    for (uint32_t key = 0; key < m->history->keys; key++) {
        first[key] = (uint32_t)m->unsure.count;
        for (uint32_t at = by_key->first[key]; versions->unsure[key] && at < by_key->first[key + 1];
             at++) {
            const struct esse_key_access *key_access = &by_key->at[at];
            if (key_access->kind == ESSE_OP_WRITE && !versions->in[key_access->txn] &&
                m->history->txn_status[key_access->txn] == ESSE_UNKNOWN_OUTCOME &&
                esse_is_last_write(by_key, key, at))
                unsure_vec_push(&m->unsure, versions->arena,
                                (struct unsure){ key, key_access->value });
        }
    }
    first[m->history->keys] = (uint32_t)m->unsure.count;
    m->unsure_first = first;
}

static bool value_matches(struct missing *m, uint32_t key, esse_value value, bool *yes)
{
    return esse_predicate_selects(m->predicate, m->history->key_name[key], value, yes, m->err);
}

/* A list is no row: what was appended to it matches nothing. */
static bool matches(struct missing *m, uint32_t key, version_id version, bool *yes)
{
    const struct versions *versions = m->reads->versions;
    if (version.ix == versions->first[key].ix)
        return value_matches(m, key, versions->sources->initial[key], yes);
    const struct esse_key_access *key_access =
        versions_key_access(versions, versions->write[version.ix]);
    *yes = false;
    return key_access->kind == ESSE_OP_APPEND || value_matches(m, key, key_access->value, yes);
}

/* Can it have seen a non-matching version whose writer's outcome is unknown? */
static bool find_optional(struct missing *m, uint32_t key, bool *optional)
{
    bool yes;
    for (uint32_t i = m->unsure_first ? m->unsure_first[key] : 0;
         m->unsure_first && i < m->unsure_first[key + 1]; i++) {
        if (!value_matches(m, key, m->unsure.at[i].value, &yes))
            return false;
        *optional |= !yes;
    }
    return true;
}

/* Only a key some of whose versions match says anything by not being returned. */
static bool open_key(struct missing *m, uint32_t txn, uint32_t op, uint32_t key)
{
    struct poly_reads *reads = m->reads;
    const struct versions *versions = reads->versions;
    struct poly_open open = {
        .txn = txn, .key = key, .op = op, .first = (uint32_t)reads->sources.count, .predicate = true
    };
    bool any = false, yes;
    for (version_id v = versions->first[key]; v.ix < versions->first[key + 1].ix; v.ix++) {
        if (version_txn(versions, v) == txn)
            continue;
        if (!matches(m, key, v, &yes))
            return false;
        any |= yes;
        if (!yes)
            esse_u32_vec_push(&reads->sources, versions->arena, v.ix);
    }
    open.count = (uint32_t)reads->sources.count - open.first;
    if (!any) {
        reads->sources.count = open.first;
        return true;
    }
    if (!find_optional(m, key, &open.optional))
        return false;
    poly_reads_add(reads, &open);
    return true;
}

/* What it returned is known, and what its own transaction wrote before is judged by the scan. */
static void mark_known(struct missing *m, uint32_t txn, uint32_t op,
                       const struct esse_predicate_op *predicate)
{
    const struct esse_history *history = m->history;
    for (uint32_t i = 0; i < predicate->row_count; i++)
        m->known[history->rows[predicate->row + i].key.ix] = op + 1;
    struct esse_access_walk walk = { history, history->txn_op[txn], op };
    while (esse_access_next(&walk))
        if (walk.access.kind != ESSE_OP_READ)
            m->known[walk.access.key.ix] = op + 1;
}

static bool open_predicate(struct missing *m, uint32_t txn, uint32_t op,
                           struct esse_predicates *predicates)
{
    const struct esse_predicate_op *predicate = &m->history->predicates[m->history->op_key[op]];
    if (predicate->no_rows)
        return true; /* and so nothing is missing */
    m->predicate = esse_predicates_get(predicates, predicate->text, m->err);
    if (!m->predicate)
        return false;
    if (!esse_statement_is_exact(m->predicate))
        return true;
    mark_known(m, txn, op, predicate);
    for (uint32_t key = 0; key < m->history->keys; key++)
        if (m->known[key] != op + 1 && !open_key(m, txn, op, key))
            return false;
    return true;
}

bool poly_predicates_find(struct poly_reads *reads, struct esse_budget *budget,
                          struct esse_error *err)
{
    const struct esse_history *history = reads->versions->history;
    struct esse_arena *arena = reads->versions->arena;
    struct missing m = { .reads = reads, .history = history, .err = err };
    struct esse_predicates *predicates = esse_predicates_new(arena, history);
    m.known = esse_arena_alloc(arena, history->keys + 1u, sizeof *m.known);
    find_unsure(&m);
    esse_budget_phase(budget, "completing predicates", history->txns);
    for (uint32_t txn = 0; txn < history->txns; txn++) {
        for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++)
            if (reads->versions->in[txn] && esse_op_is_predicate(history->op_kind[op]) &&
                !open_predicate(&m, txn, op, predicates))
                return false;
        if (!esse_budget_poll(budget, txn))
            return false;
    }
    return true;
}
