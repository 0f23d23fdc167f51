#include "engine/dsg/dsg_cyclic.h"

#include "history/show.h"

#include <string.h>

/* ---- the graph ---- */

static bool is_initial(const struct versions *versions, version_id version)
{
    return version.ix < versions->count && versions->write[version.ix].ix == ESSE_NO_KEY_ACCESS;
}

/* That the initial version comes first matters only where something leads back to it. */
static void draw(struct esse_csr *csr, const struct versions *versions,
                 const struct version_graph *graph)
{
    const struct version_edge_vec *edges = &graph->edges;
    esse_csr_init(csr, versions->arena, graph->nodes);
    for (size_t i = 0; i < edges->count; i++) {
        esse_csr_count(csr, edges->at[i].from.ix);
        if (is_initial(versions, edges->at[i].to))
            esse_csr_count(csr, edges->at[i].to.ix);
    }
    esse_csr_start(csr);
    for (size_t i = 0; i < edges->count; i++) {
        esse_csr_add(csr, edges->at[i].from.ix, edges->at[i].to.ix);
        if (is_initial(versions, edges->at[i].to))
            esse_csr_add(csr, edges->at[i].to.ix, edges->at[i].from.ix);
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
    version_id *before, *queue; /* by version: where the search came from */
    struct version_edge *at; /* the cycle; without accesses where the initial version comes first */
    uint32_t count;
};

/* Where the search of the component reaches 'goal' from 'start', the way is in 'before'. */
static void search(struct version_cycle *c, version_id start, version_id goal)
{
    uint32_t head = 0, tail = 0;
    memset(c->before, 0xff, (c->csr.nodes + (size_t)1) * sizeof *c->before);
    c->queue[tail++] = start;
    c->before[start.ix] = start;
    while (c->before[goal.ix].ix == NO_VERSION) {
        version_id version = c->queue[head++];
        for (uint32_t e = c->csr.first[version.ix]; e < c->csr.first[version.ix + 1]; e++) {
            version_id to = { c->csr.to[e] };
            if (c->scc.component[to.ix] != c->scc.component[start.ix] ||
                c->before[to.ix].ix != NO_VERSION)
                continue;
            c->before[to.ix] = version;
            c->queue[tail++] = to;
        }
    }
}

static struct version_edge find_edge(const struct version_cycle *c, version_id from, version_id to)
{
    for (size_t i = 0; i < c->edges->count; i++)
        if (c->edges->at[i].from.ix == from.ix && c->edges->at[i].to.ix == to.ix)
            return c->edges->at[i];
    return (struct version_edge){
        from, to, { ESSE_NO_KEY_ACCESS }, { ESSE_NO_KEY_ACCESS }, ESSE_BASIS_INITIAL_STATE
    };
}

/* The cycle through 'last', which closes it. */
static void close_cycle(struct version_cycle *c, const struct version_edge *last)
{
    search(c, last->to, last->from);
    c->count = 1;
    for (version_id v = last->from; v.ix != last->to.ix; v = c->before[v.ix])
        c->count++;
    uint32_t i = c->count;
    c->at[--i] = *last;
    for (version_id v = last->from; i > 0; v = c->before[v.ix])
        c->at[--i] = find_edge(c, c->before[v.ix], v);
    /* A read of the initial version led to it, and an access goes on from what comes next. */
    for (i = 0; i < c->count; i++) {
        struct version_edge *edge = &c->at[i];
        if (edge->from_at.ix != ESSE_NO_KEY_ACCESS)
            continue;
        edge->from_at = c->at[(i + c->count - 1) % c->count].to_at;
        edge->to_at = c->at[(i + 1) % c->count].from_at;
    }
}

/* ---- telling ---- */

static const char *tell_later(struct known *known, const struct version_edge *edge)
{
    switch (edge->basis) {
    case ESSE_BASIS_WFR_KEYS:
        return ", over what it had read";
    case ESSE_BASIS_SEQUENTIAL_KEYS:
        return ", later in the same session";
    case ESSE_BASIS_LINEARIZABLE_KEYS:
        return esse_arena_format(
            known->arena, ", having started, at %lld, after that had ended",
            (long long)known->history->txn_time[known_key_access(known, edge->to_at)->txn].begin);
    case ESSE_BASIS_INITIAL_STATE:
    case ESSE_BASIS_NONE:
    case ESSE_BASIS_END:
        break;
    }
    return ", which is not the initial state, and so comes after it";
}

/* "x = 1 → 2 → 1, by initial-state and wfr-keys" */
static const char *describe(struct known *known, const struct version_cycle *c, uint32_t key)
{
    struct esse_out out;
    unsigned told = 0;
    esse_out_init_memory(&out, known->arena);
    esse_show_f(
        &out, known->history,
        "versions of %k each of which comes before the next, and the last before the first: ",
        (esse_key){ key });
    for (uint32_t i = 0; i <= c->count; i++)
        esse_show_f(&out, known->history, "%s%v", i ? " → " : "",
                    known_key_access(known, c->at[i % c->count].from_at)->value);
    esse_out_text(&out, ", by ");
    for (uint32_t i = 0; i < c->count; i++) {
        const enum esse_basis basis = c->at[i].basis;
        if (!(told & 1u << basis))
            esse_out_f(&out, "%s%s", told ? " and " : "", esse_basis_name(basis));
        told |= 1u << basis;
    }
    return esse_out_memory(&out);
}

static void tell(struct known *known, const struct version_cycle *c)
{
    struct esse_step *steps = esse_arena_alloc(known->scratch, 2 * (size_t)c->count, sizeof *steps);
    for (uint32_t i = 0; i < c->count; i++) {
        steps[2 * i] = known_step(known, c->at[i].from_at, "");
        steps[2 * i].basis = c->at[i].basis;
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
    c->before = esse_arena_array(arena, room, *c->before);
    c->queue = esse_arena_array(arena, room, *c->queue);
    c->at = esse_arena_array(arena, room, *c->at);
    for (size_t i = 0; i < c->edges->count; i++) {
        const struct version_edge *edge = &c->edges->at[i];
        uint32_t component = c->scc.component[edge->from.ix];
        if (component != c->scc.component[edge->to.ix] || told[component]++)
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
