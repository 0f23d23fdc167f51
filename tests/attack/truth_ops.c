#include "truth.h"

#include <string.h>

/* Each operation by itself: the session guarantees up to causal, and sequences of operations. */

enum { MOST_NODES = MOST_TXNS * MOST_OPS };

struct relation {
    uint64_t to[MOST_NODES];
};

static int node_of(int txn, int op)
{
    return txn * MOST_OPS + op;
}

static struct relation join(struct relation a, struct relation b)
{
    for (int i = 0; i < MOST_NODES; i++)
        a.to[i] |= b.to[i];
    return a;
}

/* One step of 'first', then one of 'second'. */
static struct relation then(struct relation first, struct relation second)
{
    struct relation result = { { 0 } };
    for (int i = 0; i < MOST_NODES; i++)
        for (int via = 0; first.to[i] && via < MOST_NODES; via++)
            if (first.to[i] >> via & 1)
                result.to[i] |= second.to[via];
    return result;
}

static struct relation many(struct relation relation)
{
    for (int via = 0; via < MOST_NODES; via++)
        for (int i = 0; i < MOST_NODES; i++)
            if (relation.to[i] >> via & 1)
                relation.to[i] |= relation.to[via];
    return relation;
}

static bool has_cycle(struct relation relation)
{
    relation = many(relation);
    for (int i = 0; i < MOST_NODES; i++)
        if (relation.to[i] >> i & 1)
            return true;
    return false;
}

static struct relation session_order(const struct world *world)
{
    struct relation so = { { 0 } };
    const struct history *history = world->history;
    for (int t = 0; t < history->txn_count; t++)
        for (int o = 0; counts(world, t) && o < history->txns[t].op_count; o++) {
            for (int later = o + 1; later < history->txns[t].op_count; later++)
                so.to[node_of(t, o)] |= (uint64_t)1 << node_of(t, later);
            for (int u = 0; u < history->txn_count; u++)
                for (int p = 0; (world->before[t] >> u & 1) && p < history->txns[u].op_count; p++)
                    so.to[node_of(t, o)] |= (uint64_t)1 << node_of(u, p);
        }
    return so;
}

static int node_of_version(const struct version *version)
{
    return node_of(version->txn, version->op);
}

static struct relation known_versions(const struct world *world)
{
    struct relation known = { { 0 } };
    const struct history *history = world->history;
    for (int key = 0; key < history->key_count; key++) {
        const struct version *versions = world->versions[key];
        for (int i = 2; history->is_list[key] && i < world->order_count[key]; i++)
            known.to[node_of_version(&versions[world->order[key][i - 1]])] |=
                (uint64_t)1 << node_of_version(&versions[world->order[key][i]]);
        for (int i = 1; i < history->version_count[key]; i++)
            for (int a = 1; a < world->version_count[key]; a++)
                for (int b = 1; b < world->version_count[key]; b++)
                    if (versions[a].txn == history->versions[key][i - 1] && versions[a].is_last &&
                        versions[b].txn == history->versions[key][i] && versions[b].is_last)
                        known.to[node_of_version(&versions[a])] |= (uint64_t)1
                                                                   << node_of_version(&versions[b]);
    }
    return known;
}

/* Whatever must be visible to a read must come before what it returned; is that possible? */
static bool keeps(const struct world *world, struct relation order, struct relation visible)
{
    for (int i = 0; i < world->read_count; i++) {
        const struct read *read = &world->reads[i];
        const struct version *versions = world->versions[read->key];
        for (int v = 1; v < world->version_count[read->key]; v++) {
            int other = node_of_version(&versions[v]);
            if (v == read->source || !(visible.to[other] >> node_of(read->txn, read->op) & 1))
                continue;
            if (read->source == INITIAL)
                return false;
            order.to[other] |= (uint64_t)1 << node_of_version(&versions[read->source]);
        }
    }
    return !has_cycle(order);
}

uint64_t operation_levels(const struct world *world)
{
    struct relation so = session_order(world), wr = { { 0 } };
    uint64_t holds = 0;
    for (int i = 0; i < world->read_count; i++) {
        const struct read *read = &world->reads[i];
        if (read->source != INITIAL)
            wr.to[node_of_version(&world->versions[read->key][read->source])] |=
                (uint64_t)1 << node_of(read->txn, read->op);
    }
    struct relation order = join(join(so, wr), known_versions(world));
    struct relation wr_then = join(wr, then(wr, so)), pipe = join(wr_then, then(so, wr_then));
    if (keeps(world, order, many(join(so, wr))))
        holds |= bit(CAUSAL);
    if (keeps(world, order, join(so, pipe)))
        holds |= bit(PRAM);
    if (keeps(world, order, join(then(wr, wr), then(then(wr, so), wr))))
        holds |= bit(WRITES_FOLLOW_READS);
    if (keeps(world, order, then(wr, so)))
        holds |= bit(MONOTONIC_READS);
    if (keeps(world, order, then(so, wr)))
        holds |= bit(MONOTONIC_WRITES);
    if (keeps(world, order, so))
        holds |= bit(READ_YOUR_WRITES);
    return holds;
}

/* ---- sequences ---- */

enum { MOST_SEEN = 1 << 14 };

struct sequence {
    const struct world *world;
    bool timed;
    uint64_t done;
    int value[MOST_KEYS];
    int count[MOST_KEYS];
    int items[MOST_KEYS][MOST_VERSIONS];
    const struct op *longest[MOST_KEYS]; /* the read of the longest list; NULL: there is none */
    uint64_t *seen;                      /* hashes of what was tried */
};

/* So many elements of a key are read by some operation; the order of those behind them is not. */
static int read_of(const struct sequence *s, int key)
{
    return s->longest[key] ? s->longest[key]->count : 0;
}

static uint64_t hash_of(const struct sequence *s)
{
    uint64_t hash = s->done * 0x9e3779b97f4a7c15u;
    for (int key = 0; key < s->world->history->key_count; key++) {
        hash = (hash ^ (uint64_t)(unsigned)s->value[key]) * 0xbf58476d1ce4e5b9u;
        hash ^= hash >> 29;
        for (int i = 0; i < s->count[key] && i < read_of(s, key); i++) {
            hash = (hash ^ (uint64_t)(unsigned)(s->items[key][i] + 7)) * 0x94d049bb133111ebu;
            hash ^= hash >> 31;
        }
    }
    return hash | 1;
}

static bool was_tried(struct sequence *s)
{
    uint64_t hash = hash_of(s);
    size_t at = hash >> 20 & (MOST_SEEN - 1);
    for (size_t i = 0; i < MOST_SEEN; i++, at = (at + 1) & (MOST_SEEN - 1)) {
        if (s->seen[at] == hash)
            return true;
        if (!s->seen[at]) {
            s->seen[at] = hash;
            return false;
        }
    }
    return false;
}

/* Is everything done that must be done before an operation? */
static bool is_due(const struct sequence *s, int txn, int op)
{
    const struct world *world = s->world;
    for (int o = 0; o < op; o++)
        if (!(s->done >> node_of(txn, o) & 1))
            return false;
    for (int t = 0; t < world->history->txn_count; t++)
        if ((world->before[t] | (s->timed ? world->ended[t] : 0)) >> txn & 1)
            for (int o = 0; o < world->history->txns[t].op_count; o++)
                if (!(s->done >> node_of(t, o) & 1))
                    return false;
    return true;
}

/* Does the operation return what it would now?  It then takes effect. */
static bool run_op(struct sequence *s, const struct op *op)
{
    int key = op->key;
    switch (op->kind) {
    case OP_READ:
        return op->lost || op->value == s->value[key];
    case OP_READ_LIST:
        return op->lost ||
               (op->count == s->count[key] &&
                memcmp(op->items, s->items[key], (size_t)op->count * sizeof *op->items) == 0);
    case OP_APPEND:
        s->items[key][s->count[key]++] = op->value;
        return s->count[key] > read_of(s, key) ||
               s->longest[key]->items[s->count[key] - 1] == op->value;
    default:
        s->value[key] = op->kind == OP_DELETE ? NIL : op->value;
        return true;
    }
}

static bool can_finish(const struct sequence *before)
{
    const struct world *world = before->world;
    bool is_over = true;
    for (int t = 0; t < world->history->txn_count; t++)
        for (int o = 0; counts(world, t) && o < world->history->txns[t].op_count; o++) {
            if (before->done >> node_of(t, o) & 1)
                continue;
            is_over = false;
            if (!is_due(before, t, o))
                continue;
            struct sequence s = *before;
            if (!run_op(&s, &world->history->txns[t].ops[o]))
                continue;
            s.done |= (uint64_t)1 << node_of(t, o);
            if (!was_tried(&s) && can_finish(&s))
                return true;
        }
    return is_over;
}

/* A list that was read is the beginning of every longer one, so appends that go against the longest
 * lead nowhere. */
static void find_longest(struct sequence *s)
{
    for (int t = 0; t < s->world->history->txn_count; t++)
        for (int o = 0; counts(s->world, t) && o < s->world->history->txns[t].op_count; o++) {
            const struct op *op = &s->world->history->txns[t].ops[o];
            if (op->kind == OP_READ_LIST && !op->lost && op->count > read_of(s, op->key))
                s->longest[op->key] = op;
        }
}

static bool has_sequence(const struct world *world, bool timed)
{
    static uint64_t seen[MOST_SEEN];
    struct sequence s = { .world = world, .timed = timed, .seen = seen };
    memset(seen, 0, sizeof seen);
    memcpy(s.value, world->history->init, sizeof s.value);
    find_longest(&s);
    return can_finish(&s);
}

uint64_t sequence_levels(const struct world *world)
{
    if (!has_sequence(world, false))
        return 0;
    return bit(SEQUENTIAL) | (has_sequence(world, true) ? bit(LINEARIZABLE) : 0);
}
