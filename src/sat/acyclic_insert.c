#include "base/guard.h"
#include "sat/acyclic_state.h"

/*
 * A topological order under insertions (Pearce and Kelly 2006).  An edge u -> v with v before u:
 * what v reaches up to u, and what reaches u down to v, are found by searching; if they meet there
 * is a cycle.  Then the places of both sets are dealt out again, first to what reaches u, then to
 * what v reaches, each in its old order.
 */

/* They serve as tags of guards too. */
uint32_t esse_acyclic_marks(struct esse_acyclic *a)
{
    if (a->mark > UINT32_MAX - 4) {
        for (uint32_t v = 0; v < a->spec.nodes; v++)
            a->nodes[v].mark = 0;
        for (size_t i = 0; i < a->guards.count; i++)
            a->guards.at[i].tag = 0;
        a->mark = 0;
    }
    return a->mark += 2;
}

static void reach(struct esse_acyclic *a, struct esse_u32_vec *found, uint32_t node, uint32_t mark)
{
    esse_guard_poll();
    a->nodes[node].mark = mark;
    esse_u32_vec_push(found, a->arena, node);
}

/* What 'v' reaches up to the place of 'u'.  False if that is 'u' itself. */
static bool search_ahead(struct esse_acyclic *a, uint32_t v, uint32_t u, uint32_t mark)
{
    const uint32_t bound = a->nodes[u].place, *first = a->spec.first, *to = a->spec.to;
    struct node *nodes = a->nodes;
    reach(a, &a->ahead, v, mark);
    for (size_t i = 0; i < a->ahead.count; i++) {
        uint32_t node = a->ahead.at[i], end = first ? first[node + 1] : 0;
        for (uint32_t e = first ? first[node] : 0; e < end; e++)
            if (nodes[to[e]].place <= bound && nodes[to[e]].mark != mark) {
                if (to[e] == u)
                    return false;
                reach(a, &a->ahead, to[e], mark);
            }
        for (uint32_t e = nodes[node].out; e != NONE; e = a->edges.at[e].next_out) {
            uint32_t next = a->edges.at[e].to;
            if (nodes[next].place <= bound && nodes[next].mark != mark) {
                if (next == u)
                    return false;
                reach(a, &a->ahead, next, mark);
            }
        }
    }
    return true;
}

/* What reaches 'u' down to the place of 'v'. */
static void search_behind(struct esse_acyclic *a, uint32_t v, uint32_t u, uint32_t mark)
{
    const uint32_t bound = a->nodes[v].place;
    struct node *nodes = a->nodes;
    if (a->spec.first && !a->in_first)
        esse_acyclic_reverse(a);
    const uint32_t *first = a->in_first, *to = a->in_to;
    reach(a, &a->behind, u, mark);
    for (size_t i = 0; i < a->behind.count; i++) {
        uint32_t node = a->behind.at[i], end = first ? first[node + 1] : 0;
        for (uint32_t e = first ? first[node] : 0; e < end; e++)
            if (nodes[to[e]].place > bound && nodes[to[e]].mark != mark)
                reach(a, &a->behind, to[e], mark);
        for (uint32_t e = nodes[node].in; e != NONE; e = a->edges.at[e].next_in) {
            uint32_t next = a->edges.at[e].from;
            if (nodes[next].place > bound && nodes[next].mark != mark)
                reach(a, &a->behind, next, mark);
        }
    }
}

/* ---- dealing out places ---- */

enum { SMALL = 32 };

static void sort_pairs(struct esse_pair *pairs, size_t count, struct esse_arena *arena)
{
    if (count > SMALL) {
        esse_radix_sort(pairs, count, arena);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        struct esse_pair pair = pairs[i];
        size_t at = i;
        for (; at > 0 && pairs[at - 1].key > pair.key; at--)
            pairs[at] = pairs[at - 1];
        pairs[at] = pair;
    }
}

static void collect(struct esse_acyclic *a, const struct esse_u32_vec *found)
{
    struct esse_pair *pairs = esse_pair_vec_extend(&a->sorted, a->arena, found->count);
    for (size_t i = 0; i < found->count; i++)
        pairs[i] = (struct esse_pair){ a->nodes[found->at[i]].place, found->at[i] };
    sort_pairs(pairs, found->count, a->arena);
}

static void reorder(struct esse_acyclic *a)
{
    a->sorted.count = 0;
    collect(a, &a->behind);
    collect(a, &a->ahead);
    const struct esse_pair *pairs = a->sorted.at;
    size_t behind = a->behind.count, count = a->sorted.count, i = 0, j = behind;
    for (size_t k = 0; k < count; k++) {
        bool from_behind = j == count || (i < behind && pairs[i].key < pairs[j].key);
        uint64_t place = from_behind ? pairs[i++].key : pairs[j++].key;
        a->nodes[pairs[k].id].place = (uint32_t)place;
    }
}

static void link_edge(struct esse_acyclic *a, uint32_t e)
{
    struct edge *edge = &a->edges.at[e];
    struct node *from = &a->nodes[edge->from], *to = &a->nodes[edge->to];
    edge->next_out = from->out;
    edge->next_in = to->in;
    from->out = to->in = e;
}

bool esse_acyclic_insert(struct esse_acyclic *a, uint32_t e)
{
    const uint32_t u = a->edges.at[e].from, v = a->edges.at[e].to;
    a->ahead.count = a->behind.count = 0;
    if (a->nodes[u].place >= a->nodes[v].place) {
        uint32_t mark = esse_acyclic_marks(a);
        bool ok = u != v && search_ahead(a, v, u, mark);
        if (ok)
            search_behind(a, v, u, mark + 1);
        esse_solver_spend(a->solver, 4 * (a->ahead.count + a->behind.count));
        if (!ok)
            return false;
        reorder(a);
    }
    link_edge(a, e);
    return true;
}
