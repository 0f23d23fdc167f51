#include "graph/reach_state.h"

#include <string.h>

bool reach_chains_take(struct esse_reach *reach, esse_node a, esse_node b)
{
    uint32_t *to = reach->firsts + (size_t)a.ix * reach->chains;
    const uint32_t *from = reach->firsts + (size_t)b.ix * reach->chains;
    uint32_t grows = 0;
    for (uint32_t c = 0; c < reach->chains; c++) {
        grows |= from[c] < to[c];
        to[c] = from[c] < to[c] ? from[c] : to[c];
    }
    return grows;
}

/* A node leads to itself; so the places of a chain are those of the topological order. */
static void place_nodes(struct esse_reach *reach, const uint32_t *order)
{
    uint32_t *length = esse_arena_alloc(reach->arena, reach->chains + (size_t)1, sizeof *length);
    for (uint32_t i = 0; i < reach->csr->nodes; i++) {
        const esse_node node = { order[i] };
        const uint32_t chain = reach->chain[node.ix];
        if (chain == NONE)
            continue;
        reach->place[node.ix] = length[chain]++;
        reach->firsts[(size_t)node.ix * reach->chains + chain] = reach->place[node.ix];
    }
}

struct esse_reach *esse_reach_chains(const struct esse_reach_graph *graph, const uint32_t *chain,
                                     uint32_t chains, size_t most)
{
    const size_t nodes = graph->csr->nodes + (size_t)1;
    const size_t bytes = nodes * chains * sizeof(uint32_t);
    if (bytes > most)
        return NULL;
    struct esse_reach *reach = reach_open(graph);
    reach->chains = chains;
    reach->chain = chain;
    reach->bytes = bytes;
    reach->place = esse_arena_array(reach->arena, nodes, *reach->place);
    reach->firsts = esse_arena_none(reach->arena, nodes * chains, uint32_t);
    place_nodes(reach, graph->order);
    return reach_fill(reach, graph);
}
