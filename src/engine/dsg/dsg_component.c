#include "engine/dsg/dsg_component.h"

#include "base/checked.h"
#include "base/guard.h"
#include "base/radix.h"
#include "engine/dsg/dsg_predicates.h"
#include "engine/dsg/dsg_ranges.h"

#include <string.h>

ESSE_VEC(dsg_edge_vec, struct dsg_edge)

struct gathering {
    struct esse_arena *arena;
    const struct versions *versions;
    const uint32_t *component; /* by transaction */
    uint32_t *place;           /* by transaction: among the members of all, or ESSE_NO_NODE */
    uint32_t *members;         /* of all, component by component */
    uint32_t member_count;
    struct dsg_edge_vec edges; /* from and to are places */
    uint32_t unordered_steps; /* how many unordered versions of a key are taken after another one */
};

static void add(struct gathering *g, uint32_t from, uint32_t to, enum esse_dep dep, uint32_t key,
                key_access_id from_at, key_access_id to_at)
{
    if (from == ESSE_NO_TXN || to == ESSE_NO_TXN || from == to ||
        g->component[from] != g->component[to])
        return;
    ESSE_HOT_ASSERT(g->place[from] < g->member_count);
    struct dsg_edge edge = { g->place[from], g->place[to], key,         from_at,
                             to_at,          ESSE_NO_OP,   (uint8_t)dep };
    dsg_edge_vec_push(&g->edges, g->arena, edge);
    esse_guard_poll();
}

/* ---- dependencies ---- */

/* From the transaction of 'at' to the installer of what is known to follow an unordered version. */
static void add_inferred(struct gathering *g, uint32_t key, key_access_id at, version_id version,
                         enum esse_dep dep)
{
    const struct versions *versions = g->versions;
    uint32_t txn = versions_key_access(versions, at)->txn;
    if (!versions->after_first)
        return;
    for (uint32_t e = versions->after_first[version.ix]; e < versions->after_first[version.ix + 1];
         e++) {
        version_id next = versions->after[e].to;
        add(g, txn, version_txn(versions, next), dep, key, at, versions->write[next.ix]);
    }
}

/* From the transaction of 'at' to the installers of unordered versions, which were written around
 * it if not all are taken: the others, in the order of the history, hardly lead back to it. */
static void add_unordered(struct gathering *g, uint32_t key, key_access_id at, enum esse_dep dep)
{
    const struct versions *versions = g->versions;
    const uint32_t txn = versions_key_access(versions, at)->txn;
    version_id from = versions->unordered[key], to = versions->first[key + 1];
    if (to.ix - from.ix > g->unordered_steps) {
        uint32_t end = to.ix - g->unordered_steps;
        ESSE_BISECT(from.ix, end, v, versions->write[v + g->unordered_steps / 2].ix < at.ix);
        to.ix = from.ix + g->unordered_steps;
    }
    for (version_id v = from; v.ix < to.ix; v.ix++)
        add(g, txn, version_txn(versions, v), dep, key, at, versions->write[v.ix]);
}

/* From the transaction of 'at' to the installer of what comes after 'version': one version, or
 * all unordered ones. */
static void add_after(struct gathering *g, uint32_t key, key_access_id at, version_id version,
                      enum esse_dep dep)
{
    const struct versions *versions = g->versions;
    uint32_t txn = versions_key_access(versions, at)->txn;
    if (is_unordered(versions, key, version)) {
        add_inferred(g, key, at, version, dep);
        return;
    }
    if (version.ix + 1 < versions->unordered[key].ix)
        add(g, txn, version_txn(versions, (version_id){ version.ix + 1 }), dep, key, at,
            versions->write[version.ix + 1]);
    if (precedes_unordered(versions, key, version))
        add_unordered(g, key, at, dep);
}

/* How many edges lead to unordered versions, at most. */
static uint64_t count_unordered(const struct gathering *g)
{
    const struct versions *versions = g->versions;
    uint64_t edges = 0;
    for (uint32_t key = 0; key < versions->history->keys; key++) {
        const uint64_t unordered = versions->first[key + 1].ix - versions->unordered[key].ix;
        const uint32_t *first = &versions->sources->by_key.first[key];
        for (key_access_id at = { first[0] }; unordered && at.ix < first[1]; at.ix++)
            if (g->place[versions_key_access(versions, at)->txn] != ESSE_NO_NODE &&
                versions->of[at.ix].ix != NO_VERSION &&
                !is_unordered(versions, key, versions->of[at.ix]) &&
                precedes_unordered(versions, key, versions->of[at.ix]))
                edges += unordered;
    }
    return edges;
}

/* Readers of what is oldest times versions that came later, in whatever order: that grows with the
 * square of the history. */
static void limit_unordered(struct gathering *g, const struct dsg_components *components)
{
    enum { MANY = 1 << 22, LEAST = 64 };
    const uint64_t edges = components->count ? count_unordered(g) : 0;
    g->unordered_steps = UINT32_MAX;
    if (edges <= MANY)
        return;
    const uint64_t accesses = g->versions->sources->by_key.count;
    g->unordered_steps = MANY / accesses > LEAST ? (uint32_t)(MANY / accesses) : LEAST;
}

static void add_key(struct gathering *g, uint32_t key)
{
    const struct versions *versions = g->versions;
    const uint32_t *first = &versions->sources->by_key.first[key];
    for (key_access_id at = { first[0] }; at.ix < first[1]; at.ix++) {
        const struct esse_key_access *key_access = versions_key_access(versions, at);
        version_id version = versions->of[at.ix];
        if (version.ix == NO_VERSION || g->place[key_access->txn] == ESSE_NO_NODE)
            continue;
        if (key_access->kind != ESSE_OP_READ) {
            add_after(g, key, at, version, ESSE_DEP_WW);
        } else if (version_txn(versions, version) != key_access->txn) {
            add(g, version_txn(versions, version), key_access->txn, ESSE_DEP_WR, key,
                versions->write[version.ix], at);
            add_after(g, key, at, version, ESSE_DEP_RW);
        }
    }
}

static void add_predicates(struct gathering *g)
{
    for (size_t i = 0; i < g->versions->predicate_edge_count; i++) {
        const struct dsg_predicate_edge *edge = &g->versions->predicate_edges[i];
        size_t count = g->edges.count;
        bool reads = edge->dep == ESSE_DEP_WRP;
        add(g, edge->from, edge->to, (enum esse_dep)edge->dep, edge->key,
            reads ? edge->write : (key_access_id){ ESSE_NO_KEY_ACCESS },
            reads ? (key_access_id){ ESSE_NO_KEY_ACCESS } : edge->write);
        if (g->edges.count > count)
            g->edges.at[count].predicate = edge->op;
    }
}

/* ---- those of predicate operations that are not written down ---- */

/* The versions that the members of a component installed, by their places. */
struct installed {
    struct gathering *gathering;
    const struct dsg_ranges *ranges;
    struct esse_pair *at;
    uint32_t count;
    uint32_t *done;  /* by key: the round in which its nearest change was found, or it is own */
    uint32_t rounds; /* one for the changes before an operation, one for those after it */
    uint32_t steps;  /* how many versions are looked at in each */
};

static bool is_between(uint32_t rank, const struct dsg_range_read *read)
{
    return rank >= read->low && rank < read->high; /* NO_RANK is not */
}

/* Adds the edge of a version if it is the nearest that changes what the operation matches. */
static void add_change(struct installed *i, const struct dsg_range_read *read, version_id version)
{
    esse_guard_poll();
    const uint32_t key = i->ranges->key[version.ix];
    const uint32_t *rank = i->ranges->columns[read->column].rank;
    struct gathering *g = i->gathering;
    const key_access_id write = g->versions->write[version.ix];
    const uint32_t txn = version_txn(g->versions, version);
    const size_t count = g->edges.count;
    if (i->done[key] == i->rounds || !i->ranges->placed[key] ||
        is_between(rank[version.ix], read) == is_between(rank[version.ix - 1], read))
        return;
    i->done[key] = i->rounds;
    if (i->ranges->versions->snapshots->place[txn].ix < read->before.ix)
        add(g, txn, read->txn, ESSE_DEP_WRP, key, write, (key_access_id){ ESSE_NO_KEY_ACCESS });
    else
        add(g, read->txn, txn, ESSE_DEP_RWP, key, (key_access_id){ ESSE_NO_KEY_ACCESS }, write);
    if (g->edges.count > count)
        g->edges.at[count].predicate = read->op;
}

static void skip_own(struct installed *i, const struct dsg_range_read *read)
{
    const struct esse_history *history = i->gathering->versions->history;
    i->rounds++;
    struct esse_access_walk walk = { history, history->txn_op[read->txn], read->op };
    while (esse_access_next(&walk))
        if (walk.access.kind != ESSE_OP_READ)
            i->done[walk.access.key.ix] = i->rounds;
}

static void add_range_read(struct installed *i, const struct dsg_range_read *read)
{
    uint32_t low = 0, high = i->count;
    ESSE_BISECT(low, high, middle, i->at[middle].key < read->before.ix);
    skip_own(i, read);
    for (uint32_t at = low, steps = 0; at-- > 0 && steps < i->steps; steps++)
        add_change(i, read, (version_id){ i->at[at].id });
    skip_own(i, read);
    for (uint32_t at = low, steps = 0; at < i->count && steps < i->steps; at++, steps++)
        add_change(i, read, (version_id){ i->at[at].id });
}

static uint32_t count_reads(const struct dsg_ranges *ranges, const struct dsg_component *component)
{
    uint32_t reads = 0;
    for (uint32_t m = 0; m < component->count; m++)
        reads += ranges->read_first[component->members[m] + 1] -
                 ranges->read_first[component->members[m]];
    return reads;
}

/* All of them, or, where that would be too many to look at, those near each operation. */
static void add_ranges(struct gathering *g, const struct dsg_component *component,
                       struct dsg_components *components, uint32_t *done, uint32_t *rounds)
{
    enum { MANY = 1 << 26, LEAST = 64 };
    const struct dsg_ranges *ranges = g->versions->ranges;
    struct installed i = { .gathering = g, .ranges = ranges, .done = done, .rounds = *rounds };
    const uint32_t reads = count_reads(ranges, component);
    for (uint32_t m = 0; m < component->count; m++)
        i.count += ranges->installed_first[component->members[m] + 1] -
                   ranges->installed_first[component->members[m]];
    i.at = esse_arena_array(g->arena, i.count + (size_t)1, *i.at);
    i.count = 0;
    for (uint32_t m = 0; m < component->count; m++) {
        const uint32_t txn = component->members[m], *first = &ranges->installed_first[txn];
        for (uint32_t v = first[0]; v < first[1]; v++)
            i.at[i.count++] = (struct esse_pair){ ranges->versions->snapshots->place[txn].ix,
                                                  ranges->installed[v].ix };
    }
    esse_radix_sort(i.at, i.count, g->arena);
    i.steps = UINT32_MAX;
    if (!components->whole && (uint64_t)reads * i.count > MANY) {
        i.steps = MANY / reads > LEAST ? MANY / reads : LEAST;
        components->is_cut = true;
    }
    for (uint32_t m = 0; m < component->count; m++)
        for (uint32_t r = ranges->read_first[component->members[m]];
             r < ranges->read_first[component->members[m] + 1]; r++)
            if (r == 0 || ranges->reads[r - 1].op != ranges->reads[r].op)
                add_range_read(&i, &ranges->reads[r]);
    *rounds = i.rounds;
    esse_arena_drop(g->arena, i.at);
}

static void add_all_ranges(struct gathering *g, struct dsg_components *components)
{
    const struct versions *versions = g->versions;
    uint32_t rounds = 0;
    if (!versions->ranges || !versions->ranges->count)
        return;
    uint32_t *done = esse_arena_alloc(g->arena, versions->history->keys + 1u, sizeof *done);
    for (uint32_t c = 0; c < components->count; c++)
        add_ranges(g, &components->at[c], components, done, &rounds);
}

/* ---- session order ---- */

static void add_sessions(struct gathering *g, const struct dsg_component *component, uint32_t *last)
{
    const struct esse_history *history = g->versions->history;
    for (uint32_t m = 0; m < component->count; m++) {
        uint32_t txn = component->members[m], session = history->txn_session[txn];
        add(g, last[session], txn, ESSE_DEP_PROCESS, 0, (key_access_id){ ESSE_NO_KEY_ACCESS },
            (key_access_id){ ESSE_NO_KEY_ACCESS });
        last[session] = txn;
    }
    for (uint32_t m = 0; m < component->count; m++)
        last[history->txn_session[component->members[m]]] = ESSE_NO_TXN;
}

/* ---- real time, by the frontier: those that ended and that no later one covers yet ---- */

struct frontier {
    struct gathering *gathering;
    uint32_t *open;
    uint32_t count;
};

static void start_txn(struct frontier *f, uint32_t txn)
{
    for (uint32_t i = 0; i < f->count; i++)
        add(f->gathering, f->open[i], txn, ESSE_DEP_REALTIME, 0,
            (key_access_id){ ESSE_NO_KEY_ACCESS }, (key_access_id){ ESSE_NO_KEY_ACCESS });
}

/* What ended before 'txn' started is covered by it from now on. */
static void end_txn(struct frontier *f, uint32_t txn)
{
    esse_guard_poll();
    const struct esse_history *history = f->gathering->versions->history;
    int64_t start = history->txn_time[txn].begin;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < f->count; i++)
        if (start == ESSE_NO_TIME || history->txn_time[f->open[i]].end >= start)
            f->open[kept++] = f->open[i];
    f->open[kept++] = txn;
    f->count = kept;
}

static void add_times(struct gathering *g, const struct dsg_component *component)
{
    const struct esse_history *history = g->versions->history;
    struct frontier f = { .gathering = g };
    if (!history->txn_time)
        return;
    struct esse_pair *events =
        esse_arena_array(g->arena, 2 * (size_t)component->count + 1, *events);
    size_t count = 0;
    f.open = esse_arena_array(g->arena, component->count + (size_t)1, *f.open);
    /* Starts before ends: the sort is stable, and at equal times the start comes first. */
    for (int ends = 0; ends < 2; ends++) {
        for (uint32_t m = 0; m < component->count; m++) {
            uint32_t txn = component->members[m];
            int64_t time =
                ends ? esse_txn_committed_by(history, txn) : history->txn_time[txn].begin;
            if (time != ESSE_NO_TIME)
                events[count++] =
                    (struct esse_pair){ esse_radix_key(time), m << 1 | (uint32_t)ends };
        }
    }
    esse_radix_sort(events, count, g->arena);
    for (size_t i = 0; i < count; i++) {
        uint32_t txn = component->members[events[i].id >> 1];
        if (events[i].id & 1)
            end_txn(&f, txn);
        else
            start_txn(&f, txn);
    }
    esse_arena_drop(g->arena, f.open);
    esse_arena_drop(g->arena, events);
}

/* ---- grouping ---- */

/* Lays out the members of the components of two and more, and opens these. */
static void lay_out(struct gathering *g, const struct esse_scc *scc,
                    struct dsg_components *components)
{
    const uint32_t txns = g->versions->history->txns;
    uint32_t *first = esse_arena_alloc(g->arena, scc->count + 2u, sizeof *first);
    for (uint32_t t = 0; t < txns; t++)
        first[scc->component[t] + 2]++;
    for (uint32_t c = 0; c < scc->count; c++) {
        uint32_t size = first[c + 2] > 1 ? first[c + 2] : 0;
        components->count += size > 0;
        first[c + 2] = first[c + 1] + size;
    }
    g->member_count = first[scc->count + 1];
    g->members = esse_arena_alloc(g->arena, g->member_count + 1u, sizeof *g->members);
    components->at = esse_arena_alloc(g->arena, components->count + 1u, sizeof *components->at);
    uint32_t opened = 0;
    for (uint32_t c = 0; c < scc->count; c++)
        if (first[c + 2] > first[c + 1])
            components->at[opened++] = (struct dsg_component){
                .versions = g->versions,
                .members = g->members + first[c + 1],
                .count = first[c + 2] - first[c + 1],
            };
    assert(opened == components->count);
    uint32_t *used = esse_arena_alloc(g->arena, scc->count + 1u, sizeof *used);
    for (uint32_t t = 0; t < txns; t++) {
        uint32_t c = scc->component[t];
        if (first[c + 1] == first[c + 2])
            continue;
        g->place[t] = first[c + 1] + used[c]++;
        g->members[g->place[t]] = t;
    }
}

/* Groups all edges by where they leave, and turns places into members' numbers. */
static void group(struct gathering *g, struct dsg_components *components)
{
    struct dsg_edge *edges = esse_arena_array(g->arena, g->edges.count + 1, *edges);
    uint32_t *first = esse_arena_alloc(g->arena, g->member_count + 2u, sizeof *first);
    for (size_t i = 0; i < g->edges.count; i++)
        first[g->edges.at[i].from + 2]++;
    for (uint32_t m = 0; m < g->member_count; m++)
        first[m + 2] += first[m + 1];
    for (size_t i = 0; i < g->edges.count; i++) {
        esse_guard_poll();
        edges[first[g->edges.at[i].from + 1]++] = g->edges.at[i];
    }
    assert(first[g->member_count] == g->edges.count);
    for (uint32_t c = 0; c < components->count; c++) {
        struct dsg_component *component = &components->at[c];
        uint32_t base = (uint32_t)(component->members - g->members);
        component->edges = edges;
        component->first = first + base;
        for (uint32_t e = first[base]; e < first[base + component->count]; e++) {
            edges[e].from -= base;
            edges[e].to -= base;
        }
    }
}

void dsg_components_find(struct dsg_components *components, struct esse_arena *arena,
                         const struct versions *versions, const struct esse_scc *scc, bool whole)
{
    const struct esse_history *history = versions->history;
    struct gathering g = { .arena = arena, .versions = versions, .component = scc->component };
    *components = (struct dsg_components){ .whole = whole };
    g.place = esse_arena_none(arena, history->txns + (size_t)1, *g.place);
    lay_out(&g, scc, components);
    limit_unordered(&g, components);
    for (uint32_t key = 0; components->count && key < history->keys; key++)
        add_key(&g, key);
    add_predicates(&g);
    add_all_ranges(&g, components);
    uint32_t *last = esse_arena_none(arena, history->sessions + 1u, *last);
    for (uint32_t c = 0; c < components->count; c++) {
        add_sessions(&g, &components->at[c], last);
        add_times(&g, &components->at[c]);
    }
    group(&g, components);
    dsg_edge_vec_drop(&g.edges, arena);
    esse_arena_drop(arena, g.place);
}
