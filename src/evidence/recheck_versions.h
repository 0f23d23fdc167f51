#ifndef ESSE_EVIDENCE_RECHECK_VERSIONS_H
#define ESSE_EVIDENCE_RECHECK_VERSIONS_H

#include "evidence/claim.h"

/*
 * The order of a register's versions by an assumption, from two operations of transactions that
 * count as committed:
 *
 *   initial-state      the first read the initial state, the second read or installed another
 *                      version
 *   wfr-keys           one transaction read the first version and installed the second
 *   sequential-keys    two transactions of a session that come in this order
 *   linearizable-keys  the first is committed and had ended before the second started
 *
 * A state that was read and not written for good is a version here, known by its value.
 * Whether it is assumed is asked elsewhere (esse_recheck_verdict).
 */
bool version_comes_first(const struct claim *claim, esse_key key, enum esse_basis basis,
                         esse_op first, esse_op second);

/* Does the operation, as a reader or as a writer of the key, show the version that the witness
 * shows?  A predicate update, which is both, shows as a witness what it wrote. */
bool version_is_shown(const struct claim *claim, esse_key key, esse_op op, bool as_reader,
                      esse_op witness);

/* The anomaly cyclic-versions: steps by twos, where the version of the first comes before that of
 * the second by the basis of the first, which is the one of the next two's first, and so round. */
bool version_is_cyclic(const struct claim *claim);

#endif
