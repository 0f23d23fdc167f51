#include "graph/reach_state.h"

/* What reach_state.h says of a table, looked at edge by edge. */

/* Each node has as many edges into it, and from the same nodes: these as a sum. */
static bool is_turned_round(const struct esse_reach *reach, struct esse_arena *arena)
{
    const struct esse_csr *csr = reach->csr, *back = &reach->back;
    if (!esse_csr_valid(csr, csr->nodes) || back->nodes != csr->nodes ||
        !esse_csr_valid(back, back->nodes) || esse_csr_edges(back) != esse_csr_edges(csr))
        return false;
    uint64_t *left = esse_arena_alloc(arena, csr->nodes + (size_t)1, sizeof *left);
    for (uint32_t a = 0; a < csr->nodes; a++)
        for (uint32_t e = csr->first[a]; e < csr->first[a + 1]; e++)
            left[csr->to[e]] += ((uint64_t)1 << 32) + a;
    for (uint32_t b = 0; b < back->nodes; b++)
        for (uint32_t e = back->first[b]; e < back->first[b + 1]; e++)
            left[b] -= ((uint64_t)1 << 32) + back->to[e];
    bool ok = true;
    for (uint32_t b = 0; ok && b < back->nodes; b++)
        ok = left[b] == 0;
    return ok;
}

/* The links from a node, of which 'parity' are those of its kind; how many there are, or NONE. */
static uint32_t count_links(const struct esse_reach *reach, uint32_t first, uint32_t parity)
{
    uint32_t count = 0;
    for (uint32_t l = first, before = NONE; l != NONE; before = l, l = reach->links.at[l].next) {
        if (l >= reach->links.count || l % 2 != parity || l >= before ||
            reach->links.at[l].node.ix >= reach->csr->nodes)
            return NONE;
        count++;
    }
    return count;
}

static bool are_links_valid(const struct esse_reach *reach)
{
    uint64_t out = 0, in = 0;
    for (esse_node node = { 0 }; node.ix < reach->csr->nodes; node.ix++) {
        out += count_links(reach, reach->out[node.ix], 0);
        in += count_links(reach, reach->in[node.ix], 1);
    }
    return 2 * out == reach->links.count && 2 * in == reach->links.count;
}

/* ---- nodes and edges of either kind ---- */

static bool is_chained(const struct esse_reach *reach, esse_node node)
{
    const uint32_t chain = reach->chain[node.ix];
    return chain == NONE ||
           (chain < reach->chains &&
            reach->firsts[(size_t)node.ix * reach->chains + chain] == reach->place[node.ix]);
}

static bool leads_as_early(const struct esse_reach *reach, uint32_t a, uint32_t b)
{
    const uint32_t *from = reach->firsts + (size_t)a * reach->chains;
    const uint32_t *to = reach->firsts + (size_t)b * reach->chains;
    bool ok = true;
    for (uint32_t c = 0; ok && c < reach->chains; c++)
        ok = from[c] <= to[c];
    return ok;
}

static bool is_windowed(const struct esse_reach *reach, esse_node node)
{
    const bool is_backbone = reach_is_backbone(reach, node);
    if ((reach->column[node.ix] != NONE) != (node.ix < reach->asked && !is_backbone))
        return false;
    const uint32_t place = node.ix - reach->backbone + 1;
    return !is_backbone || (reach->begin[node.ix] == place && reach->end[node.ix] == place &&
                            reach->rows[node.ix].words == 0);
}

static uint64_t row_word(const struct esse_reach *reach, const struct reach_row *row, uint32_t word,
                         uint64_t otherwise)
{
    return word - row->first < row->words ? reach->bits[row->at + word - row->first] : otherwise;
}

static bool has_bits_of(const struct esse_reach *reach, uint32_t a, uint32_t b)
{
    const struct reach_row *to = &reach->rows[a], *from = &reach->rows[b];
    if (reach->end[a] > reach->end[b] || reach->begin[a] > reach->begin[b])
        return false;
    if (reach_is_backbone(reach, (esse_node){ a }) || reach_is_backbone(reach, (esse_node){ b }))
        return true;
    const uint32_t column = reach->column[b];
    bool ok = row_word(reach, to, column / 64, ~(uint64_t)0) >> column % 64 & 1;
    for (uint32_t word = from->first; ok && word < from->first + from->words; word++)
        ok = !(row_word(reach, from, word, 0) & ~row_word(reach, to, word, ~(uint64_t)0));
    return ok;
}

static bool is_node_valid(const struct esse_reach *reach, esse_node a)
{
    const struct esse_csr *csr = reach->csr;
    bool (*follows)(const struct esse_reach *, uint32_t, uint32_t) =
        reach->bits ? has_bits_of : leads_as_early;
    bool ok = reach->bits ? is_windowed(reach, a) : is_chained(reach, a);
    for (uint32_t e = csr->first[a.ix]; ok && e < csr->first[a.ix + 1]; e++)
        ok = follows(reach, a.ix, csr->to[e]);
    for (uint32_t l = reach->out[a.ix]; ok && l != NONE; l = reach->links.at[l].next)
        ok = follows(reach, a.ix, reach->links.at[l].node.ix);
    return ok;
}

bool esse_reach_valid(const struct esse_reach *reach)
{
    struct esse_arena *arena = esse_arena_new();
    bool ok = !reach->work.count && is_turned_round(reach, arena) && are_links_valid(reach);
    esse_arena_free(arena);
    for (esse_node node = { 0 }; ok && node.ix < reach->csr->nodes; node.ix++)
        ok = is_node_valid(reach, node);
    return ok;
}
