#include "evidence/recheck_predicate.h"

#include "base/arena.h"
#include "evidence/key_versions.h"
#include "history/access.h"
#include "sql/statement.h"

struct question {
    const struct esse_history *history;
    const struct esse_predicate *predicate;
    uint32_t txn, op; /* the predicate operation */
    esse_key key;
};

/* Asks 'answer' about a predicate operation, if its predicate can be understood. */
static bool ask(struct question question, bool (*answer)(const struct question *question,
                                                         const struct esse_predicate_op *predicate))
{
    const struct esse_history *history = question.history;
    if (!esse_op_is_predicate(history->op_kind[question.op]))
        return false;
    const struct esse_predicate_op *predicate = &history->predicates[history->op_key[question.op]];
    if (predicate->no_rows)
        return false; /* nothing is missing from what nobody recorded */
    struct esse_arena *arena = esse_arena_new();
    struct esse_error ignored;
    question.predicate =
        esse_predicates_get(esse_predicates_new(arena, history), predicate->text, &ignored);
    const bool yes = question.predicate && answer(&question, predicate);
    esse_arena_free(arena);
    return yes;
}

static bool selects(const struct question *question, esse_value row, bool *matches)
{
    struct esse_error ignored;
    return esse_predicate_selects(
        question->predicate, question->history->key_name[question->key.ix], row, matches, &ignored);
}

static const struct esse_keyed_row *find_row(const struct esse_history *history, uint32_t first,
                                             uint32_t count, esse_key key)
{
    for (uint32_t i = 0; i < count; i++)
        if (history->rows[first + i].key.ix == key.ix)
            return &history->rows[first + i];
    return NULL;
}

/* ---- predicate-read-miss ---- */

/* Every write of the operation to the key is of a value that is there and matches. */
static bool keeps_matching(const struct question *question, uint32_t op)
{
    const uint32_t count = esse_access_count(question->history, op);
    for (uint32_t i = 0; i < count; i++) {
        const struct esse_access access = esse_access_at(question->history, op, i);
        bool matches;
        if (access.kind == ESSE_OP_READ || access.key.ix != question->key.ix)
            continue;
        if (access.kind == ESSE_OP_APPEND || !selects(question, access.value, &matches) || !matches)
            return false;
    }
    return true;
}

static bool always_matches(const struct question *question,
                           const struct esse_predicate_op *predicate)
{
    const struct esse_history *history = question->history;
    bool matches;
    if (find_row(history, predicate->row, predicate->row_count, question->key) ||
        !selects(question, esse_key_initial(history, question->key), &matches) || !matches)
        return false;
    for (uint32_t txn = 0; txn < history->txns; txn++)
        for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++)
            if (history->txn_status[txn] != ESSE_ABORTED && !keeps_matching(question, op))
                return false;
    return true;
}

bool esse_recheck_predicate_miss(const struct esse_history *history, uint32_t txn, uint32_t op,
                                 esse_key key)
{
    return ask((struct question){ history, NULL, txn, op, key }, always_matches);
}

/* ---- result-set-mismatch ---- */

/* The version of the key at the operation's snapshot, if a certificate tells. */
static bool version_at_snapshot(const struct question *question, esse_value *version)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_key_version_vec versions;
    uint32_t seen;
    const bool found = esse_key_versions(&versions, arena, question->history, question->key) &&
                       esse_key_version_at_snapshot(&versions, question->history, question->txn,
                                                    question->op, &seen);
    if (found)
        *version = versions.at[seen].value;
    esse_arena_free(arena);
    return found;
}

/* What the transaction had written to the key before; ESSE_NONE if that was an append. */
static bool own_version(const struct question *question, esse_value *version)
{
    const struct esse_history *history = question->history;
    for (uint32_t own = question->op; own-- > history->txn_op[question->txn];) {
        if (esse_op_write_of(history, own, question->key, version)) {
            if (history->op_kind[own] == ESSE_OP_APPEND)
                *version = ESSE_NONE;
            return true;
        }
    }
    return false;
}

/* Was the version returned exactly if it matches, and as it is? */
static bool differs(const struct question *question, const struct esse_keyed_row *row,
                    esse_value version)
{
    bool matches;
    return !esse_value_eq(version, ESSE_NONE) && selects(question, version, &matches) &&
           (matches != (row != NULL) || (row && !esse_value_eq(row->value, version)));
}

static bool disagrees(const struct question *question, const struct esse_predicate_op *predicate)
{
    const struct esse_history *history = question->history;
    const struct esse_keyed_row *row =
        find_row(history, predicate->row, predicate->row_count, question->key);
    const struct esse_keyed_row *entry =
        find_row(history, predicate->vset, predicate->vset_count, question->key);
    esse_value version;
    bool matches;
    if (predicate->has_vset)
        return own_version(question, &version) ? differs(question, row, version)
               : entry                         ? differs(question, row, entry->value)
                                               : row != NULL;
    /* What was returned is what was seen, and must match. */
    if (row && selects(question, row->value, &matches) && !matches)
        return true;
    return esse_statement_is_exact(question->predicate) && !own_version(question, &version) &&
           version_at_snapshot(question, &version) && differs(question, row, version);
}

bool esse_recheck_result_set(const struct esse_history *history, uint32_t txn, uint32_t op,
                             esse_key key)
{
    return ask((struct question){ history, NULL, txn, op, key }, disagrees);
}

/* ---- internal ---- */

/* The transaction's own last write of the key matches, and was not returned. */
static bool misses_own(const struct question *question, const struct esse_predicate_op *predicate)
{
    const struct esse_history *history = question->history;
    esse_value version;
    bool matches;
    if (find_row(history, predicate->row, predicate->row_count, question->key))
        return false;
    for (uint32_t own = question->op; own-- > history->txn_op[question->txn];)
        if (esse_op_write_of(history, own, question->key, &version))
            return history->op_kind[own] != ESSE_OP_APPEND &&
                   selects(question, version, &matches) && matches;
    return false;
}

bool esse_recheck_own_miss(const struct esse_history *history, uint32_t txn, uint32_t op,
                           esse_key key)
{
    return ask((struct question){ history, NULL, txn, op, key }, misses_own);
}
