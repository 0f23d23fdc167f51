#ifndef ESSE_ENGINE_SCAN_SCAN_STATE_H
#define ESSE_ENGINE_SCAN_SCAN_STATE_H

#include "base/word_map.h"
#include "engine/known/known.h"

/* What the passes of the scan share.  Private to engine/scan. */

/* What one transaction did to one key: the accesses [begin .. end). */
struct scan_run {
    uint32_t key, txn;
    key_access_id begin, end;
};

/* What is wrong with one transaction's accesses to a key. */
void scan_internal(struct known *known, const struct scan_run *run); /* internal, future-read */
void scan_reads(struct known *known,
                const struct scan_run *run); /* G1a, G1b, garbage-read, future */

/* Tells a G1b: 'read' returned what its writer overwrote itself. */
void scan_tell_intermediate(struct known *known, uint32_t key, key_access_id read,
                            key_access_id write);

/* What is wrong with a key. */
void scan_duplicates(struct known *known, uint32_t key);
void scan_lost_updates(struct known *known, struct esse_word_map *map, uint32_t key);
bool scan_lists(struct known *known); /* all keys: what is wrong inside lists */

/* What is wrong with predicate operations: predicate-read-miss, result-set-mismatch. */
bool scan_predicates(struct known *known);

#endif
