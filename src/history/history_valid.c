#include "base/arena.h"
#include "history/history.h"

/* What history.h says of a frozen history, column by column. */

static bool rises_to(const uint32_t *first, uint32_t count, uint32_t end)
{
    bool ok = first[0] == 0 && first[count] == end;
    for (uint32_t i = 0; ok && i < count; i++)
        ok = first[i] <= first[i + 1];
    return ok;
}

static bool is_value_valid(const struct esse_history *history, esse_value value)
{
    const uint32_t count = (uint32_t)(value.word >> 32), spine = (uint32_t)value.word >> 3;
    return !esse_value_is_list(value) || !count ||
           (spine < history->spine_count && count <= history->spines[spine].count);
}

static bool is_row_valid(const struct esse_history *history, const struct esse_keyed_row *row)
{
    return row->key.ix < history->keys && is_value_valid(history, row->value);
}

static bool is_predicate_valid(const struct esse_history *history,
                               const struct esse_predicate_op *predicate)
{
    bool ok = !predicate->no_rows || !predicate->row_count;
    for (uint32_t i = 0; ok && i < predicate->row_count; i++)
        ok = is_row_valid(history, &history->rows[predicate->row + i]);
    for (uint32_t i = 0; ok && i < predicate->vset_count; i++)
        ok = history->rows[predicate->vset + i].key.ix < history->keys;
    return ok;
}

static bool are_ops_valid(const struct esse_history *history)
{
    bool ok = true;
    for (uint32_t op = 0; ok && op < history->ops; op++) {
        const unsigned kind = history->op_kind[op];
        const uint32_t keys = esse_op_is_predicate(kind) ? history->predicate_count : history->keys;
        ok = kind <= ESSE_OP_PREDICATE_UPDATE && history->op_key[op] < keys &&
             is_value_valid(history, history->op_value[op]);
    }
    for (uint32_t i = 0; ok && i < history->predicate_count; i++)
        ok = is_predicate_valid(history, &history->predicates[i]);
    return ok;
}

static bool are_txns_valid(const struct esse_history *history)
{
    bool ok = true;
    for (uint32_t txn = 0; ok && txn < history->txns; txn++)
        ok = history->txn_session[txn] < history->sessions &&
             history->txn_status[txn] <= ESSE_UNKNOWN_OUTCOME;
    for (uint32_t i = 1; ok && i < history->extra_count; i++)
        ok = history->extras[i - 1].txn.ix <= history->extras[i].txn.ix;
    return ok;
}

static bool are_sessions_valid(const struct esse_history *history)
{
    const uint32_t *first = history->session_first, *txn = history->session_txn;
    bool ok = rises_to(first, history->sessions, history->txns);
    for (uint32_t s = 0; ok && s < history->sessions; s++)
        for (uint32_t at = first[s]; ok && at < first[s + 1]; at++)
            ok = txn[at] < history->txns && history->txn_session[txn[at]] == s &&
                 (at == first[s] || txn[at - 1] < txn[at]);
    return ok;
}

static bool has_columns(const struct esse_history *history)
{
    const struct {
        unsigned has;
        const void *column;
    } columns[] = { { ESSE_HAS_OP_TIMES, history->op_time },
                    { ESSE_HAS_SNAPSHOTS, history->op_snapshot },
                    { ESSE_HAS_XIDS, history->txn_xid } };
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof columns / sizeof *columns; i++)
        ok = !(history->has & columns[i].has) == !columns[i].column;
    return ok;
}

/* Transactions that a line names: all of them are there, none of them twice. */
static bool are_named_once(const struct esse_history *history, const esse_txn *txns, uint32_t count)
{
    struct esse_arena *arena = esse_arena_new();
    uint8_t *seen = esse_arena_alloc(arena, history->txns + (size_t)1, 1);
    bool ok = true;
    for (uint32_t i = 0; ok && i < count; i++)
        ok = txns[i].ix < history->txns && !seen[txns[i].ix]++;
    esse_arena_free(arena);
    return ok;
}

static bool are_versions_valid(const struct esse_history *history)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < history->version_order_count; i++) {
        const struct esse_version_order *order = &history->version_orders[i];
        ok = order->key.ix < history->keys;
        for (uint32_t v = 0; ok && v < order->count; v++)
            ok = order->versions[v].txn.ix == ESSE_NO_TXN ||
                 order->versions[v].txn.ix < history->txns;
    }
    for (uint32_t i = 0; ok && i < history->init_count; i++)
        ok = history->init[i].key.ix < history->keys;
    return ok;
}

bool esse_history_valid(const struct esse_history *history)
{
    return rises_to(history->txn_op, history->txns, history->ops) && are_ops_valid(history) &&
           are_txns_valid(history) && are_sessions_valid(history) && has_columns(history) &&
           are_versions_valid(history) &&
           are_named_once(history, history->order, history->order_count) &&
           are_named_once(history, history->lost, history->lost_count);
}
