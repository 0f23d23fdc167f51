#include "engine/dsg/dsg_cyclic.h"

#include "evidence/assumption.h"
#include "history/show.h"

#include <string.h>

/* ---- the graph ---- */

static bool is_initial(const struct versions *versions, uint32_t version)
{
    return version < versions->count && versions->write[version] == ESSE_NO_TOUCH;
}

/* That the initial version comes first matters only where something leads back to it. */
static void draw(struct esse_csr *csr, const struct versions *versions,
                 const struct version_graph *graph)
{
    const struct version_edge_vec *edges = &graph->edges;
    esse_csr_init(csr, versions->arena, graph->nodes);
    for (size_t i = 0; i < edges->count; i++) {
        esse_csr_count(csr, edges->at[i].from);
        if (is_initial(versions, edges->at[i].to))
            esse_csr_count(csr, edges->at[i].to);
    }
    esse_csr_start(csr);
    for (size_t i = 0; i < edges->count; i++) {
        esse_csr_add(csr, edges->at[i].from, edges->at[i].to);
        if (is_initial(versions, edges->at[i].to))
            esse_csr_add(csr, edges->at[i].to, edges->at[i].from);
    }
    esse_csr_finish(csr);
}

void dsg_version_components(struct esse_scc *scc, struct esse_arena *arena,
                            const struct versions *versions, const struct version_graph *graph)
{
    struct esse_csr csr;
    draw(&csr, versions, graph);
    esse_scc_find(scc, arena, &csr, NULL);
    esse_csr_drop(&csr);
}

/* ---- a cycle ---- */

struct version_cycle {
    const struct version_edge_vec *edges;
    struct esse_csr csr;
    struct esse_scc scc;
    uint32_t *before, *queue; /* by version: where the search came from */
    struct version_edge *at; /* the cycle; without accesses where the initial version comes first */
    uint32_t count;
};

/* Where the search of the component reaches 'goal' from 'start', the way is in 'before'. */
static void search(struct version_cycle *c, uint32_t start, uint32_t goal)
{
    uint32_t head = 0, tail = 0;
    memset(c->before, 0xff, (c->csr.nodes + (size_t)1) * sizeof *c->before);
    c->queue[tail++] = start;
    c->before[start] = start;
    while (c->before[goal] == NO_VERSION) {
        uint32_t version = c->queue[head++];
        for (uint32_t e = c->csr.first[version]; e < c->csr.first[version + 1]; e++) {
            uint32_t to = c->csr.to[e];
            if (c->scc.component[to] != c->scc.component[start] || c->before[to] != NO_VERSION)
                continue;
            c->before[to] = version;
            c->queue[tail++] = to;
        }
    }
}

static struct version_edge find_edge(const struct version_cycle *c, uint32_t from, uint32_t to)
{
    for (size_t i = 0; i < c->edges->count; i++)
        if (c->edges->at[i].from == from && c->edges->at[i].to == to)
            return c->edges->at[i];
    return (struct version_edge){ from, to, ESSE_NO_TOUCH, ESSE_NO_TOUCH, 0 };
}

/* The cycle through 'last', which closes it. */
static void close_cycle(struct version_cycle *c, const struct version_edge *last)
{
    search(c, last->to, last->from);
    c->count = 1;
    for (uint32_t v = last->from; v != last->to; v = c->before[v])
        c->count++;
    uint32_t i = c->count;
    c->at[--i] = *last;
    for (uint32_t v = last->from; i > 0; v = c->before[v])
        c->at[--i] = find_edge(c, c->before[v], v);
    /* A read of the initial version led to it, and an access goes on from what comes next. */
    for (i = 0; i < c->count; i++) {
        struct version_edge *edge = &c->at[i];
        if (edge->from_at != ESSE_NO_TOUCH)
            continue;
        edge->from_at = c->at[(i + c->count - 1) % c->count].to_at;
        edge->to_at = c->at[(i + 1) % c->count].from_at;
    }
}

/* ---- telling ---- */

static const char *basis_name(const struct version_edge *edge)
{
    return edge->basis ? esse_assumption_get(edge->basis)->name : ESSE_INITIAL_STATE;
}

static const char *tell_later(struct known *known, const struct version_edge *edge)
{
    switch (edge->basis) {
    case ESSE_ASSUME_WFR_KEYS:
        return ", over what it had read";
    case ESSE_ASSUME_SEQUENTIAL_KEYS:
        return ", later in the same session";
    case ESSE_ASSUME_LINEARIZABLE_KEYS:
        return esse_arena_format(
            known->arena, ", having started, at %lld, after that had ended",
            (long long)known->history->txn_time[known_touch(known, edge->to_at)->txn].begin);
    }
    return ", which is not the initial state, and so comes after it";
}

/* "x = 1 → 2 → 1, by initial-state and wfr-keys" */
static const char *describe(struct known *known, const struct version_cycle *c, uint32_t key)
{
    struct esse_out out;
    unsigned told = 0;
    esse_out_init_memory(&out, known->arena);
    esse_out_text(&out, "versions of ");
    esse_show_key(&out, known->history, (esse_key){ key });
    esse_out_text(&out, " each of which comes before the next, and the last before the first: ");
    for (uint32_t i = 0; i <= c->count; i++) {
        esse_out_text(&out, i ? " → " : "");
        esse_show_value(&out, known->history,
                        known_touch(known, c->at[i % c->count].from_at)->value);
    }
    esse_out_text(&out, ", by ");
    for (uint32_t i = 0; i < c->count; i++) {
        unsigned bit = c->at[i].basis ? c->at[i].basis : 1u << 31;
        if (!(told & bit))
            esse_out_f(&out, "%s%s", told ? " and " : "", basis_name(&c->at[i]));
        told |= bit;
    }
    return esse_out_memory(&out);
}

static void tell(struct known *known, const struct version_cycle *c)
{
    struct esse_step *steps = esse_arena_alloc(known->scratch, 2 * (size_t)c->count, sizeof *steps);
    for (uint32_t i = 0; i < c->count; i++) {
        steps[2 * i] = known_step(known, c->at[i].from_at, "");
        steps[2 * i].basis = basis_name(&c->at[i]);
        steps[2 * i + 1] = known_step(known, c->at[i].to_at, tell_later(known, &c->at[i]));
    }
    uint32_t key = known->history->op_key[steps[0].op.ix];
    known_tell(known, ESSE_ANOMALY_CYCLIC_VERSIONS, (esse_key){ key }, describe(known, c, key),
               steps, 2 * c->count);
}

static void tell_components(struct version_cycle *c, struct known *known, struct esse_arena *arena)
{
    const size_t room = c->csr.nodes + (size_t)1;
    uint8_t *told = esse_arena_alloc(arena, c->scc.count + (size_t)1, 1);
    c->before = esse_arena_grow(arena, NULL, room * sizeof *c->before);
    c->queue = esse_arena_grow(arena, NULL, room * sizeof *c->queue);
    c->at = esse_arena_grow(arena, NULL, room * sizeof *c->at);
    for (size_t i = 0; i < c->edges->count; i++) {
        const struct version_edge *edge = &c->edges->at[i];
        uint32_t component = c->scc.component[edge->from];
        if (component != c->scc.component[edge->to] || told[component]++)
            continue;
        if (!known_count(known, ESSE_ANOMALY_CYCLIC_VERSIONS))
            continue;
        close_cycle(c, edge);
        tell(known, c);
    }
}

bool dsg_tell_cyclic(const struct versions *versions, struct known *known,
                     const struct version_graph *graph)
{
    struct version_cycle c = { .edges = &graph->edges };
    draw(&c.csr, versions, graph);
    esse_scc_find(&c.scc, versions->arena, &c.csr, NULL);
    bool cyclic = c.scc.count < c.csr.nodes;
    if (cyclic) {
        struct esse_arena *arena = esse_arena_new();
        tell_components(&c, known, arena);
        esse_arena_free(arena);
    }
    esse_arena_drop(versions->arena, c.scc.component);
    esse_csr_drop(&c.csr);
    return cyclic;
}
