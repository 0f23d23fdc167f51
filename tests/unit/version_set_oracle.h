#ifndef ESSE_TESTS_UNIT_VERSION_SET_ORACLE_H
#define ESSE_TESTS_UNIT_VERSION_SET_ORACLE_H

/*
 * Levels of dependency graphs with predicates, straight from their definitions (semantics 3 and 6):
 * is there an order of every key's versions, a source for every read and a version of every key for
 * every predicate, all as far as the certificate leaves them open, without a forbidden cycle?  All
 * orders and all choices are tried; edges only add cycles, so what is cyclic is not tried further.
 */
#include "predicate_oracle.h"

enum { W_LOOKS = P_TXNS * P_OPS * P_KEYS, W_INITIAL = -1 };
enum w_rule { W_COMMITTED, W_REPEATABLE, W_SNAPSHOT, W_SERIAL };

/* An operation that looked at one version of a key, which is the initial one or a writer's. */
struct w_look {
    int txn, key, choices[P_TXNS + 1], count;
    bool is_item;                        /* it returned the version */
    const struct p_predicate *predicate; /* or NULL */
};

/* By transaction: those that depend on it, as bits. */
struct w_graph {
    unsigned dep[P_TXNS], rw[P_TXNS], predicate_rw[P_TXNS];
    bool has_loop; /* a transaction depends on what it writes itself later */
};

struct w_search {
    const struct p_history *h;
    enum w_rule rule;
    int order[P_KEYS][P_TXNS], writers[P_KEYS];
    struct w_look looks[W_LOOKS];
    int look_count;
};

/* ---- versions ---- */

static int w_installed(const struct p_txn *txn, int key)
{
    int value = P_UNNAMED;
    for (int i = 0; i < txn->count; i++)
        if (p_written(&txn->ops[i], key) != P_UNNAMED)
            value = p_written(&txn->ops[i], key);
    return value;
}

static int w_value(const struct p_history *h, int key, int writer)
{
    return writer == W_INITIAL ? h->init[key] : w_installed(&h->txns[writer], key);
}

/* ---- what was looked at ---- */

static bool w_is_own(const struct p_txn *txn, int at, int key)
{
    for (int i = 0; i < at; i++)
        if (p_written(&txn->ops[i], key) != P_UNNAMED)
            return true;
    return false;
}

/* Could the operation have looked at a version with this value? */
static bool w_agrees(const struct p_op *op, int key, int value)
{
    if (op->kind == P_READ)
        return op->value == value;
    if (op->has_vset &&
        (op->vset[key] == P_UNNAMED ? op->rows[key] != P_UNNAMED : op->vset[key] != value))
        return false;
    return op->rows[key] == (p_matches(op->predicate, value) ? value : P_UNNAMED);
}

static void w_add_look(struct w_search *s, int t, const struct p_op *op, int key)
{
    struct w_look *look = &s->looks[s->look_count++];
    *look = (struct w_look){ .txn = t, .key = key };
    look->predicate = p_is_predicate(op) ? &op->predicate : NULL;
    look->is_item = op->kind == P_READ || op->rows[key] != P_UNNAMED;
    for (int w = W_INITIAL; w < s->h->count; w++)
        if ((w == W_INITIAL || (w != t && p_installs(&s->h->txns[w], key))) &&
            w_agrees(op, key, w_value(s->h, key, w)))
            look->choices[look->count++] = w;
}

static bool w_looks(const struct p_op *op, int key)
{
    return p_is_predicate(op) || (op->kind == P_READ && op->key == key);
}

static void w_add_looks(struct w_search *s, int t)
{
    const struct p_txn *txn = &s->h->txns[t];
    for (int i = 0; i < txn->count; i++)
        for (int key = 0; key < P_KEYS; key++)
            if (w_looks(&txn->ops[i], key) && !w_is_own(txn, i, key))
                w_add_look(s, t, &txn->ops[i], key);
}

/* Does an operation contradict what its own transaction wrote?  That is internal to it, and what
 * the scan tells: no choice has a part in it. */
static inline bool w_is_internal(const struct p_history *h)
{
    for (int t = 0; t < h->count; t++)
        for (int i = 0; i < h->txns[t].count; i++)
            for (int key = 0; key < P_KEYS; key++) {
                struct p_txn before = h->txns[t];
                before.count = i;
                struct p_op op = h->txns[t].ops[i];
                op.has_vset = false;
                if (w_looks(&op, key) && w_is_own(&h->txns[t], i, key) &&
                    !w_agrees(&op, key, w_installed(&before, key)))
                    return true;
            }
    return false;
}

/* ---- cycles ---- */

static bool w_is_cyclic(const unsigned *edges)
{
    unsigned reach[P_TXNS];
    memcpy(reach, edges, sizeof reach);
    for (int via = 0; via < P_TXNS; via++)
        for (int from = 0; from < P_TXNS; from++)
            if (reach[from] >> via & 1)
                reach[from] |= reach[via];
    for (int t = 0; t < P_TXNS; t++)
        if (reach[t] >> t & 1)
            return true;
    return false;
}

static bool w_is_forbidden(const struct w_graph *graph, enum w_rule rule)
{
    unsigned edges[P_TXNS];
    for (int t = 0; t < P_TXNS; t++) {
        edges[t] = graph->dep[t];
        if (rule == W_REPEATABLE || rule == W_SERIAL)
            edges[t] |= graph->rw[t];
        if (rule == W_SERIAL)
            edges[t] |= graph->predicate_rw[t];
        for (int via = 0; rule == W_SNAPSHOT && via < P_TXNS; via++)
            if (graph->dep[t] >> via & 1)
                edges[t] |= graph->rw[via] | graph->predicate_rw[via];
    }
    return graph->has_loop || w_is_cyclic(edges);
}

/* ---- edges ---- */

static void w_look_at_item(const struct w_search *s, struct w_graph *graph, int t, int key, int at)
{
    if (at >= 0)
        graph->dep[s->order[key][at]] |= 1u << t;
    if (at + 1 < s->writers[key] && s->order[key][at + 1] != t)
        graph->rw[t] |= 1u << s->order[key][at + 1];
}

static void w_look_at_matches(const struct w_search *s, struct w_graph *graph,
                              const struct w_look *look, int at)
{
    const int *order = s->order[look->key];
    for (int v = 0; v < s->writers[look->key]; v++) {
        const int before = w_value(s->h, look->key, v ? order[v - 1] : W_INITIAL);
        if (p_matches(*look->predicate, before) ==
            p_matches(*look->predicate, w_value(s->h, look->key, order[v])))
            continue;
        if (v > at && order[v] != look->txn)
            graph->predicate_rw[look->txn] |= 1u << order[v];
        if (v <= at && order[v] != look->txn)
            graph->dep[order[v]] |= 1u << look->txn;
        graph->has_loop |= v <= at && order[v] == look->txn;
    }
}

static void w_look_at(const struct w_search *s, struct w_graph *graph, const struct w_look *look,
                      int writer)
{
    int at = W_INITIAL;
    while (writer != W_INITIAL && s->order[look->key][++at] != writer)
        ;
    if (look->is_item)
        w_look_at_item(s, graph, look->txn, look->key, at);
    if (look->predicate)
        w_look_at_matches(s, graph, look, at);
}

/* ---- all choices ---- */

static bool w_try_looks(const struct w_search *s, const struct w_graph *graph, int at)
{
    if (w_is_forbidden(graph, s->rule))
        return false;
    if (at == s->look_count)
        return true;
    for (int i = 0; i < s->looks[at].count; i++) {
        struct w_graph next = *graph;
        w_look_at(s, &next, &s->looks[at], s->looks[at].choices[i]);
        if (w_try_looks(s, &next, at + 1))
            return true;
    }
    return false;
}

/* Orders the versions of the keys from 'key' on. */
static bool w_try_orders(struct w_search *s, const struct w_graph *graph, int key)
{
    if (key == P_KEYS)
        return w_try_looks(s, graph, 0);
    int *order = s->order[key];
    const int placed = s->writers[key];
    bool is_whole = true;
    for (int t = 0; t < s->h->count; t++) {
        bool is_next = p_installs(&s->h->txns[t], key);
        for (int i = 0; i < placed; i++)
            is_next &= order[i] != t;
        is_whole &= !is_next;
        if (!is_next ||
            (s->h->has_order[key] && placed && s->h->place[t] < s->h->place[order[placed - 1]]))
            continue;
        struct w_graph next = *graph;
        if (placed)
            next.dep[order[placed - 1]] |= 1u << t;
        order[s->writers[key]++] = t;
        if (!w_is_forbidden(&next, s->rule) && w_try_orders(s, &next, key))
            return true;
        s->writers[key]--;
    }
    return is_whole && w_try_orders(s, graph, key + 1);
}

static inline bool w_holds(const struct p_history *h, enum w_rule rule, bool so, bool rt)
{
    struct w_search s = { .h = h, .rule = rule };
    struct w_graph graph = { .has_loop = false };
    for (int t = 0; t < h->count; t++) {
        if (h->txns[t].status != ESSE_COMMITTED)
            continue;
        w_add_looks(&s, t);
        for (int u = 0; u < h->count; u++)
            if (h->txns[u].status == ESSE_COMMITTED &&
                ((so && h->has_sessions && t < u && h->txns[t].session == h->txns[u].session) ||
                 (rt && h->has_times && h->txns[t].end < h->txns[u].start)))
                graph.dep[t] |= 1u << u;
    }
    return w_try_orders(&s, &graph, 0);
}

#endif
