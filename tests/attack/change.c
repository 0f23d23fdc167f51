#include "attack.h"

#include <string.h>

/* Changes after which a history means the same, or less. */

static bool has_order(const struct history *history)
{
    for (int key = 0; key < history->key_count; key++)
        if (history->version_count[key])
            return true;
    return history->order_count > 0;
}

#define SWAP(a, b)                                                                                 \
    do {                                                                                           \
        __typeof__(a) swap_ = (a);                                                                 \
        (a) = (b);                                                                                 \
        (b) = swap_;                                                                               \
    } while (0)

/* The first and the last key change places. */
static bool rename_keys(struct history *history)
{
    int last = history->key_count - 1;
    if (last == 0 || has_order(history))
        return false;
    SWAP(history->is_list[0], history->is_list[last]);
    SWAP(history->init[0], history->init[last]);
    for (int t = 0; t < history->txn_count; t++)
        for (int o = 0; o < history->txns[t].op_count; o++) {
            struct op *op = &history->txns[t].ops[o];
            if (op->key == 0 || op->key == last)
                op->key = last - op->key;
            SWAP(op->returned[0], op->returned[last]);
            SWAP(op->row[0], op->row[last]);
            SWAP(op->changed[0], op->changed[last]);
            SWAP(op->vset[0], op->vset[last]);
        }
    return true;
}

static int moved(int value)
{
    return value == NIL ? NIL : value + 1000;
}

static bool rename_values(struct history *history)
{
    if (has_aggregates(history))
        return false;
    for (int key = 0; key < history->key_count; key++)
        history->init[key] = moved(history->init[key]);
    for (int t = 0; t < history->txn_count; t++)
        for (int o = 0; o < history->txns[t].op_count; o++) {
            struct op *op = &history->txns[t].ops[o];
            op->value = moved(op->value);
            op->low += 1000;
            op->high += 1000;
            for (int i = 0; i < MOST_ITEMS; i++)
                op->items[i] = moved(op->items[i]);
            for (int key = 0; key < MOST_KEYS; key++) {
                op->row[key] = moved(op->row[key]);
                op->changed[key] = moved(op->changed[key]);
                op->vset[key] = moved(op->vset[key]);
            }
        }
    return true;
}

static bool rename_sessions(struct history *history)
{
    for (int t = 0; t < history->txn_count; t++)
        history->txns[t].session = 90 - history->txns[t].session;
    return true;
}

static int index_after_swap(int txn, int at)
{
    return txn == at ? at + 1 : txn == at + 1 ? at : txn;
}

/* Neighbours of different sessions change places. */
static bool shuffle_lines(struct history *history, struct dice *dice)
{
    for (int times = 6; times > 0; times--) {
        int at = roll(dice, history->txn_count - 1);
        if (history->txns[at].session == history->txns[at + 1].session)
            continue;
        SWAP(history->txns[at], history->txns[at + 1]);
        for (int i = 0; i < history->order_count; i++)
            history->order[i] = index_after_swap(history->order[i], at);
        for (int key = 0; key < history->key_count; key++)
            for (int i = 0; i < history->version_count[key]; i++)
                history->versions[key][i] = index_after_swap(history->versions[key][i], at);
    }
    return true;
}

static struct txn *new_txn(struct history *history, enum status status)
{
    struct txn *txn = &history->txns[history->txn_count++];
    *txn = (struct txn){ .id = 50, .session = 50, .status = status, .op_count = 1 };
    return txn;
}

/* A transaction that has a key for itself. */
static bool add_unrelated(struct history *history)
{
    if (history->txn_count == MOST_TXNS || history->key_count == MOST_KEYS || has_order(history) ||
        has_predicates(history) || has_aggregates(history))
        return false;
    int key = history->key_count++;
    history->is_list[key] = false;
    history->init[key] = NIL;
    new_txn(history, COMMITTED)->ops[0] = (struct op){ .kind = OP_WRITE, .key = key, .value = 5 };
    return true;
}

static bool add_aborted(struct history *history)
{
    if (history->txn_count == MOST_TXNS)
        return false;
    new_txn(history, ABORTED)->ops[0] =
        (struct op){ .kind = history->is_list[0] ? OP_APPEND : OP_WRITE, .value = 5000 };
    return true;
}

static bool forget_outcome(struct history *history, struct dice *dice)
{
    int at = roll(dice, history->txn_count), committed = 0;
    for (int t = 0; t < history->txn_count; t++)
        committed += history->txns[t].status == COMMITTED;
    if (history->txns[at].status != COMMITTED || committed == 1)
        return false;
    history->txns[at].status = UNKNOWN;
    return true;
}

bool changed_history(const struct history *history, int change, struct dice *dice,
                     struct history *out, bool *only_towards_holds)
{
    *out = *history;
    *only_towards_holds = change == 6;
    switch (change) {
    case 0:
        return rename_keys(out);
    case 1:
        return rename_values(out);
    case 2:
        return rename_sessions(out);
    case 3:
        return shuffle_lines(out, dice);
    case 4:
        return add_unrelated(out);
    case 5:
        return add_aborted(out);
    default:
        return forget_outcome(out, dice);
    }
}
