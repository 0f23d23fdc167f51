#include "base/radix.h"
#include "engine/known/serial_state.h"

#include <string.h>

/* From the back: nothing may come after what had not begun when it ended. */
bool serial_keeps_time(const struct esse_history *history, const uint32_t *events, uint32_t count)
{
    int64_t earliest = INT64_MAX;
    for (uint32_t i = count; i-- > 0;) {
        const struct esse_interval time = history->txn_time[events[i]];
        if (time.begin != ESSE_NO_TIME && earliest < time.begin)
            return false;
        if (time.end != ESSE_NO_TIME && time.end < earliest)
            earliest = time.end;
    }
    return true;
}

/* ---- transactions by their ends ---- */

/* Those that did not commit and have no end stay behind: they are not looked at. */
static uint32_t *sort_by_end(const struct esse_history *history, struct esse_arena *arena)
{
    struct esse_pair *pairs = esse_arena_array(arena, history->txns + 1u, *pairs);
    uint32_t *sorted = esse_arena_array(arena, history->txns + 1u, *sorted);
    bool known = true;
    for (uint32_t txn = 0; txn < history->txns; txn++) {
        const int64_t end = history->txn_time[txn].end;
        known &= end != ESSE_NO_TIME || history->txn_status[txn] != ESSE_COMMITTED;
        pairs[txn] =
            (struct esse_pair){ esse_radix_key(end == ESSE_NO_TIME ? INT64_MAX : end), txn };
    }
    if (known)
        esse_radix_sort(pairs, history->txns, arena);
    for (uint32_t i = 0; i < history->txns; i++)
        sorted[i] = pairs[i].id;
    esse_arena_drop(arena, pairs);
    return known ? sorted : NULL;
}

static bool is_recorded_in_time(const struct esse_history *history, struct esse_arena *arena)
{
    uint32_t *committed = esse_arena_array(arena, history->txns + 1u, *committed);
    uint32_t count = 0;
    for (uint32_t txn = 0; txn < history->txns; txn++)
        if (history->txn_status[txn] == ESSE_COMMITTED)
            committed[count++] = txn;
    bool keeps = serial_keeps_time(history, committed, count);
    esse_arena_drop(arena, committed);
    return keeps;
}

/* ---- the history that was recorded in this order ---- */

struct columns {
    uint8_t *op_kind, *txn_status;
    uint32_t *op_key, *txn_op, *txn_session;
    esse_value *op_value;
    struct esse_interval *txn_time;
};

static struct columns make_columns(const struct esse_history *history, struct esse_arena *arena)
{
    const size_t ops = history->ops + (size_t)1, txns = history->txns + (size_t)2;
    return (struct columns){
        .op_kind = esse_arena_array(arena, ops, uint8_t),
        .op_key = esse_arena_array(arena, ops, uint32_t),
        .op_value = esse_arena_array(arena, ops, esse_value),
        .txn_op = esse_arena_array(arena, txns, uint32_t),
        .txn_session = esse_arena_array(arena, txns, uint32_t),
        .txn_status = esse_arena_array(arena, txns, uint8_t),
        .txn_time = esse_arena_array(arena, txns, struct esse_interval),
    };
}

static void copy_txn(const struct columns *to, const struct esse_history *history, uint32_t at,
                     uint32_t txn, uint32_t op)
{
    const uint32_t from = history->txn_op[txn];
    const size_t count = history->txn_op[txn + 1] - from;
    to->txn_op[at] = op;
    to->txn_session[at] = history->txn_session[txn];
    to->txn_status[at] = history->txn_status[txn];
    to->txn_time[at] = history->txn_time[txn];
    memcpy(to->op_kind + op, history->op_kind + from, count * sizeof *to->op_kind);
    memcpy(to->op_key + op, history->op_key + from, count * sizeof *to->op_key);
    memcpy(to->op_value + op, history->op_value + from, count * sizeof *to->op_value);
}

const uint32_t *serial_by_ends(struct esse_history *sorted, struct esse_arena *arena,
                               struct esse_arena *scratch, const struct esse_history *history)
{
    if (!history->txn_time || is_recorded_in_time(history, scratch))
        return NULL;
    const uint32_t *order = sort_by_end(history, arena);
    if (!order)
        return NULL;
    const struct columns to = make_columns(history, scratch);
    uint32_t op = 0;
    for (uint32_t at = 0; at < history->txns; at++) {
        copy_txn(&to, history, at, order[at], op);
        op += history->txn_op[order[at] + 1] - history->txn_op[order[at]];
    }
    to.txn_op[history->txns] = op;
    *sorted = *history;
    sorted->op_kind = to.op_kind;
    sorted->op_key = to.op_key;
    sorted->op_value = to.op_value;
    sorted->txn_op = to.txn_op;
    sorted->txn_session = to.txn_session;
    sorted->txn_status = to.txn_status;
    sorted->txn_time = to.txn_time;
    return order;
}
