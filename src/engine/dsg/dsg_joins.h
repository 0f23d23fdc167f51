#ifndef ESSE_ENGINE_DSG_DSG_JOINS_H
#define ESSE_ENGINE_DSG_DSG_JOINS_H

#include "engine/dsg/dsg_ranges.h"
#include "engine/dsg/dsg_views.h"

/*
 * The versions that change what a join of two tables returns, for an operation that saw the first
 * so many commits.  A version of a row counts as a change if it, or the one before it, goes
 * together with a row of the other table as the operation saw that one; a version that it did not
 * see, as its own transaction left that one.  Of a row that the operation's transaction had written
 * itself its own version was seen, and says nothing about others.
 *
 * Cost: the pairs of versions that go together are found once for a text, and again for each
 * operation after own writes; then O(rows of the tables, and versions that go with what was seen)
 * an operation.
 */
struct dsg_join {
    struct esse_arena *arena; /* of the pairs of the text at hand; NULL without any */
    esse_value text;
    bool placed;  /* all rows of the tables have versions in the order of commits */
    bool has_own; /* it is good for one operation only */
    struct esse_pair
        *pairs; /* by version: one that goes with it; from versions->count on own keys */
    uint32_t pair_count;
    uint32_t *keys; /* rows of the tables */
    uint32_t key_count;
    struct esse_pair *same; /* two versions of one transaction */
    uint32_t same_count;
};

/* Finds the changes that the text at hand, a join, sees in operation 'op' with its snapshot, a
 * prefix; 'own' tells by key whether its transaction had written it: op + 1.  They are none if some
 * row of the tables has versions whose commits have no order.  False and the views' error filled if
 * a row is no good. */
bool dsg_join_see(struct dsg_join *join, struct dsg_views *views, const struct dsg_ranges *ranges,
                  const struct esse_snapshot *snapshot, const uint32_t *own, uint32_t op);

#endif
