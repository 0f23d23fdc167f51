#include "engine/dsg/dsg_graph.h"

#include "base/checked.h"
#include "base/radix.h"
#include "engine/dsg/dsg_predicates.h"

#include <string.h>

/* ---- real time ---- */

static size_t collect(const struct versions *versions, struct esse_pair *pairs, bool ends)
{
    const struct esse_history *history = versions->history;
    size_t count = 0;
    for (uint32_t t = 0; t < history->txns; t++) {
        int64_t time = ends ? esse_txn_committed_by(history, t) : history->txn_time[t].begin;
        if (versions->in[t] && time != ESSE_NO_TIME)
            pairs[count++] = (struct esse_pair){ esse_radix_key(time), t };
    }
    return count;
}

void dsg_time_find(struct dsg_time *time, const struct versions *versions)
{
    const struct esse_history *history = versions->history;
    const size_t room = history->txns + 1u;
    *time = (struct dsg_time){ 0 };
    time->starts_after = esse_arena_array(versions->arena, room, uint32_t);
    time->ends_before = esse_arena_none(versions->arena, room, uint32_t);
    memset(time->starts_after, 0xff, room * sizeof(uint32_t));
    if (!history->txn_time)
        return;
    struct esse_arena *scratch = esse_arena_new();
    struct esse_pair *starts = esse_arena_array(scratch, room, *starts);
    struct esse_pair *ends = esse_arena_array(scratch, room, *ends);
    size_t start_count = collect(versions, starts, false), s = 0;
    size_t end_count = collect(versions, ends, true), e = 0;
    esse_radix_sort(starts, start_count, scratch);
    esse_radix_sort(ends, end_count, scratch);
    bool fresh = true; /* a start came since the last time node was made */
    while (s < start_count) {
        /* Real time is strict: at equal times the start comes first. */
        if (e == end_count || starts[s].key <= ends[e].key) {
            if (time->time_nodes)
                time->starts_after[starts[s].id] = time->time_nodes - 1;
            s++;
            fresh = true;
            continue;
        }
        time->time_nodes += fresh;
        fresh = false;
        time->ends_before[ends[e++].id] = time->time_nodes - 1;
    }
    esse_arena_free(scratch);
}

/* ---- building ---- */

/* The writer of what an access read, and the installer of the next version after what it read or
 * installed. */
struct dsg_link {
    uint32_t writer; /* a transaction, ESSE_NO_TXN, or IS_WRITE */
    uint32_t next;   /* a transaction, or ESSE_NO_TXN */
};
#define IS_WRITE (UINT32_MAX - 1)

struct drawing {
    struct esse_csr *csr;
    const struct versions *versions;
    const struct dsg_time *time;
    unsigned mask;
    bool doubled, counting;
    uint32_t time_nodes_at; /* the first node of the chain */
    uint32_t aux_nodes_at;  /* the first auxiliary node of an unordered key */
    uint32_t *key_aux_node; /* by key: the number of its auxiliary nodes' pair, or ESSE_NO_NODE */
    struct dsg_link *links; /* by access */
};

static inline void draw(struct drawing *d, uint32_t from, uint32_t to)
{
    ESSE_HOT_ASSERT(to < d->csr->nodes);
    if (d->counting)
        esse_csr_count(d->csr, from);
    else
        esse_csr_add(d->csr, from, to);
}

/* The node at which an edge of this kind leaves or enters a transaction. */
static inline uint32_t leaves(const struct drawing *d, uint32_t txn, enum esse_dep dep)
{
    return d->doubled ? 2 * txn + !dsg_is_anti(dep) : txn;
}

static inline uint32_t enters(const struct drawing *d, uint32_t txn, enum esse_dep dep)
{
    return d->doubled ? 2 * txn + dsg_is_anti(dep) : txn;
}

static inline void draw_txns(struct drawing *d, uint32_t from, uint32_t to, enum esse_dep dep)
{
    if (from != to && from != ESSE_NO_TXN && to != ESSE_NO_TXN && (d->mask & 1u << dep))
        draw(d, leaves(d, from, dep), enters(d, to, dep));
}

static void draw_to_unordered(struct drawing *d, uint32_t key, key_access_id at, enum esse_dep dep)
{
    const struct versions *versions = d->versions;
    uint32_t txn = versions_key_access(versions, at)->txn;
    if (!(d->mask & 1u << dep))
        return;
    if (!versions_writes_unordered(versions, key, at)) {
        draw(d, leaves(d, txn, dep),
             d->aux_nodes_at + 2 * d->key_aux_node[key] + (dep == ESSE_DEP_RW));
        return;
    }
    for (version_id v = versions->unordered[key]; v.ix < versions->first[key + 1].ix; v.ix++)
        draw_txns(d, txn, version_txn(versions, v), dep);
}

/* From whoever installed or read an unordered version to whoever installed one that is known to
 * follow it. */
static void draw_inferred(struct drawing *d, key_access_id at, version_id version,
                          enum esse_dep dep)
{
    const struct versions *versions = d->versions;
    for (uint32_t e = versions->after_first[version.ix]; e < versions->after_first[version.ix + 1];
         e++)
        draw_txns(d, versions_key_access(versions, at)->txn,
                  version_txn(versions, versions->after[e].to), dep);
}

/* To the unordered versions of a key from the transactions that installed or read what they follow,
 * and between them. */
static void draw_unordered_key(struct drawing *d, uint32_t key)
{
    const struct versions *versions = d->versions;
    const uint32_t *first = &versions->sources->by_key.first[key];
    for (key_access_id at = { first[0] }; at.ix < first[1]; at.ix++) {
        const struct esse_key_access *key_access = versions_key_access(versions, at);
        const enum esse_dep dep = key_access->kind == ESSE_OP_READ ? ESSE_DEP_RW : ESSE_DEP_WW;
        version_id version = versions->of[at.ix];
        if (version.ix == NO_VERSION ||
            (dep == ESSE_DEP_RW && version_txn(versions, version) == key_access->txn))
            continue;
        if (is_unordered(versions, key, version) && versions->after_first)
            draw_inferred(d, at, version, dep);
        else if (d->key_aux_node[key] != ESSE_NO_NODE && !is_unordered(versions, key, version) &&
                 precedes_unordered(versions, key, version))
            draw_to_unordered(d, key, at, dep);
    }
}

/* What an access depends on, and what depends on it, along the order of the key. */
static struct dsg_link link_of(const struct versions *versions, uint32_t key, key_access_id at)
{
    const struct esse_key_access *key_access = versions_key_access(versions, at);
    struct dsg_link link = { key_access->kind == ESSE_OP_READ ? ESSE_NO_TXN : IS_WRITE,
                             ESSE_NO_TXN };
    version_id version = versions->of[at.ix];
    if (version.ix == NO_VERSION)
        return link;
    if (key_access->kind == ESSE_OP_READ) {
        link.writer = version_txn(versions, version);
        if (link.writer == key_access->txn)
            return (struct dsg_link){ ESSE_NO_TXN, ESSE_NO_TXN };
    }
    if (version.ix + 1 < versions->unordered[key].ix)
        link.next = version_txn(versions, (version_id){ version.ix + 1 });
    return link;
}

/* Going through the keys, every edge would land in another corner of the graph.  So what each
 * access is linked to is put down by access, and drawn in the order of the history, where those
 * that depend on each other are near. */
static struct dsg_link *find_links(const struct versions *versions)
{
    const struct esse_by_key *by_key = &versions->sources->by_key;
    struct dsg_link *links =
        esse_arena_array(versions->arena, by_key->accesses + (size_t)1, *links);
    for (uint32_t access = 0; by_key->count < by_key->accesses && access < by_key->accesses;
         access++)
        links[access] = (struct dsg_link){ ESSE_NO_TXN, ESSE_NO_TXN };
    for (uint32_t key = 0; key < versions->history->keys; key++)
        for (key_access_id at = { by_key->first[key] }; at.ix < by_key->first[key + 1]; at.ix++)
            links[by_key->at[at.ix].access] = link_of(versions, key, at);
    return links;
}

static void draw_accesses(struct drawing *d, uint32_t txn)
{
    const struct esse_by_key *by_key = &d->versions->sources->by_key;
    const uint32_t *ops = &d->versions->history->txn_op[txn];
    uint32_t end = esse_by_key_access(by_key, ops[1]);
    for (uint32_t access = esse_by_key_access(by_key, ops[0]); access < end; access++) {
        struct dsg_link link = d->links[access];
        if (link.writer == IS_WRITE) {
            draw_txns(d, txn, link.next, ESSE_DEP_WW);
        } else {
            draw_txns(d, link.writer, txn, ESSE_DEP_WR);
            draw_txns(d, txn, link.next, ESSE_DEP_RW);
        }
    }
}

static void draw_time(struct drawing *d, uint32_t txn)
{
    uint32_t before = d->time->ends_before[txn], after = d->time->starts_after[txn];
    ESSE_HOT_ASSERT(before == ESSE_NO_NODE || before < d->time->time_nodes);
    ESSE_HOT_ASSERT(after == ESSE_NO_NODE || after < d->time->time_nodes);
    if (before != ESSE_NO_NODE)
        draw(d, leaves(d, txn, ESSE_DEP_REALTIME), d->time_nodes_at + before);
    if (after != ESSE_NO_NODE)
        draw(d, d->time_nodes_at + after, enters(d, txn, ESSE_DEP_REALTIME));
}

/* From the auxiliary nodes of a key to its unordered versions. */
static void draw_aux_nodes(struct drawing *d, uint32_t key)
{
    const struct versions *versions = d->versions;
    ESSE_HOT_ASSERT(d->key_aux_node[key] != ESSE_NO_NODE);
    uint32_t aux_node = d->aux_nodes_at + 2 * d->key_aux_node[key];
    for (version_id v = versions->unordered[key]; v.ix < versions->first[key + 1].ix; v.ix++) {
        draw(d, aux_node, enters(d, version_txn(versions, v), ESSE_DEP_WW));
        draw(d, aux_node + 1, enters(d, version_txn(versions, v), ESSE_DEP_RW));
    }
}

uint32_t dsg_next_in_session(const struct versions *versions, uint32_t txn)
{
    const struct esse_history *history = versions->history;
    ESSE_HOT_ASSERT(txn < history->txns);
    uint32_t session = history->txn_session[txn];
    uint32_t at =
        history->session_first[session] + esse_history_position(history, (esse_txn){ txn }) + 1;
    for (; at < history->session_first[session + 1]; at++)
        if (versions->in[history->session_txn[at]])
            return history->session_txn[at];
    return ESSE_NO_TXN;
}

static void draw_sessions(struct drawing *d)
{
    const struct esse_history *history = d->versions->history;
    for (uint32_t s = 0; s < history->sessions; s++) {
        uint32_t before = ESSE_NO_TXN;
        for (uint32_t at = history->session_first[s]; at < history->session_first[s + 1]; at++) {
            uint32_t txn = history->session_txn[at];
            if (!d->versions->in[txn])
                continue;
            draw_txns(d, before, txn, ESSE_DEP_PROCESS);
            before = txn;
        }
    }
}

static void draw_all(struct drawing *d)
{
    const struct esse_history *history = d->versions->history;
    for (uint32_t txn = 0; txn < history->txns; txn++) {
        if (!d->versions->in[txn])
            continue;
        if (d->doubled)
            draw(d, 2 * txn, 2 * txn + 1);
        draw_accesses(d, txn);
        if (d->mask & 1u << ESSE_DEP_REALTIME)
            draw_time(d, txn);
    }
    for (size_t i = 0; i < d->versions->predicate_edge_count; i++) {
        const struct dsg_predicate_edge *edge = &d->versions->predicate_edges[i];
        draw_txns(d, edge->from, edge->to, (enum esse_dep)edge->dep);
    }
    if (d->mask & 1u << ESSE_DEP_PROCESS)
        draw_sessions(d);
    if (d->mask & 1u << ESSE_DEP_REALTIME)
        for (uint32_t m = 1; m < d->time->time_nodes; m++)
            draw(d, d->time_nodes_at + m - 1, d->time_nodes_at + m);
    for (uint32_t key = 0; key < history->keys; key++) {
        const bool helped = d->key_aux_node[key] != ESSE_NO_NODE;
        if (helped || d->versions->after_first)
            draw_unordered_key(d, key);
        if (helped)
            draw_aux_nodes(d, key);
    }
}

/* A key needs auxiliary nodes if several versions are unordered at its end. */
static uint32_t number_aux_nodes(struct drawing *d)
{
    const struct versions *versions = d->versions;
    uint32_t count = 0;
    for (uint32_t key = 0; key < versions->history->keys; key++) {
        bool needed = versions->unordered[key].ix < versions->first[key + 1].ix;
        d->key_aux_node[key] = needed ? count++ : ESSE_NO_NODE;
    }
    return count;
}

void dsg_graph_build(struct esse_csr *csr, const struct versions *versions,
                     const struct dsg_time *time, unsigned mask, bool doubled)
{
    const struct esse_history *history = versions->history;
    struct drawing d = { csr, versions, time, mask, doubled, true, 0, 0, NULL, NULL };
    d.key_aux_node = esse_arena_array(versions->arena, history->keys + 1u, *d.key_aux_node);
    uint32_t aux_nodes = number_aux_nodes(&d);
    d.links = find_links(versions);
    d.time_nodes_at = history->txns * (doubled ? 2u : 1u);
    d.aux_nodes_at = d.time_nodes_at + time->time_nodes;
    esse_csr_init(csr, versions->arena, d.aux_nodes_at + 2 * aux_nodes);
    draw_all(&d);
    esse_csr_start(csr);
    d.counting = false;
    draw_all(&d);
    esse_csr_finish(csr);
    esse_arena_drop(versions->arena, d.links);
    esse_arena_drop(versions->arena, d.key_aux_node);
}
