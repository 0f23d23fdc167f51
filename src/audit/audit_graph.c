#include "audit/audit_state.h"

#include "graph/topo.h"

#include <string.h>

/*
 * Versions first, the order from the graph.  A snapshot need not be a prefix of the order in which
 * transactions committed: PostgreSQL makes two commits visible in the other order now and then.  So
 * each transaction looks for the versions that explain it among those near its place, key by key if
 * no state does.  Then
 *
 *     the writer of a version      comes before   its readers, and the writer of the next one
 *     a reader of a version        comes before   the writer of the next one
 *     what had ended               comes before   what started afterwards (with real time)
 *
 * where under snapshot isolation a transaction is two nodes: its snapshot and its commit.
 */
enum { NEAR = 256, MOST_RUNS = 4000 };

struct graph {
    struct esse_arena *arena;
    struct audit_world *world;
    const struct audit_question *question;
    const struct audit_plan *plan;
    struct audit_answer *answer;
    struct audit_attempt attempt;
    bool is_snapshot; /* two nodes a transaction */
    uint32_t n;       /* transactions */
    struct audit_view *views;
    uint32_t *rank; /* by transaction: in the order of the guess */
    uint32_t *of_rank;
    uint32_t count;
    uint32_t *first_read; /* by rank */
    struct audit_read_vec reads;
    uint32_t *next_version, *first_version; /* of a version; of a key */
    struct esse_csr csr;
    bool is_counting;
};

/* ---- which versions ---- */

static struct audit_view keep_view(struct graph *g)
{
    struct audit_view view = g->attempt.view;
    struct audit_view kept = { .is_choice = view.is_choice, .state = view.state };
    audit_choice_vec_append(&kept.choices, g->arena, view.choices.at, view.choices.count);
    esse_u32_vec_append(&kept.candidates, g->arena, view.candidates.at, view.candidates.count);
    return kept;
}

static bool find_view(struct graph *g, uint32_t txn, uint32_t near)
{
    const uint32_t newest = audit_versions_newest(g->world->versions);
    struct audit_attempt *a = &g->attempt;
    a->txn = txn;
    a->views = AUDIT_VIEWS_KEYS;
    a->low = near > NEAR ? near - NEAR : 0;
    a->high = near + NEAR < newest ? near + NEAR : newest;
    g->answer->attempts++;
    if (!audit_attempt(a, 0))
        return false;
    g->views[txn] = keep_view(g);
    return true;
}

static void put_rank(struct graph *g, uint32_t txn)
{
    g->rank[txn] = g->count;
    g->of_rank[g->count++] = txn;
}

static bool find_versions(struct graph *g)
{
    const struct audit_plan *plan = g->plan;
    g->attempt.conflicts = g->is_snapshot ? AUDIT_CONFLICTS_VERSIONS : AUDIT_CONFLICTS_NONE;
    for (uint32_t i = 0; i < plan->required; i++) {
        if (!esse_budget_poll(g->question->budget, i) ||
            !find_view(g, plan->writers[i], audit_versions_newest(g->world->versions)))
            return false;
        audit_versions_push(g->world->versions, esse_exec_overlay(g->world->exec),
                            plan->writers[i]);
    }
    g->attempt.conflicts = AUDIT_CONFLICTS_NONE;
    for (uint32_t i = 0; i < plan->reader_count; i++)
        if (!esse_budget_poll(g->question->budget, i) ||
            !find_view(g, plan->readers[i], plan->due[i]))
            return false;
    for (uint32_t i = 0, reader = 0; i <= plan->required; i++) {
        while (reader < plan->reader_count && plan->due[reader] == i)
            put_rank(g, plan->readers[reader++]);
        if (i < plan->required)
            put_rank(g, plan->writers[i]);
    }
    return g->count == plan->required + plan->reader_count;
}

/* What each transaction read, now that all versions are there: also that a key was absent. */
static bool list_reads(struct graph *g)
{
    struct audit_versions *versions = g->world->versions;
    uint32_t place = 0;
    for (uint32_t rank = 0; rank < g->count; rank++) {
        const uint32_t txn = g->of_rank[rank];
        const bool writes = g->world->facts[txn].changes;
        const uint32_t before = place;
        place += writes;
        g->attempt.txn = txn;
        g->first_read[rank] = (uint32_t)g->reads.count;
        audit_versions_record(versions, &g->reads, g->arena);
        const bool ok = audit_attempt_again(&g->attempt, &g->views[txn],
                                            writes ? before : audit_versions_newest(versions));
        audit_versions_record(versions, NULL, NULL);
        if (!ok)
            return false;
    }
    g->first_read[g->count] = (uint32_t)g->reads.count;
    return true;
}

static void link_versions(struct graph *g)
{
    const struct audit_version_vec *all = audit_versions_all(g->world->versions);
    g->next_version = esse_arena_none(g->arena, all->count + 1, *g->next_version);
    g->first_version =
        esse_arena_none(g->arena, audit_versions_keys(g->world->versions) + 1, *g->first_version);
    for (uint32_t v = 0; v < all->count; v++) {
        const struct audit_version *version = &all->at[v];
        if (version->before == AUDIT_NONE)
            g->first_version[version->key] = v;
        else
            g->next_version[version->before] = v;
    }
}

/* ---- the graph ---- */

static uint32_t snapshot_node(const struct graph *g, uint32_t txn)
{
    return g->is_snapshot ? 2 * g->rank[txn] : g->rank[txn];
}

static uint32_t commit_node(const struct graph *g, uint32_t txn)
{
    return g->is_snapshot ? 2 * g->rank[txn] + 1 : g->rank[txn];
}

static void edge(struct graph *g, uint32_t from, uint32_t to)
{
    if (from == to)
        return;
    if (g->is_counting)
        esse_csr_count(&g->csr, from);
    else
        esse_csr_add(&g->csr, from, to);
}

static void edges_of_read(struct graph *g, uint32_t txn, struct audit_read read)
{
    const struct audit_version_vec *all = audit_versions_all(g->world->versions);
    const uint32_t next =
        read.version == AUDIT_NONE ? g->first_version[read.key] : g->next_version[read.version];
    if (read.version != AUDIT_NONE && all->at[read.version].writer != AUDIT_NONE &&
        all->at[read.version].writer != txn)
        edge(g, commit_node(g, all->at[read.version].writer), snapshot_node(g, txn));
    if (next != AUDIT_NONE && all->at[next].writer != txn && all->at[next].writer != AUDIT_NONE)
        edge(g, snapshot_node(g, txn), commit_node(g, all->at[next].writer));
}

static void edges_of_versions(struct graph *g)
{
    const struct audit_version_vec *all = audit_versions_all(g->world->versions);
    for (uint32_t v = 0; v < all->count; v++) {
        const uint32_t next = g->next_version[v];
        if (next != AUDIT_NONE && all->at[v].writer != AUDIT_NONE)
            edge(g, commit_node(g, all->at[v].writer), snapshot_node(g, all->at[next].writer));
    }
}

/* A node for each end, in their order; what starts later comes after the last one before it. */
static void edges_of_time(struct graph *g, uint32_t first)
{
    const struct audit_plan *plan = g->plan;
    for (uint32_t i = 0; i < plan->end_count; i++) {
        edge(g, commit_node(g, plan->ends[i]), first + i);
        if (i)
            edge(g, first + i - 1, first + i);
    }
    for (uint32_t rank = 0; rank < g->count; rank++) {
        const uint32_t txn = g->of_rank[rank];
        uint32_t low = 0, high = plan->end_count; /* how many had ended before it started */
        while (low < high) {
            const uint32_t middle = (low + high) / 2;
            if (audit_end_of(g->world, plan->ends[middle]) < audit_start_of(g->world, txn))
                low = middle + 1;
            else
                high = middle;
        }
        if (low)
            edge(g, first + low - 1, snapshot_node(g, txn));
    }
}

static void all_edges(struct graph *g)
{
    for (uint32_t rank = 0; rank < g->count; rank++) {
        if (g->is_snapshot)
            edge(g, 2 * rank, 2 * rank + 1);
        for (uint32_t i = g->first_read[rank]; i < g->first_read[rank + 1]; i++)
            edges_of_read(g, g->of_rank[rank], g->reads.at[i]);
    }
    edges_of_versions(g);
    if (g->plan->has_real_time)
        edges_of_time(g, g->is_snapshot ? 2 * g->count : g->count);
}

/* False if it has a cycle. */
static bool sort(struct graph *g, uint32_t **order, uint32_t *nodes)
{
    *nodes =
        (g->is_snapshot ? 2 : 1) * g->count + (g->plan->has_real_time ? g->plan->end_count : 0);
    esse_csr_init(&g->csr, g->arena, *nodes);
    g->is_counting = true;
    all_edges(g);
    esse_csr_start(&g->csr);
    g->is_counting = false;
    all_edges(g);
    esse_csr_finish(&g->csr);
    *order = esse_arena_alloc(g->arena, *nodes + 1, sizeof **order);
    return esse_topo_order(&g->csr, *order, g->arena, g->question->budget) == *nodes;
}

/* ---- the proof ---- */

static bool replay_at(struct graph *g, uint32_t txn, uint32_t state)
{
    struct audit_attempt *a = &g->attempt;
    a->txn = txn;
    a->views = AUDIT_VIEWS_ONE;
    a->low = a->high = state;
    a->conflicts = g->is_snapshot ? AUDIT_CONFLICTS_VERSIONS : AUDIT_CONFLICTS_NONE;
    g->answer->attempts++;
    return audit_attempt(a, 0);
}

static bool replay(struct graph *g, const uint32_t *order, uint32_t nodes)
{
    struct audit_versions *versions = g->world->versions;
    uint32_t *states = esse_arena_alloc(g->arena, g->count + 1, sizeof *states);
    const uint32_t own = (g->is_snapshot ? 2 : 1) * g->count;
    g->answer->places = esse_arena_alloc(g->arena, g->count + 1, sizeof *g->answer->places);
    for (uint32_t i = 0; i < nodes; i++) {
        if (order[i] >= own)
            continue;
        const uint32_t rank = g->is_snapshot ? order[i] / 2 : order[i];
        const uint32_t txn = g->of_rank[rank];
        if (!g->is_snapshot || order[i] % 2 == 0)
            states[rank] = audit_versions_newest(versions);
        if (g->is_snapshot && order[i] % 2 == 0)
            continue;
        if (!esse_budget_poll(g->question->budget, i) || !replay_at(g, txn, states[rank]))
            return false;
        struct audit_place *place = &g->answer->places[g->answer->place_count++];
        *place = (struct audit_place){ txn, 0, states[rank] };
        if (!g->world->facts[txn].changes)
            continue;
        audit_versions_push(versions, esse_exec_overlay(g->world->exec), txn);
        place->place = audit_versions_newest(versions);
    }
    return true;
}

/* Does the order agree with real time, and every snapshot?  By itself, from what was replayed. */
static bool agrees_with_time(const struct graph *g)
{
    const struct audit_answer *answer = g->answer;
    const struct audit_plan *plan = g->plan;
    uint32_t *at = esse_arena_alloc(g->arena, g->n + 1, sizeof *at);
    uint32_t *latest = esse_arena_alloc(g->arena, plan->end_count + 1, sizeof *latest),
             *newest = esse_arena_alloc(g->arena, plan->end_count + 1, sizeof *newest);
    uint32_t *place = esse_arena_alloc(g->arena, g->n + 1, sizeof *place);
    for (uint32_t i = 0; i < answer->place_count; i++) {
        at[answer->places[i].txn] = i;
        place[answer->places[i].txn] =
            answer->places[i].place ? answer->places[i].place : answer->places[i].state;
    }
    for (uint32_t i = 0; i < plan->end_count; i++) {
        const uint32_t txn = plan->ends[i];
        latest[i + 1] = at[txn] > latest[i] ? at[txn] : latest[i];
        newest[i + 1] = place[txn] > newest[i] ? place[txn] : newest[i];
    }
    for (uint32_t i = 0; i < answer->place_count; i++) {
        const uint32_t txn = answer->places[i].txn;
        uint32_t ended = 0;
        for (uint32_t low = 0, high = plan->end_count; low < high; ended = low) {
            const uint32_t middle = (low + high) / 2;
            if (audit_end_of(g->world, plan->ends[middle]) < audit_start_of(g->world, txn))
                low = middle + 1;
            else
                high = middle;
        }
        if (ended && (latest[ended] >= i || newest[ended] > answer->places[i].state))
            return false;
    }
    return true;
}

static void take_back(struct graph *g)
{
    while (audit_versions_newest(g->world->versions))
        audit_versions_pop(g->world->versions);
    audit_world_back(g->world, 0);
}

bool audit_graph_holds(struct esse_arena *arena, struct audit_world *world,
                       const struct audit_question *question, const struct audit_plan *plan,
                       struct audit_answer *answer)
{
    struct graph g = { .arena = esse_arena_new(),
                       .world = world,
                       .question = question,
                       .plan = plan,
                       .answer = answer,
                       .n = (uint32_t)world->log->txns.count };
    uint32_t *order, nodes;
    for (uint32_t txn = 0; txn < g.n; txn++)
        if (world->facts[txn].is_schema) {
            esse_arena_free(g.arena);
            return false; /* tables that come and go are no versions */
        }
    g.is_snapshot = question->level == AUDIT_SNAPSHOT_ISOLATION ||
                    question->level == AUDIT_STRONG_SNAPSHOT_ISOLATION;
    g.views = esse_arena_alloc(g.arena, g.n + 1, sizeof *g.views);
    g.rank = esse_arena_alloc(g.arena, g.n + 1, sizeof *g.rank);
    g.of_rank = esse_arena_alloc(g.arena, g.n + 1, sizeof *g.of_rank);
    g.first_read = esse_arena_alloc(g.arena, g.n + 2, sizeof *g.first_read);
    g.attempt = (struct audit_attempt){ .world = world,
                                        .positions = plan->positions,
                                        .most_runs = MOST_RUNS,
                                        .budget = question->budget,
                                        .arena = esse_arena_new() };
    bool ok = find_versions(&g) && list_reads(&g);
    if (ok) {
        link_versions(&g);
        ok = sort(&g, &order, &nodes);
    }
    take_back(&g);
    ok = ok && replay(&g, order, nodes) && (!plan->has_real_time || agrees_with_time(&g));
    take_back(&g);
    if (ok) {
        struct audit_place *places =
            esse_arena_alloc(arena, answer->place_count + 1, sizeof *places);
        memcpy(places, answer->places, answer->place_count * sizeof *places);
        answer->places = places;
    } else {
        answer->places = NULL;
        answer->place_count = 0;
    }
    esse_arena_free(g.attempt.arena);
    esse_arena_free(g.arena);
    return ok;
}
