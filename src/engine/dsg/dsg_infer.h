#ifndef ESSE_ENGINE_DSG_DSG_INFER_H
#define ESSE_ENGINE_DSG_DSG_INFER_H

#include "engine/known/versions.h"

/*
 * What follows about the order of registers' versions from assumptions (docs/design/dsg.md): adds
 * versions->after, and numbers the unordered versions of every key in an order that follows it.
 *
 * The assumptions of 'assume' are taken one after the other, as Elle does: one that contradicts
 * what is known so far of some key is reported as cyclic-versions and left out, for all keys.
 * Lists and keys with a certificate are left alone.
 *
 * Cost: O(accesses + versions + edges), times the transactions that are at work on one key at a
 * time for linearizable-keys; 20 bytes an edge.  False if the budget is spent.
 */
bool dsg_infer(struct versions *versions, struct known *known, unsigned assume);

#endif
