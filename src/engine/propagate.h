#ifndef ESSE_ENGINE_PROPAGATE_H
#define ESSE_ENGINE_PROPAGATE_H

#include "engine/engine.h"

/*
 * What one verdict says about other levels: an order that proves a level proves all that the level
 * implies, and an anomaly that rules a level out rules out all that imply it.  So neither need be
 * looked for, and what is reported of a history does not contradict itself.
 *
 * Cost: O(levels) for each level asked about.
 */
struct propagation {
    const struct esse_history *history;
    const struct esse_level *const *levels;
    struct esse_verdict *verdicts; /* one a level */
    size_t count;
    const bool *named, *except; /* as in struct esse_job */
};

/* Gives a verdict the answer of another one, with what it rests on. */
void propagate_take(struct esse_verdict *verdict, const struct esse_verdict *from);

/* Gives an undecided level the verdict that follows from another one; false if none does. */
bool propagate_decided(const struct propagation *f, size_t at);

/* The same between the levels of one job. */
bool propagate_in_job(struct esse_job *job, size_t at);

#endif
