#include "attack.h"

#include <string.h>

/* Makes a failing history smaller for as long as it fails in the same way. */

static void drop_from(int *list, int *count, int txn)
{
    int n = 0;
    for (int i = 0; i < *count; i++)
        if (list[i] != txn)
            list[n++] = list[i] > txn ? list[i] - 1 : list[i];
    *count = n;
}

static void drop_txn(struct history *history, int txn)
{
    memmove(&history->txns[txn], &history->txns[txn + 1],
            (size_t)(history->txn_count - txn - 1) * sizeof history->txns[0]);
    history->txn_count--;
    drop_from(history->order, &history->order_count, txn);
    for (int key = 0; key < MOST_KEYS; key++)
        drop_from(history->versions[key], &history->version_count[key], txn);
}

static bool writes_key(const struct txn *txn, int key)
{
    for (int o = 0; o < txn->op_count; o++) {
        const struct op *op = &txn->ops[o];
        if ((op->kind == OP_UPDATE && op->returned[key]) ||
            (op->key == key && (op->kind == OP_WRITE || op->kind == OP_DELETE)))
            return true;
    }
    return false;
}

static void drop_op(struct history *history, int txn, int op)
{
    struct txn *at = &history->txns[txn];
    memmove(&at->ops[op], &at->ops[op + 1], (size_t)(at->op_count - op - 1) * sizeof at->ops[0]);
    at->op_count--;
    for (int key = 0; key < MOST_KEYS; key++)
        if (!writes_key(at, key))
            for (int i = history->version_count[key]; i-- > 0;)
                if (history->versions[key][i] == txn) {
                    memmove(&history->versions[key][i], &history->versions[key][i + 1],
                            (size_t)(history->version_count[key] - i - 1) * sizeof(int));
                    history->version_count[key]--;
                }
}

/* The smaller histories, one by one; false after the last. */
static bool smaller(const struct history *history, int which, struct history *out)
{
    *out = *history;
    if (which < history->txn_count) {
        drop_txn(out, which);
        return true;
    }
    which -= history->txn_count;
    for (int t = 0; t < history->txn_count; t++) {
        if (which < history->txns[t].op_count) {
            drop_op(out, t, which);
            return true;
        }
        which -= history->txns[t].op_count;
    }
    if (which < history->txn_count) {
        out->txns[which].has_times = false;
        return true;
    }
    which -= history->txn_count;
    if (which < history->txn_count) {
        out->txns[which].session = 10 + which; /* alone in its session */
        return true;
    }
    which -= history->txn_count;
    if (which < history->txn_count) {
        out->txns[which].status = COMMITTED;
        return true;
    }
    which -= history->txn_count;
    if (which < MOST_KEYS) {
        out->version_count[which] = 0;
        return true;
    }
    which -= MOST_KEYS;
    if (which < MOST_KEYS) {
        out->init[which] = NIL;
        return true;
    }
    out->order_count = 0;
    return which == MOST_KEYS;
}

static bool is_same_failure(const struct failure *a, const struct failure *b)
{
    return a->kind == b->kind && a->level == b->level && a->change == b->change;
}

static bool same_history(const struct history *a, const struct history *b)
{
    char one[HISTORY_TEXT], two[HISTORY_TEXT];
    size_t length = write_history(a, one);
    return length == write_history(b, two) && memcmp(one, two, length) == 0;
}

static bool shrink_once(struct history *history, enum feature feature, struct dice dice,
                        struct failure *failure)
{
    struct history out;
    struct failure found;
    for (int which = 0; smaller(history, which, &out); which++) {
        if (out.txn_count == 0 || same_history(history, &out))
            continue;
        if (judge(&out, feature, dice, NULL, &found) && is_same_failure(&found, failure)) {
            *history = out;
            *failure = found;
            return true;
        }
    }
    return false;
}

void shrink_history(struct history *history, enum feature feature, struct dice dice,
                    struct failure *failure)
{
    while (shrink_once(history, feature, dice, failure))
        continue;
}
