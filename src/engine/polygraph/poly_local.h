#ifndef ESSE_ENGINE_POLYGRAPH_POLY_LOCAL_H
#define ESSE_ENGINE_POLYGRAPH_POLY_LOCAL_H

#include "engine/polygraph/poly_state.h"

/*
 * Refuting where it breaks (docs/design/polygraph.md, "Local refutations").
 *
 * A violation is local: the transactions of its cycle overlapped.  Which of two versions came first
 * is guessed from an estimate of the order of commits.  Cycles of the guess are looked for around
 * the reads that were overtaken (poly_guess.c).  In a region of ranks around a cycle, what is known
 * forces orders of versions, and these force others (poly_region.c).  If all orders that a cycle
 * rests on are forced, nothing is left of the guess: the level is refuted.
 */

/* Transactions by rank, both ends included. */
struct poly_range {
    uint32_t low, high;
};

/* A cycle of the guess: the orders "version before the next one" that it rests on. */
struct poly_candidate {
    uint32_t first, count; /* in poly_local.orders */
    uint32_t length;       /* edges */
};

ESSE_VEC(poly_candidate_vec, struct poly_candidate)

/*
 *   1) rank and at_rank are inverse to one another.
 *   2) next[v] is a version of the same key, and no chain of them comes back to v.
 *   3) later[v] is NO_VERSION or comes after v in that chain; it is set exactly for the orders of
 *      'forced' that begin with v, the last of them.
 */
struct poly_local {
    struct poly *poly;
    struct esse_arena *arena;
    const uint32_t *rank; /* by transaction: its place in the estimate */
    uint32_t *at_rank;    /* and the reverse */
    version_id *next;     /* by version: the one after it in the guess, or NO_VERSION */
    version_id *later;    /* by version: the nearest one that is forced to come after it */
    struct esse_csr installed, read;      /* from transactions to versions */
    struct poly_candidate_vec candidates; /* the shortest first */
    struct esse_u32_vec orders;           /* versions */
    struct poly_inferred_vec forced;      /* in the region at hand */
    uint64_t rounds, regions;             /* counts, for the report */
};

/* ---- poly_guess.c ---- */

/* The order of the versions by the ranks of their writers. */
void poly_guess_make(struct poly_local *l);
/* Fills l->candidates.  False if the budget is spent.  O(versions), and a bounded search for each
 * read whose version was overwritten by a transaction of lower rank. */
bool poly_guess_cycles(struct poly_local *l);

/* ---- poly_region.c ---- */

struct poly_region;

struct poly_region *poly_region_new(struct poly_local *l);

/* Into the region of these ranks; one at a time. */
void poly_region_enter(struct poly_local *l, struct poly_region *region, struct poly_range range);

enum poly_closed { POLY_CLOSED, POLY_CYCLIC, POLY_STOPPED };
/* Which node leads to which, by what is known and l->forced; CYCLIC: there is a cycle.  STOPPED:
 * the budget is spent.  O(edges * nodes / 64) of the region. */
enum poly_closed poly_region_close(struct poly_local *l, struct poly_region *region);
/* After CLOSED: must version a come before version b? */
bool poly_region_forces(const struct poly_local *l, const struct poly_region *region, version_id a,
                        version_id b);
/* Infers, in at most so many rounds, what is forced among the transactions of these ranks.  Returns
 * the number of rounds if that refutes the level: by '*cycle', or, if that is NULL, by a cycle of
 * what is known and forced.  0 if nothing was refuted.  O(rounds * edges * nodes / 64) of the
 * region, and nodes * nodes / 8 bytes. */
uint32_t poly_region_settle(struct poly_local *l, struct poly_region *region,
                            struct poly_range range, uint32_t rounds,
                            const struct poly_candidate **cycle);
/* Forgets what was forced. */
void poly_region_leave(struct poly_local *l, struct poly_region *region);

/* ---- poly_local.c ---- */

/* All but l->candidates, by l->poly, l->arena and l->rank. */
void poly_local_prepare(struct poly_local *l);

/*
 * Looks for a local refutation.  If there is one, the orders of versions that it rests on are
 * inferred, poly->known has the cycle, and poly->near says where it is.  False: none was found, and
 * nothing is said.
 *
 * For levels without real time, on the graph of what the level itself has.
 */
bool poly_refute_locally(struct poly *poly);

#endif
