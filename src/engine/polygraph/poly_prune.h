#ifndef ESSE_ENGINE_POLYGRAPH_POLY_PRUNE_H
#define ESSE_ENGINE_POLYGRAPH_POLY_PRUNE_H

#include "engine/polygraph/poly_state.h"

#include "graph/reach.h"

/*
 * What pruning shares with the two ways of knowing which node leads to which: a closure that is
 * kept, by chains or windows, or paths that are found anew for a block of sources at a time.
 */
enum { POLY_BLOCK_WORDS = 16, POLY_BLOCK = 64 * POLY_BLOCK_WORDS };

struct pruning {
    struct poly *poly;
    struct esse_arena *arena;
    struct esse_csr installed; /* from transactions to their versions */
    struct esse_csr read;      /* and to those that they read */
    uint64_t *less,
        *more; /* by key, order matrices of bits: version i comes before version j; after it */
    size_t *matrix, words; /* by key: where its matrix begins; and all of them, in words */
    uint32_t *order;       /* the nodes of poly->known, topologically */
    uint64_t rounds;       /* in which all nodes are asked */
    uint64_t again;        /* nodes that were asked beside them */
    size_t began;          /* inferred orders when the round began, on which all may rest */
    bool is_refuted;       /* what was found closes a cycle; the theory will tell it */

    /* With a closure; without one it is NULL. */
    struct esse_reach *closure;
    bool adds;               /* what is found goes into it at once */
    uint32_t *chain, chains; /* by node; and how many of them, 0: by windows */
    double closure_seconds;  /* of making it */

    /* Without one. */
    uint64_t *block; /* by node: the sources of the block that lead to it */
    uint32_t *place; /* by node: in the order */
    uint32_t begin;  /* the first place of the block */
};

/* ---- what was found: poly_matrices.c ---- */

/* Room for it; false if that would be more than pruning is worth. */
bool poly_matrices_make(struct pruning *p);
/* Version a comes before version b of the key, and before all that come after b. */
void poly_set_less(struct pruning *p, uint32_t key, version_id a, version_id b);
/* The next version of the key, from 'v' on, that may come before or after 'version'; NO_VERSION if
 * there is none.  Of two orders only one is looked for: were the other to follow as well, the edges
 * of what was found first would close a cycle. */
version_id poly_next_open(const struct pruning *p, uint32_t key, version_id version, version_id v);
uint64_t poly_count_less(const struct pruning *p);
/* It goes into the graph: those orders from which the others follow. */
void poly_draw_covers(struct pruning *p);

/* ---- asking ---- */

/* Asks what follows from where the paths from 'node', or the paths to it, lead.  Without a closure
 * 'node' must be of the block at hand. */
void poly_ask_from(struct pruning *p, esse_node node);
void poly_ask_to(struct pruning *p, esse_node node); /* with a closure only */

/* The edges of an order go into the closure. */
void poly_add_order(struct pruning *p, const struct poly_inferred *order);

/* After pruning: the next version, from 'v' on, whose order with 'version' is left to the solver;
 * NO_VERSION if there is none.  From 0 on it is the first. */
version_id poly_next_choice(const struct pruning *p, version_id version, version_id v);

/* After pruning: fills poly->small. */
void poly_small_find(struct pruning *p);

/* Makes p->closure of poly->known, if one is small enough. */
void poly_closure_make(struct pruning *p);

/* Asks all nodes once; false if the budget is spent. */
bool poly_ask_blocks(struct pruning *p);
bool poly_ask_closure(struct pruning *p);
/* Adds to the closure what was found in this round, and asks those nodes again that lead to more by
 * it, or are led to, until nothing follows. */
bool poly_settle(struct pruning *p);

#endif
