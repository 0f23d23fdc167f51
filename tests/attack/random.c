#include "attack.h"

#include <string.h>

/* Random histories: transactions are drafted, run one after the other by a store that is sometimes
 * behind, and then a few of their results are changed. */

#define FEATURE_NAME(id, name) name,
const char *const feature_names[FEATURE_COUNT] = { FEATURES(FEATURE_NAME) };

struct plan {
    bool lists, predicates, aggregates, unknown, duplicates, deletes, version_sets;
    int next_value[MOST_KEYS];
};

bool has_predicates(const struct history *history)
{
    for (int t = 0; t < history->txn_count; t++)
        for (int o = 0; o < history->txns[t].op_count; o++)
            if (history->txns[t].ops[o].kind == OP_PREDICATE ||
                history->txns[t].ops[o].kind == OP_UPDATE)
                return true;
    return false;
}

bool has_aggregates(const struct history *history)
{
    for (int t = 0; t < history->txn_count; t++)
        for (int o = 0; o < history->txns[t].op_count; o++)
            if (history->txns[t].ops[o].kind == OP_AGGREGATE)
                return true;
    return false;
}

int aggregate_of(const struct op *op, const struct history *history, const int *values)
{
    int result = op->aggregate == COUNT ? 0 : NIL;
    for (int key = 0; key < history->key_count; key++) {
        int value = values[key];
        if (history->is_list[key] || value == NIL || value < op->low || value > op->high)
            continue;
        if (op->aggregate == COUNT)
            result++;
        else if (result == NIL)
            result = value;
        else if (op->aggregate == SUM)
            result += value;
        else if ((value < result) == (op->aggregate == MIN))
            result = value;
    }
    return result;
}

bool has_version_sets(const struct history *history)
{
    for (int t = 0; t < history->txn_count; t++)
        for (int o = 0; o < history->txns[t].op_count; o++)
            if (history->txns[t].ops[o].has_vset)
                return true;
    return false;
}

static bool is_appended_twice(const struct history *history, const struct op *append)
{
    for (int t = 0; t < history->txn_count; t++)
        for (int o = 0; o < history->txns[t].op_count; o++) {
            const struct op *op = &history->txns[t].ops[o];
            if (op != append && op->kind == OP_APPEND && op->key == append->key &&
                op->value == append->value)
                return true;
        }
    return false;
}

bool has_elements_twice(const struct history *history)
{
    for (int t = 0; t < history->txn_count; t++)
        for (int o = 0; o < history->txns[t].op_count; o++) {
            const struct op *op = &history->txns[t].ops[o];
            if (op->kind == OP_APPEND && is_appended_twice(history, op))
                return true;
            for (int i = 0; op->kind == OP_READ_LIST && i < op->count; i++)
                for (int j = 0; j < i; j++)
                    if (op->items[i] == op->items[j])
                        return true;
        }
    return false;
}

/* ---- drafts ---- */

static int fresh_value(struct dice *dice, struct plan *plan, int key)
{
    if (plan->duplicates && chance(dice, 60))
        return 1 + roll(dice, 2);
    return ++plan->next_value[key];
}

static void draft_op(struct dice *dice, struct plan *plan, const struct history *history,
                     struct op *op)
{
    *op = (struct op){ .key = roll(dice, history->key_count) };
    if (plan->predicates && chance(dice, 40)) {
        op->kind = chance(dice, 75) ? OP_PREDICATE : OP_UPDATE;
        if (plan->aggregates && chance(dice, 80))
            op->kind = OP_AGGREGATE;
        op->aggregate = (enum aggregate)roll(dice, 4);
        op->low = roll(dice, 4);
        op->high = op->low + roll(dice, 4);
        op->has_vset = plan->version_sets && op->kind != OP_AGGREGATE && chance(dice, 60);
        return;
    }
    if (history->is_list[op->key]) {
        op->kind = chance(dice, 50) ? OP_READ_LIST : OP_APPEND;
        if (op->kind == OP_APPEND)
            op->value = fresh_value(dice, plan, op->key);
        return;
    }
    op->kind = chance(dice, 50)                    ? OP_READ
               : plan->deletes && chance(dice, 25) ? OP_DELETE
                                                   : OP_WRITE;
    if (op->kind == OP_WRITE)
        op->value = fresh_value(dice, plan, op->key);
}

static void draft_txn(struct dice *dice, struct plan *plan, const struct history *history, int id,
                      struct txn *txn)
{
    *txn = (struct txn){ .id = id, .session = roll(dice, 4) };
    if (chance(dice, plan->unknown ? 35 : 0))
        txn->status = UNKNOWN;
    else if (chance(dice, 12))
        txn->status = ABORTED;
    txn->op_count = chance(dice, 3) ? 0 : 1 + roll(dice, MOST_OPS - (chance(dice, 60) ? 1 : 0));
    for (int o = 0; o < txn->op_count; o++)
        draft_op(dice, plan, history, &txn->ops[o]);
}

/* ---- running ---- */

struct store {
    int value[MOST_KEYS];
    int count[MOST_KEYS];
    int items[MOST_KEYS][MOST_ITEMS];
};

static void run_predicate(struct plan *plan, struct history *history, struct store *store,
                          struct op *op)
{
    for (int key = 0; key < history->key_count; key++) {
        int value = op->vset[key] = store->value[key];
        op->returned[key] =
            !history->is_list[key] && value != NIL && value >= op->low && value <= op->high;
        op->row[key] = op->changed[key] = 0;
        if (!op->returned[key])
            continue;
        op->row[key] = value;
        if (op->kind == OP_UPDATE)
            op->changed[key] = store->value[key] = ++plan->next_value[key];
    }
}

static void run_op(struct plan *plan, struct history *history, struct store *store, struct op *op)
{
    int key = op->key;
    switch (op->kind) {
    case OP_READ:
        op->value = store->value[key];
        break;
    case OP_WRITE:
        store->value[key] = op->value;
        break;
    case OP_DELETE:
        store->value[key] = NIL;
        break;
    case OP_READ_LIST:
        op->count = store->count[key];
        memcpy(op->items, store->items[key], sizeof op->items);
        break;
    case OP_APPEND:
        if (store->count[key] < MOST_ITEMS)
            store->items[key][store->count[key]++] = op->value;
        break;
    case OP_AGGREGATE:
        op->value = aggregate_of(op, history, store->value);
        break;
    default:
        run_predicate(plan, history, store, op);
    }
}

/* The order in which they run: as recorded, more or less. */
static void pick_order(struct dice *dice, const struct history *history, int *order)
{
    for (int i = 0; i < history->txn_count; i++)
        order[i] = i;
    for (int swaps = roll(dice, 4); swaps > 0 && history->txn_count > 1; swaps--) {
        int i = roll(dice, history->txn_count - 1), t = order[i];
        order[i] = order[i + 1];
        order[i + 1] = t;
    }
}

static void run_all(struct dice *dice, struct plan *plan, struct history *history, const int *order)
{
    struct store stores[MOST_TXNS + 1] = { { { 0 } } };
    int staleness = chance(dice, 40) ? 30 : 0;
    memcpy(stores[0].value, history->init, sizeof stores[0].value);
    for (int i = 0; i < history->txn_count; i++) {
        struct txn *txn = &history->txns[order[i]];
        int seen = chance(dice, staleness) ? roll(dice, i + 1) : i;
        struct store own = stores[seen], after = stores[i];
        for (int o = 0; o < txn->op_count; o++) {
            struct op copy = txn->ops[o];
            run_op(plan, history, &own, &txn->ops[o]);
            /* The rows that an update found are those it changes. */
            if (copy.kind == OP_UPDATE) {
                for (int key = 0; key < history->key_count; key++)
                    if (txn->ops[o].returned[key])
                        after.value[key] = txn->ops[o].changed[key];
            } else {
                run_op(plan, history, &after, &copy);
            }
        }
        bool takes_effect = txn->status == COMMITTED ||
                            (txn->status == UNKNOWN && chance(dice, 60)) || chance(dice, 10);
        stores[i + 1] = takes_effect ? after : stores[i];
    }
}

/* ---- damage ---- */

static int some_value(struct dice *dice, const struct history *history, int key)
{
    int values[MOST_TXNS * MOST_OPS + 2], n = 0;
    values[n++] = history->init[key];
    for (int t = 0; t < history->txn_count; t++)
        for (int o = 0; o < history->txns[t].op_count; o++) {
            const struct op *op = &history->txns[t].ops[o];
            if (op->key == key && (op->kind == OP_WRITE || op->kind == OP_APPEND))
                values[n++] = op->value;
            if (op->kind == OP_UPDATE && op->returned[key])
                values[n++] = op->changed[key];
        }
    if (chance(dice, 4))
        return 77;
    return values[roll(dice, n)];
}

static void damage_list(struct dice *dice, const struct history *history, struct op *op)
{
    int kind = roll(dice, 4);
    if (kind == 0 && op->count > 0) {
        op->count--;
    } else if (kind == 1 && op->count < MOST_ITEMS - 2) {
        int value = some_value(dice, history, op->key);
        op->items[op->count++] = value == NIL ? 1 : value;
    } else if (kind == 2 && op->count > 1) {
        int i = roll(dice, op->count - 1), item = op->items[i];
        op->items[i] = op->items[i + 1];
        op->items[i + 1] = item;
    } else if (op->count > 0) {
        int at = roll(dice, op->count);
        memmove(op->items + at, op->items + at + 1,
                (size_t)(op->count - at - 1) * sizeof *op->items);
        op->count--;
    }
}

static void damage_predicate(struct dice *dice, const struct history *history, struct op *op)
{
    int key = roll(dice, history->key_count);
    if (history->is_list[key])
        return;
    int value = some_value(dice, history, key);
    if (op->kind == OP_UPDATE)
        op->low = op->high = 50; /* and finds nothing */
    op->returned[key] = op->kind == OP_PREDICATE && value != NIL && value >= op->low &&
                        value <= op->high && chance(dice, 60);
    op->row[key] = value;
    for (int k = 0; op->kind == OP_UPDATE && k < history->key_count; k++)
        op->returned[k] = false;
}

static void damage(struct dice *dice, struct history *history)
{
    struct txn *txn = &history->txns[roll(dice, history->txn_count)];
    if (!txn->op_count)
        return;
    struct op *op = &txn->ops[roll(dice, txn->op_count)];
    if (op->kind == OP_READ)
        op->value = some_value(dice, history, op->key);
    else if (op->kind == OP_AGGREGATE && op->value != NIL)
        op->value = roll(dice, 2 + op->value);
    else if (op->kind == OP_READ_LIST)
        damage_list(dice, history, op);
    else if (op->kind == OP_PREDICATE || op->kind == OP_UPDATE)
        damage_predicate(dice, history, op);
    if (txn->status != COMMITTED && chance(dice, 30) &&
        (op->kind == OP_READ || op->kind == OP_READ_LIST))
        op->lost = true;
}

/* ---- times and certificates ---- */

static void add_times(struct dice *dice, struct history *history, const int *order)
{
    int last_end[MOST_TXNS] = { 0 }, spread = 1 + roll(dice, 20);
    for (int i = 0; i < history->txn_count; i++) {
        struct txn *txn = &history->txns[order[i]];
        txn->has_times = !chance(dice, 8);
        txn->start = 100 + i * 10 - roll(dice, spread);
        txn->end = 100 + i * 10 + roll(dice, spread);
    }
    /* A session does one thing after the other. */
    for (int t = 0; t < history->txn_count; t++) {
        struct txn *txn = &history->txns[t];
        if (txn->start < last_end[txn->session])
            txn->start = last_end[txn->session];
        if (txn->end < txn->start)
            txn->end = txn->start;
        last_end[txn->session] = txn->end + (chance(dice, 50) ? 1 : 0);
    }
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

static void add_version_orders(struct dice *dice, struct history *history, const int *order)
{
    int scramble = chance(dice, 50) ? 25 : 0, missing = chance(dice, 50) ? 25 : 0;
    for (int key = 0; key < history->key_count; key++) {
        int *versions = history->versions[key], n = 0;
        for (int i = 0; i < history->txn_count && !history->is_list[key]; i++) {
            const struct txn *txn = &history->txns[order[i]];
            if (txn->status == ABORTED || !writes_key(txn, key) || chance(dice, missing) ||
                (txn->status == UNKNOWN && chance(dice, 50)))
                continue;
            versions[n++] = order[i];
            if (n > 1 && chance(dice, scramble)) {
                versions[n - 1] = versions[n - 2];
                versions[n - 2] = order[i];
            }
        }
        history->version_count[key] = n;
    }
}

static void add_order(struct dice *dice, struct history *history, const int *order)
{
    int scramble = chance(dice, 30) ? 20 : 0, n = 0;
    for (int i = 0; i < history->txn_count; i++) {
        enum status status = history->txns[order[i]].status;
        if (status == ABORTED || (status == UNKNOWN && chance(dice, 50)))
            continue;
        history->order[n++] = order[i];
        if (n > 1 && chance(dice, scramble)) {
            history->order[n - 1] = history->order[n - 2];
            history->order[n - 2] = order[i];
        }
    }
    history->order_count = n;
}

/* ---- the whole ---- */

static struct plan plan_for(struct dice *dice, enum feature feature)
{
    struct plan plan = { 0 };
    bool all = feature == FEATURE_EVERYTHING;
    plan.lists =
        feature == FEATURE_LISTS || ((feature >= FEATURE_UNKNOWN_OUTCOMES) && chance(dice, 30));
    plan.aggregates = feature == FEATURE_AGGREGATES || (all && chance(dice, 15));
    plan.predicates =
        feature == FEATURE_PREDICATES || plan.aggregates ||
        (feature >= FEATURE_UNKNOWN_OUTCOMES && (!plan.lists || all) && chance(dice, 30));
    plan.unknown = feature == FEATURE_UNKNOWN_OUTCOMES ||
                   (feature > FEATURE_UNKNOWN_OUTCOMES && chance(dice, 30));
    plan.duplicates = feature == FEATURE_DUPLICATES || (all && chance(dice, 50));
    plan.version_sets = feature >= FEATURE_VERSION_ORDERS && chance(dice, 40);
    plan.deletes = feature != FEATURE_REGISTERS && chance(dice, 40);
    return plan;
}

static bool is_small(const struct history *history)
{
    int orders = 1, committed = 0;
    for (int key = 0; key < history->key_count; key++) {
        int writers = 0;
        for (int t = 0; t < history->txn_count; t++)
            if (history->txns[t].status != ABORTED)
                for (int o = 0; o < history->txns[t].op_count; o++) {
                    const struct op *op = &history->txns[t].ops[o];
                    writers += (op->key == key && op->kind == OP_APPEND) ||
                               (writes_key(&history->txns[t], key) && o == 0);
                }
        for (int i = 2; i <= writers; i++)
            orders *= i;
        if (orders > 800)
            return false;
    }
    for (int t = 0; t < history->txn_count; t++)
        committed += history->txns[t].status == COMMITTED;
    return committed > 0;
}

static void try_history(struct dice *dice, enum feature feature, struct history *history)
{
    struct plan plan = plan_for(dice, feature);
    int order[MOST_TXNS];
    *history = (struct history){ .txn_count = 2 + roll(dice, MOST_TXNS - 1),
                                 .key_count = 1 + roll(dice, MOST_KEYS) };
    for (int key = 0; key < MOST_KEYS; key++) {
        history->is_list[key] = plan.lists && chance(dice, 75);
        history->init[key] = NIL;
        if (!history->is_list[key] && chance(dice, 40))
            history->init[key] = plan.duplicates ? roll(dice, 3) : 0;
        plan.next_value[key] = plan.duplicates ? 2 : 0;
    }
    for (int t = 0; t < history->txn_count; t++)
        draft_txn(dice, &plan, history, t, &history->txns[t]);
    pick_order(dice, history, order);
    run_all(dice, &plan, history, order);
    for (int n = chance(dice, 60) ? 1 + roll(dice, 2) : 0; n > 0; n--)
        damage(dice, history);
    if (chance(dice, 50))
        add_times(dice, history, order);
    bool all = feature == FEATURE_EVERYTHING;
    if (feature == FEATURE_VERSION_ORDERS || (all && chance(dice, 20)))
        add_version_orders(dice, history, order);
    else if (feature == FEATURE_ORDERS || (all && chance(dice, 20)))
        add_order(dice, history, order);
}

void random_history(struct dice *dice, enum feature feature, struct history *out)
{
    do
        try_history(dice, feature, out);
    while (!is_small(out));
}
