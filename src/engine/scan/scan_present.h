#ifndef ESSE_ENGINE_SCAN_SCAN_PRESENT_H
#define ESSE_ENGINE_SCAN_SCAN_PRESENT_H

#include "base/vec.h"
#include "engine/scan/scan_state.h"
#include "sql/range.h"

/*
 * The keys that a predicate operation can be sure to find: they are there from the start, and no
 * transaction that may have committed deletes or appends to them.  By column the least and the
 * greatest of what each of them ever held: a range that has both has all.
 *
 * Cost: O(accesses) once, and once a column; find O(log keys + keys whose least value is in the
 * range).
 */

struct scan_extent {
    int64_t least, greatest;
    uint32_t key;
};
ESSE_VEC(scan_extent_vec, struct scan_extent)

struct scan_present_column {
    struct esse_column column;
    bool usable; /* nothing but integers */
    struct scan_extent_vec
        extents; /* by the least value; keys that once had nothing are not there */
};
ESSE_VEC(scan_present_column_vec, struct scan_present_column)

struct scan_present {
    struct known *known;
    struct esse_u32_vec keys; /* ascending */
    struct scan_present_column_vec columns;
};

void scan_present_find(struct scan_present *present, struct known *known);

/* Adds the always-present keys that were in the range all the time.  False if the column is of no
 * use. */
bool scan_present_in(struct scan_present *present, const struct esse_range *range,
                     struct esse_u32_vec *keys);

#endif
