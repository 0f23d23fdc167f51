#ifndef ESSE_SAT_ACYCLIC_H
#define ESSE_SAT_ACYCLIC_H

#include "sat/solver.h"

/*
 * A theory for the solver: a directed graph, of edges that are known and edges that are there
 * while the literal that guards them is true, has no cycle.
 *
 *     esse_solver_new -> esse_acyclic_new -> (esse_solver_var, guard)* -> esse_solver_solve
 *
 * It keeps one topological order of all edges that are there, which changes only where an edge
 * comes that leads backwards, and does not change back when edges go.  So the order learns, and
 * deciding a variable for the polarity whose first edge leads forward in it is mostly right.
 *
 * A conflict is a cycle, and its clause is minimal: no literal can be left out (for a guard whose
 * edges share neither start nor end: with the edge that closes the cycle).  Edges that would
 * close a cycle are ruled out when they lead from what is reached by a new backward edge to what
 * reaches it; not all such edges are found, since an edge that leads forward costs nothing here.
 *
 * Cost: 24 bytes a node and the caller's edges; 4 more bytes a known edge once an edge leads
 * backwards; about 35 bytes a guarded edge, 44 a variable.  Setting up O(nodes + edges), with a
 * factor of log(nodes) if the hint contradicts the edges.  A forward edge O(1); a backward edge
 * O(edges between its ends in the order).
 */
struct esse_acyclic;

struct esse_acyclic_spec {
    uint32_t nodes;             /* below 2^31 */
    const uint32_t *first, *to; /* known edges: those of v lead to to[first[v] .. first[v + 1]);
                                 * not copied; NULL if there are none */
    const uint32_t *hint;       /* by node, or NULL: where edges leave a choice, smaller first */
    void *context;              /* of the functions, which may be null */
    /* Adds the edges of a literal, with esse_acyclic_guard, beside those it has; asked once, when
     * it is first true or first looked at. */
    void (*edges)(void *context, esse_lit lit);
    /* Everything has a value, the order is complete.  May add variables, clauses, and edges of
     * literals that are not true, and then returns true. */
    bool (*more)(void *context);
};

/* Sets up and becomes the theory of 'solver', in its arena.  NULL if its budget is spent. */
struct esse_acyclic *esse_acyclic_new(struct esse_arena *arena, struct esse_solver *solver,
                                      const struct esse_acyclic_spec *spec);

/* The nodes of a cycle of known edges, in order; then there is nothing to solve.  Their number is
 * 0 if there is none. */
const uint32_t *esse_acyclic_known_cycle(const struct esse_acyclic *acyclic, uint32_t *count);

/* The edge is there while 'lit' is true.  'lit' must not be true now. */
void esse_acyclic_guard(struct esse_acyclic *acyclic, esse_lit lit, uint32_t from, uint32_t to);

/* The place of a node in the order, 0 to nodes - 1.  After SAT all edges that are there lead from
 * lower places to higher ones. */
uint32_t esse_acyclic_position(const struct esse_acyclic *acyclic, uint32_t node);

#endif
