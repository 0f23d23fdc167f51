#ifndef ESSE_SAT_ACYCLIC_STATE_H
#define ESSE_SAT_ACYCLIC_STATE_H

#include "base/radix.h"
#include "base/vec.h"
#include "sat/acyclic.h"

/* What the parts of the acyclicity theory share; no other file includes this. */

#define NONE  UINT32_MAX /* no edge, no node */
#define NEVER UINT32_MAX /* not on the trail */

/*
 * A guarded edge.  It is in the list of its guard; and, while it is there, in those of the edges
 * out of and into its nodes.  The last two are stacks, as edges go in the opposite order of their
 * coming.
 */
struct edge {
    uint32_t from, to;
    esse_lit guard;
    uint32_t next, next_out, next_in;
};

/* Some of the guarded edges from a node, whether they are there or not.  They are looked through
 * more often than anything else: two cache lines of them at a time are three times as fast as one
 * by one. */
enum { BATCH = 15 };

struct batch {
    uint32_t next, count;
    struct {
        uint32_t to;
        esse_lit guard;
    } edges[BATCH];
};

struct guard {
    uint32_t first, last; /* edges */
    uint32_t at;          /* place on the trail, or NEVER */
    uint32_t tag;         /* scratch of explanations */
    bool asked, many_from, many_to;
};

ESSE_VEC(edge_vec, struct edge)
ESSE_VEC(batch_vec, struct batch)
ESSE_VEC(guard_vec, struct guard)
ESSE_VEC(cycle_vec, struct esse_guarded_edge)

struct node {
    uint32_t place;   /* in the order */
    uint32_t mark;    /* of the last search that came here */
    uint32_t via;     /* how: a node, or VIA_EDGE and an edge */
    uint32_t out, in; /* first edges of the lists */
    uint32_t from;    /* the first batch */
};

#define VIA_EDGE (UINT32_C(1) << 31)

struct esse_acyclic {
    struct esse_arena *arena;
    struct esse_solver *solver;
    struct esse_acyclic_spec spec;
    struct node *nodes;
    uint32_t *in_first, *in_to; /* known edges reversed; NULL until needed */
    struct esse_u32_vec known_cycle;

    struct edge_vec edges;
    struct batch_vec batches;
    struct guard_vec guards;        /* by literal */
    struct esse_u32_vec implied_at; /* by variable: length of the trail when implied, or NEVER */
    uint32_t length;                /* of the trail */
    struct esse_u32_vec on;         /* literals of the trail that guard edges */
    struct esse_u32_vec implied;    /* literals, those before 'passed' passed to the solver */
    uint32_t passed;

    uint32_t mark;
    struct esse_u32_vec ahead, behind; /* nodes: reached from, and reaching, a new edge */
    struct esse_pair_vec sorted;
    struct esse_u32_vec clause;
    struct cycle_vec cycle;
};

/* acyclic_setup.c */
bool esse_acyclic_first_order(struct esse_acyclic *a, struct esse_budget *budget);
void esse_acyclic_reverse(struct esse_acyclic *a);

/* acyclic_insert.c: false if the edge closes a cycle.  Otherwise a->ahead and a->behind are empty,
 * or marked with a->mark and a->mark + 1. */
bool esse_acyclic_insert(struct esse_acyclic *a, uint32_t edge);

/* acyclic_explain.c: the clause of a cycle that an edge of 'guard' closes with edges whose literals
 * came to the trail before 'length'. */
void esse_acyclic_explain(struct esse_acyclic *a, esse_lit guard, uint32_t length,
                          struct esse_theory_clause *clause);

/* A mark, such that neither it nor its successor is on a node or the tag of a guard. */
uint32_t esse_acyclic_marks(struct esse_acyclic *a);

#endif
