#include "evidence/refutation_state.h"
#include "evidence/truths.h"

/* Which versions a read can be of. */

static bool is_final_write(const struct refuting *r, uint32_t key, uint32_t at)
{
    return r->by_key.at[at].kind == ESSE_OP_WRITE && esse_is_last_write(&r->by_key, key, at);
}

/* Can a read by 'reader' that returned 'value' be of the version of the write at 'at'?  A version
 * that was aborted or overwritten by its own transaction may not be read at any level here. */
static bool can_be(const struct refuting *r, uint32_t key, uint32_t at, uint32_t reader,
                   esse_value value)
{
    const struct esse_touch *touch = &r->by_key.at[at];
    return touch->txn != reader && r->history->txn_status[touch->txn] != ESSE_ABORTED &&
           esse_value_eq(touch->value, value) && is_final_write(r, key, at);
}

static uint32_t op_at(const struct refuting *r, uint32_t at)
{
    return esse_by_key_op(&r->by_key, r->by_key.at[at].access);
}

uint32_t refute_only_source(const struct refuting *r, uint32_t op, esse_key key)
{
    const uint32_t reader = esse_op_txn(r->history, op).ix;
    esse_value value;
    uint32_t found = REFUTE_NOT_ONE, count = 0;
    if (!esse_op_read_of(r->history, op, key, &value) || esse_value_eq(value, ESSE_NONE))
        return REFUTE_NOT_ONE;
    value = esse_value_state(value);
    if (esse_value_eq(value, esse_key_initial(r->history, key))) {
        found = ESSE_NO_OP;
        count++;
    }
    for (uint32_t at = r->by_key.first[key.ix]; at < r->by_key.first[key.ix + 1]; at++)
        if (can_be(r, key.ix, at, reader, value)) {
            found = op_at(r, at);
            count++;
        }
    return count == 1 ? found : REFUTE_NOT_ONE;
}

/* ---- all of them ---- */

/* Is the version of 'op' (ESSE_NO_OP: the initial one) among those that the clause names? */
static bool is_named(const struct refuting *r, const struct esse_clause *clause, uint32_t op)
{
    for (uint32_t i = 0; i < clause->count; i++)
        if (r->refutation->choices[clause->literals[i] >> 1].first.ix == op)
            return true;
    return false;
}

static bool names_all_of_value(const struct refuting *r, const struct esse_clause *clause,
                               uint32_t op, esse_key key, esse_value value)
{
    const uint32_t reader = esse_op_txn(r->history, op).ix;
    if (esse_value_eq(value, ESSE_NONE) || esse_value_tag(value) == ESSE_TAG_LIST)
        return false;
    if (esse_value_eq(value, esse_key_initial(r->history, key)) && !is_named(r, clause, ESSE_NO_OP))
        return false;
    for (uint32_t at = r->by_key.first[key.ix]; at < r->by_key.first[key.ix + 1]; at++)
        if (can_be(r, key.ix, at, reader, value) && !is_named(r, clause, op_at(r, at)))
            return false;
    return true;
}

/* Does the version not match, or is it named?  One for which the predicate has no answer is
 * neither. */
static bool is_excused(struct refuting *r, const struct esse_clause *clause,
                       const struct esse_predicate *predicate, esse_key key, esse_value value,
                       uint32_t op)
{
    struct esse_error ignored;
    bool matches;
    return is_named(r, clause, op) ||
           (esse_predicate_selects(predicate, r->history->key_name[key.ix], value, &matches,
                                   &ignored) &&
            matches);
}

/* Of unknown outcome and not seen, it committed unless a complete certificate leaves it out.
 */
static bool may_have_installed(const struct refuting *r, uint32_t txn)
{
    return r->in[txn] || (r->history->txn_status[txn] == ESSE_UNKNOWN_OUTCOME &&
                          !r->history->certificate.complete);
}

/* A key that the predicate did not return had a version that does not match. */
static bool names_all_misses(struct refuting *r, const struct esse_clause *clause, uint32_t op,
                             esse_key key)
{
    const struct esse_history *history = r->history;
    const uint32_t reader = esse_op_txn(history, op).ix;
    struct esse_error ignored;
    if (!esse_op_is_predicate(history->op_kind[op]) ||
        history->predicates[history->op_key[op]].no_rows)
        return false;
    if (!r->predicates)
        r->predicates = esse_predicates_new(r->arena, history);
    const struct esse_predicate *predicate =
        esse_predicates_get(r->predicates, history->predicates[history->op_key[op]].text, &ignored);
    if (!predicate || !esse_statement_is_exact(predicate) ||
        !is_excused(r, clause, predicate, key, esse_key_initial(history, key), ESSE_NO_OP))
        return false;
    for (uint32_t at = r->by_key.first[key.ix]; at < r->by_key.first[key.ix + 1]; at++) {
        const struct esse_touch *touch = &r->by_key.at[at];
        if (touch->txn != reader && may_have_installed(r, touch->txn) &&
            is_final_write(r, key.ix, at) &&
            !is_excused(r, clause, predicate, key, touch->value, op_at(r, at)))
            return false;
        if (touch->kind == ESSE_OP_APPEND)
            return false;
    }
    return true;
}

bool refute_names_all_sources(struct refuting *r, const struct esse_clause *clause)
{
    const uint32_t op = clause->read.ix;
    esse_value value;
    for (uint32_t i = 0; i < clause->count; i++) {
        const struct esse_choice *choice = &r->refutation->choices[clause->literals[i] >> 1];
        if ((clause->literals[i] & 1) || choice->kind != ESSE_CHOICE_SOURCE ||
            choice->second.ix != op || choice->key.ix != clause->key.ix)
            return false;
    }
    if (op >= r->history->ops || clause->key.ix >= r->history->keys ||
        !r->in[esse_op_txn(r->history, op).ix] || truth_wrote_before(r->history, op, clause->key))
        return false;
    if (esse_op_read_of(r->history, op, clause->key, &value))
        return names_all_of_value(r, clause, op, clause->key, esse_value_state(value));
    return names_all_misses(r, clause, op, clause->key);
}
