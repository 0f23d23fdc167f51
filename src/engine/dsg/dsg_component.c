#include "engine/dsg/dsg_component.h"

#include "base/radix.h"

#include <string.h>

struct gathering {
    struct dsg_component *component;
    struct dsg_edge_vec edges;
};

static void add(struct gathering *g, uint32_t from, uint32_t to, enum dsg_dep dep, uint32_t key,
                uint32_t from_op, uint32_t to_op)
{
    const struct dsg_component *component = g->component;
    if (from == ESSE_NO_TXN || to == ESSE_NO_TXN || from == to)
        return;
    uint32_t a = component->number[from], b = component->number[to];
    if (a == NO_NODE || b == NO_NODE)
        return;
    struct dsg_edge edge = { a, b, key, from_op, to_op, (uint8_t)dep };
    dsg_edge_vec_push(&g->edges, component->arena, edge);
}

/* From 'txn' to whoever installed what comes after 'version': one version, or all loose ones. */
static void add_after(struct gathering *g, uint32_t txn, uint32_t op, uint32_t version,
                      enum dsg_dep dep)
{
    const struct dsg_versions *versions = g->component->versions;
    uint32_t key = versions->history->op_key[op];
    if (dsg_is_loose(versions, key, version))
        return;
    if (version + 1 < versions->loose[key])
        add(g, txn, versions->txn[version + 1], dep, key, op, versions->op[version + 1]);
    for (uint32_t v = versions->loose[key];
         dsg_precedes_loose(versions, key, version) && v < versions->first[key + 1]; v++)
        add(g, txn, versions->txn[v], dep, key, op, versions->op[v]);
}

static void add_data(struct gathering *g, uint32_t txn)
{
    const struct dsg_versions *versions = g->component->versions;
    const struct esse_history *history = versions->history;
    for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++) {
        uint32_t version = versions->op_version[op];
        if (version == NO_VERSION)
            continue;
        if (history->op_kind[op] != ESSE_OP_READ) {
            add_after(g, txn, op, version, DSG_WW);
        } else if (versions->txn[version] != txn) {
            add(g, versions->txn[version], txn, DSG_WR, history->op_key[op], versions->op[version],
                op);
            add_after(g, txn, op, version, DSG_RW);
        }
    }
}

static void add_sessions(struct gathering *g)
{
    const struct dsg_component *component = g->component;
    const struct esse_history *history = component->versions->history;
    uint32_t *last = esse_arena_alloc(component->arena, history->sessions + 1u, sizeof *last);
    memset(last, 0xff, (history->sessions + 1u) * sizeof *last);
    for (uint32_t m = 0; m < component->count; m++) {
        uint32_t txn = component->members[m], session = history->txn_session[txn];
        add(g, last[session], txn, DSG_SO, 0, ESSE_NO_OP, ESSE_NO_OP);
        last[session] = txn;
    }
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
        add(f->gathering, f->open[i], txn, DSG_RT, 0, ESSE_NO_OP, ESSE_NO_OP);
}

/* Whoever ended before 'txn' started is covered by it from now on. */
static void end_txn(struct frontier *f, uint32_t txn)
{
    const struct esse_history *history = f->gathering->component->versions->history;
    int64_t start = history->txn_time[txn].begin;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < f->count; i++)
        if (start == ESSE_NO_TIME || history->txn_time[f->open[i]].end >= start)
            f->open[kept++] = f->open[i];
    f->open[kept++] = txn;
    f->count = kept;
}

static void add_times(struct gathering *g)
{
    const struct dsg_component *component = g->component;
    const struct esse_history *history = component->versions->history;
    struct frontier f = { .gathering = g };
    if (!history->txn_time)
        return;
    struct esse_pair *events =
        esse_arena_alloc(component->arena, 2 * (size_t)component->count, sizeof *events);
    size_t count = 0;
    f.open = esse_arena_alloc(component->arena, component->count + 1u, sizeof *f.open);
    /* Starts before ends: the sort is stable, and at equal times the start comes first. */
    for (int ends = 0; ends < 2; ends++) {
        for (uint32_t m = 0; m < component->count; m++) {
            uint32_t txn = component->members[m];
            int64_t time = ends ? history->txn_time[txn].end : history->txn_time[txn].begin;
            if (time != ESSE_NO_TIME && (!ends || history->txn_status[txn] == ESSE_COMMITTED))
                events[count++] =
                    (struct esse_pair){ esse_radix_key(time), m << 1 | (uint32_t)ends };
        }
    }
    esse_radix_sort(events, count, component->arena);
    for (size_t i = 0; i < count; i++) {
        uint32_t txn = component->members[events[i].id >> 1];
        if (events[i].id & 1)
            end_txn(&f, txn);
        else
            start_txn(&f, txn);
    }
}

/* ---- grouping ---- */

static void group(struct dsg_component *component, const struct dsg_edge_vec *edges)
{
    component->edge_count = (uint32_t)edges->count;
    component->edges =
        esse_arena_alloc(component->arena, edges->count + 1, sizeof *component->edges);
    component->first =
        esse_arena_alloc(component->arena, component->count + 2u, sizeof *component->first);
    for (size_t i = 0; i < edges->count; i++)
        component->first[edges->at[i].from + 2]++;
    for (uint32_t m = 2; m < component->count + 2; m++)
        component->first[m] += component->first[m - 1];
    for (size_t i = 0; i < edges->count; i++)
        component->edges[component->first[edges->at[i].from + 1]++] = edges->at[i];
}

void dsg_component_open(struct dsg_component *component, struct esse_arena *arena,
                        const struct dsg_versions *versions, const uint32_t *members,
                        uint32_t count, const uint32_t *number)
{
    *component = (struct dsg_component){
        .arena = arena, .versions = versions, .members = members, .count = count, .number = number
    };
    struct gathering g = { .component = component };
    for (uint32_t m = 0; m < count; m++)
        add_data(&g, members[m]);
    add_sessions(&g);
    add_times(&g);
    group(component, &g.edges);
    dsg_edge_vec_drop(&g.edges, arena);
}
