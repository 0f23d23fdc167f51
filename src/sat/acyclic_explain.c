#include "sat/acyclic_state.h"

#include <assert.h>

/*
 * The clause of a cycle: an edge of a guard, and a path from its end to its start with as few
 * guarded edges as can be, found breadth first with known edges free (0-1 search), inside the
 * window of the order between the two.  If all edges of the guard have the same start, or end, one
 * search serves all of them.  If no guard can occur twice on a path, that path's guards are
 * minimal; else each of them is tried to be left out.
 */

struct search {
    struct esse_acyclic *a;
    uint32_t mark;   /* of nodes that are settled; goals have the next */
    uint32_t bound;  /* places beyond need not be looked at */
    uint32_t goal;   /* the one found, or NONE */
    uint32_t length; /* guards that came to the trail before */
    esse_lit free;   /* the guard of the closing edge: in the clause in any case */
    uint32_t tag;    /* unless 0: only guards that have it */
};

static void settle(struct search *s, uint32_t node, uint32_t via)
{
    struct node *at = &s->a->nodes[node];
    if (at->mark == s->mark + 1)
        s->goal = node;
    at->mark = s->mark;
    at->via = via;
    esse_u32_vec_push(&s->a->ahead, s->a->arena, node);
}

static bool is_new(const struct search *s, uint32_t node)
{
    const struct node *at = &s->a->nodes[node];
    return at->mark != s->mark && at->place <= s->bound;
}

static bool may_use(const struct search *s, esse_lit lit)
{
    const struct guard *guard = &s->a->guards.at[lit];
    return guard->at < s->length && (!s->tag || guard->tag == s->tag);
}

/* Goes on from a node: what is free at once, what has a guard in the next round, kept as edges in
 * a->behind. */
static void expand(struct search *s, uint32_t node)
{
    struct esse_acyclic *a = s->a;
    const uint32_t *first = a->spec.first, *to = a->spec.to, end = first ? first[node + 1] : 0;
    for (uint32_t e = first ? first[node] : 0; e < end; e++)
        if (is_new(s, to[e]))
            settle(s, to[e], node);
    for (uint32_t e = a->nodes[node].out; e != NONE; e = a->edges.at[e].next_out) {
        const struct edge *edge = &a->edges.at[e];
        if (!is_new(s, edge->to))
            continue;
        if (edge->guard == s->free)
            settle(s, edge->to, VIA_EDGE | e);
        else if (may_use(s, edge->guard))
            esse_u32_vec_push(&a->behind, a->arena, e);
    }
}

/* From the ends of the closing edges 'first' to before 'end' to a start of them. */
static bool find_path_of(struct search *s, uint32_t first, uint32_t end)
{
    struct esse_acyclic *a = s->a;
    const struct edge *edges = a->edges.at;
    a->ahead.count = a->behind.count = 0;
    s->mark = esse_acyclic_marks(a);
    s->goal = NONE;
    s->bound = 0;
    for (uint32_t e = first; e != end; e = edges[e].next) {
        struct node *goal = &a->nodes[edges[e].from];
        goal->mark = s->mark + 1;
        s->bound = goal->place > s->bound ? goal->place : s->bound;
    }
    for (uint32_t e = first; e != end && s->goal == NONE; e = edges[e].next)
        if (is_new(s, edges[e].to))
            settle(s, edges[e].to, NONE);
    for (size_t next = 0, later = 0; s->goal == NONE;) {
        while (next < a->ahead.count && s->goal == NONE)
            expand(s, a->ahead.at[next++]);
        if (later == a->behind.count)
            break;
        for (size_t stop = a->behind.count; later < stop && s->goal == NONE; later++) {
            uint32_t e = a->behind.at[later];
            if (is_new(s, edges[e].to))
                settle(s, edges[e].to, VIA_EDGE | e);
        }
    }
    esse_solver_spend(a->solver, 4 * (a->ahead.count + a->behind.count));
    return s->goal != NONE;
}

/* Leaves the path in 'via', from the goal back. */
static bool find_path(struct search *s)
{
    const struct guard *guard = &s->a->guards.at[s->free];
    if (!guard->many_from || !guard->many_to)
        return find_path_of(s, guard->first, NONE);
    for (uint32_t e = guard->first; e != NONE; e = s->a->edges.at[e].next)
        if (find_path_of(s, e, s->a->edges.at[e].next))
            return true;
    return false;
}

static bool is_guarded(uint32_t via)
{
    return via != NONE && via & VIA_EDGE;
}

static uint32_t start_of(const struct search *s, uint32_t via)
{
    return is_guarded(via) ? s->a->edges.at[via & ~VIA_EDGE].from : via;
}

/* Adds the guards of the path to the clause, each once; true if one of them could be on a path
 * twice.  The clause holds guards here, not yet negated. */
static bool collect_guards(struct search *s)
{
    struct esse_acyclic *a = s->a;
    bool repeats = false;
    uint32_t tag = esse_acyclic_marks(a);
    a->clause.count = 0;
    esse_u32_vec_push(&a->clause, a->arena, s->free);
    a->guards.at[s->free].tag = tag;
    for (uint32_t via = a->nodes[s->goal].via; via != NONE; via = a->nodes[start_of(s, via)].via) {
        if (!is_guarded(via))
            continue;
        esse_lit lit = a->edges.at[via & ~VIA_EDGE].guard;
        struct guard *guard = &a->guards.at[lit];
        repeats |= guard->many_from && guard->many_to;
        if (guard->tag != tag)
            esse_u32_vec_push(&a->clause, a->arena, lit);
        guard->tag = tag;
    }
    s->tag = tag;
    return repeats;
}

/* Leaves out one guard after the other, as long as there is a path. */
static void minimise(struct search *s)
{
    struct esse_acyclic *a = s->a;
    for (size_t i = 1; i < a->clause.count;) {
        esse_lit lit = a->clause.at[i];
        a->guards.at[lit].tag = 0;
        if (find_path(s)) {
            collect_guards(s);
            i = 1;
        } else {
            a->guards.at[lit].tag = s->tag;
            i++;
        }
    }
    bool found = find_path(s);
    assert(found);
}

/* The cycle in order: along the path to the goal, then the closing edge. */
static void collect_cycle(struct search *s)
{
    struct esse_acyclic *a = s->a;
    uint32_t node = s->goal;
    a->cycle.count = 0;
    cycle_vec_push(&a->cycle, a->arena, (struct esse_guarded_edge){ s->goal, NONE, s->free });
    while (a->nodes[node].via != NONE) {
        uint32_t via = a->nodes[node].via, from = start_of(s, via);
        esse_lit guard = is_guarded(via) ? a->edges.at[via & ~VIA_EDGE].guard : ESSE_LIT_NONE;
        cycle_vec_push(&a->cycle, a->arena, (struct esse_guarded_edge){ from, node, guard });
        node = from;
    }
    a->cycle.at[0].to = node;
    for (size_t i = 0, j = a->cycle.count; i + 1 < j; i++) {
        struct esse_guarded_edge edge = a->cycle.at[i];
        a->cycle.at[i] = a->cycle.at[--j];
        a->cycle.at[j] = edge;
    }
}

void esse_acyclic_explain(struct esse_acyclic *a, esse_lit guard, uint32_t length,
                          struct esse_theory_clause *clause)
{
    struct search s = { .a = a, .free = guard, .length = length };
    bool found = find_path(&s);
    assert(found);
    if (collect_guards(&s))
        minimise(&s);
    collect_cycle(&s);
    for (size_t i = 0; i < a->clause.count; i++)
        a->clause.at[i] = esse_lit_not(a->clause.at[i]);
    *clause = (struct esse_theory_clause){ a->clause.at, a->cycle.at, (uint32_t)a->clause.count,
                                           (uint32_t)a->cycle.count };
}
