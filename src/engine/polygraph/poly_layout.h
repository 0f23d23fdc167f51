#ifndef ESSE_ENGINE_POLYGRAPH_POLY_LAYOUT_H
#define ESSE_ENGINE_POLYGRAPH_POLY_LAYOUT_H

#include "engine/polygraph/poly_state.h"

/*
 * Where the transactions are on a line, as far as it shows: an estimate of the order of
 * commits, made once for all levels.  Client times if there are any; else the recording or the
 * place in the session, if few reads contradict it; else by least squares, from reads and sessions
 * (docs/design/polygraph.md, "Layout").  It only guides.
 *
 *   1) rank is a permutation of the transactions.
 *   2) If 'at' is there, rank is its order.  Its unit is a transaction.
 *   3) second is another permutation, that of the next best way, or NULL.
 *   4) Of parts of the history that no read, session or overwritten initial version joins, one ends
 *      before the next one begins.
 */
struct poly_layout {
    uint32_t *rank, *second;
    double *at;        /* by transaction, or NULL: then the rank is by time, recording or session */
    double error;      /* of 'at': how far reads are from where they should be, on average */
    uint64_t backward; /* reads of a transaction of higher rank */
    uint32_t parts;
};

/* Cost: O((reads + sources of open reads) * ITERATIONS) if the order must be found by least
 * squares, else O(reads + transactions). */
void poly_layout_find(struct poly_layout *layout, const struct poly_reads *reads, unsigned ablate);

/* Do values repeat: may more than one read in ten be of several versions? */
bool poly_repeats(const struct poly_reads *reads);

/* Moves the sessions along the line until most reads would return what they did: from a rank to a
 * better one (docs/design/polygraph.md, "Aligning").  O((reads + versions) * 60). */
void poly_align(const struct poly_reads *reads, uint32_t *rank);

#endif
