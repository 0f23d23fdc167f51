#ifndef ESSE_COLLECT_RECORD_OVERHEAD_H
#define ESSE_COLLECT_RECORD_OVERHEAD_H

#include "base/arena.h"
#include "base/vec.h"

/*
 * What recording costs, measured inside of one run: for a tenth of a second what begins is
 * recorded, for the next it is not, and so on.  Two runs, one with recording and one without,
 * differ by more than recording costs on any machine that others use too; neighbouring tenths of a
 * second do so less, and there are many of them.
 *
 * Slices come in pairs, of which every second one begins without recording, so that a load that
 * grows steadily slower favours neither.  What is compared are the pairs: the logarithm of their
 * ratio, since a ratio itself is on average more than one where both sides only scatter.
 */
struct esse_slice {
    double seconds, processor; /* how long it took, and the processor time of this process */
    uint64_t ended, committed; /* transactions in it */
    uint64_t bytes;            /* written in it */
};
ESSE_VEC(esse_slice_vec, struct esse_slice)

/* All zero but for the arena when the run begins. */
struct esse_overhead {
    struct esse_arena *arena;
    struct esse_slice_vec done;
    struct esse_slice began; /* the slice that is under way: the run up to it.  The first, in which
                                sessions connect, is not kept */
};

/* 'now' is the whole run so far.  Ends the slice that is under way if its time is over; whether
 * that was so. */
bool esse_overhead_tick(struct esse_overhead *overhead, const struct esse_slice *now);

/* Whether what begins now is recorded. */
bool esse_overhead_records(const struct esse_overhead *overhead);

/* With standard errors of what is compared. */
struct esse_recording_cost {
    uint64_t pairs;                    /* of slices in which something was committed */
    double rate_with, rate_without;    /* commits a second, of all slices */
    double lost, lost_error;           /* of the rate without */
    double processor_with;             /* seconds a transaction, of all slices */
    double processor, processor_error; /* the share of recording in it */
    double bytes;                      /* of a recorded transaction's line */
};
struct esse_recording_cost esse_overhead_cost(const struct esse_overhead *overhead);

#endif
