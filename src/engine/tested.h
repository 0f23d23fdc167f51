#ifndef ESSE_ENGINE_TESTED_H
#define ESSE_ENGINE_TESTED_H

#include "history/history.h"

/*
 * Of so few committed transactions that a level which holds says nothing about the database: the
 * verdict is then unknown, and says why.  What is violated stays so.
 */
void esse_verdict_demand_commits(struct esse_verdict *verdict, uint64_t committed, uint64_t least);

#endif
