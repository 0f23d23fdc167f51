#include "graph/reach_state.h"

#include "base/gallop.h"

#include <string.h>

/*
 * Why it is exact.  Let there be a path from a to b.  If it touches the backbone, at a place p,
 * then end[a] <= p <= begin[b], and the backbone answers.  Otherwise none of its edges does, and
 * the bit of b was handed back along it, from row to row; unless a's row has no room for it.  The
 * room is for the columns whose begin, when the table was made, was below end[a], and whose end was
 * above begin[a]. Were begin[b] not below end[a], the backbone would answer.  Were end[b] not above
 * begin[a], b would lead to a, and there would be a cycle.  Later, ends only fall and begins only
 * rise.
 */

bool reach_windows_lead(const struct esse_reach *reach, esse_node a, esse_node b)
{
    if (reach->end[a.ix] <= reach->begin[b.ix])
        return true;
    const struct reach_row *row = &reach->rows[a.ix];
    const uint32_t column = reach->column[b.ix], word = column / 64 - row->first;
    return word < row->words && reach->bits[row->at + word] >> column % 64 & 1;
}

/* ---- taking over ---- */

static bool take_word(struct esse_reach *reach, const struct reach_row *row, uint32_t word,
                      uint64_t bits)
{
    if (word - row->first >= row->words)
        return false;
    uint64_t *to = &reach->bits[row->at + word - row->first];
    const bool grows = bits & ~*to;
    *to |= bits;
    return grows;
}

/* The backbone's nodes have no rows: what they lead to, the backbone answers. */
bool reach_windows_take(struct esse_reach *reach, esse_node a, esse_node b)
{
    const struct reach_row *to = &reach->rows[a.ix], *from = &reach->rows[b.ix];
    const uint32_t end = from->first + from->words;
    if (reach_is_backbone(reach, a))
        return false;
    bool grows = reach->end[b.ix] < reach->end[a.ix];
    if (grows)
        reach->end[a.ix] = reach->end[b.ix];
    if (reach_is_backbone(reach, b))
        return grows;
    grows |=
        take_word(reach, to, reach->column[b.ix] / 64, (uint64_t)1 << reach->column[b.ix] % 64);
    for (uint32_t word = from->first > to->first ? from->first : to->first; word < end; word++) {
        if (word - to->first >= to->words)
            break;
        grows |= take_word(reach, to, word, reach->bits[from->at + word - from->first]);
    }
    return grows;
}

static void begin_later(struct esse_reach *reach, esse_node node, uint32_t begin)
{
    if (reach->begin[node.ix] >= begin)
        return;
    reach->begin[node.ix] = begin;
    esse_u32_vec_push(&reach->changed, reach->arena, 2 * node.ix + 1);
    esse_u32_vec_push(&reach->work, reach->arena, node.ix);
}

void reach_windows_begin(struct esse_reach *reach, esse_node from, esse_node to)
{
    const struct esse_csr *csr = reach->csr;
    begin_later(reach, to, reach->begin[from.ix]);
    while (reach->work.count) {
        const esse_node node = { reach->work.at[--reach->work.count] };
        for (uint32_t e = csr->first[node.ix]; e < csr->first[node.ix + 1]; e++)
            begin_later(reach, (esse_node){ csr->to[e] }, reach->begin[node.ix]);
        for (uint32_t l = reach->out[node.ix]; l != NONE; l = reach->links.at[l].next)
            begin_later(reach, reach->links.at[l].node, reach->begin[node.ix]);
    }
}

/* ---- making ---- */

/* Where the backbone is left for a node, and reached from it.  The backbone itself has no
 * columns. */
static void find_ends(struct esse_reach *reach, const uint32_t *order)
{
    const struct esse_csr *csr = reach->csr;
    const uint32_t nodes = csr->nodes;
    for (esse_node node = { 0 }; node.ix < nodes; node.ix++) {
        const bool is_backbone = reach_is_backbone(reach, node);
        reach->column[node.ix] = NONE;
        reach->begin[node.ix] = is_backbone ? node.ix - reach->backbone + 1 : 0;
        reach->end[node.ix] = is_backbone ? node.ix - reach->backbone + 1 : NONE;
    }
    for (uint32_t i = 0; i < nodes; i++)
        for (uint32_t e = csr->first[order[i]]; e < csr->first[order[i] + 1]; e++)
            if (reach->begin[csr->to[e]] < reach->begin[order[i]])
                reach->begin[csr->to[e]] = reach->begin[order[i]];
    for (uint32_t i = nodes; i-- > 0;)
        for (uint32_t e = csr->first[order[i]]; e < csr->first[order[i] + 1]; e++)
            if (reach->end[csr->to[e]] < reach->end[order[i]])
                reach->end[order[i]] = reach->end[csr->to[e]];
}

struct columns {
    uint32_t count;
    uint32_t *before; /* by begin: how many columns begin earlier */
    uint32_t *latest; /* by column: the latest end up to it */
};

static bool has_column(const struct esse_reach *reach, esse_node node)
{
    return node.ix < reach->asked && !reach_is_backbone(reach, node);
}

/* Columns are in the order of their begins, and then topological. */
static struct columns deal_columns(struct esse_reach *reach, const uint32_t *order)
{
    const uint32_t nodes = reach->csr->nodes, begins = reach->backbone_end - reach->backbone + 2;
    struct columns columns = { 0 };
    columns.before = esse_arena_alloc(reach->arena, begins + (size_t)1, sizeof(uint32_t));
    columns.latest = esse_arena_alloc(reach->arena, nodes + (size_t)1, sizeof(uint32_t));
    uint32_t *next = esse_arena_alloc(reach->arena, begins + (size_t)1, sizeof *next);
    for (esse_node node = { 0 }; node.ix < nodes; node.ix++)
        if (has_column(reach, node))
            columns.before[reach->begin[node.ix] + 1]++;
    for (uint32_t b = 1; b < begins; b++)
        columns.before[b] += columns.before[b - 1];
    memcpy(next, columns.before, begins * sizeof *next);
    for (uint32_t i = 0; i < nodes; i++) {
        const esse_node node = { order[i] };
        if (!has_column(reach, node))
            continue;
        reach->column[node.ix] = next[reach->begin[node.ix]]++;
        columns.latest[reach->column[node.ix]] = reach->end[node.ix];
        columns.count++;
    }
    for (uint32_t c = 1; c < columns.count; c++)
        if (columns.latest[c] < columns.latest[c - 1])
            columns.latest[c] = columns.latest[c - 1];
    return columns;
}

/* The first column that ends after 'begin', or after which one does. */
static uint32_t first_column(const struct columns *columns, uint32_t begin)
{
    uint32_t low = 0, high = columns->count;
    ESSE_BISECT(low, high, middle, columns->latest[middle] <= begin);
    return low;
}

/* Room for the rows; the words that they take. */
static size_t lay_rows(struct esse_reach *reach, const struct columns *columns)
{
    size_t words = 0;
    for (esse_node node = { 0 }; node.ix < reach->csr->nodes; node.ix++) {
        struct reach_row *row = &reach->rows[node.ix];
        *row = (struct reach_row){ .at = words };
        if (reach_is_backbone(reach, node))
            continue;
        const uint32_t end =
            reach->end[node.ix] == NONE ? columns->count : columns->before[reach->end[node.ix]];
        row->first = first_column(columns, reach->begin[node.ix]) / 64;
        row->words = end > 64 * row->first ? (end + 63) / 64 - row->first : 0;
        words += row->words;
    }
    return words;
}

struct esse_reach *esse_reach_windows(const struct esse_reach_graph *graph, uint32_t backbone,
                                      uint32_t length, uint32_t asked, size_t most)
{
    const size_t nodes = graph->csr->nodes + (size_t)1;
    struct esse_reach *reach = reach_open(graph);
    reach->backbone = backbone;
    reach->backbone_end = backbone + length;
    reach->asked = asked;
    reach->begin = esse_arena_array(reach->arena, nodes, *reach->begin);
    reach->end = esse_arena_array(reach->arena, nodes, *reach->end);
    reach->column = esse_arena_array(reach->arena, nodes, *reach->column);
    reach->rows = esse_arena_array(reach->arena, nodes, *reach->rows);
    find_ends(reach, graph->order);
    const struct columns columns = deal_columns(reach, graph->order);
    const size_t words = lay_rows(reach, &columns);
    reach->bytes = words * sizeof *reach->bits + nodes * 40;
    if (reach->bytes > most) {
        esse_reach_free(reach);
        return NULL;
    }
    reach->bits = esse_arena_zeros(reach->arena, words + 1, uint64_t);
    return reach_fill(reach, graph);
}
