#include "sat/acyclic_state.h"

#include <string.h>

/* ---- known edges reversed ---- */

/* first[v + 1] counts, then points at where the edges into v start, and ends as it should be. */
void esse_acyclic_reverse(struct esse_acyclic *a)
{
    const uint32_t *first = a->spec.first, *to = a->spec.to, nodes = a->spec.nodes;
    uint32_t edges = first[nodes];
    a->in_first = esse_arena_zeros(a->arena, nodes + (size_t)2, *a->in_first);
    a->in_to = esse_arena_array(a->arena, edges + (size_t)1, *a->in_to);
    for (uint32_t e = 0; e < edges; e++)
        a->in_first[to[e] + 2]++;
    for (size_t v = 2; v <= nodes; v++)
        a->in_first[v] += a->in_first[v - 1];
    for (uint32_t v = 0; v < nodes; v++)
        for (uint32_t e = first[v]; e < first[v + 1]; e++)
            a->in_to[a->in_first[to[e] + 1]++] = v;
}

/* ---- the first order ---- */

/* Nodes by hint, equal ones by number. */
static uint32_t *sorted_by_hint(struct esse_acyclic *a)
{
    uint32_t nodes = a->spec.nodes;
    uint32_t *order = esse_arena_array(a->arena, nodes + (size_t)1, *order);
    if (!a->spec.hint) {
        for (uint32_t v = 0; v < nodes; v++)
            order[v] = v;
        return order;
    }
    struct esse_pair *pairs = esse_arena_array(a->arena, nodes + (size_t)1, *pairs);
    for (uint32_t v = 0; v < nodes; v++)
        pairs[v] = (struct esse_pair){ a->spec.hint[v], v };
    esse_radix_sort(pairs, nodes, a->arena);
    for (uint32_t v = 0; v < nodes; v++)
        order[v] = pairs[v].id;
    esse_arena_drop(a->arena, pairs);
    return order;
}

static bool keeps_known_edges(const struct esse_acyclic *a)
{
    if (!a->spec.first)
        return true;
    for (uint32_t v = 0; v < a->spec.nodes; v++)
        for (uint32_t e = a->spec.first[v]; e < a->spec.first[v + 1]; e++)
            if (a->nodes[a->spec.to[e]].place <= a->nodes[v].place)
                return false;
    return true;
}

/* A heap of places, smallest first. */
static void heap_push(uint32_t *heap, uint32_t *count, uint32_t place)
{
    uint32_t at = (*count)++;
    for (; at > 0 && heap[(at - 1) / 2] > place; at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = place;
}

static uint32_t heap_pop(uint32_t *heap, uint32_t *count)
{
    uint32_t top = heap[0], last = heap[--*count], at = 0;
    for (uint32_t child; (child = 2 * at + 1) < *count; at = child) {
        if (child + 1 < *count && heap[child + 1] < heap[child])
            child++;
        if (heap[child] >= last)
            break;
        heap[at] = heap[child];
    }
    heap[at] = last;
    return top;
}

/* A cycle among the nodes that could not be ordered: each of them has an edge from another, so
 * going backwards must come round. */
static void find_known_cycle(struct esse_acyclic *a, const uint32_t *waits)
{
    uint32_t v = 0, mark = esse_acyclic_marks(a);
    while (!waits[v])
        v++;
    esse_acyclic_reverse(a);
    while (a->nodes[v].mark != mark) {
        a->nodes[v].mark = mark;
        esse_u32_vec_push(&a->behind, a->arena, v);
        uint32_t e = a->in_first[v];
        while (!waits[a->in_to[e]])
            e++;
        v = a->in_to[e];
    }
    for (size_t i = a->behind.count; i-- > 0;) {
        esse_u32_vec_push(&a->known_cycle, a->arena, a->behind.at[i]);
        if (a->behind.at[i] == v)
            break;
    }
    a->behind.count = 0;
}

/* Kahn's algorithm, of the nodes that are free the one first in 'order' first.  The places of
 * nodes are those of 'order' before, and the answer's after.  False if the budget is spent. */
static bool repair(struct esse_acyclic *a, const uint32_t *order, struct esse_budget *budget)
{
    const uint32_t *first = a->spec.first, *to = a->spec.to, nodes = a->spec.nodes;
    uint32_t *waits = esse_arena_zeros(a->arena, nodes + (size_t)1, *waits), ready = 0, done = 0;
    uint32_t *heap = esse_arena_array(a->arena, nodes + (size_t)1, *heap);
    for (uint32_t e = 0; e < first[nodes]; e++)
        waits[to[e]]++;
    for (uint32_t place = 0; place < nodes; place++)
        if (!waits[order[place]])
            heap_push(heap, &ready, place);
    while (ready && esse_budget_poll(budget, done)) {
        uint32_t v = order[heap_pop(heap, &ready)];
        for (uint32_t e = first[v]; e < first[v + 1]; e++)
            if (--waits[to[e]] == 0)
                heap_push(heap, &ready, a->nodes[to[e]].place);
        a->nodes[v].place = done++;
    }
    bool spent = ready > 0;
    if (!spent && done < nodes)
        find_known_cycle(a, waits);
    esse_arena_drop(a->arena, waits);
    esse_arena_drop(a->arena, heap);
    return !spent;
}

bool esse_acyclic_first_order(struct esse_acyclic *a, struct esse_budget *budget)
{
    uint32_t *order = sorted_by_hint(a);
    for (uint32_t place = 0; place < a->spec.nodes; place++)
        a->nodes[order[place]].place = place;
    bool ok = keeps_known_edges(a) || repair(a, order, budget);
    esse_arena_drop(a->arena, order);
    return ok;
}
