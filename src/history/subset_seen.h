#ifndef ESSE_HISTORY_SUBSET_SEEN_H
#define ESSE_HISTORY_SUBSET_SEEN_H

#include "history/snapshots.h"
#include "history/subset_left.h"

/*
 * Whether a predicate operation can distinguish the part from the whole: whether some row that it
 * ranges over is another one there.  It cannot if, of every key of which something is gone, one of
 * these is so:
 *
 * 1) its own transaction wrote the key before it, and that is left;
 * 2) it ranges over no version that the key ever had;
 * 3) the certificate shows which version it saw, and that is left; or it ranges neither over that
 *    one nor over the one that it sees in the part.
 *
 * 2 and half of 3 need an evaluator of SQL: esse_selection.ranges.  Private to subset_left.c.
 *
 * Cost: O(writes) to make, and O(versions of the keys that lost something) to ask.
 */
struct seen_version {
    esse_place place;
    uint32_t txn, op;
    esse_value value;
};

struct esse_seen {
    const struct esse_left *left;
    struct esse_snapshots snapshots;
    bool has_snapshots;
    uint32_t *first; /* by key: at[first[k] .. first[k + 1]) */
    struct seen_version
        *versions;      /* inside of a key in the order of the commits, if that is known */
    uint8_t *is_placed; /* by key: it is */
};

struct esse_seen *esse_seen_new(const struct esse_left *left);

/* Of a predicate operation of the transaction; 'whole_keys': keys that were not selected count. */
bool esse_seen_can_tell(const struct esse_seen *seen, uint32_t txn, uint32_t op, bool whole_keys);

#endif
