#include "engine/dsg/dsg_scc.h"

#include "base/checked.h"
#include "engine/dsg/dsg_ranges.h"

#include <string.h>

/* A node on the way, and the next of its edges, of its predicate operations and of its versions. */
struct frame {
    uint32_t node, edge, read, touch;
};

struct search {
    const struct dsg_ranges *ranges;
    struct dsg_walk *walk;
    struct esse_csr csr; /* along the edges, or against them */
    unsigned mask;
    bool doubled, backward;
    uint8_t *met; /* by node */
    struct frame *path;
    uint32_t depth;
    struct esse_budget *budget;
};

static void enter(struct search *s, uint32_t node)
{
    ESSE_HOT_ASSERT(node < s->csr.nodes);
    ESSE_HOT_ASSERT(!s->met[node]);
    s->met[node] = 1;
    s->path[s->depth++] = (struct frame){ .node = node, .edge = s->csr.first[node] };
}

static uint32_t next_drawn(struct search *s, struct frame *frame)
{
    while (frame->edge < s->csr.first[frame->node + 1]) {
        const uint32_t to = s->csr.to[frame->edge++];
        if (!s->met[to])
            return to;
    }
    return ESSE_NO_NODE;
}

/* Along the edges an operation leads to the touches after it; against them to those before. */
static uint32_t next_touch(struct search *s, struct frame *frame, uint32_t txn)
{
    const struct dsg_ranges *ranges = s->ranges;
    const uint32_t end = ranges->read_first[txn + 1] - ranges->read_first[txn];
    if (!(s->mask & 1u << (s->backward ? ESSE_DEP_WRP : ESSE_DEP_RWP)))
        return ESSE_NO_NODE;
    for (; frame->read < end; frame->read++) {
        const uint32_t node =
            dsg_walk_touch(s->walk, &ranges->reads[ranges->read_first[txn] + frame->read]);
        if (node != ESSE_NO_NODE)
            return node;
    }
    return ESSE_NO_NODE;
}

static uint32_t next_reader(struct search *s, struct frame *frame, uint32_t txn)
{
    const struct dsg_ranges *ranges = s->ranges;
    const uint32_t first = ranges->installed_first[txn], columns = ranges->column_count;
    const uint32_t end = (ranges->installed_first[txn + 1] - first) * columns;
    if (!(s->mask & 1u << (s->backward ? ESSE_DEP_RWP : ESSE_DEP_WRP)))
        return ESSE_NO_NODE;
    for (; frame->touch < end; frame->touch++) {
        const uint32_t node = dsg_walk_reader(s->walk, frame->touch % columns,
                                              ranges->installed[first + frame->touch / columns]);
        if (node != ESSE_NO_NODE)
            return node;
    }
    return ESSE_NO_NODE;
}

static uint32_t next_node(struct search *s, struct frame *frame)
{
    const uint32_t txns = s->ranges->versions->history->txns;
    const uint32_t txn = s->doubled ? frame->node >> 1 : frame->node;
    uint32_t node = next_drawn(s, frame);
    if (txn >= txns)
        return node;
    if (node == ESSE_NO_NODE && (!s->doubled || !(frame->node & 1)))
        node = next_touch(s, frame, txn);
    if (node == ESSE_NO_NODE && (!s->doubled || (frame->node & 1)))
        node = next_reader(s, frame, txn);
    return node;
}

/* Everything that can be reached from 'start' and was not met; 'left' takes it in the order in
 * which it is left. */
static bool visit(struct search *s, uint32_t start, uint32_t *left, uint32_t *count)
{
    enter(s, start);
    while (s->depth) {
        const uint32_t node = next_node(s, &s->path[s->depth - 1]);
        if (node != ESSE_NO_NODE)
            enter(s, node);
        else
            left[(*count)++] = s->path[--s->depth].node;
        if (!esse_budget_poll(s->budget, start))
            return false;
    }
    return true;
}

static void start(struct search *s, bool backward)
{
    assert(s->depth == 0);
    s->backward = backward;
    memset(s->met, 0, s->csr.nodes + (size_t)1);
    dsg_walk_start(s->walk, s->met, backward);
}

/* Against the edges, from the node that was left last: first the component that nothing leads to.
 * It gets the highest number. */
static bool number_components(struct search *s, struct esse_scc *scc, const uint32_t *left,
                              uint32_t *members)
{
    for (uint32_t i = s->csr.nodes; i-- > 0;) {
        uint32_t count = 0;
        if (s->met[left[i]])
            continue;
        if (!visit(s, left[i], members, &count))
            return false;
        for (uint32_t m = 0; m < count; m++)
            scc->component[members[m]] = scc->count;
        scc->count++;
    }
    for (uint32_t v = 0; v < s->csr.nodes; v++)
        scc->component[v] = scc->count - 1 - scc->component[v];
    return true;
}

static bool find_twice(struct search *s, struct esse_scc *scc, struct esse_arena *scratch)
{
    const size_t room = s->csr.nodes + (size_t)1;
    uint32_t *left = esse_arena_array(scratch, room, *left);
    uint32_t *members = esse_arena_array(scratch, room, *members);
    uint32_t count = 0;
    start(s, false);
    for (uint32_t v = s->csr.nodes; v-- > 0;)
        if (!s->met[v] && !visit(s, v, left, &count))
            return false;
    assert(count == s->csr.nodes);
    const struct esse_csr along = s->csr;
    esse_csr_turn(&s->csr, scratch, &along);
    start(s, true);
    return number_components(s, scc, left, members);
}

bool dsg_scc_find(struct esse_scc *scc, struct esse_arena *arena, const struct esse_csr *csr,
                  const struct versions *versions, unsigned mask, bool doubled,
                  struct esse_budget *budget)
{
    const struct dsg_ranges *ranges = versions->ranges;
    if (!ranges || !ranges->count || !(mask & (1u << ESSE_DEP_WRP | 1u << ESSE_DEP_RWP)))
        return esse_scc_find(scc, arena, csr, budget);
    struct esse_arena *scratch = esse_arena_new();
    const size_t nodes = csr->nodes + (size_t)1;
    struct search s = {
        .ranges = ranges, .csr = *csr, .mask = mask, .doubled = doubled, .budget = budget
    };
    s.walk = dsg_walk_new(scratch, ranges, doubled);
    s.met = esse_arena_array(scratch, nodes, *s.met);
    s.path = esse_arena_array(scratch, nodes, *s.path);
    *scc = (struct esse_scc){ esse_arena_array(arena, nodes, uint32_t), 0 };
    const bool ok = find_twice(&s, scc, scratch);
    esse_arena_free(scratch);
    return ok;
}
