#include "graph/scc.h"
#include "test.h"

enum { NODES = 12 };

static void random_graph(struct esse_csr *csr, struct esse_arena *arena, struct esse_rng *rng,
                         bool edges[NODES][NODES])
{
    memset(edges, 0, sizeof(bool[NODES][NODES]));
    for (uint32_t n = esse_rng_below(rng, 30); n > 0; n--)
        edges[esse_rng_below(rng, NODES)][esse_rng_below(rng, NODES)] = true;
    esse_csr_init(csr, arena, NODES);
    for (uint32_t a = 0; a < NODES; a++)
        for (uint32_t b = 0; b < NODES; b++)
            if (edges[a][b])
                esse_csr_count(csr, a);
    esse_csr_start(csr);
    for (uint32_t a = 0; a < NODES; a++)
        for (uint32_t b = 0; b < NODES; b++)
            if (edges[a][b])
                esse_csr_add(csr, a, b);
    esse_csr_finish(csr);
}

TEST(test_csr__holds_what_was_added)
{
    struct esse_rng rng = { 1 };
    for (int round = 0; round < 200; round++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_csr csr;
        bool edges[NODES][NODES];
        random_graph(&csr, arena, &rng, edges);
        uint32_t at = 0;
        for (uint32_t a = 0; a < NODES; a++) {
            CHECK_EQ(csr.first[a], at);
            for (uint32_t b = 0; b < NODES; b++)
                if (edges[a][b])
                    CHECK_EQ(csr.to[at++], b);
        }
        CHECK_EQ(esse_csr_edges(&csr), at);
        esse_arena_free(arena);
    }
}

/* Against reachability by a matrix: same component exactly when each reaches the other, and
 * numbers fall along edges. */
TEST(test_scc__agrees_with_a_matrix)
{
    struct esse_rng rng = { 2 };
    for (unsigned round = 0; round < test_rounds(3000); round++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_csr csr;
        struct esse_scc scc;
        bool edges[NODES][NODES], reach[NODES][NODES];
        random_graph(&csr, arena, &rng, edges);
        memcpy(reach, edges, sizeof reach);
        for (int k = 0; k < NODES; k++)
            for (int a = 0; a < NODES; a++)
                for (int b = 0; b < NODES; b++)
                    reach[a][b] |= reach[a][k] && reach[k][b];
        CHECK(esse_scc_find(&scc, arena, &csr, NULL));
        for (int a = 0; a < NODES; a++) {
            CHECK(scc.component[a] < scc.count);
            for (int b = 0; b < NODES; b++) {
                bool same = a == b || (reach[a][b] && reach[b][a]);
                CHECK_EQ(scc.component[a] == scc.component[b], same);
                if (edges[a][b] && !same)
                    CHECK(scc.component[a] > scc.component[b]);
            }
        }
        esse_arena_free(arena);
    }
}

/* A path of a million nodes would overflow the stack of a recursive search. */
TEST(test_scc__long_paths_and_rings_do_not_recurse)
{
    enum { LONG = 1000000 };
    for (int ring = 0; ring < 2; ring++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_csr csr;
        struct esse_scc scc;
        esse_csr_init(&csr, arena, LONG);
        for (uint32_t v = 0; v < LONG; v++)
            if (ring || v + 1 < LONG)
                esse_csr_count(&csr, v);
        esse_csr_start(&csr);
        for (uint32_t v = 0; v < LONG; v++)
            if (ring || v + 1 < LONG)
                esse_csr_add(&csr, v, (v + 1) % LONG);
        esse_csr_finish(&csr);
        CHECK(esse_scc_find(&scc, arena, &csr, NULL));
        CHECK_EQ(scc.count, ring ? 1 : LONG);
        esse_arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csr__holds_what_was_added),
        cmocka_unit_test(test_scc__agrees_with_a_matrix),
        cmocka_unit_test(test_scc__long_paths_and_rings_do_not_recurse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
