#ifndef ESSE_EVIDENCE_KEY_VERSIONS_H
#define ESSE_EVIDENCE_KEY_VERSIONS_H

#include "base/vec.h"
#include "history/history.h"

/*
 * The versions of one key in their order, and which of them a certificate says that an operation
 * saw, from the definitions: part of the kernel of recheck.h.
 *
 * Cost: O(operations + versions named for the key).
 */
struct esse_key_version {
    uint32_t txn, op; /* ESSE_NO_TXN: the initial one */
    esse_value value;
    bool matches; /* for the caller */
};
ESSE_VEC(esse_key_version_vec, struct esse_key_version)

/* The initial version first.  False if their order is neither given in full nor that of the
 * history by the workload's convention. */
bool esse_key_versions(struct esse_key_version_vec *versions, struct esse_arena *arena,
                       const struct esse_history *history, esse_key key);

/* The place among 'versions' of what the operation saw by its snapshot; false if it has none, or
 * if the versions are not in the order of the commits. */
bool esse_key_version_at_snapshot(const struct esse_key_version_vec *versions,
                                  const struct esse_history *history, uint32_t txn, uint32_t op,
                                  uint32_t *seen);

#endif
