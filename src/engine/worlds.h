#ifndef ESSE_ENGINE_WORLDS_H
#define ESSE_ENGINE_WORLDS_H

#include "engine/check_state.h"

/*
 * Transactions of unknown outcome that may have committed or not, both of which explain what was
 * read (semantics 1): a level holds iff it holds in some world.  Engines take them for not
 * committed when they prove, and conclude nothing from their absence when they refute.  For what
 * they leave open, this supposes one outcome after the other, first that it committed, and asks the
 * engines again: a level that holds in one world holds, and one that is violated in all is
 * violated, told case by case.  What does not depend on a supposition is not tried twice.
 *
 * Cost: at most as many runs of the engines as MOST_RUNS in worlds.c and as the operations allow;
 * exact for up to eight such transactions in small histories.  A copy of the operations a run.
 */
bool worlds_decide(struct check *check, struct esse_budget *budget, struct esse_error *err);

#endif
