#ifndef ESSE_ENGINE_WORLDS_H
#define ESSE_ENGINE_WORLDS_H

#include "engine/check_state.h"

/*
 * Decides the levels of a check, whatever the transactions of unknown outcome did that may have
 * committed or not (semantics 1): a level holds iff it holds in some world.
 *
 * First (begin) the engines are asked about the world in which none of them committed, for what
 * holds there; then, by check_decide, about the history as it is, in which they conclude nothing
 * from what one of open outcome may explain.  For what is left this supposes one outcome after the
 * other, first that it committed, and asks again: a level that holds in one world holds, and one
 * that is violated in all is violated, shown case by case.  What does not depend on a supposition
 * is not tried twice.
 *
 * Cost: one run of the engines if no outcome is open, else one or two, and then at most MOST_RUNS
 * in worlds.c and as many as the operations allow; exact for up to eight open outcomes in small
 * histories.  A copy of the operations a run.  False if the input is bad.
 */
bool worlds_begin(struct check *check, struct esse_budget *budget, struct esse_error *err);
bool worlds_decide(struct check *check, struct esse_budget *budget, struct esse_error *err);

#endif
