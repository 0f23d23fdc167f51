#include "graph/csr.h"

#include "base/guard.h"

#include <assert.h>
#include <string.h>

/* While edges are counted, first[v + 2] counts those of v.  After the sums, first[v + 1] is where
 * the next edge of v goes, and when all have gone there it is where those of v + 1 start. */

void esse_csr_init(struct esse_csr *csr, struct esse_arena *arena, uint32_t nodes)
{
    *csr = (struct esse_csr){ .arena = arena, .nodes = nodes };
    csr->first = esse_arena_zeros(arena, nodes + (size_t)2, uint32_t);
}

void esse_csr_start(struct esse_csr *csr)
{
    assert(!csr->to);
    uint64_t sum = 0;
    for (size_t v = 2; v < (size_t)csr->nodes + 2; v++) {
        sum += csr->first[v];
        if (sum >= UINT32_MAX)
            esse_guard_too_large();
        csr->first[v] = (uint32_t)sum;
    }
    csr->to = esse_arena_array(csr->arena, sum + 1, *csr->to);
}

void esse_csr_finish(struct esse_csr *csr)
{
    assert(csr->first[csr->nodes] == csr->first[csr->nodes + 1]);
    ESSE_SEAM(esse_csr_valid(csr, UINT32_MAX)); /* what the targets are, only the caller knows */
}

bool esse_csr_valid(const struct esse_csr *csr, uint32_t targets)
{
    bool ok = csr->first[0] == 0;
    for (uint32_t v = 0; ok && v < csr->nodes; v++)
        ok = csr->first[v] <= csr->first[v + 1];
    ok = ok && csr->first[csr->nodes] == csr->first[csr->nodes + 1];
    for (uint32_t e = 0; ok && e < csr->first[csr->nodes]; e++)
        ok = csr->to[e] < targets;
    return ok;
}

void esse_csr_turn(struct esse_csr *turned, struct esse_arena *arena, const struct esse_csr *csr)
{
    esse_csr_init(turned, arena, csr->nodes);
    for (uint32_t e = 0; e < esse_csr_edges(csr); e++)
        esse_csr_count(turned, csr->to[e]);
    esse_csr_start(turned);
    for (uint32_t v = 0; v < csr->nodes; v++)
        for (uint32_t e = csr->first[v]; e < csr->first[v + 1]; e++)
            esse_csr_add(turned, csr->to[e], v);
    esse_csr_finish(turned);
}

void esse_csr_drop(struct esse_csr *csr)
{
    esse_arena_drop(csr->arena, csr->first);
    esse_arena_drop(csr->arena, csr->to);
    *csr = (struct esse_csr){ 0 };
}
