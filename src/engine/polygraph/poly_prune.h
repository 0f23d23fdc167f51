#ifndef ESSE_ENGINE_POLYGRAPH_POLY_PRUNE_H
#define ESSE_ENGINE_POLYGRAPH_POLY_PRUNE_H

#include "engine/polygraph/poly_state.h"

#include "graph/reach.h"

/*
 * What pruning shares with the two ways of knowing who leads to whom: a closure that is kept, by
 * chains or windows, or paths that are found anew for a block of sources at a time.
 */
enum { POLY_BLOCK_WORDS = 16, POLY_BLOCK = 64 * POLY_BLOCK_WORDS };

struct pruning {
    struct poly *poly;
    struct esse_arena *arena;
    struct esse_csr installed; /* from transactions to their versions */
    struct esse_csr read;      /* and to those that they read */
    uint64_t *less, *more; /* by key, squares of bits: version i comes before version j; after it */
    size_t *square, words; /* by key: where its square begins; and all of them, in words */
    uint32_t *order;       /* the nodes of poly->known, topologically */
    uint64_t rounds;       /* or nodes asked */
    bool found;            /* something, since this was reset */
    bool is_refuted;       /* what was found closes a cycle; the theory will tell it */

    struct esse_reach *closure; /* or NULL, and then: */
    uint64_t *block;            /* by node: the sources of the block that lead to it */
    uint32_t *place;            /* by node: in the order */
    uint32_t begin;             /* the first place of the block */
};

/* Asks what follows from where the paths from 'node', or the paths to it, lead.  Without a closure
 * 'node' must be of the block at hand. */
void poly_ask_from(struct pruning *p, uint32_t node);
void poly_ask_to(struct pruning *p, uint32_t node); /* with a closure only */

/* After pruning: the next version, from 'v' on, whose order with 'version' is left to the solver;
 * NO_VERSION if there is none.  From 0 on it is the first. */
uint32_t poly_next_choice(const struct pruning *p, uint32_t version, uint32_t v);

/* After pruning: fills poly->small. */
void poly_small_find(struct pruning *p);

/* What is found goes into the graph: the orders from which the others follow. */
void poly_draw_covers(struct pruning *p);

/* To the fixpoint; false if the budget is spent. */
bool poly_prune_by_closure(struct pruning *p);
bool poly_prune_by_blocks(struct pruning *p);

/* A closure of poly->known, whose topological order is p->order; NULL if none is small enough. */
struct esse_reach *poly_closure_find(struct pruning *p);

#endif
