#include "truth.h"

#include <stdlib.h>
#include <string.h>

/*
 * Every world, every reading, every formalism: /work/shared has the definitions as semantics.md,
 * docs/levels.md has them too.
 */

enum unit { BY_TRANSACTION, BY_OPERATION };

/* More choices than this, and what has not been shown to hold by then is left undecided. */
enum { MOST_TRIES = 40000 };

static const uint64_t only_writes = (uint64_t)1 << READ_UNCOMMITTED |
                                    (uint64_t)1 << STRONG_SESSION_READ_UNCOMMITTED |
                                    (uint64_t)1 << STRONG_READ_UNCOMMITTED;
static const uint64_t of_operations =
    (uint64_t)1 << LINEARIZABLE | (uint64_t)1 << SEQUENTIAL | (uint64_t)1 << CAUSAL |
    (uint64_t)1 << PRAM | (uint64_t)1 << WRITES_FOLLOW_READS | (uint64_t)1 << MONOTONIC_READS |
    (uint64_t)1 << MONOTONIC_WRITES | (uint64_t)1 << READ_YOUR_WRITES;
/* A transaction that contradicts itself may still satisfy these. */
static const uint64_t without_internal =
    (uint64_t)1 << READ_COMMITTED | (uint64_t)1 << STRONG_SESSION_READ_COMMITTED |
    (uint64_t)1 << STRONG_READ_COMMITTED | (uint64_t)1 << CONSISTENT_VIEW |
    (uint64_t)1 << FORWARD_CONSISTENT_VIEW | (uint64_t)1 << REPEATABLE_READ |
    (uint64_t)1 << UPDATE_SERIALIZABLE | (uint64_t)1 << MONOTONIC_VIEW |
    (uint64_t)1 << CURSOR_STABILITY | (uint64_t)1 << MONOTONIC_SNAPSHOT_READ |
    (uint64_t)1 << MONOTONIC_ATOMIC_VIEW | (uint64_t)1 << AXIOMATIC_READ_COMMITTED;

/* Decided by running the history, or by axioms, neither of which knows of version sets. */
static const uint64_t by_replay =
    (uint64_t)1 << ONE_COPY_SERIALIZABLE | (uint64_t)1 << SESSION_SERIALIZABLE |
    (uint64_t)1 << VIEW_SERIALIZABLE | (uint64_t)1 << MONOTONIC_SNAPSHOT_READ;
static const uint64_t by_commit_order =
    (uint64_t)1 << PREFIX | (uint64_t)1 << PARALLEL_SNAPSHOT_ISOLATION |
    (uint64_t)1 << UPDATE_ATOMIC | (uint64_t)1 << CAUSAL_CERONE | (uint64_t)1 << READ_ATOMIC |
    (uint64_t)1 << AXIOMATIC_READ_COMMITTED;

/* Decided by running the transactions on snapshots too. */
static const uint64_t by_running =
    (uint64_t)1 << SERIALIZABLE | (uint64_t)1 << STRONG_SESSION_SERIALIZABLE |
    (uint64_t)1 << STRICT_SERIALIZABLE | (uint64_t)1 << SNAPSHOT_ISOLATION |
    (uint64_t)1 << STRONG_SESSION_SNAPSHOT_ISOLATION | (uint64_t)1 << STRONG_SNAPSHOT_ISOLATION |
    (uint64_t)1 << PREFIX;

bool op_writes(const struct op *op, int key, int *value)
{
    if (op->kind == OP_UPDATE) {
        *value = op->changed[key];
        return op->returned[key];
    }
    *value = op->kind == OP_DELETE ? NIL : op->value;
    return op->key == key &&
           (op->kind == OP_WRITE || op->kind == OP_DELETE || op->kind == OP_APPEND);
}

static bool is_predicate(const struct op *op)
{
    return op->kind == OP_PREDICATE || op->kind == OP_UPDATE;
}

bool op_reads(const struct op *op, int key)
{
    if (is_predicate(op))
        return true;
    return op->key == key && !op->lost && (op->kind == OP_READ || op->kind == OP_READ_LIST);
}

/* Has the transaction written the key before operation 'at'?  Its last such write. */
static int own_write(const struct txn *txn, int at, int key)
{
    int value;
    while (at-- > 0)
        if (op_writes(&txn->ops[at], key, &value))
            return at;
    return -1;
}

static bool is_last_write(const struct txn *txn, int at, int key)
{
    return own_write(txn, txn->op_count, key) == at;
}

bool keeps_given_order(const struct world *world, int key)
{
    const struct history *history = world->history;
    int last = -1;
    for (int i = 0; i < history->version_count[key]; i++) {
        int txn = history->versions[key][i];
        for (int v = 1; v < world->version_count[key]; v++)
            if (world->versions[key][v].txn == txn && world->versions[key][v].is_last) {
                if (world->place[key][v] < last)
                    return false;
                last = world->place[key][v];
            }
    }
    return true;
}

/* ---- a world ---- */

static void find_relations(struct world *world)
{
    const struct history *history = world->history;
    for (int a = 0; a < history->txn_count; a++)
        for (int b = 0; b < history->txn_count; b++) {
            const struct txn *first = &history->txns[a], *second = &history->txns[b];
            if (!counts(world, a) || !counts(world, b) || a == b)
                continue;
            if (first->session == second->session && a < b)
                world->before[a] |= 1u << b;
            if (first->status == COMMITTED && first->has_times && second->has_times &&
                first->end < second->start)
                world->ended[a] |= 1u << b;
        }
}

static void find_versions(struct world *world, enum unit unit)
{
    const struct history *history = world->history;
    for (int key = 0; key < history->key_count; key++) {
        struct version *versions = world->versions[key];
        int n = 0;
        versions[n++] = (struct version){ -1, -1, history->init[key], true };
        for (int t = 0; t < history->txn_count; t++)
            for (int o = 0; counts(world, t) && o < history->txns[t].op_count; o++) {
                int value;
                bool is_last = is_last_write(&history->txns[t], o, key);
                if (op_writes(&history->txns[t].ops[o], key, &value) &&
                    (is_last || unit == BY_OPERATION || history->is_list[key]))
                    versions[n++] = (struct version){ t, o, value, is_last };
            }
        world->version_count[key] = n;
    }
}

/* What a register was shown as; false if a predicate only says that it did not match. */
static bool shown(const struct op *op, int key, int *value)
{
    *value = is_predicate(op) ? op->row[key] : op->value;
    return !is_predicate(op) || op->returned[key];
}

/* A register's read against what its own transaction did before. */
static void look_inside(struct world *world, const struct txn *txn, int at, int key)
{
    const struct op *op = &txn->ops[at];
    int own = own_write(txn, at, key), value, earlier;
    bool is_shown = shown(op, key, &value);
    if (own >= 0) {
        op_writes(&txn->ops[own], key, &earlier);
        if (is_shown ? value != earlier : matches(op, earlier))
            world->internal = world->own_write_missed = true;
        return;
    }
    for (int o = 0; o < at && is_shown; o++)
        if (op_reads(&txn->ops[o], key) && shown(&txn->ops[o], key, &earlier) && value != earlier)
            world->internal = true;
}

/* How many of its own elements a list must end with, at operation 'at'; they are put there. */
static int own_items(const struct txn *txn, int at, int key, int *items)
{
    int n = 0;
    for (int o = 0; o < at; o++)
        if (txn->ops[o].kind == OP_APPEND && txn->ops[o].key == key)
            items[n++] = txn->ops[o].value;
    return n;
}

static bool ends_with(const struct op *read, const int *items, int count)
{
    return count <= read->count &&
           memcmp(read->items + read->count - count, items, (size_t)count * sizeof *items) == 0;
}

static bool is_prefix(const struct op *shorter, int length, const struct op *longer)
{
    return length <= longer->count &&
           memcmp(shorter->items, longer->items, (size_t)length * sizeof *longer->items) == 0;
}

static void look_inside_list(struct world *world, const struct txn *txn, int at, int key)
{
    const struct op *op = &txn->ops[at];
    int items[MOST_OPS], own = own_items(txn, at, key, items);
    if (!ends_with(op, items, own)) {
        world->internal = world->own_write_missed = true;
        return;
    }
    for (int o = 0; o < at; o++) {
        const struct op *earlier = &txn->ops[o];
        int then = own_items(txn, o, key, items);
        if (earlier->kind != OP_READ_LIST || !op_reads(earlier, key) ||
            !ends_with(earlier, items, then))
            continue;
        if (earlier->count - then != op->count - own ||
            !is_prefix(earlier, earlier->count - then, op))
            world->internal = true;
    }
}

static void find_reads(struct world *world, enum unit unit)
{
    const struct history *history = world->history;
    for (int t = 0; t < history->txn_count; t++)
        for (int o = 0; counts(world, t) && o < history->txns[t].op_count; o++)
            for (int key = 0; key < history->key_count; key++) {
                const struct txn *txn = &history->txns[t];
                const struct op *op = &txn->ops[o];
                if (!op_reads(op, key) || (is_predicate(op) && history->is_list[key]))
                    continue;
                if (history->is_list[key])
                    look_inside_list(world, txn, o, key);
                else
                    look_inside(world, txn, o, key);
                if (unit == BY_OPERATION || own_write(txn, o, key) < 0)
                    world->reads[world->read_count++] = (struct read){
                        t, o, key, is_predicate(op), is_predicate(op) && !op->returned[key], INITIAL
                    };
            }
}

static void make_world(struct world *world, const struct history *history, unsigned committed,
                       unsigned assume, enum unit unit)
{
    *world = (struct world){ .history = history, .counts = committed, .assume = assume };
    find_relations(world);
    find_versions(world, unit);
    find_reads(world, unit);
}

/* ---- readings ---- */

struct readings {
    struct world *world;
    enum unit unit;
    uint64_t wanted, holds;
    uint64_t by_graph, by_order; /* of 'holds' */
    uint64_t by_odd_list;        /* only if a list may be odd, or not known: truth.h */
    int tries;
    bool too_many;
};

static void try_reading(struct readings *all)
{
    if (++all->tries > MOST_TRIES / 20) {
        all->too_many = true;
        return;
    }
    if (all->unit == BY_OPERATION)
        all->holds |= operation_levels(all->world);
    else {
        uint64_t by_graph = adya_levels(all->world), by_order = commit_order_levels(all->world);
        if (has_odd_list(all->world)) {
            all->by_odd_list |= by_graph | by_order | ~by_running;
            return;
        }
        all->by_graph |= by_graph;
        all->by_order |= by_order;
        all->holds |= by_graph | by_order;
    }
}

static bool is_done(const struct readings *all)
{
    return all->too_many || (all->wanted & ~all->holds) == 0;
}

static bool can_be_of(const struct readings *all, const struct read *read, int v)
{
    const struct world *world = all->world;
    const struct version *version = &world->versions[read->key][v];
    const struct op *op = &world->history->txns[read->txn].ops[read->op];
    if (version->txn == read->txn && (all->unit == BY_TRANSACTION || version->op == read->op))
        return false;
    if (op->has_vset && version->value != op->vset[read->key])
        return false;
    if (read->is_missed)
        return !matches(op, version->value);
    return version->value == (read->is_row ? op->row[read->key] : op->value);
}

static void each_source(struct readings *all, int at)
{
    struct world *world = all->world;
    while (at < world->read_count && world->history->is_list[world->reads[at].key])
        at++;
    if (is_done(all))
        return;
    if (at == world->read_count) {
        try_reading(all);
        return;
    }
    struct read *read = &world->reads[at];
    for (int v = 0; v < world->version_count[read->key]; v++)
        if (can_be_of(all, read, v)) {
            read->source = v;
            each_source(all, at + 1);
        }
}

/* Did the transaction make the version before operation 'at'? */
static bool is_of(const struct version *version, int txn, int at)
{
    return version->txn == txn && version->op < at;
}

/* Is every list that was read a beginning of the order at hand?  Its reads are of the version it
 * ends with, which by transactions must be another's last. */
static bool explains_lists(struct readings *all, int key)
{
    struct world *world = all->world;
    const struct history *history = world->history;
    world->odd_list[key] = false;
    for (int t = 0; t < history->txn_count; t++)
        for (int o = 0; counts(world, t) && o < history->txns[t].op_count; o++) {
            const struct op *op = &history->txns[t].ops[o];
            int items[MOST_OPS];
            if (op->kind != OP_READ_LIST || !op_reads(op, key))
                continue;
            if (op->count >= world->order_count[key])
                return false;
            for (int i = 0; i < op->count; i++)
                if (world->versions[key][world->order[key][i + 1]].value != op->items[i])
                    return false;
            for (int own = own_items(&history->txns[t], o, key, items); own > 0; own--)
                if (op->count - own < 0 ||
                    !is_of(&world->versions[key][world->order[key][op->count - own + 1]], t, o))
                    world->odd_list[key] = true;
        }
    for (int i = 0; i < world->read_count; i++) {
        struct read *read = &world->reads[i];
        if (read->key != key)
            continue;
        read->source = world->order[key][history->txns[read->txn].ops[read->op].count];
        const struct version *version = &world->versions[key][read->source];
        if (all->unit == BY_TRANSACTION && (!version->is_last || version->txn == read->txn))
            return false;
    }
    return true;
}

static void each_list_order(struct readings *all, int key);

struct list_context {
    struct readings *all;
    int key;
};

/* Does the order have two appends of one transaction the other way round? */
static bool turns_appends_round(const struct world *world, int key)
{
    for (int i = 2; i < world->order_count[key]; i++)
        for (int j = 1; j < i; j++) {
            const struct version *a = &world->versions[key][world->order[key][j]];
            const struct version *b = &world->versions[key][world->order[key][i]];
            if (a->txn == b->txn && a->op > b->op)
                return true;
        }
    return false;
}

static bool try_list_order(void *context, const int *items, int count)
{
    struct list_context *at = context;
    struct world *world = at->all->world;
    world->order_count[at->key] = count + 1;
    world->order[at->key][0] = INITIAL;
    for (int i = 0; i < count; i++) {
        world->order[at->key][i + 1] = items[i];
        world->place[at->key][items[i]] = i + 1;
    }
    if (explains_lists(at->all, at->key)) {
        world->odd_list[at->key] |= turns_appends_round(world, at->key);
        each_list_order(at->all, at->key + 1);
    }
    return !is_done(at->all);
}

/* The longest list of the key that was read, or NULL. */
static const struct op *longest_list(const struct world *world, int key)
{
    const struct op *longest = NULL;
    for (int t = 0; t < world->history->txn_count; t++)
        for (int o = 0; counts(world, t) && o < world->history->txns[t].op_count; o++) {
            const struct op *op = &world->history->txns[t].ops[o];
            if (op->kind == OP_READ_LIST && op_reads(op, key) &&
                (!longest || op->count > longest->count))
                longest = op;
        }
    return longest;
}

/* All orders that begin as the longest list does: no other explains it, and there are too many. */
static bool list_orders_from(struct list_context *at, const struct op *longest, int *items,
                             int placed, int count)
{
    const struct version *versions = at->all->world->versions[at->key];
    if (placed == count)
        return try_list_order(at, items, count);
    for (int i = placed; i < count; i++) {
        const int taken = items[i];
        if (longest && placed < longest->count && versions[taken].value != longest->items[placed])
            continue;
        items[i] = items[placed];
        items[placed] = taken;
        if (!list_orders_from(at, longest, items, placed + 1, count))
            return false;
        items[placed] = items[i];
        items[i] = taken;
    }
    return true;
}

static void each_list_order(struct readings *all, int key)
{
    struct world *world = all->world;
    int items[MOST_VERSIONS] = { 0 };
    while (key < world->history->key_count && !world->history->is_list[key])
        key++;
    if (key == world->history->key_count) {
        each_source(all, 0);
        return;
    }
    for (int v = 1; v < world->version_count[key]; v++)
        items[v - 1] = v;
    list_orders_from(&(struct list_context){ all, key }, longest_list(world, key), items, 0,
                     world->version_count[key] - 1);
}

/* ---- worlds ---- */

static bool was_written(const struct history *history, unsigned committed, int key, int value)
{
    for (int t = 0; t < history->txn_count; t++)
        for (int o = 0; (committed >> t & 1) && o < history->txns[t].op_count; o++) {
            int written;
            if (op_writes(&history->txns[t].ops[o], key, &written) && written == value)
                return true;
        }
    return false;
}

/* Can those in 'committed' be all that committed, if one of them read the value?  Not if only
 * another of unknown outcome can have written it. */
static bool explains_value(const struct history *history, unsigned committed, int key, int value)
{
    unsigned others = 0, aborted = 0;
    for (int t = 0; t < history->txn_count; t++) {
        if (history->txns[t].status == ABORTED)
            aborted |= 1u << t;
        else if (!(committed >> t & 1))
            others |= 1u << t;
    }
    return value == NIL || (!history->is_list[key] && value == history->init[key]) ||
           was_written(history, committed | aborted, key, value) ||
           !was_written(history, others, key, value);
}

/* May those in 'committed' be all that committed?  A register that was read after an own write
 * shows no other transaction's write. */
static bool can_be_all(const struct history *history, unsigned committed)
{
    for (int t = 0; t < history->txn_count; t++)
        for (int o = 0; (committed >> t & 1) && o < history->txns[t].op_count; o++) {
            const struct op *op = &history->txns[t].ops[o];
            for (int key = 0; key < history->key_count; key++) {
                int value;
                if (!op_reads(op, key) ||
                    (!history->is_list[key] && own_write(&history->txns[t], o, key) >= 0))
                    continue;
                if (op->kind == OP_READ_LIST) {
                    for (int i = 0; i < op->count; i++)
                        if (!explains_value(history, committed, key, op->items[i]))
                            return false;
                } else if (shown(op, key, &value) &&
                           !explains_value(history, committed, key, value)) {
                    return false;
                } else if (op->has_vset &&
                           !explains_value(history, committed, key, op->vset[key])) {
                    return false;
                }
            }
        }
    return true;
}

/* Those of unknown outcome that an order names have committed. */
static unsigned certain(const struct history *history)
{
    unsigned committed = 0;
    for (int t = 0; t < history->txn_count; t++)
        if (history->txns[t].status == COMMITTED)
            committed |= 1u << t;
    for (int i = 0; i < history->order_count; i++)
        committed |= 1u << history->order[i];
    for (int key = 0; key < history->key_count; key++)
        for (int i = 0; i < history->version_count[key]; i++)
            committed |= 1u << history->versions[key][i];
    return committed;
}

/* What a predicate returned is not what it selects, or not what it selects from its version set. */
static bool returns_what_does_not_match(const struct world *world)
{
    for (int i = 0; i < world->read_count; i++) {
        const struct read *read = &world->reads[i];
        const struct op *op = &world->history->txns[read->txn].ops[read->op];
        if (read->is_row && !read->is_missed &&
            (!matches(op, op->row[read->key]) ||
             (op->has_vset && op->vset[read->key] != op->row[read->key])))
            return true;
        if (read->is_missed && op->has_vset && matches(op, op->vset[read->key]))
            return true;
    }
    return false;
}

static bool has_lists(const struct history *history)
{
    bool has = false;
    for (int key = 0; key < history->key_count; key++)
        has |= history->is_list[key];
    return has;
}

/* A predicate with a version set that leaves out its own row, or shows it as it is not, is internal
 * by one definition and a result-set-mismatch by another. */
static uint64_t of_own_row(const struct history *history, int txn, int op)
{
    struct world world = { .history = history };
    for (int key = 0; key < history->key_count; key++)
        if (!history->is_list[key])
            look_inside(&world, &history->txns[txn], op, key);
    return world.own_write_missed ? without_internal | only_writes : 0;
}

/* Was the element appended both by a transaction that aborted and by one that did not?  Where reads
 * of aborted versions are allowed either may be what a list shows, which is not tried here. */
static bool is_also_aborted(const struct history *history, const struct op *append)
{
    bool aborted = false, other = false;
    for (int t = 0; t < history->txn_count; t++)
        for (int o = 0; o < history->txns[t].op_count; o++) {
            const struct op *op = &history->txns[t].ops[o];
            if (op->kind != OP_APPEND || op->key != append->key || op->value != append->value)
                continue;
            aborted |= history->txns[t].status == ABORTED;
            other |= history->txns[t].status != ABORTED;
        }
    return aborted && other;
}

/* What the definitions leave open for this history. */
static uint64_t left_open(const struct history *history)
{
    uint64_t open = 0;
    for (int t = 0; t < history->txn_count; t++)
        for (int o = 0; o < history->txns[t].op_count; o++) {
            const struct op *op = &history->txns[t].ops[o];
            int items[MOST_OPS];
            if (is_predicate(op) && op->has_vset)
                open |= by_replay | by_commit_order | of_own_row(history, t, o);
            if (is_predicate(op))
                open |= of_operations | bit(MONOTONIC_ATOMIC_VIEW);
            if (op->kind == OP_READ_LIST && !op->lost && history->txns[t].status != ABORTED &&
                !ends_with(op, items, own_items(&history->txns[t], o, op->key, items)))
                open |= without_internal | only_writes;
            if (op->kind == OP_APPEND && is_also_aborted(history, op))
                open |= only_writes;
        }
    /* Aggregates are decided by running alone, which does not know of version sets. */
    if (has_aggregates(history) && has_version_sets(history))
        open |= by_running;
    if (has_aggregates(history))
        open |= ~(by_running | by_replay | only_writes) | (has_lists(history) ? bit(PREFIX) : 0);
    for (int key = 0; key < history->key_count; key++)
        if (history->version_count[key])
            open |= bit(VIEW_SERIALIZABLE) | bit(SEQUENTIAL) | bit(LINEARIZABLE);
    return open;
}

static void disagree(const struct history *history, const char *what)
{
    char text[HISTORY_TEXT];
    write_history(history, text);
    fprintf(stderr, "attack: two truths disagree about %s\n%s", what, text);
    abort();
}

/* The same levels by two or three definitions each. */
static void compare_truths(const struct history *history, const struct readings *all,
                           uint64_t serial)
{
    uint64_t twice = bit(STRONG_SESSION_SERIALIZABLE) | bit(STRONG_SESSION_SNAPSHOT_ISOLATION);
    if (has_version_sets(history) || all->world->assume)
        return;
    if (!is_done(all) && (all->by_graph & twice) != (all->by_order & twice))
        disagree(history, "commit orders");
    if ((all->by_graph & by_running) != (serial & by_running & ~bit(PREFIX)))
        disagree(history, "serial runs and snapshots");
    /* A list that shows its own element shows its snapshot too, which the axioms do not count. */
    if (!is_done(all) && !has_lists(history) &&
        (all->by_order & bit(PREFIX)) != (serial & bit(PREFIX)))
        disagree(history, "prefix");
}

static void try_world(const struct history *history, unsigned committed, unsigned assume,
                      struct truth *truth)
{
    struct world world;
    uint64_t all = bit(LEVEL_COUNT) - 1;
    make_world(&world, history, committed, assume, BY_TRANSACTION);
    if (returns_what_does_not_match(&world)) {
        truth->defined &= ~of_operations;
        return;
    }
    struct truth writes = write_levels(&world);
    truth->holds |= writes.holds;
    truth->defined &= writes.defined | ~only_writes;

    struct readings graphs = { .world = &world,
                               .unit = BY_TRANSACTION,
                               .wanted = all & ~of_operations & ~only_writes };
    uint64_t serial = serial_levels(&world);
    if (has_aggregates(history)) {
        truth->holds |= serial;
        return;
    }
    each_list_order(&graphs, 0);
    if (!graphs.too_many)
        compare_truths(history, &graphs, serial);

    make_world(&world, history, committed, assume, BY_OPERATION);
    struct readings operations = { .world = &world,
                                   .unit = BY_OPERATION,
                                   .wanted =
                                       of_operations & ~bit(LINEARIZABLE) & ~bit(SEQUENTIAL) };
    if (!has_predicates(history)) {
        each_list_order(&operations, 0);
        operations.holds |= sequence_levels(&world);
    }
    truth->holds |= graphs.holds | (serial & ~by_running) | operations.holds;
    truth->defined &= ~graphs.by_odd_list | truth->holds;
    if (graphs.too_many)
        truth->defined &= truth->holds | of_operations | only_writes;
    if (operations.too_many)
        truth->defined &= truth->holds | ~of_operations;
}

struct truth truth_of(const struct history *history, unsigned assume)
{
    struct truth truth = { bit(LEVEL_COUNT) - 1, 0 };
    unsigned known = certain(history);
    for (unsigned committed = 0; committed < 1u << history->txn_count; committed++) {
        bool possible = (committed & known) == known;
        for (int t = 0; t < history->txn_count; t++)
            if ((committed & ~known) >> t & 1 && history->txns[t].status != UNKNOWN)
                possible = false;
        if (possible && can_be_all(history, committed))
            try_world(history, committed, assume, &truth);
    }
    truth.defined &= ~left_open(history);
    if (assume)
        truth.defined &=
            ~(only_writes | of_operations | bit(VIEW_SERIALIZABLE) | bit(MONOTONIC_SNAPSHOT_READ));
    return truth;
}

/* ---- orders ---- */

static bool order_from(int *items, int at, int count,
                       bool (*visit)(void *context, const int *items, int count), void *context)
{
    if (at == count)
        return visit(context, items, count);
    for (int i = at; i < count; i++) {
        int taken = items[i];
        memmove(items + at + 1, items + at, (size_t)(i - at) * sizeof *items);
        items[at] = taken;
        if (!order_from(items, at + 1, count, visit, context))
            return false;
        memmove(items + at, items + at + 1, (size_t)(i - at) * sizeof *items);
        items[i] = taken;
    }
    return true;
}

void each_order(int *items, int count, bool (*visit)(void *context, const int *items, int count),
                void *context)
{
    order_from(items, 0, count, visit, context);
}
