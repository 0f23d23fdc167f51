#ifndef ESSE_EVIDENCE_RECHECK_STEPS_H
#define ESSE_EVIDENCE_RECHECK_STEPS_H

#include "evidence/claim.h"

/*
 * An anomaly that a few operations show.  Its evidence is its steps, in this order:
 *
 *   G1a                 the read; the aborted write of what it returned
 *   G1b                 the read; the write of what it returned; a later write of the same key by
 *                       the same transaction
 *   garbage-read        the read of what no transaction wrote
 *   internal            what the transaction did to the key before; the read that contradicts it
 *   own-write-missed    the transaction's write of the key; a later read that does not show it
 *   future-read         the read; the later write, by the same transaction, of what it returned
 *   duplicate-elements  the read of a list with an element more often than it was appended
 *   incompatible-order  two reads of lists of which neither is a prefix of the other
 *   dirty-update        an aborted append; a committed append; the read that shows the second
 *                       after the first with nothing committed between
 *   lost-update         two first reads of the same version by transactions that both write the
 *                       key
 *   lost-commit         a write of the transaction that was lost
 *   duplicate-write     two writes of the same value to the key
 *   cyclic-versions     see recheck_versions.h
 *   predicate-read-miss the predicate operation that left out the key
 *   result-set-mismatch the predicate operation that disagrees with its version set about the key
 *
 * Cost: O(accesses of the key) for each that speaks of all writers, of a list times its length;
 * else O(its transactions).
 */
bool steps_show(const struct claim *claim);

#endif
