#include "graph/reach.h"
#include "graph/topo.h"
#include "test.h"

/* A row of bits has words of 64: only large graphs have rows that begin after the first word. */
enum { SMALL = 40, NODES = 220, ROOM = 1 << 30 };

/* A graph without cycles, its closure in a matrix, and the tables that are to agree with it. */
struct world {
    struct esse_arena *arena;
    struct esse_rng *rng;
    struct esse_csr csr;
    uint32_t nodes, order[NODES];
    uint32_t rank[NODES]; /* a hidden order: edges lead from lower to higher ranks */
    bool edges[NODES][NODES], leads[NODES][NODES];
    uint32_t chain[NODES], chains;
    uint32_t backbone, length, asked;
};

static bool is_asked(const struct world *w, uint32_t node, bool by_chain)
{
    return by_chain ? w->chain[node] != ESSE_REACH_NONE
                    : node < w->asked || node - w->backbone < w->length;
}

static void close_leads(struct world *w)
{
    memcpy(w->leads, w->edges, sizeof w->leads);
    for (uint32_t a = 0; a < w->nodes; a++)
        w->leads[a][a] = true;
    for (uint32_t k = 0; k < w->nodes; k++)
        for (uint32_t a = 0; a < w->nodes; a++)
            for (uint32_t b = 0; w->leads[a][k] && b < w->nodes; b++)
                w->leads[a][b] |= w->leads[k][b];
}

static void build_csr(struct world *w)
{
    esse_csr_init(&w->csr, w->arena, w->nodes);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t a = 0; a < w->nodes; a++)
            for (uint32_t b = 0; b < w->nodes; b++)
                if (w->edges[a][b])
                    pass ? esse_csr_add(&w->csr, a, b) : esse_csr_count(&w->csr, a);
        pass ? esse_csr_finish(&w->csr) : esse_csr_start(&w->csr);
    }
    CHECK_EQ(esse_topo_order(&w->csr, w->order, w->arena, NULL), w->nodes);
}

static void add_known(struct world *w, uint32_t a, uint32_t b)
{
    if (w->rank[a] < w->rank[b])
        w->edges[a][b] = true;
}

/* Some nodes are dealt to chains in the hidden order. */
static void deal_chains(struct world *w)
{
    uint32_t last[NODES];
    memset(last, 0xff, sizeof last);
    w->chains = 1 + (uint32_t)esse_rng_below(w->rng, 6);
    for (uint32_t rank = 0; rank < w->nodes; rank++) {
        uint32_t node = 0;
        while (w->rank[node] != rank)
            node++;
        w->chain[node] = (uint32_t)esse_rng_below(w->rng, w->chains + 1);
        if (w->chain[node] == w->chains) {
            w->chain[node] = ESSE_REACH_NONE;
            continue;
        }
        if (last[w->chain[node]] != UINT32_MAX)
            w->edges[last[w->chain[node]]][node] = true;
        last[w->chain[node]] = node;
    }
}

/* The nodes of the backbone are neighbours, in the hidden order too. */
static void lay_backbone(struct world *w)
{
    w->length = 1 + (uint32_t)esse_rng_below(w->rng, w->nodes / 2);
    w->backbone = (uint32_t)esse_rng_below(w->rng, w->nodes - w->length + 1);
    uint32_t *ranks = &w->rank[w->backbone];
    for (uint32_t i = 1; i < w->length; i++)
        for (uint32_t j = i; j > 0 && ranks[j - 1] > ranks[j]; j--) {
            uint32_t held = ranks[j];
            ranks[j] = ranks[j - 1];
            ranks[j - 1] = held;
        }
    for (uint32_t i = 1; i < w->length; i++)
        w->edges[w->backbone + i - 1][w->backbone + i] = true;
}

/* Every node lasts from a moment of the backbone to a later one, if there are such. */
static void last_for_a_while(struct world *w)
{
    for (uint32_t node = 0; node < w->nodes; node++) {
        uint32_t at = 0;
        if (node - w->backbone < w->length)
            continue;
        while (at < w->length && w->rank[w->backbone + at] < w->rank[node])
            at++;
        if (at > 0)
            w->edges[w->backbone + at - 1][node] = true;
        at += (uint32_t)esse_rng_below(w->rng, 3);
        if (at < w->length)
            w->edges[node][w->backbone + at] = true;
    }
}

/* In a large world edges are short, as those of transactions are in time. */
static void random_world(struct world *w, struct esse_rng *rng, bool is_large)
{
    *w = (struct world){ .arena = esse_arena_new(), .rng = rng };
    w->nodes = is_large ? NODES - (uint32_t)esse_rng_below(rng, SMALL)
                        : 2 + (uint32_t)esse_rng_below(rng, SMALL - 1);
    for (uint32_t i = 0; i < w->nodes; i++) {
        uint32_t j = (uint32_t)esse_rng_below(rng, i + 1);
        w->rank[i] = w->rank[j];
        w->rank[j] = i;
    }
    w->asked = w->nodes - (uint32_t)esse_rng_below(rng, w->nodes);
    lay_backbone(w);
    if (is_large)
        last_for_a_while(w);
    deal_chains(w);
    for (uint64_t n = esse_rng_below(rng, (is_large ? 20 : 2) * w->nodes); n > 0; n--) {
        const uint32_t a = (uint32_t)esse_rng_below(rng, w->nodes);
        const uint32_t b = (uint32_t)esse_rng_below(rng, w->nodes);
        if (!is_large || w->rank[b] - w->rank[a] < 12)
            add_known(w, a, b);
    }
    build_csr(w);
    close_leads(w);
}

static void compare(const struct world *w, const struct esse_reach *reach, bool by_chain)
{
    for (uint32_t a = 0; a < w->nodes; a++)
        for (uint32_t b = 0; b < w->nodes; b++)
            if (is_asked(w, b, by_chain))
                CHECK_EQ(esse_reach_leads(reach, (esse_node){ a }, (esse_node){ b }),
                         w->leads[a][b]);
}

/* Every pair that is new was reported. */
static void compare_changes(const struct world *w, bool before[NODES][NODES],
                            struct esse_reach *reach, bool by_chain)
{
    struct esse_u32_vec *changed = esse_reach_changed(reach);
    bool reported[2 * NODES] = { 0 };
    for (size_t i = 0; i < changed->count; i++)
        reported[changed->at[i]] = true;
    changed->count = 0;
    for (uint32_t a = 0; a < w->nodes; a++)
        for (uint32_t b = 0; b < w->nodes; b++)
            if (w->leads[a][b] && !before[a][b] && is_asked(w, b, by_chain))
                CHECK(reported[2 * a] || reported[2 * b + 1]);
}

/* Edges that close a cycle are refused.  All are between nodes that the way is asked to. */
static void add_some(struct world *w, struct esse_reach *reach, bool by_chain)
{
    for (uint64_t n = esse_rng_below(w->rng, w->nodes > SMALL ? 6 : 20); n > 0; n--) {
        const uint32_t a = (uint32_t)esse_rng_below(w->rng, w->nodes);
        const uint32_t b = (uint32_t)esse_rng_below(w->rng, w->nodes);
        bool before[NODES][NODES];
        if (a == b || !is_asked(w, a, by_chain) || !is_asked(w, b, by_chain))
            continue;
        memcpy(before, w->leads, sizeof before);
        CHECK_EQ(esse_reach_add(reach, (esse_node){ a }, (esse_node){ b }), !w->leads[b][a]);
        if (!w->leads[b][a])
            w->edges[a][b] = true;
        close_leads(w);
        compare(w, reach, by_chain);
        compare_changes(w, before, reach, by_chain);
    }
}

static void agree(bool by_chain, uint64_t seed)
{
    struct esse_rng rng = { seed };
    for (unsigned round = 0; round < test_rounds(2000); round++) {
        struct world w;
        random_world(&w, &rng, round % 20 == 0);
        const struct esse_reach_graph graph = { &w.csr, w.order, NULL };
        struct esse_reach *reach =
            by_chain ? esse_reach_chains(&graph, w.chain, w.chains, ROOM)
                     : esse_reach_windows(&graph, w.backbone, w.length, w.asked, ROOM);
        CHECK(reach);
        compare(&w, reach, by_chain);
        add_some(&w, reach, by_chain);
        esse_reach_free(reach);
        esse_arena_free(w.arena);
    }
}

TEST(test_reach__chains_agree_with_a_matrix)
{
    agree(true, 1);
}

TEST(test_reach__windows_agree_with_a_matrix)
{
    agree(false, 2);
}

/* ---- what it takes ---- */

enum { LONG = 100000, BESIDE = 8 };

/* Moments, and transactions each of which is between two of them. */
static void timed_graph(struct esse_csr *csr, struct esse_arena *arena, uint32_t *order)
{
    esse_csr_init(csr, arena, 2 * LONG);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < LONG; i++) {
            const uint32_t edges[][2] = { { i, i + 1 }, { i, LONG + i }, { LONG + i, i + BESIDE } };
            for (int e = 0; e < 3; e++)
                if (edges[e][1] < LONG || e == 1)
                    pass ? esse_csr_add(csr, edges[e][0], edges[e][1])
                         : esse_csr_count(csr, edges[e][0]);
        }
        pass ? esse_csr_finish(csr) : esse_csr_start(csr);
    }
    CHECK_EQ(esse_topo_order(csr, order, arena, NULL), 2 * LONG);
}

/* A matrix would take five gigabytes. */
TEST(test_reach__windows_take_what_overlaps)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_csr csr;
    uint32_t *order = esse_arena_alloc(arena, 2 * LONG, sizeof *order);
    timed_graph(&csr, arena, order);
    const struct esse_reach_graph graph = { &csr, order, NULL };
    const size_t most = (size_t)2 * LONG * 56;
    struct esse_reach *reach = esse_reach_windows(&graph, 0, LONG, 2 * LONG, most);
    CHECK(reach);
    CHECK(esse_reach_bytes(reach) <= most);
    for (uint32_t i = LONG; i < 2 * LONG - BESIDE; i++) {
        CHECK(esse_reach_leads(reach, (esse_node){ i }, (esse_node){ i + BESIDE }));
        CHECK(!esse_reach_leads(reach, (esse_node){ i }, (esse_node){ i + BESIDE - 1 }));
        CHECK(!esse_reach_leads(reach, (esse_node){ i + BESIDE }, (esse_node){ i }));
    }
    CHECK(esse_reach_add(reach, (esse_node){ LONG + 500 }, (esse_node){ LONG + 500 - BESIDE + 1 }));
    CHECK(esse_reach_leads(reach, (esse_node){ LONG + 500 - BESIDE },
                           (esse_node){ LONG + 500 - BESIDE + 1 }));
    CHECK(
        !esse_reach_add(reach, (esse_node){ LONG + 500 - BESIDE + 1 }, (esse_node){ LONG + 500 }));
    esse_reach_free(reach);
    CHECK(!esse_reach_windows(&graph, 0, LONG, 2 * LONG, most / 8));
    esse_arena_free(arena);
}

TEST(test_reach__chains_keep_to_their_memory)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_csr csr;
    uint32_t *order = esse_arena_alloc(arena, 2 * LONG, sizeof *order);
    uint32_t *chain = esse_arena_alloc(arena, 2 * LONG, sizeof *chain);
    timed_graph(&csr, arena, order);
    for (uint32_t node = 0; node < 2 * LONG; node++)
        chain[node] = node < LONG ? ESSE_REACH_NONE : (node - LONG) % BESIDE;
    const struct esse_reach_graph graph = { &csr, order, NULL };
    const size_t most = ((size_t)2 * LONG + 1) * BESIDE * 4;
    struct esse_reach *reach = esse_reach_chains(&graph, chain, BESIDE, most);
    CHECK(reach);
    CHECK(!esse_reach_chains(&graph, chain, BESIDE, most - 1));
    for (uint32_t i = LONG; i < 2 * LONG - BESIDE; i++) {
        CHECK(esse_reach_leads(reach, (esse_node){ i }, (esse_node){ i + BESIDE }));
        CHECK(!esse_reach_leads(reach, (esse_node){ i }, (esse_node){ i + BESIDE - 1 }));
    }
    esse_reach_free(reach);
    esse_arena_free(arena);
}

TEST(test_reach__stops_when_the_budget_is_spent)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_csr csr;
    uint32_t *order = esse_arena_alloc(arena, 2 * LONG, sizeof *order);
    timed_graph(&csr, arena, order);
    struct esse_budget budget = { .seconds = 1e-9 };
    esse_budget_start(&budget);
    const struct esse_reach_graph graph = { &csr, order, &budget };
    CHECK(!esse_reach_windows(&graph, 0, LONG, 2 * LONG, ROOM));
    CHECK(esse_budget_spent(&budget));
    esse_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reach__chains_agree_with_a_matrix),
        cmocka_unit_test(test_reach__windows_agree_with_a_matrix),
        cmocka_unit_test(test_reach__windows_take_what_overlaps),
        cmocka_unit_test(test_reach__chains_keep_to_their_memory),
        cmocka_unit_test(test_reach__stops_when_the_budget_is_spent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
