#include "truth.h"

#include <string.h>

/* The transactions one after the other, in every order: what does each operation return? */

struct table {
    int value[MOST_KEYS];
    int count[MOST_KEYS];
    int items[MOST_KEYS][MOST_VERSIONS];
    const struct op *appended[MOST_KEYS][MOST_VERSIONS]; /* by which operation */
    int writer[MOST_KEYS];
};

static void apply(struct table *table, const struct history *history, int txn, const struct op *op)
{
    for (int key = 0; key < history->key_count; key++) {
        int value;
        if (!op_writes(op, key, &value))
            continue;
        if (op->kind == OP_APPEND) {
            table->appended[key][table->count[key]] = op;
            table->items[key][table->count[key]++] = value;
        } else {
            table->value[key] = value;
        }
        table->writer[key] = txn;
    }
}

/* Is this what the operation would return?  Keys in 'skip' are not looked at. */
static bool returns(const struct table *table, const struct history *history, const struct op *op,
                    unsigned skip)
{
    if (op->kind == OP_AGGREGATE)
        return skip || op->lost || op->value == aggregate_of(op, history, table->value);
    for (int key = 0; key < history->key_count; key++) {
        if (!op_reads(op, key) || (skip >> key & 1))
            continue;
        if (op->kind == OP_READ_LIST) {
            if (op->count != table->count[key] ||
                memcmp(op->items, table->items[key], (size_t)op->count * sizeof *op->items) != 0)
                return false;
        } else if (op->kind == OP_READ) {
            if (op->value != table->value[key])
                return false;
        } else if (!history->is_list[key] &&
                   (matches(op, table->value[key]) != op->returned[key] ||
                    (op->returned[key] && op->row[key] != table->value[key]))) {
            return false;
        }
    }
    return true;
}

static struct table first_table(const struct history *history)
{
    struct table table = { .writer = { -1, -1, -1 } };
    memcpy(table.value, history->init, sizeof table.value);
    return table;
}

static bool replays(const struct history *history, const int *order, int count)
{
    struct table table = first_table(history);
    for (int i = 0; i < count; i++) {
        const struct txn *txn = &history->txns[order[i]];
        for (int o = 0; o < txn->op_count; o++) {
            if (!returns(&table, history, &txn->ops[o], 0))
                return false;
            apply(&table, history, order[i], &txn->ops[o]);
        }
    }
    return true;
}

static bool keeps(const int *order, int count, const unsigned *before)
{
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            if (before[order[i]] >> order[j] & 1)
                return false;
    return true;
}

/* ---- a snapshot for every operation, going forward ---- */

static bool has_forward_snapshots(const struct history *history, const struct table *tables, int at,
                                  const struct txn *txn)
{
    int point = 0;
    unsigned own = 0;
    for (int o = 0; o < txn->op_count; o++) {
        int value;
        while (!returns(&tables[point], history, &txn->ops[o], own))
            if (++point > at)
                return false;
        for (int key = 0; key < history->key_count; key++)
            if (op_writes(&txn->ops[o], key, &value))
                own |= 1u << key;
    }
    return true;
}

/* Does the list show what its own transaction appends only later: a future-read? */
static bool shows_future(const struct table *last, const struct txn *txn, const struct op *read)
{
    for (int i = 0; i < read->count; i++) {
        const struct op *append = last->appended[read->key][i];
        if (append > read && append < txn->ops + txn->op_count)
            return true;
    }
    return false;
}

/* Lists that were read after an own append still show the order of the appends. */
static bool shows_lists(const struct table *last, const struct txn *txn)
{
    for (int o = 0; o < txn->op_count; o++) {
        const struct op *op = &txn->ops[o];
        if (op->kind == OP_READ_LIST && !op->lost &&
            (op->count > last->count[op->key] ||
             memcmp(op->items, last->items[op->key], (size_t)op->count * sizeof *op->items) != 0 ||
             shows_future(last, txn, op)))
            return false;
    }
    return true;
}

static bool agrees_with_versions(const struct history *history, const int *order, int count)
{
    for (int key = 0; key < history->key_count; key++) {
        int at = 0;
        for (int i = 0; i < count; i++)
            for (int j = at; j < history->version_count[key]; j++)
                if (history->versions[key][j] == order[i]) {
                    if (j != at)
                        return false;
                    at++;
                }
        if (at != history->version_count[key])
            return false;
    }
    return true;
}

static bool has_statement_snapshots(const struct history *history, const int *order, int count)
{
    struct table tables[MOST_TXNS + 1] = { first_table(history) };
    for (int i = 0; i < count; i++) {
        tables[i + 1] = tables[i];
        for (int o = 0; o < history->txns[order[i]].op_count; o++)
            apply(&tables[i + 1], history, order[i], &history->txns[order[i]].ops[o]);
    }
    for (int i = 0; i < count; i++)
        if (!has_forward_snapshots(history, tables, i, &history->txns[order[i]]) ||
            !shows_lists(&tables[count], &history->txns[order[i]]))
            return false;
    return agrees_with_versions(history, order, count);
}

/* ---- one snapshot for every transaction ---- */

static bool write_same_key(const struct history *history, int a, int b)
{
    for (int key = 0; key < history->key_count; key++) {
        bool first = false, second = false;
        int value;
        for (int o = 0; o < history->txns[a].op_count; o++)
            first |= op_writes(&history->txns[a].ops[o], key, &value);
        for (int o = 0; o < history->txns[b].op_count; o++)
            second |= op_writes(&history->txns[b].ops[o], key, &value);
        if (first && second)
            return true;
    }
    return false;
}

static bool reads_from(const struct history *history, struct table table, int txn)
{
    for (int o = 0; o < history->txns[txn].op_count; o++) {
        if (!returns(&table, history, &history->txns[txn].ops[o], 0))
            return false;
        apply(&table, history, txn, &history->txns[txn].ops[o]);
    }
    return true;
}

struct snapshots {
    bool no_conflict; /* no writer of the same key commits between a snapshot and its commit */
    const unsigned *before, *ended; /* those that must be in the snapshot; or NULL */
};

/* Has every transaction a snapshot, not before 'least' commits, that explains what it read? */
static bool has_snapshots(const struct history *history, const struct table *tables,
                          const int *order, int count, struct snapshots rules)
{
    for (int i = 0; i < count; i++) {
        int least = 0;
        for (int j = 0; j < count; j++) {
            bool is_seen =
                (rules.before && (rules.before[order[j]] >> order[i] & 1)) ||
                (rules.ended && (rules.ended[order[j]] >> order[i] & 1)) ||
                (rules.no_conflict && j < i && write_same_key(history, order[i], order[j]));
            if (is_seen && j + 1 > least)
                least = j + 1;
        }
        while (least <= i && !reads_from(history, tables[least], order[i]))
            least++;
        if (least > i)
            return false;
    }
    return true;
}

static uint64_t snapshot_levels(const struct world *world, const int *order, int count)
{
    const struct history *history = world->history;
    struct table tables[MOST_TXNS + 1] = { first_table(history) };
    uint64_t holds = 0;
    if (!agrees_with_versions(history, order, count))
        return 0;
    for (int i = 0; i < count; i++) {
        tables[i + 1] = tables[i];
        for (int o = 0; o < history->txns[order[i]].op_count; o++)
            apply(&tables[i + 1], history, order[i], &history->txns[order[i]].ops[o]);
        if (!shows_lists(&tables[i + 1], &history->txns[order[i]]))
            return 0;
    }
    if (has_snapshots(history, tables, order, count,
                      (struct snapshots){ false, world->before, NULL }))
        holds |= bit(PREFIX);
    if (!has_snapshots(history, tables, order, count, (struct snapshots){ true, NULL, NULL }))
        return holds;
    holds |= bit(SNAPSHOT_ISOLATION);
    if (!(holds & bit(PREFIX)) || !has_snapshots(history, tables, order, count,
                                                 (struct snapshots){ true, world->before, NULL }))
        return holds;
    holds |= bit(STRONG_SESSION_SNAPSHOT_ISOLATION);
    if (has_snapshots(history, tables, order, count,
                      (struct snapshots){ true, world->before, world->ended }))
        holds |= bit(STRONG_SNAPSHOT_ISOLATION);
    return holds;
}

/* ---- levels ---- */

struct serial {
    const struct world *world;
    uint64_t holds;
};

static bool try_serial(void *context, const int *order, int count)
{
    struct serial *serial = context;
    const struct world *world = serial->world;
    if (!(serial->holds & bit(MONOTONIC_SNAPSHOT_READ)) &&
        has_statement_snapshots(world->history, order, count))
        serial->holds |= bit(MONOTONIC_SNAPSHOT_READ);
    serial->holds |= snapshot_levels(world, order, count);
    if (!replays(world->history, order, count))
        return true;
    bool agrees = agrees_with_versions(world->history, order, count);
    serial->holds |= bit(ONE_COPY_SERIALIZABLE) | bit(VIEW_SERIALIZABLE);
    serial->holds |= agrees ? bit(SERIALIZABLE) : 0;
    if (keeps(order, count, world->before)) {
        serial->holds |= bit(SESSION_SERIALIZABLE);
        serial->holds |= agrees ? bit(STRONG_SESSION_SERIALIZABLE) : 0;
        if (agrees && keeps(order, count, world->ended))
            serial->holds |= bit(STRICT_SERIALIZABLE);
    }
    return true;
}

uint64_t serial_levels(const struct world *world)
{
    struct serial serial = { world, 0 };
    int items[MOST_TXNS], count = 0;
    for (int t = 0; t < world->history->txn_count; t++)
        if (counts(world, t))
            items[count++] = t;
    each_order(items, count, try_serial, &serial);
    return serial.holds;
}

struct truth truth_in_order(const struct history *history)
{
    struct truth truth = {
        bit(SERIALIZABLE) | bit(STRONG_SESSION_SERIALIZABLE) | bit(STRICT_SERIALIZABLE), 0
    };
    unsigned before[MOST_TXNS] = { 0 }, ended[MOST_TXNS] = { 0 };
    if (!replays(history, history->order, history->order_count))
        return truth;
    truth.holds |= bit(SERIALIZABLE);
    for (int a = 0; a < history->txn_count; a++)
        for (int b = 0; b < history->txn_count; b++) {
            const struct txn *first = &history->txns[a], *second = &history->txns[b];
            if (a < b && first->session == second->session)
                before[a] |= 1u << b;
            if (first->status == COMMITTED && first->has_times && second->has_times &&
                first->end < second->start)
                ended[a] |= 1u << b;
        }
    if (!keeps(history->order, history->order_count, before))
        return truth;
    truth.holds |= bit(STRONG_SESSION_SERIALIZABLE);
    if (keeps(history->order, history->order_count, ended))
        truth.holds |= bit(STRICT_SERIALIZABLE);
    return truth;
}
