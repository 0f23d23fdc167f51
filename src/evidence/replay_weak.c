#include "evidence/counted.h"
#include "evidence/recheck_predicate.h"
#include "evidence/replay_rules.h"

/* ---- predicates of weak levels ---- */

bool replay_is_selected(struct replay *replay, uint32_t txn, uint32_t op)
{
    const struct esse_history *history = replay->history;
    if (!esse_op_is_predicate(history->op_kind[op]))
        return true;
    const struct esse_predicate_op *looked = &history->predicates[history->op_key[op]];
    bool ok = true;
    for (uint32_t i = 0; ok && i < looked->row_count; i++) {
        const struct esse_keyed_row *row = &history->rows[looked->row + i];
        ok = replay_rows_select(&replay->state, op, row->key.ix, row->value);
    }
    for (uint32_t key = 0; ok && looked->has_vset && key < history->keys; key++)
        ok = !esse_recheck_predicate(ESSE_PREDICATE_DIFFERS, history, txn, op, (esse_key){ key });
    return ok &&
           ((!looked->has_vset && !looked->has_result) ||
            !esse_recheck_predicate(ESSE_PREDICATE_IS_WRONG, history, txn, op, (esse_key){ 0 }));
}

/* What its own transaction wrote before is none of the rows that it left out. */
bool replay_misses_are_committed(struct replay *replay, uint32_t op)
{
    const struct esse_history *history = replay->history;
    esse_value ignored;
    if (!replay_rows_tell_all(&replay->state, op))
        return true;
    for (uint32_t k = 0; k < history->keys; k++) {
        const struct replay_key *key = &replay->state.keys[k];
        bool explained = key->last.commit == replay->state.commits || key->last.count ||
                         esse_op_read_of(history, op, (esse_key){ k }, &ignored);
        for (uint32_t v = key->version_count; !explained && v-- > 0;)
            explained = !replay_rows_select(&replay->state, op, k, key->versions[v].value);
        if (!explained)
            return false;
    }
    return true;
}

/* ---- read-uncommitted: the versions are in the order given ---- */

/* The elements that count must be the key's, in its order; what never came to be may be between. */
static bool is_in_order(const struct replay *replay, esse_key key, esse_value list)
{
    const struct replay_key *state = &replay->state.keys[key.ix];
    uint32_t count, at = 0;
    const esse_value *items = esse_history_list(replay->history, list, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (at < state->item_count && esse_value_eq(items[i], state->items[at])) {
            at++;
            continue;
        }
        for (uint32_t j = 0; j < state->item_count; j++)
            if (esse_value_eq(items[i], state->items[j]))
                return false;
    }
    return true;
}

bool replay_writes(struct replay *replay, struct esse_error *err)
{
    const struct esse_history *history = replay->history;
    /* Where reads need no source, nothing else asks for those of which something was read. */
    const uint32_t lacks = esse_counted_lacks(history, replay->in);
    if (lacks != ESSE_NO_TXN)
        return replay_wrong(replay, lacks, "is missing", err);
    for (uint32_t i = 0; i < replay->order->count; i++)
        replay_state_commit(&replay->state, replay->order->events[i]);
    for (uint32_t i = 0; i < replay->order->count; i++) {
        uint32_t txn = replay->order->events[i];
        for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++) {
            if (history->op_kind[op] == ESSE_OP_READ && esse_value_is_list(history->op_value[op]) &&
                !is_in_order(replay, (esse_key){ history->op_key[op] }, history->op_value[op]))
                return replay_wrong(replay, txn, "read a list in another order", err);
            if (!replay_is_selected(replay, txn, op))
                return replay_wrong(replay, txn, "returned what its predicate does not select",
                                    err);
        }
    }
    return true;
}
