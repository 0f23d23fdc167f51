#ifndef ESSE_HISTORY_FAULTS_KEPT_H
#define ESSE_HISTORY_FAULTS_KEPT_H

#include "base/vec.h"
#include "history/record.h"

/* The faults of a history so far, in the order of their beginnings. */
ESSE_VEC(esse_fault_vec, struct esse_fault_record)

/*
 * Takes a record of a fault: a new one, or the end of one that goes on.  False: it ends what did
 * not begin, or before it started; 'line' is for the message.
 *
 * Cost: O(1) for a beginning; an end looks back over the faults that came since it began.
 */
bool esse_faults_keep(struct esse_fault_vec *faults, struct esse_arena *arena,
                      const struct esse_fault_record *record, uint64_t line,
                      struct esse_error *err);

#endif
