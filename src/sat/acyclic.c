#include "base/guard.h"
#include "sat/acyclic_state.h"

#include <assert.h>

static const struct guard no_guard = { .first = NONE, .last = NONE, .at = NEVER };

/* Makes room for the guards of a variable. */
static void add_guards(struct esse_acyclic *a, uint32_t var)
{
    while (a->implied_at.count <= var) {
        esse_u32_vec_push(&a->implied_at, a->arena, NEVER);
        guard_vec_push(&a->guards, a->arena, no_guard);
        guard_vec_push(&a->guards, a->arena, no_guard);
    }
}

static void add_to_batch(struct esse_acyclic *a, uint32_t from, uint32_t to, esse_lit lit)
{
    uint32_t *first = &a->nodes[from].from;
    if (*first == NONE || a->batches.at[*first].count == BATCH) {
        batch_vec_push(&a->batches, a->arena, (struct batch){ .next = *first });
        *first = (uint32_t)a->batches.count - 1;
    }
    struct batch *batch = &a->batches.at[*first];
    batch->edges[batch->count].to = to;
    batch->edges[batch->count++].guard = lit;
}

void esse_acyclic_guard(struct esse_acyclic *a, esse_lit lit, uint32_t from, uint32_t to)
{
    assert(from < a->spec.nodes);
    assert(to < a->spec.nodes);
    esse_guard_poll();
    add_guards(a, esse_lit_var(lit));
    struct guard *guard = &a->guards.at[lit];
    assert(guard->at == NEVER);
    uint32_t e = (uint32_t)a->edges.count;
    assert(e < VIA_EDGE);
    edge_vec_push(&a->edges, a->arena, (struct edge){ from, to, lit, NONE, NONE, NONE });
    add_to_batch(a, from, to, lit);
    if (guard->first == NONE) {
        guard->first = e;
    } else {
        a->edges.at[guard->last].next = e;
        guard->many_from |= a->edges.at[guard->first].from != from;
        guard->many_to |= a->edges.at[guard->first].to != to;
    }
    guard->last = e;
}

/* ---- ruling out edges ---- */

static bool is_open(const struct esse_acyclic *a, esse_lit lit)
{
    return a->guards.at[lit].at == NEVER && a->guards.at[esse_lit_not(lit)].at == NEVER &&
           a->implied_at.at[esse_lit_var(lit)] == NEVER;
}

static void rule_out_batch(struct esse_acyclic *a, const struct batch *batch)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        esse_lit guard = batch->edges[i].guard;
        if (a->nodes[batch->edges[i].to].mark != a->mark + 1 || !is_open(a, guard))
            continue;
        a->implied_at.at[esse_lit_var(guard)] = a->length;
        esse_u32_vec_push(&a->implied, a->arena, esse_lit_not(guard));
    }
}

/* After a backward edge came in: an edge from what it reaches to what reaches it must not come. */
static void rule_out(struct esse_acyclic *a)
{
    uint64_t looked = 0;
    for (size_t i = 0; i < a->ahead.count; i++)
        for (uint32_t b = a->nodes[a->ahead.at[i]].from; b != NONE; b = a->batches.at[b].next) {
            rule_out_batch(a, &a->batches.at[b]);
            looked += BATCH / 2;
        }
    esse_solver_spend(a->solver, looked);
}

/* ---- the theory's functions ---- */

static bool needs_asking(const struct esse_acyclic *a, esse_lit lit)
{
    return a->spec.edges && (lit >= a->guards.count || !a->guards.at[lit].asked);
}

static void ask_edges(struct esse_acyclic *a, esse_lit lit)
{
    add_guards(a, esse_lit_var(lit));
    a->guards.at[lit].asked = true;
    a->spec.edges(a->spec.context, lit);
}

static bool assign(void *context, esse_lit lit, struct esse_theory_clause *conflict)
{
    struct esse_acyclic *a = context;
    uint32_t at = a->length++;
    if (needs_asking(a, lit))
        ask_edges(a, lit);
    if (lit >= a->guards.count)
        return true;
    a->guards.at[lit].at = at;
    esse_u32_vec_push(&a->on, a->arena, lit);
    for (uint32_t e = a->guards.at[lit].first; e != NONE; e = a->edges.at[e].next) {
        if (!esse_acyclic_insert(a, e)) {
            esse_acyclic_explain(a, lit, a->length, conflict);
            return false;
        }
        if (a->ahead.count)
            rule_out(a);
    }
    return true;
}

static uint32_t propagate(void *context, const esse_lit **lits)
{
    struct esse_acyclic *a = context;
    uint32_t count = (uint32_t)a->implied.count - a->passed;
    *lits = count ? a->implied.at + a->passed : NULL;
    a->passed = (uint32_t)a->implied.count;
    return count;
}

static void explain(void *context, esse_lit lit, struct esse_theory_clause *reason)
{
    struct esse_acyclic *a = context;
    uint32_t length = a->implied_at.at[esse_lit_var(lit)];
    assert(length != NEVER);
    esse_acyclic_explain(a, esse_lit_not(lit), length, reason);
}

/* Takes the edges of a literal out of the lists of their nodes, where they are foremost. */
static void unlink_edges(struct esse_acyclic *a, esse_lit lit)
{
    const struct edge *edges = a->edges.at;
    for (uint32_t e = a->guards.at[lit].first; e != NONE; e = edges[e].next) {
        uint32_t *out = &a->nodes[edges[e].from].out, *in = &a->nodes[edges[e].to].in;
        while (*out != NONE && edges[*out].guard == lit)
            *out = edges[*out].next_out;
        while (*in != NONE && edges[*in].guard == lit)
            *in = edges[*in].next_in;
    }
}

static void backtrack(void *context, uint32_t length)
{
    struct esse_acyclic *a = context;
    while (a->on.count && a->guards.at[a->on.at[a->on.count - 1]].at >= length) {
        esse_lit lit = a->on.at[--a->on.count];
        unlink_edges(a, lit);
        a->guards.at[lit].at = NEVER;
    }
    for (; a->implied.count; a->implied.count--) {
        uint32_t *at = &a->implied_at.at[esse_lit_var(a->implied.at[a->implied.count - 1])];
        if (*at <= length)
            break;
        *at = NEVER;
    }
    if (a->passed > a->implied.count)
        a->passed = (uint32_t)a->implied.count;
    a->length = length;
}

static enum esse_theory_answer final(void *context, struct esse_theory_clause *conflict)
{
    struct esse_acyclic *a = context;
    (void)conflict;
    if (a->spec.more && a->spec.more(a->spec.context))
        return ESSE_THEORY_MORE;
    return ESSE_THEORY_ACCEPTS;
}

static bool leads_forward(const struct esse_acyclic *a, esse_lit lit)
{
    uint32_t e = a->guards.at[lit].first;
    return e == NONE || a->nodes[a->edges.at[e].from].place < a->nodes[a->edges.at[e].to].place;
}

/* The polarity whose first edge leads forward, if the other's does not. */
static esse_lit phase(void *context, uint32_t var)
{
    const struct esse_acyclic *a = context;
    if (var >= a->implied_at.count)
        return ESSE_LIT_NONE;
    bool positive = leads_forward(a, esse_lit_of(var, false));
    if (positive == leads_forward(a, esse_lit_of(var, true)))
        return ESSE_LIT_NONE;
    return esse_lit_of(var, !positive);
}

/* The polarity all of whose edges lead forward, if both polarities have edges. */
static esse_lit idle(void *context, uint32_t var)
{
    struct esse_acyclic *a = context;
    esse_lit lit = phase(a, var);
    if (lit == ESSE_LIT_NONE || a->guards.at[esse_lit_not(lit)].first == NONE)
        return ESSE_LIT_NONE;
    if (needs_asking(a, lit))
        ask_edges(a, lit);
    for (uint32_t e = a->guards.at[lit].first; e != NONE; e = a->edges.at[e].next)
        if (a->nodes[a->edges.at[e].from].place >= a->nodes[a->edges.at[e].to].place)
            return ESSE_LIT_NONE;
    return a->guards.at[lit].first == NONE ? ESSE_LIT_NONE : lit;
}

static const struct esse_theory functions = { assign, propagate, explain, backtrack,
                                              final,  phase,     idle };

/* ---- new ---- */

struct esse_acyclic *esse_acyclic_new(struct esse_arena *arena, struct esse_solver *solver,
                                      const struct esse_acyclic_spec *spec)
{
    struct esse_acyclic *a = esse_arena_alloc(arena, 1, sizeof *a);
    assert(spec->nodes < VIA_EDGE);
    a->arena = arena;
    a->solver = solver;
    a->spec = *spec;
    a->nodes = esse_arena_alloc(arena, spec->nodes + (size_t)1, sizeof *a->nodes);
    for (uint32_t v = 0; v < spec->nodes; v++)
        a->nodes[v] = (struct node){ .out = NONE, .in = NONE, .from = NONE };
    if (!esse_acyclic_first_order(a, esse_solver_budget(solver)))
        return NULL;
    esse_solver_theory(solver, &functions, a);
    return a;
}

const uint32_t *esse_acyclic_known_cycle(const struct esse_acyclic *a, uint32_t *count)
{
    *count = (uint32_t)a->known_cycle.count;
    return a->known_cycle.at;
}

uint32_t esse_acyclic_position(const struct esse_acyclic *a, uint32_t node)
{
    assert(node < a->spec.nodes);
    return a->nodes[node].place;
}
