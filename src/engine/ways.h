#ifndef ESSE_ENGINE_WAYS_H
#define ESSE_ENGINE_WAYS_H

#include "engine/check_state.h"

/*
 * Levels that depend on which of several operations appended an element of a list: they are asked
 * of the history of every way (history/appends.h).  What holds in one holds, and what is violated
 * in all is violated.  If there are very many ways, only some are tried, and then nothing is
 * refuted.
 *
 * Fills the verdicts that are still unknown.  'has_ways' says that there are several; then nothing
 * else need be tried, which was tried in each.  False as esse_check.
 */
bool ways_decide(struct check *check, bool *has_ways, struct esse_error *err);

#endif
