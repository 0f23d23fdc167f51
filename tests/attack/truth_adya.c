#include "truth.h"

#include <string.h>

/* Dependency graphs, for every version order of the registers: semantics 3. */

struct graph {
    unsigned to[MOST_TXNS]; /* a bit for each that must follow */
};

struct edges {
    struct graph ww, wr, rw, prw; /* prw: from predicates */
    /* rw by the operation it leaves, and what leads into operations: for monotonic-view. */
    unsigned leaves[MOST_TXNS][MOST_OPS], enters[MOST_TXNS][MOST_OPS];
    bool self_loop;
};

static struct graph both(struct graph a, const unsigned *b)
{
    for (int t = 0; t < MOST_TXNS; t++)
        a.to[t] |= b[t];
    return a;
}

static struct graph closure(struct graph graph)
{
    for (int via = 0; via < MOST_TXNS; via++)
        for (int t = 0; t < MOST_TXNS; t++)
            if (graph.to[t] >> via & 1)
                graph.to[t] |= graph.to[via];
    return graph;
}

static bool is_acyclic(struct graph graph)
{
    graph = closure(graph);
    for (int t = 0; t < MOST_TXNS; t++)
        if (graph.to[t] >> t & 1)
            return false;
    return true;
}

/* One step of 'first', perhaps followed by one of 'second'. */
static struct graph then_perhaps(struct graph first, struct graph second)
{
    struct graph result = first;
    for (int t = 0; t < MOST_TXNS; t++)
        for (int via = 0; via < MOST_TXNS; via++)
            if (first.to[t] >> via & 1)
                result.to[t] |= second.to[via];
    return result;
}

static bool has_cycle_of_one(struct graph graph, struct graph one)
{
    graph = closure(graph);
    for (int a = 0; a < MOST_TXNS; a++)
        for (int b = 0; b < MOST_TXNS; b++)
            if ((one.to[a] >> b & 1) && (graph.to[b] >> a & 1))
                return true;
    return false;
}

/* ---- edges of one version order ---- */

static void add_leaving(struct edges *edges, struct graph *graph, int txn, int op, int to)
{
    if (txn == to)
        return;
    graph->to[txn] |= 1u << to;
    edges->leaves[txn][op] |= 1u << to;
}

static void add_entering(struct edges *edges, struct graph *graph, int from, int txn, int op)
{
    graph->to[from] |= 1u << txn;
    edges->enters[txn][op] |= 1u << from;
}

static void add_versions(const struct world *world, int key, struct edges *edges)
{
    for (int i = 2; i < world->order_count[key]; i++) {
        const struct version *a = &world->versions[key][world->order[key][i - 1]];
        const struct version *b = &world->versions[key][world->order[key][i]];
        if (a->txn != b->txn)
            add_entering(edges, &edges->ww, a->txn, b->txn, b->op);
    }
}

static void add_item_read(const struct world *world, const struct read *read, struct edges *edges)
{
    int key = read->key, at = world->place[key][read->source];
    if (read->source != INITIAL)
        add_entering(edges, &edges->wr, world->versions[key][read->source].txn, read->txn,
                     read->op);
    if (at + 1 < world->order_count[key])
        add_leaving(edges, &edges->rw, read->txn, read->op,
                    world->versions[key][world->order[key][at + 1]].txn);
}

/* The versions that change what matches: those up to the one looked at, and those after it. */
static void add_predicate_read(const struct world *world, const struct read *read,
                               struct edges *edges)
{
    int key = read->key, at = world->place[key][read->source];
    const struct op *op = &world->history->txns[read->txn].ops[read->op];
    for (int i = 1; i < world->order_count[key]; i++) {
        const struct version *before = &world->versions[key][world->order[key][i - 1]];
        const struct version *version = &world->versions[key][world->order[key][i]];
        if (matches(op, before->value) == matches(op, version->value))
            continue;
        if (i > at)
            add_leaving(edges, &edges->prw, read->txn, read->op, version->txn);
        else if (version->txn == read->txn)
            edges->self_loop = true;
        else
            add_entering(edges, &edges->wr, version->txn, read->txn, read->op);
    }
}

static void find_edges(const struct world *world, struct edges *edges)
{
    *edges = (struct edges){ 0 };
    for (int key = 0; key < world->history->key_count; key++)
        add_versions(world, key, edges);
    for (int i = 0; i < world->read_count; i++) {
        const struct read *read = &world->reads[i];
        if (!read->is_missed)
            add_item_read(world, read, edges);
        if (read->is_row)
            add_predicate_read(world, read, edges);
    }
}

/* ---- levels that are not only a cycle ---- */

static bool writes_something(const struct world *world, int txn)
{
    for (int key = 0; key < world->history->key_count; key++)
        for (int v = 1; v < world->version_count[key]; v++)
            if (world->versions[key][v].txn == txn)
                return true;
    return false;
}

static bool is_update_serializable(const struct world *world, struct graph all)
{
    unsigned writers = 0;
    for (int t = 0; t < world->history->txn_count; t++)
        if (counts(world, t) && writes_something(world, t))
            writers |= 1u << t;
    for (int reader = 0; reader < world->history->txn_count; reader++) {
        unsigned kept = writers | (counts(world, reader) ? 1u << reader : 0);
        struct graph part = { { 0 } };
        for (int t = 0; t < MOST_TXNS; t++)
            if (kept >> t & 1)
                part.to[t] = all.to[t] & kept;
        if (!is_acyclic(part))
            return false;
    }
    return true;
}

/* Having read from a transaction, a later read must not be of what that one overwrote. */
static bool is_monotonic_atomic_view(const struct world *world)
{
    for (int i = 0; i < world->read_count; i++)
        for (int j = 0; j < world->read_count; j++) {
            const struct read *earlier = &world->reads[i], *later = &world->reads[j];
            if (earlier->txn != later->txn || earlier->op >= later->op ||
                earlier->source == INITIAL)
                continue;
            int seen = world->versions[earlier->key][earlier->source].txn;
            if (world->versions[later->key][later->source].txn == seen)
                continue;
            for (int v = 1; v < world->version_count[later->key]; v++)
                if (world->versions[later->key][v].txn == seen &&
                    world->place[later->key][v] > world->place[later->key][later->source])
                    return false;
        }
    return true;
}

/* From an rw that leaves an operation, back into the same or an earlier operation. */
static bool is_monotonic_view(const struct edges *edges, struct graph data)
{
    for (int t = 0; t < MOST_TXNS; t++) {
        struct graph others = data;
        others.to[t] = 0;
        others = closure(others);
        for (int left = 0; left < MOST_OPS; left++) {
            unsigned reached = edges->leaves[t][left];
            for (int b = 0; b < MOST_TXNS; b++)
                if (edges->leaves[t][left] >> b & 1)
                    reached |= others.to[b];
            for (int entered = 0; entered <= left; entered++)
                if (edges->enters[t][entered] & reached)
                    return false;
        }
    }
    return true;
}

static bool is_cursor_stable(const struct world *world)
{
    for (int i = 0; i < world->read_count; i++) {
        const struct read *read = &world->reads[i];
        int key = read->key, next = world->place[key][read->source] + 1;
        if (read->is_missed || next >= world->order_count[key] ||
            world->versions[key][world->order[key][next]].txn == read->txn)
            continue;
        for (int v = 1; v < world->version_count[key]; v++)
            if (world->versions[key][v].txn == read->txn && world->place[key][v] > next)
                return false;
    }
    return true;
}

/* ---- levels ---- */

static bool is_snapshot_isolated(struct graph data, struct graph rw)
{
    return is_acyclic(then_perhaps(data, rw));
}

static uint64_t levels_of(const struct world *world)
{
    struct edges edges;
    uint64_t holds = 0;
    find_edges(world, &edges);
    struct graph data = both(edges.ww, edges.wr.to);
    struct graph rw = both(edges.rw, edges.prw.to);
    if (edges.self_loop || !is_acyclic(data))
        return 0;
    struct graph session = both(data, world->before), timed = both(session, world->ended);
    holds |= bit(READ_COMMITTED);
    if (is_acyclic(session))
        holds |= bit(STRONG_SESSION_READ_COMMITTED);
    if (is_acyclic(timed))
        holds |= bit(STRONG_READ_COMMITTED);
    if (!has_cycle_of_one(data, rw))
        holds |= bit(CONSISTENT_VIEW) | bit(FORWARD_CONSISTENT_VIEW);
    if (is_acyclic(both(data, edges.rw.to)))
        holds |= bit(REPEATABLE_READ);
    if (is_update_serializable(world, both(data, rw.to)))
        holds |= bit(UPDATE_SERIALIZABLE);
    if (is_monotonic_atomic_view(world))
        holds |= bit(MONOTONIC_ATOMIC_VIEW);
    if (is_monotonic_view(&edges, data))
        holds |= bit(MONOTONIC_VIEW);
    if (is_cursor_stable(world))
        holds |= bit(CURSOR_STABILITY);
    if (contradicts_itself(world))
        return holds;
    if (is_snapshot_isolated(data, rw))
        holds |= bit(SNAPSHOT_ISOLATION);
    if (is_snapshot_isolated(session, rw))
        holds |= bit(STRONG_SESSION_SNAPSHOT_ISOLATION);
    if (is_snapshot_isolated(timed, rw))
        holds |= bit(STRONG_SNAPSHOT_ISOLATION);
    if (is_acyclic(both(data, rw.to)))
        holds |= bit(SERIALIZABLE);
    if (is_acyclic(both(session, rw.to)))
        holds |= bit(STRONG_SESSION_SERIALIZABLE);
    if (is_acyclic(both(timed, rw.to)))
        holds |= bit(STRICT_SERIALIZABLE);
    return holds;
}

/* ---- version orders ---- */

static void widen(int place, int *first, int *last)
{
    if (*first < 0 || place < *first)
        *first = place;
    if (place > *last)
        *last = place;
}

/* The earliest version of the key that the transaction shows first, and the latest that it shows
 * last: where it shows several, those that rule out most.  False if it shows none. */
static bool shows(const struct world *world, int txn, int key, int *first, int *last)
{
    *first = *last = -1;
    for (int i = 0; i < world->read_count; i++) {
        const struct read *read = &world->reads[i];
        if (read->txn == txn && read->key == key && !read->is_missed)
            widen(world->place[key][read->source], first, last);
    }
    for (int v = 1; v < world->version_count[key]; v++)
        if (world->versions[key][v].txn == txn)
            widen(world->place[key][v], first, last);
    return *first >= 0;
}

static bool goes_back(const struct world *world, int key, const unsigned *before)
{
    for (int a = 0; a < world->history->txn_count; a++)
        for (int b = 0; b < world->history->txn_count; b++) {
            int first, last, unused;
            if ((before[a] >> b & 1) && shows(world, a, key, &unused, &last) &&
                shows(world, b, key, &first, &unused) && first < last)
                return true;
        }
    return false;
}

static bool overwrites_earlier(const struct world *world, int key)
{
    for (int i = 0; i < world->read_count; i++) {
        const struct read *read = &world->reads[i];
        for (int v = 1; read->key == key && !read->is_missed && v < world->version_count[key]; v++)
            if (world->versions[key][v].txn == read->txn &&
                world->place[key][v] < world->place[key][read->source])
                return true;
    }
    return false;
}

bool keeps_assumptions(const struct world *world, int key)
{
    if ((world->assume & WFR_KEYS) && overwrites_earlier(world, key))
        return false;
    if ((world->assume & SEQUENTIAL_KEYS) && goes_back(world, key, world->before))
        return false;
    return !(world->assume & LINEARIZABLE_KEYS) || !goes_back(world, key, world->ended);
}

struct orders {
    struct world *world;
    int key;
    uint64_t *holds;
};

static void each_version_order(struct world *world, int key, uint64_t *holds);

static bool try_version_order(void *context, const int *items, int count)
{
    struct orders *at = context;
    struct world *world = at->world;
    world->order_count[at->key] = count + 1;
    for (int i = 0; i < count; i++) {
        world->order[at->key][i + 1] = items[i];
        world->place[at->key][items[i]] = i + 1;
    }
    if (keeps_given_order(world, at->key) && keeps_assumptions(world, at->key))
        each_version_order(world, at->key + 1, at->holds);
    return true;
}

static void each_version_order(struct world *world, int key, uint64_t *holds)
{
    int items[MOST_VERSIONS];
    while (key < world->history->key_count && world->history->is_list[key])
        key++;
    if (key == world->history->key_count) {
        *holds |= levels_of(world);
        return;
    }
    for (int v = 1; v < world->version_count[key]; v++)
        items[v - 1] = v;
    each_order(items, world->version_count[key] - 1, try_version_order,
               &(struct orders){ world, key, holds });
}

uint64_t adya_levels(struct world *world)
{
    uint64_t holds = 0;
    each_version_order(world, 0, &holds);
    return holds;
}

/* ---- only writes ---- */

/* The longest list that was read; false if two contradict each other or an element comes twice. */
static bool longest_list(const struct world *world, int key, const struct op **longest)
{
    const struct history *history = world->history;
    *longest = NULL;
    for (int t = 0; t < history->txn_count; t++)
        for (int o = 0; counts(world, t) && o < history->txns[t].op_count; o++) {
            const struct op *op = &history->txns[t].ops[o];
            if (op->kind == OP_READ_LIST && op_reads(op, key) &&
                (!*longest || op->count > (*longest)->count))
                *longest = op;
        }
    for (int t = 0; t < history->txn_count; t++)
        for (int o = 0; counts(world, t) && o < history->txns[t].op_count; o++) {
            const struct op *op = &history->txns[t].ops[o];
            if (op->kind == OP_READ_LIST && op_reads(op, key) &&
                memcmp(op->items, (*longest)->items, (size_t)op->count * sizeof *op->items) != 0)
                return false;
        }
    for (int i = 0; *longest && i < (*longest)->count; i++)
        for (int j = 0; j < i; j++)
            if ((*longest)->items[i] == (*longest)->items[j])
                return false;
    return true;
}

static int appended(const struct history *history, int key, int value)
{
    int n = 0;
    for (int t = 0; t < history->txn_count; t++)
        for (int o = 0; o < history->txns[t].op_count; o++) {
            const struct op *op = &history->txns[t].ops[o];
            n += op->kind == OP_APPEND && op->key == key && op->value == value;
        }
    return n;
}

static bool has_too_many_of_one(const struct world *world)
{
    const struct history *history = world->history;
    for (int t = 0; t < history->txn_count; t++)
        for (int o = 0; counts(world, t) && o < history->txns[t].op_count; o++) {
            const struct op *op = &history->txns[t].ops[o];
            for (int i = 0; op->kind == OP_READ_LIST && !op->lost && i < op->count; i++) {
                int n = 0, most = appended(history, op->key, op->items[i]);
                for (int j = 0; j < op->count; j++)
                    n += op->items[j] == op->items[i];
                if (n > most && most > 0)
                    return true;
            }
        }
    return false;
}

struct write_orders {
    struct world *world;
    int key;
    struct graph ww;
    uint64_t *holds;
};

static void each_write_order(struct world *world, int key, struct graph ww, uint64_t *holds);

/* The elements read come first, as far as they are of those that count. */
static bool begins_as_read(const struct world *world, int key)
{
    const struct op *longest;
    int at = 1;
    longest_list(world, key, &longest);
    for (int i = 0; longest && i < longest->count; i++) {
        bool counted = false;
        for (int v = 1; v < world->version_count[key]; v++)
            counted |= world->versions[key][v].value == longest->items[i];
        if (!counted)
            continue;
        if (world->versions[key][world->order[key][at++]].value != longest->items[i])
            return false;
    }
    return true;
}

static bool try_write_order(void *context, const int *items, int count)
{
    struct write_orders *at = context;
    struct world *world = at->world;
    struct graph ww = at->ww;
    world->order_count[at->key] = count + 1;
    for (int i = 0; i < count; i++) {
        world->order[at->key][i + 1] = items[i];
        world->place[at->key][items[i]] = i + 1;
        if (i > 0) {
            int a = world->versions[at->key][items[i - 1]].txn;
            int b = world->versions[at->key][items[i]].txn;
            if (a != b)
                ww.to[a] |= 1u << b;
        }
    }
    if (world->history->is_list[at->key] ? begins_as_read(world, at->key)
                                         : keeps_given_order(world, at->key))
        each_write_order(world, at->key + 1, ww, at->holds);
    return true;
}

static void each_write_order(struct world *world, int key, struct graph ww, uint64_t *holds)
{
    int items[MOST_VERSIONS];
    if (key == world->history->key_count) {
        struct graph session = both(ww, world->before), timed = both(session, world->ended);
        if (is_acyclic(ww))
            *holds |= bit(READ_UNCOMMITTED);
        if (is_acyclic(session))
            *holds |= bit(STRONG_SESSION_READ_UNCOMMITTED);
        if (is_acyclic(timed))
            *holds |= bit(STRONG_READ_UNCOMMITTED);
        return;
    }
    for (int v = 1; v < world->version_count[key]; v++)
        items[v - 1] = v;
    each_order(items, world->version_count[key] - 1, try_write_order,
               &(struct write_orders){ world, key, ww, holds });
}

/* More orders of all keys' versions than can be tried: those of 17 appends to a list are 10^14. */
static bool has_too_many_orders(const struct world *world)
{
    double orders = 1;
    for (int key = 0; key < world->history->key_count; key++)
        for (int v = 2; v < world->version_count[key]; v++)
            orders *= v;
    return orders > 1e7;
}

struct truth write_levels(struct world *world)
{
    struct truth truth = { ~(uint64_t)0, 0 };
    const struct op *unused;
    if (has_too_many_of_one(world))
        return truth;
    if (has_too_many_orders(world))
        return (struct truth){ 0, 0 };
    for (int key = 0; key < world->history->key_count; key++)
        if (world->history->is_list[key] && !longest_list(world, key, &unused))
            truth.defined = 0;
    if (truth.defined)
        each_write_order(world, 0, (struct graph){ { 0 } }, &truth.holds);
    return truth;
}
