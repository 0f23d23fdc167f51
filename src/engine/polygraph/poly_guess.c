#include "engine/polygraph/poly_local.h"

#include <stdlib.h>
#include <string.h>

/*
 * With the guess, few edges lead from a higher rank to a lower one: those of a reader to the
 * transaction that overwrote what it read, and that came before it in the estimate.  Every cycle
 * has one of them.
 */

enum {
    SLACK = 128,        /* how far in rank a cycle may reach beyond that edge */
    CYCLE_STEPS = 1000, /* edges that the search for a cycle may look at */
    STEPS_A_TXN = 50,   /* and that all of them may look at, for each transaction */
};

/* ---- the guess ---- */

static void guess_key(struct poly_local *l, uint32_t key, struct esse_pair *pairs)
{
    const struct versions *versions = l->poly->versions;
    const version_id unordered = versions->unordered[key], end = versions->first[key + 1];
    const uint32_t count = end.ix - unordered.ix;
    for (version_id v = unordered; v.ix < end.ix; v.ix++)
        pairs[v.ix - unordered.ix] = (struct esse_pair){ l->rank[version_txn(versions, v)], v.ix };
    esse_radix_sort(pairs, count, l->arena);
    for (uint32_t i = 1; i < count; i++)
        l->next[pairs[i - 1].id].ix = pairs[i].id;
}

void poly_guess_make(struct poly_local *l)
{
    const struct versions *versions = l->poly->versions;
    const size_t count = versions->count + (size_t)1;
    struct esse_pair *pairs = esse_arena_array(l->arena, count, *pairs);
    memset(l->next, 0xff, count * sizeof *l->next);
    for (uint32_t key = 0; key < versions->history->keys; key++)
        if (poly_is_open_key(versions, key))
            guess_key(l, key, pairs);
    esse_arena_drop(l->arena, pairs);
}

/* ---- searching ---- */

/* How a search came to a node. */
struct came {
    uint32_t search, depth;
    esse_node from;      /* or ESSE_NO_NODE */
    version_id rests_on; /* of an order that was guessed, or NO_VERSION */
};

struct search {
    struct poly_local *local;
    struct poly_range range; /* where it stays; nodes that are no transactions are everywhere */
    uint32_t number;
    uint64_t steps;            /* of all searches */
    struct came *came;         /* by node */
    struct esse_u32_vec queue; /* nodes */
};

static bool has_come(const struct search *s, esse_node node)
{
    return s->came[node.ix].search == s->number;
}

static void come(struct search *s, esse_node node, esse_node from, version_id rests_on)
{
    const uint32_t txn = poly_txn(s->local->poly, node);
    const uint32_t rank = txn == ESSE_NO_TXN ? s->range.low : s->local->rank[txn];
    if (has_come(s, node) || rank < s->range.low || rank > s->range.high)
        return;
    const uint32_t depth = from.ix == ESSE_NO_NODE ? 0 : s->came[from.ix].depth + 1;
    s->came[node.ix] = (struct came){ s->number, depth, from, rests_on };
    esse_u32_vec_push(&s->queue, s->local->arena, node.ix);
}

/* To the writers of the versions that come next in the guess. */
static void go_next(struct search *s, esse_node node, const struct esse_csr *versions,
                    enum esse_dep dep)
{
    const struct poly_local *l = s->local;
    const uint32_t txn = poly_txn(l->poly, node);
    for (uint32_t i = versions->first[txn]; i < versions->first[txn + 1]; i++) {
        const version_id version = { versions->to[i] }, next = l->next[version.ix];
        if (next.ix == NO_VERSION)
            continue;
        const uint32_t to = version_txn(l->poly->versions, next);
        if (to != txn)
            come(s, poly_enters(l->poly, to, dep), node, version);
    }
}

static void go_on(struct search *s, esse_node node)
{
    const struct poly *poly = s->local->poly;
    const uint32_t txn = poly_txn(poly, node);
    for (uint32_t e = poly->base.first[node.ix]; e < poly->base.first[node.ix + 1]; e++, s->steps++)
        come(s, (esse_node){ poly->base.to[e] }, node, (version_id){ NO_VERSION });
    if (txn == ESSE_NO_TXN)
        return;
    if (node.ix == poly_commit(poly, txn).ix)
        go_next(s, node, &s->local->installed, ESSE_DEP_WW);
    if (node.ix == poly_leaves(poly, txn, ESSE_DEP_RW).ix)
        go_next(s, node, &s->local->read, ESSE_DEP_RW);
}

/* ---- cycles of the guess ---- */

static bool has_order(const struct poly_local *l, uint32_t first, version_id version)
{
    for (size_t i = first; i < l->orders.count; i++)
        if (l->orders.at[i] == version.ix)
            return true;
    return false;
}

static void rest_on(struct poly_local *l, uint32_t first, version_id version)
{
    if (version.ix != NO_VERSION && !has_order(l, first, version))
        esse_u32_vec_push(&l->orders, l->arena, version.ix);
}

/* The path that was found to 'node', and the edge that closes it, which rests on 'version'. */
static void keep_candidate(struct search *s, esse_node node, version_id version)
{
    struct poly_local *l = s->local;
    struct poly_candidate c = { .first = (uint32_t)l->orders.count,
                                .length = s->came[node.ix].depth + 1 };
    rest_on(l, c.first, version);
    for (; s->came[node.ix].from.ix != ESSE_NO_NODE; node = s->came[node.ix].from)
        rest_on(l, c.first, s->came[node.ix].rests_on);
    c.count = (uint32_t)l->orders.count - c.first;
    poly_candidate_vec_push(&l->candidates, l->arena, c);
}

/* A cycle by the reader of 'version' and the writer of the next one, which came before it. */
static void close_cycle(struct search *s, version_id version, uint32_t reader, uint32_t writer)
{
    const struct poly_local *l = s->local;
    const esse_node to = poly_leaves(l->poly, reader, ESSE_DEP_RW);
    const uint32_t low = l->rank[writer], high = l->rank[reader];
    const uint64_t most = s->steps + CYCLE_STEPS;
    s->range = (struct poly_range){ low > SLACK ? low - SLACK : 0, high + SLACK };
    s->number++;
    s->queue.count = 0;
    come(s, poly_enters(l->poly, writer, ESSE_DEP_RW), (esse_node){ ESSE_NO_NODE },
         (version_id){ NO_VERSION });
    for (size_t i = 0; i < s->queue.count && !has_come(s, to) && s->steps < most; i++)
        go_on(s, (esse_node){ s->queue.at[i] });
    if (has_come(s, to))
        keep_candidate(s, to, version);
}

static void close_version(struct search *s, version_id version)
{
    const struct poly_local *l = s->local;
    const struct versions *versions = l->poly->versions;
    const uint32_t *first = &l->poly->reads->reader_first[version.ix];
    const uint32_t writer = version_txn(versions, l->next[version.ix]);
    for (uint32_t i = first[0]; i < first[1]; i++) {
        const uint32_t reader = versions_key_access(versions, l->poly->reads->reader[i])->txn;
        if (reader != writer && l->rank[reader] > l->rank[writer])
            close_cycle(s, version, reader, writer);
    }
}

/* An order costs more to be forced than an edge that is known to be shown. */
static int by_length(const void *a, const void *b)
{
    const struct poly_candidate *x = a, *y = b;
    const uint32_t p = x->count * 2 + x->length, q = y->count * 2 + y->length;
    return p != q ? (p < q ? -1 : 1) : x->first < y->first ? -1 : x->first > y->first;
}

bool poly_guess_cycles(struct poly_local *l)
{
    const struct poly *poly = l->poly;
    const uint64_t most = (uint64_t)STEPS_A_TXN * poly->versions->history->txns;
    struct search s = { .local = l };
    const size_t bytes = (poly->nodes + (size_t)1) * sizeof *s.came;
    s.came = memset(esse_arena_grow(l->arena, NULL, bytes), 0, bytes);
    for (version_id v = { 0 }; v.ix < poly->versions->count && s.steps < most; v.ix++) {
        if (l->next[v.ix].ix != NO_VERSION)
            close_version(&s, v);
        if (!esse_budget_poll(poly->budget, v.ix))
            return false;
    }
    if (l->candidates.count)
        qsort(l->candidates.at, l->candidates.count, sizeof *l->candidates.at, by_length);
    esse_u32_vec_drop(&s.queue, l->arena);
    esse_arena_drop(l->arena, s.came);
    return true;
}
